"""Where probes go, how workers with a long task reject them, and where these go next (Eagle, Section 3.3).

Batch sampling probes any worker. Succinct State Sharing (SSS) has three rounds: any worker; for the rejected,
the short partition and the workers whose bit is clear in the freshest copy of the centre's bit vector; for
those rejected again the short partition. The paper tried a first round by an old vector as well
(`Way.OLD_VECTOR`). As published all are decided at submission, by the workers' true state; as written each
rejection is a message. Copies of the same state are one row of the board, which counts its holders.
"""

import numpy as np

from schedlib.core.uncounted import kernel
from schedlib.eagle.messages import PROBE, REJECTED, REJECTS, SENT, post, write
from schedlib.eagle.records import MOST_PROBES
from schedlib.eagle.state import refuse, seen
from schedlib.eagle.systems import Refusal, Way

# rounds of Section 3.3
FIRST = 1
SECOND = 2
FALLBACK = 3


@kernel
def is_set(words, worker):
    """Whether a worker's bit is set: a long task has been placed on it and has not ended."""
    return (words[worker >> 6] >> (worker & 63)) & 1 == 1


@kernel
def set_bit(board, worker):
    """The centre has placed a long task on this worker."""
    board.bits[worker >> 6] |= np.int64(1) << (worker & 63)
    board.status[0].changed = 1


@kernel
def clear_bit(board, worker):
    """No long task that the centre placed on this worker is left."""
    board.bits[worker >> 6] &= ~(np.int64(1) << (worker & 63))
    board.status[0].changed = 1


@kernel
def release(board, row):
    """A holder gives a copy up."""
    board.holders[row] -= 1
    if board.holders[row] == 0:
        board.spare[board.status[0].spare_rows] = row
        board.status[0].spare_rows += 1


@kernel
def hold(board, holders):
    """The row of a copy of the vector as it is now, which gets `holders` more."""
    status = board.status[0]
    if status.changed == 1:
        if status.newest >= 0:
            release(board, status.newest)
        status.spare_rows -= 1
        fresh = board.spare[status.spare_rows]
        for word in range(board.bits.size):
            board.copies[fresh, word] = board.bits[word]
        board.holders[fresh] = 1  # the board itself
        status.newest = fresh
        status.changed = 0
    row = status.newest
    board.holders[row] += holders
    return row


@kernel
def keep_copy(state, worker, job, now):
    """A long task brings a worker a copy of the vector: as of now (published) or of its sending (written)."""
    w = state.workers[worker]
    j = state.jobs[job]
    if w.copy_row >= 0:
        release(state.board, w.copy_row)
    if state.how.detail.copied_on_arrival:
        w.copy_row = hold(state.board, 1)
        w.stamp = now
    else:
        w.copy_row = j.copy_row
        w.stamp = j.submit


@kernel
def draw_clear(words, short_only, workers, rng):
    """A worker drawn uniformly from the short partition and those whose bit is clear; there must be one."""
    while True:
        worker = int(rng.random() * workers)
        if worker < short_only or not is_set(words, worker):
            return worker


@kernel
def send(state, worker, job, stage, hops, now):  # it arrives after one or two hops
    write(state.log, now, SENT, worker, job)
    lane = state.near if hops == 1 else state.far
    post(lane, now + hops * state.how.delay, PROBE, worker, job, stage)


@kernel
def draw(low, high, rng):  # uniformly from low, ..., high - 1
    return low + int(rng.random() * (high - low))


@kernel
def probe_anywhere(state, job, rng, now):
    """Batch sampling (Sparrow), and the first round of Section 3.3: as written to distinct workers."""
    workers = state.workers
    for probe in range(state.jobs[job].probes):
        worker = draw(0, workers.size, rng)
        if not state.how.detail.repeated_targets:
            # a job's own, new after W probes
            mark = state.counts[0].probes + probe - probe % workers.size
            while workers[worker].mark == mark:
                worker = draw(0, workers.size, rng)
            workers[worker].mark = mark
        send(state, worker, job, FIRST, 1, now)


@kernel
def probe_clear(state, job, rng, now):
    """The ideal Eagle: only workers whose bit is clear at the centre at this moment."""
    for _ in range(state.jobs[job].probes):
        worker = draw_clear(state.board.bits, state.how.short_only, state.workers.size, rng)
        send(state, worker, job, FIRST, 1, now)


@kernel
def count_by_reader(count, state, job, rng, now):
    """A reader's function says how many probes a job sends; too few are recorded and end the run."""
    j = state.jobs[job]
    probes = count(seen(state, now, state.line[:0]), job, rng)
    least = 1 if state.how.sticky else j.tasks
    if probes < least or probes > MOST_PROBES:
        refuse(state, Refusal.FEW_PROBES, probes, least, now)
        state.refusal[0].job = job
    else:
        j.probes = probes


@kernel
def rejects(state, worker, job, now):
    """Whether a worker rejects a probe, because a long task runs, is asked for or waits there."""
    if state.workers[worker].long_tasks == 0:
        return False
    state.counts[0].rejections += 1
    write(state.log, now, REJECTS, worker, job)
    return True


@kernel
def probe_in_three_rounds(state, job, rng, now):
    """The three rounds as published: nothing is tested when a probe arrives, in one hop or else in two."""
    workers = state.workers
    board = state.board
    short_only = state.how.short_only
    old = state.how.short_way == Way.OLD_VECTOR
    kept = board.status[0].kept
    rejected = 0  # probes of the first round that go again
    freshest = -1.0  # the time of the newest vector of all workers contacted for this job
    row = -1  # and its row
    if old:
        freshest = board.status[0].stamp
        row = kept
    for _ in range(state.jobs[job].probes):
        if old and kept >= 0:
            worker = draw_clear(board.copies[kept], short_only, workers.size, rng)
        else:
            worker = draw(0, workers.size, rng)
        w = workers[worker]
        if w.stamp > freshest:
            freshest = w.stamp
            row = w.copy_row
        if rejects(state, worker, job, now):
            rejected += 1
        else:
            send(state, worker, job, FIRST, 1, now)
    again = 0  # probes of the second round that go to the short partition
    for _ in range(rejected):
        worker = draw_clear(board.copies[row], short_only, workers.size, rng)
        if rejects(state, worker, job, now):
            again += 1
        else:
            send(state, worker, job, SECOND, 2, now)
    for _ in range(again):
        send(state, draw(0, short_only, rng), job, FALLBACK, 2, now)
    if old and freshest > board.status[0].stamp:
        board.holders[row] += 1
        if kept >= 0:
            release(board, kept)
        board.status[0].kept = row
        board.status[0].stamp = freshest


@kernel
def reject_probe(state, worker, job, stage, now):
    """As written: a worker returns a probe with its copy of the vector; the scheduler keeps the freshest."""
    w = state.workers[worker]
    j = state.jobs[job]
    if w.stamp > j.stamp:
        if j.copy_row >= 0:
            release(state.board, j.copy_row)
        j.copy_row = w.copy_row
        j.stamp = w.stamp
        state.board.holders[w.copy_row] += 1
    j.rejected += 1
    post(state.near, now + state.how.delay, REJECTED, worker, job, stage)


@kernel
def probe_again(state, job, stage, rng, now):
    """As written: a rejection has reached the scheduler, which sends the probe elsewhere."""
    j = state.jobs[job]
    short_only = state.how.short_only
    if stage == FIRST:
        worker = draw_clear(state.board.copies[j.copy_row], short_only, state.workers.size, rng)
        send(state, worker, job, SECOND, 1, now)
    else:
        send(state, draw(0, short_only, rng), job, FALLBACK, 1, now)
    j.rejected -= 1
    if j.rejected == 0:
        release(state.board, j.copy_row)
        j.copy_row = -1
        j.stamp = -1.0
