"""From a workload to the jobs that `plain` schedules, and from a run of them to frames."""

from typing import NamedTuple

import numpy as np
import pandas as pd

from schedlib.eagle.plain_model import Cluster, Job
from schedlib.eagle.systems import System
from schedlib.workload import Workload

Estimate = str | float | tuple[float, float] | list[float]


def jobs_of(
    workload: Workload,
    cutoff: float | None,
    probe_ratio: float,
    min_probes: int,
    estimate: Estimate,
    rng: np.random.Generator,
) -> list[Job]:
    """The jobs of a workload; those of a mean over `cutoff` (s) are long, or those of a class over 0.

    >>> jobs = jobs_of(Workload.from_arrays([0, 5], [1, 9]), 3, 2, 20, "mean", None)
    >>> [(job.isLong, job.probes) for job in jobs]
    [(False, 20), (True, 20)]
    """
    frame = workload.jobs
    first = workload.offsets
    if "mean" in frame:
        mean = frame["mean"].to_numpy()
    else:
        mean = workload.work() / np.diff(first)
    if cutoff is None:
        long = frame["class"].to_numpy() > 0
    else:
        long = mean > cutoff
    low = high = 1.0
    if isinstance(estimate, tuple | list):
        low, high = estimate
    elif estimate != "mean":
        low = high = float(estimate)
    factor = np.full(len(frame), low)
    if low < high:
        factor = rng.uniform(low, high, len(frame))
    durations = workload.tasks["duration"].tolist()
    jobs = []
    for n, submit in enumerate(frame["submit"]):
        tasks = durations[first[n] : first[n + 1]]
        job = Job(
            number=n,
            submit=float(submit),
            durations=tasks,
            estimate=float(factor[n] * mean[n]),
            isLong=bool(long[n]),
            probes=max(min_probes, int(probe_ratio * len(tasks))),
        )
        jobs.append(job)
    return jobs


class Run(NamedTuple):
    """The records of a run, as frames with the columns of `eagle.Simulation`; pictures take it as they take that."""

    system: System
    jobs: pd.DataFrame
    tasks: pd.DataFrame
    log: pd.DataFrame
    busy: pd.DataFrame  # when workers ask or run: `worker, begin, end` (s)
    stats: dict[str, int]  # how often each event happened, by name, and the numbers of workers


def written(cluster: Cluster, workload: Workload, system: System) -> Run:
    """The frames of a cluster that has run this workload.

    >>> from schedlib.eagle import plain
    >>> jobs = Workload.from_arrays([0, 0], [100, 1])
    >>> plain.simulate(jobs, "eagle", 3, short_partition=0.34, cutoff=50).jobs["finish"].tolist()
    [100.0005, 1.0015]
    """
    names = workload.jobs["job"].to_numpy()
    jobs = pd.DataFrame({"job": names})
    jobs["submit"] = [job.submit for job in cluster.jobs]
    jobs["finish"] = [job.finish for job in cluster.jobs]
    jobs["completion"] = jobs["finish"] - jobs["submit"]
    jobs["long"] = [job.isLong for job in cluster.jobs]
    jobs["tasks"] = [len(job.durations) for job in cluster.jobs]
    jobs["estimate"] = [job.estimate for job in cluster.jobs]
    columns = ["job", "task", "worker", "queued", "asked", "start", "finish"]
    tasks = pd.DataFrame(cluster.tasks, columns=columns)
    tasks["long"] = jobs["long"].to_numpy()[tasks["job"]]
    tasks["job"] = names[tasks["job"]]
    log = pd.DataFrame(cluster.log, columns=["time", "event", "worker", "job"])
    log["job"] = names[log["job"]]
    return Run(
        system=system,
        jobs=jobs,
        tasks=tasks.sort_values(["job", "task"], ignore_index=True),
        log=log.sort_values("time", kind="stable", ignore_index=True),
        busy=pd.DataFrame(cluster.busy, columns=["worker", "begin", "end"]),
        stats={**cluster.counts, "workers": len(cluster.workers), "short_only": cluster.short_only},
    )
