"""The library's objects, in plain Python: an allocation of stage 1, and what is measured of a run of stage 3.

Read `plain.py` first.
"""

import math
from itertools import product

import numpy as np
import pandas as pd

from schedlib.lotes.dispatching.machine_tree import fractions
from schedlib.lotes.dispatching.state import Meter, lengthened, meter, note_start, tick
from schedlib.lotes.model import Allocation, JobClasses, MachineConfigs
from schedlib.lotes.plain_datacentre import Job
from schedlib.lotes.simulation import Simulation, measured
from schedlib.workload import Workload

ENDS, ARRIVES, STARTS = range(3)
"""Events of a job, in the order in which it happens at one time."""


def first_needed(r_k: np.ndarray) -> int:
    """The first resource that a class with the demands `r_k (R,)` needs: the paper's resource 1 (Eq. 3).

    >>> first_needed(np.array([0.0, 2.0]))
    1
    """
    return int(np.argmax(r_k > 0))


def as_allocation(
    configs: MachineConfigs, classes: JobClasses, rate: float, delta: np.ndarray
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
    """The `Simulation` of a run that is over, from what became of its jobs: that of `lotes.simulate`.

    Only its `options` are empty, and `looked` is NaN.

    >>> work = Workload.from_arrays([0, 1], [4.0, 2.0], cores=[3, 2])
    >>> late = Job(1, 0, submit=1.0, w=2.0, r=[2.0], start=4.0, finish=6.0, machine=0)
    >>> done = [Job(0, 0, submit=0.0, w=4.0, r=[3.0], start=0.0, finish=4.0, machine=0), late]
    >>> run = simulation("by hand", 0, MachineConfigs([[3.0]], [1]), work, done)
    >>> run.mean_response, run.mean_queue
    (1.5, 0.5)
    """
    filled = _replayed(jobs)
    time = filled.clock[0].now
    waited = [time - job.submit for job in jobs if job.machine < 0]
    return measured(
        filled,
        total=total_capacity(configs),
        jobs=_rows(jobs, workload),
        ages=np.sort(waited)[::-1],
        policy=policy,
        options={},
        seed=seed,
        looked=math.nan,
    )


def _replayed(jobs: list[Job]) -> Meter:
    """The meter of `lotes.simulate`, filled from what became of the jobs."""
    events = []
    for job in jobs:
        events.append((job.submit, ARRIVES, job))
        if job.machine >= 0:
            events.append((job.start, STARTS, job))
            events.append((job.finish, ENDS, job))
    events.sort(key=lambda event: event[:2])
    last, _, _ = events[-1]
    filled = meter(len(jobs[0].r), _width(jobs))
    filled = lengthened(filled, last)
    clock = filled.clock[0]
    for now, what, job in events:
        tick(filled, now)
        interval = filled.series[clock.interval]
        if what == ARRIVES:
            interval.arrived += 1
            clock.waiting += 1
        elif what == STARTS:
            note_start(filled, now - job.submit)
            clock.waiting -= 1
            filled.used[:] += job.r
        else:
            interval.finished += 1
            filled.used[:] -= job.r
    return filled


def total_capacity(configs: MachineConfigs) -> np.ndarray:
    """The capacity of all machines together in each resource, (R,), in fractions of the largest machine.

    >>> total_capacity(MachineConfigs([[4.0], [2.0]], [1, 2])).round(6).tolist()
    [2.0]
    """
    capacity, _ = fractions(configs.capacity, configs.capacity)
    return configs.count @ capacity


def _width(jobs: list[Job]) -> float:
    """How long an interval of `Simulation.intervals` is."""
    last_arrival = jobs[-1].submit
    longest = max(job.w for job in jobs)
    span = max(last_arrival, longest) or 1.0
    return span / 100


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
