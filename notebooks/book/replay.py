"""A recorded run step by step: its log interpreted, and what the cluster looks like after each step."""

import itertools
from typing import Any, NamedTuple

import pandas as pd

Copy = tuple[float, tuple[bool, ...]]
"""Since when (s) a worker has its copy of the bits, and the copy."""


class Step(NamedTuple):
    """An event, and the cluster just after. Workers and jobs have the frames' numbers; -1 means none.

    `time` (s), `event` as in the log, `job` and `workers` are of the rows that make this step. Per worker:
    `running`, the job whose task it runs; `asking`, the job that it asks for a task; `queue`, its entries'
    jobs, first come first; `coming`, the jobs of what is on the way to it; `bits`, whether the centre holds a
    long task to be there; `copies`, since when (s) the worker has its copy of the bits, and the copy (as
    written too as of the long task's arrival), or None. Per job: `started` and `done` tasks.
    """

    time: float
    event: str
    job: int
    workers: tuple[int, ...]
    running: tuple[int, ...]
    asking: tuple[int, ...]
    queue: tuple[tuple[int, ...], ...]
    coming: tuple[tuple[int, ...], ...]
    bits: tuple[bool, ...]
    copies: tuple[Copy | None, ...]
    started: tuple[int, ...]
    done: tuple[int, ...]


def newest_copy(step: Step) -> tuple[int, float, tuple[bool, ...]]:
    """The newest copy of the bits at the step's workers, or else at any: worker (-1: none), time, bits."""
    copies = {worker: copy for worker, copy in enumerate(step.copies) if copy}
    if not copies:
        return -1, 0.0, ()
    contacted = [worker for worker in step.workers if worker in copies]

    def rank(worker):
        since, _ = copies[worker]
        return since, -worker

    newest = max(contacted or copies, key=rank)
    return newest, *copies[newest]


# what a scheduler does at once for a job, in the order shown
AT_ONCE = {"mark": 0, "reject": 1, "send": 2}


def replay(run: Any) -> list[Step]:
    """The steps of a run made with `record=True`: one for all that happens at one time to one job in one way.

    Raises ValueError when nothing was recorded.
    """
    if run.log is None:
        raise ValueError("run: holds no log; simulate with record=True")
    log = run.log.copy()
    numbers = pd.Index(run.jobs["job"])
    log["job"] = numbers.get_indexer(log["job"])
    log["kind"] = log["event"].map(AT_ONCE).fillna(-1)
    log["at_once"] = log["kind"] >= 0
    burst = log[["time", "job", "at_once"]]
    begins = (burst != burst.shift()).any(axis=1)
    log["burst"] = begins.cumsum()
    log = log.sort_values(["burst", "kind"], kind="stable")
    cluster = Replayed(run)
    steps = []
    bursts = itertools.groupby(log.itertuples(), key=lambda row: (row.burst, row.event))
    for _, group in bursts:
        workers = []
        for row in group:
            cluster.take(row.time, row.event, row.job, row.worker)
            if row.worker >= 0:
                workers.append(row.worker)
        step = cluster.step(row.time, row.event, row.job, tuple(workers))
        steps.append(step)
    return steps


class Replayed:
    """The cluster after each event of a log."""

    def __init__(self, run):
        workers = run.stats["workers"]
        jobs = len(run.jobs)
        self.long = run.jobs["long"].to_numpy()
        self.tasks = run.jobs["tasks"].to_numpy()
        self.sticky = run.system.sticky
        self.running = [-1] * workers
        self.asking = [-1] * workers
        self.queue = [[] for _ in range(workers)]
        self.coming = [[] for _ in range(workers)]
        self.bits = [False] * workers
        self.copies = [None] * workers
        self.bound = [0] * jobs
        self.started = [0] * jobs
        self.done = [0] * jobs
        self.victim = -1

    def step(self, time, event, job, workers):
        """The last event, and the cluster as it is now."""
        return Step(
            time=time,
            event=event,
            job=job,
            workers=workers,
            running=tuple(self.running),
            asking=tuple(self.asking),
            queue=tuple(map(tuple, self.queue)),
            coming=tuple(map(tuple, self.coming)),
            bits=tuple(self.bits),
            copies=tuple(self.copies),
            started=tuple(self.started),
            done=tuple(self.done),
        )

    def take(self, time, event, job, worker):
        """One row of the log."""
        if event == "send":
            self.coming[worker].append(job)
        elif event == "reject" and job in self.coming[worker]:
            # as published the probe is never sent
            self.coming[worker].remove(job)
        elif event == "queue":
            self.coming[worker].remove(job)
            self.queue[worker].append(job)
            if self.long[job] and any(self.bits):
                self.copies[worker] = time, tuple(self.bits)
        elif event in ("mark", "clear"):
            self.bits[worker] = event == "mark"
        elif event == "drop":
            self.queue[worker].remove(job)
        elif event == "robbed":
            self.victim = worker
        elif event == "steal":
            line = self.queue[self.victim]
            begin = self._barrier(self.victim)
            line.pop(line.index(job, begin))
            self.queue[worker].append(job)
        elif event == "ask":
            self._serve(worker, job)
            self.asking[worker] = job
        elif event == "vain":
            self.asking[worker] = -1
        elif event == "start":
            if self.asking[worker] < 0:  # a task that was sent whole
                self._serve(worker, job)
            self.asking[worker] = -1
            self.running[worker] = job
            self.started[job] += 1
        elif event == "finish":
            self.running[worker] = -1
            self.done[job] += 1

    def _serve(self, worker, job):
        """Hand a task of the job to the worker, if one is left; until none is, a sticky probe stays."""
        left = self.bound[job] < self.tasks[job]
        self.bound[job] += left
        if self.long[job] or not self.sticky or not left:
            self.queue[worker].remove(job)

    def _barrier(self, worker):
        """The place in the queue from which on entries wait behind a long task."""
        serving = max(self.running[worker], self.asking[worker])
        if serving >= 0 and self.long[serving]:
            return 0
        for place, job in enumerate(self.queue[worker]):
            if self.long[job]:
                return place
        return 0
