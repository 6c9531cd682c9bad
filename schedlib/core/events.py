"""The event queue of a simulation: the earliest event first, equal times in the order they were added."""

from typing import NamedTuple

import numpy as np

from schedlib.core import heap
from schedlib.core.uncounted import kernel

LABEL = 0x7FFFFFFF
"""The bits of a label that are the event."""


class EventQueue(NamedTuple):
    """A heap of times and labels, each (n,); a label is the event with its serial number in the high bits."""

    time: np.ndarray
    label: np.ndarray
    count: np.ndarray  # type: ignore[assignment]  # pending events, events ever added


def event_queue(capacity: int) -> EventQueue:
    """An empty queue with room for `capacity` pending events, less than 2**31.

    >>> queue = event_queue(8)
    >>> add(queue, 2.0, 20), add(queue, 1.0, 10), add(queue, 2.0, 21)
    (True, True, True)
    >>> [take(queue) for _ in range(4)]
    [(1.0, 10), (2.0, 20), (2.0, 21), (inf, -1)]
    """
    return EventQueue(np.empty(capacity), np.empty(capacity, np.int64), np.zeros(2, np.int64))


@kernel
def add(queue, time, event):
    """Add `event`, an integer in [0, 2**31), at `time`; False, and nothing added, when the queue is full."""
    pending, added = queue.count
    if pending == queue.time.size:
        return False
    queue.count[0] = heap.push(queue.time, queue.label, pending, time, (added << 31) | event)
    queue.count[1] = added + 1
    return True


@kernel
def take(queue):
    """Remove the earliest event and return (time, event), or (inf, -1) when none is pending."""
    pending = queue.count[0]
    if pending == 0:
        return np.inf, -1
    time, label = queue.time[0], queue.label[0]
    queue.count[0] = heap.pop(queue.time, queue.label, pending)
    return time, label & LABEL
