"""A workload as the schedulers see it: estimates, classes, times of submission."""

import math
from collections.abc import Sequence
from numbers import Real
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from schedlib.eagle.simulating.records import JOB, table
from schedlib.workload import Workload

DEPHASING = 0.01  # s
Estimate: TypeAlias = str | float | Sequence[float]
LARGEST = 1e9
"""The largest factor of an estimate: sums of estimates stay exact enough."""


class Prepared(NamedTuple):
    """N jobs in the order of their submission, and T tasks in that of the workload."""

    order: np.ndarray  # (N,), the rows of the jobs in the workload
    jobs: np.recarray  # (N,), records `JOB`
    duration: np.ndarray  # (T,)


def dephased(submit: np.ndarray) -> np.ndarray:
    """Times (N,), sorted, with each job that shares its own put 0.01 s after the last one of that time.

    The authors' simulator does this, and counts completion times from the moved time.

    >>> dephased(np.array([0.0, 0.0, 0.0, 1.0]))
    array([0.  , 0.01, 0.02, 1.  ])
    """
    fresh = np.concatenate(([True], submit[1:] != submit[:-1]))
    rows = np.arange(len(submit))
    earlier = rows - np.maximum.accumulate(np.where(fresh, rows, 0))
    times = np.array(submit, float)
    for k in range(1, int(earlier.max()) + 1):  # one after another, since a product would round otherwise
        these = rows[earlier == k]
        times[these] = times[these - 1] + DEPHASING
    return times


def factors(estimate: Estimate, jobs: int, rng: np.random.Generator) -> np.ndarray:
    """What each job's true mean is multiplied by to give its estimate; ValueError as `simulate` says."""
    if isinstance(estimate, str) and estimate == "mean":
        return np.ones(jobs)
    pair: Any = (estimate, estimate) if isinstance(estimate, Real) else estimate
    is_pair = isinstance(pair, Sequence) and len(pair) == 2 and all(isinstance(end, Real) for end in pair)
    if not is_pair or not 0 < pair[0] <= pair[1] <= LARGEST:
        rule = f"give 'mean', a positive factor up to {LARGEST:g}, or a pair (low, high) of such"
        raise ValueError(f"estimate: {estimate!r}; {rule}")
    low, high = float(pair[0]), float(pair[1])
    return rng.uniform(low, high, jobs) if low < high else np.full(jobs, low)


def prepare(workload: Workload, cutoff: float | None, estimate: Estimate, published: bool,
            rng: np.random.Generator) -> Prepared:
    """The jobs in the order in which they are submitted.

    Without a cut-off, jobs of class 0 are short and all others long. As published, means and durations are
    cut to whole seconds, before and after a factor is applied, and submissions are dephased. Raises
    ValueError on a job without tasks and on a cut-off that leaves one class empty, unless it is 0 or
    infinite, which says so on purpose.
    """
    frame, offsets = workload.jobs, workload.offsets
    tasks = np.diff(offsets)
    if not tasks.all():
        raise ValueError(f"workload: the job in row {int(np.argmin(tasks))} has no task; leave such jobs out")
    duration = workload.tasks["duration"].to_numpy(float)
    mean = np.add.reduceat(duration, offsets[:-1]) / tasks
    if "mean" in frame:
        mean = frame["mean"].to_numpy(float)
    if bad := np.flatnonzero(~(np.isfinite(mean) & (mean >= 0))).tolist():
        value = f"'mean' in row {bad[0]} of jobs is {mean[bad[0]]}"
        raise ValueError(f"workload: {value}; give a number of seconds, or leave the column out")
    submit = frame["submit"].to_numpy(float)
    if published:
        mean, duration, submit = np.floor(mean), np.floor(duration), dephased(submit)
    long = frame["class"].to_numpy() > 0 if cutoff is None else mean > cutoff
    if cutoff is not None and 0 < cutoff < math.inf and long.all() == long.any():
        which, on_purpose = ("long", "0") if long.all() else ("short", "math.inf")
        raise ValueError(
            f"cutoff: {cutoff:g} s makes all jobs {which}, since their mean durations go from {mean.min():g} "
            f"to {mean.max():g} s; give one in between, or {on_purpose} to say so")
    guess = factors(estimate, len(frame), rng) * mean
    order, jobs = np.argsort(submit, kind="stable"), table(len(frame), JOB)
    jobs.submit, jobs.estimate = submit[order], (np.floor(guess) if published else guess)[order]
    jobs.tasks = jobs.unstarted = jobs.known = tasks[order]
    jobs.long, jobs.first = long[order], offsets[:-1][order]
    jobs.copy_row = jobs.stamp = -1
    duration.flags.writeable = False
    return Prepared(order=order, jobs=jobs, duration=duration)
