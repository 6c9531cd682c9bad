"""Planning again while the system runs: the swap of plans is exact, and what a plan is made from is the past
alone.
"""

import dataclasses

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

import lotes_readings as readings
from lotes_systems import as_workload, decide_as, in_small_steps, planned, systems
from refusals import refuses
from schedlib.lotes import (
    JobClasses,
    MachineConfigs,
    Past,
    Replan,
    google2011,
    google_month,
    plan,
    simulate,
)
from schedlib.lotes.replan import cluster, estimate, estimated
from schedlib.workload import Workload


@given(
    systems(),
    st.sampled_from(["delta", "all"]),
    st.sampled_from(["delta", "rate"]),
    st.booleans(),
    st.integers(0, 2**32),
)
def test_a_plan_swapped_while_running_is_followed_literally(system, exit, wheel, first, seed):
    configs, classes, submit, job_class, work, demand, choices = system
    rng = np.random.default_rng(seed)
    shares = rng.dirichlet(np.ones(classes.n_classes), 4)
    plans = [planned(configs, dataclasses.replace(classes, share=share)) for share in shares]
    pace = classes.slowdown
    relabels = bool(rng.integers(2)) and np.isfinite(pace).all() and (pace == pace[:, :1]).all()
    every = (submit[-1] + 1) * rng.choice([0.2, 0.25, 0.4])

    def label(demand, turn):
        return (demand[:, 0] * 64 + turn).astype(int) % classes.n_classes

    swaps = [
        (submit[0] + turn * every, plans[turn], label(demand, turn) if relabels else job_class)
        for turn in (1, 2, 3)
    ]
    turns = []

    def how(past, old):
        turns.append(past.now)
        turn = len(turns)
        if turn > 3:
            return None
        assert old is plans[turn - 1]
        return (plans[turn], lambda demand: label(demand, turn)) if relabels else plans[turn]

    options = {"exit": exit, "wheel": wheel}
    expected = readings.decisions(
        lambda centre: readings.Lotes(
            centre, plans[0], readings.choices(choices), first=first, **options
        ),
        configs,
        pace,
        (submit, job_class, work, demand),
        swaps,
    )
    policy = "lotes-first" if first else "lotes"
    jobs = as_workload(submit, job_class, work, demand)
    with in_small_steps():
        run = simulate(
            policy,
            configs,
            jobs,
            plan=plans[0],
            seed=choices,
            replan=Replan(every, how=how),
            **options,
        )
    decide_as(run, expected)
    assert turns == [submit[0] + turn * every for turn in range(1, len(turns) + 1)]


@pytest.fixture(scope="module")
def crowded():
    """Two days of jobs of the month's classes on few machines, so that hundreds wait."""
    rng = np.random.default_rng(1)
    submit = np.append(np.zeros(500), np.sort(rng.uniform(0, 48, 5_500)))
    times = pd.DataFrame({"submit": submit, "duration": rng.lognormal(0.5, 1.0, len(submit))})
    fewer, classes, jobs = google_month(
        *google2011(), times=times, hours=48, load=1.1, drift=0.8, seed=1
    )
    return fewer, classes, jobs, plan(fewer, classes)


@pytest.mark.parametrize("how", ["estimate", "cluster"])
def test_only_the_past_counts(crowded, how):
    """Up to a time nothing changes if jobs that come later stay away, and those not ended then take longer."""
    configs, _, jobs, first = crowded
    turning, options = 30.5, {"plan": first, "replan": Replan(6.0, how=how)}
    run = simulate("lotes", configs, jobs, **options)
    early = jobs.between(0, turning)
    expected = run.jobs.iloc[: len(early)]
    longer = early.tasks["duration"] + 50.0 * (expected["finish"] > turning)
    changed = Workload(early.jobs, early.tasks.assign(duration=longer), early.time_unit)
    other = simulate("lotes", configs, changed, **options)
    then = expected["start"] < turning
    assert 500 < then.sum() < len(early) and run.plans[-1][0] > turning
    assert (other.jobs["start"] < turning).equals(then)
    for name in ("start", "machine"):
        assert other.jobs[name][then].equals(expected[name][then])


def test_estimates_by_hand():
    """Jobs of 2 h every hour (class 0), of 4 h every 2 h (class 1), seen from 24 h to 48 h; nothing of class
    2.
    """
    which = np.repeat([0, 1], [48, 24])
    submit = np.concatenate((np.arange(48.0), 2 * np.arange(24.0)))
    finish = submit + np.array([2.0, 4.0])[which]
    finish[finish >= 48] = np.nan
    demand = np.array([[0.1, 0.2], [0.3, 0.1]])[which]
    past = Past(48.0, 24.0, submit, which, demand, submit.copy(), finish)
    old = JobClasses([0.2, 0.2, 0.6], [[0.5, 0.5]] * 3, [[1.0, 1.0, 3.0]])
    found = estimated(past, past.job_class, old)
    assert_allclose(found.rate, [[0.5, 0.25, 3.0]])
    assert_allclose(found.demand, [[0.1, 0.2], [0.3, 0.1], [0.5, 0.5]])
    assert_allclose(found.share, np.array([24, 12, 0.6 * 36]) / (36 * 1.6))
    first = plan(MachineConfigs([[1.0, 1.0]], [3]), old)
    assert_array_equal(estimate(past, first).classes.share, found.share)


def test_estimated_rates_keep_their_ratios():
    """Jobs run 2 h where they are fast and 4 h where they are slow, in turn."""
    submit = np.arange(24.0)
    slow = np.arange(24) % 2 == 1
    finish = submit + np.where(slow, 4.0, 2.0)
    which = np.zeros(24, int)
    speed = np.where(slow, 0.5, 1.0)
    past = Past(48.0, 0.0, submit, which, np.full((24, 1), 0.1), submit.copy(), finish, speed)
    found = estimated(past, which, JobClasses([1.0], [[0.5]], [[6.0], [3.0], [0.0]]))
    assert_allclose(found.rate, [[0.5], [0.25], [0.0]])


def test_the_past_knows_how_fast_the_machines_were():
    configs = MachineConfigs([[1.0], [1.0]], [1, 1])
    first = plan(configs, JobClasses([1.0], [[1.0]], [[0.5], [0.25]]))
    jobs = Workload.from_arrays([0.0, 1.0, 1.0, 20.0], [4.0] * 4, cpu=[1.0] * 4)
    seen = []

    def how(past, old):
        seen.append(past)

    simulate("lotes", configs, jobs, plan=first, replan=Replan(10.0, how=how))
    past = seen[0]
    assert sorted(past.speed) == [0.5, 1.0, 1.0]
    assert_array_equal(((past.finish - past.start) * past.speed), [4.0, 4.0, 4.0])


def test_clusters_by_hand():
    """Two sizes of jobs that the old classes do not tell apart, and a window too poor for two classes."""
    submit = np.arange(40.0)
    demand = np.where(np.arange(40)[:, None] % 4 == 0, [[0.5, 0.1]], [[0.1, 0.2]])
    past = Past(40.0, 0.0, submit, np.zeros(40, int), demand, submit.copy(), submit + 1)
    first = plan(
        MachineConfigs([[1.0, 1.0]], [3]),
        JobClasses([0.5, 0.5], [[0.2, 0.2], [0.4, 0.4]], [[2.0, 2.0]]),
    )
    found, label = cluster(past, first)
    assert_allclose(found.classes.demand, [[0.1, 0.2], [0.5, 0.1]])
    assert_allclose(found.classes.share, [0.75, 0.25])
    assert_allclose(found.classes.rate, [[1.0, 1.0]])
    # the last by spreads, not by eye
    assert label(np.array([[0.1, 0.19], [0.45, 0.12], [0.32, 0.19]])).tolist() == [0, 1, 0]
    assert cluster(past._replace(demand=np.full((40, 2), 0.1)), first) is None
    assert cluster(past._replace(since=39.5), first) is None


def test_bad_replanning_is_refused(crowded):
    refuses("every: 0", Replan, every=0)
    refuses("how: 'again'", Replan, every=1, how="again")
    configs, classes, jobs, first = crowded
    fewer = plan(configs, JobClasses([1.0], [[0.1, 0.1]], np.ones((10, 1))))
    elsewhere = np.arange(4) == np.arange(10)[:, None]
    some = dataclasses.replace(classes, rate=np.where(elsewhere, 0.0, classes.rate))
    faster = np.where(elsewhere[:, ::-1], 1.0, 2.0) * classes.rate
    fast = dataclasses.replace(classes, rate=faster)
    for policy, made, how, why in (
        ("greedy", None, "estimate", "needs a LoTES policy"),
        ("lotes", first, lambda past, old: fewer, "a plan for 1 classes, not the 4"),
        ("lotes", first, lambda past, old: (old, lambda demand: demand), "labels must be"),
        ("lotes", plan(configs, some), "cluster", "every class must be able"),
        ("lotes", plan(configs, fast), "cluster", "ratios of the other classes"),
    ):
        replan = Replan(6.0, how=how)
        refuses(why, simulate, policy, configs, jobs, plan=made, replan=replan)
