"""The register of exercises, and the one call by which a reader has an answer checked."""

import html
import importlib
import re
import textwrap
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from schedlib.core.checks import unknown
from schedlib.teaching.exercises.reading import Hint, error_line

MODULES = sorted(file.stem for file in Path(__file__).parent.glob("chapter[0-9][0-9].py"))


class Exercise(NamedTuple):
    """What an answer looks like, and the function that judges it (see `exercise`)."""

    form: str
    judge: Callable[[Any], str | None]


EXERCISES: dict[tuple[str, int], Exercise] = {}
"""By chapter and number, of the chapters that have been imported."""


@dataclass(frozen=True)
class Verdict:
    """What a check says: `ok` whether the answer is right, `text` the praise or the hint.

    >>> Verdict(False, "count the `jobs` again", "Not yet")
    Not yet: count the `jobs` again
    """

    ok: bool
    text: str
    head: str

    def __bool__(self) -> bool:
        return self.ok

    def __repr__(self) -> str:
        return textwrap.fill(f"{self.head}: {self.text}", 110)

    def _repr_html_(self) -> str:
        text = re.sub(r"`([^`]+)`", r"<code>\1</code>", html.escape(self.text, quote=False))
        return f'<p role="status"><strong>{self.head}:</strong> {text}</p>'


def exercise(number: int) -> Callable[[Callable], Callable]:
    """Register the decorated function as the check of an exercise of its module's `CHAPTER`.

    Its docstring is "Give ... .", which a reader who asks is told. It takes the answer and raises `Hint` (by
    `expect` and the readers in `reading`) when it is not right; it may return a sentence to say after
    "Right". Any other error becomes a hint, too.
    """

    def register(judge: Callable) -> Callable:
        form = " ".join(str(judge.__doc__).split()).removeprefix("Give ").removesuffix(".")
        EXERCISES[judge.__globals__["CHAPTER"], number] = Exercise(form, judge)
        return judge

    return register


def listed() -> dict[str, list[int]]:
    """The numbers of the exercises that are checked, by chapter.

    >>> listed()["01-waiting"]
    [1, 2, 3, 4]
    """
    modules = [importlib.import_module(f"{__package__}.{name}") for name in MODULES]
    return {module.CHAPTER: sorted(n for name, n in EXERCISES if name == module.CHAPTER)
            for module in modules}


def check(chapter: str, number: int, answer: Any) -> Verdict:
    """Say whether an answer is right, or give a hint; no answer makes it raise.

    `chapter` is its name, "01-waiting", `number` that of the exercise. With `...` as answer it says what an
    answer looks like. Raises ValueError on an unknown chapter or number.

    >>> check("01-waiting", 1, "half an hour")
    Not yet: needs three numbers, and this is text
    >>> check("01-waiting", 1, ...).ok
    False
    """
    if (module := f"chapter{str(chapter)[:2]}") in MODULES:
        importlib.import_module(f"{__package__}.{module}")
    if (chapter, number) not in EXERCISES:
        numbers = listed()
        if chapter not in numbers:
            raise unknown("chapter", chapter, numbers)
        raise unknown("number", number, map(str, numbers[chapter]))
    form, judge = EXERCISES[chapter, number]
    if answer is ...:
        return Verdict(False, f"give {form}", f"Exercise {number}")
    try:
        with warnings.catch_warnings(action="ignore"):
            praise = judge(answer)
    except Hint as hint:
        return Verdict(False, str(hint), "Not yet")
    except Exception as error:  # whatever a reader hands in, the reply is a sentence
        stopped = f"the check stopped at this answer ({error_line(error)})"
        return Verdict(False, f"{stopped}. Give {form}", "Not yet")
    return Verdict(True, praise or "that is it.", "Right")
