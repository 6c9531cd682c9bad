"""A course: the students' copy of the book without solutions, the instructors' with all of them.

Both get a syllabus and hand-ins. Instructors also get their solutions, an examination, a page on teaching, and an
assignment for otter-grader for each chapter. The parts between
`<!-- teachers -->` and `<!-- /teachers -->` of a page, or `# teachers` and `# /teachers` of another file, are not for students.
"""

import argparse
import json
import re
import secrets
import shutil
from collections.abc import Sequence
from pathlib import Path

from book import assignments, exam, handins
from book.pages import text
from reproduce import notebooks
from schedlib import paths

SHARED = (
    *("README.md", "LICENSE", "Makefile", "pyproject.toml", "requirements.txt"),
    *(".ci", ".github", "schedlib", "figures", "data", "notebooks"),
)
ANSWER_FILES = (
    "solutions",
    "solutions.md",
    "course.py",
    "exam.py",
    "exam.toml",
    "handins.py",
    "teaching.md",
    "assignments.py",
)
SKIPPED = ("__pycache__", ".ipynb_checkpoints", "cache", "downloads")
MARKED = ("README.md", "Makefile", "notebooks/book/_toc.yml")
"""Files with parts for teachers, besides the chapters."""
MARK = re.compile(r"(?:<!--|#) (/?)teachers\b(?: -->)?")
CHECK = re.compile(r'^exercises\.check\("([^"]+)", answer\)', re.M)
EMPTY = 'from book import exercises\n\nanswer = ...\nexercises.check("{}", answer)'
SYLLABUS = """\
# Syllabus

Twelve weeks with {lectures} lectures; the tour and the first chapter share the first week. Minutes are an estimate. *Reading* takes {words} words or {lines} lines of code a
minute. *Exercises* take {kinds} minutes for a warm-up, a code and a research exercise. A lecture has 45 minutes. The warm-up is
for the lecture, the rest for home; they check themselves. What is handed in stands in `handins`, and is not checked there.

| week | read | lectures | exercises | hand in | reading (min) | exercises (min) |
| --: | :-- | --: | --: | :-- | --: | --: |
"""
WORDS_A_MINUTE, LINES_A_MINUTE = 120, 8
MINUTES_OF = {"Warm-up": 5, "Code": 15, "Research": 30}
STATEMENT = re.compile(r"\d\. \*(Warm-up|Code|Research)\.\*")
HIDDEN = {"hide-input", "remove-input", "hide-cell", "remove-cell"}
ABOUT = {
    "student": "This is the students' copy: the whole book without the solutions to its exercises.",
    "instructor": "This is the instructors' copy: solutions stand where students write their answers.",
}


def course(
    folder: Path | str | None = None, sitting: int = 1, students: Sequence[str] = ()
) -> dict[str, Path]:
    """Write `student/` and `instructor/` below a folder (`course/` of the checkout), and give both by name.

    Each is a checkout of its own, with library, figures and chapters, to hand on as it is: `make lab` opens
    it. Students get hand-ins, no solutions, no tests (they hold answers), and empty answer cells. Instructors get
    everything, each answer cell replaced by its section of the solutions, `exam/` with numbers of the sitting, `handins/solutions.csv`,
    and `assignments/`. `students` are names: each gets numbers of their own. What was written before is replaced. Raises ValueError
    without a checkout, on a folder that holds something else, and on a name that is there twice.
    """
    root = paths.checkout()
    if root is None:
        raise ValueError("the notebooks are in the checkout: clone it and run there")
    twice = {name for name in students if students.count(name) > 1}
    if twice:
        raise ValueError(f"students: {min(twice)!r} is there twice; add an initial")
    if sitting < 0:
        raise ValueError(f"sitting: a whole number from 0 on, and this is {sitting}")
    folder = Path(folder) if folder else root / "course"
    copies = {name: folder / name for name in ("student", "instructor")}
    for place in copies.values():
        if place.exists() and any(place.iterdir()) and not (place / "notebooks").is_dir():
            raise ValueError(
                f"folder: {place} holds something else; name a folder that is empty or new"
            )
        shutil.rmtree(place, ignore_errors=True)
    chapters = {name: file for name, file in notebooks.book().items() if "/" not in name}
    _write_student(root, copies["student"], chapters)
    _write_instructor(root, copies["instructor"], chapters)
    write_sitting(copies, sitting, students)
    for name, place in copies.items():
        (place / "SYLLABUS.md").write_text(syllabus(root / "notebooks"), encoding="utf-8")
        page = place / "README.md"
        head, _, rest = page.read_text(encoding="utf-8").partition("\n\n")
        page.write_text(f"{head}\n\n{ABOUT[name]}\n\n{rest}", encoding="utf-8")
    return copies


def write_sitting(copies: dict[str, Path], sitting: int, students: Sequence[str]) -> None:
    """Write the hand-ins of both copies, and the instructors' examination and solutions, with a sitting's numbers."""
    asked = handins.pages(sitting, students)
    written = {(name, "handins"): asked for name in copies}
    written["instructor", "exam"] = exam.pages(sitting, students)
    for (name, part), pages in written.items():
        (copies[name] / part).mkdir(exist_ok=True)
        for page, words in pages.items():
            (copies[name] / part / page).write_text(words, encoding="utf-8")
    right = handins.solutions(sitting, students)
    right.to_csv(copies["instructor"] / "handins" / "solutions.csv", index=False)


def _write_student(root, place, chapters):
    _copy(root, place, SHARED, (*SKIPPED, *ANSWER_FILES))
    for name in MARKED:
        file = place / name
        file.write_text(without_teachers(file.read_text(encoding="utf-8")), encoding="utf-8")
    for file in chapters.values():
        _write(place / "notebooks" / file.name, emptied(_read(file)))


def _write_instructor(root, place, chapters):
    _copy(root, place, (*SHARED, "tests"), SKIPPED)
    (place / "notebooks/book/teaching.md").rename(place / "TEACHING.md")
    (place / "assignments").mkdir()
    (place / "assignments" / "README.md").write_text(assignments.ABOUT, encoding="utf-8")
    for name, file in chapters.items():
        chapter = _read(file)
        start, sections = _sections(_read(file.parent / "solutions" / file.name))
        _write(place / "notebooks" / file.name, filled(chapter, start, sections))
        master = assignments.master(name, _statements(chapter), start, sections)
        _write(place / "assignments" / file.name, master)


def _copy(root, place, names, skipped):
    place.mkdir(parents=True)
    for name in names:
        if (root / name).is_dir():
            shutil.copytree(root / name, place / name, ignore=shutil.ignore_patterns(*skipped))
        elif (root / name).exists():
            shutil.copy2(root / name, place / name)


def without_teachers(words: str) -> str:
    """A text without its parts for teachers. Raises ValueError on a part that does not begin or end.

    >>> without_teachers("Read.<!-- teachers --> Solve.<!-- /teachers --> Write.")
    'Read. Write.'
    """
    pieces = MARK.split(words)
    texts, marks = pieces[::2], pieces[1::2]
    if marks != ["", "/"] * (len(texts) // 2):
        raise ValueError("the marks 'teachers' and '/teachers' must take turns")
    return "".join(texts[::2])


def emptied(chapter: dict) -> dict:
    """A chapter without its parts for teachers, whose answer cells hold only `answer = ...`."""
    cells = []
    for cell in chapter["cells"]:
        source = text(cell["source"])
        check = CHECK.search(source)
        if cell["cell_type"] == "markdown":
            cell = cell | {"source": without_teachers(source)}
        elif check and "answer = ..." not in source:
            empty = EMPTY.format(check[1])
            cell = cell | {"source": empty, "outputs": [], "execution_count": None}
        cells.append(cell)
    return chapter | {"cells": cells}


def filled(chapter: dict, start: list[dict], sections: dict[str, list[dict]]) -> dict:
    """A chapter with the solutions' sections in the places of its answer cells.

    `sections` are the solutions' cells by exercise; `start`, the imports that they need, come before the first.
    """
    cells = []
    for cell in chapter["cells"]:
        check = CHECK.search(text(cell["source"])) if cell["cell_type"] == "code" else None
        if check:
            cells += [*start, *sections[check[1]]]
            start = []
        else:
            cells.append(cell)
    # a solution's cell may be a chapter's word for word, so every cell gets a new number
    numbered = [cell | {"id": f"c{number:03}"} for number, cell in enumerate(cells)]
    return chapter | {"cells": numbered}


def _sections(solutions):
    """The code before the first section, and the cells of each by the exercise it checks; links lead one folder up."""
    start, groups, sections = [], [], {}
    for cell in solutions["cells"]:
        if cell["cell_type"] == "markdown":
            words = text(cell["source"])
            if re.match(r"## \d+\.", words):
                groups.append([])
            shown = re.sub(r"^## ", "### Solution ", words.replace("](../", "]("), count=1)
            cell = cell | {"source": shown}
        if groups:
            groups[-1].append(cell)
        elif cell["cell_type"] == "code":
            start.append(cell)
    for cells in groups:
        for cell in cells:
            if check := CHECK.search(text(cell["source"])):
                sections[check[1]] = cells
    return start, sections


def _statements(chapter):
    """A chapter's exercises in order: the id, and the words of the cell above its answer cell."""
    statements = {}
    above = ""
    for cell in chapter["cells"]:
        source = text(cell["source"])
        if check := CHECK.search(source):
            statements[check[1]] = above
        above = source
    return statements


def syllabus(folder: Path) -> str:
    """A page with a line for each chapter: its week, lectures, hand-in, minutes. The tour goes with chapter 1."""
    kinds = ", ".join(map(str, MINUTES_OF.values()))
    chapters = {file.name: _read(file) for file in sorted(folder.glob("[0-9]*.ipynb"))}
    held = {name: lectures(chapter) for name, chapter in chapters.items()}
    page = SYLLABUS.format(
        words=WORDS_A_MINUTE, lines=LINES_A_MINUTE, kinds=kinds, lectures=sum(held.values())
    )
    for number, (name, chapter) in enumerate(chapters.items()):
        title = text(chapter["cells"][0]["source"]).partition("\n")[0].removeprefix("# ")
        asked = _statements(chapter)
        week = max(number, 1)
        hand_in = f"[week {week}](handins/week-{week:02}.md)" if number else ""
        read = f"[{title}](notebooks/{name})"
        row = [week, read, held[name], len(asked), hand_in, *minutes(chapter)]
        page += f"| {' | '.join(map(str, row))} |\n"
    return page


def lectures(chapter: dict) -> int:
    """The number of lectures in which a chapter's slides are given.

    >>> lectures({"cells": [{"metadata": {"slideshow": {"slides": [{"title": "Bins", "lecture": 2}]}}}]})
    2
    """
    shown = [cell["metadata"].get("slideshow", {}).get("slides", []) for cell in chapter["cells"]]
    return max(slide.get("lecture", 1) for slides in shown for slide in slides)


def minutes(chapter: dict) -> tuple[int, int]:
    """The minutes that a chapter takes to read, and those of its exercises, each to the next five: an estimate, not a measurement.

    >>> words = {"cell_type": "markdown", "source": "word " * 1200}
    >>> asked = {"cell_type": "markdown", "source": "1. *Warm-up.* By hand."}
    >>> shown, hidden = ({"cell_type": "code", "source": "a = 1\\n" * 40, "metadata": {"tags": tags}} for tags in ([], ["hide-input"]))
    >>> minutes({"cells": [words, asked, shown, hidden]})
    (15, 5)
    """
    words = lines = exercises = 0
    for cell in chapter["cells"]:
        source = text(cell["source"])
        if asked := STATEMENT.match(source):
            exercises += MINUTES_OF[asked[1]]
        elif cell["cell_type"] == "markdown":
            plain = re.sub(r"\]\([^)]*\)|<[^>]+>", " ", source)
            words += len(re.findall(r"\S*\w\S*", plain))
        elif not (HIDDEN & set(cell["metadata"].get("tags", ())) or CHECK.search(source)):
            lines += sum(bool(line.strip()) for line in source.splitlines())
    reading = words / WORDS_A_MINUTE + lines / LINES_A_MINUTE
    return 5 * round(reading / 5), exercises


def _read(file):
    return json.loads(file.read_text(encoding="utf-8"))


def _write(file, book):
    file.write_text(json.dumps(book, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


def main() -> None:
    """Write both copies, and say where their parts are."""
    parser = argparse.ArgumentParser(description="Write the students' and the instructors' copies.")
    parser.add_argument("--folder", type=Path, help="where to write; course/ unless given")
    parser.add_argument("--sitting", type=int, help="a number; else one is drawn and printed")
    parser.add_argument(
        "--students", type=Path, help="a file of names, one a line, for own numbers"
    )
    options = parser.parse_args()
    try:
        listed = options.students.read_text(encoding="utf-8") if options.students else ""
        names = [line.strip() for line in listed.splitlines() if line.strip()]
        if options.students and not names:
            raise ValueError(f"students: {options.students} has no names; write one a line")
        sitting = secrets.randbelow(10**9) if options.sitting is None else options.sitting
        made = course(options.folder, sitting, names)
    except (OSError, ValueError) as error:
        parser.error(str(error))
    print(f"sitting: {sitting} (keep it: --sitting {sitting} writes the same numbers again)")
    for copy, place in made.items():
        print(f"{copy}: {place}")
    for part in ("TEACHING.md", "SYLLABUS.md", "exam", "handins", "assignments"):
        print(f"{part.removesuffix('.md').lower()}: {made['instructor'] / part}")


if __name__ == "__main__":
    main()
