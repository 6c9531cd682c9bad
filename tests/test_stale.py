"""Which published figures an edit makes stale, tried on a copy of the tree: none that it cannot change, and all that it can."""

import json
import os
import shutil

import pytest

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
EXHIBIT = """
import pandas as pd
from reproduce.figure import Figure
from schedlib.sweeps import Experiment, scales
def run(seed):
    return pd.DataFrame({"x": [seed]})
EXPERIMENTS = (Experiment("PAPER.new", "New", run, scales([{}]), scales(1)),)
FIGURES = (Figure("PAPER.new", "PAPER.new", None, "A new table.", "A table of one row."),)
"""
RECORD = """
from schedlib.plots.papers import Paper
PAPER = Paper(key="sixth", title="Sixth", order=6, labels={"sixth": "Sixth"}, first_result="print(6)")
"""
HARMLESS = {
    "a paper": {
        "schedlib/plots/papers/sixth.py": RECORD,
        "schedlib/sixth/__init__.py": "",
        "notebooks/reproduce/exhibits/sixth/__init__.py": "",
        "notebooks/reproduce/exhibits/sixth/new.py": EXHIBIT.replace("PAPER", "sixth"),
    },
    "a trace reader": {
        "schedlib/traces/mine.py": "def read_mine(path):\n    return path\n",
        "schedlib/traces/__init__.py": (None, "\nfrom schedlib.traces.mine import read_mine\n"),
    },
    "an exhibit": {"notebooks/reproduce/exhibits/mch/new.py": EXHIBIT.replace("PAPER", "mch")},
    "a claim": {
        "notebooks/reproduce/exhibits/mch/claims.toml": (
            None,
            '\n[[claim]]\nid = "new"\nwhere = "S"\nsentence = "A new claim"\nsays = "words"\ncause = "new"\n',
        )
    },
    "a measure": {"notebooks/reproduce/exhibits/mch/measures.py": (None, "\nLIMIT = 10\n")},
    "a label": {"notebooks/reproduce/exhibits/mch/guarantee.py": ("dominant share (%)", "share (%)")},
    "a caption": {"notebooks/reproduce/exhibits/mch/guarantee.py": ("FIGURES = (", "WORDS = 'other'\nFIGURES = (")},
    "a docstring and a comment": {"schedlib/mch/fluid.py": (None, "\n# A comment.\n'A text.'\n")},
}  # fmt: skip


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


MATTERS = {
    "a constant that a run uses": (
        {"schedlib/eagle/workloads/samples.py": ("SAMPLE_NODES = 100", "SAMPLE_NODES = 101")},
        {"eagle.fig9", "eagle.prototype"},
    ),
    "a kernel": (
        {"schedlib/hmhs/min_min.py": ("range(", "range(0 + ")},
        HMHS - {"hmhs.table1", "hmhs.johnson", *ARRIVING},
    ),
    "a helper two modules away": (
        {"schedlib/lotes/planning/generation.py": ("np.int64", "np.int32")},
        {"lotes.stages"},
    ),
    "another number of seeds": (
        {"notebooks/reproduce/exhibits/mch/fig5_cost.py": ("scales(2, 5, 3)", "scales(2, 6, 3)")},
        SEEDED,
    ),
}


def edit(tree, files):
    """Edit files of the tree: file to whole text, (old, new), or (None, what is added)."""
    for name, text in files.items():
        file = tree / name
        if isinstance(text, tuple):
            old, new = text
            before = file.read_text()
            assert old is None or old in before, f"{name} has no {old!r}"
            text = before + new if old is None else before.replace(old, new)
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)


def test_an_edit_makes_stale_exactly_the_figures_whose_run_reaches_it(copy):
    """All edits at once, those that no result depends on too: what the others make stale are figures of different papers."""
    edits, expected = zip(*MATTERS.values(), strict=True)
    for files in (*HARMLESS.values(), *edits):
        edit(copy, files)
    printed = call(copy, "-m", "reproduce", "stale").splitlines()
    assert set(printed) == set().union(*expected)
