"""LoTES in plain Python: read this first, with the paper in hand (Section 4 of the extended version).

Here are stages 1 and 2. Stage 3 is in `plain_dispatching.py`, Greedy and Tetris in `plain_rivals.py`, the machines and
the event loop in `plain_datacentre.py`. Names are the paper's; j, k, l, i, x and y count from 0. Where the paper is
silent, we read it as the fast code does:

1. Class k gets nothing where mu_jk = 0, and nothing of a resource that a machine does not have.
2. Eq. 3 is multiplied by both demands: r_kl may be 0. Its resource 1 is the first that class k needs.
3. A delta below 1e-9 is the solver's 0, so k is not in K^j. Any of the many optima may be returned.
4. A bin fits if it needs at most 1 + 1e-9 of the capacity: 20 jobs of 0.025 fit in 0.5 (`small_units`).
5. Algorithm 1 ends where `mostRecentAdd({})` is undefined. Its last b_y, empty, is a bin only if nothing fits.
6. Numbers of machines within 1e-6 of a whole one are whole. Of equal fractions the earlier bin is rounded up.

Google's 12,583 machines are planned in half a second; a thousand jobs on 600 machines take 0.1 to 4 s.
"""

from collections.abc import Sequence
from itertools import product
from math import floor
from typing import NamedTuple

import numpy as np
import pandas as pd
import pulp

from schedlib.core import streams
from schedlib.lotes.model import JobClasses, MachineConfigs, Plan
from schedlib.lotes.plain_datacentre import DataCentre, Dispatcher, event_loop, jobs_of
from schedlib.lotes.plain_datacentre import Job as Job
from schedlib.lotes.plain_dispatching import Lotes
from schedlib.lotes.plain_rivals import Greedy, Tetris
from schedlib.workload import SECONDS, Workload, in_short, with_results


class Shares(NamedTuple):
    """The optimum of stage 1: lambda, jobs per unit of time, and `delta (M, K, R)`, the classes' shares.

    >>> Shares(rate=4.0, delta=np.ones((1, 1, 1))).rate
    4.0
    """

    rate: float
    delta: np.ndarray


class Run(NamedTuple):
    """The jobs of a run: a frame with the columns of `Simulation.jobs`. Pictures take it as they take that.

    >>> Run("greedy", pd.DataFrame({"submit": [0.0, 1.0], "start": [0.0, 3.0]})).wait.tolist()
    [0.0, 2.0]
    """

    policy: str
    jobs: pd.DataFrame

    def __repr__(self) -> str:
        return in_short(self, self.policy, self.jobs)

    @property
    def wait(self) -> np.ndarray:
        """Start less submission of each job, NaN where it did not start."""
        return (self.jobs["start"] - self.jobs["submit"]).to_numpy()


def allocation_lp(configs: MachineConfigs, classes: JobClasses) -> Shares:
    """Stage 1: the arrival rate that pooled machines sustain, and their shares (Section 4.1, Eqs. 1-5).

    `configs` has c_jl and n_j, `classes` alpha_k, r_kl and mu_jk, in units of the reader's choice.

    >>> allocation_lp(MachineConfigs([[6.0]], [2]), JobClasses([1.0], [[3.0]], [[1.0]])).rate
    4.0
    """
    c, n, alpha = configs.capacity, configs.count, classes.share
    r, mu = classes.demand, classes.rate
    M = range(len(n))
    K = range(len(alpha))
    R = range(configs.n_resources)
    lp = pulp.LpProblem("allocation", pulp.LpMaximize)
    lambda_ = lp.add_variable("lambda", lowBound=0)
    delta = {}
    for j, k, l in product(M, K, R):
        useful = min(mu[j, k], c[j, l]) > 0  # reading 1
        most = 1 if useful else 0
        name = f"delta_{j}_{k}_{l}"
        delta[j, k, l] = lp.add_variable(name, 0, most)  # Eq. 5
    lp += lambda_  # Eq. 1
    for k, l in product(K, R):
        work = pulp.LpAffineExpression()
        for j in M:
            pooled = c[j, l] * n[j]
            pace = pooled * mu[j, k]
            work += delta[j, k, l] * pace
        need = lambda_ * (alpha[k] * r[k, l])
        lp += work >= need, f"(2)_{k}_{l}"
    one = (r > 0).argmax(axis=1)
    for (j, k, l), delta_jkl in delta.items():
        first = one[k]
        delta_jk1 = delta[j, k, first]
        left = delta_jkl * (c[j, l] * r[k, first])  # reading 2
        right = delta_jk1 * (c[j, first] * r[k, l])
        lp += left == right, f"(3)_{j}_{k}_{l}"
    for j, l in product(M, R):
        parts = [delta[j, k, l] for k in K]
        held = pulp.lpSum(parts)
        lp += held <= 1, f"(4)_{j}_{l}"
    lp.solve(pulp.HiGHS(msg=False))
    delta_star = np.zeros((len(M), len(K), len(R)))
    for jkl, variable in delta.items():
        share = variable.value()
        delta_star[jkl] = share if share > 1e-9 else 0  # reading 3
    return Shares(lambda_.value(), delta_star)


def algorithm1(  # capacity (R,), demand (K, R)
    capacity: Sequence, demand: Sequence, K_j: Sequence[int]
) -> list[list[int]]:
    """Stage 2, the bins of configuration j by Algorithm 1 as printed, dominated ones too (Section 4.2).

    `capacity (R,)`: c_jl; `demand (K, R)`: r_kl; `K_j`: its classes. A bin is K numbers of jobs.

    >>> algorithm1([7], [[2], [3]], [0, 1])
    [[3, 0], [2, 1], [2, 0], [1, 1], [1, 0], [0, 2], [0, 1]]
    """
    room, size = small_units(capacity, demand)  # reading 4
    y = 0
    b = [[0] * len(size)]  # b[y] is the bin at hand
    added: list[int] = []  # the places in K_j of its jobs, the latest last
    x = 0
    x_star = x
    next_bin = False
    while x < len(K_j):
        for i in range(x_star, len(K_j)):
            k = K_j[i]
            while sufficient_resource(b[y], k, size, room):
                b[y][k] += 1
                added.append(i)
                next_bin = True  # set in this line only, and reset in none
        if not added:
            break  # reading 5
        x_star = added.pop()  # mostRecentAdd(b[y])
        k = K_j[x_star]
        if next_bin:
            removed = b[y].copy()
            removed[k] -= 1
            b.append(removed)
            y = y + 1
        else:
            b[y][k] -= 1
        if not any(b[y]):  # b[y] == {}
            x = x + 1
            x_star = x
        else:
            x_star = x_star + 1
    return b[:y] or b  # reading 5


def sufficient_resource(b_y: Sequence[int], k: int, size: Sequence, room: Sequence[int]) -> bool:
    """Whether one more job of class k fits beside the jobs of bin `b_y (K,)`: the paper's sufficientResource.

    `size (K, R)`: what a job needs; `room (R,)`: the machine's capacity, in the same units.

    >>> sufficient_resource([2], 0, [[3]], [8])
    False
    """
    for l in range(len(room)):
        used = sum(jobs * needs[l] for jobs, needs in zip(b_y, size, strict=True))
        if used + size[k][l] > room[l]:
            return False
    return True


def small_units(capacity: Sequence[float], demand: Sequence) -> tuple[list[int], list[list[int]]]:
    """Capacities (R,) and demands (K, R) in whole units, 2**50 of which are a capacity: sums of them are exact.

    >>> small_units([0.5], [[0.25]])[1][0][0] == 2**49
    True
    """
    unit = [(c if c > 0 else 1) / 2**50 for c in capacity]
    room = [floor(c / u * (1 + 1e-9)) for c, u in zip(capacity, unit, strict=True)]
    size = []
    for needs in demand:
        size.append([max(round(r / u), r > 0) for r, u in zip(needs, unit, strict=True)])
    return room, size


def machine_assignment_lp(
    configs: MachineConfigs, classes: JobClasses, bins: Sequence
) -> tuple[float, list[list[float]]]:
    """Stage 2, its program: lambda, and x_ij, how many machines emulate each bin (Section 4.2, Eqs. 6-10).

    `bins`: for each configuration j its bins, (B_j, K). The x_ij come as one list for each configuration.

    >>> machine_assignment_lp(MachineConfigs([[5.0]], [2]), JobClasses([1.0], [[3.0]], [[1.0]]), [[[1]]])
    (2.0, [[2.0]])
    """
    n, alpha = configs.count, classes.share
    r, mu = classes.demand, classes.rate
    M = range(len(n))
    K = range(len(alpha))
    R = range(configs.n_resources)
    lp = pulp.LpProblem("machine_assignment", pulp.LpMaximize)
    lambda_ = lp.add_variable("lambda", lowBound=0)
    Delta = {}
    for j, k, l in product(M, K, R):
        name = f"Delta_{j}_{k}_{l}"
        Delta[j, k, l] = lp.add_variable(name)
    x = []
    for j in M:
        B_j = range(len(bins[j]))
        x_j = [lp.add_variable(f"x_{i}_{j}", 0) for i in B_j]  # Eq. 10
        x.append(x_j)
    lp += lambda_  # Eq. 6
    for k, l in product(K, R):
        work = pulp.LpAffineExpression()
        for j in M:
            pace = mu[j, k]
            work += Delta[j, k, l] * pace
        need = lambda_ * (alpha[k] * r[k, l])
        lp += work >= need, f"(7)_{k}_{l}"
    for (j, k, l), Delta_jkl in Delta.items():
        held = pulp.LpAffineExpression()
        for N_ij, x_ij in zip(bins[j], x[j], strict=True):
            epsilon = N_ij[k] * r[k, l]
            held += epsilon * x_ij
        lp += held == Delta_jkl, f"(8)_{j}_{k}_{l}"
    for j in M:
        emulating = pulp.lpSum(x[j])
        lp += emulating == n[j], f"(9)_{j}"
    lp.solve(pulp.HiGHS(msg=False))
    optimum = [[x_ij.value() for x_ij in x_j] for x_j in x]
    return lambda_.value(), optimum


def round_to_machines(x_j: Sequence[float]) -> list[int]:
    """Stage 2, its rounding (Section 4.2): the x_ij of one configuration, (B_j,), as whole numbers.

    >>> round_to_machines([1.25, 0.5, 2.25])
    [1, 1, 2]
    """
    machines = []
    fraction = []
    for x_ij in x_j:
        nearest = round(x_ij)
        if abs(x_ij - nearest) < 1e-6:  # reading 6
            x_ij = nearest
        whole = floor(x_ij)
        machines.append(whole)
        fraction.append(x_ij - whole)
    q_j = round(sum(fraction))  # machines without a bin
    bins = range(len(x_j))
    by_fraction = sorted(bins, key=lambda i: -fraction[i])  # reading 6
    rounded_up = by_fraction[:q_j]
    for i in rounded_up:
        machines[i] += 1
    return machines


def simulate(
    policy: str,
    configs: MachineConfigs,
    workload: Workload,
    *,
    plan: Plan | None = None,
    classes: JobClasses | None = None,
    seed: int = 0,
) -> Run:
    """Run a workload under `"lotes"` (needs `plan`), `"greedy"` or `"tetris"`; the jobs of `lotes.simulate`.

    Every task of the workload is a job. Demands are in the capacities' units, times in the workload's. `classes`, or
    the plan's, say which class can run where, and how fast; `seed`: the policy's choices. Source: Sections 4.3, 5.1.

    >>> jobs = Workload.from_arrays([0, 0, 1], [4.0, 2.0, 1.0], cpu=[1, 1, 1])
    >>> simulate("greedy", MachineConfigs([[2.0]], [1]), jobs).wait.tolist()
    [0.0, 0.0, 1.0]
    """
    if classes is None and plan is not None:
        classes = plan.classes
    if classes is None:
        n_classes = int(workload.jobs["class"].max()) + 1
        pace = np.ones((configs.n_configs, n_classes))
    else:
        pace = classes.slowdown
    centre = DataCentre(configs, pace.tolist())
    (rng,) = streams(seed, "lotes policy")
    jobs = jobs_of(workload, configs)
    dispatcher: Dispatcher
    if policy == "lotes" and plan is not None:
        dispatcher = Lotes(centre, plan, rng)
    elif policy == "greedy":
        dispatcher = Greedy(centre, rng)
    elif policy == "tetris":
        dispatcher = Tetris(centre, hours=SECONDS[workload.time_unit] / SECONDS["h"])
    else:
        raise ValueError(f"policy: {policy!r}; 'lotes' with a plan, 'greedy' or 'tetris'")
    event_loop(dispatcher, centre, jobs)
    frame = pd.DataFrame(jobs).rename(columns={"k": "class"})
    frame.insert(0, "job", workload.tasks["job"])
    measured = frame.drop(columns=["row", "w", "r"])
    tasks = np.diff(workload.offsets)
    return Run(policy, with_results(workload.jobs, measured.to_dict("series"), tasks))
