"""Speed, as ratios within one run: every package's `bench` module in one table, and how soon a fresh process
answers.

A `bench` module has a function `bench()` that gives rows `dict(name=..., value=..., unit=..., note=...)`.
Seconds differ from machine to machine, so a row's value is best a ratio of two timings taken side by side.
"""

import importlib
import subprocess
import sys
import time
from collections.abc import Collection
from typing import Any

import pandas as pd

from schedlib import papers
from schedlib.reproduce.registry import unknown
from schedlib.reproduce.tables import columns

PLACES = {
    "core": "schedlib.core.bench",
    **{key: f"schedlib.exhibits.{key}.bench" for key in papers.KEYS},
    "explorers": "schedlib.teaching.explorers.bench",
}
"""Where the benchmarks of each package are."""


def first_results() -> dict[str, str]:
    """What a fresh process is asked to print, by name: nothing but the import, and a first result of each
    paper's own policy."""
    nothing = {"import schedlib": "import schedlib; print(schedlib.__version__)"}
    return nothing | {paper.key: paper.first_result for paper in papers.ALL}


def collect(only: Collection[str] | None = None) -> list[dict[str, Any]]:
    """The rows of `cold_starts()` and of the `bench()` for each package that has one; `only` names packages.

    Raises ValueError for an unknown package.
    """
    for name in only or ():
        if name not in PLACES:
            raise unknown("package", name, PLACES)
    rows = [{"package": "all", **row} for row in cold_starts(only)]
    for package in only or PLACES:
        rows += [{"package": package, **row} for row in importlib.import_module(PLACES[package]).bench()]
    return rows


def cold_starts(only: Collection[str] | None = None, repeats: int = 5) -> list[dict[str, Any]]:
    """How soon a fresh process prints the first result of a paper's policy, kernels compiled before: rows as
    a bench module's.

    Values are times over that of an empty Python in the same run, the least of `repeats` each; `seconds` has
    them as they are.
    """
    empty = soonest("print()", repeats)
    rows = []
    for name, code in first_results().items():
        if name in papers.KEYS and only and name not in only:
            continue
        seconds = soonest(code, repeats)
        rows.append({
            "name": f"{name}, first result" if name in papers.KEYS else name,
            "value": round(seconds / empty, 1),
            "unit": "x an empty Python",
            "note": f"{seconds:.2f} s against {empty:.2f}, to the first line printed; asked: 1 s",
            "seconds": seconds,
        })  # fmt: skip
    return rows


def soonest(code: str, repeats: int = 5) -> float:
    """Least seconds of `repeats` from starting Python on `code` to its first line of output, after one start
    that is not counted.

    Raises RuntimeError when it prints nothing.

    >>> soonest("print(1)", repeats=1) > 0
    True
    """
    best = float("inf")
    for turn in range(repeats + 1):
        start = time.perf_counter()
        with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True) as process:
            if not process.stdout.readline():
                raise RuntimeError(f"python -c {code!r} printed nothing")
            took = time.perf_counter() - start
        best = min(best, took) if turn else best
    return best


def main(only: Collection[str] | None = None) -> list[dict[str, Any]]:
    """Run the benchmarks and print one table; gives its rows."""
    rows = collect(only)
    header = ("package", "name", "value", "unit", "note")
    print(columns(pd.DataFrame(rows, columns=header, dtype=object)))
    return rows
