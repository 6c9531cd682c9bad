"""`core.compiled` for kernels that pass many arrays about: without counting references to them.

numba counts a reference to every array of a namedtuple that a function takes, atomically and for each call: with some forty
arrays that is microseconds per job, several times the work itself. Kernels here allocate nothing and return no new arrays, so
there is nothing to count; the caller holds every array. Small ones are put in line, which saves copying those namedtuples.
"""

import functools

import numba

from schedlib.core.compiling import kernel_folder


def kernel(function=None, *, signature=None):
    """As `core.compiled`, for functions that make no arrays.

    >>> @kernel
    ... def twice(x):
    ...     return 2 * x
    >>> twice(21)
    42
    """
    if function is None:
        return functools.partial(kernel, signature=signature)
    folder = kernel_folder()
    own = function.__module__.startswith("schedlib.") and function.__code__.co_filename.endswith(".py")
    before = numba.config.CACHE_DIR
    numba.config.CACHE_DIR = str(folder or "")
    try:
        signatures = () if signature is None else (signature,)
        options = {"nogil": True, "_nrt": False, "forceinline": signature is None}
        return numba.njit(*signatures, cache=own and folder is not None, **options)(function)
    finally:
        numba.config.CACHE_DIR = before
