"""The Standard Workload Format, in which the Parallel Workloads Archive keeps the logs of parallel machines."""

import io
import re
from pathlib import Path

import numpy as np
import pandas as pd
from pandas import DataFrame

from schedlib.core.checks import typed
from schedlib.traces._reading import (
    DAMAGE,
    FETCH_AGAIN,
    AnyPath,
    Report,
    count,
    fetched,
    leave_out,
    opened,
    refuse,
    require_file,
    split_numbers,
)
from schedlib.traces.table import workload_of
from schedlib.workload import Workload

FIELDS = (
    "job",
    "submit",
    "wait",
    "duration",
    "cpu",
    "average_cpu_time",
    "used_memory",
    "requested_processors",
    "requested_time",
    "requested_memory",
    "status",
    "user",
    "group",
    "application",
    "queue",
    "partition",
    "preceding_job",
    "think_time",
)
CODES = ["job", *FIELDS[10:17]]  # integers that name something
AMOUNTS = ["wait", *FIELDS[5:10], "think_time"]
CANCELLED = 5
PARTS = (2, 3, 4)  # status of a part of a job, whose whole has a line of its own


def swf_folder() -> Path | None:
    """The folder with fetched logs, or None without one.

    It is the one that the variable SCHEDLIB_SWF names; without it `swf` below the checkout's
    `data/downloads`, where `make data ARGS=swf` puts one, or below `../shared/data` beside it.

    >>> folder = swf_folder()
    >>> folder is None or len(list(folder.glob("*.swf.gz"))) > 0
    True
    """
    return fetched("SCHEDLIB_SWF", "swf", "*.swf.gz")


@typed
def swf_header(path: AnyPath) -> dict[str, str]:
    """The fields of a log's header as text: `MaxProcs`, `UnixStartTime`, ...; a repeated field has a line each.

    Raises ValueError on a damaged file.

    >>> import tempfile
    >>> with tempfile.NamedTemporaryFile("w+") as file:
    ...     print("; MaxProcs: 128", file=file, flush=True)
    ...     swf_header(file.name)
    {'MaxProcs': '128'}
    """
    header: dict[str, str] = {}
    for name, value in re.findall(r"^;[ \t]*(\w+):[ \t]*(.*?)[ \t]*$", _text(Path(path)), re.M):
        header[name] = f"{header[name]}\n{value}" if name in header else value
    return header


@typed
def read_swf(path: AnyPath) -> Workload:
    """Read a log in the Standard Workload Format; a job of n processors is one task with `cpu` n.

    So LoTES's simulator runs it whole, on one "machine" of `swf_header(path)["MaxProcs"]` processors
    (`MaxNodes` where a log has no `MaxProcs`).
    jobs: `job`, `submit` (s); `wait` (s, in the log), `average_cpu_time` (s), `used_memory` and
    `requested_memory` (KB per processor), `requested_processors`, `requested_time` (s), `think_time` (s), NaN
    where unknown; `status` (1 done, 0 failed, 5 cancelled), `user`, `group`, `application`, `queue`,
    `partition`, `preceding_job`, -1 where unknown. tasks: `duration` (s), `cpu` (processors that the job got;
    where that is unknown, those that it requested).

    | defect | what happens |
    |---|---|
    | a job without a time of submission, a run time or processors (-1, or 0 processors) | left out, counted |
    | a job cancelled before it started (status 5, 0 s, 0 processors) | left out, counted |
    | a number that another job had, as where the numbering restarts | all jobs numbered 1, 2, ..., counted |
    | a line on a part of a job (status 2, 3, 4) | left out, counted: the whole has its own line |
    | jobs out of order | sorted, counted |
    | fewer lines than `MaxRecords` in the header | counted |
    | a line without 18 numbers, another negative number of these, a code that is not an integer, a line there twice | refused |

    Files may be packed by gzip. Raises ValueError, naming the line. Source: Chapin et al., *Benchmarks and
    standards for the evaluation of parallel job schedulers*, JSSPP 1999; Parallel Workloads Archive,
    https://www.cs.huji.ac.il/labs/parallel/workload/swf.html. `schedlib.traces.download` fetches one log.

    See also: `traces.swf_header`, `traces.read_sacct`.

    >>> import tempfile
    >>> with tempfile.NamedTemporaryFile("w+") as file:
    ...     print("1 0 5 60 4 -1 -1 4 90 -1 1 7 1 -1 1 -1 -1 -1", file=file, flush=True)
    ...     work = read_swf(file.name)
    >>> work.tasks["cpu"].tolist(), work.jobs["requested_time"].tolist()
    ([4.0], [90.0])
    """
    path = Path(path)
    text = _text(path)
    rows = _numbers(path, text)
    for name in FIELDS:
        refuse(path, name, ~np.isfinite(rows[name]), "is not a finite number")
    for name in ("submit", "duration", "cpu", "requested_processors"):
        refuse(path, name, (rows[name] < 0) & (rows[name] != -1), "is negative")
    for name in CODES:
        refuse(path, name, rows[name] % 1 != 0, "is not an integer")
    rows[CODES] = rows[CODES].astype(np.int64)
    refuse(path, "job", rows.duplicated(), "has a second line")
    never_ran = (rows["status"] == CANCELLED) & (rows["duration"] == 0) & (rows["cpu"] == 0)
    rows["cpu"] = rows["cpu"].where(rows["cpu"] > 0, rows["requested_processors"])
    stated = re.search(r"^;\s*MaxRecords:\s*(\d+)", text, re.M)
    report = Report()
    if stated:
        missing = int(stated[1]) - len(rows)
        count(report, "lines missing of the header's MaxRecords", max(missing, 0))
    left_out = {
        "lines on parts of jobs": rows["status"].isin(PARTS),
        "jobs cancelled before they started": never_ran,
        "jobs without a time of submission": rows["submit"] < 0,
        "jobs without a run time": rows["duration"] < 0,
        "jobs without processors": rows["cpu"] <= 0,
    }
    kept = leave_out(rows, left_out, report)
    repeated = kept.duplicated("job")
    count(report, "numbers of jobs used before (all jobs numbered in the log's order)", repeated)
    if repeated.any():
        kept["job"] = np.arange(1, len(kept) + 1)
    kept[AMOUNTS] = kept[AMOUNTS].where(kept[AMOUNTS] >= 0)
    return workload_of(kept, report, path, demands=("cpu",))


def _text(path: Path) -> str:
    require_file(path)
    try:
        with opened(path) as file:
            return file.read().decode("latin-1")
    except DAMAGE as error:
        raise ValueError(f"{path}: {error}; {FETCH_AGAIN}") from None


def _numbers(path: Path, text: str) -> DataFrame:
    """The numbers of a log by field; the index has the number of each line."""
    lines = {}
    for number, line in enumerate(io.StringIO(text, newline=None), 1):
        numbers = line.partition(";")[0].strip()
        if numbers:
            lines[number] = numbers
    if not lines:
        raise ValueError(f"{path}: no rows; the file is empty or cut short: fetch it again")
    values, counts = split_numbers(path, lines)
    wrong = pd.Series(counts != len(FIELDS), index=list(lines))
    refuse(path, "a line", wrong, f"does not have {len(FIELDS)} numbers")
    return DataFrame(values.reshape(-1, len(FIELDS)), index=wrong.index, columns=list(FIELDS))
