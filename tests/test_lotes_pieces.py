"""GPUs that come in pieces, and fragmentation gradient descent: by hand, and against slow literal transcriptions."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from schedlib import lotes
from schedlib.lotes import JobClasses, MachineConfigs, Typical, fragmentation, simulate
from schedlib.workload import Workload

EPS = 1e-8  # capacities are a billionth larger than stated, see `lotes.scaled`
POLICIES = (
    "lotes",
    "lotes-first",
    "greedy",
    "tetris",
    "fgd",
    lotes.Policy(arrive=lambda cluster, job: -1),
)


def gpu_jobs(submit, duration, demand, **more):
    cpu, gpu = np.array(demand, float).T
    return Workload.from_arrays(submit, duration, cpu=cpu, gpu=gpu, time_unit="h", **more)


def bits(pieces):
    return [g for g in range(8) if pieces >> g & 1]


def test_fragmentation_by_hand():
    """Left: 4 cores, half of a GPU and a whole one. 1/4 GPU: none is useless; 1 GPU: the half; 2 GPUs, 8 cores, or no
    GPU asked for: all 1.5.
    """
    configs = MachineConfigs([[6.0, 2.0]], [1], pieces=1)
    typical = Typical(
        np.array([[2, 0.25], [2, 1], [2, 2], [8, 0.25], [1, 0]]),
        np.array([0.5, 0.25, 0.125, 0.0625, 0.0625]),
    )
    jobs = {"start": [1.0], "finish": [2.0], "machine": [0], "pieces": [2]}
    got = [
        fragmentation(configs, typical, np.array([[2, 0.5]]), jobs, time)
        for time in (0.5, 1.0, 2.0)
    ]
    empty = 2 * (0.0625 + 0.0625)
    np.testing.assert_allclose(
        got, [empty, 0.25 * 0.5 + (0.125 + 0.0625 + 0.0625) * 1.5, empty], atol=1e-7
    )


def test_fgd_fills_a_used_gpu_and_spares_a_whole_one():
    configs = MachineConfigs([[32.0, 2.0], [32.0, 0.0]], [1, 1], pieces=1)
    typical = Typical(np.array([[4, 0.5], [4, 1]]), np.array([0.5, 0.5]))
    jobs = gpu_jobs([0, 1, 2, 3], [9, 9, 9, 1], [[4, 0.5], [4, 0.25], [22, 0], [4, 1]])
    run = simulate("fgd", configs, jobs, typical=typical)
    # the third would leave too few cores for the GPUs
    assert run.jobs["machine"].tolist() == [0, 0, 1, 0]
    assert [bits(pieces) for pieces in run.jobs["pieces"]] == [
        [0],
        [0],
        [],
        [1],
    ] and run.response.max() == 0


@pytest.mark.parametrize("policy", ["greedy", "tetris", "fgd"])
def test_what_is_left_of_several_gpus_does_not_add_up(policy):
    """Four of 0.6 on four GPUs leave 1.6 in all and 0.4 of each: a fifth of them, and a whole GPU, must wait."""
    configs, typical = (
        MachineConfigs([[99.0, 4.0]], [1], pieces=1),
        Typical(np.array([[1, 0.6]]), np.ones(1)),
    )
    options = {"typical": typical} if policy == "fgd" else {}
    run = simulate(policy, configs, gpu_jobs(range(5), [10] * 5, [[1, 0.6]] * 5), **options)
    assert run.response.tolist() == [0, 0, 0, 0, 6]
    run = simulate(
        policy, configs, gpu_jobs(range(5), [10] * 5, [[1, 0.6]] * 4 + [[1, 1]]), **options
    )
    assert run.response.tolist() == [0, 0, 0, 0, 6]
    assert run.utilisation[1] == pytest.approx((4 * 10 * 0.6 + 10 * 1) / 20 / 4)


@st.composite
def crowded(draw):
    """A small cluster with GPUs, jobs of times that never tie, and the classes and typical tasks to go by."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    m, n = draw(st.integers(1, 3)), draw(st.integers(1, 60))
    gpus = rng.integers(0, 5, m)
    gpus[rng.integers(m)] = 4
    configs = MachineConfigs(np.c_[rng.integers(8, 13, m), gpus], rng.integers(1, 4, m), pieces=1)
    kinds = np.c_[rng.integers(1, 9, 6), rng.choice([0.0, 0.25, 0.3, 0.46, 0.81, 1.0, 2.0, 4.0], 6)]
    demand = kinds[rng.integers(6, size=n)]
    job_class = (demand[:, 1] > 0.5).astype(int)
    classes = JobClasses([0.5, 0.5], [[2.0, 0.25], [4.0, 1.0]], np.ones((m, 2)))
    typical = Typical(kinds, rng.dirichlet(np.ones(6)))
    times = np.cumsum(rng.exponential(0.2, n)), rng.exponential(3, n)
    return configs, gpu_jobs(*times, demand, job_class=job_class), classes, typical


class Node:
    """What a machine has left at an instant, from the jobs that run there."""

    def __init__(self, capacity, rows, demand):
        self.cpu, self.gpus = capacity[0] - demand[rows.index, 0].sum(), [1.0] * int(capacity[1])
        for row, pieces in zip(rows.index, rows["pieces"], strict=True):
            self.take(demand[row, 1], bits(pieces))

    def take(self, gpu, pieces):
        assert len(pieces) == (1 if 0 < gpu < 1 else gpu)
        for g in pieces:
            self.gpus[g] -= min(gpu, 1)

    def places(self, cpu, gpu):
        """The choices of GPUs that a task has here; whole ones are all alike."""
        if cpu > self.cpu + EPS:
            return []
        if 0 < gpu < 1:
            return [[g] for g, left in enumerate(self.gpus) if left >= gpu - EPS]
        idle = [g for g, left in enumerate(self.gpus) if left >= 1 - EPS]
        return [idle[: int(gpu)]] if len(idle) >= gpu else []

    def fragmented(self, typical):
        total = 0.0
        for (cpu, gpu), popularity in zip(*typical, strict=True):
            if gpu == 0 or not self.places(cpu, gpu):
                total += popularity * sum(self.gpus)
            else:
                total += popularity * sum(left for left in self.gpus if left < min(gpu, 1) - EPS)
        return total


def nodes_at(time, configs, jobs, demand):
    """The machines just before a time."""
    rows = jobs[(jobs["start"] < time) & (jobs["finish"] > time)]
    capacity = np.repeat(configs.capacity, configs.count, axis=0)
    return [Node(capacity[n], rows[rows["machine"] == n], demand) for n in range(len(capacity))]


def run_of(policy, configs, jobs, classes, typical):
    options = {"typical": typical} if policy == "fgd" else {}
    plan = lotes.plan(configs, classes) if str(policy).startswith("lotes") else None
    return simulate(policy, configs, jobs, plan=plan, classes=classes, **options)


@settings(max_examples=25, deadline=None)
@given(crowded(), st.sampled_from(POLICIES))
def test_no_policy_ever_exceeds_a_machine_or_a_gpu(system, policy):
    configs, jobs, classes, typical = system
    try:
        run = run_of(policy, configs, jobs, classes, typical)
    except ValueError as error:  # a class, or a job, that fits nowhere
        assert "machine" in str(error) or "fits" in str(error)
        return
    demand = jobs.tasks[["cpu", "gpu"]].to_numpy()
    for time in run.jobs["start"].dropna():
        for node in nodes_at(time + 1e-9, configs, run.jobs, demand):
            assert node.cpu >= -EPS and min(node.gpus, default=0) >= -EPS
    used = (demand[:, 1] * jobs.tasks["duration"])[run.jobs["start"].notna()].sum()
    total = (configs.capacity[:, 1] * configs.count).sum()
    if run.finished == run.started:
        assert run.utilisation[1] * run.time * total == pytest.approx(used)


@settings(max_examples=25, deadline=None)
@given(crowded())
def test_fgd_descends_as_the_definition_says(system):
    """On every arrival no machine and no GPU would have raised F_n(M) less; a task that waits fitted nowhere."""
    configs, jobs, classes, typical = system
    try:
        run = run_of("fgd", configs, jobs, classes, typical)
    except ValueError as error:
        assert "any machine" in str(error)
        return
    demand = jobs.tasks[["cpu", "gpu"]].to_numpy()
    for row, job in enumerate(run.jobs.itertuples()):
        rises = {}
        for n, node in enumerate(nodes_at(job.submit, configs, run.jobs, demand)):
            before = node.fragmented(typical)
            for pieces in node.places(*demand[row]):
                cpu, gpus = node.cpu, list(node.gpus)
                node.cpu -= demand[row, 0]
                node.take(demand[row, 1], pieces)
                rises[n, tuple(pieces)] = node.fragmented(typical) - before
                node.cpu, node.gpus = cpu, gpus
        if job.start == job.submit:
            assert rises[job.machine, tuple(bits(job.pieces))] <= min(rises.values()) + 1e-6
        else:
            assert not rises


def test_impossible_requests_are_refused():
    configs = MachineConfigs([[8.0, 2.0]], [1], pieces=1)
    with pytest.raises(
        ValueError, match=r"task 0 asks for 1.5 of resource 1, which comes in pieces"
    ):
        simulate("greedy", configs, gpu_jobs([0], [1], [[1, 1.5]]))
    with pytest.raises(ValueError, match="more than any machine"):
        simulate("greedy", configs, gpu_jobs([0], [1], [[1, 3]]))
    with pytest.raises(ValueError, match="pieces: 2 is none of the 2 resources"):
        MachineConfigs([[8.0, 2.0]], [1], pieces=2)
    with pytest.raises(ValueError, match=r"capacity\[pieces\].*1.5"):
        MachineConfigs([[8.0, 1.5]], [1], pieces=1)
    with pytest.raises(ValueError, match="typical: 'fgd' goes by typical tasks"):
        simulate("fgd", configs, gpu_jobs([0], [1], [[1, 1]]))
    with pytest.raises(ValueError, match="needs a resource that comes in pieces"):
        plain = MachineConfigs([[8.0, 2.0]], [1])
        simulate(
            "fgd", plain, gpu_jobs([0], [1], [[1, 1]]), typical=Typical(np.ones((1, 2)), np.ones(1))
        )
