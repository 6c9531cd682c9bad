"""What checks are made of: readers of answers, which say kindly what is missing, and comparisons."""

import math
from collections.abc import Mapping
from itertools import islice
from numbers import Real

import numpy as np
import pandas as pd

WORDS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
MOST = 100_000  # of an answer without end no more is read


class Hint(Exception):
    """An answer is not right; the message says where to look, and never what the answer is."""


def expect(holds, hint: str) -> None:
    """Raise `Hint` unless the condition holds.

    >>> expect(2 > 3, "compare them again")
    Traceback (most recent call last):
    schedlib.teaching.exercises.reading.Hint: compare them again
    """
    if not holds:
        raise Hint(hint)


def told(error) -> str:
    """An exception in a line: its kind and the beginning of its message."""
    try:
        text = " ".join(str(error).split())
    except Exception:
        text = ""
    return f"{type(error).__name__}: {text[:300]}" if text else type(error).__name__


def kind_of(answer) -> str:
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


def number(answer, what: str = "a number") -> float:
    """The answer as a float; Hint unless it is one finite number.

    >>> number(np.float64(2)), number([3])
    (2.0, 3.0)
    """
    if isinstance(answer, np.ndarray | pd.Series | list | tuple) and np.size(answer) == 1:
        answer = np.ravel(np.asarray(answer, dtype=object))[0]
    expect(isinstance(answer, Real) and not isinstance(answer, bool | np.bool_), f"needs {what}, and this is {kind_of(answer)}")
    expect(math.isfinite(answer), f"needs {what}, and this one is not finite")
    return float(answer)


def items(answer, what: str = "a list") -> list:
    """The members of an answer: of a list, a tuple, an array, a frame's rows, or a dictionary's values; Hint for anything else."""
    if isinstance(answer, Mapping):
        answer = answer.values()
    if isinstance(answer, pd.DataFrame):
        answer = answer.to_numpy().tolist()
    expect(hasattr(answer, "__iter__") and not isinstance(answer, str | bytes), f"needs {what}, and this is {kind_of(answer)}")
    found = list(islice(iter(answer), MOST + 1))
    expect(len(found) <= MOST, f"needs {what}, and this one has more than {MOST:,} members")
    return found


def numbers(answer, count: int | None = None, what: str | None = None) -> np.ndarray:
    """The answer as an array (count,) of floats; Hint unless it is that many finite numbers.

    >>> numbers((1, 2.5), 2)
    array([1. , 2.5])
    """
    many = f"{WORDS[count] if count < len(WORDS) else count} numbers" if count is not None else "numbers"
    what = what or many
    if isinstance(answer, pd.DataFrame):
        answer = answer.to_numpy().ravel()
    found = items(answer, what)
    expect(count is None or len(found) == count, f"needs {what}, and here are {len(found)}")
    return np.array([number(one, f"{what}, each a plain number") for one in found])


def rows(answer, width: int, what: str) -> np.ndarray:
    """The answer as an array (n, width); Hint unless it is at least one row of that many numbers.

    >>> rows([(1, 2), (3, 4)], 2, "pairs").shape
    (2, 2)
    """
    found = items(answer, what)
    expect(found, f"needs {what}, and this is empty")
    return np.array([numbers(row, width, f"{what}, {WORDS[width]} numbers in each") for row in found])


def wholes(array, what: str) -> np.ndarray:
    """An array of floats as whole numbers; Hint unless they are."""
    expect((np.abs(array) < 1e15).all() and (array == np.rint(array)).all(), f"needs {what}, in whole numbers")
    return np.rint(array).astype(np.int64)


def a(kind, answer, what: str):
    """The answer when it is of that kind (a class, or several); Hint otherwise."""
    expect(isinstance(answer, kind), f"needs {what}, and this is {kind_of(answer)}")
    return answer


def one_of(answer, choices) -> str:
    """The answer as one of some words, in any case; Hint otherwise.

    >>> one_of(" Cores", ("cores", "memory"))
    'cores'
    """
    expect(isinstance(answer, str), f"needs one of the words {', '.join(map(repr, choices))}, and this is {kind_of(answer)}")
    word = answer.strip().lower()
    expect(word in [choice.lower() for choice in choices], f"needs one of the words {', '.join(map(repr, choices))}")
    return next(choice for choice in choices if choice.lower() == word)


def near(value, right, within: float = 0.01) -> bool:
    """Whether a value, or each of an array, is right but for a relative error (absolute, of 1e-9, where the right one is 0).

    >>> near(1.004, 1), near([1, 2], [1, 2.1])
    (True, False)
    """
    value, right = np.asarray(value, float), np.asarray(right, float)
    return bool(value.shape == right.shape and (np.abs(value - right) <= np.maximum(within * np.abs(right), 1e-9)).all())
