"""Google's clusterdata-2011-2: 29 days of one cell, read shard by shard from the published CSV files."""

import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from pandas import DataFrame

from schedlib.core.checks import typed
from schedlib.traces._reading import (
    NO_TASKS,
    AnyPath,
    Report,
    Types,
    count,
    fetched,
    in_order,
    leave_out,
    read_frame,
    refuse,
)
from schedlib.workload import Workload

EVENTS = (
    "submit",
    "schedule",
    "evict",
    "fail",
    "finish",
    "kill",
    "lost",
    "update pending",
    "update running",
)
SUBMIT, SCHEDULE, EVICT, FINISH, LOST, LAST_EVENT = 0, 1, 2, 4, 6, 8
ENDED_EARLY = (2, 3, 5, 6)  # evicted, failed, killed, lost
AFTER = 2**63 - 1  # the published timestamp of what happened after the trace

JOB_COLUMNS = ("time", "missing", "job", "event", "user", "class", "name", "logical name")
REQUESTS = ("cpu", "mem", "disk")
TASK_COLUMNS = (
    "time",
    "missing",
    "job",
    "index",
    "machine",
    "event",
    "user",
    "class",
    "priority",
    *REQUESTS,
    "apart",
)
JOB_TYPES = {"time": "int64", "job": "int64", "event": "int8", "class": "int8"}
TASK_TYPES = JOB_TYPES | {"index": "int32"} | dict.fromkeys(REQUESTS, "float64")


def google2011_folder() -> Path | None:
    """The folder with the `job_events` shards, or None without one.

    It is the one that the variable SCHEDLIB_GOOGLE2011 names; without it `google2011/job_events` below the
    checkout's `data/downloads`, where `make data ARGS=google2011` puts them, or below `../shared/data` beside it.

    >>> folder = google2011_folder()
    >>> folder is None or len(list(folder.glob("part-*.csv.gz"))) > 0
    True
    """
    return fetched("SCHEDLIB_GOOGLE2011", "google2011/job_events", "part-*.csv.gz")


@typed
def google2011_jobs(folder: AnyPath) -> Workload:
    """Read the `job_events` table: one row per submitted job, no tasks (the table has none).

    jobs: `job` (the trace's number), `submit` (s; the trace begins at 600 s, 0 means before that), `class`
    (scheduling class, 0 to 3), `start` (s, its first SCHEDULE event, NaN without one), `end` (s, NaN without
    one) and `end_event` ("finish", "kill", "fail", "evict", "lost" or "none").

    | defect | what happens |
    |---|---|
    | missing shards | counted |
    | events out of order, in a shard or between shards | sorted, counted |
    | the same event twice | once, counted |
    | a job submitted again | its first submission and its last end count, counted |
    | a job without a submission; events after the trace (timestamp 2^63 - 1) | left out, counted |
    | a job without an end | `end` NaN, counted |
    | a job submitted before the trace | `submit` 0, counted |

    `folder` holds any number of `part-*-of-*.csv.gz`, one of which at a time is in memory as text. Raises
    ValueError on a damaged file (see `schedlib.traces`), and on a folder without a shard. Source: Google,
    clusterdata-2011-2, CC-BY 4.0; see `schedlib.traces.download`.

    See also: `traces.google2011_tasks`, `traces.google2011_folder`.

    >>> google2011_jobs("no/such/folder")
    Traceback (most recent call last):
    ValueError: folder: no part-*-of-*.csv.gz in no/such/folder; ...
    """
    report = Report()
    shards = list(_shards(Path(folder), JOB_COLUMNS, JOB_TYPES, report))
    events = pd.concat(shards, ignore_index=True)
    events = in_order(events, "time", report, "events")
    again = events.duplicated(["time", "job", "event"])
    events = leave_out(events, {"repeated events": again}, report)
    submissions = events[events["event"] == SUBMIT]
    again = submissions.duplicated("job")
    first = leave_out(submissions, {"further submissions of a job": again}, report)
    count(report, "jobs never submitted (left out)", events["job"].nunique() - len(first))
    before = first["time"] == 0
    count(report, "jobs submitted before the trace (submit 0)", before)
    states = events[events["event"] <= LOST]
    first = first.set_index("job")
    last = states.drop_duplicates("job", keep="last").set_index("job")
    last = last[last["event"] >= EVICT].reindex(first.index)
    ends = last["event"].map(dict(enumerate(EVENTS))).fillna("none")
    count(report, "jobs without an end (end NaN)", last["event"].isna())
    scheduled = events[events["event"] == SCHEDULE]
    scheduled = scheduled.drop_duplicates("job").set_index("job")
    jobs = first[["class"]].assign(
        submit=first["time"] / 1e6,
        start=scheduled["time"] / 1e6,
        end=last["time"] / 1e6,
        end_event=pd.Categorical(ends, ["none", *EVENTS[EVICT : LOST + 1]]),
    )
    return Workload(jobs.reset_index(), NO_TASKS, report=report)


@typed
def google2011_tasks(folder: AnyPath) -> Workload:
    """Read the `task_events` table: the finished tasks, how long they ran and what they requested.

    tasks: `duration` (s, from the last SCHEDULE before the FINISH to the FINISH), `cpu`, `mem` and `disk`
    (the request at that SCHEDULE, as a fraction of the largest machine). jobs: `job`, `submit` (s, the job's
    first event), `class`.

    | defect | what happens |
    |---|---|
    | runs that were evicted, failed, killed or lost | left out, counted; a later run that finishes is kept |
    | a task that finishes again | its last run, counted |
    | a run begun before the trace, or not ended in it; a FINISH without a SCHEDULE | left out, counted |
    | a task without a CPU, memory or disk request | left out, counted |
    | a job without a finished task | left out, counted |
    | missing shards; events after the trace | counted |
    | the same event twice | once, counted |
    | events out of order | sorted within a shard, counted; the shards' names give their order in time |

    `folder`, errors and source as of `google2011_jobs`. Memory holds one shard and the finished tasks.

    See also: `traces.google2011_jobs`, `lotes.cluster_jobs`.

    >>> google2011_tasks("no/such/folder")
    Traceback (most recent call last):
    ValueError: folder: no part-*-of-*.csv.gz in no/such/folder; ...
    """
    report = Report()
    jobs = []
    finished = []
    running: Any = None
    for shard in _shards(Path(folder), TASK_COLUMNS, TASK_TYPES, report, optional=REQUESTS):
        shard = leave_out(shard, {"repeated events": repeated(shard)}, report)
        ordered = shard[["job", "time", "class"]].sort_values("time", kind="stable")
        jobs.append(ordered.drop_duplicates("job"))
        count_ended_early(report, shard)
        done, running = runs(pd.concat([running, shard]), report)
        finished.append(done)
    tasks = pd.concat(finished, ignore_index=True)
    tasks = last_runs(tasks, running, report)
    first = pd.concat(jobs, ignore_index=True)
    first = first.sort_values("time", kind="stable").drop_duplicates("job")
    first = first.assign(submit=first["time"] / 1e6).drop(columns="time")
    unfinished = ~first["job"].isin(tasks["job"])
    first = leave_out(first, {"jobs without a finished task": unfinished}, report)
    return Workload(first, tasks, report=report)


def runs(
    events: DataFrame, report: Report, requests: Sequence[str] = REQUESTS
) -> tuple[DataFrame, DataFrame]:
    """The runs that finish among `events`, and the SCHEDULE events whose run is still going on."""
    events = events.sort_values(["job", "index", "time"], kind="stable", ignore_index=True)
    event = events["event"].to_numpy()
    new_task = ~events.duplicated(["job", "index"]).to_numpy()
    ends = (event >= EVICT) & (event <= LOST)
    # A run is open after its SCHEDULE until the task ends or another task begins.
    scheduled = _latest(event == SCHEDULE)
    begun = _latest(new_task)
    ended = np.r_[-1, _latest(ends)[:-1]]  # before this event
    is_open = (scheduled >= begun) & (scheduled > ended)
    finishes = event == FINISH
    stray = finishes & ~is_open
    count(report, "finish events without a schedule event (left out)", stray)
    finish = np.flatnonzero(finishes & is_open)
    start = events.iloc[scheduled[finish]]
    time = events["time"].to_numpy()
    begin = start["time"]
    took = time[finish] - begin
    left_out = {
        "runs begun before the trace": begin == 0,
        "finished tasks without a request": start[list(requests)].isna().any(axis=1),
    }
    done = leave_out(start.assign(duration=took / 1e6), left_out, report)
    done = done[["job", "index", "duration", *requests]]
    last_of_task = np.append(new_task[1:], True)
    goes_on = last_of_task & is_open & ~ends
    return done, events.iloc[scheduled[goes_on]]


def last_runs(tasks: DataFrame, running: DataFrame, report: Report) -> DataFrame:
    """Of the runs that finished the last of each task; those `running` went on when the trace ended."""
    count(report, "runs not ended when the trace ends (left out)", len(running))
    again = tasks.duplicated(["job", "index"], keep="last")
    kept = leave_out(tasks, {"earlier runs of a task that finished again": again}, report)
    return kept.drop(columns="index")


def count_ended_early(report: Report, events: DataFrame) -> None:
    """Count the events that end runs before they finish."""
    for code in ENDED_EARLY:
        reason = f"'{EVENTS[code]}' events (such runs are left out)"
        count(report, reason, events["event"] == code)


def _latest(happens: np.ndarray) -> np.ndarray:
    """The last row in which something happens, at or before each row; -1 before the first. (T,) each."""
    rows = np.arange(len(happens))
    return np.maximum.accumulate(np.where(happens, rows, -1))


def _shards(
    folder: Path, names: Sequence[str], types: Types, report: Report, optional: Sequence[str] = ()
) -> Iterator[DataFrame]:
    paths = sorted(folder.glob("part-*-of-*.csv.gz"))
    if not paths:
        raise ValueError(f"folder: no part-*-of-*.csv.gz in {folder}; see schedlib.traces.download")
    published = {re.sub(r".*-of-(\d+).*", r"\1", path.name) for path in paths}
    if len(published) != 1:
        mixed = f"mixes tables cut into {' and '.join(sorted(published))} shards"
        raise ValueError(f"folder: {folder} {mixed}; keep those of one")
    count(report, "missing shards", int(published.pop()) - len(paths))
    reached = 0
    for path in paths:
        shard = read_frame(path, names, types, optional=optional)
        refuse(path, "event", shard["event"] > LAST_EVENT, f"is more than {LAST_EVENT}")
        shard = leave_out(shard, {"events after the trace": shard["time"] == AFTER}, report)
        if optional:  # here tasks: sorted shard by shard, so counted here
            time = shard["time"].to_numpy()
            steps = np.diff(time, prepend=reached)
            back = steps < 0
            count(report, "events out of order (sorted within a shard)", back)
            reached = int(time.max(initial=reached))
        yield shard


def repeated(events: DataFrame) -> pd.Series:
    """Whether an earlier row has the same event of the same task at the same time."""
    return events.duplicated(["time", "job", "index", "event"])
