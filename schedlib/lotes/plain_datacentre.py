"""Stage 3 of LoTES in plain Python: jobs, machines and the loop over the events.

Read `plain.py` first. A policy is three questions: where does an arriving job start, where does it wait if it
cannot, and which waiting jobs start on a machine that a job has left. The loop asks them (Section 4.3).

Where the text is silent, these readings are taken:

- Exits come before arrivals at the same time, and equal exits in the order in which their jobs started.
- Sizes and capacities are fractions of the largest capacity, each a whole number of 2**-50 (`lotes.scaled`),
  so that floats add and subtract them without an error: 20 jobs of 0.025 fill a machine of 0.5.
- A job fits that needs up to a billionth more than there is.
- A resource is divisible.
"""

import heapq
import math
from dataclasses import dataclass
from typing import Any, Protocol

from schedlib.lotes.model import UNITS, MachineConfigs, scaled
from schedlib.workload import Workload

EXIT, ARRIVAL = 0, 1  # at the same time exits come first


@dataclass(eq=False)
class Job:
    """A job: its number, class, submission, work w, sizes r (R of them); and what becomes of it.

    >>> Job(row=0, k=1, submit=2.0, w=4.0, r=[0.5]).machine
    -1
    """

    row: int
    k: int
    submit: float
    w: float
    r: list[float]
    start: float = math.nan
    finish: float = math.nan
    machine: int = -1


class Dispatcher(Protocol):
    """A policy is three questions. LoTES, Greedy and Tetris answer them.

    >>> from schedlib.lotes.plain_rivals import Greedy
    >>> [name for name in vars(Dispatcher) if name[0] != "_" and hasattr(Greedy, name)]
    ['arrive', 'wait', 'exit']
    """

    def arrive(self, job: Job) -> int:
        """On which machine does the arriving job start? -1 if it waits."""

    def wait(self, job: Job) -> None:
        """In which queue does the job wait?"""

    def exit(self, machine: int) -> None:
        """A job has left the machine: which waiting jobs start there? It starts them itself."""


class DataCentre:
    """All machines, those of Table 1's first row first; what is free and what runs on each; the events to come.

    `pace (M, K)`: how long a unit of work lasts, 1 / mu_jk; infinite where class k cannot run.

    >>> centre = DataCentre(MachineConfigs([[4.0], [2.0]], [1, 2]), [[1.0], [1.0]])
    >>> centre.start(Job(0, k=0, submit=0.0, w=3.0, r=[0.25]), machine=1)
    >>> [round(free, 6) for (free,) in centre.free], centre.kappa, centre.events[0][0]
    ([1.0, 0.25, 0.5], [[0], [1], [0]], 3.0)
    """

    def __init__(self, configs: MachineConfigs, pace: list[list[float]]) -> None:
        room, _ = scaled(configs.capacity, configs.capacity)
        self.capacity: list[list[float]] = (room / UNITS).tolist()
        self.pace = pace
        self.config: list[int] = []  # of each machine
        for j, n in enumerate(configs.count.tolist()):
            self.config += [j] * n
        self.free = [list(self.capacity[j]) for j in self.config]  # C of each machine
        self.kappa = [[0] * len(pace[0]) for _ in self.config]  # jobs by machine and class
        self.events: list[tuple[float, int, int, Any]] = []  # a heap
        self.starts = 0
        self.now = 0.0

    def machines_of(self, j: int) -> list[int]:
        """The machines of configuration j."""
        return [machine for machine, config in enumerate(self.config) if config == j]

    def fits(self, job: Job, machine: int, empty: bool = False) -> bool:
        """Whether the machine has room for the job now, or would have if it were `empty`."""
        j = self.config[machine]
        if empty:
            room = self.capacity[j]
        else:
            room = self.free[machine]
        if self.pace[j][job.k] == math.inf:
            return False
        return all(r <= c for r, c in zip(job.r, room, strict=True))

    def start(self, job: Job, machine: int) -> None:
        """Start a job that fits on a machine now; it ends w / mu_jk later."""
        free = self.free[machine]
        for l, r in enumerate(job.r):
            free[l] -= r
        self.kappa[machine][job.k] += 1
        j = self.config[machine]
        duration = job.w * self.pace[j][job.k]
        job.machine = machine
        job.start = self.now
        job.finish = self.now + duration
        self.starts += 1
        event = (job.finish, EXIT, self.starts, job)
        heapq.heappush(self.events, event)

    def end(self, job: Job) -> None:
        """Release what the job held."""
        free = self.free[job.machine]
        for l, r in enumerate(job.r):
            free[l] += r
        self.kappa[job.machine][job.k] -= 1


def event_loop(  # policy: Greedy, Tetris or LoTES
    policy: Dispatcher, centre: DataCentre, jobs: list[Job]
) -> None:
    """Let the jobs arrive, start and end until nothing is left to happen (Section 4.3).

    >>> from schedlib.lotes.plain_rivals import Tetris
    >>> centre = DataCentre(MachineConfigs([[1.0]], [1]), [[1.0]])
    >>> jobs = [Job(0, 0, 0.0, 3.0, [0.5]), Job(1, 0, 1.0, 1.0, [0.75])]
    >>> event_loop(Tetris(centre, hours=1.0), centre, jobs)
    >>> [(job.start, job.finish) for job in jobs]
    [(0.0, 3.0), (3.0, 4.0)]
    """
    for job in jobs:
        event = (job.submit, ARRIVAL, job.row, job)
        heapq.heappush(centre.events, event)
    while centre.events:
        centre.now, kind, _, job = heapq.heappop(centre.events)
        if kind == EXIT:
            centre.end(job)
            policy.exit(job.machine)  # Section 4.3.2
            continue
        machine = policy.arrive(job)  # Section 4.3.1
        if machine >= 0:
            centre.start(job, machine)
        else:
            policy.wait(job)


def jobs_of(workload: Workload, configs: MachineConfigs) -> list[Job]:
    """The jobs of stage 3 (Section 2): every task of a workload is one, of its job's class and submission.

    >>> work = Workload.from_arrays([0, 2], [4.0, 2.0], job_class=[1, 0], cores=[3, 2])
    >>> [(job.row, job.k, job.submit, job.r) for job in jobs_of(work, MachineConfigs([[8.0]], [1]))]
    [(0, 1, 0.0, [0.375]), (1, 0, 2.0, [0.25])]
    """
    workload.work()  # refuses jobs without tasks
    owners = workload.jobs[["job", "submit", "class"]]
    tasks = workload.tasks.merge(owners, on="job", how="left")
    demand = tasks[list(workload.resources)].to_numpy(float)
    _, size = scaled(configs.capacity, demand)
    sizes = (size / UNITS).tolist()
    columns = tasks["class"], tasks["submit"], tasks["duration"], sizes
    jobs = []
    for row, (k, submit, w, r) in enumerate(zip(*columns, strict=True)):
        job = Job(row, int(k), float(submit), float(w), r)
        jobs.append(job)
    return jobs
