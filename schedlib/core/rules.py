"""Readers' rules: plain functions, compiled to one signature, so that kernels take them.

Each simulator declares the kinds of rule that it takes, a `RuleKind` each. A rule is never kept for the next
process: numba would not notice that a number which it takes from elsewhere has changed.
"""

import functools
import inspect
import re
import sys
import textwrap
import traceback
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from numbers import Number
from types import ModuleType
from typing import Any

import numba
import numpy as np
from numba import types
from numba.extending import intrinsic

from schedlib.core.checks import frozen
from schedlib.core.compiling import jit
from schedlib.core.functions import flaw, names_in, plain, reached, room_of, variables, where

MOST_LINES = 10_000
"""An uncompiled call on an example ends after this number of lines: it may be an endless loop."""
MOST_SAID = 100  # characters of the compiler's first line that a message repeats
TAKEN = (Number, str, tuple, np.ndarray, np.generic, ModuleType)
"""Kinds of objects that compiled code can take from outside, beside functions."""
COLOURS = re.compile(r"\x1b\[[\d;]*m")
"""The terminal's colours in numba's messages."""


INT_ROWS = frozen(np.ones((8, 8), np.int64))
FLOAT_ROWS = frozen(np.ones((8, 8)))
INTS = INT_ROWS[0]
FLOATS = FLOAT_ROWS[0]
"""Examples of arrays that a rule sees and cannot write to."""
NOTES = np.ones((8, 4))
"""An example of the rows of numbers that a rule may write to."""
RNG = np.random.default_rng(0)


if numba.config.DISABLE_JIT:  # type: ignore[attr-defined]

    def read_only(array: np.ndarray) -> np.ndarray:
        """The same array, which a rule that gets it cannot write to."""
        view = array.view()
        view.flags.writeable = False
        return view
else:

    @intrinsic
    def read_only(typingctx, array):
        """The same array, which a rule that gets it cannot write to."""

        def unchanged(context, builder, signature, arguments):
            (value,) = arguments
            if context.enable_nrt:  # where references are counted, what is returned is one more
                context.nrt.incref(builder, signature.return_type, value)
            return value

        return array.copy(readonly=True)(array), unchanged


@dataclass(frozen=True, eq=False)
class RuleKind:
    """A kind of function that a reader can write for a simulator; a decorator that compiles one.

    - `arguments`: an example of each argument by its name; the first is what the rule sees. All arguments that
      kernels hand over are of the examples' types
    - `answer`: the answer's name, of the type of `result`
    - `notes`: the arrays that the rule may write to, in words
    - `options`: numba's

    It takes plain functions, lambdas, and functions that numba compiled before; a function that has this very
    signature is given back as it is. The library's own rules compile when they are first needed. A reader's
    indices are checked. With NUMBA_DISABLE_JIT=1 a function stays plain Python. A function that reads
    `jobs`, where the rule sees them, stays plain until `columns.bind` knows the columns. Raises ValueError on
    what is not a function, does not compile to the signature, answers with another kind of number, draws from
    `np.random` or writes to what it sees. The message has Python's own error on an example and its line,
    where there is one, the compiler's first line, and the form that is expected.

    >>> addition = RuleKind({"a": 1, "b": 2}, "sum")
    >>> @addition
    ... def plus(a, b):
    ...     return a + b
    >>> plus(40, 2), addition(plus) is plus
    (42, True)
    """

    arguments: Mapping[str, Any]
    answer: str
    result: Any = 0
    notes: str = ""
    options: Mapping[str, Any] = field(default_factory=dict)

    @property
    def signature(self) -> Any:
        """The type of the function, as numba writes it."""
        return numba.typeof(self.result)(*map(numba.typeof, self.arguments.values()))

    @property
    def generator(self) -> str:
        """The generator from which a rule draws, as it writes it; "" where it is given none."""
        if "rng" in self.arguments:
            return "rng"
        name, sees = next(iter(self.arguments.items()))
        return f"{name}.rng" if hasattr(sees, "rng") else ""

    def reads_columns(self, function: Any) -> bool:
        """Whether a function reads the jobs' own columns, and cannot compile before these are known."""
        sees, *_ = self.arguments.values()
        return hasattr(sees, "jobs") and "jobs" in names_in(function)

    def __call__(self, function: Any, argument: str = "") -> Any:
        """The compiled function; `argument`, the name under which it was given, begins messages."""
        if getattr(function, "declared", None) == self.signature:
            return function
        python = plain(function)
        return python if self.reads_columns(python) else self.compiled(python, argument)

    def compiled(self, function: Any, argument: str = "") -> Any:
        """A plain function, compiled, whatever it reads."""
        if numba.config.DISABLE_JIT:  # type: ignore[attr-defined]
            return function
        try:
            made = self._made(function)
        except ValueError as error:
            name = getattr(function, "__name__", repr(function))
            start = f"{argument}: {name}" if argument else name
            form = f"({', '.join(self.arguments)}) -> {self.answer}"
            arrays = "; it makes no arrays" if self.options else ""
            notes = f"; keep your own numbers in {self.notes}" if self.notes else ""
            raise ValueError(
                f"{start}: does not compile. It {error}. A rule is {form}, of numbers, loops, the arrays that "
                f"it sees, which are read-only, and helpers under `numba.njit`{arrays}{notes}"
            ) from error.__cause__
        made.declared = self.signature
        return made

    def _made(self, function: Any) -> Any:
        """A plain function as machine code; ValueError, with the reason, where it cannot be a rule."""
        if not inspect.isfunction(function):
            raise ValueError("is not a function")
        if room_of(function):
            return jit(function, **self.options)
        if reason := flaw(function, self.generator):
            raise ValueError(reason)
        compiler = functools.partial(numba.njit, nogil=True, boundscheck=True, **self.options)
        signature = self.signature
        refusal: Exception | None = None
        try:
            made = compiler(signature.args)(function)
        except Exception as error:  # some of numba's errors are not a NumbaError
            refusal = error
        if refusal:
            raised = trial(function, self.arguments.values())
            raise ValueError(_reason(function, refusal, raised)) from raised
        answer = made.nopython_signatures[0].return_type
        wanted = signature.return_type
        numbers = types.Integer | types.Float if isinstance(wanted, types.Float) else types.Integer
        if not isinstance(answer, numbers):
            raise ValueError(f"returns {answer}, and the answer must be {wanted} on every path")
        return made if answer == wanted else compiler(signature)(function)


def trial(function: Callable[..., Any], arguments: Iterable[Any]) -> Exception | None:
    """The error that one uncompiled call raises; None when it raises none, or seems to have no end.

    >>> trial(lambda a: 1 // len(a), [()])
    ZeroDivisionError('integer division or modulo by zero')
    >>> def endless(a):
    ...     while True:
    ...         a += 1
    >>> trial(endless, [0])
    """
    lines = iter(range(MOST_LINES))

    def count(frame: Any, event: str, argument: Any) -> Any:
        next(lines)
        return count

    before = sys.gettrace()
    sys.settrace(count)
    try:
        function(*arguments)
    except Exception as error:
        return None if isinstance(error, StopIteration) else error
    finally:
        sys.settrace(before)
    return None


def _reason(function: Callable[..., Any], error: Exception, raised: Exception | None) -> str:
    """Why a function did not compile: Python's own error on an example, and the compiler's first line."""
    lines = COLOURS.sub("", str(error)).splitlines()
    said = [line.strip(" .") for line in lines if line and "Failed in" not in line]
    compiler = f"{textwrap.shorten(said[0], MOST_SAID)} {getattr(error, 'loc', None) or ''}"
    if raised is None:
        return f"is refused by the compiler: {compiler.strip()}{_outside(function)}"
    python = traceback.format_exception_only(raised)[-1].strip() + where(raised, function)
    fields = ", ".join(getattr(getattr(raised, "obj", None), "_fields", ()))
    exist = f"; {fields} exist" if fields else ""
    return f"raises {python} on an example{exist}. The compiler says: {compiler.strip()}"


def _outside(function: Callable[..., Any]) -> str:
    """The first value that a function takes from outside and that no rule can take; "" when it takes none."""
    for part in reached(function):
        for name, value in variables(part).items():
            a_class = isinstance(value, type) and not issubclass(value, (*TAKEN, Exception))
            if a_class or not (callable(value) or isinstance(value, TAKEN)):
                kind = "class" if a_class else type(value).__name__
                return f". It takes {name!r} from outside, a {kind}; numbers, text, tuples and arrays can be taken"
    return ""
