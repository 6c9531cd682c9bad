"""What the readers share: a strict CSV reader, refusals that name file and row, and sorting that is counted."""

from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
from pyarrow import csv

FETCH_AGAIN = "the file is damaged or of another kind: fetch it again, or take the row out"
NO_TASKS = pd.DataFrame({"job": [], "duration": []})


def read_table(path: Path, names: Sequence[str], types: Mapping[str, pa.DataType], delimiter: str = ",") -> pa.Table:
    """Read the columns in `types` of a header-less file that has the columns `names` (gzip by name).

    Raises ValueError, naming the file and the row (counted from 1), when it is empty or cut short, when a row has another
    number of columns, and when an entry is not of its type.
    """
    if not path.is_file():
        raise ValueError(f"{path}: there is no such file")
    convert = csv.ConvertOptions(column_types=types, include_columns=list(types), null_values=[""], strings_can_be_null=False)
    parse = csv.ParseOptions(delimiter=delimiter)
    try:
        # One thread: only then do Arrow's errors name the row, and the work is mostly inflating.
        table = csv.read_csv(path, csv.ReadOptions(column_names=list(names), use_threads=False), parse, convert)
    except (pa.ArrowException, OSError) as error:
        raise ValueError(f"{path}: {error}; expected {len(names)} columns ({', '.join(names)}); {FETCH_AGAIN}") from None
    return table


def read_frame(path: Path, names: Sequence[str], types: Mapping, delimiter: str = ",", optional: Sequence = ()) -> pd.DataFrame:
    """`read_table` as a frame of numbers >= 0 and strings; only `optional` columns may have blanks, which become NaN."""
    table = read_table(path, names, types, delimiter)
    for name in types:
        if name not in optional and table[name].null_count:
            refuse(path, name, table[name].is_null().to_numpy(), "is blank")
    frame = table.to_pandas()
    for name in frame.select_dtypes("number"):
        refuse(path, name, (frame[name] < 0).to_numpy(), "is negative")
        if name not in optional:
            refuse(path, name, ~np.isfinite(frame[name].to_numpy()), "is not a finite number")
    return frame


def refuse(path: Path, column: str, bad: np.ndarray, why: str) -> None:
    """Raise ValueError on the first row that is `bad`."""
    if bad.any():
        raise ValueError(f"{path}: {column} {why} in row {int(bad.argmax()) + 1}; {FETCH_AGAIN}")


def in_order(frame: pd.DataFrame, column: str, report: dict[str, int], what: str) -> pd.DataFrame:
    """Sort `frame` by `column`, equal ones staying as they were, and count the steps back in `report`."""
    back = int((np.diff(frame[column].to_numpy()) < 0).sum())
    if back:
        report[f"{what} out of order (sorted)"] = back
        frame = frame.sort_values(column, kind="stable")
    return frame.reset_index(drop=True)


def found(report: Mapping[str, int]) -> dict[str, int]:
    """The entries that were met at least once."""
    return {reason: int(count) for reason, count in report.items() if count}
