"""Arrows run downwards only: who may import whom, read from the source."""

import subprocess
import sys
from pathlib import Path

import pytest

from schedlib.experiment import PAPERS
from schedlib.reproduce import source

PACKAGE = Path(sys.modules["schedlib"].__file__).parent
ROOTS = source.roots_of("schedlib")
SHARED = {"style", "describe", "theory", "intervals", "experiment", "paths", "workload", "core", "traces"}
ALLOWED = {
    "": set(),
    "paths": set(),
    "experiment": set(),
    "intervals": set(),
    "core": {"core"},
    "theory": set(),
    "describe": set(),
    "style": {"describe", "intervals"},
    "workload": {"paths"},
    "traces": {"traces", "workload", "paths"},
    **{paper: SHARED | {paper} for paper in PAPERS},
    "reproduce": {"reproduce", "style", "intervals", "experiment", "paths", *PAPERS},
    "book": SHARED | {"book", *PAPERS},
    "leaderboard": SHARED | {"leaderboard", *PAPERS},
    "widgets": SHARED | {"widgets", "book", "leaderboard", *PAPERS},
    "notation": set(),
    "exercises": SHARED | {"exercises", "book", "leaderboard", *PAPERS},
    "bench": {"experiment", "reproduce", "core", *PAPERS},
    "times": {"experiment", "paths", "reproduce", "bench"},
    "__main__": {"experiment", "reproduce", "bench", "times", "traces"},
}
CORE_MAY_IMPORT = {"numpy", "numba", "schedlib", *sys.stdlib_module_names}
FILES = sorted(PACKAGE.rglob("*.py"))


def name_of(file):
    parts = file.relative_to(PACKAGE.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def room(name):
    """The module or package directly below schedlib that a module belongs to."""
    return f"{name}.".split(".")[1]


def schedlib_imports(name):
    return {other for other in source.imports(name, ROOTS) if other.split(".")[0] == "schedlib"}


@pytest.mark.parametrize("file", FILES, ids=name_of)
def test_module_imports_only_what_lies_below_it(file):
    name = name_of(file)
    assert room(name) in ALLOWED, f"{name}: say in this test what it may import"
    above = {other for other in schedlib_imports(name) if room(other) and room(other) not in ALLOWED[room(name)]}
    assert not above, f"{name} imports {', '.join(sorted(above))}"
    if room(name) == "core":
        assert {other.partition(".")[0] for other in source.imports(name, ROOTS)} <= CORE_MAY_IMPORT


@pytest.mark.parametrize("file", FILES, ids=name_of)
def test_module_is_short(file):
    assert len(file.read_text(encoding="utf-8").splitlines()) <= 400, "a module that passes 400 lines is two modules"


@pytest.mark.parametrize("file", sorted(PACKAGE.glob("*/*experiments.py")), ids=name_of)
def test_experiments_never_draw(file):
    found = source.imports(name_of(file), ROOTS)
    bad = [name for name in found if name.startswith("matplotlib") or name == "schedlib.style" or name.endswith(".figures")]
    assert not bad


@pytest.mark.parametrize("file", sorted(PACKAGE.glob("*/*figures.py")), ids=name_of)
def test_figures_never_simulate(file):
    bad = [name for name in schedlib_imports(name_of(file)) if name.rpartition(".")[2] in ("experiments", "simulate", "schedule")]
    assert not bad


def test_papers_list_under_their_own_names_only():
    assert {file.parent.name for file in PACKAGE.glob("*/experiments.py")} <= set(PAPERS)


@pytest.mark.parametrize(
    "module, heavy",
    [
        ("schedlib", ["numpy", "pandas", "numba", "matplotlib", "papermill"]),
        ("schedlib.reproduce", ["matplotlib", "papermill", "nbformat", "nbclient", "distributed", "dask", "numba"]),
    ],
)
def test_import_is_light(module, heavy):
    code = f"import sys, {module}; print([name for name in {heavy!r} if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_arrows_are_seen_whatever_the_form_of_the_import(tmp_path):
    package = tmp_path / "schedlib"
    package.mkdir()
    for name in ("__init__", "a", "b", "c", "d"):
        (package / f"{name}.py").write_text("")
    text = "from . import a\nfrom .b import f\nimport schedlib.c as c\ndef g():\n    from schedlib import d, e\n"
    (package / "x.py").write_text(text)
    found = source.imports("schedlib.x", {"schedlib": tmp_path})
    assert found == {"schedlib.a", "schedlib.b", "schedlib.c", "schedlib.d", "schedlib"}
