"""The nouns of the reproduction, plain data: an experiment, and a figure drawn from it.

Each file of `notebooks/reproduce/exhibits/<paper>` lists its own in `EXPERIMENTS` and `FIGURES`; `schedlib.reproduce`
finds, runs and draws them. What is judged on them stands in the paper's `claims.toml`.
"""

import itertools
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from numbers import Integral
from typing import Any

from schedlib import papers

SCALES = ("smoke", "quick", "paper")
Words = str | Callable[[Any], str]
"""A text, or a function of a frame that gives one."""


def _file_name(owner: str, name: str) -> None:
    if not isinstance(name, str) or not re.fullmatch(r"\w[\w.-]*", name):
        raise ValueError(f"{owner} id {name!r}: an id has only letters, digits, '.', '-' and '_'")


def of_paper(owner: str, name: str) -> None:
    """Raise ValueError unless an id begins with a paper's key, as those of the book do.

    >>> of_paper("figure", "hmhs.fig1")
    """
    paper, _, rest = name.partition(".")
    known = ", ".join(papers.KEYS)
    if paper not in papers.KEYS or not rest:
        form = f"'<paper>.<name>' with paper one of {known}"
        raise ValueError(f"{owner} id {name!r}: must read {form}")
    _file_name(owner, name)


@dataclass(frozen=True)
class Experiment:
    """A pure function of a point and a seed, with the points and the number of seeds of each scale.

    `run(seed=..., **point)` returns a tidy DataFrame and draws nothing; it may run in another process or on
    another machine, so it is a function of a module, which these can import. `id` names the folder of its
    stored results; those of the book begin with a paper's key, your own is any file name. `title` is what lists
    and the gallery call it.

    - `points[scale]` are keyword arguments (JSON values)
    - `seeds[scale]` counts the seeds 0, 1, ... Several numbers, as in (5, 10, 20), are a sequential test: its
      claims are judged after each of these numbers, and more are run until all are decided or none are left
    - `timing` names the columns of wall-clock times, which go into a file of their own: they never repeat
    - `missing()` says what is lacking, such as a trace that must be fetched first; "" when it can run
    - `data_files(point)` gives the paths of the files that a point reads, so that its result depends on them

    Raises ValueError when a scale is missing, empty or unknown, on numbers of seeds that are not 1, 2, 3, ... or
    do not rise, and on an id that is no file name; TypeError when `run` is no function.

    See also: `reproduce.run`.

    >>> from schedlib.experiment import grid, scales
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
        _file_name("experiment", self.id)
        if not callable(self.run):
            raise TypeError(
                f"experiment {self.id}: run needs a function, not {type(self.run).__name__}"
            )
        wanted = f"{', '.join(SCALES)}; schedlib.experiment.scales makes them"
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
    points = []
    for values in itertools.product(*axes.values()):
        point = zip(axes, values, strict=True)
        points.append(dict(point))
    return points


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


@dataclass(frozen=True)
class Figure:
    """A picture (or, with `plot=None`, a table) made from the frame of one experiment.

    `plot(frame)` returns a matplotlib Figure and simulates nothing. `caption` and `alt` are texts, or
    functions of the frame that return one, so that they can state what was measured. `part(frame)` gives the
    rows that the picture, its texts and its CSV have; all of them unless given. `heads` are a printed table's
    words for columns, where a column's name without underscores is not plain. Raises ValueError on an id that
    does not begin with a paper's key, and without a caption or an alt text.

    See also: `experiment.Experiment`.

    >>> Figure("hmhs.few", "hmhs.few", None, "Makespans of few jobs.", "A table of makespans.").id
    'hmhs.few'
    """

    id: str
    experiment: str
    plot: Callable[[Any], Any] | None
    caption: Words
    alt: Words
    part: Callable[[Any], Any] | None = None
    heads: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self):
        of_paper("figure", self.id)
        of_paper("experiment", self.experiment)
        if not self.caption or not self.alt:
            raise ValueError(f"figure {self.id}: needs a caption and an alt text")
