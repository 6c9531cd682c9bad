"""Randomised work stealing (Hawk; Eagle, Sections 3.2 and 6.1): an idle worker takes short probes that wait behind a long task."""

from schedlib.core.uncounted import kernel
from schedlib.eagle.probing.probes import draw
from schedlib.eagle.queueing.queues import append, unlink
from schedlib.eagle.simulating import columns as at
from schedlib.eagle.simulating.log import ROBBED, STEALS_ONE, write

VICTIMS, MOST = 10, 10_000


@kernel
def is_long(sys, entry):
    return sys.jobs.whole[sys.entries.whole[entry, at.OWNER], at.LONG] == 1


@kernel
def take_batch(sys, thief, victim, now):
    """Move the first unbroken run of short probes behind a long task to the thief; whether there was one."""
    whole = sys.entries.whole
    before, entry = -1, sys.workers.whole[victim, at.HEAD]
    if sys.workers.whole[victim, at.BUSY] == 0 or sys.workers.whole[victim, at.RUNS_LONG] == 0:
        while entry >= 0 and not is_long(sys, entry):
            before, entry = entry, whole[entry, at.NEXT]
    while entry >= 0 and is_long(sys, entry):
        before, entry = entry, whole[entry, at.NEXT]
    taken = 0
    while entry >= 0 and not is_long(sys, entry) and taken < MOST:
        after = whole[entry, at.NEXT]
        if taken == 0:
            write(sys.log, now, ROBBED, victim, whole[entry, at.OWNER])
        unlink(sys, victim, entry, before)
        whole[entry, at.BEHIND] = 0
        append(sys, thief, entry)
        write(sys.log, now, STEALS_ONE, thief, whole[entry, at.OWNER])
        taken += 1
        entry = after
    sys.counts[at.STOLEN] += taken
    return taken > 0


@kernel
def steal(sys, thief, rng, now):
    """Ask up to ten workers of the general partition; whether something was stolen."""
    low, size, how = sys.how.short_only, sys.workers.marks.size, sys.how
    if not how.any_thief and thief < low:
        return False
    others = size - low - (0 if how.published or thief < low else 1)
    if others < 1:
        return False
    for _ in range(VICTIMS):
        victim = draw(low, low + others, rng)
        if others < size - low and victim >= thief:
            victim += 1  # as written nobody asks himself
        sys.counts[at.STEAL_ATTEMPTS] += 1
        if victim != thief and take_batch(sys, thief, victim, now):
            sys.counts[at.STEALS] += 1
            return True
    return False
