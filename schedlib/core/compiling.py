"""One decorator for the library's kernels and one for the functions that a reader plugs into them.

numba notices a change in a kernel's own file only. Each file's machine code is therefore kept in a folder
that is named after the text of that file and of all that it imports: change a helper, and the kernels that
can reach it compile again, once. A reader's function is never kept: numba would not notice that a number
which it takes from elsewhere has changed.
"""

import contextlib
import functools
import hashlib
import os
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numba
from numba.core import types

from schedlib import paths

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
            tried = [PACKAGE.joinpath(*steps[:length]) for length in (len(steps), len(steps) - 1) if length]
            places = [place for path in tried for place in (path.with_suffix(".py"), path / "__init__.py")]
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
        return paths.cache_folder(f"kernels/{kernel_source(file)}", os.environ.get("NUMBA_CACHE_DIR"))
    return None


def jit(function: Callable[..., Any], signature: Any = None, **options: Any) -> Any:
    """numba's `njit` with these options; the package's own kernels are kept for the next process."""
    code = getattr(function, "__code__", None)
    file = Path(code.co_filename).resolve() if code else None
    folder = kernel_folder(file) if file and file.is_relative_to(PACKAGE) and file.is_file() else None
    before = numba.config.CACHE_DIR  # type: ignore[attr-defined]
    numba.config.CACHE_DIR = str(folder or "")  # type: ignore[attr-defined]
    try:
        signatures = () if signature is None else (signature,)
        return numba.njit(  # type: ignore[call-overload]
            *signatures, cache=folder is not None, nogil=True, **options)(function)
    finally:
        numba.config.CACHE_DIR = before  # type: ignore[attr-defined]


def compiled(function: Callable[..., Any] | None = None, *, signature: Any = None) -> Any:
    """Compile a kernel, keep the machine code for the next process, and let threads run it side by side.

    With `signature` the kernel is compiled at import or loaded from the cache; give one to kernels that take
    a reader's function, since only then does numba cache them.

    >>> @compiled
    ... def twice(x):
    ...     return 2 * x
    >>> twice(21)
    42
    """
    return functools.partial(jit, signature=signature) if function is None else jit(function, signature)


def rule(signature: Any, form: str = "") -> Callable[[Callable[..., Any]], Any]:
    """A decorator that compiles a reader's function to one signature, so that kernels can take it.

    It takes plain functions, lambdas, and functions that numba compiled before; one that has this very
    signature is given back as it is. `form` says in words what the function takes and gives, such as
    "(cluster, job) -> machine". With NUMBA_DISABLE_JIT=1 the function stays plain Python. Raises ValueError,
    with the compiler's reason, for what is no function or cannot be compiled to that signature.

    >>> add = rule(types.int64(types.int64, types.int64))
    >>> @add
    ... def plus(a, b):
    ...     return a + b
    >>> plus(40, 2), add(plus) is plus
    (42, True)
    """

    def decorate(function: Callable[..., Any]) -> Any:
        if isinstance(function, numba.core.dispatcher.Dispatcher):
            if signature.args in map(tuple, function.signatures):
                return function
            function = function.py_func
        try:
            return jit(function, signature)
        except (numba.core.errors.NumbaError, TypeError) as error:
            name = getattr(function, "__name__", repr(function))
            raise ValueError(
                f"{name}: does not compile. The compiler says: {_reason(error)}. Use numbers, loops and the "
                f"arrays it is given; its arguments and result must be {form or signature}") from error

    return decorate


def _reason(error: Exception) -> str:
    """The first line of a compiler error that says what is wrong, not where in the compiler."""
    lines = re.sub(r"\x1b\[[\d;]*m", "", str(error)).splitlines()
    said = (line.strip().rstrip(".") for line in lines if line.strip() and not line.startswith("Failed in"))
    return next(said, "nothing")


def function_type(signature: Any) -> types.FunctionType:
    """The numba type of an argument that takes any function compiled by `rule(signature)`."""
    return types.FunctionType(signature)
