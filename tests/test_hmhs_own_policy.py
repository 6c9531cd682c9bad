"""A reader's own policy: works at compiled speed, and its mistakes are named."""

from dataclasses import replace

import numba
import numpy as np
import pytest

from refusals import refuses
from schedlib import hmhs

INSTANCE = hmhs.Instance(
    [3, 1, 2], [2, 1, 0], [[1.0, 0.5]] * 3, [1, 3, 2], [1, 2, 1], [[1.0], [0.5], [1.0]]
)
FIFO = hmhs.schedule(INSTANCE, "fifo")


def first(stage, machine, now):
    return stage.queue[0]


def same(plan, other):
    mine, theirs = (*plan.map, *plan.reduce), (*other.map, *other.reduce)
    return all(map(np.array_equal, mine, theirs))


@pytest.mark.parametrize(
    "make", [lambda f: f, hmhs.rule, numba.njit], ids=["plain", "rule", "njit"]
)
def test_a_plain_function_is_compiled(make):
    policy = hmhs.Policy(map_rule=make(first), reduce_rule=make(first), name="mine")
    plan = hmhs.schedule(INSTANCE, policy)
    assert plan.policy == "mine"
    assert same(plan, FIFO)


def test_a_rule_may_read_all_that_it_sees():
    @hmhs.rule
    def sees(stage, machine, now):
        jobs, machines = stage.time.shape
        ok = stage.order.size == stage.left.size == stage.ready.size == jobs
        ok = ok and machine < machines
        before = -1
        for job in stage.queue:
            place = np.flatnonzero(stage.order == job)[0]
            ok = ok and stage.left[job] > 0 and stage.ready[job] <= now and place > before
            before = place
        return stage.queue[0] if ok else -7

    assert same(hmhs.schedule(INSTANCE, hmhs.Policy(map_rule=sees, reduce_rule=sees)), FIFO)


def test_order_and_min_min_in_any_mixture():
    by_pri = hmhs.Policy(order=hmhs.priority, map_rule="min-min", reduce_rule="min-min")
    hmhs_plan = hmhs.schedule(INSTANCE, "hmhs")
    assert same(hmhs.schedule(INSTANCE, by_pri), hmhs_plan)
    mixed = hmhs.schedule(INSTANCE, replace(by_pri, reduce_rule=first))
    assert all(map(np.array_equal, mixed.map, hmhs_plan.map))


def test_a_rule_may_let_a_machine_wait():
    @hmhs.rule
    def on_machine_1(stage, machine, now):
        return stage.queue[0] if machine == 1 else -1

    plan = hmhs.schedule(INSTANCE, hmhs.Policy(map_rule=on_machine_1))
    assert plan.map.machine.tolist() == [1, 1, 1]
    assert plan.map_end.max() == 3 * 0.5 * 2 + 0.5


def as_many_as_there_are(stage, machine, now):
    return stage.order.size


def not_ready(stage, machine, now):
    return 1 if stage.left[1] == 2 and stage.ready[1] > now else stage.queue[0]


def finished(stage, machine, now):
    for job in stage.order:
        if stage.left[job] == 0:
            return job
    return stage.queue[0]


@pytest.mark.parametrize(
    "choose, job, why",
    [
        (as_many_as_there_are, "3", "there are 3 jobs"),
        (not_ready, "1", "it is not ready"),
        (finished, "2", "it has no task left"),
    ],
)
def test_a_job_that_is_not_waiting_is_refused(choose, job, why):
    # On the reduce stage: job 2 has no maps and is ready first, the others are not; it is also the first to have none left.
    says = rf"'mine': at [\d.]+ its reduce rule gave machine 0 the job {job}, which is not waiting: {why}.*-1 to wait"
    refuses(says, hmhs.schedule, INSTANCE, hmhs.Policy(reduce_rule=choose, name="mine"))


def test_a_rule_that_never_takes_a_job_is_refused():
    words = (
        r"at 0 its map rule left every machine waiting with 3 tasks.*stage.wake\[0\] to the time"
    )
    refuses(words, hmhs.schedule, INSTANCE, hmhs.Policy(map_rule=lambda stage, machine, now: -1))


@numba.njit
def zeroes(array):
    for entry in np.nditer(array):
        entry[()] = 0


def to_times(stage, machine, now):
    zeroes(stage.time)
    return stage.queue[0]


def to_ready(stage, machine, now):
    zeroes(stage.ready)
    return stage.queue[0]


@pytest.mark.skipif(bool(numba.config.DISABLE_JIT), reason="numpy itself refuses")
@pytest.mark.parametrize("writes", [to_times, to_ready])
def test_a_rule_that_writes_through_a_helper_is_refused_and_changes_no_instance(writes):
    fresh = replace(INSTANCE)
    words = "'own': its reduce rule changed stage.ready or stage.time; keep your own numbers in"
    refuses(words, hmhs.schedule, fresh, hmhs.Policy(reduce_rule=writes))
    assert np.array_equal(fresh.reduce_task_time, INSTANCE.reduce_task_time)
    assert same(hmhs.schedule(fresh, "fifo"), FIFO)


@pytest.mark.skipif(bool(numba.config.DISABLE_JIT), reason="numpy itself refuses")
def test_served_jobs_keep_their_times_from_such_a_rule():
    jobs = hmhs.Arrivals(hmhs.single(3, seed=0), np.zeros(3))
    policy = hmhs.Policy(map_rule=to_times)
    refuses("'own': its map rule changed stage.ready or stage.time", hmhs.serve, jobs, policy)
    assert np.array_equal(jobs.instance.map_task_time, hmhs.single(3, seed=0).map_task_time)


@pytest.mark.parametrize(
    "policy, says",
    [
        (hmhs.Policy(order=lambda instance: [1, np.nan, 2]), "3 numbers, none NaN"),
        (hmhs.Policy(order=lambda instance: [1, 2]), r"got shape \(2,\)"),
        (hmhs.Policy(order=lambda instance: None), r"got shape \(\)"),
        (hmhs.Policy(map_rule="min-mim"), "map_rule is 'min-mim'"),
        ("hmsh", "did you mean 'hmhs'"),
        (first, "give a name or hmhs.Policy"),
        (None, "give a name or hmhs.Policy"),
    ],
)
def test_a_wrong_policy_is_refused(policy, says):
    refuses(says, hmhs.schedule, INSTANCE, policy)
