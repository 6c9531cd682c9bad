"""Measures of a workload by which Eagle's cut-offs, partitions and loads are chosen."""

import numpy as np
import pandas as pd

from schedlib.core.checks import typed
from schedlib.workload import Workload


@typed
def job_means(workload: Workload) -> np.ndarray:
    """Mean duration of the tasks of each job, (N,), s: it makes a job long or short, and is its estimate.

    Raises ValueError on a job without tasks.

    >>> job_means(Workload.from_arrays([0, 1], [2.0, 4.0, 9.0], tasks=[2, 1])).tolist()
    [3.0, 9.0]
    """
    return workload.work() / np.diff(workload.offsets)


@typed
def table1(workload: Workload, cutoff: float) -> pd.DataFrame:
    """Table 1 for this workload, one row: `jobs`, `long_jobs` (%), `long_work` (% of the task-seconds).

    `cutoff` in s: jobs with a mean duration above are long. Raises ValueError when it leaves no short or no
    long job. Source: Eagle, Table 1.

    >>> w = Workload.from_arrays([0, 1, 2, 3], [2, 4, 9, 1, 15], tasks=[2, 1, 1, 1])
    >>> table1(w, cutoff=10)
       jobs  long_jobs  long_work
    0     4       25.0  48.387097
    """
    work, long = _work_and_class(workload, cutoff)
    return pd.DataFrame(
        {
            "jobs": [len(work)],
            "long_jobs": [100 * long.mean()],
            "long_work": [100 * work[long].sum() / work.sum()],
        }
    )


@typed
def short_share(workload: Workload, cutoff: float) -> float:
    """The short jobs' share of the task-seconds, 0 to 1: by the paper's rule their part of the workers.

    `cutoff` as in `table1`. Source: Eagle, Section 5.

    >>> short_share(Workload.from_arrays([0, 1], [1.0, 3.0]), cutoff=2)
    0.25
    """
    work, long = _work_and_class(workload, cutoff)
    return float(work[~long].sum() / work.sum())


@typed
def cutoff_for(workload: Workload, long_share: float = 0.1) -> float:
    """A cut-off (s), half-way between two jobs' means, that makes close to `long_share` of the jobs long.

    As close as means differ; of two cut-offs equally close the higher one. Hawk's authors take the tenth of
    Google's jobs with the longest means. Raises ValueError unless 0 < long_share < 1, and when all jobs have
    the same mean.

    >>> w = Workload.from_arrays([0, 1, 2, 3], [1.0, 2.0, 6.0, 8.0])
    >>> cutoff_for(w, 0.25), cutoff_for(w, 0.5)
    (7.0, 4.0)
    """
    if not 0 < long_share < 1:
        raise ValueError(f"long_share: {long_share}, must be above 0 and below 1")
    means, count = np.unique(job_means(workload), return_counts=True)
    if len(means) < 2:
        same = f"every job's tasks take {means[0]:g} s on average"
        raise ValueError(f"workload: {same}, so that no cut-off makes two classes")
    # long jobs when the cut-off lies between means i and i + 1
    jobs = count.sum()
    above = (jobs - np.cumsum(count))[:-1]
    misses = np.abs(above - long_share * jobs)
    least = np.flatnonzero(misses == misses.min())
    i = least[-1]
    return float((means[i] + means[i + 1]) / 2)


@typed
def offered_load(workload: Workload, workers: int) -> float:
    """Work that arrives as a share of what `workers` can do: task-seconds over workers times the time span.

    Above 1 queues grow. Raises ValueError on `workers` below 1 and when all jobs come at once.

    >>> offered_load(Workload.from_arrays([0, 10], [4.0, 5.0]), workers=2)
    0.45
    """
    if workers < 1:
        raise ValueError(f"workers: {workers}, must be at least 1")
    submit = workload.jobs["submit"].to_numpy()
    if submit[0] == submit[-1]:
        raise ValueError(
            f"workload: all jobs are submitted at {submit[0]:g} s; a load needs a time span"
        )
    workload.require_tasks()
    work = workload.tasks["duration"].sum()
    span = submit[-1] - submit[0]
    return float(work / (workers * span))


def _work_and_class(workload, cutoff):
    """Each job's task-seconds, and whether it is long."""
    means = job_means(workload)
    long = means > cutoff
    if not (cutoff > 0 and long.any() and not long.all()):
        span = f"{means.min():g} to {means.max():g} s"
        raise ValueError(
            f"cutoff: {cutoff} s does not part the jobs, whose mean durations go from {span}; "
            "choose one in between, such as cutoff_for(workload)"
        )
    return workload.work(), long
