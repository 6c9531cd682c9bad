"""Functions in a reader's hands: what they call and draw, and which of them raised an error in a run."""

import dis
import inspect
import random
import re
import traceback
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

from schedlib import paths

GENERATORS = (random.Random, np.random.RandomState)
"""The generators behind the functions of the modules `random` and `numpy.random`."""


def room_of(function: Callable[..., Any]) -> str | None:
    """The room of the package that a function stands in, None when it is a reader's."""
    file = Path(function.__code__.co_filename).resolve()
    own = file.is_relative_to(paths.PACKAGE) and file.is_file()
    return file.relative_to(paths.PACKAGE).parts[0] if own else None


class RuleError(ValueError):
    """What a reader's function raised in a run: its name, its line, and a way out."""


def reached(function: Callable[..., Any]) -> Iterator[Any]:
    """A function, and those that it calls by a global name or a closure's, compiled or not."""
    left, looked = [function], set()
    while left:
        this = left.pop()
        looked.add(this)
        yield this
        known = inspect.getclosurevars(this)
        for value in (*known.globals.values(), *known.nonlocals.values()):
            called = inspect.unwrap(getattr(value, "py_func", value))
            if inspect.isfunction(called) and called not in looked:
                left.append(called)


def draws_globally(function: Callable[..., Any]) -> bool:
    """Whether a function, or one that it calls by a global name, draws from numpy's or Python's own generator.

    >>> draws_globally(lambda: np.random.random()), draws_globally(lambda rng: rng.random())
    (True, False)
    """
    return any(map(_draws, reached(function)))


def _draws(function: Callable[..., Any]) -> bool:
    known = inspect.getclosurevars(function)
    named = {**known.globals, **known.nonlocals}
    value: Any = None  # what the step before loaded, when it has a name
    for step in dis.get_instructions(function):
        if value is np and step.argval == "random":
            return True
        loads = step.opname in ("LOAD_GLOBAL", "LOAD_DEREF")
        value = named.get(step.argval) if loads else None
        if value is random or value is np.random:
            return True
        if isinstance(getattr(value, "__self__", None), GENERATORS):
            return True
    return False


def _line(step: dis.Instruction) -> int:
    return (step.positions and step.positions.lineno) or 0


def _at(function: Callable[..., Any], lines: list[int]) -> str:
    """A place in a reader's file, in brackets."""
    listed = " or ".join(map(str, lines))
    return f" ({Path(function.__code__.co_filename).name}, line {listed})"


SLIPS = {
    ZeroDivisionError: (r"^([/%]|//)=?$", "ask first whether the divisor is 0"),
    IndexError: (r"^(BINARY_SUBSCR|STORE_SUBSCR|\[\])$", "ask first how long the array is"),
    MemoryError: ("^CALL", "ask for smaller arrays"),
}
"""Python's instructions that raise an error, and how to avoid it."""


def blamed(error: Exception, arguments: Any) -> str:
    """Which reader's function, among the arguments of a kernel, raised an error: its name, what it raised, a way
    out, its line; "" when none did."""
    functions = [one for rule in _rules(arguments) for one in reached(rule) if not room_of(one)]
    said = f"raises {type(error).__name__}: {error}"
    *_, (frame, line) = traceback.walk_tb(error.__traceback__)
    for function in functions:
        if function.__code__.co_filename == frame.f_code.co_filename:
            return f"{function.__name__}: {said}{_at(function, [line])}"
    pattern, way_out = SLIPS.get(type(error), ("", ""))
    for function in functions if pattern else ():
        lines = set()
        for step in dis.get_instructions(function):
            if re.match(pattern, step.argrepr) or re.match(pattern, step.opname):
                lines.add(_line(step))
        if lines:
            place = _at(function, sorted(lines))
            return f"{function.__name__}: {said}; {way_out}{place}"
    return ""


def _rules(arguments: Any) -> Iterator[Any]:
    """The reader's functions among a kernel's arguments, and in the tuples among these."""
    for argument in arguments:
        if isinstance(argument, tuple):
            yield from _rules(argument)
        elif hasattr(argument, "declared"):
            yield argument.py_func
