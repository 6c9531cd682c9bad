"""Running experiments: all that is missing in one pool, each point stored as soon as it is done."""

import contextlib
import subprocess
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import pandas as pd
from pandas import DataFrame

from schedlib import paths
from schedlib.sweeps import store, text, worker
from schedlib.sweeps.experiment import Experiment, Settings

if TYPE_CHECKING:
    from tqdm import tqdm


Tasks = list[store.Task]
Failure = tuple[dict[str, Any], int, str]
"""A point, a seed and the traceback."""


class SweepError(RuntimeError):
    """Some points failed. `failures` lists (point, seed, traceback); the points that finished are kept.

    See also: `sweeps.run`.

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


LOST = (
    "a point just stored cannot be read back: its files changed while it ran (run again, and only what they "
    "change is computed), or the disk is full"
)
Seconds = Mapping[str, float]
"""How long a point of an experiment takes, by id, where that is known."""
Enough = Callable[[Sweep], bool]
"""Whether a finished sweep needs no more seeds."""


def run(
    experiment: Experiment,
    scale: str = "quick",
    seeds: int | None = None,
    workers: int | None = None,
    dask: Any = None,
    progress: bool = True,
    refresh: bool = False,
) -> DataFrame:
    """The tidy frame of an experiment: a block of rows per point and seed in order, stored when done.

    - `experiment`: your own; `scale`: smoke, quick or paper; `seeds`: how many (else the scale's own number)
    - `workers`: how many worker processes (else all cores), or `dask`: a scheduler's address, a
      `distributed.Client`, or a cluster object such as dask-jobqueue's
    - `progress`: show how far it is; `refresh`: compute again what is stored already

    The point's parameters and `seed` are columns. The same rows come out however it is run, and when a stored
    row is found again, `Experiment` says. To debug a point, call `experiment.run` yourself. Raises ValueError
    for an unknown scale, SweepError when points failed (after the others have finished), RuntimeError when
    a file changed while points read it, and TimeoutError when no Dask worker comes for ten minutes.

    See also: `sweeps.Experiment`, `reproduce.run`.

    Not tried by the tests, since it takes seconds:

    >>> run(mine, "smoke", seeds=1, workers=1).columns[:2].tolist()  # doctest: +SKIP
    ['load', 'seed']
    """
    return finished(experiment, Settings(scale, seeds, workers, dask, progress, refresh)).frame


def finished(
    experiment: Experiment,
    settings: Settings,
    enough: Enough = lambda done: True,
    seconds: Seconds = MappingProxyType({}),
    known: store.Known | None = None,
) -> Sweep:
    """As `run`, with the provenance of every point; `enough`, `seconds` and `known` are as in `complete`."""
    if not isinstance(experiment, Experiment):
        kind = type(experiment).__name__
        raise TypeError(f"experiment: needs a schedlib.Experiment, not {kind}")
    if lacking := experiment.missing():
        raise ValueError(f"{experiment.id} cannot run here: {lacking}")
    if settings.refresh:
        most = settings.analyses(experiment)[-1]
        for task in settings.share(store.tasks(experiment, settings.scale, most, known)):
            store.forget(task)
    try:
        done = complete([experiment], settings, enough, seconds, known)[experiment.id]
    except KeyboardInterrupt as stop:
        raise KeyboardInterrupt(*stop.args) from None  # a traceback of this line alone
    if isinstance(done, SweepError):
        raise done
    return done


def complete(
    experiments: Iterable[Experiment],
    settings: Settings,
    enough: Enough,
    seconds: Seconds,
    known: store.Known | None,
) -> dict[str, Sweep | SweepError]:
    """Run all that these experiments lack in one pool; gives each one's sweep by its id, or its error.

    Seeds are added until `enough` says so, or the scale has no more. `seconds` tells how long a point of an
    experiment takes, by id, where that is known. An experiment whose data are not here is left out. Another
    process that asks for one of the experiments waits until all are done, so no point is run twice; only parts run
    side by side. Points are keyed by what is `known` of them before they run, else by what is observed when they do.
    Raises RuntimeError where a worker has other code than this process, and where a file changes meanwhile.
    """
    wanted = {experiment.id: experiment for experiment in experiments if not experiment.missing()}
    title = next(iter(wanted)) if len(wanted) == 1 else "all points"
    done: dict[str, Sweep | SweepError] = {}
    ran: set[Path] = set()
    bar = None
    with contextlib.ExitStack() as held:
        for name in sorted(wanted):
            parted = settings.part != "1/1"
            word = f"{name}: another process runs it, and this one waits until it has ended\n"
            held.enter_context(paths.alone(store.folder(name), parted, word))
        while True:
            tasks: Tasks = []
            for name in [name for name in wanted if name not in done]:
                found = look_up(wanted[name], settings, enough, known)
                if isinstance(found, Sweep):
                    done[name] = found
                else:
                    tasks += found
            if not tasks:
                return {name: done[name] for name in wanted}
            if any(task.path in ran for task in tasks):
                raise RuntimeError(LOST)
            ran |= {task.path for task in tasks}
            if bar is None:
                if settings.progress:
                    expected = forecast(tasks, seconds)
                    print(f"{title} ({settings.scale}): {expected}", file=sys.stderr)
                bar = held.enter_context(progress_bar(title, len(tasks), settings.progress))
            else:
                bar.total += len(tasks)
            errors = compute(in_order(tasks, seconds), settings, bar)
            failures: dict[str, list[Failure]] = {}
            for task in tasks:
                if task.path in errors:
                    failure = task.point, task.seed, errors[task.path]
                    failures.setdefault(task.experiment, []).append(failure)
            for name, failed in failures.items():
                done[name] = SweepError(name, failed)


def look_up(
    experiment: Experiment, settings: Settings, enough: Enough, known: store.Known | None
) -> Sweep | Tasks:
    """The finished sweep of an experiment as it is stored, or the tasks that must be run next.

    A task whose entry is damaged is among them, and one whose files or packages have changed.
    """
    analyses = settings.analyses(experiment)
    checked: dict[str, bool] = {}
    for count in analyses:
        tasks = settings.share(store.tasks(experiment, settings.scale, count, known))
        missing, metas, frames = [], [], []
        for task in tasks:
            entry = store.find(task, checked)
            if entry is None:
                missing.append(task)
            else:
                metas.append(entry.meta)
                frames.append(labelled(entry.frame, task))
        if missing:
            return missing
        frame = pd.concat(frames or [DataFrame()], ignore_index=True)
        done = Sweep(experiment, settings.scale, count, frame, tuple(metas), len(analyses))
        if count == analyses[-1] or enough(done):
            break
    return done


def labelled(frame: DataFrame, task: store.Task) -> DataFrame:
    """A point's frame with its parameters and the seed as columns in front, unless it has them itself.

    Raises ValueError where a reader's frame has such a column with other values.
    """
    for name, value in reversed([*task.point.items(), ("seed", task.seed)]):
        plain = store.canonical(value) if isinstance(value, list | tuple | dict) else value
        if name not in frame.columns:
            frame.insert(0, name, plain)
        elif not task.exhibit and (frame[name] != plain).any():
            both = f"{name!r} is a column of the frame and a parameter of the point, {plain!r}"
            raise ValueError(f"the experiment's frame cannot be stored: {both}; rename one of them")
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


def compute(tasks: Tasks, settings: Settings, bar: "tqdm") -> dict[Path, str]:
    """Run tasks, and store each as soon as it is done.

    Gives the tracebacks of those that failed, by the path of the entry that is missing. Of tracebacks that end
    with the same error only the first is printed whole. Raises RuntimeError as soon as a worker refuses a task.
    Ctrl-C ends it with a KeyboardInterrupt that says how many points are stored.
    """
    from joblib import cpu_count

    count = min(settings.workers or cpu_count(), len(tasks))
    if settings.dask is not None:
        outcomes = worker.cluster(tasks, settings.dask)
    else:
        outcomes = worker.processes(tasks, count)
    noted = {"scale": settings.scale, "commit": commit_of_checkout()}
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
    measured = noted | {"seconds": outcome.seconds}
    try:
        labelled(outcome.frame.copy(deep=False), outcome.task)
        store.keep(outcome.task, outcome.frame, outcome.observed, measured)
    except ValueError as untidy:
        return str(untidy)
    return ""


def progress_bar(name: str, total: int, shown: bool) -> "tqdm":
    """A bar of points on standard error; where that is not a terminal, a line every ten seconds."""
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


def in_order(tasks: Tasks, seconds: Seconds) -> Tasks:
    """One task of each experiment, then all others; those of the longest experiments first.

    Two workers that begin with one experiment would compile its kernels twice. Within an experiment the points of
    a seed follow one another, so that they can share its workload; the last points come first, since lists of
    points mostly grow.
    """

    def place(task: store.Task) -> tuple[float, str, int]:
        return -seconds.get(task.experiment, 0.0), task.experiment, -task.seed

    backwards = tasks[::-1]
    longest_first = sorted(backwards, key=place)
    first = {task.experiment: task for task in reversed(longest_first)}
    return sorted(longest_first, key=lambda task: task is not first[task.experiment])


def forecast(tasks: Sequence[store.Task], seconds: Seconds) -> str:
    """How many points are to run, and how long that takes, if it is known of all."""
    words = f"{len(tasks)} points to run"
    if any(task.experiment not in seconds for task in tasks):
        return words
    took = sum(seconds[task.experiment] for task in tasks)
    return f"{words}, about {text.duration(took)} of computing"
