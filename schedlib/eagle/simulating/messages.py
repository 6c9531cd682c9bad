"""Messages on the network. Those of one lane take the same time and so arrive in the order of sending."""

from typing import NamedTuple

import numpy as np

from schedlib.core.uncounted import kernel
from schedlib.eagle.simulating.records import MESSAGE, RING, table

PROBE, PLACED_TASK, REJECTED, ANSWERED_VAIN, STARTED = range(5)
"""Kinds: a probe, a placed task, a rejection, the answer "nothing left", the news of a task handed out."""


class Lane(NamedTuple):
    """A ring of messages that take the same time: `messages (C,)`, C a power of two; one record `ring`."""

    messages: np.recarray
    ring: np.recarray


def empty_lane(room: int) -> Lane:
    """An empty lane with room for at least `room` messages.

    >>> lane = empty_lane(3)
    >>> post(lane, 1.5, PROBE, 7, 2, 1)
    >>> float(arrival(lane)), front(lane)
    (1.5, (0, 7, 2, 1))
    """
    return Lane(table(1 << max(room - 1, 1).bit_length(), MESSAGE), table(1, RING))


def enlarged(lane: Lane, room: int) -> Lane:
    """The same lane with space for `room` more messages."""
    pending = int(lane.ring[0].pending)
    more = empty_lane(pending + room)
    places = (lane.ring[0].front + np.arange(pending)) & (len(lane.messages) - 1)
    more.messages[:pending], more.ring[0].pending = lane.messages[places], pending
    return more


@kernel
def room_in(lane):
    """How many more messages fit."""
    return lane.messages.size - lane.ring[0].pending


@kernel
def post(lane, time, kind, worker, job, detail):
    """Send a message that arrives at `time`, no earlier than the last one; there must be room."""
    ring = lane.ring[0]
    message = lane.messages[(ring.front + ring.pending) & (lane.messages.size - 1)]
    message.time = time
    message.kind, message.worker, message.job, message.detail = kind, worker, job, detail
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
