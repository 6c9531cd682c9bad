"""The nouns of the reproduction, plain data: an experiment, a figure drawn from it, a claim judged on it.

Each file of `notebooks/reproduce/exhibits/<paper>` lists its own in `EXPERIMENTS`, `FIGURES` and `CLAIMS`;
`schedlib.reproduce` finds, runs, draws and judges them.
"""

import itertools
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from schedlib import papers

SCALES = ("smoke", "quick", "paper")
SOURCES = ("text", "table", "printed number", "bar chart")
CHECKS = ("value", "ratio", "order", "trend")
VERDICTS = ("reproduced", "in part", "not reproduced", "by construction", "not testable here")


def _file_name(owner: str, name: str) -> None:
    if not isinstance(name, str) or not re.fullmatch(r"\w[\w.-]*", name):
        raise ValueError(f"{owner} id {name!r}: an id has only letters, digits, '.', '-' and '_'")


def of_paper(owner: str, name: str) -> None:
    """Raise ValueError unless an id begins with a paper's key, as those of the book do.

    >>> of_paper("figure", "hmhs.fig1")
    """
    paper, _, rest = name.partition(".")
    if paper not in papers.KEYS or not rest:
        known = ", ".join(papers.KEYS)
        raise ValueError(
            f"{owner} id {name!r}: must read '<paper>.<name>' with paper one of {known}"
        )
    _file_name(owner, name)


@dataclass(frozen=True)
class Experiment:
    """A pure function of a point and a seed, with the points and the number of seeds of each scale.

    `run(seed=..., **point)` returns a tidy DataFrame and draws nothing; it may run in another process or on
    another machine, so it is a function of a module, which these can import. `id` names the folder of its
    stored results; those of the book begin with a paper's key, your own is any file name.

    - `points[scale]` are keyword arguments (JSON values)
    - `seeds[scale]` counts the seeds 0, 1, ... Several numbers, as in (5, 10, 20), are a sequential test: its
      claims are judged after so many seeds, and more are run until all are decided or none are left
    - `timing` names the columns of wall-clock times, which go into a file of their own: they never repeat
    - `missing()` says what is lacking, such as a trace that must be fetched first; "" when it can run
    - `data_files(point)` gives the paths of the files that a point reads, so that its result depends on them

    Raises ValueError when a scale is missing, empty or unknown, and on an id that is no file name; TypeError
    when `run` is no function.

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
        for name, per_scale in (("points", self.points), ("seeds", self.seeds)):
            right = isinstance(per_scale, Mapping) and set(per_scale) == set(SCALES)
            if not right or not all(per_scale.values()):
                wanted = f"{', '.join(SCALES)}; schedlib.experiment.scales makes them"
                raise ValueError(
                    f"experiment {self.id}: {name} needs a non-empty entry for each of {wanted}"
                )

    def analyses(self, scale: str) -> tuple[int, ...]:
        """After how many seeds the claims are judged, in order: interim analyses, and the last one."""
        seeds = self.seeds[scale]
        return seeds if isinstance(seeds, tuple) else (seeds,)


def grid(**axes: Iterable[Any]) -> list[dict[str, Any]]:
    """Every combination of the axes' values, as points of an experiment; the last axis changes fastest.

    >>> grid(load=[0.5, 0.9], jobs=[10, 20])[:3]
    [{'load': 0.5, 'jobs': 10}, {'load': 0.5, 'jobs': 20}, {'load': 0.9, 'jobs': 10}]
    """
    return [dict(zip(axes, values, strict=True)) for values in itertools.product(*axes.values())]


def scales(smoke: Any, quick: Any = None, paper: Any = None) -> dict[str, Any]:
    """One entry (points, or a number of seeds) for each scale; one left out has that of the scale before it.

    >>> scales(2, 10), scales(1)
    ({'smoke': 2, 'quick': 10, 'paper': 10}, {'smoke': 1, 'quick': 1, 'paper': 1})
    """
    quick = smoke if quick is None else quick
    return {"smoke": smoke, "quick": quick, "paper": quick if paper is None else paper}


@dataclass(frozen=True)
class Figure:
    """A picture (or, with `plot=None`, a table) made from the frame of one experiment.

    `plot(frame)` returns a matplotlib Figure and simulates nothing. `caption` and `alt` are texts, or
    functions of the frame that return one, so that they can state what was measured. `part(frame)` gives the
    rows that the picture, its texts and its CSV have; all of them unless given.

    See also: `experiment.Experiment`, `experiment.Claim`.

    >>> Figure("hmhs.few", "hmhs.few", None, "Makespans of few jobs.", "A table of makespans.").id
    'hmhs.few'
    """

    id: str
    experiment: str
    plot: Callable[[Any], Any] | None
    caption: str | Callable[[Any], str]
    alt: str | Callable[[Any], str]
    part: Callable[[Any], Any] | None = None

    def __post_init__(self):
        of_paper("figure", self.id)
        of_paper("experiment", self.experiment)
        if not self.caption or not self.alt:
            raise ValueError(f"figure {self.id}: needs a caption and an alt text")


@dataclass(frozen=True)
class Claim:
    """A measurable sentence of a paper, and how it is judged on an experiment's frame.

    `measure(frame)` returns a number per independent replicate, whose mean and 95 % interval are judged, or
    a `Proportion`; None when there are too few replicates to tell. Where seeds are added (see `Experiment`),
    the interval is wider, so that it holds at all analyses together.

    - `value`: reproduced when the whole interval is within `tolerance` of `paper_value`; in part when some of
      it is, and the mean is off by no more than the value itself (or twice the tolerance).
    - `ratio`: the same on the ratio measured / paper_value, within a factor 1 + `tolerance`.
    - `order`: the numbers are the margin by which the claimed order holds; reproduced when the whole interval
      lies above 0, in part when only the mean does. An order has no tolerance.
    - `trend`: the numbers are slopes counted positive in the claimed direction; judged as `order`.

    `how_read` begins with one of `SOURCES`: what the paper's value or words were read from, which decides the
    tolerance: a printed number's is that of its last digit. What we made of it may follow after a colon.

    Where the text can be read in several ways, `readings` has a name for each, with an experiment and a
    measure on its frame, in place of the claim's own: each is judged, and the claim is reproduced when it is
    under all of them, in part when under some. With `along`, a column such as the load, what is measured is
    judged at each of its values for itself, and a line says at which the claim holds. What no honest run can
    fail, as the model or the generator is made so, is marked `by_construction` and not counted. A claim that
    cannot be judged here has `experiment=None`. Both say why in `reason`. Raises ValueError on an unknown
    check, a missing part, and a tolerance that is negative or of an order.

    See also: `experiment.Experiment`, `reproduce.claims`.

    >>> Claim("hmhs.sooner", "Fig. 1", "HMHS ends first.", "makespan", "s", None, "text", "order", 0.0,
    ...       experiment="hmhs.fig1", measure=lambda frame: frame["margin"]).check
    'order'
    """

    id: str
    where: str
    claim: str
    metric: str
    unit: str
    paper_value: float | None
    how_read: str
    check: str
    tolerance: float
    experiment: str | None = None
    measure: Callable[[Any], Any] | None = None
    reason: str = ""
    by_construction: bool = False
    readings: Mapping[str, tuple[str, Callable[[Any], Any]]] = field(default_factory=dict)
    along: str = ""
    paper: str = field(init=False)

    def lines(self) -> dict[str, "Claim"]:
        """What is judged, by reading: the claim itself under "", or one claim for each of its readings."""
        said = self.reason if self.by_construction else ""  # else the whole's reason is said once
        each = {
            reading: replace(self, experiment=experiment, measure=measure, readings={}, reason=said)
            for reading, (experiment, measure) in self.readings.items()
        }
        return each or {"": self}

    def __post_init__(self):
        of_paper("claim", self.id)
        object.__setattr__(self, "paper", self.id.partition(".")[0])
        if self.how_read.partition(":")[0] not in SOURCES:
            raise ValueError(
                f"claim {self.id}: how_read {self.how_read!r} begins with none of "
                f"{', '.join(SOURCES)}"
            )
        if self.check not in CHECKS:
            raise ValueError(
                f"claim {self.id}: check {self.check!r} is none of {', '.join(CHECKS)}"
            )
        if self.readings and self.experiment is None:
            # where one is asked, the first stands for all
            for name, own in zip(
                ("experiment", "measure"), next(iter(self.readings.values())), strict=True
            ):
                object.__setattr__(self, name, own)
        testable = self.experiment is not None
        if testable != (self.measure is not None):
            raise ValueError(f"claim {self.id}: experiment and measure go together")
        if (self.by_construction or not testable) and not self.reason:
            raise ValueError(
                f"claim {self.id}: say in `reason` why it cannot fail or is not testable here"
            )
        if testable and self.check in ("value", "ratio") and self.paper_value is None:
            raise ValueError(f"claim {self.id}: check {self.check!r} needs the paper's value")
        if self.tolerance < 0 or (self.tolerance and self.check in ("order", "trend")):
            raise ValueError(
                f"claim {self.id}: tolerance must not be negative, and an order has none"
            )


def claim_maker(paper: str, **usual: Any) -> Callable[..., Claim]:
    """Gives `make(name, where, claim, experiment, measure, paper_value=None, **fields)`, which makes a claim.

    `usual` are the fields that most of its claims share; a claim's own come first. Unless said, a claim is
    read from the text and checked as a value with no tolerance.

    >>> make = claim_maker("hmhs", unit="%", tolerance=5.0)
    >>> made = make("most", "Abstract", "up to 77 %", "hmhs.fig1", len, 77.0, tolerance=1.0)
    >>> made.id, made.unit, made.tolerance, made.check
    ('hmhs.most', '%', 1.0, 'value')
    """
    shared = {
        "metric": "",
        "unit": "",
        "how_read": "text",
        "check": "value",
        "tolerance": 0.0,
    } | usual

    def make(name, where, claim, experiment, measure, paper_value=None, **fields):
        return Claim(
            id=f"{paper}.{name}",
            where=where,
            claim=claim,
            experiment=experiment,
            measure=measure,
            paper_value=paper_value,
            **shared | fields,
        )

    return make
