"""The register of exercises, and the one call by which a reader has an answer checked."""

import html
import importlib
import re
import textwrap
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any

from schedlib.teaching.exercises.reading import Hint, told

CHAPTERS = (
    "00-start-here", "01-waiting", "02-fluid", "03-bins", "04-dispatching", "05-hmhs", "06-mch", "07-head-of-line", "08-eagle",
    "09-one-trace", "10-your-own",
)  # fmt: skip


@dataclass(frozen=True)
class Exercise:
    """One exercise: what an answer looks like, and the function that reads it (see `exercise`)."""

    chapter: str
    number: int
    form: str
    judge: Callable[[Any], str | None]


EXERCISES: dict[tuple[str, int], Exercise] = {}


@dataclass(frozen=True)
class Verdict:
    """What a check says: `ok` whether the answer is right, `text` the praise or the hint.

    >>> Verdict(False, "count the `jobs` again", "Not yet")
    Not yet: count the `jobs` again
    """

    ok: bool
    text: str
    head: str

    def __bool__(self):
        return self.ok

    def __repr__(self):
        return textwrap.fill(f"{self.head}: {self.text}", 110)

    def _repr_html_(self):
        text = re.sub(r"`([^`]+)`", r"<code>\1</code>", html.escape(self.text, quote=False))
        return f'<p role="status"><strong>{self.head}:</strong> {text}</p>'


def exercise(chapter: str, number: int, form: str):
    """Register the decorated function as the check of an exercise.

    `form` ends the sentence "give ...". The function takes the answer and raises `Hint` (by `expect` and the readers in `reading`)
    when it is not right; it may return a sentence that is told with "Right". Whatever else it raises is told as a hint, too.
    """
    if chapter not in CHAPTERS:
        raise ValueError(f"chapter: {chapter!r} is none of {', '.join(CHAPTERS)}")

    def register(judge):
        EXERCISES[chapter, number] = Exercise(chapter, number, form, judge)
        return judge

    return register


def load(chapter: str) -> None:
    """Import the module of a chapter's checks, when there is one."""
    name = f"{__package__}.chapter{chapter[:2]}"
    try:
        importlib.import_module(name)
    except ModuleNotFoundError as error:
        if error.name != name:
            raise


def listed() -> dict[str, list[int]]:
    """The numbers of the exercises that are checked, by chapter.

    >>> listed()["01-waiting"]
    [1, 2, 3, 4]
    """
    for chapter in CHAPTERS:
        load(chapter)
    return {chapter: sorted(number for name, number in EXERCISES if name == chapter) for chapter in CHAPTERS}


def check(chapter: str, number: int, answer: Any) -> Verdict:
    """Say whether an answer is right, or give a hint.

    `chapter` is its name, "01-waiting", `number` that of the exercise. With `...` as answer it says what an answer looks like.
    No answer makes it raise. Raises ValueError on a chapter or a number that there is not.

    >>> check("01-waiting", 1, "half an hour")
    Not yet: needs three numbers, and this is text
    >>> check("01-waiting", 1, ...).ok
    False
    """
    if chapter not in CHAPTERS:
        near = get_close_matches(str(chapter), CHAPTERS, 1, 0.3) or CHAPTERS
        raise ValueError(f"chapter: {chapter!r} is unknown; use one of {', '.join(near)}")
    load(chapter)
    found = EXERCISES.get((chapter, number))
    if found is None:
        numbers = ", ".join(str(n) for name, n in sorted(EXERCISES) if name == chapter) or "none"
        raise ValueError(f"number: {number!r}; exercises of {chapter} that are checked: {numbers}")
    if answer is ...:
        return Verdict(False, f"give {found.form}", f"Exercise {number}")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            praise = found.judge(answer)
    except Hint as hint:
        return Verdict(False, str(hint), "Not yet")
    except Exception as error:  # whatever a reader hands in, the reply is a sentence
        return Verdict(False, f"the check stopped at this answer ({told(error)}). Give {found.form}", "Not yet")
    return Verdict(True, praise or "that is it.", "Right")
