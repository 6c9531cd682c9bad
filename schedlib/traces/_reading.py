"""What the readers share: a strict CSV reader, refusals that name file and row, and a cache."""

import gzip
import os
import tarfile
import warnings
import zlib
from collections.abc import Callable, Mapping, Sequence
from hashlib import sha256
from pathlib import Path
from typing import IO, cast

import numpy as np
import pandas as pd
import pyarrow as pa
from pyarrow import csv, parquet
from tqdm import tqdm

from schedlib.core.checks import MOST_NAMES
from schedlib.core.running import PATIENCE
from schedlib.paths import cache_folder, checkout, replacing

FETCH_AGAIN = "the file is damaged or of another kind: fetch it again, or take the row out"
NO_TASKS = pd.DataFrame({"job": [], "duration": []})
DAMAGE = (OSError, EOFError, UnicodeDecodeError, zlib.error, tarfile.TarError)
"""What Python raises on a file that is cut short, damaged, or packed in another way."""
BARE = "|"  # Slurm's delimiter, between entries that are never quoted
PARQUET, TAR = ".parquet", ".tar.gz"
Types = Mapping[str, pa.DataType]


def fetched(variable: str, below: str, pattern: str) -> Path | None:
    """The folder of a fetched trace, with a file of that pattern, or None when there is none.

    It is the one that the environment's `variable` names; without it the folder `below` the checkout's
    `data/downloads`, where `make data` puts traces, or `../shared/data` beside it.
    """
    named, root = os.environ.get(variable), checkout()
    places = [Path(named)] if named else []
    if root is not None and not named:
        places = [root / "data" / "downloads" / below, root.parent / "shared" / "data" / below]
    return next((place for place in places if any(place.glob(pattern))), None)


def byte_bar(what: str, total: int | None, done: int = 0) -> tqdm:
    """A progress bar of bytes, which a terminal shows after five seconds; `done` of them came before."""
    kept = {"delay": PATIENCE, "leave": False, "disable": None}
    return tqdm(total=total, initial=done, desc=what, unit="B", unit_scale=True, **kept)


def opened(path: Path) -> IO[bytes]:
    """The file, or what is inside: of `.gz` the text, of `.tar.gz` the first CSV file."""
    if path.name.endswith(TAR):
        archive = tarfile.open(path)  # noqa: SIM115 (closed with what is read from it)
        tables = (part for part in archive if part.name.endswith(".csv"))
        inside = next((part for part in tables if Path(part.name).name[0] != "."), None)
        if inside is None:
            raise OSError("there is no .csv file in the archive")
        return cast("IO[bytes]", archive.extractfile(inside))
    return cast("IO[bytes]", gzip.open(path) if path.suffix == ".gz" else path.open("rb"))


def first_row(path: Path, delimiter: str = ",") -> list[str]:
    """The entries of a file's first row, without quotes; none where it cannot be read."""
    try:
        with opened(path) as file:
            line = file.readline()
        row = line.decode("utf-8-sig").strip("\r\n")
    except DAMAGE:
        return []
    return [entry.strip().strip('"') for entry in row.split(delimiter)] if row else []


def read_table(
    path: Path, names: Sequence[str] | None, types: Types, delimiter: str = ","
) -> pa.Table:
    """Read the columns in `types` of a file that has the columns `names`, or that names them in its first row.

    The file is CSV, packed by gzip or by tar and gzip or not at all, or `.parquet`. Raises ValueError, naming
    the file and the row (counted from 1), when it is empty or cut short, when its header lacks a column, when
    a row has another number of columns, and when an entry is not of its type.
    """
    if not path.is_file():
        raise ValueError(f"{path}: there is no such file")
    if path.suffix == PARQUET:
        return _read_parquet(path, types)
    header = names is None
    if names is None:
        names = first_row(path, delimiter) or list(types)
        _need(path, types, names)
    blanks = {"null_values": [""], "strings_can_be_null": False}
    convert = csv.ConvertOptions(column_types=types, include_columns=list(types), **blanks)
    # One thread: only then do Arrow's errors name the row, and most of the work is inflating.
    how = csv.ReadOptions(column_names=list(names), use_threads=False, skip_rows=int(header))
    parse = csv.ParseOptions(delimiter=delimiter, quote_char=False if delimiter == BARE else '"')
    try:
        source = opened(path) if path.name.endswith(TAR) else path
        table = csv.read_csv(source, how, parse, convert)
    except (pa.ArrowException, *DAMAGE) as error:
        expected = f"expected {len(names)} columns ({', '.join(names)})"
        raise ValueError(f"{path}: {error}; {expected}; {FETCH_AGAIN}") from None
    if not table.num_rows:
        raise ValueError(f"{path}: no rows; the file is empty or cut short: fetch it again")
    return table


def _read_parquet(path: Path, types: Types) -> pa.Table:
    """The columns of a Parquet file, in which a record's field stands by its own name."""
    try:
        table = parquet.read_table(path)
        table = table.flatten()
        names = [name.rpartition(".")[2] for name in table.column_names]
        table = table.rename_columns(names)
        _need(path, types, names)
        table = table.select(list(types))
        return table.cast(pa.schema(types))
    except (pa.ArrowException, OSError) as error:
        raise ValueError(f"{path}: {error}; {FETCH_AGAIN}") from None


def _need(path: Path, types: Types, names: Sequence[str]) -> None:
    """Raise ValueError unless the columns in `types` are among a file's."""
    missing = [name for name in types if name not in names]
    if missing:
        there = ", ".join(names[:MOST_NAMES])
        way_out = "the file needs a header that names it"
        raise ValueError(
            f"{path}: no column {', '.join(map(str, missing))} among {there}; {way_out}"
        )


def row_of_first(path: Path, names: Sequence[str] | None) -> int:
    """The number of the first row of data: rows are counted from 1, a header is one."""
    return 2 if names is None and path.suffix != PARQUET else 1


def read_frame(
    path: Path,
    names: Sequence[str] | None,
    types: Types,
    delimiter: str = ",",
    optional: Sequence[str] = (),
) -> pd.DataFrame:
    """`read_table` as a frame of numbers >= 0 and strings; blanks in the `optional` columns become NaN."""
    table = read_table(path, names, types, delimiter)
    first = row_of_first(path, names)
    for name in types:
        if name not in optional and table[name].null_count:
            refuse(path, name, table[name].is_null().to_numpy(), "is blank", first)
    frame = table.to_pandas()
    refuse_numbers(path, frame, optional, first)
    return frame


def refuse_numbers(
    path: Path | str, frame: pd.DataFrame, optional: Sequence[str] = (), first: int = 1
) -> None:
    """Raise ValueError on the first number that is negative or not finite; those `optional` may be NaN."""
    for name in frame.select_dtypes("number"):
        values = frame[name].to_numpy()
        refuse(path, name, values < 0, "is negative", first)
        if name not in optional:
            wrong = ~np.isfinite(values)
            refuse(path, name, wrong, "is not a finite number", first)


def refuse(path: Path | str, column: str, bad: np.ndarray, why: str, first: int = 1) -> None:
    """Raise ValueError on the first row that is `bad`; they are counted from `first`."""
    if bad.any():
        raise ValueError(
            f"{path}: {column} {why} in row {int(bad.argmax()) + first}; {FETCH_AGAIN}"
        )


def in_order(frame: pd.DataFrame, column: str, report: dict[str, int], what: str) -> pd.DataFrame:
    """Sort `frame` by `column`, equal entries staying as they were, and count the steps back in `report`."""
    steps = np.diff(frame[column].to_numpy())
    back = int((steps < 0).sum())
    if back:
        report[f"{what} out of order (sorted)"] = back
        frame = frame.sort_values(column, kind="stable")
    return frame.reset_index(drop=True)


def leave_out(
    rows: pd.DataFrame, reasons: Mapping[str, pd.Series], report: dict[str, int]
) -> pd.DataFrame:
    """The rows for which no reason holds; a row that is left out counts once in `report`, by its first reason."""
    kept = pd.Series(True, index=rows.index)
    for what, wrong in reasons.items():
        report[f"{what} (left out)"] = int((kept & wrong).sum())
        kept &= ~wrong
    return rows[kept]


def met(report: Mapping[str, int]) -> dict[str, int]:
    """The entries of a report that were met at least once."""
    return {reason: int(count) for reason, count in report.items() if count}


def cached(
    name: str, sources: Sequence[Path], schema: pa.Schema, make: Callable[[], pa.Table]
) -> pa.Table:
    """The table kept as Parquet in the cache, or `make()`, kept for the next time.

    Another `name`, or another size or time of a source file, is another table. A damaged entry is made again,
    with a warning; where nothing can be written the table is made each time, with a warning.
    """
    facts = [(source.name, source.stat().st_size, source.stat().st_mtime_ns) for source in sources]
    key = sha256(repr(facts).encode()).hexdigest()[:16]
    try:
        path = cache_folder("traces") / f"{name}-{key}.parquet"
    except OSError as error:
        warnings.warn(str(error), stacklevel=4)
        return make()
    if path.exists():
        try:
            table = parquet.read_table(path, page_checksum_verification=True)
            if table.schema.equals(schema):
                return table
            reason = "other columns than expected"
        except (OSError, pa.ArrowException) as error:
            reason = str(error)
        warnings.warn(
            f"the cache entry {path.name} is damaged ({reason}); made again", stacklevel=4
        )
    table = make()
    try:
        with replacing(path) as file:
            parquet.write_table(table, file, compression="zstd", write_page_checksum=True)
    except OSError as error:
        warnings.warn(f"could not keep {path.name} for the next time ({error})", stacklevel=4)
    return table
