"""How workers with a long task reject probes, and where these go next (Eagle, Section 3.3).

There are three rounds: any worker; then, for the rejected, the short partition and the workers whose bit is
clear in the freshest copy of the vector; and for those rejected again the short partition. As published all
three are decided at submission, on the workers' true state; as written each rejection is a message.
"""

from schedlib.core.uncounted import kernel
from schedlib.eagle.probing import sharing
from schedlib.eagle.probing.probes import FALLBACK, FIRST, SECOND, draw, probes_of, send_far, send_near
from schedlib.eagle.simulating import messages
from schedlib.eagle.simulating.log import REJECTS, write
from schedlib.eagle.simulating.messages import REJECTED

post = messages.post
draw_clear, release = sharing.draw_clear, sharing.release


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
    """The three rounds as published.

    The authors' simulator tests all probes at once on the workers' true state, and nothing when a probe
    arrives. A probe accepted in the first round takes one hop, later ones two. The vector used is the newest
    of all workers contacted for this job.
    """
    workers, board, short_only = state.workers, state.board, state.how.short_only
    rejected, freshest, row = 0, -1.0, -1
    for _ in range(probes_of(state, job)):
        worker = draw(0, workers.size, rng)
        state.counts[0].probes += 1
        w = workers[worker]
        if w.stamp > freshest:
            freshest, row = w.stamp, w.copy_row
        if rejects(state, worker, job, now):
            rejected += 1
        else:
            send_near(state, worker, job, FIRST, now)
    again = 0
    for _ in range(rejected):
        worker = draw_clear(board.copies[row], short_only, workers.size, rng)
        if rejects(state, worker, job, now):
            again += 1
        else:
            send_far(state, worker, job, SECOND, now)
    for _ in range(again):
        send_far(state, draw(0, short_only, rng), job, FALLBACK, now)


@kernel
def reject_probe(state, worker, job, stage, now):
    """As written: a worker returns a probe with its copy of the vector; the scheduler keeps the freshest."""
    w, j = state.workers[worker], state.jobs[job]
    if w.stamp > j.stamp:
        if j.copy_row >= 0:
            release(state.board, j.copy_row)
        j.copy_row, j.stamp = w.copy_row, w.stamp
        state.board.holders[w.copy_row] += 1
    j.rejected += 1
    post(state.near, now + state.how.delay, REJECTED, worker, job, stage)


@kernel
def probe_again(state, job, stage, rng, now):
    """As written: a rejection has reached the scheduler, which sends the probe elsewhere."""
    j, short_only = state.jobs[job], state.how.short_only
    if stage == FIRST:
        worker = draw_clear(state.board.copies[j.copy_row], short_only, state.workers.size, rng)
        send_near(state, worker, job, SECOND, now)
    else:
        send_near(state, draw(0, short_only, rng), job, FALLBACK, now)
    j.rejected -= 1
    if j.rejected == 0:
        release(state.board, j.copy_row)
        j.copy_row, j.stamp = -1, -1.0
