"""Computing points, in this process, in others or on a Dask cluster; all yield outcomes as they come."""

import importlib
import sys
import time
import traceback
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures.process import BrokenProcessPool
from pathlib import Path
from typing import Any, NamedTuple

import pandas as pd

from schedlib.reproduce import store

ATTEMPTS, CONNECT_SECONDS = 3, 10
MOST_GROWTH = 2_000_000_000  # bytes until a worker is replaced: kernels and libraries take some 700 MB


class Job(NamedTuple):
    """One point and seed to compute; `path` is None when the parent stores the result."""

    index: int  # type: ignore[assignment]
    run: Callable[..., pd.DataFrame]
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
        importlib.import_module(job.run.__module__)
        if store.code(job.run) != (job.meta["source"], job.meta["versions"]):
            differ = "this worker's code or packages differ from the parent's"
            raise RuntimeError(f"{differ}: install the same, or restart Python")
        start = time.perf_counter()
        frame = job.run(seed=job.seed, **job.point)
        seconds = time.perf_counter() - start
        if not isinstance(frame, pd.DataFrame):
            raise TypeError(f"{job.run.__qualname__} must return a DataFrame, not {type(frame).__name__}")
        if job.path is not None:
            store.write(job.path, frame, job.meta | {"seconds": seconds})
        return Outcome(job.index, frame if job.path is None else None, seconds)
    except Exception:
        return Outcome(job.index, error=traceback.format_exc())


def execute_in_pool(job: Job) -> Outcome:
    """`execute` in a worker of loky, which takes the loading of kernels for a leak unless told otherwise."""
    from joblib.externals.loky import process_executor

    process_executor._MAX_MEMORY_LEAK_SIZE = MOST_GROWTH
    return execute(job)


def kill(process: Any) -> None:
    """End a process and all that it started, at once; what they stored is whole."""
    from joblib.externals.loky.backend.utils import kill_process_tree

    kill_process_tree(process)


def serial(jobs: Iterable[Job]) -> Iterator[Outcome]:
    """One after another in this process: the way to debug a point."""
    return map(execute, jobs)


def processes(jobs: Iterable[Job], workers: int) -> Iterator[Outcome]:
    """On `workers` processes of this machine, each with one numerical thread; jobs start in the order given.
    A killed worker takes its pool with it: what is not stored by then is tried again, three times in all."""
    from joblib import Parallel, delayed, parallel_config

    left = {job.index: job for job in jobs}
    for attempt in range(1, ATTEMPTS + 1):
        try:
            with parallel_config(backend="loky", inner_max_num_threads=1):
                tasks = [delayed(execute_in_pool)(job) for job in left.values()]
                for outcome in Parallel(n_jobs=workers, return_as="generator_unordered")(tasks):
                    del left[outcome.index]
                    yield outcome
            return
        except BrokenProcessPool:
            for index in [index for index, job in left.items() if job.path and job.path.exists()]:
                del left[index]
                yield Outcome(index)
            remaining = f"{len(left)} points left, attempt {attempt}"
            print(f"a worker process was killed (out of memory?); {remaining}", file=sys.stderr)
            if not left:
                return
    killed = "the worker process was killed each time (out of memory?)\n"
    yield from (Outcome(index, error=killed) for index in left)


def cluster(jobs: Iterable[Job], address: str) -> Iterator[Outcome]:
    """On the Dask cluster whose scheduler is at `address`; a job whose worker dies is tried 3 more times.
    joblib's own Dask backend would end the sweep at the first lost job; here it is a failure among outcomes.
    Raises ValueError when no scheduler answers there."""
    from distributed import Client, as_completed

    try:
        client = Client(address, set_as_default=False, timeout=CONNECT_SECONDS)
    except (OSError, ValueError) as error:
        silent = f"dask: no scheduler answers at {address!r} ({error})"
        raise ValueError(f"{silent}; start one with `dask scheduler`") from None
    with client:
        futures = {client.submit(execute, job._replace(path=None), retries=3, pure=False,
                                 priority=-place): job for place, job in enumerate(jobs)}
        for future in as_completed(futures, loop=client.loop):
            try:
                yield future.result()
            except Exception:
                yield Outcome(futures[future].index, error=traceback.format_exc())
            future.release()
