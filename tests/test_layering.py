"""The house: which room may import which, by folder; no circle anywhere; some imports are light."""

import graphlib
import sys

import pytest

import house
from fresh import python
from schedlib import paths
from schedlib.plots import papers

ROOT = paths.checkout()
NOTEBOOKS = ROOT / "notebooks"
LIBRARY = {*papers.KEYS}
GROUPS = {
    "GROUND": {"paths", "intervals", "core", "workload", "traces", "theory"},
    "PAPERS": LIBRARY,
    "TOOLS": {"plots", "boards", "sweeps", "prototype"},
}
ROOMS = """
schedlib: former sweeps
former:
paths:
intervals:
core: core paths
theory: core
workload: core paths
traces: traces workload paths core
prototype: prototype eagle workload paths core
plots: plots GROUND PAPERS
boards: boards plots GROUND PAPERS
sweeps: sweeps paths core
commands: sweeps core
__main__: commands former paths sweeps traces prototype
reproduce: reproduce commands sweeps plots paths intervals core
exhibits: exhibits plots sweeps prototype GROUND PAPERS
book: book reproduce exhibits schedlib TOOLS GROUND PAPERS
"""
"""What each room may import: a folder or a module directly below schedlib, the evidence, its exhibits, the book."""
ALLOWED = {key: {key, *GROUPS["GROUND"]} for key in papers.KEYS}
for line in ROOMS.strip().splitlines():
    name, _, below = line.partition(":")
    ALLOWED[name] = set().union(*(GROUPS.get(word, {word}) for word in below.split()))
JUDGING = {"reproduce.figure", "reproduce.registry", "reproduce.sentences", "reproduce.verdicts"}
"""What an exhibit needs of the evidence: to be listed, and to draw verdicts."""
CORE_MAY_IMPORT = {"numpy", "numba", "llvmlite", "tqdm", "schedlib", *sys.stdlib_module_names}
DRAWS = {"matplotlib", "ipywidgets"}
OURS = ("schedlib", "reproduce", "book")
FILES = [
    *sorted((ROOT / "schedlib").rglob("*.py")),
    *sorted((NOTEBOOKS / "reproduce").rglob("*.py")),
    *sorted((NOTEBOOKS / "book").rglob("*.py")),
]


def name_of(file):
    folder = ROOT if file.is_relative_to(ROOT / "schedlib") else NOTEBOOKS
    parts = file.relative_to(folder).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def room(name):
    """The room that a module belongs to.

    >>> room("schedlib.core.heap"), room("reproduce.exhibits.mch"), room("book")
    ('core', 'exhibits', 'book')
    """
    package, *rest = name.split(".")
    if package == "schedlib" and rest:
        return rest[0]
    if rest[:1] == ["exhibits"]:
        return "exhibits"
    return package


def imports_of_ours(name):
    return {other for other in house.imports(name) if other.split(".")[0] in OURS}


@pytest.mark.parametrize("file", FILES, ids=name_of)
def test_module_imports_only_what_lies_below_it(file):
    name = name_of(file)
    assert room(name) in ALLOWED, f"{name}: say in this test what its room may import"
    needed = imports_of_ours(name)
    if room(name) == "exhibits":
        needed -= JUDGING
    above = {other for other in needed if room(other) not in ALLOWED[room(name)]}
    assert not above, f"{name} imports {', '.join(sorted(above))}"
    outside = {other.partition(".")[0] for other in house.imports(name)}
    if room(name) == "core":
        assert outside <= CORE_MAY_IMPORT
    if room(name) in LIBRARY | GROUPS["GROUND"]:
        assert not outside & DRAWS, "the library draws nothing"


def test_no_circle_even_by_an_import_inside_a_function():
    graph = {name_of(file): imports_of_ours(name_of(file)) - {name_of(file)} for file in FILES}
    graphlib.TopologicalSorter(graph).prepare()  # raises CycleError, which names the circle


LIGHT = {
    "schedlib": ["numpy", "pandas", "numba", "matplotlib", "papermill"],
    "schedlib.plots.papers": ["numpy", "pandas", "numba", "matplotlib"],
    "reproduce": ["matplotlib", "papermill", "nbformat", "nbclient", "dask", "numba"],
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
    done = python("-c", code)
    assert done.stdout.splitlines() == ["[]"] * len(LIGHT)


SHOWN = """
import sys
import reproduce
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
    said = python("-c", code).stdout
    assert "figure: 'lotes.fgi11' is unknown; did you mean 'lotes.fig11'" in said
