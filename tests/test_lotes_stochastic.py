"""Stochastic bins: classes told apart by size, bins that respect a quantile, and what is left unchanged."""

from dataclasses import replace

import numpy as np
import pytest

from schedlib import lotes
from schedlib.lotes.stochastic import stochastic_plan, told_apart

CONFIGS = lotes.MachineConfigs([[1.0, 0.5], [0.5, 1.0]], [20, 20])
CLASSES = lotes.JobClasses([0.5, 0.5], [[0.1, 0.1], [0.05, 0.1]], [[1.0, 2.0], [2.0, 2.0]])
JOBS = lotes.RandomWorkload(CLASSES, rate=500.0, hours=2.0, seed=3)


def test_only_the_classes_of_the_jobs_change():
    told = told_apart(JOBS, 3)
    np.testing.assert_array_equal(told.classes.rate, np.repeat(CLASSES.rate, 3, axis=1))
    for one, other in zip(JOBS.blocks(), told.blocks(), strict=True):
        np.testing.assert_array_equal(one.job_class, other.job_class // 3)
        for name in ("submit", "work", "demand"):
            np.testing.assert_array_equal(getattr(one, name), getattr(other, name))
        for part in range(6):
            mine = other.demand[other.job_class == part]
            assert np.allclose(mine.mean(axis=0), told.classes.demand[part], rtol=0.15)
            away = ((mine[:, None] - told.centre[part // 3]) ** 2).sum(axis=2)
            assert (away.argmin(axis=1) == part % 3).all()


def test_another_seed_draws_other_jobs():
    told = replace(told_apart(JOBS, 2), seed=4)
    for one, other in zip(replace(JOBS, seed=4).blocks(), told.blocks(), strict=True):
        np.testing.assert_array_equal(one.demand, other.demand)


def test_shapes_within_a_class_let_more_run_where_machines_differ_in_shape():
    alone, apart = (
        lotes.allocate(CONFIGS, told_apart(JOBS, parts).classes).rate for parts in (1, 4)
    )
    assert apart > 1.05 * alone
    together = lotes.RandomWorkload(CLASSES, rate=500.0, hours=2.0, sizes="common")
    alone, apart = (
        lotes.allocate(CONFIGS, told_apart(together, parts).classes).rate for parts in (1, 4)
    )
    assert apart == pytest.approx(alone, rel=0.02)


@pytest.mark.parametrize("quantile", [0.5, 0.9])
def test_drawn_jobs_of_a_bin_fit_as_often_as_asked(quantile):
    told = told_apart(JOBS, 1)
    plan, rng = stochastic_plan(CONFIGS, told, quantile=quantile, seed=1), np.random.default_rng(5)
    sizes = np.concatenate([block.demand for block in JOBS.blocks()])
    job_class = np.concatenate([block.job_class for block in JOBS.blocks()])
    often = []
    for j, mixes in enumerate(plan.bins):
        for mix in mixes[plan.machines[j] > 0]:
            total = sum(
                rng.choice(sizes[job_class == k], (2000, n)).sum(axis=1) for k, n in enumerate(mix)
            )
            often.append((total <= CONFIGS.capacity[j]).all(axis=1).mean())
    # two resources, sums of few jobs
    assert min(often) > quantile - (0.12 if quantile > 0.5 else 0.3)
    assert plan.rate <= plan.allocation.rate * (1 + 1e-9)


def test_a_plan_of_parts_steers_lotes_and_breaks_no_rule():
    told = told_apart(JOBS, 2)
    with pytest.warns(UserWarning, match="stage 2 sustains"):
        run = lotes.simulate("lotes", CONFIGS, told, plan=stochastic_plan(CONFIGS, told), seed=1)
    assert run.arrived == lotes.simulate("greedy", CONFIGS, JOBS, seed=1).arrived
    assert run.waiting + run.started == run.arrived


def test_bad_values_are_refused():
    fixed = lotes.RandomWorkload(CLASSES, rate=10.0, hours=1.0, sizes="fixed")
    with pytest.raises(ValueError, match="parts: 2, but class 0"):
        told_apart(fixed, 2)
    with pytest.raises(ValueError, match="quantile: 1"):
        stochastic_plan(CONFIGS, told_apart(JOBS, 1), quantile=1)


def test_a_run_ends_when_it_is_enough():
    asked = []

    def enough(time, waiting):
        asked.append((time, waiting))
        return time > 1

    whole = lotes.simulate("greedy", CONFIGS, JOBS, interval=0.25, seed=1)
    part = lotes.simulate("greedy", CONFIGS, JOBS, interval=0.25, seed=1, enough=enough)
    assert part.time == 1.25 and [time for time, _ in asked] == [0.25, 0.5, 0.75, 1.0, 1.25]
    assert [waiting for _, waiting in asked] == whole.intervals["queue_end"][:5].tolist()
    assert part.arrived == whole.intervals["arrived"][:5].sum()
