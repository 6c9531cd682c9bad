"""The evidence: running the book's experiments, drawing figures, judging claims.

import reproduce
frame = reproduce.run("hmhs.fig1", scale="smoke")   # tidy, and stored: the next call is instant
reproduce.show("hmhs.fig1", scale="smoke")          # drawn, written to files, displayed with its caption
reproduce.card("hmhs")                              # the paper's claims and what became of them
"""

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pandas as pd
from pandas import DataFrame

from reproduce import points, publish, registry
from schedlib import paths
from schedlib.sweeps import Experiment, SweepError
from schedlib.sweeps.experiment import Settings

if TYPE_CHECKING:
    from IPython.display import Markdown

__all__ = [
    "SweepError",
    "card",
    "claims",
    "experiments",
    "frame",
    "picture",
    "run",
    "show",
    "show_rest",
]
_shown: set[str] = set()


def experiments(only: registry.Names = None) -> DataFrame:
    """A frame of every figure and table: id, experiment, title, points and seeds at quick scale, state.

    `only`: papers, figures or experiments; None for all. `seeds`: those with which a sweep begins; `state`:
    `current` when the published files come from the present source, else `stale`; `-` without files.

    >>> list(experiments().columns)
    ['figure', 'experiment', 'title', 'kind', 'points', 'seeds', 'state']
    """
    library = registry.load()
    rows = []
    for figure in library.wanted_figures(only):
        experiment = library.experiments[figure.experiment]
        row = {
            "figure": figure.id,
            "experiment": experiment.id,
            "title": experiment.title,
            "kind": "table" if figure.plot is None else "figure",
            "points": len(experiment.points["quick"]),
            "seeds": experiment.analyses("quick")[0],
            "state": publish.status(figure.id, publish.out_folder()),
        }
        rows.append(row)
    return pd.DataFrame(rows)


def run(
    experiment: str | Experiment,
    scale: str = "quick",
    seeds: int | None = None,
    workers: int | None = None,
    dask: Any = None,
    progress: bool = True,
    refresh: bool = False,
) -> DataFrame:
    """The tidy frame of one of the book's experiments, by its id or that of one of its figures; stored when done.

    Arguments and errors are those of `sweeps.run`; an unknown name is a ValueError. Without `seeds`, as many are
    run as the claims need to be decided.

    See also: `sweeps.run`, `reproduce.show`, `reproduce.frame`.

    Not tried by the tests, since it takes seconds:

    >>> run("hmhs.fig1", "smoke", seeds=1, workers=1).columns[:2].tolist()  # doctest: +SKIP
    ['workload', 'jobs']
    """
    settings = Settings(scale, seeds, workers, dask, progress, refresh)
    return points.finished(experiment, settings).frame


def show(
    figure_id: str, only: registry.Names = None, out: str | Path | None = None, **settings: Any
) -> publish.Published | None:
    """Publish a figure and display it with its caption, as the pipeline's notebooks do.

    `settings` are scale, seeds, workers and dask, as for `run`; `out` is another folder than `figures/`. Gives
    None for a figure that `only` does not name, and for one whose experiment lacks its data here, which is
    printed.

    See also: `reproduce.show_rest`, `reproduce.picture`.

    Not tried by the tests, since it writes files to figures/:

    >>> show("hmhs.fig1", scale="smoke")  # doctest: +SKIP
    """
    library = registry.load()
    figure = library.figure(figure_id)
    _shown.add(figure_id)
    if figure not in library.wanted_figures(only):
        return None
    if lacking := library.experiments[figure.experiment].missing():
        print(f"{figure_id} is left as it is: {lacking}")
        return None
    published = publish.publish(figure_id, Settings(**settings), out)
    checkout = paths.checkout()
    beside = checkout is not None and published.files[0].is_relative_to(checkout)
    # git keeps the notebook that ran in its place: it keeps each picture once, in `figures`
    return replace(published, linked=beside and out is None)


def show_rest(paper: str, only: registry.Names = None, **settings: Any) -> None:
    """Publish and display the figures of a paper that this process has not shown yet, as `show` does.

    Not tried by the tests, since it writes files to figures/:

    >>> show_rest("hmhs", scale="smoke")  # doctest: +SKIP
    """
    from IPython.display import display

    for figure in registry.load().wanted_figures(paper):
        if figure.id not in _shown and (published := show(figure.id, only, **settings)):
            display(published)


def picture(figure_id: str, out: str | Path | None = None) -> publish.Published:
    """A published figure or table with its caption; nothing is run.

    `figure_id` is as "hmhs.fig1"; `out` another folder than `figures/`. Raises ValueError when it is not made yet.

    See also: `reproduce.frame`, `reproduce.show`.

    >>> picture("hmhs.fig1").id
    'hmhs.fig1'
    """
    if not isinstance(figure_id, str):
        raise TypeError(f"figure_id: {figure_id!r:.60}; needs a text, as 'hmhs.fig1'")
    folder = publish.out_folder(out=out)
    entry = publish.provenance(folder).get(figure_id)
    if entry is None:
        # an unknown name is an error of its own; papers load only for it
        registry.load().figure(figure_id)
        raise ValueError(
            f"figure_id: {figure_id} has not been made yet in {folder}; make figures ONLY={figure_id}"
        )
    paper = figure_id.partition(".")[0]
    files = tuple(folder / paper / name for name in entry["files"])
    return publish.Published(figure_id, entry["caption"], entry["alt"], files)


def frame(figure_id: str, out: str | Path | None = None) -> DataFrame:
    """The numbers behind a published figure or table; nothing is run. Arguments and errors are as for `picture`.

    See also: `reproduce.picture`, `reproduce.run`.

    >>> frame("hmhs.fig1").columns[:2].tolist()
    ['workload', 'jobs']
    """
    picture(figure_id, out)  # says what is wrong where there is none
    paper, _, name = figure_id.partition(".")
    return pd.read_csv(publish.out_folder(out=out) / paper / f"{name}.csv")


def claims(only: registry.Names = None, out: str | Path | None = None) -> DataFrame:
    """The written ledger as a frame, a row for each sentence of the papers; nothing is run.

    `only` names papers or claims; None gives all. `out` is another folder than `figures/`. Columns: id,
    paper, where, sentence, printed (the paper's number, a text), unit, measured, low, high (the ends of the
    95 % interval), runs, verdict (by the text: holds, in a window, undecided, fails, nothing to measure, the
    paper's slip, not testable), number (as printed, near, off, undecided: what became of the printed number),
    window (where along a column that the text leaves open it holds), together (in the paper's world: holds,
    fixed it, undecided, fails, nothing to measure), world_measured, world_low, world_high (there), never (whether
    it fails in every reading that was tried), others (what each other reading gives), cause, kind ("construction"
    and "own" are not counted), scale. Raises ValueError when there are no such rows.

    See also: `reproduce.card`.

    >>> claims("hmhs")["paper"].unique().tolist()
    ['hmhs']
    """
    from reproduce import ledger

    folder = publish.out_folder(out=out)
    rows = ledger.read(folder)
    names = registry.names_in(only)
    if names is not None:
        asked = rows["id"].isin(names) | rows["paper"].isin(names)
        rows = rows[asked]
    if rows.empty:
        whose = ", ".join(names or ["any paper"])
        raise ValueError(f"only: the ledger in {folder} has no claims of {whose} yet; make figures")
    return rows.reset_index(drop=True)


def card(only: registry.Names = None, out: str | Path | None = None) -> "Markdown":
    """The verdicts of the rows that `claims` gives, in one sentence that a notebook displays; nothing is run.

    See also: `reproduce.claims`.

    >>> type(card("hmhs")).__name__
    'Markdown'
    """
    from IPython.display import Markdown

    from reproduce import report

    return Markdown(report.card(claims(only, out)))
