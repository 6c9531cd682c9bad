"""Notebooks make the figures, say where they stopped, and are the same bytes when run again."""

import json

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook

import toy_experiments as toy
from reproduce import notebooks, publish, registry
from reproduce.figure import Figure
from reproduce.sentences import Sentence
from schedlib import paths
from schedlib.sweeps import store
from schedlib.sweeps.experiment import Settings


@pytest.fixture(autouse=True)
def checkout(tmp_path, monkeypatch):
    """A checkout of its own, with an empty book and a cache."""
    for name in ("figures", "notebooks/reproduce", "notebooks/solutions"):
        (tmp_path / name).mkdir(parents=True)
    monkeypatch.setenv("SCHEDLIB_CACHE", str(tmp_path / "data/cache"))
    monkeypatch.setattr(paths, "checkout", lambda: tmp_path)
    monkeypatch.setattr(registry, "load", lambda: toy.REGISTRY)
    return tmp_path


def save(file, *cells):
    nbformat.write(new_notebook(cells=list(cells)), file)
    return file


SMOKE = Settings("smoke", workers=1)
PARAMETERS = "scale, seeds, only, workers, dask, out = 'quick', None, None, 1, None, None"
INSTALL = f"import sys; sys.path.insert(0, {str(toy.TESTS)!r}); import toy_experiments; toy_experiments.install()"
SHOW = (
    "reproduce.show({!r}, only=only, scale=scale, seeds=seeds, workers=workers, dask=dask, out=out)"
)


@pytest.fixture
def paper(checkout):
    return save(
        checkout / "notebooks/reproduce/hmhs.ipynb",
        new_code_cell(PARAMETERS, metadata={"tags": ["parameters"]}),
        new_code_cell(f"{INSTALL}\nimport reproduce"),
        new_code_cell(SHOW.format("hmhs.toy")),
        new_code_cell(SHOW.format("hmhs.toy-table")),
    )


def mean_value(frame):
    return frame.groupby("seed")["value"].mean()


def with_another(monkeypatch, experiment, *shown):
    """The toys' registry with an experiment more, the figures that show it, and a claim on it, `hmhs.another`."""
    asked = ("S", "words", "order", "", "s", experiment.id, mean_value)
    known = toy.REGISTRY
    figures = [Figure(name, experiment.id, None, "Words.", "Words.") for name in shown]
    library = registry.Registry.of(
        [toy.TOY, experiment],
        [*known.figures.values(), *figures],
        [*known.claims.values(), Sentence("hmhs.another", *asked)],
    )
    monkeypatch.setattr(registry, "load", lambda: library)


def test_figures_of_a_trial_stay_out_of_the_committed_ones(checkout, paper, capfd, monkeypatch):
    """With a claim on an experiment that no figure shows."""
    with_another(monkeypatch, toy.experiment(toy.counted, checkout))
    committed = paper.read_bytes()
    folder = notebooks.figures(SMOKE)
    assert folder == checkout / "data/cache/figures-smoke"
    for name in ("README.md", "CLAIMS.md", "hmhs/toy.svg", "hmhs/toy-table.md"):
        assert (folder / name).exists()
    assert list((checkout / "figures").iterdir()) == [] and paper.read_bytes() == committed
    said = capfd.readouterr().err
    assert "all points (smoke): 7 points to run" in said
    assert "drawing 2 figures and tables (smoke)" in said
    assert (checkout / "data/cache/notebooks/hmhs.smoke.ipynb").exists()
    assert len(toy.executions(checkout)) == 6
    rows = (folder / "claims.csv").read_text().splitlines()
    assert [",holds," in row for row in rows if row.startswith("hmhs.another,")] == [True]


def test_one_figure_alone_goes_where_asked(checkout, paper, tmp_path):
    folder = notebooks.figures(Settings(workers=1), "hmhs.toy", tmp_path / "here")
    assert folder == tmp_path / "here"
    assert list(json.loads((folder / "provenance.json").read_text())) == ["hmhs.toy"]
    claims = (folder / "claims.csv").read_text()
    assert "hmhs.twice" in claims and "hmhs.big" not in claims


def test_what_the_papers_print_is_run_and_drawn_first(checkout, monkeypatch, capfd):
    with_another(monkeypatch, toy.experiment(toy.counted, checkout), "hmhs.fig7")
    drawn = []

    def execute(paper, parameters):
        stored = store.folder(toy.TOY.id)
        drawn.append((parameters["only"], any(stored.glob("*.parquet"))))

    monkeypatch.setattr(notebooks, "execute", execute)
    notebooks.figures(SMOKE)
    assert drawn == [("hmhs.fig7", False), ("hmhs.toy,hmhs.toy-table", True)]
    first, after = capfd.readouterr().err.split("has what the papers print: 1 exhibits")
    assert "drawing 1 figures" in first and "drawing 2 figures" in after


def test_failing_notebook_tells_its_last_lines_and_where_it_is(checkout, monkeypatch, capfd):
    """What the papers print is then not said to be there."""
    with_another(monkeypatch, toy.experiment(toy.counted, checkout), "hmhs.fig7")
    failing = new_code_cell("def f():\n    raise KeyError('no such machine')\nf()")
    save(checkout / "notebooks/reproduce/hmhs.ipynb", failing)
    with pytest.raises(notebooks.NotebookError) as caught:
        notebooks.figures(SMOKE, "hmhs.fig7")
    assert "what the papers print" not in capfd.readouterr().err
    said = str(caught.value)
    assert "KeyError: 'no such machine'" in said and "\x1b" not in said
    assert "hmhs.smoke.ipynb stopped" in said


def test_failing_point_costs_its_figures_and_no_other(checkout, paper, monkeypatch, capfd):
    with_another(monkeypatch, toy.experiment(toy.fragile, checkout), "hmhs.toy-broken")
    with pytest.raises(notebooks.NotebookError) as caught:
        notebooks.figures(SMOKE)
    said = str(caught.value)
    assert "hmhs.toy-fragile: 2 points failed" in said and "stopped" not in said
    assert "seed 0 and 1 more: ArithmeticError: two jobs are one too many" in said
    folder = publish.out_folder("smoke")
    assert set(publish.provenance(folder)) == {"hmhs.toy", "hmhs.toy-table"}
    ledger = (folder / "claims.csv").read_text()
    assert "hmhs.twice" in ledger and "hmhs.big" in ledger and "hmhs.another" not in ledger


def test_killed_kernel_says_that_the_same_command_goes_on(checkout):
    suicide = new_code_cell("import os, signal\nos.kill(os.getpid(), signal.SIGKILL)")
    save(checkout / "notebooks/reproduce/hmhs.ipynb", suicide)
    with pytest.raises(
        notebooks.NotebookError, match="kernel was killed.*the same command goes on"
    ):
        notebooks.figures(SMOKE, "hmhs")


CHAPTER = (
    new_markdown_cell("# A chapter"),
    new_code_cell(
        "import sys\nprint('one', flush=True)\nprint('warning', file=sys.stderr, flush=True)\nprint('two')"
    ),
    new_code_cell("import ipywidgets\nobject()"),
    new_code_cell("ipywidgets.HBox([ipywidgets.IntSlider(3), ipywidgets.Label('x')])"),
    new_code_cell("object()"),
    new_code_cell("import time\ntime.perf_counter()", metadata={"tags": ["live"]}),
)


def test_notebook_run_twice_is_the_same_bytes_and_keeps_its_outputs(checkout):
    file = save(checkout / "notebooks/01-toy.ipynb", *CHAPTER)
    assert notebooks.notebooks("01") == ["01-toy"]
    first = file.read_bytes()
    assert notebooks.notebooks("01-toy") == []
    assert file.read_bytes() == first
    book = nbformat.reads(first.decode(), as_version=4)
    nbformat.validate(book)
    assert book.cells[1].outputs == [
        {"output_type": "stream", "name": "stdout", "text": "one\ntwo\n"}
    ]
    assert book.cells[2].outputs[0].data["text/plain"] == "<object at 0x0>"
    view = book.cells[3].outputs[0].data["application/vnd.jupyter.widget-view+json"]
    assert (
        view["model_id"] in book.metadata.widgets["application/vnd.jupyter.widget-state+json"].state
    )
    assert all("execution" not in cell.metadata for cell in book.cells)
    assert len({cell.id for cell in book.cells}) == len(book.cells)


def test_a_notebook_that_fails_stays_as_it_was(checkout):
    good = save(checkout / "notebooks/01-good.ipynb", new_code_cell("print(1)"))
    bad = save(checkout / "notebooks/solutions/01-good.ipynb", new_code_cell("1 / 0"))
    before = good.read_bytes(), bad.read_bytes()
    with pytest.raises(notebooks.NotebookError, match="ZeroDivisionError"):
        notebooks.notebooks()
    assert good.read_bytes() != before[0] and bad.read_bytes() == before[1]
