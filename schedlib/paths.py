"""Where schedlib keeps what it can make again, and how it writes files in one step."""

import contextlib
import os
import stat
import sys
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

    `asked`, or else the environment's `SCHEDLIB_CACHE`, names the only place that is tried. Without either it
    is the checkout's `data/cache` or, where that cannot be written, the user's cache folder. A folder that
    everybody can write is not taken: machine code is loaded from it. Raises OSError when no folder is left.

    >>> cache_folder("results").name
    'results'
    """
    named = asked or os.environ.get("SCHEDLIB_CACHE")
    open_to_all = ""
    for base in [Path(named)] if named else _usual_places():
        folder = base / name
        try:
            folder.mkdir(parents=True, exist_ok=True, mode=0o755)
            if hasattr(os, "getuid") and folder.stat().st_mode & stat.S_IWOTH:
                open_to_all = f"{folder} can be written by everybody: chmod o-w"
                continue
            with tempfile.TemporaryFile(dir=folder):
                return folder
        except OSError:
            continue
    tried = open_to_all or named or "the usual places"
    raise OSError(
        f"no folder for caches can be written; set SCHEDLIB_CACHE to one (tried: {tried})"
    )


def _usual_places() -> list[Path]:
    checkout_data = PACKAGE.parent / "data"
    inside = [checkout_data / "cache"] if checkout_data.is_dir() else []
    return [*inside, platformdirs.user_cache_path("schedlib", appauthor=False)]


@contextlib.contextmanager
def extra(name: str) -> Iterator[None]:
    """Imports of optional packages: where one is missing, ImportError says which extra `name` installs it.

    >>> with extra("book"):
    ...     import no_such_package
    Traceback (most recent call last):
    ImportError: no_such_package is not installed: pip install 'schedlib[book]'
    """
    try:
        yield
    except ModuleNotFoundError as error:
        missing = f"{error.name} is not installed: pip install 'schedlib[{name}]'"
        raise ImportError(missing, name=error.name) from error


@contextlib.contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """A file to write in place of `path`, of the same name in a folder beside it; folders are made.

    When the block ends it replaces `path` in one step; when the block raises, `path` stays as it was. Raises
    ValueError where `path` is a link, a device or a folder.

    >>> with tempfile.TemporaryDirectory() as folder:
    ...     with replacing(Path(folder) / "a.txt") as file:
    ...         _ = file.write_text("one")
    ...     print([entry.name for entry in Path(folder).iterdir()])
    ['a.txt']
    """
    if path.is_symlink() or (path.exists() and not path.is_file()):
        kind = "a link, a device or a folder, which is not replaced"
        raise ValueError(f"path: {path} is {kind}; give the name of a file")
    path.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=path.parent, prefix=".") as folder:
        file = Path(folder) / path.name
        yield file
        file.replace(path)


def write_whole(path: Path, data: bytes | str) -> None:
    """Write a file whole or not at all, whatever happens meanwhile; folders are made, texts are UTF-8.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write_whole(Path(folder, "new", "a.txt"), "text")
    ...     Path(folder, "new", "a.txt").read_text()
    'text'
    """
    with replacing(path) as file:
        file.write_bytes(data.encode() if isinstance(data, str) else data)


@contextlib.contextmanager
def alone(folder: Path, shared: bool = False, word: str = "") -> Iterator[None]:
    """Hold a folder while a file in it is read, changed and written, so that nothing of another process is lost.

    Those that hold it `shared` hold it together, and wait for one that holds it alone. `word` is printed when it
    must be waited for.
    The lock ends with the process and leaves nothing behind. Without `flock` on the system nothing is held.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder, alone(Path(folder)):
    ...     pass
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
            kind = fcntl.LOCK_SH if shared else fcntl.LOCK_EX
            try:
                fcntl.flock(handle, kind | fcntl.LOCK_NB)
            except BlockingIOError:
                print(word, end="", file=sys.stderr)
                fcntl.flock(handle, kind)
        yield
    finally:
        os.close(handle)
