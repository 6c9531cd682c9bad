"""Nearer to the optimum (beyond the paper): the maps' linear program rounded, and local search on a plan.

Lenstra, Shmoys and Tardos (1990) take the least deadline T that tasks could meet if they could be divided,
each only where a whole one ends by T. A vertex of that program splits few tasks; a matching gives each of the
split ones to a machine that has a part of it, and no machine gets two. So the maps end by T and one task
more, which is at most twice the optimum of the stage. Each machine runs its tasks in Johnson's order of the
priced jobs; reduces go by Dynamic-Min-Min.

Local search starts from the better of this plan and priced dispatch. It moves a job in the order, or a map
task from the machine that ends last to another, and keeps the change unless the makespan grows.
"""

from dataclasses import replace
from typing import NamedTuple

import numpy as np

from schedlib.core.streams import streams
from schedlib.hmhs.bound import Bounds, Divided, bounds, divided
from schedlib.hmhs.johnson import johnson
from schedlib.hmhs.model import Instance, Schedule, Stage
from schedlib.hmhs.policies import MIN_MIN, Policy, run
from schedlib.hmhs.priced import priced

TRIES = 200


class Rounded(NamedTuple):
    """Tasks of each job on each machine, `counts (N, M)`, and the deadline T, which no schedule beats."""

    counts: np.ndarray
    deadline: float


def round_stage(tasks: np.ndarray, time: np.ndarray) -> Rounded:
    """A stage alone, all tasks ready at zero: it ends by twice the deadline, which is a lower bound.

    `tasks (N,)`: T_i; `time (N, M)`: E_ij. Source: Lenstra, Shmoys, Tardos, *Approximation algorithms for
    scheduling unrelated parallel machines*, Mathematical Programming 46 (1990).

    >>> round_stage(np.array([3]), np.array([[1.0, 2.0]]))
    Rounded(counts=array([[2, 1]]), deadline=2.0)
    """
    least = max(time[tasks > 0].min(axis=1, initial=np.inf), default=0.0)
    limits = np.unique(time[tasks > 0])
    limits = limits[limits >= least]
    if not limits.size:
        return Rounded(np.zeros(time.shape, np.int64), 0.0)
    solved: dict[int, Divided] = {}

    def at(k: int) -> Divided:
        if k not in solved:
            solved[k] = divided(
                tasks, np.where((time <= limits[k]) | (tasks == 0)[:, None], time, np.inf)
            )
        return solved[k]

    high = limits.size - 1
    low = min(int(np.searchsorted(limits, at(high).makespan)), high)  # below it none is long enough
    while low < high:  # the first limit within which the divided tasks end
        k = (low + high) // 2
        low, high = (low, k) if at(k).makespan <= limits[k] else (k + 1, high)
    deadline, best = max(limits[low], at(low).makespan), at(low)
    if low > 0 and at(low - 1).makespan <= deadline:
        deadline, best = at(low - 1).makespan, at(low - 1)
    return Rounded(_whole(tasks, best.share), float(deadline))


def _whole(tasks: np.ndarray, share: np.ndarray) -> np.ndarray:
    """Whole tasks from the shares (N, M) of a vertex, at most one more than its whole part on a machine."""
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import maximum_bipartite_matching

    near = np.rint(share)
    share = np.where(np.abs(share - near) < 1e-7, near, share)
    counts = np.floor(share).astype(np.int64)
    # one row for each split task
    rest = np.repeat(np.arange(tasks.size), tasks - counts.sum(axis=1))
    machine = maximum_bipartite_matching(csr_array(share[rest] > counts[rest]), perm_type="column")
    np.add.at(counts, (rest, machine), 1)
    return counts


def _planned(instance: Instance, counts: np.ndarray, order: np.ndarray, name: str) -> Schedule:
    """The schedule that runs `counts (N, Mm)` maps on each machine in `order (N,)` of their jobs."""
    job, machine = counts.nonzero()
    number = counts[job, machine]
    job, machine = np.repeat(job, number), np.repeat(machine, number)
    rank = np.argsort(order)
    maps = Stage(job, machine, np.zeros(job.size), np.zeros(job.size))
    return run(instance, Policy(lambda _: rank, MIN_MIN, MIN_MIN, name=name), maps)


def rounded(instance: Instance, known: Bounds | None = None) -> Schedule:
    """Schedule with the maps placed by Lenstra, Shmoys and Tardos's rounding.

    >>> one = [[1.0], [1.0]]
    >>> rounded(Instance([4, 1], [1, 1], one, [1, 5], [1, 1], one)).makespan
    7.0
    """
    known = bounds(instance) if known is None else known
    counts = round_stage(instance.map_tasks, instance.map_task_time).counts
    return _planned(
        instance, counts, johnson(known.map_prices.job, known.reduce_prices.job), "rounded"
    )


def searched(
    instance: Instance, known: Bounds | None = None, *, tries: int = TRIES, seed: int = 0
) -> Schedule:
    """Local search of `tries` changes from the better of priced dispatch and rounding.

    >>> from schedlib.hmhs.workloads import single
    >>> instance = single(10, seed=1, machines=(5, 5))
    >>> searched(instance, tries=20).makespan <= min(priced(instance).makespan, rounded(instance).makespan)
    True
    """
    known = bounds(instance) if known is None else known
    best = min(priced(instance, known), rounded(instance, known), key=lambda plan: plan.makespan)
    counts = np.zeros(instance.map_speed.shape, np.int64)
    np.add.at(counts, (best.map.job, best.map.machine), 1)
    order = johnson(known.map_prices.job, known.reduce_prices.job)
    (rng,) = streams(seed, "hmhs search")
    plan = _planned(instance, counts, order, "searched")
    best = replace(best, policy="searched") if best.makespan < plan.makespan else plan
    for _ in range(tries):
        tried, moved = counts.copy(), order
        if rng.random() < 0.5 and instance.map_machines > 1 and tried.any():
            load = (tried * instance.map_task_time).sum(axis=0)
            last = load.argmax()
            job = rng.choice(tried[:, last].nonzero()[0])
            ends = load + instance.map_task_time[job]
            ends[last] = np.inf
            tried[job, last] -= 1
            tried[job, ends.argmin()] += 1
        else:
            job, place = rng.integers(0, order.size, 2)
            moved = np.insert(np.delete(order, job), place, order[job])
        other = _planned(instance, tried, moved, "searched")
        if other.makespan <= plan.makespan:
            plan, counts, order = other, tried, moved
    return min(best, plan, key=lambda one: one.makespan)
