"""The worked pictures say what the library finds, and a search by hand."""

import pytest

from book.pictures import worked
from schedlib import lotes


def test_the_least_bound_is_the_rate_of_the_fluid_program():
    configs = lotes.MachineConfigs([[4.0, 8.0]], [10])
    classes = lotes.JobClasses([0.5, 0.5], [[1.0, 4.0], [2.0, 1.0]], [[1.0, 1.0]])
    assert f"to {lotes.allocate(configs, classes).rate:.1f}," in worked.plot_prices().alt


def test_the_bins_and_the_last_rate_of_column_generation():
    thirty = lotes.MachineConfigs([[worked.CORES]], [worked.MACHINES])
    both = lotes.JobClasses([0.5, 0.5], [[need] for need in worked.DEMAND], [[1.0, 1.0]])
    bins = lotes.non_dominated_bins([worked.CORES], [[need] for need in worked.DEMAND])
    assert sorted(map(tuple, bins.tolist())) == sorted(worked.BINS)
    assert lotes.plan(thirty, both).rate == pytest.approx(96)
    assert "rate 96" in worked.plot_column_generation().alt
