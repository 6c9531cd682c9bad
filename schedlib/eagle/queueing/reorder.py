"""A worker's queue, and what it runs next: the job of least remaining work that may bypass (Algorithm 1).

A queue is a chain of entries, which are probes (a probe stands for a job) and placed tasks. An entry's slack
is `cap` (5) times its own estimate less its bypass counter: the longest task that may still overtake it. Each
rule gives the entry and the one in front of it, (-1, -1) when there is none.

Under the shortest first, probes of one job that come to a worker together, one behind the other, are one
entry with a count: of equals a rule takes the first, so that those in front of what it takes are charged
alike. A choice then takes as long as there are bunches, however many tasks a job has.
"""

import numpy as np

from schedlib.core.compiling import read_only
from schedlib.core.uncounted import kernel
from schedlib.eagle import systems
from schedlib.eagle.messages import DROPS, write
from schedlib.eagle.state import refuse, seen


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
    return same and (task < 0 or state.how.published)


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
    """Take one of what an entry stands for out of a worker's queue for good."""
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
def shortest_job(state, worker, now):
    """Algorithm 1 as published; probes of jobs known to have nothing left are dropped on the way.

    As submitted none is dropped, and the least is never noted: the last that may overtake is taken.
    """
    # A long entry behind the head is no barrier, unlike lines 18-19: it competes by its job's remaining work.
    w = state.workers[worker]
    entries = state.entries
    least = np.inf
    room = np.inf
    submitted = state.how.submitted
    chosen = -1
    chosen_before = -1
    before = -1
    entry = w.head
    while entry >= 0:
        job = entries[entry].job
        after = entries[entry].next
        j = state.jobs[job]
        is_long = j.long == 1
        if j.known < 0 and not submitted:
            count = entries[entry].count
            state.counts[0].dropped += count
            w.long_tasks -= is_long * count
            for _ in range(count):
                write(state.log, now, DROPS, worker, job)
            remove(state, worker, entry, before)
            entry = after
            continue
        if before < 0 and is_long:
            return entry, -1
        if j.estimate * j.known < least and j.estimate <= room:
            chosen = entry
            chosen_before = before
            least = least if submitted else j.estimate * j.known
        if not is_long:
            room = min(room, slack(state, entry, job))
        before = entry
        entry = after
    return chosen, chosen_before


@kernel
def shortest_job_as_written(state, worker):
    """Algorithm 1, lines 14-27, as printed."""
    entries = state.entries
    # line 15
    shortest = np.inf
    room = np.inf
    # line 16
    chosen = -1
    chosen_before = -1
    before = -1
    first = state.workers[worker].head
    entry = first
    while entry >= 0:  # line 17
        job = entries[entry].job
        j = state.jobs[job]
        if j.long == 1:  # lines 18-19
            break
        left = j.estimate * j.known
        if left < shortest and j.estimate <= room:  # lines 20-21
            # lines 22-23
            shortest = left
            chosen = entry
            chosen_before = before
        room = min(room, slack(state, entry, job))
        before = entry
        entry = entries[entry].next
    return (chosen, chosen_before) if chosen >= 0 else (first, -1)  # lines 24-27


@kernel
def shortest_task(state, worker):
    """Yaq's rule for placed tasks: the one whose job has the least unstarted work; long ones bypass, too.

    As submitted the last that may overtake, as in `shortest_job`.
    """
    entries = state.entries
    published = state.how.published
    least = np.inf
    room = np.inf
    chosen = -1
    chosen_before = -1
    before = -1
    entry = state.workers[worker].head
    while entry >= 0:
        job = entries[entry].job
        j = state.jobs[job]
        left = j.estimate * j.unstarted
        # As published a task must be shorter than the slack of those in front, as written it may be as long.
        if left < least and (j.estimate < room or (j.estimate == room and not published)):
            chosen = entry
            chosen_before = before
            least = least if state.how.submitted else left
        room = min(room, slack(state, entry, job))
        before = entry
        entry = entries[entry].next
    return chosen, chosen_before


@kernel
def pick_by_reader(pick, state, worker, rng, now):
    """The entry that a reader's function picks; a place that does not exist is recorded and ends the run."""
    entries = state.entries
    line = state.line
    size = 0
    entry = state.workers[worker].head
    while entry >= 0:
        line[size] = entries[entry].job
        size += 1
        entry = entries[entry].next
    state.workers[worker].job = -1  # it serves nobody now
    place = pick(seen(state, now, line[:0]), worker, read_only(line[:size]), rng)
    if place < 0 or place >= size:
        refuse(state, systems.UNKNOWN_PLACE, place, size, now)
        state.refusal[0].worker = worker
        place = 0
    before = -1
    entry = state.workers[worker].head
    for _ in range(place):
        before = entry
        entry = entries[entry].next
    return entry, before


@kernel
def choose(pick, state, worker, rng, now):
    """The entry that the worker serves next and the one in front of it, by the order of the queue."""
    # Branches: for an order handed over as a kernel the engine would compile, for a minute, for each system.
    order = state.how.order
    head = state.workers[worker].head
    if head < 0:
        return -1, -1
    if order == systems.FIRST_COME:
        return head, -1
    if order == systems.SHORTEST_JOB:
        return shortest_job(state, worker, now)
    if order == systems.SHORTEST_JOB_AS_WRITTEN:
        return shortest_job_as_written(state, worker)
    if order == systems.SHORTEST_TASK:
        return shortest_task(state, worker)
    return pick_by_reader(pick, state, worker, rng, now)


@kernel
def charge(state, worker, entry, everybody):
    """Charge the short entries (or everybody) in front of `entry` with its job's estimate of a task."""
    entries = state.entries
    jobs = state.jobs
    estimate = jobs[entries[entry].job].estimate
    other = state.workers[worker].head
    while other != entry:
        e = entries[other]
        if everybody or jobs[e.job].long == 0:
            e.bypassed += estimate
        other = e.next
