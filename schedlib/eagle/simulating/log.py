"""What is written down during a run: how many workers are busy and, when asked for, each event and task."""

from typing import NamedTuple

import numpy as np

from schedlib.core.uncounted import kernel
from schedlib.eagle.simulating.records import EVENT, METER, RUN, table

EVENTS = ("submit", "send", "queue", "reject", "ask", "start", "finish",
          "vain", "drop", "robbed", "steal", "mark", "clear")
SUBMITTED, SENT, QUEUES, REJECTS, ASKS, STARTS, FINISHES = range(7)
VAIN_ANSWER, DROPS, ROBBED, STEALS_ONE, MARKS, CLEARS = range(7, 13)
BINS = 2048


class Meter(NamedTuple):
    """Busy worker-seconds by interval and partition, `bins (BINS, 2)`, and one record `sums (1,)`."""

    bins: np.ndarray
    sums: np.recarray


class Log(NamedTuple):
    """`events (L,)`, of which `used[0]` are filled, and `tasks (T,)`; of size 0 when nothing is recorded."""

    events: np.recarray
    used: np.ndarray
    tasks: np.recarray


def new_meter() -> Meter:
    """A meter at time 0, with intervals of a millisecond."""
    sums = table(1, METER)
    sums.width = 1e-3
    return Meter(np.zeros((BINS, 2)), sums)


def empty_log(tasks: int, rows: int) -> Log:
    """A log with room for so many tasks and events."""
    log = Log(table(rows, EVENT), np.zeros(1, np.int64), table(tasks, RUN))
    log.tasks.worker = -1
    for name in ("queued", "asked", "start", "finish"):
        log.tasks[name] = np.nan
    return log


@kernel
def pass_time(meter, now):
    """Add the busy workers' time up to `now`; when the intervals no longer reach that far, two become one."""
    sums, bins = meter.sums[0], meter.bins
    since = sums.since
    while now >= sums.width * BINS:
        for i in range(BINS // 2):
            for partition in range(2):
                bins[i, partition] = bins[2 * i, partition] + bins[2 * i + 1, partition]
        bins[BINS // 2 :] = 0.0
        sums.width *= 2
    short, general, width = sums.busy_short, sums.busy_general, sums.width
    if short > 0 or general > 0:
        sums.sum_short += short * (now - since)
        sums.sum_general += general * (now - since)
        interval = int(since / width)
        while since < now:
            edge = min(now, (interval + 1) * width)
            bins[interval, 0] += short * (edge - since)
            bins[interval, 1] += general * (edge - since)
            since = edge
            interval += 1
    sums.since = now


@kernel
def count_busy(meter, now, worker, short_only, change):
    """A worker becomes busy (1) or idle (-1)."""
    pass_time(meter, now)
    if worker < short_only:
        meter.sums[0].busy_short += change
    else:
        meter.sums[0].busy_general += change


@kernel
def write(log, now, event, worker, job):
    """Write an event down, when events are recorded; there must be room."""
    if log.events.size > 0:
        row = log.events[log.used[0]]
        row.time, row.event, row.worker, row.job = now, event, worker, job
        log.used[0] += 1
