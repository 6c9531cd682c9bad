"""The paper's algorithms in plain Python, one function each. Read this first, with the paper in hand.

Chen, Shen, Chen, Guo, "HMHS: Hybrid Multistage Heuristic Scheduling Algorithm for Heterogeneous
MapReduce System". Numbers at the end of a line are the paper's: steps, equations, lines of Algorithm 1.
The symbols are the paper's, too (Section 2.1); jobs and machines count from 0:

    T[i]       how many tasks job i has in a stage
    E[i][j]    how long one of them takes on machine j: P_i V_ij
    A[i]       when job i may start in a stage; in the reduce stage, when its last map task ends
    Ava[j]     when machine j has finished all tasks that it got so far

Where the text leaves something open, this file reads it as `hmhs.schedule` does:

1. Equal completion times in Min-Min and Algorithm 1 (line 16): the smaller job, then the smaller machine.
2. Equal A_i in Algorithm 1 (line 9): the smaller job.
3. Equal Pri: the jobs' order. R-HMHS reverses the whole list, jobs of equal Pri included.
4. Equal V_i in Johnson's step 2: the jobs' order, which step 3 reverses in L2. (`hmhs.johnson` keeps it.)
5. A job without map tasks may reduce at 0, one without reduce tasks ends with its maps; Pri is then -inf or inf.
6. FIFO: the machine that became free first asks first, of several the smallest. It gets the first job in the
   order that has a task left and may start; later jobs overtake one that may not.

Each task costs N times M looks: twenty jobs of the paper's single workload on ten machines a stage take 0.2 s, a
hundred jobs on a hundred machines half a minute. Bad input is not validated beyond what `hmhs.Instance` does.
"""

from collections.abc import Sequence
from typing import NamedTuple, TypeAlias

import numpy as np

from schedlib.hmhs.model import Instance, Schedule, Stage


class Task(NamedTuple):
    """One task: of which job, on which machine, from when to when (in the instance's unit of time).

    >>> task = Task(job=0, machine=1, start=2.0, finish=5.0)
    """

    job: int
    machine: int
    start: float
    finish: float


Times: TypeAlias = Sequence[Sequence[float]]  # E[i][j]
TwoStages: TypeAlias = tuple[list[Task], list[Task]]  # map tasks, reduce tasks


def johnson(M: Sequence[float], R: Sequence[float]) -> list[int]:
    """Johnson's order of jobs that each visit one map machine, then one reduce machine.

    `M (N,)` and `R (N,)`: each job's time on the first and on the second machine, in one unit. Source:
    Johnson (1954); HMHS, Section 3.1, steps 1 to 4.

    >>> johnson([4, 1, 5, 2, 5], [5, 2, 3, 6, 1])
    [1, 3, 0, 2, 4]
    """
    V = [min(M[i], R[i]) for i in range(len(M))]
    L1: list[int] = []  # Step 1
    L2: list[int] = []
    ordered = sorted(range(len(M)), key=lambda i: V[i])  # Step 2
    for i in ordered:  # Step 3
        if M[i] <= R[i]:
            L1.append(i)
        else:
            L2.insert(0, i)
    return L1 + L2  # Step 4


def pri(instance: Instance) -> list[float]:
    """Pri of each job, (N,), in one over the unit of time: the smaller, the earlier the job's maps run.

    `instance`: N jobs and the machines of both stages. Source: HMHS, Eq. 1 and Eq. 4.

    >>> one = [[1.0], [1.0], [1.0]]
    >>> pri(Instance([2, 4, 3], [1, 1, 1], one, [8, 2, 1], [1, 1, 0], one))
    [-0.5, 0.5, inf]
    """
    Pri = []
    for i in range(instance.n_jobs):
        P_m, P_r = instance.map_time[i], instance.reduce_time[i]
        V_m, V_r = instance.map_speed[i], instance.reduce_speed[i]
        T_m, T_r = instance.map_tasks[i], instance.reduce_tasks[i]
        Pbar_m = P_m * (V_m.sum() / len(V_m)) * T_m  # Eq. 1
        Pbar_r = P_r * (V_r.sum() / len(V_r)) * T_r
        Sgn = 1 if Pbar_m > Pbar_r else -1  # Eq. 4
        least = float(min(Pbar_m, Pbar_r))
        if least > 0:
            Pri.append(Sgn / least)
        else:
            Pri.append(Sgn * float("inf"))
    return Pri


def min_min(T: Sequence[int], E: Times) -> list[Task]:
    """The map tasks on their machines, in the order in which Min-Min assigns them.

    `T (N,)`: tasks of each job; `E (N, M)`: the time of one task of job i on machine j. Source: HMHS,
    Section 3.2, "Dispatching Heuristic of Map Stage".

    >>> min_min([2], [[3.0, 4.0]])
    [Task(job=0, machine=0, start=0.0, finish=3.0), Task(job=0, machine=1, start=0.0, finish=4.0)]
    """
    jobs, machines = range(len(T)), range(len(E[0]))
    unassigned = list(T)
    Ava = [0.0 for j in machines]
    assigned = []
    while any(unassigned):
        earliest = {}  # of each job's task: minimum completion time, and its machine
        for i in jobs:
            if unassigned[i] > 0:
                earliest[i] = min((Ava[j] + E[i][j], j) for j in machines)
        p = min(earliest, key=lambda i: earliest[i][0])  # the minimum of the minima
        C_pq, q = earliest[p]
        assigned.append(Task(job=p, machine=q, start=Ava[q], finish=C_pq))
        Ava[q] = C_pq
        unassigned[p] -= 1
    return assigned


def dynamic_min_min(A: Sequence[float], T: Sequence[int], E: Times) -> list[Task]:
    """The reduce tasks on their machines, in the order in which Dynamic-Min-Min assigns them.

    `A (N,)`: when job i's reduce tasks arrive; `T (N,)`: how many it has; `E (N, M)`: the time of one on
    machine j. Source: HMHS, Algorithm 1.

    >>> dynamic_min_min([2.0, 0.0], [1, 1], [[3.0, 4.0], [5.0, 1.0]])
    [Task(job=1, machine=1, start=0.0, finish=1.0), Task(job=0, machine=0, start=2.0, finish=5.0)]
    """
    machines = range(len(E[0]))
    U = [i for i in range(len(T)) if T[i] > 0]
    Jw: list[int] = []
    unassigned = list(T)
    Ava = [0.0 for j in machines]
    assigned = []
    while U or Jw:  # 1
        EAT = min(Ava)  # 2
        for i in list(U):  # 3
            if A[i] <= EAT:  # 4
                Jw.append(i)  # 5
                U.remove(i)
        if not Jw:  # 8
            i = min(U, key=lambda i: A[i])  # 9
            Jw.append(i)
            U.remove(i)
        C = {}
        for i in sorted(Jw):  # 11
            for j in machines:  # 12
                C[i, j] = E[i][j] + max(Ava[j], A[i])  # 13
        p, q = min(C, key=lambda pair: C[pair])  # 16
        start = max(Ava[q], A[p])
        assigned.append(Task(job=p, machine=q, start=start, finish=C[p, q]))  # 17
        Ava[q] = C[p, q]  # 18
        unassigned[p] -= 1
        if unassigned[p] == 0:  # 19
            Jw.remove(p)  # 20
    return assigned


def fifo(
    order: Sequence[int],
    A: Sequence[float],
    T: Sequence[int],
    E: Times,
) -> list[Task]:
    """The tasks of one stage on their machines, in the order in which FIFO assigns them.

    `order (N,)`: the jobs, first in first out; `A (N,)`: when job i may start; `T (N,)`: how many tasks it
    has; `E (N, M)`: the time of one on machine j. Source: HMHS, Section 4.

    >>> fifo([0, 1], [2.0, 0.0], [1, 1], [[3.0], [5.0]])
    [Task(job=1, machine=0, start=0.0, finish=5.0), Task(job=0, machine=0, start=5.0, finish=8.0)]
    """
    machines = range(len(E[0]))
    unassigned = list(T)
    Ava = [0.0 for j in machines]
    assigned = []
    while any(unassigned):
        queue = [i for i in order if unassigned[i] > 0]
        q = min(machines, key=lambda j: Ava[j])  # the machine that became free first
        now = max(Ava[q], min(A[i] for i in queue))  # it waits if no job may start yet
        p = next(i for i in queue if A[i] <= now)
        assigned.append(Task(job=p, machine=q, start=now, finish=now + E[p][q]))
        Ava[q] = now + E[p][q]
        unassigned[p] -= 1
    return assigned


def sequence(assigned: Sequence[Task], order: Sequence[int], E: Times) -> list[Task]:
    """The same tasks on the same machines; each machine runs its own tasks in the order of their jobs.

    `assigned`: the tasks, whose order in the list stays; `order (N,)`: the jobs; `E (N, M)`: the time of a
    task of job i on machine j. Source: HMHS, Section 3.3, step 2.

    >>> sequence(min_min([1, 1], [[4.0], [2.0]]), [0, 1], [[4.0], [2.0]])
    [Task(job=1, machine=0, start=4.0, finish=6.0), Task(job=0, machine=0, start=0.0, finish=4.0)]
    """
    place = {i: k for k, i in enumerate(order)}
    sequenced = list(assigned)
    for j in range(len(E[0])):
        T_j = [k for k in range(len(assigned)) if assigned[k].machine == j]
        T_j.sort(key=lambda k: place[assigned[k].job])
        clock = 0.0
        for k in T_j:
            i = assigned[k].job
            sequenced[k] = Task(job=i, machine=j, start=clock, finish=clock + E[i][j])
            clock += E[i][j]
    return sequenced


def last_finish(tasks: Sequence[Task], N: int) -> list[float]:
    """When the last of each job's `tasks` ends, (N,): A_i if they are map tasks. Source: HMHS, Eq. 2.

    `N`: the number of jobs. A job without tasks ends at 0.

    >>> last_finish(min_min([2, 0], [[3.0, 4.0], [1.0, 1.0]]), 2)
    [4.0, 0.0]
    """
    latest = [0.0 for i in range(N)]
    for task in tasks:
        latest[task.job] = max(latest[task.job], task.finish)
    return latest


def three_steps(instance: Instance, order: Sequence[int]) -> TwoStages:
    """The map tasks and the reduce tasks of HMHS.

    `order (N,)`: the jobs by Pri, the smallest first, or the reverse for R-HMHS. Source: HMHS, Section 3.3.

    >>> maps, reduces = three_steps(Instance([4], [2], [[1.0]], [3], [1], [[1.0]]), [0])
    >>> len(maps), reduces[0].start
    (2, 8.0)
    """
    E_m, E_r = instance.map_task_time.tolist(), instance.reduce_task_time.tolist()
    maps = min_min(instance.map_tasks.tolist(), E_m)  # 1)
    maps = sequence(maps, order, E_m)  # 2)
    A = last_finish(maps, instance.n_jobs)  # Eq. 2
    reduces = dynamic_min_min(A, instance.reduce_tasks.tolist(), E_r)  # 3)
    return maps, reduces


def _fifo_twice(instance: Instance, order: Sequence[int]) -> TwoStages:
    """The map tasks and the reduce tasks of FIFO, or of FIFO-Pri if `order` is by Pri."""
    E_m, E_r = instance.map_task_time.tolist(), instance.reduce_task_time.tolist()
    at_zero = [0.0 for i in range(instance.n_jobs)]
    maps = fifo(order, at_zero, instance.map_tasks.tolist(), E_m)
    A = last_finish(maps, instance.n_jobs)  # Eq. 2
    reduces = fifo(order, A, instance.reduce_tasks.tolist(), E_r)
    return maps, reduces


def schedule(instance: Instance, policy: str = "hmhs") -> Schedule:
    """Schedule an instance by one of the paper's four policies, with the decisions of `hmhs.schedule`.

    `policy`: `"hmhs"` (Section 3.3), `"r-hmhs"`, `"fifo"`, `"fifo-pri"` (Section 4), else ValueError.

    >>> one = [[1.0], [1.0]]
    >>> two = Instance([5, 1], [1, 1], one, [1, 5], [1, 1], one)
    >>> schedule(two, "fifo").makespan, schedule(two, "hmhs").makespan
    (11.0, 7.0)
    """
    Pri = pri(instance)
    jobs = list(range(instance.n_jobs))
    by_pri = sorted(jobs, key=lambda i: Pri[i])
    orders = {"hmhs": by_pri, "r-hmhs": by_pri[::-1], "fifo": jobs, "fifo-pri": by_pri}
    if policy not in orders:
        raise ValueError(f"policy: {policy!r}; the paper's are {', '.join(orders)}")
    stages = three_steps if policy in ("hmhs", "r-hmhs") else _fifo_twice
    maps, reduces = stages(instance, orders[policy])
    return as_schedule(policy, instance.n_jobs, maps, reduces)


def as_schedule(policy: str, N: int, maps: Sequence[Task], reduces: Sequence[Task]) -> Schedule:
    """The library's schedule of the tasks of N jobs (Eq. 2 and 3), for pictures; its `steps` stay 0.

    >>> as_schedule("mine", 1, min_min([1], [[4.0]]), []).makespan
    4.0
    """
    A = last_finish(maps, N)
    reduce_end = last_finish(reduces, N)
    job_end = [max(A[i], reduce_end[i]) for i in range(N)]
    return Schedule(
        policy=policy,
        makespan=max(job_end),  # Eq. 3
        map_end=np.array(A),
        job_end=np.array(job_end),
        map=_stage(maps),
        reduce=_stage(reduces),
    )


def _stage(tasks: Sequence[Task]) -> Stage:
    """The tasks as the library's arrays, in the same order."""
    return Stage(
        job=np.array([task.job for task in tasks], np.int64),
        machine=np.array([task.machine for task in tasks], np.int64),
        start=np.array([task.start for task in tasks], np.float64),
        finish=np.array([task.finish for task in tasks], np.float64),
    )
