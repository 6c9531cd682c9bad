"""One decorator for the library's kernels and one for the functions that a reader plugs into them.

numba notices a change in a kernel's own file only. Each file's machine code is therefore kept in a folder
that is named after the text of that file and of all that it imports: change a helper, and the kernels that
can reach it compile again, once. A reader's function is never kept: numba would not notice that a number
which it takes from elsewhere has changed.
"""

import contextlib
import functools
import hashlib
import multiprocessing
import os
import re
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numba
from numba.core import event, types
from numba.core.compiler_lock import global_compiler_lock
from numba.core.dispatcher import Dispatcher

from schedlib import paths
from schedlib.core import pure

PACKAGE = paths.PACKAGE
FROM = rb"from (schedlib[\w.]*) import (\([^)]*\)|[^\n#]*)"
IMPORT = re.compile(rb"^[ \t]*(?:" + FROM + rb"|import (schedlib[\w.]*))", re.MULTILINE)


@functools.cache
def imported(file: Path) -> frozenset[Path]:
    """The files of the package that one of its files imports, as its text says: absolute imports only."""
    files = set()
    for base, names, whole in IMPORT.findall(file.read_bytes()):
        inner = [base + b"." + name for name in re.findall(rb"(\w+)(?: as \w+)?", names)]
        for name in [whole] if whole else inner:
            steps = name.decode().split(".")[1:]
            tried = [
                PACKAGE.joinpath(*steps[:length])
                for length in (len(steps), len(steps) - 1)
                if length
            ]
            places = [
                place for path in tried for place in (path.with_suffix(".py"), path / "__init__.py")
            ]
            files |= set([place for place in places if place.is_file()][:1])
    return frozenset(files)


@functools.cache
def kernel_source(file: Path) -> str:
    """A hash over the text of a file of the package and of all that it imports, directly or not."""
    files, left = set(), [file]
    while left:
        if (path := left.pop()) not in files:
            files.add(path)
            left.extend(imported(path))
    digest = hashlib.sha256(numba.__version__.encode())
    for path in sorted(files):
        digest.update(path.relative_to(PACKAGE).as_posix().encode() + path.read_bytes())
    return digest.hexdigest()[:16]


@functools.cache
def kernel_folder(file: Path) -> Path | None:
    """The folder for a file's compiled kernels, one for each state of the source. `NUMBA_CACHE_DIR` names the
    place, or else `paths.cache_folder` finds it. None where no place can be written: kernels then compile in
    each process."""
    with contextlib.suppress(OSError):
        return paths.cache_folder(
            f"kernels/{kernel_source(file)}", os.environ.get("NUMBA_CACHE_DIR")
        )
    return None


def _own_file(function: Callable[..., Any]) -> Path | None:
    """The file of the package that a function stands in, if it is the package's."""
    code = getattr(function, "__code__", None)
    file = Path(code.co_filename).resolve() if code else None
    return file if file and file.is_relative_to(PACKAGE) and file.is_file() else None


def jit(
    function: Callable[..., Any], signature: Any = None, place: str = "", **options: Any
) -> Any:
    """numba's `njit` with these options. The package's own kernels are kept for the next process, and with a
    `signature` compile to it, or load, when first needed; a reader's function compiles to it now. `place`
    keeps apart what is compiled from one function with other options."""
    own = _own_file(function)
    folder = kernel_folder(own) if own else None
    before = numba.config.CACHE_DIR  # type: ignore[attr-defined]
    numba.config.CACHE_DIR = str(folder / place if folder else "")  # type: ignore[attr-defined]
    try:
        signatures = () if signature is None or own else (signature,)
        kernel = numba.njit(  # type: ignore[call-overload]
            *signatures, cache=folder is not None, nogil=True, **options
        )(function)
    finally:
        numba.config.CACHE_DIR = before  # type: ignore[attr-defined]
    if own and isinstance(kernel, Dispatcher):
        _compile_once(kernel, signature, folder / place if folder else None)
    return kernel


def _compile_once(kernel: Any, signature: Any, folder: Path | None) -> None:
    """Have a kernel compile when it is first called, by Python or by a kernel that compiles, or handed to
    another; with a signature to this alone. Of several processes one compiles, the others wait and load."""
    begin, save = type(kernel).compile, kernel._cache.save_overload

    def compile(asked: Any) -> Any:
        with global_compiler_lock:  # threads may call at once
            if signature is not None and not kernel._can_compile:
                return kernel
            wanted = asked if signature is None else signature
            with _alone(folder, f"{kernel.py_func.__qualname__} {wanted}"):
                entry = begin(kernel, wanted)
            if signature is None:
                return entry
            kernel.disable_compile()
            return kernel  # which numba calls again: only then does it convert arguments

    def save_alone(*overload: Any) -> None:
        with paths.alone(folder) if folder else contextlib.nullcontext():
            save(*overload)  # two that save at once could take one file name for both

    kernel.compile, kernel.declared, kernel._cache.save_overload = compile, signature, save_alone


_held: list[
    str
] = []  # what this process compiles: with one lock at most no two wait for each other


@contextlib.contextmanager
def _alone(folder: Path | None, name: str) -> Iterator[None]:
    """Hold what a kernel of this name and these types needs to compile, but for those that it calls."""
    if folder is None or _held:
        yield
        return
    _held.append(name)
    try:
        with paths.alone(folder / hashlib.sha256(name.encode()).hexdigest()[:8]):
            yield
    finally:
        _held.clear()


def ready(kernel: Any) -> None:
    """Compile, or load, a kernel with a signature now: before its time is taken."""
    if hasattr(kernel, "py_func"):
        kernel.compile(kernel.declared)


def compiled(function: Callable[..., Any] | None = None, *, signature: Any = None) -> Any:
    """Compile a kernel, keep the machine code for the next process, and let threads run it side by side.

    It compiles when first called. Give a `signature` to kernels that take a reader's function, since only
    then does numba keep them; they compile to that signature alone.

    >>> @compiled
    ... def twice(x):
    ...     return 2 * x
    >>> twice(21)
    42
    """
    return (
        functools.partial(jit, signature=signature)
        if function is None
        else jit(function, signature)
    )


def rule(
    signature: Any, form: str = "", notes: str = "the array that is there for it", **options: Any
) -> Callable[[Callable[..., Any]], Any]:
    """A decorator that compiles a reader's function to one signature, so that kernels can take it. The
    library's own functions compile when they are first needed.

    It takes plain functions, lambdas, and functions that numba compiled before; one that has this very
    signature is given back as it is. `form` says in words what the function takes and gives, such as
    "(cluster, job) -> machine"; `notes` is the array that it may write to. With NUMBA_DISABLE_JIT=1 the
    function stays plain Python. Raises ValueError, with the compiler's reason, for what is no function,
    cannot be compiled to that signature, answers with another kind of number, or writes to what it sees
    (`core.pure`).

    >>> add = rule(types.int64(types.int64, types.int64))
    >>> @add
    ... def plus(a, b):
    ...     return a + b
    >>> plus(40, 2), add(plus) is plus
    (42, True)
    """

    def decorate(function: Callable[..., Any]) -> Any:
        if isinstance(function, Dispatcher):
            declared = getattr(function, "declared", None)
            pure_one = function._compiler.pipeline_class is pure.Rules  # type: ignore[attr-defined]
            if (
                declared == signature
                or pure_one
                and signature.args in map(tuple, function.signatures)
            ):
                return function
            function = function.py_func
        passes: dict[str, Any] = {} if _own_file(function) else {"pipeline_class": pure.Rules}
        try:
            return jit(function, signature, **passes, **options)
        except (numba.core.errors.NumbaError, TypeError, AttributeError) as error:
            name = getattr(function, "__name__", repr(function))
            if written := pure.refusal(error, notes):
                raise ValueError(f"{name}: does not compile. {written}") from error
            raise ValueError(
                f"{name}: does not compile. The compiler says: {_reason(error)}. Use numbers, loops and the "
                f"arrays it is given; its arguments and result must be {form or signature}"
            ) from error

    return decorate


def _reason(error: Exception) -> str:
    """The first line of a compiler error that says what is wrong, not where in the compiler."""
    lines = re.sub(r"\x1b\[[\d;]*m", "", str(error)).splitlines()
    said = (
        line.strip().rstrip(".")
        for line in lines
        if line.strip() and not line.startswith("Failed in")
    )
    return next(said, "nothing")


def function_type(signature: Any) -> types.FunctionType:
    """The numba type of an argument that takes any function compiled by `rule(signature)`."""
    return types.FunctionType(signature)


class Notice(event.Listener):
    """Says once in a process, on standard error, that kernels compile, when that takes more than a moment."""

    moment = 1.0  # seconds

    def __init__(self) -> None:
        self.timer: threading.Timer | None = None
        self.depth = 0

    def on_start(self, event: Any) -> None:
        """A kernel begins to compile. A reader's function is not meant: it is not kept."""
        self.depth += 1
        if self.depth == 1 and event.data["dispatcher"].stats.cache_path is not None:
            self.timer = threading.Timer(self.moment, self.say)
            self.timer.daemon = True
            self.timer.start()

    def on_end(self, event: Any) -> None:
        """It is compiled."""
        self.depth -= 1
        if self.depth == 0 and self.timer is not None:
            self.timer.cancel()

    def say(self) -> None:
        """Say it, and never again."""
        event.unregister("numba:compile", self)
        print(
            "compiling kernels, once per machine (up to a minute for each paper)", file=sys.stderr
        )


if multiprocessing.parent_process() is None:  # workers stay silent
    event.register("numba:compile", Notice())
