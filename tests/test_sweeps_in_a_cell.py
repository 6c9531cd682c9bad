"""A sweep whose function is in a notebook's cell: edit, run, and the rows are right; run again, and it is stored."""

import json

import nbformat
import pytest
from nbclient import NotebookClient

FIRST = """
import functools, json, numba
import pandas as pd
import policies
from policies import power
from schedlib import sweeps
FACTOR = 2
class Rule:
    def __init__(self, step): self.step = step
    def __call__(self, x): return x + self.step
RULES = {"mine": Rule(3)}
def helper(x): return FACTOR * x
@functools.cache
def jobs(seed): return [seed, helper(seed)]
@numba.njit
def fast(x): return x + 0
"""
RUN = """
def run(load, seed):
    value = sum(jobs(seed)) + RULES["mine"](load) + fast(power() + policies.power())
    return pd.DataFrame({"x": [value if load in {1, "a", "b"} else -value]})
"""
SHOW = """
from schedlib.sweeps import store
points, seeds = sweeps.scales(sweeps.grid(load=[1, 2])), sweeps.scales(2)
mine = sweeps.Experiment("cell", "In a cell", run, points, seeds)
frame = sweeps.run(mine, "smoke", workers=1, progress=False)
print(json.dumps([frame["x"].tolist(), len(list(store.folder("cell").rglob("*.parquet")))]))
"""
FILE = "import pathlib\n_ = pathlib.Path('policies.py').write_text('def power(): return {}\\n')"
NEXT = [
    ("", [4, 7, -5, -8], 4),
    ("FACTOR = 3", [4, 8, -5, -9], 8),
    ("class Rule(Rule):\n    def __call__(self, x): return x - self.step\nRULES = {'mine': Rule(3)}", [-2, 2, 1, -3], 12),
    ("RULES = {'mine': Rule(4)}", [-3, 1, 2, -2], 16),
    ("def helper(x): return 0", [-3, -2, 2, 1], 20),
    (FILE.format(10), [17, 18, -18, -19], 24),
    ("@numba.njit\ndef fast(x): return x + 1", [18, 19, -19, -20], 28),
    ("scope = globals()\nexec('def run(load, seed): return pd.DataFrame({\"x\": [load * FACTOR]})', scope)", [3, 3, 6, 6], 32),
    (FIRST + FILE.format(0) + RUN, [4, 7, -5, -8], 32),
]  # fmt: skip


@pytest.fixture
def printed(tmp_path, own_cache):
    """Gives `printed(cells)`: the numbers that each cell prints in a kernel of its own."""

    def executed(cells):
        (tmp_path / "policies.py").write_text("def power(): return 0\n")
        notebook = nbformat.v4.new_notebook()
        notebook.cells = [nbformat.v4.new_code_cell(source) for source in cells]
        where = {"metadata": {"path": str(tmp_path)}}
        NotebookClient(notebook, timeout=300, kernel_name="python3", resources=where).execute()
        outputs = [output for cell in notebook.cells for output in cell.outputs]
        return [json.loads(output.text) for output in outputs if output.get("name") == "stdout"]

    return executed


def test_each_edit_of_a_notebook_gives_its_rows_and_what_is_as_it_was_is_stored(printed):
    edits, rows, entries = zip(*NEXT, strict=True)
    cells = [FIRST, RUN, *(part for edit in edits for part in (edit, SHOW))]
    assert printed(cells) == [list(pair) for pair in zip(rows, entries, strict=True)]
    # another kernel finds what the first has stored
    assert printed([FIRST, RUN, SHOW]) == [[rows[0], entries[-1]]]
