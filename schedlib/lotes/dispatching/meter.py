"""What a run measures: counts, waits, queue and use of resources per interval, and a histogram of waits."""

from typing import NamedTuple

import numpy as np

from schedlib.core.uncounted import kernel
from schedlib.lotes.dispatching.machine_tree import aligned

SKETCH_LOW, SKETCH_BASE, SKETCH_BINS = 1e-12, 1.01, 4200  # from 1e-12 to 1e6 intervals
INTERVAL = np.dtype([(name, "i8") for name in ("arrived", "started", "finished", "queue_end", "queue_most")]
                    + [(name, "f8") for name in ("wait", "queue_area", "queued_time")])
"""Jobs that arrived, started, finished; jobs waiting at the end and at most; the waits of those that started,
in all; the integral of the queue over time; the time during which at least one waited."""
CLOCK = np.dtype([("now", "f8"), ("edge", "f8"), ("longest", "f8"), ("present_area", "f8")]
                 + [(name, "i8") for name in ("interval", "waiting", "present", "looked")])
"""The time, the end of the present interval, the longest wait, the integral of jobs in the system over time;
the interval's number, jobs waiting, jobs in the system, how many machines arrivals looked at."""


class Meter(NamedTuple):
    """Measurements over T intervals and R resources."""

    series: np.recarray  # (T,): records of `INTERVAL`
    busy: np.ndarray  # (T, R): integrals of `used` over time
    busy_queued: np.ndarray  # (T, R): the same while jobs wait
    used: np.ndarray  # (R,): the amounts in use now
    clock: np.recarray  # (1,): a record of `CLOCK`
    sketch: np.ndarray  # (B,): how many positive waits fall into each bin
    width: float  # of an interval


def meter(resources: int, intervals: int, width: float) -> Meter:
    """A meter at time 0."""
    clock, busy = aligned(1, CLOCK), np.zeros((intervals, resources))
    clock[0].edge = width
    return Meter(series=aligned(intervals, INTERVAL), busy=busy, busy_queued=busy.copy(), clock=clock,
                 used=np.zeros(resources), sketch=np.zeros(SKETCH_BINS, np.int64), width=float(width))


def lengthened(m: Meter, until: float) -> Meter:
    """The same meter with room for the time `until`."""
    intervals = len(m.series)
    while until >= m.width * intervals:
        intervals *= 2
    larger = meter(len(m.used), intervals, m.width)
    for name in ("series", "busy", "busy_queued"):
        getattr(larger, name)[: len(m.series)] = getattr(m, name)
    return larger._replace(used=m.used, clock=m.clock, sketch=m.sketch)


@kernel
def tick(m, now):
    """Let the clock run to `now`, which must lie in an interval of the series."""
    clock = m.clock[0]
    while True:
        at = clock.interval
        until = min(now, clock.edge)
        passed = until - clock.now
        if passed > 0:
            waiting = clock.waiting
            clock.present_area += clock.present * passed
            for l in range(m.used.size):
                m.busy[at, l] += m.used[l] * passed
            if waiting > 0:
                m.series[at].queue_area += waiting * passed
                m.series[at].queued_time += passed
                for l in range(m.used.size):
                    m.busy_queued[at, l] += m.used[l] * passed
            clock.now = until
        if now < clock.edge:
            return
        m.series[at].queue_end = clock.waiting
        clock.interval += 1
        clock.edge = (clock.interval + 1) * m.width


@kernel
def note_arrival(m):
    m.series[m.clock[0].interval].arrived += 1
    m.clock[0].present += 1


@kernel
def note_queue(m, change):
    """Count a job that joins (+1) or leaves (-1) the queue."""
    clock = m.clock[0]
    clock.waiting += change
    interval = m.series[clock.interval]
    interval.queue_most = max(interval.queue_most, clock.waiting)


@kernel
def note_start(m, wait):
    """Count a job that starts after this wait, in the interval in which it starts (Section 5.3.3)."""
    clock = m.clock[0]
    interval = m.series[clock.interval]
    interval.started += 1
    if wait > 0:
        interval.wait += wait
        clock.longest = max(clock.longest, wait)
        place = int(np.log(wait / (m.width * SKETCH_LOW)) / np.log(SKETCH_BASE))
        m.sketch[max(0, min(place, SKETCH_BINS - 1))] += 1


@kernel
def note_end(m):
    m.series[m.clock[0].interval].finished += 1
    m.clock[0].present -= 1
