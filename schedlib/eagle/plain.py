"""Eagle in plain Python: read this first, with the paper beside it.

Delgado, Didona, Dinu, Zwaenepoel, SoCC 2016. `Hybrid` is what Eagle builds on, `SSS` is Section 3, `SRPT`
Section 4. Section 2 is in `plain_model`, Eagle's rivals are in `plain_rivals`. Where the text is silent:

- At one time tasks end first; then come messages of two hops, those of one, heartbeats, and submissions.
- A request and its answer take a hop each, and the worker is busy meanwhile. The task is bound when it asks;
  workers hear of it when the answer arrives. A placed task is at its worker already and starts at once.
- A probe whose job has no task left to start is removed when its worker asks in vain.
- A job's probes go to distinct workers while there are enough. A scheduler keeps no vector for its next job.
- The answers of one round arrive together. The scheduler uses the freshest vector among them.
- A long job's tasks are placed together, and all carry the state after that.
- Ties: the lower worker, the earlier probe, the vector that came first.
- The remaining time counts tasks that are not started. A bypass counter grows when the task is bound.
- The centre learns of starts and ends at once. A task that outlasts its estimate has no work left.
"""

import math
from collections.abc import Sequence
from dataclasses import replace
from heapq import heapify, heapreplace

from schedlib.core import streams
from schedlib.eagle import systems
from schedlib.eagle.plain_model import END, ONE_HOP, TWO_HOPS, Cluster, Job, Probe, Vector, Worker
from schedlib.eagle.plain_results import Run, jobs_of, written
from schedlib.eagle.simulating.simulate import Estimate
from schedlib.workload import Workload


def can_bypass(  # in_front: the probes that it would overtake
    estTaskRuntime: float, in_front: Sequence[Probe], cap: float = 5
) -> bool:
    """Whether a task may overtake these probes: no counter would exceed `cap` estimates.

    - `estTaskRuntime`: of the task (s); `in_front`: probes; `cap`: 5 in Section 5. Source: Section 4.3

    >>> waiting = Probe(Job(0, 0.0, [2.0], 2.0, False, 1), bypass=7.0)
    >>> can_bypass(3.0, [waiting]), can_bypass(4.0, [waiting])
    (True, False)
    """
    for p in in_front:
        if p.bypass + estTaskRuntime > cap * p.estTaskRuntime:
            return False
    return True


def algorithm1(queue: Sequence[Probe], cap: float = 5) -> Probe | None:
    """The probe that a worker serves next, None if there is none.

    - `queue`: probes and long tasks, first come first; `cap`: the starvation threshold, in estimates of the
      probe that is overtaken (Section 5: 5). Source: Algorithm 1, GetProbeFromQueue

    >>> large, small = (Job(tasks, 0.0, [2.0] * tasks, 2.0, False, 20) for tasks in (8, 3))
    >>> algorithm1([Probe(large), Probe(small)]).job.number
    3
    """
    shortest = math.inf  # 15
    chosen = None  # 16
    for place, p in enumerate(queue):  # 17
        if p.isLong:  # 18
            break  # 19
        shorter = p.estJobLeftRuntime < shortest  # 20
        in_front = queue[:place]
        if shorter and can_bypass(p.estTaskRuntime, in_front, cap):  # 21
            shortest = p.estJobLeftRuntime  # 22
            chosen = p  # 23
    if chosen is None and queue:  # 24
        return queue[0]  # 25
    return chosen  # 27


class Hybrid(Cluster):
    """A centre for long jobs, probes for short ones, queues first come first (Section 3.3; Algorithm 1, lines 1-13)."""

    system = systems.System("hybrid")  # its name in the library
    K = 0  # the least number of probes
    sticky = False  # SBP: a probe stays in its queue until its job has no task left

    def submit(self, job: Job) -> None:
        """A job reaches the scheduler of its class."""
        self.note("submit", None, job)
        if job.isLong:
            self.place(job, self.workers[self.short_only :])  # the general partition
        else:
            self.probe(job)

    def probe(self, job: Job) -> None:
        """A distributed scheduler sends max{K, 2t} probes to workers drawn among all (Section 3.3)."""
        self.counts["probes"] += job.probes
        targets: set[Worker] = set()
        for _ in range(job.probes):
            if len(targets) == len(self.workers):
                targets = set()  # each has one; then each may get another
            worker = self.draw(0, len(self.workers))
            while worker in targets:
                worker = self.draw(0, len(self.workers))
            targets.add(worker)
            self.send(worker, Probe(job))

    def place(self, job: Job, workers: list[Worker]) -> None:
        """A centre places each task of a job on one of these workers (Section 3.3)."""
        chosen = self.least_work_left(job, workers)
        vector = self.piggyback(job, chosen)
        for task, worker in enumerate(chosen):
            worker.placed.append(job.estimate)
            self.counts["placements"] += 1
            self.send(worker, Probe(job, task, vector))

    def least_work_left(self, job: Job, workers: list[Worker]) -> list[Worker]:
        """The worker of each task: the one of the smallest expected queueing time."""
        line = self.expected(job, workers)
        heapify(line)
        chosen = []
        for _ in job.durations:
            wait, number = line[0]
            chosen.append(self.workers[number])
            heapreplace(line, (wait + job.estimate, number))
        return chosen

    def expected(  # of each worker: its queueing time (s), its number
        self, job: Job, workers: list[Worker]
    ) -> list[tuple[float, int]]:
        """The expected queueing time of each worker (s), with its number."""
        return [(self.queueing_time(w), w.number) for w in workers]

    def queueing_time(self, worker: Worker) -> float:
        """The estimates of the tasks placed there, less the time that the running one has run."""
        wait = math.fsum(worker.placed)
        p = worker.current
        if p is not None and p.task is not None:
            wait -= min(self.now - worker.since, p.estTaskRuntime)
        return wait

    def piggyback(self, job: Job, chosen: list[Worker]) -> Vector:
        """The timestamp and a copy of the centre's state, which go along with a job's tasks."""
        return self.now, frozenset(self.bits)

    def get_probe(self, worker: Worker) -> Probe | None:
        """GetProbeFromQueue: first in, first out."""
        return worker.queue[0] if worker.queue else None

    def next_task(self, worker: Worker) -> None:
        """GetNextTaskToExecute: a worker that is free takes up a placed task, or asks for a task."""
        worker.current = None
        p = self.get_probe(worker)  # 7
        if p is None:
            return
        worker.current, worker.since = p, self.now
        in_front = worker.queue[: worker.queue.index(p)]
        left = p.job.started < len(p.job.durations)
        if p.isLong or not left or not self.sticky:  # 8
            worker.queue.remove(p)  # 9
        if left:
            self.overtake(p, in_front)
        if p.task is not None:
            self.execute(worker, p, p.task, self.now)  # 10
            return
        self.note("ask", worker, p.job)  # 12
        reply = self.now + 2 * self.hop
        if left:
            self.execute(worker, p, p.job.started, reply)  # 13
        else:
            self.at(reply, TWO_HOPS, self.in_vain, worker, p)

    def execute(self, worker: Worker, p: Probe, task: int, start: float) -> None:
        """The worker runs this task of the probe's job from `start` (s) on."""
        p.job.started += 1
        self.note("start", worker, p.job, start)
        end = start + p.job.durations[task]
        self.at(end, END, self.finish, worker, p, task, start)  # 4

    def overtake(self, p: Probe, in_front: list[Probe]) -> None:
        """A task of `p` is bound before the probes in front of it: nothing to do, without SRPT."""

    def in_vain(self, worker: Worker, p: Probe) -> None:
        """The reply is that no task is left to start."""
        self.note("vain", worker, p.job)
        self.busy.append((worker.number, worker.since, self.now))
        self.next_task(worker)

    def finish(self, worker: Worker, p: Probe, task: int, start: float) -> None:
        """A task ends: its scheduler hears of it, and the worker goes on with its main loop."""
        self.note("finish", worker, p.job)  # 5
        self.note_task(worker, p, task, start)
        if p.task is not None:
            self.leave(worker, p)
        self.next_task(worker)  # 3

    def leave(self, worker: Worker, p: Probe) -> None:
        """The centre learns that a task placed there has ended."""
        worker.placed.remove(p.estTaskRuntime)


class SSS(Hybrid):
    """Succinct State Sharing: no probe queues behind a long task (Section 3.3)."""

    def piggyback(self, job: Job, chosen: list[Worker]) -> Vector:
        """The centre sets the bits of these workers, and sends a copy of all bits."""
        for worker in chosen:
            self.bits.add(worker.number)
            self.note("mark", worker, job)
        return super().piggyback(job, chosen)

    def leave(self, worker: Worker, p: Probe) -> None:
        """The bit is clear again when no long task is left there."""
        super().leave(worker, p)
        if not worker.placed:
            self.bits.remove(worker.number)
            self.note("clear", worker, p.job)

    def arrive(self, worker: Worker, p: Probe) -> None:
        """A long task brings a vector; a probe that finds a long task is rejected with the vector."""
        if p.isLong:
            worker.vector = p.vector  # the old one is replaced
        elif worker.has_long_task():
            self.note("reject", worker, p.job)
            freshest = max(p.job.vector, worker.vector, key=lambda v: v[0])
            p.job.vector = freshest
            self.at(self.now + self.hop, ONE_HOP, self.reschedule, p)
            return
        super().arrive(worker, p)

    def reschedule(self, p: Probe) -> None:
        """A rejected probe is drawn again by the vector; rejected again, in the short partition."""
        if p.round == 1:
            timestamp, bits = p.job.vector
            worker = self.draw(0, len(self.workers))
            while worker.number in bits:
                worker = self.draw(0, len(self.workers))
        else:
            worker = self.draw(0, self.short_only)
        self.send(worker, Probe(p.job, round=p.round + 1))


class SRPT(Hybrid):
    """Shortest remaining processing time with a cap against starvation (Section 4.3)."""

    def get_probe(self, worker: Worker) -> Probe | None:
        """GetProbeFromQueue: Algorithm 1."""
        return algorithm1(worker.queue)

    def overtake(self, p: Probe, in_front: list[Probe]) -> None:
        """The bypass counters of those in front grow, and the news of the task is sent."""
        if not p.isLong:
            for q in in_front:
                q.bypass += p.estTaskRuntime
            self.tell(p.job)

    def tell(self, job: Job) -> None:
        """The scheduler updates the number of remaining tasks at all nodes with its probes."""
        self.counts["updates"] += job.probes
        self.at(self.now + 2 * self.hop, TWO_HOPS, self.hear, job, job.started + 1)

    def hear(self, job: Job, started: int) -> None:
        """The news arrives."""
        job.known = started


class Eagle(SSS, SRPT):
    """Eagle: SSS, SRPT, sticky probes (Section 4), and at least 20 probes a job (Section 5)."""

    system = systems.Eagle()
    K = 20
    sticky = True


SYSTEMS: dict[str, type[Hybrid]] = {"eagle": Eagle}  # `plain_rivals` adds the others


def simulate(
    workload: Workload,
    system: str | type[Hybrid] = "eagle",
    workers: int = 100,
    *,
    short_partition: float,
    cutoff: float | None,
    probe_ratio: float = 2,
    min_probes: int | None = None,
    network_delay: float = 0.0005,
    estimate: Estimate = "mean",
    heartbeat: float = 3.0,
    seed: int = 0,
) -> Run:
    """Run a workload as the text says: the jobs, tasks and events of `eagle.simulate`, `as_written`.

    - `system`: "eagle", "hawk", "sparrow", "dlwl", "omniscient", or a class made of these
    - all else as in `eagle.simulate` (times in s). Source: Sections 3 to 6

    >>> jobs = Workload.from_arrays([0, 0], [100, 100, 1], tasks=[2, 1])
    >>> simulate(jobs, "eagle", 3, short_partition=0.34, cutoff=50).jobs["completion"].tolist()
    [100.0005, 1.0015]
    """
    made = SYSTEMS[system] if isinstance(system, str) else system
    K = made.K if min_probes is None else min_probes
    choices, guesses = streams(seed, "choices", "estimates")
    jobs = jobs_of(workload, cutoff, probe_ratio, K, estimate, guesses)
    short_only = math.floor(short_partition * workers + 1e-9)
    cluster = made(jobs, workers, short_only, choices, network_delay, heartbeat)
    return written(cluster.run(), workload, replace(made.system, min_probes=K))
