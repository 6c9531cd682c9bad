"""Policies of the literature do what their papers say: promises and choices read off the record, published examples."""

import numpy as np
import pytest

from schedlib import boards, eagle, hmhs, lotes
from schedlib.boards import literature
from schedlib.workload import Workload

CLUSTER = lotes.MachineConfigs([[4.0, 8.0], [8.0, 4.0]], [2, 1])


def crowd(seed, jobs=120):
    """Jobs of two resources, too many for three machines."""
    rng = np.random.default_rng(seed)
    columns = {"cores": rng.uniform(0.5, 4, jobs), "mem": rng.uniform(0.5, 4, jobs)}
    return Workload.from_arrays(
        np.sort(rng.uniform(0, 80, jobs)), rng.exponential(5, jobs), **columns
    )


def columns(policy, workload, configs=CLUSTER, **options):
    """Of each job demand (N, R), and when it came, started, ended, and where."""
    run = lotes.simulate(policy, configs, workload, **options)
    demand = workload.tasks[list(workload.resources)].to_numpy()
    return demand, *(run.jobs[name].to_numpy() for name in ("submit", "start", "finish", "machine"))


def starts(policy, workload, configs=CLUSTER):
    """Of each start that has its moment alone: the job, where, what is free on each machine, and which jobs wait."""
    demand, submit, start, finish, machine = columns(policy, workload, configs)
    for job, now in enumerate(start):
        if (start == now).sum() > 1:
            continue
        running = (start < now) & (finish > now)
        free = np.repeat(configs.capacity, configs.count, axis=0)
        np.subtract.at(free, machine[running], demand[running])
        waits = (submit < now) & (start >= now)
        yield job, machine[job], free, waits


# --- EASY ---------------------------------------------------------------------------------------------------------------------


def promises(policy, workload):
    """Of each job that was first in line: when its reservation was, and when it started; and how many overtook another."""
    demand, submit, start, finish, machine = columns(policy, workload)
    capacity = np.repeat(CLUSTER.capacity, CLUSTER.count, axis=0)
    rows = np.arange(len(submit))
    for job in np.flatnonzero(start > submit):
        first = max(submit[job], start[:job].max(initial=0.0))  # in line, from then on
        if start[job] <= first:
            continue
        running = (start <= first) & (finish > first) & ~((start == first) & (rows > job))
        soonest = np.inf
        for where, room in enumerate(capacity):
            there = running & (machine == where)
            for when in np.append(finish[there], first):
                free = room - demand[there & (finish > when)].sum(axis=0)
                if (demand[job] <= free + 1e-9).all():
                    soonest = min(soonest, when)
        yield soonest, start[job]


@pytest.mark.parametrize("seed", range(2))
def test_easy_keeps_every_reservation_and_lets_jobs_overtake(seed):
    told = np.array(list(promises(literature.easy, crowd(seed))))
    assert len(told) > 5 and np.allclose(told[:, 0], told[:, 1], rtol=0, atol=1e-9)
    _, _, start, *_ = columns(literature.easy, crowd(seed))
    assert (np.diff(start) < 0).any()


# --- dot product --------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(2))
def test_dot_product_is_the_largest_of_all(seed):
    workload = crowd(seed)
    largest = CLUSTER.capacity.max(axis=0)
    size = workload.tasks[list(workload.resources)].to_numpy() / largest
    weight = size.mean(axis=0)
    after_an_exit = []
    for job, where, free, waits in starts(literature.dot_product, workload):
        room = free / largest
        if waits[job]:
            chosen, product = job, (weight * size * room[where]).sum(axis=1)
            fits = waits & (size <= room[where] + 1e-9).all(axis=1)
        else:
            chosen, product = where, (weight * size[job] * room).sum(axis=1)
            fits = (size[job] <= room + 1e-9).all(axis=1)
        assert product[chosen] >= product[fits].max() - 1e-9
        after_an_exit.append(waits[job])
    assert 10 < sum(after_an_exit) < len(after_an_exit) - 10


# --- FGD ----------------------------------------------------------------------------------------------------------------------


def fragmented(free, kinds, share):
    """F_n(M) of a machine: for each kind of task the free GPUs that it cannot use, weighed by its share."""
    useless = [(kind[1] == 0) or (kind > free + 1e-9).any() for kind in kinds]
    return free[1] * share[useless].sum()


@pytest.mark.parametrize("seed", range(2))
def test_fgd_goes_where_fragmentation_rises_least(seed):
    rng = np.random.default_rng(seed)
    kinds = np.array([[2.0, 0], [4, 1], [8, 2], [16, 4]])
    number = np.array([16, 32, 8, 8])
    which = rng.permutation(np.repeat([0, 1, 2, 3], number))
    jobs = Workload.from_arrays(
        np.sort(rng.uniform(0, 60, 64)),
        rng.exponential(20, 64),
        job_class=which,
        cpu=kinds[which, 0],
        gpu=kinds[which, 1],
    )
    configs = lotes.MachineConfigs([[16.0, 2], [16, 4], [32, 8]], [3, 3, 1])
    demand = kinds[which]
    share, arrivals, other = number / number.sum(), 0, 0
    for job, where, free, waits in starts(literature.fgd, jobs, configs):
        if waits[job]:
            continue
        rise = np.full(len(free), np.inf)
        for at in np.flatnonzero((demand[job] <= free + 1e-9).all(axis=1)):
            after = fragmented(free[at] - demand[job], kinds, share)
            rise[at] = after - fragmented(free[at], kinds, share)
        assert where == np.flatnonzero(rise <= rise.min() + 1e-6)[0]
        arrivals += 1
        other += where != np.flatnonzero(np.isfinite(rise))[0]
    assert arrivals > 10 and other > 3


# --- sufferage ----------------------------------------------------------------------------------------------------------------


def test_sufferage_on_the_example_of_its_paper():
    times = [[40, 48, 134, 50], [50, 82, 88, 89], [55, 68, 94, 93], [52, 60, 78, 108]]
    four = hmhs.Instance([1] * 4, [1] * 4, times, [1] * 4, [0] * 4, [[1.0]] * 4)
    done = hmhs.schedule(four, literature.sufferage)
    assert done.makespan == 78 and hmhs.schedule(four, "hmhs").makespan == 93  # Min-min
    assert done.map.machine[np.argsort(done.map.job)].tolist() == [3, 0, 1, 2]


# --- delay scheduling ---------------------------------------------------------------------------------------------------------


def with_inputs(seed):
    """Jobs whose input lies on three machines; elsewhere their maps take twice as long."""
    jobs, machines = 20, 10
    rng = np.random.default_rng(seed)
    speed = np.full((jobs, machines), 2.0)
    for row in speed:
        row[rng.permutation(machines)[:3]] = 1.0
    return hmhs.Instance(
        rng.uniform(10, 60, jobs),
        rng.integers(1, 20, jobs),
        speed,
        rng.uniform(10, 60, jobs),
        rng.integers(1, 4, jobs),
        np.ones((jobs, machines)),
    )


def test_delay_runs_maps_where_their_input_is():
    def local(skips):
        rule = literature.fewest_running(skips)
        policy = hmhs.Policy(map_rule=rule, reduce_rule=literature.fewest_running(0))
        instance = with_inputs(0)
        done = hmhs.schedule(instance, policy)
        return (instance.map_speed[done.map.job, done.map.machine] == 1).mean()

    assert local(0) < 0.8 * local(10) and local(10_000) == 1


def test_fair_sharing_gives_two_jobs_half_each():
    ones = np.ones((2, 6))
    two = hmhs.Instance([1.0, 1.0], [30, 30], ones, [1.0, 1.0], [0, 0], ones)
    done = hmhs.schedule(two, literature.delay)
    for second in range(9):
        assert (done.map.job[done.map.start == second] == 0).sum() == 3


# --- the power of d choices ---------------------------------------------------------------------------------------------------


def test_probes_of_one_job_go_to_workers_of_their_own():
    workload = Workload.from_arrays(np.arange(20.0), np.full(60, 2.0), tasks=np.full(20, 3))
    how = {"short_partition": 0.1, "cutoff": np.inf, "record": True}
    log = eagle.simulate(workload, literature.power_of_d, 12, **how).log
    sent = log[log["event"] == "send"]
    assert (sent.groupby("job").size() >= 6).all()
    assert not sent.duplicated(["job", "worker"]).any()


# --- on the boards ------------------------------------------------------------------------------------------------------------


def test_nobody_of_the_literature_breaks_a_rule():
    made = [
        boards.lotes(
            literature.easy,
            literature.dot_product,
            workload=crowd,
            configs=CLUSTER,
            seeds=2,
            against=["greedy"],
        ),
        boards.hmhs(
            literature.sufferage, literature.delay, workload=with_inputs, seeds=2, against=["fifo"]
        ),
    ]
    jobs = eagle.google(60, 0, 1 / 300)
    made.append(
        boards.eagle(
            literature.power_of_d,
            workload=jobs,
            workers=50,
            cutoff=500,
            seeds=2,
            against=["sparrow"],
        )
    )
    for board in made:
        assert not board["broke"].any() and board["mean"].notna().all()


def test_a_board_counts_the_pieces_of_jobs_that_were_stopped():
    workload = Workload.from_arrays([0, 1, 1], [4.0, 2.0, 1.0], cpu=[1, 1, 1])
    one = lotes.MachineConfigs([[1.0]], [1])
    loses = literature.least_first(lambda cluster, job: cluster.work[job], "loses", keep=False)
    mine = literature.srpt, loses
    board = boards.lotes(*mine, workload=workload, configs=one, seeds=1, against=["greedy"])
    waits = board[board["metric"] == "mean wait (s)"].set_index("policy")
    assert (waits["broke"] == "").all()
    # by hand: SRPT ends the jobs at 7, 4, 2; where work is lost the first runs for 5 s, from 4 on: it ends at 8
    assert waits.loc["SRPT", "mean"] == pytest.approx((3 + 1 + 0) / 3)
    assert waits.loc["loses", "mean"] == pytest.approx((4 + 1 + 0) / 3)
