"""LoTES's nouns: what is refused and how it is said, and when a set of jobs fits."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from cases import CASES
from refusals import refuses
from schedlib import lotes
from schedlib.lotes.model import UNITS, check, fits, scaled
from schedlib.lotes.workloads import instances

FINE = {
    "capacity": [[1.0, 1.0], [0.5, 0.25]],
    "count": [3, 2],
    "share": [0.25, 0.75],
    "demand": [[0.1, 0.2], [0.3, 0.1]],
    "rate": [[1.0, 2.0], [1.0, 0.0]],
}


def problem(**change):
    """Configurations and classes that are right, except for what is changed."""
    given = FINE | change
    configs = lotes.MachineConfigs(given["capacity"], given["count"])
    return configs, lotes.JobClasses(given["share"], given["demand"], given["rate"])


@pytest.mark.parametrize("change, message", CASES["lotes_model"]["bad_configurations_and_classes"])
def test_bad_configurations_and_classes(change, message):
    refuses(message, problem, **change)


@pytest.mark.parametrize(
    "change, message", CASES["lotes_model"]["classes_that_do_not_belong_to_the_machines"]
)
def test_classes_that_do_not_belong_to_the_machines(change, message):
    configs, classes = problem(**change)
    for call in (check, lotes.allocate, lotes.plan, lotes.generate_plan):
        refuses(message, call, configs, classes)


def test_arrays_are_copied_and_read_only():
    count = np.array([3, 2])
    configs, classes = problem(count=count)
    count[0] = 99
    assert (
        configs.count.tolist() == [3, 2]
        and configs.n_machines == 5
        and configs.count.dtype == np.int64
    )
    for array in (configs.capacity, configs.count, classes.share, classes.demand, classes.rate):
        with pytest.raises(ValueError, match="read-only"):
            array[...] = 1


def test_google_is_tables_1_and_2():
    """The numbers of bins in test_lotes_bins.py depend on all capacities and demands."""
    configs, classes = lotes.google2011()
    assert (
        configs.n_machines == 12583
        and len(instances.SUPPORTS) == 10
        and sum(instances.SUPPORTS) == 18
    )
    assert configs.count[:4].tolist() == [6732, 3863, 1001, 795]
    assert_allclose(1 / classes.rate, np.tile([0.03, 0.04, 0.04, 0.03], (10, 1)))
    # the printed class means: nothing of class 4 fits the machine with 0.03 of memory
    assert fits(configs, classes).tolist()[6] == [True, True, True, False]


@given(st.integers(1, 500), st.floats(0.01, 100), st.floats(1e-3, 1))
def test_what_fits_and_what_overflows(n, largest, part):
    room = largest * part  # a smaller machine beside the largest one
    exact, over = room / n, room / n * (1 + 1e-8)
    c, r = scaled([[largest], [room]], [[exact], [over]])
    assert n * r[0, 0] <= c[1, 0] < n * r[1, 0]


def test_tiny_and_huge_sizes_stay_whole_numbers():
    c, r = scaled([[1.0], [0.0]], [[1e-300], [1e300], [0.0]])
    assert c[1, 0] == 0 and r[:, 0].tolist() == [1, 4 * UNITS, 0]


def test_plan_is_for_its_configurations_and_classes():
    configs, classes = problem()
    plan = lotes.plan(configs, classes)
    plan.require(configs, classes)
    plan.require(problem()[0])
    other_configs, other_classes = problem(count=[3, 3], share=[0.5, 0.5])
    refuses("plan: was made for other machine configurations", plan.require, other_configs)
    refuses("plan: was made for other job classes", plan.require, configs, other_classes)
    for j, n in enumerate(configs.count):
        assert plan.targets(j).shape == (n, 2)
        assert_array_equal(plan.targets(j).sum(axis=0), plan.running[j])
