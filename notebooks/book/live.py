"""`make book`: all that the chapters' explorers show, drawn for the website, into its folder of scripts.

A chapter's cells with the tag `explorer` make its explorers. The pictures are kept, under a key of these cells and of all code and data.
"""

import ast
import hashlib
import json
import sys
import time
import warnings
from pathlib import Path
from typing import Any

from joblib import Parallel, delayed

from book.explorers import Explorer, recorded
from book.pages import WIDGET, text
from schedlib import paths
from schedlib.sweeps.worker import EXPECTED

ROOT = paths.checkout() or Path()
OUT = ROOT / "build" / "book" / "_static" / "explorers"
TAG = "explorer"
FIRST_PAGE = {"index-1": "from book.explorers import six\nsix.explorer()"}


def explorers() -> dict[str, str]:
    """The programs that make the explorers of the first page and of the chapters, by names such as 06-mch-1.

    A chapter's program is the code of the tagged cells of the chapter, down to the one that shows the explorer.
    """
    programs = dict(FIRST_PAGE)
    for file in sorted((ROOT / "notebooks").glob("[0-9]*.ipynb")):
        lines: list[str] = []
        number = 0
        for cell in json.loads(file.read_text(encoding="utf-8"))["cells"]:
            if TAG not in cell["metadata"].get("tags", []):
                continue
            code = text(cell["source"]).splitlines()
            lines += [line for line in code if not line.startswith("%")]
            if any(WIDGET in output.get("data", {}) for output in cell["outputs"]):
                number += 1
                programs[f"{file.stem}-{number}"] = "\n".join(lines)
    return programs


def key(program: str) -> str:
    """The name under which a program's pictures are kept: a digest of it, of all code and of the book's data."""
    digest = hashlib.sha256(program.encode())
    book = ROOT / "notebooks" / "book"
    code = [*paths.PACKAGE.rglob("*.py"), *book.rglob("*.py"), *book.rglob("*.csv")]
    for file in [*sorted(code), ROOT / "requirements.txt"]:
        digest.update(file.read_bytes())
    return digest.hexdigest()[:20]


def explorer(program: str) -> Explorer:
    """The explorer that the last expression of a program gives.

    >>> explorer("from book.explorers import lotes; lotes.line()").values()
    {'servers': 1, 'load': 80, 'seed': 0}
    """
    *statements, last = ast.parse(program).body
    names: dict[str, Any] = {"__name__": "__main__", "display": lambda *shown: None}
    exec(compile(ast.Module(statements, []), "chapter", "exec"), names)
    return eval(ast.unparse(last), names)


def make(name: str, program: str, file: Path) -> None:
    """Run a program, and draw all that its explorer shows into a file."""
    start = time.monotonic()
    record = recorded.record(explorer(program))
    part = file.with_suffix(f".{name}")
    part.write_text(recorded.packed(record), encoding="utf-8")
    part.replace(file)
    pictures, size = len(record["frames"]), file.stat().st_size / 1e6
    took = time.monotonic() - start
    line = f"explorer {name}: {pictures} pictures, {size:.2f} MB, {took:.0f} s"
    print(line, file=sys.stderr, flush=True)


def write() -> None:
    """Write a script for each explorer; only pictures that are not kept are drawn."""
    programs, cache = explorers(), paths.cache_folder("explorers")
    files = {name: cache / f"{key(program)}.js" for name, program in programs.items()}
    missing = {file: name for name, file in files.items() if not file.exists()}
    with warnings.catch_warnings():  # joblib says that it replaces a worker that has grown large
        warnings.filterwarnings("ignore", EXPECTED, UserWarning)
        Parallel(n_jobs=-1)(
            delayed(make)(name, programs[name], file) for file, name in missing.items()
        )
    OUT.mkdir(parents=True, exist_ok=True)
    for old in OUT.glob("*.js"):
        old.unlink()
    for name, file in files.items():
        (OUT / f"{name}.js").write_bytes(file.read_bytes())


if __name__ == "__main__":
    write()
