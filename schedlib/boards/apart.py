"""A reader's code in a process of its own, which alone it can break."""

import contextlib
import faulthandler
import io
import os
import signal
import sys
import warnings
from collections.abc import Callable
from multiprocessing import Pipe
from multiprocessing.connection import Connection
from typing import Any, NoReturn

BUSY = 10.0  # times its limit that a process may last: others use the machine, too
GRACE = 5.0  # seconds after its limit at which a process ends by itself, should its parent be gone


class Broke(Exception):
    """A reader's code raised, took too long or ended its process; the sentence says which."""


def apart(work: Callable[[], Any], limit: float) -> Any:
    """The result of `work()`, from a copy of this process that has `limit` seconds of processor time.

    Raises `Broke` when it raises, takes longer or dies. Where processes cannot be copied (on Windows), it runs
    in this one: nothing then limits it, and what it breaks is broken.

    >>> apart(lambda: 6 * 7, limit=5.0)
    42
    >>> apart(lambda: 1 // 0, limit=5.0)
    Traceback (most recent call last):
    schedlib.boards.apart.Broke: its function raised ZeroDivisionError: integer division or modulo by zero
    """
    if not hasattr(os, "fork"):
        return _opened(_done(work))
    ours, theirs = Pipe(duplex=False)
    with warnings.catch_warnings():
        # newer Pythons warn of threads at a fork; the copy uses none of the locks they could hold
        warnings.simplefilter("ignore", DeprecationWarning)
        child = os.fork()  # a process of multiprocessing cannot start within Dask's workers
    if child == 0:
        _child(work, limit, theirs)
    theirs.close()
    answer = None
    try:
        in_time = ours.poll(BUSY * limit)
        if in_time:
            with contextlib.suppress(EOFError):  # it ended without an answer
                answer = ours.recv()
    finally:
        os.kill(child, signal.SIGKILL)
        _, status = os.waitpid(child, 0)
        ours.close()
    if answer is None:
        code = os.waitstatus_to_exitcode(status)
        if not in_time or code == -signal.SIGPROF:
            raise Broke(f"not done within {limit:g} s of processor time")
        ended = signal.Signals(-code).name if code < 0 else f"exit code {code}"
        raise Broke(f"its function ended the process ({ended})")
    printed, done = answer
    print(printed, end="")
    return _opened(done)


def _child(work: Callable[[], Any], limit: float, theirs: Connection) -> NoReturn:
    """Send what is printed and the result, then end."""
    faulthandler.disable()  # the parent says how the process ended
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent decides
    signal.signal(signal.SIGALRM, signal.SIG_DFL)
    signal.signal(signal.SIGPROF, signal.SIG_DFL)  # a profiler of the parent's may use it
    signal.setitimer(signal.ITIMER_REAL, BUSY * limit + GRACE)
    signal.setitimer(signal.ITIMER_PROF, limit)
    # a notebook's own output is slow in a copy
    with contextlib.redirect_stdout(io.StringIO()) as printed:
        done = _done(work)
    try:
        theirs.send((printed.getvalue(), done))
    finally:
        os._exit(0)


def _done(work: Callable[[], Any]) -> tuple[Any, str]:
    """The result, and the sentence on why it broke (empty if it did not)."""
    heard: list[Any] = []  # what a kernel cannot pass on
    hook, sys.unraisablehook = sys.unraisablehook, heard.append
    result, error = None, None
    try:
        result = work()
    except BaseException as raised:
        error = raised
    finally:
        sys.unraisablehook = hook
    error = heard[0].exc_value if heard else error
    if error is None:
        return result, ""
    if isinstance(error, ValueError):
        return None, str(error)
    return None, f"its function raised {type(error).__name__}: {error}"


def _opened(done: tuple[Any, str]) -> Any:
    result, why = done
    if why:
        raise Broke(why)
    return result
