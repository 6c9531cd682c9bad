"""What a run of the prototype gives back, in the simulator's form: frames, counters, and what was noted."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np
import pandas as pd

from schedlib.eagle.records import COUNTERS
from schedlib.eagle.simulating.results import Simulation
from schedlib.eagle.systems import System
from schedlib.prototype.driver import Driver

INTERVALS = 200


@dataclass(frozen=True, repr=False)
class Measurement(Simulation):
    """What became of a workload on real processes: the fields of `eagle.Simulation`, recorded, and more.

    Times are in the workload's unit, from the beginning of the replay on. A row `ask` of the log has the time
    at which the scheduler handled the request. `eagle`'s `replay` and the player take a run in which nobody
    died. `jobs` has a column `failed`: such a job has no finish. `stats` has more: `updates` of Section 4.3
    that were sent, `frames` that were received (all messages), `cpu` (s of nodes, schedulers and the centre),
    `late`, the 99th percentile of how late jobs were submitted, `failed` jobs, what full queues `refused`,
    and the `probe_ratio`.

    - `notes`: what a reader should know, such as a death: `time, process, what`
    - `delays`: `count, mean, median, p99` of each `kind`: "hop", a probe or placed task on its way; "fetch",
      from asking for a task to its start; "overshoot", by how much a task lasted longer than it should
    - `time_unit`: the workload's

    See also: `prototype.run`, `prototype.compare`.

    >>> from schedlib import prototype
    >>> from schedlib.workload import Workload
    >>> jobs = Workload.from_arrays([0, 0], [2.0, 1.0])
    >>> done = prototype.run(jobs, "sparrow", 3, cutoff=1.5, compress=20, schedulers=1)
    >>> done.jobs["failed"].tolist(), done.delay("hop") > 0
    ([False, False], True)
    """

    notes: pd.DataFrame = field(default_factory=pd.DataFrame)
    delays: pd.DataFrame = field(default_factory=pd.DataFrame)
    time_unit: str = "s"

    def percentiles(self, q: Sequence[float] = (50, 90, 99)) -> pd.DataFrame:
        """As of a `Simulation`, of the jobs that have not failed."""
        completed = self.jobs[~self.jobs["failed"]]
        return Simulation.percentiles(replace(self, jobs=completed), q)

    def delay(self, kind: str) -> float:
        """The mean of a kind of delay."""
        means = self.delays.set_index("kind")["mean"]
        return float(means[kind])


def result(
    system: System, names: np.ndarray, driver: Driver, time_unit: str, factor: float
) -> Measurement:
    """The frames of a finished replay; jobs are numbered by submission and called `names` (N,).

    A second of this machine is `factor` times the workload's `time_unit`.
    """
    orders = driver.orders
    how = driver.setting.how
    workers = driver.setting.nodes
    log = pd.DataFrame(driver.log, columns=["time", "event", "worker", "job"])
    log["time"] *= factor
    log = log.sort_values("time", kind="stable", ignore_index=True)
    rows = [row for own in driver.done.values() for row in own]
    columns = ["job", "task", "worker", "queued", "asked", "start", "finish"]
    tasks = pd.DataFrame(rows, columns=columns)
    tasks[["queued", "asked", "start", "finish"]] *= factor
    tasks["long"] = [orders[job].long for job in tasks["job"]]
    tasks = tasks.sort_values(["job", "task"], kind="stable", ignore_index=True)
    frame = pd.DataFrame(
        {
            "job": names,
            "submit": [order.at * factor for order in orders],
            "long": [order.long for order in orders],
            "tasks": [len(order.durations) for order in orders],
            "estimate": [order.estimate * factor for order in orders],
        }
    )
    submissions = log[log["event"] == "submit"]
    came = submissions.groupby("job")["time"].first()
    ended = tasks.groupby("job")["finish"].max()
    frame["submit"] = came.reindex(frame.index).fillna(frame["submit"])
    frame.insert(2, "finish", ended.reindex(frame.index))
    frame.insert(3, "completion", frame["finish"] - frame["submit"])
    frame["failed"] = [number in driver.failed for number in frame.index]
    should_last = []
    for job, task in zip(tasks["job"], tasks["task"], strict=True):
        should_last.append(orders[job].durations[task])
    delays = _delays(log, tasks, np.array(should_last) * factor)
    notes = pd.DataFrame(driver.notes, columns=["time", "process", "what"])
    notes["time"] *= factor
    notes = notes.sort_values("time", kind="stable", ignore_index=True)
    usage = _Usage(tasks, workers, how["short_only"])
    stats = _stats(driver, frame, usage)
    stats["late"] = float(np.percentile(driver.late, 99)) * factor
    return Measurement(
        system=system,
        jobs=frame,
        stats=stats,
        utilisation=usage.over_time(),
        notes=notes,
        delays=delays,
        time_unit=time_unit,
        tasks=tasks.assign(job=names[tasks["job"]]),
        log=log.assign(job=names[log["job"]]),
    )


class _Usage:
    """How many nodes of each partition were busy, from asking for a task to its end."""

    def __init__(self, tasks, workers, short_only):
        self.sizes = {"short": short_only, "general": workers - short_only, "all": workers}
        short = (tasks["worker"] < short_only).to_numpy()
        spans = tasks[["asked", "finish"]].to_numpy()
        self.spans = {"short": spans[short], "general": spans[~short], "all": spans}
        self.last = float(spans.max(initial=1e-9))

    def shares(self, partition, edges):
        """The mean share of busy nodes of a partition between one time and the next."""
        asked, finish = self.spans[partition].T
        until = []
        for edge in edges:
            busy = np.minimum(finish, edge) - asked
            until.append(np.clip(busy, 0, None).sum())
        room = np.diff(edges) * self.sizes[partition]
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.diff(until) / room

    def over_time(self):
        edges = np.linspace(0, self.last, INTERVALS + 1)
        frame = pd.DataFrame({"time": edges[:-1]})
        for part in self.sizes:
            frame[part] = self.shares(part, edges)
        return frame


def _stats(driver: Driver, jobs: pd.DataFrame, usage: _Usage) -> dict[str, float]:
    total: Counter[str] = Counter()
    for one in driver.total:
        total.update(one)
    counts: dict[str, float] = {name: total[name] for name in COUNTERS}
    longest = [one.get("longest_queue", 0) for one in driver.total]
    counts["longest_queue"] = max(longest, default=0)
    counts["events"] = len(driver.log)
    alone = counts["probes"] + counts["placements"] + counts["updates"]
    in_pairs = counts["rejections"] + counts["requests"] + counts["steal_attempts"]
    messages = alone + 2 * in_pairs
    first_and_last = jobs["submit"].iloc[[0, -1]].to_numpy()
    busy = {}
    for part in ("all", "short", "general"):
        busy[part] = float(usage.shares(part, first_and_last)[0])
    return {
        "workers": driver.setting.nodes,
        "short_only": driver.setting.how["short_only"],
        "jobs": len(jobs),
        "tasks": int(jobs["tasks"].sum()),
        "short_tasks": int(jobs.loc[~jobs["long"], "tasks"].sum()),
        **counts,
        "rescheduled": counts["rejections"] + counts["stolen"],
        "messages": messages,
        "utilisation": busy["all"],
        "utilisation_short": busy["short"],
        "utilisation_general": busy["general"],
        "makespan": float(jobs["finish"].max()),
        "failed": len(driver.failed),
        "probe_ratio": driver.setting.how["ratio"],
        "frames": total["frames"],
        "refused": total["refused"],
        "cpu": total["cpu"],
    }


def _delays(log: pd.DataFrame, tasks: pd.DataFrame, lasted: np.ndarray) -> pd.DataFrame:
    """Delays by kind. The k-th probe that a job sends to a node is the k-th that this node gets of it."""
    pair = ["worker", "job"]
    sent = log[log["event"] == "send"].copy()
    came = log[log["event"].isin(["queue", "reject"])].copy()
    sent["k"] = sent.groupby(pair).cumcount()
    came["k"] = came.groupby(pair).cumcount()
    hops = sent.merge(came, on=[*pair, "k"], suffixes=("", "_came"))
    fetch = tasks["start"] - tasks["asked"]
    kinds = {
        "hop": hops["time_came"] - hops["time"],
        "fetch": fetch[fetch > 0],
        "overshoot": tasks["finish"] - tasks["start"] - lasted,
    }
    rows = []
    for kind, delay in kinds.items():
        row = {
            "kind": kind,
            "count": len(delay),
            "mean": delay.mean(),
            "median": delay.median(),
            "p99": delay.quantile(0.99),
        }
        rows.append(row)
    return pd.DataFrame(rows)
