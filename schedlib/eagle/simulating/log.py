"""What is written down on the way: how many workers are busy, and (when asked) every event and every task."""

from typing import NamedTuple

import numpy as np

from schedlib.core.uncounted import kernel

EVENTS = ("submit", "send", "queue", "reject", "ask", "start", "finish", "vain", "drop", "robbed", "steal", "mark", "clear")
SUBMITTED, SENT, QUEUES, REJECTS, ASKS, STARTS, FINISHES, VAIN_ANSWER, DROPS, ROBBED, STEALS_ONE, MARKS, CLEARS = range(len(EVENTS))
BINS = 2048
WIDTH, SINCE_TIME, BUSY_SHORT, BUSY_GENERAL, SUM_SHORT, SUM_GENERAL = range(6)


class Meter(NamedTuple):
    """Busy worker-seconds by interval and partition, `bins (BINS, 2)`; `state`; `at_last (2,)`, their sums at the last submission."""

    bins: np.ndarray
    state: np.ndarray
    at_last: np.ndarray


class Log(NamedTuple):
    """Events: `time (L,)`, `whole (L, 3)` (event, worker, job), `used`. Tasks: `worker (T,)`, `times (T, 4)` (queued, asked, start, end)."""

    time: np.ndarray
    whole: np.ndarray
    used: np.ndarray
    worker: np.ndarray
    times: np.ndarray


def meter() -> Meter:
    state = np.zeros(6)
    state[WIDTH] = 1e-3
    return Meter(np.zeros((BINS, 2)), state, np.zeros(2))


def log(tasks: int, rows: int) -> Log:
    """An empty log; of no size when nothing is to be recorded."""
    times = np.full((tasks, 4), np.nan)
    return Log(np.zeros(rows), np.zeros((rows, 3), np.int64), np.zeros(1, np.int64), np.full(tasks, -1), times)


def longer(some: Log, rows: int) -> Log:
    """The same log with room for `rows` more."""
    time, whole = np.concatenate((some.time, np.zeros(rows))), np.concatenate((some.whole, np.zeros((rows, 3), np.int64)))
    return some._replace(time=time, whole=whole)


@kernel
def pass_time(some, now):
    """Book the busy workers' time up to `now`; when the intervals no longer reach that far, two become one."""
    state, bins = some.state, some.bins
    since = state[SINCE_TIME]
    while now >= state[WIDTH] * BINS:
        for i in range(BINS // 2):
            for part in range(2):
                bins[i, part] = bins[2 * i, part] + bins[2 * i + 1, part]
        bins[BINS // 2 :] = 0.0
        state[WIDTH] *= 2
    short, general = state[BUSY_SHORT], state[BUSY_GENERAL]
    if short > 0 or general > 0:
        state[SUM_SHORT] += short * (now - since)
        state[SUM_GENERAL] += general * (now - since)
        at = int(since / state[WIDTH])
        while since < now:
            edge = min(now, (at + 1) * state[WIDTH])
            bins[at, 0] += short * (edge - since)
            bins[at, 1] += general * (edge - since)
            since = edge
            at += 1
    state[SINCE_TIME] = now


@kernel
def count_busy(some, now, worker, short_only, change):
    """A worker becomes busy (1) or idle (-1)."""
    pass_time(some, now)
    some.state[BUSY_SHORT if worker < short_only else BUSY_GENERAL] += change


@kernel
def write(some, now, event, worker, job):
    """Write an event down, when events are recorded; there must be room."""
    if some.time.size > 0:
        at = some.used[0]
        some.time[at] = now
        some.whole[at, 0], some.whole[at, 1], some.whole[at, 2] = event, worker, job
        some.used[0] = at + 1
