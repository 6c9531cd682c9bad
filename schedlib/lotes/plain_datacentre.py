"""Stage 3 of LoTES in plain Python: jobs, machines, the loop over the events, and what is measured of a run.

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

import numpy as np
import pandas as pd

from schedlib.lotes.model import UNITS, MachineConfigs, scaled
from schedlib.lotes.simulation import Simulation
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
        room = self.capacity[j] if empty else self.free[machine]
        if self.pace[j][job.k] == math.inf:
            return False
        for r, c in zip(job.r, room, strict=True):
            if r > c:
                return False
        return True

    def start(self, job: Job, machine: int) -> None:
        """Start a job that fits on a machine now; it ends w / mu_jk later."""
        for l, r in enumerate(job.r):
            self.free[machine][l] -= r
        self.kappa[machine][job.k] += 1
        job.machine = machine
        job.start = self.now
        job.finish = self.now + job.w * self.pace[self.config[machine]][job.k]
        self.starts += 1
        heapq.heappush(self.events, (job.finish, EXIT, self.starts, job))

    def end(self, job: Job) -> None:
        """Release what the job held."""
        for l, r in enumerate(job.r):
            self.free[job.machine][l] += r
        self.kappa[job.machine][job.k] -= 1


def event_loop(policy: Dispatcher, centre: DataCentre, jobs: list[Job]) -> None:
    """Let the jobs arrive, start and end until nothing is left to happen (Section 4.3).

    >>> from schedlib.lotes.plain_rivals import Tetris
    >>> centre = DataCentre(MachineConfigs([[1.0]], [1]), [[1.0]])
    >>> jobs = [Job(0, 0, 0.0, 3.0, [0.5]), Job(1, 0, 1.0, 1.0, [0.75])]
    >>> event_loop(Tetris(centre, hours=1.0), centre, jobs)
    >>> [(job.start, job.finish) for job in jobs]
    [(0.0, 3.0), (3.0, 4.0)]
    """
    for job in jobs:
        heapq.heappush(centre.events, (job.submit, ARRIVAL, job.row, job))
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
    owners = workload.jobs[["job", "submit", "class"]]
    tasks = workload.tasks.merge(owners, on="job", how="left")
    _, size = scaled(configs.capacity, tasks[list(workload.resources)].to_numpy(float))
    columns = (tasks["class"], tasks["submit"], tasks["duration"], (size / UNITS).tolist())
    jobs: list[Job] = []
    for k, submit, duration, r in zip(*columns, strict=True):
        jobs.append(Job(row=len(jobs), k=int(k), submit=float(submit), w=float(duration), r=r))
    return jobs


def simulation(
    policy: str, seed: int, configs: MachineConfigs, workload: Workload, jobs: list[Job]
) -> Simulation:
    """The `Simulation` of a run that is over, from what became of its jobs.

    Its `policy`, `seed` and `jobs` equal those of `lotes.simulate`, and so do, to rounding, all counts, means
    and sums, the columns of `intervals`, `utilisation`, `fragmentation`, `ages`, `time` and `width`. These
    are not filled: `options` and `sketch` are empty, `looked` is NaN, `intervals` has no `queue_most`.

    >>> work = Workload.from_arrays([0, 1], [4.0, 2.0], cores=[3, 2])
    >>> late = Job(1, 0, submit=1.0, w=2.0, r=[2.0], start=4.0, finish=6.0, machine=0)
    >>> done = [Job(0, 0, submit=0.0, w=4.0, r=[3.0], start=0.0, finish=4.0, machine=0), late]
    >>> run = simulation("by hand", 0, MachineConfigs([[3.0]], [1]), work, done)
    >>> run.mean_response, run.mean_queue
    (1.5, 0.5)
    """
    rows = _rows(jobs, workload)
    submit, start, finish = (rows[name].to_numpy() for name in ("submit", "start", "finish"))
    ran = ~np.isnan(start)
    time = max(submit.max(), finish[ran].max(initial=0.0))  # the last event
    begun = np.where(ran, start, time)  # here a job leaves the queue,
    gone = np.where(ran, finish, time)  # and here the system
    waits = (start - submit)[ran]
    r = np.array([job.r for job in jobs])
    total = configs.count @ (scaled(configs.capacity, configs.capacity)[0] / UNITS)
    queued = _queued(submit, begun)
    with np.errstate(invalid="ignore", divide="ignore"):
        utilisation = r.T @ (gone - begun) / (time * total) if time else 0 * total
        busy = r.T @ (queued(gone) - queued(begun))
        fragmentation = 1 - busy / (queued(time) * total)
    width = (max(submit[-1], max(job.w for job in jobs)) or 1.0) / 100
    return Simulation(
        policy=policy,
        options={},
        seed=seed,
        jobs=rows,
        arrived=len(jobs),
        started=int(ran.sum()),
        finished=int(ran.sum()),
        waiting=int((~ran).sum()),
        mean_response=float(waits.mean()) if ran.any() else math.nan,
        longest=float(waits.max(initial=0.0)),
        mean_queue=float((begun - submit).sum() / time) if time else 0.0,
        mean_present=float((gone - submit).sum() / time) if time else 0.0,
        ages=np.sort((time - submit)[~ran])[::-1],
        looked=math.nan,
        intervals=_intervals(rows, r, total, time, width, workload),
        utilisation=utilisation,
        fragmentation=fragmentation,
        time=float(time),
        sketch=np.zeros(0),
        width=width,
    )


def _rows(jobs: list[Job], workload: Workload) -> pd.DataFrame:
    """`Simulation.jobs`."""
    names = ("k", "submit", "start", "finish", "machine")
    rows = pd.DataFrame({name: [getattr(job, name) for job in jobs] for name in names})
    rows.insert(0, "job", workload.tasks["job"])
    return rows.rename(columns={"k": "class"})


def _queued(submit: np.ndarray, begun: np.ndarray) -> Any:
    """A function of time t: during how much of the time until t at least one job waited."""
    times, total = [0.0], [0.0]
    for first, last in zip(submit, begun, strict=True):  # in the order of submission
        first = max(first, times[-1])
        if last > first:
            times += [first, last]
            total += [total[-1], total[-1] + last - first]
    return lambda t: np.interp(t, times, total)


def _intervals(
    rows: pd.DataFrame, r: np.ndarray, total: Any, time: float, width: float, workload: Workload
) -> pd.DataFrame:
    """`Simulation.intervals`: what is summed up until each interval's end, less what was until its begin."""
    submit, start, finish = (rows[name].to_numpy() for name in ("submit", "start", "finish"))
    ran = ~np.isnan(start)
    edges = np.arange(max(math.ceil(time / width), 1) + 1) * width
    edges[-1] = time
    span = np.maximum(np.diff(edges), np.finfo(float).tiny)
    entered = np.minimum.outer(submit, edges)  # (N, edges), and likewise the next two
    begun = np.minimum.outer(np.where(ran, start, time), edges)
    gone = np.minimum.outer(np.where(ran, finish, time), edges)
    queued = _queued(submit, np.where(ran, start, time))
    held = np.diff(queued(edges))
    busy = np.diff(r.T @ (gone - begun))
    busy_queued = np.diff(r.T @ (queued(gone) - queued(begun)))
    arrived, started, finished = (
        np.histogram(x, edges)[0] for x in (submit, start[ran], finish[ran])
    )
    waits = np.histogram(start[ran], edges, weights=(start - submit)[ran])[0]
    queue_end = np.searchsorted(submit, edges[1:]) - np.searchsorted(np.sort(start), edges[1:])
    queue_end[-1] = (~ran).sum()
    with np.errstate(invalid="ignore", divide="ignore"):
        columns = {
            "begin": edges[:-1],
            "end": edges[1:],
            "arrived": arrived,
            "started": started,
            "finished": finished,
            "mean_response": waits / started,
            "queue": np.diff((begun - entered).sum(axis=0)) / span,
            "queue_end": queue_end,
            "queued": held / span,
        }
        for l, name in enumerate(workload.resources):
            columns[f"utilisation_{name}"] = busy[l] / (span * total[l])
        for l, name in enumerate(workload.resources):
            idle = 1 - busy_queued[l] / (held * total[l])
            columns[f"idle_{name}"] = np.where(held > 0, idle, np.nan)
    return pd.DataFrame(columns)
