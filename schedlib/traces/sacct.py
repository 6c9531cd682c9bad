"""Slurm's accounting, as `sacct --parsable2` prints it."""

from collections import Counter
from pathlib import Path

import pandas as pd
import pyarrow as pa

from schedlib.core.checks import typed
from schedlib.traces._reading import BARE, first_row, leave_out, read_frame, refuse
from schedlib.traces.table import workload_of
from schedlib.workload import Workload

TIMES = ("Submit", "Start", "End")
TEXT = ("JobID", *TIMES, "ReqMem", "Timelimit", "User", "State")
UNKNOWN = ("", "Unknown", "None")
NO_LIMIT = ("", "UNLIMITED", "Partition_Limit")
MOMENT = "%Y-%m-%dT%H:%M:%S"
LIMIT = r"^(?:(\d+)-)?(?:(\d+):)?(\d+):(\d+)(?:\.\d+)?$"
LIMIT_PARTS = (86400, 3600, 60, 1)
MEMORY = r"^(\d+(?:\.\d+)?)([KMGTP]?)([cn]?)$"
GIB = {"K": 2.0**-20, "M": 2.0**-10, "G": 1.0, "T": 2.0**10, "P": 2.0**20}


@typed
def read_sacct(path: str | Path) -> Workload:
    """Read jobs from `sacct --parsable2` with its header; a job of n processors is one task with `cpu` n.

    The command is `TZ=UTC sacct --allusers --parsable2
    --format=JobID,Submit,Start,End,NCPUS,ReqMem,Timelimit,User,State`, with a start and an end; `AllocCPUS`
    will do for `NCPUS`, and further columns are not read. jobs: `job` (text, as `12_3` is one), `submit` (s
    after the first submission), `wait` (s, from the submission to the start), `requested_time` (s, NaN without
    a limit), `user`, `state`. tasks: `duration` (s), `cpu`, `mem` (GiB of the whole job; older Slurms print it
    per core, `4Gc`, or per node, `4Gn`, which counts once without a column `NNodes`).

    | defect | what happens |
    |---|---|
    | a step of a job (`123.batch`) | left out, counted |
    | a job that has not started or has not ended, or has no processors | left out, counted |
    | a job with several rows | its last row, counted |
    | jobs out of order | sorted, counted |
    | a time, an amount or a limit of another form; an end before the start | refused |

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
    header = first_row(path, BARE)
    cpus = "NCPUS" if "NCPUS" in header else "AllocCPUS"
    nodes = ["NNodes"] if "NNodes" in header else []
    amounts = [cpus, *nodes]
    types = dict.fromkeys(TEXT, pa.string())
    types |= dict.fromkeys(amounts, pa.float64())
    rows = read_frame(path, None, types, BARE, optional=amounts)
    submit, start, end = (_times(path, rows[name]) for name in TIMES)
    refuse(path, "End", end < start, "is before the start")
    wait = start - submit
    duration = end - start
    made = pd.DataFrame(
        {
            "job": rows["JobID"],
            "submit": submit,
            "wait": wait.dt.total_seconds(),
            "requested_time": _limits(path, rows["Timelimit"]),
            "user": rows["User"],
            "state": rows["State"].str.partition(" ")[0],
            "duration": duration.dt.total_seconds(),
            "cpu": rows[cpus],
            "mem": _memory(path, rows, cpus),
        }
    )
    left_out = {
        "steps of jobs": made["job"].str.contains(".", regex=False),
        "jobs that have not started": wait.isna(),
        "jobs that have not ended": duration.isna(),
        "jobs without processors": ~(made["cpu"] > 0),
    }
    report: Counter[str] = Counter()
    made = leave_out(made, left_out, report)
    again = made.duplicated("job", keep="last")
    made = leave_out(made, {"earlier rows of a job": again}, report)
    since = made["submit"] - made["submit"].min()
    made["submit"] = since.dt.total_seconds()
    return workload_of(made, report, path)


def _times(path: Path, column: pd.Series) -> pd.Series:
    """Moments such as `2024-05-01T12:00:00`, NaT where one is unknown."""
    entries = column.mask(column.isin(UNKNOWN))
    times = pd.to_datetime(entries, format=MOMENT, errors="coerce")
    refuse(path, str(column.name), times.isna() & entries.notna(), "is not a time")
    return times


def _limits(path: Path, column: pd.Series) -> pd.Series:
    """Time limits such as `1-12:00:00` in seconds, NaN for a job without a limit."""
    entries = column.mask(column.isin(NO_LIMIT))
    parts = entries.str.extract(LIMIT)
    refuse(path, "Timelimit", parts[3].isna() & entries.notna(), "is not a time limit")
    numbers = parts.astype(float).fillna(0)
    seconds = numbers @ LIMIT_PARTS
    return seconds.where(entries.notna())


def _memory(path: Path, rows: pd.DataFrame, cpus: str) -> pd.Series:
    """The memory that each job requested (GiB), 0 where the entry is blank."""
    parts = rows["ReqMem"].replace("", "0").str.extract(MEMORY)
    refuse(path, "ReqMem", parts[0].isna(), "is not an amount of memory")
    unit = parts[1].replace("", "M")
    memory = parts[0].astype(float) * unit.map(GIB)
    per_core = memory * rows[cpus]
    per_node = memory * rows.get("NNodes", 1.0)
    memory = memory.mask(parts[2] == "c", per_core)
    return memory.mask(parts[2] == "n", per_node)
