"""HMHS's rival in plain Python: FIFO (HMHS, Section 4). Read `plain.py` first.

The text leaves open which machine asks first: here the one that became free first, of several the smallest. It
gets the first job in the order that has a task left and may start; later jobs overtake one that may not.
"""

from collections.abc import Sequence

from schedlib.hmhs.model import Instance
from schedlib.hmhs.plain_model import Task, Times, TwoStages, last_finish


def fifo(  # order (N,), A (N,), T (N,), E (N, M)
    order: Sequence[int], A: Sequence[float], T: Sequence[int], E: Times
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
        q = min(machines, key=lambda j: Ava[j])  # the first that became free
        first_arrival = min(A[i] for i in queue)
        now = max(Ava[q], first_arrival)  # it waits if no job may start yet
        able = [i for i in queue if A[i] <= now]
        p = able[0]
        finish = now + E[p][q]
        assigned.append(Task(job=p, machine=q, start=now, finish=finish))
        Ava[q] = finish
        unassigned[p] -= 1
    return assigned


def fifo_twice(instance: Instance, order: Sequence[int]) -> TwoStages:
    """The map tasks and the reduce tasks of FIFO, or of FIFO-Pri if `order` is by Pri.

    `order (N,)`: the jobs, first in first out. Source: HMHS, Section 4.

    >>> maps, reduces = fifo_twice(Instance([4], [2], [[1.0]], [3], [1], [[1.0]]), [0])
    >>> len(maps), reduces[0].start
    (2, 8.0)
    """
    N = instance.n_jobs
    T_m = instance.map_tasks.tolist()
    T_r = instance.reduce_tasks.tolist()
    E_m = instance.map_task_time.tolist()
    E_r = instance.reduce_task_time.tolist()
    at_zero = [0.0 for i in range(N)]
    maps = fifo(order, at_zero, T_m, E_m)
    A = last_finish(maps, N)  # Eq. 2
    reduces = fifo(order, A, T_r, E_r)
    return maps, reduces
