"""Results of `eagle.simulate`, made from the state at the end."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from schedlib.eagle.messages import EVENTS
from schedlib.eagle.records import COUNTERS, MOST_PROBES
from schedlib.eagle.state import State
from schedlib.eagle.systems import Refusal, System, Way
from schedlib.workload import in_short, with_results


@dataclass(frozen=True, repr=False)
class Simulation:
    """The result of a run.

    - `jobs`: a row per job in the workload's order: `job`, `class`, `submit` (as published the dephased time),
      `start` of its first task, `finish`, the workload's own columns, `completion` = finish - submit, `long`,
      `tasks`, `estimate` of a task; times in the workload's unit
    - `stats`: counters by name. `probes` sent first; `rejections`; `rescheduled` probes (rejected or stolen);
      `behind_long`, probes queued behind a long task; `ran_behind_long`, short tasks run by such a probe
      where it was queued; `steal_attempts`, `steals`, `stolen` probes; `requests` for a task, `vain` ones;
      `dropped` probes, of jobs known to have nothing left; `placements` of tasks by a centre; `updates`, what
      schedulers tell nodes for SRPT: one for each probe of a job and each start of a task; `heartbeats`;
      `messages`, the sum of: `probes`, `placements` and `updates`; two for each rejection (it, and the probe
      that is sent on), each request (it, and its answer) and each attempt to steal (it, and its answer); one
      for each worker and heartbeat. Bit vectors travel on these. What the centre hears of starts and ends is
      not counted; `events`; `longest_queue`; `utilisation`, `utilisation_short`,
      `utilisation_general`, the mean share of busy slots from the first to the last submission; `makespan`
      (s, to the last end); `workers`, `short_only`, `jobs`, `tasks`, `short_tasks`
    - `utilisation`: `time` (s, the beginning of an interval; the first begins with the first submission), busy
      shares `short`, `general`, `all`
    - `tasks`, `log`: with `record=True` a row per task (`job, task, worker, queued, asked, start, finish,
      long`; s) and per event (`time, event, worker, job`), else None

    See also: `eagle.simulate`.

    >>> from schedlib import eagle
    >>> from schedlib.workload import Workload
    >>> jobs = Workload.from_arrays([0, 1, 2], [1.0, 1.0, 9.0])
    >>> run = eagle.simulate(jobs, "sparrow", 3, short_partition=0.34, cutoff=5)
    >>> run.jobs["long"].tolist(), int(run.stats["tasks"])
    ([False, False, True], 3)
    """

    system: System
    jobs: pd.DataFrame
    stats: Mapping[str, float]
    utilisation: pd.DataFrame
    tasks: pd.DataFrame | None = None
    log: pd.DataFrame | None = None

    def __repr__(self):
        return in_short(self, self.system.name, self.jobs)

    def percentiles(self, q: Sequence[float] = (50, 90, 99)) -> pd.DataFrame:
        """Percentiles of the completion times of each class: `long, percentile, completion` (s).

        Jobs without a completion time, which have failed on real processes, are left out."""
        rows = []
        completed = self.jobs.dropna(subset="completion")
        for long, times in completed.groupby("long")["completion"]:
            values = np.percentile(times, q)
            for percentile, time in zip(q, values, strict=True):
                rows.append((long, percentile, time))
        return pd.DataFrame(rows, columns=["long", "percentile", "completion"])


def check_choices(state: State, system: str, unit: str, names: np.ndarray) -> None:
    """ValueError when a reader's function chose a worker, place or number that it cannot have.

    It says what was chosen, when, and what is possible; `names (N,)` are the jobs' by submission."""
    refusal = state.refusal[0]
    if refusal.what == Refusal.NOTHING:
        return
    time = f"at {refusal.time:.4g} {unit}"
    last = refusal.choices - 1
    possible = f"return one of 0 to {last}"
    if refusal.what == Refusal.UNKNOWN_WORKER:
        is_long = state.jobs[refusal.job].long
        way = state.how.long_way if is_long else state.how.short_way
        sent = "task" if way == Way.READERS_PLACES else "probe"
        probe = f"{sent} {refusal.probe} of job {names[refusal.job]}"
        part = "long_jobs" if is_long else "short_jobs"
        number = f"there are {refusal.choices}"
        chose = f"{part} sends {probe} {time} to worker {refusal.choice}; {number}"
    elif refusal.what == Refusal.FEW_PROBES:
        job = f"job {names[refusal.job]} of {state.jobs[refusal.job].tasks} tasks"
        chose = f"probes gives {refusal.choice} for {job} {time}"
        possible = f"return {refusal.choices} or more, and at most {MOST_PROBES:,}"
    else:
        jobs = ", ".join(str(names[job]) for job in state.line[: min(refusal.choices, 5)])
        more = " ..." if last > 4 else ""
        line = f"the line of worker {refusal.worker} (jobs {jobs}{more})"
        chose = f"queue picks place {refusal.choice} {time} in {line}; it has {refusal.choices}"
    raise ValueError(f"system {system!r}: {chose}; {possible}")


SUMMED_TIMES = (
    "origin",
    "width",
    "since",
    "sum_short",
    "sum_general",
    "last_short",
    "last_general",
)


def in_unit(state: State, unit: float) -> None:
    """Turn the times of a run in seconds into a unit that has `unit` seconds."""
    log = state.log
    for records, names in (
        (state.jobs, ("submit", "start", "finish", "estimate")),
        (state.clock, ("now",)),
        (log.sums, SUMMED_TIMES),
        (log.events, ("time",)),
        (log.tasks, ("queued", "asked", "start", "finish")),
    ):
        for name in names:
            records[name] /= unit
    log.bins[:] /= unit


def result(
    system: System, own: pd.DataFrame, order: np.ndarray, state: State, record: bool
) -> Simulation:
    """The run's frames and counters; the state's jobs are rows `order (N,)` of the workload's, `own`."""
    names = own["job"].to_numpy()
    ends = np.empty_like(state.jobs)
    ends[order] = state.jobs
    found = {
        "submit": ends["submit"],
        "start": ends["start"],
        "finish": ends["finish"],
        "completion": ends["finish"] - ends["submit"],
        "long": ends["long"] == 1,
        "tasks": ends["tasks"],
        "estimate": ends["estimate"],
    }
    tasks = log = None
    if record:
        tasks, log = _records(names, order, state)
    return Simulation(
        system=system,
        jobs=with_results(own, found),
        stats=_stats(state),
        utilisation=_utilisation(state),
        tasks=tasks,
        log=log,
    )


def _stats(state: State) -> dict[str, float]:
    jobs = state.jobs
    sums = state.log.sums[0]
    workers = len(state.workers)
    short_only = state.how.short_only
    slots = len(state.slots)
    short_slots = int(state.first[short_only])
    span = jobs.submit[-1] - jobs.submit[0]
    busy_short = sums.last_short / span if span > 0 else math.nan
    busy_general = sums.last_general / span if span > 0 else math.nan
    counts = {}
    for name in COUNTERS:
        counts[name] = int(state.counts[0][name])
    return {
        **totals(counts, workers, short_only, jobs.tasks, jobs.long == 1),
        "utilisation": _share(busy_short + busy_general, slots),
        "utilisation_short": _share(busy_short, short_slots),
        "utilisation_general": _share(busy_general, slots - short_slots),
        "makespan": float(jobs.finish.max()),
    }


def totals(
    counts: Mapping[str, int], workers: int, short_only: int, tasks: np.ndarray, long: np.ndarray
) -> dict[str, float]:
    """The sizes of a run, its counters, and their sums; `tasks (N,)` and `long (N,)` are those of the jobs."""
    alone = counts["probes"] + counts["placements"] + counts["updates"]
    in_pairs = counts["rejections"] + counts["requests"] + counts["steal_attempts"]
    heartbeats = workers * counts["heartbeats"]
    return {
        "workers": workers,
        "short_only": short_only,
        "jobs": len(tasks),
        "tasks": int(tasks.sum()),
        "short_tasks": int(tasks[~long].sum()),
        **counts,
        "rescheduled": counts["rejections"] + counts["stolen"],
        "messages": alone + 2 * in_pairs + heartbeats,
    }


def _share(busy: float, slots: int) -> float:
    """The share of the slots that is busy; NaN of none."""
    return float(busy / slots) if slots else math.nan


def _utilisation(state: State) -> pd.DataFrame:
    sums = state.log.sums[0]
    width = sums.width
    last = state.clock[0].now - sums.origin
    intervals = max(1, math.ceil(last / width))
    bins = state.log.bins[:intervals]
    slots = len(state.slots)
    short_slots = int(state.first[state.how.short_only])
    time = width * np.arange(len(bins))
    left = np.maximum(last - time, 1e-300)
    room = np.minimum(width, left)
    short, general = bins.T
    shares = pd.DataFrame({"time": sums.origin + time})
    with np.errstate(divide="ignore", invalid="ignore"):
        shares["short"] = short / (room * short_slots)
        shares["general"] = general / (room * (slots - short_slots))
        shares["all"] = bins.sum(axis=1) / (room * slots)
    return shares


def _records(
    names: np.ndarray, order: np.ndarray, state: State
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """The frames of tasks and of events. The start of a fetched task, no event to the engine, is added."""
    jobs = state.jobs
    owner = np.repeat(order, jobs.tasks)
    first_row = np.cumsum(jobs.tasks) - jobs.tasks
    number = np.arange(len(owner)) - np.repeat(first_row, jobs.tasks)
    rows = np.repeat(jobs.first, jobs.tasks) + number
    tasks = pd.DataFrame(state.log.tasks[rows])  # worker, queued, asked, start, finish
    tasks.insert(0, "job", names[owner])
    tasks.insert(1, "task", number)
    tasks["long"] = np.repeat(jobs.long == 1, jobs.tasks)

    used = int(state.log.used[0])
    log = pd.DataFrame(state.log.events[:used])
    names_of_events = np.array(EVENTS, dtype=object)
    log["event"] = names_of_events[log["event"]]
    log["job"] = names[order][log["job"]]
    fetched = tasks[tasks["start"] > tasks["asked"]]
    starts = fetched[["start", "worker", "job"]]
    starts = starts.rename(columns={"start": "time"})
    starts.insert(1, "event", "start")
    log = pd.concat([starts, log], ignore_index=True)
    log = log.sort_values("time", kind="stable", ignore_index=True)
    tasks = tasks.sort_values(["job", "task"], kind="stable", ignore_index=True)
    return tasks, log
