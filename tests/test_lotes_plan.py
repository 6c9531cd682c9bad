"""Stage 2: worked examples, the printed program, exhaustive search, the integer program, generated bins and their proof."""

import dataclasses

import numpy as np
import pytest
from hypothesis import example, given

from lotes_instances import assert_sound, exhaustive, problems
from refusals import refuses
from schedlib import lotes
from schedlib.lotes import plain
from schedlib.lotes.planning import generation
from schedlib.lotes.planning import plan as planning
from schedlib.lotes.planning.plan import bins_of


def where_jobs_fit(configs, classes):
    """The same problem, but that no class may run where none of its jobs fits."""
    rate = np.where(lotes.fits(configs, classes), classes.rate, 0.0)
    return configs, dataclasses.replace(classes, rate=rate)


def test_figure_5_machine():
    # Bins (0,2), (2,1), (3,0); equal shares of both classes: x (0,2) and y (2,1) with 2y = 2x + y, so x : y =
    # 1 : 2.
    configs = lotes.MachineConfigs([[7.0]], [3])
    plan = lotes.plan(configs, lotes.JobClasses([0.5, 0.5], [[2.0], [3.0]], [[1.0, 1.0]]))
    assert plan.fractions[0].round(6).tolist() == plan.machines[0].tolist() == [1, 2, 0]
    assert plan.rate == pytest.approx(8) and plan.allocation.rate == pytest.approx(8.4)


def generated_plan(configs, classes):
    """The plan by generated bins, which no other plan beats."""
    generated = lotes.generate_plan(configs, classes)
    assert_sound(generated)
    every_bin = bins_of(configs, classes, classes.rate > 0)
    best, _ = plain.machine_assignment_lp(configs, classes, every_bin)
    assert generated.rate == pytest.approx(best, rel=1.01e-5)
    assert best <= generated.bound * (1 + 1e-9) <= generated.rate * (1 + 1.01e-5)
    return generated


@given(problems(classes=4, resources=3))
def test_plans_are_sound_and_generated_ones_best(problem):
    configs, classes = problem
    generated = generated_plan(*problem)
    try:
        plan = lotes.plan(*problem)
    except ValueError as error:
        assert "use generate_plan" in str(error)
        plan = lotes.plan(*where_jobs_fit(*problem))
    assert_sound(plan)
    best, _ = plain.machine_assignment_lp(configs, classes, plan.bins)
    assert plan.rate == pytest.approx(best, rel=1e-7)
    assert plan.rate <= generated.rate * (1 + 1.01e-5)


# with presolve HiGHS 1.15 calls (2, 0, 1) machines optimal here, and (0, 3, 0) are
TWO_ALIKE = (
    lotes.MachineConfigs([[0.2], [0.2]], [1, 3]),
    lotes.JobClasses([3 / 7, 4 / 7], [[0.1], [0.1]], [[0, 0], [0.5, 0.5]]),
)


@given(problems(configs=2, classes=2, machines=3))
@example(TWO_ALIKE)
def test_integer_program_is_exhaustive_search(problem):
    problem = where_jobs_fit(*problem)
    plan, exact = (lotes.plan(*problem, integer=integer) for integer in (False, True))
    assert_sound(exact)
    assert exact.rate_rounded == pytest.approx(exhaustive(*problem, plan.bins), rel=1e-9)
    assert plan.rate_rounded <= exact.rate_rounded * (1 + 1e-9) and exact.rate == pytest.approx(
        plan.rate
    )


def test_google():
    configs, classes = lotes.google2011()
    plan = lotes.plan(configs, classes)
    assert_sound(plan)
    assert 0.99 < plan.rate / plan.allocation.rate < 1 and plan.rate_rounded / plan.rate > 0.9999
    again = lotes.plan(configs, classes)
    assert all((a == b).all() for a, b in zip(plan.machines, again.machines, strict=True))
    generated = generated_plan(configs, classes)
    assert plan.rate < generated.rate <= generated.bound


@pytest.mark.parametrize("rounds", [1, 2])
def test_a_plan_that_is_not_proved_to_be_best_says_its_gap(monkeypatch, rounds):
    monkeypatch.setattr(generation, "MOST_ROUNDS", rounds)
    rng = np.random.default_rng(rounds)
    configs = lotes.MachineConfigs(rng.uniform(0.5, 1, (2, 2)), [40, 30])
    share, demand = rng.dirichlet(np.ones(5)), rng.uniform(0.1, 0.4, (5, 2))
    classes = lotes.JobClasses(share, demand, rng.uniform(0.5, 2, (2, 5)))
    early = lotes.generate_plan(configs, classes)
    assert_sound(early)
    best, _ = plain.machine_assignment_lp(
        configs, classes, bins_of(configs, classes, classes.rate > 0)
    )
    assert early.rate <= best * (1 + 1e-9) <= early.bound * (1 + 2e-9)
    assert early.bound > early.rate * (1 + 1.1e-5) and early.rounds == rounds


def test_a_hundred_classes_that_are_four_are_planned_as_four():
    """A class that is split into equal ones with a part of its share each asks for the same."""
    rng = np.random.default_rng(0)
    configs = lotes.MachineConfigs(rng.uniform(0.5, 1, (3, 2)), [40, 30, 20])
    share, demand = rng.dirichlet(np.ones(4)), rng.uniform(0.05, 0.4, (4, 2))
    rate = rng.uniform(0.5, 2, (3, 4))
    four = lotes.generate_plan(configs, lotes.JobClasses(share, demand, rate))
    kind = np.arange(100) % 4
    part = rng.uniform(1, 2, 100)
    part /= np.bincount(kind, part)[kind]
    split = lotes.JobClasses(share[kind] * part, demand[kind], rate[:, kind])
    hundred = lotes.generate_plan(configs, split)
    assert_sound(hundred)
    assert hundred.rate == pytest.approx(four.rate, rel=2.1e-5)


def test_a_class_left_without_a_machine():
    # Divisible jobs of class 1 fill the small machines, whole ones do not fit there.
    configs = lotes.MachineConfigs([[1.0], [0.5]], [1, 8])
    classes = lotes.JobClasses([0.5, 0.5], [[0.5], [0.6]], [[1.0, 0.001], [0.001, 1.0]])
    words = "allocation: class 1 is allocated only to.*set its rates there to 0.*generate_plan"
    refuses(words, lotes.plan, configs, classes)
    assert lotes.plan(*where_jobs_fit(configs, classes)).rate > 0
    assert lotes.generate_plan(configs, classes).rate > 0


def test_refusals(monkeypatch):
    configs, classes = lotes.google2011()
    words = "max_bins: there are more than 2 non-dominated bins of .*lotes.generate_plan"
    with monkeypatch.context() as patched:
        patched.setattr(planning, "MAX_PLANNED", 2)
        refuses(words, lotes.plan, configs, classes)
    other = lotes.allocate(
        lotes.MachineConfigs([[1.0]], [1]), lotes.JobClasses([1.0], [[0.1]], [[1.0]])
    )
    words = r"allocation: made for \(1, 1\) configurations and classes, not \(10, 4\)"
    refuses(words, lotes.plan, configs, classes, allocation=other)
