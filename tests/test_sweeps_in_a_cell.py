"""A sweep whose function is in a notebook's cell: edit, run, and the rows are right; run again, and it is stored."""

import json

import nbformat
import pytest
from nbclient import NotebookClient

from cases import CASES

CELLS = CASES["sweeps_in_a_cell"]
FIRST, RUN = CELLS["first"], CELLS["run"]
SHOW = """
from schedlib.sweeps import store
points, seeds = sweeps.scales(sweeps.grid(load=[1, 2])), sweeps.scales(2)
mine = sweeps.Experiment("cell", "In a cell", run, points, seeds)
frame = sweeps.run(mine, "smoke", workers=1, progress=False)
print(json.dumps([frame["x"].tolist(), len(list(store.folder("cell").rglob("*.parquet")))]))
"""
BACK = "import pathlib\n_ = pathlib.Path('policies.py').write_text('def power(): return 0\\n')\n"


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
    edits = CELLS["edits"]
    expected = [[edit["rows"], edit["stored"]] for edit in edits]
    sources = [*(edit["source"] for edit in edits), FIRST + BACK + RUN]
    cells = [FIRST, RUN, *(part for source in sources for part in (source, SHOW))]
    first, last = edits[0]["rows"], edits[-1]["stored"]
    assert printed(cells) == [*expected, [first, last]]
    # another kernel finds what the first has stored
    assert printed([FIRST, RUN, SHOW]) == [[first, last]]
