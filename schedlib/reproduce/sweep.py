"""Running an experiment: every point and seed, in parallel, each stored as soon as it is done, so that nothing runs twice."""

import importlib
import math
import os
import subprocess
import sys
from dataclasses import dataclass

import pandas as pd

from schedlib import paths
from schedlib.experiment import Experiment
from schedlib.reproduce import estimate, keys, registry, store, worker


class SweepError(RuntimeError):
    """Some points failed. `failures` lists (point, seed, traceback); the points that finished are kept."""

    def __init__(self, experiment_id: str, failures: list):
        self.failures = failures
        lines = [f"  {point} seed {seed}: {trace.strip().splitlines()[-1]}" for point, seed, trace in failures]
        super().__init__(
            f"{experiment_id}: {len(failures)} points failed; the finished ones are kept; running again computes only these:\n"
            + "\n".join(lines)
        )


@dataclass(frozen=True)
class Sweep:
    """A finished sweep: its frame, and how each of its entries came about, in the order of the rows."""

    experiment: Experiment
    scale: str
    seeds: int
    frame: pd.DataFrame
    metas: tuple[dict, ...]


def run(experiment, scale="quick", seeds=None, workers=None, dask=None, progress=True, refresh=False) -> pd.DataFrame:
    """The tidy frame of an experiment: one block of rows per point and seed, in the order listed, from the store where done.

    `experiment` is an id (or a figure's id, or your own Experiment); `scale` one of smoke, quick, paper; `seeds` how many
    seeds (the scale's own number unless told); `workers` how many processes (all cores unless told; 1 runs in this one);
    `dask` the address of a Dask scheduler to use instead; `refresh` computes anew what is stored already. The point's
    parameters and `seed` are columns. The same rows come out however it is run.

    Raises ValueError for an unknown name or scale, and SweepError when points failed (after the others have finished).
    """
    return sweep(experiment, scale, seeds, workers, dask, progress, refresh).frame


def sweep(experiment, scale="quick", seeds=None, workers=None, dask=None, progress=True, refresh=False) -> Sweep:
    """As `run`, with the provenance of every point."""
    experiment = registry.load().experiment(experiment) if isinstance(experiment, str) else experiment
    if lacking := experiment.missing():
        raise ValueError(f"{experiment.id} cannot run here: {lacking}")
    points, count = keys.grid(experiment, scale, seeds)
    tasks = [(point, seed) for point in points for seed in range(count)]
    if workers is not None and workers < 1:
        raise ValueError(f"workers: must be at least 1, not {workers}")
    descriptions = [keys.describe(experiment, point, seed) for point, seed in tasks]
    files = [store.entry_path(description) for description in descriptions]
    if refresh:
        for file in files:
            file.unlink(missing_ok=True)
    entries = [store.read(file) for file in files]
    pending = [index for index, entry in enumerate(entries) if entry is None]
    if pending:
        workers = min(workers or worker.cores(), len(pending))
        expected = estimate.seconds_per_task(experiment, scale, [tasks[i] for i in pending])
        if progress:
            text = estimate.sentence(expected, workers if dask is None else None, len(tasks) - len(pending), len(tasks))
            print(f"{experiment.id} ({scale}): {text}", file=sys.stderr)
        warm(experiment)
        commit = commit_of_checkout()
        longest_first = sorted(range(len(pending)), key=lambda k: (-(expected[k] or math.inf), -k))
        jobs = []
        for index in (pending[k] for k in longest_first):
            meta = descriptions[index] | {"scale": scale, "commit": commit}
            jobs.append(worker.Job(index, experiment.run, *tasks[index], meta, files[index]))
        failures = _complete(experiment, jobs, len(tasks), workers, dask, progress)
        if failures:
            raise SweepError(experiment.id, [(*tasks[index], error) for index, error in sorted(failures.items())])
        for index in pending:
            entries[index] = store.read(files[index])
            if entries[index] is None:
                raise RuntimeError(f"{experiment.id}: a point just stored cannot be read back: is the disk full? Run again")
    blocks = [_with_columns(entry.frame, point, seed) for entry, (point, seed) in zip(entries, tasks, strict=True)]
    return Sweep(experiment, scale, count, pd.concat(blocks, ignore_index=True), tuple(entry.meta for entry in entries))


def warm(experiment: Experiment) -> None:
    """Call the `warm()` of the experiment's package, if it has one: its kernels are compiled once, before workers start."""
    module = experiment.run.__module__
    package = importlib.import_module(module.rpartition(".")[0] or module)
    hook = getattr(package, "warm", None)
    hook = getattr(hook, "warm", hook)
    if callable(hook):
        hook()


def commit_of_checkout() -> str | None:
    """The checkout's git commit, with `+` when the library differs from it; None without git."""
    root = paths.checkout()
    if root is None:
        return None

    def git(*words):
        return subprocess.run(["git", "-C", root, *words], capture_output=True, text=True, check=True).stdout.strip()

    try:
        return git("rev-parse", "HEAD") + ("+" if git("status", "--porcelain", "--", "schedlib") else "")
    except (OSError, subprocess.CalledProcessError):
        return None


def _complete(experiment, jobs, total, workers, dask, progress) -> dict[int, str]:
    """Run the jobs with a progress bar; the failures by index."""
    from tqdm import tqdm

    if dask is not None:
        outcomes = worker.cluster(jobs, dask)
    else:
        outcomes = worker.serial(jobs) if workers == 1 else worker.processes(jobs, workers)
    by_index = {job.index: job for job in jobs}
    failures = {}
    terminal = sys.stderr.isatty() or "SCHEDLIB_TERMINAL" in os.environ
    bar = tqdm(total=total, initial=total - len(jobs), desc=experiment.id, unit="point", disable=not progress,
               mininterval=0.2 if terminal else 10, dynamic_ncols=sys.stderr.isatty(), file=sys.stderr)  # fmt: skip
    with bar:
        for outcome in outcomes:
            job = by_index[outcome.index]
            error = outcome.error
            if outcome.frame is not None:
                try:
                    store.write(job.path, outcome.frame, job.meta | {"seconds": outcome.seconds})
                except ValueError as untidy:
                    error = str(untidy)
            if error:
                failures[outcome.index] = error
                tqdm.write(f"{experiment.id} {job.point} seed {job.seed} failed:\n{error}", file=sys.stderr)
            bar.update()
    return failures


def _with_columns(frame: pd.DataFrame, point: dict, seed: int) -> pd.DataFrame:
    """The frame with the point's parameters and the seed in front, unless it has such columns itself."""
    for name, value in reversed([*point.items(), ("seed", seed)]):
        if name not in frame.columns:
            frame.insert(0, name, keys.canonical(value) if isinstance(value, list | tuple | dict) else value)
    return frame
