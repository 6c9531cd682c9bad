"""A course: the students' copy of the book without solutions, the instructors' with all of them.

With both goes a syllabus; with the instructors' an examination, and an assignment for otter-grader for each chapter.
"""

import json
import re
import shutil
import sys
from pathlib import Path

from book import assignments, exam
from book.pages import text
from reproduce import notebooks
from schedlib import paths

SHARED = ("README.md", "LICENSE", "Makefile", "pyproject.toml", "requirements.txt")
SHARED += (".ci", ".github", "schedlib", "figures", "data", "notebooks")
# what students do not get
TELLING = ("solutions", "solutions.md", "course.py", "exam.py", "assignments.py")
SKIPPED = ("__pycache__", ".ipynb_checkpoints", "cache", "downloads")
TEACHERS = re.compile(r"(?:- )?\*\*You teach\b.*?\n(?=\n?(?:- )?\*\*You do research)", re.DOTALL)
CHECK = re.compile(r'^exercises\.check\("([^"]+)", answer\)', re.M)
SOLUTIONS_LINK = re.compile(r"\[([^\]]*)\]\([^)\s]*solutions[^)\s]*\)")
LINK = re.compile(r"\[([^\]]*)\]\(([^)#\s]+)\)")
SYLLABUS = [
    "# Syllabus\n",
    "Twelve weeks; the tour and the first chapter share the first. *Minutes* are measured: 200 words of the chapter a minute, one for each",
    "cell of code that is shown, five for each exercise. A lecture takes 45 of them. The warm-up is for the lecture, the rest",
    "for home. The exercise to hand in is checked when its cell is run.\n",
]
WORDS_A_MINUTE, MINUTES_A_CELL, MINUTES_AN_EXERCISE = 200, 1, 5
HIDDEN = {"hide-input", "remove-input", "hide-cell", "remove-cell"}
ABOUT = {
    "student": "This is the students' copy: the whole book without the solutions to its exercises.",
    "instructor": "This is the instructors' copy: solutions stand where students write their answers.",
}


def course(folder: Path | str | None = None, seed: int = 1) -> dict[str, Path]:
    """Write `student/` and `instructor/` below a folder (`course/` of the checkout), and give both by name.

    Each is a checkout of its own, with library, figures and chapters, to hand on as it is: `make lab` opens
    it. Students get no solutions, no tests (they hold answers), and empty answer cells. Instructors get
    everything, each answer cell replaced by its section of the solutions, `exam/` with numbers of the seed, and
    `assignments/`. What was written before is replaced. Raises ValueError without a checkout, and on a folder that holds something else.
    """
    root = paths.checkout()
    if root is None:
        raise ValueError("the notebooks are in the checkout: clone it and run there")
    folder = Path(folder) if folder else root / "course"
    student, instructor = folder / "student", folder / "instructor"
    for place in (student, instructor):
        if place.exists() and any(place.iterdir()) and not (place / "notebooks").is_dir():
            raise ValueError(
                f"folder: {place} holds something else; name a folder that is empty or new"
            )
        shutil.rmtree(place, ignore_errors=True)
    _copy(root, student, SHARED, (*SKIPPED, *TELLING))
    _copy(root, instructor, (*SHARED, "tests"), SKIPPED)
    toc = student / "notebooks" / "book" / "_toc.yml"
    toc.write_text(
        re.sub(r"  - caption: Solutions\n(?:    .*\n)+", "", toc.read_text(encoding="utf-8")),
        encoding="utf-8",
    )
    for name, file in notebooks.book().items():
        answers = file.parent / "solutions" / file.name
        if "/" not in name:
            _write(student / "notebooks" / file.name, emptied(_read(file)))
        if "/" not in name and answers.exists():
            _write(instructor / "notebooks" / file.name, filled(_read(file), _read(answers), name))
            (instructor / "assignments").mkdir(exist_ok=True)
            start, sections = _sections(_read(answers))
            master = assignments.master(name, _statements(_read(file)), start, sections)
            _write(instructor / "assignments" / file.name, master)
    (instructor / "assignments" / "README.md").write_text(assignments.ABOUT, encoding="utf-8")
    (instructor / "exam").mkdir()
    for page, words in exam.pages(seed).items():
        (instructor / "exam" / page).write_text(words, encoding="utf-8")
    _drop_dead_links(student)
    makefile = student / "Makefile"
    makefile.write_text(
        re.sub(r"\ncourse:.*\n(\t.*\n)+", "", makefile.read_text(encoding="utf-8")),
        encoding="utf-8",
    )
    for place in (student, instructor):
        (place / "SYLLABUS.md").write_text(syllabus(root / "notebooks"), encoding="utf-8")
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
            return (
                match[0]
                if match[2].startswith("http") or (folder / match[2]).exists()
                else match[1]
            )

        page.write_text(
            LINK.sub(kept, _without_solutions(page.read_text(encoding="utf-8"))), encoding="utf-8"
        )


def _without_solutions(words):
    """Markdown without words for lecturers, in which a link to solutions is replaced by a word on who has them."""

    def word(match):
        return (
            "your instructor has them"
            if "/" in match[1]
            else f"{match[1]} (your instructor has them)"
        )

    return SOLUTIONS_LINK.sub(word, TEACHERS.sub("", words))


def emptied(book: dict) -> dict:
    """A chapter whose answer cells hold nothing but `answer = ...`, without links to the solutions."""
    cells = []
    for cell in book["cells"]:
        source = text(cell["source"])
        check = CHECK.search(source)
        if cell["cell_type"] == "markdown":
            cell = cell | {"source": _without_solutions(source)}
        elif check and "answer = ..." not in source:
            source = f"from book import exercises\n\nanswer = ...\n{check.group()}"
            cell = cell | {"source": source, "outputs": [], "execution_count": None}
        cells.append(cell)
    return book | {"cells": cells}


def filled(book: dict, solutions: dict, name: str) -> dict:
    """A chapter with the solutions' sections (those that check the same exercise) in the places of its answer cells.

    The imports that they need come before the first. Raises ValueError when an exercise has no section.
    """
    start, sections = _sections(solutions)
    cells = []
    for cell in book["cells"]:
        check = CHECK.search(text(cell["source"])) if cell["cell_type"] == "code" else None
        if check is None:
            cells.append(cell)
            continue
        if check[1] not in sections:
            raise ValueError(f"solutions of {name}: no section checks {check[1]}")
        cells += [*start, *sections[check[1]]]
        start = []
    # a solution's cell may be a chapter's word for word, so every cell gets a new number
    return book | {"cells": [cell | {"id": f"c{number:03}"} for number, cell in enumerate(cells)]}


def _sections(solutions):
    """The code before the first section, and the cells of each by the exercise it checks; links lead one folder up."""
    start, found, sections = [], [], {}
    for cell in solutions["cells"]:
        if cell["cell_type"] == "markdown":
            words = text(cell["source"])
            if re.match(r"## \d+\.", words):
                found.append([])
            cell = cell | {
                "source": re.sub(r"^## ", "### Solution ", words.replace("](../", "]("), count=1)
            }
        if found:
            found[-1].append(cell)
        elif cell["cell_type"] == "code":
            start.append(cell)
    for cells in found:
        checked = [match for cell in cells if (match := CHECK.search(text(cell["source"])))]
        sections |= {match[1]: cells for match in checked}
    return start, sections


def _statements(book):
    """A chapter's exercises in order: the id, and the words of the cell above its answer cell."""
    pairs = zip(book["cells"], book["cells"][1:], strict=False)
    return {
        match[1]: text(above["source"])
        for above, cell in pairs
        if (match := CHECK.search(text(cell["source"])))
    }


def syllabus(folder: Path) -> str:
    """A page with a line for each chapter: its week, which exercise to hand in, minutes. The tour goes with chapter 1."""
    rows = ["| week | read | exercises | hand in | minutes |", "| --: | :-- | --: | :-- | --: |"]
    for number, file in enumerate(sorted(folder.glob("[0-9]*.ipynb"))):
        book, week = _read(file), max(number, 1)
        first = text(book["cells"][0]["source"])
        title, minutes = re.match(r"# (.+)", first)[1], measured(book)
        asked = _statements(book)
        code = [name for name, words in asked.items() if "*Code.*" in words] or list(asked)
        hand_in = f"`{code[0]}`" if code else ""
        rows.append(
            f"| {week} | [{title}](notebooks/{file.name}) | {len(asked)} | {hand_in} | {minutes} |"
        )
    return "\n".join([*SYLLABUS, *rows]) + "\n"


def measured(book: dict) -> int:
    """The minutes that a chapter takes with its exercises.

    >>> words = {"cell_type": "markdown", "source": "word " * 400}
    >>> shown, hidden = ({"cell_type": "code", "source": "a", "metadata": {"tags": tags}} for tags in ([], ["hide-input"]))
    >>> measured({"cells": [words, shown, hidden]})
    3
    """
    words = cells = exercises = 0
    for cell in book["cells"]:
        source = text(cell["source"])
        if cell["cell_type"] == "markdown":
            plain = re.sub(r"\]\([^)]*\)|<[^>]+>", " ", source)
            words += len(re.findall(r"\S*\w\S*", plain))
        else:
            cells += not HIDDEN & set(cell["metadata"].get("tags", ()))
            exercises += bool(CHECK.search(source))
    return round(words / WORDS_A_MINUTE + cells * MINUTES_A_CELL + exercises * MINUTES_AN_EXERCISE)


def _read(file):
    return json.loads(file.read_text(encoding="utf-8"))


def _write(file, book):
    file.write_text(json.dumps(book, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


if __name__ == "__main__":
    try:
        made = course(*sys.argv[1:2], *map(int, sys.argv[2:3]))
    except ValueError as error:
        sys.exit(str(error))
    for copy, place in made.items():
        print(f"{copy}: {place}")
    for part in ("SYLLABUS.md", "exam", "assignments"):
        print(f"{part.removesuffix('.md').lower()}: {made['instructor'] / part}")
