"""The ledger at two scales: what hand-written prose asks of it, and why verdicts change with scale."""

import tomllib
from pathlib import Path

import pandas as pd

from schedlib import papers, paths
from schedlib.reproduce import report
from schedlib.reproduce.tables import number


def folder() -> Path:
    """The folder of the prose by hand: a paragraph on each paper, and why verdicts change with scale."""
    root = paths.checkout() or paths.PACKAGE
    return root / "notebooks" / "book" / "report"


class Facts:
    """What prose may ask of the ledger: of quick's, which has intervals, and what differs in the run at the
    papers' own scale, where there is one.

    `doubts` collects what the prose says of a verdict and the ledger does not.
    """

    def __init__(self, quick: pd.DataFrame, paper: pd.DataFrame | None = None):
        self.rows = quick
        self.both = paper is not None and not paper.empty
        self.large = paper if self.both else quick
        self.claims = report.of_claims(self.rows)
        self.doubts: list[str] = []

    def _row(self, claim: str, reading: str = "") -> pd.Series:
        of_claim = self.rows["id"] == claim
        rows = self.rows[of_claim]
        found = rows[rows["reading"] == reading]
        if len(found) != 1:
            readings = map(repr, rows["reading"])
            known = ", ".join(readings) or "no such claim"
            raise ValueError(
                f"the ledger has no line {reading!r} of claim {claim!r}; it has {known}"
            )
        return found.iloc[0]

    def value(self, claim: str, reading: str = "", digits: int = 3) -> str:
        """The measured mean, rounded."""
        row = self._row(claim, reading)
        mean = float(row["measured"])
        return f"{mean:.{digits}g}"

    def measured(self, claim: str, reading: str = "") -> str:
        """The measured mean with its interval, as the ledger's page has it."""
        row = self._row(claim, reading)
        mean = row["measured"]
        return report.measured(mean, row["ci95"])

    def verdict(self, claim: str, reading: str = "") -> str:
        """The verdict on a claim, in the ledger's words."""
        row = self._row(claim, reading)
        return str(row["verdict"])

    def printed(self, claim: str) -> str:
        """The value that the paper prints."""
        row = self._row(claim)
        value = row["paper_value"]
        return number(float(value))

    def is_so(self, verdict: str, *claims: str, reading: str = "") -> str:
        """Nothing to read: the sentence before says that these claims have this verdict."""
        for claim in claims:
            found = self.verdict(claim, reading)
            if found != verdict:
                line = f"{claim} {reading}"
                self.doubts.append(f"{line}: {found}, and the prose says {verdict}")
        return ""

    def count(self, *verdicts: str, paper: str | None = None) -> int:
        """How many claims have one of these verdicts; all that count, when none is named."""
        found = of_paper(self.claims, paper)["verdict"]
        counted = found != report.CONSTRUCTED
        if verdicts:
            counted = found.isin(verdicts)
        return int(counted.sum())

    def seeds(self, paper: str | None = None) -> str:
        """The fewest and the most seeds behind a line that has an interval."""
        rows = of_paper(self.rows, paper)
        rows = rows[rows["ci95"] != ""]
        counts = pd.to_numeric(rows["seeds"], errors="coerce")
        least = f"{counts.min():.0f}"
        most = f"{counts.max():.0f}"
        return least if least == most else f"{least} to {most}"

    def undecided(self, paper: str) -> int:
        """How many lines of a paper still leave a doubt when the budget of seeds is spent."""
        reasons = of_paper(self.rows, paper)["reason"]
        spent = reasons.str.contains("the budget of")
        return int(spent.sum())

    def changed(self, paper: str | None = None) -> int:
        """How many claims have another verdict at the papers' own scale than at quick's; 0 with one scale."""
        lines = report.changes(self.rows, self.large, paper)
        claims = report.of_claims(lines)
        return len(claims)


def of_paper(rows: pd.DataFrame, paper: str | None) -> pd.DataFrame:
    """The rows of one paper, or all of them."""
    if paper is None:
        return rows
    return rows[rows["paper"] == paper]


def sentences() -> dict[str, str]:
    """Why a claim's verdict changes with scale, by its id."""
    file = folder() / "scale.toml"
    if not file.exists():
        return {}
    text = file.read_text(encoding="utf-8")
    return tomllib.loads(text)


def paragraphs(facts: Facts) -> dict[str, str]:
    """A paragraph to quote on each paper that has one, its numbers from the ledger."""
    with paths.extra("book"):
        import jinja2

    room = jinja2.Environment(undefined=jinja2.StrictUndefined)
    texts = {}
    for paper in facts.rows["paper"].unique():
        file = folder() / f"{paper}.md"
        if file.exists():
            text = file.read_text(encoding="utf-8")
            template = room.from_string(text)
            texts[paper] = template.render(the=facts, papers=papers)
    return texts


def page(quick: pd.DataFrame, paper: pd.DataFrame) -> str:
    """`CLAIMS.md`: the report cards; where `paper` has rows, with both verdicts and the paragraphs."""
    if paper.empty:
        return report.page(quick)
    facts = Facts(quick, paper)
    return report.page(
        quick,
        paper,
        paragraphs(facts),
        sentences(),
    )
