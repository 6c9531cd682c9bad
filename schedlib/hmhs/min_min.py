"""Min-Min and Dynamic-Min-Min (HMHS, Section 3.2 and Algorithm 1), exact and fast.

The paper looks at every waiting job on every machine before each task. But on one machine all waiting jobs
queue behind the same work, so its best candidate is its quickest job:

    min over i, j of (Ava_j + E_ij)  =  min over j of (Ava_j + min over i of E_ij).

A heap of waiting jobs per machine gives the inner minimum and a winner tree over the machines the outer one.
Each job enters and leaves each heap once: O(M N log N + T log M) for T tasks in place of O(T N M), with the
same decisions. Min-Min is Dynamic-Min-Min when every job is there at time zero.
"""

import numpy as np

from schedlib.core.compiling import compiled
from schedlib.core.heap import pop, push
from schedlib.core.trees import WinnerTree, play, smallest, update


@compiled
def offer(pairs, free, ready, time, items, size, machine):
    """Enter the machine's quickest waiting job and its completion time there into the tree of pairs."""
    if size[machine] == 0:
        update(pairs, machine, np.inf, ready.size)
    else:
        job = items[machine, 0]
        update(pairs, machine, max(free.key[machine], ready[job]) + time[job, machine], job)


@compiled
def dispatch(ready, tasks, time, stage):
    """Fill `stage` in order of dispatch; return the candidates looked at, here and by full scans.

    `ready (N,)`: A_i, when job i may start; `tasks (N,)`: how many tasks; `time (N, M)`: E_ij. Ties go to the
    smaller job, then the smaller machine, as when Algorithm 1's loops keep the first minimum they meet.
    """
    jobs, machines = time.shape
    left = tasks.copy()
    keys, items = np.empty((machines, jobs)), np.empty((machines, jobs), np.int64)
    size = np.zeros(machines, np.int64)
    free = WinnerTree(np.zeros(machines), np.zeros(machines, np.int64), np.zeros(2 * machines, np.int64))
    pairs = WinnerTree(np.full(machines, np.inf), np.full(machines, jobs), np.zeros(2 * machines, np.int64))
    play(free)
    play(pairs)
    by_arrival = np.argsort(ready, kind="mergesort")
    by_arrival = by_arrival[left[by_arrival] > 0]
    arrived, waiting, steps, scanned = 0, 0, 0, 0

    for task in range(left.sum()):
        earliest = free.key[smallest(free)]  # line 2: EAT
        # lines 3-10
        while arrived < by_arrival.size and (waiting == 0 or ready[by_arrival[arrived]] <= earliest):
            job = by_arrival[arrived]
            arrived += 1
            waiting += 1
            steps += machines
            for machine in range(machines):
                size[machine] = push(keys[machine], items[machine], size[machine], time[job, machine], job)
                if items[machine, 0] == job:
                    offer(pairs, free, ready, time, items, size, machine)

        scanned += waiting * machines
        machine = smallest(pairs)  # lines 11-16
        job = pairs.tie[machine]
        stage.job[task], stage.machine[task] = job, machine
        stage.start[task] = max(free.key[machine], ready[job])
        stage.finish[task] = pairs.key[machine]
        update(free, machine, stage.finish[task], 0)  # line 18
        left[job] -= 1
        steps += 1
        if left[job] > 0:
            offer(pairs, free, ready, time, items, size, machine)
            continue
        waiting -= 1  # lines 19-21
        for other in range(machines):
            while size[other] > 0 and left[items[other, 0]] == 0:
                size[other] = pop(keys[other], items[other], size[other])
                steps += 1
            if other == machine or pairs.tie[other] == job:
                offer(pairs, free, ready, time, items, size, other)
    return steps, scanned


@compiled
def sequence(order, time, stage):
    """Run the tasks of each machine one after another in `order (N,)` of their jobs."""
    jobs, machines = time.shape
    rank = np.empty(jobs, np.int64)
    rank[order] = np.arange(jobs)
    clock = np.zeros(machines)
    for task in np.argsort(rank[stage.job], kind="mergesort"):
        machine = stage.machine[task]
        stage.start[task] = clock[machine]
        clock[machine] += time[stage.job[task], machine]
        stage.finish[task] = clock[machine]
