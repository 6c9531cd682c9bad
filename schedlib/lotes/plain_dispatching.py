"""Stage 3 of LoTES in plain Python: where an arriving job starts, and what starts after an exit (Section 4.3).

Read `plain.py` first. Where the text is silent, these readings are taken:

1. Delta_jk is what the bins of configuration j hold after rounding, in jobs: r_kl cancels in rho_jk (Eq. 8).
2. After a configuration without room the wheel spins over the others alone. At last the first of all machines
   with room is taken, in the order of Table 1.
3. All machines of a configuration that have room are candidates, also those with A_ik = 0. Of equal scores
   upsilon the first machine wins; on an exit classes of equal scores keep their order.
4. A class that is in no bin at all counts on every exit as if Delta_jk > 0; else its jobs would wait for ever.
"""

import numpy as np

from schedlib.lotes.model import Plan
from schedlib.lotes.plain_datacentre import DataCentre, Job


class Lotes:
    """Stage 3: each machine comes to resemble the bin that stage 2 gave it (Sections 4.3.1 and 4.3.2).

    `plan`: what stages 1 and 2 decided; `rng`: what turns the roulette wheel.

    >>> from schedlib import lotes
    >>> configs = lotes.MachineConfigs([[5.0]], [2])
    >>> classes = lotes.JobClasses([1.0], [[2.0]], [[1.0]])
    >>> centre = DataCentre(configs, [[1.0]])
    >>> policy = Lotes(centre, lotes.plan(configs, classes), np.random.default_rng(0))
    >>> centre.start(Job(0, k=0, submit=0.0, w=1.0, r=[0.4]), machine=0)
    >>> [policy.upsilon(machine, 0) for machine in (0, 1)], policy.arrive(Job(1, 0, 0.0, 1.0, [0.4]))
    ([1, 2], 1)
    """

    def __init__(  # plan: of stages 1 and 2; rng: turns the wheel
        self, centre: DataCentre, plan: Plan, rng: np.random.Generator
    ) -> None:
        self.centre = centre
        self.rng = rng
        self.Delta: list[list[float]] = plan.running.tolist()  # M x K, reading 1
        self.N: list[list[int]] = []  # the bin that each machine emulates
        for j in range(len(self.Delta)):
            self.N += plan.targets(j).tolist()
        # a queue for each class
        self.queues: list[list[Job]] = [[] for _ in self.Delta[0]]

    def upsilon(self, machine: int, k: int) -> int:
        """How many jobs of class k the machine's bin has and the machine lacks."""
        wanted = self.N[machine][k]
        present = self.centre.kappa[machine][k]
        return wanted - present

    def spin(self, left: list[int], k: int) -> int:
        """The roulette wheel: draws configuration j with the probability rho_jk."""
        total = sum(self.Delta[j][k] for j in left)
        u = self.rng.random() * total  # the paper's u, times the sum in rho_jk
        passed = 0.0
        for j in left:
            passed += self.Delta[j][k]
            if u < passed:
                return j
        return left[-1]

    def best(self, job: Job, machines: list[int]) -> int:
        """The machine with the highest upsilon that has room, or -1."""
        able = [m for m in machines if self.centre.fits(job, m)]
        return max(able, key=lambda m: self.upsilon(m, job.k), default=-1)

    def first_fit(self, job: Job) -> int:
        """The first of all machines that has room, or -1."""
        for machine in range(len(self.centre.config)):
            if self.centre.fits(job, machine):
                return machine
        return -1

    def arrive(self, job: Job) -> int:
        """Section 4.3.1: a configuration by the wheel, a machine by its score."""
        # configurations not yet considered
        left = [j for j, Delta in enumerate(self.Delta) if Delta[job.k] > 0]
        while left:  # reading 2
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
        classes = []
        for k, Delta in enumerate(self.Delta[j]):
            in_no_bin = not any(row[k] for row in self.Delta)  # reading 4
            if Delta > 0 or in_no_bin:
                classes.append(k)
        return classes

    def exit(self, machine: int) -> None:
        """Section 4.3.2: the priority list of classes."""
        j = self.centre.config[machine]
        classes = self.served(j)
        while classes:
            # the largest upsilon first; equal ones stay in order
            classes.sort(key=lambda k: -self.upsilon(machine, k))
            queue = self.queues[classes[0]]
            for job in queue:  # in the order of their arrival
                if self.centre.fits(job, machine):
                    queue.remove(job)
                    self.centre.start(job, machine)  # upsilon falls by one
                    break
            else:
                classes.pop(0)  # none of its jobs fits
