"""Priced dispatch: the prices behind the lower bound, used to schedule (beyond the paper).

The linear program of the map stage uses job i on machine j only where the price of doing it there, u_j E_ij,
is the job's lowest. So a free machine takes, in Johnson's order of the priced jobs, the first job whose price
on it is within a factor of that job's lowest, or else the nearest. Reduces go by Dynamic-Min-Min: few wait at
a time, so what counts is which ends soonest.

It plans with each of `FACTORS` and by HMHS, before the first task runs, and keeps the plan with the smallest
makespan (on a tie the smaller factor, HMHS last). Prices mislead where few tasks share many machines: the
fluid optimum cuts tasks in pieces, and a machine then takes a task that would end sooner elsewhere. With HMHS
among the plans priced dispatch never loses to it, and only how far it wins is a finding.
"""

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from schedlib.core.compiling import compiled
from schedlib.core.trees import WinnerTree, play, smallest, update
from schedlib.hmhs.bound import Bounds, bounds
from schedlib.hmhs.johnson import johnson
from schedlib.hmhs.list_scheduling import first
from schedlib.hmhs.model import Instance, Schedule, Stage
from schedlib.hmhs.policies import MIN_MIN, POLICIES, Policy, run

FACTORS = (1.0, 1.05, 1.1, 1.2, 1.5, 2.0)


def relative_prices(machine_price: np.ndarray, time: np.ndarray) -> np.ndarray:
    """The price of a task of job i on machine j over what it costs where it is cheapest, (N, M), at least 1.

    `machine_price (M,)`: u_j; `time (N, M)`: E_ij. A machine that the fluid optimum leaves idle has price
    zero; where a job is free on such a machine, its price is 1 there and infinite on all that cost something.

    >>> relative_prices(np.array([0.5, 0.5]), np.array([[1.0, 3.0]])).tolist()
    [[1.0, 3.0]]
    """
    price = machine_price * time
    least = price.min(axis=1, keepdims=True)
    over_nothing = np.where(price > 0, np.inf, 1.0)
    return np.divide(price, least, out=over_nothing, where=least > 0)


@compiled
def wanted(order, left, price, most, machine):
    """The first job in `order (N,)` with tasks `left (N,)` whose `price (N, M)` on a machine is at most `most`, or else
    the cheapest, ties by the order."""
    cheapest = -1
    for job in order:
        if left[job] == 0:
            continue
        if price[job, machine] <= most:
            return job
        if cheapest == -1 or price[job, machine] < price[cheapest, machine]:
            cheapest = job
    return cheapest


@compiled
def dispatch(order, price, most, tasks, time, stage):
    """Dispatch the maps: a free machine takes the job that is `wanted`, and keeps to it, since all are there at zero.

    `tasks (N,)`; `time (N, M)`: E_ij. The machine that has been free longest is first, ties by the smaller machine.
    """
    machines = time.shape[1]
    left = tasks.copy()
    job_of = np.full(machines, -1)
    free = WinnerTree(
        np.zeros(machines), np.zeros(machines, np.int64), np.zeros(2 * machines, np.int64)
    )
    play(free)
    for task in range(left.sum()):
        machine = smallest(free)
        now = free.key[machine]
        job = job_of[machine]
        if job == -1 or left[job] == 0:
            job = job_of[machine] = wanted(order, left, price, most, machine)
        finish = now + time[job, machine]
        left[job] -= 1
        stage.job[task] = job
        stage.machine[task] = machine
        stage.start[task] = now
        stage.finish[task] = finish
        update(free, machine, finish, 0)


def plans(instance: Instance, known: Bounds) -> Iterator[Schedule]:
    """The plan with each of `FACTORS`, by the prices in `known`."""
    order = johnson(known.map_prices.job, known.reduce_prices.job)
    rank = np.argsort(order)
    side = instance.maps
    price = relative_prices(known.map_prices.machine, side.time)
    policy = Policy(lambda _: rank, first, MIN_MIN, name="priced")
    for factor in FACTORS:
        most = factor * (1 + 1e-9)
        maps = Stage.empty(int(side.tasks.sum()))
        dispatch(order, price, most, side.tasks, side.time, maps)
        yield run(instance, policy, maps)


def priced(
    instance: Instance, known: Bounds | None = None, hmhs: Schedule | None = None
) -> Schedule:
    """Schedule by priced dispatch; `known` bounds and HMHS's own schedule are not worked out again.

    >>> from schedlib.hmhs.workloads import single
    >>> instance = single(20, seed=1, machines=(5, 5))
    >>> priced(instance).makespan <= run(instance, POLICIES["hmhs"]).makespan
    True
    """
    known = known or bounds(instance)
    hmhs = hmhs or run(instance, POLICIES["hmhs"])
    last = replace(hmhs, policy="priced")
    return min([*plans(instance, known), last], key=lambda plan: plan.makespan)
