"""A worker: it picks an entry, asks the job's scheduler for a task, runs it, and picks again (Eagle, Algorithm 1, lines 1-13)."""

from schedlib.core import events
from schedlib.core.uncounted import kernel
from schedlib.eagle.own import picked_by_reader
from schedlib.eagle.probing import sharing
from schedlib.eagle.queueing.queues import enqueue, remove
from schedlib.eagle.queueing.reorder import charge, shortest_job, shortest_job_as_written, shortest_task
from schedlib.eagle.queueing.stealing import steal
from schedlib.eagle.simulating import columns as at
from schedlib.eagle.simulating import messages
from schedlib.eagle.simulating.log import (
    ASKS,
    CLEARS,
    FINISHES,
    QUEUES,
    STARTS,
    VAIN_ANSWER,
    count_busy,
    write,
)
from schedlib.eagle.simulating.messages import ANSWERED_VAIN, STARTED

add, post, clear_bit = events.add, messages.post, sharing.clear_bit
FIFO, SRPT, SRPT_TASKS, OWN_PICK = range(4)


@kernel
def choose_entry(pick, sys, worker, now):
    """The entry that the worker serves next and the one in front of it, (-1, -1) when there is none."""
    queue = sys.how.queue
    if sys.workers.whole[worker, at.HEAD] < 0:
        return -1, -1
    if queue == FIFO:
        return sys.workers.whole[worker, at.HEAD], -1
    if queue == SRPT:
        return shortest_job(sys, worker, now) if sys.how.published else shortest_job_as_written(sys, worker)
    if queue == SRPT_TASKS:
        return shortest_task(sys, worker)
    return picked_by_reader(pick, sys, worker, now)


@kernel
def run(sys, worker, job, number, start, finish):
    """The task starts at `start` and will end at `finish`."""
    sys.jobs.real[job, at.FINISH] = max(sys.jobs.real[job, at.FINISH], finish)
    add(sys.ends, finish, worker)
    if sys.log.worker.size > 0:
        row = sys.jobs.whole[job, at.FIRST] + number
        sys.log.times[row, 2], sys.log.times[row, 3] = start, finish


@kernel
def serve(sys, worker, entry, before, now):
    """Ask for a task of the entry's job; a task that was sent whole (as written) starts at once."""
    how, workers, jobs, entries = sys.how, sys.workers, sys.jobs, sys.entries
    job, task = entries.whole[entry, at.OWNER], entries.whole[entry, at.TASK]
    is_long = jobs.whole[job, at.LONG]
    round_trip = 0.0 if task >= 0 and not how.published else 2 * how.delay
    workers.whole[worker, at.JOB], workers.whole[worker, at.RUNS_LONG], workers.whole[worker, at.IS_PLACED] = (
        job,
        is_long,
        task >= 0,
    )
    if task >= 0:
        workers.picked[worker], workers.picked_for[worker] = now, jobs.real[job, at.ESTIMATE]
        if workers.whole[worker, at.PLACED] == 1:
            workers.work[worker] = jobs.real[job, at.ESTIMATE]  # exactly, whatever was added and taken away before
    if round_trip > 0 or how.published or task < 0:
        sys.counts[at.REQUESTS] += 1
        write(sys.log, now, ASKS, worker, job)
    left = jobs.whole[job, at.UNSTARTED]
    if left == 0:
        sys.counts[at.VAIN] += 1
        remove(sys, worker, entry, before)
        post(sys.far, now + round_trip, ANSWERED_VAIN, worker, job, 0)
        return
    number = jobs.whole[job, at.TASKS] - left
    jobs.whole[job, at.UNSTARTED] = left - 1
    if task >= 0 and not how.published:
        number = task
    if how.queue == SRPT_TASKS or (how.queue == SRPT and is_long == 0):
        charge(sys, worker, entry, how.queue == SRPT_TASKS)
    if entries.whole[entry, at.BEHIND] == 1:
        sys.counts[at.RAN_BEHIND_LONG] += 1
    if sys.log.worker.size > 0:
        row = jobs.whole[job, at.FIRST] + number
        sys.log.worker[row] = worker
        sys.log.times[row, 0], sys.log.times[row, 1] = entries.real[entry, at.SINCE], now
    if round_trip == 0:
        write(sys.log, now, STARTS, worker, job)
    start = now + round_trip
    run(sys, worker, job, number, start, start + jobs.duration[jobs.whole[job, at.FIRST] + number])
    if how.news:
        post(sys.far, now + 2 * how.delay, STARTED, worker, job, 0)
    if task >= 0 or is_long == 1 or not how.sticky:
        remove(sys, worker, entry, before)


@kernel
def next_task(pick, sys, worker, rng, now):
    """The worker has nothing to do: it serves its queue, or steals (when a task or a request has just freed it), or is idle."""
    workers = sys.workers.whole
    freed = workers[worker, at.BUSY] == 1
    while True:
        entry, before = choose_entry(pick, sys, worker, now)
        if entry >= 0 or not (freed and sys.how.steal and workers[worker, at.HEAD] < 0 and steal(sys, worker, rng, now)):
            break
    if entry >= 0:
        if not freed:
            workers[worker, at.BUSY] = 1
            count_busy(sys.meter, now, worker, sys.how.short_only, 1)
        serve(sys, worker, entry, before, now)
    elif freed:
        workers[worker, at.BUSY] = 0
        workers[worker, at.JOB] = -1
        count_busy(sys.meter, now, worker, sys.how.short_only, -1)


@kernel
def take_in(sys, worker, job, task, now):
    """A probe, or a placed task (`task` >= 0), joins the worker's queue; the worker when it is idle, else -1."""
    workers = sys.workers.whole
    is_long = sys.jobs.whole[job, at.LONG]
    behind = is_long == 0 and workers[worker, at.LONGS] > 0
    sys.counts[at.BEHIND_LONG] += behind
    workers[worker, at.LONGS] += is_long
    enqueue(sys, worker, job, task, behind, now)
    write(sys.log, now, QUEUES, worker, job)
    return worker if workers[worker, at.BUSY] == 0 else -1


@kernel
def finish(sys, worker, now):
    """The worker's task ends."""
    workers, work = sys.workers.whole, sys.workers.work
    job = workers[worker, at.JOB]
    write(sys.log, now, FINISHES, worker, job)
    workers[worker, at.LONGS] -= workers[worker, at.RUNS_LONG]
    if workers[worker, at.IS_PLACED] == 1:
        sys.workers.picked[worker] = -1.0
        work[worker] -= sys.jobs.real[job, at.ESTIMATE]
        workers[worker, at.PLACED] -= 1
        if workers[worker, at.PLACED] == 0:
            work[worker] = 0.0
        if sys.how.shares and work[worker] == 0:
            clear_bit(sys.board, worker)
            write(sys.log, now, CLEARS, worker, job)


@kernel
def told_nothing_left(sys, worker, job, now):
    """The scheduler's answer: the job has no task left."""
    write(sys.log, now, VAIN_ANSWER, worker, job)
    sys.workers.whole[worker, at.LONGS] -= sys.workers.whole[worker, at.RUNS_LONG]
