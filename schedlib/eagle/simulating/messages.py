"""Messages on the network. Each takes a constant time, so a ring in the order of sending is in the order of arrival: no heap is needed."""

from typing import NamedTuple

import numpy as np

from schedlib.core.uncounted import kernel

PROBE, PLACED_TASK, REJECTED, ANSWERED_VAIN, STARTED = range(5)
"""Kinds of messages: a probe, a task placed by a centre, a rejection, the answer "nothing left", the news that a task was handed out."""
KIND, TO, ABOUT, PART = range(4)
"""Columns of `Lane.whole`: kind, worker, job, and the probe's round or the task's number."""
FRONT, PENDING = range(2)


class Lane(NamedTuple):
    """A ring of messages that all take the same time: `time (C,)` of arrival, `whole (C, 4)`, C a power of two; `state`: front, pending."""

    time: np.ndarray
    whole: np.ndarray
    state: np.ndarray


def lane(room: int) -> Lane:
    """An empty lane with room for at least `room` messages.

    >>> some = lane(3)
    >>> post(some, 1.5, PROBE, 7, 2, 1)
    >>> float(arrival(some)), front(some)
    (1.5, (0, 7, 2, 1))
    """
    room = 1 << max(room - 1, 1).bit_length()
    return Lane(np.zeros(room), np.zeros((room, 4), np.int32), np.zeros(2, np.int64))


def enlarged(some: Lane, room: int) -> Lane:
    """The same lane with space for `room` more messages."""
    at = (some.state[FRONT] + np.arange(some.state[PENDING])) & (len(some.time) - 1)
    more = lane(int(some.state[PENDING]) + room)
    more.time[: len(at)], more.whole[: len(at)], more.state[PENDING] = some.time[at], some.whole[at], len(at)
    return more


@kernel
def room_in(some):
    """How many more messages fit."""
    return some.time.size - some.state[PENDING]


@kernel
def post(some, time, kind, worker, job, part):
    """Send a message that arrives at `time`, no earlier than the last one; there must be room."""
    at = (some.state[FRONT] + some.state[PENDING]) & (some.time.size - 1)
    some.time[at] = time
    some.whole[at, KIND], some.whole[at, TO], some.whole[at, ABOUT], some.whole[at, PART] = kind, worker, job, part
    some.state[PENDING] += 1


@kernel
def arrival(some):
    """When the next message arrives; infinity when none is on its way."""
    return some.time[some.state[FRONT]] if some.state[PENDING] > 0 else np.inf


@kernel
def front(some):
    """Take the message that arrives next: kind, worker, job, part."""
    at = some.state[FRONT]
    some.state[FRONT] = (at + 1) & (some.time.size - 1)
    some.state[PENDING] -= 1
    return some.whole[at, KIND], some.whole[at, TO], some.whole[at, ABOUT], some.whole[at, PART]
