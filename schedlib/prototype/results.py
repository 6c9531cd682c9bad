"""The result of a run of the prototype, in the simulator's form: frames, counters and notes."""

from collections import Counter
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
import pandas as pd

from schedlib.eagle.records import COUNTERS
from schedlib.eagle.simulating.results import Simulation, totals
from schedlib.eagle.systems import System
from schedlib.prototype.driver import Driver
from schedlib.workload import with_results

INTERVALS = 200


@dataclass(frozen=True, repr=False)
class Measurement(Simulation):
    """The result of a workload on real processes: the fields of `eagle.Simulation`, recorded, and more.

    Times are in the workload's unit, from the beginning of the replay on. A row `ask` of the log has the time
    at which the scheduler handled the request. The book's `replay` and player take a run in which every
    process lived to the end. `jobs` has a column `failed`: such a job has no finish. `stats` has more:
    `updates` of Section 4.3 that were sent, `frames` that were received (all messages), `cpu` (s of nodes,
    schedulers and the centre), `late`, the 99th percentile of how late jobs were submitted, and `failed` jobs.

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

    def delay(self, kind: str) -> float:
        """The mean of a kind of delay."""
        means = self.delays.set_index("kind")["mean"]
        return float(means[kind])


class _Partition(NamedTuple):
    """The number of nodes, and when they were busy (T, 2): from asking for a task to its end, T tasks."""

    nodes: int
    spans: np.ndarray


def result(
    system: System, own: pd.DataFrame, driver: Driver, time_unit: str, factor: float
) -> Measurement:
    """The frames of a finished replay of these jobs, which are numbered by submission.

    A second of this machine is `factor` times the workload's `time_unit`.
    """
    names = own["job"].to_numpy()
    orders = driver.orders
    log = _in_order(driver.log, ["time", "event", "worker", "job"], factor)
    rows = [row for of_job in driver.done.values() for row in of_job]
    columns = ["job", "task", "worker", "queued", "asked", "start", "finish"]
    tasks = pd.DataFrame(rows, columns=columns)
    tasks[["queued", "asked", "start", "finish"]] *= factor
    tasks["long"] = [orders[job].long for job in tasks["job"]]
    tasks = tasks.sort_values(["job", "task"], kind="stable", ignore_index=True)
    frame = own[["job"]].copy()
    submissions = log[log["event"] == "submit"]
    came = submissions.groupby("job")["time"].first().reindex(frame.index)
    frame["submit"] = came.fillna(pd.Series([order.at * factor for order in orders]))
    of_job = tasks.groupby("job")
    frame["start"] = of_job["start"].min()
    frame["finish"] = of_job["finish"].max()
    frame["completion"] = frame["finish"] - frame["submit"]
    frame["long"] = [order.long for order in orders]
    frame["tasks"] = [len(order.durations) for order in orders]
    frame["estimate"] = [order.estimate * factor for order in orders]
    frame["failed"] = frame.index.isin(driver.failed)
    lasts = [orders[job].durations[task] for job, task in tasks[["job", "task"]].to_numpy()]
    delays = _delays(log, tasks, np.array(lasts) * factor)
    nodes = driver.setting.nodes
    short_only = driver.setting.how["short_only"]
    spans = tasks[["asked", "finish"]].to_numpy()
    in_short = (tasks["worker"] < short_only).to_numpy()
    parts = {
        "short": _Partition(short_only, spans[in_short]),
        "general": _Partition(nodes - short_only, spans[~in_short]),
        "all": _Partition(nodes, spans),
    }
    stats = _stats(driver, frame, parts)
    stats["late"] = float(np.percentile(driver.late, 99)) * factor
    return Measurement(
        system=system,
        jobs=with_results(own, frame.to_dict("series")),
        stats=stats,
        utilisation=_utilisation(parts),
        notes=_in_order(driver.notes, ["time", "process", "what"], factor),
        delays=delays,
        time_unit=time_unit,
        tasks=tasks.assign(job=names[tasks["job"]]),
        log=log.assign(job=names[log["job"]]),
    )


def _in_order(rows: list[tuple], columns: list[str], factor: float) -> pd.DataFrame:
    """The rows as a frame, by time, which is multiplied by `factor`."""
    frame = pd.DataFrame(rows, columns=columns)
    frame["time"] *= factor
    return frame.sort_values("time", kind="stable", ignore_index=True)


def _shares(part: _Partition, edges: np.ndarray) -> np.ndarray:
    """The mean share of a partition's nodes that are busy between one time of `edges (E,)` and the next."""
    asked, finish = part.spans.T
    until = []
    for edge in edges:
        busy = np.minimum(finish, edge) - asked
        until.append(np.clip(busy, 0, None).sum())
    room = np.diff(edges) * part.nodes
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.diff(until) / room


def _utilisation(parts: dict[str, _Partition]) -> pd.DataFrame:
    """The shares of all partitions in intervals of the same length."""
    last = parts["all"].spans.max(initial=1e-9)
    edges = np.linspace(0, last, INTERVALS + 1)
    frame = pd.DataFrame({"time": edges[:-1]})
    for name, part in parts.items():
        frame[name] = _shares(part, edges)
    return frame


def _stats(driver: Driver, jobs: pd.DataFrame, parts: dict[str, _Partition]) -> dict[str, float]:
    """The counters of all processes together, and the shares of busy nodes."""
    total: Counter[str] = Counter()
    for of_process in driver.total:
        total.update(of_process)
    counts = {name: total[name] for name in COUNTERS}
    longest = [of_process.get("longest_queue", 0) for of_process in driver.total]
    counts["longest_queue"] = int(max(longest, default=0))
    counts["events"] = len(driver.log)
    tasks = jobs["tasks"].to_numpy()
    long = jobs["long"].to_numpy()
    first_and_last = jobs["submit"].iloc[[0, -1]].to_numpy()
    busy = {name: float(_shares(part, first_and_last)[0]) for name, part in parts.items()}
    return {
        **totals(counts, parts["all"].nodes, parts["short"].nodes, tasks, long),
        "utilisation": busy["all"],
        "utilisation_short": busy["short"],
        "utilisation_general": busy["general"],
        "makespan": float(jobs["finish"].max()),
        "failed": len(driver.failed),
        "frames": total["frames"],
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
        rows.append((kind, len(delay), delay.mean(), delay.median(), delay.quantile(0.99)))
    return pd.DataFrame(rows, columns=["kind", "count", "mean", "median", "p99"])
