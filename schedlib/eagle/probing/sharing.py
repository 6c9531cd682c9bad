"""Succinct State Sharing (Eagle, Section 3.3): the centre's bit vector and the stale copies of it that workers hold.

Copies of the same state are one row, which counts its holders: a million long tasks need as many rows as there are states still held.
"""

from typing import NamedTuple

import numpy as np

from schedlib.core.uncounted import kernel

CHANGED, NEWEST, SPARE_ROWS = range(3)
"""Places of `Board.state`: 1 when the vector changed since the newest copy, that copy's row (-1: none), rows that nobody holds."""


class Board(NamedTuple):
    """`bits (B,)`, the centre's vector, 64 workers a word; `copies (C, B)`; `holders (C,)`; `spare (C,)`, rows that nobody holds; `state`."""

    bits: np.ndarray
    copies: np.ndarray
    holders: np.ndarray
    spare: np.ndarray
    state: np.ndarray


def board(workers: int, rows: int) -> Board:
    """A vector of zeros, and no copy."""
    words = (workers + 63) // 64
    spare = np.arange(rows)[::-1].copy()
    return Board(
        np.zeros(words, np.int64), np.zeros((rows, words), np.int64), np.zeros(rows, np.int64), spare, np.array([1, -1, rows])
    )


def enlarged(some: Board) -> Board:
    """The same board with room for twice as many copies."""
    rows, left = len(some.holders), int(some.state[SPARE_ROWS])
    spare = np.concatenate((some.spare[:left], np.arange(rows, 2 * rows), np.zeros(rows - left, np.int64)))
    more = some._replace(
        copies=np.concatenate((some.copies, np.zeros_like(some.copies))),
        holders=np.concatenate((some.holders, np.zeros(rows, np.int64))),
        spare=spare,
    )
    more.state[SPARE_ROWS] = left + rows
    return more


@kernel
def is_set(words, worker):
    """Whether a worker's bit is set: a long task has been placed on it and has not ended."""
    return (words[worker >> 6] >> (worker & 63)) & 1 == 1


@kernel
def set_bit(some, worker):
    some.bits[worker >> 6] |= np.int64(1) << (worker & 63)
    some.state[CHANGED] = 1


@kernel
def clear_bit(some, worker):
    some.bits[worker >> 6] &= ~(np.int64(1) << (worker & 63))
    some.state[CHANGED] = 1


@kernel
def release(some, row):
    """A holder gives a copy up."""
    some.holders[row] -= 1
    if some.holders[row] == 0:
        some.spare[some.state[SPARE_ROWS]] = row
        some.state[SPARE_ROWS] += 1


@kernel
def hold(some, holders):
    """The row of a copy of the vector as it is now, for so many more holders."""
    if some.state[CHANGED] == 1:
        if some.state[NEWEST] >= 0:
            release(some, some.state[NEWEST])
        some.state[SPARE_ROWS] -= 1
        row = some.spare[some.state[SPARE_ROWS]]
        for word in range(some.bits.size):
            some.copies[row, word] = some.bits[word]
        some.holders[row] = 1  # the board's own
        some.state[NEWEST], some.state[CHANGED] = row, 0
    row = some.state[NEWEST]
    some.holders[row] += holders
    return row


@kernel
def draw_clear(words, short_only, workers, rng):
    """A worker drawn uniformly from the short partition and the workers whose bit is clear; there must be one."""
    while True:
        worker = int(rng.random() * workers)
        if worker < short_only or not is_set(words, worker):
            return worker
