"""The report's numbers come from the ledger, at both scales: none is typed, and a wrong name stops it."""

import html
import re
import shutil

import jinja2
import pytest

import report
from schedlib.experiment import VERDICTS
from schedlib.reproduce import ledger, prose, publish
from schedlib.reproduce import report as cards

SOURCE = prose.folder() / "report.md"
PARAGRAPHS = sorted(file for file in prose.folder().glob("*.md") if file != SOURCE)


@pytest.fixture(scope="module")
def both_scales(tmp_path_factory):
    """A folder of figures with quick's ledger and one at paper scale, where two verdicts and a reading's are others."""
    quick = ledger.read(report.FIGURES)
    paper = quick.assign(scale="paper").astype({"measured": float})
    paper.loc[paper["id"] == "mch.fig5-half", ["measured", "verdict"]] = [2.1, "in part"]
    paper.loc[paper["id"] == "hmhs.best", "verdict"] = "reproduced"
    paper.loc[paper["reading"] == "of leaves, weight 1 once k' is full (two-phase)", "verdict"] = (
        "in part"
    )
    folder = tmp_path_factory.mktemp("figures")
    ledger.write(quick, folder)
    ledger.write(paper, folder / publish.PAPER_SCALE)
    return folder


@pytest.fixture
def other_scale(both_scales, tmp_path):
    """A copy of that folder, to be changed."""
    return shutil.copytree(both_scales, tmp_path / "figures")


@pytest.mark.parametrize("file", [SOURCE, *PARAGRAPHS], ids=lambda file: file.stem)
def test_no_number_is_typed_into_the_prose(file):
    words = re.sub(r"{{.*?}}|{%.*?%}|<[^>]+>", "", file.read_text(), flags=re.DOTALL)
    assert not re.findall(r"\d+", words)
    assert not re.findall(r"\d+", " ".join(prose.sentences().values()))


def test_what_the_prose_says_of_verdicts_the_ledger_says():
    facts = report.Facts()
    assert (
        set(prose.paragraphs(facts))
        == {file.stem for file in PARAGRAPHS}
        == set(facts.rows["paper"])
    )
    assert facts.doubts == []
    facts.is_so("reproduced", "hmhs.johnson", "hmhs.fifo-most")
    assert facts.doubts == ["hmhs.fifo-most : not reproduced, and the prose says reproduced"]


def test_each_verdict_that_changes_with_scale_has_its_sentence_and_no_other():
    quick, paper = ledger.read(report.FIGURES), ledger.read(report.FIGURES / publish.PAPER_SCALE)
    assert set(prose.sentences()) == set(cards.changes(quick, paper)["id"])
    assert set(paper["id"]) <= set(quick["id"])  # a claim may wait for its run at the papers' scale


def test_the_claims_page_shows_both_verdicts_where_both_are_there(other_scale):
    page = (other_scale / "CLAIMS.md").read_text()
    table = page[page.index("## What changes") : page.index("## LoTES")]
    assert re.findall(r"`([\w.-]+)` \|$", table, re.M) == [
        "hmhs.best",
        "hmhs.best",
        "mch.fig5-half",
    ]
    assert (
        "| – V per machine | not reproduced: -0.689" in table
        and "V per job and machine" not in table
    )
    (row,) = re.findall(r"^\| With two levels .*`fig5-half` \|$", page, re.M)
    assert "| 3.22 (2.90 to 3.55) |" in row and "| **in part**: 2.10 (2.90 to 3.55) |" in row
    assert page.count("**To quote.**") == len(PARAGRAPHS)
    (other_scale / publish.PAPER_SCALE / "claims.csv").unlink()
    ledger.write(ledger.read(other_scale), other_scale)
    alone = (other_scale / "CLAIMS.md").read_text()
    assert "scale" not in alone[: alone.index("## LoTES")] and "To quote" not in alone


def test_the_report_says_of_both_scales_which_is_which(other_scale):
    for name in (
        "provenance.json",
        *{
            name.partition(".")[0]
            for name in re.findall(r'the.figure\("(.+?)"\)', SOURCE.read_text())
        },
    ):
        (other_scale / name).symlink_to(report.FIGURES / name)
    page, pictures = report.page(other_scale), len(re.findall(r"{{ the.figure", SOURCE.read_text()))
    assert (
        "the papers' own sizes were run once" in html.unescape(page)
        and page.count("<figure>") == pictures
    )
    assert "<h3>What changes with scale</h3>" in page
    assert page.count("<strong>in part</strong>: 2.10 (2.90 to 3.55)") == 1


def test_each_change_names_a_claim_and_the_last_tolerance_is_the_ledger_s():
    changes, rows = report.changes(), ledger.read(report.FIGURES)
    present = rows[rows["reading"] == ""].set_index("id")
    last = changes.groupby("id")["kind"].last()
    assert set(last[~last.index.isin(present.index)]) <= {"joined", "dropped"}
    assert set(changes["before"]) | set(changes["after"]) <= {"", *VERDICTS}
    tolerances = changes[changes["kind"] == "tolerance"]
    for name, own in tolerances.groupby("id"):
        assert own["from"].tolist()[1:] == own["to"].tolist()[:-1]
        assert float(own["to"].iloc[-1]) == present["tolerance"][name]
    assert {"hmhs.fifo-most", "eagle.stolen-google", "mch.complexity-mch"} <= set(tolerances["id"])


def test_the_report_lists_every_change():
    page = html.unescape(report.page())
    appendix = page[page.index("what changed after") : page.index("every claim</h2>")]
    assert all(name in appendix for name in report.changes()["id"])
    assert "hmhs.fifo-most (reproduced → not reproduced)" in appendix


def test_each_picture_is_numbered_and_inside():
    page = report.page()
    pictures = re.findall(r'<img src="data:image/svg\+xml;base64,[\w+/=]+" alt="[^"]+"', page)
    assert len(pictures) == len(re.findall(r"{{ the.figure", SOURCE.read_text())) >= 8
    assert [int(number) for number in re.findall(r"<figcaption>Figure (\d+)", page)] == list(
        range(1, len(pictures) + 1)
    )


def test_a_wrong_name_is_refused():
    with pytest.raises(
        ValueError,
        match="no line 'V per moon' of claim 'hmhs.best'; it has '', 'V per job and machine'",
    ):
        report.Facts().measured("hmhs.best", "V per moon")
    with pytest.raises(ValueError, match="no such claim"):
        report.Facts().value("hmhs.bets")
    with pytest.raises(jinja2.UndefinedError):
        jinja2.Environment(undefined=jinja2.StrictUndefined).from_string("{{ the.moon() }}").render(
            the=report.Facts()
        )
