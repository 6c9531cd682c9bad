"""HMHS's nouns: an instance of the two-stage problem (paper, Section 2) and a schedule of it."""

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import numpy.typing as npt
import pandas as pd

from schedlib.core.checks import frozen, numbers, refuse, typed, whole
from schedlib.workload import in_short, with_results

MOST_TASKS = 1_000_000_000
"""Of one stage of an instance."""


@dataclass(frozen=True, eq=False)
class Side:
    """One stage of an instance, on M machines.

    >>> Side(np.array([6.0, 4.0]), np.ones(2, int), np.array([[0.5, 0.25], [0.5, 0.25]])).quickest.tolist()
    [[1, 0], [1, 0]]
    """

    unit: np.ndarray  # (N,) P_i
    tasks: np.ndarray  # (N,) T_i
    speed: np.ndarray  # (N, M) V_ij

    @cached_property
    def time(self) -> np.ndarray:
        """P_i V_ij, (N, M)."""
        return frozen(self.unit[:, None] * self.speed)

    @cached_property
    def quickest(self) -> np.ndarray:
        """The jobs by their time on each machine, (M, N): the quickest first, ties by the smaller job."""
        return frozen(np.argsort(np.ascontiguousarray(self.time.T), axis=1, kind="stable"))


@dataclass(frozen=True, eq=False)
class Instance:
    """N MapReduce jobs, all present at time zero, for one pool of map machines and one of reduce machines.

    - `map_time (N,)`, `reduce_time (N,)`: P_i, the normal time of one task, in the workload's unit
    - `map_tasks (N,)`, `reduce_tasks (N,)`: T_i, how many tasks; zero is allowed
    - `map_speed (N, Mm)`, `reduce_speed (N, Mr)`: V_ij, by which machine j stretches a task of job i

    A task of job i takes P_i V_ij on machine j. A job without map tasks may start reducing at time zero; one
    without reduce tasks ends with its maps. Arrays are copied. ValueError, with the argument and the row, on
    shapes that disagree and values not finite, not positive, or (tasks) not whole. Source: HMHS, Section 2.1.

    See also: `hmhs.single`, `hmhs.hybrid`, `hmhs.from_trace`, which make one.

    >>> tiny = Instance([4, 2], [1, 1], [[1.0], [1.0]], [3, 5], [1, 1], [[1.0], [1.0]])
    >>> tiny.n_jobs, tiny.map_machines, tiny.reduce_machines
    (2, 1, 1)
    """

    map_time: np.ndarray
    map_tasks: np.ndarray
    map_speed: np.ndarray
    reduce_time: np.ndarray
    reduce_tasks: np.ndarray
    reduce_speed: np.ndarray

    def __post_init__(self) -> None:
        for name in self.__dataclass_fields__:
            if "speed" in name:
                dimensions = 2
                per = "one row per job and one column per machine"
            else:
                dimensions = 1
                per = "one value per job"
            values = numbers(name, getattr(self, name), dimensions, per)
            if len(values) != self.n_jobs:
                raise ValueError(
                    f"{name}: {len(values)} rows for {self.n_jobs} jobs; give one per job"
                )
            if "tasks" in name:
                whole(name, values, 0)
                total = values.sum()
                if total > MOST_TASKS:
                    raise ValueError(
                        f"{name}: {total:.3g} tasks in all; give at most {MOST_TASKS:,}"
                    )
                values = frozen(values.astype(np.int64))
            else:
                right = np.isfinite(values) & (values > 0)
                refuse(name, ~right, values, "must be positive and finite")
            object.__setattr__(self, name, values)

    if TYPE_CHECKING:  # lists are taken, arrays are kept

        def __init__(
            self,
            map_time: npt.ArrayLike,
            map_tasks: npt.ArrayLike,
            map_speed: npt.ArrayLike,
            reduce_time: npt.ArrayLike,
            reduce_tasks: npt.ArrayLike,
            reduce_speed: npt.ArrayLike,
        ) -> None: ...

    @property
    def n_jobs(self) -> int:
        """N, the number of jobs."""
        return len(self.map_time)

    @property
    def map_machines(self) -> int:
        """Mm, the number of map machines."""
        return self.map_speed.shape[1]

    @property
    def reduce_machines(self) -> int:
        """Mr, the number of reduce machines."""
        return self.reduce_speed.shape[1]

    @cached_property
    def maps(self) -> Side:
        """The map stage."""
        return Side(self.map_time, self.map_tasks, self.map_speed)

    @cached_property
    def reduces(self) -> Side:
        """The reduce stage."""
        return Side(self.reduce_time, self.reduce_tasks, self.reduce_speed)

    @property
    def map_task_time(self) -> np.ndarray:
        """P_i V_ij of the map stage, (N, Mm)."""
        return self.maps.time

    @property
    def reduce_task_time(self) -> np.ndarray:
        """P_i V_ij of the reduce stage, (N, Mr)."""
        return self.reduces.time

    @typed
    def head(self, n: int) -> "Instance":
        """The first n jobs on the same machines; ValueError unless 1 <= n <= N."""
        if not 1 <= n <= self.n_jobs:
            raise ValueError(f"n: {n}, must be from 1 to {self.n_jobs}, the number of jobs")
        return Instance(*(getattr(self, name)[:n] for name in self.__dataclass_fields__))


class Stage(NamedTuple):
    """The tasks of one stage as they ran, one entry per task in the order of dispatch."""

    job: np.ndarray
    machine: np.ndarray
    start: np.ndarray
    finish: np.ndarray

    @classmethod
    def empty(cls, tasks: int) -> "Stage":
        """Room for a number of tasks."""
        return cls(*np.empty((2, tasks), np.int64), *np.empty((2, tasks)))


def latest(least: np.ndarray, stage: Stage) -> np.ndarray:
    """When the last task of each job ends in this stage, (N,), and at least `least (N,)`."""
    end = least.copy()
    np.maximum.at(end, stage.job, stage.finish)
    return end


@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class Schedule:
    """A schedule: when every task of every job runs, and where. All times in the instance's unit.

    - `makespan`: C, the end of the last task (Eq. 3); `job_end (N,)`: when job i's last task ends
    - `map_end (N,)`: A_i, when job i's last map task ends and its reduces may start (Eq. 2); 0 without maps
    - `map`, `reduce`: the tasks as arrays; `tasks`: the same as one frame; `jobs`: a frame with a row per job
    - `submit`: when the jobs came, 0 for a batch
    - `steps`: candidates looked at by the dispatcher, a count that repeats where wall-clock time does not;
      `steps_full_scan`: those of the paper's loops over all waiting jobs and machines

    See also: `hmhs.schedule`, `hmhs.lower_bound`.

    >>> from schedlib import hmhs
    >>> done = hmhs.schedule(Instance([4], [2], [[1.0]], [3], [1], [[1.0]]), "fifo")
    >>> done.makespan, done.map_end.tolist(), len(done.tasks)
    (11.0, [8.0], 3)
    """

    policy: str
    map_end: np.ndarray
    map: Stage
    reduce: Stage
    steps: int = 0
    steps_full_scan: int = 0
    submit: np.ndarray | float = 0.0

    def __repr__(self) -> str:
        return in_short(self, self.policy, self.jobs)

    @cached_property
    def jobs(self) -> pd.DataFrame:
        """One row per job: `job, class` (0), `submit`, `start` of the first task, `finish`, `map_end`.

        A job without tasks starts when it ends.
        """
        start = self.job_end.copy()
        for stage in (self.map, self.reduce):
            np.minimum.at(start, stage.job, stage.start)
        found = {"submit": self.submit, "start": start, "finish": self.job_end}
        jobs = pd.DataFrame(index=range(start.size))
        return with_results(jobs, found | {"map_end": self.map_end})

    @cached_property
    def job_end(self) -> np.ndarray:
        """When each job's last task ends, (N,)."""
        return latest(self.map_end, self.reduce)

    @property
    def makespan(self) -> float:
        """The end of the last task."""
        return float(self.job_end.max())  # Eq. 3

    @cached_property
    def tasks(self) -> pd.DataFrame:
        """One row per task: `stage, job, machine, start, finish`, sorted by stage, machine and start."""
        stages = {
            "map": pd.DataFrame(self.map._asdict()),
            "reduce": pd.DataFrame(self.reduce._asdict()),
        }
        frame = pd.concat(stages, names=["stage", None]).reset_index("stage")
        return frame.sort_values(["stage", "machine", "start"], kind="stable", ignore_index=True)
