"""Seeded streams: a function of the seed and the name, whatever else is drawn."""

import numpy as np

from schedlib.core import streams


def test_other_names_and_other_seeds_are_other_streams():
    names = [f"stream {k}" for k in range(30)]
    draws = np.array([rng.random(2000) for seed in (0, 1) for rng in streams(seed, *names)])
    correlation = np.corrcoef(draws)[np.triu_indices(len(draws), 1)]
    # five standard errors; a repeated stream has correlation 1
    assert abs(correlation).max() < 5 / np.sqrt(2000)
