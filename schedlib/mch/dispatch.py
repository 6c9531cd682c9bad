"""The task scheduler: leaf after leaf gets a task until nothing fits; jobs come, tasks end, jobs leave."""

import numba
import numpy as np
from numba import types

from schedlib.core import events
from schedlib.core.rules import RNG
from schedlib.core.uncounted import kernel
from schedlib.mch.choice import CHOOSE, PRIORITY, choose, update
from schedlib.mch.flatten import CASE1, MCH, OUTSIDE, TWO_PHASE, collapse
from schedlib.mch.state import smallest

DONE, PAUSED, REWEIGH, MORE_ROOM, BAD_RULE = range(5)  # why `advance` stopped
SLICE = 200_000  # steps after which `advance` pauses, so that Python sees Ctrl-C


@kernel
def touch(state, leaf):
    """Note that a leaf's tasks have changed at this time."""
    if not state.leaves[leaf].touched:
        state.leaves[leaf].touched = True
        state.touched[state.tally[0].touched] = leaf
        state.tally[0].touched += 1


@kernel
def is_active(record):
    """Whether a leaf has tasks, running or waiting."""
    return record.tasks > 0 or record.waiting > 0


@kernel
def note_idle(state, leaf):
    """Note that a leaf without tasks, running or waiting, is not active: weights may change."""
    if not is_active(state.leaves[leaf]):
        state.tally[0].active_changed = True


@kernel
def lacks(state, leaf):
    """The resources in which a task of a leaf does not fit, bit j for resource j."""
    full = 0
    for l in range(state.used.size):
        need = state.demand[leaf, l]
        if need > 0 and state.used[l] + need > state.capacity[l] * (1 + 1e-9):
            full |= 1 << l
    return full


@kernel
def start_task(state, leaf):
    """A task of a leaf starts; of jobs, it belongs to the first job in the leaf's line."""
    tally, record, jobs = state.tally[0], state.leaves[leaf], state.jobs
    for l in range(state.used.size):
        state.used[l] += state.demand[leaf, l]
    record.tasks += 1
    record.started += 1
    record.waiting -= 1
    if state.order.size > 0:
        state.order[tally.ordered] = leaf
    tally.ordered += 1
    if jobs.table.size == 0:
        return
    while jobs.table[jobs.line[jobs.head[leaf]]].left == 0:
        jobs.head[leaf] += 1
    number = jobs.line[jobs.head[leaf]]
    job = jobs.table[number]
    job.left -= 1
    job.running += 1
    if np.isnan(job.start):
        job.start = tally.now
    events.add(state.ends, tally.now + job.duration, number)
    touch(state, leaf)


@kernel
def serve(priority, pick, rng, state):
    """Start tasks until none fits; False when the slice ends before that.

    A resource in which the chosen task does not fit is saturated.
    """
    tally = state.tally[0]
    while tally.bad_leaf < 0:
        if tally.steps >= SLICE:
            return False
        leaf = choose(pick, rng, state)
        if leaf < 0 or tally.bad_leaf >= 0:
            break
        tally.steps += 1
        tally.decisions += 1
        full = lacks(state, leaf)
        if full:
            tally.saturated |= full
            continue
        start_task(state, leaf)
        update(priority, state, leaf)
    return True


@kernel
def stop(priority, state, leaf, count):
    """`count` running tasks of a leaf stop, and what they used is free again; waiting ones may have gone."""
    if count > 0:
        record = state.leaves[leaf]
        record.tasks -= count
        for l in range(state.used.size):
            state.used[l] = max(state.used[l] - count * state.demand[leaf, l], 0.0)
        state.tally[0].saturated &= ~record.bits
        touch(state, leaf)
    note_idle(state, leaf)
    update(priority, state, leaf)


@kernel
def end_tasks(priority, state, now):
    """The tasks that end by `now`."""
    ends = state.ends
    while ends.count[0] > 0 and ends.time[0] <= now:
        _, number = events.take(ends)
        job = state.jobs.table[number]
        if job.running > 0:  # otherwise the job has left, and its tasks have stopped
            job.running -= 1
            if job.running == 0 and job.left == 0:
                job.finish = now
            stop(priority, state, job.leaf, 1)


@kernel
def leave(priority, state, now):
    """The jobs that leave by `now`."""
    tally, jobs = state.tally[0], state.jobs
    while tally.departed < jobs.by_depart.size:
        job = jobs.table[jobs.by_depart[tally.departed]]
        if job.depart > now:
            return
        tally.departed += 1
        if job.left > 0 or job.running > 0:
            count = job.running
            state.leaves[job.leaf].waiting -= job.left
            job.left, job.running, job.finish = 0, 0, now
            stop(priority, state, job.leaf, count)


@kernel
def arrive(priority, state, now):
    """The jobs that arrive by `now`."""
    tally, jobs = state.tally[0], state.jobs
    while tally.submitted < jobs.by_submit.size:
        job = jobs.table[jobs.by_submit[tally.submitted]]
        if job.submit > now:
            return
        tally.submitted += 1
        note_idle(state, job.leaf)
        state.leaves[job.leaf].waiting += job.left
        update(priority, state, job.leaf)


@kernel
def next_time(state):
    """When something happens next, infinite for never."""
    tally, jobs = state.tally[0], state.jobs
    time = state.ends.time[0] if state.ends.count[0] > 0 else np.inf
    if tally.submitted < jobs.by_submit.size:
        time = min(time, jobs.table[jobs.by_submit[tally.submitted]].submit)
    if tally.departed < jobs.by_depart.size:
        time = min(time, jobs.table[jobs.by_depart[tally.departed]].depart)
    return time


@kernel
def pass_time(state, end):
    """Everything stays as it is until `end`; nothing is done where that is infinite."""
    if end < np.inf:
        for l in range(state.used.size):
            state.busy[l] += state.used[l] * (end - state.tally[0].now)
        state.tally[0].now = end


@kernel
def reweigh(priority, state):
    """New weights for the active leaves; the others, which have nothing in a heap, keep their last ones."""
    flat, leaves, tally = state.flat, state.leaves, state.tally[0]
    two = tally.whose == TWO_PHASE
    row = CASE1 if two else tally.whose
    for leaf in range(leaves.size):
        flat.active[leaf] = is_active(leaves[leaf])
    first = collapse(flat)
    tally.first = first if two else -1
    for leaf in range(leaves.size):
        if flat.active[leaf]:
            leaves[leaf].weight = flat.weights[row, leaf]
            leaves[leaf].late = flat.weights[MCH, leaf]
            update(priority, state, leaf)
    tally.reweighed += 1


@kernel
def write_down(state):
    """Log the leaves whose tasks changed at this time."""
    tally = state.tally[0]
    for at in range(tally.touched):
        leaf = state.touched[at]
        state.leaves[leaf].touched = False
        if state.log.size > 0:
            change = state.log[tally.logged]
            change.time, change.leaf, change.tasks = tally.now, leaf, state.leaves[leaf].tasks
            tally.logged += 1
    tally.touched = 0


_FUNCTIONS = (types.FunctionType(kind.signature) for kind in (PRIORITY, CHOOSE))
_RUN = types.int64(*_FUNCTIONS, numba.typeof(RNG), numba.typeof(smallest()))


@kernel(signature=_RUN)
def advance(priority, pick, rng, state):
    """Work for a slice, or until `tally.until`, which counts; gives the reason for stopping.

    It stops for a longer log, for weights that Python works out, and for a rule that gave NaN or a leaf that
    cannot be served. Called again, it goes on where it was. `rng` is not in the state, since numba would then
    find out the state's type in Python, which costs 1 ms a call.
    """
    tally = state.tally[0]
    tally.steps = 0
    if tally.rank_all:
        tally.rank_all = False
        for leaf in range(state.leaves.size):
            update(priority, state, leaf)
    while True:
        if not tally.ready:
            if 0 < state.log.size < tally.logged + state.leaves.size:
                return MORE_ROOM
            time = next_time(state)
            pass_time(state, min(time, tally.until))
            if time > tally.until or time == np.inf:
                return DONE
            end_tasks(priority, state, time)
            leave(priority, state, time)
            arrive(priority, state, time)
            tally.steps += 1
            tally.ready = True
            if tally.whose >= 0 and tally.active_changed:
                tally.active_changed = False
                if tally.whose == OUTSIDE:
                    return REWEIGH
                reweigh(priority, state)
        if not serve(priority, pick, rng, state):
            return PAUSED
        if tally.bad_leaf >= 0:
            return BAD_RULE
        tally.ready = False
        write_down(state)
