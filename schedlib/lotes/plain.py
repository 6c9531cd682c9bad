"""LoTES in plain Python, stage 3: dispatching (Section 4.3 of the extended version). Read this first.

`plain_datacentre.py` has the machines and the event loop, `plain_rivals.py` has Greedy and Tetris. A thousand jobs
on 600 machines take 0.1 s (Greedy) to 4 s (Tetris). Input is not validated beyond what the model objects do.
Where the text is silent, these readings are taken, as in the fast code:

- Delta_jk is what the machines of configuration j hold in their bins after rounding, counted in jobs: the
  sizes r_kl cancel in rho_jk (Eq. 8).
- After a configuration without room the wheel spins over the others alone. At last all machines are tried in
  the order of Table 1, and the first with room is taken.
- Among the machines of a configuration all with room are candidates, also those with A_ik = 0. Of equal
  scores upsilon the first machine wins; on an exit classes of equal scores keep their order.
- A class that is in no bin at all counts on every exit as if Delta_jk > 0; else its jobs would wait for ever.
"""

import numpy as np

from schedlib.core import streams
from schedlib.lotes.model import JobClasses, MachineConfigs, Plan
from schedlib.lotes.plain_datacentre import DataCentre, Job, event_loop, jobs_of, simulation
from schedlib.lotes.plain_rivals import Greedy, Tetris
from schedlib.lotes.simulate import Simulation
from schedlib.workload import SECONDS, Workload


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
