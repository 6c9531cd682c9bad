"""The ledger as pages and cards: what became of each sentence of the papers; the rows alone decide."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pandas as pd
from pandas import DataFrame

from reproduce import registry
from reproduce.tables import markdown, measurement, number
from reproduce.verdicts import DEPENDS, FAILS, HOLDS, NUMBERS, SLIP, UNDECIDED, UNTESTABLE, VERDICTS
from schedlib import paths
from schedlib.plots import papers

COLUMNS = (
    "sentence",
    "where",
    "printed",
    "ours (95 %)",
    "at paper scale",
    "verdict",
    "cause",
    "id",
)
"""Of a table of sentences."""
WHAT_TURNS = "a reading or a parameter"
PLURAL = {
    HOLDS: "hold",
    DEPENDS: f"depend on {WHAT_TURNS}",
    UNDECIDED: "undecided",
    FAILS: "fail",
    SLIP: "the paper's slip",
    UNTESTABLE: "not testable here",
}
SINGULAR = PLURAL | {HOLDS: "holds", DEPENDS: f"depends on {WHAT_TURNS}", FAILS: "fails"}

HEAD = """\
# What became of the papers' claims

One line is one sentence of a paper, in our words. *Printed* is the paper's number. *Ours* has a 95 % interval over
independent runs; it is wider where we looked at it more than once, and a number alone is exact or a single run.
Each paper is read in one way, stated at its head. *At paper scale* is the same number from runs of the papers' own
size. Most of these are single runs, so no verdict rests on them.

- *holds*, *fails*: the whole interval says so. *undecided*: it does not, or there is one run.
- *depends*: it holds or fails as read, and the other way under the reading, or at the values, that the line names.
- *as printed*: to the last digit. *near*: within a quarter, or within the stated range. *off*: neither.

Many limits and readings were chosen after a result was known:
[changes.csv](../notebooks/book/report/changes.csv) lists them. [claims.csv](claims.csv) has every column,
[the gallery](README.md) the pictures.
"""


def page(rows: DataFrame, paper_scale: DataFrame | None = None) -> str:
    """The whole ledger as a Markdown page: headlines, counts, then a table for each paper.

    The measured numbers of `paper_scale` are beside quick's. Where all claims are there, each paper has a
    paragraph to quote.
    """
    known = registry.load()
    whole = set(known.claims) <= set(rows["id"])
    quoted = paragraphs(Facts(rows)) if whole else {}
    there: dict[str, str] = {}
    turned = ""
    if paper_scale is not None:
        there = {row.id: ours(row) for row in paper_scale.itertuples()}
        turned = otherwise(rows, paper_scale)
    rows = rows.assign(there=[there.get(name, "") for name in rows["id"]])
    lines = [HEAD]
    if first := headlines(rows):
        lines += ["## Headlines\n", first]
    if len(rows):
        lines += ["## Counts\n", f"{sentence(rows)}\n", counts(rows)]
    if turned:
        lines.append(f"{turned}\n")
    for paper, own in rows.groupby("paper", sort=False):
        lines.append(f"## {papers.title_of(paper)}\n")
        if paper in quoted:
            lines.append(f"{quoted[str(paper)]}\n")
        if paper in known.readings:
            name, why = known.readings[str(paper)]
            lines.append(f"*Read as*: {name}. {why}\n")
        lines += [f"{sentence(own)}\n", table(counted(own))]
        apart = own[own["kind"] != ""]
        if len(apart):
            shown = table(apart, ["sentence", "ours (95 %)", "verdict", "id"])
            lines += ["Not counted: no run could fail these, or they are ours.\n", shown]
    return "\n".join(filter(None, lines))


def counted(rows: DataFrame) -> DataFrame:
    """The rows of sentences that count: the paper's own, which a run can hold or refute."""
    return rows[rows["kind"] == ""]


def sentence(rows: DataFrame) -> str:
    """How many sentences there are and what became of them.

    >>> sentence(pd.DataFrame({"verdict": ["fails", "holds", "holds", "holds"], "kind": ["", "", "", "own"]}))
    '3 sentences: 2 hold, 1 fails; 1 more not counted.'
    """
    own = counted(rows)
    apart = len(rows) - len(own)
    if own.empty:
        return f"{_number(apart)}, not counted."
    number_of = own["verdict"].value_counts()
    each = []
    for verdict in VERDICTS:
        if number := number_of.get(verdict, 0):
            became = SINGULAR if number == 1 else PLURAL
            each.append(f"{number} {became[verdict]}")
    more = f"; {apart} more not counted" if apart else ""
    return f"{_number(len(own))}: {', '.join(each)}{more}."


def _number(sentences: int) -> str:
    return f"{sentences} sentence" if sentences == 1 else f"{sentences} sentences"


def otherwise(rows: DataFrame, paper_scale: DataFrame) -> str:
    """Which sentences the runs at the papers' own scale decide otherwise, in words; "" without any.

    >>> here = pd.DataFrame({"id": ["mch.a", "mch.b"], "verdict": ["depends", "holds"]})
    >>> otherwise(here, here.assign(verdict=["fails", "undecided"]))
    "At the papers' own scale `mch.a` fails (here depends)."
    """
    there = paper_scale.set_index("id")["verdict"]
    each = []
    for row in rows.itertuples():
        verdict = there.get(row.id, UNDECIDED)
        if verdict not in (UNDECIDED, row.verdict):
            each.append(f"`{row.id}` {verdict} (here {row.verdict})")
    if not each:
        return ""
    return f"At the papers' own scale {', '.join(each)}."


def counts(rows: DataFrame) -> str:
    """A table of papers by verdicts and by what became of printed numbers, with links to their tables."""
    own = counted(rows)
    lines = []
    for paper, of_paper in own.groupby("paper", sort=False):
        title = papers.title_of(paper)
        line = {"paper": f"[{title}](#{title.lower()})", "sentences": len(of_paper)}
        for verdict in VERDICTS:
            line[verdict] = int((of_paper["verdict"] == verdict).sum())
        for what in NUMBERS[:-1]:
            line[what] = int((of_paper["number"] == what).sum())
        lines.append(line)
    table = pd.DataFrame(lines)
    total = table.drop(columns="paper").sum().to_frame().T.assign(paper="all")
    return markdown(pd.concat([table, total])[list(table.columns)])


def headlines(rows: DataFrame) -> str:
    """The headline rows among these: sentence, paper, printed, ours, verdict, cause."""
    known = registry.load().claims
    chosen = [name for name, claim in known.items() if claim.headline]
    shown = rows[rows["id"].isin(chosen)]
    if shown.empty:
        return ""
    return table(shown, ["sentence", "paper", "printed", "ours (95 %)", "verdict", "cause"])


def table(rows: DataFrame, columns: Sequence[str] = COLUMNS) -> str:
    """These columns of some rows as a Markdown table; those that would be empty are left out."""
    lines = []
    for row in rows.itertuples():
        line = {
            "sentence": row.sentence,
            "paper": papers.title_of(row.paper),
            "where": row.where.replace("Sections ", "§").replace("Section ", "§"),
            "printed": row.printed,
            "ours (95 %)": in_unit(row),
            "at paper scale": getattr(row, "there", ""),
            "verdict": verdict(row),
            "cause": why(row),
            "id": f"`{row.id.partition('.')[2]}`",
        }
        lines.append(line)
    shown = pd.DataFrame(lines)[list(columns)]
    return markdown(shown.loc[:, (shown != "").any()])


def in_unit(row: Any) -> str:
    """The measured value with its unit; "" where nothing was measured."""
    found = ours(row)
    return f"{found} {row.unit}".strip() if found else ""


def ours(row: Any) -> str:
    """The measured value with its interval."""
    if row.low == row.high:
        return number(row.measured)
    return measurement(row.measured, row.low, row.high)


def verdict(row: Any) -> str:
    """The sentence's verdict, and its number's."""
    return f"{row.verdict}; {row.number}" if row.number in NUMBERS[:-1] else row.verdict


def why(row: Any) -> str:
    """Where along a column it holds, or what turns the verdict, and the cause."""
    return "; ".join(filter(None, (row.window or row.turns, row.cause)))


def card(rows: DataFrame) -> str:
    """The verdicts of some sentences, as a chapter says them: one sentence, and where each of them stands."""
    names = rows["paper"].unique()
    place = f"#{papers.title_of(names[0]).lower()}" if len(names) == 1 else ""
    return f"{sentence(rows)} [Each with its number and cause](../figures/CLAIMS.md{place})."


def texts_folder() -> Path:
    """The folder of the prose by hand: the report, and a paragraph on each paper."""
    root = paths.checkout() or paths.PACKAGE
    return root / "notebooks" / "book" / "report"


class Facts:
    """The questions that prose may ask of the ledger. `doubts` collects the verdicts that it states and the ledger does not."""

    def __init__(self, rows: DataFrame):
        self.rows = rows.set_index("id", drop=False)
        self.claims = counted(self.rows)
        self.doubts: list[str] = []

    def row(self, claim: str) -> pd.Series:
        """The ledger's row of a claim, with its `verdict`, `window`, `printed`; ValueError for an unknown claim."""
        if claim not in self.rows.index:
            raise ValueError(f"the ledger has no claim {claim!r}")
        return self.rows.loc[claim]

    def value(self, claim: str, digits: int = 3) -> str:
        """The measured mean, rounded."""
        mean = self.row(claim).measured
        return f"{mean:.{digits}g}"

    def measured(self, claim: str) -> str:
        """The measured mean with its interval, as the ledger's page has it."""
        return ours(self.row(claim))

    def is_so(self, verdict: str, *claims: str) -> str:
        """Nothing to read: the sentence before says that these claims have this verdict."""
        for claim in claims:
            found = self.row(claim).verdict
            if found != verdict:
                self.doubts.append(f"{claim}: {found}, and the prose says {verdict}")
        return ""

    def count(self, *verdicts: str, paper: str | None = None) -> int:
        """How many claims have one of these verdicts; all that count, when none is named."""
        rows = self.claims
        if paper is not None:
            rows = rows[rows["paper"] == paper]
        if verdicts:
            rows = rows[rows["verdict"].isin(verdicts)]
        return len(rows)


def paragraphs(facts: Facts) -> dict[str, str]:
    """A paragraph to quote on each paper that has one, its numbers from the ledger."""
    with paths.extra("book"):
        import jinja2

    environment = jinja2.Environment(undefined=jinja2.StrictUndefined)
    texts = {}
    for paper in registry.load().readings:
        file = texts_folder() / f"{paper}.md"
        if file.exists():
            template = environment.from_string(file.read_text(encoding="utf-8"))
            texts[paper] = template.render(the=facts, papers=papers)
    return texts
