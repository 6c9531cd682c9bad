"""The event loop. At equal times: task ends, then messages of two hops, then those of one, then the heartbeat, then submissions; each in
the order in which they were caused.

`advance` stops to ask for longer arrays and goes on where it stopped.
"""

import numba
import numpy as np
from numba.core import types

from schedlib.core import compiling, events
from schedlib.core.uncounted import kernel
from schedlib.eagle.central import least_work
from schedlib.eagle.own import PICK, SEND, seen
from schedlib.eagle.probing import probes as probing
from schedlib.eagle.probing import sharing
from schedlib.eagle.queueing.queues import no_entry_left
from schedlib.eagle.queueing.worker import finish, next_task, take_in, told_nothing_left
from schedlib.eagle.simulating import columns as at
from schedlib.eagle.simulating import messages
from schedlib.eagle.simulating.log import MARKS, SENT, SUBMITTED, pass_time, write
from schedlib.eagle.simulating.messages import ANSWERED_VAIN, PLACED_TASK, PROBE, REJECTED
from schedlib.eagle.simulating.state import Jobs, Settings, system

take = events.take
arrival, front, post, room_in = messages.arrival, messages.front, messages.post, messages.room_in
hold, release, set_bit = sharing.hold, sharing.release, sharing.set_bit
BY_PROBES, BY_SHARED_STATE, BY_CLEAR_BITS, BY_LEAST_WORK, BY_OLD_NEWS, BY_READER = range(6)
DONE, MORE_ENTRIES, MORE_NEAR, MORE_FAR, MORE_COPIES, MORE_LOG, MORE_LINE, BAD_WORKER, BAD_PLACE = range(9)
NOW, NEXT_HEARTBEAT, NEXT_JOB = range(3)


@kernel
def place(sys, job, low, stale, rng, now):
    """A centre (or, with `stale` news, a distributed scheduler) places all tasks of a job, workers from `low` on."""
    tasks, estimate = sys.jobs.whole[job, at.TASKS], sys.jobs.real[job, at.ESTIMATE]
    marks = sys.how.shares and sys.jobs.whole[job, at.LONG] == 1
    least_work.choose_workers(sys, job, low, tasks, stale, rng, now)
    for task in range(tasks):
        worker = sys.choices.line[task]
        sys.workers.work[worker] += estimate
        sys.workers.whole[worker, at.PLACED] += 1
        if marks:
            set_bit(sys.board, worker)
            write(sys.log, now, MARKS, worker, job)
        write(sys.log, now, SENT, worker, job)
        post(sys.near, now + sys.how.delay, PLACED_TASK, worker, job, task)
    sys.counts[at.PLACEMENTS] += tasks
    if marks and not sys.how.published:
        sys.jobs.whole[job, at.JOB_COPY] = hold(sys.board, tasks)


@kernel
def keep_copy(sys, worker, job, now):
    """The long task that has reached a worker brings a copy of the bit vector; the last one replaces those before."""
    workers = sys.workers
    if workers.whole[worker, at.COPY] >= 0:
        release(sys.board, workers.whole[worker, at.COPY])
    if sys.how.published:
        workers.whole[worker, at.COPY], workers.stamp[worker] = hold(sys.board, 1), now
    else:
        workers.whole[worker, at.COPY], workers.stamp[worker] = (
            sys.jobs.whole[job, at.JOB_COPY],
            sys.jobs.real[job, at.SUBMIT],
        )


@kernel
def submit(send, sys, job, rng, now):
    """A job is submitted; False when a reader's part names a worker that there is not."""
    write(sys.log, now, SUBMITTED, -1, job)
    is_long = sys.jobs.whole[job, at.LONG] == 1
    part = sys.how.long_part if is_long else sys.how.short_part
    low = sys.how.short_only if is_long else 0
    if part in (BY_LEAST_WORK, BY_OLD_NEWS):
        place(sys, job, low, part == BY_OLD_NEWS, rng, now)
    elif part == BY_SHARED_STATE and sys.how.published:
        probing.probe_by_shared_state(sys, job, rng, now)
    elif part == BY_CLEAR_BITS:
        probing.probe_clear(sys, job, rng, now)
    elif part == BY_READER:
        for probe in range(probing.probes_of(sys, job)):
            worker = send(seen(sys, now), job, probe, rng)
            if worker < 0 or worker >= sys.workers.marks.size:
                sys.counts[at.REFUSED] = 1 + job
                return False
            probing.send(sys, sys.near, now + sys.how.delay, now, worker, job, 1)
            sys.counts[at.PROBES] += 1
    else:
        probing.probe_anywhere(sys, job, rng, now)
    return True


@kernel
def receive(sys, kind, worker, job, part, rng, now):
    """A message arrives; the worker that it leaves with nothing to do, or -1."""
    if kind == PROBE:
        messages_only = sys.how.short_part == BY_SHARED_STATE and not sys.how.published
        if messages_only and probing.rejects(sys, worker, job, now):
            probing.reject_probe(sys, worker, job, part, now)
            return -1
        return take_in(sys, worker, job, -1, now)
    if kind == PLACED_TASK:
        if sys.how.shares and sys.jobs.whole[job, at.LONG] == 1:
            keep_copy(sys, worker, job, now)
        return take_in(sys, worker, job, part, now)
    if kind == ANSWERED_VAIN:
        told_nothing_left(sys, worker, job, now)
        return worker
    if kind == REJECTED:
        probing.probe_again(sys, job, part, rng, now)
    elif sys.how.published and sys.jobs.whole[job, at.UNSTARTED] == 0:
        sys.jobs.whole[job, at.KNOWN] = -1
    else:
        sys.jobs.whole[job, at.KNOWN] -= 1
    return -1


@kernel
def lacks(sys, messages_next):
    """What must grow before the next event, which sends at most so many messages; DONE when there is room for all."""
    if room_in(sys.near) < messages_next:
        return MORE_NEAR
    if room_in(sys.far) < messages_next:
        return MORE_FAR
    if no_entry_left(sys.entries):
        return MORE_ENTRIES
    if sys.how.shares and sys.board.state[2] < 2:
        return MORE_COPIES
    if sys.choices.line.size < max(messages_next, sys.counts[at.LONGEST] + 1):
        return MORE_LINE
    if 0 < sys.log.time.size < sys.log.used[0] + 4 * messages_next + 2 * sys.counts[at.LONGEST] + 16:
        return MORE_LOG
    return DONE


def _advance(send, pick, sys, rng):
    jobs, clock = sys.jobs, sys.clock
    while True:
        job = int(clock[NEXT_JOB])
        last = job == jobs.whole.shape[0]
        submission = np.inf if last else jobs.real[job, at.SUBMIT]
        end = sys.ends.time[0] if sys.ends.count[0] > 0 else np.inf
        far, near, beat = arrival(sys.far), arrival(sys.near), clock[NEXT_HEARTBEAT]
        now = min(min(end, far), min(near, submission))
        if now == np.inf:
            return DONE
        now = min(now, beat)
        most = 4
        if submission == now:
            most = max(most, probing.probes_of(sys, job), jobs.whole[job, at.TASKS])
        code = lacks(sys, most)
        if code != DONE:
            return code
        clock[NOW] = now
        sys.counts[at.EVENTS] += 1
        free = -1
        if end == now:
            _, free = take(sys.ends)
            finish(sys, free, now)
        elif far == now or near == now:
            kind, worker, about, part = front(sys.far if far == now else sys.near)
            free = receive(sys, kind, worker, about, part, rng, now)
        elif beat == now:
            least_work.advertise(sys, now)
            sys.counts[at.HEARTBEATS] += 1
            clock[NEXT_HEARTBEAT] = sys.how.heartbeat * (1 + np.floor(now / sys.how.heartbeat + 1e-9))
        else:
            clock[NEXT_JOB] = job + 1
            if not submit(send, sys, job, rng, now):
                return BAD_WORKER
            if job + 1 == jobs.whole.shape[0]:
                pass_time(sys.meter, now)
                sys.meter.at_last[0], sys.meter.at_last[1] = sys.meter.state[4], sys.meter.state[5]
        if free >= 0:
            next_task(pick, sys, free, rng, now)
            if sys.counts[at.REFUSED] > 0:
                return BAD_PLACE


def _signature():
    duration = np.zeros(1)
    duration.flags.writeable = False
    jobs = Jobs(np.zeros((1, 7), np.int64), np.zeros((1, 4)), duration)
    how = Settings(0, 0, 0, False, False, False, False, False, False, 0, 0, 0.0, 0.0, 0.0, 0.0)
    arguments = [numba.typeof(value) for value in (system(how, jobs, 1), np.random.default_rng(0))]
    return types.int64(compiling.function_type(SEND), compiling.function_type(PICK), *arguments)


advance = kernel(signature=_signature())(_advance)
