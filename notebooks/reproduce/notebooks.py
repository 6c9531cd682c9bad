"""Running notebooks: the book's, which change only when an output does, and those that make figures."""

import contextlib
import hashlib
import json
import re
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from reproduce import gallery, ledger, points, publish, registry
from reproduce.registry import Names, names_in
from schedlib import paths
from schedlib.plots import papers
from schedlib.sweeps import sweep
from schedlib.sweeps.experiment import Settings

Json = dict[str, Any]
"""A part of a notebook, as its file has it."""
CELL_TIMEOUT = 3600
# a kernel logs its transport and the interrupt that ends it: nothing that a reader can use
QUIET = ["--log-level=50"]
# the book's kernels keep pictures for phones, too; a reader's need not draw them
PHONES = ['--IPKernelApp.exec_lines=__import__("reproduce.narrow").narrow.keep()']


KILLED = (
    "stopped: its kernel was killed (out of memory?); what was finished is kept, and the same command "
    "goes on from there"
)


class NotebookError(RuntimeError):
    """A notebook stopped with an error; the message ends with the error's last lines and where to look."""


def book() -> dict[str, Path]:
    """Every notebook of the checkout by name: chapters, `solutions/...` and `reproduce/...`. Raises
    ValueError when schedlib was installed without its checkout."""
    if (root := paths.checkout()) is None:
        raise ValueError("the notebooks are in the checkout: clone it and run there")
    folder = root / "notebooks"
    files: list[Path] = []
    for inside in (".", "solutions", "reproduce"):
        files += (folder / inside).glob("*.ipynb")
    return {file.relative_to(folder).with_suffix("").as_posix(): file for file in sorted(files)}


def chosen(only: Names = None) -> dict[str, Path]:
    """The notebooks that `only` asks for, by name, by the last part of the name, or by a chapter's number."""
    files = book()
    names = names_in(only)
    if names is None:
        return files
    asked: dict[str, Path] = {}
    for name in names:
        wanted = name.removesuffix(".ipynb").removeprefix("notebooks/")
        named = [
            key for key in files if wanted in (key, Path(key).name) or key.startswith(f"{wanted}-")
        ]
        if not named:
            from schedlib.core.checks import unknown

            raise unknown("notebook", name, files, "by name or by chapter number")
        asked |= {key: files[key] for key in named}
    return asked


def notebooks(only: Names = None) -> list[str]:
    """Execute notebooks in place and normalise them; gives the names of those that changed. What a cell with
    the tag `live` measures as it runs does not count as a change.

    All are tried; then NotebookError says which stopped with an error.
    """
    changed = []
    failed = []
    for name, file in chosen(only).items():
        print(f"notebook {name}", file=sys.stderr)
        try:
            text = executed(file)
        except NotebookError as error:
            failed.append(str(error))
            continue
        if _settled(text) != _settled(file.read_text(encoding="utf-8")):
            changed.append(name)
            file.write_text(text, encoding="utf-8")
    if failed:
        raise NotebookError("\n".join(failed))
    return changed


def figures(settings: Settings, only: Names = None, out: str | Path | None = None) -> Path:
    """Regenerate figures, tables, claims and the gallery; gives the folder they are in. `only` names papers
    or figures; `out` another folder than the scale's own (see `publish.out_folder`).

    What the papers print comes first: it is run, drawn, and a line says that it is there. Then come the other
    figures and what verdicts need. A figure whose points failed stays as it is, and every paper is tried. Then
    NotebookError tells what failed.
    """
    library = registry.load()
    wanted = library.wanted_figures(only)
    if not wanted:
        raise ValueError("there is no figure to make here: see python -m reproduce list")
    folder = publish.out_folder(settings.scale, settings.seeds, out).resolve()
    done: dict[str, sweep.Sweep] = {}
    errors: dict[str, str] = {}  # by experiment or paper
    for printed in (True, False):
        exhibits = [figure for figure in wanted if figure.printed == printed]
        behind = [figure.experiment for figure in exhibits] if printed else library.behind(only)
        missing = [library.experiments[name] for name in behind if name not in {*done, *errors}]
        for name, result in points.complete(missing, settings).items():
            if isinstance(result, sweep.Sweep):
                done[name] = result
            else:
                errors[name] = str(result)
        drawn = [figure.id for figure in exhibits if figure.experiment not in errors]
        errors |= draw(drawn, settings, folder)
        there = sum(figure.experiment in done for figure in exhibits)
        if printed and there and not errors:
            print(f"{folder} has what the papers print: {there} exhibits", file=sys.stderr)
    claims = [claim for claim in library.wanted_claims(only) if claim.paper not in errors]
    try:
        ledger.write(ledger.judged_on(done, claims, settings.scale, folder), folder)
    except ValueError as error:
        errors["ledger"] = str(error)
    gallery.write(folder)
    if errors:
        raise NotebookError("\n".join(errors.values()))
    return folder


def draw(names: Sequence[str], settings: Settings, folder: Path) -> dict[str, str]:
    """Draw figures into the folder by their papers' notebooks, side by side; gives the errors of those that
    stopped, by paper."""
    from joblib import Parallel, cpu_count, delayed

    passed_on = ("scale", "seeds", "workers", "dask")
    parameters = {name: getattr(settings, name) for name in passed_on} | {"out": str(folder)}
    if not names:
        return {}
    print(f"drawing {len(names)} figures and tables ({settings.scale})", file=sys.stderr)
    drawings = []
    for paper in papers.KEYS:
        if own := [name for name in names if name.startswith(f"{paper}.")]:
            drawings.append(delayed(stopped)(paper, parameters | {"only": ",".join(own)}))
    together = min(settings.workers or cpu_count(), len(drawings))
    return {paper: error for paper, error in Parallel(together)(drawings) if error}


def stopped(paper: str, parameters: dict[str, Any]) -> tuple[str, str]:
    """Run a paper's notebook by `execute`; gives the paper and why it stopped, "" where it did not."""
    try:
        execute(paper, parameters)
    except NotebookError as error:
        return paper, str(error)
    return paper, ""


def execute(paper: str, parameters: dict[str, Any]) -> Path:
    """Run `notebooks/reproduce/<paper>.ipynb` with these parameters; gives the executed copy in the cache.
    Raises NotebookError when it stops or is missing."""
    with paths.extra("book"):
        import papermill

    root = paths.checkout()
    notebook = root / "notebooks" / "reproduce" / f"{paper}.ipynb" if root else None
    if notebook is None or not notebook.exists():
        raise NotebookError(f"notebooks/reproduce/{paper}.ipynb is missing: it makes the figures")
    copy = paths.cache_folder("notebooks") / f"{paper}.{parameters['scale']}.ipynb"
    print(f"{paper}: running notebooks/reproduce/{paper}.ipynb", file=sys.stderr)
    with kernel(copy) as sockets:
        papermill.execute_notebook(
            notebook,
            copy,
            parameters,
            kernel_name="python3",
            language="python",
            cwd=str(notebook.parent),
            progress_bar=False,
            stderr_file=sys.stderr,
            execution_timeout=CELL_TIMEOUT,
            shutdown_kernel="immediate",  # so that Ctrl-C need not wait for a cell
            extra_arguments=QUIET,
            config=sockets,
        )
    return copy


@contextlib.contextmanager
def kernel(notebook: Path) -> Iterator[Any]:
    """The settings of a kernel whose sockets are files: kernels that start at one time may choose the same port.

    Raises NotebookError, which names the notebook to look at, when it stops.
    """
    with paths.extra("book"):
        from nbclient.exceptions import CellExecutionError, DeadKernelError
        from papermill import PapermillExecutionError
        from traitlets.config import Config

    with tempfile.TemporaryDirectory() as folder:
        try:
            yield Config(KernelManager={"transport": "ipc", "ip": f"{folder}/kernel"})
        except (CellExecutionError, PapermillExecutionError) as error:
            raise NotebookError(last_lines(str(error), notebook)) from None
        except DeadKernelError:
            raise NotebookError(f"notebook {notebook} {KILLED}") from None


def _settled(text: str) -> Json:
    """A notebook without what its cells with the tag `live` print: no two runs measure the same."""
    book = json.loads(text)
    for cell in book["cells"]:
        if "live" in cell["metadata"].get("tags", []):
            cell["outputs"] = []
    return book


def executed(file: Path) -> str:
    """The text of a notebook after running it in its own folder, normalised. Raises NotebookError."""
    with paths.extra("book"):
        import nbclient
        import nbformat

    book = nbformat.read(file, as_version=4)
    with kernel(file) as sockets:
        nbclient.execute(
            book,
            cwd=str(file.parent),
            timeout=CELL_TIMEOUT,
            kernel_name="python3",
            extra_arguments=QUIET + PHONES,
            config=sockets,
        )
    return normalised(book)


def last_lines(error: str, file: Path) -> str:
    """The end of a notebook's traceback without colours, and the notebook to look at."""
    lines = [line for line in re.sub(r"\x1b\[[0-9;]*m", "", error).splitlines() if line.strip()]
    return f"notebook {file} stopped:\n  " + "\n  ".join(lines[-5:])


def normalised(book: Json) -> str:
    """A notebook as text without what differs from run to run although nothing changed. Goes: times,
    papermill's notes, standard error, the interpreter's version. Made alike: cell and widget ids, addresses
    in object names, the pieces in which printed text arrived."""
    book = json.loads(json.dumps(book))
    book["metadata"] = {
        key: value for key, value in book["metadata"].items() if key == "widgets"
    } | {
        "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
        "language_info": {"name": "python"},
    }
    seen: Counter[str] = Counter()
    for cell in book["cells"]:
        for key in ("execution", "papermill", "ExecuteTime"):
            cell["metadata"].pop(key, None)
        digest = hashlib.sha256("".join(cell["source"]).encode()).hexdigest()[:8]
        seen[digest] += 1
        cell["id"] = digest if seen[digest] == 1 else f"{digest}-{seen[digest]}"
        if cell["cell_type"] == "code":
            cell["outputs"] = _outputs(cell["outputs"])
    return _with_even_widget_ids(book)


def _outputs(outputs: list[Json]) -> list[Json]:
    kept: list[Json] = []
    for output in outputs:
        if output["output_type"] == "stream":
            if output["name"] == "stderr":
                continue
            output["text"] = _addresses(output["text"])
            if kept and kept[-1]["output_type"] == "stream":
                kept[-1]["text"] += output["text"]
                continue
        for kind in ("text/plain", "text/html"):
            if kind in output.get("data", {}):
                output["data"][kind] = _addresses(output["data"][kind])
        kept.append(output)
    return kept


def _addresses(text: str | list[str]) -> str:
    return re.sub(r"\bat 0x[0-9a-f]+", "at 0x0", "".join(text))


def _with_even_widget_ids(book: Json) -> str:
    """The notebook's text with widget model ids numbered in order of appearance."""
    import nbformat

    saved = book["metadata"].get("widgets", {}).get("application/vnd.jupyter.widget-state+json", {})
    text = json.dumps(book)
    ids = [*saved.get("state", {}), *re.findall(r'"model_id": "([0-9a-f]{32})"', text)]
    even = {old: f"{number:032x}" for number, old in enumerate(dict.fromkeys(ids))}
    if even:
        text = re.sub("|".join(even), lambda match: even[match.group()], text)
    return nbformat.writes(nbformat.from_dict(json.loads(text))) + "\n"
