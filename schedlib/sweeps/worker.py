"""Computing tasks, in this process, in others or on a Dask cluster; all yield outcomes as they come."""

import functools
import importlib
import os
import platform
import signal
import sys
import threading
import time
import traceback
import warnings
from collections.abc import Callable, Generator, Iterable
from concurrent.futures.process import BrokenProcessPool
from typing import NamedTuple

import pandas as pd
from pandas import DataFrame

from schedlib import paths
from schedlib.sweeps import store

ATTEMPTS, CONNECT_SECONDS = 3, 10
EXPECTED = r"A worker stopped while some jobs|\d+ tasks which were still being processed"


class Outcome(NamedTuple):
    """The outcome of a task: its frame and seconds, or a traceback, or why this worker must not run it."""

    task: store.Task
    frame: DataFrame | None = None
    seconds: float = 0.0
    error: str = ""
    refused: str = ""


def execute(task: store.Task) -> Outcome:
    """Compute one task. A failure is an outcome too."""
    try:
        if refused := refusal(task):
            return Outcome(task, refused=refused)
        run = found(task.run)
        start = time.perf_counter()
        frame = run(seed=task.seed, **task.point)
        seconds = time.perf_counter() - start
        if not isinstance(frame, pd.DataFrame):
            kind = type(frame).__name__
            raise TypeError(f"{run.__qualname__} must return a DataFrame, not {kind}")
        return Outcome(task, frame, seconds)
    except Exception:
        return Outcome(task, error=traceback.format_exc())


def named(task: store.Task) -> store.Task:
    """The task with its function's name in place of the function."""
    run = task.run
    name = run if isinstance(run, str) else f"{run.__module__}:{run.__qualname__}"
    return task._replace(run=name)


def found(run: Callable[..., DataFrame] | str) -> Callable[..., DataFrame]:
    """The function itself, imported here when it is given by its name."""
    if not isinstance(run, str):
        return run
    module, _, name = run.partition(":")
    return getattr(importlib.import_module(module), name)


def refusal(task: store.Task) -> str:
    """Why this worker must not run a task, in one sentence; "" when it may.

    The worker computes the hash of the code from its own files. It must be that of the process that asks.
    """
    here = f"the worker on {platform.node()}"
    try:
        source, versions = store.code(found(task.run))
    except ImportError as error:
        file = f"{str(task.run).partition(':')[0].partition('.')[0]}.py"
        start = "start it as PYTHONPATH=FOLDER dask worker ADDRESS"
        send = f"send the file by distributed.Client(ADDRESS).upload_file({file!r})"
        return f"{here} has not all modules ({error}): {start}, or {send}"
    wanted = task.description["versions"]
    packages = [name for name in wanted | versions if versions.get(name) != wanted.get(name)]
    if packages:
        other = f"another version of {', '.join(packages)}"
    elif source != task.description["source"]:
        other = "other code"
    else:
        return ""
    return f"{here} has {other} than this process: install the same on both, then restart both"


def execute_in_pool(task: store.Task, parent: int, path: list[str]) -> Outcome:
    """`execute` in a worker of the pool, which may be older than an entry of the parent's `sys.path`."""
    sys.path[:] = path
    if os.getpid() != parent:  # joblib runs a single worker in the parent
        belong_to(parent)
    return execute(task)


@functools.cache
def belong_to(parent: int) -> None:
    """Have this process leave Ctrl-C to its parent, and end within a second of it.

    On Windows the pool's own watch is all there is.
    """

    def watch() -> None:
        while os.getppid() == parent:
            time.sleep(0.5)
        os._exit(1)

    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if hasattr(os, "fork"):
        threading.Thread(target=watch, daemon=True).start()


def serial(tasks: Iterable[store.Task]) -> Generator[Outcome]:
    """One after another in this process: the way to debug a point."""
    return (execute(task) for task in tasks)


def processes(tasks: Iterable[store.Task], workers: int) -> Generator[Outcome]:
    """On `workers` processes of this machine, each with one numerical thread; tasks start in the order given.

    A killed worker takes its pool with it: the tasks without an outcome are then tried again, three times in
    all. A worker that has grown large is replaced when its task is done, and an interrupted run drops tasks:
    joblib warns of both, which says nothing new.
    """
    from joblib import Parallel, delayed, parallel_config

    left = {task.path: task for task in tasks}
    for attempt in range(1, ATTEMPTS + 1):
        try:
            with warnings.catch_warnings(), parallel_config("loky", inner_max_num_threads=1):
                warnings.filterwarnings("ignore", EXPECTED, UserWarning)
                pool = Parallel(n_jobs=workers, return_as="generator_unordered", batch_size=1)
                call = delayed(execute_in_pool)
                calls = [call(named(task), os.getpid(), sys.path) for task in left.values()]
                for outcome in pool(calls):
                    del left[outcome.task.path]
                    yield outcome
            return
        except BrokenProcessPool:
            killed = "a worker process was killed (out of memory?)"
            print(f"{killed}; attempt {attempt}", file=sys.stderr)
    for task in left.values():
        yield Outcome(task, error="the worker process was killed each time (out of memory?)\n")


def cluster(tasks: Iterable[store.Task], address: str) -> Generator[Outcome]:
    """On the Dask cluster whose scheduler is at `address`; a task whose worker dies is tried 3 more times.

    joblib's own Dask backend would end the sweep at the first lost task; here it is a failure among outcomes.
    Raises ValueError when no scheduler answers there.
    """
    with paths.extra("dask"):
        from distributed import Client, as_completed

    try:
        client = Client(address, set_as_default=False, timeout=CONNECT_SECONDS)
    except (OSError, ValueError) as error:
        silent = f"dask: no scheduler answers at {address!r} ({error})"
        raise ValueError(f"{silent}; start one with `dask scheduler`") from None
    with client:
        futures = {}
        for place, task in enumerate(tasks):
            how = {"retries": 3, "pure": False, "priority": -place}
            futures[client.submit(execute, named(task), **how)] = task
        for future in as_completed(futures, loop=client.loop):
            try:
                yield future.result()
            except Exception:
                yield Outcome(futures[future], error=traceback.format_exc())
            future.release()
