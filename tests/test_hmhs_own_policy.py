"""A reader's own policy: works at compiled speed, and its mistakes are named."""

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
        sizes = stage.order.size, stage.free.size
        ok = stage.time.shape == sizes and machine < stage.free.size
        last = -1
        for job in stage.queue:  # in order, which is that of submission
            ok = ok and job > last and stage.left[job] > 0 and stage.ready[job] <= now
            last = job
        return stage.queue[0] if ok else -7

    assert same(hmhs.schedule(INSTANCE, hmhs.Policy(map_rule=sees, reduce_rule=sees)), FIFO)


def not_ready(stage, machine, now):
    return 1 if stage.left[1] == 2 and stage.ready[1] > now else stage.queue[0]


def finished(stage, machine, now):
    for job in stage.order:
        if stage.left[job] == 0:
            return job
    return stage.queue[0]


@pytest.mark.parametrize(
    "choose, job, why",
    [(not_ready, "1", "it is not ready"), (finished, "2", "it has no task left")],
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
@pytest.mark.parametrize("stage, writes", [("map", to_times), ("reduce", to_ready)])
def test_a_rule_that_writes_through_a_helper_is_refused_and_changes_no_instance(stage, writes):
    fresh = hmhs.single(3, seed=0, machines=(2, 2))
    times = getattr(fresh, f"{stage}_task_time").copy()
    policy = hmhs.Policy(**{f"{stage}_rule": writes})
    words = f"'own': its {stage} rule changed stage.ready or stage.time; keep your own numbers in"
    refuses(words, hmhs.schedule, fresh, policy)
    refuses(words, hmhs.serve, hmhs.Arrivals(fresh, [0, 1, 2]), policy)
    assert np.array_equal(getattr(fresh, f"{stage}_task_time"), times)


@pytest.mark.parametrize(
    "policy, says",
    [
        (hmhs.Policy(order=lambda instance: [1, np.nan, 2]), "3 numbers, none NaN"),
        (hmhs.Policy(order=lambda instance: [1, 2]), r"got shape \(2,\)"),
        (hmhs.Policy(map_rule="min-mim"), "map_rule is 'min-mim'"),
        (first, "give a name or hmhs.Policy"),
    ],
)
def test_a_wrong_policy_is_refused(policy, says):
    refuses(says, hmhs.schedule, INSTANCE, policy)
