"""Compiling: the library's kernels first, then the rules that a reader plugs into them.

numba notices a change in a kernel's own file only. The machine code of a paper's kernels is therefore kept in
a folder that is named after the text of `core` and of that paper's room: change a helper, and the kernels of
that room compile once more. A reader's rule is never kept: numba would not notice that a number which it
takes from elsewhere has changed.
"""

import contextlib
import dis
import functools
import hashlib
import inspect
import multiprocessing
import os
import pickle
import random
import re
import sys
import threading
import traceback
from collections.abc import Callable, Iterator
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numba
import numpy as np
from numba import types
from numba.extending import intrinsic, typeof_impl

from schedlib import paths

PACKAGE = paths.PACKAGE
ROOMS = ("core", "lotes", "hmhs", "mch", "eagle")
"""The papers never import one another. Kernels that stand elsewhere may call those of all of them."""
MOMENT = 1.0  # seconds after which a line says that kernels compile
DAMAGED = (OSError, EOFError, pickle.PickleError)
"""What numba raises when its folder is full, or when a file in it is cut short."""
PLAIN = re.compile(r"Untyped global name '(\w+)'.*<class 'function'>", re.DOTALL)
MISSING = re.compile(r"Unknown attribute '(\w+)' of type (\w+)")
"""How numba says that a rule calls what is not compiled, and asks for a field that is not there."""
MOST_TRIES = 500
"""More than there are kernels within a kernel."""
GENERATORS = (random.Random, np.random.RandomState)
"""The generators behind the functions of the modules `random` and `numpy.random`."""
READ_ONLY = re.compile(
    r"(setitem|sort|fill|shuffle)\(readonly array|'NoneType' object has no attribute 'args'"
)
"""How numba refuses a write to a read-only array; the second is what it says to `row /= 2`."""


@functools.cache
def kernel_folder(room: str) -> Path | None:
    """The folder for the kernels of a room of the package, one for each state of the source. `NUMBA_CACHE_DIR`
    names the place, or else `paths.cache_folder` finds it. None where no place can be written: kernels then
    compile in each process."""
    digest = hashlib.sha256(f"numba {numba.__version__} {version('llvmlite')}".encode())
    for folder in sorted({"core", room} if room in ROOMS else {*ROOMS, room}):
        for file in sorted((PACKAGE / folder).rglob("*.py")):
            digest.update(file.relative_to(PACKAGE).as_posix().encode() + file.read_bytes())
    with contextlib.suppress(OSError):
        name = f"kernels/{room}-{digest.hexdigest()[:16]}"
        return paths.cache_folder(name, os.environ.get("NUMBA_CACHE_DIR"))
    return None


def room_of(function: Callable[..., Any]) -> str | None:
    """The room of the package that a function stands in, None when it is a reader's."""
    file = Path(function.__code__.co_filename).resolve()
    own = file.is_relative_to(PACKAGE) and file.is_file()
    return file.relative_to(PACKAGE).parts[0] if own else None


def kept_in(function: Callable[..., Any]) -> Path | None:
    """The folder in which a kernel is kept, None for a reader's function."""
    room = room_of(function)
    return kernel_folder(room) if room else None


def jit(function: Callable[..., Any], place: str = "", **options: Any) -> Any:
    """numba's `njit`, which compiles at the first call; the package's own kernels are kept for the next
    process, and threads may run side by side. `place`, a folder, keeps apart what is compiled of one function
    with other options."""
    folder = kept_in(function)
    # numba takes a function's folder from its settings, at the moment of decoration
    before = numba.config.CACHE_DIR  # type: ignore[attr-defined]
    numba.config.CACHE_DIR = str(folder / place if folder else "")  # type: ignore[attr-defined]
    try:
        return numba.njit(cache=folder is not None, nogil=True, **options)(function)  # type: ignore[call-overload]
    finally:
        numba.config.CACHE_DIR = before  # type: ignore[attr-defined]


def compiled(
    function: Callable[..., Any] | None = None,
    *,
    signature: Any = None,
    inside: Any = None,
    **options: Any,
) -> Any:
    """A kernel: compiled for the types that it is called with, at its first call from Python or as a part of
    the kernels that call it.

    Give a `signature` to kernels that take a reader's rule, since only then does numba keep them; from Python
    they then take those types alone. `options` are numba's for what Python calls, `inside` those for what
    becomes part of another kernel.

    >>> @compiled
    ... def twice(x):
    ...     return 2 * x
    >>> twice(21)
    42
    """
    if function is None:
        return functools.partial(compiled, signature=signature, inside=inside, **options)
    if numba.config.DISABLE_JIT:  # type: ignore[attr-defined]
        return function
    return Kernel(function, signature, inside or {}, options)


class Kernel:
    """A compiled function: Python calls the `whole`; the kernels that call it have the `part` in their own code."""

    def __init__(
        self,
        function: Callable[..., Any],
        signature: Any,
        inside: dict[str, Any],
        options: dict[str, Any],
    ) -> None:
        functools.update_wrapper(self, function)
        self.function, self.signature = function, signature
        self.whole, self.part = jit(function, **options), jit(function, "inside", **inside)
        self.known: set[Any] = set()

    def __call__(self, *arguments: Any) -> Any:
        kinds = None if self.signature else tuple(map(type, arguments))
        if kinds not in self.known:
            self.prepare(kinds, *arguments)
        try:
            return self.whole(*arguments)
        except Exception as error:
            if said := blamed(error, arguments):
                raise RuleError(said) from error
            raise

    def __reduce__(self) -> str:
        return self.function.__qualname__

    def prepare(self, kinds: Any, *arguments: Any) -> None:
        """Compile, or load, for arguments of these Python types."""
        wanted = self.signature or tuple(map(numba.typeof, arguments))
        with _alone(self.function), _notice():
            if kinds in self.known:  # another thread was first
                return
            healing(lambda: self.whole.compile(wanted), kept_in(self.function))
            if self.signature:
                self.whole.disable_compile()
            self.known.add(kinds)


# how numba finds a kernel that another calls
@typeof_impl.register(Kernel)
def _part(kernel: Kernel, context: Any) -> Any:
    return types.Dispatcher(kernel.part)


def ready(kernel: Any) -> None:
    """Compile, or load, a kernel with a signature now: before its time is taken."""
    if isinstance(kernel, Kernel) and not kernel.known:
        kernel.prepare(None)


@contextlib.contextmanager
def _alone(function: Callable[..., Any]) -> Iterator[None]:
    """Of several processes one compiles a room's kernels, the others wait and load."""
    folder = kept_in(function)
    with paths.alone(folder) if folder else contextlib.nullcontext():
        yield


def healing(compile_all: Callable[[], Any], folder: Path | None) -> None:
    """Compile, although files of kernels may be damaged or the disk be full. After the first such error the files of
    all rooms beside `folder` are deleted. What has compiled stays in memory even where it cannot be kept, so that
    each try gets further."""
    for tries in range(MOST_TRIES):
        try:
            compile_all()
            return
        except DAMAGED:
            if folder and tries == 0:  # the damaged one may be a helper of another room
                for file in folder.parent.rglob("*.nb?"):
                    file.unlink(missing_ok=True)
    compile_all()


COMPILING = "compiling kernels, once per machine (up to a minute for each paper)"
_said: list[str] = []


@contextlib.contextmanager
def _notice() -> Iterator[None]:
    """Say once, on standard error, that kernels compile, when that takes more than a moment."""
    if _said or multiprocessing.parent_process() is not None:
        yield
        return

    def say() -> None:
        _said.append(COMPILING)
        print(COMPILING, file=sys.stderr)

    timer = threading.Timer(MOMENT, say)
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()


# --- a reader's rules ---


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


class RuleError(ValueError):
    """What a reader's function raised in a run: its name, its line, and a way out."""


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


def reached(function: Callable[..., Any]) -> Iterator[Any]:
    """A function, and those that it calls by a global name or a closure's, compiled or not."""
    left, looked = [function], set()
    while left:
        this = left.pop()
        looked.add(this)
        yield this
        known = inspect.getclosurevars(this)
        for value in (*known.globals.values(), *known.nonlocals.values()):
            called = inspect.unwrap(getattr(value, "py_func", value))
            if inspect.isfunction(called) and called not in looked:
                left.append(called)


def draws_globally(function: Callable[..., Any]) -> bool:
    """Whether a function, or one that it calls by a global name, draws from numpy's or Python's own generator.

    >>> draws_globally(lambda: np.random.random()), draws_globally(lambda rng: rng.random())
    (True, False)
    """
    return any(map(_draws, reached(function)))


def _draws(function: Callable[..., Any]) -> bool:
    known = inspect.getclosurevars(function)
    named = {**known.globals, **known.nonlocals}
    value: Any = None  # what the step before loaded, when it has a name
    for step in dis.get_instructions(function):
        if value is np and step.argval == "random":
            return True
        loads = step.opname in ("LOAD_GLOBAL", "LOAD_DEREF")
        value = named.get(step.argval) if loads else None
        if value is random or value is np.random:
            return True
        if isinstance(getattr(value, "__self__", None), GENERATORS):
            return True
    return False


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


def _line(step: dis.Instruction) -> int:
    return (step.positions and step.positions.lineno) or 0


def _at(function: Callable[..., Any], lines: list[int]) -> str:
    """A place in a reader's file, in brackets."""
    listed = " or ".join(map(str, lines))
    return f" ({Path(function.__code__.co_filename).name}, line {listed})"


SLIPS = {
    ZeroDivisionError: (r"^([/%]|//)=?$", "ask first whether the divisor is 0"),
    IndexError: (r"^(BINARY_SUBSCR|STORE_SUBSCR|\[\])$", "ask first how long the array is"),
    MemoryError: ("^CALL", "ask for smaller arrays"),
}
"""Python's instructions that raise an error, and how to avoid it."""


def blamed(error: Exception, arguments: Any) -> str:
    """Which reader's function, among the arguments of a kernel, raised an error: its name, what it raised, a way
    out, its line; "" when none did."""
    functions = [one for rule in _rules(arguments) for one in reached(rule) if not room_of(one)]
    said = f"raises {type(error).__name__}: {error}"
    *_, (frame, line) = traceback.walk_tb(error.__traceback__)
    for function in functions:
        if function.__code__.co_filename == frame.f_code.co_filename:
            return f"{function.__name__}: {said}{_at(function, [line])}"
    pattern, way_out = SLIPS.get(type(error), ("", ""))
    for function in functions if pattern else ():
        lines = set()
        for step in dis.get_instructions(function):
            if re.match(pattern, step.argrepr) or re.match(pattern, step.opname):
                lines.add(_line(step))
        if lines:
            place = _at(function, sorted(lines))
            return f"{function.__name__}: {said}; {way_out}{place}"
    return ""


def _rules(arguments: Any) -> Iterator[Any]:
    """The reader's functions among a kernel's arguments, and in the tuples among these."""
    for argument in arguments:
        if isinstance(argument, tuple):
            yield from _rules(argument)
        elif hasattr(argument, "declared"):
            yield argument.py_func
