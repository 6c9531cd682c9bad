"""Parquet copies of what is slow to parse: written in one step, checked page by page, made again when damaged."""

import os
import threading
import warnings
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path

import pyarrow as pa
from pyarrow import parquet

from schedlib.paths import cache_folder


def key(version: int, *sources: Path) -> str:
    """A name that changes with the reader's version and with the size or time of any source file."""
    facts = [(source.name, source.stat().st_size, source.stat().st_mtime_ns) for source in sources]
    return sha256(repr((version, facts)).encode()).hexdigest()[:16]


def cached(name: str, schema: pa.Schema, make: Callable[[], pa.Table]) -> pa.Table:
    """The table stored as `name`, or `make()`, stored for the next time.

    A damaged entry is made again, with a warning; where nothing can be written the table is made each time, with a warning.
    """
    try:
        path = cache_folder("traces") / f"{name}.parquet"
    except OSError as error:
        warnings.warn(f"no folder for caches ({error}); set SCHEDLIB_CACHE to a writable one", stacklevel=3)
        return make()
    if path.exists():
        try:
            table = parquet.read_table(path, page_checksum_verification=True)
            if table.schema.equals(schema):
                return table
            reason = "other columns than expected"
        except (OSError, pa.ArrowException) as error:
            reason = str(error)
        warnings.warn(f"the cache entry {path.name} is damaged ({reason}); reading the source again", stacklevel=3)
    table = make()
    part = path.with_suffix(f".{os.getpid()}-{threading.get_ident()}.part")
    try:
        parquet.write_table(table, part, compression="zstd", write_page_checksum=True)
        part.replace(path)
    except OSError as error:
        warnings.warn(f"could not keep {path.name} for the next time ({error})", stacklevel=3)
    finally:
        part.unlink(missing_ok=True)
    return table
