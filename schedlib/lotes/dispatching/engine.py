"""The event loop of stage 3: jobs arrive, start, end; a policy decides at arrivals and exits alone.

At equal times exits come before arrivals, and each kind in the order in which it was scheduled; a policy may
wait until all of a moment has happened, and then stop jobs before others start. numba compiles the same source once for each type of what a policy keeps,
with that policy's kernels in line.
"""

import numpy as np

from schedlib.core.events import LABEL, add, take
from schedlib.core.prefetch import prefetch
from schedlib.core.uncounted import kernel
from schedlib.lotes.dispatching import machine_tree as tree
from schedlib.lotes.dispatching import state as states
from schedlib.lotes.dispatching.state import REFUSED, tick

DONE, AT_STOP, PAUSED, MORE_SLOTS, MORE_INTERVALS = range(5)
"""Why `advance` returns, beside REFUSED and MORE_PIECES: nothing is left to happen, or not before `until`; it has
worked off its slice, or needs room."""


@kernel
def start(policy, state, log, slot, machine):
    """Start a job on a machine; the caller brings the machine's tree up to date."""
    m = state.machines
    meter = state.meter
    now = meter.clock[0].now
    job = state.table.job[slot]
    for l in range(m.free.shape[1]):
        size = state.table.size[slot, l]
        m.free[machine, l] -= size
        meter.used[l] += size
    first, finish = policy.on_start(state, slot, machine)
    job.machine = machine
    if first:
        states.note_start(meter, now - job.submit)
    add(state.events, finish, slot)
    if log.start.size > 0:
        if first:
            log.start[job.row] = now
        log.finish[job.row] = finish
        log.machine[job.row] = machine


@kernel
def fill(policy, state, log, machine):
    """Let the policy start waiting jobs on the machine; gives their number, or REFUSED."""
    clock = state.meter.clock[0]
    started = 0
    while clock.waiting > 0:
        slot = policy.on_pick(state, machine)
        if slot == REFUSED:
            return REFUSED
        if slot < 0:
            return started
        started += 1
        clock.waiting -= 1
        start(policy, state, log, slot, machine)
    return started


@kernel
def ends(policy, state, log, slot):
    """End a job and fill its machine; gives False when the policy's choice is impossible."""
    m = state.machines
    meter = state.meter
    machine = state.table.job[slot].machine
    for l in range(m.free.shape[1]):
        size = state.table.size[slot, l]
        m.free[machine, l] += size
        meter.used[l] -= size
    meter.series[meter.clock[0].interval].finished += 1
    states.leave(state.table, slot)
    policy.on_left(state, slot, machine)
    started = fill(policy, state, log, machine)
    if started == REFUSED:
        return False
    if started > 0:
        tree.refresh(m, machine)
    elif not m.closed[machine]:
        tree.gave(m, machine)
    return True


@kernel
def arrives(policy, state, log, slot, rng):
    """Start the arriving job, or let it wait; gives False when the policy's choice is impossible."""
    clock = state.meter.clock[0]
    state.meter.series[clock.interval].arrived += 1
    machine = policy.on_arrive(state, slot, rng)
    if machine == REFUSED:
        return False
    if machine >= 0:
        before = tree.outline(state.machines.free[machine])
        start(policy, state, log, slot, machine)
        tree.took(state.machines, machine, before)
    else:
        policy.on_wait(state, slot, rng)
        clock.waiting += 1
    return True


@kernel
def advance(policy, state, block, log, rng, until, last, most):
    """Work off at most `most` events before `until`, until the block is used up (the `last` one: until nothing is
    left to happen); gives why it stopped.
    """
    progress = state.progress[0]
    for _ in range(most):
        at = progress.taken
        arrival = block.submit[at] if at < block.submit.size else np.inf
        exit_at = state.events.time[0] if state.events.count[0] > 0 else np.inf
        if arrival == np.inf and not last:
            return DONE
        ahead = min(arrival, exit_at)
        call = policy.on_clock(state, ahead)
        if call == REFUSED:
            return REFUSED
        now = min(ahead, call)
        if now > state.meter.clock[0].now:
            asked = policy.on_moment(state, log)
            if asked < 0:
                return asked
            if asked > 0:  # something may happen before `now`
                continue
        if now == np.inf:
            return DONE
        if now >= until:
            return AT_STOP
        if now >= state.meter.origin + state.meter.width * state.meter.series.size:
            return MORE_INTERVALS
        if call <= ahead:
            tick(state.meter, now)
            possible = policy.on_call(state, log, ahead) != REFUSED
        elif exit_at <= arrival:
            tick(state.meter, now)
            _, slot = take(state.events)
            following = state.events.label[0] & LABEL  # most likely the next to end
            prefetch(state.table.job, following)
            prefetch(state.table.size, following)
            possible = ends(policy, state, log, slot)
        else:
            if state.table.taken[0] == state.table.spare.size:
                return MORE_SLOTS
            tick(state.meter, now)
            slot = states.enter(state.table, block, at, progress.arrived)
            progress.taken += 1
            progress.arrived += 1
            possible = arrives(policy, state, log, slot, rng)
        if not possible:
            return REFUSED
    return PAUSED
