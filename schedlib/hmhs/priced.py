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

from schedlib.core import heap
from schedlib.core.compiling import compiled
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
def dispatch(order, price, most, tasks, time, stage):
    """Dispatch the maps: a free machine takes the first job in `order` that costs it at most `most`.

    `price (M, N)`: the relative prices, the jobs in `order (N,)`. Where no job is that cheap the machine
    takes the cheapest, ties by the order. All jobs are there at zero, so a machine keeps to its job until
    that has no task left.
    """
    machines, jobs = price.shape
    left = tasks.copy()
    keys = np.zeros(machines)
    items = np.arange(machines)
    current = np.full(machines, -1)
    looked = np.zeros(machines, np.int64)
    for task in range(left.sum()):
        now = keys[0]
        machine = items[0]
        job = current[machine]
        if job < 0 or left[job] == 0:
            k = looked[machine]
            while k < jobs and (left[order[k]] == 0 or price[machine, k] > most):
                k += 1
            looked[machine] = k
            if k == jobs:
                for other in range(jobs):
                    if left[order[other]] == 0:
                        continue
                    if k == jobs or price[machine, other] < price[machine, k]:
                        k = other
            job = current[machine] = order[k]
        left[job] -= 1
        stage.job[task] = job
        stage.machine[task] = machine
        stage.start[task] = now
        stage.finish[task] = now + time[job, machine]
        heap.replace(keys, items, machines, stage.finish[task], machine)


def plans(instance: Instance, known: Bounds) -> Iterator[Schedule]:
    """The plan with each of `FACTORS`, by the prices in `known`."""
    order = johnson(known.map_prices.job, known.reduce_prices.job)
    rank = np.argsort(order)
    tasks = instance.map_tasks.copy()
    time = instance.map_task_time
    price = relative_prices(known.map_prices.machine, time)
    price = np.ascontiguousarray(price[order].T)
    policy = Policy(lambda _: rank, first, MIN_MIN, name="priced")
    for factor in FACTORS:
        most = factor * (1 + 1e-9)
        maps = Stage.empty(int(tasks.sum()))
        dispatch(order, price, most, tasks, time, maps)
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
