"""Rules that stop jobs: against simulators written for these tests, closed forms, and what no schedule may break."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from refusals import refuses
from schedlib import lotes, theory
from schedlib.boards import literature
from schedlib.workload import Workload

ONE = lotes.MachineConfigs([[1.0]], [1])


def single(submit, runs, job_class=None):
    """Jobs that take a machine each."""
    submit = np.asarray(submit, float)
    return Workload.from_arrays(submit, runs, job_class=job_class, cpu=np.ones(len(submit)))


# --- several resources, machines of other speeds: each moment from the definition ---------------------------------------------


def expected(by_class, capacity, pace, submit, work, size, job_class, keep):
    """The first start, finish and number of stops of each job. What ends leaves, what comes waits, then the least keys
    take their room; all numbers are exact in floats.

    `by_class`: whether a key is the class of a job, or what is left of its work; `capacity (M, R)`, `pace (M, N)`:
    how long a unit of a job's work lasts there.
    """
    left = work.astype(float)
    start, finish, begun = np.full((3, len(work)), np.nan)
    stops, where = np.zeros(len(work)), np.full(len(work), -1)
    waiting, running, coming = [], [], list(range(len(work)))
    now = 0.0

    def remaining(job):
        if where[job] < 0:
            return left[job]
        return (finish[job] - now) / pace[where[job], job]

    def key(job):
        return job_class[job] if by_class else remaining(job)

    def fits(job, machine, without=()):
        there = [other for other in running if where[other] == machine and other not in without]
        room = capacity[machine] - size[there].sum(axis=0)
        return pace[machine, job] < np.inf and (size[job] <= room).all()

    def leave(job):
        running.remove(job)
        where[job] = -1

    def one_stops():
        able = [job for job in running if begun[job] < now]
        victims = set()
        for job in waiting:
            if not any(fits(job, machine) for machine in range(len(capacity))):
                larger = [other for other in able if key(other) > key(job)]
                victims |= {other for other in larger if fits(job, where[other], larger)}
        if not victims:
            return False
        able.sort(key=lambda job: (where[job], finish[job]))
        last = max([job for job in able if job in victims], key=key)
        left[last] = remaining(last) if keep else work[last]
        leave(last)
        waiting.append(last)
        stops[last] += 1
        return True

    def fill():
        for machine in range(len(capacity)):
            while able := [job for job in waiting if fits(job, machine)]:
                job = min(able, key=key)
                waiting.remove(job)
                running.append(job)
                where[job], begun[job] = machine, now
                start[job] = np.fmin(start[job], now)
                finish[job] = now + left[job] * pace[machine, job]

    while coming or running:
        now = min([*finish[running], *submit[coming[:1]]])
        for job in [job for job in running if finish[job] == now]:
            leave(job)
        while coming and submit[coming[0]] == now:
            waiting.append(coming.pop(0))
        while one_stops():
            while one_stops():
                pass
            fill()
        fill()
    return start, finish, stops


@pytest.mark.parametrize("by_class", [True, False])
@pytest.mark.parametrize("keep", [True, False])
def test_the_least_keys_run_on_machines_of_other_speeds_and_two_resources(by_class, keep):
    policy = literature.preemptive_priority if by_class else literature.srpt
    policy = replace(policy, keep=keep)
    rng = np.random.default_rng(2)
    rate = [[1.0, 1.0, 0.5], [0.5, 0.25, 0.0]]
    configs = lotes.MachineConfigs([[4.0, 4.0], [8.0, 2.0]], [2, 1], names=("cpu", "mem"))
    classes = lotes.JobClasses([0.4, 0.3, 0.3], [[1.0, 1.0]] * 3, rate)
    kind = np.repeat([0, 1], configs.count)  # of each machine
    stopped = 0
    for _ in range(40):
        jobs = int(rng.integers(1, 16))
        submit = np.sort(rng.integers(0, 12, jobs))
        runs = rng.integers(1, 10, jobs)
        size = np.c_[rng.integers(1, 5, jobs), rng.integers(0, 3, jobs)]
        job_class = rng.integers(0, 3, jobs)
        pace = np.array([[1, 1, 1], [2, 4, np.inf]])[kind][:, job_class]
        start, finish, stops = expected(
            by_class, configs.capacity[kind], pace, submit, runs, size, job_class, keep
        )
        workload = Workload.from_arrays(
            submit, runs, job_class=job_class, cpu=size[:, 0], mem=size[:, 1]
        )
        run = lotes.simulate(policy, configs, workload, classes=classes)
        assert (run.jobs["start"] == start).all()
        assert (run.jobs["finish"] == finish).all()
        assert (run.jobs["preemptions"] == stops).all()
        stopped += stops.sum()
        machine, job = run.pieces["machine"], run.pieces["job"]
        lengths = (run.pieces["finish"] - run.pieces["start"]).to_numpy()
        if keep:
            work = np.bincount(job, lengths / pace[machine, job], minlength=jobs)
            assert (work == runs).all()
        lasted = run.time - submit[0]
        assert np.allclose(run.utilisation * [16, 10] * lasted, size[job].T @ lengths)
        pending = (finish - submit).sum() - lengths.sum()  # Little: job-time in the line
        assert np.isclose(run.mean_queue * lasted, pending)
    assert stopped > 10


# --- closed forms -------------------------------------------------------------------------------------------------------------


def short_and_long(rng, jobs):
    return np.where(rng.random(jobs) < 0.99, rng.uniform(0, 1, jobs), rng.uniform(90, 110, jobs))


def density(x):
    return 0.99 * (x <= 1) + 0.01 / 20 * ((x >= 90) & (x <= 110))


def exponential(rng, jobs):
    return rng.exponential(1.0, jobs)


RATE = 0.8 / (0.99 * 0.5 + 0.01 * 100)
SCHRAGE_AND_MILLER = [theory.srpt_mean_response(RATE, density, 0.0, 110.0)]
SHARED = [theory.ps_mean_response(0.7, 1.0)]
COBHAM = theory.preemptive_mean_responses([0.4, 0.4], [1.0, 1.0], [2.0, 2.0])


@pytest.mark.parametrize(
    ("policy", "law", "rate", "jobs", "exact"),
    [
        (literature.srpt, short_and_long, RATE, 40_000, SCHRAGE_AND_MILLER),
        (literature.round_robin(0.02), exponential, 0.7, 10_000, SHARED),
        (literature.preemptive_priority, exponential, 0.8, 40_000, COBHAM),
    ],
    ids=["SRPT", "short turns", "priorities"],
)
def test_mean_responses_are_those_of_closed_forms(policy, law, rate, jobs, exact):
    """The mean over independent runs is within four standard errors, which are within 6 %; class by class."""
    means = []
    for seed in range(16):
        rng = np.random.default_rng(seed)
        submit = rng.exponential(1 / rate, jobs).cumsum()
        job_class = rng.integers(len(exact), size=jobs)
        run = lotes.simulate(policy, ONE, single(submit, law(rng, jobs), job_class)).jobs
        means.append((run["finish"] - run["submit"]).groupby(job_class).mean())
    error = np.std(means, axis=0, ddof=1) / np.sqrt(len(means))
    assert (error < 0.06 * np.array(exact)).all()
    assert (abs(np.mean(means, axis=0) - exact) < 4 * error).all()


# --- what no schedule may break -------------------------------------------------------------------------------------------------

POLICIES = (
    literature.srpt,
    literature.preemptive_priority,
    literature.round_robin(2.0),
    literature.feedback(1.0, 3.0),
    literature.foreground_background(1.0),
)
JOBS = st.lists(
    st.tuples(st.integers(0, 20), st.integers(0, 9), st.integers(0, 2)), min_size=1, max_size=14
)


@settings(deadline=None, max_examples=60)
@given(JOBS, st.sampled_from(POLICIES), st.integers(1, 3))
def test_no_work_is_lost_or_made_and_no_machine_idles(jobs, policy, machines):
    submit, runs, job_class = (list(column) for column in zip(*sorted(jobs), strict=True))
    workload = single(submit, runs, job_class)
    configs = lotes.MachineConfigs([[1.0]], [machines])
    run = lotes.simulate(policy, configs, workload)
    pieces = run.pieces
    lengths = pieces["finish"] - pieces["start"]
    assert np.bincount(pieces["job"], lengths, minlength=len(jobs)).tolist() == runs
    for of in ("job", "machine"):  # neither a job nor a machine is at two places at a time
        for _, part in pieces[lengths > 0].groupby(of):
            assert (part["start"].to_numpy()[1:] >= part["finish"].to_numpy()[:-1]).all()
    assert (run.jobs["start"] == pieces.groupby("job")["start"].min()).all()
    assert (run.jobs["finish"] == pieces.groupby("job")["finish"].max()).all()
    assert (run.jobs["preemptions"] == pieces.groupby("job").size() - 1).all()
    assert run.started == run.finished == len(jobs) and run.waiting == 0
    times = np.unique(np.r_[pieces["start"], pieces["finish"], submit])
    for now in times:
        running = ((pieces["start"] <= now) & (pieces["finish"] > now)).sum()
        present = ((run.jobs["submit"] <= now) & (run.jobs["finish"] > now)).sum()
        assert running == min(present, machines)


@pytest.mark.parametrize(
    ("submit", "runs", "outcome"),
    [
        ([0, 1, 2], [5, 3, 1], [[0, 9, 2], [1, 6, 1], [2, 3, 0]]),
        ([0, 0], [2, 2], [[0, 4, 1], [1, 3, 0]]),  # 1, then 2, then 1
    ],
)
def test_least_attained_service_lets_new_jobs_in_and_shares_between_equals(submit, runs, outcome):
    run = lotes.simulate(literature.foreground_background(1.0), ONE, single(submit, runs))
    assert run.jobs[["start", "finish", "preemptions"]].values.tolist() == outcome


def test_a_run_that_ends_early_counts_stopped_jobs_as_waiting():
    jobs = single([0, 1, 2], [9, 9, 1], [1, 0, 1])
    run = lotes.simulate(literature.preemptive_priority, ONE, jobs, until=5)
    assert (run.arrived, run.started, run.finished, run.waiting) == (3, 2, 0, 2)
    assert run.ages.tolist() == [3.0] and run.mean_wait == 1.0  # the waits are 0, 0 and 3
    assert np.isnan(run.jobs["finish"][0]) and run.mean_queue == (1 + 2 * 3) / 5
    short = lotes.simulate(literature.preemptive_priority, ONE, jobs, until=5, record=False)
    assert short.mean_wait == 1.0 and short.pieces is None
    assert short.quantile(1.0) == 3.0 and short.mean_queue == run.mean_queue


# --- times that a rule names, and jobs that start when another comes ------------------------------------------------------------


def test_a_rule_is_called_at_the_time_that_it_names():
    def not_before(cluster, machine):
        for job in cluster.waiting:
            begin = cluster.jobs.begin[job]
            if begin <= cluster.now and lotes.can_start(cluster, job, machine):
                return job
            if begin > cluster.now:
                cluster.wake[0] = min(cluster.wake[0], begin)
        return -1

    jobs = single([0, 0, 1], [1, 1, 2])
    jobs = Workload(jobs.jobs.assign(begin=[10.0, 20.5, 10.0]), jobs.tasks)
    run = lotes.simulate(lotes.Policy(at_moment=not_before), ONE, jobs)
    assert run.jobs["start"].tolist() == [10, 20.5, 11] and run.time == 21.5

    def not_before_5(cluster, machine):
        return cluster.waiting[0] if cluster.now >= 5 and len(cluster.waiting) > 0 else -1

    def waits(cluster, job):
        cluster.wake[0] = 5.0
        return -1

    run = lotes.simulate(lotes.Policy(waits, not_before_5), ONE, single([0], [2]))
    assert run.jobs["start"].tolist() == [5] and run.time == 7


def test_another_job_may_start_when_one_comes():
    def pairs(cluster, machine):  # two jobs start together, the last that came first
        able = len(cluster.waiting) >= 2 or cluster.running[machine, 0] % 2 == 1
        return cluster.waiting[-1] if able else -1

    jobs = Workload.from_arrays([0, 3, 4, 9], [9, 9, 9, 9], cpu=np.full(4, 1.0))
    run = lotes.simulate(lotes.Policy(at_moment=pairs), lotes.MachineConfigs([[8.0]], [1]), jobs)
    assert run.jobs["start"].tolist() == [3, 3, 9, 9]


# --- what is refused ------------------------------------------------------------------------------------------------------------


def policy(stop, **more):
    return lotes.Policy(at_moment=lotes.policies.own.first_in_line, stop=stop, name="mine", **more)


@pytest.mark.parametrize(
    "stop, why",
    [
        (
            lambda cluster, running: 1,
            "'mine': unknown job: at 0 s it stops job 1, which does not run; return a member",
        ),
        (lambda cluster, running: 99, "it stops job 99, which does not run"),
        (lambda cluster, running: -2, "it stops job -2, which does not run"),
        (
            lambda cluster, running: running[0] if len(running) else -1,
            "at 4 s it stops job 2, which started at this very time",
        ),
    ],
)
def test_a_stop_of_what_does_not_run_is_refused(stop, why):
    refuses(why, lotes.simulate, policy(stop), ONE, single([0, 0, 4], [3, 3, 3]))


def test_times_that_do_not_lie_ahead_are_refused():
    def now(cluster, running):
        cluster.wake[0] = cluster.now
        return -1

    def unknown(cluster, running):
        cluster.wake[0] = np.nan
        return -1

    for stop in (now, unknown):
        refuses(
            "cluster.wake: a time is named at 2 s that is not later",
            lotes.simulate,
            policy(stop),
            ONE,
            single([2], [1]),
        )

    def never(cluster, machine):
        cluster.wake[0] = cluster.now + 1
        return -1

    refuses(
        "1,000,000 times were named in a row",
        lotes.simulate,
        lotes.Policy(at_moment=never),
        ONE,
        single([0], [1]),
    )


def test_policies_that_cannot_stop_are_refused():
    refuses(
        "stop: give at_moment, too", lotes.Policy, lotes.first_fit, stop=lambda cluster, running: -1
    )
    refuses("keep: no job is ever stopped", lotes.Policy, lotes.first_fit, keep=False)
    refuses("quanta:", literature.feedback)
    refuses("quanta:", literature.round_robin, 0.0)
    refuses("stop: .*does not compile", policy, lambda cluster, running: "none")
