"""Where the probes of a job go: anywhere, by Succinct State Sharing, or to the workers known to be free of long tasks.

Succinct State Sharing (Section 3.3) has three rounds: any worker; those that rejected, again among the short partition and the workers
whose bit is clear in the freshest copy of the vector; those that rejected once more, in the short partition. As published all three are
decided at submission, on the workers' true state; as written each rejection is a message.
"""

from schedlib.core.uncounted import kernel
from schedlib.eagle.probing import sharing
from schedlib.eagle.simulating import columns as at
from schedlib.eagle.simulating import messages
from schedlib.eagle.simulating.log import REJECTS, SENT, write
from schedlib.eagle.simulating.messages import PROBE, REJECTED

post = messages.post
draw_clear, release = sharing.draw_clear, sharing.release
SECOND, FALLBACK = 2, 3


@kernel
def probes_of(sys, job):
    """max(K, 2t) probes for a job of t tasks."""
    return max(sys.how.min_probes, int(sys.how.ratio * sys.jobs.whole[job, at.TASKS]))


@kernel
def send(sys, lane, time, now, worker, job, part):
    write(sys.log, now, SENT, worker, job)
    post(lane, time, PROBE, worker, job, part)


@kernel
def draw(low, high, rng):
    """A number drawn uniformly from low, ..., high - 1."""
    return low + int(rng.random() * (high - low))


@kernel
def draw_worker(sys, job, probe, rng):
    """Any worker; as written another one for each of a job's probes, while there are enough."""
    marks = sys.workers.marks
    if sys.how.published:
        return draw(0, marks.size, rng)
    mark = sys.counts[at.PROBES] - probe % marks.size  # grows from job to job and from one round over all workers to the next
    worker = draw(0, marks.size, rng)
    while marks[worker] == mark:
        worker = draw(0, marks.size, rng)
    marks[worker] = mark
    return worker


@kernel
def probe_anywhere(sys, job, rng, now):
    """Batch sampling (Sparrow), and the first round of Section 3.3."""
    for probe in range(probes_of(sys, job)):
        worker = draw_worker(sys, job, probe, rng)
        send(sys, sys.near, now + sys.how.delay, now, worker, job, 1)
        sys.counts[at.PROBES] += 1


@kernel
def probe_clear(sys, job, rng, now):
    """The ideal Eagle: only workers whose bit is clear at the centre now."""
    for _ in range(probes_of(sys, job)):
        worker = draw_clear(sys.board.bits, sys.how.short_only, sys.workers.marks.size, rng)
        send(sys, sys.near, now + sys.how.delay, now, worker, job, 1)
        sys.counts[at.PROBES] += 1


@kernel
def rejects(sys, worker, job, now):
    """Whether a worker refuses a probe, since a long task runs, is asked for or waits there."""
    if sys.workers.whole[worker, at.LONGS] == 0:
        return False
    sys.counts[at.REJECTIONS] += 1
    write(sys.log, now, REJECTS, worker, job)
    return True


@kernel
def probe_by_shared_state(sys, job, rng, now):
    """The three rounds as published (READINGS 12-14): accepted in the first a probe takes one hop, later two."""
    workers, board, how = sys.workers, sys.board, sys.how
    size = workers.marks.size
    refused, freshest, row = 0, -1.0, -1
    for _ in range(probes_of(sys, job)):
        worker = draw(0, size, rng)
        sys.counts[at.PROBES] += 1
        if workers.stamp[worker] > freshest:
            freshest, row = workers.stamp[worker], workers.whole[worker, at.COPY]
        if rejects(sys, worker, job, now):
            refused += 1
        else:
            send(sys, sys.near, now + how.delay, now, worker, job, 1)
    again = 0
    for _ in range(refused):
        worker = draw_clear(board.copies[row], how.short_only, size, rng)
        if rejects(sys, worker, job, now):
            again += 1
        else:
            send(sys, sys.far, now + 2 * how.delay, now, worker, job, SECOND)
    for _ in range(again):
        send(sys, sys.far, now + 2 * how.delay, now, draw(0, how.short_only, rng), job, FALLBACK)


@kernel
def reject_probe(sys, worker, job, part, now):
    """As written: a worker sends a probe back with its copy of the vector; the scheduler keeps the freshest."""
    workers, jobs = sys.workers, sys.jobs
    if workers.stamp[worker] > jobs.real[job, at.JOB_STAMP]:
        if jobs.whole[job, at.JOB_COPY] >= 0:
            release(sys.board, jobs.whole[job, at.JOB_COPY])
        jobs.whole[job, at.JOB_COPY] = workers.whole[worker, at.COPY]
        jobs.real[job, at.JOB_STAMP] = workers.stamp[worker]
        sys.board.holders[workers.whole[worker, at.COPY]] += 1
    jobs.whole[job, at.ANSWERS] += 1
    post(sys.near, now + sys.how.delay, REJECTED, worker, job, part)


@kernel
def probe_again(sys, job, part, rng, now):
    """As written: a rejection has reached the scheduler, which sends the probe elsewhere."""
    jobs, how = sys.jobs, sys.how
    if part == 1:
        row = jobs.whole[job, at.JOB_COPY]
        worker, part = draw_clear(sys.board.copies[row], how.short_only, sys.workers.marks.size, rng), SECOND
    else:
        worker, part = draw(0, how.short_only, rng), FALLBACK
    send(sys, sys.near, now + how.delay, now, worker, job, part)
    jobs.whole[job, at.ANSWERS] -= 1
    if jobs.whole[job, at.ANSWERS] == 0:
        release(sys.board, jobs.whole[job, at.JOB_COPY])
        jobs.whole[job, at.JOB_COPY], jobs.real[job, at.JOB_STAMP] = -1, -1.0
