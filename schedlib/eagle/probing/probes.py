"""Where probes go, how workers with a long task reject them, and where these go next (Eagle, Section 3.3).

Batch sampling probes any worker. SSS has three rounds: any worker; for the rejected, the short partition and
the workers whose bit is clear in the freshest copy of the vector; for those rejected again the short
partition. As published all are decided at submission, by the workers' true state; as written each rejection
is a message.
"""

from schedlib.core.uncounted import kernel
from schedlib.eagle import systems
from schedlib.eagle.probing.sharing import draw_clear, release
from schedlib.eagle.simulating.messages import PROBE, REJECTED, REJECTS, SENT, post, write
from schedlib.eagle.simulating.state import refuse, seen

FIRST, SECOND, FALLBACK = 1, 2, 3  # rounds of Section 3.3


@kernel
def probes_of(state, job):
    """max(K, 2t) probes for a job of t tasks (Section 3.3)."""
    return max(state.how.min_probes, int(state.how.ratio * state.jobs[job].tasks))


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
    """Batch sampling (Sparrow), and the first round of Section 3.3.

    As written a job's probes go to distinct workers: each job has its own mark, and one with more probes than
    W workers takes a new mark after every W.
    """
    workers = state.workers
    for probe in range(probes_of(state, job)):
        worker = draw(0, workers.size, rng)
        if not state.how.published:
            mark = state.counts[0].probes + probe - probe % workers.size
            while workers[worker].mark == mark:
                worker = draw(0, workers.size, rng)
            workers[worker].mark = mark
        send(state, worker, job, FIRST, 1, now)


@kernel
def probe_clear(state, job, rng, now):
    """The ideal Eagle: only workers whose bit is clear at the centre at this moment."""
    for _ in range(probes_of(state, job)):
        worker = draw_clear(state.board.bits, state.how.short_only, state.workers.size, rng)
        send(state, worker, job, FIRST, 1, now)


@kernel
def probe_by_reader(choose, state, job, rng, now):
    """A reader's function names each probe's worker; one that does not exist is recorded and ends the run."""
    for probe in range(probes_of(state, job)):
        worker = choose(seen(state, now), job, probe, rng)
        if worker < 0 or worker >= state.workers.size:
            refuse(state, systems.UNKNOWN_WORKER, worker, state.workers.size, now)
            state.refusal[0].job, state.refusal[0].probe = job, probe
            return
        send(state, worker, job, FIRST, 1, now)


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
    """The three rounds as published: nothing is tested when a probe arrives.

    A probe accepted in the first round takes one hop, later ones two. The vector used is the newest of all
    workers contacted for this job.
    """
    workers, board, short_only = state.workers, state.board, state.how.short_only
    rejected, freshest, row = 0, -1.0, -1
    for _ in range(probes_of(state, job)):
        worker = draw(0, workers.size, rng)
        w = workers[worker]
        if w.stamp > freshest:
            freshest, row = w.stamp, w.copy_row
        if rejects(state, worker, job, now):
            rejected += 1
        else:
            send(state, worker, job, FIRST, 1, now)
    again = 0
    for _ in range(rejected):
        worker = draw_clear(board.copies[row], short_only, workers.size, rng)
        if rejects(state, worker, job, now):
            again += 1
        else:
            send(state, worker, job, SECOND, 2, now)
    for _ in range(again):
        send(state, draw(0, short_only, rng), job, FALLBACK, 2, now)


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
        send(state, worker, job, SECOND, 1, now)
    else:
        send(state, draw(0, short_only, rng), job, FALLBACK, 1, now)
    j.rejected -= 1
    if j.rejected == 0:
        release(state.board, j.copy_row)
        j.copy_row, j.stamp = -1, -1.0
