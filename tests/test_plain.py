"""The plain files stay what a student can read: short, with few imports."""

import ast
from pathlib import Path

import pytest

import house
import schedlib
from schedlib.plots import papers

PACKAGE = Path(schedlib.__file__).parent
FILES = sorted(PACKAGE.glob("*/plain*.py"))
LONGEST_FILE, LONGEST_FUNCTION = 300, 40
LIBRARIES = {
    "collections",
    "dataclasses",
    "heapq",
    "itertools",
    "math",
    "typing",
    "numpy",
    "pandas",
    "pulp",
}


def module_of(file):
    return f"schedlib.{file.parent.name}.{file.stem}"


def lines_of(function):
    """How many lines a function has, its docstring not counted."""
    lines = function.end_lineno - function.lineno + 1
    if ast.get_docstring(function) is None:
        return lines
    docstring = function.body[0]
    return lines - (docstring.end_lineno - docstring.lineno + 1)


def test_each_paper_has_its_plain_file():
    assert {file.parent.name for file in FILES if file.stem == "plain"} >= {
        key for key in papers.KEYS if (PACKAGE / key).is_dir()
    }


@pytest.mark.parametrize("file", FILES, ids=module_of)
def test_a_file_is_at_most_300_lines_and_a_function_40(file):
    text = file.read_text(encoding="utf-8")
    assert len(text.splitlines()) <= LONGEST_FILE
    functions = [node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.FunctionDef)]
    assert [node.name for node in functions if lines_of(node) > LONGEST_FUNCTION] == []


@pytest.mark.parametrize("file", FILES, ids=module_of)
def test_a_file_imports_its_papers_nouns_and_little_else(file):
    imported = house.imports(module_of(file))
    own = {name for name in imported if name.startswith(f"schedlib.{file.parent.name}.")}
    others = {name for name in imported if name.startswith("schedlib.")} - own
    assert others <= {"schedlib.core", "schedlib.core.streams", "schedlib.workload"}
    assert {name.partition(".")[0] for name in imported} - {"schedlib"} <= LIBRARIES
    assert "njit" not in file.read_text(encoding="utf-8")
