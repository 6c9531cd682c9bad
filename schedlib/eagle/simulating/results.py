"""What `eagle.simulate` gives back, made from the state at the end of a run."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from schedlib.eagle.simulating.log import EVENTS
from schedlib.eagle.simulating.records import COUNTERS
from schedlib.eagle.simulating.state import State
from schedlib.eagle.systems import System


@dataclass(frozen=True, repr=False)
class Simulation:
    """What became of a workload.

    - `jobs`: a row per job in the workload's order: `job`, `submit` (s; as published the dephased time),
      `finish` (s, end of its last task), `completion` = finish - submit (s), `long`, `tasks`, `estimate` of a
      task (s)
    - `stats`: counters by name. `probes` sent first; `rejections`; `rescheduled` probes (rejected or stolen);
      `behind_long`, probes queued behind a long task; `ran_behind_long`, short tasks run by such a probe
      where it was queued; `steal_attempts`, `steals`, `stolen` probes; `requests` for a task, `vain` ones;
      `dropped` probes, of jobs known to have nothing left; `placements` of tasks by a centre; `heartbeats`;
      `messages` (probes, rejections and their probes, requests and answers, placements, two per attempt to
      steal, one per worker and heartbeat); `events` simulated; `longest_queue`; `utilisation`,
      `utilisation_short`, `utilisation_general`, the mean share of busy workers from the first to the last
      submission; `makespan` (s, to the last end); `workers`, `short_only`, `jobs`, `tasks`, `short_tasks`
    - `utilisation`: `time` (s, the beginning of an interval), busy shares `short`, `general`, `all`
    - `tasks`, `log`: with `record=True` a row per task (`job, task, worker, queued, asked, start, finish,
      long`; s) and per event (`time, event, worker, job`), else None
    """

    system: System
    jobs: pd.DataFrame
    stats: Mapping[str, float]
    utilisation: pd.DataFrame
    tasks: pd.DataFrame | None = None
    log: pd.DataFrame | None = None

    def __repr__(self):
        return f"Simulation({self.system.name}, {len(self.jobs)} jobs on {self.stats['workers']} workers)"

    def percentiles(self, q: Sequence[float] = (50, 90, 99)) -> pd.DataFrame:
        """Percentiles of the completion times of each class: `long, percentile, completion` (s)."""
        times = self.jobs.groupby("long")["completion"]
        rows = [(long, *pair) for long, one in times for pair in zip(q, np.percentile(one, q), strict=True)]
        return pd.DataFrame(rows, columns=["long", "percentile", "completion"])


def result(system: System, names: np.ndarray, order: np.ndarray, state: State, record: bool) -> Simulation:
    """The run's frames and counters; the state's jobs are rows `order (N,)` of the workload."""
    ends = np.empty_like(state.jobs)
    ends[order] = state.jobs
    jobs = pd.DataFrame({"job": names, "submit": ends["submit"], "finish": ends["finish"],
                         "completion": ends["finish"] - ends["submit"], "long": ends["long"] == 1,
                         "tasks": ends["tasks"], "estimate": ends["estimate"]})
    tasks, log = _records(names, order, state) if record else (None, None)
    return Simulation(system=system, jobs=jobs, stats=_stats(state), utilisation=_utilisation(state),
                      tasks=tasks, log=log)


def _stats(state: State) -> dict[str, float]:
    counts = {name: int(state.counts[0][name]) for name in COUNTERS}
    jobs, sums = state.jobs, state.meter.sums[0]
    workers, short_only = len(state.workers), state.how.short_only
    span = jobs.submit[-1] - jobs.submit[0]
    short, general = (busy / span if span > 0 else math.nan for busy in (sums.last_short, sums.last_general))
    once, twice = ("probes", "placements"), ("rejections", "requests", "steal_attempts")
    messages = sum(counts[name] for name in once) + 2 * sum(counts[name] for name in twice)
    return {
        "workers": workers, "short_only": short_only,
        "jobs": len(jobs), "tasks": int(jobs.tasks.sum()),
        "short_tasks": int(jobs.tasks[jobs.long == 0].sum()),
        **counts,
        "rescheduled": counts["rejections"] + counts["stolen"],
        "messages": messages + workers * counts["heartbeats"],
        "utilisation": float((short + general) / workers),
        "utilisation_short": float(short / short_only) if short_only else math.nan,
        "utilisation_general": float(general / (workers - short_only)) if workers > short_only else math.nan,
        "makespan": float(jobs.finish.max()),
    }


def _utilisation(state: State) -> pd.DataFrame:
    width, last = state.meter.sums[0].width, state.clock[0].now
    bins = state.meter.bins[: max(1, math.ceil(last / width))]
    workers, short_only = len(state.workers), state.how.short_only
    time = width * np.arange(len(bins))
    room = np.minimum(width, np.maximum(last - time, 1e-300))
    with np.errstate(divide="ignore", invalid="ignore"):
        return pd.DataFrame({"time": time, "short": bins[:, 0] / (room * short_only),
                             "general": bins[:, 1] / (room * (workers - short_only)),
                             "all": bins.sum(axis=1) / (room * workers)})


def _records(names: np.ndarray, order: np.ndarray, state: State) -> tuple[pd.DataFrame, pd.DataFrame]:
    """The frames of tasks and of events. The start of a fetched task, no event to the engine, is added."""
    jobs, owner = state.jobs, np.repeat(order, state.jobs.tasks)
    number = np.arange(len(owner)) - np.repeat(np.cumsum(jobs.tasks) - jobs.tasks, jobs.tasks)
    rows = state.log.tasks[np.repeat(jobs.first, jobs.tasks) + number]
    runs = {name: rows[name] for name in ("worker", "queued", "asked", "start", "finish")}
    tasks = pd.DataFrame({"job": names[owner], "task": number, **runs,
                          "long": np.repeat(jobs.long == 1, jobs.tasks)})
    rows = state.log.events[: int(state.log.used[0])]
    log = pd.DataFrame({"time": rows["time"], "event": np.array(EVENTS, dtype=object)[rows["event"]],
                        "worker": rows["worker"], "job": names[order][rows["job"]]})
    late = tasks[tasks["start"] > tasks["asked"]]
    starts = late[["start", "worker", "job"]].rename(columns={"start": "time"}).assign(event="start")
    log = pd.concat([starts[list(log)], log], ignore_index=True)
    log = log.sort_values("time", kind="stable", ignore_index=True)
    return tasks.sort_values(["job", "task"], kind="stable", ignore_index=True), log
