"""An hour of Alibaba's trace of 2018 as a problem for LoTES.

An *instance* of the trace is a job of the paper. It comes when its job does, for the trace has no other time:
thousands at once, and instances of a later stage as early as those of the first. It needs what it
*used* on average (`cpu_avg`, 100 is a core; `mem_avg`, in % of the largest machine), as fractions of a machine
taken as 96 cores, a number that the trace's documents do not give. Whole seconds are rounded down: an instance of 0 s
lasts half a second. Classes come from the first ten minutes, as the paper's from the first day.
"""

import functools
import warnings
from bisect import bisect_left
from collections.abc import Callable
from typing import Any, TypeVar

import numpy as np
import pandas as pd

from schedlib import traces
from schedlib.core.checks import positive, typed
from schedlib.lotes.model import JobClasses, MachineConfigs
from schedlib.lotes.planning.allocate import allocate
from schedlib.lotes.workloads.instances import fewer_machines, google2011
from schedlib.lotes.workloads.kmeans import cluster_jobs
from schedlib.workload import Workload

F = TypeVar("F", bound=Callable)

CORES = 96  # of an Alibaba machine, assumed
FIRST = 600.0  # seconds that the classes are made of
SHORTEST = 0.5  # seconds that an instance of 0 s lasts


@typed
def alibaba_instances(trace: Workload | None = None) -> Workload:
    """The hour's instances, each a task of its trace's job: `duration` (s), `cores` and `memory`.

    `trace` is `traces.alibaba2018("instances")` or a stretch of it. Instances larger than every machine of
    Table 1 are left out; they and those of 0 s are counted in `report`.

    >>> alibaba_instances(trace=Workload.from_arrays([0], [0.0], cpu=[48.0], mem=[0.1])).tasks.values.tolist()
    [[0.0, 0.5, 0.5, 0.1]]
    """
    trace = traces.alibaba2018("instances") if trace is None else trace
    if trace.resources != ("cpu", "mem") or trace.time_unit != "s":
        raise ValueError(
            f"trace: demands {trace.resources} in {trace.time_unit!r}; give "
            "traces.alibaba2018('instances')"
        )
    tasks = trace.tasks
    made = pd.DataFrame(
        {
            "job": tasks["job"],
            "duration": tasks["duration"].clip(lower=SHORTEST),
            "cores": tasks["cpu"] / CORES,
            "memory": tasks["mem"],
        }
    )
    # Table 1's fourth configuration, which has all of both, holds what any of them holds
    able = (made["cores"] <= 1) & (made["memory"] <= 1)
    short = f"instances of less than {SHORTEST:g} s (last {SHORTEST:g} s)"
    report = {
        short: int((tasks["duration"] < SHORTEST).sum()),
        "instances larger than every machine (left out)": int((~able).sum()),
    }
    return Workload(trace.jobs, made[able], "s", report)


def _in_either_order(function: F) -> F:
    """`offered_load`, which takes its arguments as before version 3, too, with a warning."""

    def either(*given: Any, **named: Any) -> Any:
        if "jobs" not in named and not isinstance((*given, None)[0], MachineConfigs):
            return function(*given, **named)
        now = "lotes.offered_load(configs, jobs) is offered_load(workload, configs) now"
        warnings.warn(f"{now}; the old order goes in version 4", FutureWarning, stacklevel=2)
        before = dict(zip(("configs", "jobs"), given, strict=False)) | named
        if set(before) != {"configs", "jobs"} or len(given) + len(named) > 2:
            raise ValueError(f"workload: {now}; give these two")
        return function(before["jobs"], before["configs"])

    made: Any = functools.wraps(function)(either)
    return made


@_in_either_order
@typed
def offered_load(workload: Workload, configs: MachineConfigs) -> float:
    """The rate of arrivals, from the first submission to the last, over lambda* of stage 1 (Eqs. 1-5).

    For the classes in the column `class` of the jobs, with the demands that their jobs hold on average *over
    the time that they run*: then share times demand over rate is the class's mean work. It counts what jobs
    do after the last submission, too. Raises ValueError when all are submitted at once.

    See also: `eagle.offered_load`, for workers of one slot.

    >>> jobs = Workload.from_arrays([0, 1, 2], [1.0, 1.0, 4.0], cores=[0.5, 0.5, 1.0])
    >>> round(offered_load(jobs, MachineConfigs([[1.0]], [5])), 6)
    0.5
    """
    classes, arrivals = _asked(configs, workload)
    return arrivals / allocate(configs, classes).rate


def _asked(configs: MachineConfigs, jobs: Workload) -> tuple[JobClasses, float]:
    """The jobs' classes, and how many jobs come per unit of time."""
    tasks = jobs.tasks
    jobs.require_tasks()
    job_class = np.repeat(jobs.jobs["class"].to_numpy(), np.diff(jobs.offsets))
    number = np.bincount(job_class)
    seen = number > 0
    number = number[seen]
    duration = np.bincount(job_class, tasks["duration"])[seen]
    work = [
        np.bincount(job_class, tasks["duration"] * tasks[name])[seen] for name in jobs.resources
    ]
    submit = jobs.jobs["submit"].to_numpy()
    if submit[0] == submit[-1]:
        raise ValueError(
            f"workload: all are submitted at {submit[0]:g}; a load needs arrivals over some time, "
            "give a longer trace"
        )
    demand = np.array(work).T / duration[:, None]
    rate = np.tile(number / duration, (configs.n_configs, 1))
    classes = JobClasses(number / len(tasks), demand, rate)
    return classes, float(len(tasks) / (submit[-1] - submit[0]))


def enough_machines(configs: MachineConfigs, jobs: Workload, load: float) -> MachineConfigs:
    """The fewest machines, at least one of each of `configs` and in their proportions, on which the jobs'
    `offered_load` does not exceed `load`. Raises ValueError when one of each is too many for that.

    >>> jobs = Workload.from_arrays([0, 1, 2], [1.0, 1.0, 4.0], cores=[0.5, 0.5, 1.0])
    >>> enough_machines(MachineConfigs([[1.0]], [5]), jobs, 0.9).count.tolist()
    [3]
    """
    classes, arrivals = _asked(configs, jobs)
    many = 1

    def at(machines):
        return fewer_machines(configs, configs.n_machines / machines)

    def enough(machines):
        return arrivals / allocate(at(machines), classes).rate <= load

    while not enough(many):
        many *= 2
    if many == 1:
        raise ValueError(
            f"load: {load:g} needs less than one machine of each configuration; raise it, or "
            "give a longer trace"
        )
    return at(bisect_left(range(many), True, many // 2 + 1, key=enough))


@typed
def alibaba_hour(
    *, trace: Workload | None = None, load: float = 0.8, first: float = FIRST, seed: int = 0
) -> tuple[MachineConfigs, JobClasses, Workload]:
    """Alibaba's hour as machines, job classes and jobs: a job per instance, in seconds, 3,056,536 of them.

    Machines: `enough_machines` of Table 1's for the `load`. The four classes are those of `cluster_jobs` on the first `first` seconds, with its `seed`. `trace`, `report`: as in
    `alibaba_instances`. Raises ValueError as these do. Source: LoTES, Sections 5.3.1 and 5.3.2.

    >>> from schedlib import traces
    >>> configs, classes, jobs = alibaba_hour(trace=traces.alibaba2018("instances").between(0, 60), first=20)
    >>> len(jobs), jobs.resources, configs.n_configs, classes.n_classes
    (33789, ('cores', 'memory'), 10, 4)
    """
    configs, _ = google2011()
    positive("load", load)
    instances = alibaba_instances(trace)
    classes, job_class = cluster_jobs(instances, configs=configs.n_configs, day=first, seed=seed)
    submit = np.repeat(instances.jobs["submit"].to_numpy(), np.diff(instances.offsets))
    made = pd.DataFrame({"job": np.arange(len(submit)), "submit": submit, "class": job_class})
    jobs = Workload(made, instances.tasks.assign(job=made["job"].to_numpy()), "s", instances.report)
    return enough_machines(configs, jobs, load), classes, jobs
