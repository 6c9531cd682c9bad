"""The book as it is committed: run top to bottom, short, sound, and still running."""

import itertools
import json
import re

import pytest

import lab
from book import course, exercises
from notebook_cells import dead_links, sources
from reproduce import notebooks
from schedlib import paths

CHAPTERS = {
    name: file for name, file in notebooks.book().items() if not name.startswith("reproduce/")
}
BOOK = [name for name in CHAPTERS if "/" not in name]
IN_JUPYTERLAB = "test_runs_without_complaint_and_every_control_answers"
MOST_CELLS, LONGEST_CELL, WIDEST_CELL = 25, 25, 77
HEAD = re.compile(
    r"# [^\n]+\n\n\*\*After this chapter\*\* you can .+?\n\n\*\*Prerequisites\*\*: .+?"
    r"\s\*\*Time\*\*: (?P<reading>\d+) minutes to read, (?P<exercises>\d+) for the exercises?\.\n\n"
    r"\*\*Before / after\*\*: (?P<around>.+?)(\n\n|\Z)",
    re.S,
)
CHECK = re.compile(r'^exercises\.check\("([^"]+)", answer\)$', re.M)
STATEMENT = re.compile(r"(\d)\. \*(Warm-up|Code|Research)\.\* .+", re.S)


def checks(cells):
    """The checks in a notebook: the exercise's id, the cell's source, and the check's answer."""
    found = []
    for cell in cells:
        source = "".join(cell["source"])
        if match := CHECK.search(source):
            said = cell["outputs"][-1]["data"]["text/plain"]
            found.append((match[1], source, "".join(said)))
    return found


def head(name):
    match = HEAD.match(sources(CHAPTERS[name], "markdown")[0])
    assert match, f"{name}: the first cell is not a head; see HEAD in this test"
    return match


@pytest.mark.parametrize("name", CHAPTERS)
def test_committed_as_run_from_top_to_bottom(name):
    cells = lab.code_of(CHAPTERS[name])
    assert [cell["execution_count"] for cell in cells] == list(range(1, len(cells) + 1))
    outputs = [output for cell in cells for output in cell["outputs"]]
    for output in outputs:
        assert output["output_type"] != "error" and output.get("name") != "stderr"
    assert not re.search(r"(?<![\w.])/(home|root|tmp|usr|Users|work)/", json.dumps(outputs)), (
        "a folder of the machine it ran on"
    )


@pytest.mark.parametrize("name", CHAPTERS)
def test_code_is_short_enough_for_a_lecture_and_a_chapters_fits_the_page(name):
    hidden = {"hide-input", "remove-input"}
    number = 0
    for cell in lab.code_of(CHAPTERS[name]):
        lines = "".join(cell["source"]).splitlines()
        assert name not in BOOK or max(map(len, lines)) <= WIDEST_CELL
        if not hidden & set(cell["metadata"].get("tags", [])):
            number += 1
            assert len(lines) <= LONGEST_CELL
    assert number <= MOST_CELLS


@pytest.mark.parametrize("name", BOOK)
def test_what_is_folded_on_the_site_is_folded_in_jupyterlab(name):
    for cell in lab.code_of(CHAPTERS[name]):
        folded = "hide-input" in cell["metadata"].get("tags", [])
        assert folded == cell["metadata"].get("jupyter", {}).get("source_hidden", False)


@pytest.mark.parametrize("name", CHAPTERS)
def test_explorers_show_a_picture_on_a_static_page_and_every_picture_has_words(name):
    for cell in lab.code_of(CHAPTERS[name]):
        for output in cell["outputs"]:
            if "application/vnd.jupyter.widget-view+json" in output.get("data", {}):
                assert output["data"]["image/png"]
            if "image/png" in output.get("data", {}):
                assert output["metadata"]["image/png"]["alt"].strip()


def test_every_exercise_stands_in_one_chapter_and_in_its_solutions():
    asked, solved = {}, {}
    for name in BOOK:
        asked[name] = [key for key, *_ in checks(lab.code_of(CHAPTERS[name]))]
        solved[name] = [key for key, *_ in checks(lab.code_of(CHAPTERS[f"solutions/{name}"]))]
    assert asked == solved
    assert sorted(itertools.chain(*asked.values())) == sorted(exercises.listed())


@pytest.mark.parametrize("name", BOOK)
def test_head_says_what_for_how_long_and_where_next(name):
    found = head(name)
    at = BOOK.index(name)
    around = [f"{other}.ipynb" for other in (*BOOK[max(at - 1, 0) : at], *BOOK[at + 1 : at + 2])]
    linked = re.findall(r"\]\(([^)]+)", found["around"])
    # the last may lead back
    assert linked[: len(around)] == around and set(linked[len(around) :]) <= {"00-start-here.ipynb"}
    chapter = json.loads(CHAPTERS[name].read_text(encoding="utf-8"))
    assert (int(found["reading"]), int(found["exercises"])) == course.minutes(chapter)


@pytest.mark.parametrize("name", BOOK)
def test_the_code_behind_a_chapter_is_named_at_its_end(name):
    *before, last = sources(CHAPTERS[name], "markdown")
    (code,) = re.findall(r"^\*\*Code\*\*: (.+)\Z", last, re.M)
    assert not [text for text in before if "**Code**" in text]
    links = re.findall(r"\]\(([^)]+)", code)
    assert links and all(link.startswith(("../schedlib/", "book/")) for link in links)


def test_table_of_contents_lists_every_chapter_with_its_minutes():
    page = "\n".join(sources(CHAPTERS["00-start-here"], "markdown"))
    found = re.findall(r"\]\(([^)/]+)\.ipynb\) \|.*\| (\d+) \| (\d+) \|", page)
    listed = {file: (reading, solving) for file, reading, solving in found}
    assert listed == {name: head(name).group("reading", "exercises") for name in BOOK[1:]}


@pytest.mark.parametrize("name", [name for name in BOOK if "01" <= name[:2] <= "08"])
def test_model_shows_its_part_of_the_one_notation_table(name):
    code = "\n".join(sources(CHAPTERS[name], "code"))
    shown = re.findall(r'notation\.table\("\w+", chapter="?(\w+)"?\)', code)
    assert set(shown) == {name.partition("-")[0].lstrip("0")}
    text = "\n".join(sources(CHAPTERS[name], "markdown"))
    assert "| paper |" not in text, "a second table of symbols"


@pytest.mark.parametrize("name", BOOK)
def test_exercises_are_graded_and_each_statement_stands_above_its_empty_cell(name):
    grades = []
    cells = json.loads(CHAPTERS[name].read_text(encoding="utf-8"))["cells"]
    for above, cell in itertools.pairwise(cells):
        if CHECK.search("".join(cell["source"])):
            grades.append(STATEMENT.fullmatch("".join(above["source"])).groups())
    numbers, kinds = zip(*grades, strict=True)
    assert [*map(int, numbers)] == [*range(1, 1 + len(grades))] and kinds[0] == "Warm-up"
    if name != "00-start-here":
        assert 3 <= len(grades) <= 5 and kinds[-1] == "Research"


@pytest.mark.parametrize("name", BOOK)
def test_empty_cells_say_what_an_answer_looks_like(name):
    for _, source, said in checks(lab.code_of(CHAPTERS[name])):
        assert "answer = ...\n" in source and said.startswith("Your turn: give ")


def accepted(cells):
    assert all(said.startswith("Right: ") for *_, said in checks(cells))


@pytest.mark.parametrize("name", BOOK)
def test_solutions_are_accepted(name):
    accepted(lab.code_of(CHAPTERS[f"solutions/{name}"]))


RUNS = [
    pytest.param(name, marks=[pytest.mark.in_jupyterlab] if lab.explorers_in(file) else [])
    for name, file in CHAPTERS.items()
    if name != "00-start-here"  # test_course runs the students' copy, whose code is the same
]


@pytest.mark.parametrize("name", RUNS)
def test_still_runs(name, request):
    if lab.CHROMIUM and f"{IN_JUPYTERLAB}[{name}]" in {item.name for item in request.session.items}:
        pytest.skip("JupyterLab runs it, and looks at its verdicts too")
    text = notebooks.executed(CHAPTERS[name])
    if name.startswith("solutions/"):
        accepted([cell for cell in json.loads(text)["cells"] if cell["cell_type"] == "code"])


def test_links_between_files_lead_somewhere():
    pages = [
        paths.checkout() / name
        for name in ("README.md", "data/README.md", "figures/README.md", "figures/CLAIMS.md")
    ]
    for page in [*pages, *notebooks.book().values()]:
        assert dead_links(page) == [], page.name
