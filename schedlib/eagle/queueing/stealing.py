"""Hawk's work stealing (Sections 3.2, 6.1): an idle worker takes short probes from behind a long task."""

from schedlib.core.uncounted import kernel
from schedlib.eagle.probing.probes import draw
from schedlib.eagle.queueing.queues import append, unlink
from schedlib.eagle.simulating.log import ROBBED, STEALS_ONE, write

VICTIMS, MOST = 10, 10_000


@kernel
def is_long(state, entry):
    """Whether an entry belongs to a long job."""
    return state.jobs[state.entries[entry].job].long == 1


@kernel
def take_batch(state, thief, victim, now):
    """Move the first unbroken run of short probes behind a long task to the thief; whether there was one."""
    entries, w = state.entries, state.workers[victim]
    before, entry = -1, w.head
    if w.busy == 0 or w.serves_long == 0:
        while entry >= 0 and not is_long(state, entry):
            before, entry = entry, entries[entry].next
    while entry >= 0 and is_long(state, entry):
        before, entry = entry, entries[entry].next
    taken = 0
    while entry >= 0 and not is_long(state, entry) and taken < MOST:
        e = entries[entry]
        after = e.next
        if taken == 0:
            write(state.log, now, ROBBED, victim, e.job)
        unlink(state, victim, entry, before)
        e.behind = 0
        append(state, thief, entry)
        write(state.log, now, STEALS_ONE, thief, e.job)
        taken += 1
        entry = after
    state.counts[0].stolen += taken
    return taken > 0


@kernel
def steal(state, thief, rng, now):
    """Ask up to ten workers of the general partition; whether something was stolen.

    As published any idle worker steals (Section 6.1: one of the general partition), and it may ask itself.
    """
    how, counts, size = state.how, state.counts[0], state.workers.size
    low = how.short_only
    if not how.any_thief and thief < low:
        return False
    others = size - low - (0 if how.published or thief < low else 1)
    if others < 1:
        return False
    for _ in range(VICTIMS):
        victim = draw(low, low + others, rng)
        if others < size - low and victim >= thief:
            victim += 1  # as written a worker never asks itself
        counts.steal_attempts += 1
        if victim != thief and take_batch(state, thief, victim, now):
            counts.steals += 1
            return True
    return False
