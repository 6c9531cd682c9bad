"""The task scheduler: leaf after leaf gets a task until nothing fits; jobs come, tasks end, jobs leave."""

import numba
import numpy as np
from numba.core import types

from schedlib.core import compiling, events
from schedlib.core.stopping import poll
from schedlib.core.uncounted import kernel
from schedlib.mch.choosing import CHOOSE, PRIORITY, choose, look_again, new_state
from schedlib.mch.flatten import CASE1, MCH, OUTSIDE, TWO_PHASE, collapse
from schedlib.mch.model import Tree

add, take = events.add, events.take
DONE, REWEIGH, MORE_ROOM, BAD_PRIORITY = range(4)  # why `advance` stopped


@kernel
def touch(state, leaf):
    """Note that a leaf's tasks have changed at this time."""
    if not state.leaves[leaf].touched:
        state.leaves[leaf].touched = True
        state.touched[state.tally[0].touched] = leaf
        state.tally[0].touched += 1


@kernel
def serve(priority, pick, how, state):
    """Start tasks until none fits; a resource in which the chosen task does not fit is saturated."""
    tally, jobs, resources = state.tally[0], state.jobs, state.used.size
    while tally.bad_leaf < 0:
        leaf = choose(pick, how, state)
        poll()
        if leaf < 0 or tally.bad_leaf >= 0:
            return
        tally.decisions += 1
        one, full = state.leaves[leaf], 0
        for l in range(resources):
            need = state.demand[leaf, l]
            if need > 0 and state.used[l] + need > state.capacity[l] * (1 + 1e-9):
                full |= 1 << l
        if full:
            tally.saturated |= full
            continue
        for l in range(resources):
            state.used[l] += state.demand[leaf, l]
        one.tasks += 1
        one.started += 1
        one.waiting -= 1
        if state.order.size > 0:
            state.order[tally.ordered] = leaf
        tally.ordered += 1
        if state.jobs.table.size > 0:  # the first job in the leaf's line starts a task
            while jobs.table[jobs.line[one.head]].left == 0:
                one.head += 1
            job = jobs.table[jobs.line[one.head]]
            job.left -= 1
            job.running += 1
            if np.isnan(job.start):
                job.start = tally.now
            add(state.ends, tally.now + job.duration, jobs.line[one.head])
            touch(state, leaf)
        look_again(priority, how, state, leaf)


@kernel
def is_active(one):
    """Whether a leaf has tasks, running or waiting."""
    return one.tasks > 0 or one.waiting > 0


@kernel
def note_idle(state, leaf):
    """A leaf without tasks, running or waiting, is not active: weights may change."""
    if not is_active(state.leaves[leaf]):
        state.tally[0].active_changed = True


@kernel
def stop(priority, how, state, leaf, count):
    """`count` running tasks of a leaf stop, and what they used is free again; waiting ones may have gone."""
    if count > 0:
        one = state.leaves[leaf]
        one.tasks -= count
        for l in range(state.used.size):
            state.used[l] = max(state.used[l] - count * state.demand[leaf, l], 0.0)
        state.tally[0].saturated &= ~one.bits
        touch(state, leaf)
    note_idle(state, leaf)
    look_again(priority, how, state, leaf)


@kernel
def happen(priority, how, state, now):
    """All that happens at `now` before tasks start: tasks end first, then jobs leave, then jobs arrive."""
    tally, jobs, ends = state.tally[0], state.jobs, state.ends
    while ends.count[0] > 0 and ends.time[0] <= now:
        _, number = take(ends)
        job = jobs.table[number]
        if job.running > 0:  # otherwise the job has left, and its tasks have stopped
            job.running -= 1
            if job.running == 0 and job.left == 0:
                job.finish = now
            stop(priority, how, state, job.leaf, 1)
    while (
        tally.departed < jobs.by_depart.size
        and jobs.table[jobs.by_depart[tally.departed]].depart <= now
    ):
        job = jobs.table[jobs.by_depart[tally.departed]]
        tally.departed += 1
        if job.left > 0 or job.running > 0:
            count = job.running
            state.leaves[job.leaf].waiting -= job.left
            job.left, job.running, job.finish = 0, 0, now
            stop(priority, how, state, job.leaf, count)
    while (
        tally.submitted < jobs.by_submit.size
        and jobs.table[jobs.by_submit[tally.submitted]].submit <= now
    ):
        job = jobs.table[jobs.by_submit[tally.submitted]]
        tally.submitted += 1
        note_idle(state, job.leaf)
        state.leaves[job.leaf].waiting += job.left
        look_again(priority, how, state, job.leaf)


@kernel
def reweigh(priority, how, whose, state):
    """New weights for the active leaves; the others, which have nothing in a heap, keep their last ones."""
    flat, leaves, two = state.flat, state.leaves, whose == TWO_PHASE
    for leaf in range(leaves.size):
        flat.active[leaf] = is_active(leaves[leaf])
    first = collapse(flat, flat.active)
    state.tally[0].first = first if two else -1
    for leaf in range(leaves.size):
        if flat.active[leaf]:
            leaves[leaf].weight = flat.weights[CASE1 if two else whose, leaf]
            leaves[leaf].late = flat.weights[MCH, leaf]
            look_again(priority, how, state, leaf)
    state.tally[0].reweighed += 1


_STATE = numba.typeof(new_state(Tree([(1.0,)]), np.ones(1), np.ones(1)))
_ALL = types.void(*map(compiling.function_type, (PRIORITY, CHOOSE)), types.int64, _STATE)
_RUN = types.int64(*_ALL.args[:3], types.int64, _STATE, types.float64)


@kernel(signature=_RUN)
def advance(priority, pick, how, whose, state, until):
    """Run until `until`, which counts, or a stop: for a longer log, a NaN, or weights of which `whose` says
    that they come from OUTSIDE (-1: weights do not change).
    """
    tally, jobs = state.tally[0], state.jobs
    while True:
        if not tally.ready:
            if 0 < state.log.size < tally.logged + state.leaves.size:
                return MORE_ROOM
            # when something happens next
            time = state.ends.time[0] if state.ends.count[0] > 0 else np.inf
            if tally.submitted < jobs.by_submit.size:
                time = min(time, jobs.table[jobs.by_submit[tally.submitted]].submit)
            if tally.departed < jobs.by_depart.size:
                time = min(time, jobs.table[jobs.by_depart[tally.departed]].depart)
            end = min(time, until)
            if end < np.inf:
                for l in range(state.used.size):
                    state.busy[l] += state.used[l] * (end - tally.now)
                tally.now = end
            if time > until or time == np.inf:
                return DONE
            happen(priority, how, state, time)
            tally.ready = True
            if whose >= 0 and tally.active_changed:
                tally.active_changed = False
                if whose == OUTSIDE:
                    return REWEIGH
                reweigh(priority, how, whose, state)
        tally.ready = False
        serve(priority, pick, how, state)
        if tally.bad_leaf >= 0:
            return BAD_PRIORITY
        for at in range(tally.touched):  # write down the leaves whose tasks changed at this time
            leaf = state.touched[at]
            state.leaves[leaf].touched = False
            if state.log.size > 0:
                change = state.log[tally.logged]
                change.time, change.leaf, change.tasks = tally.now, leaf, state.leaves[leaf].tasks
                tally.logged += 1
        tally.touched = 0


@kernel(signature=_ALL)
def refresh(priority, pick, how, state):
    """Every leaf's key anew: at the beginning, and after new weights."""
    for leaf in range(state.leaves.size):
        look_again(priority, how, state, leaf)


@kernel(signature=_ALL)
def fill(priority, pick, how, state):
    """Start tasks until none fits; none ends."""
    serve(priority, pick, how, state)
