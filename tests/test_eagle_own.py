"""What a reader brings to Eagle: columns of jobs, places of tasks, cancelled probes, other units of time."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from refusals import refuses
from schedlib import eagle
from schedlib.eagle import remaining_work
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
    best, least = 0, np.inf
    for place, job in enumerate(line):
        left = cluster.jobs.due[job] - cluster.now
        laxity = -1e9 + left if left < 0 else left - cluster.estimate[job]
        if laxity < least:
            best, least = place, laxity
    return best


@pytest.mark.parametrize("unit", ["ms", "min", "h", "d"])
def test_a_rule_sees_its_columns_and_the_clock_in_one_unit(unit):
    """No two times are equal, so that another unit changes no order by rounding."""
    rng = np.random.default_rng(5)
    submit = np.round(np.sort(rng.uniform(0, 200, 150)), 3)
    duration = np.round(rng.exponential(20.0, 150), 3)
    due = submit + rng.uniform(10, 200, 150)

    def completions(name):
        second = SECONDS[name]
        times = [values / second for values in (submit, duration, due)]
        work = Workload.from_arrays(*times[:2], time_unit=name)
        work = Workload(work.jobs.assign(due=times[2]), work.tasks, name)
        mine = eagle.System("laxity", queue=late_first)
        cluster = {"workers": 12, "short_partition": 0.0, "cutoff": np.inf, "detail": "as_written"}
        return second * eagle.simulate(work, mine, **cluster).jobs["completion"]

    assert np.allclose(completions(unit), completions("s"), rtol=1e-9, atol=1e-6)


@pytest.mark.parametrize(
    ("rule", "says"),
    [
        (by_column, r"^queue: by_column: .*'NumericColumns' object has no attribute 'size' .*; home exist"),
        (lambda cluster, worker, line, rng: int(cluster.jobs.user[line[0]]), "'NumericColumns' object has no attribute 'user'"),
        (lambda cluster, worker, line, rng: cluster.jobs.home[line[0]], "returns float64"),
    ],
)  # fmt: skip
def test_a_column_that_is_not_there_is_named_with_those_that_are(rule, says):
    refuses(says, run, crowd(user="a", home=1), eagle.System("own", queue=rule))


def least_work(cluster, job, task, rng):
    """The general worker of least placed work left by estimates, as "lwl" as written."""
    best, least = -1, np.inf
    for worker in range(cluster.short_only, len(cluster.work)):
        left, runs = cluster.work[worker], cluster.job[worker]
        if runs >= 0 and cluster.placed[worker] == 1:
            left -= min(cluster.now - cluster.since[worker], cluster.estimate[runs])
            if left != remaining_work(cluster, worker):
                return -9
        if left < least:
            best, least = worker, left
    return best


work = 1  # no size


@pytest.mark.parametrize(
    ("rule", "by_size"),
    [
        (lambda cluster, job, probe, rng: work, False),
        (lambda cluster, job, probe, rng: int(cluster.jobs.estimate[job]), False),
        (lambda cluster, job, probe, rng: int(cluster.estimate[job]), True),
        (lambda cluster, job, probe, rng: int(remaining_work(cluster, 0)), True),
        (lambda cluster, job, probe, rng: int(eagle.remaining_work(cluster, 0)), True),
    ],
)
def test_a_system_uses_estimates_if_a_rule_reads_a_size_of_what_it_sees(rule, by_size):
    system = eagle.System("own", short_jobs=rule, long_jobs="probes")
    assert system.uses_estimates() == by_size


@pytest.mark.parametrize("short_jobs", ["sss", "probes"])
def test_long_jobs_placed_by_a_readers_rule(short_jobs):
    """Means in 64ths of a second, so that sums of estimates have no rounding."""
    work = crowd(mean=np.round(64 * eagle.job_means(crowd())) / 64)
    shipped = eagle.System("shipped", short_jobs=short_jobs, sticky=True, min_probes=9)
    mine = replace(shipped, long_jobs=eagle.Place(least_work))
    exact = {"detail": "as_written", "network_delay": 1 / 64, "record": True}
    ours, theirs = run(work, mine, **exact), run(work, shipped, **exact)
    assert ours.tasks.equals(theirs.tasks) and ours.stats == theirs.stats
    assert ours.stats["placements"] == ours.tasks["long"].sum() > 0


def test_a_place_that_does_not_exist_is_named():
    mine = eagle.System("nowhere", long_jobs=eagle.Place(lambda cluster, job, task, rng: 40))
    refuses("long_jobs sends task 0 of job .* to worker 40; there are 40", run, crowd(), mine)


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
        return (asks["time"].to_numpy() > last[asks["job"]].to_numpy() + 2.0).sum()

    assert late(before) > 0 == late(after) and after.stats["dropped"] > 0
    assert after.stats["vain"] < before.stats["vain"]
    assert len(after.tasks) == len(crowd().tasks) and (after.tasks["worker"] >= 0).all()


def test_additions_to_old_news_are_whole_seconds_in_minutes_too():
    """With a reader's function a run in minutes is worked out in minutes, without one in seconds."""

    def first(cluster, worker, line, rng):
        return 0

    rng = np.random.default_rng(0)
    submit = np.cumsum(rng.exponential(2, 300)).round()
    work = Workload.from_arrays(submit / 60, rng.integers(5, 40, 300) / 60, time_unit="min")
    how = {"short_partition": 0, "cutoff": np.inf, "detail": "as_published", "heartbeat": 0.5}
    mine, shipped = (
        eagle.simulate(
            work,
            eagle.System("old news", short_jobs="stale-lwl", long_jobs="stale-lwl", queue=queue),
            12,
            **how,
        )
        for queue in (first, "fifo")
    )
    np.testing.assert_allclose(mine.jobs["completion"], shipped.jobs["completion"], rtol=1e-9)
    assert (mine.jobs["completion"] > work.tasks["duration"] + 1).any()
