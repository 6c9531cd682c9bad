"""Records that kernels keep their state in, and arrays that grow."""

from typing import Any

import numpy as np
import numpy.typing as npt


def zeroed(kind: npt.DTypeLike, count: int) -> Any:
    """`count` records, all zero, whose fields have names in kernels and outside of them.

    >>> zeroed([("time", float), ("leaf", int)], 2).leaf.tolist()
    [0, 0]
    """
    return np.zeros(count, kind).view(np.recarray)


def grown(array: np.ndarray, count: int) -> Any:
    """A copy with `count` rows: those of `array`, then zeros.

    >>> grown(np.array([3, 4]), 4).tolist()
    [3, 4, 0, 0]
    """
    shape = (count, *array.shape[1:])
    larger = np.zeros(shape, array.dtype)
    larger = larger.view(type(array))
    larger[: len(array)] = array
    return larger
