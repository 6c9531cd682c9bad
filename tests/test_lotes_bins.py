"""Bins against brute force, Algorithm 1's defects, and the guard."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_array_equal

from lotes_instances import brute_force, machines
from refusals import refuses
from schedlib import lotes
from schedlib.lotes.planning.bins import algorithm1, count_bins, defects, non_dominated_bins


@given(machines(), st.sampled_from([1, 0.01, 0.025, 0.1, 1 / 3, 0.7, 1e-6, 12345.678]))
def test_bins_are_brute_force_in_any_unit(machine, unit):
    capacity, demand = machine
    scaled = [c * unit for c in capacity], [[r * unit for r in row] for row in demand]
    found = non_dominated_bins(*scaled)
    assert_array_equal(found, brute_force(capacity, demand))
    assert found.dtype == np.int32 and count_bins(*scaled) == len(found)


def test_google_bins():
    configs, classes = lotes.google2011()
    counts = [count_bins(c, classes.demand) for c in configs.capacity]
    assert counts == [139, 74, 160, 812, 29, 22, 3, 160, 409, 7]


def test_the_guard_refuses_before_asking_for_memory():
    demand = np.linspace(0.02, 0.03, 12)[:, None]
    words = "more than 1,000,000 non-dominated bins of 12 classes.*0.1 GB.*lotes.generate_plan"
    refuses(words, non_dominated_bins, [1.0], demand, max_bins=1_000_000)
    assert count_bins([1.0], demand, 1_000_000) == 1_000_001
    refuses("max_bins", non_dominated_bins, [7], [[2], [3]], max_bins=2)
    assert len(non_dominated_bins([7], [[2], [3]], max_bins=3)) == 3


@given(machines(classes=3))
def test_algorithm_1_misses_nothing(machine):
    table = defects(*machine)
    assert (table["missing"] == 0).all()
    assert table["kept"].is_monotonic_decreasing
    assert table.loc[2, ["repeated", "dominated", "missing"]].tolist() == [0, 0, 0]


def test_algorithm_1_says_what_it_cannot_do():
    assert algorithm1([5], [[2], [9]]).undefined  # the last class is larger than the machine
    refuses("Algorithm 1 keeps more than 200,000 bins", algorithm1, [100_000], [[1], [1]])
