"""The book as a website and as slides: all of it is there, what it cites exists, links lead somewhere, pictures have words."""

import base64
import json
import re

import pytest
import yaml

import api
import build
import chapters
import check
import citations
import slides
from links import LINK
from schedlib import paths
from schedlib.pictures import style
from schedlib.reproduce import notebooks

ROOT = paths.checkout()
OWN = ROOT / "notebooks" / "book"
ENTRIES = citations.read(OWN / "references.bib")
LISTED = build.toc_files(yaml.safe_load((OWN / "_toc.yml").read_text()))
BOOK = {name: file for name, file in notebooks.book().items() if re.match(r"(solutions/)?\d\d-", name)}
PNG = base64.b64decode("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==")
PUBLIC = """\
Workload traces.alibaba2018 traces.google2011_jobs traces.google2011_tasks traces.read_hawk traces.write_hawk traces.read_swim
lotes.MachineConfigs lotes.JobClasses lotes.google2011 lotes.cluster_jobs lotes.allocate lotes.non_dominated_bins lotes.plan lotes.simulate
lotes.Policy
hmhs.Instance hmhs.single hmhs.hybrid hmhs.from_trace hmhs.priority hmhs.schedule hmhs.lower_bound hmhs.optimum hmhs.Policy hmhs.rule
mch.Tree mch.allocate mch.flatten mch.simulate mch.rule eagle.simulate eagle.Eagle eagle.Hawk eagle.System reproduce.run reproduce.claims
theory.erlang_c theory.pollaczek_khinchine theory.little style.subplots"""


def prose(file):
    return "\n".join("".join(cell["source"]) for cell in json.loads(file.read_text())["cells"] if cell["cell_type"] == "markdown")


def test_contents_list_every_chapter_and_solution_once_and_in_order():
    wanted = [f"notebooks/{name}" for name in BOOK]
    assert sorted(wanted) == sorted(name for name in LISTED if name in wanted)
    numbers = [re.search(r"notebooks/(\d\d)-", name).group(1) for name in LISTED if re.match(r"notebooks/\d\d-", name)]
    assert numbers == sorted(numbers)


def test_contents_leave_out_what_is_not_there():
    toc = {"root": "index", "parts": [{"chapters": [{"file": "a"}, {"file": "b", "sections": [{"file": "c"}]}]}, {"chapters": [{"file": "d"}]}]}
    kept, missing = build.present(toc, {"index", "b", "c"}.__contains__)
    assert build.toc_files(kept) == ["index", "b", "c"] and missing == ["a", "d"]


@pytest.mark.parametrize("name", BOOK)
def test_every_source_of_a_chapter_is_in_the_bibliography(name):
    known = citations.title_keys(ENTRIES)
    missing = [title for title in citations.titles_in(citations.sources_of(prose(BOOK[name]))) if citations.letters(title) not in known]
    assert not missing, "add them to notebooks/book/references.bib"


def test_every_citation_key_exists_and_every_entry_is_cited():
    pages = [citations.cited(prose(file), ENTRIES) for file in BOOK.values()] + [file.read_text() for file in OWN.glob("*.md")]
    keys = {key for text in pages for found in re.findall(r"\{cite:\w+\}`([^`]+)`", text) for key in found.split(",")}
    assert keys <= set(ENTRIES)
    if all(name.removeprefix("notebooks/") in BOOK for name in LISTED if re.match(r"notebooks/(solutions/)?\d\d-", name)):
        assert keys == set(ENTRIES), "every entry is cited once all chapters are there"
    assert all("title" in entry and "author" in entry for entry in ENTRIES.values())


def test_a_mention_is_cited_where_author_and_year_agree():
    entries = {"x2011": {"author": "Ghodsi, Ali and Zaharia, Matei", "title": "Dominant {DRF}", "year": "2011"}}
    assert citations.cited("As Ghodsi et al. 2011 say.", entries) == "As Ghodsi et al. 2011 {cite:p}`x2011` say."
    assert citations.cited("As Ghodsi et al. 2012 say.", entries) == "As Ghodsi et al. 2012 say."
    assert citations.cited("*Dominant DRF*\n\n## Sources\n\nG: *Dominant\nDRF*.", entries).count("x2011") == 1


@pytest.fixture(scope="module")
def staged(tmp_path_factory):
    folder = tmp_path_factory.mktemp("book")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(build, "mathjax", lambda *_: None)
        build.stage(ROOT, folder)
    return folder


def test_every_picture_of_the_staged_book_has_words(staged):
    for file in staged.rglob("*.ipynb"):
        for cell in json.loads(file.read_text())["cells"]:
            for output in cell.get("outputs", []):
                assert chapters.WIDGET not in output.get("data", {})
                if "image/png" in output.get("data", {}):
                    assert output["metadata"]["image/png"]["alt"].strip()
    for file in [*staged.rglob("*.md"), *staged.rglob("*.ipynb")]:
        text = prose(file) if file.suffix == ".ipynb" else file.read_text()
        assert not re.findall(r"!\[\s*\]\(", text)
        for block in re.findall(r"````\{figure\}.*?````", text, re.DOTALL):
            assert re.search(r"^:alt: \S", block, re.MULTILINE)


def test_every_link_of_the_staged_book_leads_to_a_staged_file(staged):
    anchors = {found for file in staged.rglob("*.md") for found in re.findall(r"^\(([\w-]+)\)=$", file.read_text(), re.MULTILINE)}
    for file in [*staged.glob("notebooks/**/*.ipynb"), *staged.glob("figures/*.md"), *staged.glob("data/*.md"), staged / "index.md"]:
        for _, _, target in LINK.findall(prose(file) if file.suffix == ".ipynb" else file.read_text()):
            path, _, anchor = target.partition("#")
            if not re.match(r"[a-z]+:", target):
                assert not path or (file.parent / path).is_file(), f"{file.name}: {target}"
                assert not anchor.startswith("gallery-") or anchor in anchors


@pytest.mark.parametrize("name", PUBLIC.split())
def test_public_names_are_in_the_reference_with_their_signature(staged, name):
    package = "workload" if name == "Workload" else name.partition(".")[0]
    assert re.search(rf"^:+\{{py:(function|class)\}} {re.escape(name)}\(", (staged / "api" / f"{package}.md").read_text(), re.MULTILINE)


def test_the_reference_keeps_examples_and_shows_short_types():
    text = api.page("mch")
    assert "mch.allocate(tree: mch.Tree, capacity: npt.ArrayLike, rule: str | mch.Rule, divisible: bool = True)" in text
    assert "```pycon\n>>> from schedlib import mch" in text


@pytest.mark.parametrize(
    "body, wrong",
    [
        ('<a href="b.html#here">b</a><img src="p.png" alt="a p">', None),
        ('<a href="https://example.org/x">out</a>', None),
        ('<a href="c.html">c</a>', "dead link"),
        ('<a href="b.html#there">b</a>', "no such place"),
        ('<img src="p.png" alt=" ">', "no alt text"),
        ('<img src="p.png" alt="p.png">', "no alt text"),
        ('<img src="q.png" alt="q">', "dead link"),
        ('<script src="https://cdn.example.org/x.js"></script>', "loads from the web"),
        ('<a href="http://no spaces.org">x</a>', "malformed"),
        ('<a href="../secret.html">x</a>', "leads out of the book"),
    ],
)
def test_the_check_finds_what_is_wrong(tmp_path, body, wrong):
    (tmp_path / "secret.html").write_text("secret")
    site = tmp_path / "site"
    site.mkdir()
    (site / "a.html").write_text(body)
    (site / "b.html").write_text('<p id="here">b</p>')
    (site / "p.png").write_bytes(PNG)
    found = check.problems(site)
    assert (not found) if wrong is None else (len(found) == 1 and wrong in found[0])


def test_slides_give_heading_first_words_and_pictures():
    png = {"image/png": base64.b64encode(PNG).decode()}
    figure = {"output_type": "display_data", "data": png, "metadata": {"image/png": {"alt": "Waits fall."}}}
    caption = {"output_type": "display_data", "data": {"text/markdown": "*Waits against load.*"}, "metadata": {}}
    cells = [
        {"cell_type": "markdown", "source": "# Waits\n\n**After this chapter** you can wait.\n\n**The paper.** Long."},
        {"cell_type": "markdown", "source": "## By hand\n\n" + "It pays to know what the load is before anything else. Then more. And more."},
        {"cell_type": "code", "source": "picture()", "outputs": [figure, caption]},
        {"cell_type": "markdown", "source": "## Sources\n\nA book."},
    ]
    lecture = slides.Lecture({"cells": cells}, lambda png: "p.png")
    page = lecture.page()
    assert page.count("<section") == 2 and "you can wait" in page and "The paper" not in page and "A book" not in page
    assert '<img src="p.png" alt="Waits fall.">' in page and "<figcaption>Waits against load.</figcaption>" in page
    assert "anything else. Then more." in page and "And more" not in page


def test_figures_are_parted_when_they_do_not_fit_one_slide():
    pieces = [slides.Piece("A", "text", "- x", 0.3), *[slides.Piece("A", "figure", "f", 0.5)] * 2, slides.Piece("B", "text", "- y", 0.1)]
    assert [len(parcel) for parcel in slides.parcelled(pieces)] == [2, 1, 1]


def test_a_chart_says_what_it_shows():
    figure, (left, right) = style.subplots(1, 2)
    left.plot([1, 2, 4], [8.0, 4.0, 2.0], label="FIFO")
    left.set(xlabel="machines", ylabel="wait (s)", title="One")
    right.bar(["a", "b"], [1, 2], label="jobs")
    right.set(ylabel="jobs")
    said = style.describe(figure)
    assert said.startswith("One: chart of wait (s) against machines from 1 to 4: FIFO from 8 to 2. Chart of jobs against a, b")
    assert figure._repr_mimebundle_()[1]["image/png"]["alt"] == said
    figure.alt = "my words"
    assert figure._repr_mimebundle_()[1]["image/png"]["alt"] == "my words"


def built():
    folder = ROOT / "build" / "book"
    if not (folder / "index.html").exists():
        pytest.skip("no book has been built here: make book")
    return folder


def test_the_built_book_is_sound():
    assert check.problems(built()) == []


def test_looks_and_pins_are_shipped():
    for name in ("style/book.css", "slides/slides.css", "slides/slides.js"):
        assert (OWN / name).is_file()
    pinned = (OWN / "requirements.txt").read_text()
    assert all(re.search(rf"^{name}==[\d.post]+ .*\n +--hash=", pinned, re.MULTILINE) for name in ("jupyter-book", "sphinx-mathjax-offline"))
