"""All that a run changes, by name: the records and plain arrays of workers, jobs, queues and messages.

In kernels `w`, `j` and `e` are the records of one worker, job and queue entry, and `state` is the whole.
"""

import math
from typing import NamedTuple

import numpy as np

from schedlib.core import events
from schedlib.core.arrays import grown, zeroed
from schedlib.core.rules import read_only
from schedlib.core.uncounted import kernel
from schedlib.eagle.detail import Detail
from schedlib.eagle.records import (
    BINS,
    BLOCK,
    BOARD,
    CLOCK,
    COPIES,
    COUNTS,
    ENTRY,
    EVENT,
    MESSAGE,
    POOL,
    REFUSAL,
    RING,
    ROOM,
    RUN,
    SLOT,
    SUMS,
    WORKER,
)
from schedlib.eagle.systems import Charge, Order, Parts, System, SystemView, Way

MOST_BEATS = 10_000_000
"""Heartbeats of a run; a month of them, at 3 s, is a tenth of that."""


class Settings(NamedTuple):
    """The engine's settings for a system's parts, and the numbers given to `simulate`."""

    detail: Detail = Detail()
    short_way: Way = Way.ANYWHERE  # the branches of `engine.bring` for short and for long jobs
    long_way: Way = Way.ANYWHERE
    order: Order = Order.FIRST_COME  # the branch of `reorder.choose`
    charges: Charge = Charge.NOTHING  # whose bypass counters grow when a task overtakes them
    sticky: bool = False
    steal: bool = False
    any_thief: bool = False
    news: bool = False  # workers learn that tasks were started
    bunches: bool = False  # probes of a job that arrive together share one queue entry
    stale: bool = False  # schedulers learn at heartbeats
    cancels: bool = False  # probes of jobs with nothing left are dropped
    shares: bool = False  # the centre keeps the bit vector
    rejects: bool = False  # workers reject probes when these arrive
    short_only: int = 0  # workers 0 to short_only - 1 are the short partition
    slots: int = 1  # the most of a worker
    second: float = 1.0
    delay: float = 0.0005
    heartbeat: float = 3.0
    cap: float = 5.0


def settings(
    *,
    system: System,
    parts: Parts,
    detail: Detail,
    short_only: int,
    slots: int,
    second: float,
    delay: float,
    heartbeat: float,
) -> Settings:
    """The engine's settings for a system's parts, under this detail and on this cluster; times in s."""
    short, long, order = parts.short, parts.long, parts.queue
    as_sent = short.rejects and not detail.rejected_at_once
    any_thief = detail.any_thief if system.thieves is None else system.thieves == "any"
    return Settings(
        detail=detail,
        short_way=Way.ANYWHERE if as_sent else short.branch,
        long_way=long.branch,
        order=order.branch,
        charges=order.charges,
        sticky=bool(system.sticky),
        steal=bool(system.steal),
        any_thief=any_thief,
        news=order.news and bool(system.updates),
        bunches=order.bunches and not system.steal and not detail.takes_last,
        stale=heartbeat > 0 and (short.stale or long.stale),
        cancels=bool(system.cancel),
        shares=short.shares,
        rejects=as_sent,
        short_only=short_only,
        slots=slots,
        second=second,
        delay=delay,
        heartbeat=heartbeat,
        cap=float(system.cap),
    )


class Loads(NamedTuple):
    """A centre's knowledge, plain arrays: of workers (W,), their slots (S,), and B blocks of them (see `least_work`)."""

    work: np.ndarray  # the sum of the estimates of the tasks placed there and not finished
    picked: np.ndarray  # (S,), when the running one of them was picked (-1: none runs)
    picked_for: np.ndarray  # (S,), its estimate
    advertised: np.ndarray  # the news of the last heartbeat
    # workers whose work has changed since then, first `clock[0].unheard` of them
    unheard: np.ndarray
    idle: np.ndarray  # (B,), workers without work
    falling: np.ndarray  # (2, B), least sums of a running task's waiting time and the time of day
    settled: np.ndarray  # (2, B), least waiting times of the others
    waits: np.ndarray  # a block of them: waiting times, and those of the two kinds
    falls: np.ndarray
    rests: np.ndarray
    low_key: np.ndarray  # a heap of (key, worker): who gets the next task
    low_worker: np.ndarray
    high_key: np.ndarray  # the same with signs turned: the longest-waiting of the chosen so far
    high_worker: np.ndarray


class Notes(NamedTuple):
    """Values for a reader's functions alone; of size 0 without one."""

    since: np.ndarray  # (S,), when a slot asked for the task that it serves
    of_jobs: np.ndarray  # (N, 4), theirs to write
    of_workers: np.ndarray  # (W, 4), as well
    columns: np.ndarray  # (C, N), the jobs' own columns


class Lane(NamedTuple):
    """A ring of messages that take the same time: `messages (C,)`, C a power of two; one record `ring`."""

    messages: np.recarray
    ring: np.recarray

    def longer(self) -> "Lane":
        """The same lane with room for twice as many messages.

        >>> from schedlib.eagle.messages import PROBE, arrival, front, post
        >>> lane = Lane(zeroed(MESSAGE, 1), zeroed(RING, 1)).longer()
        >>> post(lane, 1.5, PROBE, 7, 2, 1)
        >>> float(arrival(lane)), front(lane)
        (1.5, (0, 7, 2, 1))
        """
        in_order = np.roll(self.messages, -self.ring[0].front)
        ring = zeroed(RING, 1)
        ring.pending = self.ring.pending
        return Lane(messages=grown(in_order, 2 * len(in_order)), ring=ring)


class Board(NamedTuple):
    """The centre's bit vector and its copies: C rows of B words, 64 workers a word."""

    bits: np.ndarray  # (B,), the centre's vector
    copies: np.ndarray  # (C, B)
    holders: np.ndarray  # (C,), how many hold a row
    spare: np.ndarray  # (C,), a free list: its first `spare_rows` are unused rows
    status: np.recarray  # one record

    def longer(self) -> "Board":
        """The same board with room for twice as many copies."""
        rows = len(self.holders)
        left = int(self.status[0].spare_rows)
        spare = grown(self.spare, 2 * rows)
        spare[left : left + rows] = np.arange(rows, 2 * rows)
        self.status[0].spare_rows += rows
        return self._replace(
            copies=grown(self.copies, 2 * rows), holders=grown(self.holders, 2 * rows), spare=spare
        )


class Log(NamedTuple):
    """How many workers were busy when, and each event and task (of size 0 when nothing is recorded)."""

    bins: np.ndarray  # (BINS, 2), busy worker-seconds by interval and partition
    sums: np.recarray  # one record
    events: np.recarray  # (L,), of which `used[0]` are filled
    used: np.ndarray
    tasks: np.recarray  # (T,)

    def longer(self) -> "Log":
        """The same log with room for twice as many events."""
        return self._replace(events=grown(self.events, 2 * len(self.events)))


class State(NamedTuple):
    """All that a run changes, and its settings; `pool`, `counts`, `clock`, `refusal` are one record each."""

    how: Settings
    workers: np.recarray
    slots: np.recarray  # (S,), those of worker w are first[w] to first[w + 1] - 1
    first: np.ndarray  # (W + 1,)
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


def no_loads(workers: int, slots: int) -> Loads:
    """A centre's knowledge before any task is placed."""
    blocks = (workers - 1 >> BLOCK) + 1
    return Loads(
        work=np.zeros(workers),
        picked=np.full(slots, -1.0),
        picked_for=np.zeros(slots),
        advertised=np.zeros(workers),
        unheard=np.zeros(workers, np.int64),
        idle=np.bincount(np.arange(workers) >> BLOCK),
        falling=np.full((2, blocks), np.inf),
        settled=np.zeros((2, blocks)),
        waits=np.zeros(1 << BLOCK),
        falls=np.zeros(1 << BLOCK),
        rests=np.zeros(1 << BLOCK),
        low_key=np.zeros(workers + 1),
        low_worker=np.zeros(workers + 1, np.int64),
        high_key=np.zeros(workers + 1),
        high_worker=np.zeros(workers + 1, np.int64),
    )


def clear_board(workers: int) -> Board:
    """A bit vector of zeros without a copy."""
    words = (workers + 63) // 64
    status = zeroed(BOARD, 1)
    status.changed = 1
    status.newest = -1
    status.spare_rows = COPIES
    status.kept = -1
    status.stamp = -1
    return Board(
        bits=np.zeros(words, np.int64),
        copies=np.zeros((COPIES, words), np.int64),
        holders=np.zeros(COPIES, np.int64),
        spare=np.arange(COPIES)[::-1].copy(),
        status=status,
    )


def empty_log(events: int, tasks: int) -> Log:
    """A log with room for this many events at first, and for all tasks; with none nothing is recorded."""
    log = Log(
        bins=np.zeros((BINS, 2)),
        sums=zeroed(SUMS, 1),
        events=zeroed(EVENT, events),
        used=np.zeros(1, np.int64),
        tasks=zeroed(RUN, tasks),
    )
    log.sums.width = 1e-3
    log.tasks.worker = -1
    for time in ("queued", "asked", "start", "finish"):
        log.tasks[time] = np.nan
    return log


def initial(
    how: Settings,
    jobs: np.recarray,
    duration: np.ndarray,
    slots: np.ndarray,
    record: bool = False,
    columns: np.ndarray | None = None,
) -> State:
    """The state at time 0, when nothing has been submitted; `slots (W,)` of each worker; `columns (C, N)`, the
    jobs' own, if a reader's function runs."""
    workers = len(slots)
    cluster = zeroed(WORKER, workers)
    for field in ("head", "tail", "copy_row", "stamp", "mark"):
        cluster[field] = -1
    first = np.cumsum([0, *slots])
    cluster.free = first[:-1]
    places = zeroed(SLOT, first[-1])
    places.worker = np.repeat(np.arange(workers), slots)
    places.job = -1
    places.next = np.arange(1, len(places) + 1)
    places.next[first[1:] - 1] = -1  # the last of its worker
    pool = zeroed(POOL, 1)
    pool.spare = -1
    clock = zeroed(CLOCK, 1)
    clock.next_heartbeat = first_heartbeat(how, jobs, duration)
    readers = columns is not None
    notes = Notes(
        since=np.zeros(len(places) * readers),
        of_jobs=np.zeros((len(jobs) * readers, 4)),
        of_workers=np.zeros((workers * readers, 4)),
        columns=np.zeros((0, 0)) if columns is None else columns,
    )
    log = empty_log(events=ROOM * record, tasks=len(duration) * record)
    log.sums.origin = jobs.submit[0]
    return State(
        how=how,
        workers=cluster,
        slots=places,
        first=first,
        loads=no_loads(workers, len(places)),
        jobs=jobs,
        duration=duration,
        entries=zeroed(ENTRY, ROOM),
        pool=pool,
        line=np.zeros(ROOM, np.int64),
        near=Lane(messages=zeroed(MESSAGE, ROOM), ring=zeroed(RING, 1)),
        far=Lane(messages=zeroed(MESSAGE, ROOM), ring=zeroed(RING, 1)),
        ends=events.event_queue(len(places)),
        board=clear_board(workers if how.shares else 1),
        notes=notes,
        log=log,
        counts=zeroed(COUNTS, 1),
        clock=clock,
        refusal=zeroed(REFUSAL, 1),
    )


def first_heartbeat(how: Settings, jobs: np.recarray, duration: np.ndarray) -> float:
    """The last multiple of the interval before the first job; infinity where no news is old.

    ValueError on an interval that makes too many of them."""
    if not how.stale:
        return math.inf
    lasts = float(np.ptp(jobs.submit) + duration.max() + how.delay)
    least = lasts / MOST_BEATS
    if not how.heartbeat > least:
        rule = f"more than {least:.3g} here: the centre reads all news each time"
        raise ValueError(f"heartbeat: {how.heartbeat!r}, must be {rule}")
    return math.floor(jobs[0].submit / how.heartbeat) * how.heartbeat


@kernel
def seen(state, now, sent):
    """The cluster as a reader's function sees it; `sent` are the workers of its job's earlier probes."""
    workers = state.workers
    slots = state.slots
    jobs = state.jobs
    notes = state.notes
    return SystemView(
        now=now,
        short_only=state.how.short_only,
        queued=read_only(workers.queued),
        busy=read_only(workers.busy),
        long_tasks=read_only(workers.placed),
        work=read_only(state.loads.work),
        first_slot=read_only(state.first),
        job=read_only(slots.job),
        since=read_only(notes.since),
        placed=read_only(slots.serves_placed),
        estimate=read_only(jobs.estimate),
        tasks=read_only(jobs.tasks),
        unstarted=read_only(jobs.unstarted),
        long=read_only(jobs.long),
        sent=read_only(sent),
        notes=notes.of_jobs,
        worker_notes=notes.of_workers,
        jobs=read_only(notes.columns),
    )


@kernel
def refuse(state, what, choice, choices, now):
    """Record that a reader's function chose what does not exist; the engine then ends the run."""
    refusal = state.refusal[0]
    refusal.what = what
    refusal.time = now
    refusal.choice = choice
    refusal.choices = choices
