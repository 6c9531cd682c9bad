"""Min-Min and Dynamic-Min-Min (HMHS, Section 3.2 and Algorithm 1), exact and fast.

The paper looks at every waiting job on every machine before each task. But on one machine all waiting jobs
queue behind the same work, so its best candidate is its quickest job:

    min over i, j of (Ava_j + E_ij)  =  min over j of (Ava_j + min over i of E_ij).

With every machine's jobs sorted by time beforehand, its quickest waiting job is looked for only when the one
before has ended or a quicker one arrives; a winner tree over the machines gives the outer minimum. Where the
quickest jobs differ by machine, a job's arrival and its end take O(M) looks: O(M N log N + T log M) for T
tasks in place of O(T N M), with the same decisions. Min-Min is the case in which all jobs are there at zero.
"""

import numpy as np

from schedlib.core.compiling import compiled
from schedlib.core.trees import WinnerTree, play, smallest, update
from schedlib.hmhs.model import Stage


@compiled
def dispatch(arrivals, ready, tasks, time, quickest, stage):
    """Fill `stage` in order of dispatch; return the candidates looked at, here and by full scans.

    `arrivals`: the jobs with tasks in the order of `ready (N,)`, which is A_i, when job i may start; `tasks
    (N,)`: how many tasks; `time (N, M)`: E_ij; `quickest (M, N)`: the jobs by their time on each machine, see
    `model.Side`. Ties go to the smaller job, then the smaller machine, as when Algorithm 1's loops
    keep the first minimum they meet.
    """
    jobs, machines = time.shape
    left = tasks.copy()
    place = np.empty((jobs, machines), np.int32)  # of each job among the machine's quickest
    for machine in range(machines):
        for k in range(jobs):
            place[quickest[machine, k], machine] = k
    best = np.full(machines, jobs)  # the place of the machine's quickest waiting job
    free = np.zeros(machines)
    earliest = 0
    pairs = WinnerTree(
        np.full(machines, np.inf), np.full(machines, jobs), np.zeros(2 * machines, np.int64)
    )
    play(pairs)
    queue = np.empty(jobs, np.int64)
    waiting = 0  # jobs in the queue
    arrived = 0
    steps = 0
    scanned = 0
    here = np.zeros(jobs, np.bool_)  # whether a job is in the queue

    for task in range(left.sum()):
        # lines 2-10; free[earliest] is EAT
        while arrived < arrivals.size and (
            waiting == 0 or ready[arrivals[arrived]] <= free[earliest]
        ):
            job = arrivals[arrived]
            queue[waiting] = job
            here[job] = True
            arrived += 1
            waiting += 1
            steps += machines
            for machine in range(machines):
                if place[job, machine] < best[machine]:
                    best[machine] = place[job, machine]
                    end = max(free[machine], ready[job]) + time[job, machine]
                    update(pairs, machine, end, job)

        scanned += waiting * machines
        machine = smallest(pairs)  # lines 11-16
        job = pairs.tie[machine]
        stage.job[task] = job
        stage.machine[task] = machine
        stage.start[task] = max(free[machine], ready[job])
        stage.finish[task] = free[machine] = pairs.key[machine]  # line 18
        if machine == earliest and arrived < arrivals.size:
            earliest = free.argmin()
        left[job] -= 1
        steps += 1
        if left[job] > 0:
            update(pairs, machine, free[machine] + time[job, machine], job)
            continue
        here[job] = False  # lines 19-21
        waiting -= 1
        k = 0
        while queue[k] != job:
            k += 1
        queue[k] = queue[waiting]
        for other in range(machines):
            if pairs.tie[other] != job:
                continue
            k = jobs
            if waiting * waiting < jobs:  # few wait: look at each of them
                for w in range(waiting):
                    k = min(k, place[queue[w], other])
                steps += waiting
            else:
                k = best[other] + 1
                while not here[quickest[other, k]]:
                    k += 1
                steps += k - best[other]
            best[other] = k
            if k == jobs:
                update(pairs, other, np.inf, jobs)
            else:
                heir = quickest[other, k]
                update(pairs, other, max(free[other], ready[heir]) + time[heir, other], heir)
    return steps, scanned


def sequence(order: np.ndarray, time: np.ndarray, stage: Stage) -> Stage:
    """The same tasks; each machine runs its own one after another in `order (N,)` of their jobs.

    >>> waiting = Stage.empty(2)
    >>> waiting.job[:], waiting.machine[:] = [0, 1], 0
    >>> sequence(np.array([1, 0]), np.array([[4.0], [2.0]]), waiting).start.tolist()
    [2.0, 0.0]
    """
    fewest_bits = np.min_scalar_type(order.size)  # numpy sorts numbers of 16 bits in linear time
    rank = np.argsort(order).astype(fewest_bits)
    by_job = np.argsort(rank[stage.job], kind="stable")
    timed = stage._replace(start=np.empty(by_job.size), finish=np.empty(by_job.size))
    run(by_job, time, timed)
    return timed


@compiled
def run(tasks, time, stage):
    """Run the tasks of each machine one after another, in the order of `tasks`."""
    _, machines = time.shape
    clock = np.zeros(machines)
    for task in tasks:
        machine = stage.machine[task]
        stage.start[task] = clock[machine]
        clock[machine] += time[stage.job[task], machine]
        stage.finish[task] = clock[machine]
