"""Confidence intervals over independent seeds: one way, used by every figure and every claim."""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from scipy.special import stdtrit


class Interval(NamedTuple):
    """A mean and the ends of its confidence interval (NaN where one value cannot give any).

    See also: `intervals.mean_ci`.

    >>> mean_ci([9.0, 11.0]).mean
    10.0
    """

    mean: float
    low: float
    high: float


def mean_ci(values: npt.ArrayLike, level: float = 0.95) -> Interval:
    """Mean of independent replicates with its Student-t interval of this level, 95 % unless told.

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
    quantile = stdtrit(x.size - 1, (1 + level) / 2)
    half = float(quantile * x.std(ddof=1) / np.sqrt(x.size))
    return Interval(mean, mean - half, mean + half)


class Proportion(NamedTuple):
    """How many of so many independent trials succeeded, in shares of `unit` (100 for %).

    >>> Proportion(95, 100, 100.0).interval().mean
    95.0
    """

    successes: int
    trials: int
    unit: float = 1.0

    @property
    def runs(self) -> int:
        """How many independent runs these are."""
        return self.trials

    def interval(self, level: float = 0.95) -> Interval:
        """The share with its interval by Wilson's score.

        Unlike Student's it stays within 0 and 1, and is no point when all trials agree. Raises ValueError on
        no trials, or on successes that are not among them.

        >>> Proportion(0, 100, 100.0).interval()
        Interval(mean=0.0, low=0.0, high=3.699...)
        """
        from scipy.stats import binomtest  # slow to load

        low, high = binomtest(self.successes, self.trials).proportion_ci(level, "wilson")
        share = self.successes / self.trials
        return Interval(
            mean=self.unit * share,
            low=self.unit * float(low),
            high=self.unit * float(high),
        )


class Best(NamedTuple):
    """The case with the largest mean among several, which was chosen for it: `values` by case and run.

    >>> Best(np.array([[1.0, 3.0], [0.0, 1.0]])).interval().mean
    2.0
    """

    values: npt.NDArray[np.float64]  # (cases, runs)

    @property
    def runs(self) -> int:
        """How many independent runs each case has."""
        return self.values.shape[1]

    def interval(self, level: float = 0.95) -> Interval:
        """The best case's mean with an interval that holds for all cases at once (Bonferroni)."""
        best = self.values[self.values.mean(axis=1).argmax()]
        return mean_ci(best, 1 - (1 - level) / len(self.values))


class Exact(NamedTuple):
    """A number that no seed changes, as the optimum of a linear program.

    >>> Exact(0.5).interval()
    Interval(mean=0.5, low=0.5, high=0.5)
    """

    value: float

    @property
    def runs(self) -> int:
        """One run is enough."""
        return 1

    def interval(self, level: float = 0.95) -> Interval:
        """The number itself."""
        return Interval(self.value, self.value, self.value)
