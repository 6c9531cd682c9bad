"""List scheduling: whenever a machine is free, a rule picks the job whose task it runs next, or none.

FIFO is the rule "the first waiting job". A reader's rule is one small function, compiled by `@rule`:

    @hmhs.rule
    def longest(stage, machine, now):
        best = stage.queue[0]
        for job in stage.queue:
            if stage.time[job, machine] > stage.time[best, machine]:
                best = job
        return best
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numba.core import types

from schedlib.core import compiling
from schedlib.core.compiling import compiled
from schedlib.core.heap import pop, push, replace
from schedlib.hmhs.model import Stage

OK, BAD_JOB, STUCK = 0, 1, 2


class Waiting(NamedTuple):
    """What a rule sees when a machine asks for work."""

    queue: np.ndarray  # (W,) the jobs that are ready and have tasks left, first in order first; never empty
    order: np.ndarray  # (N,) all jobs in order
    left: np.ndarray  # (N,) tasks not yet started
    ready: np.ndarray  # (N,) when each job becomes ready
    time: np.ndarray  # (N, M) E_ij
    score: np.ndarray  # (N, M) the policy's own table (E_ij unless it has one)


class Ended(NamedTuple):
    """How dispatching ended, how many tasks it started, and the rule's last choice: machine, job and time."""

    status: int
    started: int
    machine: int
    job: int
    time: float


_INTS, _FLOATS, _TABLE = types.int64[::1], types.float64[::1], types.float64[:, ::1]
WAITING = types.NamedTuple([_INTS, _INTS, _INTS, _FLOATS, _TABLE, _TABLE], Waiting)
RULE = types.int64(WAITING, types.int64, types.float64)
_STAGE = types.NamedTuple([_INTS, _INTS, _FLOATS, _FLOATS], Stage)
_ENDED = types.NamedTuple([types.int64] * 4 + [types.float64], Ended)
_KERNEL = _ENDED(compiling.function_type(RULE), _INTS, _FLOATS, _INTS, _TABLE, _TABLE, _STAGE)


def rule(function: Callable) -> Callable:
    """Make a dispatch rule of a function `(stage, machine, now) -> job`.

    `stage` is a `Waiting`; -1 lets the machine wait, until a job becomes ready or has its last task started.
    Raises ValueError, with the compiler's reason, when the function does not compile.

    >>> @rule
    ... def last(stage, machine, now):
    ...     return stage.queue[-1]
    """
    return compiling.rule(RULE)(function)


@compiled(signature=_KERNEL)
def dispatch(choose, order, ready, tasks, time, score, stage):
    """Run one stage under a rule, fill `stage` in order of dispatch and say how it ended.

    The machine that has been free longest asks first, ties by the smaller machine; at equal times jobs become
    ready before machines ask. Dispatching ends early at a job that is not waiting (`BAD_JOB`), and when every
    machine waits although tasks are left (`STUCK`).
    """
    jobs, machines = time.shape
    rank = np.empty(jobs, np.int64)
    rank[order] = np.arange(jobs)
    left = tasks.copy()
    queue, waiting = np.empty(jobs, np.int64), 0
    by_arrival = np.argsort(ready, kind="mergesort")
    by_arrival = by_arrival[left[by_arrival] > 0]
    arrived, task, total = 0, 0, left.sum()
    keys, items, size = np.zeros(machines), np.arange(machines), machines
    parked, free_since, idle, now = np.empty(machines, np.int64), np.empty(machines), 0, 0.0

    while task < total:
        if arrived < by_arrival.size and (size == 0 or ready[by_arrival[arrived]] <= max(now, keys[0])):
            job = by_arrival[arrived]
            now = max(now, ready[job])
            arrived += 1
            place = waiting
            while place > 0 and rank[queue[place - 1]] > rank[job]:
                queue[place] = queue[place - 1]
                place -= 1
            queue[place] = job
            waiting += 1
        elif size == 0:
            return Ended(STUCK, task, -1, -1, now)
        else:
            free, machine = keys[0], items[0]
            now = max(now, free)
            job = -1
            if waiting > 0:
                job = choose(Waiting(queue[:waiting], order, left, ready, time, score), machine, now)
            if job < -1 or job >= jobs or (job >= 0 and (left[job] == 0 or ready[job] > now)):
                return Ended(BAD_JOB, task, machine, job, now)
            if job == -1:
                size = pop(keys, items, size)
                parked[idle], free_since[idle] = machine, free
                idle += 1
                continue
            stage.job[task], stage.machine[task] = job, machine
            stage.start[task], stage.finish[task] = now, now + time[job, machine]
            replace(keys, items, size, stage.finish[task], machine)
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
