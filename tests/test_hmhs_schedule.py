"""Every scheduler decides exactly as the paper's text says, and every schedule obeys the problem's rules."""

import numpy as np
import pytest
from hypothesis import given
from numpy.testing import assert_array_equal

from hmhs_instances import instances
from refusals import refuses
from schedlib import hmhs
from schedlib.boards import hmhs_board as referee
from schedlib.hmhs import plain
from schedlib.hmhs.plain_model import as_schedule, last_finish

INSTANCES = instances()
ALL = [*hmhs.POLICIES, "priced"]


def rows(stage):
    return list(zip(*(column.tolist() for column in stage), strict=True))


def strict(order, ready, tasks):
    """A reduce machine waits for the first job in order that has tasks left: no job is ready before those in front of it."""
    so_far, line = 0.0, list(ready)
    for i in order:
        if tasks[i] > 0:
            so_far = max(so_far, ready[i])
        line[i] = so_far
    return order, line


def by_readiness(order, ready, tasks):
    """A reduce machine takes, of the ready jobs, the one that became ready first."""
    return sorted(order, key=lambda i: ready[i]), ready


def barrier(order, ready, tasks):
    """No reduce starts before every map has ended."""
    return order, [max(ready) for _ in ready]


OTHER_FIFO = {"fifo-strict": strict, "fifo-ready": by_readiness, "fifo-barrier": barrier}
"""The other readings of FIFO: the paper's, with another order or other times of readiness in the reduce stage."""


def as_the_paper_says(instance, policy):
    """The schedule of one of the paper's schedulers, or of another reading of FIFO."""
    if policy not in OTHER_FIFO:
        return plain.schedule(instance, policy)
    maps, _ = plain.fifo_twice(instance, range(instance.n_jobs))
    ends, tasks = last_finish(maps, instance.n_jobs), instance.reduce_tasks.tolist()
    order, ready = OTHER_FIFO[policy](list(range(instance.n_jobs)), ends, tasks)
    reduces = plain.fifo(order, ready, tasks, instance.reduce_task_time.tolist())
    return as_schedule(policy, instance.n_jobs, maps, reduces)


def counting(times):
    """The same table E_ij, and a list of one number: how often an entry has been read."""
    reads = [0]

    class Row(list):
        def __getitem__(self, j):
            reads[0] += 1
            return super().__getitem__(j)

    return [Row(row) for row in times.tolist()], reads


@pytest.mark.parametrize("policy", hmhs.POLICIES)
@given(instance=INSTANCES)
def test_decisions_and_times_are_the_papers(policy, instance):
    plan, wanted = hmhs.schedule(instance, policy), as_the_paper_says(instance, policy)
    assert rows(plan.map) == rows(wanted.map)
    assert rows(plan.reduce) == rows(wanted.reduce)
    assert_array_equal(plan.map_end, wanted.map_end)
    assert_array_equal(plan.job_end, wanted.job_end)
    assert (plan.policy, plan.makespan) == (wanted.policy, wanted.makespan)


@given(INSTANCES)
def test_a_priced_schedule_obeys_the_rules(instance):
    """By the board's referee, who reads the record alone: every task once, in its time, alone on its machine, after its maps."""
    plan = hmhs.schedule(instance, "priced")
    at_once = np.zeros(instance.n_jobs)
    maps = "map", plan.map, at_once, instance.map_task_time, instance.map_tasks
    reduces = "reduce", plan.reduce, plan.map_end, instance.reduce_task_time, instance.reduce_tasks
    assert referee._impossible(*maps) == referee._impossible(*reduces) == ""
    assert_array_equal(plan.map_end, referee._latest(at_once, plan.map))
    assert_array_equal(plan.job_end, referee._latest(plan.map_end, plan.reduce))
    assert plan.makespan == plan.job_end.max()


def test_algorithm_1_by_hand():
    # Two machines; job 0 (A = 2, two tasks, E = 3, 4), job 1 (A = 0, one task, E = 5, 1). EAT = 0: only job 1 is there, best on
    # machine 1, until 1. EAT = 0 again, nobody there, so job 0 enters: 2 + 3 = 5 beats 2 + 4 = 6, machine 0 until 5. EAT = 1:
    # job 0's other task ends at 5 + 3 = 8 on machine 0 and at 2 + 4 = 6 on machine 1.
    found = plain.dynamic_min_min([2.0, 0.0], [2, 1], [[3.0, 4.0], [5.0, 1.0]])
    assert found == [(1, 1, 0.0, 1.0), (0, 0, 2.0, 5.0), (0, 1, 2.0, 6.0)]


def test_min_min_and_its_sequence_by_hand():
    # Two machines; job 0 has two tasks of 2 or 4, job 1 two of 2 or 2. All is free: the smaller of equal ends is job 0 on machine
    # 0, until 2; then job 1 on machine 1, until 2. Now all end at 4 but job 0 on machine 1, at 6: again job 0, machine 0. Then job 1
    # ends at 6 on machine 0 and at 4 on machine 1.
    by_hand = [(0, 0, 0, 2), (1, 1, 0, 2), (0, 0, 2, 4), (1, 1, 2, 4)]
    assert plain.min_min([2, 2], [[2.0, 4.0], [2.0, 2.0]]) == by_hand
    # Min-Min puts job 1 first on the only machine, then both tasks of job 0; in the order 0, 1 job 1 runs last.
    time = [[2.0], [1.0]]
    assigned = plain.min_min([2, 1], time)
    assert assigned == [(1, 0, 0, 1), (0, 0, 1, 3), (0, 0, 3, 5)]
    assert plain.sequence(assigned, [0, 1], time) == [(1, 0, 4, 5), (0, 0, 0, 2), (0, 0, 2, 4)]


def test_three_jobs_by_hand():
    # One machine a stage, one task a job, maps 3, 1, 2 and reduces 1, 3, 2. Johnson: 1, 2, 0. HMHS maps end at 1, 3, 6 and reduces
    # run 1-4, 4-6, 6-7. FIFO maps 0, 1, 2 end at 3, 4, 6; reduces run 3-4, 4-7, 7-9. Reversed (0, 2, 1): maps end at 3, 5, 6,
    # reduces run 3-4, 5-7, 7-10.
    one = [[1.0]] * 3
    instance = hmhs.Instance([3, 1, 2], [1, 1, 1], one, [1, 3, 2], [1, 1, 1], one)
    makespans = {
        name: hmhs.schedule(instance, name).makespan
        for name in ("hmhs", "fifo", "fifo-pri", "r-hmhs", "fifo-barrier")
    }
    assert makespans == {"hmhs": 7, "fifo": 9, "fifo-pri": 7, "r-hmhs": 10, "fifo-barrier": 12}


def test_a_schedule_s_frame_is_in_order_and_plain_refuses_what_is_not_the_papers():
    instance = hmhs.single(6, seed=3, machines=(3, 2))
    plan = plain.schedule(instance, "fifo-pri")
    frame = plan.tasks
    assert list(frame) == ["stage", "job", "machine", "start", "finish"]
    lines = frame[["stage", "machine", "start"]]
    assert lines.equals(lines.sort_values(list(lines), ignore_index=True))
    both = [*plan.map.finish, *plan.reduce.finish]
    assert sorted(frame["finish"]) == sorted(both)
    refuses(
        "policy: 'priced'; the paper's are hmhs, r-hmhs, fifo", plain.schedule, instance, "priced"
    )


def test_empty_stages():
    one = [[1.0], [1.0]]
    for policy in ALL:
        ends = []
        for maps, reduces in ((0, 0), (1, 0), (0, 1)):
            instance = hmhs.Instance([2, 3], [maps] * 2, one, [1, 4], [reduces] * 2, one)
            plan = hmhs.schedule(instance, policy)
            ends.append((plan.makespan, plan.map_end.max(), len(plan.tasks)))
        assert ends == [(0, 0, 0), (5, 5, 2), (5, 0, 2)]


@given(INSTANCES)
def test_candidates_of_a_full_scan(instance):
    plan = hmhs.schedule(instance, "hmhs")
    map_table, map_looks = counting(instance.map_task_time)
    reduce_table, reduce_looks = counting(instance.reduce_task_time)
    plain.min_min(instance.map_tasks.tolist(), map_table)
    plain.dynamic_min_min(plan.map_end.tolist(), instance.reduce_tasks.tolist(), reduce_table)
    assert plan.steps_full_scan == map_looks[0] + reduce_looks[0]
