"""Every scheduler decides exactly as the paper's text says."""

import pytest
from hypothesis import given
from numpy.testing import assert_equal

from hmhs_instances import instances
from refusals import refuses
from schedlib import hmhs
from schedlib.hmhs import plain
from schedlib.hmhs.plain_model import as_schedule, last_finish

INSTANCES = instances()


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
    assert_equal((*plan.map, *plan.reduce), (*wanted.map, *wanted.reduce))
    assert_equal(plan.map_end, wanted.map_end)
    assert plan.policy == wanted.policy


def test_a_schedule_s_frame_is_in_order_and_plain_refuses_what_is_not_the_papers():
    instance = hmhs.single(6, seed=3, machines=(3, 2))
    frame = plain.schedule(instance, "fifo-pri").tasks
    assert list(frame) == ["stage", "job", "machine", "start", "finish"]
    assert len(frame) == instance.map_tasks.sum() + instance.reduce_tasks.sum()
    lines = frame[["stage", "machine", "start"]]
    assert lines.equals(lines.sort_values(list(lines), ignore_index=True))
    refuses("policy: 'priced'; the paper's are hmhs", plain.schedule, instance, "priced")


@given(INSTANCES)
def test_candidates_of_a_full_scan(instance):
    plan = hmhs.schedule(instance, "hmhs")
    map_table, map_looks = counting(instance.map_task_time)
    reduce_table, reduce_looks = counting(instance.reduce_task_time)
    plain.min_min(instance.map_tasks.tolist(), map_table)
    plain.dynamic_min_min(plan.map_end.tolist(), instance.reduce_tasks.tolist(), reduce_table)
    assert plan.steps_full_scan == map_looks[0] + reduce_looks[0]
