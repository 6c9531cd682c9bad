"""SWIM: a day of Facebook's MapReduce jobs, with the bytes that each read, shuffled and wrote."""

from pathlib import Path

import numpy as np

from schedlib.core.checks import typed
from schedlib.traces._reading import (
    NO_TASKS,
    AnyPath,
    Report,
    count,
    fetched,
    first_row,
    in_order,
    leave_out,
    read_frame,
)
from schedlib.workload import Workload

COLUMNS = ("job", "submit", "gap", "map_input", "shuffle", "reduce_output")
WHOLE = dict.fromkeys(COLUMNS[1:], "int64")
TYPES = {"job": "string"} | WHOLE


def swim_folder() -> Path | None:
    """The folder with SWIM's two files, or None without them.

    It is the one that the variable SCHEDLIB_SWIM names; without it `swim` below the checkout's
    `data/downloads`, where `make data ARGS=swim` puts them, or below `../shared/data` beside it.

    >>> folder = swim_folder()
    >>> folder is None or len(list(folder.glob("FB-20*.tsv"))) > 0
    True
    """
    return fetched("SCHEDLIB_SWIM", "swim", "FB-20*.tsv")


@typed
def read_swim(path: AnyPath) -> Workload:
    """Read a SWIM file: one row per job, no tasks, since bytes are not durations.

    jobs: `job` (the file's name for it), `submit` (s), `class` (0), and in bytes `map_input`, `shuffle`,
    `reduce_output`.

    | defect | what happens |
    |---|---|
    | jobs out of order | sorted, those of one time as they stood; counted |
    | a job with several rows | the first kept, counted |
    | a gap (3rd column) that is not the time since the row before | `submit` holds, counted |

    Columns after the sixth, as the variants with the jobs' paths have them, are not read. Raises ValueError
    on a damaged file (see `schedlib.traces`). Source: Chen et al., SWIM (UC Berkeley), New BSD;
    `schedlib.traces.download` fetches it.

    See also: `hmhs.swim_jobs`, which makes jobs of the bytes.

    >>> import tempfile
    >>> with tempfile.NamedTemporaryFile("w+") as file:
    ...     print(*("job0", 49, 49, 740773, 2339561, 627471), sep="\\t", file=file, flush=True)
    ...     read_swim(file.name).jobs[["job", "submit", "shuffle"]]
        job  submit  shuffle
    0  job0    49.0  2339561
    """
    path = Path(path)
    columns = len(first_row(path, "\t"))
    beyond = [f"path {number}" for number in range(columns - len(COLUMNS))]
    names = *COLUMNS, *beyond
    rows = read_frame(path, names, TYPES, delimiter="\t")
    report = Report()
    since = np.diff(rows["submit"], prepend=0)
    other = since != rows["gap"]
    count(report, "gaps that disagree with submit (submit holds)", other[1:])
    jobs = leave_out(rows, {"further rows of a job": rows.duplicated("job")}, report)
    jobs = in_order(jobs.drop(columns="gap"), "submit", report, "jobs")
    return Workload(jobs, NO_TASKS, report=report)
