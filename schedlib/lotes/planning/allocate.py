"""Stage 1: which classes run on which configurations, the machines of each pooled (Section 4.1).

Eq. (3) ties the paper's delta_jkl of one class on one configuration together: they are y_jk r_kl / (c_jl
n_j), where y_jk is how many jobs of class k the pool holds. So the program below is in y_jk, and (2) needs
saying once per class.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
from scipy.sparse import csr_array

from schedlib.core.checks import frozen, numbers, positive, typed, unknown
from schedlib.lotes.model import Allocation, JobClasses, MachineConfigs, check, holds

TOLERANCE = 1e-9  # on rows that are scaled to about one
GAP = 1e-5  # relative, of an integer program's optimum: the loss that the paper calls too small to matter
SECONDS = 600.0  # the solver's time for one program
OPTIONS = {
    "output_flag": False,
    "time_limit": SECONDS,
    "mip_rel_gap": GAP,
    "primal_feasibility_tolerance": TOLERANCE,
    "dual_feasibility_tolerance": TOLERANCE,
    "mip_feasibility_tolerance": TOLERANCE,
}
PRIMAL = 4  # the simplex method that goes on from an optimum when costs change
VERTICES = ("least waste", "solver")
USED = 1e-8  # less than this fraction of the cluster's machines is the solver's rounding error


def solve(
    what: str,
    cost: Any,
    rows: Any,
    low: Any,
    high: Any,
    *,
    most: Any = np.inf,
    whole: Any = False,
    then: Sequence[np.ndarray] = (),
) -> tuple[np.ndarray, np.ndarray]:
    """The x in [0, `most`] of least `cost (C,)` with `low <= rows x <= high`, and the N rows' prices.

    By HiGHS. Of many such x it is one of least `then[0] (C,)`, of these one of least `then[1]`, and so on:
    each program goes on from the last one's optimum. Rows and costs should be of size one, as prices below a
    billionth count as 0. Where `whole (C,)` says so, x is a whole number; prices then mean nothing, and `then`
    must be empty. `what` names the program in errors: RuntimeError unless the optimum is proved within 600 s (of
    integer programs: to a relative gap of a hundred-thousandth).

    >>> solve("the example", [3.0], [[1.0]], [2.0], [np.inf])[0].tolist()
    [2.0]
    >>> solve("two alike", [1.0, 1.0], [[1.0, 1.0]], [2.0], [np.inf], then=[np.array([0.0, 1.0])])[0].tolist()
    [2.0, 0.0]
    """
    matrix = csr_array(rows)
    low = np.asarray(low, float)
    high = np.asarray(high, float)
    n = len(cost)
    least = np.zeros(n)
    most = np.broadcast_to(most, n)
    whole = np.broadcast_to(whole, n)
    engine = _engine(cost, matrix, low, high, least, most, whole)
    x, reduced, prices = _optimum(what, engine)
    first = prices
    columns = np.arange(n, dtype=np.int32)
    lines = np.arange(len(low), dtype=np.int32)
    engine.setOptionValue("simplex_strategy", PRIMAL)
    for cost in then:
        # complementary slackness: the optima are the x that keep these columns and rows at their ends
        least, most = _kept(x, least, most, reduced)
        low, high = _kept(matrix @ x, low, high, prices)
        engine.changeColsBounds(n, columns, least, most)
        engine.changeRowsBounds(len(lines), lines, low, high)
        engine.changeColsCost(n, columns, cost)
        x, reduced, prices = _optimum(what, engine)
    return x, first


def largest_rate(
    what: str,
    serve: np.ndarray,
    hold: np.ndarray,
    least: np.ndarray,
    most: np.ndarray,
    *,
    whole: bool = False,
    then: Sequence[np.ndarray] = (),
) -> tuple[float, np.ndarray, np.ndarray]:
    """The largest lambda with `serve x >= lambda` and `least <= hold x <= most`, an x (C,) >= 0, and prices (K,).

    The form of both stages: `serve (K, C)`: how much of each class an x serves, over its share; `hold (N, C)`:
    what it holds; `least`, `most (N,)`. The prices are those of the rows of `serve`. `what`, `whole` and `then`
    as in `solve`.

    >>> limit = np.array([2.0])
    >>> largest_rate("the example", np.eye(1), np.eye(1), limit, limit)[:2]
    (2.0, array([2.]))
    """
    served, columns = serve.shape
    rows = np.vstack([np.c_[-np.ones(served), serve], np.c_[np.zeros(len(hold)), hold]])
    x, prices = solve(
        what,
        np.r_[-1.0, np.zeros(columns)],
        rows,
        np.r_[np.zeros(served), least],
        np.r_[np.full(served, np.inf), most],
        whole=np.r_[False, np.full(columns, whole)],
        then=[np.r_[0.0, cost] for cost in then],
    )
    return float(x[0]), x[1:], prices[:served]


def _kept(values, low, high, price):
    """Ends for the values of optima: where there is a price, both are the one that is nearer now."""
    above = np.abs(values - low)
    below = np.abs(values - high)
    near_low = above <= below
    nearer = np.where(near_low, low, high)
    priced = np.abs(price) > TOLERANCE
    low = np.where(priced, nearer, low)
    high = np.where(priced, nearer, high)
    return low, high


def _engine(cost, matrix, low, high, least, most, whole):
    """HiGHS with a program, not yet solved."""
    import highspy  # slow to load

    program = highspy.HighsLp()
    program.num_row_, program.num_col_ = matrix.shape
    program.col_cost_ = np.asarray(cost, float)
    program.col_lower_ = least
    program.col_upper_ = most
    program.row_lower_ = low
    program.row_upper_ = high
    program.a_matrix_.format_ = highspy.MatrixFormat.kRowwise
    program.a_matrix_.start_ = matrix.indptr
    program.a_matrix_.index_ = matrix.indices
    program.a_matrix_.value_ = matrix.data
    if whole.any():
        kinds = [highspy.HighsVarType.kContinuous, highspy.HighsVarType.kInteger]
        program.integrality_ = [kinds[integer] for integer in whole.tolist()]
    engine = highspy.Highs()
    for option, value in OPTIONS.items():
        engine.setOptionValue(option, value)
    if whole.any():
        # with presolve and this tolerance HiGHS 1.15 calls an x optimal that is not
        engine.setOptionValue("presolve", "off")
    engine.passModel(program)
    return engine


def _optimum(what, engine):
    """An x of least cost, the reduced costs of its columns and the prices of the rows."""
    engine.run()
    status = engine.modelStatusToString(engine.getModelStatus())
    if status != "Optimal":
        raise RuntimeError(
            f"{what}: HiGHS ended as {status!r} without a proof within {SECONDS:g} s"
        )
    solution = engine.getSolution()
    x = np.array(solution.col_value)
    reduced = np.array(solution.col_dual)
    prices = np.array(solution.row_dual)
    return x, reduced, prices


def by_place(n: int) -> np.ndarray:
    """Costs that prefer early columns, (n,): square roots, since their sums at different places seldom tie.

    >>> by_place(4).round(2).tolist()
    [1.0, 1.41, 1.73, 2.0]
    """
    return np.sqrt(1.0 + np.arange(n))


def pool_size(configs: MachineConfigs, classes: JobClasses) -> np.ndarray:
    """How many jobs of class k the pool of configuration j holds alone, (M, K); jobs are divisible.

    >>> pool_size(MachineConfigs([[5.0]], [2]), JobClasses([1.0], [[3.0]], [[1.0]])).round(3).tolist()
    [[3.333]]
    """
    total = configs.capacity * configs.count[:, None]
    with np.errstate(divide="ignore", invalid="ignore"):
        alone = total[:, None] / classes.demand
    return alone.min(axis=2, where=classes.demand > 0, initial=np.inf)


def waste(configs: MachineConfigs, classes: JobClasses) -> np.ndarray:
    """The fraction of a machine of configuration j that whole jobs of class k alone leave unused, (M, K).

    >>> waste(MachineConfigs([[8.0]], [30]), JobClasses([1.0], [[3.0]], [[1.0]])).tolist()
    [[0.25]]
    """
    whole = holds(configs.capacity, classes.demand) * configs.count[:, None]
    pool = pool_size(configs, classes)
    used = _part(whole, pool)
    return np.clip(1 - used, 0, 1)


def _part(amount, total):
    """The amount as a part of the total, 0 where there is none."""
    return np.divide(amount, total, out=np.zeros(amount.shape), where=total > 0)


@typed
def allocate(
    configs: MachineConfigs, classes: JobClasses, *, vertex: str | np.ndarray = "least waste"
) -> Allocation:
    """Stage 1: the largest arrival rate that pooled machines sustain, and how they share classes (Eqs. 1-5).

    Very many allocations reach lambda*; the paper's K^j are those of one. `vertex` says which is taken:

    - "least waste": that of the smallest sum over j and k of delta_jk w_jk s_j. delta_jk is class k's part of
      pool j, w_jk the part of a machine that whole jobs of the class alone leave unused (`waste`), s_j the
      pool's part of the cluster. So stage 2, which has to use whole jobs, loses little
    - an array (M, K): that of the smallest sum of delta_jk times this cost
    - "solver": the first that the solver finds

    Of equal sums the first two take the one of least sum of delta_jk sqrt(i), where i = 1, 2, ... counts
    through configurations and, in each, classes: this means nothing and only makes the choice a stated one.
    A class may get configurations on which not even one whole job fits: the paper's jobs are divisible here.
    Raises ValueError as `check` does and for unknown names. Source: LoTES, Section 4.1.

    See also: `lotes.plan`, `lotes.scarcity`.

    >>> configs, classes = MachineConfigs([[5.0]], [2]), JobClasses([1.0], [[3.0]], [[1.0]])
    >>> round(allocate(configs, classes).rate, 6)
    3.333333
    """
    check(configs, classes)
    if isinstance(vertex, str) and vertex not in VERTICES:
        raise unknown("vertex", vertex, VERTICES, "or give a cost for each configuration and class")
    pool = pool_size(configs, classes)
    able = (classes.rate > 0) & (pool > 0)
    j, k = np.argwhere(able).T  # the program has a column for each
    has_jobs = classes.share > 0
    asked = np.flatnonzero(has_jobs)
    served = classes.rate * pool / np.where(has_jobs, classes.share, 1)
    alone = served.sum(axis=0, where=able)[asked]
    unit = alone.min()  # no class alone can do better
    serve = np.where(k == asked[:, None], served[j, k] / unit, 0.0)
    hold = _held(configs, classes, pool, j, k)
    nothing = np.full(len(hold), -np.inf)
    everything = np.ones(len(hold))
    then = _then(configs, classes, vertex, j, k)
    best, part, _ = largest_rate(
        "the allocation program", serve, hold, nothing, everything, then=then
    )
    in_use = part * configs.count[j] > USED * configs.n_machines
    running = np.zeros(pool.shape)
    jobs = part * pool[j, k]
    running[j, k] = np.where(in_use, jobs, 0.0)
    held = running[:, :, None] * classes.demand
    total = (configs.capacity * configs.count[:, None])[:, None]
    delta = _part(held, total)
    return Allocation(float(best * unit), frozen(delta), frozen(running))


def _held(configs, classes, pool, j, k):
    """Of each resource of each pool, the part that class k alone uses; a column for each j and k."""
    total = configs.capacity * configs.count[:, None]
    used = pool[j, k] * classes.demand[k].T
    whole = total[j].T
    part = _part(used, whole)
    config = np.arange(len(total))[:, None, None]
    rows = np.where(j == config, part, 0.0)
    return rows[total > 0]


def _then(configs, classes, vertex, j, k):
    """The costs of each j and k by which `allocate` picks an optimum."""
    if not isinstance(vertex, str):
        cost = numbers("vertex", vertex, 2, "a cost for each configuration and class")
        if cost.shape != classes.rate.shape or not np.isfinite(cost).all():
            raise ValueError(
                "vertex: needs a name, or a finite cost for each configuration and class, an array "
                f"{classes.rate.shape}"
            )
    elif vertex == "solver":
        return []
    else:
        part = configs.capacity / (configs.capacity.T @ configs.count)
        of_cluster = part.mean(axis=1) * configs.count
        cost = waste(configs, classes) * of_cluster[:, None]
    return [cost[j, k], by_place(len(j))]


@typed
def scarcity(configs: MachineConfigs, classes: JobClasses, more: float = 0.1) -> np.ndarray:
    """By which fraction lambda* grows when one configuration's machines get `more` of one resource, (M, R).

    0 where the resource is in excess. As `more`, a fraction of the capacity, shrinks, growth over `more`
    becomes the shadow price. Raises ValueError as `allocate` does, and when `more` is not positive.

    >>> ten = MachineConfigs([[4.0, 8.0]], [10])
    >>> scarcity(ten, JobClasses([0.5, 0.5], [[1.0, 4.0], [2.0, 1.0]], [[1.0, 1.0]])).round(6).tolist()
    [[0.1, 0.0]]
    """
    positive("more", more)
    before = allocate(configs, classes, vertex="solver").rate
    growth = np.zeros(configs.capacity.shape)
    for place in np.argwhere(configs.capacity > 0):
        capacity = configs.capacity.copy()
        capacity[*place] *= 1 + more
        larger = MachineConfigs(capacity, configs.count)
        after = allocate(larger, classes, vertex="solver").rate
        growth[*place] = after / before - 1
    return np.maximum(growth, 0.0)
