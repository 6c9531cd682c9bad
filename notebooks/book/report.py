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
from schedlib.reproduce import ledger, prose, publish, tables
from schedlib.reproduce import report as cards

ROOT = paths.checkout() or Path()
SOURCE, FIGURES = prose.folder(), ROOT / "figures"


class Facts(prose.Facts):
    """What the prose may ask: verdicts and numbers, at paper scale where that has been run, and quick's pictures."""

    def __init__(self, figures: Path = FIGURES):
        super().__init__(ledger.read(figures), ledger.read(figures / publish.PAPER_SCALE))
        self.pictures = figures
        self.numbered: list[str] = []

    def lines(self) -> int:
        """How many claims and readings are judged in all."""
        return len(self.rows)

    def exhibits(self) -> int:
        """How many figures and tables there are."""
        return len(publish.provenance(self.pictures))

    def counts(self) -> str:
        """Papers by verdicts."""
        return cards.counts(self.rows).replace("](#", "](#claims-")

    def figure(self, name: str) -> str:
        """A numbered picture with its caption."""
        self.numbered.append(name)
        paper, _, rest = name.partition(".")
        told = publish.provenance(self.pictures)[name]
        inside = base64.b64encode((self.pictures / paper / f"{rest}.svg").read_bytes()).decode()
        caption = (
            f"Figure {len(self.numbered)} (<code>{name}</code>). {html.escape(told['caption'])}"
        )
        picture = f'<img src="data:image/svg+xml;base64,{inside}" alt="{html.escape(told["alt"])}">'
        return f"<figure>{picture}<figcaption>{caption}</figcaption></figure>"

    def table(self, paper: str) -> str:
        """Every claim of a paper that counts in a row: what was printed, what was measured, the verdict at each scale."""
        rows = self.claims[
            (self.claims["paper"] == paper) & (self.claims["verdict"] != cards.CONSTRUCTED)
        ]
        units = rows["unit"].where((rows["unit"] != "1") & rows["measured"].notna(), "")
        means = rows[["measured", "ci95"]].apply(lambda row: cards.measured(*row), axis=1)
        table = pd.DataFrame(
            {
                "claim": rows["claim"],
                "where": rows["where"],
                "printed": rows["paper_value"].astype(float).map(tables.number),
                "measured (95 %)": means + " " + units,
                "verdict": rows["verdict"],
            }
        )
        if self.both:
            table["at paper scale"] = [
                text if "**" in text else "" for text in cards.other_verdicts(rows, self.large)
            ]
        return tables.markdown(table)

    def history(self) -> str:
        """What changed after a result was known, a row a change: its claims, and the verdicts where they changed too."""
        rows = changes()
        rows.loc[rows["kind"] == "joined", "to"] = "a reading of another claim"
        verdicts = (rows["before"] + " → " + rows["after"]).str.strip()
        rows["claims"] = rows["id"].where(
            rows["before"] == rows["after"], rows["id"] + " (" + verdicts + ")"
        )
        one_change = ["kind", "from", "to", "date", "commit"]
        table = rows.groupby(one_change, sort=False)["claims"].agg(", ".join).reset_index()
        return tables.markdown(table[["claims", *one_change]])

    def turned(self) -> str:
        """How often a claim's verdict changed with the claim, and of how many times: once a claim and commit."""
        rows = changes()
        own = rows[rows["kind"] != "joined"].drop_duplicates(["commit", "id"])
        both = own[(own["before"] != "") & (own["after"] != "")]
        other = (both["before"] != both["after"]).sum()
        return f"{other} of {len(both)}"

    def minutes(self) -> str:
        """How long `make figures` takes from nothing."""
        return f"{json.loads((FIGURES / 'times.json').read_text())['figures'] / 60:.0f} minutes"


def changes() -> pd.DataFrame:
    """Every change of a tolerance, reading, definition and so on after a result was known, by date: a row a claim.

    Columns: `date`, `commit`, `id`, `kind`, `from`, `to`, and the verdicts `before` and `after`.
    """
    return pd.read_csv(SOURCE / "changes.csv", dtype=str, keep_default_na=False)


def page(figures: Path = FIGURES) -> str:
    """The report as one HTML page."""
    source = jinja2.Environment(undefined=jinja2.StrictUndefined, trim_blocks=True).from_string(
        (SOURCE / "report.md").read_text()
    )
    facts = Facts(figures)
    text = source.render(
        the=facts, papers=papers, version=__version__, paragraphs=prose.paragraphs(facts)
    )
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
