"""Arrays and records for kernels: made of zeros, and made longer."""

from typing import Any

import numpy as np
import numpy.typing as npt


def zeroed(dtype: npt.DTypeLike, n: int) -> Any:
    """`n` records of zeros, whose fields have names in compiled and in plain Python code alike.

    >>> workers = zeroed(np.dtype([("busy", "i8")]), 2)
    >>> workers[1].busy = 1
    >>> workers.busy.tolist()
    [0, 1]
    """
    return np.zeros(n, dtype).view(np.recarray)


def grown(array: Any, n: int) -> Any:
    """The same array, or records, with room for `n` rows: rows of zeros follow.

    >>> grown(np.array([3, 4]), 4).tolist()
    [3, 4, 0, 0]
    """
    shape = (n, *array.shape[1:])
    longer = np.zeros(shape, array.dtype).view(type(array))
    longer[: len(array)] = array
    return longer
