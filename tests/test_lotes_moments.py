"""Rules that decide after all of a moment: batches, ends at the same time, EASY of the textbook."""

import numpy as np
import pandas as pd
import pytest

from refusals import refuses
from schedlib import lotes
from schedlib.boards import literature
from schedlib.workload import Workload


def shortest_first(cluster, machine):
    best = -1
    for job in cluster.waiting:
        shorter = best < 0 or cluster.work[job] < cluster.work[best]
        if shorter and lotes.can_start(cluster, job, machine):
            best = job
    return best


def log(submit, runs, said, processors):
    """Jobs with what their users said of their times."""
    jobs = Workload.from_arrays(submit, runs, cpu=processors)
    return Workload(jobs.jobs.assign(said=np.array(said, float)), jobs.tasks)


def starts(policy, workload, processors, machines=1):
    configs = lotes.MachineConfigs([[float(processors)]], [machines])
    return lotes.simulate(policy, configs, workload).jobs["start"].tolist()


def textbook_easy(submit, runs, said, processors, total):
    """EASY on one machine, time by time: all that ends at a time leaves, all that comes joins, then one pass."""
    start = [None] * len(submit)
    running, waiting, coming = [], [], list(range(len(submit)))
    while coming or running:
        ends = [start[job] + runs[job] for job in running]
        now = min(ends + [submit[job] for job in coming[:1]])
        running = [job for job in running if start[job] + runs[job] > now]
        while coming and submit[coming[0]] == now:
            waiting.append(coming.pop(0))
        free = total - sum(processors[job] for job in running)
        for job in list(waiting):
            if processors[job] > free:
                continue
            if job != waiting[0]:
                by_end = sorted((max(now, start[other] + said[other]), other) for other in running)
                room, reserved = free, now
                for end, other in by_end:
                    if room >= processors[waiting[0]] and end > reserved:
                        break
                    room, reserved = room + processors[other], end
                spare = room - processors[waiting[0]]
                if now + said[job] > reserved and processors[job] > spare:
                    continue
            start[job] = now
            free -= processors[job]
            running.append(job)
            waiting.remove(job)
    return start


def test_a_moment_may_lie_in_two_blocks_and_hold_jobs_of_no_length():
    many = 70_000
    runs = np.zeros(many)
    runs[0] = 7
    runs[-1] = 3
    jobs = Workload.from_arrays(np.zeros(many), runs, cpu=np.ones(many))

    def last_come(cluster, machine):
        job = cluster.waiting[-1]
        return job if lotes.can_start(cluster, job, machine) else -1

    start = starts(lotes.Policy(at_moment=last_come), jobs, 1)
    assert start[-1] == 0 and set(start[:-1]) == {3}


def comes_to_wait(cluster, job):
    return -1


@pytest.mark.parametrize(("rule", "last"), [("at_moment", 9), ("leave", 10)])
def test_the_timer_asks_rules_of_moments_and_of_events(rule, last):
    """A rule of events is not asked at 9, when the last job comes, but a period later."""

    def after_5(cluster, machine):
        return cluster.waiting[0] if cluster.now >= 5 else -1

    arrive = comes_to_wait if rule == "leave" else None
    policy = lotes.Policy(arrive, wake=1, **{rule: after_5})
    jobs = Workload.from_arrays([0, 0], [1, 1], cpu=[1, 1])
    with pytest.warns(UserWarning, match="2 of 2 jobs never start"):
        assert starts(policy, jobs, 2)[0] != 5  # a run ends when a call starts no job
    later = Workload.from_arrays([0, 0, 9], [1, 1, 1], cpu=[1, 1, 1])
    assert starts(policy, later, 2) == [5, 5, last]


def test_easy_is_the_textbooks_on_logs_in_whole_seconds():
    rng = np.random.default_rng(0)
    by_users = literature.easy_by("said")
    overtaken = 0
    for _ in range(300):
        jobs = int(rng.integers(2, 40))
        submit = np.sort(rng.integers(0, 25, jobs))
        runs = rng.integers(0, 10, jobs)
        need = rng.integers(1, 9, jobs)
        said = np.maximum(runs + rng.integers(-3, 8, jobs), 0)
        for policy, belief in ((literature.easy, runs), (by_users, said)):
            right = textbook_easy(*(part.tolist() for part in (submit, runs, belief, need)), 8)
            assert starts(policy, log(submit, runs, belief, need), 8) == right
            overtaken += (np.diff(right) < 0).any()
    assert overtaken > 100


def test_an_order_may_read_a_column_or_a_number_called_waiting_but_not_who_waits():
    waiting = 2.0
    jobs = log([0, 0, 0, 0], [1, 1, 1, 1], [1] * 4, [1] * 4)
    jobs = Workload(jobs.jobs.assign(waiting=[0.0, 3.0, 1.0, 2.0]), jobs.tasks)
    policy = lotes.Policy(order=lambda cluster, job: waiting * cluster.jobs.waiting[job])
    assert starts(policy, jobs, 1) == [0, 3, 1, 2]
    refuses(
        "order: reads cluster.waiting, .* a column of that name is cluster.jobs.waiting",
        lotes.Policy,
        order=lambda cluster, job: 1.0 * cluster.waiting[0],
    )


def even_ones_start(cluster, job):
    return lotes.first_fit(cluster, job) if cluster.job_class[job] == 0 else -1


@pytest.mark.parametrize("arrive", [None, even_ones_start])
@pytest.mark.parametrize("wake", [None, 3.0])
def test_an_order_starts_what_a_scan_of_all_that_wait_starts(arrive, wake):
    """On machines of two kinds, of which one runs a class alone; in whole times, so that much happens at once."""
    scan = {"leave" if arrive else "at_moment": shortest_first}
    scanning = lotes.Policy(arrive=arrive, wake=wake, **scan)
    ordering = lotes.Policy(arrive=arrive, wake=wake, order=lambda cluster, job: cluster.work[job])
    configs = lotes.MachineConfigs([[4.0, 2.0], [2.0, 4.0]], [2, 3])
    classes = lotes.JobClasses([0.5, 0.5], [[1.0, 1.0], [1.0, 1.0]], [[1.0, 1.0], [0.0, 1.0]])
    waited = 0
    for seed in range(20):
        rng = np.random.default_rng(seed)
        workload = Workload.from_arrays(
            np.sort(rng.integers(0, 40, 150)),
            rng.integers(1, 8, 150),
            job_class=rng.integers(0, 2, 150),
            cpu=rng.integers(1, 3, 150),
            mem=rng.integers(1, 3, 150),
        )
        jobs = [
            lotes.simulate(policy, configs, workload, classes=classes).jobs
            for policy in (scanning, ordering)
        ]
        pd.testing.assert_frame_equal(*jobs)
        waited += (jobs[0]["start"] > jobs[0]["submit"]).sum()
    assert waited > 1000


def test_a_policy_decides_by_events_or_by_moments():
    refuses("arrive: give arrive, .* or order alone", lotes.Policy)
    refuses("arrive: give arrive", lotes.Policy, lotes.first_fit, at_moment=shortest_first)
    refuses(
        "leave: at_moment decides in its place",
        lotes.Policy,
        leave=shortest_first,
        at_moment=shortest_first,
    )
    refuses(
        "unknown job: machine 0 at 0 s is given number 5",
        starts,
        lotes.Policy(at_moment=lambda cluster, machine: 5),
        log([0], [1], [1], [1]),
        1,
    )


def test_a_rule_that_reads_an_unknown_number_is_refused():
    jobs = log([0, 1, 2], [100, 10, 15], [100, np.nan, np.nan], [3, 4, 1])
    refuses(r"workload: said\[1\] is NaN", starts, literature.easy_by("said"), jobs, 4)

    def known(cluster, machine):
        for job in cluster.waiting:
            if lotes.can_start(cluster, job, machine) and not np.isnan(cluster.jobs.said[job]):
                return job
        return -1

    with pytest.warns(UserWarning, match="2 of 3 jobs never start"):
        assert starts(lotes.Policy(at_moment=known), jobs, 4)[0] == 0


def keep_4(cluster, job):
    """Keep 4 processors of each machine free."""
    for machine in range(len(cluster.config)):
        if cluster.free[machine, 0] - cluster.size[job, 0] >= 4:
            return machine
    return -1


def test_amounts_are_in_the_readers_units_and_a_full_machine_has_none_left():
    configs = lotes.MachineConfigs([[32.0, 64e9], [24.0, 32e9]], [1, 1])
    jobs = Workload.from_arrays(
        np.arange(4), np.full(4, 9.0), cpu=np.full(4, 14.0), mem=[3.3e9] * 4
    )
    run = lotes.simulate(lotes.Policy(keep_4), configs, jobs)
    assert run.jobs["machine"].tolist() == [0, 0, 1, 0] and run.started == 4

    def only_on_empty_or_full(cluster, job):
        machine = lotes.first_fit(cluster, job)
        empty = cluster.free[0, 0] == cluster.capacity[0, 0]
        full = cluster.free[0, 0] == 0
        return machine if empty or full else -1

    full = Workload.from_arrays(np.arange(4), np.full(4, 9.0), cpu=np.full(4, 7.0))
    run = lotes.simulate(
        lotes.Policy(only_on_empty_or_full), lotes.MachineConfigs([[7.0]], [4]), full
    )
    assert run.jobs["machine"].tolist() == [0, 1, 2, 3]


@pytest.mark.parametrize("capacity, part, jobs", [(0.5, 0.025, 20), (0.7, 0.1, 7), (1.0, 1 / 3, 3)])
def test_a_rule_that_compares_by_hand_fills_a_machine(capacity, part, jobs):
    def by_hand(cluster, job):
        return 0 if cluster.size[job, 0] <= cluster.free[0, 0] else -1

    work = Workload.from_arrays(np.zeros(jobs + 1), np.ones(jobs + 1), cpu=np.full(jobs + 1, part))
    run = lotes.simulate(lotes.Policy(by_hand), lotes.MachineConfigs([[capacity]], [1]), work)
    assert run.jobs["start"].tolist() == [0] * jobs + [1]
