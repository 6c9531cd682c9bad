"""What is right, sealed: an answer is rounded, salted and hashed, and only hashes stand in `seals.json`.

Numbers are rounded on a grid: its step is twice the tolerance, absolute near 0 and relative elsewhere, and
the grid is shifted (by eighths of a step) until the right number lies in the middle. So one hash is enough,
and all that the file tells of a number is its place within a step.
"""

import copy
import hashlib
import json
import math
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from schedlib.teaching.exercises.reading import Hint, expect, function, hinted, items, number

FILE = Path(__file__).with_name("seals.json")
ROUNDS = 20_000  # of the hash: some milliseconds for each answer tried


@cache
def facts() -> dict[str, dict[str, list]]:
    """All seals: by exercise and name the hash, and the shift of each number's grid."""
    return json.loads(FILE.read_text(encoding="utf-8"))


def place(value: float, within: float, floor: float) -> float:
    """A number on its grid, in steps of twice its tolerance: `floor` near 0, the part `within` of it
    elsewhere.

    >>> round(place(102, 0.01, 1e-6) - place(100, 0.01, 1e-6), 2), round(place(0.5, 0.01, 0.5), 2)
    (0.99, 0.5)
    """
    return math.asinh(value * within / floor) / (2 * within)


def digest(exercise: str, name: str, cells: Sequence[object]) -> str:
    """The hash of a rounded answer, salted with what it answers."""
    text, salt = " ".join(map(str, cells)), f"schedlib {exercise} {name}"
    return hashlib.pbkdf2_hmac("sha256", text.encode(), salt.encode(), ROUNDS).hex()[:32]


class Sealed:
    """What is sealed of one exercise: the parts of its right answer, and of wrong ones that have a hint.

    `value` may be a word, a whole number, or finite floats in any nesting (all rounded, and hashed together).
    """

    def __init__(self, exercise: str) -> None:
        self.exercise = exercise
        self.facts = facts().get(exercise, {})

    def holds(self, name: str, value: Any, within: float = 0.02, floor: float = 1e-6) -> bool:
        """Whether this is the value sealed under that name, within its tolerance."""
        found, shifts = self.facts.get(name, ("", []))
        cells = self.cells(value, within, floor)
        if len(cells) != len(shifts):
            return False
        rounded = [
            cell if shift is None else round(cell - shift / 8)
            for cell, shift in zip(cells, shifts, strict=True)
        ]
        return digest(self.exercise, name, rounded) == found

    @staticmethod
    def cells(value: Any, within: float, floor: float) -> list[Any]:
        """The parts of a value: words and whole numbers as they are, floats by their place."""
        if isinstance(value, str | int | np.integer):
            return [value]
        return [place(one, within, floor) for one in np.ravel(np.asarray(value, float)).tolist()]

    def right(
        self, name: str, value: Any, hint: str, within: float = 0.02, floor: float = 1e-6
    ) -> None:
        """Raise `Hint` unless this is the right value."""
        expect(self.holds(name, value, within, floor), hint)

    def trap(
        self, name: str, value: Any, hint: str, within: float = 0.02, floor: float = 1e-6
    ) -> None:
        """Raise `Hint` if this is the wrong value of that name."""
        expect(not self.holds(name, value, within, floor), hint)

    def cases(
        self,
        answer: Any,
        arguments: str,
        cases: Sequence[tuple[str, tuple]],
        read: Callable = number,
    ) -> None:
        """Raise `Hint` unless a reader's function gives the right result for each case: its hint, its
        arguments."""
        own = function(answer, arguments)
        for i, (hint, given) in enumerate(cases, 1):
            with hinted(f"it stopped at case {i} of {len(cases)}"):
                result = own(*copy.deepcopy(given))
            try:
                value = read(result)
            except Hint as odd:
                raise Hint(f"case {i} of {len(cases)}: what it returns {odd}") from odd
            self.right(f"case {i}", value, f"case {i} of {len(cases)} is off: {hint}", within=1e-3)


def listing(answer: Any) -> str:
    """Rows of whole numbers in one order, as a word to seal: the same for a list, an array or a set.

    >>> listing([(2, 2), (0, 3)])
    '0,3 2,2'
    """
    rows = [tuple(int(number(one)) for one in items(row)) for row in items(answer)]
    return " ".join(",".join(map(str, row)) for row in sorted(set(rows)))
