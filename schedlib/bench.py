"""Speed, as ratios within one run: every package's `bench` module in one table.

A `bench` module has a function `bench()` that gives rows `dict(name=..., value=..., unit=..., note=...)`. Seconds differ from
machine to machine, so a row's value is best a ratio of two timings taken side by side.
"""

import importlib
import importlib.util

from schedlib.experiment import PAPERS
from schedlib.reproduce.tables import columns

PACKAGES = ("core", *PAPERS, "widgets")


def collect(only=None) -> list[dict]:
    """The rows of `schedlib.<package>.bench.bench()` for each package that has one; `only` names packages.

    Raises ValueError for an unknown package.
    """
    for name in only or ():
        if name not in PACKAGES:
            raise ValueError(f"unknown package {name!r}: benchmarks are in {', '.join(PACKAGES)}")
    rows = []
    for package in only or PACKAGES:
        name = f"schedlib.{package}.bench"
        if importlib.util.find_spec(f"schedlib.{package}") and importlib.util.find_spec(name):
            rows += [{"package": package, **row} for row in importlib.import_module(name).bench()]
    return rows


def main(only=None) -> list[dict]:
    """Run the benchmarks and print one table; gives its rows."""
    rows = collect(only)
    if not rows:
        print("no benchmarks here yet")
        return rows
    header = ("package", "name", "value", "unit", "note")
    print(columns(header, [[row.get(name) for name in header] for row in rows]))
    return rows
