"""LoTES in plain Python: read this first, with the paper in hand (Section 4 of the extended version).

The machines and the event loop stand in `plain_datacentre.py`, Greedy and Tetris in `plain_rivals.py`. Names are the
paper's; j, k, l, i, x and y count from 0. Where the paper is silent, we read it as the fast code does:

1. Class k gets nothing where mu_jk = 0, and nothing of a resource that a machine does not have.
2. Eq. 3 is multiplied by both demands: r_kl may be 0. Its resource 1 is the first that class k needs.
3. A delta below 1e-9 is the solver's 0, so k is not in K^j. Any of the many optima may be returned.
4. A bin fits if it needs at most 1 + 1e-9 of the capacity: 20 jobs of 0.025 fit in 0.5 (`model.scaled`).
5. Algorithm 1 ends where `mostRecentAdd({})` is undefined. Its last b_y, empty, is a bin only if nothing fits.
6. Numbers of machines within 1e-6 of a whole one are whole. Of equal fractions the earlier bin is rounded up.
7. Delta_jk is what the bins of configuration j hold after rounding, in jobs: r_kl cancels in rho_jk (Eq. 8).
8. After a configuration without room the wheel spins over the others alone. At last the first of all machines
   with room is taken, in the order of Table 1.
9. All machines of a configuration that have room are candidates, also those with A_ik = 0. Of equal scores
   upsilon the first machine wins; on an exit classes of equal scores keep their order.
10. A class that is in no bin at all counts on every exit as if Delta_jk > 0; else its jobs would wait for ever.

Google's 12,583 machines are planned in half a second. A thousand jobs on 600 machines take 0.1 s (Greedy) to 4 s
(Tetris). Bad input is not refused here beyond what the model's objects do.
"""

from collections.abc import Sequence
from itertools import product
from math import floor

import numpy as np
import numpy.typing as npt
import pulp

from schedlib.core import streams
from schedlib.lotes.model import Allocation, JobClasses, MachineConfigs, Plan, scaled
from schedlib.lotes.plain_datacentre import DataCentre, Job, event_loop, jobs_of, simulation
from schedlib.lotes.plain_rivals import Greedy, Tetris
from schedlib.lotes.simulation import Simulation
from schedlib.workload import SECONDS, Workload


def allocation_lp(configs: MachineConfigs, classes: JobClasses) -> Allocation:
    """Stage 1: the arrival rate that pooled machines sustain, and their shares (Section 4.1, Eqs. 1-5).

    `configs` has c_jl and n_j, `classes` alpha_k, r_kl and mu_jk, in units of the reader's choice.

    >>> allocation_lp(MachineConfigs([[6.0]], [2]), JobClasses([1.0], [[3.0]], [[1.0]])).rate
    4.0
    """
    c, n, alpha = configs.capacity, configs.count, classes.share
    r, mu = classes.demand, classes.rate
    M, K, R = range(len(n)), range(len(alpha)), range(configs.n_resources)
    lp = pulp.LpProblem("allocation", pulp.LpMaximize)
    lambda_ = lp.add_variable("lambda", lowBound=0)
    delta = {}
    for j, k, l in product(M, K, R):
        most = 1 if mu[j, k] > 0 and c[j, l] > 0 else 0  # reading 1
        delta[j, k, l] = lp.add_variable(f"delta_{j}_{k}_{l}", 0, most)  # Eq. 5
    lp += lambda_  # Eq. 1
    for k, l in product(K, R):
        work = pulp.lpSum(delta[j, k, l] * (c[j, l] * n[j] * mu[j, k]) for j in M)
        lp += work >= lambda_ * (alpha[k] * r[k, l]), f"(2)_{k}_{l}"
    one = [min(l for l in R if r[k, l] > 0) for k in K]  # reading 2
    for j, k, l in product(M, K, R):
        left = delta[j, k, l] * (c[j, l] * r[k, one[k]])
        right = delta[j, k, one[k]] * (c[j, one[k]] * r[k, l])
        lp += left == right, f"(3)_{j}_{k}_{l}"
    for j, l in product(M, R):
        lp += pulp.lpSum(delta[j, k, l] for k in K) <= 1, f"(4)_{j}_{l}"
    lp.solve(pulp.HiGHS(msg=False))
    delta_star = np.zeros((len(M), len(K), len(R)))
    running = np.zeros((len(M), len(K)))  # how many jobs these shares hold
    for j, k, l in delta:
        part = delta[j, k, one[k]].value()
        if part > 1e-9:  # reading 3
            delta_star[j, k, l] = delta[j, k, l].value()
            running[j, k] = part * c[j, one[k]] * n[j] / r[k, one[k]]
    return Allocation(rate=lambda_.value(), delta=delta_star, running=running)


def algorithm1(
    capacity: npt.ArrayLike, demand: npt.ArrayLike, K_j: Sequence[int]
) -> list[list[int]]:
    """Stage 2, the bins of configuration j by Algorithm 1 as printed, dominated ones too (Section 4.2).

    `capacity (R,)`: c_jl; `demand (K, R)`: r_kl; `K_j`: its classes. A bin is K numbers of jobs.

    >>> algorithm1([7], [[2], [3]], [0, 1])
    [[3, 0], [2, 1], [2, 0], [1, 1], [1, 0], [0, 2], [0, 1]]
    """
    room, size = scaled(capacity, demand)  # reading 4
    y = 0
    b = [[0] * len(size)]  # b[y] is the bin at hand
    added: list[int] = []  # the places in K_j of its jobs, the latest last
    x = 0
    x_star = x
    next_bin = False
    while x < len(K_j):
        for i in range(x_star, len(K_j)):
            while (b[y] @ size + size[K_j[i]] <= room).all():  # sufficientResource
                b[y][K_j[i]] += 1
                added.append(i)
                next_bin = True  # no other line sets the flag, and none resets it
        if not added:
            break  # reading 5
        x_star = added.pop()  # mostRecentAdd(b[y])
        if next_bin:
            b.append(b[y].copy())
            b[y + 1][K_j[x_star]] -= 1
            y = y + 1
        else:
            b[y][K_j[x_star]] -= 1
        if not any(b[y]):  # b[y] == {}
            x = x + 1
            x_star = x
        else:
            x_star = x_star + 1
    return b[:y] or b  # reading 5


def machine_assignment_lp(
    configs: MachineConfigs, classes: JobClasses, bins: Sequence
) -> tuple[float, list[list[float]]]:
    """Stage 2, its program: lambda, and x_ij, how many machines emulate each bin (Section 4.2, Eqs. 6-10).

    `bins`: for each configuration j its bins, (B_j, K). The x_ij come as one list for each configuration.

    >>> machine_assignment_lp(MachineConfigs([[5.0]], [2]), JobClasses([1.0], [[3.0]], [[1.0]]), [[[1]]])
    (2.0, [[2.0]])
    """
    n, alpha, r, mu = configs.count, classes.share, classes.demand, classes.rate
    M, K, R = range(len(n)), range(len(alpha)), range(configs.n_resources)
    lp = pulp.LpProblem("machine_assignment", pulp.LpMaximize)
    lambda_ = lp.add_variable("lambda", lowBound=0)
    Delta = {}
    for j, k, l in product(M, K, R):
        Delta[j, k, l] = lp.add_variable(f"Delta_{j}_{k}_{l}")
    B = [range(len(bins[j])) for j in M]
    x = [[lp.add_variable(f"x_{i}_{j}", 0) for i in B[j]] for j in M]  # Eq. 10
    lp += lambda_  # Eq. 6
    for k, l in product(K, R):
        work = pulp.lpSum(Delta[j, k, l] * mu[j, k] for j in M)
        lp += work >= lambda_ * (alpha[k] * r[k, l]), f"(7)_{k}_{l}"
    for j, k, l in product(M, K, R):
        epsilon = [bins[j][i][k] * r[k, l] for i in B[j]]  # N_ijk r_kl
        held = pulp.lpSum(epsilon[i] * x[j][i] for i in B[j])
        lp += held == Delta[j, k, l], f"(8)_{j}_{k}_{l}"
    for j in M:
        lp += pulp.lpSum(x[j]) == n[j], f"(9)_{j}"
    lp.solve(pulp.HiGHS(msg=False))
    return lambda_.value(), [[variable.value() for variable in x[j]] for j in M]


def round_to_machines(x_j: Sequence[float]) -> list[int]:
    """Stage 2, its rounding (Section 4.2): the x_ij of one configuration, (B_j,), as whole numbers.

    >>> round_to_machines([1.25, 0.5, 2.25])
    [1, 1, 2]
    """
    x = [round(v) if abs(v - round(v)) < 1e-6 else v for v in x_j]  # reading 6
    machines = [floor(v) for v in x]
    fraction = [x[i] - machines[i] for i in range(len(x))]
    q_j = round(sum(fraction))  # machines without a bin
    by_fraction = sorted(range(len(x)), key=lambda i: -fraction[i])  # stable: reading 6
    for i in by_fraction[:q_j]:
        machines[i] += 1
    return machines


class Lotes:
    """Stage 3: each machine comes to resemble the bin that stage 2 gave it (Sections 4.3.1 and 4.3.2).

    `plan`: what stages 1 and 2 decided; `rng`: what turns the roulette wheel.

    >>> from schedlib import lotes
    >>> configs, classes = MachineConfigs([[5.0]], [2]), JobClasses([1.0], [[2.0]], [[1.0]])
    >>> centre = DataCentre(configs, [[1.0]])
    >>> policy = Lotes(centre, lotes.plan(configs, classes), np.random.default_rng(0))
    >>> centre.start(Job(0, k=0, submit=0.0, w=1.0, r=[0.4]), machine=0)
    >>> [policy.upsilon(machine, 0) for machine in (0, 1)], policy.arrive(Job(1, 0, 0.0, 1.0, [0.4]))
    ([1, 2], 1)
    """

    def __init__(self, centre: DataCentre, plan: Plan, rng: np.random.Generator) -> None:
        self.centre = centre
        self.rng = rng
        self.Delta: list[list[float]] = plan.running.tolist()  # M rows of K classes
        self.N: list[list[int]] = []  # the bin that each machine emulates
        for j in range(len(self.Delta)):
            self.N += plan.targets(j).tolist()
        self.queues: list[list[Job]] = [[] for _ in self.Delta[0]]  # one for each class

    def upsilon(self, machine: int, k: int) -> int:
        """How many jobs of class k the machine's bin has and the machine lacks."""
        return self.N[machine][k] - self.centre.kappa[machine][k]

    def spin(self, left: list[int], k: int) -> int:
        """The roulette wheel: draws configuration j with the probability rho_jk."""
        total = 0.0
        for j in left:
            total += self.Delta[j][k]
        u = self.rng.random() * total  # the paper's u, times the sum in rho_jk
        passed = 0.0
        for j in left:
            passed += self.Delta[j][k]
            if u < passed:
                return j
        return left[-1]

    def best(self, job: Job, machines: list[int]) -> int:
        """The machine with the highest upsilon that has room, or -1."""
        able = [machine for machine in machines if self.centre.fits(job, machine)]
        return max(able, key=lambda machine: self.upsilon(machine, job.k), default=-1)

    def first_fit(self, job: Job) -> int:
        """The first of all machines that has room, or -1."""
        for machine in range(len(self.centre.config)):
            if self.centre.fits(job, machine):
                return machine
        return -1

    def arrive(self, job: Job) -> int:
        """Section 4.3.1: a configuration by the wheel, a machine by its score."""
        left = [j for j, Delta in enumerate(self.Delta) if Delta[job.k] > 0]
        while left:
            j = self.spin(left, job.k)
            machine = self.best(job, self.centre.machines_of(j))
            if machine >= 0:
                return machine
            left.remove(j)  # already considered
        return self.first_fit(job)

    def wait(self, job: Job) -> None:
        """The queue of the job's class."""
        self.queues[job.k].append(job)

    def served(self, j: int) -> list[int]:
        """The classes that a machine of configuration j looks for on an exit."""
        nowhere = [not any(column) for column in zip(*self.Delta, strict=True)]
        return [k for k, Delta in enumerate(self.Delta[j]) if Delta > 0 or nowhere[k]]

    def exit(self, machine: int) -> None:
        """Section 4.3.2: the priority list of classes."""
        classes = self.served(self.centre.config[machine])
        while classes:
            classes.sort(key=lambda k: -self.upsilon(machine, k))  # equal ones stay in order
            queue = self.queues[classes[0]]
            for job in queue:  # in the order of their arrival
                if self.centre.fits(job, machine):
                    queue.remove(job)
                    self.centre.start(job, machine)  # upsilon falls by one
                    break
            else:
                classes.pop(0)  # none of its jobs fits


def simulate(
    policy: str,
    configs: MachineConfigs,
    workload: Workload,
    *,
    plan: Plan | None = None,
    classes: JobClasses | None = None,
    seed: int = 0,
) -> Simulation:
    """Run a workload under `"lotes"` (needs `plan`), `"greedy"` or `"tetris"`; the jobs of `lotes.simulate`.

    Every task of the workload is a job. Demands are in the units of the capacities, times in the workload's.
    `classes`, or those of the plan, say which class can run where; `seed` is for the policy's own choices.
    `plain_datacentre.simulation` says which fields are as in `lotes.simulate`. Source: Sections 4.3 and 5.1.

    >>> jobs = Workload.from_arrays([0, 0, 1], [4.0, 2.0, 1.0], cpu=[1, 1, 1])
    >>> simulate("greedy", MachineConfigs([[2.0]], [1]), jobs).response.tolist()
    [0.0, 0.0, 1.0]
    """
    if classes is None and plan is not None:
        classes = plan.classes
    if classes is None:
        pace = np.ones((configs.n_configs, int(workload.jobs["class"].max()) + 1))
    else:
        pace = np.where(classes.rate > 0, 1.0, np.inf)
    centre = DataCentre(configs, pace.tolist())
    (rng,) = streams(seed, "lotes policy")
    jobs = jobs_of(workload, configs)
    if policy == "lotes" and plan is not None:
        event_loop(Lotes(centre, plan, rng), centre, jobs)
    elif policy == "greedy":
        event_loop(Greedy(centre, rng), centre, jobs)
    elif policy == "tetris":
        hours = SECONDS[workload.time_unit] / SECONDS["h"]
        event_loop(Tetris(centre, hours), centre, jobs)
    else:
        raise ValueError(f"policy: {policy!r}; 'lotes' with a plan, 'greedy' or 'tetris'")
    return simulation(policy, seed, configs, workload, jobs)
