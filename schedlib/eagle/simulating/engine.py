"""The event loop: a kernel works a slice of events at a time, and stops where an array is too short.

All that a run changes is in its `State`, so the next call goes on where the last one stopped.

At equal times: task ends, messages of two hops, those of one, the heartbeat, submissions; each in the order
in which they were caused.
"""

from collections.abc import Callable, Sequence

import numba
import numpy as np
from numba import types

from schedlib.core.arrays import grown, zeroed
from schedlib.core.events import take
from schedlib.core.running import to_the_end
from schedlib.core.uncounted import kernel
from schedlib.eagle import messages, probing, systems
from schedlib.eagle.least_work import advertise, all_sent, place, send_task
from schedlib.eagle.messages import arrival, front, pass_time, write
from schedlib.eagle.queueing.worker import finish, let_go, next_task, take_in
from schedlib.eagle.records import JOB
from schedlib.eagle.state import Settings, State, initial, refuse, seen
from schedlib.eagle.systems import Refusal, Way

PAUSED, DONE, REFUSED = range(3)
MORE_ENTRIES, MORE_NEAR, MORE_FAR, MORE_COPIES, MORE_LOG, MORE_LINE = range(3, 9)
"""Why `advance` gives back: its slice is over, all is done, a choice is refused, or something must be longer."""
ROOM_OF = {
    MORE_ENTRIES: "entries",
    MORE_NEAR: "near",
    MORE_FAR: "far",
    MORE_COPIES: "board",
    MORE_LOG: "log",
    MORE_LINE: "line",
}
"""The field of the `State` that must be longer."""
SLICE = 500_000
"""Events in a slice, which takes a fraction of a second; a call of `advance` itself takes a millisecond."""


@kernel
def send_by_reader(send_short, send_long, state, job, places, rng, now):
    """A reader's function names the worker of each probe, or placed task; one that does not exist is recorded and
    ends the run."""
    j = state.jobs[job]
    choose = send_long if j.long == 1 else send_short
    workers = state.workers.size
    line = state.line
    for number in range(j.tasks if places else j.probes):
        worker = choose(seen(state, now, line[:number]), job, number, rng)
        if worker < 0 or worker >= workers:
            refuse(state, Refusal.UNKNOWN_WORKER, worker, workers, now)
            state.refusal[0].job = job
            state.refusal[0].probe = number
            return
        line[number] = worker
        if places:
            send_task(state, job, number, worker, now)
        else:
            probing.send(state, worker, job, probing.FIRST, 1, now)
    if places:
        all_sent(state, job)


@kernel
def bring(send_short, send_long, state, job, rng, now):
    """A submitted job's tasks or probes are sent to workers, in the way of its class."""
    how = state.how
    is_long = state.jobs[job].long == 1
    way = how.long_way if is_long else how.short_way
    if way in (Way.LEAST_WORK, Way.OLD_NEWS):
        place(state, job, how.short_only if is_long else 0, way == Way.OLD_NEWS, rng, now)
        return
    if way == Way.READERS_PLACES:
        send_by_reader(send_short, send_long, state, job, True, rng, now)
        return
    if way in (Way.THREE_ROUNDS, Way.OLD_VECTOR):
        probing.probe_in_three_rounds(state, job, rng, now)
    elif way == Way.CLEAR:
        probing.probe_clear(state, job, rng, now)
    elif way == Way.READERS_PROBES:
        send_by_reader(send_short, send_long, state, job, False, rng, now)
    else:
        probing.probe_anywhere(state, job, rng, now)
    state.counts[0].probes += state.jobs[job].probes


@kernel
def receive(state, kind, worker, job, detail, rng, now):
    """A message arrives; the worker that it leaves with nothing to do, or -1, and which slot has ended, or -1."""
    how = state.how
    if kind == messages.PROBE:
        if how.rejects and probing.rejects(state, worker, job, now):
            probing.reject_probe(state, worker, job, detail, now)
            return -1, -1
        return take_in(state, worker, job, -1, now), -1
    if kind == messages.PLACED_TASK:
        if how.shares and state.jobs[job].long == 1:
            probing.keep_copy(state, worker, job, now)
        return take_in(state, worker, job, detail, now), -1
    if kind == messages.ANSWERED_VAIN:
        write(state.log, now, messages.VAIN_ANSWER, worker, job)
        return let_go(state, detail), detail
    if kind == messages.REJECTED:
        probing.probe_again(state, job, detail, rng, now)
    elif how.detail.drops_finished and state.jobs[job].unstarted == 0:
        state.jobs[job].known = -1
    else:
        state.jobs[job].known = detail
    return -1, -1


@kernel
def lacks(state, messages_next):
    """The arrays that must be longer before the next event, which sends `messages_next` at most; DONE if nothing."""
    longest = state.counts[0].longest_queue
    pool = state.pool[0]
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
    rows_next = 4 * messages_next + 2 * longest + 16
    if 0 < state.log.events.size < state.log.used[0] + rows_next:
        return MORE_LOG
    return DONE


@kernel
def beat(state, now):
    """A heartbeat, and when the next one is due."""
    interval = state.how.heartbeat
    advertise(state, now)
    state.counts[0].heartbeats += 1
    state.clock[0].next_heartbeat = interval * (1 + np.floor(now / interval + 1e-9))


@kernel
def submit(send_short, send_long, state, job, rng, now):
    """A job is submitted; after the last one the busy time so far is kept."""
    state.clock[0].next_job = job + 1
    write(state.log, now, messages.SUBMITTED, -1, job)
    bring(send_short, send_long, state, job, rng, now)
    if job + 1 == state.jobs.size:
        pass_time(state.log, now)
        sums = state.log.sums[0]
        sums.last_short = sums.sum_short
        sums.last_general = sums.sum_general


def _signature():
    jobs = zeroed(JOB, 1)
    duration = np.zeros(1)
    duration.flags.writeable = False
    state = initial(Settings(), jobs, duration, np.ones(1, np.int64))
    kinds = (systems.SEND, systems.SEND, systems.COUNT, systems.PICK)
    functions = [types.FunctionType(kind.signature) for kind in kinds]
    rng = np.random.default_rng(0)
    return types.int64(*functions, numba.typeof(state), numba.typeof(rng), types.int64)


@kernel(signature=_signature())
def advance(send_short, send_long, count, pick, state, rng, events):
    """Simulate `events` events; PAUSED, or why it stops before."""
    jobs = state.jobs  # (N,), by submission
    clock = state.clock[0]
    for _ in range(events):
        # when the next event of each kind is
        job = clock.next_job
        submission = jobs[job].submit if job < jobs.size else np.inf
        end = state.ends.time[0] if state.ends.count[0] > 0 else np.inf
        far = arrival(state.far)
        near = arrival(state.near)
        heartbeat = clock.next_heartbeat
        before_heartbeat = min(min(end, far), min(near, submission))
        if before_heartbeat == np.inf:
            return DONE
        now = min(before_heartbeat, heartbeat)
        most = 4 * state.how.slots  # messages that the event sends
        if submission < min(min(end, far), min(near, heartbeat)):
            if jobs[job].probes < 0:
                probing.count_by_reader(count, state, job, rng, now)
                if state.refusal[0].what != 0:
                    return REFUSED
            most = max(most, jobs[job].probes, jobs[job].tasks)
        code = lacks(state, most)
        if code != DONE:  # before anything is changed, so that the event can be done again
            return code
        clock.now = now
        state.counts[0].events += 1
        free = -1  # the worker that has something free now
        slot = -1  # and its slot that has just ended something
        if end == now:
            _, slot = take(state.ends)
            free = finish(state, slot, now)
        elif far == now or near == now:
            kind, worker, about, detail = front(state.far if far == now else state.near)
            free, slot = receive(state, kind, worker, about, detail, rng, now)
        elif heartbeat == now:
            beat(state, now)
        else:
            submit(send_short, send_long, state, job, rng, now)
        if free >= 0:
            next_task(pick, state, free, slot, rng, now)
        if state.refusal[0].what != 0:
            return REFUSED
    return PAUSED


def with_room(state: State, name: str) -> State:
    """The same state with twice the room in one field; `advance` asks again where that is too little."""
    field = getattr(state, name)
    longer = grown(field, 2 * len(field)) if isinstance(field, np.ndarray) else field.longer()
    return state._replace(**{name: longer})


def run(functions: Sequence[Callable], state: State, rng: np.random.Generator) -> State:
    """The state at the end, or when a choice of a reader's `functions`, in the order of `advance`, was
    refused (`refusal`)."""

    def advance_a_slice() -> float:
        nonlocal state
        code = advance(*functions, state, rng, SLICE)
        if code in (DONE, REFUSED):
            return 1.0
        if code in ROOM_OF:
            state = with_room(state, ROOM_OF[code])
        submitted = state.clock[0].next_job / len(state.jobs)
        return min(submitted, 0.99)  # jobs still run after the last submission

    to_the_end(advance_a_slice, "eagle.simulate")
    return state
