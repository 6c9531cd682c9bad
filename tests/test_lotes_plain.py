"""The paper's stages 1 and 2 in plain Python: against closed forms, and, decision by decision, against the library."""

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from lotes_instances import (
    assert_sound,
    machines,
    problems,
)
from schedlib import lotes
from schedlib.lotes import plain
from schedlib.lotes.planning.plan import make_plan, rounded


def plain_plan(configs, classes):
    """Stages 1 and 2 by plain functions alone, as a `lotes.Plan`."""
    allocation = plain.allocation_lp(configs, classes)
    bins = []
    for j in range(configs.n_configs):
        K_j = np.flatnonzero(allocation.support[j])
        kept = plain.algorithm1(configs.capacity[j], classes.demand, K_j)
        bins.append(np.unique(kept, axis=0))
    rate, x = plain.machine_assignment_lp(configs, classes, bins)
    whole = [np.array(plain.round_to_machines(x_j)) for x_j in x]
    plan = make_plan(configs, classes, allocation, bins, [np.array(x_j) for x_j in x], whole)
    assert plan.rate == pytest.approx(rate, rel=1e-6, abs=1e-9)
    return plan


@given(problems(configs=1, classes=4, resources=3))
def test_one_configuration_has_a_closed_form(problem):
    configs, classes = problem
    held = (classes.share / classes.rate[0]) @ classes.demand  # of each resource at rate 1
    pool = configs.capacity[0] * configs.count[0]
    best = min(pool[l] / held[l] for l in range(len(pool)) if held[l] > 0)
    assert plain.allocation_lp(configs, classes).rate == pytest.approx(best)


@given(problems(configs=4, classes=1, resources=3))
def test_one_class_has_a_closed_form(problem):
    configs, classes = problem
    pool = configs.capacity * configs.count[:, None]
    needed = classes.demand[0] > 0
    jobs = (pool[:, needed] / classes.demand[0, needed]).min(axis=1)
    best = (classes.rate[:, 0] * jobs).sum()
    assert plain.allocation_lp(configs, classes).rate == pytest.approx(best)


@given(machines(classes=3), st.data())
def test_algorithm_1_keeps_the_library_s_bins_in_its_order(machine, data):
    capacity, demand = machine
    kept = plain.algorithm1(capacity, demand, range(len(demand)))
    assert kept == lotes.algorithm1(capacity, demand).rows.tolist()
    K_j = sorted(data.draw(st.sets(st.integers(0, len(demand) - 1), min_size=1)))
    own = np.array(plain.algorithm1(capacity, demand, K_j))
    alone = lotes.algorithm1(capacity, [demand[k] for k in K_j]).rows.tolist()
    assert own[:, K_j].tolist() == alone
    assert own.sum() == own[:, K_j].sum()


def test_algorithm_1_without_classes_or_room():
    assert plain.algorithm1([1.0], [[0.5], [2.0]], []) == [[0, 0]]
    assert plain.algorithm1([1.0], [[0.5], [2.0]], [1]) == [[0, 0]]
    assert plain.algorithm1([0.5], [[0.025]], [0])[0] == [20]


@given(st.lists(st.integers(0, 12).map(lambda n: n / 4) | st.floats(0, 50), min_size=1, max_size=8))
def test_rounding_is_the_library_s_ties_included(parts):
    parts.append(np.ceil(sum(parts)) - sum(parts))
    assert plain.round_to_machines(parts) == rounded(np.array(parts), round(sum(parts))).tolist()


@given(problems())
def test_a_plain_plan_is_sound(problem):
    plan = plain_plan(*problem)
    assert_sound(plan)
    assume(plan.rate > 0)  # not so where a class is given only machines on which it does not fit
    library = lotes.plan(*problem, allocation=plan.allocation)
    assert plan.rate == pytest.approx(library.rate, rel=1e-7)
