"""One decorator for the library's kernels and one for the functions that a reader plugs into them.

numba notices a change in a kernel's own file only. A cache folder named after the source of the kernel's file and of all that
it imports makes a stale answer impossible: change a helper and the kernels that can reach it compile again, once. A function from elsewhere, a reader's, is never
kept: numba would not notice that a number which it takes from another file, or another notebook cell, has changed.
"""

import contextlib
import functools
import hashlib
import os
import re
from pathlib import Path

import numba
from numba.core import types

from schedlib import paths

PACKAGE = paths.PACKAGE


IMPORT = re.compile(rb"^[ \t]*(?:from (schedlib[\w.]*) import (\([^)]*\)|[^\n#]*)|import (schedlib[\w.]*))", re.MULTILINE)


@functools.cache
def imported(file: Path) -> frozenset[Path]:
    """The package's files that one of them imports, by the form of its text: absolute imports only."""
    files = set()
    for base, names, whole in IMPORT.findall(file.read_bytes()):
        for name in [whole] if whole else [base + b"." + name for name in re.findall(rb"(\w+)(?: as \w+)?", names)]:
            parts = name.decode().split(".")[1:]
            tried = [PACKAGE.joinpath(*parts[:length]) for length in (len(parts), len(parts) - 1) if length]
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
    """The folder for a file's compiled kernels, or None where no place can be written (they then compile in each process).

    `NUMBA_CACHE_DIR` names the place, or else `paths.cache_folder` finds it. There is a folder for each state of the source.
    """
    with contextlib.suppress(OSError):
        return paths.cache_folder(f"kernels/{kernel_source(file)}", os.environ.get("NUMBA_CACHE_DIR"))
    return None


def jit(function, signature=None, **options):
    """numba's `njit` with these options; the machine code of the package's own kernels is kept for the next process."""
    code = getattr(function, "__code__", None)
    file = Path(code.co_filename).resolve() if code else None
    folder = kernel_folder(file) if file and file.is_relative_to(PACKAGE) and file.is_file() else None
    before = numba.config.CACHE_DIR
    numba.config.CACHE_DIR = str(folder or "")
    try:
        signatures = () if signature is None else (signature,)
        return numba.njit(*signatures, cache=folder is not None, nogil=True, **options)(function)
    finally:
        numba.config.CACHE_DIR = before


def compiled(function=None, *, signature=None):
    """Compile a kernel, keep the machine code for the next process, and let threads run it side by side.

    With `signature` the kernel is compiled at import or loaded from the cache; give one to kernels that take a reader's
    function, since only then does numba cache them.

    >>> @compiled
    ... def twice(x):
    ...     return 2 * x
    >>> twice(21)
    42
    """
    if function is None:
        return functools.partial(compiled, signature=signature)
    return jit(function, signature)


def _reason(error):
    """The first line of a compiler error that says what is wrong, not where in the compiler."""
    lines = re.sub(r"\x1b\[[\d;]*m", "", str(error)).splitlines()
    return next((line.strip().rstrip(".") for line in lines if line.strip() and not line.startswith("Failed in")), "nothing")


def rule(signature):
    """A decorator that compiles a reader's function to one explicit signature, so that kernels can take it as an argument.

    Raises ValueError, with the compiler's reason, when the function cannot be compiled to that signature.

    >>> add = rule(types.int64(types.int64, types.int64))
    >>> @add
    ... def plus(a, b):
    ...     return a + b
    >>> plus(40, 2)
    42
    """

    def decorate(function):
        if isinstance(function, numba.core.dispatcher.Dispatcher):
            function = function.py_func
        try:
            return jit(function, signature)
        except (numba.core.errors.NumbaError, TypeError) as error:
            raise ValueError(
                f"{getattr(function, '__name__', repr(function))}: does not compile. The compiler says: {_reason(error)}. "
                f"Use numbers, loops and the arrays it is given; its arguments and result must be {signature}"
            ) from error

    return decorate


def function_type(signature):
    """The numba type of an argument that takes any function compiled by `rule(signature)`."""
    return types.FunctionType(signature)
