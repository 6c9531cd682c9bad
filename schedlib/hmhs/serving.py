"""The kernel behind `arrivals.serve`: two-stage jobs that arrive over time, on machines with two slots each.

Every machine runs one map and one reduce task at a time. Whenever a slot is free a policy names a job:

- FIFO: the first submitted
- FAIR: the one with the fewest tasks running in this stage (Zaharia et al., EuroSys 2010, Algorithm 1)
- CAPACITY: the first submitted of the queue that runs the fewest tasks
- SHORTEST: the one with the least estimated work left
- OWN: what a reader's `hmhs.Policy` says, by a rule for each stage
- HMHS: Min-Min places all waiting tasks again whenever a job arrives (or its reduces become ready); a machine
  runs its maps in the order of Pri and its reduces quickest first

Ties go to the job submitted first. A map task whose input lies on its machine is local; FAIR may let a job
wait `delay` for such a slot (their Algorithm 2). Equal times: tasks end, jobs arrive, then slots are filled.
"""

from typing import Any, NamedTuple

import numba
import numpy as np
from numba import types

from schedlib.core.heap import pop, push
from schedlib.core.rules import read_only
from schedlib.core.uncounted import kernel
from schedlib.hmhs.list_scheduling import RULE, Waiting

FIFO, FAIR, CAPACITY, SHORTEST, HMHS, OWN = range(6)
MAP, REDUCE = 0, 1

JOB = np.dtype(
    [
        ("submit", "f8"),
        ("shuffle", "f8"),  # what a reduce task needs to copy its input
        ("priority", "f8"),  # Pri
        ("queue", "i8"),
        ("map_end", "f8"),
        ("job_end", "f8"),
        ("skipped", "f8"),  # since when it waits for a local slot; inf: it does not
        ("tried", "i8"),  # the last slot offer that it has let pass
        ("low", "i8"),  # no map task before it is unstarted
    ]
)
WORK = np.dtype(
    [
        ("tasks", "i8"),
        ("time", "f8"),  # of one task, without copying
        ("left", "i8"),  # tasks not started
        ("unfinished", "i8"),  # tasks not ended
        ("running", "i8"),
        ("unplaced", "i8"),  # HMHS: tasks that Min-Min has yet to place
    ]
)
"""A job in one of the stages."""
SLOT = np.dtype(
    [
        ("idle", "i8"),
        ("job", "i8"),  # that it runs
        ("believed", "f8"),  # HMHS: when it is believed to be free
    ]
)
MACHINE = np.dtype(
    [
        ("best", "i8"),  # the job that takes least there
        ("free", "f8"),
        ("end", "f8"),  # of the best job's next task
    ]
)
"""A machine while Min-Min places tasks on it."""
LINE = np.dtype(
    [
        ("length", "i8"),  # jobs that wait in it
        ("begun", "i8"),  # tasks that have started
        ("stale", "i8"),  # whether a job has entered since HMHS placed the tasks
    ]
)
TASK = np.dtype(
    [
        ("job", "i8"),
        ("machine", "i8"),
        ("start", "f8"),
        ("finish", "f8"),
        ("local", "i8"),  # a map: whether its input lies on its machine
    ]
)
CLOCK = np.dtype(
    [
        ("ends", "i8"),  # tasks that run to a known end
        ("arrived", "i8"),  # jobs
        ("offer", "i8"),  # offers of a slot
        ("wake", "f8"),  # when a job stops waiting for a local slot
    ]
)


class Rules(NamedTuple):
    """The policy and the cluster's settings."""

    policy: int
    delay: float
    remote: float  # by which factor a map takes longer where its input is not


class Own(NamedTuple):
    """What a reader's rules are shown; of no jobs under a shipped policy. The first axis is the stage."""

    order: np.ndarray  # (N,) all jobs in the policy's order
    rank: np.ndarray  # (N,) each job's place in it
    queue: np.ndarray  # (2, N) the jobs that wait, as in `State.waiting`, but in this order
    left: np.ndarray  # (2, N) tasks not started
    ready: np.ndarray  # (2, N) when a job's tasks may start; inf: not known yet
    time: np.ndarray  # (2, N, M) of a task
    free: np.ndarray  # (2, M) when each slot is believed to be free
    notes: np.ndarray  # (2, N, 4)
    machine_notes: np.ndarray  # (2, M, 4)
    wake: np.ndarray  # (2, 1)
    # (3,) the first choice that was none: 1 + stage (0: all were right), machine, job
    refused: np.ndarray


def own(order: np.ndarray, submit: np.ndarray, tasks: np.ndarray, time: np.ndarray) -> Own:
    """What rules are shown before the first job arrives; the arguments as in `Own`.

    >>> own(np.arange(2), np.zeros(2), np.ones((2, 2)), np.ones((2, 2, 3))).free.shape
    (2, 3)
    """
    _, jobs, machines = time.shape
    return Own(
        order=order,
        rank=np.argsort(order),
        queue=np.zeros((2, jobs), np.int64),
        left=tasks.astype(np.int64),
        ready=np.stack([submit, np.full(jobs, np.inf)]),
        time=time,
        free=np.zeros((2, machines)),
        notes=np.zeros((2, jobs, 4)),
        machine_notes=np.zeros((2, machines, 4)),
        wake=np.full((2, 1), np.inf),
        refused=np.zeros(3, np.int64),
    )


NOTHING = own(np.zeros(0, np.int64), np.zeros(0), np.zeros((2, 0)), np.zeros((2, 0, 0)))


class State(NamedTuple):
    """All that is known and all that changes; where the first axis is 2 it is the stage."""

    rules: Rules
    clock: np.recarray  # (1,) of `CLOCK`
    jobs: np.recarray  # (N,) of `JOB`
    work: np.recarray  # (2, N) of `WORK`
    slots: np.recarray  # (2, M) of `SLOT`
    lines: np.recarray  # (2,) of `LINE`
    waiting: np.ndarray  # (2, N) the jobs with tasks that may start, in order of submission
    used: np.ndarray  # (2, Q) slots in use by each queue
    planned: np.ndarray  # (2, N, M) HMHS: tasks placed on each machine and not started
    machines: np.recarray  # (M,) of `MACHINE`
    speed: np.ndarray  # (2, N, M) the machines' factors
    head: np.ndarray  # (N, M) the first unlooked-at input of a job on a machine, -1 for none
    following: np.ndarray  # (T, R) the next one, by number in this table
    started: np.ndarray  # (T,) map tasks, those of a job together
    maps: np.recarray  # (T,) of `TASK`, in order of start
    reduces: np.recarray  # of `TASK`, in order of start
    end: np.ndarray  # (2M + 2,) heap: when running tasks end
    slot: np.ndarray  # (2M + 2,) and in which slot, stage * M + machine
    own: Own


def records(shape: tuple[int, ...], kind: np.dtype, **fields: Any) -> np.recarray:
    """Records of zeros, except in these fields.

    >>> records((2,), SLOT, idle=1).idle.tolist()
    [1, 1]
    """
    made = np.zeros(shape, kind).view(np.recarray)
    for name, values in fields.items():
        made[name] = values
    return made


def initial(
    rules: Rules,
    jobs: np.recarray,
    work: np.recarray,
    queues: int,
    speed: np.ndarray,
    inputs: np.ndarray,
    shown: Own = NOTHING,
) -> State:
    """The state before the first job arrives.

    `inputs (T, R)`: the machines that hold a map task's input, for `list_inputs` to chain; the rest as in `State`.
    """
    _, n, m = speed.shape
    return State(
        rules=rules,
        clock=records((1,), CLOCK, wake=np.inf),
        jobs=jobs,
        work=work,
        slots=records((2, m), SLOT, idle=1),
        lines=records((2,), LINE),
        waiting=np.empty((2, n), np.int64),
        used=np.zeros((2, queues), np.int64),
        planned=np.zeros((2, n, m), np.int32),
        machines=records((m,), MACHINE),
        speed=speed,
        head=np.full((n, m), -1),
        following=np.empty(inputs.shape, np.int64),
        started=np.zeros(len(inputs), np.bool_),
        maps=records((len(inputs),), TASK),
        reduces=records((work.tasks[REDUCE].sum(),), TASK),
        end=np.empty(2 * m + 2),
        slot=np.empty(2 * m + 2, np.int64),
        own=shown,
    )


@kernel
def list_inputs(jobs, work, inputs, head, following):
    """Chain the inputs of each job on each machine, those of its first tasks first."""
    task, replicas = inputs.shape
    for job in range(jobs.size - 1, -1, -1):
        for _ in range(work[MAP, job].tasks):
            task -= 1
            for r in range(replicas):
                machine = inputs[task, r]
                following[task, r] = head[job, machine]
                head[job, machine] = task * replicas + r
        jobs[job].low = task


def _signature():
    none = records((0,), JOB)
    rules = Rules(policy=FIFO, delay=0.0, remote=1.0)
    nowhere = np.zeros((0, 1), np.int64)
    state = initial(rules, none, records((2, 0), WORK), 1, np.zeros((2, 0, 0)), nowhere)
    rule = types.FunctionType(RULE)
    rng = numba.typeof(np.random.default_rng(0))
    return types.void(rule, rule, numba.typeof(state), rng, rng)


@kernel(signature=_signature())
def serve(map_rule, reduce_rule, state, map_rng, reduce_rng):
    """Serve all jobs, event by event; a reader's rules end it with a choice that is none, or when all wait."""
    while state.own.refused[0] == 0:
        now = next_event(state.clock[0], state.jobs, state.end)
        if now == np.inf:
            break
        end_tasks(state, now)
        admit_jobs(state, now)
        for stage in range(2):
            if state.rules.policy == HMHS and state.lines[stage].stale:
                place(state, stage, now)
            state.lines[stage].stale = 0
            if state.rules.policy != OWN:
                fill_slots(state, stage, now)
            elif stage == MAP:
                fill_by_reader(map_rule, state, stage, map_rng, now)
            else:
                fill_by_reader(reduce_rule, state, stage, reduce_rng, now)


@kernel
def next_event(clock, jobs, end):
    """When a task ends, a job arrives or a job has waited long enough for a local slot; inf: all is done."""
    now = clock.wake
    if clock.ends > 0:
        now = min(now, end[0])
    if clock.arrived < jobs.size:
        now = min(now, jobs[clock.arrived].submit)
    if clock.wake <= now:
        clock.wake = np.inf
    return now


@kernel
def end_tasks(state, now):
    """Free the slots whose tasks end by now."""
    clock = state.clock[0]
    m = state.machines.size
    while clock.ends > 0 and state.end[0] <= now:
        stage = state.slot[0] // m
        machine = state.slot[0] % m
        clock.ends = pop(state.end, state.slot, clock.ends)
        slot = state.slots[stage, machine]
        slot.idle = 1
        slot.believed = now
        job = slot.job
        state.used[stage, state.jobs[job].queue] -= 1
        work = state.work[stage, job]
        work.running -= 1
        work.unfinished -= 1
        if stage == MAP:
            end_map(state, job, now)
        elif work.unfinished == 0:
            state.jobs[job].job_end = now


@kernel
def end_map(state, job, now):
    """What the end of one of its maps means for a job."""
    maps = state.work[MAP, job]
    reduces = state.work[REDUCE, job]
    if maps.unfinished > 0:
        return
    state.jobs[job].map_end = now
    if reduces.tasks > 0:
        become_ready(state, REDUCE, job, now)
    else:
        state.jobs[job].job_end = now


@kernel
def become_ready(state, stage, job, now):
    """A job's tasks of a stage may start from now on."""
    own = state.own
    line = state.lines[stage]
    if state.rules.policy == OWN:
        own.ready[stage, job] = now
        queue = own.queue[stage]
        place = line.length
        while place > 0 and own.rank[queue[place - 1]] > own.rank[job]:
            queue[place] = queue[place - 1]
            place -= 1
        queue[place] = job
    enter(line, state.waiting[stage], job)


@kernel
def run_until(state, end, slot):
    """Note when the task in a slot ends."""
    clock = state.clock[0]
    clock.ends = push(state.end, state.slot, clock.ends, end, slot)


@kernel
def admit_jobs(state, now):
    """Let in the jobs that have been submitted by now."""
    clock = state.clock[0]
    while clock.arrived < state.jobs.size and state.jobs[clock.arrived].submit <= now:
        job = clock.arrived
        clock.arrived += 1
        maps = state.work[MAP, job].tasks
        reduces = state.work[REDUCE, job].tasks
        if maps > 0:
            become_ready(state, MAP, job, now)
        else:
            state.jobs[job].map_end = now
        if reduces > 0 and maps == 0:
            become_ready(state, REDUCE, job, now)
        if maps + reduces == 0:
            state.jobs[job].job_end = now


@kernel
def enter(line, waiting, job):
    """Let a job's tasks of a stage start from now on; the job takes its place by number."""
    k = line.length
    while k > 0 and waiting[k - 1] > job:
        waiting[k] = waiting[k - 1]
        k -= 1
    waiting[k] = job
    line.length += 1
    line.stale = 1


@kernel
def leave(line, waiting, job):
    """Take out a job whose last task has started."""
    line.length -= 1
    close_gap(waiting, line.length, job)


@kernel
def close_gap(waiting, length, job):
    """The `length` jobs that wait beside this one move up."""
    k = 0
    while waiting[k] != job:
        k += 1
    for later in range(k, length):
        waiting[later] = waiting[later + 1]


@kernel
def place(state, stage, now):
    """Min-Min over all waiting tasks of a stage, from the times at which slots are believed to be free."""
    queue = state.waiting[stage, : state.lines[stage].length]
    speed = state.speed[stage]
    time = state.work[stage].time
    unplaced = state.work[stage].unplaced
    machines = state.machines
    total = 0
    for job in queue:
        unplaced[job] = state.work[stage, job].left
        total += unplaced[job]
        state.planned[stage, job] = 0
    for j in range(machines.size):
        machines[j].best = -1
        machines[j].free = max(now, state.slots[stage, j].believed)
    gone = -1  # the job whose last task has just been placed: its machines look for another
    for _ in range(total):
        soonest = -1
        for j in range(machines.size):
            this = machines[j]
            if this.best == gone:
                this.best = quickest(queue, unplaced, time, speed[:, j])
                this.end = this.free + time[this.best] * speed[this.best, j]
            if soonest < 0 or this.end < machines[soonest].end:
                soonest = j
        chosen = machines[soonest]
        job = chosen.best
        state.planned[stage, job, soonest] += 1
        chosen.free = chosen.end
        chosen.end += time[job] * speed[job, soonest]
        unplaced[job] -= 1
        gone = job if unplaced[job] == 0 else -2


@kernel
def quickest(queue, left, time, speed):
    """The first job in the queue with a task left that takes least at these factors (N,); -1 for none."""
    best = -1
    for job in queue:
        if left[job] > 0 and (best < 0 or time[job] * speed[job] < time[best] * speed[best]):
            best = job
    return best


@kernel
def fill_slots(state, stage, now):
    """Offer each idle slot of a stage to the policy, and start what it names."""
    for machine in range(state.machines.size):
        if not state.slots[stage, machine].idle or state.lines[stage].length == 0:
            continue
        state.clock[0].offer += 1
        if stage == MAP:
            job, task = choose_map(state, machine, now)
            if job >= 0:
                start_map(state, job, task, machine, now)
        else:
            job = choose(state, REDUCE, machine)
            if job >= 0:
                start_reduce(state, job, machine, now)


@kernel
def fill_by_reader(rule, state, stage, rng, now):
    """Offer each idle slot of a stage to a reader's rule, by the machines' numbers, and start what it names.
    When a job has its last task started, those that wait are asked again."""
    own = state.own
    own.wake[stage, 0] = np.inf
    asking = True
    while asking:
        asking = offer_once(rule, state, stage, rng, now)
    wake = own.wake[stage, 0]
    if wake > now:
        state.clock[0].wake = min(state.clock[0].wake, wake)


@kernel
def offer_once(rule, state, stage, rng, now):
    """One round over the idle slots; whether a job had its last task started."""
    own = state.own
    line = state.lines[stage]
    emptied = False
    for machine in range(state.machines.size):
        if not state.slots[stage, machine].idle or line.length == 0:
            continue
        shown = Waiting(
            queue=read_only(own.queue[stage, : line.length]),
            order=read_only(own.order),
            left=read_only(own.left[stage]),
            ready=read_only(own.ready[stage]),
            time=read_only(own.time[stage]),
            free=read_only(own.free[stage]),
            notes=own.notes[stage],
            machine_notes=own.machine_notes[stage],
            wake=own.wake[stage],
            rng=rng,
        )
        job = rule(shown, machine, now)
        if job == -1:
            continue
        there = 0 <= job < state.jobs.size
        if not there or own.ready[stage, job] > now or own.left[stage, job] == 0:
            own.refused[0] = 1 + stage
            own.refused[1] = machine
            own.refused[2] = job
            return False
        if stage == MAP:
            task = local_task(state.head[job], state.following, state.started, machine)
            start_map(state, job, task, machine, now)
        else:
            start_reduce(state, job, machine, now)
        own.left[stage, job] -= 1
        if own.left[stage, job] == 0:
            close_gap(own.queue[stage], line.length, job)
            emptied = True
        own.free[stage, machine] = state.slots[stage, machine].believed
    return emptied


@kernel
def choose_map(state, machine, now):
    """The job whose map a free slot runs next, -1 for none, and its task that is local there, -1 for none."""
    while True:
        job = choose(state, MAP, machine)
        if job < 0:
            return job, -1
        task = local_task(state.head[job], state.following, state.started, machine)
        this = state.jobs[job]
        if task >= 0:
            this.skipped = np.inf
            return job, task
        since = min(this.skipped, now)
        until = since + state.rules.delay
        if state.rules.policy != FAIR or now >= until:
            return job, task
        # The job lets the slot pass and waits for a local one; the offer goes to the next job.
        this.skipped = since
        this.tried = state.clock[0].offer
        state.clock[0].wake = min(state.clock[0].wake, until)


@kernel
def choose(state, stage, machine):
    """The job whose task a free slot runs next, -1 for none; jobs that let this offer pass are left out."""
    policy = state.rules.policy
    offer = state.clock[0].offer
    chosen = -1
    least = np.inf
    for job in state.waiting[stage, : state.lines[stage].length]:
        maps = state.work[MAP, job]
        reduces = state.work[REDUCE, job]
        if policy == FIFO:
            return job
        if policy == FAIR:
            if state.jobs[job].tried == offer:
                continue
            key = float(state.work[stage, job].running)
        elif policy == CAPACITY:
            key = float(state.used[stage, state.jobs[job].queue])
        elif policy == SHORTEST:
            key = maps.left * maps.time + reduces.left * reduces.time
        elif state.planned[stage, job, machine] == 0:
            continue
        elif stage == MAP:
            key = state.jobs[job].priority
        else:
            key = reduces.time * state.speed[REDUCE, job, machine]
        if chosen < 0 or key < least:  # the first may have an infinite Pri
            chosen, least = job, key
    return chosen


@kernel
def local_task(head, following, started, machine):
    """An unstarted map task of a job whose input lies on the machine, or -1; `head (M,)` is the job's."""
    replicas = following.shape[1]
    entry = head[machine]
    while entry >= 0 and started[entry // replicas]:
        entry = following[entry // replicas, entry % replicas]
    head[machine] = entry
    return entry // replicas if entry >= 0 else -1


@kernel
def start_map(state, job, task, machine, now):
    """Start the local `task`, or where that is -1 the job's first unstarted one."""
    this = state.jobs[job]
    k = state.lines[MAP].begun
    factor = occupy(state, MAP, job, machine, now)
    state.maps[k].local = task >= 0
    if task < 0:
        factor *= state.rules.remote
        while state.started[this.low]:
            this.low += 1
        task = this.low
    state.started[task] = True
    end = now + state.work[MAP, job].time * factor
    state.maps[k].finish = end
    run_until(state, end, machine)


@kernel
def start_reduce(state, job, machine, now):
    """Start a reduce: it copies its input, then works."""
    k = state.lines[REDUCE].begun
    factor = occupy(state, REDUCE, job, machine, now)
    end = now + state.jobs[job].shuffle + state.work[REDUCE, job].time * factor
    state.reduces[k].finish = end
    run_until(state, end, state.machines.size + machine)


@kernel
def occupy(state, stage, job, machine, now):
    """Give a slot to a job's task and record it; returns the machine's factor for what starts now."""
    work = state.work[stage, job]
    line = state.lines[stage]
    slot = state.slots[stage, machine]
    work.left -= 1
    work.running += 1
    state.used[stage, state.jobs[job].queue] += 1
    state.planned[stage, job, machine] -= 1
    if work.left == 0:
        leave(line, state.waiting[stage], job)
    task = state.maps[line.begun] if stage == MAP else state.reduces[line.begun]
    task.job = job
    task.machine = machine
    task.start = now
    line.begun += 1
    factor = state.speed[stage, job, machine]
    slot.idle = 0
    slot.job = job
    slot.believed = now + work.time * factor  # the policy knows nothing of remote input
    return factor
