"""Any table of jobs or tasks: which of its columns is what, and in which units."""

from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
import pandas as pd
from pandas import DataFrame, Series

from schedlib.core.checks import typed, unknown
from schedlib.traces._reading import (
    DATE,
    HOLDS_DATES,
    AnyPath,
    Report,
    Types,
    in_order,
    read_frame,
    refuse,
    refuse_numbers,
    require_columns,
)
from schedlib.workload import Workload

DEMANDS = ("cpu", "mem", "gpu", "disk")
NUMBERS = ("submit", "duration", "start", "end", "tasks")
DATES = "mM"  # numpy's kinds of dates and spans of time
MOST = 50_000_000  # tasks of one workload, about 2 GB


@typed
def read_csv(
    table: AnyPath | DataFrame,
    columns: Mapping[str, str],
    *,
    scale: Mapping[str, float] | None = None,
    names: Sequence[str] | None = None,
    demands: Sequence[str] = DEMANDS,
    delimiter: str = ",",
) -> Workload:
    """Read a workload from any table with one row per job, per task, or per group of equal tasks.

    `table` is a CSV file (`.gz` and `.tar.gz` are unpacked), a `.parquet` file, or a frame. `columns` says
    which of its columns is what:

    | name | what it is |
    |---|---|
    | `submit` | when the job came |
    | `duration` | how long a task of this row runs; without it `start` and `end`, of which it is the difference |
    | `job` | rows of the same job belong together, and its earliest `submit` holds; without it a row is a job |
    | `tasks` | how many equal tasks the row stands for; without it one |
    | `cpu`, `mem`, `gpu`, `disk` | the demand of each task; `demands` names others |
    | any other name | a column of the jobs, as the job's earliest row has it: `user`, `deadline` ... |

    `scale` multiplies columns, to change units: `{"submit": 0.001}` makes seconds of milliseconds. `names`
    are the columns of a file without a header, `delimiter` is the text between its entries (with several
    characters, or `|`, nothing is quoted). Further columns of a file become numbers where each entry is how
    its number is written, or where `scale` names them; "007" and "1.10" stay text, as does text in a frame. Rows out of
    order are sorted and counted. Raises ValueError, naming file and row, on a damaged file, a missing column,
    and an entry that is blank, negative, infinite or not a number; also on a `scale` for a column of text.

    See also: `workload.Workload`.

    >>> table = pd.DataFrame({"start_time": [0, 2000], "ms": [500, 1500], "cores": [1, 2], "who": ["a", "b"]})
    >>> columns = {"submit": "start_time", "duration": "ms", "cpu": "cores", "user": "who"}
    >>> work = read_csv(table, columns, scale={"submit": 0.001, "duration": 0.001})
    >>> work.jobs["user"].tolist(), work.tasks["duration"].tolist()
    (['a', 'b'], [0.5, 1.5])
    """
    timed = "duration" in columns or {"start", "end"} <= columns.keys()
    if "submit" not in columns or not timed:
        raise ValueError(
            f"columns: {sorted(columns)} lack 'submit', or 'duration' (else 'start' and 'end'); "
            "say which column of the table each of them is"
        )
    if not delimiter:
        raise ValueError("delimiter: is empty; give what is between two entries")
    others = "job", *NUMBERS
    right = all(isinstance(name, str) and name not in others for name in demands)
    if isinstance(demands, str) or not right:
        needed = f"needs a list of names, without {', '.join(others)}"
        raise ValueError(f"demands: {demands!r:.60}; {needed}")
    types: dict[str, str] = {}
    for name, column in columns.items():
        amount = name in NUMBERS or name in demands
        types[column] = "float64" if amount else types.get(column, "string")
    if names is not None:
        names = list(map(str, names))
        require_columns("names", types, names)
    scale = scale or {}
    for name in scale:
        if name not in columns:
            raise unknown("scale", name, columns)
    where: AnyPath = "table"
    if isinstance(table, DataFrame):
        source = _checked(table, types)
    else:
        where = Path(table)
        source = read_frame(where, names, types, delimiter, quoted=delimiter != "|", site=True)
    rows = DataFrame()
    for name, column in columns.items():
        values = source[column]
        if types[column] == "string" and not isinstance(table, DataFrame):
            values = _plain(values, name == "job", name in scale)
        if name in scale:
            if values.dtype.kind not in "iuf":
                raise ValueError(f"scale: column {column!r} is not numeric; leave {name!r} out")
            values = values * scale[name]
        rows[name] = values
    if "job" in rows:
        refuse(where, columns["job"], rows["job"] == "", "is blank")
    if "duration" not in rows:
        rows["duration"] = rows["end"] - rows["start"]
        refuse(where, columns["end"], rows["duration"] < 0, "is before the start")
    if "tasks" in rows:
        refuse(where, columns["tasks"], rows["tasks"] % 1 != 0, "is not an integer")
    return workload_of(rows, Report(), where, demands)


def workload_of(
    rows: DataFrame, report: Report, where: AnyPath, demands: Sequence[str] = DEMANDS
) -> Workload:
    """The workload of checked rows of `where`, named as in `read_csv`; steps back in time go into `report`."""
    if not len(rows):
        reasons = ", ".join(f"{number} {reason}" for reason, number in report.items())
        raise ValueError(f"{where}: no row makes a job: {reasons or 'it has no rows'}")
    if "job" not in rows:
        rows.insert(0, "job", np.arange(len(rows)))
    rows = in_order(rows, "submit", report, "rows")
    of_tasks = ["duration", *rows.columns.intersection(list(demands))]
    tasks = rows[["job", *of_tasks]]
    jobs = rows.drop(columns=of_tasks)
    if "tasks" in rows:
        total = rows["tasks"].sum()
        if total > MOST:
            most = f"more than the {MOST:,} that fit"
            raise ValueError(f"{where}: {total:,.0f} tasks, {most}; read a shorter stretch")
        copies = rows["tasks"].astype(int)
        jobs = jobs.drop(columns="tasks")
        tasks = tasks.loc[tasks.index.repeat(copies)]
    jobs = jobs.drop_duplicates("job")
    return Workload(jobs, tasks, report=report)


def _checked(table: DataFrame, types: Types) -> DataFrame:
    """The columns of a frame, numbers as floats."""
    require_columns("table", types, list(table))
    frame = table[list(types)].reset_index(drop=True)
    numbers = [name for name, kind in types.items() if kind == "float64"]
    for name in numbers:
        column = frame[name]
        if column.dtype.kind in DATES or column.astype(str).str.match(DATE).any():
            raise ValueError(f"table: {name} {HOLDS_DATES}")
        frame[name] = pd.to_numeric(column, errors="coerce").astype(float)
    refuse_numbers("table", frame[numbers])
    return frame.infer_objects()


def _plain(column: Series, whole: bool, scaled: bool) -> Series:
    """A column of numbers written as text (`whole`: only integers) as numbers; any other as it is.

    Unless it is `scaled`, "007" and "1.10" are names: two texts never become one number.
    """
    entries = column.mask(column == "")
    numbers = pd.to_numeric(entries, errors="coerce")
    text = numbers.isna() & entries.notna()
    if text.any() or numbers.isna().all() or (whole and numbers.dtype.kind not in "iu"):
        return column
    written = numbers[entries.notna()].astype(str)
    texts = entries.dropna()
    as_written = (texts == written) | (texts == written.str.removesuffix(".0"))
    merged = texts.nunique() > written.nunique()
    if not scaled and (merged or not as_written.all()):
        return column
    return numbers
