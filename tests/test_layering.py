"""The house: who may import whom, by folder; no circle anywhere; some imports are light."""

import graphlib
import subprocess
import sys
from pathlib import Path

import pytest

import house
from schedlib import papers

PACKAGE = Path(sys.modules["schedlib"].__file__).parent
EXHIBITS = PACKAGE.parent / "notebooks" / "reproduce" / "exhibits"
GROUND = {"paths", "papers", "intervals", "experiment", "core", "workload", "traces", "theory"}
LIBRARY = {*papers.KEYS}
ALLOWED = {
    "": {"experiment"},
    "paths": set(),
    "papers": {"papers"},
    "intervals": set(),
    "experiment": {"papers"},
    "core": {"core", "paths"},
    "theory": {"core"},
    "workload": {"core", "paths"},
    "traces": {"traces", "workload", "paths", "core"},
    **{key: {key, *GROUND} - {"experiment", "papers"} for key in papers.KEYS},
    "prototype": {"prototype", "eagle", "workload", "paths", "core"},
    "pictures": {"pictures", *GROUND, *LIBRARY} - {"experiment"},
    "reproduce": {"reproduce", "pictures", "experiment", "papers", "paths", "intervals", "core"},
    "leaderboard": {"leaderboard", "pictures", *GROUND, *LIBRARY},
    "teaching": {
        "teaching",
        "leaderboard",
        "reproduce",
        "pictures",
        "prototype",
        *GROUND,
        *LIBRARY,
    },
    "__main__": {
        "experiment",
        "papers",
        "paths",
        "prototype",
        "reproduce",
        "teaching",
        "traces",
        "core",
    },
}
"""What each room, a folder or a module directly below schedlib, may import."""
CORE_MAY_IMPORT = {"numpy", "numba", "tqdm", "schedlib", *sys.stdlib_module_names}
DRAWS = {"matplotlib", "ipywidgets"}
FILES = sorted(PACKAGE.rglob("*.py"))


def name_of(file, folder=PACKAGE.parent):
    parts = file.relative_to(folder).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def room(name):
    """The module or package directly below schedlib that a module belongs to."""
    return f"{name}.".split(".")[1]


def schedlib_imports(name):
    return {other for other in house.imports(name) if other.split(".")[0] == "schedlib"}


@pytest.mark.parametrize("file", FILES, ids=name_of)
def test_module_imports_only_what_lies_below_it(file):
    name = name_of(file)
    assert room(name) in ALLOWED, f"{name}: say in this test what its room may import"
    above = {
        other
        for other in schedlib_imports(name)
        if room(other) and room(other) not in ALLOWED[room(name)]
    }
    assert not above, f"{name} imports {', '.join(sorted(above))}"
    outside = {other.partition(".")[0] for other in house.imports(name)}
    if room(name) == "core":
        assert outside <= CORE_MAY_IMPORT
    if room(name) in LIBRARY | GROUND:
        assert not outside & DRAWS, "the library draws nothing"


def test_no_circle_even_by_an_import_inside_a_function():
    graph = {name_of(file): schedlib_imports(name_of(file)) - {name_of(file)} for file in FILES}
    graphlib.TopologicalSorter(graph).prepare()  # raises CycleError, which names the circle


def test_exhibits_are_under_a_papers_name():
    folders = {file.parent.name for file in EXHIBITS.glob("*/__init__.py")}
    assert folders <= {*papers.KEYS}


JUDGING = {
    "schedlib.reproduce",
    "schedlib.reproduce.registry",
    "schedlib.reproduce.sentences",
    "schedlib.reproduce.verdicts",
}
"""What an exhibit needs to draw verdicts."""


def test_exhibits_use_the_library_and_one_another():
    rooms = {"", "pictures", "prototype", *GROUND, *LIBRARY}
    for file in EXHIBITS.rglob("*.py"):
        name = name_of(file, EXHIBITS.parent)
        ours = {other for other in house.imports(name) if other.startswith("schedlib")}
        above = {other for other in ours if room(other) not in rooms} - JUDGING
        assert not above, f"{name} imports {', '.join(sorted(above))}"


LIGHT = {
    "schedlib": ["numpy", "pandas", "numba", "matplotlib", "papermill"],
    "schedlib.papers": ["numpy", "pandas", "numba", "matplotlib"],
    "schedlib.reproduce": ["matplotlib", "papermill", "nbformat", "nbclient", "dask", "numba"],
}
"""What is not loaded by an import of these and of those above them."""
IMPORT = """
import importlib, sys
for module, heavy in LIGHT.items():
    importlib.import_module(module)
    print([name for name in heavy if name in sys.modules])
"""


def test_imports_are_light():
    code = f"LIGHT = {LIGHT!r}\n{IMPORT}"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines() == ["[]"] * len(LIGHT)


SHOWN = """
import sys
from schedlib import reproduce
reproduce.picture("lotes.fig11"), reproduce.card("hmhs"), reproduce.claims(), reproduce.frame("hmhs.fig1")
loaded = [name for name in sys.modules if name.split(".")[:2] in KINDS or name == "numba"]
assert not loaded, loaded
try:
    reproduce.picture("lotes.fgi11")
except ValueError as error:
    print(error)
"""


def test_what_is_stored_is_shown_without_a_paper_and_without_the_compiler():
    kinds = [["schedlib", name] for name in papers.KEYS]
    code = SHOWN.replace("KINDS", repr(kinds))
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert "figure: 'lotes.fgi11' is unknown; did you mean 'lotes.fig11'" in done.stdout, (
        done.stderr
    )
