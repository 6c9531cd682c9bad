"""All that a run changes, by name: records of each worker, job, queue entry and message, and plain arrays.

In kernels `w`, `j` and `e` are the records of one worker, job and queue entry, and `state` is the whole.
Times are in the unit of the workload, mostly seconds. The number -1 stands for "none". Counts that a reader's
function sees have 64 bits.
"""

from typing import Any, NamedTuple

import numpy as np

from schedlib.core import events
from schedlib.core.pure import read_only
from schedlib.core.uncounted import kernel
from schedlib.eagle import systems

# 64 bytes, the size of a cache line
WORKER = np.dtype(
    [
        ("queued", "i8"),  # entries in its queue
        ("busy", "i8"),  # 1 while it asks for a task or runs one
        ("placed", "i8"),  # tasks that a centre placed here and that have not finished
        ("stamp", "f8"),  # the time of its copy of the bit vector (-1: it has none)
        ("mark", "i8"),  # the round of probes for which it was drawn last
        ("head", "i4"),
        ("tail", "i4"),  # the first and the last entry of its queue
        ("long_tasks", "i4"),  # long tasks queued, asked for or running here
        ("job", "i4"),  # the job that it serves
        ("copy_row", "i4"),  # the row of the board that holds its copy of the bit vector
        ("serves_long", "i1"),  # 1 when the job that it serves is long
        ("serves_placed", "i1"),  # 1 when the task that it serves was placed by a centre
        ("unheard", "i1"),  # 1 when what is placed here has changed since the last heartbeat
    ],
    align=True,
)
JOB = np.dtype(
    [
        ("submit", "f8"),  # when it is submitted
        ("estimate", "f8"),  # the estimated duration of one of its tasks
        ("long", "i8"),  # 1 for a long job
        # tasks not handed out as far as workers know (-1: they know that none is left)
        ("known", "i4"),
        ("probes", "i4"),  # that it sends (-1: a reader's function has not said yet)
        ("tasks", "i8"),
        ("unstarted", "i8"),  # the number of its tasks, and of those not handed out
        ("finish", "f8"),  # the end of the last task that has been started
        ("first", "i8"),  # where its tasks begin in `State.duration`
        ("stamp", "f8"),  # the time of its scheduler's copy of the bit vector
        # the row of the board that holds this copy, or the one that its long tasks bring
        ("copy_row", "i4"),
        ("rejected", "i4"),  # rejections on their way to its scheduler
    ],
    align=True,
)
ENTRY = np.dtype(
    [
        ("bypassed", "f8"),  # the bypass counter (Section 4.3)
        ("since", "f8"),  # when it joined a queue
        ("next", "i4"),  # the entry behind it in the queue, or the next spare entry
        ("job", "i4"),
        ("task", "i4"),  # its job, and the number of the task that was placed (-1: a probe)
        ("behind", "i4"),  # 1 when it was queued behind a long task
        ("count", "i4"),  # how many alike it stands for (see `reorder`)
    ],
    align=True,
)
# the first spare entry below `used`; entries ever used
POOL = np.dtype([("spare", "i8"), ("used", "i8")])
MESSAGE = np.dtype(
    [
        ("time", "f8"),  # when it arrives
        ("kind", "i4"),
        ("worker", "i4"),
        ("job", "i4"),  # for the kinds see `messages`
        # the round of a probe, the number of a placed task, or how many are not handed out
        ("detail", "i4"),
    ],
    align=True,
)
# where the next message is; messages on their way
RING = np.dtype([("front", "i8"), ("pending", "i8")])
BOARD = np.dtype(
    [
        ("changed", "i8"),  # 1 when the bit vector differs from its newest copy
        ("newest", "i8"),  # the row of that copy
        ("spare_rows", "i8"),  # rows that nobody holds
        ("kept", "i8"),
        ("stamp", "f8"),  # the row of the newest copy that schedulers have seen, and its time
    ]
)
COUNTERS = (
    "probes",
    "rejections",
    "behind_long",
    "ran_behind_long",
    "steal_attempts",
    "steals",
    "stolen",
    "requests",
    "vain",
    "dropped",
    "placements",
    "updates",
    "heartbeats",
    "events",
    "longest_queue",
)
"""What is counted, under the names of `Simulation.stats`."""
COUNTS = np.dtype([(name, "i8") for name in COUNTERS])
# how many workers `Loads.unheard` holds
CLOCK = np.dtype([("now", "f8"), ("next_heartbeat", "f8"), ("next_job", "i8"), ("unheard", "i8")])
REFUSAL = np.dtype(
    [
        ("what", "i8"),  # 0: nothing was refused; else `systems.UNKNOWN_WORKER` or another of these
        ("time", "f8"),
        ("job", "i8"),
        ("probe", "i8"),  # the job whose probe was to be sent, and the number of that probe
        ("worker", "i8"),  # the worker that was to pick from its queue
        ("choice", "i8"),
        ("choices", "i8"),  # what the reader's function returned, of how many choices
    ]
)
SUMS = np.dtype(
    [
        ("width", "f8"),  # the length of an interval
        ("since", "f8"),  # up to when busy time has been added
        ("busy_short", "f8"),
        ("busy_general", "f8"),  # busy workers of the two partitions
        ("sum_short", "f8"),
        ("sum_general", "f8"),  # their busy worker-seconds so far
        ("last_short", "f8"),
        ("last_general", "f8"),  # these sums at the last submission
    ]
)
EVENT = np.dtype([("time", "f8"), ("event", "i8"), ("worker", "i8"), ("job", "i8")])
RUN = np.dtype(
    [("worker", "i8"), ("queued", "f8"), ("asked", "f8"), ("start", "f8"), ("finish", "f8")]
)
MOST_PROBES = 2**31 - 1
"""Of a job."""
ROOM, COPIES, BINS, BLOCK = 1024, 64, 2048, 6
"""Rows that an array which may grow has at first, and copies of the bit vector; intervals of the log; a
block of workers is 2 ** BLOCK of them."""


def table(rows: int, kind: np.dtype) -> np.recarray:
    """So many records of zeros, whose fields have names in compiled and in plain Python code alike.

    >>> workers = table(2, WORKER)
    >>> workers[1].busy = 1
    >>> workers.busy.tolist()
    [0, 1]
    """
    return np.zeros(rows, kind).view(np.recarray)


def longer(records: Any) -> Any:
    """The same array, or records, followed by as many rows of zeros."""
    return np.concatenate((records, np.zeros_like(records))).view(type(records))


class Settings(NamedTuple):
    """What the system's parts need of the engine, and the numbers given to `simulate`."""

    short_way: int = systems.ANYWHERE  # the branches of `engine.bring` for short and for long jobs
    long_way: int = systems.ANYWHERE
    order: int = systems.FIRST_COME  # the branch of `reorder.choose`
    charges: int = systems.NOBODY  # whose bypass counters grow when a task overtakes them
    published: bool = True  # as published or submitted, else as written
    submitted: bool = False
    sticky: bool = False
    steal: bool = False
    any_thief: bool = False
    news: bool = False  # workers learn that tasks were started
    halved: bool = False  # but only when the number that is left has halved
    bunches: bool = False  # what comes to a queue together is one entry of it
    stale: bool = False  # schedulers learn at heartbeats
    shares: bool = False  # the centre keeps the bit vector
    rejects: bool = False  # workers reject probes when these arrive
    short_only: int = 0  # workers 0 to short_only - 1 are the short partition
    delay: float = 0.0005
    heartbeat: float = 3.0
    cap: float = 5.0


class Loads(NamedTuple):
    """What a centre goes by, plain arrays: of workers (W,), and of B blocks of them (see `least_work`)."""

    work: np.ndarray  # the sum of the estimates of the tasks placed there and not finished
    picked: np.ndarray  # when the running one of them was picked (-1: none runs)
    picked_for: np.ndarray  # its estimate
    advertised: np.ndarray  # the news of the last heartbeat
    # workers whose work has changed since then, first `clock[0].unheard` of them
    unheard: np.ndarray
    idle: np.ndarray  # (B,), workers without work
    falling: np.ndarray  # (2, B), least sums of a running task's waiting time and the time of day
    settled: np.ndarray  # (2, B), least waiting times of the others
    waits: np.ndarray  # a block of them: waiting times, and those of the two kinds
    falls: np.ndarray
    rests: np.ndarray
    wide_falling: np.ndarray  # the same for blocks of as many blocks
    wide_settled: np.ndarray
    low_key: np.ndarray  # room for two rows of up to W + 1 (key, worker)
    high_key: np.ndarray
    low_worker: np.ndarray
    high_worker: np.ndarray


class Notes(NamedTuple):
    """What is kept for a reader's functions alone; of size 0 without one."""

    since: np.ndarray  # (W,), when a worker asked for the task that it serves
    of_jobs: np.ndarray  # (N, 4), theirs to write
    of_workers: np.ndarray  # (W, 4), as well


class Lane(NamedTuple):
    """A ring of messages that take the same time: `messages (C,)`, C a power of two; one record `ring`."""

    messages: np.recarray
    ring: np.recarray

    def longer(self) -> "Lane":
        """The same lane with room for twice as many messages.

        >>> from schedlib.eagle.simulating.messages import PROBE, arrival, front, post
        >>> lane = Lane(table(1, MESSAGE), table(1, RING)).longer()
        >>> post(lane, 1.5, PROBE, 7, 2, 1)
        >>> float(arrival(lane)), front(lane)
        (1.5, (0, 7, 2, 1))
        """
        more = Lane(longer(np.roll(self.messages, -self.ring[0].front)), table(1, RING))
        more.ring[0].pending = self.ring[0].pending
        return more


class Board(NamedTuple):
    """The centre's bit vector and its copies: C rows of B words, 64 workers a word."""

    bits: np.ndarray  # (B,), the centre's vector
    copies: np.ndarray  # (C, B)
    holders: np.ndarray  # (C,), how many hold a row
    spare: np.ndarray  # (C,), first the rows that nobody holds
    status: np.recarray  # one record

    def longer(self) -> "Board":
        """The same board with room for twice as many copies."""
        rows, left = len(self.holders), int(self.status[0].spare_rows)
        spare, copies, holders = map(longer, (self.spare, self.copies, self.holders))
        spare[left : left + rows] = np.arange(rows, 2 * rows)
        self.status[0].spare_rows += rows
        return self._replace(spare=spare, copies=copies, holders=holders)


class Log(NamedTuple):
    """How many workers were busy when, and each event and task (of size 0 when nothing is recorded)."""

    bins: np.ndarray  # (BINS, 2), busy worker-seconds by interval and partition
    sums: np.recarray  # one record
    events: np.recarray  # (L,), of which `used[0]` are filled
    used: np.ndarray
    tasks: np.recarray  # (T,)

    def longer(self) -> "Log":
        """The same log with room for twice as many events."""
        return self._replace(events=longer(self.events))


class State(NamedTuple):
    """All that a run changes, and its settings; `pool`, `counts`, `clock`, `refusal` are one record each."""

    how: Settings
    workers: np.recarray
    loads: Loads
    jobs: np.recarray
    duration: np.ndarray  # of all tasks, those of a job begin at its `first`
    entries: np.recarray  # of all queues
    pool: np.recarray
    line: np.ndarray  # room for chosen workers or queued jobs
    near: Lane  # messages of one hop
    far: Lane  # messages of two hops
    ends: events.EventQueue  # of tasks
    board: Board
    notes: Notes
    log: Log
    counts: np.recarray
    clock: np.recarray
    refusal: np.recarray


def initial(
    how: Settings,
    jobs: np.recarray,
    duration: np.ndarray,
    workers: int,
    record: bool = False,
    readers: bool = False,
) -> State:
    """The state at time 0, when nothing has been submitted; a bit vector of zeros that nobody has copied."""
    cluster, pool = table(workers, WORKER), table(1, POOL)
    cluster.head = cluster.tail = cluster.job = cluster.copy_row = cluster.stamp = cluster.mark = -1
    pool.spare = -1
    blocks, wide = (workers - 1 >> BLOCK) + 1, (workers - 1 >> 2 * BLOCK) + 1
    loads = Loads(
        work=np.zeros(workers),
        picked=np.full(workers, -1.0),
        picked_for=np.zeros(workers),
        advertised=np.zeros(workers),
        unheard=np.zeros(workers, np.int64),
        idle=np.bincount(np.arange(workers) >> BLOCK),
        falling=np.full((2, blocks), np.inf),
        settled=np.zeros((2, blocks)),
        wide_falling=np.full((2, wide), np.inf),
        wide_settled=np.zeros((2, wide)),
        waits=np.zeros(1 << BLOCK),
        falls=np.zeros(1 << BLOCK),
        rests=np.zeros(1 << BLOCK),
        low_key=np.zeros(workers + 1),
        high_key=np.zeros(workers + 1),
        low_worker=np.zeros(workers + 1, np.int64),
        high_worker=np.zeros(workers + 1, np.int64),
    )
    words, status = (workers + 63) // 64 if how.shares else 1, table(1, BOARD)
    status.changed, status.newest, status.spare_rows, status.kept, status.stamp = (
        1,
        -1,
        COPIES,
        -1,
        -1,
    )
    board = Board(
        bits=np.zeros(words, np.int64),
        copies=np.zeros((COPIES, words), np.int64),
        holders=np.zeros(COPIES, np.int64),
        spare=np.arange(COPIES)[::-1].copy(),
        status=status,
    )
    rows = workers * readers
    notes = Notes(
        since=np.zeros(rows),
        of_jobs=np.zeros((len(jobs) * readers, 4)),
        of_workers=np.zeros((rows, 4)),
    )
    log = Log(
        bins=np.zeros((BINS, 2)),
        sums=table(1, SUMS),
        events=table(ROOM * record, EVENT),
        used=np.zeros(1, np.int64),
        tasks=table(len(duration) * record, RUN),
    )
    log.sums.width, log.tasks.worker = 1e-3, -1
    log.tasks.queued = log.tasks.asked = log.tasks.start = log.tasks.finish = np.nan
    near, far = (Lane(table(ROOM, MESSAGE), table(1, RING)) for _ in range(2))
    return State(
        how=how,
        workers=cluster,
        loads=loads,
        jobs=jobs,
        duration=duration,
        entries=table(ROOM, ENTRY),
        pool=pool,
        line=np.zeros(ROOM, np.int64),
        near=near,
        far=far,
        ends=events.event_queue(workers),
        board=board,
        notes=notes,
        log=log,
        counts=table(1, COUNTS),
        clock=table(1, CLOCK),
        refusal=table(1, REFUSAL),
    )


@kernel
def seen(state, now, sent):
    """The cluster as a reader's function sees it; `sent` are the workers of its job's earlier probes."""
    workers, jobs, notes = state.workers, state.jobs, state.notes
    return systems.Cluster(
        now=now,
        short_only=state.how.short_only,
        queued=read_only(workers.queued),
        busy=read_only(workers.busy),
        long_tasks=read_only(workers.placed),
        work=read_only(state.loads.work),
        job=read_only(workers.job),
        since=read_only(notes.since),
        placed=read_only(workers.serves_placed),
        estimate=read_only(jobs.estimate),
        tasks=read_only(jobs.tasks),
        unstarted=read_only(jobs.unstarted),
        long=read_only(jobs.long),
        sent=read_only(sent),
        notes=notes.of_jobs,
        worker_notes=notes.of_workers,
    )


@kernel
def refuse(state, what, choice, choices, now):
    """Record that a reader's function chose what does not exist; the engine then ends the run."""
    refusal = state.refusal[0]
    refusal.what, refusal.time, refusal.choice, refusal.choices = what, now, choice, choices


def refusal_text(state: State, system: str, unit: str, names: np.ndarray) -> str:
    """What a reader's function chose, when, and what it could have; `names (N,)` by submission."""
    refusal = state.refusal[0]
    time, last = f"at {refusal.time:.4g} {unit}", refusal.choices - 1
    if refusal.what == systems.UNKNOWN_WORKER:
        probe = f"probe {refusal.probe} of job {names[refusal.job]}"
        part = "long_jobs" if state.jobs[refusal.job].long else "short_jobs"
        chose = (
            f"{part} sends {probe} {time} to worker {refusal.choice}; there are {refusal.choices}"
        )
    elif refusal.what == systems.FEW_PROBES:
        job = f"job {names[refusal.job]} of {state.jobs[refusal.job].tasks} tasks"
        gives = f"probes gives {refusal.choice} for {job} {time}"
        return f"system {system!r}: {gives}; return {refusal.choices} or more, and at most {MOST_PROBES:,}"
    else:
        jobs = ", ".join(str(names[job]) for job in state.line[: min(refusal.choices, 5)])
        line = f"the line of worker {refusal.worker} (jobs {jobs}{' ...' if last > 4 else ''})"
        chose = f"queue picks place {refusal.choice} {time} in {line}; it has {refusal.choices}"
    return f"system {system!r}: {chose}; return one of 0 to {last}"
