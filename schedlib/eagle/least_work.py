"""Least Work Left (Eagle, Section 3.3; Harchol-Balter): a centre, or a scheduler with the news of the last heartbeat, places whole tasks.

The waiting time of a worker is the sum of the estimates of the tasks placed there, less what the running one has had. Of n tasks only
the n workers with the least can get one; so one pass over the workers finds them, and tasks are then poured into these.
"""

import numpy as np

from schedlib.core import heap
from schedlib.core.uncounted import kernel
from schedlib.eagle import columns as at

push, pop = heap.push, heap.pop


@kernel
def waiting(sys, worker, work, now):
    """The estimated waiting time of a worker with so much placed `work` (READINGS 27; a fetch costs two hops as published)."""
    picked = sys.workers.real[worker, at.PICKED]
    if picked < 0:
        return work
    fetch = 2 * sys.how.delay if sys.how.published else 0.0
    return work + fetch - min(now - picked, sys.workers.real[worker, at.PICKED_FOR])


@kernel
def advertise(sys, now):
    """A heartbeat: every scheduler learns the queues; as published the sums, as written the waiting times."""
    for worker in range(sys.workers.advertised.size):
        work = sys.workers.real[worker, at.WORK]
        sys.workers.advertised[worker] = work if sys.how.published else waiting(sys, worker, work, now)


@kernel
def believed(sys, worker, now):
    """The waiting time that a distributed scheduler believes in, before it adds a random number."""
    if sys.how.heartbeat == 0:
        return max(waiting(sys, worker, sys.workers.real[worker, at.WORK], now), 0.0)
    if sys.how.published:
        return max(waiting(sys, worker, sys.workers.advertised[worker], now), 0.0)
    return sys.workers.advertised[worker]


@kernel
def idle_first(sys, low, tasks):
    """Give one task each to the first workers from `low` on that have no work; how many there were."""
    real = sys.workers.real
    count = 0
    for worker in range(low, real.shape[0]):
        if real[worker, at.WORK] == 0:
            sys.choices.line[count] = worker
            count += 1
            if count == tasks:
                break
    return count


@kernel
def least_loaded(sys, low, tasks, idle, estimate, stale, rng, now):
    """Fill the heap `high` with the `tasks` workers (or all) of the least (waiting time, number), the greatest on top; how many.

    The `idle` workers at the beginning of `choices.line` have just been given a task each.
    """
    real, choices, how = sys.workers.real, sys.choices, sys.how
    key, item = choices.high_key, choices.high_worker
    size, given = 0, 0
    for worker in range(low, real.shape[0]):
        if stale:
            wait = believed(sys, worker, now)
        elif given < idle and choices.line[given] == worker:
            wait, given = estimate, given + 1
        else:
            wait = waiting(sys, worker, real[worker, at.WORK], now)
        if size == tasks and wait >= -key[0]:
            continue  # nothing is drawn for who cannot be chosen
        if stale and how.heartbeat > 0:
            wait += int(rng.random() * (int(how.heartbeat) + 1)) if how.published else rng.random() * how.heartbeat
            if size == tasks and wait >= -key[0]:
                continue
        if size == tasks:
            size = pop(key, item, size)
        size = push(key, item, size, -wait, -worker)
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
    estimate = sys.jobs.real[job, at.ESTIMATE]
    idle = idle_first(sys, low, tasks) if sys.how.published and not stale else 0
    if idle < tasks:
        size = least_loaded(sys, low, tasks - idle, idle, estimate, stale, rng, now)
        pour(sys, size, idle, tasks, estimate)
