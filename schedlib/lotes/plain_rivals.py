"""LoTES's two rivals in plain Python: Greedy and Tetris (LoTES, Section 5.1). Read `plain.py` first.

Where the text is silent, these readings are taken:

- Greedy: a job waits only at a machine that is large enough for it.
- Greedy, first come first served: an arriving job does not overtake those that wait at a machine.
- Tetris: sizes and what is free are fractions of the largest capacity, processing times are in hours.
- Tetris: jobs that fit nowhere wait in one queue. When a job leaves a machine, the best that fits starts there,
  until none fits.
- Tetris: of machines with equal scores the one with the larger omega wins, then the first; of waiting jobs
  the first.
"""

import numpy as np

from schedlib.lotes.plain_datacentre import DataCentre, Job


class Greedy:
    """Section 5.1, first half: the first machine with room, else the shortest queue of a machine.

    `rng` breaks ties between queues.

    >>> from schedlib.lotes import MachineConfigs
    >>> centre = DataCentre(MachineConfigs([[1.0]], [3]), [[1.0]])
    >>> greedy = Greedy(centre, np.random.default_rng(0))
    >>> small, large = Job(0, 0, 0.0, 1.0, [0.5]), Job(1, 0, 0.0, 1.0, [0.75])
    >>> centre.start(small, machine=0)
    >>> greedy.arrive(large)
    1
    """

    def __init__(self, centre: DataCentre, rng: np.random.Generator) -> None:
        self.centre = centre
        self.rng = rng
        # a queue at each machine
        self.queues: list[list[Job]] = [[] for _ in centre.config]

    def arrive(self, job: Job) -> int:
        """First fit, the machines in the order of Table 1."""
        for machine, queue in enumerate(self.queues):
            if not queue and self.centre.fits(job, machine):
                return machine
        return -1

    def wait(self, job: Job) -> None:
        """The machine with the shortest queue; ties are broken randomly."""
        length = {}  # of the queues at machines that are large enough
        for machine, queue in enumerate(self.queues):
            if self.centre.fits(job, machine, empty=True):
                length[machine] = len(queue)
        shortest = min(length.values())
        ties = [machine for machine in length if length[machine] == shortest]
        drawn = int(self.rng.random() * len(ties))
        self.queues[ties[drawn]].append(job)

    def exit(self, machine: int) -> None:
        """First come, first served: a job that does not fit holds up those behind it."""
        queue = self.queues[machine]
        while queue and self.centre.fits(queue[0], machine):
            self.centre.start(queue.pop(0), machine)


class Tetris:
    """Section 5.1, second half: the largest omega - gamma, packing less work.

    `hours`: the workload's unit of time in hours.

    >>> from schedlib.lotes import MachineConfigs
    >>> centre = DataCentre(MachineConfigs([[1.0]], [3]), [[1.0]])
    >>> tetris = Tetris(centre, hours=1.0)
    >>> small, large = Job(0, 0, 0.0, 1.0, [0.5]), Job(1, 0, 0.0, 1.0, [0.75])
    >>> centre.start(small, machine=0)
    >>> tetris.arrive(large), round(tetris.omega(large, 1), 6), tetris.gamma(large, 1)
    (1, 0.75, 0.75)
    """

    def __init__(self, centre: DataCentre, hours: float) -> None:
        self.centre = centre
        self.hours = hours
        self.queue: list[Job] = []

    def omega(self, job: Job, machine: int) -> float:
        """How well the job packs on the machine."""
        omega = 0.0
        free = self.centre.free[machine]
        for r, c in zip(job.r, free, strict=True):
            omega += r * c  # omega = r . C
        return omega

    def gamma(self, job: Job, machine: int) -> float:
        """How much work the job is there."""
        total = 0.0
        for r in job.r:
            total += r  # r . 1
        j = self.centre.config[machine]
        pace = self.centre.pace[j][job.k]
        work = job.w * total
        return self.hours * (pace * work)  # gamma = p r . 1

    def score(self, job: Job, machine: int) -> float:
        """The larger, the sooner: equal weights."""
        return self.omega(job, machine) - self.gamma(job, machine)

    def arrive(self, job: Job) -> int:
        """The machine with room and the largest score."""
        rank = {}  # of the machines with room
        for machine in range(len(self.centre.config)):
            if self.centre.fits(job, machine):
                score = self.score(job, machine)
                rank[machine] = score, self.omega(job, machine)
        return max(rank, key=lambda m: rank[m], default=-1)  # or the first

    def wait(self, job: Job) -> None:
        """One queue for all."""
        self.queue.append(job)

    def exit(self, machine: int) -> None:
        """Start the waiting job that fits and has the largest score, until none fits."""
        centre = self.centre
        while True:
            able = [job for job in self.queue if centre.fits(job, machine)]
            if not able:
                return
            # the largest score; of equal ones the first
            best = max(able, key=lambda job: self.score(job, machine))
            self.queue.remove(best)
            centre.start(best, machine)
