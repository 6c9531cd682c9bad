"""Confidence intervals: over independent seeds, as every figure and claim has them, or over the time of one trace."""

from collections.abc import Callable
from numbers import Integral, Real
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from scipy.special import stdtrit

MOST_DRAWS = 1_000_000
LARGEST = 1e150
"""The largest size of a value: sums of squares of larger ones overflow."""
LEAST_WORTH = 200
"""Independent values that a trace must be worth: with fewer an interval is too narrow."""
FEWEST_BLOCKS = 30
"""Blocks of a trace whose means tell the number of independent values."""


class Interval(NamedTuple):
    """A mean and the ends of its confidence interval (NaN where one value cannot give any).

    See also: `intervals.mean_ci`.

    >>> mean_ci([9.0, 11.0]).mean
    10.0
    """

    mean: float
    low: float
    high: float


def _checked(values: npt.ArrayLike, level: float) -> npt.NDArray[np.float64]:
    """The values as floats, (n,); ValueError unless they are numbers up to 1e150 in size and the level lies within 0 and 1."""
    right = isinstance(level, Real)
    if not right or not 0 < level < 1:
        raise ValueError(f"level: {level!r}; must lie between 0 and 1, as 0.95")
    if np.ma.isMaskedArray(values):
        raise ValueError("values: a masked array; give the numbers that are there, .compressed()")
    try:
        x = np.asarray(values, dtype=float).ravel()
    except (TypeError, ValueError, OverflowError) as error:
        raise ValueError(f"values: needs numbers ({error})") from None
    if x.size == 0 or not np.isfinite(x).all():
        raise ValueError("values: needs at least one number, all finite")
    if (largest := np.abs(x).max()) > LARGEST:
        raise ValueError(
            f"values: one has the size {largest:g}, must be at most {LARGEST:g}; measure them in a larger unit"
        )
    return x


def mean_ci(values: npt.ArrayLike, level: float = 0.95) -> Interval:
    """Mean of independent replicates with its Student-t interval of this level, 95 % by default.

    `values` has shape (n,); NaN raises. With n = 1 the ends are NaN. Raises ValueError when `values` is empty
    not finite, or above 1e150 in size, and for a level that does not lie between 0 and 1.

    See also: `intervals.block_bootstrap`, for values of one trace, which are not independent.

    >>> mean_ci([9.0, 10.0, 11.0])
    Interval(mean=10.0, low=7.515..., high=12.484...)
    """
    x = _checked(values, level)
    mean = float(x.mean())
    if x.size == 1:
        return Interval(mean, float("nan"), float("nan"))
    quantile = stdtrit(x.size - 1, (1 + level) / 2)
    half = float(quantile * x.std(ddof=1) / np.sqrt(x.size))
    return Interval(mean, mean - half, mean + half)


def block_bootstrap(
    values: npt.ArrayLike,
    statistic: Callable[[npt.NDArray[np.float64]], float] = np.mean,
    block: int | None = None,
    level: float = 0.95,
    draws: int = 1000,
    seed: int = 0,
) -> Interval:
    """A statistic of one trace with an interval over its time: blocks of jobs in a row are drawn with replacement.

    - `values` (n,), one for each job in order of submission, such as waits
    - `statistic` of an array of n values gives a number: its mean, unless given
    - `block`: how many jobs a block has; else what is best for the variance of the mean of a first-order
      autoregression with the correlation of neighbours found here, at most n / 4
    - `draws`: how many traces are put together from blocks, which `seed` draws

    The interval lies between the quantiles of the statistic over the draws. It covers other times of the same
    system if the trace is many times longer than waits stay correlated, though less often than `level` says: of
    M/M/1's waits an interval of 95 % that is not refused covers the mean in 83 to 89 of 100 traces (400 of 3,000 jobs at
    load 0.5, 400 of 60,000 and 200 of 200,000 at load 0.9). Raises ValueError when `values` is
    empty, not finite, above 1e150 in size, or worth fewer than 200 independent values by the spread of its blocks' means, for a level
    that does not lie between 0 and 1, and for a block longer than the trace; TypeError when `statistic` is not a
    function. Source: Kuensch, Annals of Statistics 17, 1989 (moving blocks); Carlstein, Annals of Statistics 14,
    1986 (the length).

    >>> waits = np.sin(np.arange(400.0)) + np.arange(400) % 7
    >>> block_bootstrap(waits)
    Interval(mean=2.99..., low=2.9..., high=3.0...)
    """
    x = _checked(values, level)
    n = x.size
    if block is None:
        block = _block_length(x)
    _whole("block", block, 1, n)
    _whole("draws", draws, 1, MOST_DRAWS)
    _whole("seed", seed, 0, 2**63)
    if not callable(statistic):
        kind = type(statistic).__name__
        raise TypeError(f"statistic: needs a function of an array, not {kind}")
    worth = _worth(x, max(block, n // FEWEST_BLOCKS))
    if worth < LEAST_WORTH:
        raise ValueError(
            f"values: {n:,} of them are worth {worth:.0f} independent ones, and an interval is too narrow below "
            f"{LEAST_WORTH}; give a longer trace, or run several and take mean_ci of their means"
        )
    rng = np.random.default_rng(seed)
    blocks = -(-n // block)
    within = np.arange(block)
    drawn = np.empty(draws)
    for draw in range(draws):
        first = rng.integers(n - block + 1, size=blocks)
        rows = first[:, None] + within
        rows = rows.ravel()
        drawn[draw] = statistic(x[rows[:n]])
    tail = (1 - level) / 2
    low, high = np.quantile(drawn, (tail, 1 - tail))
    return Interval(mean=float(statistic(x)), low=float(low), high=float(high))


def _whole(name: str, value: int, least: int, most: int) -> None:
    right = isinstance(value, Integral) and not isinstance(value, bool)
    if not right or not least <= value <= most:
        needed = f"must be a whole number from {least} to {most:,}"
        raise ValueError(f"{name}: {value!r}; {needed}")


def _worth(x: npt.NDArray[np.float64], block: int) -> float:
    """The number of independent values whose mean varies as much as that of this trace, by its blocks' means."""
    count = x.size // block
    if count < 2:
        return 0.0
    means = x[: count * block].reshape(count, block).mean(axis=1)
    spread = means.var(ddof=1) * block / x.size
    return float(min(x.size, x.var(ddof=1) / spread)) if spread > 0 else float(x.size)


def _block_length(x: npt.NDArray[np.float64]) -> int:
    """Carlstein's length of blocks for the correlation of neighbours, from 1 to a quarter of the values."""
    spread = x - x.mean()
    variance = spread @ spread
    together = spread[1:] @ spread[:-1]
    correlation = 0.0
    if variance > 0:
        correlation = float(together / variance)
    alone = max(1 - correlation**2, 1e-4)
    strength = abs(2 * correlation / alone)
    best = np.cbrt(strength**2 * x.size)
    longest = max(1, x.size // 4)
    return int(np.clip(np.ceil(best), 1, longest))


class Proportion(NamedTuple):
    """How many of a number of independent trials succeeded, in shares of `unit` (100 for %).

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

        Unlike Student's it stays within 0 and 1, and is wider than a point when all trials agree. Raises ValueError on
        no trials, or on successes that are not among them.

        >>> Proportion(0, 100, 100.0).interval()
        Interval(mean=0.0, low=0.0, high=3.699...)
        """
        from scipy.stats import binomtest  # slow to load

        low, high = binomtest(self.successes, self.trials).proportion_ci(level, "wilson")
        share = self.successes / self.trials
        return Interval(
            mean=self.unit * share, low=self.unit * float(low), high=self.unit * float(high)
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
