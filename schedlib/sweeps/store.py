"""Stored results, what they depend on: one Parquet file for each point and seed."""

import hashlib
import io
import json
import sys
import warnings
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
from pandas import DataFrame

from schedlib import paths
from schedlib.sweeps import contents, observe
from schedlib.sweeps.experiment import Experiment

Described = dict[str, Any]
"""All that the numbers of a point can depend on; stored with when and how they were made."""
Known = Callable[[Experiment], Described]
"""All that an experiment's numbers can depend on, besides point, seed and data, as far as it is known before it runs."""
PYTHON = f"{sys.version_info.major}.{sys.version_info.minor}"


class DamagedEntry(UserWarning):
    """A stored point that cannot be trusted: it is recomputed."""


class Entry(NamedTuple):
    """A stored frame and how it came about (`point, seed, seconds, source, versions, data, commit`)."""

    frame: DataFrame
    meta: Described


class Task(NamedTuple):
    """One point and seed to compute, what is known of it before it runs, and its place.

    `run` is a function's name, as `module:function`, or its contents. `path` is the file of an exhibit's entry,
    else the folder of the point's entries, one for each state of what was observed.
    """

    run: str | bytes
    point: dict[str, Any]
    seed: int
    description: Described
    path: Path
    exhibit: bool

    @property
    def experiment(self) -> str:
        """The experiment's id."""
        return self.description["experiment"]


def canonical(value: Any) -> str:
    """JSON text that is the same for equal values, whatever the order of their keys; ValueError for others.

    >>> canonical({"b": (1, 2), "a": None})
    '{"a":null,"b":[1,2]}'
    """
    try:
        return json.dumps(value, sort_keys=True, separators=(",", ":"), allow_nan=False)
    except (TypeError, ValueError) as error:
        raise ValueError(
            f"point {value!r}: must hold plain JSON values ({error}); give others as text"
        ) from None


def identity(experiment: Experiment, point: Mapping[str, Any], seed: int) -> Described:
    """A point and the files that its experiment names."""
    files = sorted(Path(path) for path in experiment.data_files(point))
    if len({path.name for path in files}) < len(files):
        twice = "two files have one name, by which they are known"
        raise ValueError(f"data_files of {experiment.id}: {twice}")
    data = {path.name: observe.present(str(path)) for path in files}
    return {"experiment": experiment.id, "point": point, "seed": seed, "data": data}


def tasks(experiment: Experiment, scale: str, seeds: int, known: Known | None = None) -> list[Task]:
    """Every point of a scale with every seed 0 to `seeds - 1`, in the order listed.

    They are keyed by what is `known` of them before they run, else by what is observed when they run.
    """
    run = experiment.run
    name = contents.name_of(run)
    sent = name or contents.packed(run)
    made = []
    for point in map(dict, experiment.points[scale]):
        canonical(point)  # an error names the point alone
        for seed in range(seeds):
            described = identity(experiment, point, seed)
            if known is not None:
                described |= known(experiment)
                path = entry_path(described)
            else:
                described |= {"run": name or contents.digest(run), "python": PYTHON}
                path = entry_path(described).with_suffix("")
            made.append(Task(sent, point, seed, described, path, known is not None))
    return made


def folder(experiment_id: str) -> Path:
    """Where an experiment's entries lie."""
    return paths.cache_folder("results") / experiment_id


def entry_path(description: Mapping[str, Any]) -> Path:
    """The file of the point so described, named by all that its numbers depend on."""
    key = hashlib.sha256(canonical(description).encode()).hexdigest()
    return folder(description["experiment"]) / f"{key}.parquet"


def _digest(frame: DataFrame, meta: Described) -> str:
    rows = pd.util.hash_pandas_object(frame, index=False).to_numpy().tobytes()
    labels = repr((list(frame.dtypes.items()), frame.index, frame.columns.names, frame.attrs))
    return hashlib.sha256(rows + labels.encode() + canonical(meta).encode()).hexdigest()


def find(task: Task, checked: dict[str, bool]) -> Entry | None:
    """The entry of a task as files and packages are now; None when it must be computed.

    `checked` keeps whether what was observed is as then, since most points have observed the same.
    """
    if task.exhibit:
        return read(task.path, task.description)
    for path in task.path.glob("*.parquet"):
        entry = read(path, task.description)
        if entry is None:
            continue
        if path.stem not in checked:
            checked[path.stem] = not observe.changed(**entry.meta["observed"])
        if checked[path.stem]:
            return entry
    return None


def forget(task: Task) -> None:
    """Delete a task's entries."""
    for path in [task.path] if task.exhibit else list(task.path.glob("*.parquet")):
        path.unlink(missing_ok=True)


def keep(task: Task, frame: DataFrame, observed: observe.Observed | None, noted: Described) -> None:
    """Store a task's frame with its description and what was observed; errors are as for `write`."""
    meta = task.description | noted
    path = task.path
    if not task.exhibit and observed is not None:
        meta["observed"] = {"files": observed.files, "versions": observed.versions}
        path = path / f"{observe.short(canonical(meta['observed']).encode())}.parquet"
    write(path, frame, meta)


def write(path: Path, frame: DataFrame, meta: Described) -> None:
    """Store a tidy frame with its description, atomically: a reader sees the whole entry or none. Raises
    ValueError when the frame is not tidy (columns without text names, cells that hold lists)."""
    frame = frame.reset_index(drop=True)
    try:
        if not all(isinstance(name, str) for name in frame.columns):
            raise TypeError("column names must be text")
        table = pa.Table.from_pandas(frame, preserve_index=False)
        digest = _digest(table.to_pandas(), meta)
    except (TypeError, pa.ArrowException) as error:
        raise ValueError(f"the experiment's frame cannot be stored: {error}") from error
    known = {b"schedlib": canonical(meta).encode(), b"schedlib.digest": digest.encode()}
    buffer = io.BytesIO()
    table = table.replace_schema_metadata({**table.schema.metadata, **known})
    pq.write_table(table, buffer)
    if path.is_symlink() or not path.is_file():
        path.unlink(missing_ok=True)  # whatever else is there is not an entry
    paths.write_whole(path, buffer.getvalue())


def read(path: Path, wanted: Mapping[str, Any] | None = None) -> Entry | None:
    """The entry in `path`, or None when it does not exist, is damaged or belongs to another point than `wanted`,
    with a DamagedEntry warning."""
    if not path.exists():
        return None
    try:
        if not path.is_file():
            raise ValueError("it is not a regular file")
        with pq.ParquetFile(path) as file:
            table = file.read(use_threads=False)
        frame = table.to_pandas()
        known = table.schema.metadata
        meta = json.loads(known[b"schedlib"])
        if known[b"schedlib.digest"].decode() != _digest(frame, meta):
            raise ValueError("its digest does not match")
        if wanted is not None:
            stored = {name: meta.get(name) for name in wanted}
            if canonical(stored) != canonical(wanted):
                raise ValueError("it belongs to another point")
    except Exception as error:  # a damaged footer can fail in any way at all
        reason = str(error).partition("\n")[0][:100]
        message = f"stored point {path.name[:12]} is damaged and will be recomputed ({reason})"
        warnings.warn(message, DamagedEntry, stacklevel=2)
        return None
    return Entry(frame, meta)
