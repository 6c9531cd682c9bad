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


def wilson(successes: int, trials: int, unit: float = 1.0) -> Interval:
    """A proportion of independent trials with its 95 % interval by Wilson's score, times `unit` (100 for %).

    Unlike Student's it stays within 0 and 1, and is no point when all trials agree. Raises ValueError on no
    trials, or on successes that are not among them.

    >>> wilson(0, 100, 100.0)
    Interval(mean=0.0, low=0.0, high=3.699...)
    """
    from scipy.stats import binomtest  # slow to load

    low, high = binomtest(successes, trials).proportion_ci(0.95, "wilson")
    return Interval(unit * successes / trials, unit * float(low), unit * float(high))
