"""What holds in every run of Eagle and its rivals, whatever the jobs, and what is refused."""

import signal
import threading
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import eagle_instances as instances
import house
from schedlib import eagle
from schedlib.eagle.simulating import engine
from schedlib.workload import Workload

cases, DETAILS = instances.cases, instances.DETAILS
SYSTEMS = {name: system for name, (system, _) in instances.SYSTEMS.items()}

QUIET = settings(max_examples=25, deadline=None, suppress_health_check=list(HealthCheck))
names, details, seeds = (
    st.sampled_from(sorted(SYSTEMS)),
    st.sampled_from(DETAILS),
    st.integers(0, 99),
)


def run_of(case, name, detail, seed=0, **options):
    return case.simulate(SYSTEMS[name], seed=seed, detail=detail, record=True, **options)


def each_task_once_and_one_at_a_time(run, case, name, detail):
    tasks = run.tasks.sort_values(["job", "task"], ignore_index=True)
    given_tasks = [
        (job, task, size)
        for job, sizes in enumerate(case.durations)
        for task, size in enumerate(sizes)
    ]
    assert list(zip(tasks["job"], tasks["task"], strict=True)) == [
        (job, task) for job, task, _ in given_tasks
    ]
    size = np.array([size for *_, size in given_tasks])
    np.testing.assert_allclose(
        tasks["finish"] - tasks["start"],
        np.floor(size) if detail != "as_written" else size,
        rtol=1e-9,
    )
    submit = run.jobs["submit"].to_numpy()[tasks["job"]]
    steps = np.column_stack((submit, tasks[["queued", "asked", "start", "finish"]]))
    assert (np.diff(steps, axis=1) >= 0).all()
    np.testing.assert_array_equal(run.jobs["finish"], tasks.groupby("job")["finish"].max())
    np.testing.assert_array_equal(tasks["long"], run.jobs["long"].to_numpy()[tasks["job"]])
    for _, of_worker in tasks.sort_values(["asked", "finish"]).groupby("worker"):
        assert (of_worker["asked"].to_numpy()[1:] >= of_worker["finish"].to_numpy()[:-1]).all()


def no_worker_idles_while_it_holds_something_to_run(run, case, name, detail):
    """From joining the queue to being asked for, a task's worker is busy, with tasks or with requests in
    vain."""
    spans, since, stolen = {}, {}, {}
    for time, event, worker, job in run.log.itertuples(index=False):
        if event in ("ask", "start"):
            since.setdefault(worker, time)
        elif event in ("finish", "vain"):
            spans.setdefault(worker, []).append((since.pop(worker), time))
        elif event == "steal":
            stolen.setdefault((worker, job), []).append(time)
    for worker, job, queued, asked in run.tasks[["worker", "job", "queued", "asked"]].itertuples(
        index=False
    ):
        at = max([queued, *(time for time in stolen.get((worker, job), ()) if time <= asked)])
        for start, end in spans[worker]:
            if end > at and start <= at:
                at = end
        assert at >= asked
    assert not since


def long_jobs_stay_in_the_general_partition(run, case, name, detail):
    if name != "sparrow":
        assert (run.tasks.loc[run.tasks["long"], "worker"] >= case.short_only).all()
    assert run.stats["short_only"] == case.short_only


def utilisation_is_a_fraction(run, case, name, detail):
    shares = run.utilisation[["short", "general", "all"]].to_numpy()
    assert np.nanmin(shares, initial=0.0) >= 0 and np.nanmax(shares, initial=0.0) <= 1 + 1e-9
    width = np.diff(run.utilisation["time"], append=run.log["time"].max())
    busy = (run.tasks["finish"] - run.tasks["asked"]).sum() + run.stats["vain"] * 2 * case.hop
    np.testing.assert_allclose(
        (run.utilisation["all"] * width).sum() * case.workers, busy, rtol=1e-9, atol=1e-9
    )
    if len(case.submit) > 1:
        for part in ("utilisation", "utilisation_short", "utilisation_general"):
            assert np.isnan(run.stats[part]) or -1e-9 <= run.stats[part] <= 1 + 1e-9
    assert run.stats["tasks"] == len(run.tasks) == sum(len(d) for d in case.durations)
    assert run.stats["jobs"] == len(run.jobs) and run.stats["workers"] == case.workers


def probes_are_conserved(run, case, name, detail):
    """Every probe sent leaves its queue once: by its task, in vain, dropped; sticky ones only in the last two
    ways."""
    stats, events = run.stats, run.log["event"].value_counts()
    by_task = 0 if run.system.sticky else stats["tasks"] - stats["placements"]
    assert stats["probes"] == by_task + stats["vain"] + stats["dropped"]
    assert events["queue"] == stats["probes"] + stats["placements"]
    counters = {
        "reject": "rejections",
        "ask": "requests",
        "vain": "vain",
        "drop": "dropped",
        "steal": "stolen",
    }
    for event, counter in counters.items():
        assert events.get(event, 0) == stats[counter], event
    assert events.get("finish", 0) == events.get("start", 0) == stats["tasks"]
    assert stats["rescheduled"] == stats["rejections"] + stats["stolen"]
    assert stats["steals"] <= stats["stolen"] and stats["steals"] <= stats["steal_attempts"]
    assert (np.diff(run.log["time"]) >= 0).all()


@settings(QUIET, max_examples=40)
@given(cases(), names, details, seeds)
def test_what_holds_in_every_run(case, name, detail, seed):
    run = run_of(case, name, detail, seed)
    each_task_once_and_one_at_a_time(run, case, name, detail)
    no_worker_idles_while_it_holds_something_to_run(run, case, name, detail)
    long_jobs_stay_in_the_general_partition(run, case, name, detail)
    utilisation_is_a_fraction(run, case, name, detail)
    probes_are_conserved(run, case, name, detail)


@QUIET
@given(
    cases(),
    st.sampled_from(
        ["eagle", "eagle without srpt", "eagle without sbp, srpt", "eagle without minimum"]
    ),
    seeds,
)
def test_sss_never_queues_a_short_probe_behind_a_long_task(case, name, seed):
    """Counted from the log, not by the simulator: as written, where workers test on arrival."""
    run = run_of(case, name, "as_written", seed)
    assert run.stats["behind_long"] == run.stats["ran_behind_long"] == 0
    long, held = run.jobs["long"].to_numpy(), np.zeros(case.workers, int)
    for event, worker, job in run.log[["event", "worker", "job"]].itertuples(index=False):
        if event == "queue" and long[job]:
            held[worker] += 1
        elif event == "finish" and long[job]:
            held[worker] -= 1
        elif event == "queue":
            assert not held[worker]
        elif event == "reject":
            assert held[worker]


@QUIET
@given(
    cases(), st.sampled_from(["eagle", "eagle without sss", "eagle without sbp"]), details, seeds
)
def test_the_cap_is_never_exceeded(case, name, detail, seed):
    """Replayed from the log: no probe is overtaken by more short work than 5 of its own tasks'."""
    run = run_of(case, name, detail, seed)
    estimate, long, sticky = (
        run.jobs["estimate"].to_numpy(),
        run.jobs["long"].to_numpy(),
        name != "eagle without sbp",
    )
    queues, asking, overtaken = [[] for _ in range(case.workers)], {}, 0

    def leave(worker, job):
        line = queues[worker]
        del line[next(k for k, entry in enumerate(line) if entry[0] == job)]

    for event, worker, job in run.log[["event", "worker", "job"]].itertuples(index=False):
        if event == "queue":
            queues[worker].append([job, 0.0])
        elif event == "ask" and not long[job]:
            asking[worker] = list(queues[worker])
            if not sticky:
                leave(worker, job)
        elif event == "start":
            if long[job]:
                leave(worker, job)
                continue
            for entry in asking.pop(worker):
                if entry[0] == job:
                    break
                if not long[entry[0]]:
                    entry[1] += estimate[job]
                    overtaken += 1
                    assert entry[1] <= 5 * estimate[entry[0]] * (1 + 1e-12)
        elif event == "drop" or (event == "vain" and sticky):
            leave(worker, job)


# ---- what changes nothing


@QUIET
@given(cases(), names, details, seeds)
def test_same_seed_same_run_and_recording_changes_nothing(case, name, detail, seed):
    one, two = (
        run_of(case, name, detail, seed),
        case.simulate(SYSTEMS[name], seed=seed, detail=detail),
    )
    pd.testing.assert_frame_equal(one.jobs, two.jobs)
    pd.testing.assert_frame_equal(one.utilisation, two.utilisation)
    for key, value in one.stats.items():
        np.testing.assert_equal(two.stats[key], value, err_msg=key)


@QUIET
@given(cases(whole=True), names, details, seeds)
def test_later_is_only_later(case, name, detail, seed):
    """All submissions moved by a multiple of the heartbeat."""
    later = replace(case, submit=[t + 12.0 for t in case.submit])
    one, two = (
        c.simulate(SYSTEMS[name], seed=seed, detail=detail, heartbeat=3.0) for c in (case, later)
    )
    np.testing.assert_array_equal(one.jobs["completion"], two.jobs["completion"])


@QUIET
@given(cases(whole=True), names, seeds)
def test_the_unit_of_time_does_not_matter(case, name, seed):
    """As written: everything twice as slow takes twice as long."""
    submit, durations = [2 * t for t in case.submit], [[2 * x for x in d] for d in case.durations]
    slow = replace(
        case, submit=submit, durations=durations, cutoff=2 * case.cutoff, hop=2 * case.hop
    )
    one = case.simulate(SYSTEMS[name], seed=seed, detail="as_written", heartbeat=3.0)
    two = slow.simulate(SYSTEMS[name], seed=seed, detail="as_written", heartbeat=6.0)
    np.testing.assert_array_equal(2 * one.jobs["finish"], two.jobs["finish"])


@QUIET
@given(cases(), names, details, seeds)
def test_names_do_not_matter_and_classes_may_stand_for_the_cut_off(case, name, detail, seed):
    plain = case.simulate(SYSTEMS[name], seed=seed, detail=detail)
    labels = np.array([f"job {(7 * i) % 10007}" for i in range(len(case.submit))])
    jobs, tasks = case.workload.jobs, case.workload.tasks
    named = Workload(jobs.assign(job=labels), tasks.assign(job=labels[tasks["job"]]))
    classed = Workload(jobs.assign(**{"class": 3 * plain.jobs["long"]}), tasks)
    part = (case.short_only + 0.5) / case.workers
    given_by = ((named, {}), (classed, {"cutoff": None}))
    of_names, of_classes = (
        eagle.simulate(
            workload,
            SYSTEMS[name],
            case.workers,
            short_partition=part,
            **case.options(seed=seed, detail=detail, **cutoff),
        )
        for workload, cutoff in given_by
    )
    np.testing.assert_array_equal(of_names.jobs["finish"], plain.jobs["finish"])
    pd.testing.assert_frame_equal(of_classes.jobs, plain.jobs)


@QUIET
@given(
    cases(whole=True),
    st.sampled_from(["omniscient", "omniscient with srpt", "dlwl", "dlwl without srpt"]),
    seeds,
    seeds,
)
def test_systems_without_chance_ignore_the_seed(case, name, one, two):
    options = {"heartbeat": 0.0, "detail": "as_published"}
    runs = [
        case.simulate(SYSTEMS[name], seed=seed, **options).jobs["finish"] for seed in (one, two)
    ]
    np.testing.assert_array_equal(*runs)


# ---- bad input

GOOD = {"short_partition": 0.2, "cutoff": 10.0}


def workload(durations=(1.0, 2.0, 30.0), tasks=(1, 1, 1)):
    return Workload.from_arrays(np.arange(len(tasks), dtype=float), durations, tasks=tasks)


@pytest.mark.parametrize(
    ("system", "workers", "options", "says"),
    [
        ("eagel", 10, {}, "eagel"),
        (7, 10, {}, "system"),
        ("eagle", 0, {}, "workers"),
        ("eagle", -3, {}, "workers"),
        ("eagle", 2.5, {}, "workers"),
        ("eagle", 10, {"short_partition": 1.5}, "short_partition"),
        ("eagle", 10, {"short_partition": 1.0}, "short_partition"),
        ("eagle", 10, {"short_partition": -0.1}, "short_partition"),
        ("eagle", 10, {"short_partition": np.nan}, "short_partition"),
        ("eagle", 10, {"cutoff": np.nan}, "cutoff"),
        ("eagle", 10, {"cutoff": -1.0}, "cutoff"),
        ("eagle", 10, {"cutoff": 1000.0}, "cutoff"),
        ("eagle", 10, {"cutoff": 0.5}, "cutoff"),
        ("eagle", 10, {"estimate": 0.0}, "estimate"),
        ("eagle", 10, {"estimate": -1.0}, "estimate"),
        ("eagle", 10, {"estimate": np.nan}, "estimate"),
        ("eagle", 10, {"estimate": (1.5, 0.5)}, "estimate"),
        ("eagle", 10, {"estimate": (0.0, 0.5)}, "estimate"),
        ("eagle", 10, {"estimate": "median"}, "estimate"),
        ("eagle", 10, {"detail": "as_it_is"}, "detail"),
        ("hawk", 10, {"probe_ratio": 0.5}, "probe_ratio"),
        ("eagle", 10, {"probe_ratio": 0, "min_probes": 0}, "probe_ratio"),
        ("eagle", 10, {"probe_ratio": -1}, "probe_ratio"),
        ("eagle", 10, {"probe_ratio": np.nan}, "probe_ratio"),
        ("eagle", 10, {"min_probes": -1}, "min_probes"),
        ("eagle", 10, {"network_delay": -0.1}, "network_delay"),
        ("eagle", 10, {"network_delay": np.inf}, "network_delay"),
        ("dlwl", 10, {"heartbeat": -1.0}, "heartbeat"),
        ("dlwl", 10, {"heartbeat": np.nan}, "heartbeat"),
        ("eagle", 10, {"seed": -1}, "seed"),
    ],
)
def test_bad_arguments_are_named(system, workers, options, says):
    with pytest.raises(ValueError, match=says):
        eagle.simulate(workload(), system, workers, **(GOOD | options))


def test_bad_workloads_are_named():
    with pytest.raises(ValueError, match=r"task"):
        eagle.simulate(workload([1.0, 30.0], tasks=[2, 0]), "eagle", 10, **GOOD)
    means = pd.DataFrame({"job": [0, 1], "submit": [0.0, 1.0], "mean": [5.0, -1.0]})
    tasks = pd.DataFrame({"job": [0, 1], "duration": [5.0, 30.0]})
    for bad in (-1.0, np.nan):
        means["mean"] = [bad, 30.0]
        with pytest.raises(ValueError, match="mean"):
            eagle.simulate(Workload(means, tasks), "eagle", 10, **GOOD)
    with pytest.raises(TypeError, match="workload"):
        eagle.simulate([1, 2, 3], "eagle", 10, **GOOD)


def test_bad_parts_are_named():
    for parts in (
        {"short_jobs": "probe"},
        {"long_jobs": "sss"},
        {"queue": "lifo"},
        {"thieves": "all"},
        {"min_probes": -1},
    ):
        with pytest.raises(ValueError, match=next(iter(parts))):
            eagle.System(
                "mine", **({"short_jobs": "probes", "long_jobs": "lwl", "queue": "fifo"} | parts)
            )


def nowhere(cluster, job, probe, rng):
    return len(cluster.busy)


def behind_all(cluster, worker, line, rng):
    return len(line)


def wrong(cluster, worker, line, rng):
    return cluster.no_such_column


def test_bad_parts_of_ones_own_are_named():
    """By the simulation itself: the part, when, whom it concerned, what it chose and what there is to choose."""
    sent = r"system 'mine': short_jobs sends probe 0 of job 0 at 0 s to worker 10; there are 10; return one of 0 to 9"
    line = r"in the line of worker \d \(jobs 0\); it has 1; return one of 0 to 0"
    picked = rf"system 'mine': queue picks place 1 at 0\.0005 s {line}"
    bad = (
        ("short_jobs", nowhere, sent),
        ("queue", behind_all, picked),
        ("queue", wrong, "no_such_column"),
    )
    for part, function, says in bad:
        with pytest.raises(ValueError, match=says):
            eagle.simulate(workload(), eagle.System("mine", **{part: function}), 10, **GOOD)


@pytest.mark.parametrize(
    ("share", "workers", "count"),
    [(0.29, 100, 29), (0.57, 100, 57), (0.17, 15000, 2550), (0.02, 4000, 80), (0.09, 15, 1)],
)
def test_the_short_partition_is_the_whole_part(share, workers, count):
    run = eagle.simulate(workload(), "eagle", workers, **(GOOD | {"short_partition": share}))
    assert run.stats["short_only"] == count


# ---- what a function of one's own sees and keeps


def next_in_turn(cluster, job, probe, rng):
    cluster.worker_notes[0, 3] += 1
    return int(cluster.worker_notes[0, 3] - 1) % len(cluster.queued)


def beside_the_last(cluster, job, probe, rng):
    cluster.notes[job, 0] += len(cluster.sent) == probe
    if cluster.notes[job, 0] != probe + 1:
        return -1  # no worker: the run ends
    return job if probe == 0 else (cluster.sent[probe - 1] + 1) % len(cluster.queued)


def test_notes_are_kept_during_a_run_and_zero_when_it_begins():
    mine = eagle.System("in turn", short_jobs=next_in_turn)
    for _ in range(2):
        log = eagle.simulate(
            workload(np.ones(7), tasks=[3, 4]),
            mine,
            5,
            short_partition=0,
            cutoff=np.inf,
            record=True,
        ).log
        assert log["worker"][log["event"] == "send"].tolist() == [k % 5 for k in range(14)]


def test_a_function_sees_where_the_job_s_earlier_probes_went():
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


def worth_its_work(cluster, job, probe, rng):
    return (
        int(eagle.remaining_work(cluster, len(cluster.busy) - 1))
        if cluster.now > 0
        else len(cluster.busy) - 1
    )


@pytest.mark.parametrize("placed", [False, True])
def test_the_remaining_work_of_a_worker(placed):
    """The last worker, alone in its partition, runs a task of 50 s; at 20 s it has 30 s left, and 40 s if that much was placed there, too."""
    jobs = (
        Workload.from_arrays([0.0, 0.0, 20.0], [50.0, 40.0, 1.0])
        if placed
        else Workload.from_arrays([0.0, 20.0], [50.0, 1.0])
    )
    mine = eagle.System("work", short_jobs=worth_its_work, long_jobs="lwl")
    run = eagle.simulate(jobs, mine, 80, short_partition=79 / 80, cutoff=30 if placed else np.inf, network_delay=0.0, probe_ratio=1,
                         detail="as_written", record=True)  # fmt: skip
    last = run.tasks[run.tasks["job"] == len(jobs) - 1]
    assert last["worker"].tolist() == [70 if placed else 30]


def test_too_few_probes_of_a_function_are_named():
    one = eagle.System("one", probes=lambda cluster, job, rng: 1)
    with pytest.raises(
        ValueError,
        match=r"system 'one': probes gives 1 for job 1 of 3 tasks at 1 s; return 3 or more",
    ):
        eagle.simulate(workload(np.ones(4), tasks=[1, 3]), one, 5, short_partition=0, cutoff=np.inf)


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


def test_ctrl_c_ends_a_run_and_the_next_is_as_any_other(monkeypatch):
    jobs = eagle.google(2000, seed=1, scale=0.05)
    options = {"short_partition": 0.2, "cutoff": eagle.CUTOFF["google"]}
    whole = eagle.simulate(jobs, "hawk", 750, **options)
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    timer = threading.Timer(0.3, signal.raise_signal, (signal.SIGINT,))
    try:
        with monkeypatch.context() as slow, pytest.raises(KeyboardInterrupt):
            slow.setattr(engine, "SLICE", 1)
            timer.start()
            eagle.simulate(jobs, "hawk", 750, **options)
    finally:
        timer.cancel()
        signal.signal(signal.SIGINT, before)
    again = eagle.simulate(jobs, "hawk", 750, **options)
    pd.testing.assert_frame_equal(again.jobs, whole.jobs)


@pytest.mark.parametrize("detail, steals", [("as_written", 1), ("as_published", 2)])
def test_only_the_published_program_limits_what_a_thief_takes(detail, steals):
    """12,000 probes wait behind the long task of worker 0 when worker 1 has run out of work."""
    long_one, many = 1e6, 24_000
    jobs = Workload.from_arrays([0, 1], [long_one] + [1.0] * many, tasks=[1, many])
    options = {"short_partition": 0, "cutoff": 50, "probe_ratio": 1, "network_delay": 0.0}
    system = eagle.Hawk(thieves="general")
    run = eagle.simulate(jobs, system, 2, detail=detail, **options)
    assert run.stats["stolen"] > 10_000 and run.stats["steals"] == steals


def test_records_and_policies_import_nothing_of_the_engine():
    ground = ("systems", "records", "state", "messages")
    policies = ("probing", "least_work", "queueing.reorder", "queueing.worker")
    above = {f"schedlib.eagle.{name}" for name in policies}
    for name in ground:
        assert not above & house.imports(f"schedlib.eagle.{name}"), name
    for name in (*ground, *policies):
        imported = house.imports(f"schedlib.eagle.{name}")
        assert not any(other.startswith("schedlib.eagle.simulating") for other in imported), name
