"""The ledger as pages and cards: what became of each sentence of the papers; the rows alone decide."""

from collections.abc import Sequence
from typing import Any

import pandas as pd
from pandas import DataFrame

from reproduce import registry
from reproduce.sentences import World
from reproduce.tables import markdown, measurement
from reproduce.verdicts import FIXED, HOLDS, NUMBERS, UNDECIDED, VERDICTS
from schedlib.plots import papers

COLUMNS = ["sentence", "ours (95 %)", "by the text, and why", "together"]
"""Of a paper's table: a printed number stands in its sentence."""
HEAD = """\
# What became of the papers' claims
"""
HOW = """\
One line is one sentence of a paper, in our words, after its name; in brackets, how we read it. *Ours* is by the text,
with a 95 % interval over independent runs; a number alone is exact or a single run.

- *By the text*: what the paper's words give, as each paper's head says. It *holds* or *fails* when the whole interval
  says so, else it is *undecided*. Where the text leaves a parameter open, it stands at which values the sentence holds.
  *Nothing to measure*: both sides lie at a floor, as when no job waits.
- *Together*: what it gives in the paper's *world*, where this differs. In a world most of the sentences hold at once;
  it is what we found, not what the paper says. What *fixed it* is no evidence for it.
- *Never*: it fails by the text, in the world and in every other reading that we tried.
- A printed number is *near* when the whole interval lies within a quarter of it or in the stated range, *as printed*
  when it also holds the number to its last digit, *off* when it lies outside.
- *Not counted*: what no run could fail, and what is ours.

[changes.csv](../notebooks/book/report/changes.csv) lists the limits and readings chosen after a result was known,
[claims.csv](claims.csv) all columns. [The gallery](README.md) has the pictures.
"""


def page(rows: DataFrame, paper_scale: DataFrame) -> str:
    """The whole ledger as a Markdown page: headlines, counts, then each paper's worlds and its other sentences;
    which verdicts the rows of `paper_scale` change is said below the counts."""
    known = registry.load()
    lines = [HEAD, headlines(rows), HOW, "## Counts\n", counts(rows), otherwise(rows, paper_scale)]
    for paper, own in rows.groupby("paper", sort=False):
        lines.append(f"## {papers.title_of(paper)}\n")
        if reading := known.readings.get(str(paper)):
            lines.append(f"*By the text*: {reading.name}. {reading.why}\n")
            lines += map(stated, reading.worlds)
        lines.append(table(counted(own[~chosen(own)])))
        apart = own.loc[own["kind"] != "", "id"]
        if len(apart):
            names = ", ".join(apart)
            lines.append(f"Not counted: {names}.\n")
    return "\n".join(filter(None, lines))


def stated(world: World) -> str:
    """A paper's world in words: what it is, how it was found, what else was tried."""
    words = f"*World*: {world.name}. {world.found}"
    if world.tried:
        words += f" Tried: {'; '.join(world.tried)}."
    if world.fixed_by:
        words += f" Fixed by: {', '.join(world.fixed_by)}."
    return f"{words}\n"


def counted(rows: DataFrame) -> DataFrame:
    """The rows of sentences that count: the paper's own, which a run can hold or refute."""
    return rows[rows["kind"] == ""]


def by_text(rows: DataFrame) -> str:
    """What became of these sentences by the text, in words.

    >>> by_text(pd.DataFrame({"verdict": ["fails", "holds", "holds"], "kind": ""}))
    'holds 2, fails 1'
    """
    number_of = counted(rows)["verdict"].value_counts()
    each = [f"{verdict} {number_of[verdict]}" for verdict in VERDICTS if verdict in number_of]
    return ", ".join(each) or "none"


def otherwise(rows: DataFrame, paper_scale: DataFrame) -> str:
    """Which sentences the runs at paper scale decide otherwise by the text, in words; "" without any.

    >>> here = pd.DataFrame({"id": ["mch.a", "mch.b"], "verdict": ["undecided", "holds"]})
    >>> otherwise(here, here.assign(verdict=["fails", "undecided"])).splitlines()
    ['At paper scale `mch.a` fails (here undecided).']
    """
    both = rows.merge(paper_scale, on="id", suffixes=("", "_there"))
    decided = both.query(f"'{UNDECIDED}' != verdict_there != verdict")
    each = []
    for (there, here), some in decided.groupby(["verdict_there", "verdict"], sort=False):
        each.append(f"`{'`, `'.join(some['id'])}` {there} (here {here})")
    return f"At paper scale {'; '.join(each)}.\n" if each else ""


def counts(rows: DataFrame) -> str:
    """A table of both verdicts by paper: how many by the text, then together."""
    own = counted(rows)
    both = pd.concat([own, own.assign(paper="all")])
    table = {}
    for paper, of_paper in both.groupby("paper", sort=False):
        text, together = (of_paper[column].value_counts() for column in ("verdict", "together"))
        numbers = {
            name: f"{text.get(name, 0)}/{together.get(name, 0)}" for name in (*VERDICTS, FIXED)
        }
        ends = {"sentences": len(of_paper), "never": of_paper["never"].sum()}
        table[papers.title_of(str(paper))] = numbers | ends
    shown = pd.DataFrame(table)
    met = shown[(shown != "0/0").any(axis=1)]
    return markdown(met.reset_index(names="text/together"))


def chosen(rows: DataFrame) -> pd.Series:
    """Which of these rows are headlines."""
    claims = registry.load().claims.values()
    return rows["id"].isin([claim.id for claim in claims if claim.headline])


def headlines(rows: DataFrame) -> str:
    """The headline rows among these, with the printed number."""
    shown = rows[chosen(rows)]
    return "" if shown.empty else table(shown, ["sentence", "printed", *COLUMNS[1:]])


def table(rows: DataFrame, columns: Sequence[str] = COLUMNS) -> str:
    """These columns of some rows as a Markdown table, without those that would be empty; each sentence after its name."""
    lines = []
    for row in rows.itertuples():
        found = ours(row)
        became = "never" if row.never else row.window or row.verdict
        met = f"; {row.number}" if row.number in NUMBERS[:-1] else ""
        why = f". {row.cause}" if row.cause else ""
        line = {
            "sentence": f"`{row.id}` {row.sentence}",
            "printed": row.printed,
            "ours (95 %)": f"{found} {row.unit}".strip() if found else "",
            "by the text, and why": became + met + why,
            "together": together(row),
        }
        lines.append(line)
    shown = pd.DataFrame(lines, columns=list(columns))
    return markdown(shown.loc[:, (shown != "").any()])


def ours(row: Any, of: str = "") -> str:
    """The measured value with its interval, by the text, or `of` the "world_"."""
    mean, low, high = (getattr(row, of + name) for name in ("measured", "low", "high"))
    words = measurement(mean, low, high)
    return words.replace(" to ", "–") if low >= 0 else words


def together(row: Any) -> str:
    """The verdict in the paper's world and its number, each where it is not the text's."""
    if row.never:
        return ""
    text, world = ours(row), ours(row, "world_")
    same = row.together == row.verdict or (row.together, row.verdict) == (FIXED, HOLDS)
    words = "" if same else row.together
    return words if world == text else f"{words} {world}".strip()


def card(rows: DataFrame) -> str:
    """The verdicts of some sentences, as a chapter says them: one sentence, and where to find each."""
    names = rows["paper"].unique()
    place = f"#{papers.title_of(names[0]).lower()}" if len(names) == 1 else ""
    own = counted(rows)
    holds = (own[["verdict", "together"]] == HOLDS).sum()
    return (
        f"Of {len(own)} sentences of the paper {holds.verdict} hold by its text, and {holds.together} hold together under "
        f"the choices that suit most: [each with its number and cause](../figures/CLAIMS.md{place})."
    )
