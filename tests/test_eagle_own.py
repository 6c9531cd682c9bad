"""What a reader brings to Eagle: columns of jobs, places of tasks, cancelled probes, other units of time."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from refusals import refuses
from schedlib import eagle
from schedlib.workload import SECONDS, Workload

CLUSTER = {"workers": 40, "short_partition": 0.2}
CUTOFF = 60.0


def crowd(seed=0, unit="s", **columns):
    """120 jobs of 1 to 8 tasks of whole seconds, some submitted together, in a unit of time."""
    rng = np.random.default_rng(seed)
    counts = rng.integers(1, 9, 120)
    scale = np.where(np.arange(120) % 10 == 0, 20, 1)
    durations = rng.integers(1, 40, counts.sum()) * np.repeat(scale, counts) / SECONDS[unit]
    submit = np.sort(rng.integers(0, 400, 120)) / SECONDS[unit]
    jobs = pd.DataFrame({"job": range(120), "submit": submit, **columns})
    tasks = pd.DataFrame({"job": np.repeat(range(120), counts), "duration": durations})
    return Workload(jobs, tasks, unit)


def run(workload, system, cutoff=CUTOFF, **options):
    return eagle.simulate(workload, system, **CLUSTER, cutoff=cutoff, **options)


@pytest.mark.parametrize("unit", ["min", "h", "d"])
@pytest.mark.parametrize("name", ["eagle", "dlwl"])
@pytest.mark.parametrize("detail", ["as_published", "as_written"])
def test_jobs_in_another_unit_of_time_end_at_the_same_time(unit, name, detail):
    second = SECONDS[unit]
    seconds = run(crowd(), name, detail=detail, record=True)
    same = run(crowd(unit=unit), name, CUTOFF / second, detail=detail, record=True)
    for frame, column in (("jobs", "completion"), ("tasks", "start"), ("utilisation", "time")):
        times = getattr(same, frame)[column] * second
        assert np.allclose(times, getattr(seconds, frame)[column], rtol=1e-9, atol=1e-6)
    assert same.stats["makespan"] * second == pytest.approx(seconds.stats["makespan"])
    assert same.stats["utilisation"] == pytest.approx(seconds.stats["utilisation"])


def by_size(cluster, worker, line, rng):
    return int(np.argmin(cluster.estimate[line]))


def by_column(cluster, worker, line, rng):
    return int(np.argmin(cluster.jobs.size[line]))


def test_a_readers_column_is_that_of_the_job():
    """Jobs of one second are put apart as published, which changes their order."""
    plain = crowd()
    sized = crowd(size=np.floor(eagle.job_means(plain)), user="a", **{"wall time": 1.0})
    how = {"detail": "as_published"}
    by_estimate = run(plain, eagle.System("by estimate", queue=by_size), **how)
    read = run(sized, eagle.System("read", queue=by_column), **how)
    assert by_estimate.jobs.equals(
        read.jobs[by_estimate.jobs.columns]
    )  # `read` has the reader's own, too
    assert not by_estimate.jobs.equals(run(plain, eagle.System("fifo"), **how).jobs)


def late_first(cluster, worker, line, rng):
    """Jobs past their due time first, then the least laxity; all in the unit of the column."""
    left = cluster.jobs.due[line] - cluster.now
    laxity = np.where(left < 0, left - 1e9, left - cluster.estimate[line])
    return int(np.argmin(laxity))


@pytest.mark.parametrize("unit", ["ms", "min", "h", "d"])
def test_a_rule_sees_its_columns_and_the_clock_in_one_unit(unit):
    """No two times are equal, so that another unit changes no order by rounding."""
    rng = np.random.default_rng(5)
    submit = np.round(np.sort(rng.uniform(0, 200, 150)), 3)
    duration = np.round(rng.exponential(20.0, 150), 3)
    due = submit + rng.uniform(10, 200, 150)

    mine = eagle.System("laxity", queue=late_first)
    how = {"short_partition": 0, "cutoff": np.inf, "detail": "as_written"}

    def completions(name):
        second = SECONDS[name]
        work = Workload.from_arrays(submit / second, duration / second, time_unit=name)
        jobs = work.jobs.assign(due=due / second)
        done = eagle.simulate(Workload(jobs, work.tasks, name), mine, 12, **how)
        return second * done.jobs["completion"]

    assert np.allclose(completions(unit), completions("s"), rtol=1e-9, atol=1e-6)


def test_a_column_that_is_not_there_is_named_with_those_that_are():
    says = "^queue: by_column: .*'NumericColumns' object has no attribute 'size' .*; home exist"
    refuses(says, run, crowd(user="a", home=1), eagle.System("own", queue=by_column))


work = 1  # no size


@pytest.mark.parametrize(
    ("rule", "by_size"),
    [
        (lambda cluster, job, probe, rng: work, False),
        (lambda cluster, job, probe, rng: int(cluster.jobs.estimate[job]), False),
        (lambda cluster, job, probe, rng: int(cluster.estimate[job]), True),
        (lambda cluster, job, probe, rng: int(eagle.remaining_work(cluster, 0)), True),
    ],
)
def test_a_system_uses_estimates_if_a_rule_reads_a_size_of_what_it_sees(rule, by_size):
    system = eagle.System("own", short_jobs=rule, long_jobs="probes")
    assert system.uses_estimates() == by_size


def least_work(cluster, job, task, rng):
    """The general worker of least placed work left by estimates, as "lwl" as written."""
    left = cluster.work.copy()
    for worker in range(len(left)):
        runs = cluster.job[worker]
        if runs >= 0 and cluster.placed[worker] == 1:
            left[worker] -= min(cluster.now - cluster.since[worker], cluster.estimate[runs])
    return cluster.short_only + np.argmin(left[cluster.short_only :])


def least_of_slots(cluster, job, task, rng):
    """The worker of least work left for each of its slots."""
    best, least = 0, np.inf
    for worker in range(len(cluster.work)):
        slots = cluster.first_slot[worker + 1] - cluster.first_slot[worker]
        left = eagle.remaining_work(cluster, worker) / slots
        if left < least:
            best, least = worker, left
    return best


SSS = eagle.System("shipped", short_jobs="sss", sticky=True, min_probes=9)
PROBES = replace(SSS, short_jobs="probes")


@pytest.mark.parametrize(
    ("shipped", "mine", "slots"),
    [
        (SSS, {"long_jobs": eagle.Place(least_work)}, 1),
        (PROBES, {"long_jobs": eagle.Place(least_work)}, 1),
        (eagle.Omniscient(), {"short_jobs": eagle.Place(least_of_slots)}, [1, 2, 4, 2] * 10),
    ],
)
def test_tasks_placed_by_a_readers_rule(shipped, mine, slots):
    """Means in 64ths of a second, so that sums of estimates have no rounding."""
    work = crowd(mean=np.round(64 * eagle.job_means(crowd())) / 64)
    how = {"detail": "as_written", "network_delay": 1 / 64, "slots": slots, "record": True}
    ours, theirs = run(work, replace(shipped, **mine), **how), run(work, shipped, **how)
    assert ours.tasks.equals(theirs.tasks) and ours.stats == theirs.stats
    assert ours.stats["placements"] > 0


def test_eagle_as_published_cancels_already():
    ours = run(crowd(), replace(eagle.Eagle(), cancel=True))
    assert ours.jobs.equals(run(crowd(), "eagle").jobs)


@pytest.mark.parametrize("system", [eagle.Sparrow(), eagle.Hawk(), eagle.IdealEagle()])
@pytest.mark.parametrize("detail", ["as_published", "as_written"])
def test_a_cancelled_probe_is_never_asked_for(system, detail):
    """Two hops after the request for the last task no worker asks, and each task runs once."""
    options = {"detail": detail, "network_delay": 1.0, "record": True}
    before = run(crowd(), system, **options)
    after = run(crowd(), replace(system, cancel=True), **options)

    def late(done):
        asks = done.log[done.log["event"] == "ask"]
        last = done.tasks.groupby("job")["asked"].max()
        return (asks["time"] > asks["job"].map(last) + 2.0).sum()

    assert late(before) > 0 == late(after) and after.stats["dropped"] > 0
    assert after.stats["vain"] < before.stats["vain"]
    assert (after.tasks["worker"] >= 0).all()


def test_additions_to_old_news_are_whole_seconds_in_minutes_too():
    """With a reader's function a run in minutes is worked out in minutes, without one in seconds."""

    def first(cluster, worker, line, rng):
        return 0

    rng = np.random.default_rng(0)
    submit = np.cumsum(rng.exponential(2, 300)).round()
    work = Workload.from_arrays(submit / 60, rng.integers(5, 40, 300) / 60, time_unit="min")
    shipped = eagle.System("old news", short_jobs="stale-lwl")
    how = {"short_partition": 0, "cutoff": np.inf, "detail": "as_published", "heartbeat": 0.5}
    in_minutes, in_seconds = (
        eagle.simulate(work, system, 12, **how).jobs["completion"]
        for system in (replace(shipped, queue=first), shipped)
    )
    np.testing.assert_allclose(in_minutes, in_seconds, rtol=1e-9)
