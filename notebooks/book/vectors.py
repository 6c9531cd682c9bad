"""The pictures of lectures as SVG: those that are published have one, and the others are drawn by running their chapter once.

What was drawn is kept under the PNG that the chapter shows: the same picture is not drawn again.
"""

import ast
import base64
import contextlib
import hashlib
import io
import json
import os
import re
import shutil
import sys
from pathlib import Path

from book import processes
from book.pages import text
from schedlib import paths

LARGEST = 600_000  # bytes; a larger drawing stays a PNG
MAGIC = re.compile(r"^[%!].*$", re.M)


def key(png: str) -> str:
    """A picture's name by what it shows; `png` is in base64, as a notebook has it."""
    return _digest(base64.b64decode(png))


def _digest(png: bytes) -> str:
    return hashlib.sha256(png).hexdigest()[:20]


def published(folder: Path) -> dict[str, Path]:
    """The SVG of each published figure, by the key of its PNG."""
    return {
        _digest(file.read_bytes()): file.with_suffix(".svg")
        for file in folder.glob("*/*.png")
        if file.with_suffix(".svg").exists()
    }


def pictures(cell) -> list[str]:
    """The PNGs of a cell's outputs, in turn."""
    found = [output.get("data", {}).get("image/png") for output in cell.get("outputs", [])]
    return [text(png) for png in found if png]


def draw(file: Path, wanted: set[str], cache: Path) -> None:
    """Run a chapter's cells and keep as SVG the pictures whose keys are wanted."""
    from schedlib.plots import style

    shown: list = []
    scope = {"__name__": "__main__", "display": lambda *things: shown.extend(things)}
    cells = json.loads(file.read_text(encoding="utf-8"))["cells"]
    last = max(
        number for number, cell in enumerate(cells) if wanted & set(map(key, pictures(cell)))
    )
    with contextlib.chdir(file.parent), contextlib.redirect_stdout(io.StringIO()), style.use():
        for cell in cells[: last + 1]:
            if cell["cell_type"] != "code":
                continue
            shown.clear()
            _run(MAGIC.sub("", text(cell["source"])), scope, shown)
            drawn = [thing for thing in shown if hasattr(thing, "savefig")]
            names = list(map(key, pictures(cell)))
            if len(drawn) == len(names):
                for name, figure in zip(names, drawn, strict=True):
                    if name in wanted:
                        _keep(figure, cache / f"{name}.svg")


def _run(source, scope, shown):
    """Run a cell as a notebook does: what its last line gives is shown."""
    body = ast.parse(source).body
    end = body.pop() if body and isinstance(body[-1], ast.Expr) else None
    exec(compile(ast.Module(body, []), "chapter", "exec"), scope)
    if end is not None:
        given = eval(compile(ast.Expression(end.value), "chapter", "eval"), scope)
        if not source.rstrip().endswith(";"):
            shown.append(given)


def _keep(figure, file):
    drawn = io.StringIO()
    figure.savefig(drawn, format="svg", bbox_inches="tight", metadata={"Date": None})
    part = file.with_suffix(f".{os.getpid()}")
    part.write_text(drawn.getvalue(), encoding="utf-8")
    part.replace(file)


def _drawn(file, wanted, cache):
    try:
        draw(file, wanted, cache)
    except Exception as error:  # a lecture with PNGs is a lecture
        print(f"slides {file.stem}: pictures stay PNG: {error}", file=sys.stderr)


def write(chapters: dict[Path, set[str]], out: Path) -> dict[str, str]:
    """Write the wanted pictures' SVGs into a folder, and give their file names by key; `chapters` has the keys of each."""
    root = paths.checkout() or Path()
    known, cache = published(root / "figures"), paths.cache_folder("slides")
    missing = {
        file: {name for name in keys - known.keys() if not (cache / f"{name}.svg").exists()}
        for file, keys in chapters.items()
    }
    undrawn = [(file, keys, cache) for file, keys in missing.items() if keys]
    processes.each(_drawn, undrawn)
    out.mkdir(parents=True, exist_ok=True)
    found = {}
    for name in set().union(*chapters.values()):
        file = known.get(name, cache / f"{name}.svg")
        if file.exists() and file.stat().st_size <= LARGEST:
            shutil.copyfile(file, out / f"{name}.svg")
            found[name] = f"{out.name}/{name}.svg"
    return found
