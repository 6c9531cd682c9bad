"""Regenerating the figures: a paper's notebook run by papermill, then the ledger and the gallery."""

import os
import sys
from pathlib import Path
from typing import Any

from schedlib import paths
from schedlib.reproduce import estimate, gallery, ledger, publish, registry
from schedlib.reproduce.notebooks import CELL_TIMEOUT, QUIET, NotebookError, last_lines


def figures(only: registry.Names = None, scale: str = "quick", out: str | Path | None = None,
            workers: int | None = None, dask: str | None = None, seeds: int | None = None) -> Path:
    """Regenerate figures, tables, claims and the gallery; gives the folder they are in. `only` names papers
    or figures; `out` another folder than the scale's own (see `publish.out_folder`). Every paper is tried;
    then NotebookError tells which notebooks stopped, and where to look."""
    library = registry.load()
    wanted = library.wanted_figures(only)
    if not wanted:
        raise ValueError("there is no figure to make here: see python -m schedlib list")
    folder = publish.out_folder(scale, seeds, out).resolve()
    expected = estimate.before(only, scale, seeds, workers)
    print(f"{len(wanted)} figures and tables ({scale}): {expected}", file=sys.stderr)
    settings = {"scale": scale, "seeds": seeds, "workers": workers, "dask": dask, "out": str(folder)}
    failed, finished = [], []
    for paper in library.papers():
        names = [figure.id for figure in wanted if figure.id.startswith(f"{paper}.")]
        whole = len(names) == len(library.wanted_figures(paper))
        try:
            if names:
                execute(paper, {**settings, "only": None if whole else ",".join(names)})
                finished += [paper] if whole else names
        except NotebookError as error:
            failed.append(str(error))
    try:
        if finished:
            ledger.write(ledger.judged(scale, finished, seeds, workers, dask), folder)
    except ValueError as error:
        failed.append(str(error))
    gallery.write(folder)
    if failed:
        raise NotebookError("\n".join(failed))
    return folder


def execute(paper: str, parameters: dict[str, Any]) -> Path:
    """Run `notebooks/reproduce/<paper>.ipynb` with these parameters; gives the executed copy in the cache.
    Raises NotebookError when it stops or is missing."""
    import papermill

    root = paths.checkout()
    notebook = root / "notebooks" / "reproduce" / f"{paper}.ipynb" if root else None
    if notebook is None or not notebook.exists():
        raise NotebookError(f"notebooks/reproduce/{paper}.ipynb is missing: it makes the figures")
    copy = paths.cache_folder("notebooks") / f"{paper}.{parameters['scale']}.ipynb"
    if sys.stderr.isatty():
        os.environ["SCHEDLIB_TERMINAL"] = "1"
    print(f"{paper}: running notebooks/reproduce/{paper}.ipynb", file=sys.stderr)
    try:
        papermill.execute_notebook(notebook, copy, parameters, kernel_name="python3", language="python",
                                   cwd=str(notebook.parent), progress_bar=False, stderr_file=sys.stderr,
                                   execution_timeout=24 * CELL_TIMEOUT, extra_arguments=QUIET)
    except papermill.PapermillExecutionError as error:
        raise NotebookError(last_lines(str(error), copy)) from None
    return copy
