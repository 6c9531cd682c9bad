"""`make book`: what the chapters' explorers show, drawn for the website, into its folder of scripts.

An explorer is made as its cell makes it, by the statements of the chapter that it needs. What is drawn is kept, under a key of these
statements, of the code that they reach and of the data that they read.
"""

import ast
import hashlib
import json
import symtable
import sys
import time
from pathlib import Path
from typing import Any

from book import processes
from book.explorers import Explorer, recorded
from book.pages import WIDGET, text
from schedlib import paths

ROOT = paths.checkout() or Path()
OUT = ROOT / "build" / "book" / "_static" / "explorers"


def explorers() -> dict[str, str]:
    """The programs that make the chapters' explorers, the last lines being these, by names such as 06-mch-1."""
    found = {}
    for file in sorted((ROOT / "notebooks").glob("[0-9]*.ipynb")):
        body: list[ast.stmt] = []
        for cell in json.loads(file.read_text(encoding="utf-8"))["cells"]:
            if cell["cell_type"] == "code":
                lines = text(cell["source"]).splitlines()
                body += ast.parse(
                    "\n".join(line for line in lines if not line.startswith(("%", "!")))
                ).body
                if any(
                    WIDGET in (data := output.get("data", {})) and "image/png" in data
                    for output in cell["outputs"]
                ):
                    found[
                        f"{file.stem}-{sum(name.startswith(file.stem) for name in found) + 1}"
                    ] = program(body)
    return found


def program(body: list[ast.stmt]) -> str:
    """The statements that the last one needs, and it.

    >>> print(program(ast.parse("import a, b; c = a.x; print(c); d = c + 1; e = b.y; d(2)").body))
    import a, b
    c = a.x
    d = c + 1
    d(2)
    """
    kept, (_, needed) = [body[-1]], names(body[-1])
    for statement in body[-2::-1]:
        bound, used = names(statement)
        if bound & needed:
            kept.append(statement)
            needed = needed - bound | used
    return "\n".join(map(ast.unparse, kept[::-1]))


def names(statement: ast.stmt) -> tuple[set[str], set[str]]:
    """The names that a statement binds for those that follow, and those that it or a function in it reads."""
    table = symtable.symtable(ast.unparse(statement), "", "exec")
    bound = {
        symbol.get_name()
        for symbol in table.get_symbols()
        if symbol.is_assigned() or symbol.is_imported() or symbol.is_namespace()
    }
    used, left = (
        {symbol.get_name() for symbol in table.get_symbols() if symbol.is_referenced()},
        table.get_children(),
    )
    while left:
        inner = left.pop()
        used |= {
            symbol.get_name()
            for symbol in inner.get_symbols()
            if symbol.is_referenced() and symbol.is_global()
        }
        left += inner.get_children()
    return bound, used


def key(source: str) -> str:
    """What a program's pictures depend on: itself, the library, the chapters' data and the published figures."""
    digest = hashlib.sha256(source.encode())
    data = [
        *(paths.PACKAGE / "teaching").rglob("*.csv*"),
        *((ROOT / "figures").rglob("*.csv") if "reproduce" in source else ()),
    ]
    library = sorted(paths.PACKAGE.rglob("*.py"))
    for file in [*library, ROOT / "requirements.txt", *sorted(data)]:
        digest.update(file.read_bytes())
    return digest.hexdigest()[:20]


def explorer(source: str) -> Explorer:
    """The explorer that a program makes."""
    *statements, last = ast.parse(source).body
    scope: dict[str, Any] = {"__name__": "__main__"}  # as in a notebook
    exec(compile(ast.Module(statements, []), "chapter", "exec"), scope)
    return eval(ast.unparse(last), scope)


def make(name: str, source: str, file: Path) -> None:
    """Run a program, and draw all that its explorer shows."""
    start, record = time.monotonic(), recorded.record(explorer(source))
    part = file.with_suffix(f".{name}")
    part.write_text(recorded.packed(record), encoding="utf-8")
    part.replace(file)
    took = f"{len(record['frames'])} pictures, {file.stat().st_size / 1e6:.2f} MB, {time.monotonic() - start:.0f} s"
    print(f"explorer {name}: {took}", file=sys.stderr, flush=True)


def write() -> None:
    """Write a script for each explorer; those that are kept are not drawn again."""
    programs, cache = explorers(), paths.cache_folder("explorers")
    files = {name: cache / f"{key(source)}.js" for name, source in programs.items()}
    # chapters 0 and 5 have the same
    missing = {file: name for name, file in files.items() if not file.exists()}
    processes.each(make, [(name, programs[name], file) for file, name in missing.items()])
    OUT.mkdir(parents=True, exist_ok=True)
    for old in OUT.glob("*.js"):
        old.unlink()
    for name, file in files.items():
        (OUT / f"{name}.js").write_bytes(file.read_bytes())


if __name__ == "__main__":
    write()
