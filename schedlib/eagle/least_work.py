"""Least Work Left (Eagle, Sections 3.3 and 6.2; Harchol-Balter): a scheduler that places a job's tasks.

A worker's waiting time is the sum of the estimates of the tasks placed there, less the time that the running
one has had. Of n tasks only the n workers with the least can get one: one pass finds them, and tasks are then
poured into these.
"""

import numpy as np

from schedlib.core.heap import pop, push
from schedlib.core.uncounted import kernel
from schedlib.eagle.probing import hold, set_bit
from schedlib.eagle.simulating.messages import MARKS, PLACED_TASK, SENT, post, write


@kernel
def waiting_times(state, low, placed, now):
    """Write the waiting times of the workers from `low` on into `loads.wait`, from the `placed` work (W,)."""
    loads = state.loads
    fetch = 2 * state.how.delay if state.how.published else 0.0  # the two hops in which a task is fetched
    # Slice first: the compiler then knows that no index is negative, which makes the loop four times as fast.
    wait, work = loads.wait[low:], placed[low:]
    picked, picked_for = loads.picked[low:], loads.picked_for[low:]
    for i in range(wait.size):
        had = min(now - picked[i], picked_for[i])  # one that outlasts its estimate has nothing left
        wait[i] = work[i] + fetch - had if picked[i] >= 0 else work[i]


@kernel
def advertise(state, now):
    """A heartbeat: schedulers learn the sums of estimates (published) or the waiting times (written)."""
    loads, published = state.loads, state.how.published
    if not published:
        waiting_times(state, 0, loads.work, now)
    for worker in range(loads.work.size):
        loads.advertised[worker] = loads.work[worker] if published else loads.wait[worker]


@kernel
def believe(state, low, now):
    """Write into `loads.wait` what a distributed scheduler believes; negative waiting times become 0."""
    # As published the sums are the last heartbeat's, but how long the running task has run is known at once.
    loads, live = state.loads, state.how.heartbeat == 0
    wait, advertised = loads.wait[low:], loads.advertised[low:]
    known = live or state.how.published
    if known:
        waiting_times(state, low, loads.work if live else loads.advertised, now)
    for i in range(wait.size):
        wait[i] = max(wait[i] if known else advertised[i], 0.0)


@kernel
def idle_first(state, low, tasks):
    """Give one task each to the first workers from `low` on that have no work; how many there were."""
    work = state.loads.work
    count = 0
    for worker in range(low, work.size):
        if work[worker] == 0:
            state.line[count] = worker
            count += 1
            if count == tasks:
                break
    return count


@kernel
def least_loaded(state, low, tasks, spread, rng):
    """Fill the heap `high`, greatest on top, with the `tasks` workers of least (time, number); how many."""
    loads, published = state.loads, state.how.published
    wait, key, item = loads.wait[low:], loads.high_key, loads.high_worker
    size, bound = 0, np.inf
    for i in range(wait.size):
        load = wait[i]
        if load >= bound:
            continue
        if spread > 0:  # a random number up to it is added
            load += int(rng.random() * (int(spread) + 1)) if published else rng.random() * spread
            if load >= bound:
                continue
        if size == tasks:
            size = pop(key, item, size)
        size = push(key, item, size, -load, -(low + i))
        if size == tasks:
            bound = -key[0]
    return size


@kernel
def pour(state, size, placed, tasks, estimate):
    """Give tasks to the `size` workers in the heap `high`: to the least loaded until it exceeds the next."""
    loads = state.loads
    key, item = loads.low_key, loads.low_worker
    count = 0
    for i in range(size):
        count = push(key, item, count, -loads.high_key[i], -loads.high_worker[i])
    while placed < tasks:
        wait, worker = key[0], item[0]
        count = pop(key, item, count)
        following = key[0] if count > 0 else np.inf
        while True:
            state.line[placed] = worker
            placed += 1
            wait += estimate
            # At equality with the next pouring goes on as published, not as written.
            if placed == tasks or wait > following or (wait == following and not state.how.published):
                break
        count = push(key, item, count, wait, worker)


@kernel
def choose_workers(state, job, low, stale, rng, now):
    """Write the worker of each of a job's tasks into `line`; workers below `low` get none."""
    # As published, unless news is stale, workers without work come first and are poured on with one task.
    loads, tasks, estimate = state.loads, state.jobs[job].tasks, state.jobs[job].estimate
    idle = idle_first(state, low, tasks) if state.how.published and not stale else 0
    if idle == tasks:
        return
    if stale:
        believe(state, low, now)
    else:
        waiting_times(state, low, loads.work, now)
    for i in range(idle):
        loads.wait[state.line[i]] = estimate
    size = least_loaded(state, low, tasks - idle, state.how.heartbeat if stale else 0.0, rng)
    pour(state, size, idle, tasks, estimate)


@kernel
def place(state, job, low, stale, rng, now):
    """Place all tasks of a job on workers from `low` on, by what is known now or at the last heartbeat."""
    j = state.jobs[job]
    marks = state.how.shares and j.long == 1
    choose_workers(state, job, low, stale, rng, now)
    for task in range(j.tasks):
        worker = state.line[task]
        state.loads.work[worker] += j.estimate
        state.workers[worker].placed += 1
        if marks:
            set_bit(state.board, worker)
            write(state.log, now, MARKS, worker, job)
        write(state.log, now, SENT, worker, job)
        post(state.near, now + state.how.delay, PLACED_TASK, worker, job, task)
    state.counts[0].placements += j.tasks
    if marks and not state.how.published:
        j.copy_row = hold(state.board, j.tasks)
