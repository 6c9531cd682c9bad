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

FIFO stands in `plain_rivals.py`, a task and the end of a job in `plain_model.py`.

Each task costs N times M looks: twenty jobs of the paper's single workload on ten machines a stage take 0.2 s, a
hundred jobs on a hundred machines half a minute. Bad input is not validated beyond what `hmhs.Instance` does.
"""

import math
from collections.abc import Sequence

from schedlib.hmhs.model import Instance, Schedule
from schedlib.hmhs.plain_model import Task, Times, TwoStages, as_schedule, last_finish
from schedlib.hmhs.plain_rivals import fifo as fifo
from schedlib.hmhs.plain_rivals import fifo_twice


def johnson(M: Sequence[float], R: Sequence[float]) -> list[int]:
    """Johnson's order of jobs that each visit one map machine, then one reduce machine.

    `M (N,)` and `R (N,)`: each job's time on the first and on the second machine, in one unit. Source:
    Johnson (1954); HMHS, Section 3.1, steps 1 to 4.

    >>> johnson([4, 1, 5, 2, 5], [5, 2, 3, 6, 1])
    [1, 3, 0, 2, 4]
    """
    jobs = range(len(M))
    V = [min(M[i], R[i]) for i in jobs]
    L1: list[int] = []  # Step 1
    L2: list[int] = []
    ordered = sorted(jobs, key=lambda i: V[i])  # Step 2
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
        P_m = instance.map_time[i]
        P_r = instance.reduce_time[i]
        V_m = instance.map_speed[i]
        V_r = instance.reduce_speed[i]
        T_m = instance.map_tasks[i]
        T_r = instance.reduce_tasks[i]
        mean_m = V_m.sum() / len(V_m)
        mean_r = V_r.sum() / len(V_r)
        Pbar_m = P_m * mean_m * T_m  # Eq. 1
        Pbar_r = P_r * mean_r * T_r
        if Pbar_m > Pbar_r:
            Sgn = 1
        else:
            Sgn = -1
        least = float(min(Pbar_m, Pbar_r))
        if least > 0:
            Pri.append(Sgn / least)  # Eq. 4
        else:
            Pri.append(Sgn * math.inf)
    return Pri


def min_min(T: Sequence[int], E: Times) -> list[Task]:
    """The map tasks on their machines, in the order in which Min-Min assigns them.

    `T (N,)`: tasks of each job; `E (N, M)`: the time of one task of job i on machine j. Source: HMHS,
    Section 3.2, "Dispatching Heuristic of Map Stage".

    >>> min_min([2], [[3.0, 4.0]])
    [Task(job=0, machine=0, start=0.0, finish=3.0), Task(job=0, machine=1, start=0.0, finish=4.0)]
    """
    jobs = range(len(T))
    machines = range(len(E[0]))
    unassigned = list(T)
    Ava = [0.0 for j in machines]
    assigned = []
    while any(unassigned):
        earliest = {}  # each job's minimum completion time,
        best = {}  # and the machine that gives it
        for i in jobs:
            if unassigned[i] > 0:
                C = [Ava[j] + E[i][j] for j in machines]
                least = min(C)
                earliest[i] = least
                best[i] = C.index(least)
        p = min(earliest, key=lambda i: earliest[i])  # minimum of the minima
        q = best[p]
        start = Ava[q]
        finish = earliest[p]
        assigned.append(Task(job=p, machine=q, start=start, finish=finish))
        Ava[q] = finish
        unassigned[p] -= 1
    return assigned


def dynamic_min_min(  # A (N,), T (N,), E (N, M)
    A: Sequence[float], T: Sequence[int], E: Times
) -> list[Task]:
    """The reduce tasks on their machines, in the order in which Dynamic-Min-Min assigns them.

    `A (N,)`: when job i's reduce tasks arrive; `T (N,)`: how many it has; `E (N, M)`: the time of one on
    machine j. Source: HMHS, Algorithm 1.

    >>> dynamic_min_min([2.0, 0.0], [1, 1], [[3.0, 4.0], [5.0, 1.0]])
    [Task(job=1, machine=1, start=0.0, finish=1.0), Task(job=0, machine=0, start=2.0, finish=5.0)]
    """
    jobs = range(len(T))
    machines = range(len(E[0]))
    U = [i for i in jobs if T[i] > 0]
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
                start = max(Ava[j], A[i])
                C[i, j] = E[i][j] + start  # 13
        p, q = min(C, key=lambda pair: C[pair])  # 16
        start = max(Ava[q], A[p])
        finish = C[p, q]
        task = Task(job=p, machine=q, start=start, finish=finish)
        assigned.append(task)  # 17
        Ava[q] = finish  # 18
        unassigned[p] -= 1
        if unassigned[p] == 0:  # 19
            Jw.remove(p)  # 20
    return assigned


def sequence(  # order (N,), E (N, M)
    assigned: Sequence[Task], order: Sequence[int], E: Times
) -> list[Task]:
    """The same tasks on the same machines; each machine runs its own tasks in the order of their jobs.

    `assigned`: the tasks, whose order in the list stays; `order (N,)`: the jobs; `E (N, M)`: the time of a
    task of job i on machine j. Source: HMHS, Section 3.3, step 2.

    >>> sequence(min_min([1, 1], [[4.0], [2.0]]), [0, 1], [[4.0], [2.0]])
    [Task(job=1, machine=0, start=4.0, finish=6.0), Task(job=0, machine=0, start=0.0, finish=4.0)]
    """
    clock = [0.0 for j in range(len(E[0]))]  # of each machine
    sequenced = list(assigned)
    for i in order:
        for k, task in enumerate(assigned):
            if task.job == i:
                j = task.machine
                start = clock[j]
                finish = start + E[i][j]
                moved = Task(job=i, machine=j, start=start, finish=finish)
                sequenced[k] = moved
                clock[j] = finish
    return sequenced


def three_steps(instance: Instance, order: Sequence[int]) -> TwoStages:
    """The map tasks and the reduce tasks of HMHS.

    `order (N,)`: the jobs by Pri, the smallest first, or the reverse for R-HMHS. Source: HMHS, Section 3.3.

    >>> maps, reduces = three_steps(Instance([4], [2], [[1.0]], [3], [1], [[1.0]]), [0])
    >>> len(maps), reduces[0].start
    (2, 8.0)
    """
    N = instance.n_jobs
    T_m = instance.map_tasks.tolist()
    T_r = instance.reduce_tasks.tolist()
    E_m = instance.map_task_time.tolist()
    E_r = instance.reduce_task_time.tolist()
    maps = min_min(T_m, E_m)  # 1)
    maps = sequence(maps, order, E_m)  # 2)
    A = last_finish(maps, N)  # Eq. 2
    reduces = dynamic_min_min(A, T_r, E_r)  # 3)
    return maps, reduces


def schedule(instance: Instance, policy: str = "hmhs") -> Schedule:
    """Schedule an instance by one of the paper's four policies, with the decisions of `hmhs.schedule`.

    `policy`: `"hmhs"` (Section 3.3), `"r-hmhs"`, `"fifo"`, `"fifo-pri"` (Section 4), else ValueError.

    >>> one = [[1.0], [1.0]]
    >>> two = Instance([5, 1], [1, 1], one, [1, 5], [1, 1], one)
    >>> schedule(two, "fifo").makespan, schedule(two, "hmhs").makespan
    (11.0, 7.0)
    """
    N = instance.n_jobs
    Pri = pri(instance)
    by_arrival = list(range(N))
    by_pri = sorted(by_arrival, key=lambda i: Pri[i])
    orders = {"hmhs": by_pri, "r-hmhs": by_pri[::-1], "fifo": by_arrival, "fifo-pri": by_pri}
    if policy not in orders:
        raise ValueError(f"policy: {policy!r}; the paper's are hmhs, r-hmhs, fifo, fifo-pri")
    stages = fifo_twice if policy.startswith("fifo") else three_steps
    maps, reduces = stages(instance, orders[policy])
    return as_schedule(policy, N, maps, reduces)
