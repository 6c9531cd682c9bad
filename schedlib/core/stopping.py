"""Runs that can be stopped: by Ctrl-C and by a time limit, inside kernels too.

Python sees Ctrl-C only between its own instructions, and a kernel is one instruction. When a run is to stop,
a second thread therefore sets `FLAG`; event loops, and the loops of a reader's rules (see `core.pure`), call
`poll`, which then raises `Stopped`.
"""

import ctypes
import functools
import os
import signal
import socket
import threading
import time
from collections.abc import Callable
from typing import Any, ParamSpec, TypeVar

import numba
from numba.core import cgutils, event, types
from numba.core.cgutils import ir
from numba.core.codegen import ll
from numba.extending import intrinsic

P = ParamSpec("P")
R = TypeVar("R")
GRACE = 2.0  # seconds that a run has to stop in
FLAG = ctypes.c_int64(0)
NAME = "schedlib_stop"
ll.add_symbol(NAME, ctypes.addressof(FLAG))


class Stopped(Exception):
    """A kernel was told to stop."""


@intrinsic
def _flag(typingctx):
    """The flag as it is now; kernels that are kept find it by name."""

    def read(context, builder, signature, arguments):
        flag = (
            cgutils.add_global_variable(builder.module, ir.IntType(64), NAME)
            if NAME not in builder.module.globals
            else builder.module.globals[NAME]
        )
        return builder.load_atomic(flag, "monotonic", 8)

    return types.int64(), read


def _poll():
    if _flag() != 0:
        raise Stopped


if numba.config.DISABLE_JIT:  # type: ignore[attr-defined]

    def poll() -> None:
        """Raise `Stopped` when the run is to stop."""
        if FLAG.value:
            raise Stopped
else:
    poll = numba.njit(nogil=True, forceinline=True)(_poll)


@functools.cache
def _ear(process: int) -> socket.socket:
    """Where Python writes the number of a signal as soon as it comes; a thread of this process reads it."""
    heard, ear = socket.socketpair()
    ear.setblocking(False)

    def listen() -> None:
        while came := heard.recv(1):
            if signal.SIGINT in came and _inside:
                FLAG.value = 1

    threading.Thread(target=listen, daemon=True).start()
    return ear


_inside = False  # whether a function that is `interruptible` runs


def interruptible(run: Callable[P, R]) -> Callable[P, R]:
    """The same function, in which Ctrl-C ends kernels too: with KeyboardInterrupt, and never with a result.

    It changes nothing in another thread than the main one, and where SIGINT has another handler than Python's
    or other code, such as asyncio, is told of signals.

    >>> interruptible(sum)([1, 2])
    3
    """

    @functools.wraps(run)
    def watched(*args: P.args, **kwargs: P.kwargs) -> R:
        global _inside
        if (
            _inside
            or threading.current_thread() is not threading.main_thread()
            or signal.getsignal(signal.SIGINT) is not signal.default_int_handler
        ):
            return run(*args, **kwargs)
        ear = _ear(os.getpid()).fileno()
        if (other := signal.set_wakeup_fd(ear, warn_on_full_buffer=False)) not in (-1, ear):
            signal.set_wakeup_fd(other)
            return run(*args, **kwargs)
        try:
            _inside = True
            result = run(*args, **kwargs)
            if not FLAG.value:
                return result
        except Exception:
            if not FLAG.value:
                raise
        finally:
            # before a call, after which Python may raise KeyboardInterrupt
            FLAG.value, _inside = (0, False)
            signal.set_wakeup_fd(-1)
        raise KeyboardInterrupt  # Python's own may have come inside a rule, where nothing can raise

    return watched


class _Clock(event.Listener):
    """Seconds since it was made, but for those in which numba compiled."""

    def __init__(self) -> None:
        self.begun, self.held, self.depth = time.monotonic(), 0.0, 0

    def on_start(self, event: Any) -> None:
        if self.depth == 0:
            self.held = time.monotonic()
        self.depth += 1

    def on_end(self, event: Any) -> None:
        if self.depth == 1:  # `begun` first: another thread may ask meanwhile
            self.begun += time.monotonic() - self.held
        self.depth -= 1

    def passed(self) -> float:
        return (self.held if self.depth else time.monotonic()) - self.begun


def stoppable(run: Callable[P, R], limit: float = float("inf")) -> Callable[P, R]:
    """The same function, which Ctrl-C stops, and which after `limit` seconds raises TimeoutError. Those in
    which its kernels compile do not count.

    What cannot be stopped, since it polls nowhere, is left to itself.

    >>> stoppable(sum, 5.0)([1, 2])
    3
    >>> stoppable(time.sleep, 0.05)(0.4)
    Traceback (most recent call last):
    TimeoutError: not done within 0.05 s
    """

    def watched(*args: P.args, **kwargs: P.kwargs) -> R:
        if threading.current_thread() is not threading.main_thread():
            return run(*args, **kwargs)
        given: dict[str, Any] = {}

        def work() -> None:
            try:
                given["result"] = run(*args, **kwargs)
            except BaseException as error:
                given["error"] = error

        thread, clock = threading.Thread(target=work, daemon=True), _Clock()
        try:
            with event.install_listener("numba:compile", clock):
                thread.start()
                while thread.is_alive():
                    thread.join(min(max(limit - clock.passed(), 0.0), 0.2))
                    if thread.is_alive() and clock.passed() >= limit:
                        raise TimeoutError(f"not done within {limit:g} s")
        except BaseException:
            FLAG.value = 1
            ctypes.pythonapi.PyThreadState_SetAsyncExc(
                ctypes.c_ulong(thread.ident or 0), ctypes.py_object(Stopped)
            )
            thread.join(GRACE)
            FLAG.value = 0
            raise
        if "error" in given:
            raise given["error"]
        return given["result"]

    return watched
