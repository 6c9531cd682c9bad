"""Stage 1: which classes run on which configurations, the machines of each pooled (Section 4.1).

Eq. (3) ties the paper's delta_jkl of one class on one configuration together: they are y_jk r_kl / (c_jl
n_j), where y_jk is how many jobs of class k the pool holds. So the program below is in y_jk, and (2) needs
saying once per class.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
from scipy.sparse import csr_array

from schedlib.lotes.model import Allocation, JobClasses, MachineConfigs, check, fits, holds

TOLERANCE = 1e-9  # on rows that are scaled to about one
SECONDS = 600.0  # the solver's time
OPTIONS = {
    "output_flag": False,
    "time_limit": SECONDS,
    "mip_rel_gap": TOLERANCE,
    "primal_feasibility_tolerance": TOLERANCE,
    "dual_feasibility_tolerance": TOLERANCE,
    "mip_feasibility_tolerance": TOLERANCE,
}
VERTICES = ("least waste", "solver")
USED = 1e-8  # less than this fraction of the cluster's machines is the solver's rounding error


def solve(
    what: str,
    cost: Any,
    rows: Any,
    low: Any,
    high: Any,
    *,
    least: Any = 0.0,
    most: Any = np.inf,
    whole: Any = False,
    then: Sequence[np.ndarray] = (),
) -> tuple[np.ndarray, np.ndarray]:
    """The x in [`least`, `most`] of least `cost (C,)` with `low <= rows x <= high`, and the N rows' prices.

    By HiGHS. Of many such x it is one of least `then[0] (C,)`, of these one of least `then[1]`, and so on.
    Where `whole (C,)` says so, x is a whole number; prices then mean nothing, and `then` must be empty. `what`
    names the program in errors: RuntimeError unless the optimum is proved within 600 s (of integer programs:
    to a relative gap of a billionth).

    >>> solve("the example", [3.0], [[1.0]], [2.0], [np.inf])[0].tolist()
    [2.0]
    >>> solve("two alike", [1.0, 1.0], [[1.0, 1.0]], [2.0], [np.inf], then=[np.array([0.0, 1.0])])[0].tolist()
    [2.0, 0.0]
    """
    matrix = csr_array(rows)
    cost = np.asarray(cost, float)
    low = np.asarray(low, float)
    high = np.asarray(high, float)
    least, most, whole = (np.broadcast_to(ends, len(cost)) for ends in (least, most, whole))
    x, reduced, prices = _optimum(
        what,
        cost,
        matrix,
        low,
        high,
        least,
        most,
        whole,
    )
    if not then:
        return x, prices
    # complementary slackness: the optima are the x that keep these columns and rows at their ends
    free = np.abs(reduced) <= TOLERANCE
    tight = np.abs(prices) > TOLERANCE
    x = np.where(free, x, _nearer(x, least, most))
    held = matrix[:, ~free] @ x[~free]
    kept = _nearer(matrix @ x, low, high)
    x[free], _ = solve(
        what,
        then[0][free],
        matrix[:, free],
        np.where(tight, kept, low) - held,
        np.where(tight, kept, high) - held,
        least=least[free],
        most=most[free],
        then=[other[free] for other in then[1:]],
    )
    return x, prices


def _nearer(values, low, high):
    """For each value that of its two ends which is nearer."""
    return np.where(np.abs(values - low) <= np.abs(values - high), low, high)


def _optimum(what, cost, matrix, low, high, least, most, whole):
    """An x of least cost, the reduced costs of its columns and the prices of the rows."""
    import highspy  # slow to load

    program = highspy.HighsLp()
    engine = highspy.Highs()
    program.num_row_, program.num_col_ = matrix.shape
    program.col_cost_ = cost
    program.col_lower_ = least
    program.col_upper_ = most
    program.row_lower_ = low
    program.row_upper_ = high
    program.a_matrix_.format_ = highspy.MatrixFormat.kRowwise
    program.a_matrix_.start_ = matrix.indptr
    program.a_matrix_.index_ = matrix.indices
    program.a_matrix_.value_ = matrix.data
    if whole.any():
        kinds = highspy.HighsVarType
        program.integrality_ = [kinds.kInteger if one else kinds.kContinuous for one in whole]
    for option, value in OPTIONS.items():
        engine.setOptionValue(option, value)
    engine.passModel(program)
    engine.run()
    if (status := engine.getModelStatus()) != highspy.HighsModelStatus.kOptimal:
        raise RuntimeError(
            f"{what}: HiGHS ended as {engine.modelStatusToString(status)!r} without a proof "
            f"within {SECONDS:g} s"
        )
    found = engine.getSolution()
    return np.array(found.col_value), np.array(found.col_dual), np.array(found.row_dual)


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
    pool = (configs.capacity * configs.count[:, None])[:, None]
    demand = np.broadcast_to(classes.demand, (configs.n_configs, *classes.demand.shape))
    return np.divide(
        pool,
        demand,
        out=np.full(demand.shape, np.inf),
        where=demand > 0,
    ).min(axis=2)


def waste(configs: MachineConfigs, classes: JobClasses) -> np.ndarray:
    """The fraction of a machine of configuration j that whole jobs of class k alone leave unused, (M, K).

    >>> waste(MachineConfigs([[8.0]], [30]), JobClasses([1.0], [[3.0]], [[1.0]])).tolist()
    [[0.25]]
    """
    whole = holds(configs.capacity, classes.demand) * configs.count[:, None]
    pool = pool_size(configs, classes)
    used = np.divide(
        whole,
        pool,
        out=np.zeros_like(pool),
        where=pool > 0,
    )
    return np.clip(1 - used, 0, 1)


def allocate(
    configs: MachineConfigs,
    classes: JobClasses,
    *,
    vertex: str | np.ndarray = "least waste",
    fitting: bool = False,
) -> Allocation:
    """Stage 1: the largest arrival rate that pooled machines sustain, and how they share classes (Eqs. 1-5).

    Very many allocations reach lambda*; the paper's K^j are those of one. `vertex` says which is taken:
    "least waste" loses the smallest part of the cluster's capacity if every class had machines to itself,
    each full of whole jobs; "solver" is the first that the solver finds; an array (M, K) is the cost of each
    class's part of a pool, and the optimum of least cost is taken. Of equal ones it is
    the one with the least sum of parts, each times the square root of its place: configuration by
    configuration, class by class. With `fitting` a class is kept off configurations on which not even one job
    fits: the paper's divisible jobs do not ask for that. Raises ValueError as `check` does and for unknown
    names. Source: LoTES, Section 4.1.

    See also: `lotes.plan`, `lotes.scarcity`.

    >>> configs, classes = MachineConfigs([[5.0]], [2]), JobClasses([1.0], [[3.0]], [[1.0]])
    >>> round(allocate(configs, classes).rate, 6)
    3.333333
    """
    check(configs, classes)
    if isinstance(vertex, str) and vertex not in VERTICES:
        raise ValueError(f"vertex: {vertex!r} is not one of {', '.join(VERTICES)}")
    if not isinstance(vertex, str) and not (
        np.shape(vertex) == classes.rate.shape and np.isfinite(vertex).all()
    ):
        raise ValueError(
            f"vertex: needs a name, or a finite cost for each configuration and class, an array "
            f"{classes.rate.shape}"
        )
    pool = pool_size(configs, classes)
    total = configs.capacity * configs.count[:, None]
    able = (classes.rate > 0) & (pool > 0) & (fits(configs, classes) if fitting else True)
    served = np.divide(
        classes.rate * pool, classes.share, out=np.full(pool.shape, np.inf), where=classes.share > 0
    )
    unit = np.where(able, served, 0).sum(axis=0).min()  # no class alone can do better
    asked = np.flatnonzero(classes.share > 0)
    j, k = np.argwhere(able).T
    room = np.where(total > 0, total, np.inf)
    used = pool[j, k] * classes.demand[k].T / room[j].T
    mine = j == np.arange(len(pool))[:, None]
    serve = np.where(k == asked[:, None], served[j, k] / unit, 0.0)
    hold = np.where(mine[:, None], used, 0.0)
    hold = hold.reshape(-1, len(j))[configs.capacity.ravel() > 0]
    least = np.hstack((-np.ones((len(serve), 1)), serve))
    most = np.hstack((np.zeros((len(hold), 1)), hold))
    rows = np.vstack((least, most))
    low = np.r_[np.zeros(len(serve)), np.full(len(hold), -np.inf)]
    high = np.r_[np.full(len(serve), np.inf), np.ones(len(hold))]
    machine = (configs.capacity / total.sum(axis=0)).mean(axis=1)
    lost = waste(configs, classes) * (machine * configs.count)[:, None]
    chosen = lost if isinstance(vertex, str) else vertex
    then = [np.r_[0.0, chosen[j, k]], np.r_[0.0, by_place(len(j))]]
    part, _ = solve(
        "the allocation program",
        np.r_[-1.0, np.zeros(len(j))],
        rows,
        low,
        high,
        then=[] if isinstance(vertex, str) and vertex == "solver" else then,
    )
    best = part[0]
    running = np.zeros(pool.shape)
    part = part[1:]
    running[j, k] = np.where(
        part * configs.count[j] > USED * configs.n_machines, part * pool[j, k], 0.0
    )
    held = running[:, :, None] * classes.demand
    delta = np.divide(
        held,
        total[:, None],
        out=np.zeros_like(held),
        where=total[:, None] > 0,
    )
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
