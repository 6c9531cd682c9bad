"""The report's numbers come from the ledger: none is typed, and a wrong name stops it. The pages are short."""

import html
import re

import pytest

from book import report
from refusals import refuses
from reproduce import ledger
from reproduce.verdicts import VERDICTS

SOURCE = report.SOURCE / "report.md"
PARAGRAPHS = sorted(file for file in report.SOURCE.glob("*.md") if file != SOURCE)
OLD_VERDICTS = (
    *("reproduced", "in part", "not reproduced", "by construction", "not testable here"),
    "depends",
)


@pytest.mark.parametrize("file", [SOURCE, *PARAGRAPHS], ids=lambda file: file.stem)
def test_no_number_is_typed_into_the_prose(file):
    prose_alone = re.sub(r"{{.*?}}|{%.*?%}|<[^>]+>", "", file.read_text(), flags=re.DOTALL)
    assert not re.findall(r"\d+", prose_alone)


def test_what_the_prose_says_of_verdicts_the_ledger_says():
    facts = report.Facts()
    named = {file.stem for file in PARAGRAPHS}
    assert set(report.paragraphs(facts)) == named == set(facts.rows["paper"])
    assert report.page() and facts.doubts == []
    facts.is_so("fails", "hmhs.johnson")
    assert facts.doubts == ["hmhs.johnson: holds, and the prose says fails"]


def test_the_claims_page_begins_with_twelve_headlines_has_each_sentence_once_and_is_short():
    page = (report.FIGURES / "CLAIMS.md").read_text()
    headlines = re.findall(r"^\| `(\w+)\.", page[: page.index("One line is")], re.M)
    assert {paper: headlines.count(paper) for paper in headlines} == dict.fromkeys(headlines, 3)
    names = re.findall(r"^\| `(.+?)` ", page, re.M)
    assert len(headlines) == 12 and len(set(names)) == len(names) > 190
    assert len(page.split()) <= 6000


def test_the_gallery_is_short():
    assert len((report.FIGURES / "README.md").read_text().split()) <= 12_000


def test_each_change_names_a_claim():
    changes, rows = report.changes(), ledger.read(report.FIGURES)
    last = changes.groupby("id")["kind"].last()
    assert set(last[~last.index.isin(rows["id"])]) <= {"joined", "dropped"}
    assert set(changes["before"]) | set(changes["after"]) <= {"", *OLD_VERDICTS, *VERDICTS}
    assert {"hmhs.fifo-most", "eagle.stolen-google", "mch.complexity-mch"} <= set(changes["id"])


def test_each_picture_is_numbered_and_inside():
    page = report.page()
    pictures = re.findall(r'<img src="data:image/svg\+xml;base64,[\w+/=]+" alt="[^"]+"', page)
    assert len(pictures) == len(re.findall(r"{{ the.figure", SOURCE.read_text())) >= 4
    numbered = [int(number) for number in re.findall(r"<figcaption>Figure (\d+)", page)]
    assert numbered == list(range(1, len(pictures) + 1))
    assert "What changed on the way" in html.unescape(page)


def test_a_wrong_name_is_refused():
    refuses("the ledger has no claim 'hmhs.bets'", report.Facts().value, "hmhs.bets")
