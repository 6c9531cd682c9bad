"""Hand-ins: a question to compute each week, with numbers of each student's own, and the grading of their answers.

    python -m book.handins ada.csv blaise.csv

grades files with the columns student, week, part, answer against `solutions.csv`, which the instructors' copy has.
"""

import argparse
import math
import re
from collections.abc import Sequence
from pathlib import Path

import pandas as pd

from book import exam
from schedlib import paths

KEYS = ["student", "week", "part"]
COLUMNS = [*KEYS, "answer"]
WITHIN = 0.01  # of a number, for rounding
HEAD = """\
# Hand-in of week {week}

By hand or by a program of your own. Hand in a table with the columns student, week, part and answer: a row for each part. Round to three digits. An answer with commas stands in quotes: "(0, 3), (2, 2)".
"""


def questions(term: int, student: str) -> list[exam.Question]:
    """A student's questions, one a week; `term` is a number that students do not know.

    >>> len(questions(1, "Ada"))
    12
    """
    return [exam.computed(chapter, "hand-in", term, student) for chapter in exam.KINDS]


def pages(term: int, students: Sequence[str] = ()) -> dict[str, str]:
    """The hand-ins as Markdown by file name, without answers: a section for each student, or one for all."""
    written = {
        f"week-{week:02}.md": HEAD.format(week=week) for week in range(1, len(exam.KINDS) + 1)
    }
    for student in students or [""]:
        for page, question in zip(written, questions(term, student), strict=True):
            parts = ", ".join(f"`{part}`" for part in question.answer)
            title = f"\n## {student}\n" if student else ""
            written[page] += f"{title}\n{question.asked}\n\nParts: {parts}.\n"
    return written


def solutions(term: int, students: Sequence[str] = ()) -> pd.DataFrame:
    """The right answers: a row for each student (empty for all), week and part."""
    return pd.DataFrame(
        [
            (student, week, part, answer)
            for student in students or [""]
            for week, question in enumerate(questions(term, student), 1)
            for part, answer in question.answer.items()
        ],
        columns=COLUMNS,
    )


def grade(answers: pd.DataFrame, right: pd.DataFrame) -> pd.DataFrame:
    """What was asked and answered, with a column `ok`; an answer that is missing is not ok.

    `answers` and `right` have the columns student, week, part and answer. Where `right` is for all students, each who
    answered is graded. Raises ValueError on a missing column, on answers given twice, and on a name or part that was not asked.

    >>> right = pd.DataFrame([("", 1, "inside", 15.0)], columns=COLUMNS)
    >>> grade(right.assign(student="Ada", answer="15.1"), right)["ok"].tolist()
    [True]
    """
    missing = [name for name in COLUMNS if name not in answers]
    if missing:
        raise ValueError(f"answers: no column {missing[0]}; give {', '.join(COLUMNS)}")
    twice = answers.duplicated(KEYS)
    if twice.any():
        raise ValueError(
            f"answers: row {int(twice.to_numpy().argmax()) + 1} of all tables answers a part again"
        )
    if set(right["student"]) == {""}:
        each = answers[["student"]].drop_duplicates()
        right = right.drop(columns="student").merge(each, how="cross")
    asked = set(right[KEYS].astype(str).itertuples(index=False, name=None))
    for row, given in enumerate(answers[KEYS].astype(str).itertuples(index=False), 1):
        if given not in asked:
            student, week, part = given
            raise ValueError(
                f"answers: row {row} of all tables: no part {part!r} in week {week} of student {student!r}; "
                "write names and parts as on the pages of hand-ins"
            )
    answers = answers.assign(week=answers["week"].astype(int))
    graded = right.merge(answers, on=KEYS, how="left", suffixes=("_right", ""))
    same = map(_same, graded["answer"], graded["answer_right"])
    return graded.assign(ok=list(same))[[*COLUMNS, "ok"]]


def _same(given, right):
    try:
        wanted = float(right)
    except ValueError:
        plain = (re.sub(r"\W+", "", str(one)).lower() for one in (given, right))
        return len(set(plain)) == 1
    try:
        number = float(str(given).replace(",", "."))  # 1,5 is one and a half
    except ValueError:
        return False
    return math.isclose(number, wanted, rel_tol=WITHIN, abs_tol=1e-6)


def _read(file):
    text = {"student": str, "part": str, "answer": str}
    try:
        frame = pd.read_csv(file, dtype=text, keep_default_na=False, skipinitialspace=True)
    except ValueError as error:
        raise ValueError(f"{file}: {error}; save it as a CSV table in UTF-8") from error
    if not isinstance(frame.index, pd.RangeIndex):
        raise ValueError(
            f"{file}: a row has too many values; an answer with commas stands in quotes"
        )
    return frame


def main() -> None:
    """Grade files of answers, and print points by student and week."""
    parser = argparse.ArgumentParser(description="Grade hand-ins: points by student and week.")
    parser.add_argument("answers", type=Path, nargs="+", help=f"tables with {', '.join(COLUMNS)}")
    home = (paths.checkout() or Path()) / "handins" / "solutions.csv"
    parser.add_argument("--solutions", type=Path, default=home, help="solutions.csv of the copy")
    options = parser.parse_args()
    try:
        answers = pd.concat(map(_read, options.answers), ignore_index=True)
        graded = grade(answers, _read(options.solutions))
    except (OSError, ValueError) as error:
        parser.error(str(error))
    counted = graded.groupby(["student", "week"])["ok"].agg(right="sum", parts="count")
    print(counted.to_string())


if __name__ == "__main__":
    main()
