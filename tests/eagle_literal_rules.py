"""What a system is made of, and what a worker runs next, word for word (see `eagle_literal`)."""

from dataclasses import dataclass, field

CAP, STEP = 5, 0.01


@dataclass(frozen=True)
class Parts:
    """What a system is made of."""

    short_jobs: str
    long_jobs: str = "lwl"
    queue: str = "fifo"  # or a function: jobs in line -> place
    sticky: bool = False
    steal: bool = False
    thieves: str | None = None
    min_probes: int = 0
    updates: bool | str = True


def eagle(sss=True, sbp=True, srpt=True, min_probes=20, updates=True):
    return Parts(
        "sss" if sss else "probes",
        "lwl",
        "srpt" if srpt else "fifo",
        sbp,
        min_probes=min_probes,
        updates=updates,
    )


SYSTEMS = {
    "eagle": eagle(),
    "hawk": Parts("probes", steal=True),
    "sparrow": Parts("probes", "probes"),
    "dlwl": Parts("stale-lwl", "stale-lwl", "srpt-tasks"),
    "omniscient": Parts("lwl", "lwl"),
    "omniscient srpt": Parts("lwl", "lwl", "srpt-tasks"),
    "ideal-eagle": Parts("clear", sticky=True, min_probes=20),
}


@dataclass(eq=False)
class Job:
    number: int
    submit: float
    durations: list
    estimate: float
    long: bool
    asked: int = 0  # tasks bound
    known: int = 0  # tasks bound, as far as the news goes
    rejected: list = field(default_factory=list)
    vector: tuple = (-1, frozenset())
    ends: list = field(default_factory=list)

    @property
    def left(self):
        return len(self.durations) - self.asked


@dataclass(eq=False)
class Entry:
    """A probe or a placed task, on its way or in a queue."""

    job: Job
    task: int | None = None
    placed: bool = False
    vector: tuple | None = None
    counter: float = 0.0
    round: int = 1
    behind: bool = False
    queued: float = 0.0


@dataclass(eq=False)
class Worker:
    number: int
    queue: list = field(default_factory=list)
    current: Entry | None = None  # asked for, or running
    picked: float = 0.0
    placed: list = field(
        default_factory=list
    )  # estimates of the tasks that a centre placed there, not finished
    vector: tuple | None = None

    def has_long(self):
        return any(e.job.long for e in self.queue) or (
            self.current is not None and self.current.job.long
        )


def algorithm1(queue, remaining):
    """Algorithm 1's GetProbeFromQueue: the place in line, `queue` holding entries and `remaining` giving
    estJobLeftRuntime."""
    shortest, chosen = float("inf"), None
    for place, p in enumerate(queue):
        if p.job.long:
            break
        if remaining(p) < shortest and all(
            q.counter + p.job.estimate <= CAP * q.job.estimate for q in queue[:place]
        ):  # CanBypass
            shortest, chosen = remaining(p), place
    return 0 if chosen is None else chosen


def published_scan(queue, remaining, submitted=False):
    """The same choice as published: a long entry at the head is taken, further back it competes and is no
    barrier. As submitted the least is never noted, so that every later entry that may overtake is less."""
    chosen, slack = None, float("inf")
    for place, p in enumerate(queue):
        if chosen is None:
            chosen = place
            if p.job.long:
                return place
        elif (submitted or remaining(p) < remaining(queue[chosen])) and p.job.estimate <= slack:
            chosen = place
        if not p.job.long:
            slack = min(slack, CAP * p.job.estimate - p.counter)
    return chosen


def tasks_scan(queue, strict, submitted=False):
    """Yaq's: by what is unstarted of the job; long and short entries bypass one another. As submitted as
    above."""
    chosen, slack = 0, float("inf")
    for place, p in enumerate(queue):
        fits = p.job.estimate < slack or (not strict and p.job.estimate == slack)
        if fits and (
            submitted
            or p.job.left * p.job.estimate < queue[chosen].job.left * queue[chosen].job.estimate
        ):
            chosen = place
        slack = min(slack, CAP * p.job.estimate - p.counter)
    return chosen


def moved(submits):
    """Submission times, a time seen before being 0.01 s after the last job of that time."""
    last, result = {}, []
    for t in submits:
        last[t] = last[t] + STEP if t in last else t
        result.append(last[t])
    return result
