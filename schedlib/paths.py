"""Where schedlib keeps what it can make again: in the checkout, or in the user's cache folder when installed elsewhere."""

import contextlib
import os
import tempfile
from collections.abc import Iterator
from pathlib import Path

import platformdirs

PACKAGE = Path(__file__).resolve().parent


def checkout() -> Path | None:
    """The folder that holds the checkout, or None when schedlib was installed without one.

    >>> checkout() is None or (checkout() / "pyproject.toml").exists()
    True
    """
    root = PACKAGE.parent
    return root if (root / "pyproject.toml").is_file() and (root / "figures").is_dir() else None


def cache_folder(name: str, asked: str | None = None) -> Path:
    """A writable folder for caches called `name`, made when missing.

    `asked`, or else the environment's `SCHEDLIB_CACHE`, names the place, and no other is tried. Without either it is the first
    that can be written of the checkout's `data/cache`, the user's cache folder and a folder of the user's among the temporary
    ones. Raises OSError when there is none.

    >>> cache_folder("results").name
    'results'
    """
    named = asked or os.environ.get("SCHEDLIB_CACHE")
    for base in [Path(named)] if named else _usual_places():
        folder = base / name
        try:
            folder.mkdir(parents=True, exist_ok=True)
            with tempfile.TemporaryFile(dir=folder):
                return folder
        except OSError:
            continue
    raise OSError(f"no folder for caches can be written; set SCHEDLIB_CACHE to one (tried: {named or 'the usual places'})")


def _usual_places() -> Iterator[Path]:
    if (PACKAGE.parent / "data").is_dir():
        yield PACKAGE.parent / "data" / "cache"
    home = Path(platformdirs.user_cache_dir("schedlib", appauthor=False))
    if home.is_absolute():
        yield home
    user = os.getuid() if hasattr(os, "getuid") else 0
    with contextlib.suppress(OSError):  # a read-only container has no temporary folder
        shared = Path(tempfile.gettempdir()) / f"schedlib-{user}"
        shared.mkdir(parents=True, exist_ok=True)
        if not hasattr(os, "getuid") or shared.stat().st_uid == user:  # another user could have put any machine code there
            yield shared


def write_whole(path: Path, data: bytes) -> None:
    """Write a file whole or not at all, whatever happens meanwhile; folders are made."""
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, temporary = tempfile.mkstemp(dir=path.parent, suffix=".tmp")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
        Path(temporary).chmod(0o644)
        Path(temporary).replace(path)
    finally:
        Path(temporary).unlink(missing_ok=True)
