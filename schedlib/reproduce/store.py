"""Finished points on disk: one Parquet file per point and seed, written whole or not at all, verified when read."""

import contextlib
import hashlib
import io
import json
import os
import warnings
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

from schedlib import paths
from schedlib.reproduce.keys import canonical, key


class DamagedEntry(UserWarning):
    """A stored point that cannot be trusted: it is recomputed."""


class Entry(NamedTuple):
    """A stored frame and what is known of how it came about (`point, seed, seconds, source, versions, data, commit`)."""

    frame: pd.DataFrame
    meta: dict


def folder(experiment_id: str) -> Path:
    """Where an experiment's entries lie."""
    return paths.cache_folder("results") / experiment_id


def entry_path(description: Mapping[str, Any]) -> Path:
    """The file of the point so described (see `keys.describe`)."""
    return folder(description["experiment"]) / f"{key(description)}.parquet"


def _digest(frame: pd.DataFrame, meta: dict) -> str:
    rows = pd.util.hash_pandas_object(frame, index=False).to_numpy().tobytes()
    labels = repr((list(frame.dtypes.items()), frame.index, frame.columns.names, frame.attrs))
    return hashlib.sha256(rows + labels.encode() + canonical(meta).encode()).hexdigest()


def write(path: Path, frame: pd.DataFrame, meta: dict) -> None:
    """Store a tidy frame with its description, atomically: a reader sees the whole entry or none.

    Raises ValueError when the frame is not tidy (columns without text names, cells that hold lists).
    """
    frame = frame.reset_index(drop=True)
    try:
        if not all(isinstance(name, str) for name in frame.columns):
            raise TypeError("column names must be text")
        table = pa.Table.from_pandas(frame, preserve_index=False)
        known = {b"schedlib": canonical(meta).encode(), b"schedlib.digest": _digest(table.to_pandas(), meta).encode()}
    except (TypeError, pa.ArrowException) as error:
        raise ValueError(f"the experiment's frame cannot be stored: {error}") from error
    buffer = io.BytesIO()
    pq.write_table(table.replace_schema_metadata({**table.schema.metadata, **known}), buffer, write_page_checksum=True)
    paths.write_whole(path, buffer.getvalue())


@contextlib.contextmanager
def alone(folder: Path):
    """Hold a folder while a file in it is read, added to and written again, so that two processes do not lose each other's part.

    The lock is the folder's own (nothing is left behind) and ends with the process. Where the system has no `flock` nothing is held.
    """
    folder.mkdir(parents=True, exist_ok=True)
    try:
        import fcntl
    except ImportError:
        yield
        return
    handle = os.open(folder, os.O_RDONLY)
    try:
        with contextlib.suppress(OSError):  # a network folder without locks
            fcntl.flock(handle, fcntl.LOCK_EX)
        yield
    finally:
        os.close(handle)


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
        warnings.warn(f"stored point {path.name[:12]} is damaged and will be recomputed ({reason})", DamagedEntry, stacklevel=2)
        return None
    return Entry(frame, meta)


def peek(path: Path) -> dict | None:
    """What is known of the entry in `path` without reading its rows; None when absent or damaged."""
    try:
        return json.loads(pq.read_schema(path).metadata[b"schedlib"])
    except Exception:
        return None
