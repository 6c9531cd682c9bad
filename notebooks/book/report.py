"""`make report`: what became of the papers' claims, as a paper of its own, in HTML and PDF.

The prose of `report/report.md` is written by hand; every number in it is asked of the ledger, by Jinja. WeasyPrint makes the pages.
"""

import base64
import html
import json
import sys
from pathlib import Path

import jinja2
import mistune
import pandas as pd

from schedlib import __version__, papers, paths
from schedlib.reproduce import ledger, publish, registry, tables
from schedlib.reproduce import report as cards

ROOT = paths.checkout() or Path()
SOURCE, FIGURES = ROOT / "notebooks" / "book" / "report", ROOT / "figures"
PAPER_SCALE = FIGURES / "paper-scale"


class Facts:
    """What the prose may ask: verdicts, numbers and pictures, at paper scale where that has been run."""

    def __init__(self, figures: Path = FIGURES):
        self.folder = PAPER_SCALE if (PAPER_SCALE / "claims.csv").exists() and figures == FIGURES else figures
        self.rows = ledger.read(self.folder)
        self.claims = cards.of_claims(self.rows)
        self.pictures = figures
        self.numbered: list[str] = []

    def _row(self, claim: str, reading: str = ""):
        found = self.rows[(self.rows["id"] == claim) & (self.rows["reading"] == reading)]
        if len(found) != 1:
            known = ", ".join(repr(name) for name in self.rows.loc[self.rows["id"] == claim, "reading"])
            raise ValueError(f"report: the ledger has no line {reading!r} of claim {claim!r}; it has {known or 'no such claim'}")
        return found.iloc[0]

    def value(self, claim: str, reading: str = "", digits: int = 3) -> str:
        """The measured mean, rounded."""
        return f"{float(self._row(claim, reading)['measured']):.{digits}g}"

    def measured(self, claim: str, reading: str = "") -> str:
        """The measured mean with its interval, as the ledger's page has it."""
        row = self._row(claim, reading)
        return cards.measured(row["measured"], row["ci95"])

    def verdict(self, claim: str, reading: str = "") -> str:
        """The verdict on a claim, in the ledger's words."""
        return str(self._row(claim, reading)["verdict"])

    def count(self, *verdicts: str, paper: str | None = None) -> int:
        """How many claims have one of these verdicts; all that count, when none is named."""
        rows = self.claims if paper is None else self.claims[self.claims["paper"] == paper]
        return int(rows["verdict"].isin(verdicts).sum() if verdicts else (rows["verdict"] != cards.CONSTRUCTED).sum())

    def lines(self) -> int:
        """How many claims and readings are judged in all."""
        return len(self.rows)

    def exhibits(self) -> int:
        """How many figures and tables there are."""
        return len(registry.load().figures)

    def findings(self, paper: str) -> str:
        """What can be counted from a paper's rows, as a list."""
        return "\n".join(f"- {text}" for text in cards.findings(self.rows[self.rows["paper"] == paper]))

    def counts(self) -> str:
        """Papers by verdicts."""
        return cards.counts(self.rows).replace("](#", "](#claims-")

    def figure(self, name: str) -> str:
        """A numbered picture with its caption."""
        self.numbered.append(name)
        paper, _, rest = name.partition(".")
        told = publish.provenance(self.pictures)[name]
        inside = base64.b64encode((self.pictures / paper / f"{rest}.svg").read_bytes()).decode()
        caption = f"Figure {len(self.numbered)} (<code>{name}</code>). {html.escape(told['caption'])}"
        picture = f'<img src="data:image/svg+xml;base64,{inside}" alt="{html.escape(told["alt"])}">'
        return f"<figure>{picture}<figcaption>{caption}</figcaption></figure>"

    def table(self, paper: str) -> str:
        """Every claim of a paper that counts in a row: what was printed, what was measured, the verdict."""
        rows = self.claims[(self.claims["paper"] == paper) & (self.claims["verdict"] != cards.CONSTRUCTED)]
        units = rows["unit"].where((rows["unit"] != "1") & rows["measured"].notna(), "")
        means = rows[["measured", "ci95"]].apply(lambda row: cards.measured(*row), axis=1)
        return tables.markdown(pd.DataFrame({
            "claim": rows["claim"], "where": rows["where"], "printed": rows["paper_value"].astype(float).map(tables.number),
            "measured (95 %)": means + " " + units, "verdict": rows["verdict"]}))

    def scale(self) -> str:
        """At which scale the ledger was made."""
        return ", ".join(filter(None, self.claims["scale"].unique()))

    def seeds(self) -> str:
        """The fewest and the most seeds behind a claim that has an interval."""
        seeds = pd.to_numeric(self.claims.loc[self.claims["ci95"] != "", "seeds"], errors="coerce").dropna()
        return f"{seeds.min():.0f} to {seeds.max():.0f}"

    def minutes(self) -> str:
        """How long `make figures` takes from nothing."""
        return f"{json.loads((FIGURES / 'times.json').read_text())['figures'] / 60:.0f} minutes"


def page(figures: Path = FIGURES) -> str:
    """The report as one HTML page."""
    source = jinja2.Environment(undefined=jinja2.StrictUndefined, trim_blocks=True).from_string((SOURCE / "report.md").read_text())
    text = source.render(the=Facts(figures), papers=papers, version=__version__)
    style = (SOURCE / "report.css").read_text()
    body = mistune.create_markdown(escape=False, plugins=["table"])(text)
    return f'<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Five papers on data-centre scheduling, run again</title><style>{style}</style></head><body>{body}</body></html>'


def write(out: Path) -> None:
    """Write report.html and report.pdf into a folder."""
    from weasyprint import HTML

    out.mkdir(parents=True, exist_ok=True)
    made = page()
    document = HTML(string=made, base_url=str(ROOT)).render()
    document.write_pdf(out / "report.pdf")
    (out / "report.html").write_text(made)
    print(f"{out / 'report.pdf'}: {len(document.pages)} pages; {out / 'report.html'}")


if __name__ == "__main__":
    write(Path(*sys.argv[1:]) if sys.argv[1:] else ROOT / "build")
