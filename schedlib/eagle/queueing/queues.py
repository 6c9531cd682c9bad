"""A worker's queue: a chain of entries, which are probes (a probe stands for a job) and placed tasks."""

from schedlib.core.uncounted import kernel


@kernel
def append(state, worker, entry):
    """Put an entry at the end of a worker's queue."""
    w, entries, counts = state.workers[worker], state.entries, state.counts[0]
    entries[entry].next = -1
    if w.tail < 0:
        w.head = entry
    else:
        entries[w.tail].next = entry
    w.tail = entry
    w.queued += 1
    counts.longest_queue = max(counts.longest_queue, w.queued)


@kernel
def enqueue(state, worker, job, task, behind, now):
    """Put a new entry at the end of a worker's queue; there must be room for it."""
    pool = state.pool[0]
    entry = pool.spare
    if entry >= 0:
        pool.spare = state.entries[entry].next
    else:
        entry = pool.used
        pool.used += 1
    e = state.entries[entry]
    e.job, e.behind, e.task = job, behind, task
    e.bypassed, e.since = 0.0, now
    append(state, worker, entry)


@kernel
def unlink(state, worker, entry, before):
    """Take an entry out of a worker's queue; `before` is the one in front of it (-1: it is the first)."""
    w, entries = state.workers[worker], state.entries
    after = entries[entry].next
    if before < 0:
        w.head = after
    else:
        entries[before].next = after
    if after < 0:
        w.tail = before
    w.queued -= 1


@kernel
def remove(state, worker, entry, before):
    """Take an entry out of a worker's queue for good."""
    unlink(state, worker, entry, before)
    state.entries[entry].next = state.pool[0].spare
    state.pool[0].spare = entry
