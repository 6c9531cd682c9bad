"""Compiling the library's kernels, and keeping them for the next process.

numba notices a change in a kernel's own file only. The machine code of a paper's kernels is therefore kept in
a folder that is named after the text of `core` and of that paper's room: change a helper, and the kernels of
that room compile once more.
"""

import atexit
import contextlib
import functools
import hashlib
import multiprocessing
import os
import shutil
import sys
import threading
from collections.abc import Callable, Iterator
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numba
from numba import types
from numba.extending import typeof_impl

from schedlib import paths
from schedlib.core.functions import RuleError, blamed, room_of

ROOMS = ("core", "lotes", "hmhs", "mch", "eagle")
"""The papers never import one another. Other rooms' kernels may call any paper's."""
MOMENT = 1.0  # seconds after which a line says that kernels compile
LEAST_SPACE = 500_000_000  # bytes free on a disk on which kernels are kept
_sealed: dict[Path, int] = {}  # when each file was written that this process has found whole


@functools.cache
def kernel_folder(room: str | None) -> Path | None:
    """The folder for the kernels of a room of the package, one for each state of the source. `NUMBA_CACHE_DIR`
    names the place, or else `paths.cache_folder` finds it. None where no place can be written or the disk is
    nearly full: kernels then compile in each process. None for no room: a reader's function is not kept."""
    if room is None:
        return None
    digest = hashlib.sha256(f"numba {numba.__version__} {version('llvmlite')}".encode())
    for source in sorted({"core", room} if room in ROOMS else {*ROOMS, room}):
        for file in sorted((paths.PACKAGE / source).rglob("*.py")):
            digest.update(file.relative_to(paths.PACKAGE).as_posix().encode() + file.read_bytes())
    with contextlib.suppress(OSError):
        name = f"kernels/{room}-{digest.hexdigest()[:16]}"
        folder = paths.cache_folder(name, os.environ.get("NUMBA_CACHE_DIR"))
        if shutil.disk_usage(folder).free > LEAST_SPACE:
            seal(folder, begins=True)
            atexit.register(seal, folder)
            return folder
    return None


def jit(function: Callable[..., Any], place: str = "", **options: Any) -> Any:
    """numba's `njit`, which compiles at the first call; the package's own kernels are kept for the next
    process, and threads may run side by side. `place`, a folder, keeps apart what is compiled of one function
    with other options."""
    folder = kernel_folder(room_of(function))
    # numba takes a function's folder from its settings, at the moment of decoration
    before = numba.config.CACHE_DIR  # type: ignore[attr-defined]
    numba.config.CACHE_DIR = str(folder / place if folder else "")  # type: ignore[attr-defined]
    try:
        return numba.njit(cache=folder is not None, nogil=True, **options)(function)  # type: ignore[call-overload]
    finally:
        numba.config.CACHE_DIR = before  # type: ignore[attr-defined]


def compiled(
    function: Callable[..., Any] | None = None,
    *,
    signature: Any = None,
    inside: Any = None,
    **options: Any,
) -> Any:
    """A kernel: compiled for the types that it is called with, at its first call from Python or as a part of
    the kernels that call it.

    Give a `signature` to kernels that take a reader's rule, since only then does numba keep them; from Python
    they then take those types alone. `options` are numba's for what Python calls, `inside` those for what
    becomes part of another kernel.

    >>> @compiled
    ... def twice(x):
    ...     return 2 * x
    >>> twice(21)
    42
    """
    if function is None:
        return functools.partial(compiled, signature=signature, inside=inside, **options)
    if numba.config.DISABLE_JIT:  # type: ignore[attr-defined]
        return function
    return Kernel(function, signature, inside or {}, options)


class Kernel:
    """A compiled function: Python calls the `whole`; the kernels that call it have the `part` in their own code."""

    def __init__(
        self,
        function: Callable[..., Any],
        signature: Any,
        inside: dict[str, Any],
        options: dict[str, Any],
    ) -> None:
        functools.update_wrapper(self, function)
        self.function = function
        self.signature = signature
        self.whole = jit(function, **options)
        self.part = jit(function, "inside", **inside)
        self.known: set = set()

    def __call__(self, *arguments: Any) -> Any:
        kinds = None if self.signature else tuple(map(type, arguments))
        if kinds not in self.known:
            self.prepare(kinds, *arguments)
        try:
            return self.whole(*arguments)
        except Exception as error:
            if said := blamed(error, arguments):
                raise RuleError(said) from error
            raise

    def __reduce__(self) -> str:
        return self.function.__qualname__

    def prepare(self, kinds: Any, *arguments: Any) -> None:
        """Compile, or load, for arguments of these Python types."""
        wanted = self.signature or tuple(map(numba.typeof, arguments))
        folder = kernel_folder(room_of(self.function))
        # of several processes one compiles a room's kernels, the others wait and load
        with paths.alone(folder) if folder else contextlib.nullcontext(), _notice():
            if kinds in self.known:  # another thread was first
                return
            healing(lambda: self.whole.compile(wanted), folder)
            if folder and self.whole.stats.cache_misses:
                seal(folder)
            if self.signature:
                self.whole.disable_compile()
            self.known.add(kinds)


# how numba finds a kernel that another calls
@typeof_impl.register(Kernel)
def _part(kernel: Kernel, context: Any) -> Any:
    return types.Dispatcher(kernel.part)


def ready(kernel: Any) -> None:
    """Compile, or load, a kernel with a signature now: before its time is taken."""
    if isinstance(kernel, Kernel):
        kernel.prepare(None)


def healing(compile_all: Callable[[], Any], folder: Path | None) -> None:
    """Compile; where a file of kernels is damaged, delete those of all rooms beside `folder` and compile once more:
    the damaged one may be another room's helper. A changed byte can raise anything but numba's own errors, which
    are about the source."""
    try:
        compile_all()
    except numba.NumbaError:
        raise
    except Exception:
        if folder:
            forget(folder)
        compile_all()


def forget(folder: Path) -> None:
    """Delete the kernels of all rooms beside `folder`."""
    for file in folder.parent.rglob("*.nb?"):
        file.unlink(missing_ok=True)


def seal(folder: Path, begins: bool = False) -> None:
    """Say of each file of kernels that it is whole, by an empty file beside it whose name has its digest: several
    processes that write the same kernel without locks each leave theirs. Where a process `begins`, delete the
    files that have another digest: a changed byte of theirs can end Python."""
    with contextlib.suppress(OSError):  # a full disk, or a folder that another process has deleted
        for file in folder.rglob("*.nb[ci]"):
            written = file.stat().st_mtime_ns
            if _sealed.get(file) == written:
                continue
            digest = hashlib.sha256(file.read_bytes()).hexdigest()
            whole = file.with_name(f"{file.name}.{digest[:16]}.nbs")
            if begins and not whole.exists() and any(file.parent.glob(f"{file.name}.*.nbs")):
                file.unlink()
            else:
                whole.touch()
                _sealed[file] = written


@functools.cache
def _say() -> None:
    """Say once that kernels compile."""
    print("compiling kernels, once per machine (up to a minute for each paper)", file=sys.stderr)


@contextlib.contextmanager
def _notice() -> Iterator[None]:
    """Say so, in the first process, when compiling takes more than a moment."""
    timer = threading.Timer(MOMENT, _say)
    timer.daemon = True
    if multiprocessing.parent_process() is None:
        timer.start()
    try:
        yield
    finally:
        timer.cancel()
