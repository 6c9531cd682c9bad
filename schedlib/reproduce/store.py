"""Finished points on disk, one Parquet file each: written whole or not at all, verified when read."""

import hashlib
import io
import json
import warnings
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

from schedlib import paths
from schedlib.experiment import Experiment
from schedlib.reproduce import keys


class DamagedEntry(UserWarning):
    """A stored point that cannot be trusted: it is recomputed."""


class Entry(NamedTuple):
    """A stored frame and how it came about (`point, seed, seconds, source, versions, data, commit`)."""

    frame: pd.DataFrame
    meta: dict[str, Any]


class Task(NamedTuple):
    """A point and seed of an experiment, all that its numbers depend on, and the file of its entry."""

    point: dict[str, Any]
    seed: int
    description: dict[str, Any]
    path: Path


def tasks(experiment: Experiment, scale: str, seeds: int | None) -> list[Task]:
    """Every point of a scale with every seed, in the order listed; raises ValueError as `keys.grid` does."""
    points, count = keys.grid(experiment, scale, seeds)
    pairs = [(point, seed) for point in points for seed in range(count)]
    described = [(*pair, keys.describe(experiment, *pair)) for pair in pairs]
    return [Task(*task, path=entry_path(task[2])) for task in described]


def folder(experiment_id: str) -> Path:
    """Where an experiment's entries lie."""
    return paths.cache_folder("results") / experiment_id


def entry_path(description: Mapping[str, Any]) -> Path:
    """The file of the point so described (see `keys.describe`)."""
    return folder(description["experiment"]) / f"{keys.key(description)}.parquet"


def _digest(frame: pd.DataFrame, meta: dict[str, Any]) -> str:
    rows = pd.util.hash_pandas_object(frame, index=False).to_numpy().tobytes()
    labels = repr((list(frame.dtypes.items()), frame.index, frame.columns.names, frame.attrs))
    return hashlib.sha256(rows + labels.encode() + keys.canonical(meta).encode()).hexdigest()


def write(path: Path, frame: pd.DataFrame, meta: dict[str, Any]) -> None:
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
    known = {b"schedlib": keys.canonical(meta).encode(), b"schedlib.digest": digest.encode()}
    table, buffer = table.replace_schema_metadata({**table.schema.metadata, **known}), io.BytesIO()
    pq.write_table(table, buffer, write_page_checksum=True)
    paths.write_whole(path, buffer.getvalue())


def read(path: Path) -> Entry | None:
    """The entry in `path`, or None when there is none or it is damaged (with a DamagedEntry warning)."""
    if not path.exists():
        return None
    try:
        table = pq.read_table(path, page_checksum_verification=True, partitioning=None)
        frame = table.to_pandas()
        meta = json.loads(table.schema.metadata[b"schedlib"])
        if table.schema.metadata[b"schedlib.digest"].decode() != _digest(frame, meta):
            raise ValueError("its digest does not match")
    except Exception as error:  # a damaged footer can fail in any way at all
        reason = str(error).partition("\n")[0][:100]
        message = f"stored point {path.name[:12]} is damaged and will be recomputed ({reason})"
        warnings.warn(message, DamagedEntry, stacklevel=2)
        return None
    return Entry(frame, meta)


def peek(path: Path) -> dict[str, Any] | None:
    """How the entry in `path` came about, without reading its rows; None when absent or damaged."""
    try:
        return json.loads(pq.read_schema(path).metadata[b"schedlib"])
    except Exception:
        return None
