"""Eagle's exhibits on the authors' own jobs: what is run on which file, and what is drawn where a file is missing."""

from types import SimpleNamespace

import pandas as pd
import pytest
from numpy.testing import assert_allclose

import reproduce
from frames import as_frame
from reproduce import publish, registry
from reproduce.exhibits.eagle import authors, authors_figures, drawing, fig2_4_rivals, laws
from schedlib import traces
from schedlib.eagle.workloads.synthetic import CUTOFF, WORKERS
from schedlib.sweeps import store, sweep
from schedlib.workload import Workload

WHOLE = authors.SOURCES[1:]
LIKE = {"yahoo": "YH1_sub.tr", "cloudera": "YH2_sub.tr", "google": "GOOG_subtrace.tr"}
"""Of the excerpts the one whose first jobs stand for a whole file, which is too large to fetch for a test."""


@pytest.fixture
def excerpts():
    """The folder with the authors' jobs."""
    if lacking := authors.missing(authors.EXCERPTS):
        pytest.skip(lacking)
    return traces.hawk_folder()


def test_busy_workers_are_counted_in_whole_intervals_from_then_to_the_last_submission():
    shares = as_frame("""
        time  all
           0  0.1
           4  0.3
           8  0.5
          12  0.9
          16  1.0
    """)
    done = SimpleNamespace(jobs=pd.DataFrame({"submit": [0.0, 13.0]}), utilisation=shares)
    assert authors.busy_since(done, since=3.0) == pytest.approx(0.4)


def test_as_written_is_run_under_names_of_its_own_with_either_kind_of_thieves():
    long, short = CUTOFF["yahoo"] + 1.5, 1.5
    jobs = Workload.from_arrays([0, 0], [long] * 3 + [short] * 3, tasks=[3, 3])
    for thieves in ("any", "general"):
        written = authors.one_system(f"hawk-{thieves}-written", jobs, "yahoo", 100, seed=0)
        assert written.system.thieves == thieves
        # as submitted durations would be whole seconds
        assert written.jobs["completion"].to_numpy() == pytest.approx([long, short], abs=0.01)


def test_what_the_paper_prints_for_a_trace_stands_beside_its_excerpts():
    assert fig2_4_rivals.printed_shares("yahoo-2") == fig2_4_rivals.printed_shares("yahoo") != {}


@pytest.mark.parametrize("source", authors.SOURCES, ids=lambda source: source.name)
def test_a_missing_file_is_named_with_the_command_that_fetches_it(source, tmp_path, monkeypatch):
    (tmp_path / "FB.tr").write_text("0 1 1 1\n")  # another trace of the same folder
    monkeypatch.setenv("SCHEDLIB_HAWK", str(tmp_path))
    first = next(iter(source.files.values()))
    for experiment in authors.experiments(source):
        assert experiment.missing().startswith(f"{first} is not here")
        assert experiment.missing().endswith(f"python -m schedlib data {source.fetch}")
        assert experiment.data_files({"file": first}) == []
    for file in source.files.values():
        (tmp_path / file).write_text("0 1 1 1\n")
    for experiment in authors.experiments(source):
        assert experiment.missing() == ""
        assert experiment.data_files({"file": first}) == [tmp_path / first]


@pytest.mark.parametrize("source", WHOLE, ids=lambda source: source.name)
def test_a_whole_file_is_run_and_drawn_as_the_excerpts_are(source, excerpts, tmp_path, monkeypatch):
    (trace, file) = next(iter(source.files.items()))
    jobs = traces.read_hawk(excerpts / LIKE[trace]).head(1_000)
    traces.write_hawk(jobs, tmp_path / file)
    monkeypatch.setenv("SCHEDLIB_HAWK", str(tmp_path))
    frames = {}
    for experiment in authors.experiments(source):
        blocks = []
        for point in experiment.points["smoke"]:
            task = store.Task(experiment.id, point, 0, {}, path=tmp_path, exhibit=True)
            blocks.append(sweep.labelled(experiment.run(seed=0, **point), task))
        frames[experiment.id] = pd.concat(blocks, ignore_index=True)
    figures = authors_figures.figures(source)
    assert {figure.experiment for figure in figures} == set(frames)
    for figure in figures:
        frame = frames[figure.experiment]
        shown = figure.part(frame)
        assert (
            publish.pictures_of(figure, shown, "words", "words")["svg"]
            if figure.plot
            else len(shown)
        )
        caption = figure.caption(shown) if callable(figure.caption) else figure.caption
        assert len(caption.split()) <= 60


def test_the_complete_parts_of_the_excerpts_hold_what_table_1_says_of_whole_traces(excerpts):
    def contents(source, trace):
        rows = laws.run_inputs(source, trace, seed=0)
        return rows[rows["quantile"].isna()].set_index("quantity")["value"]

    for source in ("excerpt 1", "excerpt 2"):
        yahoo = contents(source, "yahoo")
        assert_allclose(yahoo["long jobs (%)"], 9.41, atol=0.7)
        assert_allclose(yahoo["their share of the work (%)"], 98, atol=1.0)
    google = contents("excerpt", "google")
    assert google["long jobs (%)"] == pytest.approx(8.1, abs=0.05)
    workers = google["offered load of the fewest workers (%)"] / 100 * WORKERS["google"][0]
    assert workers == pytest.approx(12_254, abs=10)
    jobs = authors.jobs_of(authors.EXCERPTS.files["google"])
    assert authors.complete_from(jobs) == pytest.approx(1_472_136, abs=0.5)


def test_no_series_of_an_excerpt_is_left_out_of_a_picture():
    frame = pd.DataFrame({"trace": ["yahoo-2", "google", "yahoo-1"]})
    assert drawing.traces_of(frame) == ["google", "yahoo-1", "yahoo-2"]


def test_a_world_tried_holds_as_many_sentences_as_it_says():
    rows = reproduce.claims("eagle")
    for said in registry.load().readings["eagle"].worlds[0].tried:
        name = said.partition(":")[0]
        under = rows[rows["others"].str.contains(name)]
        hold = under["others"].str.contains(f"{name}[^:]*: holds").sum()
        assert said == (
            f"{name}: {hold} of {len(under)} hold, {sum(under['verdict'] == 'holds')} in the world"
        )
