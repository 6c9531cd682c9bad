"""The files that a process has read and the packages that it has imported: all that its rows can depend on.

A process cannot forget what it has read: a module stays imported, and data may wait in a variable for the next
point. A point therefore depends on all that its process has read so far.
"""

import ast
import hashlib
import importlib.util
import os
import sys
import sysconfig
import threading
from functools import cache
from importlib import metadata
from pathlib import Path
from typing import Any, NamedTuple

from schedlib import paths

BASE = {"numpy", "pandas", "scipy", "schedlib"}
"""Packages that count although a worker has them before a point runs. The others of these change no number."""
INSTALLED = {"site-packages", "dist-packages"}
SYSTEM = ("/proc", "/sys", "/dev", "/etc")
KERNELS = (".nbi", ".nbc")  # numba's machine code
CHANGED, ABSENT = "changed while it was in use", "absent"
PARSING = threading.Lock()
"""Python 3.11 parses in one thread at a time: of two, one may fail with SystemError (a Dask worker has several)."""
Signature = tuple[int, int] | None
"""A file's size and time of change, or None where it is absent."""


class Observed(NamedTuple):
    """Digests of files by absolute path, versions by package, and the folders that names are relative to."""

    files: dict[str, str]
    versions: dict[str, str]
    roots: list[str]


class Reading:
    """The files that this process has opened to read since this was made, and its modules of before."""

    def __init__(self) -> None:
        self.first: dict[str, Signature] = {}
        self.written: set[str] = set()
        self.before = packages() - BASE
        for module in list(sys.modules.values()):
            if file := getattr(module, "__file__", None):
                self.add(file)

    def note(self, event: str, arguments: tuple[Any, ...]) -> None:
        """Note a file that is opened; Python calls this for each event that it audits."""
        if event == "open" and not isinstance(arguments[0], int):
            path, _, flags = arguments
            if flags & (os.O_WRONLY | os.O_CREAT):
                self.written.add(absolute(path))
            else:
                self.add(path)
        elif event == "os.rename" and absolute(arguments[0]) in self.written:
            self.written.add(absolute(arguments[1]))

    def add(self, path: Any) -> None:
        """Note a file as it is the first time, for bytecode that of its source."""
        file = absolute(path)
        if file.endswith(".pyc") and "__pycache__" in file:
            file = importlib.util.source_from_cache(file)
        if file not in self.first:
            self.first[file] = signature(file)

    def observed(self) -> Observed:
        """All that has been read so far, but for what this process has written itself."""
        files = {}
        for file, first in list(self.first.items()):
            gone = first is not None and signature(file) is None  # as a solver's files are
            # Dask writes the modules that it is sent
            made = gone or (file in self.written and not file.endswith(".py"))
            if counts(file) and not made:
                then = digest(file, first)
                files[file] = then if present(file) == then else CHANGED
        versions = {name: version(name) for name in distributions(packages() - self.before)}
        return Observed(files, versions, roots())


@cache
def reading() -> Reading:
    """All that this process reads from the first call on."""
    made = Reading()
    sys.addaudithook(made.note)
    return made


def roots() -> list[str]:
    """The folders in which this process looks for what has a relative name."""
    return [absolute(folder) for folder in (*sys.path, "")]


def absolute(path: Any) -> str:
    """A path as a text, in full; nothing is read."""
    return os.path.abspath(os.fsdecode(path))  # noqa: PTH100 (resolving a link would read it)


def packages() -> frozenset[str]:
    """The top-level packages that this process has imported."""
    return frozenset(name.partition(".")[0] for name in list(sys.modules))


@cache
def distributions(names: frozenset[str]) -> list[str]:
    """The installed distributions of packages."""
    known = metadata.packages_distributions()
    return sorted({distribution for name in names for distribution in known.get(name, ())})


@cache
def version(distribution: str) -> str:
    """The version of a distribution, with a digest of its code as its installer recorded it."""
    try:
        found = metadata.distribution(distribution)
    except metadata.PackageNotFoundError:
        return ABSENT
    record = (found.read_text("RECORD") or "").splitlines()
    code = sorted(line for line in record if ".py,sha" in line and not line.startswith(".."))
    return f"{found.version} {short(''.join(code).encode())}"


@cache
def counts(file: str) -> bool:
    """Whether rows can depend on a file: not on those of Python, of installed packages and of the system."""
    path = Path(file)
    # a Dask worker's main module is the script `dask` that started it
    python = [sysconfig.get_path(name) for name in ("stdlib", "platstdlib", "scripts")]
    if any(path.is_relative_to(folder) for folder in (*python, *SYSTEM)):
        return False
    return not (INSTALLED.intersection(path.parts) or file.endswith(KERNELS) or path.is_dir())


def signature(file: str) -> Signature:
    """A file's size and time of change."""
    try:
        known = os.stat(file)  # noqa: PTH116 (called for each file after each point)
    except OSError:
        return None
    return known.st_size, known.st_mtime_ns


@cache
def digest(file: str, known: Signature) -> str:
    """A digest of a file, once for each signature: of a reader's module without comments and layout, else of
    all of it."""
    if known is None:
        return ABSENT
    try:
        with Path(file).open("rb") as opened:
            whole = hashlib.file_digest(opened, "sha256").hexdigest()
        if signature(file) != known:
            return CHANGED
        if file.endswith(".py") and not Path(file).is_relative_to(paths.PACKAGE):
            with PARSING:
                tree = ast.parse(Path(file).read_bytes())
            return short(ast.dump(tree).encode())
    except OSError:
        return ABSENT
    except (SyntaxError, ValueError):
        return whole
    return whole


def short(text: bytes) -> str:
    """A digest of a text."""
    return hashlib.sha256(text).hexdigest()


def present(file: str) -> str:
    """A digest of a file as it is now."""
    return digest(file, signature(file))


def changed(files: dict[str, str], versions: dict[str, str]) -> list[str]:
    """The files and packages that are not, here and now, as they were observed."""
    other = [file for file, then in files.items() if present(file) != then]
    return other + [name for name, then in versions.items() if version(name) != then]


def brought_here(observed: Observed) -> Observed:
    """What another machine observed, each file under the path at which this machine has it.

    A module is the first of its name on this machine's path, as for an import; data may be in any folder there.
    """
    files = {}
    for file, then in observed.files.items():
        path = Path(file)
        above = [root for root in observed.roots if path.is_relative_to(root)]
        name = path.relative_to(max(above, key=len)) if above else path
        places = [str(Path(root, name)) for root in roots()]
        existing = [place for place in places if Path(place).is_file()] or [file]
        right = [place for place in existing if present(place) == then]
        if path.suffix == ".py" or not right:
            right = existing
        files[right[0]] = then
    return observed._replace(files=files)
