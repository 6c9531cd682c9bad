"""Fetch the public traces: retried, checked, written in one step, and only files that are missing."""

import re
import tomllib
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import NamedTuple

from schedlib.core.checks import typed, unknown
from schedlib.paths import cache_folder, checkout
from schedlib.traces._reading import byte_bar

SUMS = "SHA256SUM"
RETRIES = 3
SECONDS = 30  # without a byte, after which a server counts as silent
PIECE = 2**16  # bytes written at once
GOES_ON, NOTHING_LEFT = 206, 416  # answers to a request for the rest of a file
POINTER = b"version https://git-lfs.github.com/spec/"  # how Git LFS marks a file that is elsewhere


class Source(NamedTuple):
    """A trace to fetch: its description, licence and size, the folder that it goes into, and its address.

    `files`: names and SHA-256 of the files that schedlib was written with; `table`: instead of these, all
    files of that table in the publisher's own list of checksums. `hint`: another way by hand.

    >>> SOURCES["swim"].folder
    'swim'
    """

    description: str
    licence: str
    size: str
    folder: str
    url: str
    files: Mapping[str, str] = {}
    table: str = ""
    hint: str = ""


LISTED = Path(__file__).with_name("sources.toml")
SOURCES = {
    name: Source(**entry) for name, entry in tomllib.loads(LISTED.read_text("utf-8")).items()
}


@typed
def fetch(name: str, folder: str | Path | None = None) -> Path:
    """Fetch the source `name` of `SOURCES` and return the folder with its files, ready for the reader.

    It goes below `folder`; left out, that is `data/downloads` of the checkout, or the cache folder without a
    checkout. Every file is checked: a file that differs is not left in place. The bytes that an interrupted
    call has received stay in `NAME.part`, and the next call goes on from there. Raises ValueError on an unknown
    name and on a file that differs, ConnectionError when the server cannot be reached.

    >>> fetch("google2099")
    Traceback (most recent call last):
    ValueError: name: 'google2099' is unknown; did you mean 'google2011' ...
    """
    if name not in SOURCES:
        raise unknown("name", name, SOURCES)
    if folder is None:
        root = checkout()
        folder = root / "data" / "downloads" if root else cache_folder("downloads")
    source = SOURCES[name]
    place = Path(folder) / source.folder
    files = source.files
    if source.table:
        _get(place, source, {SUMS: None})
        files = _published(place / SUMS, source.table)
    _get(place, source, files)
    return place / source.table


def _published(path: Path, table: str) -> dict[str, str]:
    """The files of a table and their checksums, from the publisher's list."""
    shard = re.compile(rf"(\w{{64}}) [ *]?(?:\./)?({table}/part-\d+-of-\d+\.csv\.gz)")
    files = {name: checksum for checksum, name in shard.findall(path.read_text())}
    if not files:
        raise ValueError(
            f"{path} does not list a file of {table}; remove it, so that it is fetched again"
        )
    return files


def _get(folder: Path, source: Source, files: Mapping[str, str | None]) -> None:
    import pooch  # slow to import, needed by nothing else
    import requests

    store = pooch.create(folder, source.url, registry=dict(files), retry_if_failed=RETRIES)
    for name in files:
        by_hand = f"by hand: put {store.get_url(name)} at {folder / name} and call again"
        ways = f"{by_hand}{source.hint}; what was received is kept"
        try:
            store.fetch(name, downloader=partial(_download, folder / f"{name}.part"))
        except (requests.RequestException, ConnectionError) as error:
            raise ConnectionError(f"could not fetch {name} ({error}); {ways}") from error
        except ValueError as error:
            why = "does not match its checksum and was discarded"
            raise ValueError(f"{name} {why} ({error}); try again later") from error


def _download(part: Path, url: str, file: str, store: object) -> None:
    """Get `url` into `file` for pooch, which checks the sum; only the bytes after those of `part` are asked for.

    A server that cannot send a rest sends the whole file, which then replaces the part.
    """
    import requests

    received = part.stat().st_size if part.exists() else 0
    headers = {"Accept-Encoding": "identity"}
    if received:
        headers["Range"] = f"bytes={received}-"
    with requests.get(url, headers=headers, stream=True, timeout=SECONDS) as answer:
        if answer.status_code != NOTHING_LEFT:
            answer.raise_for_status()
            if answer.status_code != GOES_ON:
                received = 0
            rest = int(answer.headers.get("Content-Length", 0))
            mode = "ab" if received else "wb"
            with byte_bar(part.stem, received + rest, received) as bar, part.open(mode) as kept:
                for piece in answer.iter_content(PIECE):
                    kept.write(piece)
                    bar.update(len(piece))
    with part.open("rb") as kept:
        pointer = kept.read(len(POINTER)) == POINTER
    if pointer:
        part.unlink()
        raise ConnectionError("the server sent a Git LFS pointer in place of the file")
    part.replace(file)
