"""Every experiment, figure and claim of the papers that are installed, found by name."""

import difflib
import importlib
import importlib.util
import math
import pkgutil
import re
from dataclasses import dataclass
from functools import cache
from types import ModuleType

from schedlib import papers
from schedlib.experiment import Claim, Experiment, Figure


def unknown(kind: str, name: str, known) -> ValueError:
    """The error for a name that nobody has: it gives the near matches and says where to look.

    >>> print(unknown("experiment", "hmhs.fgi1", ["hmhs.fig1", "hmhs.fig2"]))
    unknown experiment 'hmhs.fgi1': did you mean hmhs.fig1 or hmhs.fig2? All names: python -m schedlib list
    """
    near = difflib.get_close_matches(str(name), dict.fromkeys(known), n=3, cutoff=0.5)
    hint = f" did you mean {' or '.join(near)}?" if near else ""
    return ValueError(f"unknown {kind} {name!r}:{hint} All names: python -m schedlib list")


@dataclass(frozen=True)
class Registry:
    """What the papers list, by id, in the papers' order.

    Raises ValueError when an id occurs twice, could not be a file name, or names an experiment that does not exist.
    """

    experiments: dict[str, Experiment]
    figures: dict[str, Figure]
    claims: dict[str, Claim]

    @classmethod
    def of(cls, experiments=(), figures=(), claims=()) -> "Registry":
        """A registry of these tuples, checked."""
        tables = []
        for kind, items in (("experiment", experiments), ("figure", figures), ("claim", claims)):
            table = {}
            for item in items:
                if table.get(item.id) is item:
                    continue
                if item.id in table:
                    raise ValueError(f"{kind} {item.id}: listed twice")
                if not re.fullmatch(r"[\w.-]+", item.id):
                    raise ValueError(f"{kind} {item.id!r}: an id has only letters, digits, '.', '-' and '_'")
                if kind != "experiment" and item.experiment is not None and item.experiment not in tables[0]:
                    raise ValueError(f"{kind} {item.id}: its experiment {item.experiment!r} does not exist")
                table[item.id] = item
            tables.append(table)
        return cls(*tables)

    def experiment(self, name: "str | Experiment") -> Experiment:
        """The experiment called `name`, or drawn by the figure called `name`; an Experiment is given back as it is."""
        if isinstance(name, Experiment):
            return name
        if name in self.figures:
            name = self.figures[name].experiment
        if name not in self.experiments:
            raise unknown("experiment", name, [*self.experiments, *self.figures])
        return self.experiments[name]

    def figure(self, name: str) -> Figure:
        """The figure called `name`."""
        if name not in self.figures:
            raise unknown("figure", name, self.figures)
        return self.figures[name]

    def papers(self) -> list[str]:
        """The papers that list anything, in the book's order."""
        present = {name.partition(".")[0] for name in (*self.experiments, *self.figures, *self.claims)}
        return [key for key in papers.KEYS if key in present]

    def wanted_figures(self, only=None) -> list[Figure]:
        """The figures that `only` asks for: None for all, else papers, figures, or experiments (with all drawn from them)."""
        names = self._names(only)

        def asked(figure):
            experiment = None if figure.experiment in self.figures else figure.experiment
            return names is None or not {figure.id.partition(".")[0], figure.id, experiment}.isdisjoint(names)

        return [figure for figure in self.figures.values() if asked(figure)]

    def wanted_claims(self, only=None) -> list[Claim]:
        """The claims that `only` asks for: None for all, else papers, claims, experiments or figures by name."""
        names = self._names(only)
        names = names and {*names, *(self.figures[name].experiment for name in names if name in self.figures)}
        return [c for c in self.claims.values() if names is None or not {c.paper, c.id, c.experiment}.isdisjoint(names)]

    def _names(self, only) -> list[str] | None:
        names = names_in(only)
        known = {*self.papers(), *self.experiments, *self.figures, *self.claims}
        for name in names or ():
            if name in papers.KEYS and name not in known:
                raise ValueError(f"paper {name!r} lists nothing here yet; there is: {', '.join(self.papers()) or 'nothing'}")
            if name not in known:
                raise unknown("paper, figure, experiment or claim", name, known)
        return names


def names_in(only) -> list[str] | None:
    """The names in `only`: None or an empty text for all, a text with commas or blanks between, or several texts.

    >>> names_in("hmhs, eagle.fig2"), names_in(""), names_in(["mch", "lotes,hmhs"])
    (['hmhs', 'eagle.fig2'], None, ['mch', 'lotes', 'hmhs'])
    """
    texts = [only] if isinstance(only, str) else list(only or ())
    return [name for text in texts for name in re.split(r"[,\s]+", text) if name] or None


def exhibits(package: str) -> list[ModuleType]:
    """The modules of a package of exhibits, in the order of their `PLACE` in the paper, then by name; none when it is not there.

    `PLACE` is a number, most often the section where the paper shows what the exhibit is about; a file without one comes last.
    """
    spec = importlib.util.find_spec(package) if importlib.util.find_spec(package.rpartition(".")[0]) else None
    if spec is None:
        return []
    names = sorted(found.name for found in pkgutil.iter_modules(spec.submodule_search_locations))
    modules = [importlib.import_module(f"{package}.{name}") for name in names]
    return sorted(modules, key=lambda module: getattr(module, "PLACE", math.inf))


def found_in(package: str) -> Registry:
    """What the exhibits of one package list."""
    modules = exhibits(package)
    return Registry.of(*([item for module in modules for item in getattr(module, kind, ())]
                         for kind in ("EXPERIMENTS", "FIGURES", "CLAIMS")))  # fmt: skip


@cache
def load() -> Registry:
    """Every paper's exhibits that are here.

    >>> load().papers() == [key for key in papers.KEYS if key in load().papers()]
    True
    """
    parts = [found_in(f"schedlib.exhibits.{key}") for key in papers.KEYS]
    return Registry.of(*([item for part in parts for item in getattr(part, kind).values()]
                         for kind in ("experiments", "figures", "claims")))  # fmt: skip
