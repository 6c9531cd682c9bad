"""The ledger as hand-written prose asks it: numbers and verdicts by the name of a claim."""

from pathlib import Path

import pandas as pd
from pandas import DataFrame

from reproduce import registry, report
from schedlib import paths
from schedlib.plots import papers


def folder() -> Path:
    """The folder of the prose by hand: the report, and a paragraph on each paper."""
    root = paths.checkout() or paths.PACKAGE
    return root / "notebooks" / "book" / "report"


class Facts:
    """What prose may ask of the ledger. `doubts` collects the verdicts that it states and the ledger does not."""

    def __init__(self, rows: DataFrame):
        self.rows = rows.set_index("id", drop=False)
        self.claims = report.counted(self.rows)
        self.doubts: list[str] = []

    def row(self, claim: str) -> pd.Series:
        """The ledger's row of a claim, with its `verdict`, `window`, `printed`; ValueError when there is none."""
        if claim not in self.rows.index:
            raise ValueError(f"the ledger has no claim {claim!r}")
        return self.rows.loc[claim]

    def value(self, claim: str, digits: int = 3) -> str:
        """The measured mean, rounded."""
        mean = self.row(claim).measured
        return f"{mean:.{digits}g}"

    def measured(self, claim: str) -> str:
        """The measured mean with its interval, as the ledger's page has it."""
        return report.ours(self.row(claim))

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

    room = jinja2.Environment(undefined=jinja2.StrictUndefined)
    texts = {}
    for paper in registry.load().readings:
        file = folder() / f"{paper}.md"
        if file.exists():
            template = room.from_string(file.read_text(encoding="utf-8"))
            texts[paper] = template.render(the=facts, papers=papers)
    return texts


def page(quick: DataFrame, paper: DataFrame) -> str:
    """`CLAIMS.md`: the headlines, a table for each paper, and where all claims are there what to quote."""
    whole = set(registry.load().claims) <= set(quick["id"])
    texts = paragraphs(Facts(quick)) if whole else {}
    return report.page(quick, paper, texts)
