"""Least Work Left (Eagle, Section 3.3; Harchol-Balter): a centre, or a scheduler with the news of the last heartbeat, places whole tasks.

The waiting time of a worker is the sum of the estimates of the tasks placed there, less what the running one has had. Of n tasks only
the n workers with the least can get one; so one pass over the workers finds them, and tasks are then poured into these.
"""

import numpy as np

from schedlib.core import heap
from schedlib.core.uncounted import kernel
from schedlib.eagle.simulating import columns as at

push, pop = heap.push, heap.pop


@kernel
def waiting_times(sys, low, placed, now):
    """Write the waiting times of the workers from `low` on into `workers.wait`, from the work `placed` on each (W,).

    READINGS 27; as published a fetch takes two hops. Slices, so that the compiler sees indices that are not negative: four times as fast.
    """
    workers = sys.workers
    fetch = 2 * sys.how.delay if sys.how.published else 0.0
    wait, work, picked, picked_for = workers.wait[low:], placed[low:], workers.picked[low:], workers.picked_for[low:]
    for i in range(wait.size):
        had = min(now - picked[i], picked_for[i])
        wait[i] = work[i] + fetch - had if picked[i] >= 0 else work[i]


@kernel
def advertise(sys, now):
    """A heartbeat: every scheduler learns the queues; as published the sums of estimates, as written the waiting times."""
    workers = sys.workers
    if not sys.how.published:
        waiting_times(sys, 0, workers.work, now)
    for worker in range(workers.work.size):
        workers.advertised[worker] = workers.work[worker] if sys.how.published else workers.wait[worker]


@kernel
def believe(sys, low, now):
    """Write into `workers.wait` what a distributed scheduler believes, before it adds a random number (READINGS 31, 34)."""
    workers, live = sys.workers, sys.how.heartbeat == 0
    wait, advertised = workers.wait[low:], workers.advertised[low:]
    if live or sys.how.published:
        waiting_times(sys, low, workers.work if live else workers.advertised, now)
        for i in range(wait.size):
            wait[i] = max(wait[i], 0.0)
    else:
        for i in range(wait.size):
            wait[i] = max(advertised[i], 0.0)


@kernel
def idle_first(sys, low, tasks):
    """Give one task each to the first workers from `low` on that have no work; how many there were."""
    work = sys.workers.work
    count = 0
    for worker in range(low, work.size):
        if work[worker] == 0:
            sys.choices.line[count] = worker
            count += 1
            if count == tasks:
                break
    return count


@kernel
def least_loaded(sys, low, tasks, spread, rng):
    """Fill the heap `high` with the `tasks` workers (or all) of the least (waiting time, number), the greatest on top; how many.

    `spread` (0: nothing): a random number up to this is added to the waiting time, but not drawn for those who cannot be chosen anyhow.
    """
    wait, choices, how = sys.workers.wait[low:], sys.choices, sys.how
    key, item = choices.high_key, choices.high_worker
    size, bound = 0, np.inf
    for i in range(wait.size):
        load = wait[i]
        if load >= bound:
            continue
        if spread > 0:
            load += int(rng.random() * (int(spread) + 1)) if how.published else rng.random() * spread
            if load >= bound:
                continue
        if size == tasks:
            size = pop(key, item, size)
        size = push(key, item, size, -load, -(low + i))
        if size == tasks:
            bound = -key[0]
    return size


@kernel
def pour(sys, size, placed, tasks, estimate):
    """Give tasks to the workers in the heap `high`: to the least loaded until it exceeds the next, and so on (READINGS 28)."""
    choices = sys.choices
    key, item = choices.low_key, choices.low_worker
    count = 0
    for i in range(size):
        count = push(key, item, count, -choices.high_key[i], -choices.high_worker[i])
    while placed < tasks:
        wait, worker = key[0], item[0]
        count = pop(key, item, count)
        following = key[0] if count > 0 else np.inf
        while True:
            choices.line[placed] = worker
            placed += 1
            wait += estimate
            if placed == tasks or wait > following or (wait == following and not sys.how.published):
                break
        count = push(key, item, count, wait, worker)


@kernel
def choose_workers(sys, job, low, tasks, stale, rng, now):
    """Write the worker of each of a job's tasks into `choices.line`; workers below `low` get none.

    As published, workers without work come first; when the news is `stale`, and as written, nothing but the waiting time counts.
    """
    estimate, workers = sys.jobs.real[job, at.ESTIMATE], sys.workers
    idle = idle_first(sys, low, tasks) if sys.how.published and not stale else 0
    if idle == tasks:
        return
    if stale:
        believe(sys, low, now)
    else:
        waiting_times(sys, low, workers.work, now)
    for i in range(idle):
        workers.wait[sys.choices.line[i]] = estimate
    size = least_loaded(sys, low, tasks - idle, sys.how.heartbeat if stale else 0.0, rng)
    pour(sys, size, idle, tasks, estimate)
