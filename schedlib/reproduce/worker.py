"""Computing points, in this process, in others or on a Dask cluster; all yield outcomes as they come."""

import contextlib
import functools
import importlib
import os
import platform
import sys
import threading
import time
import traceback
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures.process import BrokenProcessPool
from pathlib import Path
from typing import Any, NamedTuple

import pandas as pd

from schedlib import paths
from schedlib.reproduce import store

ATTEMPTS, CONNECT_SECONDS = 3, 10
MOST_GROWTH = (
    2_000_000_000  # bytes until a worker is replaced: kernels and libraries take some 700 MB
)


class Job(NamedTuple):
    """One point and seed to compute; `path` is None when the parent stores the result.

    `run` is a function, or its name as `module:function` where another process is to import it: what merely
    passes the job on, as a scheduler does, need not have it.
    """

    index: int  # type: ignore[assignment]
    run: Callable[..., pd.DataFrame] | str
    point: dict[str, Any]
    seed: int
    meta: dict[str, Any]
    path: Path | None


class Outcome(NamedTuple):
    """What became of a job: its frame (None when the worker stored it) and seconds, or a traceback."""

    index: int  # type: ignore[assignment]
    frame: pd.DataFrame | None = None
    seconds: float = 0.0
    error: str | None = None


def cores() -> int:
    """The processors this process may use, as joblib counts them (containers' limits included)."""
    from joblib import cpu_count

    return cpu_count()


def execute(job: Job) -> Outcome:
    """Compute one job and, when it has a path, store it. A failure is an outcome too."""
    try:
        run = found(job.run)
        source, versions = store.code(run)
        if (source, versions) != (job.meta["source"], job.meta["versions"]):
            other = (
                f"the worker on {platform.node()} has other {differing(source, versions, job.meta)}"
            )
            raise RuntimeError(
                f"{other} than the parent: install the same on both, then restart both"
            )
        start = time.perf_counter()
        frame = run(seed=job.seed, **job.point)
        seconds = time.perf_counter() - start
        if not isinstance(frame, pd.DataFrame):
            raise TypeError(
                f"{run.__qualname__} must return a DataFrame, not {type(frame).__name__}"
            )
        if job.path is not None:
            store.write(job.path, frame, job.meta | {"seconds": seconds})
        return Outcome(job.index, frame if job.path is None else None, seconds)
    except Exception:
        return Outcome(job.index, error=traceback.format_exc())


def named(job: Job) -> Job:
    """The job with its function's name in place of the function."""
    run = job.run
    return job if isinstance(run, str) else job._replace(run=f"{run.__module__}:{run.__qualname__}")


def found(run: Callable[..., pd.DataFrame] | str) -> Callable[..., pd.DataFrame]:
    """The function of that name, imported here. ImportError says how a worker comes to have it."""
    module, _, name = run.partition(":") if isinstance(run, str) else (run.__module__, "", "")
    try:
        imported = importlib.import_module(module)
    except ImportError as error:
        lacks = f"the worker on {platform.node()} cannot import {module!r} ({error})"
        start = "start it as PYTHONPATH=FOLDER dask worker ADDRESS"
        file = f"{module.partition('.')[0]}.py"
        send = f"or send a single file: distributed.Client(ADDRESS).upload_file({file!r})"
        raise ImportError(f"{lacks}; {start}, where FOLDER holds it, {send}") from error
    return getattr(imported, name) if isinstance(run, str) else run


def differing(source: str, versions: dict[str, str], meta: dict[str, Any]) -> str:
    """What a worker has otherwise than the parent, in words.

    >>> differing("a", {"numpy": "2.4.1"}, {"source": "a", "versions": {"numpy": "2.4.6"}})
    'packages (numpy 2.4.1, not 2.4.6)'
    """
    here, there = versions, meta["versions"]
    names = sorted(name for name in {*here, *there} if here.get(name) != there.get(name))
    each = ", ".join(
        f"{name} {here.get(name, 'none')}, not {there.get(name, 'none')}" for name in names
    )
    return " and ".join(
        ["code"] * (source != meta["source"]) + [f"packages ({each})"] * bool(names)
    )


def execute_in_pool(job: Job, parent: int, path: list[str]) -> Outcome:
    """`execute` in a worker of loky, which takes the loading of kernels for a leak unless told otherwise,
    would outlive a parent that was killed, and may be older than an entry of the parent's `sys.path`."""
    from joblib.externals.loky import process_executor

    process_executor._MAX_MEMORY_LEAK_SIZE = MOST_GROWTH
    sys.path[:] = path
    end_with(parent)
    return execute(job)


@functools.cache
def end_with(parent: int) -> None:
    """Have this process end within a second of its parent. What it stored is whole. On Windows the pool's own
    watch is all there is."""

    def watch() -> None:
        while os.getppid() == parent:
            time.sleep(0.5)
        os._exit(1)

    if hasattr(os, "fork") and os.getpid() != parent:  # joblib runs a single worker in the parent
        threading.Thread(target=watch, daemon=True).start()


def kill(pid: int | None = None) -> None:
    """End all that this process has started, or another process and all that it has, at once; what they
    stored is whole."""
    from psutil import NoSuchProcess, Process

    with contextlib.suppress(NoSuchProcess):
        top = Process(pid)
        for one in [*top.children(recursive=True), *([] if pid is None else [top])]:
            with contextlib.suppress(NoSuchProcess):
                one.kill()


def serial(jobs: Iterable[Job]) -> Iterator[Outcome]:
    """One after another in this process: the way to debug a point."""
    return map(execute, jobs)


def processes(jobs: Iterable[Job], workers: int) -> Iterator[Outcome]:
    """On `workers` processes of this machine, each with one numerical thread; jobs start in the order given,
    and are asked for only when a worker is about to be free.
    A killed worker takes its pool with it: what is not stored by then is tried again, three times in all."""
    from joblib import Parallel, delayed, parallel_config

    left: dict[int, Job] = {}
    coming = iter(jobs)

    def taken() -> Iterator[Job]:
        yield from list(left.values())
        for job in coming:
            left[job.index] = job
            yield job

    for attempt in range(1, ATTEMPTS + 1):
        try:
            with parallel_config(backend="loky", inner_max_num_threads=1):
                tasks = (
                    delayed(execute_in_pool)(named(job), os.getpid(), sys.path) for job in taken()
                )
                for outcome in Parallel(
                    n_jobs=workers, return_as="generator_unordered", batch_size=1
                )(tasks):
                    del left[outcome.index]
                    yield outcome
            return
        except BrokenProcessPool:
            for index in [index for index, job in left.items() if job.path and job.path.exists()]:
                del left[index]
                yield Outcome(index)
            print(
                f"a worker process was killed (out of memory?); attempt {attempt}", file=sys.stderr
            )
    killed = "the worker process was killed each time (out of memory?)\n"
    yield from (Outcome(job.index, error=killed) for job in taken())


def cluster(jobs: Iterable[Job], address: str) -> Iterator[Outcome]:
    """On the Dask cluster whose scheduler is at `address`; a job whose worker dies is tried 3 more times.
    joblib's own Dask backend would end the sweep at the first lost job; here it is a failure among outcomes.
    Raises ValueError when no scheduler answers there."""
    with paths.extra("dask"):
        from distributed import Client, as_completed

    try:
        client = Client(address, set_as_default=False, timeout=CONNECT_SECONDS)
    except (OSError, ValueError) as error:
        silent = f"dask: no scheduler answers at {address!r} ({error})"
        raise ValueError(f"{silent}; start one with `dask scheduler`") from None
    with client:
        futures = {
            client.submit(
                execute, named(job)._replace(path=None), retries=3, pure=False, priority=-place
            ): job
            for place, job in enumerate(jobs)
        }
        for future in as_completed(futures, loop=client.loop):
            try:
                yield future.result()
            except Exception:
                yield Outcome(futures[future].index, error=traceback.format_exc())
            future.release()
