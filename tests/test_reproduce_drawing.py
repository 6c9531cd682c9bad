"""Papers' notebooks draw side by side."""

import pytest

from reproduce import notebooks
from schedlib.sweeps.experiment import Settings

FIGURES = ["hmhs.table1", "mch.fig1"]
"""Of two papers, at no cost."""


pytestmark = pytest.mark.usefixtures("own_cache")


def drawn(folder, workers):
    """The errors, and the files of both figures by name but for the times that provenance has."""
    errors = notebooks.draw(FIGURES, Settings("smoke", workers=workers), folder)
    files = [file for file in folder.glob("*/*") if file.is_file()]
    return errors, {file.relative_to(folder).as_posix(): file.read_bytes() for file in files}


def test_side_by_side_and_one_by_one_are_the_same_files(tmp_path):
    errors, together = drawn(tmp_path / "together", workers=2)
    assert errors == {} and {"hmhs/table1.md", "mch/fig1.svg"} <= set(together)
    assert drawn(tmp_path / "one-by-one", workers=1) == ({}, together)


def test_a_paper_that_stops_leaves_the_other_its_figures(tmp_path):
    (tmp_path / "hmhs/table1.md").mkdir(parents=True)  # where a file is to be written
    errors, files = drawn(tmp_path, workers=2)
    assert list(errors) == ["hmhs"] and "table1.md" in errors["hmhs"]
    assert "mch/fig1.svg" in files
