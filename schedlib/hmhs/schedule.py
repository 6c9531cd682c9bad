"""Schedules by name: HMHS, its rivals, priced dispatch (beyond the paper), and a reader's own policy.

Priced dispatch: the linear program of the map stage uses job i on machine j only where the price of doing it
there, u_j E_ij, is the job's lowest. So a free machine takes, in Johnson's order of the priced jobs, the
first job whose price on it is within a factor of that job's lowest, or else the nearest. Reduces go by
Dynamic-Min-Min: few wait at a time, so what counts is which ends soonest.

It plans with each of `FACTORS` and by HMHS, before the first task runs, and keeps the plan with the smallest
makespan (on a tie the smaller factor, HMHS last). Prices mislead where few tasks share many machines: the
fluid optimum cuts tasks in pieces, and a machine then takes a task that would end sooner elsewhere. With HMHS
among the plans priced dispatch never loses to it, and only how far it wins is a finding.
"""

from dataclasses import replace

import numpy as np

from schedlib.core.checks import unknown
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


def schedule(instance: Instance, policy: str | Policy = "hmhs") -> Schedule:
    """Schedule an instance by a named policy, or by a reader's own `Policy`.

    Names: `"hmhs"`, `"r-hmhs"`, `"fifo"`, `"fifo-pri"` (the paper's four), `"priced"` (ours, beyond the
    paper), and the other readings of FIFO, `"fifo-strict"` (a reduce machine waits for the first unfinished
    job), `"fifo-ready"` (reduces in the order in which they become ready), `"fifo-barrier"` (no reduce before
    the last map). Raises ValueError on an unknown name and on a policy that breaks the rules, with the time,
    the machine and the job. Source: HMHS, Sections 3.3 and 4.

    >>> one = [[1.0], [1.0]]
    >>> two = Instance([5, 1], [1, 1], one, [1, 5], [1, 1], one)
    >>> schedule(two, "fifo").makespan, schedule(two, "hmhs").makespan
    (11.0, 7.0)
    """
    if isinstance(policy, Policy):
        return run(instance, policy)
    if not isinstance(policy, str):
        raise ValueError(f"policy: {policy!r}; give a name or hmhs.Policy(order=..., map_rule=..., "
                         "reduce_rule=...)")
    if policy == "priced":
        return priced(instance)
    if policy not in POLICIES:
        raise unknown("policy", policy, [*POLICIES, "priced"], "or pass a hmhs.Policy")
    return run(instance, POLICIES[policy])


def warm() -> None:
    """Compile or load every kernel, so that the first point of a sweep is not charged for it."""
    tiny = Instance(*(np.ones(2), np.ones(2), np.ones((2, 2))) * 2)
    for policy in POLICIES.values():
        run(tiny, policy)
