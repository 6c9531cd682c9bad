"""Speed of the core: what one event of a simulation costs before it does anything."""

import time
from statistics import median

import numpy as np

from schedlib.core import events
from schedlib.core.compiling import compiled

add, take = events.add, events.take


def seconds(function, repeats=5):
    """The median wall-clock seconds of `repeats` calls, after one that is not counted.

    >>> seconds(lambda: None, repeats=1) < 1
    True
    """
    function()
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        function()
        times.append(time.perf_counter() - start)
    return median(times)


def row(name, value, unit, note=""):
    """A row of a benchmark's table; its value has three digits.

    >>> row("least work", 1.23456, "s")["value"]
    1.23
    """
    return {"name": name, "value": float(f"{value:.3g}"), "unit": unit, "note": note}


@compiled
def hold(queue, increment, steps):
    """The hold model (Jones, 1986): take the earliest event and add one later, `steps` times."""
    now = 0.0
    for step in range(steps):
        now, event = take(queue)
        add(queue, now + increment[step % increment.size], event)
    return now


def bench():
    """The row of the event queue.

    >>> [row["unit"] for row in bench()]
    ['million events/s']
    """
    pending, steps = 10_000, 1_000_000
    increment = np.random.default_rng(1).exponential(size=100_003)
    queue = events.event_queue(pending)
    for event in range(pending):
        add(queue, increment[event], event)
    rate = steps / seconds(lambda: hold(queue, increment, steps)) / 1e6
    note = f"hold model, {pending:,} pending, exponential increments; no simulator can be faster"
    return [row("event queue alone", rate, "million events/s", note)]
