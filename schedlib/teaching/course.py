"""Two copies of the book for a course: one for students, without solutions, and one for instructors, with all of them in place."""

import json
import re
import shutil
from pathlib import Path

from schedlib import paths
from schedlib.reproduce import notebooks

SHARED = ("README.md", "LICENSE", "Makefile", "pyproject.toml", "requirements.txt", "schedlib", "figures", "data", "notebooks")
SKIPPED = ("__pycache__", ".ipynb_checkpoints", "cache", "downloads")
CHECK = re.compile(r'^exercises\.check\("([^"]+)", (\d+), answer\)', re.M)
LINK = re.compile(r"\[([^\]]*)\]\([^)\s]*solutions[^)\s]*\)")
ABOUT = {
    "student": "This is the students' copy: the whole book without the solutions to its exercises.\n\n",
    "instructor": "This is the instructors' copy: in each chapter the solutions stand where students write their answers.\n\n",
}


def course(folder: Path | str | None = None) -> dict[str, Path]:
    """Write `student/` and `instructor/` below a folder (`course/` of the checkout), and give both by name.

    Each is a checkout of its own, with library, figures and chapters, which is handed on as it is: `make lab` opens it. Students get
    no solutions, no tests (they hold answers), and answer cells with nothing in them. Instructors get everything, and each answer cell
    replaced by the section of the solutions that belongs to it. What was written before is replaced. Raises ValueError
    without a checkout, and on a folder that holds something else.
    """
    root = paths.checkout()
    if root is None:
        raise ValueError("the notebooks are in the checkout: clone it and run there")
    folder = Path(folder) if folder else root / "course"
    made = {name: folder / name for name in ("student", "instructor")}
    for place in made.values():
        if place.exists() and any(place.iterdir()) and not (place / "notebooks").is_dir():
            raise ValueError(f"folder: {place} holds something else; name a folder that is empty or new")
        shutil.rmtree(place, ignore_errors=True)
    _copy(root, made["student"], SHARED, (*SKIPPED, "solutions"))
    _copy(root, made["instructor"], (*SHARED, "tests"), SKIPPED)
    chapters = {name: file for name, file in notebooks.book().items() if "/" not in name}
    for name, file in chapters.items():
        book = json.loads(file.read_text(encoding="utf-8"))
        answers = file.parent / "solutions" / file.name
        _write(made["student"] / "notebooks" / file.name, emptied(book))
        if answers.exists():
            _write(made["instructor"] / "notebooks" / file.name, filled(book, json.loads(answers.read_text(encoding="utf-8")), name))
    _drop_dead_links(made["student"])
    for name, place in made.items():
        page = place / "README.md"
        head, _, rest = page.read_text(encoding="utf-8").partition("\n\n")
        page.write_text(f"{head}\n\n{ABOUT[name]}{rest}", encoding="utf-8")
    return made


def _copy(root, place, names, skipped):
    for name in names:
        if (root / name).is_dir():
            shutil.copytree(root / name, place / name, ignore=shutil.ignore_patterns(*skipped))
        elif (root / name).exists():
            place.mkdir(parents=True, exist_ok=True)
            shutil.copy2(root / name, place / name)


def _drop_dead_links(place):
    """Make plain text of the links in Markdown pages that lead to what this copy does not have."""
    for page in place.rglob("*.md"):
        text = _without_solutions(page.read_text(encoding="utf-8"))

        def kept(match, folder=page.parent):
            return match[0] if match[2].startswith("http") or (folder / match[2]).exists() else match[1]

        page.write_text(re.sub(r"\[([^\]]*)\]\(([^)#\s]+)\)", kept, text), encoding="utf-8")


def _without_solutions(text):
    """Markdown whose links to solutions say who has them instead."""
    return LINK.sub(lambda match: ("" if "/" in match[1] else f"{match[1]} ") + "(your instructor has them)", text)


def emptied(book: dict) -> dict:
    """A chapter whose answer cells hold `answer = ...` and nothing else, and in which nothing leads to the solutions."""
    cells = []
    for cell in book["cells"]:
        source = _text(cell["source"])
        found = CHECK.search(source)
        if cell["cell_type"] == "markdown":
            cell = cell | {"source": _without_solutions(source)}
        elif found and "answer = ..." not in source:
            lines = ["from schedlib.teaching import exercises\n", "\n", "answer = ...\n", found.group()]
            cell = cell | {"source": "".join(lines), "outputs": [], "execution_count": None}
        cells.append(cell)
    return book | {"cells": cells}


def filled(book: dict, solutions: dict, name: str) -> dict:
    """A chapter with the solutions' sections ("## 1. ...") in the places of its answer cells, the imports they need before the first.

    Raises ValueError when an exercise has no section.
    """
    start, sections = _sections(solutions)
    cells = []
    for cell in book["cells"]:
        found = CHECK.search(_text(cell["source"])) if cell["cell_type"] == "code" else None
        if found is None:
            cells.append(cell)
            continue
        number = int(found[2])
        if number not in sections:
            raise ValueError(f"solutions of {name}: no section '## {number}. ...' for exercise {number}")
        cells += [*start, *sections[number]]
        start = []
    made = json.loads(json.dumps(book | {"cells": cells}))
    for number, cell in enumerate(made["cells"]):  # a solution's cell may be a chapter's word for word
        cell["id"] = f"c{number:03}"
    return made


def _sections(solutions):
    """The code before the first section, and the cells of each by number; links are taken one folder up."""
    start, sections, number = [], {}, None
    for cell in solutions["cells"]:
        if cell["cell_type"] == "markdown":
            text = _text(cell["source"])
            heading = re.match(r"## (\d+)\.", text)
            number = int(heading[1]) if heading else number
            cell = cell | {"source": re.sub(r"^## ", "### Solution ", text.replace("](../", "]("), count=1)}
        if number is None:
            start += [cell] if cell["cell_type"] == "code" else []
        else:
            sections.setdefault(number, []).append(cell)
    return start, sections


def _text(source) -> str:
    return source if isinstance(source, str) else "".join(source)


def _write(file, book):
    file.write_text(json.dumps(book, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
