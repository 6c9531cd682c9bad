"""What the authors' published and submitted programs do otherwise than `eagle.plain`, and Eagle's variants.

Written from the list of the published simulator's refinements, not from the fast code. `program(variant, detail)`
puts the differences on a class that is made of `plain`'s. Where the list, too, is silent:

- News that arrive when nothing is left say so.
- In the published scan dead probes vanish as they are met, so a long entry that then comes first counts as
  the head.
- A long entry further back in the published scan needs the smaller remaining time and the slack, as a short
  one does.
- Water-filling goes on at equality, whatever the two workers' numbers: "until it exceeds the next".
- A vector is newer when it was stamped strictly later, on arrival.
- A stolen probe keeps the time at which it first joined a queue. The ideal Eagle draws with replacement, as
  written too.
"""

import functools
from heapq import heapify, heappop, heappush, heapreplace
from math import floor, fsum

import numpy as np

from schedlib.core import streams
from schedlib.eagle import plain
from schedlib.eagle.plain import SRPT, SSS, Eagle, Hybrid
from schedlib.eagle.plain_model import TWO_HOPS, Probe, Worker
from schedlib.eagle.plain_results import jobs_of, written
from schedlib.eagle.plain_rivals import Hawk, OldNews, Omniscient, Reordering, Sparrow
from schedlib.workload import Workload

CAP, STEP = 5, 0.01

# ---- variants of systems: Section 6.3, and what the paper does not have


class EagleWithoutSSS(SRPT):
    K = 20
    sticky = True


class NoUpdates(SRPT):
    """Workers never hear of a started task."""

    def tell(self, job):
        pass


class EagleWithoutSSSUpdates(NoUpdates, EagleWithoutSSS):
    pass


class EagleWithoutSBP(Eagle):
    sticky = False


class EagleWithoutSRPT(SSS):
    K = 20
    sticky = True


class EagleWithoutSBPAndSRPT(SSS):
    K = 20


class EagleWithoutMinimum(Eagle):
    K = 0


class AnyThief(Hawk):
    def victims(self, thief):
        return [w for w in self.workers[self.short_only :] if w is not thief]


class GeneralThieves(Hawk):
    pass


class OmniscientWithSRPT(Omniscient, Reordering):
    pass


class MixedSRPT(SRPT, Sparrow):
    sticky = True


class IdealEagle(SSS):
    """Probes go to workers whose bit is clear at this moment."""

    K = 20
    sticky = True

    def probe(self, job):
        self.counts["probes"] += job.probes
        for _ in range(job.probes):
            self.send(self.clear(self.bits), Probe(job))

    def clear(self, marked):
        """One among the short partition and the general workers whose bit is clear."""
        while True:
            worker = self.draw(0, len(self.workers))
            if worker.number < self.short_only or worker.number not in marked:
                return worker

    def arrive(self, worker, p):
        Hybrid.arrive(self, worker, p)


class ClearShortest(IdealEagle):
    """With a queue whose first of the least unstarted work is served."""

    K = 5

    def get_probe(self, worker):
        if not worker.queue:
            return None
        sizes = [p.job.estimate * (len(p.job.durations) - p.job.started) for p in worker.queue]
        return worker.queue[sizes.index(min(sizes))]


# ---- as published


class RoundsAtSubmission(SSS):
    """SSS as published: all at submission, on the workers' true state; no probe is tested on arrival."""

    old = False  # the newest vector that was seen before is where the first round goes by, and is kept

    def __init__(self, *given, **more):
        super().__init__(*given, **more)
        self.kept = (-1.0, frozenset())

    clear = IdealEagle.clear

    def probe(self, job):
        self.counts["probes"] += job.probes
        newest, again, last = (-1.0, frozenset()), 0, 0
        if self.old:
            newest = self.kept
        for worker in [self.clear(self.kept[1] if self.old else ()) for _ in range(job.probes)]:
            if worker.vector[0] > newest[0]:
                newest = worker.vector
            if self.refuses(worker, job):
                again += 1
            else:
                self.send_far(worker, Probe(job), 1)
        for worker in [self.clear(newest[1]) for _ in range(again)]:
            if self.refuses(worker, job):
                last += 1
            else:
                self.send_far(worker, Probe(job), 2)
        for _ in range(last):
            self.send_far(self.draw(0, self.short_only), Probe(job), 2)
        self.kept = newest

    def refuses(self, worker, job):
        if worker.has_long_task():
            self.note("reject", worker, job)
            return True
        return False

    def send_far(self, worker, p, hops):
        if hops == 1:
            self.send(worker, p)
        else:
            self.note("send", worker, p.job)
            self.at(self.now + hops * self.hop, TWO_HOPS, self.arrive, worker, p)

    def arrive(self, worker, p):
        if p.isLong:
            worker.vector = p.vector
        Hybrid.arrive(self, worker, p)


class OldVectors(RoundsAtSubmission, Eagle):
    """By old vectors: as published in all settings, except that the vector is as of its sending (as written)."""

    old = True


class Program(Hybrid):
    """What all systems do otherwise as published."""

    submitted = False

    def probe(self, job):
        """Targets are drawn with repetition."""
        self.counts["probes"] += job.probes
        for _ in range(job.probes):
            self.send(self.draw(0, len(self.workers)), Probe(job))

    def queueing_time(self, worker, total=None):
        """A placed task is fetched, in two hops."""
        total = fsum(worker.placed) if total is None else total
        p = worker.current
        if p is None or p.task is None:
            return total
        return total + 2 * self.hop - min(self.now - worker.since, p.job.estimate)

    def expected(self, job, workers):
        return [(max(0.0, self.queueing_time(worker)), worker.number) for worker in workers]

    def least_work_left(self, job, workers):
        """Workers without work first, one task each; then the least loaded gets tasks until it exceeds the
        next."""
        n = len(job.durations)
        chosen = self.idle_first(n, workers)
        fresh = {worker.number for worker in chosen}
        line = [
            (self.added(job, number) if number in fresh else wait, number)
            for wait, number in self.expected(job, workers)
        ]
        heapify(line)
        while len(chosen) < n:
            wait, number = heappop(line)
            while True:
                chosen.append(self.workers[number])
                wait += self.added(job, number)
                if len(chosen) == n or (line and wait > line[0][0]):
                    break
            heappush(line, (wait, number))
        return chosen

    def idle_first(self, n, workers):
        return [w for w in workers if sum(w.placed) == 0][:n]

    def added(self, job, number):
        """What one of the job's tasks adds to a worker's queueing time."""
        return job.estimate

    def next_task(self, worker):
        """Placed tasks are asked for, too, and bound then."""
        worker.current = None
        p = self.get_probe(worker)
        if p is None:
            return
        worker.current, worker.since = p, self.now
        in_front = worker.queue[: worker.queue.index(p)]
        left = p.job.started < len(p.job.durations)
        if p.isLong or not left or not self.sticky or p.task is not None:
            worker.queue.remove(p)
        if left:
            self.overtake(p, in_front)
        self.note("ask", worker, p.job)
        reply = self.now + 2 * self.hop
        if left:
            self.execute(worker, p, p.job.started, reply)
        else:
            self.at(reply, TWO_HOPS, self.in_vain, worker, p)


class PublishedSSS(RoundsAtSubmission):
    probe = RoundsAtSubmission.probe  # not Program's, where the variant has old vectors

    def arrive(self, worker, p):
        """The copy is as of the arrival."""
        if p.isLong:
            p.vector = (self.now, frozenset(self.bits))
        super().arrive(worker, p)

    def leave(self, worker, p):
        """The bit is clear when the sum of estimates is zero."""
        Hybrid.leave(self, worker, p)
        if sum(worker.placed) == 0:
            self.bits.discard(worker.number)
            self.note("clear", worker, p.job)


class PublishedIdeal(IdealEagle):
    probe = IdealEagle.probe  # not Program's
    leave = PublishedSSS.leave


class PublishedSRPT(SRPT):
    def get_probe(self, worker):
        """Probes that are known to have nothing left go first, for nothing."""
        queue, place = worker.queue, 0
        while place < len(queue) and not self.submitted:
            p = queue[place]
            if place == 1 and queue[0].isLong:  # a long head ends the scan
                break
            if p.job.known == len(p.job.durations):
                del queue[place]
                self.note("drop", worker, p.job)
            else:
                place += 1
        return published_scan(queue, self.submitted)

    def overtake(self, p, in_front):
        """Long ones compete, so workers hear of their tasks, too; only short ones are charged."""
        for q in in_front:
            if not p.isLong and not q.isLong:
                q.bypass += p.job.estimate
        updates = self.counts["updates"]
        self.tell(p.job)
        if p.isLong:
            self.counts["updates"] = updates

    def hear(self, job, started):
        job.known = len(job.durations) if job.started == len(job.durations) else started


def published_scan(queue, submitted=False):
    """Algorithm 1's choice as published: a long entry at the head is taken, further back it competes and is no
    barrier. As submitted the least is never noted, so that every later entry that may overtake is less."""
    chosen, slack = None, float("inf")
    for p in queue:
        if chosen is None:
            chosen = p
            if p.isLong:
                return p
        elif p.estTaskRuntime <= slack and (
            submitted or p.estJobLeftRuntime < chosen.estJobLeftRuntime
        ):
            chosen = p
        if not p.isLong:
            slack = min(slack, CAP * p.estTaskRuntime - p.bypass)
    return chosen


def unstarted(p):
    """The work of the job's tasks that are not bound."""
    return (len(p.job.durations) - p.job.started) * p.estTaskRuntime


def tasks_scan(queue, submitted=False):
    """Yaq's: a task must be shorter than the slack of those in front. As submitted as above."""
    chosen, slack = queue[0] if queue else None, float("inf")
    for p in queue:
        if p.estTaskRuntime < slack and (submitted or unstarted(p) < unstarted(chosen)):
            chosen = p
        slack = min(slack, CAP * p.estTaskRuntime - p.bypass)
    return chosen


class PublishedHawk(Hawk):
    """Any idle worker steals, and may ask itself."""

    def victims(self, thief):
        return self.workers[self.short_only :]


class PublishedGeneralThieves(Hawk):
    def victims(self, thief):
        return [] if thief.number < self.short_only else self.workers[self.short_only :]


class PublishedReordering(Reordering):
    def get_probe(self, worker):
        return tasks_scan(worker.queue, self.submitted)


class PublishedOldNews(OldNews):
    """Sums of estimates are advertised; how long the running task has run is known at once."""

    def beat(self, number):
        super().beat(number)
        self.advertised = [fsum(worker.placed) for worker in self.workers]

    def idle_first(self, n, workers):
        return []

    def expected(self, job, workers):
        if self.heartbeat == 0:
            return super().expected(job, workers)
        line = []
        for worker in workers:
            wait = max(0.0, self.queueing_time(worker, self.advertised[worker.number]))
            if sum(other <= wait for other, _ in line) < len(job.durations):
                added = int(self.rng.random() * (int(self.heartbeat) + 1))
                line.append((wait + added, worker.number))
        return line


PUBLISHED = {
    IdealEagle: PublishedIdeal,
    SSS: PublishedSSS,
    SRPT: PublishedSRPT,
    GeneralThieves: PublishedGeneralThieves,
    Hawk: PublishedHawk,
    Reordering: PublishedReordering,
    OldNews: PublishedOldNews,
}


@functools.cache
def program(variant, detail):
    """The class of a variant in a setting: what differs as published comes first, and `Program` after it."""
    if detail == "as_written":
        return variant
    parts = [part for written, part in PUBLISHED.items() if issubclass(variant, written)]
    if issubclass(variant, IdealEagle):
        parts.remove(PublishedSSS)
    own = {"submitted": detail == "as_submitted"}
    return type(variant.__name__, (*parts, Program, variant), own)


# ---- workers of several slots


class Machine(Worker):
    """A worker whose slots serve one queue, each in the way of a worker of one slot; it is one of them."""

    def __init__(self, number, slots):
        super().__init__(number)
        others = [Worker(number, self.queue, placed=self.placed) for _ in range(slots - 1)]
        self.slots = [self, *others]

    def has_long_task(self):
        return any(Worker.has_long_task(slot) for slot in self.slots)


class Slotted(Hybrid):
    """What a class made of `plain`'s does otherwise on workers of `of_each (W,)` slots."""

    of_each = ()

    def __init__(self, *given):
        super().__init__(*given)
        self.workers = [Machine(number, slots) for number, slots in enumerate(self.of_each)]

    def arrive(self, worker, p):
        """Nothing is behind a long task where a slot is free."""
        free = any(slot.current is None for slot in worker.slots)
        before = self.counts["behind_long"]
        super().arrive(worker, p)
        if free:
            p.behind = False
            self.counts["behind_long"] = before
        self.fill(worker)

    def next_task(self, slot):
        super().next_task(slot)
        self.fill(self.workers[slot.number])

    def fill(self, worker):
        for slot in worker.slots:
            if slot.current is None and slot.queue:
                super().next_task(slot)

    def queueing_time(self, worker, total=None):
        total = fsum(worker.placed) if total is None else total
        fetch = 2 * self.hop if isinstance(self, Program) else 0.0
        for p, since in [(slot.current, slot.since) for slot in worker.slots]:
            if p is not None and p.task is not None:
                total += fetch - min(self.now - since, p.job.estimate)
        return total / len(worker.slots)

    def added(self, job, number):
        return job.estimate / len(self.workers[number].slots)

    def least_work_left(self, job, workers):
        if isinstance(self, Program):
            return super().least_work_left(job, workers)
        line = self.expected(job, workers)
        heapify(line)
        chosen = []
        for _ in job.durations:
            wait, number = line[0]
            chosen.append(self.workers[number])
            heapreplace(line, (wait + self.added(job, number), number))
        return chosen

    def victims(self, thief):
        """Of each the slot with a long task, if there is one."""
        victims = super().victims(self.workers[thief.number])
        long = [[s for s in w.slots if s.current is not None and s.current.isLong] for w in victims]
        return [slots[0] if slots else w for slots, w in zip(long, victims, strict=True)]


def moved(submits):
    """Submission times, a time seen before being 0.01 s after the last job of that time."""
    last, result = {}, []
    for t in submits:
        last[t] = last[t] + STEP if t in last else t
        result.append(last[t])
    return result


def program_jobs(workload, *given):
    """Jobs as published: means, estimates and durations are cut, equal times are put apart."""
    frame, tasks = workload.jobs, workload.tasks
    cut = Workload(
        frame.assign(mean=np.floor(frame["mean"])),
        tasks.assign(duration=np.floor(tasks["duration"])),
    )
    jobs = jobs_of(cut, *given)
    for job, submit in zip(jobs, moved(frame["submit"].tolist()), strict=True):
        job.submit, job.estimate = submit, floor(job.estimate)
    return jobs


def simulate(workload, variant, workers, *, short_partition, detail, slots=None, **options):
    """As `plain.simulate`, in any setting; `variant` is a class; `slots` of each worker."""
    made = program(variant, detail)
    if slots is not None:
        made = type(f"Slotted{made.__name__}", (Slotted, made), {"of_each": slots})
    if detail == "as_written":
        options |= {"short_partition": short_partition}
        return plain.simulate(workload, made, workers, **options)
    choices, guesses = streams(options["seed"], "choices", "estimates")
    jobs = program_jobs(
        workload,
        options["cutoff"],
        options.get("probe_ratio", 2),
        made.K,
        options.get("estimate", "mean"),
        guesses,
    )
    times = options["network_delay"], options.get("heartbeat", 3.0)
    cluster = made(jobs, workers, floor(short_partition * workers + 1e-9), choices, *times)
    return written(cluster.run(), workload, made.system)
