"""From a workload to the jobs that `plain` schedules, and from a run of them to frames."""

from typing import NamedTuple

import numpy as np
import pandas as pd

from schedlib.eagle.detail import Detail
from schedlib.eagle.plain_model import Cluster, Job
from schedlib.eagle.simulating.simulate import Estimate, prepare
from schedlib.eagle.systems import System
from schedlib.workload import Workload, in_short, with_results


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
    rows, records, durations = prepare(workload, cutoff, estimate, Detail(), rng)
    in_submission = np.argsort(rows)  # of each job of the workload, its place among the submissions
    jobs = []
    for number, record in enumerate(records[in_submission]):
        tasks = durations[record.first : record.first + record.tasks].tolist()
        job = Job(
            number=number,
            submit=float(record.submit),
            durations=tasks,
            estimate=float(record.estimate),
            isLong=bool(record.long),
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

    def __repr__(self) -> str:
        return in_short(self, self.system.name, self.jobs)


def written(cluster: Cluster, workload: Workload, system: System) -> Run:
    """The frames of a cluster that has run this workload.

    >>> from schedlib.eagle import plain
    >>> jobs = Workload.from_arrays([0, 0], [100, 1])
    >>> plain.simulate(jobs, "eagle", 3, short_partition=0.34, cutoff=50).jobs["finish"].tolist()
    [100.0005, 1.0015]
    """
    names = workload.jobs["job"].to_numpy()
    columns = ["job", "task", "worker", "queued", "asked", "start", "finish"]
    tasks = pd.DataFrame(cluster.tasks, columns=columns)
    jobs = pd.DataFrame(cluster.jobs)
    jobs["job"] = names
    jobs["start"] = tasks.groupby("job")["start"].min()
    jobs["completion"] = jobs["finish"] - jobs["submit"]
    jobs["tasks"] = jobs["durations"].map(len)
    jobs = jobs.rename(columns={"isLong": "long"})
    found = jobs[["submit", "start", "finish", "completion", "long", "tasks", "estimate"]]
    tasks["long"] = jobs["long"].to_numpy()[tasks["job"]]
    tasks["job"] = names[tasks["job"]]
    log = pd.DataFrame(cluster.log, columns=["time", "event", "worker", "job"])
    log["job"] = names[log["job"]]
    return Run(
        system=system,
        jobs=with_results(workload.jobs, found.to_dict("series")),
        tasks=tasks.sort_values(["job", "task"], ignore_index=True),
        log=log.sort_values("time", kind="stable", ignore_index=True),
        busy=pd.DataFrame(cluster.busy, columns=["worker", "begin", "end"]),
        stats={**cluster.counts, "workers": len(cluster.workers), "short_only": cluster.short_only},
    )
