"""The copies for a course: students' without solutions, and it runs; instructors' with all of them in place."""

import csv
import itertools
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

from book import course, exam, handins
from fresh import python
from notebook_cells import dead_links, sources, words
from refusals import refuses
from reproduce import notebooks
from schedlib import paths, theory
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
    assert not list(student.rglob("solutions")) and not (student / "tests").exists()
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
    for week in range(1, len(BOOK)):
        assert f"](handins/week-{week:02}.md)" in page
    rows = re.findall(r"^\| \d+ \| .* \| (\d+) \| \d+ \| .* \| \d+ \| \d+ \|$", page, re.M)
    assert len(rows) == len(BOOK) and {"1", "2"} == set(rows)
    assert f"{sum(map(int, rows))} lectures" in page
    assert "measured" not in page.lower()


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
        assert one.kind == other.kind and one.points == other.points
        assert (one.asked == other.asked) == (one.kind != "compute")


@pytest.mark.parametrize("chapter", exam.KINDS)
def test_no_seed_of_three_hundred_hides_a_mistake(chapter):
    drawn = [exam.computed(chapter, seed) for seed in range(300)]
    assert len({question.asked for question in drawn}) > 15
    for question in drawn:
        answers = list(question.answer.values())
        assert "{" not in f"{question.asked}{question.steps}" and question.points == 9
        assert 0 not in answers and (len(answers) == 1 or len(set(answers)) > 1)
    for part in drawn[0].answer:
        assert part == "weight of 1" or len({question.answer[part] for question in drawn}) > 1
    assert len({str(question.answer) for question in drawn}) > 5


def shared(asked):
    """MCH's weights, the resource that fills first, and the shares: of leaf 1, and of a and b in group 2."""
    needs = np.array(re.findall(r"\((\d+), (\d+)\)", asked), float)
    needs /= needs.max(axis=1, keepdims=True)
    group = needs[1] + needs[2]
    first = int((needs[0] + group / group.max()).argmax())
    weights = np.where([True, needs[1, first] > 0, True], [1, 1 / group.max(), 1 / group.max()], 1)
    shares = weights / (weights @ needs)[first]
    if not needs[1, first]:
        shares[1] += 1 - shares @ needs[:, 1 - first]  # a alone goes on
    return pytest.approx([*weights, ("CPU", "memory")[first], *shares])


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
    fits = [(a, b) for a in range(6) for b in range(6) if np.all(np.array([3 * a + b, a + 3 * b]) <= [int(n) for n in asked["03-bins"][:2]])]  # fmt: skip
    best = [one for one in fits if not any(one != two and np.all(np.subtract(two, one) >= 0) for two in fits)]  # fmt: skip
    assert right["03-bins"] == [", ".join(map(str, best))]
    pairs = np.array(re.findall(r"\((\d+), (\d+)\)", found["04-dispatching"].asked), int)
    scores = pairs[:3] - pairs[3:]
    for k, machine in enumerate(right["04-dispatching"]):
        assert (np.delete(scores[:, k], machine - 1) < scores[machine - 1, k]).all()
    shop = np.array(re.findall(r"\((\d+), (\d+)\)", found["05-hmhs"].asked), int).T
    orders = itertools.permutations(range(5))
    least = min(flow_shop_makespan(*shop, list(order)) for order in orders)
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
    with (paths.checkout() / "figures/claims.csv").open(encoding="utf-8") as file:
        rows = {row["id"]: row for row in csv.DictReader(file)}
    asked = [
        question
        for sitting in range(120)
        for question in exam.exam(sitting)
        if question.kind == "criticise"
    ]
    assert len({question.answer["verdict"] for question in asked}) > 1
    for entry in exam.WORDS["criticise"]:
        row = rows[entry["claim"]]
        assert not re.match(r"(So|There|Its?|With \d+ s)\b|.*the same", row["sentence"])
        assert "`" not in row["cause"], "another claim's cause is not on the sheet"
        bar, *ends = re.findall(r"^[a-z ]+|-?[\d.]+", entry["true"])
        both = {"from ": ends, "at most ": ["-inf", *ends]}.get(bar, [*ends, "inf"])
        least, most, low, high = map(float, [*both, row["low"], row["high"]])
        inside, outside = least <= low and high <= most, high < least or most < low
        verdict = "holds" if inside else "fails" if outside else "undecided"
        (one, *_) = (question for question in asked if entry["measured"] in question.asked)
        assert one.answer == {"verdict": row["verdict"]} == {"verdict": verdict}
        assert verdict in one.steps[1][1]
        for picture in re.findall(r"\]\(\.\./(figures/[^)]+)\)", one.asked):
            assert (paths.checkout() / picture).is_file()


def test_each_student_has_an_examination_and_the_lecturer_one_file_of_solutions(made):
    pages = {file.name: words(file) for file in (made["instructor"] / "exam").iterdir()}
    assert set(pages) == {"exam-01.md", "exam-02.md", "exam-solutions.md"}
    solved = pages.pop("exam-solutions.md")
    assert solved.count("*Marking*") == 24
    for page, student in zip(sorted(pages), STUDENTS, strict=True):
        assert student in pages[page] and "Marking" not in pages[page] and "Allowed" in pages[page]
        assert student in solved and str(SITTING) not in pages[page]


def test_nothing_in_the_students_copy_holds_a_hand_ins_answer_or_makes_it(made):
    student, right = made["student"], handins.solutions(SITTING, STUDENTS)
    kept = ("data", "figures")  # a million numbers, which hold any four digits
    texts = {
        file.relative_to(student): file.read_text(encoding="utf-8")
        for file in student.rglob("*")
        if file.suffix in (".md", ".py", ".toml", ".ipynb", ".csv", "")
        if file.is_file() and file.relative_to(student).parts[0] not in kept
    }
    secrets = {
        answer for answer in map(str, right["answer"]) if re.fullmatch(r"[\d(), ]{9,}", answer)
    }
    numbers = [answer for answer in right["answer"] if isinstance(answer, float)]
    rounded = {f"{one:.{digits}g}" for one in numbers for digits in (4, 5, 6)}
    secrets |= {one for one in rounded if len(one.strip("-0.").replace(".", "")) > 3}
    assert len(secrets) > 40
    makers = ("book.exam", "book.handins", "import handins", "exam.toml", "default_rng([list(KINDS")
    for place, text in texts.items():
        # a long file has four digits by chance
        least = 0 if len(text) < 10_000 else 6
        told = [one for one in secrets if len(one) > least]
        for secret in (*told, *makers, str(SITTING)):
            assert not re.search(rf"(?<![\d.]){re.escape(secret)}(?!\d)", text), (place, secret)
    assert len(list((student / "handins").iterdir())) == 12
    for week, page in enumerate(sorted((student / "handins").iterdir()), 1):
        assert page.read_text(encoding="utf-8").count("Parts: ") == len(STUDENTS), week
        for name in STUDENTS:
            assert handins.questions(SITTING, name)[week - 1].asked in page.read_text("utf-8")


def test_hand_ins_are_graded_within_rounding_and_nobody_is_forgotten(
    made, tmp_path, monkeypatch, capsys
):
    right = handins.solutions(SITTING, STUDENTS)
    rounded = [f"{one:.3g}" if isinstance(one, float) else f" {one} " for one in right["answer"]]
    assert handins.grade(right.assign(answer=rounded), right)["ok"].all()
    orders = right[right["part"] == "order"]
    other_form = orders.assign(answer=orders["answer"].str.replace(" ", ", "))
    assert handins.grade(other_form, right)["ok"].sum() == len(STUDENTS)
    some = right.iloc[3:].assign(answer="1e9")
    graded = handins.grade(some, right)
    assert len(graded) == len(right) and not graded["ok"].any()
    refuses("of student 'Eve'", handins.grade, right[:3].assign(student="Eve"), right)
    refuses("no column part", handins.grade, right.drop(columns="part"), right)
    for week, part in ((13, "inside"), ("one", "inside"), (1, "insde")):
        given = right[:1].assign(week=week, part=part)
        refuses(
            f"row 1 of all tables: no part '{part}' in week {week}", handins.grade, given, right
        )
    refuses("row 2 of all tables answers", handins.grade, right.iloc[[0, 0]], right)
    for_all = handins.solutions(SITTING)
    assert handins.grade(for_all.assign(student="Eve"), for_all)["ok"].all()
    file = made["instructor"] / "handins/solutions.csv"
    monkeypatch.setattr(sys, "argv", ["handins", str(file), "--solutions", str(file)])
    handins.main()
    assert len(capsys.readouterr().out.splitlines()) == 2 + 12 * len(STUDENTS)
    other = tmp_path / "other.csv"
    for spoilt in (b"", "student,week,part,answer\n\u00c9milie,1,inside,2\n".encode("latin-1")):
        other.write_bytes(spoilt)
        monkeypatch.setattr(sys, "argv", ["handins", str(other), "--solutions", str(file)])
        with pytest.raises(SystemExit):
            handins.main()
        assert "other.csv" in capsys.readouterr().err


def test_help_writes_nothing_and_options_are_read(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    for options in (["--help"], ["--sitting", "two"], ["--students", "nobody.txt"]):
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


def test_names_of_digits_are_graded_and_a_comma_is_not_lost(tmp_path):
    right = pd.DataFrame(
        [("007", 1, "inside", "15.0"), ("007", 1, "wait", "-2.4")], columns=handins.COLUMNS
    )
    for given, ok in ((["15,0", "-2.4"], [True, True]), (["1,5", "2,4"], [False, False])):
        assert handins.grade(right.assign(answer=given), right)["ok"].tolist() == ok
    for name, frame in (("answers", right), ("solutions", right)):
        frame.to_csv(tmp_path / f"{name}.csv", index=False)
    head, first, last = (tmp_path / "answers.csv").read_text().splitlines()
    tables = {"one": f"{head}\n{first}", "two": f"{head}\n{last}", "bad": f"{head}\n{last}, 3)"}
    for name, table in tables.items():
        (tmp_path / f"{name}.csv").write_text(table)
    for other, found in (("two", "007     1         2      2"), ("bad", "stands in quotes")):
        command = f"-m book.handins one.csv {other}.csv --solutions solutions.csv".split()
        done = python(*command, fails=True, cwd=tmp_path)
        assert found in done.stdout + done.stderr
