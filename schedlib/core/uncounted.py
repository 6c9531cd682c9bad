"""`core.compiled` for kernels that pass many arrays about: what they call becomes part of them."""

from collections.abc import Callable
from typing import Any, TypeVar, overload

from schedlib.core.compiling import compiled

UNCOUNTED: dict[str, Any] = {"_nrt": False}
"""numba's option for functions that make no arrays: it then counts no references.

The name is private: numba mentions it only in the docstring of `numba.extending.register_jitable`, and none of
its public options does the same. It stays for its speed. Without it numba counts a reference for each array of
a namedtuple that a kernel hands on, atomically: H-DRF on MCH's board then takes 4.2 times as long, LoTES 4 and
MCH 7 times, and H-DRF's kernels take 1.8 times as long to compile."""
WITHIN: dict[str, Any] = {"forceinline": True, "no_cpython_wrapper": True, "no_cfunc_wrapper": True}
"""numba's options for what is never called from Python."""


F = TypeVar("F", bound=Callable)


@overload
def kernel(function: F) -> F: ...


@overload
def kernel(*, signature: Any) -> Any: ...


def kernel(function: Callable | None = None, *, signature: Any = None) -> Any:
    """As `core.compiled`, for functions that make no arrays."""
    return compiled(function, signature=signature, inside=UNCOUNTED | WITHIN, **UNCOUNTED)
