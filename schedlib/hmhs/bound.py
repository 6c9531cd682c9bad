"""Lower bounds on the makespan, which no schedule beats, and the exact optimum (beyond the paper).

Give machine j of a stage the price u_j, with prices that add up to one. In one unit of time all machines
together earn at most one unit of money, so a stage acts like a single machine on which job i takes at least
a_i = T_i min_j u_j E_ij. Two such machines in a row are Johnson's problem: the makespan of his rule is a
bound for *any* prices. The best prices for a stage alone are the dual solution of its linear program.
"""

from itertools import product
from typing import NamedTuple

import numpy as np
import pulp

from schedlib.core.checks import typed
from schedlib.hmhs.johnson import flow_shop_makespan, johnson
from schedlib.hmhs.model import Instance, Side

LARGEST = 8  # most jobs of an instance whose optimum is worked out
SECONDS = 60  # that the optimum may take
FIRST = 5  # machines of each job in the first linear program
PRIMAL = 4  # HiGHS's number for the primal simplex
NEAR_ONE = (1.0, 1e6)  # longest times that suit HiGHS's tolerances, which are absolute


def unit_of(*times: np.ndarray) -> float:
    """The scale of times for the solver: the longest, or 1 where that is within the solver's range.

    >>> unit_of(np.array([[3.0, 5.0]])), unit_of(np.array([[3e-9, 5e-9]]))
    (1.0, 5e-09)
    """
    longest = max(float(time.max()) for time in times)
    least, most = NEAR_ONE
    return 1.0 if least <= longest <= most else longest


class Prices(NamedTuple):
    """A stage's fluid optimum: the makespan, and the prices u of machines (M,) and a of jobs (N,)."""

    makespan: float
    machine: np.ndarray
    job: np.ndarray


def stage_prices(tasks: np.ndarray, time: np.ndarray) -> Prices:
    """Solve one stage alone, tasks divisible and all ready at zero, as a linear program.

    `tasks (N,)`: T_i; `time (N, M)`: E_ij. Minimise C subject to sum_j x_ij = T_i and sum_i E_ij x_ij <= C.
    At first each job has only the machines where it is cheapest if a machine's price is one over its mean task
    time, which is right where every job has the same factors V_j. Pairs that are cheaper at the prices found
    join, until there are none. The makespan is worked out from the prices: it is a bound even if the solver's
    duals are off by a rounding error. Raises RuntimeError when the solver gives up.

    >>> prices = stage_prices(np.array([3]), np.array([[1.0, 2.0]]))
    >>> round(prices.makespan, 9), (3 * prices.machine).round(9).tolist()
    (2.0, [2.0, 1.0])
    """
    unit = unit_of(time)
    time = time / unit
    jobs, machines = time.shape
    if not tasks.any():
        return Prices(0.0, np.full(machines, 1 / machines), np.zeros(jobs))
    engine = _program(tasks.astype(float), machines)
    cost = time / time.mean(axis=0)
    few = min(FIRST, machines)
    dearest = np.sort(cost, axis=1)[:, few - 1]
    joining = cost <= dearest[:, None]  # (N, M)
    pairs = np.zeros(time.shape, bool)
    while joining.any():
        pairs |= joining
        _add_pairs(engine, joining, time)
        price = _solve(engine, jobs)
        cost = price * time
        cheapest = np.where(pairs, cost, np.inf).min(axis=1)
        cheaper = cost < cheapest[:, None] * (1 - 1e-9)
        joining = cheaper & ~pairs
    least = unit * tasks * cost.min(axis=1)
    return Prices(float(least.sum()), price, least)


def _program(tasks: np.ndarray, machines: int):
    """HiGHS with the variable C and a row for each job's tasks and for each machine's load; no pair yet."""
    import highspy  # slow to load

    engine = highspy.Highs()
    engine.setOptionValue("output_flag", False)
    engine.addCol(1.0, 0.0, np.inf, 0, [], [])  # C
    for count in tasks:
        engine.addRow(count, count, 0, [], [])
    for _ in range(machines):
        engine.addRow(-np.inf, 0.0, 1, [0], [-1.0])
    return engine


def _add_pairs(engine, chosen: np.ndarray, time: np.ndarray) -> None:
    """A variable x_ij for each pair in `chosen (N, M)`: one entry in its job's row, one in its machine's."""
    job, machine = chosen.nonzero()
    pairs = job.size
    rows = np.stack([job, len(time) + machine], axis=1).astype(np.int32)
    values = np.stack([np.ones(pairs), time[chosen]], axis=1)
    begin = np.arange(0, 2 * pairs, 2, dtype=np.int32)
    zero = np.zeros(pairs)
    most = np.full(pairs, np.inf)
    engine.addCols(pairs, zero, zero, most, 2 * pairs, begin, rows.ravel(), values.ravel())


def _solve(engine, jobs: int) -> np.ndarray:
    """Solve the program as it is: the machines' prices (M,), which add up to one."""
    engine.run()
    engine.setOptionValue("simplex_strategy", PRIMAL)  # new columns leave the basis feasible
    status = engine.modelStatusToString(engine.getModelStatus())
    if status != "Optimal":
        raise RuntimeError(f"the linear program of {jobs} jobs: {status}")
    dual = engine.getSolution().row_dual
    price = np.abs(dual[jobs:])
    return price / price.sum()


class Bounds(NamedTuple):
    """Lower bounds on the makespan, and the prices of the two stages behind them."""

    johnson: float  # Johnson's rule on the priced jobs
    map_first: float  # all maps, then the least that some last job must still reduce
    reduce_last: float  # its mirror image
    longest_job: float  # the job that takes longest with the whole cluster to itself
    map_prices: Prices
    reduce_prices: Prices

    @property
    def best(self) -> float:
        """The largest of the four."""
        return max(self[:4])


@typed
def bounds(instance: Instance) -> Bounds:
    """Every lower bound that the library knows, with the prices they rest on.

    See also: `hmhs.lower_bound`.

    >>> one = [[1.0], [1.0]]
    >>> two = Instance([4, 1], [1, 1], one, [1, 5], [1, 1], one)
    >>> bounds(two).best, lower_bound(two)
    (7.0, 7.0)
    """
    maps = instance.maps
    reduces = instance.reduces
    map_prices = stage_prices(maps.tasks, maps.time)
    reduce_prices = stage_prices(reduces.tasks, reduces.time)
    map_alone = _alone(maps)
    reduce_alone = _alone(reduces)
    first = map_prices.job
    second = reduce_prices.job
    return Bounds(
        johnson=flow_shop_makespan(first, second, johnson(first, second)),
        map_first=map_prices.makespan + float(reduce_alone.min()),
        reduce_last=float(map_alone.min()) + reduce_prices.makespan,
        map_prices=map_prices,
        reduce_prices=reduce_prices,
        longest_job=float((map_alone + reduce_alone).max()),
    )


@typed
def lower_bound(instance: Instance) -> float:
    """A lower bound on the makespan of every schedule of the instance, in its unit of time.

    See also: `hmhs.bounds`, where it comes from; `hmhs.optimum`, for tiny instances.

    >>> bool(8.0 <= lower_bound(Instance([4], [2], [[1.0]], [3], [1], [[1.0]])) <= 11.0)
    True
    """
    return bounds(instance).best


def _alone(side: Side) -> np.ndarray:
    """The least time that each job's stage takes with all machines to itself, (N,), by bisection."""
    low = np.zeros(side.tasks.size)
    high = side.tasks * side.time.min(axis=1)
    for _ in range(60):
        middle = (low + high) / 2
        done = np.floor(middle[:, None] / side.time).sum(axis=1)
        enough = done >= side.tasks
        low = np.where(enough, low, middle)
        high = np.where(enough, middle, high)
    return low


@typed
def optimum(instance: Instance) -> float:
    """The smallest makespan of any schedule of a tiny instance, in its unit of time.

    On a map machine, tasks may as well run in the order in which their jobs end their maps; on a reduce
    machine, in the order in which they become ready, which is the same one. So one order of the jobs serves
    all machines. Position k of it holds one job (z_ik = 1); x_ijk and y_ijk count its map and reduce tasks on
    machine j. All maps up to position k end by A_k, and every reduce machine has all from position k on still
    before it at A_k. Raises ValueError for more than 8 jobs, RuntimeError when the answer is not proved within
    a minute.

    See also: `hmhs.lower_bound`.

    >>> one = [[1.0], [1.0]]
    >>> round(optimum(Instance([5, 1], [1, 1], one, [1, 5], [1, 1], one)), 6)
    7.0
    """
    n = instance.n_jobs
    if n > LARGEST:
        most = f"the program is for at most {LARGEST}"
        raise ValueError(f"instance: {n} jobs; {most}, see lower_bound")
    jobs = range(n)
    problem = pulp.LpProblem("optimum", pulp.LpMinimize)
    C = problem.add_variable("C", lowBound=0)
    A = problem.add_variable_dict("A", jobs, 0)
    z = problem.add_variable_dicts("z", (jobs, jobs), cat=pulp.LpBinary)
    problem += C
    for i in jobs:
        problem += pulp.lpSum(z[i][k] for k in jobs) == 1
        problem += pulp.lpSum(z[l][i] for l in jobs) == 1
    unit = unit_of(instance.map_task_time, instance.reduce_task_time)
    work: dict[str, list] = {}  # of each machine of a stage at each position
    for letter, side in (("x", instance.maps), ("y", instance.reduces)):
        machines = range(side.time.shape[1])
        tasks = side.tasks.tolist()
        time = (side.time / unit).tolist()
        x = problem.add_variable_dicts(letter, (jobs, machines, jobs), 0, cat=pulp.LpInteger)
        for i, k in product(jobs, jobs):
            problem += pulp.lpSum(x[i][j][k] for j in machines) == tasks[i] * z[i][k]
        work[letter] = [
            [pulp.lpSum(time[i][j] * x[i][j][k] for i in jobs) for k in jobs] for j in machines
        ]
    for k in jobs:
        for machine in work["x"]:
            problem += pulp.lpSum(machine[: k + 1]) <= A[k]
        for machine in work["y"]:
            problem += A[k] + pulp.lpSum(machine[k:]) <= C
    problem += A[n - 1] <= C
    problem.solve(pulp.HiGHS(msg=False, timeLimit=SECONDS, gapRel=1e-9))
    if problem.sol_status != pulp.LpSolutionOptimal:
        raise RuntimeError(f"no proved optimum within {SECONDS} s for {n} jobs; give fewer")
    return unit * float(C.value())
