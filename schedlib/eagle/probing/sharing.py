"""Succinct State Sharing (Eagle, Section 3.3): the centre's bit vector and the workers' stale copies of it.

Copies of the same state are one row of the board, which counts its holders.
"""

import numpy as np

from schedlib.core.uncounted import kernel
from schedlib.eagle.simulating.state import Board, State


@kernel
def is_set(words, worker):
    """Whether a worker's bit is set: a long task has been placed on it and has not ended."""
    return (words[worker >> 6] >> (worker & 63)) & 1 == 1


@kernel
def set_bit(board: Board, worker):
    """The centre has placed a long task on this worker."""
    board.bits[worker >> 6] |= np.int64(1) << (worker & 63)
    board.status[0].changed = 1


@kernel
def clear_bit(board: Board, worker):
    """No long task that the centre placed on this worker is left."""
    board.bits[worker >> 6] &= ~(np.int64(1) << (worker & 63))
    board.status[0].changed = 1


@kernel
def release(board: Board, row):
    """A holder gives a copy up."""
    board.holders[row] -= 1
    if board.holders[row] == 0:
        board.spare[board.status[0].spare_rows] = row
        board.status[0].spare_rows += 1


@kernel
def hold(board: Board, holders):
    """The row of a copy of the vector as it is now, for so many more holders."""
    status = board.status[0]
    if status.changed == 1:
        if status.newest >= 0:
            release(board, status.newest)
        status.spare_rows -= 1
        fresh = board.spare[status.spare_rows]
        for word in range(board.bits.size):
            board.copies[fresh, word] = board.bits[word]
        board.holders[fresh] = 1  # the board itself
        status.newest, status.changed = fresh, 0
    row = status.newest
    board.holders[row] += holders
    return row


@kernel
def keep_copy(state: State, worker, job, now):
    """A long task brings a worker a copy of the vector: as of now (published) or of its sending (written)."""
    w, j = state.workers[worker], state.jobs[job]
    if w.copy_row >= 0:
        release(state.board, w.copy_row)
    if state.how.published:
        w.copy_row, w.stamp = hold(state.board, 1), now
    else:
        w.copy_row, w.stamp = j.copy_row, j.submit


@kernel
def draw_clear(words, short_only, workers, rng):
    """A worker drawn uniformly from the short partition and those whose bit is clear; there must be one."""
    while True:
        worker = int(rng.random() * workers)
        if worker < short_only or not is_set(words, worker):
            return worker
