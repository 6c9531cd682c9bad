"""Shared by the readers: a strict CSV reader, refusals that name file and row, and a cache.

The index of a frame is the number of each row in its file, from which `refuse` names a row.
"""

import gzip
import io
import os
import re
import tarfile
import warnings
import zlib
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from fnmatch import fnmatch
from hashlib import sha256
from pathlib import Path
from typing import IO, Any, cast

import numpy as np
import pyarrow as pa
from pandas import DataFrame, Series
from pyarrow import compute, csv, parquet
from tqdm import tqdm

from schedlib.core.checks import MOST_NAMES
from schedlib.core.running import PATIENCE
from schedlib.paths import cache_folder, checkout, replacing

FETCH_AGAIN = "the file is damaged or of another kind: fetch it again, or take the row out"
CORRECT = "correct the row, or take it out"
DATE = r"\d{4}-\d\d-\d\d"
HOLDS_DATES = "holds dates, which have no unit; give the time since a first moment, (x - x.min()).dt.total_seconds()"
FREE_TEXT = (
    "an entry of free text may hold the delimiter or a line's end: leave out columns such as "
    "JobName, SubmitLine and Comment, or choose another delimiter"
)
SEPARATOR = "\x1f"  # in place of a delimiter of several characters
NO_TASKS = DataFrame({"job": [], "duration": []})
DAMAGE = (OSError, EOFError, UnicodeDecodeError, zlib.error, tarfile.TarError)
"""Errors that Python raises on a file that is cut short, damaged, or packed in another way."""
PARQUET, TAR = ".parquet", ".tar.gz"
AnyPath = str | Path
Types = Mapping[str, Any]
"""The columns to read, and Arrow's type of each, or its name."""
Report = Counter[str]
"""How often each oddity was met."""


def fetched(variable: str, below: str, pattern: str) -> Path | None:
    """The folder of a fetched trace, with a file of that pattern, or None without one.

    It is the one that the environment's `variable` names; without it the folder `below` the checkout's
    `data/downloads`, where `make data` puts traces, or `../shared/data` beside it.
    """
    named = os.environ.get(variable)
    root = checkout()
    places = []
    if named:
        places = [Path(named)]
    elif root:
        places = [root / "data" / "downloads" / below, root.parent / "shared" / "data" / below]
    return next((place for place in places if any(place.glob(pattern))), None)


def byte_bar(label: str, total: int | None, done: int = 0) -> tqdm:
    """A progress bar of bytes, which a terminal shows after five seconds; `done` of them came before."""
    return tqdm(
        total=total,
        initial=done,
        desc=label,
        unit="B",
        unit_scale=True,
        delay=PATIENCE,
        leave=False,
        disable=None,  # unless the output is a terminal
    )


def opened(path: Path) -> IO[bytes]:
    """The file; of a `.gz` the text inside, of a `.tar.gz` the first CSV file inside."""
    if path.name.endswith(TAR):
        archive = tarfile.open(path)  # noqa: SIM115 (closed with what is read from it)
        # archives made on a Mac hold a hidden copy of each file
        tables = (part for part in archive if fnmatch(Path(part.name).name, "[!.]*.csv"))
        inside = next(tables, None)
        if inside is None:
            raise OSError("the archive does not hold a .csv file")
        return cast("IO[bytes]", archive.extractfile(inside))
    return cast("IO[bytes]", gzip.open(path) if path.suffix == ".gz" else path.open("rb"))


def require_file(path: Path) -> None:
    """Raise ValueError unless there is a file at that path."""
    if not path.is_file():
        raise ValueError(f"{path}: the file does not exist")


def first_row(path: Path, delimiter: str = ",") -> list[str]:
    """The entries of a file's first row, without quotes; none where it cannot be read. Those of a Parquet file are
    the names of its columns."""
    try:
        if path.suffix == PARQUET:
            return parquet.read_schema(path).names
        with opened(path) as file:
            line = file.readline()
        row = line.decode("utf-8-sig", errors="replace").strip("\r\n")
    except (pa.ArrowException, *DAMAGE):
        return []
    return [entry.strip().strip('"') for entry in row.split(delimiter)] if row else []


def read_table(
    path: Path,
    names: Sequence[str] | None,
    types: Types,
    delimiter: str = ",",
    quoted: bool = True,
    site: bool = False,
) -> tuple[pa.Table, list[int]]:
    """Read the columns in `types` of a file that has the columns `names`, or that names them in its first row; and,
    of a `site`'s file, the numbers of the lines that are not blank, which are all that Arrow counts.

    The file is CSV, packed by gzip or by tar and gzip or not at all, or `.parquet`; a `site`'s own may be in
    Latin-1 where it is not UTF-8. Nothing is quoted where the delimiter has several characters. Raises ValueError, naming
    the file and the row (counted from 1), when it is empty or cut short, when its header lacks a column, when
    a row has another number of columns, and when an entry is not of its type.
    """
    require_file(path)
    if path.suffix == PARQUET:
        return _read_parquet(path, types), []
    lines = []
    header = names is None
    if names is None:
        names = first_row(path, delimiter) or list(types)
    require_columns(path, types, names)
    convert = csv.ConvertOptions(
        column_types=types, include_columns=list(types), null_values=[""], strings_can_be_null=False
    )
    # One thread: only then do Arrow's errors name the row, and most of the work is inflating.
    how = csv.ReadOptions(column_names=list(names), use_threads=False, skip_rows=int(header))
    one_byte = len(delimiter.encode()) == 1
    quoted = quoted and one_byte
    parse = csv.ParseOptions(
        delimiter=delimiter if one_byte else SEPARATOR,
        quote_char='"' if quoted else False,
        newlines_in_values=quoted,
    )
    try:
        source: Path | IO[bytes] = opened(path) if path.name.endswith(TAR) else path
        if site:
            with opened(path) as file:
                data = file.read()
            lines = [number for number, line in enumerate(data.splitlines(), 1) if line]
            how.encoding = _encoding(data)
            if not one_byte:
                data = data.replace(delimiter.encode(), SEPARATOR.encode())
            source = io.BytesIO(data)
        table = csv.read_csv(source, how, parse, convert)
    except (pa.ArrowException, *DAMAGE) as error:
        date = re.search(rf"column #(\d+): .*invalid value '{DATE}", str(error))
        if date:
            raise ValueError(f"{path}: {names[int(date[1])]} {HOLDS_DATES}") from None
        expected = f"expected {len(names)} columns ({', '.join(names)})"
        said = str(error)
        way_out = FETCH_AGAIN
        if site and isinstance(error, pa.ArrowInvalid):
            way_out = FREE_TEXT if "Expected" in said else CORRECT
            said = re.sub(r"(?<=Row #)\d+", lambda row: str(lines[int(row[0]) - 1]), said)
        raise ValueError(f"{path}: {said}; {expected}; {way_out}") from None
    if not table.num_rows:
        raise ValueError(f"{path}: no rows; the file is empty or cut short: fetch it again")
    return table, lines


def _encoding(data: bytes) -> str:
    try:
        data.decode()
    except UnicodeDecodeError:
        return "latin-1"
    return "utf8"


def _read_parquet(path: Path, types: Types) -> pa.Table:
    """The columns of a Parquet file, in which a record's field stands by its own name."""
    try:
        table = parquet.read_table(path).flatten()
        names = [name.rpartition(".")[2] for name in table.column_names]
        table = table.rename_columns(names)
        require_columns(path, types, names)
        return table.select(list(types)).cast(pa.schema(types))
    except (pa.ArrowException, OSError) as error:
        raise ValueError(f"{path}: {error}; {FETCH_AGAIN}") from None


def require_columns(path: Path | str, types: Types, names: Sequence[str]) -> None:
    """Raise ValueError unless the columns in `types` are among those of a table."""
    missing = [name for name in types if name not in names]
    if missing:
        listed = ", ".join(map(str, names[:MOST_NAMES]))
        way_out = "correct the name, or give a file with a header that names it"
        raise ValueError(f"{path}: no column {', '.join(missing)} among {listed}; {way_out}")
    for name in types:
        if list(names).count(name) > 1:
            raise ValueError(f"{path}: column {name} is there twice; rename one of them")


def read_frame(
    path: Path,
    names: Sequence[str] | None,
    types: Types,
    delimiter: str = ",",
    optional: Sequence[str] = (),
    quoted: bool = True,
    site: bool = False,
) -> DataFrame:
    """`read_table` as a frame of numbers >= 0 and strings; blanks in the `optional` columns become NaN.

    Rows are counted from 1, as in `read_table`; a header is a row, and in a `site`'s file so is a blank line.
    """
    table, lines = read_table(path, names, types, delimiter, quoted, site)
    frame = table.to_pandas()
    header = int(names is None and path.suffix != PARQUET)
    frame.index += 1 + header
    filled = lines[header:]
    if len(filled) == len(frame):  # otherwise entries hold line ends
        frame.index = filled
    for name in types:
        if name not in optional and table[name].null_count:
            refuse(path, name, frame[name].isna(), "is blank")
    refuse_numbers(path, frame, optional)
    return frame


def refuse_numbers(path: Path | str, frame: DataFrame, optional: Sequence[str] = ()) -> None:
    """Raise ValueError at the first number that is negative or not finite; those `optional` may be NaN."""
    for name in frame.select_dtypes("number"):
        refuse(path, name, frame[name] < 0, "is negative")
        if name not in optional:
            refuse(path, name, ~np.isfinite(frame[name]), "is not a finite number")


def refuse(path: Path | str, column: str, bad: Series | np.ndarray, why: str) -> None:
    """Raise ValueError at the first row that is `bad`; the rows of an array (T,) are counted from 1."""
    if bad.any():
        row = bad.idxmax() if isinstance(bad, Series) else bad.argmax() + 1
        raise ValueError(f"{path}: {column} {why} in row {row}; {CORRECT}")


def split_numbers(path: Path, lines: Mapping[int, str]) -> tuple[np.ndarray, np.ndarray]:
    """The numbers in lines of text (T,), and how many each line has (N,); `lines` by their number in the file.

    Raises ValueError at the first word that is not a number.
    """
    trimmed = compute.utf8_trim_whitespace(pa.array(list(lines.values())))
    words = compute.utf8_split_whitespace(trimmed)
    try:
        values = words.flatten().cast("float64")
    except pa.ArrowInvalid as error:
        for row, line in lines.items():
            if len(lines) > 1:
                split_numbers(path, {row: line})  # raises at the first that is wrong
        wrong = f"row {row}: could not convert a word: {error}"
        raise ValueError(f"{path}: {wrong}; correct the row or take it out") from None
    return values.to_numpy(), words.value_lengths().to_numpy()


def in_order(frame: DataFrame, column: str, report: Report, label: str) -> DataFrame:
    """Sort `frame` by `column`, equal entries staying as they were, and count the steps back in `report`."""
    back = np.diff(frame[column].to_numpy()) < 0
    count(report, f"{label} out of order (sorted)", back)
    if back.any():
        frame = frame.sort_values(column, kind="stable")
    return frame.reset_index(drop=True)


def leave_out(rows: DataFrame, reasons: Mapping[str, Series], report: Report) -> DataFrame:
    """The rows for which no reason holds; each of the others counts once in `report`, by its first reason."""
    kept = Series(True, index=rows.index)
    for reason, wrong in reasons.items():
        count(report, f"{reason} (left out)", kept & wrong)
        kept &= ~wrong
    return rows[kept]


def count(report: Report, reason: str, rows: Series | int) -> None:
    """Count the rows for which a reason holds (or give their number); none is not an entry."""
    number = int(np.sum(rows))
    if number:
        report[reason] += number


def cached(
    name: str, sources: Sequence[Path], schema: pa.Schema, make: Callable[[], pa.Table]
) -> pa.Table:
    """The table kept as Parquet in the cache, or `make()`, kept for the next time.

    Another `name` or `schema`, or another size or time of a source file, is another table. A damaged entry is
    made again, with a warning; where nothing can be written the table is made each time, with a warning.
    """
    known = [(source.name, source.stat()) for source in sources]
    facts = [str(schema), *((name, file.st_size, file.st_mtime_ns) for name, file in known)]
    key = sha256(repr(facts).encode()).hexdigest()[:16]
    try:
        path = cache_folder("traces") / f"{name}-{key}.parquet"
    except OSError as error:
        warnings.warn(str(error), stacklevel=4)
        return make()
    if path.exists():
        try:
            return parquet.read_table(path, page_checksum_verification=True)
        except (OSError, pa.ArrowException) as error:
            damaged = f"the cache entry {path.name} is damaged ({error}); made again"
            warnings.warn(damaged, stacklevel=4)
    table = make()
    try:
        with replacing(path) as file:
            parquet.write_table(table, file, compression="zstd", write_page_checksum=True)
    except OSError as error:
        warnings.warn(f"could not keep {path.name} for the next time ({error})", stacklevel=4)
    return table
