"""Running the papers' experiments, drawing their figures, judging their claims: what a notebook or the shell needs.

    from schedlib import reproduce
    frame = reproduce.run("hmhs.fig1", scale="smoke")   # tidy, and stored: the next call is instant
    reproduce.show("hmhs.fig1", scale="smoke")          # drawn, written to files, displayed with its caption
    reproduce.card("hmhs")                              # the paper's claims and what became of them
"""

from schedlib.reproduce.sweep import SweepError, run

__all__ = ["SweepError", "card", "claims", "experiments", "frame", "picture", "run", "show"]


def experiments(only=None):
    """A frame that lists every figure and table: id, experiment, title, points and seeds at quick scale, and its state.

    `state` is `current` when the published files come from the source as it is, `stale` when not, `-` when there are none.

    >>> list(experiments().columns)
    ['figure', 'experiment', 'title', 'kind', 'points', 'seeds', 'state']
    """
    import pandas as pd

    from schedlib.reproduce import provenance, registry
    from schedlib.reproduce.publish import out_folder

    library = registry.load()
    rows = []
    for figure in library.wanted_figures(only):
        experiment = library.experiments[figure.experiment]
        kind = "table" if figure.plot is None else "figure"
        size = (len(experiment.points["quick"]), experiment.seeds["quick"])
        rows.append((figure.id, experiment.id, experiment.title, kind, *size, provenance.status(figure.id, out_folder())))
    return pd.DataFrame(rows, columns=["figure", "experiment", "title", "kind", "points", "seeds", "state"])


def show(figure_id: str, only=None, **settings):
    """Publish a figure and display it with its caption: one line per figure in the pipeline's notebooks.

    `settings` are those of `publish.publish` (scale, seeds, workers, dask, out). A figure that `only` does not name is left
    alone, and so is one whose experiment lacks its data here, which is said; None is then given.
    """
    from schedlib.reproduce import publish, registry

    library = registry.load()
    figure = library.figure(figure_id)
    if figure not in library.wanted_figures(only):
        return None
    if lacking := library.experiments[figure.experiment].missing():
        print(f"{figure_id} is left as it is: {lacking}")
        return None
    return publish.publish(figure_id, **settings)


def picture(figure_id: str, out=None):
    """A published figure or table as it lies in the figures folder, with its caption; nothing is run.

    Raises ValueError when it has not been made yet.
    """
    from schedlib.reproduce import provenance, registry
    from schedlib.reproduce.publish import Published, out_folder

    folder = out_folder(out=out)
    entry = provenance.read(folder).get(registry.load().figure(figure_id).id)
    if entry is None:
        raise ValueError(f"{figure_id} has not been made yet: make figures ONLY={figure_id}")
    files = tuple(folder / figure_id.partition(".")[0] / name for name in entry["files"])
    return Published(figure_id, entry["caption"], entry["alt"], files)


def frame(figure_id: str, out=None):
    """The numbers behind a published figure or table as they lie in the figures folder, a tidy frame; nothing is run.

    Raises ValueError when it has not been made yet.

    >>> frame("hmhs.fig1").columns[:2].tolist()
    ['workload', 'jobs']
    """
    import pandas as pd

    (file,) = [file for file in picture(figure_id, out).files if file.name == f"{figure_id.partition('.')[2]}.csv"]
    return pd.read_csv(file)


def claims(only=None, out=None):
    """The written ledger as a frame, a row for each claim and its verdict; nothing is run.

    `only` names papers or claims; None gives all. Columns: id, paper, where, claim, metric, unit, paper_value, how_read, check,
    tolerance, measured, ci95, verdict, reason. Raises ValueError when the ledger has no such rows yet.

    >>> claims("hmhs")["paper"].unique().tolist()
    ['hmhs']
    """
    from schedlib.reproduce import ledger, registry
    from schedlib.reproduce.publish import out_folder

    frame, names = ledger.read(out_folder(out=out)), registry.names_in(only)
    rows = frame if names is None else frame[frame["id"].isin(names) | frame["paper"].isin(names)]
    if rows.empty:
        raise ValueError(f"the ledger has no claims of {only or 'any paper'} yet: make figures")
    return rows.reset_index(drop=True)


def card(only=None, out=None):
    """The rows that `claims` gives as a report card, which a notebook displays; nothing is run."""
    from IPython.display import Markdown

    from schedlib.reproduce import report

    return Markdown(report.card(claims(only, out)))
