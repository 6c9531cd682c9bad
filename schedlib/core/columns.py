"""A workload's own columns, which a rule reads by name, as in `cluster.jobs.deadline[job]`.

Kernels hand a rule all columns as one array (C, N), whatever their names, so that they compile only once. A
function around the rule gives it the rows by name.
"""

import functools
import inspect
import re
from collections import namedtuple
from collections.abc import Callable
from keyword import iskeyword
from typing import Any

import numba
import numpy as np
from numba import types

from schedlib.core.functions import reached
from schedlib.core.rules import seen

SHIPPED = ("job", "submit", "class")
TABLE = seen(types.float64, 2)
"""The type of the columns as kernels hand them over."""


def reads(function: Any) -> bool:
    """Whether a rule, or a function that it calls, reads `cluster.jobs`; it compiles when these are known.

    >>> reads(lambda cluster, job: int(cluster.jobs.home[job])), reads(lambda cluster, job: -1)
    (True, False)
    """
    plain = inspect.unwrap(getattr(function, "py_func", function))
    if not inspect.isfunction(plain):
        return False
    names = (one.__code__.co_names for one in reached(plain))
    return any("jobs" in used for used in names)


def own(jobs: Any) -> dict[str, np.ndarray]:
    """The columns of a frame of jobs that a rule can read, as floats (N,): the reader's own numeric ones, with
    names that can follow a dot.

    >>> import pandas as pd
    >>> own(pd.DataFrame({"job": [0], "submit": [0.0], "due": [9], "wall time": [1], "user": ["a"]}))
    {'due': array([9.])}
    """
    found = {}
    for name in jobs:
        column = jobs[name]
        if name not in SHIPPED and _is_field(name) and column.dtype.kind in "iufb":
            found[name] = column.to_numpy(float, na_value=np.nan)
    return found


def _is_field(name: Any) -> bool:
    fit = isinstance(name, str) and name.isidentifier() and not name.startswith("_")
    return fit and not iskeyword(name)


def record(names: tuple[str, ...]) -> tuple[Any, Any, Callable]:
    """A NamedTuple of such columns, its type, and a compiled function that makes it of the table (C, N)."""
    made = namedtuple("Jobs", names)  # type: ignore[misc]
    kinds = [seen(types.float64)] * len(names)
    rows = _rows(len(names))
    return made, types.BaseTuple.from_types(kinds, made), rows  # type: ignore[attr-defined]


@functools.cache
def _rows(count: int) -> Callable:
    """A compiled function that gives the first rows of an array as a tuple."""
    if count == 1:
        return numba.njit(lambda table: (table[0],))
    before = _rows(count - 1)
    last = count - 1
    return numba.njit(lambda table: before(table) + (table[last],))


def compiled_for(function: Callable, jobs: Any, compiler: Callable) -> Callable:
    """A rule that reads columns of `jobs`: what `compiler(function, names)` makes of it.

    Raises ValueError, with the columns that there are, on one that is not there or not numeric.
    """
    names = tuple(own(jobs))
    rule = getattr(function, "__name__", "rule")
    listed = ", ".join(names) or "none"
    there = f"the numeric columns of workload.jobs are: {listed}"
    if not names:
        raise ValueError(f"{rule}: reads cluster.jobs, but {there}; add one to the frame of jobs")
    try:
        return compiler(function, names)
    except ValueError as error:
        asked = re.search(r"attribute '(\w+)' of type Jobs", str(error.__cause__))
        if not asked:
            raise
        column = asked[1]
        why = "is not numeric" if column in jobs else "is not there"
        raise ValueError(f"{rule}: column {column!r} {why}; {there}") from error
