"""An experiment as plain data, and how it is run: at which scale, with which seeds, on what."""

import itertools
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from numbers import Integral
from typing import Any

SCALES = ("smoke", "quick", "paper")
MOST_SEEDS = 100_000


def check_id(owner: str, name: str) -> None:
    """Raise ValueError unless an id can name a file.

    >>> check_id("experiment", "waits-by-load")
    """
    if not isinstance(name, str) or not re.fullmatch(r"\w[\w.-]*", name):
        raise ValueError(f"{owner} id {name!r}: an id has only letters, digits, '.', '-' and '_'")


@dataclass(frozen=True)
class Experiment:
    """A pure function of a point and a seed, with the points and the number of seeds of each scale.

    `run(seed=..., **point)` returns a tidy DataFrame and draws nothing. It is a function of a module, or of a
    notebook's cell with all that it names there. It runs in worker processes, which import modules from their
    files. `id` names the folder of its stored results; those of the book begin with a paper's key, your own is
    any file name. `title` is what lists and the gallery call it.

    A stored row is found again as long as all that its worker had read is as it was: each module outside the
    installed packages, each data file that was opened, the version of each imported package, and for a cell the
    contents of what it names. Not seen, and therefore yours to hold still, are environment variables, the
    network, the clock, the list of a folder's files, what a program reads that a point starts, and files that a
    library opens without Python (Parquet, HDF5, SQLite): name these files in `data_files`.

    - `points[scale]` are keyword arguments (JSON values)
    - `seeds[scale]` counts the seeds 0, 1, ... Several numbers, as in (5, 10, 20), are a sequential test: its
      claims are judged after each of these numbers, and more are run until all are decided or none are left
    - `timing` names the columns of wall-clock times, which go into a file of their own: they never repeat
    - `missing()` says what is lacking, such as a trace that must be fetched first; "" when it can run
    - `data_files(point)` gives the paths of files that a point reads unseen, so that its result depends on them

    Raises ValueError when a scale is missing, empty or unknown, on numbers of seeds that are not 1, 2, 3, ... or
    do not rise, and on an id that cannot name a file; TypeError when `run` is not a function.

    See also: `sweeps.run`.

    >>> from schedlib.sweeps import grid, scales
    >>> mine = Experiment("waits-by-load", "Mean waits", print, scales(grid(load=[0.5, 0.9])), scales(2, 20))
    >>> mine.points["smoke"], mine.seeds["quick"]
    ([{'load': 0.5}, {'load': 0.9}], 20)
    """

    id: str
    title: str
    run: Callable[..., Any]
    points: Mapping[str, Sequence[Mapping[str, Any]]]
    seeds: Mapping[str, int | tuple[int, ...]]
    timing: tuple[str, ...] = ()
    missing: Callable[[], str] = str
    data_files: Callable[[Mapping[str, Any]], Sequence[Any]] = lambda point: ()

    def __post_init__(self):
        check_id("experiment", self.id)
        if not callable(self.run):
            raise TypeError(
                f"experiment {self.id}: run needs a function, not {type(self.run).__name__}"
            )
        wanted = f"{', '.join(SCALES)}; schedlib.sweeps.scales makes them"
        for name in ("points", "seeds"):
            per_scale = getattr(self, name)
            given = set(per_scale) if isinstance(per_scale, Mapping) else set()
            if given != set(SCALES) or not all(per_scale.values()):
                raise ValueError(
                    f"experiment {self.id}: {name} needs a non-empty entry for each of {wanted}"
                )
        for name in SCALES:
            numbers = self.analyses(name)
            whole = all(isinstance(number, Integral) and number > 0 for number in numbers)
            if not whole or sorted(set(numbers)) != list(numbers):
                raise ValueError(
                    f"experiment {self.id}: seeds {self.seeds[name]!r} at scale {name}; must be 1, 2, 3, ... or "
                    "a tuple of these in rising order"
                )

    def analyses(self, scale: str) -> tuple[int, ...]:
        """After how many seeds the claims are judged, in order: interim analyses, and the last one."""
        seeds = self.seeds[scale]
        if isinstance(seeds, tuple):
            return seeds
        return (seeds,)


def grid(**axes: Iterable[Any]) -> list[dict[str, Any]]:
    """Every combination of the axes' values, as points of an experiment; the last axis changes fastest.

    >>> grid(load=[0.5, 0.9], jobs=[10, 20])[:3]
    [{'load': 0.5, 'jobs': 10}, {'load': 0.5, 'jobs': 20}, {'load': 0.9, 'jobs': 10}]
    """
    combinations = itertools.product(*axes.values())
    return [dict(zip(axes, values, strict=True)) for values in combinations]


def scales(smoke: Any, quick: Any = None, paper: Any = None) -> dict[str, Any]:
    """One entry (points, or a number of seeds) for each scale; one left out has that of the scale before it.

    >>> scales(2, 10), scales(1)
    ({'smoke': 2, 'quick': 10, 'paper': 10}, {'smoke': 1, 'quick': 1, 'paper': 1})
    """
    if quick is None:
        quick = smoke
    if paper is None:
        paper = quick
    return {"smoke": smoke, "quick": quick, "paper": paper}


def check_scale(scale: str) -> None:
    """Raise ValueError unless it is smoke, quick or paper."""
    if not isinstance(scale, str) or scale not in SCALES:
        from schedlib.core.checks import unknown

        raise unknown("scale", scale, SCALES, "")


@dataclass(frozen=True)
class Settings:
    """How experiments are run.

    - `scale`: smoke, quick or paper
    - `seeds`: how many (else the scale's own number, or as many as its claims need to be decided)
    - `workers`: how many worker processes (else all cores), or `dask`: a scheduler's address, a client or a cluster
    - `progress`: show how far it is; `refresh`: compute again what is stored already
    - `part`: the share of the points and seeds to run, as "3/20"; the shares are disjoint, and together all

    Raises ValueError for an unknown scale, a part that there is not, and numbers that are not 1, 2, 3, ...;
    TypeError for another kind of `dask`, `progress` or `refresh`.

    >>> Settings("smoke", part="2/3").share(["a", "b", "c", "d", "e"])
    ['b', 'e']
    """

    scale: str = "quick"
    seeds: int | None = None
    workers: int | None = None
    dask: Any = None
    progress: bool = True
    refresh: bool = False
    part: str = "1/1"

    def __post_init__(self):
        check_scale(self.scale)
        if self.seeds is not None and not _counts(self.seeds, MOST_SEEDS):
            wanted = f"a whole number from 1 to {MOST_SEEDS:,}"
            raise ValueError(f"seeds: must be {wanted}, not {self.seeds!r}")
        if self.workers is not None and not _counts(self.workers):
            raise ValueError(f"workers: must be 1, 2, 3, ..., not {self.workers!r}")
        # a client and a cluster have `scheduler_info`; distributed is not loaded here
        if not isinstance(self.dask, str | None) and not hasattr(self.dask, "scheduler_info"):
            kind = type(self.dask).__name__
            wanted = "a scheduler's address, as 'tcp://host:8786', a client or a cluster"
            raise TypeError(f"dask: needs {wanted}, not {kind}")
        self.share(())
        for name in ("progress", "refresh"):
            value = getattr(self, name)
            # numpy's bool_ by its name, since numpy is not loaded here
            if type(value).__name__ not in ("bool", "bool_"):
                raise TypeError(f"{name}: {value!r:.60}; needs True or False")

    def analyses(self, experiment: Experiment) -> tuple[int, ...]:
        """After how many seeds the experiment's claims are judged: once, after `seeds`, when that is given."""
        if self.seeds is None:
            return experiment.analyses(self.scale)
        return (self.seeds,)

    def share(self, tasks: Sequence[Any]) -> Sequence[Any]:
        """Those of the tasks that this part runs: it takes every n-th of n parts."""
        number, _, parts = self.part.partition("/")
        if not (number.isdecimal() and parts.isdecimal() and 1 <= int(number) <= int(parts)):
            raise ValueError(
                f"part: must be like 3/20, the third of twenty parts, not {self.part!r}"
            )
        return tasks[int(number) - 1 :: int(parts)]


def _counts(value: Any, most: float = float("inf")) -> bool:
    return isinstance(value, Integral) and 1 <= int(value) <= most
