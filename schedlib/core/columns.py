"""A workload's own columns, which a rule reads by name, as in `cluster.jobs.deadline[job]`.

Kernels hand a rule all columns as one array (C, N), whatever their names, so that they compile only once. A
function around the rule, written for its arguments, gives it the rows by name.
"""

import functools
from collections import namedtuple
from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Any

import numba

from schedlib.core.rules import FLOATS, RuleKind


def bind(
    kind: RuleKind, function: Callable, columns: Iterable[str] | None, argument: str
) -> Callable:
    """A reader's function, ready for kernels that run on jobs with these numeric columns; `argument` is the name
    under which it was given. Where `columns` is None a function that reads them stays plain.

    Raises ValueError as `kind` does, and on a function that reads another column.
    """
    if columns is not None and kind.reads_columns(function):
        return _by_name(kind, function, tuple(columns), argument)
    return kind(function, argument)


@functools.lru_cache(64)
def _by_name(kind: RuleKind, function: Any, names: tuple[str, ...], argument: str) -> Any:
    """A function that reads columns of these names, compiled; kernels call it like any other of its kind."""

    record = namedtuple("NumericColumns", names)  # type: ignore[misc]
    first, *rest = kind.arguments
    sees = kind.arguments[first]
    named = sees._replace(jobs=record(*[FLOATS] * len(names)))
    inner = replace(kind, arguments={**kind.arguments, first: named}).compiled(function, argument)
    rows = ", ".join(f"{first}.jobs[{row}]" for row in range(len(names)))
    values = [f"Columns({rows})" if name == "jobs" else f"{first}.{name}" for name in sees._fields]
    handed = ", ".join([f"View({', '.join(values)})", *rest])
    scope = {"rule": inner, "Columns": record, "View": type(sees)}
    exec(f"def by_name({', '.join(kind.arguments)}): return rule({handed})", scope)
    made = numba.njit(kind.signature, nogil=True)(scope["by_name"])  # type: ignore[call-overload]
    made.declared = kind.signature
    made.within = inner
    return made
