"""A chapter's exercises as a master notebook for otter-grader: `otter assign` makes the students' and the grader's notebooks."""

import re

from book.pages import text

CHECK = re.compile(r"^exercises\.check\(.*\n?", re.M)
TEST = """\
verdict = exercises.check("{}", {})
assert verdict, verdict"""
ABOUT = """# Assignments

A master notebook for [otter-grader](https://otter-grader.readthedocs.io) for each chapter. It has the chapter's exercises, and a
test of a question calls the exercise's own check, so hints are the same. Otter goes into the environment that `make lab` has made:

    .venv/bin/python -m pip install otter-grader
    cd assignments
    ../.venv/bin/otter assign --no-pdfs 05-hmhs.ipynb week-07

This runs the solutions (one to twelve minutes a chapter on a busy machine; tried for every chapter) and writes `week-07/student`, to hand out, and `week-07/autograder`.
Students need otter in their `.venv`, too; their notebook works in any folder. To grade one that came back:

    mkdir graded
    ../.venv/bin/otter run -a week-07/autograder/*.zip -o graded ada.ipynb

The summary has a point for each question. `otter grade`, which needs Docker, was not tried.

nbgrader is left out on purpose: its tests are cells of the students' notebook, and it needs a database and an exchange
folder of its own. Its cells could hold our checks as well; one format is enough.
"""


def master(
    name: str, statements: dict[str, str], start: list[dict], sections: dict[str, list[dict]]
) -> dict:
    """The master notebook of a chapter.

    `statements` are the exercises' words by id, `sections` their solutions' cells, `start` the solutions' imports.
    A solution becomes one cell between otter's marks, which students get as `...`; its answer gets a name of its own.
    """
    cells = [
        _raw(f"# ASSIGNMENT CONFIG\nname: {name}\nexport_cell: false\ngenerate: true"),
        _cell("code", "from book import exercises"),
    ]
    before = [text(cell["source"]) for cell in start]
    for exercise, words in statements.items():
        variable = exercise.replace(".", "_")
        solved = [
            text(cell["source"]) for cell in sections[exercise] if cell["cell_type"] == "code"
        ]
        code = CHECK.sub("", "\n\n".join([*before, *solved])).strip()
        before = []
        cells += [
            _raw(f"# BEGIN QUESTION\nname: {variable}\npoints: 1"),
            _cell("markdown", words),
            _raw("# BEGIN SOLUTION"),
            _cell(
                "code", f"# BEGIN SOLUTION\n{code}\n# END SOLUTION\n{variable} = answer # SOLUTION"
            ),
            _raw("# END SOLUTION"),
            _raw("# BEGIN TESTS"),
            _cell("code", TEST.format(exercise, variable)),
            _raw("# END TESTS"),
            _raw("# END QUESTION"),
        ]
    kernel = {"kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"}}
    numbered = [cell | {"id": f"c{number:03}"} for number, cell in enumerate(cells)]
    return {"cells": numbered, "metadata": kernel, "nbformat": 4, "nbformat_minor": 5}


def _raw(words):
    return _cell("raw", words)


def _cell(kind, words):
    cell = {"cell_type": kind, "metadata": {}, "source": words}
    return cell | {"outputs": [], "execution_count": None} if kind == "code" else cell
