"""The book as it is committed: run top to bottom, short, sound, and still running."""

import json
import re

import pytest

from schedlib import paths
from schedlib.reproduce import notebooks

CHAPTERS = {name: file for name, file in notebooks.book().items() if not name.startswith("reproduce/")}
LONGEST_CELL = 15


def code_cells(file):
    return [cell for cell in json.loads(file.read_text())["cells"] if cell["cell_type"] == "code"]


@pytest.mark.parametrize("name", CHAPTERS)
def test_committed_as_run_from_top_to_bottom(name):
    cells = code_cells(CHAPTERS[name])
    assert [cell["execution_count"] for cell in cells] == list(range(1, len(cells) + 1))
    assert not [output for cell in cells for output in cell["outputs"] if output["output_type"] in ("error", "stderr")]


@pytest.mark.parametrize("name", CHAPTERS)
def test_short_enough_for_a_lecture(name):
    cells = code_cells(CHAPTERS[name])
    assert len(cells) <= 30
    assert max(len("".join(cell["source"]).splitlines()) for cell in cells) <= LONGEST_CELL


@pytest.mark.parametrize("name", CHAPTERS)
def test_explorers_show_a_picture_on_a_static_page(name):
    for cell in code_cells(CHAPTERS[name]):
        for output in cell["outputs"]:
            if "application/vnd.jupyter.widget-view+json" in output.get("data", {}):
                assert output["data"]["image/png"]


@pytest.mark.parametrize("name", [name for name in CHAPTERS if "/" not in name and not name.startswith("00")])
def test_every_chapter_has_solutions(name):
    assert f"solutions/{name}" in CHAPTERS


@pytest.mark.parametrize("name", CHAPTERS)
def test_still_runs(name):
    notebooks.executed(CHAPTERS[name])


def test_links_between_files_lead_somewhere():
    pages = [paths.checkout() / name for name in ("README.md", "data/README.md", "figures/README.md", "figures/CLAIMS.md")]
    for page in [*pages, *notebooks.book().values()]:
        text = page.read_text()
        if page.suffix == ".ipynb":
            text = "\n".join("".join(cell["source"]) for cell in json.loads(text)["cells"] if cell["cell_type"] == "markdown")
        for target in re.findall(r"\]\(([^)#\s]+)", text):
            assert target.startswith("http") or (page.parent / target).exists(), f"{page.name}: {target}"
