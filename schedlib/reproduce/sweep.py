"""Running experiments: all that is missing in one pool, each point stored as soon as it is done."""

import contextlib
import json
import subprocess
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from numbers import Integral
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from pandas import DataFrame

from schedlib import paths
from schedlib.experiment import Experiment
from schedlib.reproduce import registry, store, tables, verdicts, worker

if TYPE_CHECKING:
    from tqdm import tqdm


Failure = tuple[dict[str, Any], int, str]
"""A point, a seed and the traceback."""


class SweepError(RuntimeError):
    """Some points failed. `failures` lists (point, seed, traceback); the points that finished are kept.

    See also: `reproduce.run`.

    >>> print(SweepError("mine", [({"jobs": 2}, 0, "Traceback ...\\nValueError: no jobs")]))
    mine: 1 points failed; the finished ones are kept; running again computes only these:
      {'jobs': 2} seed 0: ValueError: no jobs
    """

    def __init__(self, experiment_id: str, failures: list[Failure]):
        self.failures = failures
        places: dict[str, list[str]] = {}
        for point, seed, trace in failures:
            error = trace.strip().splitlines()[-1]
            places.setdefault(error, []).append(f"{point} seed {seed}")
        lines = []
        for error, (first, *others) in places.items():
            more = f" and {len(others)} more" if others else ""
            lines.append(f"  {first}{more}: {error}")
        kept = "the finished ones are kept; running again computes only these"
        head = f"{experiment_id}: {len(failures)} points failed; {kept}:"
        super().__init__("\n".join([head, *lines]))


@dataclass(frozen=True)
class Sweep:
    """A finished sweep: its frame, how each of its entries came about, in the order of the rows, and how
    many analyses of its claims there may be while seeds are added."""

    experiment: Experiment
    scale: str
    seeds: int
    frame: DataFrame
    metas: tuple[store.Described, ...]
    analyses: int = 1


def run(
    experiment: str | Experiment,
    scale: str = "quick",
    seeds: int | None = None,
    workers: int | None = None,
    dask: str | None = None,
    progress: bool = True,
    refresh: bool = False,
) -> DataFrame:
    """The tidy frame of an experiment: a block of rows per point and seed in order, stored when done.

    - `experiment`: its id, that of one of its figures, or your own Experiment; `scale`: smoke, quick or paper
    - `seeds`: how many (else the scale's own number, or as many as its claims need to be decided)
    - `refresh`: compute again what is stored already
    - `workers`: how many processes (else all cores; 1 is this one), or `dask`: the address of a scheduler
    - `progress`: show how far it is

    The point's parameters and `seed` are columns. The same rows come out however it is run. Raises ValueError
    for an unknown name or scale, and SweepError when points failed (after the others have finished).

    See also: `schedlib.Experiment`, `reproduce.show`, `reproduce.frame`.

    Not tried by the tests, since it takes seconds:

    >>> run("hmhs.fig1", "smoke", seeds=1, workers=1).columns[:2].tolist()  # doctest: +SKIP
    ['workload', 'jobs']
    """
    try:
        return sweep(experiment, scale, seeds, workers, dask, progress, refresh).frame
    except KeyboardInterrupt as stop:
        raise KeyboardInterrupt(*stop.args) from None  # a traceback of this line alone


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
        given = type(experiment).__name__
        raise TypeError(f"experiment: needs an id or a schedlib.Experiment, not {given}")
    if lacking := experiment.missing():
        raise ValueError(f"{experiment.id} cannot run here: {lacking}")
    for name, value in {"progress": progress, "refresh": refresh}.items():
        if not isinstance(value, bool | np.bool_):
            raise TypeError(f"{name}: {value!r:.60}; needs True or False")
    most = store.analyses(experiment, scale, seeds)[-1]
    if refresh:
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

    Where verdicts need more seeds than those of the first analysis, these follow. An experiment whose data
    are not here is left out. Another process that asks for one of the experiments waits until all are done,
    so no point is run twice. Raises RuntimeError where a worker has other code than this process.
    """
    if workers is not None and (not isinstance(workers, Integral) or workers < 1):
        raise ValueError(f"workers: must be 1, 2, 3, ..., not {workers!r}")
    if dask is not None and not isinstance(dask, str):
        given = type(dask).__name__
        raise TypeError(f"dask: needs a scheduler's address, as 'tcp://host:8786', not {given}")
    wanted = {one.id: one for one in experiments if not one.missing()}
    title = next(iter(wanted)) if len(wanted) == 1 else "all points"
    seconds = published_seconds(scale)
    done: dict[str, Sweep | SweepError] = {}
    ran: set[Path] = set()
    bar = None
    with contextlib.ExitStack() as held:
        for name in sorted(wanted):
            held.enter_context(paths.alone(store.folder(name)))
        while True:
            tasks: list[store.Task] = []
            for name in [name for name in wanted if name not in done]:
                found = look_up(wanted[name], scale, seeds)
                if isinstance(found, Sweep):
                    done[name] = found
                else:
                    tasks += found
            if not tasks:
                return {name: done[name] for name in wanted}
            if any(task.path in ran for task in tasks):
                raise RuntimeError("a point just stored cannot be read back: is the disk full?")
            ran |= {task.path for task in tasks}
            if bar is None:
                if progress:
                    print(f"{title} ({scale}): {forecast(tasks, seconds)}", file=sys.stderr)
                bar = held.enter_context(progress_bar(title, len(tasks), progress))
            else:
                bar.total += len(tasks)
            errors = compute(in_order(tasks, seconds), scale, workers, dask, bar)
            failures: dict[str, list[Failure]] = {}
            for task in tasks:
                if task.path in errors:
                    failure = task.point, task.seed, errors[task.path]
                    failures.setdefault(task.experiment, []).append(failure)
            for name, failed in failures.items():
                done[name] = SweepError(name, failed)


def look_up(
    experiment: Experiment, scale: str, seeds: int | None = None
) -> "Sweep | list[store.Task]":
    """The finished sweep of an experiment as it is stored, or the tasks that must be run next.

    A task whose entry is damaged is among them.
    """
    analyses = store.analyses(experiment, scale, seeds)
    for count in analyses:
        tasks = store.tasks(experiment, scale, count)
        missing, metas, frames = [], [], []
        for task in tasks:
            entry = store.read(task.path, task.description)
            if entry is None:
                missing.append(task)
            else:
                metas.append(entry.meta)
                frames.append(labelled(entry.frame, task))
        if missing:
            return missing
        frame = pd.concat(frames, ignore_index=True)
        done = Sweep(experiment, scale, count, frame, tuple(metas), len(analyses))
        if count == analyses[-1] or decided(done):
            break
    return done


def decided(done: Sweep) -> bool:
    """Whether no verdict needs more seeds; a reader's own experiment has no claims."""
    if paths.checkout() is None:
        return True
    claims = registry.load().claims
    return verdicts.decided(claims, done.experiment.id, done.frame, done.analyses)


def labelled(frame: DataFrame, task: store.Task) -> DataFrame:
    """A point's frame with its parameters and the seed as columns in front, unless it has them itself."""
    for name, value in reversed([*task.point.items(), ("seed", task.seed)]):
        if name not in frame.columns:
            plain = store.canonical(value) if isinstance(value, list | tuple | dict) else value
            frame.insert(0, name, plain)
    return frame


def commit_of_checkout() -> str | None:
    """The checkout's git commit, with `+` when the library differs from it; None without git."""
    if (root := paths.checkout()) is None:
        return None

    def git(*words: str) -> str:
        command = ["git", "-C", str(root), *words]
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()

    try:
        changed = git("status", "--porcelain", "--", "schedlib", "notebooks/reproduce/exhibits")
        return git("rev-parse", "HEAD") + ("+" if changed else "")
    except (OSError, subprocess.CalledProcessError):
        return None


def compute(
    tasks: list[store.Task], scale: str, workers: int | None, dask: str | None, bar: "tqdm"
) -> dict[Path, str]:
    """Run tasks, and store each as soon as it is done.

    Gives the tracebacks of those that failed, by the path of the entry that is missing. Of tracebacks that end
    with the same error only the first is printed whole. Raises RuntimeError as soon as a worker refuses a task.
    Ctrl-C ends it with a KeyboardInterrupt that says how many points are stored.
    """
    from joblib import cpu_count

    count = min(workers or cpu_count(), len(tasks))
    if dask is not None:
        outcomes = worker.cluster(tasks, dask)
    else:
        outcomes = worker.serial(tasks) if count == 1 else worker.processes(tasks, count)
    noted = {"scale": scale, "commit": commit_of_checkout()}
    errors: dict[Path, str] = {}
    ends: set[str] = set()
    ended = 0
    try:
        with contextlib.closing(outcomes):
            for outcome in outcomes:
                if outcome.refused:
                    raise RuntimeError(outcome.refused)
                task = outcome.task
                if error := outcome.error or _stored(outcome, noted):
                    errors[task.path] = error
                    end = error.strip().splitlines()[-1]
                    where = f"{task.experiment} {task.point} seed {task.seed}"
                    said = f" too: {end}" if end in ends else f":\n{error}"
                    bar.write(f"{where} failed{said}", sys.stderr)
                    ends.add(end)
                ended += 1
                bar.update()
    except KeyboardInterrupt:
        stored = f"{ended - len(errors)} of {len(tasks)} points stored"
        raise KeyboardInterrupt(f"{stored}; the same command goes on from there") from None
    return errors


def _stored(outcome: worker.Outcome, noted: dict[str, Any]) -> str:
    """Store what a task gave; the sentence on a frame that cannot be stored."""
    if outcome.frame is None:
        return "no frame\n"
    meta = outcome.task.description | noted | {"seconds": outcome.seconds}
    try:
        store.write(outcome.task.path, outcome.frame, meta)
    except ValueError as untidy:
        return str(untidy)
    return ""


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


def in_order(tasks: list[store.Task], seconds: Mapping[str, float]) -> list[store.Task]:
    """One task of each experiment, then all others; those of the longest experiments first.

    Two workers that begin with one experiment would compile its kernels twice. Within an experiment the last
    points come first, since lists of points mostly grow.
    """
    backwards = tasks[::-1]
    longest_first = sorted(backwards, key=lambda task: -seconds.get(task.experiment, 0.0))
    first: dict[str, store.Task] = {}
    for task in longest_first:
        first.setdefault(task.experiment, task)
    return sorted(longest_first, key=lambda task: task is not first[task.experiment])


def published_seconds(scale: str) -> dict[str, float]:
    """How long a point of each experiment took, on average, when it was last published at this scale."""
    seconds = {}
    for file in ((paths.checkout() or paths.PACKAGE) / "figures").rglob("provenance.json"):
        for entry in json.loads(file.read_text("utf-8")).values():
            if entry["scale"] == scale:
                points = entry["seeds"] * len(entry["points"])
                seconds[entry["experiment"]] = entry["seconds"] / points
    return seconds


def forecast(tasks: Sequence[store.Task], seconds: Mapping[str, float]) -> str:
    """How many points are to run, and how long such points took when they were published, if all were."""
    took = [seconds.get(task.experiment) for task in tasks]
    known = [each for each in took if each is not None]
    words = f"{len(tasks)} points to run"
    if len(known) < len(took):
        return words
    return f"{words}, about {tables.duration(sum(known))} of computing"
