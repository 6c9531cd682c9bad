"""Eagle's rivals in plain Python: Hawk, Sparrow, DLWL+SRPT, the omniscient scheduler (Section 6).

Read `plain` first: each rival is its `Hybrid` with the differences written here. Where the text is
silent:

- Hawk: an idle worker tries to steal when a task or a request in vain has left its queue empty. Trying and
  stealing take no time. A victim is another worker; the same one may be drawn again. A success ends the search.
- Hawk: what is stolen is the first unbroken run of short probes that are behind a long task, which may run.
- Sparrow probes for long jobs too, and has no partition.
- DLWL: a heartbeat advertises all queueing times as they are; the first comes no later than the first job,
  at a multiple of the interval. With an interval of 0 schedulers know all.
- DLWL: nothing is drawn for a worker that cannot be chosen whatever is added to its queueing time.
- DLWL: SRPT ranks by a job's tasks that are not started, known at once. Long and short tasks may overtake each
  other within the cap, and all counters grow.
- The omniscient scheduler is first in, first out.

A thousand jobs on a hundred workers take some seconds. Bad input is refused only where the model objects do.
"""

import math
from collections.abc import Sequence
from typing import Any

from schedlib.eagle import systems
from schedlib.eagle.plain import SYSTEMS, Hybrid, can_bypass
from schedlib.eagle.plain_model import HEARTBEAT, Job, Probe, Worker


class Hawk(Hybrid):
    """Hawk: as the hybrid design, and idle workers steal (Sections 3.2 and 6.1).

    >>> Hawk.K, Hawk.sticky
    (0, False)
    """

    system = systems.Hawk()
    attempts = 10

    def get_probe(self, worker: Worker) -> Probe | None:
        """First in, first out; a worker without a probe steals some first."""
        if not worker.queue:
            self.steal(worker)
        return super().get_probe(worker)

    def victims(self, thief: Worker) -> list[Worker]:
        """Other nodes of the general partition, if the thief is one of that partition (Section 6.1)."""
        if thief.number < self.short_only:
            return []
        return [worker for worker in self.workers[self.short_only :] if worker is not thief]

    def steal(self, thief: Worker) -> None:
        """An idle node performs ten attempts to steal (Section 6.1)."""
        victims = self.victims(thief)
        if not victims:
            return
        for _ in range(self.attempts):
            self.counts["steal_attempts"] += 1
            victim = victims[int(self.rng.random() * len(victims))]
            batch = first_batch(victim)
            if batch:
                self.take(thief, victim, batch)
                return

    def take(self, thief: Worker, victim: Worker, batch: list[Probe]) -> None:
        """The probes of the batch go to the end of the thief's queue."""
        self.note("robbed", victim, batch[0].job)
        for p in batch:
            victim.queue.remove(p)
            p.behind = False
            self.note("steal", thief, p.job)
        self.join(thief, batch)


def first_batch(victim: Worker) -> list[Probe]:
    """The first batch of short tasks that are enqueued behind a long one, which may be running.

    Source: Section 6.1.

    >>> long, short = Job(0, 0.0, [9.0], 9.0, True, 2), Job(1, 0.0, [1.0], 1.0, False, 2)
    >>> line = [Probe(short), Probe(long), Probe(short), Probe(short)]
    >>> first_batch(Worker(0, queue=line)) == line[2:]
    True
    """
    behind = victim.current is not None and victim.current.isLong
    batch: list[Probe] = []
    for p in victim.queue:
        if p.isLong and batch:
            break
        if p.isLong:
            behind = True
        elif behind:
            batch.append(p)
    return batch


class Sparrow(Hybrid):
    """Sparrow: probes for all jobs, to all workers (Sections 3.3 and 8).

    >>> Sparrow.K
    0
    """

    system = systems.Sparrow()

    def submit(self, job: Job) -> None:
        """Long jobs send probes as short jobs do."""
        self.note("submit", None, job)
        self.probe(job)


class Omniscient(Hybrid):
    """Least work left for all jobs, known without delay (Section 6.4).

    >>> Omniscient.K
    0
    """

    system = systems.Omniscient()

    def submit(self, job: Job) -> None:
        """Short jobs may go to all workers, long ones to the general partition."""
        self.note("submit", None, job)
        if job.isLong:
            self.place(job, self.workers[self.short_only :])
        else:
            self.place(job, self.workers)


def shortest_job(queue: Sequence[Probe], cap: float = 5) -> Probe | None:
    """The placed task whose job has the least work left, if it may bypass those in front.

    - `queue`: placed tasks, first come first; `cap`: the starvation threshold, in estimates. Source: Section 6.2

    >>> large, small = (Job(tasks, 0.0, [2.0] * tasks, 2.0, True, 2) for tasks in (8, 3))
    >>> shortest_job([Probe(large, 0), Probe(small, 0)]).job.number
    3
    """
    shortest = math.inf
    chosen = None
    for place, p in enumerate(queue):
        left = p.estTaskRuntime * (len(p.job.durations) - p.job.started)
        if left < shortest and can_bypass(p.estTaskRuntime, queue[:place], cap):
            shortest = left
            chosen = p
    return chosen


class Reordering(Hybrid):
    """Queue reordering in SRPT order, of placed tasks (Section 6.2; Yaq)."""

    def get_probe(self, worker: Worker) -> Probe | None:
        """The shortest job that may bypass the others."""
        return shortest_job(worker.queue)

    def overtake(self, p: Probe, in_front: list[Probe]) -> None:
        """The bypass counters of all in front grow."""
        for q in in_front:
            q.bypass += p.estTaskRuntime


class OldNews(Omniscient):
    """Distributed least work left: schedulers know the queueing times of the last heartbeat (6.2)."""

    def __init__(self, *arguments: Any, **options: Any):
        super().__init__(*arguments, **options)
        self.advertised = [0.0] * len(self.workers)
        if self.heartbeat > 0:
            first = math.floor(min(job.submit for job in self.jobs) / self.heartbeat)
            self.at(first * self.heartbeat, HEARTBEAT, self.beat, first)

    def beat(self, number: int) -> None:
        """Workers advertise their queueing times, until all tasks have ended."""
        if len(self.tasks) == sum(len(job.durations) for job in self.jobs):
            return
        self.counts["heartbeats"] += 1
        self.advertised = [self.queueing_time(worker) for worker in self.workers]
        self.at((number + 1) * self.heartbeat, HEARTBEAT, self.beat, number + 1)

    def expected(self, job: Job, workers: list[Worker]) -> list[tuple[float, int]]:
        """The advertised times, to each of which a random number below the interval is added."""
        if self.heartbeat == 0:
            return super().expected(job, workers)
        line: list[tuple[float, int]] = []
        for worker in workers:
            wait = self.advertised[worker.number]
            sooner = sum(other <= wait for other, _ in line)
            if sooner < len(job.durations):  # otherwise it cannot be chosen
                line.append((wait + self.rng.random() * self.heartbeat, worker.number))
        return line


class DLWL(OldNews, Reordering):
    """DLWL+SRPT (Section 6.2).

    >>> DLWL.K
    0
    """

    system = systems.DLWL()


SYSTEMS |= {"hawk": Hawk, "sparrow": Sparrow, "dlwl": DLWL, "omniscient": Omniscient}
