"""Confidence intervals over independent seeds: one way, used by every figure and every claim."""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from scipy.special import stdtrit


class Interval(NamedTuple):
    """A mean and the ends of its 95 % confidence interval (NaN where one value cannot give any)."""

    mean: float
    low: float
    high: float


def mean_ci(values: npt.ArrayLike) -> Interval:
    """Mean of independent replicates with its 95 % Student-t interval.

    `values` has shape (n,); NaN raises. With n = 1 the ends are NaN. Raises ValueError when `values` is empty
    or not finite.

    >>> mean_ci([9.0, 10.0, 11.0])
    Interval(mean=10.0, low=7.515..., high=12.484...)
    """
    x = np.asarray(values, dtype=float).ravel()
    if x.size == 0 or not np.isfinite(x).all():
        raise ValueError("values: needs at least one number, all finite")
    mean = float(x.mean())
    if x.size == 1:
        return Interval(mean, float("nan"), float("nan"))
    half = float(stdtrit(x.size - 1, 0.975) * x.std(ddof=1) / np.sqrt(x.size))
    return Interval(mean, mean - half, mean + half)
