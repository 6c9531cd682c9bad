"""Every experiment, figure and claim of the papers that are installed, found by name."""

import importlib
import importlib.util
import math
import pkgutil
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import MappingProxyType, ModuleType
from typing import Any

from reproduce.figure import Figure, of_paper
from reproduce.sentences import Reading, Sentence, read
from schedlib.plots import papers
from schedlib.sweeps import Experiment

Names = str | Iterable[str] | None
"""A reader's choice: papers, figures, experiments or claims by name; None for all."""


def unlisted(kind: str, name: str, listed: Iterable[str]) -> ValueError:
    """The error for an unknown name, with near matches and where to look.

    >>> print(unlisted("figure", "hmhs.fgi1", ["hmhs.fig1"]))
    figure: 'hmhs.fgi1' is unknown; did you mean 'hmhs.fig1'? Choose from hmhs.fig1, or see: ...list
    """
    from schedlib.core.checks import unknown  # with numba, which what is stored does not need

    return unknown(kind, name, listed, "or see: python -m reproduce list")


@dataclass(frozen=True)
class Registry:
    """The papers' lists, by id, in the papers' order."""

    experiments: dict[str, Experiment]
    figures: dict[str, Figure]
    claims: dict[str, Sentence]
    readings: dict[str, Reading]

    @classmethod
    def of(
        cls,
        experiments: Iterable[Experiment] = (),
        figures: Iterable[Figure] = (),
        claims: Iterable[Sentence] = (),
        readings: Mapping[str, Reading] = MappingProxyType({}),
    ) -> "Registry":
        """A registry; ValueError when an id is listed twice, cannot name a file, or names an unknown experiment."""
        registry = cls({}, {}, {}, dict(readings))
        for experiment in experiments:
            registry._list("experiment", experiment, registry.experiments, [])
        for figure in figures:
            registry._list("figure", figure, registry.figures, [figure.experiment])
        for claim in claims:
            registry._list("claim", claim, registry.claims, claim.experiments())
        return registry

    def _list(self, kind: str, item: Any, table: dict[str, Any], needs: Iterable[str]) -> None:
        """Put an experiment, figure or claim, which needs these experiments, into its table."""
        of_paper(kind, item.id)
        if item.id in table:
            raise ValueError(f"{kind} {item.id}: listed twice")
        if unknown := set(needs) - self.experiments.keys():
            raise ValueError(f"{kind} {item.id}: its experiment {min(unknown)!r} does not exist")
        table[item.id] = item

    def experiment(self, name: str) -> Experiment:
        """The experiment called `name`, or drawn by the figure called `name`."""
        found = self.figures[name].experiment if name in self.figures else name
        if found not in self.experiments:
            raise unlisted("experiment", name, [*self.experiments, *self.figures])
        return self.experiments[found]

    def figure(self, name: str) -> Figure:
        """The figure called `name`."""
        if name not in self.figures:
            raise unlisted("figure", name, self.figures)
        return self.figures[name]

    def papers(self) -> list[str]:
        """The papers that list anything, in the book's order."""
        ids = [*self.experiments, *self.figures, *self.claims]
        present = {name.partition(".")[0] for name in ids}
        return [key for key in papers.KEYS if key in present]

    def wanted_figures(self, only: Names = None) -> list[Figure]:
        """The figures that `only` asks for: None for all, else papers, figures, or experiments."""
        figures = list(self.figures.values())
        names = self._names(only)
        if names is None:
            return figures
        wanted = []
        for figure in figures:
            # a name that both have asks for the figure alone
            by_experiment = figure.experiment in names and figure.experiment not in self.figures
            if by_experiment or {figure.id, figure.id.partition(".")[0]} & set(names):
                wanted.append(figure)
        return wanted

    def wanted_claims(self, only: Names = None) -> list[Sentence]:
        """The claims that `only` asks for: None for all, else papers, claims, experiments or figures.

        A paper's key also asks for the claims of other papers that are judged on its experiments.
        """
        claims = list(self.claims.values())
        names = self._names(only)
        if names is None:
            return claims
        behind = [self.figures[name].experiment for name in names if name in self.figures]
        asked = {*names, *behind}
        wanted = []
        for claim in claims:
            experiment = claim.experiment
            if asked & {claim.paper, claim.id, experiment, experiment.partition(".")[0]}:
                wanted.append(claim)
        return wanted

    def behind(self, only: Names = None) -> list[str]:
        """The experiments from which the figures that `only` asks for are drawn and its claims judged, under
        every reading."""
        names = [figure.experiment for figure in self.wanted_figures(only)]
        for claim in self.wanted_claims(only):
            names += claim.experiments()
        return list(dict.fromkeys(names))

    def _names(self, only: Names) -> list[str] | None:
        names = names_in(only)
        known = {*self.papers(), *self.experiments, *self.figures, *self.claims}
        for name in names or ():
            if name not in known:
                raise unlisted("only: paper, figure, experiment or claim", name, known)
        return names


def names_in(only: Names) -> list[str] | None:
    """The names in a text with commas or blanks between, or in several texts; None (for all) without any.

    >>> names_in("hmhs, eagle.fig2"), names_in(""), names_in(["mch", "lotes,hmhs"])
    (['hmhs', 'eagle.fig2'], None, ['mch', 'lotes', 'hmhs'])
    """
    if only is None:
        return None
    try:
        names: list[Any] = [only] if isinstance(only, str) else list(only)
    except TypeError:  # nothing that can be listed
        names = [only]
    if not all(isinstance(name, str) for name in names):
        raise TypeError(f"only: {only!r:.60}; needs names, as 'hmhs' or ['hmhs', 'eagle.fig2']")
    return re.findall(r"[^,\s]+", " ".join(names)) or None


def exhibits(paper: str) -> list[ModuleType]:
    """A paper's modules of exhibits by `PLACE` (mostly a section), then by name; none without a folder."""
    spec = importlib.util.find_spec(f"reproduce.exhibits.{paper}")
    locations = spec.submodule_search_locations if spec else []
    modules = [
        importlib.import_module(f"reproduce.exhibits.{paper}.{file.name}")
        for file in pkgutil.iter_modules(locations)  # which gives them by name
    ]
    return sorted(modules, key=lambda module: getattr(module, "PLACE", math.inf))


@cache
def load() -> Registry:
    """Every paper's exhibits: what each module lists in `EXPERIMENTS` and `FIGURES`, and its `claims.toml`.

    >>> load().papers() == [key for key in papers.KEYS if key in load().papers()]
    True
    """
    experiments: list[Experiment] = []
    figures: list[Figure] = []
    claims: list[Sentence] = []
    readings: dict[str, Reading] = {}
    for paper in papers.KEYS:
        for module in exhibits(paper):
            experiments += getattr(module, "EXPERIMENTS", ())
            figures += getattr(module, "FIGURES", ())
            if module.__name__.endswith(".measures"):
                file = Path(str(module.__file__)).with_name("claims.toml")
                readings[paper], own = read(file, paper, module)
                claims += own
    return Registry.of(experiments, figures, claims, readings)


def book_order(name: str) -> tuple[int, int, str]:
    """Sorts ids by paper in the book's order, then as the registry lists them, then by name."""
    keys = [*papers.KEYS, name.partition(".")[0]]
    ids = [*load().figures, *load().claims, name]
    return keys.index(keys[-1]), ids.index(name), name
