"""Which published figures an edit makes stale, tried on a copy of the tree: none that it cannot change, and all that it can."""

import json
import os
import shutil

import pytest

from cases import CASES
from fresh import python
from reproduce import publish, reach, registry
from schedlib import paths

ROOT = paths.checkout()
LIBRARY = registry.load()


@pytest.fixture
def copy(tmp_path):
    """The library and what was published, every entry of it as this code would make it."""
    for name in ("schedlib", "notebooks/reproduce"):
        ignored = shutil.ignore_patterns("__pycache__")
        shutil.copytree(ROOT / name, tmp_path / name, ignore=ignored)
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    entries = publish.provenance(ROOT / "figures")
    for name, entry in entries.items():
        experiment = LIBRARY.experiment(name)
        entry["source"], entry["versions"] = reach.code(experiment.run)
        entry["points"] = experiment.points[entry["scale"]]
    (tmp_path / "figures").mkdir()
    (tmp_path / "figures/provenance.json").write_text(json.dumps(entries))
    return tmp_path


def edit(file, text):
    """A new file with this text; or in a file an old text is a new one, which is added where the old one is empty."""
    if isinstance(text, list):
        old, new = text
        before = file.read_text()
        assert old in before, f"{file} has no {old!r}"
        text = before.replace(old, new) if old else before + new
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text)


HMHS = {name for name in LIBRARY.figures if name.startswith("hmhs.")}
SEEDED = {name for name, figure in LIBRARY.figures.items() if figure.experiment == "mch.fig5"}
OF_OTHER_KERNELS = {"hmhs.table1", "hmhs.johnson", "hmhs.flow"}
STALE = {"eagle.fig9", "eagle.prototype", "lotes.stages", *SEEDED, *HMHS - OF_OTHER_KERNELS}
"""By a constant, a helper two modules away, another number of seeds and a kernel."""


def test_an_edit_makes_stale_exactly_the_figures_whose_run_reaches_it(copy):
    """All edits at once, those that no result depends on too: what the others make stale are figures of different papers."""
    edits = CASES["stale"]
    for files in (edits["harmless"] | edits["matters"]).values():
        for name, text in files.items():
            edit(copy / name, text)
    environment = os.environ | {
        "PYTHONPATH": f"{copy}{os.pathsep}{copy / 'notebooks'}",
        "NUMBA_DISABLE_JIT": "1",
        "SCHEDLIB_CACHE": str(copy / "cache"),
    }
    done = python("-m", "reproduce", "stale", cwd=copy, env=environment)
    assert set(done.stdout.splitlines()) == STALE
