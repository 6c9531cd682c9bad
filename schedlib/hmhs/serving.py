"""The kernel behind `arrivals.serve`: two-stage jobs that arrive over time, on machines with two slots each.

A machine has a slot for maps and another for reduces. The reduces of a job become ready when its last map has
ended. A free slot takes a task of the waiting job with the least key; ties go to the first in the policy's
order. A policy is such a key (`fair` and others below) or a reader's rule. A task whose input is on its machine
is local; a job may let slots pass for `delay` that are not (Zaharia et al., EuroSys 2010, Algorithm 2). Equal
times: tasks end, jobs become ready, then slots are filled.
"""

from typing import NamedTuple

import numba
import numpy as np
from numba import types

from schedlib.core.arrays import zeroed
from schedlib.core.checks import frozen
from schedlib.core.rules import FLOAT_ROWS, FLOATS, INTS, RNG, RuleKind
from schedlib.core.uncounted import kernel
from schedlib.hmhs import list_scheduling
from schedlib.hmhs.list_scheduling import RULE, SIDE, Line, ask, insert, line_of, waits
from schedlib.hmhs.model import Side, Stage

QUEUES = 4  # of the policy "capacity"
JOB = np.dtype(
    [
        ("queue", "i8"),  # its queue under "capacity"
        ("running", "i8"),  # tasks that run
        (
            "low",
            "i8",
        ),  # its tasks are numbered from `low` to `stop`; those before `low` have started
        ("stop", "i8"),
        ("unplaced", "i8"),  # tasks that Min-Min has yet to place
        ("passed", "i8"),  # the last offer of a slot that the job has let pass
        ("since", "f8"),  # since when the job waits for a local slot; inf: it does not
        ("unit", "f8"),  # time of a task on a machine of factor 1
        ("rest", "f8"),  # estimated work in the next stage
        ("shuffle", "f8"),  # the time in which a task copies its input before it works
    ],
    align=True,
)
SLOT = np.dtype(
    [
        ("job", "i8"),  # the job whose task runs there
        ("rank", "i8"),  # where the job that Min-Min tries next is in `State.quickest`
        ("free", "f8"),  # when the tasks that Min-Min has placed there end
    ],
    align=True,
)
CLOCK = np.dtype(
    [
        ("stale", "i8"),  # whether a job has become ready since Min-Min placed the tasks
        ("begun", "i8"),  # tasks that have started
        ("local", "i8"),  # tasks that started where their input is
        ("offer", "i8"),  # offers of a slot
        ("wake", "f8"),  # when a job stops waiting for a local slot, or a rule asks again
        ("machine", "i8"),  # the machine for which a rule chose a job that does not wait; -1: none
        ("job", "i8"),  # that job
    ],
    align=True,
)
KEY = RuleKind({"running": 0, "used": 0, "work": 0.0, "place": 0.0}, "key", 0.0)
"""A policy's key of a waiting job for a slot, the least first: of the tasks that it runs, the slots that its queue uses,
its estimated work left, and its place in HMHS's order, infinite where Min-Min has placed no task of it on the machine."""


@KEY
def first_submitted(running, used, work, place):
    """FIFO."""
    return 0.0


@KEY
def fair(running, used, work, place):
    """The job that runs the fewest tasks of this stage (Zaharia et al., EuroSys 2010, Algorithm 1)."""
    return float(running)


@KEY
def capacity(running, used, work, place):
    """The queue that runs the fewest tasks of this stage."""
    return float(used)


@KEY
def shortest(running, used, work, place):
    """The least estimated work left."""
    return work


@KEY
def as_placed(running, used, work, place):
    """HMHS: of the jobs that Min-Min has placed on the machine, the first in order."""
    return place


class State(NamedTuple):
    """One stage as it runs."""

    own: bool  # a reader's rule chooses
    places: bool  # Min-Min places all waiting tasks whenever a job becomes ready
    delay: float
    clock: np.recarray  # (1,) of `CLOCK`
    line: Line
    jobs: np.recarray  # (N,) of `JOB`
    slots: np.recarray  # (M,) of `SLOT`
    finish: np.ndarray  # (M,) when a slot's task ends; inf: the slot is idle
    prefer: np.ndarray  # (N, M) the place in HMHS's order, finite
    quickest: np.ndarray  # (M, N) the jobs by their time on each machine
    remote: np.ndarray  # (N, M) time of a task whose input is elsewhere
    inputs: np.ndarray  # (T, R) the machines that hold a task's input
    used: np.ndarray  # (Q,) slots in use by each queue
    placed: np.ndarray  # (N, M) tasks placed on each machine and not started
    started: np.ndarray  # (T,)
    tasks: Stage  # in order of start


def state_of(
    side: Side,
    order: np.ndarray,
    rng: np.random.Generator,
    *,
    inputs: np.ndarray,
    prefer: np.ndarray,
    own: bool = False,
    places: bool = False,
    delay: float = 0.0,
    remote: float = 1.0,
    **known: np.ndarray,
) -> State:
    """A stage before its first job is ready.

    `order (N,)`: the jobs; `prefer`: (N, M) or (N, 1); `remote`: the factor by which a task takes longer where
    its input is not; `known`: fields of `JOB`. The rest is as in `State`.
    """
    n, m = side.speed.shape
    total = len(inputs)
    jobs = zeroed(JOB, n)
    jobs.stop = np.cumsum(side.tasks)
    jobs.low = jobs.stop - side.tasks
    jobs.since = np.inf
    jobs.unit = side.unit
    for name, values in known.items():
        jobs[name] = values
    clock = zeroed(CLOCK, 1)
    clock.wake = np.inf
    clock.machine = -1
    return State(
        own=own,
        places=places,
        delay=delay,
        clock=clock,
        line=line_of(side, order, np.full(n, np.inf), rng),
        jobs=jobs,
        slots=zeroed(SLOT, m),
        finish=np.full(m, np.inf),
        prefer=frozen(np.broadcast_to(prefer, (n, m))),
        quickest=side.quickest,
        remote=side.unit[:, None] * (side.speed * remote),
        inputs=inputs,
        used=np.zeros(QUEUES, np.int64),
        placed=np.zeros((n, m), np.int64),
        started=np.zeros(total, np.bool_),
        tasks=Stage.empty(total),
    )


def _signature():
    inputs = np.zeros((8, 1), np.int64)
    state = numba.typeof(state_of(SIDE, INTS.copy(), RNG, inputs=inputs, prefer=FLOAT_ROWS))
    key = types.FunctionType(KEY.signature)
    rule = types.FunctionType(RULE)
    return types.float64(key, rule, rule, numba.typeof(FLOATS), state, state)


@kernel(signature=_signature())
def serve(key, map_rule, reduce_rule, submit, maps, reduces):
    """Serve all jobs, submitted at `submit (N,)`, event by event; gives the time of the last event.

    Ends early at a rule's wrong choice, and where all slots wait for ever.
    """
    arrived = 0
    now = 0.0
    while maps.clock[0].machine < 0 and reduces.clock[0].machine < 0:
        soonest = min(next_event(maps), next_event(reduces))
        if arrived < submit.size:
            soonest = min(soonest, submit[arrived])
        if soonest == np.inf:
            break
        now = soonest
        end_tasks(maps, reduces, now)
        end_tasks(reduces, reduces, now)
        while arrived < submit.size and submit[arrived] <= now:
            become_ready(maps if maps.line.left[arrived] > 0 else reduces, arrived, now)
            arrived += 1
        fill_slots(key, map_rule, maps, now)
        fill_slots(key, reduce_rule, reduces, now)
    return now


@kernel
def next_event(state):
    """When a task of a stage ends, or a wait for a local slot or of a rule is over; inf: never."""
    soonest = state.clock[0].wake
    for finish in state.finish:
        soonest = min(soonest, finish)
    return soonest


@kernel
def end_tasks(state, following, now):
    """Free the slots whose tasks end by now; a job of which this was the last may start the following stage."""
    line = state.line
    for machine in range(state.finish.size):
        if state.finish[machine] > now:
            continue
        state.finish[machine] = np.inf
        line.free[machine] = now
        number = state.slots[machine].job
        job = state.jobs[number]
        state.used[job.queue] -= 1
        job.running -= 1
        if job.running == 0 and line.left[number] == 0:
            become_ready(following, number, now)


@kernel
def become_ready(state, job, now):
    """A job's tasks of a stage, if any are left, may start from now on."""
    if state.line.left[job] > 0:
        state.line.ready[job] = now
        insert(state.line, job)
        state.clock[0].stale = 1


@kernel
def place(state, now):
    """Min-Min over all waiting tasks, from the times at which slots are believed to be free.

    As in `min_min`, a machine's best candidate is its quickest job; ties go to the smaller machine.
    """
    line = state.line
    jobs = state.jobs
    slots = state.slots
    total = 0
    for job in line.queue[: line.length[0]]:
        jobs[job].unplaced = line.left[job]
        total += line.left[job]
        state.placed[job] = 0
    for machine in range(slots.size):
        slots[machine].rank = 0
        slots[machine].free = max(now, line.free[machine])
    for _ in range(total):
        soonest = -1
        least = np.inf
        for machine in range(slots.size):
            slot = slots[machine]
            while jobs[state.quickest[machine, slot.rank]].unplaced == 0:
                slot.rank += 1
            end = slot.free + line.time[state.quickest[machine, slot.rank], machine]
            if end < least:
                soonest = machine
                least = end
        job = state.quickest[soonest, slots[soonest].rank]
        slots[soonest].free = least
        state.placed[job, soonest] += 1
        jobs[job].unplaced -= 1
    state.clock[0].stale = 0


@kernel
def fill_slots(key, choose, state, now):
    """Offer each idle slot, by the machines' numbers, and start a task of the job that is chosen.

    When a job has its last task started, the slots that are left are offered again.
    """
    clock = state.clock[0]
    line = state.line
    if clock.wake <= now:
        clock.wake = np.inf
    if state.places and clock.stale:
        place(state, now)
    line.wake[0] = np.inf
    asking = True
    while asking:
        asking = False
        for machine in range(state.finish.size):
            if line.length[0] == 0:
                break
            if state.finish[machine] < np.inf:
                continue
            job = ask(choose, line, machine, now) if state.own else least(key, state, machine, now)
            if job == -1:
                continue
            if not waits(line, job, now):
                clock.machine = machine
                clock.job = job
                return
            asking |= start(state, job, machine, now)
    if line.wake[0] > now:
        clock.wake = min(clock.wake, line.wake[0])


@kernel
def least(key, state, machine, now):
    """The waiting job with the least key for a free slot, or -1.

    A job whose input is elsewhere lets the slot pass until it has waited `delay`; then the next job is asked.
    """
    clock = state.clock[0]
    line = state.line
    clock.offer += 1
    while True:
        chosen = -1
        lowest = np.inf
        for number in line.queue[: line.length[0]]:
            job = state.jobs[number]
            work = line.left[number] * job.unit + job.rest
            place = np.inf
            if state.placed[number, machine] > 0:
                place = state.prefer[number, machine]
            value = key(job.running, state.used[job.queue], work, place)
            if value < lowest and job.passed < clock.offer:
                chosen = number
                lowest = value
        if chosen < 0 or state.delay == 0:
            return chosen
        job = state.jobs[chosen]
        if local_task(state, job, machine) >= 0:
            job.since = np.inf
            return chosen
        job.since = min(job.since, now)
        until = job.since + state.delay
        if now >= until:
            return chosen
        job.passed = clock.offer
        clock.wake = min(clock.wake, until)


@kernel
def local_task(state, job, machine):
    """The first unstarted task of a job whose input is on the machine, or -1."""
    for task in range(job.low, job.stop):
        if not state.started[task]:
            for holder in state.inputs[task]:
                if holder == machine:
                    return task
    return -1


@kernel
def start(state, number, machine, now):
    """Start a task of a job: one whose input is on the machine, or else its first. Whether it was the last to start."""
    clock = state.clock[0]
    line = state.line
    job = state.jobs[number]
    while state.started[job.low]:
        job.low += 1
    task = local_task(state, job, machine)
    takes = line.time[number, machine]
    line.free[machine] = now + takes  # a policy does not know that the input is elsewhere
    if task < 0:
        task = job.low
        takes = state.remote[number, machine]
    else:
        clock.local += 1
    state.started[task] = True
    state.slots[machine].job = number
    state.used[job.queue] += 1
    job.running += 1
    state.placed[number, machine] -= 1
    finish = now + job.shuffle + takes
    state.finish[machine] = finish
    clock.begun += 1
    return list_scheduling.start(line, state.tasks, clock.begun - 1, number, machine, now, finish)
