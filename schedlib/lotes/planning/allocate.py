"""Stage 1: which classes run on which configurations, the machines of each pooled (Section 4.1).

Eq. (3) ties the paper's delta_jkl of one class on one configuration together: they are y_jk r_kl / (c_jl
n_j), where y_jk is how many jobs of class k the pool holds. So the program below is in y_jk, and (2) needs
saying once per class.
"""

import numpy as np
import pulp

from schedlib.lotes.model import Allocation, JobClasses, MachineConfigs, check, fits, scaled

TOLERANCE = 1e-9  # on rows that are scaled to about one
SLACK = {"HiGHS": 1e-9, "CBC": 1e-7}  # relative error of a reported value: CBC's file has eight digits
VERTICES = ("least waste", "solver")
USED = 1e-8  # less than this fraction of the cluster's machines is the solver's rounding error


def solve(problem: pulp.LpProblem, what: str, solver: str = "HiGHS", seconds: float = 600.0) -> None:
    """Solve a program in place to proved optimality, by HiGHS or by CBC; `what` names it in errors.

    Raises ValueError for an unknown solver, RuntimeError unless the optimum is proved within `seconds`
    (integer programs: to a relative gap of a billionth).

    >>> problem = pulp.LpProblem("example", pulp.LpMinimize)
    >>> x = problem.add_variable("x", lowBound=2)
    >>> problem += 3 * x
    >>> solve(problem, "the example")
    >>> x.value()
    2.0
    """
    if solver == "HiGHS":
        tolerances = {f"{side}_feasibility_tolerance": TOLERANCE for side in ("primal", "dual")}
        engine = pulp.HiGHS(msg=False, timeLimit=seconds, gapRel=TOLERANCE,
                            mip_feasibility_tolerance=TOLERANCE, **tolerances)
    elif solver == "CBC":
        bundled = pulp.apis.PULP_CBC_CMD.pulp_cbc_path
        engine = pulp.COIN_CMD(path=bundled, msg=False, timeLimit=seconds, gapRel=TOLERANCE)
    else:
        raise ValueError(f"solver: {solver!r} is not one of {', '.join(SLACK)}")
    problem.solve(engine)
    if problem.sol_status != pulp.LpSolutionOptimal:
        status = pulp.LpStatus[problem.status]
        raise RuntimeError(
            f"{what}: {solver} ended as {status!r} without a proof within {seconds:g} s; allow more seconds")


def pool_size(configs: MachineConfigs, classes: JobClasses) -> np.ndarray:
    """How many jobs of class k the pool of configuration j holds alone, (M, K); jobs are divisible.

    >>> pool_size(MachineConfigs([[5.0]], [2]), JobClasses([1.0], [[3.0]], [[1.0]])).round(3).tolist()
    [[3.333]]
    """
    pool = (configs.capacity * configs.count[:, None])[:, None]
    demand = np.broadcast_to(classes.demand, (configs.n_configs, *classes.demand.shape))
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


def allocate(configs: MachineConfigs, classes: JobClasses, *, vertex: str | np.ndarray = "least waste",
             fitting: bool = False, solver: str = "HiGHS") -> Allocation:
    """Stage 1: the largest arrival rate that pooled machines sustain, and how they share classes (Eqs. 1-5).

    Very many allocations reach lambda*; the paper's K^j are those of one. `vertex` says which is taken:
    "least waste" loses the smallest part of the cluster's capacity if every class had machines to itself,
    each full of whole jobs; "solver" is the first that the solver finds; an array (M, K) is the cost of each
    class's part of a pool, and the optimum of least cost is taken. With `fitting` a class is kept off
    configurations on which not even one job fits: the paper's divisible jobs do not ask for that. Raises
    ValueError as `check` does and for unknown names. Source: LoTES, Section 4.1.

    >>> configs, classes = MachineConfigs([[5.0]], [2]), JobClasses([1.0], [[3.0]], [[1.0]])
    >>> round(allocate(configs, classes).rate, 6)
    3.333333
    """
    check(configs, classes)
    if isinstance(vertex, str) and vertex not in VERTICES:
        raise ValueError(f"vertex: {vertex!r} is not one of {', '.join(VERTICES)}")
    pool, total = pool_size(configs, classes), configs.capacity * configs.count[:, None]
    able = (classes.rate > 0) & (pool > 0) & (fits(configs, classes) if fitting else True)
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
            terms = [(number[j, k], pool[j, k] * classes.demand[k, l] / total[j, l])
                     for k in range(classes.n_classes) if able[j, k]]
            problem += pulp.LpAffineExpression(terms) <= 1, f"pool_{j}_{l}"
    solve(problem, "the allocation program", solver)
    best = rate.value()
    if isinstance(vertex, np.ndarray) or vertex == "least waste":
        machine = (configs.capacity / total.sum(axis=0)).mean(axis=1)
        least = waste(configs, classes) * (machine * configs.count)[:, None]
        lost = vertex if isinstance(vertex, np.ndarray) else least
        rate.lowBound = best * (1 - SLACK[solver])
        problem.setObjective(pulp.LpAffineExpression([(y, lost[pair]) for pair, y in number.items()]))
        solve(problem, "the choice among optimal allocations", solver)

    running = np.zeros(pool.shape)
    for (j, k), variable in number.items():
        used = variable.value() * configs.count[j] > USED * configs.n_machines
        running[j, k] = variable.value() * pool[j, k] if used else 0.0
    held = running[:, :, None] * classes.demand
    delta = np.divide(held, total[:, None], out=np.zeros_like(held), where=total[:, None] > 0)
    for array in (running, delta):
        array.flags.writeable = False
    return Allocation(float(best * unit), delta, running)


def scarcity(configs: MachineConfigs, classes: JobClasses, more: float = 0.1) -> np.ndarray:
    """By which fraction lambda* grows when one configuration's machines get `more` of one resource, (M, R).

    0 where the resource is in excess. As `more`, a fraction of the capacity, shrinks, growth over `more`
    becomes the shadow price. Raises ValueError as `allocate` does, and when `more` is not positive.

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
        larger = MachineConfigs(capacity, configs.count)
        growth[j, l] = allocate(larger, classes, vertex="solver").rate / before - 1
    return np.maximum(growth, 0.0)
