"""Laws that hold for any run, checked on its record, whatever the simulator believed."""

from collections.abc import Sequence

import numpy as np
import pandas as pd

from schedlib.core.compiling import compiled

SLACK = 1e-9  # of a capacity or a time: rounding
# in this order at one time; what takes no time ends after its start
ENDS, STARTS = range(2)
# of jobs on machines, in this order at one time: a machine looks at who waits once its jobs have left and begun
LEAVES, BEGINS, LOOKS, ARRIVES = range(4)


def in_use(submit: np.ndarray, start: np.ndarray, finish: np.ndarray, part: np.ndarray) -> float:
    """The percentage of all machines in use, from the first submission to the last end, the mean over the R
    resources. `start, finish (T,)`; `part (T, R)` of all the machines that a task takes.

    >>> float(in_use(np.array([1.0]), np.array([1.0, 2.0]), np.array([3.0, 5.0]), np.full((2, 1), 0.5)))
    62.5
    """
    taken = (finish - start) @ part
    span = finish.max() - submit.min()
    return 100 * taken.mean() / span


def over_capacity(
    what: str,
    machine: np.ndarray,
    start: np.ndarray,
    finish: np.ndarray,
    demand: np.ndarray,
    capacity: np.ndarray,
    resources: Sequence[str] = ("tasks",),
) -> str:
    """The sentence on the first task whose start takes a machine above its capacity, empty when none does.

    `machine, start, finish (T,)`, `demand (T, R)`, `capacity (N, R)`, of R `resources`; tasks with machine -1 did
    not run. Of what happens at one time, tasks end before others start. Tasks that take no time are left out:
    several run one after the other at one time.

    >>> times = np.array([0.0, 1.0]), np.array([2.0, 3.0])
    >>> over_capacity("task", np.array([0, 0]), *times, np.array([[2.0], [1.0]]), np.array([[2.5]]))
    'capacity: task 1 at 1 takes machine 0 to 3 tasks, and it has 2.5'
    """
    ran = np.flatnonzero((machine >= 0) & (finish > start))
    kind = np.repeat((ENDS, STARTS), len(ran))
    time = np.concatenate((finish[ran], start[ran]))
    task = np.tile(ran, 2)
    order = np.lexsort((kind, machine[task], time))
    task = task[order]
    where = machine[task]
    starts = kind[order, None] == STARTS
    amount = demand[task]
    change = pd.DataFrame(np.where(starts, amount, -amount))
    used = change.groupby(where).cumsum().to_numpy()
    rounding = demand.max(axis=0, initial=0.0) * len(ran) ** 0.5
    room = capacity[where]
    over = starts & (used > room + SLACK * (room + rounding))
    if not over.any():
        return ""
    row, l = np.argwhere(over)[0]
    begins = start[task[row]]
    return (
        f"capacity: {what} {task[row]} at {begins:.4g} takes machine {where[row]} to "
        f"{used[row, l]:.4g} {resources[l]}, and it has {room[row, l]:.4g}"
    )


def two_at_once(
    what: str, machines: int, machine: np.ndarray, start: np.ndarray, finish: np.ndarray
) -> str:
    """The sentence on the first task (T,) that starts on a machine which still runs another; else empty.

    >>> two_at_once("task", 1, np.array([0, 0]), np.array([0.0, 1.0]), np.array([2.0, 3.0]))
    'capacity: task 1 at 1 takes machine 0 to 2 tasks, and it has 1'
    """
    one = np.ones((len(machine), 1))
    return over_capacity(what, machine, start, finish, one, np.ones((machines, 1)))


def idle_while_waiting(
    machines: int, ready: np.ndarray, start: np.ndarray, finish: np.ndarray
) -> float:
    """The share of the machines' time that passes idle while a task is ready and not started.

    `ready, start, finish (T,)` of tasks that take a whole machine each. Time ends with the last start.

    >>> idle_while_waiting(2, np.array([0.0, 0.0]), np.array([0.0, 4.0]), np.array([4.0, 6.0]))
    0.5
    """
    tasks = len(start)
    span = start.max() - ready.min() if tasks else 0.0
    if span <= 0:
        return 0.0
    time = np.concatenate((ready, start, finish))
    order = np.argsort(time, kind="stable")
    joins = np.repeat((1, -1, 0), tasks)
    takes = np.repeat((0, 1, -1), tasks)
    waiting = joins[order].cumsum()
    busy = takes[order].cumsum()
    idle = machines - busy[:-1]
    spans = np.diff(time[order])
    lost = spans * idle
    lost = lost[waiting[:-1] > 0]
    return float(lost.sum() / (machines * span))


def passed_over(
    submit: np.ndarray,
    start: np.ndarray,
    finish: np.ndarray,
    machine: np.ndarray,
    demand: np.ndarray,
    capacity: np.ndarray,
    unit: str,
) -> tuple[float, str]:
    """The share of the jobs that waited at a decision although a machine had room, and the sentence on them.

    An arriving job may go to any machine; a machine that jobs leave may start any waiting one. At one time
    jobs leave before others arrive. `submit, start, finish, machine (N,)` of jobs that all ran, `demand (N, R)`,
    `capacity (M, R)`.

    >>> submit, start, finish = np.array([[0.0, 1.0, 2.0], [0.0, 4.0, 6.0], [4.0, 6.0, 7.0]])
    >>> times, one = (submit, start, finish, np.zeros(3, int)), np.ones((3, 1))
    >>> passed_over(*times, one, np.ones((1, 1)), "s")
    (0.0, '')
    >>> print(passed_over(*times, one, np.ones((2, 1)), "s")[1])
    2 of 3 jobs waited while a machine had room for them, first job 1 at 1 s (machine 1); on purpose? ...
    """
    jobs = np.arange(len(submit))
    waited = np.flatnonzero(start > submit)
    kind = np.repeat(
        (LEAVES, BEGINS, LOOKS, ARRIVES), (len(jobs), len(waited), len(jobs), len(jobs))
    )
    job = np.concatenate((jobs, waited, jobs, jobs))
    when = np.concatenate((finish, start[waited], finish, submit))
    where = np.where(kind == ARRIVES, len(capacity), machine[job])  # arrivals after all machines
    order = np.lexsort((where, when))  # of one place and time they stay as above
    size = np.where((finish > start)[:, None], demand, 0.0)  # what ends at once takes no room
    moment, place = _passed_over(
        when[order],
        kind[order],
        job[order],
        start,
        machine.astype(np.int64),
        demand.astype(float),
        size,
        capacity + SLACK * capacity.max(axis=0),
    )
    passed = np.isfinite(moment).sum()
    if not passed:
        return 0.0, ""
    first = moment.argmin()
    text = (
        f"{passed} of {len(jobs)} jobs waited while a machine had room for them, first job {first} at "
        f"{moment[first]:.4g} {unit} (machine {place[first]}); on purpose? If not, let `arrive` and `leave` try every one"
    )
    return passed / len(jobs), text


@compiled
def _passed_over(when, kind, job_of, start, machine, demand, size, free):
    """When each job was passed over first (infinite: never), and where, (N,) each.

    From events in order: times, kinds and jobs (E,); `size (N, R)` is what a job takes. `start, machine (N,)`,
    `demand (N, R)`; `free (M, R)` is written over.
    """
    line = np.empty(len(start), np.int64)  # jobs that wait and were never passed over, by arrival
    waiting = 0
    moment = np.full(len(start), np.inf)
    where = np.full(len(start), -1)
    for event in range(len(when)):
        now = when[event]
        job = job_of[event]
        place = machine[job]
        if kind[event] == LEAVES:
            free[place] += size[job]
        elif kind[event] == BEGINS or kind[event] == ARRIVES and start[job] == now:
            free[place] -= size[job]
        elif kind[event] == ARRIVES:
            place = 0
            while place < len(free) and (demand[job] > free[place]).any():
                place += 1
            if place < len(free):
                moment[job] = now
                where[job] = place
            else:
                line[waiting] = job
                waiting += 1
        else:
            # the machine has chosen: a job that still waits and fits was passed over
            kept = 0
            for rank in range(waiting):
                job = line[rank]
                if start[job] > now and (demand[job] <= free[place]).all():
                    moment[job] = now
                    where[job] = place
                elif start[job] > now:
                    line[kept] = job
                    kept += 1
            waiting = kept
    return moment, where
