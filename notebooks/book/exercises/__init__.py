"""Exercises that check themselves: an answer is right, or there is a hint; the answer itself is never shown.

    exercises.check("waiting.help_desk", (30, 2, 1))

An exercise is a function under `exercise`, and "topic.function" is its id; `TOPICS` says in which module a
topic is.

A check compares plainly. A number is right within a tolerance. A reader's function is run on cases and has to
give their results. Where a property is asked for (a policy ahead of another, a tree on which two rules
differ), the library is run on the answer. So right numbers stand in these modules, and a student who reads them
first loses the exercise.
"""

import html
import importlib
import re
import textwrap
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

from book.exercises.reading import Hint, error_line
from schedlib.core.checks import unknown

__all__ = ["Verdict", "check", "exercise", "listed"]
TOPICS = {
    "tour": "waiting",
    "waiting": "waiting",
    "classics": "classics",
    "fluid": "lotes",
    "bins": "lotes",
    "dispatching": "lotes",
    "hmhs": "batches",
    "mch": "batches",
    "probing": "eagle",
    "eagle": "eagle",
    "one_trace": "own",
    "own_policy": "own",
}
MARKS = {"Right": ("\u2713", "#0b5d2e", "#e3f5e9"), "Not yet": ("\u2717", "#8a2c0d", "#fdebe4")}
ASKED = ("\u270e", "#1f4e79", "#e6f0fa")  # before there is an answer


class Exercise(NamedTuple):
    """The form of an answer, the function that judges it, and hints for the attempts after the first."""

    form: str
    judge: Callable[[Any], str | None]
    hints: tuple[str, ...]


EXERCISES: dict[str, Exercise] = {}  # by id, of topics that were imported
TRIED: dict[str, int] = {}  # attempts that failed, by id


@dataclass(frozen=True)
class Verdict:
    """The reply of a check: `ok` when the answer is right, `text` the praise or the fault, `more` the next hint.

    >>> Verdict(False, "count the `jobs` again", "Not yet", "Next hint: how many end?")
    Not yet: count the `jobs` again. Next hint: how many end?
    >>> Verdict(False, "which is full first?", "Not yet", "Next hint: count.")
    Not yet: which is full first? Next hint: count.
    """

    ok: bool
    text: str
    head: str
    more: str = ""

    def __bool__(self) -> bool:
        return self.ok

    def _words(self) -> str:
        if not self.more:
            return self.text
        stop = "" if self.text.endswith((".", "?", "!")) else "."
        return f"{self.text}{stop} {self.more}"

    def __repr__(self) -> str:
        return textwrap.fill(f"{self.head}: {self._words()}", 110)

    def _repr_html_(self) -> str:
        text = re.sub(r"`([^`]+)`", r"<code>\1</code>", html.escape(self._words(), quote=False))
        mark, ink, paper = MARKS.get(self.head, ASKED)
        style = (
            f"border-left: 4px solid {ink}; background: {paper}; color: {ink}; padding: 0.5em 1em"
        )
        text = text.replace("<code>", f'<code style="background: none; color: {ink}">')
        return f'<p role="status" style="{style}">{mark} <strong>{self.head}:</strong> {text}</p>'


def exercise(topic: str, *hints: str) -> Callable[[Callable], Callable]:
    """Register the decorated function as the check of an exercise of a topic, with hints for later attempts.

    Its docstring is "Give ... .", shown to a reader who asks. It is called with the answer, raises `Hint`
    when the answer is not right, and may return a sentence to say after "Right".

    Not tried by the tests, since it would register the exercise:

    >>> @exercise("arithmetic", "Think of a square.")  # doctest: +SKIP
    ... def root(answer):
    ...     'Give the root of 9.'
    ...     if answer != 3:
    ...         raise Hint("what times itself is 9?")
    """

    def register(judge: Callable) -> Callable:
        form = " ".join(str(judge.__doc__).split()).removeprefix("Give ").removesuffix(".")
        EXERCISES[f"{topic}.{judge.__name__}"] = Exercise(form, judge, hints)
        return judge

    return register


def listed() -> list[str]:
    """The ids of all exercises, in the order of the book.

    >>> [name for name in listed() if name.startswith("tour")]
    ['tour.another_batch']
    """
    for module in TOPICS.values():
        importlib.import_module(f"{__name__}.{module}")
    return sorted(EXERCISES, key=lambda name: list(TOPICS).index(name.partition(".")[0]))


def check(name: str, answer: Any) -> Verdict:
    """Say whether an answer is right, or what is wrong; from the second attempt on with the next hint.

    `name` is the exercise's id, "waiting.help_desk"; no answer makes it raise. With `...` as answer it says
    what an answer looks like. Raises ValueError on an unknown id.

    >>> check("waiting.help_desk", "half an hour")
    Not yet: needs three numbers, and this is text
    >>> check("waiting.help_desk", ...).ok
    False
    """
    topic = str(name).partition(".")[0]
    if topic in TOPICS:
        importlib.import_module(f"{__name__}.{TOPICS[topic]}")
    if not isinstance(name, str) or name not in EXERCISES:
        raise unknown("name", name, listed(), "see exercises.listed()")
    form, judge, hints = EXERCISES[name]
    if answer is ...:
        return Verdict(False, f"give {form}", "Your turn")
    try:
        with warnings.catch_warnings(action="ignore"):
            praise = judge(answer)
    except Hint as hint:
        return _refused(name, str(hint), hints)
    except Exception as error:  # whatever a reader hands in, the reply is a sentence
        return _refused(name, f"the check stopped at it ({error_line(error)}). Give {form}", hints)
    TRIED.pop(name, None)
    return Verdict(True, praise or "that is it.", "Right")


def _refused(name, text, hints):
    TRIED[name] = TRIED.get(name, 0) + 1
    # the first attempt has no hint; later ones take turns, so that a hint that was passed comes back
    at = (TRIED[name] - 2) % len(hints) + 1 if TRIED[name] > 1 else 0
    return Verdict(
        False, text, "Not yet", f"Next hint ({at} of {len(hints)}): {hints[at - 1]}" if at else ""
    )
