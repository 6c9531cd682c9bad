"""The copies for a course: students' without solutions, and it runs; instructors' with all of them in place."""

import json
import os
import re
import sys
import tomllib
from collections import Counter
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import reproduce
from book import course, exam, handins
from notebook_cells import dead_links, sources, words
from refusals import refuses
from reproduce import notebooks
from schedlib import hmhs, lotes, mch, paths, theory
from schedlib.hmhs.johnson import flow_shop_makespan

CHECK = "exercises.check("
PROGRAMS = tomllib.loads(words(Path(__file__).with_name("exam_programs.toml")))
SITTING, STUDENTS = 314_159_265, ("Ada L.", "Blaise P.")
BOOK = {name: file for name, file in notebooks.book().items() if "/" not in name}


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    return course.course(tmp_path_factory.mktemp("course"), SITTING, STUDENTS)


def test_students_get_every_chapter_and_no_solution(made):
    student = made["student"]
    assert not list(student.rglob("solutions*")) and not (student / "tests").exists()
    teachers = {"exam", "assignments", "course", "handins", "teaching"}
    assert not [
        file.name for file in student.rglob("*.*") if file.stem in teachers and file.is_file()
    ]
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


def test_a_mark_without_its_other_end_is_refused():
    written = words(paths.checkout() / "README.md")
    refuses(
        "must take turns", course.without_teachers, written.replace("<!-- /teachers -->", "", 1)
    )


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
    for week in range(1, len(BOOK)):
        assert f"](handins/week-{week:02}.md)" in page
    rows = re.findall(r"^\| \d+ \| .* \| (\d+) \| \d+ \| .* \| \d+ \| \d+ \|$", page, re.M)
    assert len(rows) == len(BOOK) and {"1", "2"} == set(rows)
    assert f"{sum(map(int, rows))} lectures" in page


def test_a_sitting_has_120_points_and_a_question_from_every_chapter():
    for sitting in range(30):
        questions = exam.exam(sitting)
        assert [question.chapter for question in questions] == sorted(BOOK)[1:]
        kinds = Counter(question.kind for question in questions)
        assert kinds == {"compute": 6, "explain": 3, "program": 1, "criticise": 2}
        assert sum(question.points for question in questions) == 120
    assert len({question.asked for sitting in range(30) for question in exam.exam(sitting)}) > 150


def test_students_of_a_sitting_have_the_same_questions_and_numbers_of_their_own():
    ada, again, blaise = (exam.exam(5, student) for student in ("Ada", "Ada", "Blaise"))
    assert ada == again
    for one, other in zip(ada, blaise, strict=True):
        assert one.kind == other.kind and (one.asked == other.asked) == (one.kind != "compute")


@pytest.mark.parametrize("chapter", exam.KINDS)
def test_no_seed_of_three_hundred_hides_a_mistake(chapter):
    drawn = [exam.computed(chapter, seed) for seed in range(300)]
    assert len({question.asked for question in drawn}) > 15
    for question in drawn:
        answers = list(question.answer.values())
        assert "{" not in f"{question.asked}{question.steps}"
        assert 0 not in answers and (len(answers) == 1 or len(set(answers)) > 1)
    for part in drawn[0].answer:
        assert part == "weight of 1" or len({question.answer[part] for question in drawn}) > 1


def shared(asked):
    """MCH's weights, the resource that fills first, and the shares, by the library on the tree that is asked."""
    pool = int(asked.partition(" ")[0])
    one, *group = re.findall(r"\((\d+), (\d+)\)", asked)
    tree = mch.Tree([tuple(map(int, one)), [tuple(map(int, needs)) for needs in group]])
    flat = mch.flatten(tree, [pool, pool])
    shares = mch.allocate(tree, [pool, pool], "mch").shares
    return pytest.approx([*flat.weights, ("CPU", "memory")[flat.first_saturated], *shares])


@pytest.mark.parametrize("seed", range(300))
def test_an_answer_is_to_what_is_asked_and_a_usual_slip_does_not_give_it(seed):
    found = {chapter: exam.computed(chapter, seed) for chapter in exam.KINDS}
    asked = {name: re.findall(r"\d+\.?\d*", question.asked) for name, question in found.items()}
    right = {name: list(question.answer.values()) for name, question in found.items()}
    rate, stay, line = map(int, asked["01-waiting"])
    assert right["01-waiting"] == [rate * stay / 60, rate * line / 60] and rate * stay / 60 != stay
    came, served = map(float, asked["01b-many-servers"][:2])
    waits = [60 * theory.mmc_mean_wait(came, served, clerks) for clerks in (1, 2)]
    assert right["01b-many-servers"] == pytest.approx(waits)
    times = list(map(int, asked["01c-classics"]))
    for order, end in zip((times, sorted(times)[::-1]), right["01c-classics"], strict=False):
        free = np.zeros(3)
        for time in order:
            free[free.argmin()] += time
        assert free.max() == end > right["01c-classics"][2] >= sum(times) / 3
    assert right["01c-classics"][0] != right["01c-classics"][1]
    machines, cores, memory = map(int, asked["02-fluid"][:3])
    limits = {"cores": machines * cores / 1.5, "memory": machines * memory / 2.5}
    assert right["02-fluid"][0] == pytest.approx(limits[right["02-fluid"][1]])
    assert right["02-fluid"][0] < 0.96 * max(limits.values())
    bins = lotes.non_dominated_bins([int(room) for room in asked["03-bins"][:2]], [[3, 1], [1, 3]])
    assert right["03-bins"] == [", ".join(f"({a}, {b})" for a, b in sorted(bins.tolist()))]
    pairs = np.array(re.findall(r"\((\d+), (\d+)\)", found["04-dispatching"].asked), int)
    scores = pairs[:3] - pairs[3:]
    for k, machine in enumerate(right["04-dispatching"]):
        assert (np.delete(scores[:, k], machine - 1) < scores[machine - 1, k]).all()
    shop = np.array(re.findall(r"\((\d+), (\d+)\)", found["05-hmhs"].asked), int).T
    least = flow_shop_makespan(*shop, hmhs.johnson(*shop))
    assert right["05-hmhs"][1] == least < flow_shop_makespan(*shop, np.arange(5))
    assert right["06-mch"] == shared(found["06-mch"].asked)
    long, rate = map(float, asked["07-head-of-line"][1:])
    mixed = rate / 2 * (4 + long**2) / 5 / 2 / (1 - rate / 2 * (4 + long) / 5)
    each = 0.8 * rate / 2 / (1 - 0.8 * rate), 0.2 * rate * long**2 / 2 / (1 - 0.2 * rate * long)
    assert right["07-head-of-line"] == pytest.approx([mixed, 0.8 * each[0] + 0.2 * each[1]])
    assert right["07-head-of-line"][0] != pytest.approx(right["07-head-of-line"][1], rel=0.04)
    quick, slow, task = (int(asked["08-eagle"][at]) for at in (0, 1, 2))
    assert right["08-eagle"] == [slow + task, quick + 2 * task] and quick + task < slow
    names = re.findall(r"[MRJ]\d(?:_\d)*", found["09-one-trace"].asked)
    counts = re.search(r"with ([\d, ]+) instances", found["09-one-trace"].asked)[1]
    joined = [name for name in names if re.fullmatch(r"R\d_\d", name) and f"M{name[-1]}" in names]
    sees = [sum(map(int, counts.split(","))), len(joined), len(names), len(names)]
    assert right["09-one-trace"] == sees and len({name[-1] for name in joined}) == len(joined)
    mean, low, high, better = right["10-your-own"]
    assert low < mean < 0 and abs(high) > 0.2 and (high < 0) == (better == "yes")


@pytest.mark.parametrize("entry", exam.WORDS["program"], ids=lambda entry: entry["chapter"])
def test_a_programs_test_takes_any_right_one_and_refuses_usual_slips(entry):
    written = PROGRAMS[entry["chapter"]]
    for right in (entry["code"], written["right"]):
        exec(right + entry["test"], {})
    for wrong in written["wrong"]:
        with pytest.raises(AssertionError):
            exec(wrong + entry["test"], {})
    for arguments in re.findall(r"^def \w+\((.*)\)", entry["code"], re.M):
        for name in arguments.split(", "):
            named = len(re.findall(rf"\b{name}\b", entry["asked"]))
            assert named > 1, f"{name} is not said to be anything"


def test_words_have_the_points_of_their_kind_and_every_chapter():
    for kind, points in {"explain": 11, "program": 15}.items():
        assert {entry["chapter"] for entry in exam.WORDS[kind]} == set(exam.KINDS)
        for entry in exam.WORDS[kind]:
            assert sum(step for step, _ in entry["steps"]) == points


def test_a_sentence_to_criticise_stands_alone_and_the_bar_of_the_scheme_gives_the_written_verdict():
    rows = reproduce.claims().set_index("id")
    asked = [
        question
        for sitting in range(120)
        for question in exam.exam(sitting)
        if question.kind == "criticise"
    ]
    assert len({question.answer["verdict"] for question in asked}) > 1
    for entry in exam.WORDS["criticise"]:
        row = rows.loc[entry["claim"]]
        assert not re.match(r"(So|There|Its?|With \d+ s)\b|.*the same", row["sentence"])
        assert "`" not in row["cause"], "another claim's cause is not on the sheet"
        bar, *ends = re.findall(r"^[a-z ]+|-?[\d.]+", entry["true"])
        both = {"from ": ends, "at most ": ["-inf", *ends]}.get(bar, [*ends, "inf"])
        least, most = map(float, both)
        inside = least <= row["low"] and row["high"] <= most
        outside = row["high"] < least or most < row["low"]
        verdict = "holds" if inside else "fails" if outside else "undecided"
        (one, *_) = (question for question in asked if entry["measured"] in question.asked)
        assert one.answer == {"verdict": verdict} and verdict in one.steps[1][1]


def test_each_student_has_an_examination_and_the_lecturer_one_file_of_solutions(made):
    pages = {file.name: words(file) for file in (made["instructor"] / "exam").iterdir()}
    assert set(pages) == {"exam-01.md", "exam-02.md", "exam-solutions.md"}
    solved = pages.pop("exam-solutions.md")
    assert solved.count("*Marking*") == 24
    for page, student in zip(sorted(pages), STUDENTS, strict=True):
        assert student in pages[page] and "Marking" not in pages[page] and "Allowed" in pages[page]
        assert student in solved and str(SITTING) not in pages[page]


def test_nothing_in_the_students_copy_makes_a_hand_ins_numbers_or_tells_its_answer(made):
    student, right = made["student"], handins.solutions(SITTING, STUDENTS)
    makers = ("book.exam", "book.handins", "import handins", "exam.toml", "default_rng([list(KINDS")
    for file in student.rglob("*"):
        if file.suffix in (".md", ".py", ".toml", ".ipynb", ".csv", "") and file.is_file():
            text = file.read_text(encoding="utf-8")
            for told in (*makers, str(SITTING)):
                assert told not in text, (file, told)
    pages = sorted((student / "handins").iterdir())
    assert len(pages) == 12
    for week, page in enumerate(pages, 1):
        text = words(page)
        assert text.count("Parts: ") == len(STUDENTS), week
        for name in STUDENTS:
            assert handins.questions(SITTING, name)[week - 1].asked in text
        for answer in right.loc[right["week"] == week, "answer"]:
            told = f"{answer:.4g}" if isinstance(answer, float) else str(answer)
            assert told not in text or not re.fullmatch(r"[-\d.(), ]{5,}", told), (week, told)


@pytest.fixture
def grader(monkeypatch, capsys):
    """What the command says of files of answers and one of solutions."""

    def said(*answers, solutions):
        files = map(str, answers)
        monkeypatch.setattr(sys, "argv", ["handins", *files, "--solutions", str(solutions)])
        try:
            handins.main()
        except SystemExit as end:
            assert end.code
        shown = capsys.readouterr()
        return shown.out + shown.err

    return said


def test_hand_ins_are_graded_within_rounding_and_nobody_is_forgotten(made, tmp_path, grader):
    right = handins.solutions(SITTING, STUDENTS)
    rounded = [f"{one:.3g}" if isinstance(one, float) else f" {one} " for one in right["answer"]]
    assert handins.grade(right.assign(answer=rounded), right)["ok"].all()
    orders = right[right["part"] == "order"]
    other_form = orders.assign(answer=orders["answer"].str.replace(" ", ", "))
    assert handins.grade(other_form, right)["ok"].sum() == len(STUDENTS)
    some = right.iloc[3:].assign(answer="1e9")
    graded = handins.grade(some, right)
    assert len(graded) == len(right) and not graded["ok"].any()
    for_all = handins.solutions(SITTING)
    assert handins.grade(for_all.assign(student="Eve"), for_all)["ok"].all()
    file = made["instructor"] / "handins/solutions.csv"
    assert len(grader(file, solutions=file).splitlines()) == 2 + 12 * len(STUDENTS)
    other = tmp_path / "other.csv"
    for spoilt in (b"", "student,week,part,answer\n\u00c9milie,1,inside,2\n".encode("latin-1")):
        other.write_bytes(spoilt)
        assert "other.csv" in grader(other, solutions=file)


def test_what_was_not_asked_or_is_there_twice_or_without_a_column_is_refused():
    right = handins.solutions(SITTING, STUDENTS)
    given = right[:1].assign(week="one", part="insde")
    refuses("row 1 of all tables: no part 'insde' in week one", handins.grade, given, right)
    refuses("of student 'Eve'", handins.grade, right[:3].assign(student="Eve"), right)
    refuses("no column part", handins.grade, right.drop(columns="part"), right)
    refuses("row 2 of all tables answers", handins.grade, right.iloc[[0, 0]], right)


def test_names_of_digits_are_graded_and_a_comma_is_not_lost(tmp_path, grader):
    right = pd.DataFrame(
        [("007", 1, "inside", "15.0"), ("007", 1, "wait", "-2.4")], columns=handins.COLUMNS
    )
    for given, ok in ((["15,0", "-2.4"], [True, True]), (["1,5", "2,4"], [False, False])):
        assert handins.grade(right.assign(answer=given), right)["ok"].tolist() == ok
    solutions, one, two = (tmp_path / f"{name}.csv" for name in ("solutions", "one", "two"))
    right.to_csv(solutions, index=False)
    right[:1].to_csv(one, index=False)
    right[1:].to_csv(two, index=False)
    assert "007     1         2      2" in grader(one, two, solutions=solutions)
    two.write_text(two.read_text().strip() + ", 3)")
    assert "stands in quotes" in grader(one, two, solutions=solutions)


def test_help_writes_nothing_and_options_are_read(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    for options in (["--help"], ["--students", "nobody.txt"]):
        monkeypatch.setattr(sys, "argv", ["course", *options])
        with pytest.raises(SystemExit):
            course.main()
    assert list(tmp_path.iterdir()) == [] and "--sitting" in capsys.readouterr().out
    refuses("there twice", course.course, tmp_path, 1, ["Ada", "Ada"])
    refuses("from 0 on", course.course, tmp_path, -1)


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
        assert all(text.startswith(("verdict = exercises.check(", "from book")) for text in others)
