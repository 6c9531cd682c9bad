"""Running an experiment: every point and seed, in parallel, each stored when done; how long it will take."""

import json
import math
import os
import subprocess
import sys
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from numbers import Integral
from pathlib import Path
from statistics import fmean
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from schedlib import papers, paths
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
    experiment = (
        registry.load().experiment(experiment) if isinstance(experiment, str) else experiment
    )
    if not isinstance(experiment, Experiment):
        raise TypeError(
            f"experiment: needs an id or a schedlib.Experiment, not {type(experiment).__name__}"
        )
    if dask is not None and not isinstance(dask, str):
        raise TypeError(
            f"dask: needs a scheduler's address, as 'tcp://host:8786', not {type(dask).__name__}"
        )
    if lacking := experiment.missing():
        raise ValueError(f"{experiment.id} cannot run here: {lacking}")
    if workers is not None and (not isinstance(workers, Integral) or workers < 1):
        raise ValueError(f"workers: must be 1, 2, 3, ..., not {workers!r}")
    looks = store.looks(experiment, scale, seeds)
    if refresh:
        for task in store.tasks(experiment, scale, looks[-1]):
            task.path.unlink(missing_ok=True)
    for count in looks:
        with paths.alone(store.folder(experiment.id)):
            # what another is about to store is not run twice
            done = filled(experiment, scale, count, len(looks), workers, dask, progress)
        if count == looks[-1] or decided(done):
            break
    return done


def decided(done: Sweep) -> bool:
    """Whether more seeds could change no verdict."""
    lines = [
        line
        for claim in registry.load().claims.values()
        if not claim.by_construction
        for line in claim.lines().values()
        if line.experiment == done.experiment.id
    ]
    return all(judge.judge(line, done.frame, done.looks).decided for line in lines)


def filled(
    experiment: Experiment,
    scale: str,
    seeds: int,
    looks: int,
    workers: int | None = None,
    dask: str | None = None,
    progress: bool = True,
) -> Sweep:
    """Every point with so many seeds, and how each came about; what is not stored is run."""
    tasks = store.tasks(experiment, scale, seeds)
    entries = [store.read(task.path) for task in tasks]
    if pending := [index for index, entry in enumerate(entries) if entry is None]:
        _run(
            experiment,
            scale,
            [tasks[index] for index in pending],
            len(tasks),
            workers,
            dask,
            progress,
        )
        for index in pending:
            entries[index] = store.read(tasks[index].path)
    read = [entry for entry in entries if entry is not None]
    if len(read) < len(tasks):
        raise RuntimeError(
            f"{experiment.id}: a point just stored cannot be read back: is the disk full?"
        )
    frames = []  # labelled once for each point, whose seeds follow one another
    for first in range(0, len(tasks), seeds):
        own = [entry.frame for entry in read[first : first + seeds]]
        seed = np.repeat(
            [task.seed for task in tasks[first : first + seeds]], [len(frame) for frame in own]
        )
        frames.append(labelled(pd.concat(own, ignore_index=True), tasks[first].point, seed))
    frame = pd.concat(frames, ignore_index=True)
    return Sweep(experiment, scale, seeds, frame, tuple(entry.meta for entry in read), looks)


def labelled(frame: pd.DataFrame, point: Mapping[str, Any], seed: int | np.ndarray) -> pd.DataFrame:
    """A point's frame with its parameters and the seed (or each row's) as columns in front, unless it has
    them itself."""
    own = set(frame.columns)
    for name, value in reversed([*point.items(), ("seed", seed)]):
        if name not in own:
            plain = store.canonical(value) if isinstance(value, list | tuple | dict) else value
            frame.insert(0, name, plain)
    return frame


def _run(
    experiment: Experiment,
    scale: str,
    tasks: list[store.Task],
    total: int,
    workers: int | None,
    dask: str | None,
    progress: bool,
) -> None:
    """Run and store these tasks of `total`; raises SweepError when some failed."""
    workers = min(workers or worker.cores(), len(tasks))
    expected = seconds_per_task(experiment, scale, [task.point for task in tasks])
    if progress:
        told = sentence(expected, workers if dask is None else None, total)
        print(f"{experiment.id} ({scale}): {told}", file=sys.stderr)
    jobs = jobs_for(experiment, scale, tasks, expected)
    if failures := _complete(experiment, jobs, total, workers, dask, progress):
        failed = {job.path: failures[job.index] for job in jobs if job.index in failures}
        raise SweepError(
            experiment.id,
            [(task.point, task.seed, failed[task.path]) for task in tasks if task.path in failed],
        )


def jobs_for(
    experiment: Experiment, scale: str, tasks: list[store.Task], expected: list[float | None]
) -> list[worker.Job]:
    """Jobs for these tasks, those that are expected to take longest in front."""
    noted = {"scale": scale, "commit": commit_of_checkout()}
    longest_first = sorted(range(len(tasks)), key=lambda k: (-(expected[k] or math.inf), -k))
    return [
        worker.Job(place, experiment.run, one.point, one.seed, one.description | noted, one.path)
        for place, one in enumerate(tasks[k] for k in longest_first)
    ]


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


def _complete(
    experiment: Experiment,
    jobs: list[worker.Job],
    total: int,
    workers: int,
    dask: str | None,
    progress: bool,
) -> dict[int, str]:
    """Run the jobs with a progress bar; the failures by index."""
    if dask is not None:
        outcomes = worker.cluster(jobs, dask)
    else:
        outcomes = worker.serial(jobs) if workers == 1 else worker.processes(jobs, workers)
    by_index, failures = {job.index: job for job in jobs}, {}
    with progress_bar(experiment.id, total, total - len(jobs), progress) as bar:
        for outcome in outcomes:
            job, error = by_index[outcome.index], outcome.error
            if outcome.frame is not None and job.path is not None:
                try:
                    store.write(job.path, outcome.frame, job.meta | {"seconds": outcome.seconds})
                except ValueError as untidy:
                    error = str(untidy)
            if error:
                failures[outcome.index] = error
                bar.write(
                    f"{experiment.id} {job.point} seed {job.seed} failed:\n{error}", file=sys.stderr
                )
            bar.update()
    return failures


SIZES = ("machines", "hours", "jobs", "trees", "tries", "horizon", "limit")
"""Parameters of points that say how much is simulated; the seconds that a point takes grow with each."""


def size(point: Mapping[str, Any]) -> float:
    """How much a point simulates, up to a factor: the product of the parameters that say so.

    >>> size({"machines": 50, "hours": 2.0, "policy": "lotes"}), size({"thin": 2})
    (100.0, 0.5)
    """
    return math.prod(float(point.get(name, 1.0)) for name in SIZES) / point.get("thin", 1)


def progress_bar(name: str, total: int, done: int = 0, shown: bool = True) -> "tqdm":
    """A bar of points on standard error; where that is no terminal, a line every ten seconds."""
    from tqdm import tqdm

    terminal = sys.stderr.isatty() or "SCHEDLIB_TERMINAL" in os.environ
    looks = {
        "mininterval": 0.2 if terminal else 10,
        "dynamic_ncols": sys.stderr.isatty(),
        "file": sys.stderr,
    }
    return tqdm(total=total, initial=done, desc=name, unit="point", disable=not shown, **looks)


def seconds_per_task(
    experiment: Experiment, scale: str, points: Iterable[Mapping[str, Any]]
) -> list[float | None]:
    """Expected seconds of each point: what the same point took; else by its size, from what others took at
    this scale or at any; else None. Looks at every stored entry, also of older code; where there is none, at
    the committed provenance, of this scale if it is there."""
    metas = [
        meta for meta in map(store.peek, store.folder(experiment.id).glob("*.parquet")) if meta
    ]
    taken: dict[str, list[float]] = {}
    for meta in metas:
        taken.setdefault(store.canonical(meta["point"]), []).append(meta["seconds"])
    here = [meta for meta in metas if meta.get("scale") == scale] or metas
    work, seconds = sum(size(meta["point"]) for meta in here), sum(meta["seconds"] for meta in here)
    if not here:
        known = _published((paths.checkout() or paths.PACKAGE) / "figures")
        if entries := [entry for entry in known if entry["experiment"] == experiment.id]:
            entry = min(
                entries, key=lambda entry: (entry["scale"] != scale, entry["scale"] == "paper")
            )
            work, seconds = entry["seeds"] * sum(map(size, entry["points"])), entry["seconds"]
    same = (taken.get(store.canonical(point)) for point in points)
    return [
        fmean(known) if known else size(point) * seconds / work if work else None
        for point, known in zip(points, same, strict=True)
    ]


@cache
def _published(folder: Path) -> list[dict[str, Any]]:
    """Every entry of the provenance below a folder, read once for all experiments."""
    files = sorted(folder.rglob("provenance.json"))
    return [entry for file in files for entry in json.loads(file.read_text("utf-8")).values()]


def sentence(expected: list[float | None], workers: int | None, total: int) -> str:
    """The estimate in words, from the expected seconds of the points left; `workers=None` means a cluster.

    >>> sentence([3.0, 5.0], 2, total=8)
    'about 5 s on 2 workers; 6 of 8 points already done'
    >>> sentence([3.0, None], 2, total=2), sentence([None], 1, total=1)[:12]
    ('at least 3 s on 2 workers; 0 of 2 points already done', 'time unknown')
    """
    if not expected:
        return f"all {total} points already done"
    known = [seconds for seconds in expected if seconds is not None]
    least = "about" if len(known) == len(expected) else "at least"
    if not known:
        when = "time unknown until the first points are done"
    elif workers is None:
        when = f"{least} {tables.duration(sum(known))} of work, shared by the cluster"
    else:
        longest = tables.duration(max(sum(known) / workers, *known))
        when = f"{least} {longest} on {workers} worker{'s' * (workers > 1)}"
    return f"{when}; {total - len(expected)} of {total} points already done"


def estimate(
    only: registry.Names = None,
    scale: str = "quick",
    seeds: int | None = None,
    workers: int | None = None,
) -> str:
    """What regenerating these figures and judging their claims will take: in all, then a line per paper. Only
    the first look at claims is counted; more seeds are run where a verdict needs them."""
    library = registry.load()
    expected: dict[str, list[float | None]] = {}
    total: dict[str, int] = {}
    for name in library.behind(only):
        experiment = library.experiment(name)
        if not experiment.missing():
            tasks = store.tasks(experiment, scale, seeds)
            left = [task.point for task in tasks if store.peek(task.path) is None]
            total[experiment.paper] = total.get(experiment.paper, 0) + len(tasks)
            known = seconds_per_task(experiment, scale, left) if left else []
            expected.setdefault(experiment.paper, []).extend(known)
    count = workers or worker.cores()
    whole = sentence(sum(expected.values(), []), count, sum(total.values()))
    each = [
        f"  {papers.title_of(key)}: {sentence(expected[key], count, total[key])}"
        for key in expected
    ]
    return "\n".join([whole, *(each if len(each) > 1 else [])])
