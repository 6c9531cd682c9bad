"""Capacity against systems whose capacity is known, and workloads that begin with a burst."""

import numpy as np
import pytest

from refusals import refuses
from schedlib.lotes import (
    JobClasses,
    MachineConfigs,
    Policy,
    RandomWorkload,
    can_start,
    capacity,
    plan,
)
from schedlib.workload import Workload

CORES, MACHINES = 4, 400
CONFIGS = MachineConfigs([[float(CORES)]], [MACHINES])
CLASSES = JobClasses([0.5, 0.5], [[1.0], [1.0]], [[1.0, 2.0]])
JOBS = RandomWorkload(CLASSES, rate=1.0, hours=1.0, sizes="fixed")
MOST = CORES * MACHINES / 0.75  # a job holds one core for three quarters of an hour on average


def in_the_first_quarter(cluster, job):
    """So that jobs end there alone, and those that wait start there, too."""
    for machine in range(cluster.config.size // 4):
        if can_start(cluster, job, machine):
            return machine
    return -1


@pytest.mark.parametrize("policy", ["lotes", "greedy", "tetris"])
def test_jobs_of_one_core_are_sustained_up_to_all_cores(policy):
    found = capacity(
        policy, CONFIGS, JOBS, plan=plan(CONFIGS, CLASSES) if policy == "lotes" else None, seed=1
    )
    assert found.bound == pytest.approx(MOST)
    assert found.high - found.low <= 0.0101 * MOST
    assert found.low == pytest.approx(MOST, rel=0.02)


def test_a_policy_that_leaves_machines_idle_sustains_what_the_others_do():
    found = capacity(Policy(in_the_first_quarter, name="quarter"), CONFIGS, JOBS)
    assert found.rate == pytest.approx(MOST / 4, rel=0.04)


def test_the_same_seed_finds_the_same():
    first, again = (capacity("greedy", CONFIGS, JOBS, precision=0.02, seed=3) for _ in range(2))
    assert vars(first) == vars(again)


def test_what_cannot_be_measured_is_refused():
    refuses("precision: 0.5", capacity, "greedy", CONFIGS, JOBS, precision=0.5)
    trace = Workload.from_arrays([0.0], [1.0], cpu=[1.0])
    with pytest.raises(TypeError, match="workload: needs a RandomWorkload"):
        capacity("greedy", CONFIGS, trace)
    idle = Policy(lambda cluster, job: -1, lambda cluster, machine: -1, "idle")
    refuses("sustains less than a thousandth", capacity, idle, CONFIGS, JOBS)


def test_a_burst_comes_first_and_takes_nothing_from_the_rest():
    jobs = RandomWorkload(CLASSES, rate=2_000.0, hours=40.0, burst=(6_000.0, 10.0))
    submit = np.concatenate([block.submit for block in jobs.blocks()])
    assert (np.diff(submit) >= 0).all()
    assert submit[-1] < 40
    for low, high, expected in ((0, 10, 60_000), (10, 40, 60_000)):
        assert abs(((low <= submit) & (submit < high)).sum() - expected) < 4 * np.sqrt(expected)
    even = RandomWorkload(CLASSES, rate=2_000.0, hours=40.0)
    same = RandomWorkload(CLASSES, rate=2_000.0, hours=40.0, burst=(2_000.0, 10.0))
    for block, other in zip(even.blocks(), same.blocks(), strict=True):
        np.testing.assert_allclose(block.submit, other.submit)
