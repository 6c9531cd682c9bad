"""A workload's own columns, which a rule reads by name, as in `cluster.jobs.deadline[job]`.

Kernels hand a rule all columns as one array (C, N), whatever their names, so that they compile only once. A
function around the rule, written for its arguments, gives it the rows by name.
"""

import functools
from collections import namedtuple
from collections.abc import Callable
from dataclasses import replace
from keyword import iskeyword
from typing import Any

import numba
import numpy as np

from schedlib.core.rules import FLOATS, RuleKind

SHIPPED = ("job", "submit", "class")


def own_columns(jobs: Any) -> dict[str, np.ndarray]:
    """The columns of a frame of jobs that a rule can read, as floats (N,): the reader's own numeric ones, with
    names that can follow a dot.

    >>> import pandas as pd
    >>> own_columns(pd.DataFrame({"job": [0], "submit": [0.0], "due": [9], "wall time": [1], "user": ["a"]}))
    {'due': array([9.])}
    """
    columns = {}
    for name in jobs:
        text = str(name)
        can_follow_a_dot = text.isidentifier() and not text.startswith("_") and not iskeyword(text)
        if can_follow_a_dot and text not in SHIPPED and jobs[name].dtype.kind in "iufb":
            columns[text] = jobs[name].to_numpy(float, na_value=np.nan)
    return columns


def table(jobs: Any) -> np.ndarray:
    """The columns of a frame of jobs that rules can read, a row for each (C, N)."""
    columns = own_columns(jobs)
    return np.array([*columns.values()]).reshape(len(columns), len(jobs))


def bind(kind: RuleKind, function: Callable, jobs: Any, argument: str) -> Callable:
    """A reader's function, ready for kernels that run on a frame of jobs; `argument`: what it was given as. Where
    `jobs` is None a function that reads columns stays plain.

    Raises ValueError as `kind` does, and on a function that reads another column than the numeric ones.
    """
    if jobs is not None and kind.reads_columns(function):
        return _by_name(kind, function, tuple(own_columns(jobs)), argument)
    return kind(function, argument)


@functools.lru_cache(64)
def _by_name(kind: RuleKind, function: Any, names: tuple[str, ...], argument: str) -> Any:
    """A function that reads columns of these names, compiled; kernels call it like any other of its kind."""

    class Jobs(namedtuple("Jobs", names)):  # type: ignore[misc]
        """The columns by name."""

        def __getattr__(self, name: str) -> Any:
            raise AttributeError(
                f"{name!r} is not one of the numeric columns of workload.jobs: {', '.join(names) or 'none'}"
            )

    first, *rest = kind.arguments
    sees = kind.arguments[first]
    named = sees._replace(jobs=Jobs(*[FLOATS] * len(names)))
    inner = replace(kind, arguments={**kind.arguments, first: named}).compiled(function, argument)
    rows = ", ".join(f"{first}.jobs[{row}]" for row in range(len(names)))
    values = [f"Jobs({rows})" if name == "jobs" else f"{first}.{name}" for name in sees._fields]
    handed = ", ".join([f"View({', '.join(values)})", *rest])
    scope = {"rule": inner, "Jobs": Jobs, "View": type(sees)}
    exec(f"def by_name({', '.join(kind.arguments)}): return rule({handed})", scope)
    made = numba.njit(kind.signature, nogil=True)(scope["by_name"])  # type: ignore[call-overload]
    made.declared = kind.signature
    made.within = inner
    return made
