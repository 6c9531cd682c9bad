"""Intervals hold what they promise, on series whose truth is known."""

import numpy as np
import pytest
from scipy import signal

from cases import CASES
from schedlib import intervals

SERIES = 300


def autoregressive(seed, memory, n=1000):
    """A stationary series with mean 0 and the correlation memory**k at distance k, (n,)."""
    noise = np.random.default_rng(seed).normal(size=n)
    noise[0] /= np.sqrt(1 - memory**2)
    return signal.lfilter([1.0], [1.0, -memory], noise)


@pytest.mark.parametrize("memory", [0.0, 0.5])
def test_blocks_cover_the_mean_of_an_autoregression(memory):
    hits = 0
    for seed in range(SERIES):
        found = intervals.block_bootstrap(autoregressive(seed, memory), draws=300)
        hits += found.low <= 0 <= found.high
    deviation = np.sqrt(0.95 * 0.05 * SERIES)
    assert abs(hits - 0.95 * SERIES) < 3 * deviation


def test_single_jobs_as_blocks_are_too_sure_where_neighbours_agree():
    series = autoregressive(0, 0.9, n=10_000)
    one = intervals.block_bootstrap(series, block=1)
    many = intervals.block_bootstrap(series)
    # the mean's standard deviation grows by sqrt((1 + 0.9) / (1 - 0.9)) = 4.4
    assert 2.5 < (many.high - many.low) / (one.high - one.low) < 6


def waits_of_mm1(seed, load, n):
    """The waits (n,) of an M/M/1 queue in its steady state, by Lindley's recursion."""
    rng = np.random.default_rng(seed)
    between = rng.exponential(1 / load, n)
    service = rng.exponential(1, n)
    wait = rng.exponential(1 / (1 - load)) if rng.random() < load else 0.0
    waits = np.empty(n)
    for job in range(n):
        waits[job] = wait
        wait = max(wait + service[job] - between[job], 0.0)
    return waits


@pytest.mark.parametrize(
    ("load", "n", "refused"), [(0.5, 3_000, 0.2), (0.9, 5_000, 1.0), (0.9, 60_000, 0.6)]
)
def test_what_is_not_refused_mostly_covers_the_mean_wait(load, n, refused):
    """`refused`: the largest share of refusals that is expected, or 1 for all."""
    tried, covered, refusals = 60, 0, 0
    for seed in range(tried):
        try:
            found = intervals.block_bootstrap(waits_of_mm1(seed, load, n), draws=200)
        except ValueError as error:
            assert "independent ones" in str(error)
            refusals += 1
        else:
            covered += found.low <= load / (1 - load) <= found.high
    assert refusals == tried if refused == 1 else refusals <= refused * tried
    assert covered >= 0.85 * (tried - refusals)


@pytest.mark.parametrize("wrong, words", CASES["intervals"]["wrong_arguments_are_named"])
def test_wrong_arguments_are_named(wrong, words):
    with pytest.raises((ValueError, TypeError), match=words):
        intervals.block_bootstrap(**{"values": [1.0, 2.0, 3.0]} | wrong)


@pytest.mark.filterwarnings("error")
def test_a_mean_of_large_values_is_finite_or_refused():
    assert np.isfinite(intervals.mean_ci([1e150, -1e150])).all()
    with pytest.raises(ValueError, match="at most 1e.150; measure them in a larger unit"):
        intervals.mean_ci([1e300, 2e300])
