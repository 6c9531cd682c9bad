"""Two copies of the book for a course: the students' without solutions, the instructors' with all of them."""

import json
import re
import shutil
from pathlib import Path

from schedlib import paths
from schedlib.reproduce import notebooks

SHARED = ("README.md", "LICENSE", "Makefile", "pyproject.toml", "requirements.txt")
SHARED += ("schedlib", "figures", "data", "notebooks")
SKIPPED = ("__pycache__", ".ipynb_checkpoints", "cache", "downloads")
CHECK = re.compile(r'^exercises\.check\("([^"]+)", (\d+), answer\)', re.M)
SOLUTIONS_LINK = re.compile(r"\[([^\]]*)\]\([^)\s]*solutions[^)\s]*\)")
LINK = re.compile(r"\[([^\]]*)\]\(([^)#\s]+)\)")
ABOUT = {
    "student": "This is the students' copy: the whole book without the solutions to its exercises.",
    "instructor": "This is the instructors' copy: solutions stand where students write their answers.",
}


def course(folder: Path | str | None = None) -> dict[str, Path]:
    """Write `student/` and `instructor/` below a folder (`course/` of the checkout), and give both by name.

    Each is a checkout of its own, with library, figures and chapters, to hand on as it is: `make lab` opens
    it. Students get no solutions, no tests (they hold answers), and empty answer cells. Instructors get
    everything, and each answer cell replaced by its section of the solutions. What was written before is
    replaced. Raises ValueError without a checkout, and on a folder that holds something else.
    """
    root = paths.checkout()
    if root is None:
        raise ValueError("the notebooks are in the checkout: clone it and run there")
    folder = Path(folder) if folder else root / "course"
    student, instructor = folder / "student", folder / "instructor"
    for place in (student, instructor):
        if place.exists() and any(place.iterdir()) and not (place / "notebooks").is_dir():
            raise ValueError(f"folder: {place} holds something else; name a folder that is empty or new")
        shutil.rmtree(place, ignore_errors=True)
    _copy(root, student, SHARED, (*SKIPPED, "solutions"))
    _copy(root, instructor, (*SHARED, "tests"), SKIPPED)
    for name, file in notebooks.book().items():
        answers = file.parent / "solutions" / file.name
        if "/" not in name:
            _write(student / "notebooks" / file.name, emptied(_read(file)))
        if "/" not in name and answers.exists():
            _write(instructor / "notebooks" / file.name, filled(_read(file), _read(answers), name))
    _drop_dead_links(student)
    for place in (student, instructor):
        page = place / "README.md"
        head, _, rest = page.read_text(encoding="utf-8").partition("\n\n")
        page.write_text(f"{head}\n\n{ABOUT[place.name]}\n\n{rest}", encoding="utf-8")
    return {"student": student, "instructor": instructor}


def _copy(root, place, names, skipped):
    place.mkdir(parents=True, exist_ok=True)
    for name in names:
        if (root / name).is_dir():
            shutil.copytree(root / name, place / name, ignore=shutil.ignore_patterns(*skipped))
        elif (root / name).exists():
            shutil.copy2(root / name, place / name)


def _drop_dead_links(place):
    """Make plain text of the links in Markdown pages that lead to what this copy does not have."""
    for page in place.rglob("*.md"):

        def kept(match, folder=page.parent):
            return match[0] if match[2].startswith("http") or (folder / match[2]).exists() else match[1]

        text = _without_solutions(page.read_text(encoding="utf-8"))
        page.write_text(LINK.sub(kept, text), encoding="utf-8")


def _without_solutions(text):
    """Markdown in which a link to solutions is replaced by a word on who has them."""

    def word(match):
        return ("" if "/" in match[1] else f"{match[1]} ") + "(your instructor has them)"

    return SOLUTIONS_LINK.sub(word, text)


def emptied(book: dict) -> dict:
    """A chapter whose answer cells hold nothing but `answer = ...`, without links to the solutions."""
    cells = []
    for cell in book["cells"]:
        source = _text(cell)
        check = CHECK.search(source)
        if cell["cell_type"] == "markdown":
            cell = cell | {"source": _without_solutions(source)}
        elif check and "answer = ..." not in source:
            source = f"from schedlib.teaching import exercises\n\nanswer = ...\n{check.group()}"
            cell = cell | {"source": source, "outputs": [], "execution_count": None}
        cells.append(cell)
    return book | {"cells": cells}


def filled(book: dict, solutions: dict, name: str) -> dict:
    """A chapter with the solutions' sections ("## 1. ...") in the places of its answer cells.

    The imports that they need come before the first. Raises ValueError when an exercise has no section.
    """
    start, sections = _sections(solutions)
    cells = []
    for cell in book["cells"]:
        check = CHECK.search(_text(cell)) if cell["cell_type"] == "code" else None
        if check is None:
            cells.append(cell)
            continue
        number = int(check[2])
        if number not in sections:
            raise ValueError(f"solutions of {name}: no section '## {number}. ...' for exercise {number}")
        cells += [*start, *sections[number]]
        start = []
    # a solution's cell may be a chapter's word for word, so every cell is numbered anew
    return book | {"cells": [cell | {"id": f"c{number:03}"} for number, cell in enumerate(cells)]}


def _sections(solutions):
    """The code before the first section, and the cells of each by number; links lead one folder up."""
    start, sections, number = [], {}, None
    for cell in solutions["cells"]:
        if cell["cell_type"] == "markdown":
            text = _text(cell)
            heading = re.match(r"## (\d+)\.", text)
            number = int(heading[1]) if heading else number
            cell = cell | {"source": re.sub(r"^## ", "### Solution ", text.replace("](../", "]("), count=1)}
        if number is not None:
            sections.setdefault(number, []).append(cell)
        elif cell["cell_type"] == "code":
            start.append(cell)
    return start, sections


def _text(cell):
    return cell["source"] if isinstance(cell["source"], str) else "".join(cell["source"])


def _read(file):
    return json.loads(file.read_text(encoding="utf-8"))


def _write(file, book):
    file.write_text(json.dumps(book, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
