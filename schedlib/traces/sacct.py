"""Slurm's accounting, as `sacct --parsable2` prints it."""

from pathlib import Path

import pandas as pd
from pandas import DataFrame, Series

from schedlib.core.checks import typed
from schedlib.traces._reading import (
    AnyPath,
    Report,
    count,
    first_row,
    leave_out,
    read_frame,
    refuse,
)
from schedlib.traces.table import workload_of
from schedlib.workload import Workload

NEEDED = ("JobID", "Submit", "Start", "End")
TIMES = ("Submit", "Eligible", "Start", "End")
OPTIONAL = {
    "Eligible": "",
    "Elapsed": "",
    "NodeList": "",
    "Timelimit": "requested_time",
    "User": "user",
    "Partition": "partition",
    "State": "state",
    "ReqMem": "mem",
    "AllocTRES": "gpu",
}
"""Columns that a file may lack, and the column that each becomes."""
PROCESSORS = ("NCPUS", "AllocCPUS", "NNodes", "AllocNodes", "ReqNodes")
UNKNOWN = ("", "Unknown", "None")
NO_LIMIT = ("", "UNLIMITED", "Partition_Limit", "INVALID")
IN_THE_QUEUE = ("CANCELLED", "DEADLINE", "REVOKED")  # how a job may end that never ran
RUN_AGAIN = ("REQUEUED", "NODE_FAIL", "PREEMPTED")
LIMIT = r"^(?:(\d+)-(\d+)(?::(\d+))?(?::(\d+))?|(?:(\d+):)?(\d+):(\d+))(?:\.\d+)?$"
LIMIT_PARTS = (86400, 3600, 60, 1, 3600, 60, 1)  # with days, and without
MEMORY = r"^(\d+(?:\.\d+)?)([KMGTP]?)([cn]?)$"
GIB = {"K": 2.0**-20, "": 2.0**-10, "M": 2.0**-10, "G": 1.0, "T": 2.0**10, "P": 2.0**20}


@typed
def read_sacct(path: AnyPath, delimiter: str = "|") -> Workload:
    """Read jobs from `sacct --parsable2` with its header, or the same table as `.parquet`; a job of n processors is one task with `cpu` n.

    The command is `TZ=UTC sacct --allusers --parsable2
    --format=JobID,Submit,Eligible,Start,End,Elapsed,NCPUS,ReqMem,Timelimit,User,State`, with a start and an
    end; `delimiter` is what `--delimiter` named. Needed are `JobID`, `Submit`, `Start`, `End`, and the first of
    `NCPUS`, `AllocCPUS`, `NNodes`, `AllocNodes`, `ReqNodes` that is there, which becomes `cpu`. Times are
    `2024-05-01T12:00:00`, or to the minute, or seconds since 1970. Free text such as `JobName` may hold the
    delimiter: leave it out.

    jobs: `job` (text, as `12_3` is one), `submit` (s after the first submission), `wait` (s, until the start,
    from `Eligible` where it is there, else from the submission: a wait for a dependency is not the
    scheduler's), and where the file has their columns `requested_time` (s, NaN without a limit), `user`,
    `partition`, `state`. tasks: `duration` (s; `Elapsed`, which leaves out suspended time, before the end less the start),
    `cpu`, `mem` (GiB of the whole job; older Slurms print it per core, `4Gc`, or per node, `4Gn`, which counts
    once without a column `NNodes`) from `ReqMem`, `gpu` from `AllocTRES`.

    | defect | what happens |
    |---|---|
    | a step of a job (`123.batch`) | left out, counted |
    | a job that has not started or has not ended, or has no processors | left out, counted |
    | a job cancelled in the queue: `None assigned` in `NodeList`, or no nodes and an end at its start | left out, counted |
    | a job that ends before its start (as over the end of summer time), without `Elapsed` | left out, counted |
    | a run of 0 s in a file with neither `State` nor `NodeList`, perhaps cancelled in the queue | kept, counted |
    | a start before the submission | kept, its `wait` NaN, counted |
    | a job with several rows of one submission, or that ran again (`REQUEUED`, `NODE_FAIL`, `PREEMPTED`) | its last row, counted |
    | a number that was used again | two jobs, `7@` and their `Submit`, counted |
    | jobs out of order | sorted, counted |
    | a time, an amount or a limit of another form | refused |

    Raises ValueError, naming the row. Source: sacct's manual, https://slurm.schedmd.com/sacct.html.

    See also: `traces.read_swf`.

    >>> import tempfile
    >>> with tempfile.NamedTemporaryFile("w+") as file:
    ...     print("JobID|Submit|Start|End|NCPUS|ReqMem|Timelimit|User|State", file=file)
    ...     times = "2024-05-01T12:00:00|2024-05-01T12:00:30|2024-05-01T12:02:00"
    ...     print(f"7|{times}|4|2G|1-00:00:00|ada|COMPLETED", file=file, flush=True)
    ...     work = read_sacct(file.name)
    >>> work.tasks.values.tolist(), work.jobs[["wait", "requested_time"]].values.tolist()
    ([['7', 90.0, 4.0, 2.0]], [[30.0, 86400.0]])
    """
    path = Path(path)
    header = first_row(path, delimiter)
    cpus = next((name for name in PROCESSORS if name in header), PROCESSORS[0])
    of_nodes = ["NNodes"] if "NNodes" in header else []
    amounts = [cpus, *of_nodes]
    absent = [name for name in OPTIONAL if name not in header]
    text = [name for name in (*NEEDED, *OPTIONAL) if name not in absent]
    types = dict.fromkeys(text, "string") | dict.fromkeys(amounts, "float64")
    rows = read_frame(path, None, types, delimiter, optional=list(types), quoted=False, site=True)
    rows[text] = rows[text].fillna("")  # of a Parquet file
    rows[absent] = ""
    submit, eligible, start, end = (_times(path, rows[name]) for name in TIMES)
    elapsed = _limits(path, rows["Elapsed"]).where(end.notna())
    wait = start - eligible.fillna(submit)
    made = DataFrame(
        {
            "job": rows["JobID"],
            "submit": submit,
            "wait": wait.mask(wait < 0),
            "requested_time": _limits(path, rows["Timelimit"]),
            "user": rows["User"],
            "partition": rows["Partition"],
            "state": rows["State"].str.partition(" ")[0],
            "duration": elapsed.fillna(end - start),
            "cpu": rows[cpus],
            "mem": _memory(path, rows, cpus),
            "gpu": _gpus(rows["AllocTRES"]),
        }
    )
    nodes = rows["NodeList"]
    ended_at_start = made["state"].isin(IN_THE_QUEUE) & (end == start) & (nodes == "")
    left_out = {
        "steps of jobs": made["job"].str.contains(".", regex=False),
        "jobs that have not started": start.isna() | (nodes == "None assigned") | ended_at_start,
        "jobs that have not ended": made["duration"].isna(),
        "jobs without processors": ~(made["cpu"] > 0),
        "jobs that end before their start": made["duration"] < 0,
    }
    report = Report()
    made = leave_out(made, left_out, report)
    made = leave_out(made, {"earlier rows of a job": _earlier(made)}, report)
    count(report, "starts before the submission (wait unknown)", made["wait"].isna())
    if "State" in absent and "NodeList" in absent:
        count(report, "runs of 0 s without a state (kept)", made["duration"] == 0)
    again = made.duplicated("job", keep=False)
    count(report, "jobs whose number was used again (told apart)", again)
    made["job"] = made["job"].mask(again, made["job"] + "@" + rows["Submit"])
    made["submit"] -= made["submit"].min()
    made = made.drop(columns=[OPTIONAL[name] for name in absent], errors="ignore")
    return workload_of(made, report, path)


def _earlier(made: DataFrame) -> Series:
    """Which rows a later row of the same job replaces: one of the same submission, or a run after this one."""
    final = ~made["state"].isin(RUN_AGAIN)
    ordered = made.assign(final=final).sort_values(["submit", "final"], kind="stable")
    same_submission = ordered.duplicated(["job", "submit"], keep="last")
    followed = ordered.duplicated("job", keep="last")
    earlier = same_submission | followed & ~ordered["final"]
    return earlier.reindex(made.index)


def _times(path: Path, column: Series) -> Series:
    """Moments such as `2024-05-01T12:00:00` in seconds since 1970, NaN where one is unknown."""
    entries = column.mask(column.isin(UNKNOWN))
    seconds = pd.to_numeric(entries.where(entries.str.fullmatch(r"\d+", na=False))).astype(float)
    moments = pd.to_datetime(
        entries.mask(seconds.notna()), format="ISO8601", utc=True, errors="coerce"
    )
    seconds = seconds.fillna((moments - pd.Timestamp(0, tz="UTC")).dt.total_seconds())
    refuse(path, str(column.name), seconds.isna() & entries.notna(), "is not a time")
    return seconds


def _limits(path: Path, column: Series) -> Series:
    """Spans such as `1-12:00:00`, `1-12:00` and `30:00` in seconds, NaN without a limit."""
    entries = column.mask(column.isin(NO_LIMIT))
    parts = entries.str.extract(LIMIT).astype(float)
    wrong = parts.isna().all(axis=1) & entries.notna()
    refuse(path, str(column.name), wrong, "is not a span of time")
    seconds = parts.fillna(0) @ LIMIT_PARTS
    return seconds.where(entries.notna())


def _gpus(resources: Series) -> Series:
    """The GPUs in entries such as `cpu=8,gres/gpu=4`; without a total, those of each type are added."""
    total = resources.str.extract(r"gres/gpu=(\d+)")[0].astype(float)
    typed_ones = resources.str.extractall(r"gres/gpu:[^=,]+=(\d+)")[0].astype(float)
    return total.fillna(typed_ones.groupby(level=0).sum()).fillna(0.0)


def _memory(path: Path, rows: DataFrame, cpus: str) -> Series:
    """The memory that each job requested (GiB), 0 where the entry is blank."""
    parts = rows["ReqMem"].replace("", "0").str.extract(MEMORY)
    refuse(path, "ReqMem", parts[0].isna(), "is not an amount of memory")
    memory = parts[0].astype(float) * parts[1].map(GIB)
    memory = memory.mask(parts[2] == "c", memory * rows[cpus])
    return memory.mask(parts[2] == "n", memory * rows.get("NNodes", 1.0))
