"""One table for the whole book: a paper's symbol, our name for it, what it means, its unit.

The rows are in `lessons/notation.csv`: `paper` is a paper's key, or "theory" for queueing theory; `symbol` is
LaTeX; `ours` is its name below schedlib (`f(x=)` is the argument x of f); `chapters` are those that use it.
"""

from pathlib import Path
from typing import Any

import pandas as pd

from schedlib.core.checks import unknown

COLUMNS = {"symbol": "symbol", "ours": "in schedlib", "meaning": "meaning", "unit": "unit"}
_ROWS = pd.read_csv(
    Path(__file__).with_name("lessons") / "notation.csv", dtype=str, keep_default_na=False
)
_ROWS["chapters"] = [tuple(chapters.split()) for chapters in _ROWS["chapters"]]
TABLE: list[Any] = list(_ROWS.itertuples(index=False, name="Row"))
# the keys of papers with symbols, and "theory"
SOURCES = tuple(dict.fromkeys(row.paper for row in TABLE))


class Notation(pd.DataFrame):
    """A frame of symbols, shown as Markdown: so a notebook and a static page both set the mathematics.

    See also: `book.notation.table`, which makes one.

    >>> print(Notation({"symbol": ["$K$"]})._repr_markdown_(), end="")
    | symbol |
    | --- |
    | $K$ |
    """

    @property
    def _constructor(self):
        return Notation

    def _repr_html_(self):
        return None

    def _repr_markdown_(self):
        lines = [self.columns, ["---"] * self.shape[1], *self.itertuples(index=False)]
        return "".join(f"| {' | '.join(map(str, line))} |\n" for line in lines)


def table(paper: str | None = None, chapter: int | str | None = None) -> Notation:
    """The symbols of a paper (its key, or "theory"), or those that a chapter uses (2 or "1b"), or all.

    A row each: `symbol` (LaTeX), `in schedlib` (the name below the package), `meaning`, `unit` ("1" for
    numbers); without a paper also `paper`. Raises ValueError on an unknown paper, and when nothing is left.

    >>> table("lotes", chapter=2).iloc[0].tolist()[:2]
    ['$c_{jl}$', '`lotes.MachineConfigs.capacity`']
    """
    if paper is not None and paper not in SOURCES:
        raise unknown("paper", paper, SOURCES)
    rows = TABLE
    if paper is not None:
        rows = [row for row in rows if row.paper == paper]
    if chapter is not None:
        rows = [row for row in rows if str(chapter) in row.chapters]
    if not rows:
        raise ValueError(f"chapter: {chapter!r} uses none of the symbols of {paper or 'any paper'}")
    frame = Notation(rows)
    frame["ours"] = "`" + frame["ours"] + "`"
    shown = list(COLUMNS)
    if paper is None:
        shown.insert(0, "paper")
    return frame[shown].rename(columns=COLUMNS)
