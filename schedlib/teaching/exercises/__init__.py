"""Exercises that check themselves: an answer is right, or there is a hint; the answer itself is never shown.

    exercises.check("01-waiting", 1, (50, 4, 2))

What is right is computed by the library when it is asked for: closed forms, exhaustive search, properties. A
chapter's checks are functions under `exercise` in the module whose name has its number.
"""

import contextlib
import html
import importlib
import math
import re
import textwrap
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from numbers import Real
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import pandas as pd

from schedlib.core.checks import unknown

__all__ = ["Hint", "Verdict", "check", "exercise", "expect", "listed"]
MODULES = sorted(file.stem for file in Path(__file__).parent.glob("chapters_*.py"))
WORDS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
MOST = 100_000  # of an answer without end no more is read


class Exercise(NamedTuple):
    """What an answer looks like, and the function that judges it (see `exercise`)."""

    form: str
    judge: Callable[[Any], str | None]


EXERCISES: dict[tuple[str, int], Exercise] = {}  # by chapter and number, of chapters that were imported


class Hint(Exception):
    """An answer is not right; the message says where to look, and never what the answer is."""


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


def exercise(chapter: str, number: int) -> Callable[[Callable], Callable]:
    """Register the decorated function as the check of an exercise. Its docstring is "Give ... .", told to who
    asks. It raises `Hint` when the answer is not right, and may return a sentence to say after "Right"."""

    def register(judge: Callable) -> Callable:
        form = " ".join(str(judge.__doc__).split()).removeprefix("Give ").removesuffix(".")
        EXERCISES[chapter, number] = Exercise(form, judge)
        return judge

    return register


def listed() -> dict[str, list[int]]:
    """The numbers of the exercises that are checked, by chapter.

    >>> listed()["01-waiting"]
    [1, 2, 3, 4]
    """
    for name in MODULES:
        importlib.import_module(f"{__name__}.{name}")
    chapters = sorted({chapter for chapter, _ in EXERCISES})
    return {chapter: sorted(n for name, n in EXERCISES if name == chapter) for chapter in chapters}


def check(chapter: str, number: int, answer: Any) -> Verdict:
    """Say whether an answer is right, or give a hint; no answer makes it raise.

    `chapter` is its name, "01-waiting", `number` that of the exercise. With `...` as answer it says what an
    answer looks like. Raises ValueError on an unknown chapter or number.

    >>> check("01-waiting", 1, "half an hour")
    Not yet: needs three numbers, and this is text
    >>> check("01-waiting", 1, ...).ok
    False
    """
    for name in MODULES:
        if f"_{str(chapter)[:2]}" in name:
            importlib.import_module(f"{__name__}.{name}")
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
        return Verdict(False, f"the check stopped at it ({error_line(error)}). Give {form}", "Not yet")
    return Verdict(True, praise or "that is it.", "Right")


def expect(holds: Any, hint: str) -> None:
    """Raise `Hint` unless the condition holds."""
    if not holds:
        raise Hint(hint)


@contextlib.contextmanager
def hinted(what: str) -> Iterator[None]:
    """Inside the block an error becomes a Hint: what does not work, and why."""
    try:
        yield
    except Hint:
        raise
    except Exception as error:
        raise Hint(f"{what}: {error_line(error)}") from error


def error_line(error: Exception) -> str:
    """An exception in a line: its kind and the beginning of its message."""
    try:
        text = " ".join(str(error).split())
    except Exception:
        text = ""
    return f"{type(error).__name__}: {text[:300]}" if text else type(error).__name__


def kind_of(answer: Any) -> str:
    """What an answer is, in a reader's words.

    >>> kind_of("x"), kind_of(3), kind_of(None), kind_of([1])
    ('text', 'a number', 'nothing (None)', 'of type list')
    """
    if answer is None:
        return "nothing (None)"
    if isinstance(answer, str | bytes):
        return "text"
    if isinstance(answer, bool | np.bool_):
        return "True or False"
    return "a number" if isinstance(answer, Real) else f"of type {type(answer).__name__}"


def number(answer: Any, what: str = "a number") -> float:
    """The answer, or its only member, as a float; Hint unless it is one finite number."""
    if isinstance(answer, np.ndarray | pd.Series | list | tuple) and np.size(answer) == 1:
        answer = np.ravel(np.asarray(answer, dtype=object))[0]
    plain = isinstance(answer, Real) and not isinstance(answer, bool | np.bool_)
    expect(plain, f"needs {what}, and this is {kind_of(answer)}")
    expect(math.isfinite(answer), f"needs {what}, and this one is not finite")
    return float(answer)


def items(answer: Any, what: str = "a list", count: int | None = None) -> list:
    """The members of a list, array, frame (rows) or dictionary (values); Hint unless there are `count`."""
    if isinstance(answer, Mapping):
        answer = answer.values()
    if isinstance(answer, pd.DataFrame):
        answer = answer.to_numpy().tolist()
    several = hasattr(answer, "__iter__") and not isinstance(answer, str | bytes)
    expect(several, f"needs {what}, and this is {kind_of(answer)}")
    members = list(islice(iter(answer), MOST + 1))
    expect(len(members) <= MOST, f"needs {what}, and this one has more than {MOST:,} members")
    expect(count is None or len(members) == count, f"needs {what}, and here are {len(members)}")
    return members


def numbers(answer: Any, count: int | None = None, what: str | None = None) -> npt.NDArray[np.float64]:
    """The answer as an array (count,) of floats; Hint unless it is that many finite numbers."""
    if what is None:
        what = "numbers" if count is None else f"{WORDS[count] if count < len(WORDS) else count} numbers"
    if isinstance(answer, pd.DataFrame):
        answer = answer.to_numpy().ravel()
    return np.array([number(one, f"{what}, each a plain number") for one in items(answer, what, count)])


def rows(answer: Any, width: int, what: str) -> npt.NDArray[np.float64]:
    """The answer as an array (n, width); Hint unless it is at least one row of that many numbers."""
    members = items(answer, what)
    expect(members, f"needs {what}, and this is empty")
    return np.array([numbers(row, width, f"{what}, {WORDS[width]} numbers in each") for row in members])


def wholes(array: npt.NDArray[np.float64], what: str) -> npt.NDArray[np.int64]:
    """An array of floats as whole numbers; Hint unless they are."""
    expect(((np.abs(array) < 1e15) & (array == np.rint(array))).all(), f"needs {what}, in whole numbers")
    return array.astype(np.int64)


def a(kind: type, answer: Any, what: str) -> Any:
    """The answer when it is of that kind; Hint otherwise."""
    expect(isinstance(answer, kind), f"needs {what}, and this is {kind_of(answer)}")
    return answer


def one_of(answer: Any, choices: Sequence[str]) -> str:
    """The answer as one of some words, in any case; Hint otherwise."""
    what = f"one of the words {', '.join(map(repr, choices))}"
    by_word = {choice.lower(): choice for choice in choices}
    word = a(str, answer, what).strip().lower()
    expect(word in by_word, f"needs {what}")
    return by_word[word]


def near(value: Any, right: Any, within: float = 0.01) -> bool:
    """Whether a value, or each of an array, is right but for a relative error (1e-9 absolute at 0).

    >>> near(1.004, 1), near([1, 2], [1, 2.1])
    (True, False)
    """
    value, right = np.asarray(value, float), np.asarray(right, float)
    close = value.shape == right.shape and np.abs(value - right) <= np.maximum(within * np.abs(right), 1e-9)
    return bool(np.all(close))
