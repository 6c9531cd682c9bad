"""Running experiments: all that is missing in one pool, each point stored as soon as it is done."""

import contextlib
import json
import math
import subprocess
import sys
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from numbers import Integral
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from schedlib import paths
from schedlib.experiment import Experiment
from schedlib.reproduce import judge, registry, store, tables, worker

if TYPE_CHECKING:
    from tqdm import tqdm


class SweepError(RuntimeError):
    """Some points failed. `failures` lists (point, seed, traceback); the points that finished are kept.

    See also: `reproduce.run`.

    >>> print(SweepError("mine", [({"jobs": 2}, 0, "Traceback ...\\nValueError: no jobs")]))
    mine: 1 points failed; the finished ones are kept; running again computes only these:
      {'jobs': 2} seed 0: ValueError: no jobs
    """

    def __init__(self, experiment_id: str, failures: list[tuple[dict[str, Any], int, str]]):
        self.failures = failures
        lines = [
            f"  {point} seed {seed}: {text.strip().splitlines()[-1]}"
            for point, seed, text in failures
        ]
        kept = "the finished ones are kept; running again computes only these"
        super().__init__(
            "\n".join([f"{experiment_id}: {len(failures)} points failed; {kept}:", *lines])
        )


@dataclass(frozen=True)
class Sweep:
    """A finished sweep: its frame, how each of its entries came about, in the order of the rows, and how
    often its claims may be looked at while seeds are added."""

    experiment: Experiment
    scale: str
    seeds: int
    frame: pd.DataFrame
    metas: tuple[dict[str, Any], ...]
    looks: int = 1


def run(
    experiment: str | Experiment,
    scale: str = "quick",
    seeds: int | None = None,
    workers: int | None = None,
    dask: str | None = None,
    progress: bool = True,
    refresh: bool = False,
) -> pd.DataFrame:
    """The tidy frame of an experiment: a block of rows per point and seed in order, stored when done.

    - `experiment`: its id, that of one of its figures, or your own Experiment; `scale`: smoke, quick or paper
    - `seeds`: how many (else the scale's own number, or as many as its claims need to be decided)
    - `refresh`: compute anew what is stored already
    - `workers`: how many processes (else all cores; 1 is this one), or `dask`: the address of a scheduler

    The point's parameters and `seed` are columns. The same rows come out however it is run. Raises ValueError
    for an unknown name or scale, and SweepError when points failed (after the others have finished).

    See also: `schedlib.Experiment`, `reproduce.show`, `reproduce.frame`.

    Not tried by the tests, since it takes seconds:

    >>> run("hmhs.fig1", "smoke", seeds=1, workers=1).columns[:2].tolist()  # doctest: +SKIP
    ['workload', 'jobs']
    """
    return sweep(experiment, scale, seeds, workers, dask, progress, refresh).frame


def sweep(
    experiment: str | Experiment,
    scale: str = "quick",
    seeds: int | None = None,
    workers: int | None = None,
    dask: str | None = None,
    progress: bool = True,
    refresh: bool = False,
) -> Sweep:
    """As `run`, with the provenance of every point."""
    if isinstance(experiment, str):
        experiment = registry.load().experiment(experiment)
    if not isinstance(experiment, Experiment):
        raise TypeError(
            f"experiment: needs an id or a schedlib.Experiment, not {type(experiment).__name__}"
        )
    if lacking := experiment.missing():
        raise ValueError(f"{experiment.id} cannot run here: {lacking}")
    if refresh:
        most = store.looks(experiment, scale, seeds)[-1]
        for task in store.tasks(experiment, scale, most):
            task.path.unlink(missing_ok=True)
    done = complete([experiment], scale, seeds, workers, dask, progress)[experiment.id]
    if isinstance(done, SweepError):
        raise done
    return done


def complete(
    experiments: Iterable[Experiment],
    scale: str = "quick",
    seeds: int | None = None,
    workers: int | None = None,
    dask: str | None = None,
    progress: bool = True,
) -> dict[str, Sweep | SweepError]:
    """Run all that these experiments lack in one pool; gives each one's sweep by its id, or its error.

    Where verdicts need more seeds than those of the first look, these follow. An experiment whose data are
    not here is left out. Another process that asks for one of the experiments waits until all are done, so
    no point is run twice.
    """
    if workers is not None and (not isinstance(workers, Integral) or workers < 1):
        raise ValueError(f"workers: must be 1, 2, 3, ..., not {workers!r}")
    if dask is not None and not isinstance(dask, str):
        raise TypeError(
            f"dask: needs a scheduler's address, as 'tcp://host:8786', not {type(dask).__name__}"
        )
    wanted = {one.id: one for one in experiments if not one.missing()}
    title = next(iter(wanted)) if len(wanted) == 1 else "all points"
    done: dict[str, Sweep | SweepError] = {}
    ran: set[Path] = set()
    bar = None
    with contextlib.ExitStack() as held:
        for name in sorted(wanted):
            held.enter_context(paths.alone(store.folder(name)))
        while left := [name for name in wanted if name not in done]:
            lacks: dict[str, list[store.Task]] = {}
            for name in left:
                found = look_up(wanted[name], scale, seeds)
                if isinstance(found, Sweep):
                    done[name] = found
                else:
                    lacks[name] = found
            if not lacks:
                break
            tasks = [task for name in lacks for task in lacks[name]]
            if any(task.path in ran for task in tasks):
                raise RuntimeError("a point just stored cannot be read back: is the disk full?")
            seconds = {task.path: published_seconds(task, scale) for task in tasks}
            if bar is None:
                if progress:
                    print(f"{title} ({scale}): {forecast(seconds.values())}", file=sys.stderr)
                bar = held.enter_context(progress_bar(title, len(tasks), progress))
            else:
                bar.total += len(tasks)
            runs = {name: wanted[name].run for name in lacks}
            errors = compute(in_order(tasks, seconds), runs, scale, workers, dask, bar)
            for name, own in lacks.items():
                failed = [
                    (task.point, task.seed, errors[task.path])
                    for task in own
                    if task.path in errors
                ]
                if failed:
                    done[name] = SweepError(name, failed)
            ran |= {task.path for task in tasks}
    return done


def look_up(
    experiment: Experiment, scale: str, seeds: int | None = None
) -> "Sweep | list[store.Task]":
    """The finished sweep of an experiment as it is stored, or the tasks that must be run next.

    A task whose entry is damaged is among them.
    """
    looks = store.looks(experiment, scale, seeds)
    for count in looks:
        tasks = store.tasks(experiment, scale, count)
        entries = [store.read(task.path) for task in tasks]
        missing = [task for task, entry in zip(tasks, entries, strict=True) if entry is None]
        if missing:
            return missing
        whole = [entry for entry in entries if entry is not None]
        metas = tuple(entry.meta for entry in whole)
        frame = joined(tasks, [entry.frame for entry in whole], count)
        done = Sweep(experiment, scale, count, frame, metas, len(looks))
        if count == looks[-1] or decided(done):
            break
    return done


def decided(done: Sweep) -> bool:
    """Whether more seeds could change no verdict; no claim is about a reader's own experiment."""
    if paths.checkout() is None:
        return True
    lines = [
        line
        for claim in registry.load().claims.values()
        if not claim.by_construction
        for line in claim.lines().values()
        if line.experiment == done.experiment.id
    ]
    return all(judge.judge(line, done.frame, done.looks).decided for line in lines)


def joined(tasks: Sequence[store.Task], frames: Sequence[pd.DataFrame], seeds: int) -> pd.DataFrame:
    """One frame of all tasks, labelled once for each point, whose seeds follow one another."""
    each = []
    for first in range(0, len(tasks), seeds):
        own = frames[first : first + seeds]
        numbers = [task.seed for task in tasks[first : first + seeds]]
        seed = np.repeat(numbers, [len(frame) for frame in own])
        each.append(labelled(pd.concat(own, ignore_index=True), tasks[first].point, seed))
    return pd.concat(each, ignore_index=True)


def labelled(frame: pd.DataFrame, point: Mapping[str, Any], seed: int | np.ndarray) -> pd.DataFrame:
    """A point's frame with its parameters and the seed (or each row's) as columns in front, unless it has
    them itself."""
    own = set(frame.columns)
    for name, value in reversed([*point.items(), ("seed", seed)]):
        if name not in own:
            plain = store.canonical(value) if isinstance(value, list | tuple | dict) else value
            frame.insert(0, name, plain)
    return frame


def commit_of_checkout() -> str | None:
    """The checkout's git commit, with `+` when the library differs from it; None without git."""
    if (root := paths.checkout()) is None:
        return None

    def git(*words: str) -> str:
        done = subprocess.run(
            ["git", "-C", root, *words], capture_output=True, text=True, check=True
        )
        return done.stdout.strip()

    try:
        return git("rev-parse", "HEAD") + (
            "+" if git("status", "--porcelain", "--", "schedlib") else ""
        )
    except (OSError, subprocess.CalledProcessError):
        return None


def compute(
    tasks: list[store.Task],
    runs: Mapping[str, Callable[..., pd.DataFrame]],
    scale: str,
    workers: int | None,
    dask: str | None,
    bar: "tqdm",
) -> dict[Path, str]:
    """Run tasks with the functions of their experiments, and store each as soon as it is done.

    Gives the tracebacks of those that failed, by the path of the entry that is missing.
    """
    jobs = [
        worker.Job(place, runs[task.description["experiment"]], *task[:3])
        for place, task in enumerate(tasks)
    ]
    count = min(workers or worker.cores(), len(jobs))
    if dask is not None:
        outcomes = worker.cluster(jobs, dask)
    else:
        outcomes = worker.serial(jobs) if count == 1 else worker.processes(jobs, count)
    noted = {"scale": scale, "commit": commit_of_checkout()}
    errors: dict[Path, str] = {}
    with contextlib.closing(outcomes):
        for outcome in outcomes:
            if outcome.refused:
                raise RuntimeError(outcome.refused)
            task, error = tasks[outcome.index], outcome.error
            if outcome.frame is not None:
                meta = task.description | noted | {"seconds": outcome.seconds}
                try:
                    store.write(task.path, outcome.frame, meta)
                except ValueError as untidy:
                    error = str(untidy)
            if error:
                errors[task.path] = error
                name = task.description["experiment"]
                bar.write(f"{name} {task.point} seed {task.seed} failed:\n{error}", sys.stderr)
            bar.update()
    return errors


SIZES = ("machines", "hours", "jobs", "trees", "tries", "horizon", "limit")
"""Parameters of points that say how much is simulated; the seconds that a point takes grow with each."""


def size(point: Mapping[str, Any]) -> float:
    """How much a point simulates, up to a factor: the product of the parameters that say so.

    >>> size({"machines": 50, "hours": 2.0, "policy": "lotes"}), size({"thin": 2})
    (100.0, 0.5)
    """
    return math.prod(float(point.get(name, 1.0)) for name in SIZES) / point.get("thin", 1)


def progress_bar(name: str, total: int, shown: bool) -> "tqdm":
    """A bar of points on standard error; where that is no terminal, a line every ten seconds."""
    from tqdm import tqdm

    terminal = sys.stderr.isatty()
    return tqdm(
        total=total,
        desc=name,
        unit="point",
        disable=not shown,
        mininterval=0.2 if terminal else 10,
        dynamic_ncols=terminal,
        file=sys.stderr,
    )


def in_order(tasks: list[store.Task], seconds: Mapping[Path, float]) -> list[store.Task]:
    """The tasks that take longest first; before them one of each experiment.

    Two workers at one experiment would compile its kernels twice.
    """
    longest_first = sorted(tasks, key=lambda task: seconds[task.path], reverse=True)
    first: dict[str, Path] = {}
    for task in longest_first:
        first.setdefault(task.description["experiment"], task.path)
    return sorted(
        longest_first, key=lambda task: task.path != first[task.description["experiment"]]
    )


def published_seconds(task: store.Task, scale: str) -> float:
    """How long a task takes by its size, as long as its experiment took when it was last published.

    Infinite when it never was. The published run at this scale counts, else one at another.
    """
    name = task.description["experiment"]
    known = [
        entry
        for entry in published((paths.checkout() or paths.PACKAGE) / "figures")
        if entry["experiment"] == name
    ]
    if not known:
        return math.inf
    entry = min(known, key=lambda entry: (entry["scale"] != scale, entry["scale"] == "paper"))
    work = entry["seeds"] * sum(map(size, entry["points"]))
    return size(task.point) * entry["seconds"] / work


@cache
def published(folder: Path) -> list[dict[str, Any]]:
    """Every entry of the provenance below a folder, read once for all tasks."""
    files = sorted(folder.rglob("provenance.json"))
    return [entry for file in files for entry in json.loads(file.read_text("utf-8")).values()]


def forecast(seconds: Collection[float]) -> str:
    """How many points are to run, and how long that took when they were last published.

    >>> forecast([3.0, 5.0]), forecast([3.0, math.inf])
    ('2 points to run, about 8 s of computing', '2 points to run, at least 3 s of computing')
    >>> forecast([math.inf])
    '1 points to run'
    """
    known = [each for each in seconds if each < math.inf]
    least = "about" if len(known) == len(seconds) else "at least"
    took = f", {least} {tables.duration(sum(known))} of computing" if known else ""
    return f"{len(seconds)} points to run{took}"
