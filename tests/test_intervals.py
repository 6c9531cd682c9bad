"""Intervals hold what they promise, on series whose truth is known."""

import numpy as np
import pytest
from scipy import signal

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
    series = autoregressive(0, 0.9)
    one = intervals.block_bootstrap(series, block=1)
    many = intervals.block_bootstrap(series)
    # the mean's standard deviation grows by sqrt((1 + 0.9) / (1 - 0.9)) = 4.4
    assert 2.5 < (many.high - many.low) / (one.high - one.low) < 6


@pytest.mark.parametrize(
    "wrong, words",
    [
        ({"values": []}, "values"),
        ({"values": "abc"}, "values"),
        ({"block": 0}, "block"),
        ({"block": 9}, "block: 9"),
        ({"draws": 0}, "draws"),
        ({"statistic": 3}, "statistic"),
    ],
)
def test_wrong_arguments_are_named(wrong, words):
    with pytest.raises((ValueError, TypeError), match=words):
        intervals.block_bootstrap(**{"values": [1.0, 2.0, 3.0]} | wrong)
