"""Functions of a reader: the names that they use, what they draw, and which of them raised an error in a run."""

import dis
import inspect
import random
import traceback
from collections.abc import Callable, Iterator
from itertools import pairwise
from pathlib import Path
from types import CodeType
from typing import Any

import numpy as np

from schedlib import paths
from schedlib.core.unset import may_be_unset

GENERATORS = (random.Random, np.random.RandomState)
"""The generators behind the functions of the modules `random` and `numpy.random`."""
LOADS = ("LOAD_ATTR", "LOAD_METHOD")
"""The instructions that read what follows a dot."""
WAYS_OUT = {
    ZeroDivisionError: "ask first whether the divisor is 0; ",
    IndexError: "ask first how long the array is; ",
    MemoryError: "ask for smaller arrays; ",
}
"""How to avoid the errors that machine code raises without a line."""


class RuleError(ValueError):
    """An error that a reader's function raised in a run: the function's name, the line, and a way out."""


def room_of(function: Callable[..., Any]) -> str | None:
    """The room of the package that defines a function; None for a reader's own."""
    file = Path(function.__code__.co_filename).resolve()
    inside = file.is_relative_to(paths.PACKAGE) and file.is_file()
    return file.relative_to(paths.PACKAGE).parts[0] if inside else None


def plain(function: Any) -> Any:
    """The Python function within a compiled one.

    >>> import numba
    >>> plain(numba.njit(plain)) is plain
    True
    """
    return inspect.unwrap(getattr(function, "py_func", function))


def _steps(code: CodeType) -> Iterator[dis.Instruction]:
    """The instructions of a function, and of the comprehensions and functions within it."""
    yield from dis.get_instructions(code)
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _steps(constant)


def _names(function: Callable[..., Any]) -> set[str]:
    return {step.argval for step in _steps(function.__code__) if step.opcode in dis.hasname}


def variables(function: Callable[..., Any]) -> dict[str, Any]:
    """The values that a function takes from outside, by name."""
    steps = _steps(function.__code__)
    names = {step.argval for step in steps if step.opname == "LOAD_GLOBAL"}
    shared = {name: value for name, value in function.__globals__.items() if name in names}
    return {**shared, **inspect.getclosurevars(function).nonlocals}


def reached(function: Callable[..., Any]) -> Iterator[Callable[..., Any]]:
    """A plain function, and the plain functions within those that it calls: by a global name, by a closure's, or
    as compiled functions of a module."""
    waiting, seen = [plain(function)], set()
    while waiting:
        function = waiting.pop()
        if not inspect.isfunction(function) or function in seen:
            continue
        seen.add(function)
        yield function
        for value in variables(function).values():
            waiting.append(plain(value))
            if inspect.ismodule(value):
                members = [getattr(value, name, None) for name in _names(function)]
                waiting += [plain(member) for member in members if hasattr(member, "py_func")]


def names_in(function: Callable[..., Any]) -> set[str]:
    """The attributes and global names that a function, and those that it calls, use.

    >>> sorted(names_in(lambda cluster: [cluster.jobs.home[job] for job in (1, 2)]))
    ['home', 'jobs']
    """
    return set().union(*map(_names, reached(function)))


def reads(function: Callable[..., Any], field: str) -> bool:
    """Whether a function, or one that it calls, reads a field of what it sees; not a column of that name in `jobs`.

    >>> reads(lambda cluster: cluster.waiting[0], "waiting")
    True
    >>> reads(lambda cluster, waiting: cluster.jobs.waiting[waiting], "waiting")
    False
    """
    for part in reached(function):
        for before, step in pairwise(_steps(part.__code__)):
            if step.argval == field and step.opname in LOADS and before.argval != "jobs":
                return True
    return False


def flaw(function: Callable[..., Any], rng: str = "rng") -> str:
    """Why a reader's function that compiles cannot be a rule: it, or a function that it calls, draws from another
    generator than `rng`, sets a field of a record, or reads a variable that may be unset; "" when it does none of
    these. With `rng` "" a rule has no generator: it cannot draw.

    >>> flaw(lambda: np.random.random(), "cluster.rng")
    'draws from `random` or `np.random`, which no seed reaches; draw from `cluster.rng`'
    >>> flaw(lambda rng: rng.random())
    ''
    """
    cannot = "this rule cannot draw; compute its answer from what it sees"
    way_out = f"draw from `{rng}`" if rng else cannot
    for part in reached(function):
        outside = variables(part)
        file = Path(part.__code__.co_filename).name
        if not room_of(part) and (access := may_be_unset(part.__code__)):
            name, line = access
            return f"reads {name!r} ({file}, line {line}), which may be unset there; set it on every path"
        value: Any = None  # what the step before loaded, when it has a name
        for step in _steps(part.__code__):
            if step.opname == "STORE_ATTR" and not room_of(part):
                # numba takes it on records of read-only arrays, too
                return f"sets {step.argval!r}, and what a rule sees is read-only"
            from_numpy = value is np and step.argval == "random"
            loads = step.opname in ("LOAD_GLOBAL", "LOAD_DEREF")
            value = outside.get(step.argval) if loads else None
            if (
                from_numpy
                or value is random
                or value is np.random
                or isinstance(getattr(value, "__self__", None), GENERATORS)
            ):
                return f"draws from `random` or `np.random`, which no seed reaches; {way_out}"
            if isinstance(value, np.random.Generator):
                line = step.positions.lineno if step.positions else None
                return (
                    f"draws from {step.argval!r} ({file}, line {line}), a generator from outside, which no seed "
                    f"reaches; {way_out}"
                )
    return ""


def where(error: Exception, function: Callable[..., Any]) -> str:
    """The last line of a function's file that an error's traceback names, in brackets; "" when it names none."""
    file = function.__code__.co_filename
    steps = [step for step in traceback.extract_tb(error.__traceback__) if step.filename == file]
    return f" ({Path(file).name}, line {steps[-1].lineno})" if steps else ""


def blamed(error: Exception, arguments: Any) -> str:
    """Which reader's function, among the arguments of a kernel, raised an error: its name, the error, its line
    or a way out; "" when the kernel has none. Machine code keeps the line of a `raise` alone."""
    said = f"raises {type(error).__name__}: {error}"
    rules = list(_rules(arguments))
    for rule in rules:
        if line := where(error, plain(rule)):
            return f"{rule.__name__}: {said}{line}"
    names = " or ".join(rule.__name__ for rule in rules)
    way_out = WAYS_OUT.get(type(error), "")
    return names and f"{names}: {said}; {way_out}NUMBA_DISABLE_JIT=1 shows the line"


def _rules(arguments: Any) -> Iterator[Any]:
    """The reader's compiled functions among a kernel's arguments, and in the tuples among these."""
    for argument in arguments:
        if isinstance(argument, tuple):
            yield from _rules(argument)
        rule = getattr(argument, "within", argument)
        if hasattr(rule, "declared") and not room_of(rule):
            yield rule
