"""The library's objects, in plain Python: an allocation of stage 1, and what is measured of a run of stage 3.

Read `plain.py` first.
"""

import math
from collections.abc import Callable
from itertools import product
from typing import Any

import numpy as np
import pandas as pd

from schedlib.lotes.model import UNITS, Allocation, JobClasses, MachineConfigs, scaled
from schedlib.lotes.plain_datacentre import Job
from schedlib.lotes.simulation import Simulation
from schedlib.workload import Workload


def first_needed(r_k: np.ndarray) -> int:
    """The first resource that a class with the demands `r_k (R,)` needs: the paper's resource 1 (Eq. 3).

    >>> first_needed(np.array([0.0, 2.0]))
    1
    """
    return int(np.argmax(r_k > 0))


def as_allocation(
    configs: MachineConfigs,
    classes: JobClasses,
    rate: float,
    delta: np.ndarray,
) -> Allocation:
    """The library's allocation with the solver's `rate` and `delta (M, K, R)`; a share below 1e-9 is 0.

    >>> one = JobClasses([1.0], [[3.0]], [[1.0]])
    >>> as_allocation(MachineConfigs([[6.0]], [2]), one, 4.0, np.array([[[1.0]]])).running.tolist()
    [[4.0]]
    """
    c = configs.capacity
    n = configs.count
    r = classes.demand
    M = range(len(c))
    K = range(len(r))
    running = np.zeros((len(M), len(K)))  # how many jobs these shares hold
    for j, k in product(M, K):
        one = first_needed(r[k])
        part = delta[j, k, one]
        if part > 1e-9:
            held = part * c[j, one] * n[j]
            running[j, k] = held / r[k, one]
        else:
            delta[j, k] = 0.0
    return Allocation(rate=rate, delta=delta, running=running)


def simulation(
    policy: str, seed: int, configs: MachineConfigs, workload: Workload, jobs: list[Job]
) -> Simulation:
    """The `Simulation` of a run that is over, from what became of its jobs.

    Its `policy`, `seed` and `jobs` equal those of `lotes.simulate`, and so do, to rounding, all counts, means
    and sums, the columns of `intervals`, `utilisation`, `fragmentation`, `ages`, `time` and `width`. These
    are not filled: `options` and `sketch` are empty, `looked` is NaN.

    >>> work = Workload.from_arrays([0, 1], [4.0, 2.0], cores=[3, 2])
    >>> late = Job(1, 0, submit=1.0, w=2.0, r=[2.0], start=4.0, finish=6.0, machine=0)
    >>> done = [Job(0, 0, submit=0.0, w=4.0, r=[3.0], start=0.0, finish=4.0, machine=0), late]
    >>> run = simulation("by hand", 0, MachineConfigs([[3.0]], [1]), work, done)
    >>> run.mean_response, run.mean_queue
    (1.5, 0.5)
    """
    rows = _rows(jobs, workload)
    submit = rows["submit"].to_numpy()
    start = rows["start"].to_numpy()
    finish = rows["finish"].to_numpy()
    ran = ~np.isnan(start)
    last_exit = finish[ran].max(initial=0.0)
    time = max(submit.max(), last_exit)  # the last event
    waits = (start - submit)[ran]
    ages = (time - submit)[~ran]
    begun = np.where(ran, start, time)  # here a job leaves the queue,
    gone = np.where(ran, finish, time)  # and here the system
    r = np.array([job.r for job in jobs])
    total = total_capacity(configs)
    utilisation, fragmentation = _use(submit, begun, gone, r, total, time)
    width = _width(jobs)
    return Simulation(
        policy=policy,
        options={},
        seed=seed,
        jobs=rows,
        arrived=len(jobs),
        started=int(ran.sum()),
        finished=int(ran.sum()),
        waiting=int((~ran).sum()),
        mean_response=float(waits.mean()) if len(waits) else math.nan,
        longest=float(waits.max(initial=0.0)),
        mean_queue=_mean_number(begun - submit, time),
        ages=np.sort(ages)[::-1],
        looked=math.nan,
        intervals=_intervals(rows, time, width),
        utilisation=utilisation,
        fragmentation=fragmentation,
        time=float(time),
        sketch=np.zeros(0),
        width=width,
    )


def total_capacity(configs: MachineConfigs) -> np.ndarray:
    """What all machines have of each resource, (R,), in fractions of the largest machine.

    >>> total_capacity(MachineConfigs([[4.0], [2.0]], [1, 2])).round(6).tolist()
    [2.0]
    """
    capacity, _ = scaled(configs.capacity, configs.capacity)
    return configs.count @ (capacity / UNITS)


def _width(jobs: list[Job]) -> float:
    """How long an interval of `Simulation.intervals` is."""
    last_arrival = jobs[-1].submit
    longest = max(job.w for job in jobs)
    span = max(last_arrival, longest) or 1.0
    return span / 100


def _mean_number(spells: np.ndarray, time: float) -> float:
    """How many jobs are there on average, from how long each of them was there."""
    if time == 0:
        return 0.0
    return float(spells.sum() / time)


def _rows(jobs: list[Job], workload: Workload) -> pd.DataFrame:
    """`Simulation.jobs`."""
    return pd.DataFrame(
        {
            "job": workload.tasks["job"],
            "class": [job.k for job in jobs],
            "submit": [job.submit for job in jobs],
            "start": [job.start for job in jobs],
            "finish": [job.finish for job in jobs],
            "machine": [job.machine for job in jobs],
        }
    )


def _use(
    submit: np.ndarray,
    begun: np.ndarray,
    gone: np.ndarray,
    r: np.ndarray,
    total: np.ndarray,
    time: float,
) -> tuple[np.ndarray, np.ndarray]:
    """The used part of each resource, (R,), and its idle part while jobs waited, (R,)."""
    if time == 0:
        return 0 * total, np.full(len(total), np.nan)
    queued = _queued(submit, begun)
    held = queued(time)
    busy = r.T @ (gone - begun)
    while_queued = queued(gone) - queued(begun)
    busy_queued = r.T @ while_queued
    with np.errstate(invalid="ignore", divide="ignore"):
        idle = 1 - busy_queued / (held * total)
    return busy / (time * total), idle


def _queued(submit: np.ndarray, begun: np.ndarray) -> Callable[[Any], Any]:
    """A function of time t: during how much of the time until t at least one job waited."""
    times = [0.0]
    total = [0.0]
    for first, last in zip(submit, begun, strict=True):  # in the order of submission
        first = max(first, times[-1])
        if last > first:
            so_far = total[-1]
            times += [first, last]
            total += [so_far, so_far + last - first]
    return lambda t: np.interp(t, times, total)


def _intervals(rows: pd.DataFrame, time: float, width: float) -> pd.DataFrame:
    """`Simulation.intervals`: what is summed up until each interval's end, less what was until its begin."""
    submit, start, finish = rows[["submit", "start", "finish"]].to_numpy().T
    ran = ~np.isnan(start)
    edges = _edges(time, width)
    span = np.maximum(np.diff(edges), np.finfo(float).tiny)
    left_queue = np.where(ran, start, time)
    entered = np.minimum.outer(submit, edges)  # (N, edges), and likewise the next
    begun = np.minimum.outer(left_queue, edges)
    queued = _queued(submit, left_queue)
    held = np.diff(queued(edges))
    arrived, _ = np.histogram(submit, edges)
    started, _ = np.histogram(start[ran], edges)
    finished, _ = np.histogram(finish[ran], edges)
    waits, _ = np.histogram(start[ran], edges, weights=(start - submit)[ran])
    return pd.DataFrame(
        {
            "begin": edges[:-1],
            "end": edges[1:],
            "arrived": arrived,
            "started": started,
            "finished": finished,
            "mean_response": _over(waits, started),
            "queue": np.diff((begun - entered).sum(axis=0)) / span,
            "queue_end": _queue_at(edges[1:], submit, start),
            "queued": held / span,
        }
    )


def _edges(time: float, width: float) -> np.ndarray:
    """Where intervals begin and end."""
    n_intervals = max(math.ceil(time / width), 1)
    edges = np.arange(n_intervals + 1) * width
    edges[-1] = time
    return edges


def _over(part: np.ndarray, whole: np.ndarray) -> np.ndarray:
    """The quotient; NaN where both are 0."""
    with np.errstate(invalid="ignore", divide="ignore"):
        return part / whole


def _queue_at(times: np.ndarray, submit: np.ndarray, start: np.ndarray) -> np.ndarray:
    """How many jobs wait at each of the `times`; at the last, how many never started."""
    arrived = np.searchsorted(submit, times)
    started = np.searchsorted(np.sort(start), times)
    waiting = arrived - started
    waiting[-1] = np.isnan(start).sum()
    return waiting
