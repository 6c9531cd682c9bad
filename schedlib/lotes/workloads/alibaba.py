"""Alibaba's hour as a problem for LoTES: each instance is a job; Table 1's machines, as many as it needs.

Google's task table may not be shipped; this hour has real demands and durations. Fixed before anything was
measured:

- a job of the paper is an *instance* of the trace, submitted with its job, all that the trace tells; so an
  instance of a later stage comes as early as one of the first, and thousands come at once
- its demands are what it *used* on average (`cpu_avg`, 100 is a core; `mem_avg`, in % of the largest machine:
  `trace_2018.md` of cluster-trace-v2018), the paper's requests (Section 5.3), as fractions of an Alibaba
  machine in the place of Table 1's largest. It is taken as 96 cores: the trace's documents do not say
- instances of 0 s, whole seconds rounded down, last half a second
- classes come from the jobs of the first ten minutes, as the paper's from the first day (Section 5.3.2)
- the load counts all work of the hour's jobs, also what they do after it
"""

from bisect import bisect_left
from collections.abc import Callable

import numpy as np
import pandas as pd

from schedlib import traces
from schedlib.lotes.model import JobClasses, MachineConfigs
from schedlib.lotes.planning.allocate import allocate
from schedlib.lotes.workloads.instances import fewer_machines, google2011
from schedlib.lotes.workloads.kmeans import cluster_jobs
from schedlib.workload import Workload

CORES = 96  # of an Alibaba machine, assumed
FIRST = 600.0  # seconds that the classes are made of
SHORTEST = 0.5  # seconds that an instance of 0 s lasts


def alibaba_instances(configs: MachineConfigs | None = None, trace: Workload | None = None) -> Workload:
    """The hour's instances, each a task of its trace's job.

    `duration` is in s, `cores` and `memory` are fractions of the largest machine. `trace` is
    `traces.alibaba2018("instances")` or a stretch of it. Instances that fit none of `configs` (Table 1's
    unless given) are left out; they and those of 0 s are counted in `report`.

    >>> alibaba_instances(trace=Workload.from_arrays([0], [0.0], cpu=[48.0], mem=[0.1])).tasks.values.tolist()
    [[0.0, 0.5, 0.5, 0.1]]
    """
    configs = google2011()[0] if configs is None else configs
    trace = traces.alibaba2018("instances") if trace is None else trace
    if trace.resources != ("cpu", "mem") or trace.time_unit != "s":
        raise ValueError(f"trace: demands {trace.resources} in {trace.time_unit!r}; give "
                         "traces.alibaba2018('instances')")
    tasks = trace.tasks
    made = pd.DataFrame({"job": tasks["job"], "duration": tasks["duration"].clip(lower=SHORTEST),
                         "cores": tasks["cpu"] / CORES, "memory": tasks["mem"]})
    able = np.zeros(len(made), bool)
    for cores, memory in configs.capacity:
        able |= ((made["cores"] <= cores) & (made["memory"] <= memory)).to_numpy()
    short = f"instances of less than {SHORTEST:g} s (last {SHORTEST:g} s)"
    report = {short: int((tasks["duration"] < SHORTEST).sum()),
              "instances larger than every machine (left out)": int((~able).sum())}
    return Workload(trace.jobs, made[able], "s", report)


def offered_load(configs: MachineConfigs, jobs: Workload) -> float:
    """The work that arrives, against what these machines could do if each configuration's were pooled.

    The rate of arrivals from the first submission to the last over lambda* of stage 1 (Eqs. 1-5), for the
    classes in the column `class` of `jobs`, with the demands that their jobs hold on average *over the time
    that they run*: then share times demand over rate is the class's mean work. Raises ValueError when all
    jobs are submitted at once.

    >>> jobs = Workload.from_arrays([0, 1, 2], [1.0, 1.0, 4.0], cores=[0.5, 0.5, 1.0])
    >>> round(offered_load(MachineConfigs([[1.0]], [5]), jobs), 6)
    0.5
    """
    return _offered(jobs)(configs)


def _offered(jobs: Workload) -> Callable[[MachineConfigs], float]:
    """`offered_load` of these jobs, which are looked at once for all machines."""
    tasks, job_class = jobs.tasks, np.repeat(jobs.jobs["class"].to_numpy(), np.diff(jobs.offsets))
    number, duration = np.bincount(job_class), np.bincount(job_class, tasks["duration"])
    there = number > 0
    work = np.array([np.bincount(job_class, tasks["duration"] * tasks[name])[there]
                     for name in jobs.resources]).T
    submit = jobs.jobs["submit"].to_numpy()
    if submit[0] == submit[-1]:
        raise ValueError(f"jobs: all are submitted at {submit[0]:g}; a load needs arrivals over some time, "
                         "give a longer trace")

    def load(configs):
        rate = np.tile(number[there] / duration[there], (configs.n_configs, 1))
        own = JobClasses(number[there] / len(tasks), work / duration[there, None], rate)
        return float(len(tasks) / (submit[-1] - submit[0]) / allocate(configs, own).rate)

    return load


def enough_machines(configs: MachineConfigs, jobs: Workload, load: float) -> MachineConfigs:
    """The fewest machines in the proportions of `configs`, at least one of each, on which the jobs'
    `offered_load` does not exceed `load`.

    Raises ValueError when one machine of each configuration is too many for that load.

    >>> jobs = Workload.from_arrays([0, 1, 2], [1.0, 1.0, 4.0], cores=[0.5, 0.5, 1.0])
    >>> enough_machines(MachineConfigs([[1.0]], [5]), jobs, 0.9).count.tolist()
    [3]
    """
    def at(machines):
        return fewer_machines(configs, configs.n_machines / machines)

    offered = _offered(jobs)

    def enough(machines):
        return offered(at(machines)) <= load

    many = 1
    while not enough(many):
        many *= 2
    if many == 1:
        raise ValueError(f"load: {load:g} needs less than one machine of each configuration; raise it, or "
                         "give a longer trace")
    return at(bisect_left(range(many), True, many // 2 + 1, key=enough))


def alibaba_hour(
    configs: MachineConfigs | None = None, *, trace: Workload | None = None, k: int = 4, load: float = 0.8,
    first: float = FIRST, features: str = "demand", seed: int = 0
) -> tuple[MachineConfigs, JobClasses, Workload]:
    """Alibaba's hour as machines, job classes and jobs: a job per instance, in seconds, 3,056,536 of them.

    The machines are those of `configs` (Table 1's unless given), scaled: the fewest, at least one of each
    configuration, on which `offered_load` does not exceed `load`. The `k` classes are those of `cluster_jobs`
    on the first `first` seconds, with its `features` and `seed`; every job's `class` is the nearest. `trace`,
    `report`: as in `alibaba_instances`. Raises ValueError when one machine of each configuration is too many
    for `load`, and as `cluster_jobs` does. Sources: LoTES, Sections 5.3.1 and 5.3.2, and the module's text.

    >>> from schedlib import traces
    >>> configs, classes, jobs = alibaba_hour(trace=traces.alibaba2018("instances").between(0, 60), first=20)
    >>> len(jobs), jobs.resources, configs.n_configs, classes.n_classes
    (33789, ('cores', 'memory'), 10, 4)
    """
    configs = google2011()[0] if configs is None else configs
    if not 0 < load < np.inf:
        raise ValueError(f"load: {load}, must be positive")
    instances = alibaba_instances(configs, trace)
    classes, job_class = cluster_jobs(instances, k, configs=configs.n_configs, day=first, features=features,
                                      seed=seed)
    submit = np.repeat(instances.jobs["submit"].to_numpy(), np.diff(instances.offsets))
    made = pd.DataFrame({"job": np.arange(len(submit)), "submit": submit, "class": job_class})
    jobs = Workload(made, instances.tasks.assign(job=made["job"].to_numpy()), "s", instances.report)
    return enough_machines(configs, jobs, load), classes, jobs
