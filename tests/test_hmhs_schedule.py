"""Every scheduler decides exactly as the paper's text says, and every schedule obeys the problem's rules."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import hmhs_instances
from schedlib import hmhs
from schedlib.hmhs import min_min, plain
from schedlib.hmhs.model import Stage, by_arrival, quickest_first

MANY = settings(deadline=None, max_examples=150)
SOME = settings(deadline=None, max_examples=100)
INSTANCES = hmhs_instances.instances() | hmhs_instances.instances(ties=False)
ALL = [*hmhs.POLICIES, "priced"]
PAPERS = ["hmhs", "r-hmhs", "fifo", "fifo-pri"]


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
    """Map plan, reduce plan, map ends and job ends of one of the paper's schedulers, or of another reading of FIFO."""
    done = plain.schedule(instance, "fifo" if policy in OTHER_FIFO else policy)
    maps, reduces, map_end = rows(done.map), rows(done.reduce), done.map_end.tolist()
    if policy not in OTHER_FIFO:
        assert (done.policy, done.makespan) == (policy, max(done.job_end))
        return maps, reduces, map_end, done.job_end.tolist()
    tasks, time = instance.reduce_tasks.tolist(), instance.reduce_task_time.tolist()
    order, ready = OTHER_FIFO[policy](list(range(instance.n_jobs)), map_end, tasks)
    reduces = plain.fifo(order, ready, tasks, time)
    ends = zip(map_end, hmhs_instances.last_ends(reduces, instance.n_jobs), strict=True)
    return maps, reduces, map_end, [max(pair) for pair in ends]


def counting(times):
    """The same table E_ij, and a list of one number: how often an entry has been read."""
    reads = [0]

    class Row(list):
        def __getitem__(self, j):
            reads[0] += 1
            return super().__getitem__(j)

    return [Row(row) for row in times.tolist()], reads


@pytest.mark.parametrize("policy", hmhs.POLICIES)
@MANY
@given(instance=INSTANCES)
def test_decisions_and_times_are_the_papers(policy, instance):
    maps, reduces, map_end, job_end = as_the_paper_says(instance, policy)
    plan = hmhs.schedule(instance, policy)
    assert rows(plan.map) == maps
    assert rows(plan.reduce) == reduces
    assert plan.map_end.tolist() == map_end
    assert plan.job_end.tolist() == job_end
    assert plan.makespan == max(job_end)


@MANY
@given(st.data())
def test_dynamic_min_min_with_any_arrivals(data):
    instance = data.draw(hmhs_instances.instances(jobs=8, tasks=5))
    jobs = instance.n_jobs
    ready = data.draw(st.lists(st.integers(0, 8).map(float), min_size=jobs, max_size=jobs))
    total = instance.map_tasks.sum()
    stage = Stage.empty(total)
    time = instance.map_task_time.copy()
    tasks = instance.map_tasks.copy()
    _, scanned = min_min.dispatch(
        by_arrival(np.array(ready), tasks),
        np.array(ready),
        tasks,
        time,
        quickest_first(time),
        stage,
    )
    table, looks = counting(time)
    assert rows(stage) == plain.dynamic_min_min(ready, tasks.tolist(), table)
    assert [scanned] == looks


@pytest.mark.parametrize("seed", range(3))
def test_decisions_at_the_papers_proportions(seed):
    whole = hmhs.hybrid(20, seed=seed, machines=(6, 9))
    tasks = whole.map_tasks // 20, whole.reduce_tasks // 5
    instance = hmhs.Instance(
        whole.map_time, tasks[0], whole.map_speed, whole.reduce_time, tasks[1], whole.reduce_speed
    )
    for policy in ("hmhs", "fifo"):
        maps, reduces, _, _ = as_the_paper_says(instance, policy)
        plan = hmhs.schedule(instance, policy)
        assert rows(plan.map) == maps
        assert rows(plan.reduce) == reduces


@pytest.mark.parametrize("policy", ALL)
@SOME
@given(instance=INSTANCES)
def test_every_schedule_obeys_the_rules(policy, instance):
    plan = hmhs.schedule(instance, policy)
    ends = np.zeros((2, instance.n_jobs))
    for k, (stage, name) in enumerate(((plan.map, "map"), (plan.reduce, "reduce"))):
        time, tasks = getattr(instance, f"{name}_task_time"), getattr(instance, f"{name}_tasks")
        assert np.bincount(stage.job, minlength=instance.n_jobs).tolist() == tasks.tolist()
        np.testing.assert_array_equal(stage.finish, stage.start + time[stage.job, stage.machine])
        assert (stage.start >= 0).all() and (stage.machine < time.shape[1]).all()
        for machine in range(time.shape[1]):
            mine = stage.machine == machine
            order = np.argsort(stage.start[mine])
            assert (stage.finish[mine][order][:-1] <= stage.start[mine][order][1:]).all()
        np.maximum.at(ends[k], stage.job, stage.finish)
    assert (plan.reduce.start >= plan.map_end[plan.reduce.job]).all()
    np.testing.assert_array_equal(plan.map_end, ends[0])
    np.testing.assert_array_equal(plan.job_end, ends.max(axis=0))
    assert plan.makespan == plan.job_end.max()
    if policy == "fifo-barrier" and plan.reduce.start.size:
        assert plan.reduce.start.min() >= plan.map_end.max()


@SOME
@given(INSTANCES)
def test_frame_of_tasks(instance):
    plan = hmhs.schedule(instance, "hmhs")
    frame = plan.tasks
    assert list(frame) == ["stage", "job", "machine", "start", "finish"]
    for name, stage in (("map", plan.map), ("reduce", plan.reduce)):
        part = frame[frame["stage"] == name].drop(columns="stage")
        assert sorted(part.itertuples(index=False, name=None)) == sorted(rows(stage))
    lines = list(frame[["stage", "machine", "start"]].itertuples(index=False, name=None))
    assert lines == sorted(lines)


def test_algorithm_1_by_hand():
    # Two machines; job 0 (A = 2, two tasks, E = 3, 4), job 1 (A = 0, one task, E = 5, 1). EAT = 0: only job 1 is there, best on
    # machine 1, until 1. EAT = 0 again, nobody there, so job 0 enters: 2 + 3 = 5 beats 2 + 4 = 6, machine 0 until 5. EAT = 1:
    # job 0's other task ends at 5 + 3 = 8 on machine 0 and at 2 + 4 = 6 on machine 1.
    stage = Stage.empty(3)
    time = np.array([[3.0, 4.0], [5.0, 1.0]])
    ready, tasks = np.array([2.0, 0.0]), np.array([2, 1])
    min_min.dispatch(by_arrival(ready, tasks), ready, tasks, time, quickest_first(time), stage)
    by_hand = [(1, 1, 0.0, 1.0), (0, 0, 2.0, 5.0), (0, 1, 2.0, 6.0)]
    assert rows(stage) == plain.dynamic_min_min([2.0, 0.0], [2, 1], time.tolist()) == by_hand


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
    assert all(plain.schedule(instance, name).makespan == makespans[name] for name in PAPERS)


def test_min_min_by_hand():
    # Two machines; job 0 has two tasks of 2 or 4, job 1 two of 2 or 2. All is free: the smaller of equal ends is job 0 on machine
    # 0, until 2; then job 1 on machine 1, until 2. Now all end at 4 but job 0 on machine 1, at 6: again job 0, machine 0. Then job 1
    # ends at 6 on machine 0 and at 4 on machine 1.
    instance = hmhs.Instance([4, 2], [2, 2], [[0.5, 1], [1, 1]], [1, 1], [0, 0], [[1.0], [1.0]])
    by_hand = [(0, 0, 0, 2), (1, 1, 0, 2), (0, 0, 2, 4), (1, 1, 2, 4)]
    assert plain.min_min([2, 2], [[2.0, 4.0], [2.0, 2.0]]) == by_hand
    assert rows(hmhs.schedule(instance, "hmhs").map) == by_hand


def test_each_machine_runs_its_tasks_by_their_jobs():
    # Min-Min puts job 1 first on the only machine, then both tasks of job 0; in the order 0, 1 job 1 runs last.
    time = [[2.0], [1.0]]
    assigned = plain.min_min([2, 1], time)
    assert assigned == [(1, 0, 0, 1), (0, 0, 1, 3), (0, 0, 3, 5)]
    assert plain.sequence(assigned, [0, 1], time) == [(1, 0, 4, 5), (0, 0, 0, 2), (0, 0, 2, 4)]


def test_plain_gives_the_librarys_frame_and_refuses_what_is_not_the_papers():
    instance = hmhs.single(6, seed=3, machines=(3, 2))
    for policy in PAPERS:
        plan, same = hmhs.schedule(instance, policy), plain.schedule(instance, policy)
        pd.testing.assert_frame_equal(same.tasks, plan.tasks)
    with pytest.raises(ValueError, match="policy: 'priced'; the paper's are hmhs, r-hmhs, fifo"):
        plain.schedule(instance, "priced")


def test_other_readings_of_fifo_by_hand():
    # Two map machines, one reduce machine. Job 0: one map of 4; job 1: one map of 1; job 2: one map of 2, after job 1 on machine
    # 1. Maps end at 4, 1, 3; reduces last 1, 4, 1. First ready job: job 1 at 1-5, then job 0 5-6, then job 2 6-7. In order of
    # readiness: 1, then 2 (ready at 3), then 0 (ready at 4). Strictly in line: 0 at 4-5, 1 at 5-9, 2 at 9-10.
    instance = hmhs.Instance(
        [4, 1, 2], [1, 1, 1], [[1.0, 1.0]] * 3, [1, 4, 1], [1, 1, 1], [[1.0]] * 3
    )
    order = {
        name: hmhs.schedule(instance, name).reduce.job.tolist()
        for name in ("fifo", "fifo-ready", "fifo-strict")
    }
    assert order == {"fifo": [1, 0, 2], "fifo-ready": [1, 2, 0], "fifo-strict": [0, 1, 2]}
    assert hmhs.schedule(instance, "fifo-strict").makespan == 10


def test_empty_stages():
    one = [[1.0], [1.0]]
    ours = [(hmhs.schedule, policy) for policy in ALL]
    for schedule, policy in (*ours, *((plain.schedule, policy) for policy in PAPERS)):
        plan = schedule(hmhs.Instance([2, 3], [0, 0], one, [1, 1], [0, 0], one), policy)
        assert (plan.makespan, len(plan.tasks)) == (0.0, 0)
        no_reduces = schedule(hmhs.Instance([2, 3], [1, 1], one, [1, 1], [0, 0], one), policy)
        assert (
            no_reduces.makespan == 5 and no_reduces.job_end.tolist() == no_reduces.map_end.tolist()
        )
        no_maps = schedule(hmhs.Instance([2, 3], [0, 0], one, [1, 4], [1, 1], one), policy)
        assert no_maps.makespan == 5 and no_maps.map_end.tolist() == [0, 0]


@SOME
@given(INSTANCES)
def test_candidates_of_a_full_scan(instance):
    plan = hmhs.schedule(instance, "hmhs")
    map_table, map_looks = counting(instance.map_task_time)
    reduce_table, reduce_looks = counting(instance.reduce_task_time)
    plain.min_min(instance.map_tasks.tolist(), map_table)
    plain.dynamic_min_min(plan.map_end.tolist(), instance.reduce_tasks.tolist(), reduce_table)
    assert plan.steps_full_scan == map_looks[0] + reduce_looks[0]


def test_dispatch_looks_at_few_candidates():
    # At most one look per task, and on average two per job and machine, as it comes and as it goes, in each stage.
    instance = hmhs.single(50, seed=1, machines=(10, 10))
    tasks = int(instance.map_tasks.sum() + instance.reduce_tasks.sum())
    assert hmhs.schedule(instance, "hmhs").steps <= tasks + 2 * 2 * 50 * 10
