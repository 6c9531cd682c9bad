"""A workload as the schedulers see it: estimates, classes, times of submission (READINGS 1-4 where as published)."""

import math
from collections.abc import Sequence
from numbers import Real
from typing import NamedTuple

import numpy as np

from schedlib.workload import Workload

DEPHASING = 0.01  # s
MOST = 1e9
"""The largest factor of an estimate: sums of estimates stay exact enough."""


class Prepared(NamedTuple):
    """Jobs (N,) in the order of their submission, `order` is that in the workload; `duration (T,)` of tasks, a job's begin at `first`."""

    order: np.ndarray
    submit: np.ndarray
    estimate: np.ndarray
    long: np.ndarray
    tasks: np.ndarray
    first: np.ndarray
    duration: np.ndarray


def dephased(submit: np.ndarray) -> np.ndarray:
    """Times (N,), sorted, with each job that shares its own put 0.01 s after the last one of that time (READINGS 4).

    >>> dephased(np.array([0.0, 0.0, 0.0, 1.0]))
    array([0.  , 0.01, 0.02, 1.  ])
    """
    fresh = np.concatenate(([True], submit[1:] != submit[:-1]))
    at = np.arange(len(submit))
    earlier = at - np.maximum.accumulate(np.where(fresh, at, 0))
    times = np.array(submit, float)
    for k in range(1, int(earlier.max()) + 1):  # one after another, since a product would round otherwise
        these = at[earlier == k]
        times[these] = times[these - 1] + DEPHASING
    return times


def factors(estimate, jobs: int, rng) -> np.ndarray:
    """What each job's true mean is multiplied by to give its estimate; ValueError when `estimate` is not as `simulate` says."""
    if isinstance(estimate, str):
        if estimate != "mean":
            raise ValueError(f"estimate: {estimate!r}; give 'mean', a factor, or a pair (low, high) of factors")
        return np.ones(jobs)
    pair = (estimate, estimate) if isinstance(estimate, Real) else estimate
    numbers = isinstance(pair, Sequence) and len(pair) == 2 and all(isinstance(factor, Real) for factor in pair)
    if not numbers or not 0 < pair[0] <= pair[1] <= MOST:
        raise ValueError(f"estimate: {estimate!r}; give 'mean', a positive factor up to {MOST:g}, or a pair (low, high) of such")
    return rng.uniform(*pair, jobs) if pair[0] < pair[1] else np.full(jobs, float(pair[0]))


def prepare(workload: Workload, cutoff: float | None, estimate, published: bool, rng) -> Prepared:
    """The jobs in the order in which they are submitted.

    Without a cut-off, jobs of class 0 are short and all others long. As published, means and durations are cut to whole seconds and
    submissions are dephased. Raises ValueError on a job without tasks and on a cut-off that leaves one class empty, unless it is 0 or
    infinite, which says so on purpose.
    """
    jobs, offsets = workload.jobs, workload.offsets
    tasks = np.diff(offsets)
    if not tasks.all():
        raise ValueError(f"workload: the job in row {int(np.argmin(tasks))} has no task; leave such jobs out")
    duration = workload.tasks["duration"].to_numpy(float)
    mean = jobs["mean"].to_numpy(float) if "mean" in jobs else np.add.reduceat(duration, offsets[:-1]) / tasks
    if bad := np.flatnonzero(~(np.isfinite(mean) & (mean >= 0))).tolist():
        raise ValueError(f"workload: 'mean' in row {bad[0]} of jobs is {mean[bad[0]]}; give a number of seconds, or leave the column out")
    submit = jobs["submit"].to_numpy(float)
    if published:
        mean, duration, submit = np.floor(mean), np.floor(duration), dephased(submit)
    long = jobs["class"].to_numpy() > 0 if cutoff is None else mean > cutoff
    if cutoff is not None and 0 < cutoff < math.inf and long.all() == long.any():
        which = "long" if long.all() else "short"
        raise ValueError(
            f"cutoff: {cutoff:g} s makes all jobs {which}, since their mean durations go from {mean.min():g} to {mean.max():g} s; "
            f"give one in between, or {'0' if long.all() else 'math.inf'} to say so"
        )
    guess = factors(estimate, len(jobs), rng) * mean
    duration.flags.writeable = False
    order = np.argsort(submit, kind="stable")
    return Prepared(
        order,
        submit[order],
        (np.floor(guess) if published else guess)[order],
        long[order],
        tasks[order],
        offsets[:-1][order],
        duration,
    )
