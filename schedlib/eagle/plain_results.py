"""From a workload to the jobs that `plain` schedules, and from a run of them to an `eagle.Simulation`."""

import math

import numpy as np
import pandas as pd

from schedlib.eagle.plain_model import Cluster, Job
from schedlib.eagle.simulating.results import Simulation
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


def simulation(cluster: Cluster, workload: Workload, system: System, record: bool) -> Simulation:
    """The library's result, of what was written down.

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
    tasks = pd.DataFrame(
        cluster.tasks, columns=["job", "task", "worker", "queued", "asked", "start", "finish"]
    )
    tasks["long"] = jobs["long"].to_numpy()[tasks["job"]]
    tasks["job"] = names[tasks["job"]]
    log = pd.DataFrame(cluster.log, columns=["time", "event", "worker", "job"])
    log["job"] = names[log["job"]]
    return Simulation(
        system=system,
        jobs=jobs,
        stats=statistics(cluster),
        utilisation=utilisation(cluster),
        tasks=tasks.sort_values(["job", "task"], ignore_index=True) if record else None,
        log=log.sort_values("time", kind="stable", ignore_index=True) if record else None,
    )


def statistics(cluster: Cluster) -> dict[str, float]:
    """The counters of `eagle.Simulation.stats`.

    >>> statistics(Cluster([Job(0, 0.0, [2.0], 2.0, False, 20)], 3, 1, None))["tasks"]
    1
    """
    count = cluster.counts
    workers = len(cluster.workers)
    short_only = cluster.short_only
    submits = [job.submit for job in cluster.jobs]
    first = min(submits)
    last = max(submits)
    spans = spans_of(cluster)
    alone = count["probes"] + count["placements"] + count["updates"]
    in_pairs = count["reject"] + count["ask"] + count["steal_attempts"]
    heartbeats = workers * count["heartbeats"]
    return {
        "workers": workers,
        "short_only": short_only,
        "jobs": len(cluster.jobs),
        "tasks": sum(len(job.durations) for job in cluster.jobs),
        "short_tasks": sum(len(job.durations) for job in cluster.jobs if not job.isLong),
        "probes": count["probes"],
        "rejections": count["reject"],
        "behind_long": count["behind_long"],
        "ran_behind_long": count["ran_behind_long"],
        "steal_attempts": count["steal_attempts"],
        "steals": count["robbed"],
        "stolen": count["steal"],
        "requests": count["ask"],
        "vain": count["vain"],
        "dropped": count["drop"],
        "placements": count["placements"],
        "updates": count["updates"],
        "heartbeats": count["heartbeats"],
        "events": count["events"],
        "longest_queue": count["longest_queue"],
        "rescheduled": count["reject"] + count["steal"],
        "messages": alone + 2 * in_pairs + heartbeats,
        "utilisation": busy_share(spans, 0, workers, first, last),
        "utilisation_short": busy_share(spans, 0, short_only, first, last),
        "utilisation_general": busy_share(spans, short_only, workers, first, last),
        "makespan": max(job.finish for job in cluster.jobs),
    }


def spans_of(cluster: Cluster) -> np.ndarray:
    """When workers ask or run (S, 3): worker, from, to (s).

    >>> spans_of(Cluster([], 2, 0, None)).shape
    (0, 3)
    """
    return np.array(cluster.busy, dtype=float).reshape(-1, 3)


def busy_share(spans: np.ndarray, low: int, high: int, start: float, end: float) -> float:
    """The share of the time from start to end (s) in which workers low to high - 1 are busy.

    >>> busy_share(np.array([[0, 1.0, 4.0]]), 0, 2, 2.0, 6.0)
    0.25
    """
    room = (high - low) * (end - start)
    if not room > 0:
        return math.nan
    worker, begin, finish = spans.T
    here = (low <= worker) & (worker < high)
    spent = np.minimum(finish, end) - np.maximum(begin, start)
    counts = here & (spent > 0)
    return float(spent[counts].sum() / room)


def utilisation(cluster: Cluster, intervals: int = 50) -> pd.DataFrame:
    """The busy shares of the partitions in equal intervals (s) of the run.

    >>> cluster = Cluster([Job(0, 0.0, [2.0], 2.0, False, 1, finish=4.0)], 2, 1, None)
    >>> cluster.busy = [(0, 0.0, 2.0)]
    >>> utilisation(cluster, 2)["short"].tolist()
    [1.0, 0.0]
    """
    workers = len(cluster.workers)
    short_only = cluster.short_only
    spans = spans_of(cluster)
    last = max(job.finish for job in cluster.jobs)
    edges = np.linspace(0, last, intervals + 1)
    rows = []
    for start, end in zip(edges[:-1], edges[1:], strict=True):
        short = busy_share(spans, 0, short_only, start, end)
        general = busy_share(spans, short_only, workers, start, end)
        everywhere = busy_share(spans, 0, workers, start, end)
        rows.append((start, short, general, everywhere))
    return pd.DataFrame(rows, columns=["time", "short", "general", "all"])
