"""A figure or table of the book, as plain data.

Each file of `notebooks/reproduce/exhibits/<paper>` lists its experiments in `EXPERIMENTS` and what is drawn from
them in `FIGURES`; `reproduce` finds, runs and draws them. A paper's `claims.toml` has what is judged on them.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from schedlib.plots import papers
from schedlib.sweeps.experiment import check_id

Words = str | Callable[[Any], str]
"""A text, or a function of a frame that gives one."""


def of_paper(owner: str, name: str) -> None:
    """Raise ValueError unless an id begins with a paper's key, as those of the book do.

    >>> of_paper("figure", "hmhs.fig1")
    """
    paper, _, rest = name.partition(".")
    if paper not in papers.KEYS or not rest:
        raise ValueError(
            f"{owner} id {name!r}: must read '<paper>.<name>' with paper one of {', '.join(papers.KEYS)}"
        )
    check_id(owner, name)


@dataclass(frozen=True)
class Figure:
    """A picture (or, with `plot=None`, a table) made from the frame of one experiment.

    `plot(frame)` returns a matplotlib Figure and simulates nothing. `caption` and `alt` are texts, or
    functions of the frame that return one, so that they can state what was measured. `part(frame)` gives the
    rows that the picture, its texts and its CSV have; all of them unless given. `seen(rows)`, where it is given,
    is what `plot`, caption and alt text get instead of the rows of the CSV. `heads` are a printed table's
    words for columns, where a column's name without underscores is not plain. Raises ValueError on an id that
    does not begin with a paper's key, and without a caption or an alt text.

    An id such as `mch.fig4a` or `lotes.table2` says that the paper itself prints it.

    See also: `sweeps.Experiment`.

    >>> Figure("hmhs.few", "hmhs.few", None, "Makespans of few jobs.", "A table of makespans.").printed
    False
    """

    id: str
    experiment: str
    plot: Callable[[Any], Any] | None
    caption: Words
    alt: Words
    part: Callable[[Any], Any] = lambda frame: frame
    seen: Callable[[Any], Any] = lambda rows: rows
    heads: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self):
        of_paper("figure", self.id)
        of_paper("experiment", self.experiment)
        if not self.caption or not self.alt:
            raise ValueError(f"figure {self.id}: needs a caption and an alt text")

    @property
    def printed(self) -> bool:
        """Whether the paper prints it, by its id."""
        name = self.id.partition(".")[2]
        return bool(re.fullmatch(r"(fig|table)\d+[a-z]?", name))
