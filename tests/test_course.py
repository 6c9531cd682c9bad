"""The copies for a course: students' without solutions, and it runs; instructors' with all of them in place."""

import json
import re

import pytest

import course
from schedlib.reproduce import notebooks

CHECK = "exercises.check("
BOOK = {name: file for name, file in notebooks.book().items() if "/" not in name}
SOLUTIONS = {name: file for name, file in notebooks.book().items() if name.startswith("solutions/")}


def sources(file, kind="code"):
    return ["".join(cell["source"]) for cell in json.loads(file.read_text(encoding="utf-8"))["cells"] if cell["cell_type"] == kind]


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    return course.course(tmp_path_factory.mktemp("course"))


def test_students_get_every_chapter_and_no_solution(made):
    student = made["student"]
    assert not list(student.rglob("solutions")) and not (student / "tests").exists()
    assert {file.stem for file in (student / "notebooks").glob("*.ipynb")} == set(BOOK)
    for name, file in BOOK.items():
        assert sources(student / "notebooks" / file.name) == sources(file), f"{name}: code that students do not have, or only they"
    told = "\n".join(text for file in (student / "notebooks").rglob("*.ipynb") for text in sources(file))
    long = [text for file in SOLUTIONS.values() for text in sources(file)[1:] if len(text) > 100]
    assert not [text for text in long if text in told]
    for name in BOOK:
        for text in sources(student / "notebooks" / f"{name}.ipynb"):
            assert CHECK not in text or "answer = ...\n" in text


def test_no_link_of_the_students_copy_leads_nowhere(made):
    pages = [*made["student"].glob("*.md"), *(made["student"] / "notebooks").glob("*.ipynb")]
    for page in pages:
        text = "\n".join(sources(page, "markdown")) if page.suffix == ".ipynb" else page.read_text(encoding="utf-8")
        assert "solutions/" not in text
        for target in re.findall(r"\]\(([^)#\s]+)", text):
            assert target.startswith("http") or (page.parent / target).exists(), f"{page.name}: {target}"


def test_students_copy_runs(made):
    notebooks.executed(made["student"] / "notebooks" / "00-start-here.ipynb")


def test_instructors_get_each_solution_in_its_place(made):
    for name, file in BOOK.items():
        cells = sources(made["instructor"] / "notebooks" / file.name)
        assert not [text for text in cells if "answer = ...\n" in text]
        assert sum(CHECK in text for text in cells) == sum(CHECK in text for text in sources(file)), name
        ids = [cell["id"] for cell in json.loads((made["instructor"] / "notebooks" / file.name).read_text())["cells"]]
        assert len(ids) == len(set(ids))
    assert (made["instructor"] / "notebooks" / "solutions").is_dir() and (made["instructor"] / "tests").is_dir()


def test_instructors_copy_runs_and_is_right(made):
    book = json.loads(notebooks.executed(made["instructor"] / "notebooks" / "00-start-here.ipynb"))
    said = [cell["outputs"] for cell in book["cells"] if cell["cell_type"] == "code" and CHECK in "".join(cell["source"])]
    assert said and all("Right" in json.dumps(outputs) for outputs in said)


def test_an_answer_left_in_a_chapter_does_not_reach_students():
    source = 'answer = 50\nexercises.check("01-waiting", 1, answer)'
    cell = {"cell_type": "code", "source": source, "outputs": [1], "execution_count": 3}
    book = course.emptied({"cells": [cell, {"cell_type": "markdown", "source": "Solutions: [here](solutions/01-waiting.ipynb)."}]})
    assert "50" not in json.dumps(book) and book["cells"][0]["outputs"] == [] and "](" not in book["cells"][1]["source"]


def test_a_solution_that_is_missing_is_named():
    cell = {"cell_type": "code", "source": 'answer = ...\nexercises.check("01-waiting", 2, answer)'}
    with pytest.raises(ValueError, match="01-waiting: no section '## 2"):
        course.filled({"cells": [cell], "metadata": {}}, {"cells": [], "metadata": {}}, "01-waiting")


def test_a_folder_with_something_else_is_left_alone(tmp_path):
    (tmp_path / "student").mkdir()
    (tmp_path / "student" / "thesis.txt").write_text("do not touch")
    with pytest.raises(ValueError, match="holds something else"):
        course.course(tmp_path)
    assert (tmp_path / "student" / "thesis.txt").read_text() == "do not touch"
