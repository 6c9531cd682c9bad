"""How an answer is read and refused: `Hint`, and what turns whatever a reader hands in into numbers."""

import contextlib
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import islice
from numbers import Real
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

WORDS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
MOST = 100_000  # of an answer without end no more is read


class Hint(Exception):
    """An answer is not right; the message says where to look, and never what the answer is."""


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


def numbers(
    answer: Any, count: int | None = None, what: str | None = None
) -> npt.NDArray[np.float64]:
    """The answer as an array (count,) of floats; Hint unless it is that many finite numbers."""
    if what is None:
        what = (
            "numbers"
            if count is None
            else f"{WORDS[count] if count < len(WORDS) else count} numbers"
        )
    if isinstance(answer, pd.DataFrame):
        answer = answer.to_numpy().ravel()
    return np.array(
        [number(one, f"{what}, each a plain number") for one in items(answer, what, count)]
    )


def rows(answer: Any, width: int, what: str) -> npt.NDArray[np.float64]:
    """The answer as an array (n, width); Hint unless it is at least one row of that many numbers."""
    members = items(answer, what)
    expect(members, f"needs {what}, and this is empty")
    return np.array(
        [numbers(row, width, f"{what}, {WORDS[width]} numbers in each") for row in members]
    )


def wholes(array: npt.NDArray[np.float64], what: str) -> npt.NDArray[np.int64]:
    """An array of floats as whole numbers; Hint unless they are."""
    expect(
        ((np.abs(array) < 1e15) & (array == np.rint(array))).all(),
        f"needs {what}, in whole numbers",
    )
    return array.astype(np.int64)


def a(kind: type, answer: Any, what: str) -> Any:
    """The answer when it is of that kind; Hint otherwise."""
    expect(isinstance(answer, kind), f"needs {what}, and this is {kind_of(answer)}")
    return answer


def function(answer: Any, arguments: str) -> Callable:
    """The answer when it is a function; Hint otherwise."""
    plain = callable(answer) and not isinstance(answer, type)
    expect(plain, f"needs a function of ({arguments}), and this is {kind_of(answer)}")
    return answer


def one_of(answer: Any, choices: Sequence[str]) -> str:
    """The answer as one of some words, in any case; Hint otherwise."""
    what = f"one of the words {', '.join(map(repr, choices))}"
    by_word = {choice.lower(): choice for choice in choices}
    word = a(str, answer, what).strip().lower()
    expect(word in by_word, f"needs {what}")
    return by_word[word]


def near(value: Any, right: Any, within: float = 0.02) -> bool:
    """Whether a value, or each of an array, is right but for a relative error (1e-9 absolute at 0).

    >>> near(1.014, 1), near([1, 2], [1, 2.1]), near([1, 1], 1)
    (True, False, False)
    """
    same_shape = np.shape(value) == np.shape(right)
    return same_shape and np.allclose(value, right, rtol=within, atol=1e-9)


def right_in_cases(
    answer: Any,
    arguments: str,
    cases: Sequence[tuple[str, tuple, Any]],
    read: Callable = number,
    within: float = 1e-3,
) -> None:
    """Raise `Hint` unless a reader's function gives the right result in each case.

    A case is its hint, its arguments (a list becomes an array) and its result.
    """
    own = function(answer, arguments)
    for i, (hint, given, right) in enumerate(cases, 1):
        here = f"case {i} of {len(cases)}"
        arrays = [np.array(one) if isinstance(one, list) else one for one in given]
        with hinted(f"it stopped at {here}"):
            result = own(*arrays)
        try:
            value = read(result)
        except Hint as odd:
            raise Hint(f"{here}: what it returns {odd}") from odd
        expect(near(value, right, within), f"{here} is off: {hint}")
