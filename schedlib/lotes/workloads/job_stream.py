"""Jobs as the simulator takes them: block after block, in order of arrival."""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from schedlib.workload import Workload

BLOCK = 1 << 15


class Arrivals(NamedTuple):
    """B jobs in order of arrival: `submit`, `job_class`, `work (B,)`; `demand (B, R)`, not in fractions."""

    submit: np.ndarray
    job_class: np.ndarray
    work: np.ndarray
    demand: np.ndarray


class Tasks:
    """A `Workload` as the simulator takes it: each task is a job of its own, whose work is its duration."""

    def __init__(self, workload: Workload):
        jobs, tasks = workload.jobs, workload.tasks
        counts = np.diff(workload.offsets)
        self.job = np.repeat(jobs["job"].to_numpy(), counts)
        self.submit = np.repeat(jobs["submit"].to_numpy(float), counts)
        self.job_class = np.repeat(jobs["class"].to_numpy(np.int64), counts)
        self.work = tasks["duration"].to_numpy(float)
        self.demand = tasks[list(workload.resources)].to_numpy(float)
        self.resources, self.time_unit = workload.resources, workload.time_unit

    def typical(self) -> np.ndarray:
        """The mean demand, (R,)."""
        return self.demand.mean(axis=0)

    def blocks(self) -> Iterator[Arrivals]:
        """The jobs in order of arrival, some ten thousand at a time."""
        for at in range(0, len(self.submit), BLOCK):
            rows = slice(at, at + BLOCK)
            yield Arrivals(self.submit[rows], self.job_class[rows], self.work[rows], self.demand[rows])
