"""The ledger at two scales: what hand-written prose asks of it, and why verdicts change with scale."""

import tomllib
from pathlib import Path

import pandas as pd

from schedlib import papers, paths
from schedlib.reproduce import report
from schedlib.reproduce.tables import number


def folder() -> Path:
    """The folder of the prose by hand: a paragraph on each paper, and why verdicts change with scale."""
    return (paths.checkout() or paths.PACKAGE) / "notebooks" / "book" / "report"


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
        rows = self.rows[self.rows["id"] == claim]
        found = rows[rows["reading"] == reading]
        if len(found) != 1:
            known = ", ".join(map(repr, rows["reading"])) or "no such claim"
            raise ValueError(
                f"the ledger has no line {reading!r} of claim {claim!r}; it has {known}"
            )
        return found.iloc[0]

    def value(self, claim: str, reading: str = "", digits: int = 3) -> str:
        """The measured mean, rounded."""
        return f"{float(self._row(claim, reading)['measured']):.{digits}g}"

    def measured(self, claim: str, reading: str = "") -> str:
        """The measured mean with its interval, as the ledger's page has it."""
        row = self._row(claim, reading)
        return report.measured(row["measured"], row["ci95"])

    def verdict(self, claim: str, reading: str = "") -> str:
        """The verdict on a claim, in the ledger's words."""
        return str(self._row(claim, reading)["verdict"])

    def printed(self, claim: str) -> str:
        """The value that the paper prints."""
        return number(float(self._row(claim)["paper_value"]))

    def is_so(self, verdict: str, *claims: str, reading: str = "") -> str:
        """Nothing to read: the sentence before says that these claims have this verdict."""
        for claim in claims:
            found = self.verdict(claim, reading)
            if found != verdict:
                self.doubts.append(f"{claim} {reading}: {found}, and the prose says {verdict}")
        return ""

    def count(self, *verdicts: str, paper: str | None = None) -> int:
        """How many claims have one of these verdicts; all that count, when none is named."""
        found = of_paper(self.claims, paper)["verdict"]
        if verdicts:
            return int(found.isin(verdicts).sum())
        return int((found != report.CONSTRUCTED).sum())

    def seeds(self, paper: str | None = None) -> str:
        """The fewest and the most seeds behind a line that has an interval."""
        rows = of_paper(self.rows, paper)
        counts = pd.to_numeric(rows["seeds"], errors="coerce")
        counts = counts[rows["ci95"] != ""].dropna()
        least, most = f"{counts.min():.0f}", f"{counts.max():.0f}"
        return least if least == most else f"{least} to {most}"

    def undecided(self, paper: str) -> int:
        """How many lines of a paper still leave a doubt when the budget of seeds is spent."""
        reasons = of_paper(self.rows, paper)["reason"]
        return int(reasons.str.contains("the budget of").sum())

    def changed(self, paper: str | None = None) -> int:
        """How many claims have another verdict at the papers' own scale than at quick's; 0 with one scale."""
        changes = report.changes(self.rows, self.large, paper)
        return len(report.of_claims(changes))


def of_paper(rows: pd.DataFrame, paper: str | None) -> pd.DataFrame:
    """The rows of one paper, or all of them."""
    return rows if paper is None else rows[rows["paper"] == paper]


def sentences() -> dict[str, str]:
    """Why a claim's verdict changes with scale, by its id."""
    file = folder() / "scale.toml"
    return tomllib.loads(file.read_text(encoding="utf-8")) if file.exists() else {}


def paragraphs(facts: Facts) -> dict[str, str]:
    """A paragraph to quote on each paper that has one, its numbers from the ledger."""
    with paths.extra("book"):
        import jinja2

    room = jinja2.Environment(undefined=jinja2.StrictUndefined)
    texts = {}
    for paper in facts.rows["paper"].unique():
        file = folder() / f"{paper}.md"
        if file.exists():
            text = room.from_string(file.read_text(encoding="utf-8"))
            texts[paper] = text.render(the=facts, papers=papers)
    return texts


def page(quick: pd.DataFrame, paper: pd.DataFrame) -> str:
    """`CLAIMS.md`: the report cards; where `paper` has rows, with both verdicts and the paragraphs."""
    if paper.empty:
        return report.page(quick)
    return report.page(quick, paper, paragraphs(Facts(quick, paper)), sentences())
