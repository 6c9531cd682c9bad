"""`core.compiled` for kernels that pass many arrays about: without counting references to them.

numba counts a reference to every array of a namedtuple that a function takes, atomically and for each call:
with some forty arrays that is microseconds per job, several times the work itself. Kernels here allocate
nothing and return no new arrays, so there is nothing to count; the caller holds every array. Small ones are
put in line, which saves copying those namedtuples.

For each function numba also makes a second one that takes Python's objects apart. For those namedtuples it is
larger than the kernel. What kernels call goes without: the whole compiles in little more than half the time.
"""

import functools
from collections.abc import Callable
from typing import Any

from schedlib.core.compiling import jit

UNCOUNTED: dict[str, Any] = {"_nrt": False}
WITHIN: dict[str, Any] = {"forceinline": True, "no_cpython_wrapper": True, "no_cfunc_wrapper": True}


def kernel(function: Callable | None = None, *, signature: Any = None) -> Callable:
    """As `core.compiled`, for functions that make no arrays."""
    if function is None:
        return functools.partial(kernel, signature=signature)
    if signature is not None:
        return jit(function, signature, **UNCOUNTED)
    made = jit(function, **UNCOUNTED, **WITHIN)
    if hasattr(made, "py_func"):
        for_python = functools.cache(
            lambda: jit(function, place="python", forceinline=True, **UNCOUNTED)
        )
        # Python calls another one: numba finds nothing that `_insert` was given, asks `_compile_for_args`
        # for something to call, and calls it.
        made._insert, made._compile_for_args = (
            lambda *overload: None,
            lambda *arguments: for_python(),
        )
    return made
