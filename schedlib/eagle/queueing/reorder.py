"""What a worker runs next: first come first served, or the shortest remaining job that may bypass those in front (Eagle, Algorithm 1).

An entry's slack is `cap` (5) times its own estimate less its bypass counter: the longest task that may still overtake it.
"""

import numpy as np

from schedlib.core.uncounted import kernel
from schedlib.eagle.queueing.queues import remove
from schedlib.eagle.simulating import columns as at
from schedlib.eagle.simulating.log import DROPS, write


@kernel
def slack(sys, entry, job):
    return sys.how.cap * sys.jobs.real[job, at.ESTIMATE] - sys.entries.real[entry, at.BYPASSED]


@kernel
def shortest_job(sys, worker, now):
    """Algorithm 1 as published: (entry, the one in front of it), or (-1, -1); probes of jobs known to have nothing left are dropped."""
    jobs, whole = sys.jobs, sys.entries.whole
    least, room = np.inf, np.inf
    chosen, chosen_before, before = -1, -1, -1
    entry = sys.workers.whole[worker, at.HEAD]
    while entry >= 0:
        job, after = whole[entry, at.OWNER], whole[entry, at.NEXT]
        known, is_long = jobs.whole[job, at.KNOWN], jobs.whole[job, at.LONG] == 1
        if known < 0:
            sys.counts[at.DROPPED] += 1
            sys.workers.whole[worker, at.LONGS] -= is_long
            write(sys.log, now, DROPS, worker, job)
            remove(sys, worker, entry, before)
            entry = after
            continue
        if before < 0 and is_long:
            return entry, -1
        estimate = jobs.real[job, at.ESTIMATE]
        if estimate * known < least and estimate <= room:
            least, chosen, chosen_before = estimate * known, entry, before
        if not is_long:
            room = min(room, slack(sys, entry, job))
        before, entry = entry, after
    return chosen, chosen_before


@kernel
def shortest_job_as_written(sys, worker):
    """Algorithm 1, lines 14-27, as printed."""
    jobs, whole = sys.jobs, sys.entries.whole
    shortest, room = np.inf, np.inf  # line 15
    chosen, chosen_before, before = -1, -1, -1  # line 16
    first = sys.workers.whole[worker, at.HEAD]
    entry = first
    while entry >= 0:  # line 17
        job = whole[entry, at.OWNER]
        if jobs.whole[job, at.LONG] == 1:  # lines 18-19
            break
        estimate = jobs.real[job, at.ESTIMATE]
        left = estimate * jobs.whole[job, at.KNOWN]
        if left < shortest and estimate <= room:  # lines 20-21
            shortest, chosen, chosen_before = left, entry, before  # lines 22-23
        room = min(room, slack(sys, entry, job))
        before, entry = entry, whole[entry, at.NEXT]
    return (chosen, chosen_before) if chosen >= 0 else (first, -1)  # lines 24-27


@kernel
def shortest_task(sys, worker):
    """Yaq's rule for placed tasks: the least unstarted work of its job; long and short ones bypass and are bypassed."""
    jobs, whole, published = sys.jobs, sys.entries.whole, sys.how.published
    least, room = np.inf, np.inf
    chosen, chosen_before, before = -1, -1, -1
    entry = sys.workers.whole[worker, at.HEAD]
    while entry >= 0:
        job = whole[entry, at.OWNER]
        estimate = jobs.real[job, at.ESTIMATE]
        left = estimate * jobs.whole[job, at.UNSTARTED]
        if left < least and (estimate < room or (estimate == room and not published)):
            least, chosen, chosen_before = left, entry, before
        room = min(room, slack(sys, entry, job))
        before, entry = entry, whole[entry, at.NEXT]
    return chosen, chosen_before


@kernel
def charge(sys, worker, entry, every):
    """Raise the bypass counters of the short entries (or of `every` one) in front of `entry` by its job's estimate of a task."""
    whole = sys.entries.whole
    estimate = sys.jobs.real[whole[entry, at.OWNER], at.ESTIMATE]
    other = sys.workers.whole[worker, at.HEAD]
    while other != entry:
        if every or sys.jobs.whole[whole[other, at.OWNER], at.LONG] == 0:
            sys.entries.real[other, at.BYPASSED] += estimate
        other = whole[other, at.NEXT]
