"""`make report`: the papers' claims and what became of them, as a paper in HTML and PDF.

The prose of `report/report.md` is written by hand; every number in it comes from the ledger, by Jinja. WeasyPrint makes the pages.
"""

import base64
import html
import json
import sys
from pathlib import Path

import jinja2
import mistune
import pandas as pd

from reproduce import ledger, publish, registry, tables
from reproduce import report as cards
from schedlib import __version__, paths
from schedlib.plots import papers

ROOT = paths.checkout() or Path()
SOURCE, FIGURES = ROOT / "notebooks" / "book" / "report", ROOT / "figures"
PAGE = """<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Five papers on data-centre scheduling, run again</title>
<style>{style}</style></head><body>{body}</body></html>"""


class Facts:
    """The questions that prose may ask of the quick run's ledger and of its pictures. `doubts` collects the verdicts that
    it states and the ledger does not."""

    def __init__(self, figures: Path = FIGURES):
        rows = ledger.read(figures)
        self.rows = rows.set_index("id", drop=False)
        self.claims = cards.counted(self.rows)
        self.doubts: list[str] = []
        self.pictures = figures
        self.numbered: list[str] = []

    def row(self, claim: str) -> pd.Series:
        """The ledger's row of a claim, with its `verdict`, `window`, `printed`; ValueError for an unknown claim."""
        if claim not in self.rows.index:
            raise ValueError(f"the ledger has no claim {claim!r}")
        return self.rows.loc[claim]

    def value(self, claim: str, digits: int = 3) -> str:
        """The measured mean, rounded."""
        mean = self.row(claim).measured
        return f"{mean:.{digits}g}"

    def measured(self, claim: str, of: str = "") -> str:
        """The measured mean with its interval, as the ledger's page has it; `of` the "world_" in the paper's world."""
        return cards.ours(self.row(claim), of)

    def is_so(self, verdict: str, *claims: str, by: str = "verdict") -> str:
        """Nothing to read: the sentence before says that these claims have this verdict (`by`: "together" in the
        paper's world)."""
        for claim in claims:
            found = self.row(claim)[by]
            if found != verdict:
                self.doubts.append(f"{claim}: {found}, and the prose says {verdict}")
        return ""

    def count(self, *verdicts: object, paper: str | None = None, by: str = "verdict") -> int:
        """How many claims have one of these verdicts (`by`: "together", or "never" with True); all that count, when
        none is named."""
        rows = self.claims
        if paper is not None:
            rows = rows[rows["paper"] == paper]
        if verdicts:
            rows = rows[rows[by].isin(verdicts)]
        return len(rows)

    def exhibits(self) -> int:
        """How many figures and tables there are."""
        return len(publish.provenance(self.pictures))

    def counts(self) -> str:
        """Papers by verdicts."""
        return cards.counts(self.rows)

    def headlines(self) -> str:
        """The twelve headline rows."""
        return cards.headlines(self.rows)

    def figure(self, name: str) -> str:
        """A numbered picture with its caption."""
        self.numbered.append(name)
        paper, _, rest = name.partition(".")
        record = publish.provenance(self.pictures)[name]
        inside = base64.b64encode((self.pictures / paper / f"{rest}.svg").read_bytes()).decode()
        words, alt = html.escape(record["caption"]), html.escape(record["alt"])
        caption = f"Figure {len(self.numbered)} (<code>{name}</code>). {words}"
        picture = f'<img src="data:image/svg+xml;base64,{inside}" alt="{alt}">'
        return f"<figure>{picture}<figcaption>{caption}</figcaption></figure>"

    def history(self) -> str:
        """Changes after a result was known: a row for each kind of change in a commit."""
        rows = changes()
        rows["turned"] = turned_in(rows)
        groups = rows.groupby(["date", "commit", "kind"], sort=False)
        columns = {
            "claims": ("id", "nunique"),
            "to, for example": ("to", "first"),
            "verdicts that turned": ("turned", "sum"),
        }
        return tables.markdown(groups.agg(**columns).reset_index())

    def turned(self) -> str:
        """How often a claim's verdict changed with the claim, and of how many times: once a claim and commit."""
        rows = changes()
        claims = rows[rows["kind"] != "joined"].drop_duplicates(["commit", "id"])
        both = claims[(claims["before"] != "") & (claims["after"] != "")]
        return f"{turned_in(both).sum()} of {len(both)}"

    def minutes(self) -> str:
        """How long `make figures` takes from nothing."""
        return f"{json.loads((FIGURES / 'times.json').read_text())['figures'] / 60:.0f} minutes"


RENAMED = {
    "reproduced": "holds",
    "by construction": "holds",
    "not reproduced": "fails",
    "not testable here": "not testable",
}
"""The words for verdicts before the ledger's present form."""


def changes() -> pd.DataFrame:
    """Every change of a tolerance, reading, definition and so on after a result was known, by date: a row a claim.

    Columns: `date`, `commit`, `id`, `kind`, `from`, `to`, and the verdicts `before` and `after`.
    """
    return pd.read_csv(SOURCE / "changes.csv", dtype=str, keep_default_na=False)


def turned_in(rows: pd.DataFrame) -> pd.Series:
    """Whether each of these changes has a verdict before and after, and another one after, whatever the words."""
    both = (rows["before"] != "") & (rows["after"] != "")
    return both & (rows["before"].replace(RENAMED) != rows["after"].replace(RENAMED))


def paragraphs(facts: Facts) -> dict[str, str]:
    """A paragraph to quote on each paper that has one, its numbers from the ledger."""
    environment = jinja2.Environment(undefined=jinja2.StrictUndefined)
    texts = {}
    for paper in registry.load().readings:
        file = SOURCE / f"{paper}.md"
        if file.exists():
            template = environment.from_string(file.read_text(encoding="utf-8"))
            texts[paper] = template.render(the=facts, papers=papers)
    return texts


def page(figures: Path = FIGURES) -> str:
    """The report as one HTML page. Raises ValueError where the prose says of a verdict what the ledger does not."""
    environment = jinja2.Environment(undefined=jinja2.StrictUndefined, trim_blocks=True)
    prose = environment.from_string((SOURCE / "report.md").read_text())
    facts = Facts(figures)
    text = prose.render(the=facts, papers=papers, version=__version__, paragraphs=paragraphs(facts))
    if facts.doubts:
        raise ValueError("; ".join(facts.doubts))
    style = (SOURCE / "report.css").read_text()
    body = mistune.create_markdown(escape=False, plugins=["table"])(text)
    return PAGE.format(style=style, body=body)


def write(out: Path) -> None:
    """Write report.html and report.pdf into a folder."""
    from weasyprint import HTML

    out.mkdir(parents=True, exist_ok=True)
    text = page()
    document = HTML(string=text, base_url=str(ROOT)).render()
    document.write_pdf(out / "report.pdf")
    (out / "report.html").write_text(text)
    print(f"{out / 'report.pdf'}: {len(document.pages)} pages; {out / 'report.html'}")


if __name__ == "__main__":
    write(Path(*sys.argv[1:]) if sys.argv[1:] else ROOT / "build")
