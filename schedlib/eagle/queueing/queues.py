"""A worker's queue: a chain of entries, probes (a probe stands for a job) and placed tasks, first come first."""

from schedlib.core.uncounted import kernel
from schedlib.eagle.simulating import columns as at


@kernel
def no_entry_left(entries):
    return entries.state[at.SPARE] < 0 and entries.state[at.USED] == entries.whole.shape[0]


@kernel
def append(sys, worker, entry):
    """Put an entry at the end of a worker's queue."""
    workers, whole = sys.workers.whole, sys.entries.whole
    whole[entry, at.NEXT] = -1
    last = workers[worker, at.TAIL]
    if last < 0:
        workers[worker, at.HEAD] = entry
    else:
        whole[last, at.NEXT] = entry
    workers[worker, at.TAIL] = entry
    workers[worker, at.QUEUED] += 1
    sys.counts[at.LONGEST] = max(sys.counts[at.LONGEST], workers[worker, at.QUEUED])


@kernel
def enqueue(sys, worker, job, task, behind, now):
    """A new entry at the end of a worker's queue; there must be room for it."""
    entries = sys.entries
    entry = entries.state[at.SPARE]
    if entry >= 0:
        entries.state[at.SPARE] = entries.whole[entry, at.NEXT]
    else:
        entry = entries.state[at.USED]
        entries.state[at.USED] += 1
    entries.whole[entry, at.OWNER], entries.whole[entry, at.BEHIND], entries.whole[entry, at.TASK] = job, behind, task
    entries.real[entry, at.BYPASSED], entries.real[entry, at.SINCE] = 0.0, now
    append(sys, worker, entry)


@kernel
def unlink(sys, worker, entry, before):
    """Take an entry out of a worker's queue; `before` is the one in front of it (-1: it is the first)."""
    workers, whole = sys.workers.whole, sys.entries.whole
    after = whole[entry, at.NEXT]
    if before < 0:
        workers[worker, at.HEAD] = after
    else:
        whole[before, at.NEXT] = after
    if after < 0:
        workers[worker, at.TAIL] = before
    workers[worker, at.QUEUED] -= 1


@kernel
def remove(sys, worker, entry, before):
    """Take an entry out of a worker's queue for good."""
    unlink(sys, worker, entry, before)
    sys.entries.whole[entry, at.NEXT] = sys.entries.state[at.SPARE]
    sys.entries.state[at.SPARE] = entry
