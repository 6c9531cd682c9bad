"""The kernel behind `arrivals.serve`: two-stage jobs that arrive over time, on machines with two slots each.

Every machine runs one map and one reduce task at a time. Whenever a slot is free a policy names a job:

- FIFO: the first submitted
- FAIR: the one with the fewest tasks running in this stage (Zaharia et al., EuroSys 2010, Algorithm 1)
- CAPACITY: the first submitted of the queue that runs the fewest tasks
- SHORTEST: the one with the least estimated work left
- HMHS: Min-Min places all waiting tasks anew whenever a job arrives (or its reduces become ready); a machine
  runs its maps in the order of Pri and its reduces quickest first

Ties go to the job submitted first. A map task whose input lies on its machine is local; FAIR may let a job
wait `delay` for such a slot (their Algorithm 2). Equal times: tasks end, jobs arrive, then slots are filled.
"""

from typing import NamedTuple

import numpy as np

from schedlib.core.compiling import compiled
from schedlib.core.heap import pop, push
from schedlib.hmhs.model import Stage

FIFO, FAIR, CAPACITY, SHORTEST, HMHS = range(5)
MAP, REDUCE = 0, 1


class Jobs(NamedTuple):
    """What is known of the jobs, per stage in the first axis where both have it; times as in `Instance`."""

    submit: np.ndarray  # (N,)
    tasks: np.ndarray  # (2, N)
    time: np.ndarray  # (2, N) of one task, without copying
    guess: np.ndarray  # (2, N) the same as the policy believes it
    copy: np.ndarray  # (N,) what a reduce task needs to copy its input
    priority: np.ndarray  # (N,) Pri
    queue: np.ndarray  # (N,)
    inputs: np.ndarray  # (T, R) the machines that hold a map task's input, tasks of a job together


class Machines(NamedTuple):
    """The machines' factors; those of `slow (M,)` hold for tasks that start at `since` or later."""

    speed: np.ndarray  # (2, N, M)
    slow: np.ndarray
    since: float


class Rules(NamedTuple):
    """The policy and the cluster's settings."""

    policy: int
    delay: float
    remote: float  # by which factor a map takes longer where its input is not
    slow_start: float  # the share of a job's maps that must have ended before its reduces may start


class State(NamedTuple):
    """What changes, per stage in the first axis."""

    left: np.ndarray  # (2, N) tasks not started
    running: np.ndarray  # (2, N)
    used: np.ndarray  # (2, Q) slots in use by each queue
    waiting: np.ndarray  # (2, N) the jobs with tasks that may start, in order of submission
    entered: np.ndarray  # (2,) how many these are
    planned: np.ndarray  # (2, N, M) HMHS: tasks placed on each machine and not started
    believed: np.ndarray  # (2, M) HMHS: when a slot is believed to be free
    skipped: np.ndarray  # (N,) since when a job waits for a local slot; inf: it does not
    tried: np.ndarray  # (N,) the last slot offer that the job has let pass
    head: np.ndarray  # (N, M) the first unlooked-at input of a job on a machine, -1 for none
    following: np.ndarray  # (T R,) the next one
    started: np.ndarray  # (T,)
    low: np.ndarray  # (N,) no map task before it is unstarted


class Record(NamedTuple):
    """What happened, to be filled: both stages in order of start; which maps ran where their input lies."""

    map_end: np.ndarray  # (N,)
    job_end: np.ndarray  # (N,)
    map: Stage
    reduce: Stage
    local: np.ndarray  # (T,)


@compiled
def enter(state, stage, job):
    """Let a job's tasks of a stage start from now on; the job takes its place by number."""
    k = state.entered[stage]
    while k > 0 and state.waiting[stage, k - 1] > job:
        state.waiting[stage, k] = state.waiting[stage, k - 1]
        k -= 1
    state.waiting[stage, k] = job
    state.entered[stage] += 1


@compiled
def leave(state, stage, job):
    """Take out a job whose last task has started."""
    k = 0
    while state.waiting[stage, k] != job:
        k += 1
    state.entered[stage] -= 1
    for later in range(k, state.entered[stage]):
        state.waiting[stage, later] = state.waiting[stage, later + 1]


@compiled
def place(now, stage, jobs, machines, state):
    """Min-Min over all waiting tasks of a stage, from the times at which slots are believed to be free."""
    m = machines.slow.size
    queue = state.waiting[stage, : state.entered[stage]]
    speed, guess, left = machines.speed[stage], jobs.guess[stage], state.left[stage].copy()
    best, free, end = np.full(m, -1), np.empty(m), np.empty(m)
    total = 0
    for job in queue:
        total += left[job]
        state.planned[stage, job] = 0
    for j in range(m):
        free[j] = max(now, state.believed[stage, j])
    gone = -1
    for _ in range(total):
        soonest = -1
        for j in range(m):
            if best[j] == gone:
                best[j] = -1
                for job in queue:
                    if left[job] > 0 and (
                        best[j] < 0
                        or guess[job] * speed[job, j] < guess[best[j]] * speed[best[j], j]
                    ):
                        best[j] = job
                end[j] = free[j] + guess[best[j]] * speed[best[j], j]
            if soonest < 0 or end[j] < end[soonest]:
                soonest = j
        job = best[soonest]
        state.planned[stage, job, soonest] += 1
        free[soonest] = end[soonest]
        end[soonest] += guess[job] * speed[job, soonest]
        left[job] -= 1
        gone = job if left[job] == 0 else -2


@compiled
def local_task(job, machine, state, replicas):
    """An unstarted map task of the job whose input lies on the machine, or -1."""
    entry = state.head[job, machine]
    while entry >= 0 and state.started[entry // replicas]:
        entry = state.following[entry]
    state.head[job, machine] = entry
    return entry // replicas if entry >= 0 else -1


@compiled
def choose(stage, machine, now, offer, jobs, machines, rules, state):
    """The job whose task a free slot runs next, -1 for none; jobs that let this `offer` pass are left out."""
    chosen, least = -1, np.inf
    for k in range(state.entered[stage]):
        job = state.waiting[stage, k]
        if rules.policy == FIFO:
            return job
        if rules.policy == FAIR:
            key = float(state.running[stage, job]) if state.tried[job] != offer else np.inf
        elif rules.policy == CAPACITY:
            key = float(state.used[stage, jobs.queue[job]])
        elif rules.policy == SHORTEST:
            key = (
                state.left[MAP, job] * jobs.guess[MAP, job]
                + state.left[REDUCE, job] * jobs.guess[REDUCE, job]
            )
        elif state.planned[stage, job, machine] == 0:
            key = np.inf
        else:
            key = jobs.priority[job]
            if stage == REDUCE:
                key = jobs.guess[stage, job] * machines.speed[stage, job, machine]
            if chosen < 0:
                chosen, least = job, key  # Pri may be infinite
        if key < least:
            chosen, least = job, key
    return chosen


@compiled
def serve(jobs, machines, rules, queues, done):
    """Fill the record `done`."""
    map_end, job_end, maps, reduces = done.map_end, done.job_end, done.map, done.reduce
    n, m, replicas = jobs.submit.size, machines.slow.size, jobs.inputs.shape[1]
    total = jobs.inputs.shape[0]
    state = State(
        left=jobs.tasks.copy(),
        running=np.zeros((2, n), np.int64),
        used=np.zeros((2, queues), np.int64),
        waiting=np.empty((2, n), np.int64),
        entered=np.zeros(2, np.int64),
        planned=np.zeros((2, n, m), np.int32),
        believed=np.zeros((2, m)),
        skipped=np.full(n, np.inf),
        tried=np.full(n, -1),
        head=np.full((n, m), -1),
        following=np.empty(total * replicas, np.int64),
        started=np.zeros(total, np.bool_),
        low=np.zeros(n, np.int64),
    )
    task = total
    for job in range(n - 1, -1, -1):
        for _ in range(jobs.tasks[MAP, job]):
            task -= 1
            for r in range(replicas):
                entry, where = task * replicas + r, jobs.inputs[task, r]
                state.following[entry] = state.head[job, where]
                state.head[job, where] = entry
        state.low[job] = task
    unfinished = jobs.tasks.copy()
    idle = np.ones((2, m), np.bool_)
    on = np.empty((2, m), np.int64)  # the job that a slot runs
    # reduces that wait for the last map
    held, before = (np.full(n, -1), np.empty(reduces.job.size, np.int64))
    keys, items, size = np.empty(2 * m + 2), np.empty(2 * m + 2, np.int64), 0
    wake, arrived, offer, begun = np.inf, 0, 0, np.zeros(2, np.int64)
    stale = np.zeros(2, np.bool_)
    while arrived < n or size > 0 or wake < np.inf:
        now = min(keys[0] if size > 0 else np.inf, wake)
        if arrived < n:
            now = min(now, jobs.submit[arrived])
        if wake <= now:
            wake = np.inf
        while size > 0 and keys[0] <= now:
            stage, machine = items[0] // m, items[0] % m
            size = pop(keys, items, size)
            job = on[stage, machine]
            idle[stage, machine] = True
            state.running[stage, job] -= 1
            state.used[stage, jobs.queue[job]] -= 1
            state.believed[stage, machine] = now
            unfinished[stage, job] -= 1
            if unfinished[stage, job] == 0:
                if stage == MAP:
                    map_end[job] = now
                    record = held[job]
                    while record >= 0:
                        copied = max(
                            reduces.start[record] + jobs.copy[job],
                            now + jobs.copy[job] / jobs.tasks[MAP, job],
                        )
                        reduces.finish[record] += copied
                        size = push(
                            keys, items, size, reduces.finish[record], m + reduces.machine[record]
                        )
                        record = before[record]
                if stage == REDUCE or jobs.tasks[REDUCE, job] == 0:
                    job_end[job] = now
            if stage == MAP and state.left[REDUCE, job] == jobs.tasks[REDUCE, job] > 0:
                ended = jobs.tasks[MAP, job] - unfinished[MAP, job]
                need = rules.slow_start * jobs.tasks[MAP, job]
                if ended >= need > ended - 1:
                    enter(state, REDUCE, job)
                    stale[REDUCE] = True
        while arrived < n and jobs.submit[arrived] <= now:
            job = arrived
            arrived += 1
            if jobs.tasks[MAP, job] > 0:
                enter(state, MAP, job)
                stale[MAP] = True
            else:
                map_end[job] = now
            if jobs.tasks[REDUCE, job] > 0 and (jobs.tasks[MAP, job] == 0 or rules.slow_start <= 0):
                enter(state, REDUCE, job)
                stale[REDUCE] = True
            if jobs.tasks[MAP, job] + jobs.tasks[REDUCE, job] == 0:
                job_end[job] = now
        for stage in range(2):
            if rules.policy == HMHS and stale[stage]:
                place(now, stage, jobs, machines, state)
            stale[stage] = False
            for machine in range(m):
                if not idle[stage, machine] or state.entered[stage] == 0:
                    continue
                offer += 1
                while True:
                    job = choose(stage, machine, now, offer, jobs, machines, rules, state)
                    if job < 0 or stage == REDUCE:
                        break
                    task = local_task(job, machine, state, replicas)
                    if task >= 0:
                        state.skipped[job] = np.inf
                        break
                    since = min(state.skipped[job], now)
                    if rules.policy != FAIR or now >= since + rules.delay:
                        break
                    state.skipped[job], state.tried[job] = since, offer
                    wake = min(wake, since + rules.delay)
                if job < 0:
                    continue
                record = begun[stage]
                begun[stage] += 1
                state.left[stage, job] -= 1
                state.running[stage, job] += 1
                state.used[stage, jobs.queue[job]] += 1
                state.planned[stage, job, machine] -= 1
                idle[stage, machine], on[stage, machine] = False, job
                factor = machines.speed[stage, job, machine]
                state.believed[stage, machine] = now + jobs.guess[stage, job] * factor
                if now >= machines.since:
                    factor *= machines.slow[machine]
                if stage == MAP:
                    done.local[record] = task >= 0
                    if task < 0:
                        factor *= rules.remote
                        while state.started[state.low[job]]:
                            state.low[job] += 1
                        task = state.low[job]
                    state.started[task] = True
                work = jobs.time[stage, job] * factor
                if stage == MAP:
                    maps.job[record], maps.machine[record] = job, machine
                    maps.start[record], maps.finish[record] = now, now + work
                    size = push(keys, items, size, maps.finish[record], machine)
                else:
                    reduces.job[record], reduces.machine[record], reduces.start[record] = (
                        job,
                        machine,
                        now,
                    )
                    if unfinished[MAP, job] > 0:
                        reduces.finish[record] = work
                        held[job], before[record] = record, held[job]
                    else:
                        reduces.finish[record] = now + jobs.copy[job] + work
                        size = push(keys, items, size, reduces.finish[record], m + machine)
                if state.left[stage, job] == 0:
                    leave(state, stage, job)
