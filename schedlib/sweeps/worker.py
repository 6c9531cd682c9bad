"""Computing tasks, in this process, in others or on a Dask cluster; all yield outcomes as they come."""

import contextlib
import functools
import importlib
import os
import pickle
import platform
import signal
import sys
import threading
import time
import traceback
import warnings
from collections.abc import Callable, Generator, Iterable
from concurrent.futures.process import BrokenProcessPool
from queue import Empty, SimpleQueue
from typing import Any, NamedTuple

import pandas as pd
from pandas import DataFrame
from tqdm import tqdm

from schedlib import paths
from schedlib.sweeps import observe, store

ONE_THREAD = dict.fromkeys(
    [f"{name}_NUM_THREADS" for name in ("OMP", "OPENBLAS", "MKL", "BLIS", "NUMBA", "NUMEXPR")]
    + ["VECLIB_MAXIMUM_THREADS"],
    "1",
)
ATTEMPTS, CONNECT_SECONDS = 3, 10
QUIET_SECONDS, WORKER_SECONDS = 10.0, 600.0
"""How long a sweep waits for a Dask worker before it says so, and before it ends."""
EXPECTED = r"A worker stopped while some jobs|\d+ tasks which were still being processed"


class Outcome(NamedTuple):
    """The outcome of a task: its frame, what was observed and seconds, or a traceback, or why this worker must
    not run it."""

    task: store.Task
    frame: DataFrame | None = None
    seconds: float = 0.0
    error: str = ""
    refused: str = ""
    observed: observe.Observed | None = None


def execute(task: store.Task) -> Outcome:
    """Compute one task in a worker process, and note all that it has read. A failure is an outcome too."""
    reading = observe.reading()  # before it imports the function
    try:
        try:
            run = found(task.run)
        except ImportError as error:
            return Outcome(task, refused=lacking(error))
        start = time.perf_counter()
        frame = run(seed=task.seed, **task.point)
        seconds = time.perf_counter() - start
        if not isinstance(frame, pd.DataFrame):
            name = getattr(run, "__qualname__", "run")
            kind = type(frame).__name__
            raise TypeError(f"{name} must return a DataFrame, not {kind}")
        return Outcome(task, frame, seconds, observed=reading.observed())
    except Exception:
        # with what it has read: a Dask worker that keeps an older file is refused by that file's name
        return Outcome(task, error=traceback.format_exc(), observed=reading.observed())


@functools.cache
def found(run: str | bytes) -> Callable[..., DataFrame]:
    """The function itself, by its name or its contents."""
    if isinstance(run, bytes):
        return pickle.loads(run)
    module, _, name = run.partition(":")
    return getattr(importlib.import_module(module), name)


def lacking(error: ImportError) -> str:
    """A sentence on a worker that cannot import a function."""
    start = "start it as PYTHONPATH=FOLDER dask worker ADDRESS"
    send = f"send the file by distributed.Client(ADDRESS).upload_file('{error.name}.py')"
    return f"the worker on {platform.node()} has not all modules ({error}): {start}, or {send}"


def prepare(parent: int, path: list[str]) -> None:
    """Begin a worker process of this machine, which imports from its parent's folders.

    It leaves Ctrl-C to its parent, and ends within a second of it; on Windows the pool's own watch is all there is.
    """

    def watch() -> None:
        while os.getppid() == parent:
            time.sleep(0.5)
        os._exit(1)

    sys.path[:] = path
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if hasattr(os, "fork"):
        threading.Thread(target=watch, daemon=True).start()


def processes(tasks: Iterable[store.Task], workers: int) -> Generator[Outcome]:
    """On `workers` new processes of this machine, each with one numerical thread; tasks start in the order given.

    A killed worker takes its pool with it: the tasks without an outcome are then tried again, three times in
    all. A worker that has grown large is replaced when its task is done, which says nothing new.
    """
    from joblib.externals.loky import FIRST_COMPLETED, ProcessPoolExecutor, wait

    left = {task.path: task for task in tasks}
    for attempt in range(1, ATTEMPTS + 1):
        began = (os.getpid(), sys.path)
        pool = ProcessPoolExecutor(workers, initializer=prepare, initargs=began, env=ONE_THREAD)
        try:
            with warnings.catch_warnings():
                warnings.filterwarnings("ignore", EXPECTED, UserWarning)
                waiting = list(left.values())[::-1]
                running: set[Any] = set()
                while waiting or running:
                    # no more than its queue takes: loky cannot be stopped quietly with others
                    while waiting and len(running) < 2 * workers:
                        running.add(pool.submit(execute, waiting.pop()))
                    done, running = wait(running, return_when=FIRST_COMPLETED)
                    for future in done:
                        outcome = future.result()
                        del left[outcome.task.path]
                        yield outcome
            return
        except BrokenProcessPool:
            killed = "a worker process was killed (out of memory?)"
            tqdm.write(f"{killed}; attempt {attempt}", sys.stderr)
        finally:
            pool.shutdown(kill_workers=bool(left))
    for task in left.values():
        yield Outcome(task, error="the worker process was killed each time (out of memory?)\n")


def cluster(tasks: Iterable[store.Task], dask: Any) -> Generator[Outcome]:
    """On a Dask cluster, by its scheduler's address, a client or a cluster object; a task whose worker dies is
    tried 3 more times.

    joblib's own Dask backend would end the sweep at the first lost task; here it is a failure among outcomes.
    Raises ValueError when no scheduler answers, TimeoutError after `WORKER_SECONDS` without a worker.
    """
    ended: SimpleQueue[Any] = SimpleQueue()
    left = {}
    with connected(dask) as client:
        try:
            for place, task in enumerate(tasks):
                how = {"retries": 3, "pure": False, "priority": -place}
                future = client.submit(execute, task, **how)
                left[future] = task
                future.add_done_callback(ended.put)
            while left:
                future = next_ended(ended, client)
                task = left.pop(future)
                try:
                    outcome = future.result()
                except Exception:
                    outcome = Outcome(task, error=traceback.format_exc())
                future.release()
                yield here(outcome)
        finally:
            client.cancel(list(left))  # a reader's client goes on without them


def connected(dask: Any) -> contextlib.AbstractContextManager[Any]:
    """A client of the cluster, closed afterwards unless it is the reader's own."""
    with paths.extra("dask"):
        from distributed import Client

    if isinstance(dask, Client):
        if dask.asynchronous or dask.status != "running":
            raise ValueError("dask: the client is asynchronous or closed; pass Client(ADDRESS)")
        return contextlib.nullcontext(dask)
    try:
        return Client(dask, set_as_default=False, timeout=CONNECT_SECONDS)
    except (OSError, ValueError, RuntimeError) as error:
        silent = f"dask: no scheduler answers at {dask!r} ({error})"
        raise ValueError(f"{silent}; start one with `dask scheduler`") from None


def next_ended(ended: "SimpleQueue[Any]", client: Any) -> Any:
    """The next future that has ended; one line after `QUIET_SECONDS` without a worker."""
    alone = 0.0
    while True:
        try:
            return ended.get(timeout=QUIET_SECONDS)
        except Empty:
            alone += QUIET_SECONDS
        if client.scheduler_info()["workers"]:
            alone = 0.0
            continue
        address = client.scheduler.address
        start = f"start one as PYTHONPATH=FOLDER dask worker {address}"
        if alone >= WORKER_SECONDS:
            late = f"dask: no worker is at {address} for {alone:g} s; {start}"
            raise TimeoutError(f"{late}, or wait in your own client, and pass it as dask=")
        if alone == QUIET_SECONDS:
            waits = f"the sweep ends after {WORKER_SECONDS:g} s without one"
            tqdm.write(f"dask: no worker has come yet to {address}; {start}; {waits}", sys.stderr)


def here(outcome: Outcome) -> Outcome:
    """The outcome with this machine's paths of what was observed, or refused where the two machines differ."""
    if outcome.observed is None:
        return outcome
    observed = observe.brought_here(outcome.observed)
    changed = observe.changed(observed.files, observed.versions)
    if not changed:
        return outcome._replace(observed=observed)
    other = f"other code, data or packages than this process ({', '.join(changed)})"
    both = "have the same on both, then restart both"
    return Outcome(outcome.task, refused=f"a worker has {other}: {both}")
