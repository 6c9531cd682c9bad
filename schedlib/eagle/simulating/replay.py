"""A recorded run, event by event: what each worker runs and has in its queue, and which bits are set."""

from typing import NamedTuple

import numpy as np
import pandas as pd

from schedlib.eagle.simulating.results import Simulation


class Step(NamedTuple):
    """What happened, and the cluster just after. Workers and jobs have the frames' numbers; -1 is none.

    `time` (s), `event` as in the log, `job` and `workers` are of the rows that make this step. Per worker:
    `running`, the job whose task it runs; `asking`, the job that it asks for a task; `queue`, its entries'
    jobs, first come first; `coming`, the jobs of what is on the way to it; `bits`, whether the centre holds a
    long task to be there; `copies`, since when (s) the worker has its copy of the bits, and the copy, or
    None; as written too the copy shown is as of the long task's arrival. Per job: `started` and `done`,
    numbers of tasks.
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
    copies: tuple[tuple[float, tuple[bool, ...]] | None, ...]
    started: tuple[int, ...]
    done: tuple[int, ...]


def newest_copy(step: Step) -> tuple[int, float, tuple[bool, ...]]:
    """The copy of the bits that a scheduler rejected in this step goes by: its worker (-1: none), time, bits.

    It is the newest one of the step's workers, or else of all.
    """
    copies = {worker: copy for worker, copy in enumerate(step.copies) if copy}
    if not copies:
        return -1, 0.0, ()
    contacted = [worker for worker in step.workers if worker in copies]
    worker = max(contacted or copies, key=lambda w: (copies[w][0], -w))
    return worker, *copies[worker]


AT_ONCE = {"mark": 0, "reject": 1, "send": 2}
"""What a scheduler does at one moment for one job is shown by kind, in this order."""


def replay(run: Simulation) -> list[Step]:
    """The steps of a run made with `record=True`: one for all that happens at one time to one job in one way.

    Raises ValueError when nothing was recorded.
    """
    if run.log is None:
        raise ValueError("run: holds no log; simulate with record=True")
    time, worker = run.log["time"].to_numpy(), run.log["worker"].to_numpy()
    job, event = pd.Index(run.jobs["job"]).get_indexer(run.log["job"]), run.log["event"].to_numpy()
    cluster, steps = _Cluster(run), []
    for rows in _together(time, event, job):
        for row in rows:
            cluster.take(float(time[row]), event[row], int(job[row]), int(worker[row]))
        where = tuple(int(worker[row]) for row in rows if worker[row] >= 0)
        steps.append(Step(float(time[rows[0]]), event[rows[0]], int(job[rows[0]]), where, *cluster.state()))
    return steps


def _together(time, event, job):
    """Lists of rows, each of one time, job and event, in the log's order but for `AT_ONCE`."""
    kind = np.array([AT_ONCE.get(name, -1) for name in event])
    changes = (time[1:] != time[:-1]) | (job[1:] != job[:-1]) | ((kind[1:] < 0) != (kind[:-1] < 0))
    first = np.flatnonzero(np.r_[True, changes])
    for begin, end in zip(first, [*first[1:], len(time)], strict=True):
        rows = begin + np.argsort(kind[begin:end], kind="stable")
        change = np.flatnonzero(event[rows[1:]] != event[rows[:-1]]) + 1
        yield from np.split(rows, change)


class _Cluster:
    def __init__(self, run):
        workers, jobs = run.stats["workers"], len(run.jobs)
        self.long, self.tasks = run.jobs["long"].to_numpy(), run.jobs["tasks"].to_numpy()
        self.sticky = run.system.sticky
        self.running, self.asking = [-1] * workers, [-1] * workers
        self.queue, self.coming = [()] * workers, [()] * workers
        self.bits, self.copies = [False] * workers, [None] * workers
        self.given, self.started, self.done = [0] * jobs, [0] * jobs, [0] * jobs
        self.victim = -1

    def state(self):
        of_workers = self.running, self.asking, self.queue, self.coming, self.bits, self.copies
        return tuple(map(tuple, (*of_workers, self.started, self.done)))

    def take(self, time, event, job, worker):
        """One row of the log."""
        if event == "send":
            self.coming[worker] = (*self.coming[worker], job)
        elif event == "reject":
            if job in self.coming[worker]:  # as published the probe is never sent
                self.coming[worker] = _without(self.coming[worker], job)
        elif event == "queue":
            self.coming[worker] = _without(self.coming[worker], job)
            self.queue[worker] = (*self.queue[worker], job)
            if self.long[job] and any(self.bits):
                self.copies[worker] = time, tuple(self.bits)
        elif event in ("mark", "clear"):
            self.bits[worker] = event == "mark"
        elif event == "drop":
            self.queue[worker] = _without(self.queue[worker], job)
        elif event == "robbed":
            self.victim = worker
        elif event == "steal":
            line = self.queue[self.victim]
            self.queue[self.victim] = _without(line, job, self._barrier(self.victim))
            self.queue[worker] = (*self.queue[worker], job)
        elif event == "ask":
            self._serve(worker, job)
            self.asking[worker] = job
        elif event == "vain":
            self.asking[worker] = -1
        elif event == "start":
            if self.asking[worker] < 0:  # a task that was sent whole
                self._serve(worker, job)
            self.asking[worker], self.running[worker] = -1, job
            self.started[job] += 1
        elif event == "finish":
            self.running[worker] = -1
            self.done[job] += 1

    def _serve(self, worker, job):
        """Hand a task of the job to the worker, if one is left; till then a sticky probe stays."""
        left = self.given[job] < self.tasks[job]
        self.given[job] += left
        if self.long[job] or not self.sticky or not left:
            self.queue[worker] = _without(self.queue[worker], job)

    def _barrier(self, worker):
        """The place in the queue from which on entries wait behind a long task."""
        here = max(self.running[worker], self.asking[worker])
        if here >= 0 and self.long[here]:
            return 0
        return next((place for place, job in enumerate(self.queue[worker]) if self.long[job]), 0)


def _without(line, job, begin=0):
    """The line without the first entry of the job from `begin` on; there must be one."""
    place = line.index(job, begin)
    return line[:place] + line[place + 1 :]
