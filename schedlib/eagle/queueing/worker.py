"""A worker picks an entry, asks for a task of its job, runs it, and picks again (Algorithm 1, lines 1-13).

In Hawk it steals before it idles (Sections 3.2, 6.1): short probes from behind a long task.
"""

from schedlib.core.events import add
from schedlib.core.uncounted import kernel
from schedlib.eagle import messages
from schedlib.eagle.least_work import change_work, turn
from schedlib.eagle.messages import count_busy, post, write
from schedlib.eagle.probing import clear_bit, draw
from schedlib.eagle.queueing.reorder import append, charge, choose, enqueue, take_one, unlink
from schedlib.eagle.systems import Charge

VICTIMS = 10
"""Workers that a thief asks."""
MOST_PUBLISHED = 10_000
"""Probes that a thief takes at the most, as published. The text sets no limit."""


@kernel
def serve(state, slot, entry, before, now):
    """A slot asks for a task of the entry's job; as written a placed task is there already and starts at once."""
    how = state.how
    s = state.slots[slot]
    worker = s.worker
    w = state.workers[worker]
    e = state.entries[entry]
    job = e.job
    placed = e.task >= 0
    j = state.jobs[job]
    fetched = how.detail.fetched or not placed
    round_trip = 2 * how.delay if fetched else 0.0
    s.job = job
    s.serves_long = j.long
    s.serves_placed = placed
    w.serves_long += j.long
    if state.notes.since.size > 0:
        state.notes.since[slot] = now
    if placed:
        if w.placed == 1:
            change_work(state, worker, j.estimate)  # without the rounding errors of the sums before
        turn(state, slot, now, j.estimate)
    if fetched:
        state.counts[0].requests += 1
        write(state.log, now, messages.ASKS, worker, job)
    if j.unstarted == 0:
        state.counts[0].vain += 1
        take_one(state, worker, entry, before)
        post(state.far, now + round_trip, messages.ANSWERED_VAIN, worker, job, slot)
        return
    # a fetched task is the next of its job, whichever was placed (late binding)
    row = j.first + (j.tasks - j.unstarted if fetched else e.task)
    if j.unstarted == j.tasks:
        j.start = now + round_trip
    j.unstarted -= 1
    charges_all = how.charges == Charge.EVERYTHING
    if charges_all or (how.charges == Charge.SHORT and j.long == 0):
        charge(state, worker, entry, charges_all)
    if e.behind == 1:
        state.counts[0].ran_behind_long += 1
    end = now + round_trip + state.duration[row]
    j.finish = max(j.finish, end)
    add(state.ends, end, slot)
    if state.log.tasks.size > 0:  # (T,) when the run is recorded, else (0,)
        task = state.log.tasks[row]
        task.worker = worker
        task.queued = e.since
        task.asked = now
        task.start = now + round_trip
        task.finish = end
    if round_trip == 0:
        write(state.log, now, messages.STARTS, worker, job)
    tell(state, worker, job, placed, now)
    if placed or j.long == 1 or not how.sticky:
        take_one(state, worker, entry, before)


@kernel
def tell(state, worker, job, placed, now):
    """Workers learn how many of a job's tasks are not handed out, or that none is left."""
    how = state.how
    j = state.jobs[job]
    left = j.unstarted
    heard = now + 2 * how.delay
    if how.news:
        # News of a long task is sent, too, which as written changes nothing but the number of events.
        post(state.far, heard, messages.STARTED, worker, job, left)
        state.counts[0].updates += 0 if j.long == 1 else j.probes
    elif how.cancels and left == 0 and not placed:
        post(state.far, heard, messages.STARTED, worker, job, 0)
        state.counts[0].updates += j.probes


@kernel
def take_batch(state, thief, victim, now):
    """Move the first unbroken run of short probes behind a long task to the thief; whether there was one."""
    entries = state.entries
    w = state.workers[victim]
    behind_long = w.serves_long > 0  # whether a long task is in front
    most = MOST_PUBLISHED if state.how.detail.limited_loot else w.queued
    taken = 0
    before = -1
    entry = w.head
    while entry >= 0 and taken < most:
        e = entries[entry]
        after = e.next
        long = state.jobs[e.job].long == 1
        if long and taken > 0:
            break
        if behind_long and not long:
            if taken == 0:
                write(state.log, now, messages.ROBBED, victim, e.job)
            unlink(state, victim, entry, before)
            e.behind = 0
            append(state, thief, entry)
            write(state.log, now, messages.STEALS_ONE, thief, e.job)
            taken += 1
        else:
            before = entry
        behind_long = behind_long or long
        entry = after
    state.counts[0].stolen += taken
    return taken > 0


@kernel
def steal(state, thief, rng, now):
    """Ask up to ten workers of the general partition; whether something was stolen."""
    how = state.how
    counts = state.counts[0]
    size = state.workers.size
    low = how.short_only
    if not how.any_thief and thief < low:
        # in Section 6.1 workers of the general partition alone steal
        return False
    others = size - low - (0 if how.detail.asks_itself or thief < low else 1)
    if others < 1:
        return False
    for _ in range(VICTIMS):
        victim = draw(low, low + others, rng)
        if others < size - low and victim >= thief:
            victim += 1  # as written a worker never asks itself, as published it may
        counts.steal_attempts += 1
        if victim != thief and take_batch(state, thief, victim, now):
            counts.steals += 1
            return True
    return False


@kernel
def next_task(pick, state, worker, slot, rng, now):
    """The slots of a worker that do nothing serve its queue; `slot` has just ended something (-1: none has) and
    tries to steal before it idles."""
    w = state.workers[worker]
    while slot >= 0 or w.free >= 0:
        entry, before = choose(pick, state, worker, slot, rng, now)
        if entry < 0:
            thief = slot >= 0 and state.how.steal and w.head < 0
            if thief and steal(state, worker, rng, now):
                continue
            break
        if slot < 0:
            slot = w.free
            w.free = state.slots[slot].next
            w.busy += 1
            count_busy(state, now, worker, 1)
        serve(state, slot, entry, before, now)
        slot = -1
    if slot >= 0:
        state.slots[slot].job = -1
        state.slots[slot].next = w.free
        w.free = slot
        w.busy -= 1
        count_busy(state, now, worker, -1)


@kernel
def take_in(state, worker, job, task, now):
    """A probe, or a placed task (`task` >= 0), joins a worker's queue; the worker if a slot is free, else -1."""
    w = state.workers[worker]
    is_long = state.jobs[job].long
    behind = is_long == 0 and w.long_tasks > 0 and w.free < 0
    state.counts[0].behind_long += behind
    w.long_tasks += is_long
    enqueue(state, worker, job, task, behind, now)
    write(state.log, now, messages.QUEUES, worker, job)
    return worker if w.free >= 0 else -1


@kernel
def let_go(state, slot):
    """A slot's task has ended, or there was none for it; its worker."""
    s = state.slots[slot]
    w = state.workers[s.worker]
    w.long_tasks -= s.serves_long
    w.serves_long -= s.serves_long
    return s.worker


@kernel
def finish(state, slot, now):
    """The slot's task ends; its worker."""
    worker = let_go(state, slot)
    s = state.slots[slot]
    w = state.workers[worker]
    loads = state.loads
    write(state.log, now, messages.FINISHES, worker, s.job)
    if s.serves_placed == 1:
        w.placed -= 1
        left = loads.work[worker] - state.jobs[s.job].estimate
        change_work(state, worker, left if w.placed > 0 else 0.0)
        turn(state, slot, -1.0, 0.0)
        if state.how.shares and loads.work[worker] == 0:
            clear_bit(state.board, worker)
            write(state.log, now, messages.CLEARS, worker, s.job)
    return worker
