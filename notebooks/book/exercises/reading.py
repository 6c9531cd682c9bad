"""Reading and refusing answers: `Hint`, and functions that make numbers of anything that a reader hands in."""

import contextlib
import math
import re
import signal
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from decimal import Decimal
from fractions import Fraction
from itertools import islice
from numbers import Real
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

WORDS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
Floats = npt.NDArray[np.float64]
MOST = 100_000  # members of an answer that are read: it may be without end
LONGEST = 10.0  # seconds that a call of a reader's function may take
WRITTEN = re.compile(
    r"([-+]?(?:\d{1,15}(?:\.\d{0,15}|/[1-9]\d{0,15})?|\.\d{1,15})(?:[eE][-+]?\d{1,3})?)\s*([^\W\d].*|%)?"
)  # a number, and its unit


class Hint(Exception):
    """An answer is not right; the message says where to look, and never what the answer is."""


def expect(holds: Any, hint: str) -> None:
    """Raise `Hint` unless the condition holds."""
    if not holds:
        raise Hint(hint)


@contextlib.contextmanager
def hinted(what: str) -> Iterator[None]:
    """Inside the block an error becomes a Hint that says what does not work, and why."""
    try:
        yield
    except Hint:
        raise
    except Exception as error:
        raise Hint(f"{what}: {error_line(error)}") from error


class Endless(BaseException):
    """A reader's function did not end; no `except Exception` of that function catches it."""


@contextlib.contextmanager
def limited() -> Iterator[None]:
    """Inside the block a reader's Python that takes longer than `LONGEST` becomes a Hint.

    Only the main thread of a system with timers can be stopped, and only between two lines of Python. Elsewhere nothing is limited.
    """
    main = threading.current_thread() is threading.main_thread()
    if not (main and hasattr(signal, "setitimer")):
        yield
        return

    def stop(number, frame):
        raise Endless

    before = signal.signal(signal.SIGALRM, stop)
    # and again and again, where a bare `except:` of the reader's takes it
    outer = signal.setitimer(signal.ITIMER_REAL, LONGEST, 0.1)
    try:
        yield
    except Endless:
        hint = f"your function did not end within {LONGEST:g} s: does each of its loops come to an end?"
        raise Hint(hint) from None
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
        signal.setitimer(signal.ITIMER_REAL, *outer)


def error_line(error: Exception) -> str:
    """An exception in a line: its kind and the beginning of its message."""
    try:
        text = " ".join(str(error).split())
    except Exception:
        text = ""
    kind = type(error).__name__
    if not text:
        return kind
    return f"{kind}: {text[:300]}"


def kind_of(answer: Any) -> str:
    """The kind of an answer, in a reader's words.

    >>> kind_of("x"), kind_of(3), kind_of(None), kind_of([1])
    ('text', 'a number', 'nothing (None)', 'of type list')
    """
    if answer is None:
        return "nothing (None)"
    if isinstance(answer, str | bytes):
        return "text"
    if isinstance(answer, bool | np.bool_):
        return "True or False"
    if isinstance(answer, Real | Decimal):
        return "a number"
    return f"of type {type(answer).__name__}"


def number(answer: Any, what: str = "a number", unit: str = "") -> float:
    """The answer, or its only member, as a float; Hint unless it is one finite number.

    A text is a number, a fraction, or one with its unit; `unit` has the unit's names, and without one per cent are parts.

    >>> number("10 min", unit="min minutes"), number("25 %", unit="%"), number("25 %"), number("1/4")
    (10.0, 25.0, 0.25, 0.25)
    """
    listed = isinstance(answer, np.ndarray | pd.Series | list | tuple)
    if listed and np.size(answer) == 1:
        members = np.ravel(np.asarray(answer, dtype=object))
        answer = members[0]
    written = WRITTEN.fullmatch(answer.strip()) if isinstance(answer, str) else None
    if written:
        answer, given = Fraction(written[1]), (written[2] or "").strip()
        if given == "%" and not unit:
            answer /= 100
        elif given:
            named = given in unit.split()
            expect(
                named,
                f"needs {what}{f' in {unit.split()[0]}' if unit else ''}, and not in {given!r}",
            )
    truth = isinstance(answer, bool | np.bool_)
    plain = isinstance(answer, Real | Decimal) and not truth
    expect(plain, f"needs {what}, and this is {kind_of(answer)}")
    expect(math.isfinite(answer), f"needs {what}, and this one is not finite")
    return float(answer)


def items(answer: Any, what: str = "a list", count: int | None = None) -> list:
    """The members of a list, array, frame (rows) or dictionary (values); Hint unless there are `count`."""
    if isinstance(answer, Mapping):
        answer = answer.values()
    if isinstance(answer, pd.DataFrame):
        answer = answer.to_numpy().tolist()
    text = isinstance(answer, str | bytes)
    several = hasattr(answer, "__iter__") and not text
    expect(several, f"needs {what}, and this is {kind_of(answer)}")
    members = list(islice(iter(answer), MOST + 1))
    length = len(members)
    expect(length <= MOST, f"needs {what}, and this one has more than {MOST:,} members")
    expect(count is None or length == count, f"needs {what}, and here are {length}")
    return members


def numbers(
    answer: Any, count: int | None = None, what: str | None = None, unit: str = "", names: str = ""
) -> Floats:
    """The answer as an array (count,) of floats; Hint unless it is that many finite numbers.

    `names` has a pattern for each number: a dictionary or a series with such keys may have them in any order.

    >>> numbers({"wait of B": 1, "wait of A": 2}, names="A$ B$").tolist()
    [2.0, 1.0]
    """
    if what is None:
        how_many = "" if count is None else f"{WORDS[count]} "
        what = f"{how_many}numbers"
    if isinstance(answer, pd.DataFrame):
        answer = answer.to_numpy().ravel()
    members = items(_in_order(answer, names), what, count)
    form = f"{what}, each a plain number"
    return np.array([number(member, form, unit) for member in members])


def _in_order(answer, names):
    """The members by their names' order where each name finds one key of its own; otherwise the answer itself."""
    if not names or not isinstance(answer, Mapping | pd.Series):
        return answer
    keys = list(islice(answer.keys(), MOST))
    found = [[key for key in keys if re.search(name, str(key), re.I)] for name in names.split()]
    chosen = [matches[0] for matches in found if len(matches) == 1]
    if len(set(chosen)) < len(found):
        return answer
    return [answer[key] for key in chosen]


def rows(answer: Any, width: int, what: str) -> Floats:
    """The answer as an array (n, width); Hint unless it is at least one row of that many numbers."""
    members = items(answer, what)
    expect(members, f"needs {what}, and this is empty")
    form = f"{what}, {WORDS[width]} numbers in each"
    return np.array([numbers(row, width, form) for row in members])


def wholes(array: Floats, what: str) -> npt.NDArray[np.int64]:
    """An array of floats as whole numbers; Hint unless they are."""
    exact = np.abs(array) < 1e15
    whole = array == np.rint(array)
    expect((exact & whole).all(), f"needs {what}, in whole numbers")
    return array.astype(np.int64)


def a(kind: type, answer: Any, what: str) -> Any:
    """The answer when it is of that kind; Hint otherwise."""
    fits = isinstance(answer, kind)
    expect(fits, f"needs {what}, and this is {kind_of(answer)}")
    return answer


def made(answer: Any, kind: type, what: str, make: Callable | None = None) -> Any:
    """The answer when it is of that kind, or what `make` (else the kind itself) makes of a bare function; Hint otherwise."""
    if callable(answer) and not isinstance(answer, type | kind):
        with hinted("it does not run"):
            answer = (make or kind)(answer)
    return a(kind, answer, what)


def function(answer: Any, arguments: str) -> Callable:
    """The answer when it is a function, with a limit on the time of a call; Hint otherwise."""
    is_class = isinstance(answer, type)
    plain = callable(answer) and not is_class
    expect(plain, f"needs a function of ({arguments}), and this is {kind_of(answer)}")
    return limited()(answer)


def one_of(answer: Any, choices: Mapping[str, str]) -> str:
    """The answer as one of some words, in any case and by any of its names; Hint otherwise. `choices` has the names of each."""
    what = f"one of the words {', '.join(map(repr, choices))}"
    word = a(str, answer, what).strip().lower()
    for choice, names in choices.items():
        if word in (choice.lower(), *names.split()):
            return choice
    raise Hint(f"needs {what}")


def near(value: Any, right: Any, within: float = 0.02) -> bool:
    """Whether a value, or each of an array, is right up to a relative error (1e-8 absolute at 0).

    >>> near(1.014, 1), near([1, 2], [1, 2.1]), near([1, 1], 1)
    (True, False, False)
    """
    if np.shape(value) != np.shape(right):
        return False
    return np.allclose(value, right, rtol=within)


def expect_near(value: Any, right: Any, hint: str, *slips: tuple, within: float = 0.02) -> None:
    """Raise `Hint` where a value gives one of the `slips` (see `unlike`), or is not right within a relative error."""
    unlike(value, *slips)
    expect(near(value, right, within), hint)


def unlike(value: Any, *slips: tuple) -> None:
    """Raise `Hint` where a value is near one that a slip gives; a slip: that value, its hint, a tolerance."""
    for wrong, hint, *within in slips:
        slipped = near(value, wrong, *within)
        expect(not slipped, hint)


def right_in_cases(
    answer: Any,
    arguments: str,
    cases: Sequence[tuple[str, tuple, Any]],
    read: Callable = number,
    within: float = 1e-3,
    slips: Callable[..., Sequence[tuple]] = lambda right, *inputs: (),
) -> None:
    """Raise `Hint` unless a reader's function gives the right result in each case, and leaves its input alone.

    A case is its hint, its arguments (a list becomes an array) and its result; `slips` gives those of a case (see `unlike`).
    """
    solution = function(answer, arguments)
    for i, (hint, inputs, right) in enumerate(cases, 1):
        case = f"case {i} of {len(cases)}"
        arrays = [np.array(value) if isinstance(value, list) else value for value in inputs]
        with hinted(f"it stopped at {case}"):
            result = solution(*arrays)
        same = all(map(np.array_equal, arrays, inputs))
        expect(same, f"{case}: it changes its arguments: work on a copy")
        try:
            value = read(result)
        except Hint as odd:
            raise Hint(f"{case}: what it returns {odd}") from odd
        expect_near(value, right, f"{case} is off: {hint}", *slips(right, *inputs), within=within)
