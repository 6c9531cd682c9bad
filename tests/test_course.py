"""The copies for a course: students' without solutions, and it runs; instructors' with all of them in place."""

import itertools
import json
import os
import re

import numpy as np
import pytest

from book import course, exam, exercises
from notebook_cells import dead_links, sources, words
from refusals import refuses
from reproduce import notebooks
from schedlib import lotes, paths, theory
from schedlib.hmhs.johnson import flow_shop_makespan

CHECK = "exercises.check("
BOOK = {name: file for name, file in notebooks.book().items() if "/" not in name}


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    return course.course(tmp_path_factory.mktemp("course"))


def test_students_get_every_chapter_and_no_solution(made):
    student = made["student"]
    assert not list(student.rglob("solutions")) and not (student / "tests").exists()
    teachers = {"exam", "assignments", "course"}
    assert not [file.name for file in student.rglob("*.py") if file.stem in teachers]
    assert "course" not in (student / "Makefile").read_text(encoding="utf-8")
    contents = (student / "notebooks/book/_toc.yml").read_text(encoding="utf-8")
    assert "solutions" not in contents
    assert {file.stem for file in (student / "notebooks").glob("*.ipynb")} == set(BOOK)
    for name, file in BOOK.items():
        assert sources(student / "notebooks" / file.name) == sources(file), (
            f"{name}: code that students do not have, or only they"
        )
    for place in ("README.md", "notebooks/00-start-here.ipynb"):
        text = (student / place).read_text(encoding="utf-8")
        assert "You teach" not in text and "You do research" in text, place
        assert "You teach" in (made["instructor"] / place).read_text(encoding="utf-8")


MARKED = {
    "README.md": "You teach",
    "Makefile": "course:",
    "notebooks/book/_toc.yml": "caption: Solutions",
    "notebooks/00-start-here.ipynb": "[Solutions]",
}


@pytest.mark.parametrize("name, heading", MARKED.items())
def test_a_renamed_heading_stays_out_of_the_students_copy(name, heading):
    file = paths.checkout() / name
    written = words(file)
    renamed = written.replace(heading, "Another heading")
    assert renamed != written
    assert course.without_teachers(renamed) == course.without_teachers(written)
    assert "Another heading" not in course.without_teachers(renamed)


@pytest.mark.parametrize("mark", ["<!-- teachers -->", "<!-- /teachers -->"])
def test_a_mark_without_its_other_end_is_refused(mark):
    written = words(paths.checkout() / "README.md")
    refuses("must take turns", course.without_teachers, written.replace(mark, "", 1))


def test_no_link_of_a_copy_leads_nowhere(made):
    for copy, place in made.items():
        for page in [*place.glob("*.md"), *(place / "notebooks").glob("*.ipynb")]:
            assert copy == "instructor" or "solutions/" not in words(page)
            assert dead_links(page) == [], f"{copy}: {page.name}"


def test_students_copy_runs_by_itself(made, monkeypatch):
    student = made["student"]
    monkeypatch.setenv("PYTHONPATH", f"{student}{os.pathsep}{student / 'notebooks'}")
    notebooks.executed(student / "notebooks/00-start-here.ipynb")


def test_instructors_get_each_solution_in_its_place(made):
    for name, file in BOOK.items():
        cells = sources(made["instructor"] / "notebooks" / file.name)
        assert not [text for text in cells if "answer = ...\n" in text]
        asked = [text for text in sources(file) if CHECK in text]
        assert sum(CHECK in text for text in cells) == len(asked), name
    for place in ("notebooks/solutions", "tests"):
        assert (made["instructor"] / place).is_dir()


def test_an_answer_left_in_a_chapter_does_not_reach_students():
    source = 'answer = 50\nexercises.check("waiting.help_desk", answer)'
    cell = {"cell_type": "code", "source": source, "outputs": [1], "execution_count": 3}
    link = {"cell_type": "markdown", "source": "Ask. <!-- teachers -->Solved.<!-- /teachers -->"}
    code, prose = course.emptied({"cells": [cell, link]})["cells"]
    assert "50" not in json.dumps(code) and code["outputs"] == [] and prose["source"] == "Ask. "


def test_a_folder_with_something_else_is_left_alone(tmp_path):
    (tmp_path / "student").mkdir()
    (tmp_path / "student/thesis.txt").write_text("do not touch")
    refuses("holds something else", course.course, tmp_path)
    assert (tmp_path / "student/thesis.txt").read_text() == "do not touch"


def test_the_syllabus_has_twelve_weeks_and_names_exercises_that_exist(made):
    page = (made["student"] / "SYLLABUS.md").read_text(encoding="utf-8")
    assert set(map(int, re.findall(r"^\| (\d+) \|", page, re.M))) == set(range(1, len(BOOK)))
    assert re.findall(r"\]\(notebooks/([^)]+)\.ipynb\)", page) == sorted(BOOK)
    named = re.findall(r"`([a-z_]+\.[a-z_]+)`", page)
    assert len(named) == len(BOOK) and set(named) <= set(exercises.listed())
    rows = re.findall(r"^\| \d+ \| .* \| (\d+) \| \d+ \| `.*` \| \d+ \| \d+ \|$", page, re.M)
    assert len(rows) == len(BOOK) and {"1", "2"} == set(rows)
    assert "measured" not in page.lower()


def test_an_examination_has_the_exercises_kinds_and_new_numbers_with_each_seed(made):
    assert (
        exam.exam(3) == exam.exam(3)
        and len({question.asked for seed in range(5) for question in exam.exam(seed)}) > 30
    )
    kinds = {question.kind for question in exam.exam(3)}
    assert kinds <= set(exercises.listed())
    for name, file in BOOK.items():
        asked = re.findall(r'exercises\.check\("([^"]+)"', "\n".join(sources(file)))
        assert name.startswith("00") or kinds & set(asked), name
    asked, solved = (
        (made["instructor"] / "exam" / name).read_text(encoding="utf-8") for name in exam.pages(1)
    )
    assert (
        "Solution" not in asked
        and solved.count("*Solution*") == len(exam.KINDS)
        and not list(made["student"].rglob("exam/*.md"))
    )


@pytest.mark.parametrize("seed", range(3))
def test_an_examinations_answers_are_to_what_it_asks(seed):
    found = {question.kind: question for question in exam.exam(seed)}
    came, served, *_ = map(float, re.findall(r"\d+\.?\d*", found["waiting.help_desk"].asked))
    waits = [60 * theory.mmc_mean_wait(came, served, clerks) for clerks in (1, 2)]
    assert found["waiting.help_desk"].answer == pytest.approx(waits)
    cores, memory, *_ = map(int, re.findall(r"\d+", found["bins.bins_by_hand"].asked))
    bins = lotes.non_dominated_bins([cores, memory], [[3, 1], [1, 3]])
    assert set(found["bins.bins_by_hand"].answer) == {str(tuple(row)) for row in bins.tolist()}
    jobs = re.findall(r"\((\d+), (\d+)\)", found["hmhs.order_by_hand"].asked)
    shop = np.array(jobs, int).T
    ends = found["one_trace.four_views"].answer, found["eagle.toy"].answer
    assert ends[0][1:] == (2, 5, 5) and ends[1][1] < ends[1][0]
    orders = itertools.permutations(range(5))
    least = min(flow_shop_makespan(*shop, list(order)) for order in orders)
    assert found["hmhs.order_by_hand"].answer[1] == least


QUESTION = ["BEGIN QUESTION", "BEGIN SOLUTION", "END SOLUTION", "BEGIN TESTS", "END TESTS", "END QUESTION"]  # fmt: skip


def test_assignments_are_in_otters_format_and_students_would_see_no_solution(made):
    for name, file in BOOK.items():
        page = made["instructor"] / "assignments" / file.name
        asked = sum(CHECK in text for text in sources(file))
        raw = [text.splitlines()[0] for text in sources(page, "raw")]
        assert raw == ["# ASSIGNMENT CONFIG", *(f"# {mark}" for mark in QUESTION * asked)], name
        solved = [text for text in sources(page) if text.startswith("# BEGIN SOLUTION\n")]
        ends = re.compile(r"\n# END SOLUTION\n\w+ = answer # SOLUTION$")
        assert len(solved) == asked and all(map(ends.search, solved))
        others = [text for text in sources(page) if text not in solved]
        assert all(
            text.startswith(("assert exercises.check(", "from book", "from schedlib"))
            for text in others
        )
