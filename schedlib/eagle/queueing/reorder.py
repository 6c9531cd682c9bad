"""A worker's queue, and what it runs next: the job of least remaining work that may bypass (Algorithm 1).

A queue is a chain of entries, which are probes (each is of a job) and placed tasks. An entry's slack
is `cap` (5) times its own estimate less its bypass counter: the longest task that may still overtake it. Each
rule gives the entry and the one in front of it, (-1, -1) without an entry.

Under the shortest first, probes of one job that come to a worker together, one behind the other, are one
entry with a count: of equals a rule takes the first, so that those in front of what it takes get the
same charge. A choice then takes as long as there are bunches, however many tasks a job has.
"""

import numpy as np

from schedlib.core.rules import read_only
from schedlib.core.uncounted import kernel
from schedlib.eagle.messages import DROPS, write
from schedlib.eagle.state import refuse, seen
from schedlib.eagle.systems import Order, Refusal


@kernel
def append(state, worker, entry):
    """Put an entry at the end of a worker's queue."""
    w = state.workers[worker]
    entries = state.entries
    counts = state.counts[0]
    entries[entry].next = -1
    if w.tail < 0:
        w.head = entry
    else:
        entries[w.tail].next = entry
    w.tail = entry
    w.queued += entries[entry].count
    counts.longest_queue = max(counts.longest_queue, w.queued)


@kernel
def joins(state, last, job, task, behind, now):
    """Whether what comes now is like the last entry of the queue."""
    if last < 0 or not state.how.bunches:
        return False
    e = state.entries[last]
    same = e.job == job and e.since == now and e.behind == behind and e.bypassed == 0
    # as written a placed task has a number of its own
    return same and (task < 0 or state.how.detail.fetched)


@kernel
def enqueue(state, worker, job, task, behind, now):
    """Put a probe, or a placed task, at the end of a worker's queue; there must be room for an entry."""
    w = state.workers[worker]
    pool = state.pool[0]
    counts = state.counts[0]
    if joins(state, w.tail, job, task, behind, now):
        state.entries[w.tail].count += 1
        w.queued += 1
        counts.longest_queue = max(counts.longest_queue, w.queued)
        return
    entry = pool.spare
    if entry >= 0:
        pool.spare = state.entries[entry].next
    else:
        entry = pool.used
        pool.used += 1
    e = state.entries[entry]
    e.job = job
    e.behind = behind
    e.task = task
    e.count = 1
    e.bypassed = 0.0
    e.since = now
    append(state, worker, entry)


@kernel
def unlink(state, worker, entry, before):
    """Take an entry out of a worker's queue; `before` is the one in front of it (-1: it is the first)."""
    w = state.workers[worker]
    entries = state.entries
    after = entries[entry].next
    if before < 0:
        w.head = after
    else:
        entries[before].next = after
    if after < 0:
        w.tail = before
    w.queued -= entries[entry].count


@kernel
def take_one(state, worker, entry, before):
    """Take one probe or task of an entry out of a worker's queue for good."""
    if state.entries[entry].count > 1:
        state.entries[entry].count -= 1
        state.workers[worker].queued -= 1
    else:
        remove(state, worker, entry, before)


@kernel
def remove(state, worker, entry, before):
    """Take an entry out of a worker's queue for good."""
    unlink(state, worker, entry, before)
    state.entries[entry].next = state.pool[0].spare
    state.pool[0].spare = entry


@kernel
def slack(state, entry, job):
    """The longest task that may still overtake this entry of the job."""
    return state.how.cap * state.jobs[job].estimate - state.entries[entry].bypassed


@kernel
def drop(state, worker, entry, before, now):
    """Take the probes of a job that is known to have nothing left out of a worker's queue."""
    e = state.entries[entry]
    state.counts[0].dropped += e.count
    state.workers[worker].long_tasks -= state.jobs[e.job].long * e.count
    for _ in range(e.count):
        write(state.log, now, DROPS, worker, e.job)
    remove(state, worker, entry, before)


@kernel
def shortest(state, worker, now):
    """The entry of least remaining work that may bypass those in front (Algorithm 1, lines 14-27).

    As written a long entry is a barrier (lines 18-19) and the first one is the answer if there is no other
    (lines 24-27); as published a long entry is one when it is the first, and probes of jobs known to have
    nothing left are dropped on the way. Yaq's rule for placed tasks treats long ones like the others, and goes
    by the tasks that have not started. As submitted nothing is dropped, and the least is never noted: the last
    that may overtake is taken.
    """
    detail = state.how.detail
    entries = state.entries
    of_tasks = state.how.order == Order.SHORTEST_TASK
    written = not of_tasks and not detail.passes_long
    drops = not of_tasks and detail.drops_finished
    equal_fits = not (
        of_tasks and detail.below_slack
    )  # a task as long as the slack of those in front
    least = np.inf
    room = np.inf
    chosen = -1
    chosen_before = -1
    before = -1
    first = state.workers[worker].head
    entry = first
    while entry >= 0:  # line 17
        job = entries[entry].job
        after = entries[entry].next
        j = state.jobs[job]
        barrier = j.long == 1 and not of_tasks
        if drops and j.known < 0:
            drop(state, worker, entry, before, now)
            entry = after
            continue
        if barrier and (written or before < 0):
            if written:
                break
            return entry, -1
        left = j.estimate * (j.unstarted if of_tasks else j.known)
        fits = j.estimate < room or (j.estimate == room and equal_fits)
        if left < least and fits:  # lines 20-21
            chosen = entry
            chosen_before = before
            least = least if detail.takes_last else left
            if written and least == 0:
                break  # nothing is less
        if not barrier:
            room = min(room, slack(state, entry, job))
        before = entry
        entry = after
    return (first, -1) if written and chosen < 0 else (chosen, chosen_before)


@kernel
def cancel(state, worker, now):
    """Drop the probes in a worker's queue that have been cancelled."""
    before = -1
    entry = state.workers[worker].head
    while entry >= 0:
        e = state.entries[entry]
        after = e.next
        if e.task < 0 and state.jobs[e.job].known <= 0:
            drop(state, worker, entry, before, now)
        else:
            before = entry
        entry = after


@kernel
def pick_by_reader(pick, state, worker, slot, rng, now):
    """The entry that a reader's function picks; a place that does not exist is recorded and ends the run."""
    entries = state.entries
    line = state.line
    size = 0
    entry = state.workers[worker].head
    while entry >= 0:
        line[size] = entries[entry].job
        size += 1
        entry = entries[entry].next
    if slot >= 0:
        state.slots[slot].job = -1  # it serves no job now
    place = pick(seen(state, now, line[:0]), worker, read_only(line[:size]), rng)
    if place < 0 or place >= size:
        refuse(state, Refusal.UNKNOWN_PLACE, place, size, now)
        state.refusal[0].worker = worker
        place = 0
    before = -1
    entry = state.workers[worker].head
    for _ in range(place):
        before = entry
        entry = entries[entry].next
    return entry, before


@kernel
def choose(pick, state, worker, slot, rng, now):
    """The entry that the worker (its `slot`, or -1) serves next and the one in front of it, by the order of the queue."""
    # Branches: for an order handed over as a kernel the engine would compile, for a minute, for each system.
    order = state.how.order
    if state.how.cancels:
        cancel(state, worker, now)
    head = state.workers[worker].head
    if head < 0:
        return -1, -1
    if order == Order.FIRST_COME:
        return head, -1
    if order == Order.READERS:
        return pick_by_reader(pick, state, worker, slot, rng, now)
    return shortest(state, worker, now)


@kernel
def charge(state, worker, entry, charges_all):
    """Charge the short entries (or all) in front of `entry` with its job's estimate of a task."""
    entries = state.entries
    jobs = state.jobs
    estimate = jobs[entries[entry].job].estimate
    other = state.workers[worker].head
    while other != entry:
        e = entries[other]
        if charges_all or jobs[e.job].long == 0:
            e.bypassed += estimate
        other = e.next
