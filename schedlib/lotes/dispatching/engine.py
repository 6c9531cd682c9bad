"""The event loop of stage 3: jobs arrive, start, end; a policy decides at arrivals and exits alone.

At equal times exits come before arrivals, and each kind in the order in which it was scheduled. The source is
the same for every policy; numba compiles it once for each type of what a policy keeps, with that policy's
entry points (`policies.entry_points`) put in line.
"""

import numpy as np

from schedlib.core import events
from schedlib.core.prefetch import prefetch
from schedlib.core.uncounted import kernel
from schedlib.lotes.dispatching import job_table
from schedlib.lotes.dispatching.machine_tree import gave, refresh, took
from schedlib.lotes.dispatching.meter import note_arrival, note_finish, note_queue, note_start, tick
from schedlib.lotes.dispatching.state import REFUSED
from schedlib.lotes.policies.entry_points import arrive, changed, left, pick, wait

add, take, enter, leave = events.add, events.take, job_table.enter, job_table.leave

DONE, MORE_SLOTS, MORE_INTERVALS, BROKEN = range(4)
"""Why `advance` returns: it is at the end, needs room, or the policy made an impossible choice."""


@kernel
def start(state, log, slot, machine):
    """Start a job on a machine; the caller brings the machine's tree up to date."""
    m, meter, now = state.machines, state.meter, state.meter.clock[0].now
    job = state.table.job[slot]
    for l in range(m.free.shape[1]):
        size = state.table.size[slot, l]
        m.free[machine, l] -= size
        meter.used[l] += size
    finish = now + job.work * m.pace[m.config[machine], job.job_class]
    job.machine = machine
    note_start(meter, now - job.submit)
    add(state.events, finish, slot)
    if log.start.size > 0:
        log.start[job.row], log.finish[job.row], log.machine[job.row] = now, finish, machine


@kernel
def fill(policy, state, log, machine):
    """Let the policy start waiting jobs on the machine until it names none; gives their number, or REFUSED.
    """
    started = 0
    while state.meter.clock[0].waiting > 0:
        slot = pick(policy, state, machine)
        if slot == REFUSED:
            return REFUSED
        if slot < 0:
            return started
        started += 1
        note_queue(state.meter, -1)
        start(state, log, slot, machine)
    return started


@kernel
def ends(policy, state, log, slot):
    """End the job in `slot` and fill its machine; gives False when the policy's choice is impossible."""
    m = state.machines
    machine = state.table.job[slot].machine
    for l in range(m.free.shape[1]):
        size = state.table.size[slot, l]
        m.free[machine, l] += size
        state.meter.used[l] -= size
    note_finish(state.meter)
    leave(state.table, slot)
    left(policy, state, slot, machine)
    started = fill(policy, state, log, machine)
    if started == REFUSED:
        return False
    changed(policy, state, machine, started == 0)
    if started > 0:
        refresh(m, machine)
    elif not m.closed[machine]:
        gave(m, machine)
    return True


@kernel
def arrives(policy, state, log, slot, rng):
    """Start the arriving job in `slot`, or let it wait; gives False when the policy's choice is impossible.
    """
    note_arrival(state.meter)
    machine = arrive(policy, state, slot, rng)
    if machine == REFUSED:
        return False
    if machine >= 0:
        start(state, log, slot, machine)
        changed(policy, state, machine, False)
        took(state.machines, machine, state.table.size[slot])
    else:
        wait(policy, state, slot, rng)
        note_queue(state.meter, 1)
    return True


@kernel
def advance(policy, state, block, log, rng, until, last):
    """Run until the block is used up (the `last` one: until `until`); gives why it stopped."""
    while True:
        progress = state.progress[0]
        at = progress.taken
        arrival = block.submit[at] if at < block.submit.size else np.inf
        exit_at = state.events.time[0] if state.events.count[0] > 0 else np.inf
        if arrival == np.inf and not last:
            return DONE
        now = min(arrival, exit_at)
        if now >= until:
            return DONE
        if now >= state.meter.width * state.meter.series.size:
            return MORE_INTERVALS
        if exit_at <= arrival:
            tick(state.meter, now)
            _, slot = take(state.events)
            prefetch(state.table.job, state.events.label[0] & 0x7FFFFFFF)  # most likely the next to end
            if not ends(policy, state, log, slot):
                return BROKEN
        else:
            if state.table.taken[0] == state.table.spare.size:
                return MORE_SLOTS
            tick(state.meter, now)
            slot = enter(state.table, progress.arrived, now, block.job_class[at], block.work[at],
                         block.size[at])
            progress.taken += 1
            progress.arrived += 1
            if not arrives(policy, state, log, slot, rng):
                return BROKEN
