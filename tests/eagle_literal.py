"""Eagle and its rivals word for word, slowly: lists, one heap, every worker looked at.

Written from the paper's text (`as_written`) and from the list of the published simulator's refinements
(`as_published`), not from `schedlib.eagle`. Only the order of random draws and of events at equal times is
the library's. Where both sources are silent:

- At equal times task ends come first, then messages of two hops, those of one, heartbeats, submissions; each
  in the order caused, a task's end and its news when the task is asked for.
- A task's news is out when its answer is: two hops after the asking. News that arrive when nothing is left
  say so (published).
- In the published scan dead probes vanish as they are met, so a long entry that then comes first counts as
  the head.
- A long entry further back in the published scan needs the smaller remaining time and the slack, as a short
  one does.
- Water-filling goes on at equality, whatever the two workers' numbers: "until it exceeds the next".
- A vector is newer when it was stamped strictly later: on arrival (published), at sending (written).
- The centre's state travels with all tasks of one job placed (written).
- A stolen probe keeps the time at which it first joined a queue. The ideal Eagle draws with replacement, in
  both settings.
- No random number is drawn for a worker that it could not make one of the chosen (DLWL).
- Heartbeats come at multiples of their interval, the first no later than the first job.
"""

from dataclasses import replace
from heapq import heapify, heappop, heappush
from math import floor, fsum

from eagle_literal_rules import (
    SYSTEMS,
    Entry,
    Job,
    Parts,
    Worker,
    algorithm1,
    eagle,
    moved,
    published_scan,
    tasks_scan,
)

__all__ = ["SYSTEMS", "Entry", "Job", "Literal", "Parts", "algorithm1", "eagle", "published_scan"]

VICTIMS, MOST_STOLEN = 10, 10_000
END, FAR, NEAR, HEARTBEAT, SUBMIT = range(5)


class Literal:
    """`run()` once; then `jobs` (with `.ends`), `tasks` rows (job, task, worker, queued, asked, start,
    finish), `stats`."""

    def __init__(
        self,
        submits,
        durations,
        system,
        workers,
        *,
        short_only=0,
        cutoff,
        means=None,
        probe_ratio=2,
        min_probes=None,
        network_delay=0.0005,
        estimate=1.0,
        heartbeat=3.0,
        detail="as_published",
        rng=None,
    ):
        self.published, self.submitted = detail != "as_written", detail == "as_submitted"
        self.system = SYSTEMS[system] if isinstance(system, str) else system
        if min_probes is not None:
            self.system = replace(self.system, min_probes=min_probes)
        self.hop, self.ratio, self.heartbeat, self.rng = network_delay, probe_ratio, heartbeat, rng
        self.workers = [Worker(i) for i in range(workers)]
        self.short_only = short_only
        means = [sum(d) / len(d) for d in durations] if means is None else means
        if self.published:
            submits, means = moved(submits), [int(m) for m in means]
            durations = [[int(x) for x in d] for d in durations]
        factors = estimate if isinstance(estimate, list) else [estimate] * len(means)
        estimates = [
            int(m * f) if self.published else m * f for m, f in zip(means, factors, strict=True)
        ]
        columns = zip(submits, durations, estimates, means, strict=True)
        self.jobs = [Job(i, t, list(d), e, m > cutoff) for i, (t, d, e, m) in enumerate(columns)]
        self.events, self.created = [], 0
        self.bits, self.frozen, self.kept = set(), [0.0] * workers, (-1.0, frozenset())
        self.tasks, self.busy = [], []
        counters = (
            "probes rejections rescheduled behind_long ran_behind_long steal_attempts steals stolen requests vain dropped "
            "placements updates heartbeats longest_queue"
        )
        self.stats = dict.fromkeys(counters.split(), 0)

    # ---- events

    def push(self, time, kind, happens, *what):
        heappush(self.events, (time, kind, self.created, happens, what))
        self.created += 1

    def run(self):
        for job in self.jobs:
            self.push(job.submit, SUBMIT, self.submit, job)
        if self.heartbeat > 0 and "stale-lwl" in (self.system.short_jobs, self.system.long_jobs):
            first = floor(min(job.submit for job in self.jobs) / self.heartbeat)
            self.push(first * self.heartbeat, HEARTBEAT, self.beat, first)
        left = sum(len(job.durations) for job in self.jobs)
        while self.events:
            self.now, kind, _, happens, what = heappop(self.events)
            if kind != HEARTBEAT or len(self.tasks) < left:
                happens(*what)
        self.stats["rescheduled"] = self.stats["rejections"] + self.stats["stolen"]
        return self

    def submit(self, job):
        part = self.system.long_jobs if job.long else self.system.short_jobs
        if part in ("lwl", "stale-lwl"):
            self.place(job, part == "stale-lwl")
            return
        n = max(self.system.min_probes, self.ratio * len(job.durations))
        self.stats["probes"] += n
        if part == "probes":
            for w in self.targets(n):
                self.send(w, Entry(job), 1)
        elif part == "clear":
            for _ in range(n):
                self.send(self.clear(self.bits), Entry(job), 1)
        elif self.published or part == "old-sss":
            self.two_rounds(job, n, part == "old-sss")
        else:
            for w in self.targets(n):
                self.send(w, Entry(job), 1)

    def send(self, worker, entry, hops):
        self.push(
            self.now + hops * self.hop,
            NEAR if hops == 1 else FAR,
            self.arrive,
            self.workers[worker],
            entry,
        )

    # ---- random choices

    def uniform(self, low, high):
        return low + int(self.rng.random() * (high - low))

    def clear(self, marked):
        """One among the short partition and the general workers whose bit is clear."""
        while True:
            w = self.uniform(0, len(self.workers))
            if w < self.short_only or w not in marked:
                return w

    def targets(self, n):
        """First-round targets; as written distinct while there are enough, then each once more."""
        result, size, used = [], len(self.workers), set()
        for k in range(n):
            if self.published or k % size == 0:
                used = set()
            w = self.uniform(0, size)
            while w in used:
                w = self.uniform(0, size)
            used.add(w)
            result.append(w)
        return result

    # ---- SSS

    def two_rounds(self, job, n, old):
        """As published: all at submission, on the workers' true state. With the `old` vector: the newest that was seen
        before is where the first round goes by, and is kept."""
        first = [self.clear(self.kept[1] if old else ()) for _ in range(n)]
        newest, again, last = self.kept if old else (-1.0, frozenset()), 0, 0
        for w in first:
            vector = self.workers[w].vector
            if vector is not None and vector[0] > newest[0]:
                newest = vector
            if self.workers[w].has_long():
                again += 1
            else:
                self.send(w, Entry(job), 1)
        for w in [self.clear(newest[1]) for _ in range(again)]:
            if self.workers[w].has_long():
                last += 1
            else:
                self.send(w, Entry(job), 2)
        for _ in range(last):
            self.send(self.uniform(0, self.short_only), Entry(job), 2)
        self.stats["rejections"] += again + last
        self.kept = newest

    def rejected(self, job):
        """As written: the answers of one round reach the scheduler, all at the same time."""
        entries, job.rejected = job.rejected, []
        for e in entries:
            w = self.clear(job.vector[1]) if e.round == 1 else self.uniform(0, self.short_only)
            self.send(w, Entry(job, round=e.round + 1), 1)

    def arrive(self, worker, entry):
        job = entry.job
        has_long = worker.has_long()
        if self.system.short_jobs == "sss" and not self.published and not job.long and has_long:
            self.stats["rejections"] += 1
            job.vector = max(job.vector, worker.vector, key=lambda vector: vector[0])
            if not job.rejected:
                self.push(self.now + self.hop, NEAR, self.rejected, job)
            job.rejected.append(entry)
            return
        if job.long and entry.placed:
            worker.vector = (self.now, frozenset(self.bits)) if self.published else entry.vector
        entry.queued = self.now
        if has_long and not job.long:
            entry.behind = True
            self.stats["behind_long"] += 1
        self.join(worker, [entry])
        if worker.current is None:
            self.next(worker, after=False)

    def join(self, worker, entries):
        worker.queue.extend(entries)
        self.stats["longest_queue"] = max(self.stats["longest_queue"], len(worker.queue))

    # ---- the centre, and the schedulers that know waiting times

    def waiting(self, worker, total):
        e = worker.current
        if e is not None and e.placed:
            fetch = 2 * self.hop if self.published else 0
            return total + fetch - min(self.now - worker.picked, e.job.estimate)
        return total

    def beat(self, k):
        self.stats["heartbeats"] += 1
        self.frozen = [
            fsum(w.placed) if self.published else self.waiting(w, fsum(w.placed))
            for w in self.workers
        ]
        self.push((k + 1) * self.heartbeat, HEARTBEAT, self.beat, k + 1)

    def place(self, job, stale):
        eligible = self.workers[self.short_only if job.long else 0 :]
        n, chosen = len(job.durations), []
        if self.published and not stale:
            chosen = [w.number for w in eligible if sum(w.placed) == 0][:n]
        fresh, line, most = set(chosen), [], n - len(chosen)
        for w in eligible:
            if not stale or self.heartbeat == 0:
                wait = (
                    job.estimate if w.number in fresh else max(0.0, self.waiting(w, fsum(w.placed)))
                )
            else:
                wait = (
                    max(0.0, self.waiting(w, self.frozen[w.number]))
                    if self.published
                    else self.frozen[w.number]
                )
                if sum(other <= wait for other, _ in line) >= most:
                    continue  # nothing is drawn for a worker that cannot be chosen
                wait += (
                    int(self.rng.random() * (int(self.heartbeat) + 1))
                    if self.published
                    else self.rng.random() * self.heartbeat
                )
            line.append((wait, w.number))
        heapify(line)
        while len(chosen) < n:
            wait, w = heappop(line)
            while True:
                chosen.append(w)
                wait += job.estimate
                if len(chosen) == n or not self.published or (line and wait > line[0][0]):
                    break
            heappush(line, (wait, w))
        self.stats["placements"] += n
        for w in chosen:
            self.workers[w].placed.append(job.estimate)
            if job.long:
                self.bits.add(w)
        for k, w in enumerate(chosen):
            self.send(
                w,
                Entry(job, None if self.published else k, True, (self.now, frozenset(self.bits))),
                1,
            )

    # ---- workers

    def remaining(self, entry):
        job = entry.job
        return job.estimate * (len(job.durations) - (job.known if self.system.updates else 0))

    def choose(self, worker):
        """The place in line of the next to run, or None. Published: dead probes go first, for nothing, when
        the news is out."""
        rule, queue = self.system.queue, worker.queue
        if rule == "srpt" and self.published and self.system.updates and not self.submitted:
            place = 0
            while place < len(queue) and not (
                place == 1 and queue[0].job.long
            ):  # a long head ends the scan
                if queue[place].job.known == len(queue[place].job.durations):
                    del queue[place]
                    self.stats["dropped"] += 1
                else:
                    place += 1
        if not queue:
            return None
        if callable(rule):
            return rule([e.job for e in queue])
        if rule == "srpt":
            return (
                published_scan(queue, self.remaining, self.submitted)
                if self.published
                else algorithm1(queue, self.remaining)
            )
        return tasks_scan(queue, self.published, self.submitted) if rule == "srpt-tasks" else 0

    def next(self, worker, after=True):
        """The worker is free: `after` a task or a request in vain, or because something came."""
        worker.current = None
        place = self.choose(worker)
        if place is None and after and self.system.steal and self.steal(worker):
            place = self.choose(worker)
        if place is None:
            return
        entry = worker.queue[place]
        job, in_front = entry.job, worker.queue[:place]
        worker.current, worker.picked = entry, self.now
        if not self.system.sticky or job.long or entry.placed or not job.left:
            del worker.queue[place]
        if self.system.queue == "srpt-tasks":
            for e in in_front:
                e.counter += job.estimate
        self.stats["requests"] += entry.task is None
        if not job.left:
            self.push(self.now + 2 * self.hop, FAR, self.in_vain, worker)
            return
        task, start = (
            (job.asked, self.now + 2 * self.hop) if entry.task is None else (entry.task, self.now)
        )
        job.asked += 1
        self.stats["ran_behind_long"] += entry.behind
        if self.system.queue == "srpt" and not job.long:
            for e in in_front:
                if not e.job.long:
                    e.counter += job.estimate
        updates = self.system.updates
        if updates != "halved" or job.left in (0, *(2**k for k in range(20))):
            self.push(self.now + 2 * self.hop, FAR, self.news, job, job.asked)
            if self.system.queue == "srpt" and updates and not job.long:
                self.stats["updates"] += max(
                    self.system.min_probes, self.ratio * len(job.durations)
                )
        self.push(
            start + job.durations[task], END, self.end, worker, entry, (task, self.now, start)
        )

    def news(self, job, asked):
        job.known = len(job.durations) if self.published and not job.left else asked

    def in_vain(self, worker):
        self.stats["vain"] += 1
        self.busy.append((worker.number, worker.picked, self.now))
        self.next(worker)

    def end(self, worker, entry, run):
        task, asked, start = run
        job = entry.job
        job.ends.append(self.now)
        self.tasks.append((job.number, task, worker.number, entry.queued, asked, start, self.now))
        self.busy.append((worker.number, asked, self.now))
        if entry.placed:
            worker.placed.remove(job.estimate)
            if sum(worker.placed) == 0:
                self.bits.discard(worker.number)
        self.next(worker)

    # ---- Hawk's stealing

    def steal(self, thief):
        thieves = self.system.thieves or ("any" if self.published else "general")
        low, high = self.short_only, len(self.workers)
        if thieves == "general" and thief.number < low:
            return False
        victims = [w for w in range(low, high) if self.published or w != thief.number]
        if not victims:
            return False
        for _ in range(VICTIMS):
            self.stats["steal_attempts"] += 1
            victim = self.workers[victims[self.uniform(0, len(victims))]]
            place, queue = 0, victim.queue
            if victim.current is None or not victim.current.job.long:
                while place < len(queue) and not queue[place].job.long:
                    place += 1
            while place < len(queue) and queue[place].job.long:
                place += 1
            run = []
            while (
                place + len(run) < len(queue)
                and not queue[place + len(run)].job.long
                and len(run) < MOST_STOLEN
            ):
                run.append(queue[place + len(run)])
            if run:
                del queue[place : place + len(run)]
                for e in run:
                    e.behind = False
                self.join(thief, run)
                self.stats["steals"] += 1
                self.stats["stolen"] += len(run)
                return True
        return False

    # ---- results

    def finish(self):
        return [max(job.ends) for job in self.jobs]

    def utilisation(self):
        """Mean fractions busy (short partition, general, all) from the first to the last submission; NaN
        where there is nothing."""
        submits = [job.submit for job in self.jobs]
        first, last = min(submits), max(submits)
        work = [0.0, 0.0]
        for w, start, end in self.busy:
            work[w >= self.short_only] += max(0.0, min(end, last) - max(start, first))
        sizes = [self.short_only, len(self.workers) - self.short_only]
        span = last - first
        each = [
            b / (n * span) if n and span else float("nan") for b, n in zip(work, sizes, strict=True)
        ]
        return [*each, sum(work) / (len(self.workers) * span) if span else float("nan")]
