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

from collections.abc import Callable, Sequence
from typing import NamedTuple, TypeAlias

import numba
import numpy as np
from numba import types

from schedlib.core.checks import frozen
from schedlib.core.compiling import compiled
from schedlib.core.rules import FLOAT_ROWS, FLOATS, INTS, NOTES, RNG, RuleKind, read_only
from schedlib.core.trees import WinnerTree, play, smallest, update
from schedlib.core.uncounted import kernel
from schedlib.hmhs.model import Side, Stage


class Waiting(NamedTuple):
    """The view that a rule gets when a machine asks for work; it may write to `notes`, `machine_notes` and `wake`."""

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


Choice: TypeAlias = Callable[[Waiting, int, float], int]
"""A dispatch rule: the job whose task a machine runs next, or -1."""


class Line(NamedTuple):
    """The jobs of a stage, and those of them that wait: what `Waiting` shows, and what changes."""

    order: np.ndarray  # (N,) all jobs in the policy's order
    rank: np.ndarray  # (N,) each job's place in it
    queue: np.ndarray  # (N,) the jobs that wait, in this order
    length: np.ndarray  # (1,) how many these are
    left: np.ndarray  # (N,)
    ready: np.ndarray  # (N,)
    time: np.ndarray  # (N, M) E_ij
    free: np.ndarray  # (M,)
    notes: np.ndarray  # (N, 4)
    machine_notes: np.ndarray  # (M, 4)
    wake: np.ndarray  # (1,)
    rng: np.random.Generator


def line_of(side: Side, order: np.ndarray, ready: np.ndarray, rng: np.random.Generator) -> Line:
    """The jobs of a stage before any waits; the arguments as in `Line`.

    A rule sees copies of `ready` and of the times: one that writes through a helper must not change the reader's
    instance, and `require_untouched` finds it.
    """
    jobs, machines = side.speed.shape
    return Line(
        order=order,
        rank=np.argsort(order),
        queue=np.zeros(jobs, np.int64),
        length=np.zeros(1, np.int64),
        left=side.tasks.copy(),
        ready=ready.copy(),
        time=frozen(side.time),
        free=np.zeros(machines),
        notes=np.zeros((jobs, 4)),
        machine_notes=np.zeros((machines, 4)),
        wake=np.full(1, np.inf),
        rng=rng,
    )


class Ended(NamedTuple):
    """When dispatching ended, and the machine and the job of a wrong choice, or -1."""

    time: float
    machine: int
    job: int


def require_untouched(policy: str, stage: str, left: Sequence, given: Sequence) -> None:
    """ValueError where a policy's rule for a stage has left arrays otherwise than they were given.

    >>> require_untouched("mine", "map", [np.ones(2)], [np.zeros(2)])
    Traceback (most recent call last):
    ValueError: policy 'mine': its map rule changed stage.ready or stage.time; ...
    """
    if not all(map(np.array_equal, left, given)):
        raise ValueError(
            f"policy {policy!r}: its {stage} rule changed stage.ready or stage.time; keep your own numbers "
            "in stage.notes and stage.machine_notes"
        )


def require_all(policy: str, stage: str, line: Line, ended: Ended) -> None:
    """ValueError, with the reason, where a policy's rule for a stage has left tasks to start.

    >>> side = Side(np.ones(2), np.ones(2, int), np.ones((2, 1)))
    >>> line = line_of(side, np.arange(2), np.zeros(2), RNG)
    >>> require_all("mine", "map", line, Ended(time=3.0, machine=0, job=7))
    Traceback (most recent call last):
    ValueError: policy 'mine': at 3 its map rule gave machine 0 the job 7, ...: there are 2 jobs, 0 to 1; ...
    """
    left = line.left.sum()
    if left == 0:
        return
    broke = f"policy {policy!r}: at {ended.time:.4g} its {stage} rule"
    if ended.machine < 0:
        raise ValueError(
            f"{broke} left every machine waiting with {left} tasks still to start; some machine must take each "
            "job in the end, or, to wait, the rule sets stage.wake[0] to the time at which it is asked again"
        )
    jobs = line.left.size
    job = ended.job
    if not 0 <= job < jobs:
        why = f"there are {jobs} jobs, 0 to {jobs - 1}"
    elif line.left[job] == 0:
        why = "it has no task left"
    else:
        why = "it is not ready"
    raise ValueError(
        f"{broke} gave machine {ended.machine} the job {job}, which is not waiting: {why}; return a member of "
        "stage.queue, or -1 to wait"
    )


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
SIDE = Side(FLOATS, INTS, FLOAT_ROWS)
"""An example of a stage, from which types are read."""
LINE = numba.typeof(line_of(SIDE, INTS.copy(), FLOATS.copy(), RNG))
_DISPATCH = numba.typeof(Ended(time=0.0, machine=0, job=0))(
    types.FunctionType(RULE), LINE, numba.typeof(INTS.copy()), numba.typeof(Stage.empty(1))
)


def rule(function: Choice) -> Choice:
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


@kernel
def insert(line, job):
    """A job takes its place among those that wait."""
    k = line.length[0]
    while k > 0 and line.rank[line.queue[k - 1]] > line.rank[job]:
        line.queue[k] = line.queue[k - 1]
        k -= 1
    line.queue[k] = job
    line.length[0] += 1


@kernel
def ask(choose, line, machine, now):
    """The job that a rule names for a machine, or -1."""
    shown = Waiting(
        queue=read_only(line.queue[: line.length[0]]),
        order=read_only(line.order),
        left=read_only(line.left),
        ready=read_only(line.ready),
        time=line.time,
        free=read_only(line.free),
        notes=line.notes,
        machine_notes=line.machine_notes,
        wake=line.wake,
        rng=line.rng,
    )
    return choose(shown, machine, now)


@kernel
def waits(line, job, now):
    """Whether a number is that of a job which may start a task."""
    return 0 <= job < line.left.size and line.left[job] > 0 and line.ready[job] <= now


@kernel
def start(line, stage, task, job, machine, now, finish):
    """Record a job's next task; a job whose last task has started waits no longer, and True is returned."""
    stage.job[task] = job
    stage.machine[task] = machine
    stage.start[task] = now
    stage.finish[task] = finish
    line.left[job] -= 1
    if line.left[job] > 0:
        return False
    line.length[0] -= 1
    k = 0
    while line.queue[k] != job:
        k += 1
    for later in range(k, line.length[0]):
        line.queue[later] = line.queue[later + 1]
    return True


@compiled(signature=_DISPATCH)
def dispatch(choose, line, arrivals, stage):
    """Run one stage under a rule, fill `stage` in order of dispatch and say how it ended.

    `arrivals (A,)`: the jobs with tasks, by when they become ready. The machine that has been free longest asks
    first, ties by the smaller machine; at equal times jobs become ready before machines ask. Dispatching ends
    early at a choice of a job that is not waiting, and when every machine waits although tasks are left.
    """
    machines = line.free.size
    asks = WinnerTree(  # when each machine asks; infinite while it waits
        np.zeros(machines), np.zeros(machines, np.int64), np.zeros(2 * machines, np.int64)
    )
    play(asks)
    idle = 0  # how many wait
    arrived = 0
    task = 0
    now = 0.0
    total = line.left.sum()
    while task < total:
        machine = smallest(asks)
        free = asks.key[machine]
        alarm = line.wake[0] if idle > 0 and line.wake[0] > now else np.inf
        soonest = min(free, alarm)
        if arrived < arrivals.size and line.ready[arrivals[arrived]] <= max(now, soonest):
            job = arrivals[arrived]
            now = max(now, line.ready[job])
            arrived += 1
            insert(line, job)
        elif soonest == np.inf:
            break
        elif alarm == soonest:
            now = alarm
            line.wake[0] = np.inf
        else:
            now = max(now, free)
            job = ask(choose, line, machine, now) if line.length[0] > 0 else -1
            if job == -1:
                update(asks, machine, np.inf, 0)
                idle += 1
                continue
            if not waits(line, job, now):
                return Ended(now, machine, job)
            finish = now + line.time[job, machine]
            line.free[machine] = finish
            update(asks, machine, finish, 0)
            task += 1
            if not start(line, stage, task - 1, job, machine, now, finish):
                continue
        # a job became ready or had its last task started, or an alarm rang: those that wait ask again
        if idle > 0:
            asks.key[:] = line.free
            play(asks)
            idle = 0
    return Ended(now, -1, -1)


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
