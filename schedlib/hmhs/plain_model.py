"""A task, and a list of tasks as the library's schedule. Read `plain.py` first."""

from collections.abc import Sequence
from typing import NamedTuple, TypeAlias

import numpy as np

from schedlib.hmhs.model import Schedule, Stage, latest


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


def last_finish(tasks: Sequence[Task], N: int) -> list[float]:
    """When the last of each job's `tasks` ends, (N,): A_i if they are map tasks. Source: HMHS, Eq. 2.

    `N`: the number of jobs. A job without tasks ends at 0.

    >>> last_finish([Task(0, 0, 0.0, 3.0), Task(0, 1, 0.0, 4.0)], N=2)
    [4.0, 0.0]
    """
    latest = [0.0 for i in range(N)]
    for task in tasks:
        so_far = latest[task.job]
        latest[task.job] = max(so_far, task.finish)
    return latest


def as_schedule(policy: str, N: int, maps: Sequence[Task], reduces: Sequence[Task]) -> Schedule:
    """The library's schedule of the tasks of N jobs (Eq. 2 and 3), for pictures; its `steps` stay 0.

    >>> as_schedule("mine", 1, [Task(job=0, machine=0, start=0.0, finish=4.0)], []).makespan
    4.0
    """
    map_stage = _stage(maps)
    map_end = latest(np.zeros(N), map_stage)  # Eq. 2
    return Schedule(policy=policy, map_end=map_end, map=map_stage, reduce=_stage(reduces))


def _stage(tasks: Sequence[Task]) -> Stage:
    """The tasks as the library's arrays, in the same order."""
    columns = [("job", "i8"), ("machine", "i8"), ("start", "f8"), ("finish", "f8")]
    table = np.array(tasks, columns)
    return Stage(*(table[name] for name in Stage._fields))
