"""The kernel behind `arrivals.serve`: two-stage jobs that arrive over time, on machines with two slots each.

A machine has a slot for maps and another for reduces. The reduces of a job become ready when its last map has
ended. A free slot takes a task of the waiting job with the least key; ties go to the first in the policy's
order. A policy is such a key (`fair` and others below) or a reader's rule. A task whose input is on its machine
is local; a job may let slots pass for `delay` that are not (Zaharia et al., EuroSys 2010, Algorithm 2). Equal
times: tasks end, jobs become ready, then slots are filled.
"""

from typing import NamedTuple

import numba
import numpy as np
from numba import types

from schedlib.core.heap import pop, push
from schedlib.core.rules import FLOAT_ROWS, FLOATS, RuleKind
from schedlib.core.uncounted import kernel
from schedlib.hmhs import list_scheduling
from schedlib.hmhs.list_scheduling import RULE, Line, ask, insert, waits
from schedlib.hmhs.model import Stage

JOB = np.dtype(
    [
        ("dealt", "i8"),  # its queue under "capacity"
        ("running", "i8"),  # tasks
        ("unfinished", "i8"),  # tasks that have not ended
        # no task of it before this one is unstarted; those of a job are numbered together
        ("low", "i8"),
        ("stop", "i8"),  # the task after its last
        ("passed", "i8"),  # the last offer of a slot that it has let pass
        ("since", "f8"),  # since when it waits for a local slot; inf: it does not
        ("rest", "f8"),  # estimated work in the next stage
        ("shuffle", "f8"),  # what each task copies before it works
        ("unplaced", "i8"),  # tasks that Min-Min has yet to place
    ]
)
SLOT = np.dtype(
    [
        ("job", "i8"),  # that it runs, -1: idle
        ("best", "i8"),  # the job that takes least there, while Min-Min places tasks
        ("free", "f8"),
        ("end", "f8"),  # of the best job's next task
    ]
)
CLOCK = np.dtype(
    [
        ("ends", "i8"),  # tasks that run to a known end
        ("stale", "i8"),  # whether a job has become ready since Min-Min placed the tasks
        ("begun", "i8"),  # tasks
        ("offer", "i8"),  # offers of a slot
        ("wake", "f8"),  # when a job stops waiting for a local slot, or a rule asks again
    ]
)
KEY = RuleKind({"running": 0, "used": 0, "work": 0.0, "placed": 0, "prefer": 0.0}, "key", 0.0)
"""A policy's key of a waiting job for a slot: of the tasks that it runs, the slots that its queue uses, its estimated
work left, the tasks that Min-Min has placed on the machine, and what the machine prefers, the least first."""


@KEY
def first_submitted(running, used, work, placed, prefer):
    """FIFO."""
    return 0.0


@KEY
def fair(running, used, work, placed, prefer):
    """The job that runs the fewest tasks of this stage (Zaharia et al., EuroSys 2010, Algorithm 1)."""
    return float(running)


@KEY
def capacity(running, used, work, placed, prefer):
    """The queue that runs the fewest tasks of this stage."""
    return float(used)


@KEY
def shortest(running, used, work, placed, prefer):
    """The least estimated work left."""
    return work


@KEY
def as_placed(running, used, work, placed, prefer):
    """HMHS: what Min-Min has placed on the machine; NaN for other jobs."""
    return prefer if placed > 0 else np.nan


class State(NamedTuple):
    """All that is known of one of the stages and all that changes."""

    own: bool  # a reader's rule chooses
    places: bool  # Min-Min places all waiting tasks whenever a job becomes ready
    delay: float
    remote: float  # by which factor a task takes longer where its input is not
    clock: np.recarray  # (1,) of `CLOCK`
    line: Line
    jobs: np.recarray  # (N,) of `JOB`
    slots: np.recarray  # (M,) of `SLOT`
    unit: np.ndarray  # (N,) time of one task on a machine of factor 1
    speed: np.ndarray  # (N, M) the machines' factors
    prefer: np.ndarray  # (N, M) as in `KEY`
    inputs: np.ndarray  # (T, R) the machines that hold a task's input
    used: np.ndarray  # (Q,) slots in use by each queue
    end: np.ndarray  # (M + 2,) heap: when running tasks end
    slot: np.ndarray  # (M + 2,) and on which machine
    placed: np.ndarray  # (N, M) tasks placed on each machine and not started
    started: np.ndarray  # (T,)
    local: np.ndarray  # (T,) whether a task's input was on its machine, in order of start
    tasks: Stage  # in order of start
    refused: np.ndarray  # (2,) machine and job of a rule's first wrong choice; -1: none


def _signature():
    ints, floats = types.int64[::1], types.float64[::1]
    seen, table = numba.typeof(FLOATS), numba.typeof(FLOAT_ROWS)
    records = [numba.typeof(np.zeros(1, kind).view(np.recarray)) for kind in (CLOCK, JOB, SLOT)]
    clock, jobs, slots = records
    fields = [types.boolean, types.boolean, types.float64, types.float64]
    fields += [clock, list_scheduling.LINE, jobs, slots, seen, table, table]
    fields += [types.int64[:, ::1], ints, floats, ints, types.int64[:, ::1]]
    fields += [types.boolean[::1], types.boolean[::1], list_scheduling.STAGE, ints]
    state = types.NamedTuple(fields, State)
    choose = types.FunctionType(RULE)
    return types.void(types.FunctionType(KEY.signature), choose, choose, seen, state, state)


@kernel(signature=_signature())
def serve(key, map_rule, reduce_rule, submit, maps, reduces):
    """Serve all jobs, submitted at `submit (N,)`, event by event.

    A rule's wrong choice ends it, and so does a wait of all slots for ever.
    """
    arrived = 0
    while maps.refused[0] < 0 and reduces.refused[0] < 0:
        now = min(next_event(maps), next_event(reduces))
        if arrived < submit.size:
            now = min(now, submit[arrived])
        if now == np.inf:
            break
        end_tasks(maps, reduces, now)
        end_tasks(reduces, reduces, now)
        while arrived < submit.size and submit[arrived] <= now:
            become_ready(maps if maps.line.left[arrived] > 0 else reduces, arrived, now)
            arrived += 1
        fill_slots(key, map_rule, maps, now)
        fill_slots(key, reduce_rule, reduces, now)


@kernel
def next_event(state):
    """When a task of a stage ends, or a wait for a local slot or of a rule is over; inf: never."""
    clock = state.clock[0]
    return min(clock.wake, state.end[0]) if clock.ends > 0 else clock.wake


@kernel
def end_tasks(state, following, now):
    """Free the slots whose tasks end by now; a job of which this was the last may start the following stage."""
    clock = state.clock[0]
    while clock.ends > 0 and state.end[0] <= now:
        machine = state.slot[0]
        clock.ends = pop(state.end, state.slot, clock.ends)
        number = state.slots[machine].job
        job = state.jobs[number]
        state.slots[machine].job = -1
        state.line.free[machine] = now
        state.used[job.dealt] -= 1
        job.running -= 1
        job.unfinished -= 1
        if job.unfinished == 0:
            become_ready(following, number, now)


@kernel
def become_ready(state, job, now):
    """A job's tasks of a stage, if any are left, may start from now on."""
    if state.line.left[job] > 0:
        state.line.ready[job] = now
        insert(state.line, job)
        state.clock[0].stale = 1


@kernel
def place(state, now):
    """Min-Min over all waiting tasks, from the times at which slots are believed to be free."""
    line = state.line
    queue = line.queue[: line.length[0]]
    total = 0
    for job in queue:
        state.jobs[job].unplaced = line.left[job]
        total += line.left[job]
        state.placed[job] = 0
    for machine in range(state.slots.size):
        state.slots[machine].best = -1
        state.slots[machine].free = max(now, line.free[machine])
    gone = -1  # the job whose last task has just been placed: its machines look for another
    for _ in range(total):
        soonest = -1
        for machine in range(state.slots.size):
            slot = state.slots[machine]
            if slot.best == gone:
                slot.best = quickest(queue, state.jobs, line.time[:, machine])
                slot.end = slot.free + line.time[slot.best, machine]
            if soonest < 0 or slot.end < state.slots[soonest].end:
                soonest = machine
        slot = state.slots[soonest]
        job = slot.best
        state.placed[job, soonest] += 1
        slot.free = slot.end
        slot.end += line.time[job, soonest]
        state.jobs[job].unplaced -= 1
        gone = job if state.jobs[job].unplaced == 0 else -2


@kernel
def quickest(queue, jobs, time):
    """The first job in the queue with a task left to place that takes least, by `time (N,)`; -1 for none."""
    best = -1
    for job in queue:
        if jobs[job].unplaced > 0 and (best < 0 or time[job] < time[best]):
            best = job
    return best


@kernel
def fill_slots(key, choose, state, now):
    """Offer each idle slot, by the machines' numbers, and start what is named.

    When a job has its last task started, the slots that are left are offered again.
    """
    clock, line = state.clock[0], state.line
    if clock.wake <= now:
        clock.wake = np.inf
    if clock.stale and state.places:
        place(state, now)
    clock.stale = 0
    line.wake[0] = np.inf
    asking = True
    while asking and state.refused[0] < 0:
        asking = False
        for machine in range(state.slots.size):
            if state.slots[machine].job >= 0 or line.length[0] == 0:
                continue
            clock.offer += 1
            job = ask(choose, line, machine, now) if state.own else least(key, state, machine, now)
            if job == -1:
                continue
            if not waits(line, job, now):
                state.refused[0] = machine
                state.refused[1] = job
                return
            asking |= start(state, job, machine, now)
    if line.wake[0] > now:
        clock.wake = min(clock.wake, line.wake[0])


@kernel
def least(key, state, machine, now):
    """The waiting job with the least key for a free slot, or -1.

    A job whose input is elsewhere lets the slot pass until it has waited `delay`; then the next job is asked.
    """
    clock, line = state.clock[0], state.line
    while True:
        chosen = -1
        lowest = np.inf
        for number in line.queue[: line.length[0]]:
            job = state.jobs[number]
            if job.passed == clock.offer:
                continue
            work = line.left[number] * state.unit[number] + job.rest
            placed, prefer = state.placed[number, machine], state.prefer[number, machine]
            value = key(job.running, state.used[job.dealt], work, placed, prefer)
            first = chosen < 0 and not np.isnan(value)  # it may have an infinite Pri
            if first or value < lowest:
                chosen = number
                lowest = value
        if chosen < 0 or state.delay == 0:
            return chosen
        job = state.jobs[chosen]
        if local_task(state, job, machine) >= 0:
            job.since = np.inf
            return chosen
        job.since = min(job.since, now)
        until = job.since + state.delay
        if now >= until:
            return chosen
        job.passed = clock.offer
        clock.wake = min(clock.wake, until)


@kernel
def local_task(state, job, machine):
    """The first unstarted task of a job whose input is on the machine, or -1."""
    for task in range(job.low, job.stop):
        if not state.started[task]:
            for holder in state.inputs[task]:
                if holder == machine:
                    return task
    return -1


@kernel
def start(state, number, machine, now):
    """Start a task of a job: one whose input is on the machine, or else its first; whether it was the last to start."""
    clock, job = state.clock[0], state.jobs[number]
    while state.started[job.low]:
        job.low += 1
    factor = state.speed[number, machine]
    task = local_task(state, job, machine)
    state.local[clock.begun] = task >= 0
    if task < 0:
        factor *= state.remote
        task = job.low
    state.started[task] = True
    finish = now + job.shuffle + state.unit[number] * factor
    clock.ends = push(state.end, state.slot, clock.ends, finish, machine)
    state.line.free[machine] = now + state.line.time[number, machine]  # as if input were there
    state.slots[machine].job = number
    state.used[job.dealt] += 1
    job.running += 1
    state.placed[number, machine] -= 1
    clock.begun += 1
    return list_scheduling.start(
        state.line, state.tasks, clock.begun - 1, number, machine, now, finish
    )
