"""Which published figures an edit makes stale, tried on a copy of the tree: none that it cannot change, and all that it can."""

import json
import os
import shutil

import pytest

from cases import CASES
from fresh import python
from reproduce import reach, registry
from schedlib import paths

ROOT = paths.checkout()
LIBRARY = registry.load()
FIGURES = LIBRARY.figures
SEEDED = {name for name, figure in FIGURES.items() if figure.experiment == "mch.fig5"}
HMHS = {name for name in FIGURES if name.startswith("hmhs.")}
# with kernels of their own
ARRIVING = {"hmhs.flow"}


@pytest.fixture
def copy(tmp_path):
    """The library and what was published, every entry of it as this code would make it."""
    root = tmp_path
    for name in ("schedlib", "notebooks/reproduce"):
        shutil.copytree(ROOT / name, root / name, ignore=shutil.ignore_patterns("__pycache__"))
    (root / "figures").mkdir()
    for name in ("pyproject.toml", "figures/provenance.json"):
        shutil.copy(ROOT / name, root / name)
    file = root / "figures/provenance.json"
    entries = json.loads(file.read_text())
    entries = {name: entry for name, entry in entries.items() if name in FIGURES}
    for name, entry in entries.items():
        experiment = LIBRARY.experiment(name)
        entry["source"], entry["versions"] = reach.code(experiment.run)
        entry["points"] = list(experiment.points[entry["scale"]])
    file.write_text(json.dumps(entries))
    return root


def call(root, *words):
    environment = os.environ | {
        "PYTHONPATH": f"{root}{os.pathsep}{root / 'notebooks'}",
        "NUMBA_DISABLE_JIT": "1",
        "SCHEDLIB_CACHE": str(root / "cache"),
    }
    return python(*words, cwd=root, env=environment).stdout


STALE = {
    "a constant that a run uses": {"eagle.fig9", "eagle.prototype"},
    "a kernel": HMHS - {"hmhs.table1", "hmhs.johnson", *ARRIVING},
    "a helper two modules away": {"lotes.stages"},
    "another number of seeds": SEEDED,
}
"""What these edits of cases.toml make stale."""


def edit(tree, files):
    """Edit files of the tree as cases.toml says."""
    for name, text in files.items():
        file = tree / name
        if isinstance(text, list):
            old, new = text
            before = file.read_text()
            assert old in before, f"{name} has no {old!r}"
            text = before.replace(old, new) if old else before + new
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)


def test_an_edit_makes_stale_exactly_the_figures_whose_run_reaches_it(copy):
    """All edits at once, those that no result depends on too: what the others make stale are figures of different papers."""
    edits = CASES["stale"]
    for files in (edits["harmless"] | edits["matters"]).values():
        edit(copy, files)
    printed = call(copy, "-m", "reproduce", "stale").splitlines()
    assert set(printed) == set().union(*STALE.values()) and set(STALE) == set(edits["matters"])
