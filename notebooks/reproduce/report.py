"""The ledger as pages and cards: what became of each sentence of the papers; the rows alone decide."""

from collections.abc import Sequence
from typing import Any

import pandas as pd
from pandas import DataFrame

from reproduce import registry
from reproduce.sentences import World
from reproduce.tables import markdown, measurement, number
from reproduce.verdicts import NUMBERS, TOGETHER, UNDECIDED, VERDICTS
from schedlib.plots import papers

COLUMNS = ("sentence", "printed", "ours (95 %)", "by the text", "together", "cause", "id")
"""Of a table of sentences."""
HEAD = """\
# What became of the papers' claims
"""
HOW = """\
One line is one sentence of a paper, in our words. *Ours* is by the text, with a 95 % interval over independent runs;
a number alone is exact or a single run.

- *By the text*: what the paper's words give, as each paper's head says. *holds*, *fails*: the whole interval says so.
  *undecided*: it does not, or there is one run. *in a window*: it holds only at some values of a parameter that the
  text leaves open. *nothing to measure*: both sides lie at a floor, as when no job waits.
- *Together*: what it gives in the paper's *world*, in which most of its sentences hold at once. A world is what we
  found, not what the paper says. What is as by the text is left out. *fixed it*: this sentence fixed the world, and is
  no evidence for it.
- *Never*: it fails by the text, in the world and in every other reading that we tried.
- A printed number is *as printed* to its last digit, *near* within a quarter or the stated range, else *off*.

Many limits and readings were chosen after a result was known:
[changes.csv](../notebooks/book/report/changes.csv) lists them. [claims.csv](claims.csv) has every column: where each
sentence is, what other readings give. [The gallery](README.md) has the pictures.
"""


def page(rows: DataFrame, paper_scale: DataFrame | None = None) -> str:
    """The whole ledger as a Markdown page: headlines, counts, then each paper's worlds and its table; which
    verdicts the rows of `paper_scale` change is said below the counts."""
    known = registry.load()
    lines = [HEAD, headlines(rows), HOW]
    if len(rows):
        lines += ["## Counts\n", f"{sentence(rows)}\n", counts(rows)]
    if paper_scale is not None:
        lines.append(otherwise(rows, paper_scale))
    for paper, own in rows.groupby("paper", sort=False):
        lines.append(f"## {papers.title_of(paper)}\n")
        if reading := known.readings.get(str(paper)):
            lines.append(f"*By the text*: {reading.name}. {reading.why}\n")
            lines += map(stated, reading.worlds)
        lines.append(table(counted(own)))
        apart = own.loc[own["kind"] != "", "id"]
        if len(apart):
            names = ", ".join(apart)
            lines.append(f"Not counted, since no run could fail these or they are ours: {names}.\n")
    return "\n".join(filter(None, lines))


def stated(world: World) -> str:
    """A paper's world in words: what it is, how it was found, what else was tried."""
    words = f"*World*: {world.name}. {world.found}"
    if world.tried:
        words += f" Tried: {'; '.join(world.tried)}."
    return f"{words}\n"


def counted(rows: DataFrame) -> DataFrame:
    """The rows of sentences that count: the paper's own, which a run can hold or refute."""
    return rows[rows["kind"] == ""]


def sentence(rows: DataFrame) -> str:
    """How many sentences there are and what became of them.

    >>> three = {"verdict": ["fails", "holds", "holds"], "together": "holds", "never": False, "kind": ["", "", "own"]}
    >>> sentence(pd.DataFrame(three))
    'Sentences: 2. By the text: holds 1, fails 1. Together: holds 2. Never: 0. Not counted: 1.'
    """
    own = counted(rows)
    together = tally(own["together"], TOGETHER)
    return (
        f"Sentences: {len(own)}. By the text: {by_text(own)}. Together: {together}. Never: {own['never'].sum()}. "
        f"Not counted: {len(rows) - len(own)}."
    )


def by_text(rows: DataFrame) -> str:
    """What became of these sentences by the text, in words.

    >>> by_text(pd.DataFrame({"verdict": ["fails", "holds", "holds"], "kind": ""}))
    'holds 2, fails 1'
    """
    return tally(counted(rows)["verdict"], VERDICTS)


def tally(column: pd.Series, verdicts: Sequence[str]) -> str:
    """How many have each of these verdicts, in words."""
    number_of = column.value_counts()
    each = [f"{verdict} {number_of[verdict]}" for verdict in verdicts if verdict in number_of]
    return ", ".join(each) or "none"


def otherwise(rows: DataFrame, paper_scale: DataFrame) -> str:
    """Which sentences the runs at paper scale decide otherwise by the text, in words; "" without any.

    >>> here = pd.DataFrame({"id": ["mch.a", "mch.b"], "verdict": ["undecided", "holds"]})
    >>> otherwise(here, here.assign(verdict=["fails", "undecided"])).splitlines()
    ['At paper scale `mch.a` fails (here undecided).']
    """
    there = paper_scale.set_index("id")["verdict"]
    each = []
    for row in rows.itertuples():
        verdict = there.get(row.id, UNDECIDED)
        if verdict not in (UNDECIDED, row.verdict):
            each.append(f"`{row.id}` {verdict} (here {row.verdict})")
    return f"At paper scale {', '.join(each)}.\n" if each else ""


def counts(rows: DataFrame) -> str:
    """A table of both verdicts by paper."""
    own = counted(rows)
    lines = []
    for paper, of_paper in [*own.groupby("paper", sort=False), ("all", own)]:
        line = {"paper": papers.title_of(str(paper)), "sentences": len(of_paper)}
        for verdict in VERDICTS:
            line[f"text: {verdict}"] = (of_paper["verdict"] == verdict).sum()
        for verdict in TOGETHER:
            line[f"together: {verdict}"] = (of_paper["together"] == verdict).sum()
        line["never"] = of_paper["never"].sum()
        lines.append(line)
    table = pd.DataFrame(lines).set_index("paper")
    met = table.loc[:, (table != 0).any()]
    return markdown(met.T.rename_axis("verdict").reset_index())


def headlines(rows: DataFrame) -> str:
    """The headline rows among these: sentence, paper, printed, ours, both verdicts, cause."""
    known = registry.load().claims
    chosen = [name for name, claim in known.items() if claim.headline]
    shown = rows[rows["id"].isin(chosen)]
    if shown.empty:
        return ""
    return table(shown, ["paper", *COLUMNS[:-1]])


def table(rows: DataFrame, columns: Sequence[str] = COLUMNS) -> str:
    """These columns of some rows as a Markdown table; those that would be empty are left out."""
    lines = []
    for row in rows.itertuples():
        found = ours(row)
        met = f"; {row.number}" if row.number in NUMBERS[:-1] else ""
        line = {
            "paper": papers.title_of(row.paper),
            "sentence": row.sentence,
            "printed": row.printed,
            "ours (95 %)": f"{found} {row.unit}".strip() if found else "",
            "by the text": row.verdict + met,
            "together": together(row),
            "cause": "; ".join(filter(None, (row.window, row.cause))),
            "id": f"`{row.id.partition('.')[2]}`",
        }
        lines.append(line)
    shown = pd.DataFrame(lines)[list(columns)]
    return markdown(shown.loc[:, (shown != "").any()])


def ours(row: Any, of: str = "") -> str:
    """The measured value with its interval, by the text, or `of` the "world_"."""
    mean, low, high = (getattr(row, of + name) for name in ("measured", "low", "high"))
    return number(mean) if low == high else measurement(mean, low, high)


def together(row: Any) -> str:
    """The verdict in the paper's world and its number, each where it is not the text's."""
    if row.never:
        return "never"
    text, world = ours(row), ours(row, "world_")
    words = "" if row.together == row.verdict else row.together
    return words if world == text else f"{words} {world}".strip()


def card(rows: DataFrame) -> str:
    """The verdicts of some sentences, as a chapter says them: one sentence, and where to find each."""
    names = rows["paper"].unique()
    place = f"#{papers.title_of(names[0]).lower()}" if len(names) == 1 else ""
    return f"{sentence(rows)} [Each with its number and cause](../figures/CLAIMS.md{place})."
