"""What holds in every run of Eagle and its rivals, whatever the jobs, and what is refused."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_equal

from cases import CASES
from eagle_instances import DETAILS, cases
from eagle_instances import SYSTEMS as BOTH
from refusals import refuses
from schedlib import eagle
from schedlib.eagle.simulating import engine
from schedlib.workload import Workload

SYSTEMS = {name: system for name, (system, _) in BOTH.items()}

names, details, seeds = (
    st.sampled_from(sorted(SYSTEMS)),
    st.sampled_from(DETAILS),
    st.integers(0, 99),
)


def run_of(case, name, detail, seed, record=True):
    return case.simulate(SYSTEMS[name], seed=seed, detail=detail, record=record)


@given(cases(), names, details, seeds)
def test_utilisation_is_the_work_of_the_tasks(case, name, detail, seed):
    run = run_of(case, name, detail, seed)
    width = np.diff(run.utilisation["time"], append=run.log["time"].max())
    busy = (run.tasks["finish"] - run.tasks["asked"]).sum() + run.stats["vain"] * 2 * case.hop
    found = (run.utilisation["all"] * width).sum() * case.workers
    assert_allclose(found, busy, rtol=1e-9, atol=1e-9)


@given(st.sampled_from([2.0**20, 2.0**30]), st.sampled_from(sorted(SYSTEMS)))
def test_the_origin_of_time_changes_no_share(origin, name):
    """Times are in 64ths of a second, so that adding the origin rounds nothing but the edges of intervals."""
    rng = np.random.default_rng(3)
    submit = 3 * np.arange(60)  # a heartbeat each
    duration = rng.integers(64, 64 * 40, 60) / 64
    how = {"workers": 8, "short_partition": 0.25, "cutoff": 20.0, "network_delay": 1 / 64}

    def run(begin):
        work = Workload.from_arrays(begin + submit, duration)
        return eagle.simulate(work, SYSTEMS[name], detail="as_written", **how)

    here, there = run(0.0), run(3 * origin)
    shares = there.utilisation.assign(time=there.utilisation["time"] - 3 * origin)
    pd.testing.assert_frame_equal(shares, here.utilisation, rtol=0, atol=1e-5)
    assert_equal(there.jobs["completion"].to_numpy(), here.jobs["completion"].to_numpy())


SECONDS_10 = Workload.from_arrays(np.arange(10), np.full(10, 10.0))


@pytest.mark.parametrize(
    ("work", "says"),
    [
        (Workload.from_arrays(np.arange(9), np.full(9, 5.5)), "takes 9.1% of the work away"),
        (Workload.from_arrays(np.zeros(500), np.full(500, 9.0)), "here up to 4.99 s later"),
        (Workload(SECONDS_10.jobs.assign(mean=70.0), SECONDS_10.tasks), "column 'mean' in row 0 of jobs is 70"),
    ],
)  # fmt: skip
def test_a_change_of_a_readers_times_is_named(work, says):
    with pytest.warns(UserWarning, match=says):
        eagle.simulate(work, "sparrow", 8, short_partition=0, cutoff=np.inf, detail="as_published")


def test_by_default_a_readers_times_are_kept(recwarn):
    """Nothing is cut, and a batch comes at once; where times are whole and no two the same, it is as published."""
    rng = np.random.default_rng(0)
    length = rng.uniform(1.5, 1.99, 500)
    how = {"short_partition": 0, "cutoff": np.inf}
    batch = eagle.simulate(Workload.from_arrays(np.zeros(500), length), "hawk", 50, **how)
    assert (batch.jobs["submit"] == 0).all()
    assert (batch.jobs["completion"] >= length).all()
    length = np.repeat(rng.integers(1, 30, 400), 2)
    whole = Workload.from_arrays(np.arange(400), length, tasks=[2] * 400)
    how = {"short_partition": 0.2, "cutoff": 20, "seed": 1}
    for system in {*eagle.SYSTEMS} - {"dlwl"}:  # whose additions are whole seconds as published
        kept = eagle.simulate(whole, system, 15, **how)
        published = eagle.simulate(whole, system, 15, **how, detail="as_published")
        assert kept.jobs.equals(published.jobs)
    assert not recwarn.list


@given(
    cases(),
    st.sampled_from(
        ["eagle", "eagle without srpt", "eagle without sbp, srpt", "eagle without minimum"]
    ),
    seeds,
)
def test_sss_never_queues_a_short_probe_behind_a_long_task(case, name, seed):
    """As written, where workers test on arrival."""
    run = run_of(case, name, "as_written", seed)
    assert run.stats["behind_long"] == run.stats["ran_behind_long"] == 0


# ---- what changes nothing


@given(cases(), names, details, seeds)
def test_same_seed_same_run_and_recording_changes_nothing(case, name, detail, seed):
    one, two = (run_of(case, name, detail, seed, record) for record in (True, False))
    pd.testing.assert_frame_equal(one.jobs, two.jobs)
    pd.testing.assert_frame_equal(one.utilisation, two.utilisation)
    assert_equal(one.stats, two.stats)


@given(cases(), names, details, seeds)
def test_names_do_not_matter_and_classes_may_replace_the_cut_off(case, name, detail, seed):
    plain = run_of(case, name, detail, seed)
    labels = np.array([f"job {(7 * i) % 10007}" for i in range(len(case.submit))])
    jobs, tasks = case.workload.jobs, case.workload.tasks
    named = jobs.assign(job=labels, **{"class": 3 * plain.jobs["long"]})
    workload = Workload(named, tasks.assign(job=labels[tasks["job"]]))
    options = {"seed": seed, "detail": detail, "cutoff": None, "workload": workload}
    other = case.simulate(SYSTEMS[name], **options)
    measured = ["start", "finish", "long"]
    assert_equal(other.jobs[measured].to_numpy(), plain.jobs[measured].to_numpy())


# ---- bad input

GOOD = {"short_partition": 0.2, "cutoff": 10.0}


def workload(durations=(1.0, 2.0, 30.0), tasks=(1, 1, 1)):
    return Workload.from_arrays(np.arange(len(tasks), dtype=float), durations, tasks=tasks)


@pytest.mark.parametrize(
    ("system", "workers", "options", "says"), CASES["eagle_invariants"]["bad_arguments_are_named"]
)
def test_bad_arguments_are_named(system, workers, options, says):
    refuses(says, eagle.simulate, workload(), system, workers, **GOOD | options)


def test_bad_workloads_are_named():
    refuses(r"task", eagle.simulate, workload([1.0, 30.0], tasks=[2, 0]), "eagle", 10, **GOOD)
    two = Workload.from_arrays([0.0, 1.0], [5.0, 30.0])
    for bad in (-1.0, np.nan):
        means = two.jobs.assign(mean=[bad, 30.0])
        refuses("mean", eagle.simulate, Workload(means, two.tasks), "eagle", 10, **GOOD)


def nowhere(cluster, job, probe, rng):
    return len(cluster.busy)


def behind_all(cluster, worker, line, rng):
    return len(line)


def no_probe(cluster, job, rng):
    return 0


SENT = "short_jobs sends probe 0 of job 0 at 0 s to worker 10; there are 10; return one of 0 to 9"
IN_LINE = r"in the line of worker \d \(jobs 0\); it has 1; return one of 0 to 0"


@pytest.mark.parametrize(
    ("part", "function", "says"),
    [
        ("short_jobs", nowhere, SENT),
        ("long_jobs", eagle.Place(nowhere), "sends task 0 of job 2 .* to worker 10; there are 10"),
        ("queue", behind_all, rf"queue picks place 1 at 0\.0005 s {IN_LINE}"),
        ("probes", no_probe, "probes gives 0 for job 0 of 1 task"),
    ],
)
def test_bad_functions_of_a_reader_are_named(part, function, says):
    """By the simulation itself: the part, the time, the job, what it chose and what it can choose."""
    mine = eagle.System("mine", **{part: function})
    refuses(f"system 'mine': .*{says}", eagle.simulate, workload(), mine, 10, **GOOD)


@pytest.mark.parametrize("slots", [0, 1.5, [1, 2], 20_000])
def test_slots_are_whole_numbers(slots):
    refuses("slots", eagle.simulate, workload(), "sparrow", 3, slots=slots, **GOOD)


@pytest.mark.parametrize(
    ("share", "workers", "count"),
    [(0.29, 100, 29), (0.57, 100, 57), (0.17, 15000, 2550), (0.09, 15, 1)],
)
def test_the_short_partition_is_the_whole_part(share, workers, count):
    run = eagle.simulate(workload(), "eagle", workers, **(GOOD | {"short_partition": share}))
    assert run.stats["short_only"] == count


# ---- what a reader's function sees and keeps


def beside_the_last(cluster, job, probe, rng):
    if probe == 0:
        cluster.notes[job, 0] = 1
        return job
    return (cluster.sent[-1] + int(cluster.notes[job, 0])) % len(cluster.queued)


def test_a_function_sees_its_notes_and_where_the_job_s_earlier_probes_went():
    mine = eagle.System(
        "beside",
        short_jobs=beside_the_last,
        probes=lambda cluster, job, rng: cluster.tasks[job] + 2,
    )
    log = eagle.simulate(
        workload(np.ones(7), tasks=[3, 4]), mine, 5, short_partition=0, cutoff=np.inf, record=True
    ).log
    sent = log[log["event"] == "send"]
    assert [group["worker"].tolist() for _, group in sent.groupby("job")] == [
        [0, 1, 2, 3, 4],
        [1, 2, 3, 4, 0, 1],
    ]


# Slices of events


def test_a_run_is_the_same_however_it_is_sliced_and_tells_the_share_done(monkeypatch):
    jobs = eagle.google(100, seed=1, scale=0.01)
    options = {"short_partition": 0.2, "cutoff": eagle.CUTOFF["google"]}
    whole = eagle.simulate(jobs, "eagle", 150, **options)
    shares = []

    def every_share(advance, what):
        while not shares or shares[-1] < 1.0:
            shares.append(advance())

    monkeypatch.setattr(engine, "SLICE", 7)
    monkeypatch.setattr(engine, "to_the_end", every_share)
    sliced = eagle.simulate(jobs, "eagle", 150, **options)
    pd.testing.assert_frame_equal(sliced.jobs, whole.jobs)
    assert sliced.stats == whole.stats and shares == sorted(shares) and len(shares) > 100


@pytest.mark.parametrize("detail, steals", [("as_written", 1), ("as_published", 2)])
def test_only_the_published_program_limits_what_a_thief_takes(detail, steals):
    """12,000 probes wait behind the long task of worker 0 when worker 1 has run out of work."""
    long_one, many = 1e6, 24_000
    jobs = Workload.from_arrays([0, 1], [long_one] + [1.0] * many, tasks=[1, many])
    options = {"short_partition": 0, "cutoff": 50, "probe_ratio": 1, "network_delay": 0.0}
    system = eagle.Hawk(thieves="general")
    run = eagle.simulate(jobs, system, 2, detail=detail, **options)
    assert run.stats["stolen"] > 10_000 and run.stats["steals"] == steals
