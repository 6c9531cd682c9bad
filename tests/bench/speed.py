"""Speed, as ratios within one run: every benchmark in one table, and how soon a fresh process answers.

A `bench_` module has a function `bench()` that gives rows `dict(name=..., value=..., unit=..., note=...)`. Seconds differ from
machine to machine, so a row's value is best a ratio of two timings taken side by side.
"""

import importlib
import importlib.util
import subprocess
import sys
import time

import pandas as pd

from schedlib.core.checks import unknown
from schedlib.plots import papers

PACKAGES = ("core", *papers.KEYS)
"""Each has a file `bench_<package>.py` beside this one, or none."""

REPEATS = 5
"""Starts of each process."""


def first_results():
    """The code of fresh processes, by name: the import alone, and a first result of each paper's own policy."""
    results = {paper.key: paper.first_result for paper in papers.ALL if paper.first_result}
    return {"import schedlib": "import schedlib; print(schedlib.__version__)"} | results


def collect(only=None):
    """The rows of `cold_starts()` and of the `bench()` for each package that has one; `only` names packages.

    Raises ValueError for an unknown package.
    """
    for name in only or ():
        if name not in PACKAGES:
            raise unknown("package", name, PACKAGES)
    rows = []
    for package in only or PACKAGES:
        if importlib.util.find_spec(f"bench_{package}"):
            rows += [
                {"package": package, **row}
                for row in importlib.import_module(f"bench_{package}").bench()
            ]
    return [{"package": "all", **row} for row in cold_starts(only)] + rows


def cold_starts(only=None):
    """How soon a fresh process prints the first result of a paper's policy, kernels compiled before: rows as a bench module's.

    Values are times over that of an empty Python in the same run, the least of `REPEATS` each; `seconds` has them as they are.
    """
    empty = soonest("print()", REPEATS)
    rows = []
    for name, code in first_results().items():
        if name in papers.KEYS and only and name not in only:
            continue
        seconds = soonest(code, REPEATS)
        what = f"{name}, first result" if name in papers.KEYS else name
        note = f"{seconds:.2f} s against {empty:.2f}, to the first line printed; asked: 1 s"
        rows.append(
            {
                "name": what,
                "value": round(seconds / empty, 1),
                "unit": "x an empty Python",
                "note": note,
                "seconds": seconds,
            }
        )
    return rows


def soonest(code, repeats):
    """Least seconds of `repeats` from starting Python on `code` to its first line of output, after one start that is not counted.

    Raises RuntimeError when it prints nothing.

    >>> soonest("print(1)", repeats=1) > 0
    True
    """
    best = float("inf")
    for turn in range(repeats + 1):
        start = time.perf_counter()
        with subprocess.Popen(
            [sys.executable, "-c", code], stdout=subprocess.PIPE, text=True
        ) as process:
            if not process.stdout.readline():
                raise RuntimeError(f"python -c {code!r} printed nothing")
            took = time.perf_counter() - start
        best = min(best, took) if turn else best
    return best


def main(only=None):
    """Run the benchmarks and print one table; gives its rows."""
    rows = collect(only)
    header = ("package", "name", "value", "unit", "note")
    print(pd.DataFrame(rows, columns=header, dtype=object).to_string(index=False, na_rep=""))
    return rows


if __name__ == "__main__":
    try:
        main(sys.argv[1:])
    except ValueError as error:
        sys.exit(str(error))
