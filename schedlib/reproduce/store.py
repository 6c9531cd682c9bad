"""Finished points on disk: one Parquet file per point and seed, written whole or not at all, verified when read."""

import contextlib
import hashlib
import io
import json
import os
import warnings
from pathlib import Path
from typing import NamedTuple

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

from schedlib import paths
from schedlib.reproduce import source


class DamagedEntry(UserWarning):
    """A stored point that cannot be trusted: it is recomputed."""


class Entry(NamedTuple):
    """A stored frame and what is known of how it came about (`point, seed, seconds, source, versions, data, commit`)."""

    frame: pd.DataFrame
    meta: dict


def canonical(value) -> str:
    """JSON text that is the same for equal values, whatever the order of their keys.

    Raises ValueError for what JSON cannot hold.

    >>> canonical({"b": (1, 2), "a": None})
    '{"a":null,"b":[1,2]}'
    """
    try:
        return json.dumps(value, sort_keys=True, separators=(",", ":"), allow_nan=False)
    except (TypeError, ValueError) as error:
        raise ValueError(f"point {value!r}: must hold plain JSON values ({error})") from None


def describe(experiment, point, seed: int) -> dict:
    """All that the numbers of a point can depend on; its hash is the entry's key."""
    return {
        "experiment": experiment.id,
        "point": point,
        "seed": seed,
        "source": source.source_hash(experiment.run.__module__),
        "function": experiment.run.__qualname__,
        "versions": source.versions(),
        "data": source.data_hashes(experiment.run, experiment.id, point),
    }


def folder(experiment_id: str) -> Path:
    """Where an experiment's entries lie."""
    return paths.cache_folder("results") / experiment_id


def entry_path(description: dict) -> Path:
    """The file of the point so described."""
    key = hashlib.sha256(canonical(description).encode()).hexdigest()
    return folder(description["experiment"]) / f"{key}.parquet"


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
