"""A reader's rules: plain functions, compiled to one signature so that kernels take them, and what is wrong with them.

A rule is never kept for the next process: numba would not notice that a number which it takes from elsewhere
has changed.
"""

import dis
import inspect
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numba
import numpy as np
from numba import types
from numba.extending import intrinsic

from schedlib.core.compiling import jit
from schedlib.core.functions import _at, _line, draws_globally, room_of

PLAIN = re.compile(r"Untyped global name '(\w+)'.*<class 'function'>", re.DOTALL)
MISSING = re.compile(r"Unknown attribute '(\w+)' of type (\w+)")
"""How numba says that a rule calls what is not compiled, and asks for a field that is not there."""
READ_ONLY = re.compile(
    r"(setitem|sort|fill|shuffle)\(readonly array|'NoneType' object has no attribute 'args'"
)
"""How numba refuses a write to a read-only array; the second is what it says to `row /= 2`."""


def seen(dtype: Any, dimensions: int = 1, layout: str = "C") -> types.Array:
    """The type of an array that a rule sees and cannot write to.

    >>> seen(types.float64).mutable
    False
    """
    return types.Array(dtype, dimensions, layout, readonly=True)  # type: ignore[call-overload]


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

        def as_it_is(context, builder, signature, arguments):
            (value,) = arguments
            if context.enable_nrt:  # where references are counted, what is returned is one more
                context.nrt.incref(builder, signature.return_type, value)
            return value

        return array.copy(readonly=True)(array), as_it_is


def rule(
    signature: Any, form: str = "", notes: str = "the array that is there for it", **options: Any
) -> Callable[[Callable[..., Any]], Any]:
    """A decorator that compiles a reader's function to one signature, so that kernels can take it as a rule.
    The library's own rules compile when they are first needed.

    It takes plain functions, lambdas, and functions that numba compiled before; one that has this very
    signature is given back as it is. `form` says in words what the function takes and gives, such as
    "(cluster, job) -> machine"; `notes` is the array that it may write to. A reader's indices are checked.
    With NUMBA_DISABLE_JIT=1 the function stays plain Python. Raises ValueError, with the compiler's reason,
    for what is no function, cannot be compiled to that signature, answers with another kind of number, draws
    from `np.random` or writes to what it sees.

    >>> add = rule(types.int64(types.int64, types.int64))
    >>> @add
    ... def plus(a, b):
    ...     return a + b
    >>> plus(40, 2), add(plus) is plus
    (42, True)
    """

    def decorate(function: Callable[..., Any]) -> Any:
        if getattr(function, "declared", None) == signature:
            return function
        plain = inspect.unwrap(getattr(function, "py_func", function))
        name = getattr(plain, "__name__", repr(plain))
        try:
            made = _made(plain, signature, options)
        except Refused as error:
            reason = str(error).replace("{notes}", notes)
            raise ValueError(f"{name}: does not compile. {reason}") from error
        except Exception as error:  # some of numba's errors are no NumbaError
            reason = _reason(error, notes, form or signature, signature.args)
            where = _line_in(error)
            raise ValueError(f"{name}: does not compile. {reason}{where}") from error
        if made is not plain:
            made.declared = signature
        return made

    return decorate


WRITES = "It writes to an array that it is shown, and these are read-only; keep your own numbers in {notes}"
DRAWS = "It draws from `random` or `np.random`, which no seed of a run reaches; draw from the `rng` that it is given"


BANNED = {
    "STORE_ATTR": WRITES,
    "STORE_GLOBAL": "It sets a global variable, and those are fixed when it compiles; keep your own numbers in {notes}",
    "IMPORT_NAME": "It imports a module; import at the top of the file, outside the function",
    "BEFORE_WITH": "It uses `with`, for which there is no machine code; do that outside the function",
    "LOAD_SPECIAL": "It uses `with`, for which there is no machine code; do that outside the function",
}
"""Python's instructions that no rule may have. numba lets a rule write to a field of a record even where the
array of records is read-only."""
NO_RETURN = (
    "It ends without `return` on some path, and the answer must be {wanted}; return it at the end"
)
NO_ANSWER = "It returns {given}, and the answer must be {wanted}; nothing is cut or rounded"


class Refused(Exception):
    """A reader's function that compiles and is refused all the same; the sentence says why."""


def _made(function: Callable[..., Any], signature: Any, options: dict[str, Any]) -> Any:
    """The rule itself. Raises `Refused`, or what numba raises."""
    if not inspect.isfunction(function):
        raise TypeError(f"{function!r} is not a function")
    if numba.config.DISABLE_JIT:  # type: ignore[attr-defined]
        return function
    if room_of(function):
        # numba links kept code by name: two lambdas of one signature could be taken for each other
        if function.__name__ == "<lambda>":
            raise Refused("A rule of the library needs a name of its own; write it as a function")
        return jit(function, **options)
    for step in dis.get_instructions(function):
        if step.opname in BANNED:
            raise Refused(BANNED[step.opname] + _at(function, [_line(step)]))
    if draws_globally(function):
        raise Refused(DRAWS)
    options = {"nogil": True, "boundscheck": True} | options
    made = numba.njit(signature.args, **options)(function)  # type: ignore[call-overload]
    given, wanted = made.nopython_signatures[0].return_type, signature.return_type
    kinds = types.Integer | types.Float if isinstance(wanted, types.Float) else types.Integer
    if not isinstance(given, kinds):
        nothing = isinstance(given, types.NoneType | types.Optional)
        sentence = NO_RETURN if nothing else NO_ANSWER
        first = function.__code__.co_firstlineno
        raise Refused(sentence.format(given=given, wanted=wanted) + _at(function, [first]))
    if given == wanted:
        return made
    return numba.njit(signature, **options)(function)  # type: ignore[call-overload]


def _reason(error: Exception, notes: str, form: Any, shown: Any) -> str:
    """What is wrong: one of the slips that are common, or else the first line that the compiler says of it;
    `shown`: the types of the arguments."""
    lines = re.sub(r"\x1b\[[\d;]*m", "", str(error)).splitlines()
    text = "\n".join(lines)
    if READ_ONLY.search(text):
        return WRITES.format(notes=notes)
    if plain := PLAIN.search(text):
        return f"It calls {plain[1]!r}, a plain function; decorate that with `numba.njit`"
    if missing := MISSING.search(text):
        fields = ", ".join(_fields(shown, missing[2]))
        has = f"; there are: {fields}" if fields else ""
        return f"{missing[2]} has no {missing[1]!r}{has}"
    said = [line.strip().rstrip(".") for line in lines if line.strip()]
    first = next((line for line in said if not line.startswith("Failed in")), "nothing")
    return (
        f"The compiler says: {first}. Use numbers, loops and the arrays it is given; its arguments and result "
        f"must be {form}"
    )


def _fields(shown: Any, name: str) -> tuple[str, ...]:
    """The fields of the NamedTuple of that name among these types, or within them."""
    for one in shown:
        if isinstance(one, types.BaseNamedTuple):
            made = one.instance_class  # type: ignore[attr-defined]
            found = made._fields if made.__name__ == name else _fields(one, name)
            if found:
                return tuple(found)
    return ()


def _line_in(error: Exception) -> str:
    """Where the compiler says that an error is, the innermost place first."""
    places = re.findall(r'File "([^"]+)", line (\d+)', str(error))
    return f" ({Path(places[-1][0]).name}, line {places[-1][1]})" if places else ""
