"""The event loop, which stops to ask for longer arrays and goes on where it stopped.

At equal times: task ends, messages of two hops, those of one, the heartbeat, submissions; each in the order
in which they were caused.
"""

from collections.abc import Callable, Sequence

import numba
import numpy as np
from numba.core import types

from schedlib.core import compiling
from schedlib.core.events import take
from schedlib.core.stopping import poll
from schedlib.core.uncounted import kernel
from schedlib.eagle import probing, systems
from schedlib.eagle.least_work import advertise, place
from schedlib.eagle.queueing.worker import finish, next_task, take_in
from schedlib.eagle.simulating import messages
from schedlib.eagle.simulating.messages import arrival, front, pass_time, write
from schedlib.eagle.simulating.state import JOB, Settings, State, initial, longer, table

DONE, REFUSED, MORE_ENTRIES, MORE_NEAR, MORE_FAR, MORE_COPIES, MORE_LOG, MORE_LINE = range(8)


@kernel
def bring(send_short, send_long, state, job, rng, now):
    """A submitted job's tasks or probes are sent to workers, in the way of its class."""
    how, is_long = state.how, state.jobs[job].long == 1
    way = how.long_way if is_long else how.short_way
    if way in (systems.LEAST_WORK, systems.OLD_NEWS):
        place(state, job, how.short_only if is_long else 0, way == systems.OLD_NEWS, rng, now)
        return
    if way in (systems.THREE_ROUNDS, systems.OLD_VECTOR):
        probing.probe_in_three_rounds(state, job, rng, now)
    elif way == systems.CLEAR:
        probing.probe_clear(state, job, rng, now)
    elif way == systems.READERS_WAY:
        probing.probe_by_reader(send_short, send_long, state, job, rng, now)
    else:
        probing.probe_anywhere(state, job, rng, now)
    state.counts[0].probes += state.jobs[job].probes


@kernel
def receive(state, kind, worker, job, detail, rng, now):
    """A message arrives; the worker that it leaves with nothing to do, or -1."""
    how = state.how
    if kind == messages.PROBE:
        if how.rejects and probing.rejects(state, worker, job, now):
            probing.reject_probe(state, worker, job, detail, now)
            return -1
        return take_in(state, worker, job, -1, now)
    if kind == messages.PLACED_TASK:
        if how.shares and state.jobs[job].long == 1:
            probing.keep_copy(state, worker, job, now)
        return take_in(state, worker, job, detail, now)
    if kind == messages.ANSWERED_VAIN:
        write(state.log, now, messages.VAIN_ANSWER, worker, job)
        state.workers[worker].long_tasks -= state.workers[worker].serves_long
        return worker
    if kind == messages.REJECTED:
        probing.probe_again(state, job, detail, rng, now)
    elif how.published and state.jobs[job].unstarted == 0:
        state.jobs[job].known = -1
    else:
        state.jobs[job].known = detail
    return -1


@kernel
def lacks(state, messages_next):
    """What must grow before the next event, which sends at most so many messages; DONE if there is room."""
    longest, log, pool = state.counts[0].longest_queue, state.log, state.pool[0]
    if state.near.messages.size < state.near.ring[0].pending + messages_next:
        return MORE_NEAR
    if state.far.messages.size < state.far.ring[0].pending + messages_next:
        return MORE_FAR
    if pool.spare < 0 and pool.used == state.entries.size:
        return MORE_ENTRIES
    if state.how.shares and state.board.status[0].spare_rows < 2:
        return MORE_COPIES
    if state.line.size < max(messages_next, longest + 1):
        return MORE_LINE
    if 0 < log.events.size < log.used[0] + 4 * messages_next + 2 * longest + 16:
        return MORE_LOG
    return DONE


def _signature():
    duration = np.zeros(1)
    duration.flags.writeable = False
    arguments = initial(Settings(), table(1, JOB), duration, 1), np.random.default_rng(0)
    parts_of_readers = map(
        compiling.function_type, (systems.SEND, systems.SEND, systems.COUNT, systems.PICK)
    )
    return types.int64(*parts_of_readers, *map(numba.typeof, arguments))


@kernel(signature=_signature())
def advance(send_short, send_long, count, pick, state, rng):
    """Simulate until all is done, a reader's choice is refused, or an array is too short: which it is."""
    jobs, clock, counts, sums = state.jobs, state.clock[0], state.counts[0], state.log.sums[0]
    while True:
        poll()
        job = clock.next_job
        submission = jobs[job].submit if job < jobs.size else np.inf
        end = state.ends.time[0] if state.ends.count[0] > 0 else np.inf
        far, near, beat = arrival(state.far), arrival(state.near), clock.next_heartbeat
        now = min(min(end, far), min(near, submission))
        if now == np.inf:
            return DONE
        now, most = min(now, beat), 4
        if submission < min(min(end, far), min(near, beat)):
            if jobs[job].probes < 0:
                probing.count_by_reader(count, state, job, rng, now)
                if state.refusal[0].what != 0:
                    return REFUSED
            most = max(most, jobs[job].probes, jobs[job].tasks)
        code = lacks(state, most)
        if code != DONE:
            return code
        clock.now = now
        counts.events += 1
        free = -1
        if end == now:
            _, free = take(state.ends)
            finish(state, free, now)
        elif far == now or near == now:
            kind, worker, about, detail = front(state.far if far == now else state.near)
            free = receive(state, kind, worker, about, detail, rng, now)
        elif beat == now:
            advertise(state, now)
            counts.heartbeats += 1
            clock.next_heartbeat = state.how.heartbeat * (
                1 + np.floor(now / state.how.heartbeat + 1e-9)
            )
        else:
            clock.next_job = job + 1
            write(state.log, now, messages.SUBMITTED, -1, job)
            bring(send_short, send_long, state, job, rng, now)
            if job + 1 == jobs.size:
                pass_time(state.log, now)
                sums.last_short, sums.last_general = sums.sum_short, sums.sum_general
        if free >= 0:
            next_task(pick, state, free, rng, now)
        if state.refusal[0].what != 0:
            return REFUSED


ROOM_OF = {
    MORE_ENTRIES: "entries",
    MORE_NEAR: "near",
    MORE_FAR: "far",
    MORE_COPIES: "board",
    MORE_LOG: "log",
    MORE_LINE: "line",
}


def run(functions: Sequence[Callable], state: State, rng: np.random.Generator) -> State:
    """The state at the end, or when a choice of a reader's `functions`, in the order of `advance`, was
    refused (`refusal`)."""
    while (code := advance(*functions, state, rng)) not in (DONE, REFUSED):
        # what needs twice the room; `advance` asks again where that is too little
        name = ROOM_OF[code]
        own = getattr(state, name)
        state = state._replace(
            **{name: longer(own) if isinstance(own, np.ndarray) else own.longer()}
        )
    return state
