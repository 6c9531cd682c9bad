"""Section 2 in plain Python: jobs, probes, workers with a queue, and the events between them.

Read `plain` first. No decision is made here: `Cluster` lets time pass and logs the events.
"""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from heapq import heappop, heappush

import numpy as np

END, TWO_HOPS, ONE_HOP, HEARTBEAT, SUBMISSION = range(5)  # the order of events at one time
Vector = tuple[float, frozenset[int]]  # a timestamp (s), and the workers whose bit is set
NO_VECTOR: Vector = (-1.0, frozenset())


@dataclass(eq=False)
class Job:
    """A job, and what its scheduler knows of it; times in s.

    >>> Job(0, 0.0, [2.0, 4.0], 3.0, False, 20).started
    0
    """

    number: int
    submit: float
    durations: list[float]  # of its t tasks; no scheduler sees them
    estimate: float  # of the execution time of one task
    isLong: bool
    probes: int  # max{K, 2t}
    started: int = 0  # tasks bound to workers
    known: int = 0  # those of which the workers have heard
    vector: Vector = NO_VECTOR  # the freshest that came with a rejection
    finish: float = 0.0


@dataclass(eq=False)
class Probe:
    """A probe of a job; or, with the number of a `task`, a task that a scheduler has placed.

    >>> Probe(Job(0, 0.0, [2.0, 4.0], 3.0, False, 20)).estJobLeftRuntime
    6.0
    """

    job: Job
    task: int | None = None
    vector: Vector = NO_VECTOR  # what the centre sends along with a long task
    round: int = 1
    bypass: float = 0.0  # the bypass counter (s)
    queued: float = 0.0  # when it joined a queue (s)
    behind: bool = False  # a long task was there then

    @property
    def isLong(self) -> bool:
        """Whether its job is long."""
        return self.job.isLong

    @property
    def estTaskRuntime(self) -> float:
        """The estimate of one task (s)."""
        return self.job.estimate

    @property
    def estJobLeftRuntime(self) -> float:
        """The estimates of the job's tasks that are not started (s), as far as workers know."""
        return self.job.estimate * (len(self.job.durations) - self.job.known)


@dataclass(eq=False)
class Worker:
    """A worker with one slot and one queue.

    >>> Worker(3).has_long_task()
    False
    """

    number: int
    queue: list[Probe] = field(default_factory=list)
    current: Probe | None = None  # it asks for a task of this one, or runs one
    since: float = 0.0  # from this time on (s)
    placed: list[float] = field(default_factory=list)  # estimates of placed tasks, until they end
    vector: Vector = NO_VECTOR  # came with its last long task

    def has_long_task(self) -> bool:
        """Whether a long task runs or waits here."""
        runs = self.current is not None and self.current.isLong
        return runs or any(p.isLong for p in self.queue)


class Cluster:
    """Workers, and jobs that come to them; a subclass says where jobs go and what a worker does next.

    - `jobs`: of `plain_results.jobs_of`; `workers`: how many, of which the first `short_only` are the short
      partition
    - `rng`: draws the targets of probes; `network_delay` (s): one hop; `heartbeat` (s): see `DLWL`

    Source: Section 2.

    >>> Cluster([], 3, 1, np.random.default_rng(0)).workers[2].number
    2
    """

    def __init__(
        self,
        jobs: Sequence[Job],
        workers: int,
        short_only: int,
        rng: np.random.Generator,
        network_delay: float = 0.0005,
        heartbeat: float = 3.0,
    ):
        self.jobs = jobs
        self.workers = [Worker(number) for number in range(workers)]
        self.short_only = short_only
        self.rng = rng
        self.hop = network_delay
        self.heartbeat = heartbeat
        self.now = 0.0
        self.bits: set[int] = set()  # the centre's state: the workers with a long task (SSS)
        self.events: list[tuple] = []  # a heap of what will happen
        self.counts: Counter[str] = Counter()
        self.log: list[tuple] = []  # time, event, worker, job
        self.tasks: list[tuple] = []  # job, task, worker, queued, asked, start, finish
        self.busy: list[tuple] = []  # worker, from, to

    def run(self) -> "Cluster":
        """The event loop."""
        for job in self.jobs:
            self.at(job.submit, SUBMISSION, self.submit, job)
        while self.events:
            self.now, _, _, happens, what = heappop(self.events)
            happens(*what)
        return self

    def at(self, time: float, kind: int, happens: Callable, *what: object) -> None:
        """This will happen; events of one time and kind happen in the order of these calls."""
        self.counts["events"] += 1
        heappush(self.events, (time, kind, self.counts["events"], happens, what))

    def note(self, event: str, worker: Worker | None, job: Job, time: float | None = None) -> None:
        """Write an event into the log, and count it."""
        when = self.now if time is None else time
        self.log.append((when, event, -1 if worker is None else worker.number, job.number))
        self.counts[event] += 1

    def note_task(self, worker: Worker, p: Probe, task: int, start: float) -> None:
        """Write down a task that ends now."""
        p.job.finish = max(p.job.finish, self.now)
        times = p.queued, worker.since, start, self.now
        self.tasks.append((p.job.number, task, worker.number, *times))
        self.busy.append((worker.number, worker.since, self.now))
        self.counts["ran_behind_long"] += p.behind

    def draw(self, low: int, high: int) -> Worker:
        """A worker of low, ..., high - 1, uniformly at random."""
        return self.workers[low + int(self.rng.random() * (high - low))]

    def send(self, worker: Worker, p: Probe) -> None:
        """A probe, or a placed task, is on its way for one hop."""
        self.note("send", worker, p.job)
        self.at(self.now + self.hop, ONE_HOP, self.arrive, worker, p)

    def arrive(self, worker: Worker, p: Probe) -> None:
        """It joins the worker's queue; an idle worker takes it up at once."""
        p.queued = self.now
        p.behind = worker.has_long_task() and not p.isLong
        self.counts["behind_long"] += p.behind
        self.note("queue", worker, p.job)
        self.join(worker, [p])
        if worker.current is None:
            self.next_task(worker)

    def join(self, worker: Worker, probes: list[Probe]) -> None:
        """They join the end of the worker's queue."""
        worker.queue.extend(probes)
        self.counts["longest_queue"] = max(self.counts["longest_queue"], len(worker.queue))

    def submit(self, job: Job) -> None:
        """A job comes to its scheduler."""
        raise NotImplementedError

    def next_task(self, worker: Worker) -> None:
        """A worker is free."""
        raise NotImplementedError
