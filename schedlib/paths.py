"""Where schedlib keeps what it can make again: in the checkout, or in the user's cache folder when installed elsewhere."""

import os
import tempfile
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


def cache_folder(name: str) -> Path:
    """A writable folder for caches called `name`, made when missing.

    `SCHEDLIB_CACHE` names another place; otherwise it is `data/cache` in a writable checkout, else the user's cache folder.

    >>> cache_folder("results").name
    'results'
    """
    home = os.environ.get("SCHEDLIB_CACHE")
    root = checkout()
    if home:
        base = Path(home)
    elif root is not None and os.access(root / "data", os.W_OK):
        base = root / "data" / "cache"
    else:
        base = Path(platformdirs.user_cache_dir("schedlib", appauthor=False))
    folder = base / name
    folder.mkdir(parents=True, exist_ok=True)
    return folder


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
