"""Sending and logging: messages on the network, busy workers, each event when asked for.

Messages of one lane take the same time and so arrive in the order of sending.
"""

import numpy as np

from schedlib.core.uncounted import kernel
from schedlib.eagle.records import BINS

PROBE, PLACED_TASK, REJECTED, ANSWERED_VAIN, STARTED = range(5)
"""Kinds: a probe, a placed task, a rejection, the answer "nothing left", the news of a task handed out."""
EVENTS = (
    "submit",
    "send",
    "queue",
    "reject",
    "ask",
    "start",
    "finish",
    "vain",
    "drop",
    "robbed",
    "steal",
    "mark",
    "clear",
)
SUBMITTED, SENT, QUEUES, REJECTS, ASKS, STARTS, FINISHES = range(7)
VAIN_ANSWER, DROPS, ROBBED, STEALS_ONE, MARKS, CLEARS = range(7, 13)


@kernel
def post(lane, time, kind, worker, job, detail):
    """Send a message that arrives at `time`, no earlier than the last one; there must be room."""
    ring = lane.ring[0]
    message = lane.messages[(ring.front + ring.pending) & (lane.messages.size - 1)]
    message.time = time
    message.kind = kind
    message.worker = worker
    message.job = job
    message.detail = detail
    ring.pending += 1


@kernel
def arrival(lane):
    """When the next message arrives; infinity when none is on its way."""
    ring = lane.ring[0]
    return lane.messages[ring.front].time if ring.pending > 0 else np.inf


@kernel
def front(lane):
    """Take the message that arrives next: kind, worker, job, detail."""
    ring = lane.ring[0]
    message = lane.messages[ring.front]
    ring.front = (ring.front + 1) & (lane.messages.size - 1)
    ring.pending -= 1
    return message.kind, message.worker, message.job, message.detail


@kernel
def write(log, now, event, worker, job):
    """Write an event down, when events are recorded; there must be room."""
    if log.events.size > 0:
        row = log.events[log.used[0]]
        row.time = now
        row.event = event
        row.worker = worker
        row.job = job
        log.used[0] += 1


@kernel
def pass_time(log, now):
    """Add the busy workers' time up to `now`; when the intervals, which begin with the first submission, no longer
    reach that far, two become one."""
    sums = log.sums[0]
    bins = log.bins
    since = sums.since
    while now - sums.origin >= sums.width * BINS:
        for i in range(BINS // 2):
            for partition in range(2):
                bins[i, partition] = bins[2 * i, partition] + bins[2 * i + 1, partition]
        bins[BINS // 2 :] = 0.0
        sums.width *= 2
    short = sums.busy_short
    general = sums.busy_general
    width = sums.width
    if short > 0 or general > 0:
        sums.sum_short += short * (now - since)
        sums.sum_general += general * (now - since)
        interval = int((since - sums.origin) / width)
        while since < now:
            edge = min(now, sums.origin + (interval + 1) * width)
            bins[interval, 0] += short * (edge - since)
            bins[interval, 1] += general * (edge - since)
            since = edge
            interval += 1
    sums.since = now


@kernel
def count_busy(state, now, worker, change):
    pass_time(state.log, now)
    if worker < state.how.short_only:
        state.log.sums[0].busy_short += change
    else:
        state.log.sums[0].busy_general += change
