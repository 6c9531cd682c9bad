"""Every scheduler decides exactly as the paper's text says, and every schedule obeys the problem's rules."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import hmhs_literal as literal
from schedlib import hmhs
from schedlib.hmhs import min_min
from schedlib.hmhs.model import Stage, by_arrival, quickest_first

MANY = settings(deadline=None, max_examples=300)
SOME = settings(deadline=None, max_examples=100)
INSTANCES = literal.instances() | literal.instances(ties=False)
ALL = [*hmhs.POLICIES, "priced"]


def rows(stage):
    return list(zip(*(column.tolist() for column in stage), strict=True))


@pytest.mark.parametrize("policy", hmhs.POLICIES)
@MANY
@given(instance=INSTANCES)
def test_decisions_and_times_are_the_papers(policy, instance):
    maps, reduces, map_end, job_end = literal.literal(instance, policy)
    plan = hmhs.schedule(instance, policy)
    assert rows(plan.map) == maps
    assert rows(plan.reduce) == reduces
    assert plan.map_end.tolist() == map_end
    assert plan.job_end.tolist() == job_end
    assert plan.makespan == max(job_end)


@MANY
@given(st.data())
def test_dynamic_min_min_with_any_arrivals(data):
    instance = data.draw(literal.instances(jobs=8, tasks=5))
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
    looks = []
    assert rows(stage) == literal.dynamic_min_min(
        ready, instance.map_tasks, literal.task_times(instance, "map"), looks
    )
    assert scanned == sum(looks)


@pytest.mark.parametrize("seed", range(3))
def test_decisions_at_the_papers_proportions(seed):
    whole = hmhs.hybrid(20, seed=seed, machines=(6, 9))
    tasks = whole.map_tasks // 20, whole.reduce_tasks // 5
    instance = hmhs.Instance(
        whole.map_time, tasks[0], whole.map_speed, whole.reduce_time, tasks[1], whole.reduce_speed
    )
    for policy in ("hmhs", "fifo"):
        maps, reduces, _, _ = literal.literal(instance, policy)
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
    assert rows(stage) == [(1, 1, 0.0, 1.0), (0, 0, 2.0, 5.0), (0, 1, 2.0, 6.0)]


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
    for policy in ALL:
        plan = hmhs.schedule(hmhs.Instance([2, 3], [0, 0], one, [1, 1], [0, 0], one), policy)
        assert (plan.makespan, len(plan.tasks)) == (0.0, 0)
        no_reduces = hmhs.schedule(hmhs.Instance([2, 3], [1, 1], one, [1, 1], [0, 0], one), policy)
        assert (
            no_reduces.makespan == 5 and no_reduces.job_end.tolist() == no_reduces.map_end.tolist()
        )
        no_maps = hmhs.schedule(hmhs.Instance([2, 3], [0, 0], one, [1, 4], [1, 1], one), policy)
        assert no_maps.makespan == 5 and no_maps.map_end.tolist() == [0, 0]


@SOME
@given(INSTANCES)
def test_candidates_of_a_full_scan(instance):
    looks, plan = [], hmhs.schedule(instance, "hmhs")
    literal.min_min(instance.map_tasks, literal.task_times(instance, "map"), looks)
    literal.dynamic_min_min(
        plan.map_end, instance.reduce_tasks, literal.task_times(instance, "reduce"), looks
    )
    assert plan.steps_full_scan == sum(looks)


def test_dispatch_looks_at_few_candidates():
    # At most one look per task, and on average two per job and machine, as it comes and as it goes, in each stage.
    instance = hmhs.single(50, seed=1, machines=(10, 10))
    tasks = int(instance.map_tasks.sum() + instance.reduce_tasks.sum())
    assert hmhs.schedule(instance, "hmhs").steps <= tasks + 2 * 2 * 50 * 10
