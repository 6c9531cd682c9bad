"""Stage 1: which classes run on which configurations, the machines of each pooled (Section 4.1).

The paper's delta_jkl of one class on one configuration are tied together by Eq. (3): they are y_jk r_kl /
(c_jl n_j), where y_jk is the number of jobs of class k that the pool holds. So the program below is in y_jk,
and (2) needs saying once per class.
"""

import numpy as np
import pulp

from schedlib.lotes.model import Allocation, JobClasses, MachineConfigs, check, fits, scaled
from schedlib.lotes.planning.program import SLACK, solve

VERTICES = ("least waste", "solver")
USED = 1e-8  # less than this fraction of the cluster's machines is the solver's rounding error


def pool_size(configs: MachineConfigs, classes: JobClasses) -> np.ndarray:
    """How many jobs of class k the pool of configuration j holds alone, (M, K); jobs are divisible.

    >>> pool_size(MachineConfigs([[5.0]], [2]), JobClasses([1.0], [[3.0]], [[1.0]])).round(3).tolist()
    [[3.333]]
    """
    pool = (configs.capacity * configs.count[:, None])[:, None]
    demand = np.broadcast_to(classes.demand[None], (configs.n_configs, *classes.demand.shape))
    return np.divide(pool, demand, out=np.full(demand.shape, np.inf), where=demand > 0).min(axis=2)


def waste(configs: MachineConfigs, classes: JobClasses) -> np.ndarray:
    """The fraction of a machine of configuration j that whole jobs of class k alone leave unused, (M, K).

    >>> waste(MachineConfigs([[8.0]], [30]), JobClasses([1.0], [[3.0]], [[1.0]])).tolist()
    [[0.25]]
    """
    capacity, demand = scaled(configs.capacity, classes.demand)
    each = np.where(demand > 0, capacity[:, None] // np.maximum(demand, 1), np.iinfo(np.int64).max)
    whole, pool = each.min(axis=2) * configs.count[:, None], pool_size(configs, classes)
    used = np.divide(whole, pool, out=np.zeros_like(pool), where=pool > 0)
    return np.clip(1 - used, 0, 1)


def allocate(configs: MachineConfigs, classes: JobClasses, *, vertex: str = "least waste",
             fitting: bool = False, solver: str = "HiGHS") -> Allocation:
    """Stage 1: the largest arrival rate that pooled machines sustain, and how they share classes (Eqs. 1-5).

    Very many allocations reach lambda*, and the paper's K^j are those of one of them. `vertex` says which one
    is taken: "least waste" loses the smallest part of the cluster's capacity if every class had machines to
    itself, each holding as many whole jobs as fit; "solver" is the first one that the solver finds. With
    `fitting` a class is kept off configurations on which not even one job fits: the paper's program, where
    jobs are divisible, does not ask for that.

    Raises ValueError as `check` does and for unknown names. Source: LoTES, Section 4.1.

    >>> configs, classes = MachineConfigs([[5.0]], [2]), JobClasses([1.0], [[3.0]], [[1.0]])
    >>> round(allocate(configs, classes).rate, 6)
    3.333333
    """
    check(configs, classes)
    if vertex not in VERTICES:
        raise ValueError(f"vertex: {vertex!r} is not one of {', '.join(VERTICES)}")
    pool = pool_size(configs, classes)
    able = (classes.rate > 0) & (pool > 0)
    if fitting:
        able &= fits(configs, classes)
    served = np.divide(classes.rate * pool, classes.share, out=np.full(pool.shape, np.inf),
                       where=classes.share > 0)
    unit = np.where(able, served, 0).sum(axis=0).min()  # no class alone can do better

    problem = pulp.LpProblem("allocation", pulp.LpMinimize)
    number = {(j, k): problem.add_variable(f"y_{j}_{k}", lowBound=0) for j, k in np.argwhere(able).tolist()}
    rate = problem.add_variable("rate", lowBound=0)
    problem += -1 * rate
    for k in np.flatnonzero(classes.share > 0).tolist():
        terms = [(number[j, k], served[j, k] / unit) for j in range(configs.n_configs) if able[j, k]]
        problem += pulp.LpAffineExpression(terms) - rate >= 0, f"class_{k}"
    for j in range(configs.n_configs):
        for l in np.flatnonzero(configs.capacity[j]).tolist():
            total = configs.capacity[j, l] * configs.count[j]
            terms = [(number[j, k], pool[j, k] * classes.demand[k, l] / total)
                     for k in range(classes.n_classes) if able[j, k]]
            problem += pulp.LpAffineExpression(terms) <= 1, f"pool_{j}_{l}"
    solve(problem, "the allocation program", solver)
    best = rate.value()
    if vertex == "least waste":
        machine = (configs.capacity / (configs.capacity * configs.count[:, None]).sum(axis=0)).mean(axis=1)
        lost = waste(configs, classes) * (machine * configs.count)[:, None]
        rate.lowBound = best * (1 - SLACK[solver])
        terms = [(variable, lost[pair]) for pair, variable in number.items()]
        problem.setObjective(pulp.LpAffineExpression(terms))
        solve(problem, "the choice among optimal allocations", solver)

    running = np.zeros(pool.shape)
    for (j, k), variable in number.items():
        used = variable.value() * configs.count[j] > USED * configs.n_machines
        running[j, k] = variable.value() * pool[j, k] if used else 0.0
    total = (configs.capacity * configs.count[:, None])[:, None]
    held = running[:, :, None] * classes.demand[None]
    delta = np.divide(held, total, out=np.zeros_like(held), where=total > 0)
    for array in (running, delta):
        array.flags.writeable = False
    return Allocation(float(best * unit), delta, running)


def scarcity(configs: MachineConfigs, classes: JobClasses, more: float = 0.1) -> np.ndarray:
    """By which fraction lambda* grows when one configuration's machines get `more` of one resource, (M, R).

    0 where the resource is in excess; `more` is a fraction of the capacity. As it shrinks, growth over `more`
    becomes its shadow price. Raises ValueError as `allocate` does, and when `more` is not positive.

    >>> one = MachineConfigs([[4.0, 8.0]], [10])
    >>> scarcity(one, JobClasses([0.5, 0.5], [[1.0, 4.0], [2.0, 1.0]], [[1.0, 1.0]])).round(6).tolist()
    [[0.1, 0.0]]
    """
    if not more > 0:
        raise ValueError(f"more: {more}, must be a positive fraction")
    before = allocate(configs, classes, vertex="solver").rate
    growth = np.zeros(configs.capacity.shape)
    for j, l in np.argwhere(configs.capacity > 0).tolist():
        capacity = configs.capacity.copy()
        capacity[j, l] *= 1 + more
        after = allocate(MachineConfigs(capacity, configs.count), classes, vertex="solver").rate
        growth[j, l] = after / before - 1
    return np.maximum(growth, 0.0)
