"""What a run measures while it runs, in constant memory per interval: counts, waits, queue, used resources, a sketch of waits."""

from typing import NamedTuple

import numpy as np

from schedlib.core.uncounted import kernel

ARRIVED, STARTED, WAIT, QUEUE_AREA, QUEUED_TIME, QUEUE_END, QUEUE_MOST, FINISHED, BUSY = range(9)
NOW, EDGE, INTERVAL, WAITING, LONGEST, PRESENT, PRESENT_AREA, SPENT, LOOKED = range(9)
SKETCH_LOW, SKETCH_BASE, SKETCH_BINS = 1e-12, 1.01, 4200  # bins a factor 1.01 wide, from 1e-12 to 1e6 widths of an interval


class Meter(NamedTuple):
    """Sums over each interval of simulated time.

    - `series (T, 8 + 2R)`: columns as named above; `BUSY + l` is the integral of what is used of resource l, and `BUSY + R + l` the
      same over the time during which jobs wait
    - `state (9,)`: the clock, the end of the present interval and its number, jobs waiting, the longest wait, jobs in the system,
      the integral of that number, the time that started jobs spend in the system in all, and how many machines arrivals asked
    - `used (R,)`: what is used now
    - `sketch (B,)`: positive waits by size; `width`: of an interval
    """

    series: np.ndarray
    state: np.ndarray
    used: np.ndarray
    sketch: np.ndarray
    width: float


def meter(resources: int, intervals: int, width: float) -> Meter:
    """Nothing measured yet."""
    state = np.zeros(9)
    state[EDGE] = width
    series, sketch = np.zeros((intervals, BUSY + 2 * resources)), np.zeros(SKETCH_BINS, np.int64)
    return Meter(series, state, np.zeros(resources), sketch, float(width))


def lengthened(m: Meter) -> Meter:
    """The same with room for twice as many intervals."""
    return m._replace(series=np.concatenate((m.series, 0 * m.series)))


@kernel
def tick(m, now):
    """Let the clock run to `now`, which must lie in an interval of the series."""
    state = m.state
    while True:
        at = int(state[INTERVAL])
        until = min(now, state[EDGE])
        passed = until - state[NOW]
        if passed > 0:
            waiting = state[WAITING]
            state[PRESENT_AREA] += state[PRESENT] * passed
            r = m.used.size
            for l in range(r):
                m.series[at, BUSY + l] += m.used[l] * passed
            if waiting > 0:
                m.series[at, QUEUE_AREA] += waiting * passed
                m.series[at, QUEUED_TIME] += passed
                for l in range(r):
                    m.series[at, BUSY + r + l] += m.used[l] * passed
            state[NOW] = until
        if now < state[EDGE]:
            return
        m.series[at, QUEUE_END] = state[WAITING]
        state[INTERVAL] += 1
        state[EDGE] = (state[INTERVAL] + 1) * m.width


@kernel
def note_arrival(m):
    """A job arrives."""
    m.series[int(m.state[INTERVAL]), ARRIVED] += 1
    m.state[PRESENT] += 1


@kernel
def note_queue(m, change):
    """A job joins (+1) or leaves (-1) the queue."""
    m.state[WAITING] += change
    at = int(m.state[INTERVAL])
    m.series[at, QUEUE_MOST] = max(m.series[at, QUEUE_MOST], m.state[WAITING])


@kernel
def note_start(m, wait):
    """A job starts after that wait, which counts for the interval in which it starts (Section 5.3.3)."""
    at = int(m.state[INTERVAL])
    m.series[at, STARTED] += 1
    if wait > 0:
        m.series[at, WAIT] += wait
        m.state[LONGEST] = max(m.state[LONGEST], wait)
        place = int(np.log(wait / (m.width * SKETCH_LOW)) / np.log(SKETCH_BASE))
        m.sketch[max(0, min(place, SKETCH_BINS - 1))] += 1


@kernel
def note_finish(m, spent):
    """A job ends that spent that long in the system."""
    m.series[int(m.state[INTERVAL]), FINISHED] += 1
    m.state[PRESENT] -= 1
    m.state[SPENT] += spent
