"""The report's numbers come from the ledger: none is typed, and a wrong name stops it."""

import re

import jinja2
import pytest

import report
from schedlib import paths

SOURCE = paths.checkout() / "notebooks" / "book" / "report" / "report.md"


def test_no_number_is_typed_into_the_prose():
    prose = re.sub(r"{{.*?}}|{%.*?%}|<[^>]+>", "", SOURCE.read_text(), flags=re.DOTALL)
    assert not re.findall(r"\d+", prose)


def test_each_picture_is_numbered_and_inside():
    page = report.page()
    pictures = re.findall(r'<img src="data:image/svg\+xml;base64,[\w+/=]+" alt="[^"]+"', page)
    assert len(pictures) == len(re.findall(r"{{ the.figure", SOURCE.read_text())) >= 8
    assert [int(number) for number in re.findall(r"<figcaption>Figure (\d+)", page)] == list(range(1, len(pictures) + 1))


def test_what_the_prose_says_is_the_ledgers(tmp_path):
    """Another ledger gives another text."""
    (tmp_path / "claims.csv").write_bytes((report.FIGURES / "claims.csv").read_bytes())
    facts, changed = report.Facts(), report.Facts(tmp_path)
    assert changed.count() == facts.count() == facts.count("reproduced", "in part", "not reproduced", "not testable here")
    changed.rows.loc[changed.rows["id"] == "lotes.pooled", "measured"] = 79
    assert (facts.value("lotes.pooled"), changed.value("lotes.pooled")) == ("80", "79")


def test_a_wrong_name_is_refused():
    with pytest.raises(ValueError, match="no line 'V per moon' of claim 'hmhs.best'; it has '', 'V per job and machine'"):
        report.Facts().measured("hmhs.best", "V per moon")
    with pytest.raises(ValueError, match="no such claim"):
        report.Facts().value("hmhs.bets")
    with pytest.raises(jinja2.UndefinedError):
        jinja2.Environment(undefined=jinja2.StrictUndefined).from_string("{{ the.moon() }}").render(the=report.Facts())
