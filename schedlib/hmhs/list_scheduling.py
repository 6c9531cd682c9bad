"""List scheduling: whenever a machine is free, a rule picks the job whose task it runs next, or none.

FIFO is the rule "the first waiting job". A reader's rule is one small function, compiled by `@rule`:

    @hmhs.rule
    def longest(stage, machine, now):
        best = stage.queue[0]
        for job in stage.queue:
            if stage.time[job, machine] > stage.time[best, machine]:
                best = job
        return best

A rule that waits may set `stage.wake[0]` to a later time, at which the machine asks again.
"""

from collections.abc import Callable
from typing import NamedTuple

import numba
import numpy as np
from numba import types

from schedlib.core.compiling import compiled
from schedlib.core.heap import pop, push, replace
from schedlib.core.rules import FLOAT_ROWS, FLOATS, INTS, NOTES, RNG, RuleKind, read_only
from schedlib.hmhs.model import Stage

OK, BAD_JOB, STUCK = 0, 1, 2


class Waiting(NamedTuple):
    """What a rule sees when a machine asks for work; it may write to `notes`, `machine_notes` and `wake`."""

    # (W,) the jobs that are ready and have tasks left, first in order first; never empty
    queue: np.ndarray
    order: np.ndarray  # (N,) all jobs in order
    left: np.ndarray  # (N,) tasks not yet started
    ready: np.ndarray  # (N,) when each job becomes ready
    time: np.ndarray  # (N, M) E_ij
    free: np.ndarray  # (M,) when each machine is free
    notes: np.ndarray  # (N, 4) a rule's own numbers for each job, 0 at the start
    machine_notes: np.ndarray  # (M, 4) likewise for each machine
    # (1,) when machines that wait ask again, at the latest: a later time, or infinity
    wake: np.ndarray
    rng: np.random.Generator  # the rule's own random numbers


class Work(NamedTuple):
    """What there is to dispatch in a stage."""

    order: np.ndarray  # (N,) all jobs in order
    arrivals: np.ndarray  # the jobs with tasks, by `ready`
    ready: np.ndarray  # (N,) when each job becomes ready
    tasks: np.ndarray  # (N,) of each job
    time: np.ndarray  # (N, M) E_ij


class Ended(NamedTuple):
    """How dispatching ended, how many tasks it started, and the rule's last choice: machine, job and time."""

    status: int
    started: int
    machine: int
    job: int
    time: float


WAITING = Waiting(
    queue=INTS,
    order=INTS,
    left=INTS,
    ready=FLOATS,
    time=FLOAT_ROWS,
    free=FLOATS,
    notes=NOTES,
    machine_notes=NOTES,
    wake=np.ones(1),
    rng=RNG,
)
DISPATCH = RuleKind(
    {"stage": WAITING, "machine": 0, "now": 0.0}, "job", notes="stage.notes and stage.machine_notes"
)
RULE = DISPATCH.signature
_INTS, _FLOATS = types.int64[::1], types.float64[::1]
_STAGE = types.NamedTuple([_INTS, _INTS, _FLOATS, _FLOATS], Stage)
_ENDED = types.NamedTuple([types.int64] * 4 + [types.float64], Ended)
_WORK = types.NamedTuple([_INTS, _INTS, _FLOATS, _INTS, numba.typeof(FLOAT_ROWS)], Work)
_KERNEL = _ENDED(types.FunctionType(RULE), _WORK, _STAGE, numba.typeof(RNG))


def rule(function: Callable) -> Callable:
    """Make a dispatch rule of a function `(stage, machine, now) -> job`.

    `stage` has what is known: `queue (W,)`, the jobs that are ready and have tasks left, first in order
    first; `order (N,)`, all jobs; `left (N,)`, tasks not started; `ready (N,)`; `time (N, M)`, E_ij; `free
    (M,)`, when each machine is free; `rng`. It may write to `notes (N, 4)` and `machine_notes (M, 4)`, zeros
    at the start, and to `wake (1,)`.

    -1 lets the machine wait, until a job becomes ready or has its last task started, or until `wake[0]`.
    Raises ValueError, with the reason, when the function does not compile, or writes to anything else.

    See also: `hmhs.Policy`, `boards.hmhs`.

    >>> @rule
    ... def last(stage, machine, now):
    ...     return stage.queue[-1]
    """
    return DISPATCH(function)


@compiled(signature=_KERNEL)
def dispatch(choose, work, stage, rng):
    """Run one stage under a rule, fill `stage` in order of dispatch and say how it ended.

    The machine that has been free longest asks first, ties by the smaller machine; at equal times jobs become
    ready before machines ask. Dispatching ends early at a job that is not waiting (`BAD_JOB`), and when every
    machine waits although tasks are left (`STUCK`).
    """
    order, arrivals, ready, tasks, time = work
    jobs, machines = time.shape
    rank = np.empty(jobs, np.int64)
    for place in range(jobs):
        rank[order[place]] = place
    left = tasks.copy()
    queue = np.empty(jobs, np.int64)
    waiting = 0  # jobs in the queue
    arrived = 0
    task = 0
    # the machines that ask, as a heap by when they are free
    keys = np.zeros(machines)
    items = np.arange(machines)
    size = machines
    # those that wait
    parked = np.empty(machines, np.int64)
    free_since = np.empty(machines)
    idle = 0
    ends = np.zeros(machines)
    wake = np.full(1, np.inf)
    notes = np.zeros((jobs, 4))
    machine_notes = np.zeros((machines, 4))
    now = 0.0

    total = left.sum()
    while task < total:
        alarm = wake[0] if idle > 0 and wake[0] > now else np.inf
        soonest = min(keys[0] if size > 0 else np.inf, alarm)
        if arrived < arrivals.size and ready[arrivals[arrived]] <= max(now, soonest):
            job = arrivals[arrived]
            now = max(now, ready[job])
            arrived += 1
            place = waiting
            while place > 0 and rank[queue[place - 1]] > rank[job]:
                queue[place] = queue[place - 1]
                place -= 1
            queue[place] = job
            waiting += 1
        elif soonest == np.inf:
            return Ended(STUCK, task, -1, -1, now)
        elif alarm == soonest:
            now = alarm
            wake[0] = np.inf
        else:
            free = keys[0]
            machine = items[0]
            now = max(now, free)
            job = -1
            if waiting > 0:
                seen_now = Waiting(
                    queue=read_only(queue[:waiting]),
                    order=read_only(order),
                    left=read_only(left),
                    ready=read_only(ready),
                    time=time,
                    free=read_only(ends),
                    notes=notes,
                    machine_notes=machine_notes,
                    wake=wake,
                    rng=rng,
                )
                job = choose(seen_now, machine, now)
            if job < -1 or job >= jobs or (job >= 0 and (left[job] == 0 or ready[job] > now)):
                return Ended(BAD_JOB, task, machine, job, now)
            if job == -1:
                size = pop(keys, items, size)
                parked[idle] = machine
                free_since[idle] = free
                idle += 1
                continue
            stage.job[task] = job
            stage.machine[task] = machine
            stage.start[task] = now
            stage.finish[task] = now + time[job, machine]
            replace(keys, items, size, stage.finish[task], machine)
            ends[machine] = stage.finish[task]
            task += 1
            left[job] -= 1
            if left[job] > 0:
                continue
            place = 0
            while queue[place] != job:
                place += 1
            waiting -= 1
            for later in range(place, waiting):
                queue[later] = queue[later + 1]
        for k in range(idle):
            size = push(keys, items, size, free_since[k], parked[k])
        idle = 0
    return Ended(OK, task, -1, -1, now)


@rule
def first(stage, machine, now):
    """FIFO: the first waiting job."""
    return stage.queue[0]


@rule
def first_in_line(stage, machine, now):
    """FIFO with head-of-line blocking: the first job with tasks left, and wait while it is not ready."""
    for job in stage.order:
        if stage.left[job] > 0:
            return job if job == stage.queue[0] else -1
    return -1


@rule
def first_ready(stage, machine, now):
    """FIFO by readiness: of the waiting jobs the one that became ready first."""
    best = stage.queue[0]
    for job in stage.queue:
        if stage.ready[job] < stage.ready[best]:
            best = job
    return best
