"""Lower bounds on the makespan, which no schedule beats, and the exact optimum (beyond the paper).

Give machine j of a stage the price u_j, with prices that add up to one. In one unit of time all machines
together earn at most one unit of money, so a stage acts like a single machine on which job i takes at least
a_i = T_i min_j u_j E_ij. Two such machines in a row are Johnson's problem: the makespan of his rule is a
bound for *any* prices. The best prices for a stage alone are the dual solution of its linear program.
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import pulp

from schedlib.core.checks import typed
from schedlib.hmhs.johnson import flow_shop_makespan, johnson
from schedlib.hmhs.model import Instance

LARGEST = 8  # most jobs of an instance whose optimum is worked out
FIRST = 5  # machines of each job in the first linear program
ROUNDS = 60  # changes of the prices before it
PRIMAL = 4  # HiGHS's number for the primal simplex


class Prices(NamedTuple):
    """A stage's fluid optimum: the makespan, and the prices u of machines (M,) and a of jobs (N,)."""

    makespan: float
    machine: np.ndarray
    job: np.ndarray


class Divided(NamedTuple):
    """A stage whose tasks may be divided: the least makespan, tasks of each job on each machine (N, M)."""

    makespan: float
    share: np.ndarray
    prices: Prices


def stage_prices(tasks: npt.ArrayLike, time: npt.ArrayLike) -> Prices:
    """The prices of `divided`, whose makespan is a bound even if the solver's duals are off by a rounding
    error: it is worked out from them.

    >>> prices = stage_prices([3], np.array([[1.0, 2.0]]))
    >>> round(prices.makespan, 9), (3 * prices.machine).round(9).tolist()
    (2.0, [2.0, 1.0])
    """
    return divided(tasks, time).prices


def divided(tasks: npt.ArrayLike, time: npt.ArrayLike) -> Divided:
    """Solve one stage alone, tasks divisible and all ready at zero, as a linear program.

    `tasks (N,)`: T_i; `time (N, M)`: E_ij. Minimise C subject to sum_j x_ij = T_i and sum_i E_ij x_ij <= C,
    with each job on a few likely machines alone at first; pairs that are cheaper at the prices found join,
    until there are none. An infinite time forbids a pair. The shares are a vertex: they split few tasks.
    Raises RuntimeError when the solver gives up.

    >>> divided([3], np.array([[1.0, 2.0]])).share.round(9).tolist()
    [[2.0, 1.0]]
    """
    tasks, time = np.asarray(tasks), np.asarray(time, float)
    jobs, machines = time.shape
    if not tasks.any():
        idle = Prices(0.0, np.full(machines, 1 / machines), np.zeros(jobs))
        return Divided(0.0, np.zeros(time.shape), idle)
    import highspy  # slow to load

    endless, none, nowhere = highspy.kHighsInf, np.zeros(0), np.zeros(machines + jobs, np.int32)
    engine = highspy.Highs()
    engine.setOptionValue("output_flag", False)
    engine.addCol(1.0, 0.0, endless, 0, nowhere[:0], none)  # C
    # One row for each job's tasks, one for each machine's load.
    engine.addRows(
        jobs, tasks.astype(float), tasks.astype(float), 0, nowhere[:jobs], nowhere[:0], none
    )
    engine.addRows(
        machines,
        np.full(machines, -endless),
        np.zeros(machines),
        machines,
        np.arange(machines, dtype=np.int32),
        nowhere[:machines],
        -np.ones(machines),
    )
    allowed, pairs = np.isfinite(time), []
    known, cost = ~allowed, np.where(allowed, likely_prices(tasks, time) * time, np.inf)
    cheap = (cost <= np.sort(cost, axis=1)[:, min(FIRST, machines) - 1, None]) & allowed
    while cheap.any():
        known |= cheap
        job, machine = cheap.nonzero()
        pairs.append((job, machine))
        place = np.column_stack([job, jobs + machine]).ravel().astype(np.int32)
        value = np.column_stack([np.ones(job.size), time[cheap]]).ravel()
        engine.addCols(
            job.size,
            np.zeros(job.size),
            np.zeros(job.size),
            np.full(job.size, endless),
            value.size,
            np.arange(0, value.size, 2, dtype=np.int32),
            place,
            value,
        )
        engine.run()
        engine.setOptionValue("simplex_strategy", PRIMAL)  # new columns leave the basis feasible
        if (status := engine.getModelStatus()) != highspy.HighsModelStatus.kOptimal:
            why = engine.modelStatusToString(status)
            raise RuntimeError(f"the linear program of {jobs} jobs on {machines} machines: {why}")
        price = np.abs(engine.getSolution().row_dual[jobs:])
        price /= price.sum()
        cost = np.where(allowed, price * np.where(allowed, time, 1.0), np.inf)
        cheap = ~known & (
            cost < np.where(known, cost, np.inf).min(axis=1, keepdims=True) * (1 - 1e-9)
        )
    least, share = tasks * cost.min(axis=1), np.zeros(time.shape)
    share[tuple(np.hstack(pairs))] = engine.getSolution().col_value[1:]
    used = np.where(share > 0, time, 0.0) * share
    return Divided(float(used.sum(axis=0).max()), share, Prices(float(least.sum()), price, least))


def likely_prices(tasks: np.ndarray, time: np.ndarray) -> np.ndarray:
    """Prices (M,) near the best: a machine loaded above the average becomes dearer, the best prices met win.

    To begin with a machine is dear where tasks are short: exact where every job has the same factors V_j.
    """
    there = np.isfinite(time)
    total = np.where(there, time, 0.0).sum(axis=0)
    price = np.maximum(there.sum(axis=0), 1) / np.where(total > 0, total, 1.0)
    if not tasks.any():
        return price
    best, most, jobs = price, 0.0, np.arange(len(time))
    for step in range(ROUNDS):
        cost = price * time
        machine = cost.argmin(axis=1)
        if (bound := (tasks * cost[jobs, machine]).sum() / price.sum()) > most:
            best, most = price.copy(), bound
        load = np.bincount(machine, tasks * time[jobs, machine], price.size)
        price *= 1 + 0.5 / (1 + step) ** 0.5 * (load / load.mean() - 1).clip(-0.5, 0.5)
    return best


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
    map_prices = stage_prices(instance.map_tasks, instance.map_task_time)
    reduce_prices = stage_prices(instance.reduce_tasks, instance.reduce_task_time)
    map_alone = _alone(instance.map_tasks, instance.map_task_time)
    reduce_alone = _alone(instance.reduce_tasks, instance.reduce_task_time)
    first, second = map_prices.job, reduce_prices.job
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


def _alone(tasks: np.ndarray, time: np.ndarray) -> np.ndarray:
    """The least time that each job's stage takes with all machines to itself, (N,), by bisection."""
    low, high = np.zeros(tasks.size), tasks * time.min(axis=1)
    for _ in range(60):
        middle = (low + high) / 2
        enough = np.floor(middle[:, None] / time).sum(axis=1) >= tasks
        low, high = np.where(enough, low, middle), np.where(enough, middle, high)
    return low


@typed
def optimum(instance: Instance, *, seconds: float = 60.0) -> float:
    """The smallest makespan of any schedule of a tiny instance, in its unit of time.

    On a map machine, tasks may as well run in the order in which their jobs end their maps; on a reduce
    machine, in the order in which they become ready, which is the same one. So one order of the jobs serves
    all machines. Position k of it holds one job (z_ik = 1); x_ijk and y_ijk count its map and reduce tasks on
    machine j. All maps up to position k end by A_k, and every reduce machine has all from position k on still
    before it at A_k. ValueError for more than 8 jobs, RuntimeError when the answer is not proved within
    `seconds`.

    See also: `hmhs.lower_bound`.

    >>> one = [[1.0], [1.0]]
    >>> round(optimum(Instance([5, 1], [1, 1], one, [1, 5], [1, 1], one)), 6)
    7.0
    """
    n = instance.n_jobs
    if n > LARGEST:
        raise ValueError(
            f"instance: {n} jobs; the program is for at most {LARGEST}, see lower_bound"
        )
    jobs = range(n)
    problem = pulp.LpProblem("optimum", pulp.LpMinimize)
    makespan = problem.add_variable("C", lowBound=0)
    ready = [problem.add_variable(f"A_{k}", lowBound=0) for k in jobs]
    place = [[problem.add_variable(f"z_{i}_{k}", cat=pulp.LpBinary) for k in jobs] for i in jobs]
    problem += makespan
    for i in jobs:
        problem += pulp.lpSum(place[i]) == 1
        problem += pulp.lpSum(place[l][i] for l in jobs) == 1

    def counts(letter, tasks, machines):
        def variable(i, j, k):
            return problem.add_variable(f"{letter}_{i}_{j}_{k}", 0, int(tasks[i]), pulp.LpInteger)

        count = [[[variable(i, j, k) for k in jobs] for j in range(machines)] for i in jobs]
        for i in jobs:
            for k in jobs:
                problem.addConstraint(
                    pulp.lpSum(row[k] for row in count[i]) == int(tasks[i]) * place[i][k]
                )
        return count

    def work(count, time, machine, positions):
        return pulp.lpSum(
            float(time[i, machine]) * count[i][machine][k] for i in jobs for k in positions
        )

    x = counts("x", instance.map_tasks, instance.map_machines)
    y = counts("y", instance.reduce_tasks, instance.reduce_machines)
    for k in jobs:
        for j in range(instance.map_machines):
            problem += work(x, instance.map_task_time, j, range(k + 1)) <= ready[k]
        for j in range(instance.reduce_machines):
            problem += ready[k] + work(y, instance.reduce_task_time, j, range(k, n)) <= makespan
    problem += ready[n - 1] <= makespan
    problem.solve(pulp.HiGHS(msg=False, timeLimit=seconds, gapRel=1e-9))
    if problem.sol_status != pulp.LpSolutionOptimal:
        raise RuntimeError(
            f"no proved optimum within {seconds} s for {n} jobs; give it more seconds"
        )
    return float(makespan.value())
