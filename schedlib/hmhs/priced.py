"""Priced dispatch (beyond the paper): the prices behind the lower bound say which job suits which machine.

The linear program of the map stage uses job i on machine j only where the price of doing it there, u_j E_ij,
is the job's lowest. So a free machine takes, in Johnson's order of the priced jobs, the first job whose price
on it is within a factor of that job's lowest, or else the job that comes nearest. Reduces go by
Dynamic-Min-Min: few jobs wait there at a time, so what counts is which task ends soonest.

The rule plans with each of `FACTORS` and by HMHS, and keeps the plan with the smallest makespan (on a tie the
smaller factor, HMHS last). Nothing is fitted to a workload: all is known before the first task runs. HMHS is
among the plans because prices mislead where few tasks share many machines: the fluid optimum cuts tasks in
pieces, and a machine then takes a task that would end sooner elsewhere. So priced dispatch never loses to
HMHS, and only how far it wins is a finding.
"""

from dataclasses import replace

import numpy as np

from schedlib.hmhs.bound import Bounds, bounds
from schedlib.hmhs.johnson import johnson
from schedlib.hmhs.list_scheduling import best_price
from schedlib.hmhs.model import Instance, Schedule
from schedlib.hmhs.two_stages import MIN_MIN, POLICIES, Policy, run

FACTORS = (1.0, 1.05, 1.1, 1.2, 1.5, 2.0)


def relative_prices(machine_price: np.ndarray, time: np.ndarray) -> np.ndarray:
    """What a task of job i costs on machine j over what it costs where it is cheapest, (N, M), at least 1.

    `machine_price (M,)`: u_j; `time (N, M)`: E_ij. A machine that the fluid optimum leaves idle has price
    zero; where a job is free on such a machine, its price is 1 there and infinite on all that cost something.

    >>> relative_prices(np.array([0.5, 0.5]), np.array([[1.0, 3.0]])).tolist()
    [[1.0, 3.0]]
    """
    price = machine_price * time
    least = price.min(axis=1, keepdims=True)
    return np.where(least > 0, price / np.where(least > 0, least, 1.0), np.where(price > 0, np.inf, 1.0))


def priced_policy(instance: Instance, known: Bounds, factor: float) -> Policy:
    """The policy that dispatches the maps by the prices in `known`, within `factor` of a job's lowest."""
    rank = np.argsort(johnson(known.map_prices.job, known.reduce_prices.job))
    score = relative_prices(known.map_prices.machine, instance.map_task_time) / (factor * (1 + 1e-9))
    scores = score, instance.reduce_task_time
    return Policy(lambda _: rank, best_price, MIN_MIN, lambda _: scores, name="priced")


def priced(instance: Instance, known: Bounds | None = None) -> Schedule:
    """Schedule by priced dispatch; `known` saves solving for the bounds again.

    >>> from schedlib.hmhs.workloads import single
    >>> instance = single(20, seed=1, machines=(5, 5))
    >>> priced(instance).makespan <= run(instance, POLICIES["hmhs"]).makespan
    True
    """
    known = bounds(instance) if known is None else known
    policies = [priced_policy(instance, known, factor) for factor in FACTORS]
    plans = [run(instance, policy) for policy in (*policies, replace(POLICIES["hmhs"], name="priced"))]
    return min(plans, key=lambda plan: plan.makespan)
