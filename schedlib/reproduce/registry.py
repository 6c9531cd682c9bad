"""Every experiment, figure and claim of the papers that are installed, found by name."""

import importlib
import importlib.util
import math
import pkgutil
import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from types import ModuleType
from typing import Any

from schedlib import papers, paths
from schedlib.experiment import Claim, Experiment, Figure, of_paper

Names = str | Iterable[str] | None
"""What a reader asks for: papers, figures, experiments or claims by name; None for all."""
NO_EXHIBITS = (
    "the papers' experiments are in the checkout, not in the package: clone it and run there"
)


def unknown(
    kind: str, name: str, known: Iterable[str], way_out: str = "or see: python -m schedlib list"
) -> ValueError:
    """The error for a name that nobody has, with near matches and where to look.

    >>> print(unknown("figure", "hmhs.fgi1", ["hmhs.fig1"]))
    figure: 'hmhs.fgi1' is unknown; did you mean 'hmhs.fig1'? Choose from hmhs.fig1, or see: ...list
    """
    from schedlib.core.checks import unknown

    return unknown(kind, name, known, way_out)


@dataclass(frozen=True)
class Registry:
    """What the papers list, by id, in the papers' order."""

    experiments: dict[str, Experiment]
    figures: dict[str, Figure]
    claims: dict[str, Claim]

    @classmethod
    def of(
        cls,
        experiments: Iterable[Experiment] = (),
        figures: Iterable[Figure] = (),
        claims: Iterable[Claim] = (),
    ) -> "Registry":
        """A registry; ValueError when an id is listed twice, is no file name, or names no experiment."""
        registry = cls({}, {}, {})
        listed: tuple[Iterable[Any], ...] = (experiments, figures, claims)
        for table, items in zip(vars(registry).values(), listed, strict=True):
            for item in items:
                kind, needed = type(item).__name__.lower(), {getattr(item, "experiment", None)}
                needed |= {experiment for experiment, _ in getattr(item, "readings", {}).values()}
                if item.id in table:
                    raise ValueError(f"{kind} {item.id}: listed twice")
                of_paper(kind, item.id)
                for lost in needed - {None, *registry.experiments}:
                    raise ValueError(f"{kind} {item.id}: its experiment {lost!r} does not exist")
                table[item.id] = item
        return registry

    def experiment(self, name: str) -> Experiment:
        """The experiment called `name`, or drawn by the figure called `name`."""
        found = self.figures[name].experiment if name in self.figures else name
        if found not in self.experiments:
            raise unknown("experiment", name, [*self.experiments, *self.figures])
        return self.experiments[found]

    def figure(self, name: str) -> Figure:
        """The figure called `name`."""
        if name not in self.figures:
            raise unknown("figure", name, self.figures)
        return self.figures[name]

    def papers(self) -> list[str]:
        """The papers that list anything, in the book's order."""
        present = {
            name.partition(".")[0] for name in (*self.experiments, *self.figures, *self.claims)
        }
        return [key for key in papers.KEYS if key in present]

    def wanted_figures(self, only: Names = None) -> list[Figure]:
        """The figures that `only` asks for: None for all, else papers, figures, or experiments."""
        names = self._names(only)
        # a name that both have asks for the figure alone
        experiments = set(names or ()) - set(self.figures)
        return [
            figure
            for figure in self.figures.values()
            if names is None
            or figure.experiment in experiments
            or {figure.id, figure.id.partition(".")[0]} & set(names)
        ]

    def wanted_claims(self, only: Names = None) -> list[Claim]:
        """The claims that `only` asks for: None for all, else papers, claims, experiments or figures. What is
        asked for by its key has the claims judged on its experiments too, whosever they are."""
        names = self._names(only)
        behind = [self.figures[name].experiment for name in names or () if name in self.figures]
        return [
            claim
            for claim in self.claims.values()
            if names is None
            or {*names, *behind}
            & {claim.paper, claim.id, claim.experiment, str(claim.experiment).partition(".")[0]}
        ]

    def behind(self, only: Names = None) -> list[str]:
        """The experiments from which the figures that `only` asks for are drawn and its claims judged, under
        every reading."""
        drawn = [figure.experiment for figure in self.wanted_figures(only)]
        judged = [
            line.experiment for claim in self.wanted_claims(only) for line in claim.lines().values()
        ]
        return [name for name in dict.fromkeys([*drawn, *judged]) if name]

    def _names(self, only: Names) -> list[str] | None:
        names, here = names_in(only), self.papers()
        known = {*here, *self.experiments, *self.figures, *self.claims}
        for name in (name for name in names or () if name not in known):
            if name in papers.KEYS:
                there_is = ", ".join(here) or "nothing"
                raise ValueError(f"paper {name!r} lists nothing here yet; there is: {there_is}")
            raise unknown("paper, figure, experiment or claim", name, known)
        return names


def names_in(only: Names) -> list[str] | None:
    """The names in a text with commas or blanks between, or in several texts; None (for all) without any.

    >>> names_in("hmhs, eagle.fig2"), names_in(""), names_in(["mch", "lotes,hmhs"])
    (['hmhs', 'eagle.fig2'], None, ['mch', 'lotes', 'hmhs'])
    """
    texts = [only] if isinstance(only, str) else list(only or ())
    return [name for text in texts for name in re.split(r"[,\s]+", text) if name] or None


def exhibits(paper: str) -> list[ModuleType]:
    """A paper's modules of exhibits by `PLACE` (mostly a section), then by name; none without a folder."""
    spec = importlib.util.find_spec(f"exhibits.{paper}")
    locations = spec.submodule_search_locations if spec else []
    modules = [
        importlib.import_module(f"exhibits.{paper}.{file.name}")
        for file in pkgutil.iter_modules(locations)
    ]
    return sorted(modules, key=lambda module: (getattr(module, "PLACE", math.inf), module.__name__))


@cache
def load() -> Registry:
    """Every paper's exhibits: what each module lists in `EXPERIMENTS`, `FIGURES` and `CLAIMS`.

    Raises ValueError where schedlib was installed without its checkout.

    >>> load().papers() == [key for key in papers.KEYS if key in load().papers()]
    True
    """
    if paths.checkout() is None:
        raise ValueError(NO_EXHIBITS)
    files = [module for key in papers.KEYS for module in exhibits(key)]
    kinds = ("EXPERIMENTS", "FIGURES", "CLAIMS")
    return Registry.of(
        *([item for file in files for item in getattr(file, kind, ())] for kind in kinds)
    )


def book_order(name: str) -> tuple[int, int, str]:
    """Sorts ids by paper in the book's order, then as the registry lists them, then by name."""
    paper, listed = name.partition(".")[0], [*load().figures, *load().claims]
    place = papers.KEYS.index(paper) if paper in papers.KEYS else len(papers.KEYS)
    return (place, listed.index(name) if name in listed else len(listed), name)
