"""`core.compiled` for kernels that pass many arrays about: without counting references to them.

numba counts a reference to every array of a namedtuple that a function takes, atomically and for each call:
with some forty arrays that is microseconds per job, several times the work itself. Kernels here allocate
nothing and return no new arrays, so there is nothing to count; the caller holds every array. Small ones are
put in line, which saves copying those namedtuples.
"""

import functools
from collections.abc import Callable
from typing import Any

from schedlib.core.compiling import jit


def kernel(function: Callable | None = None, *, signature: Any = None) -> Callable:
    """As `core.compiled`, for functions that make no arrays."""
    if function is None:
        return functools.partial(kernel, signature=signature)
    return jit(function, signature, _nrt=False, forceinline=signature is None)
