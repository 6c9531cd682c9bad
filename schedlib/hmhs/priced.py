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
from scipy.stats import rankdata

from schedlib.core.rules import RNG
from schedlib.hmhs.bound import Bounds, bounds
from schedlib.hmhs.johnson import johnson
from schedlib.hmhs.list_scheduling import dispatch, line_of, rule
from schedlib.hmhs.model import Instance, Schedule, Stage
from schedlib.hmhs.policies import MIN_MIN, POLICIES, Policy, as_given, run

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


@rule
def first_wanted(stage, machine, now):
    """The first job with tasks left of those that the machine wants: its notes are how many of these have none left,
    and the jobs. All are there at zero, so a machine never goes back."""
    notes = stage.machine_notes[machine]  # (1 + N,)
    while stage.left[int(notes[1 + int(notes[0])])] == 0:
        notes[0] += 1
    return int(notes[1 + int(notes[0])])


def plans(instance: Instance, known: Bounds) -> Iterator[Schedule]:
    """The plan with each of `FACTORS`, by the prices in `known`."""
    order = johnson(known.map_prices.job, known.reduce_prices.job)
    rank = np.argsort(order)
    side = instance.maps
    at_once = np.zeros(instance.n_jobs)
    with_tasks = np.flatnonzero(side.tasks)
    price = relative_prices(known.map_prices.machine, side.time)[order].T  # (M, N), jobs in order
    fewest_bits = np.min_scalar_type(order.size)  # numpy sorts numbers of 16 bits in linear time
    dearness = rankdata(price, "ordinal", axis=1).astype(fewest_bits)  # from 1
    policy = Policy(lambda _: rank, first_wanted, MIN_MIN, name="priced")
    for factor in FACTORS:
        cheap = price <= factor * (1 + 1e-9)
        cheap_first = np.argsort(np.where(cheap, 0, dearness), axis=1, kind="stable")
        wanted = np.insert(order[cheap_first].astype(float), 0, 0.0, axis=1)  # (M, 1 + N)
        line = line_of(side, as_given(instance), at_once, RNG)._replace(machine_notes=wanted)
        maps = Stage.empty(int(side.tasks.sum()))
        dispatch(first_wanted, line, with_tasks, maps)
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
