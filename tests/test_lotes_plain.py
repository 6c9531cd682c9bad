"""The paper's stages 1 and 2 in plain Python: against closed forms and exhaustive search, and, decision by
decision, against the library.
"""

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from lotes_instances import (
    assert_on_the_optimal_face,
    assert_sound,
    brute_force,
    exhaustive,
    machines,
    problems,
)
from schedlib import lotes
from schedlib.lotes import plain
from schedlib.lotes.planning.plan import bins_of, make_plan, rounded

SOME = settings(deadline=None, max_examples=25)
FEW = settings(deadline=None, max_examples=15)


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


def test_the_paper_s_example_of_stage_1():
    configs, classes = lotes.MachineConfigs([[5.0]], [2]), lotes.JobClasses([1.0], [[3.0]], [[1.0]])
    allocation = plain.allocation_lp(configs, classes)
    assert allocation.rate == pytest.approx(10 / 3) and allocation.supports.tolist() == [1]
    assert allocation.running == pytest.approx(np.array([[10 / 3]]))


@SOME
@given(problems(configs=1, classes=4, resources=3))
def test_one_configuration_has_a_closed_form(problem):
    configs, classes = problem
    held = (classes.share / classes.rate[0]) @ classes.demand  # of each resource at rate 1
    pool = configs.capacity[0] * configs.count[0]
    best = min(pool[l] / held[l] for l in range(len(pool)) if held[l] > 0)
    assert plain.allocation_lp(configs, classes).rate == pytest.approx(best)


@SOME
@given(problems(configs=4, classes=1, resources=3))
def test_one_class_has_a_closed_form(problem):
    configs, classes = problem
    pool = configs.capacity * configs.count[:, None]
    needed = classes.demand[0] > 0
    jobs = (pool[:, needed] / classes.demand[0, needed]).min(axis=1)
    best = (classes.rate[:, 0] * jobs).sum()
    assert plain.allocation_lp(configs, classes).rate == pytest.approx(best)


@SOME
@given(problems(resources=3))
def test_the_allocation_is_optimal(problem):
    allocation = plain.allocation_lp(*problem)
    assert allocation.rate == pytest.approx(lotes.allocate(*problem).rate, rel=1e-7)
    assert_on_the_optimal_face(*problem, allocation, allocation.rate)


@settings(deadline=None, max_examples=120)
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


@SOME
@given(machines(classes=3))
def test_algorithm_1_keeps_every_non_dominated_bin(machine):
    kept = plain.algorithm1(*machine, range(len(machine[1])))
    assert set(map(tuple, brute_force(*machine).tolist())) <= set(map(tuple, kept))


def test_algorithm_1_without_classes_or_room():
    assert plain.algorithm1([1.0], [[0.5], [2.0]], []) == [[0, 0]]
    assert plain.algorithm1([1.0], [[0.5], [2.0]], [1]) == [[0, 0]]
    assert plain.algorithm1([0.5], [[0.025]], [0])[0] == [20]


@SOME
@given(problems())
def test_machine_assignment_is_optimal(problem):
    configs, classes = problem
    allocation = lotes.allocate(*problem, fitting=True)
    bins = bins_of(*problem, allocation.support)
    rate, x = plain.machine_assignment_lp(configs, classes, bins)
    assert rate == pytest.approx(lotes.plan(*problem, allocation=allocation).rate, rel=1e-7)
    whole = [np.array(plain.round_to_machines(x_j)) for x_j in x]
    plan = make_plan(*problem, allocation, bins, [np.array(x_j) for x_j in x], whole)
    assert_sound(plan)
    assert plan.rate == pytest.approx(rate, rel=1e-7)


@FEW
@given(problems(configs=2, classes=2, machines=3))
def test_no_whole_numbers_of_machines_are_better_than_the_program(problem):
    bins = bins_of(*problem, lotes.allocate(*problem, fitting=True).support)
    rate, x = plain.machine_assignment_lp(*problem, bins)
    best = exhaustive(*problem, bins)
    assert best <= rate * (1 + 1e-7)
    if all(value == round(value) for x_j in x for value in x_j):
        assert best == pytest.approx(rate)


@given(st.lists(st.integers(0, 12), min_size=1, max_size=8), st.integers(1, 5))
def test_rounding_is_the_library_s_ties_included(parts, over):
    parts = [part / over for part in parts]
    parts.append(np.ceil(sum(parts)) - sum(parts))
    assert plain.round_to_machines(parts) == rounded(np.array(parts), round(sum(parts))).tolist()


@given(st.lists(st.floats(0, 50), min_size=1, max_size=8))
def test_rounding_is_the_library_s(parts):
    parts.append(np.ceil(sum(parts)) - sum(parts))
    assert plain.round_to_machines(parts) == rounded(np.array(parts), round(sum(parts))).tolist()


def test_rounding_of_almost_whole_numbers():
    assert plain.round_to_machines([0.9999999, 2.0000001, 0.0]) == [1, 2, 0]
    assert plain.round_to_machines([1.5, 0.5, 1.0]) == [2, 0, 1]  # a tie: the earlier bin


@FEW
@given(problems())
def test_a_plain_plan_is_sound(problem):
    plan = plain_plan(*problem)
    assert_sound(plan)
    assume(plan.rate > 0)  # not so where a class is given only machines on which it does not fit
    library = lotes.plan(*problem, allocation=plan.allocation)
    assert plan.rate == pytest.approx(library.rate, rel=1e-7)


def test_a_plain_plan_is_dispatched():
    configs, classes = lotes.google2011()
    configs = lotes.fewer_machines(configs, 60)
    plan = plain_plan(configs, classes)
    jobs = lotes.RandomWorkload(classes, rate=0.9 * plan.rate_rounded, hours=0.2, sizes="fixed")
    run = lotes.simulate("lotes", configs, jobs, plan=plan)
    assert run.waiting == 0 and len(run.jobs) > 1000


def test_google():
    configs, classes = lotes.google2011()
    allocation = plain.allocation_lp(configs, classes)
    assert allocation.rate == pytest.approx(lotes.allocate(configs, classes).rate, rel=1e-8)
    assert_on_the_optimal_face(configs, classes, allocation, allocation.rate)
    plan = plain_plan(configs, classes)
    library = lotes.plan(configs, classes, allocation=plan.allocation)
    assert plan.rate == pytest.approx(library.rate, rel=1e-8)
    assert_sound(plan)
