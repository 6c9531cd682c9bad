"""Speed, as ratios within one run: every package's `bench` module in one table, and how soon a fresh process answers.

A `bench` module has a function `bench()` that gives rows `dict(name=..., value=..., unit=..., note=...)`. Seconds differ from
machine to machine, so a row's value is best a ratio of two timings taken side by side.
"""

import importlib
import importlib.util
import subprocess
import sys
import time

from schedlib.experiment import PAPERS
from schedlib.reproduce.tables import columns

PACKAGES = ("core", *PAPERS, "widgets")
FIRST = {
    "import schedlib": "import schedlib; print(schedlib.__version__)",
    "lotes": "from schedlib import lotes; configs, classes = lotes.google2011(); few = lotes.fewer_machines(configs, 60); "
    "plan = lotes.plan(few, classes); jobs = lotes.RandomWorkload(classes, rate=0.9 * plan.rate_rounded, hours=0.1); "
    "print(lotes.simulate('lotes', few, jobs, plan=plan).mean_response)",
    "hmhs": "from schedlib import hmhs; print(hmhs.schedule(hmhs.single(100, seed=0), 'hmhs').makespan)",
    "mch": "from schedlib import mch; print(mch.allocate(mch.Tree([[(1, 0), (0, 1)], [(1, 0)]]), [1, 1], 'mch').shares)",
    "eagle": "from schedlib import eagle; jobs = eagle.google(100); "
    "print(eagle.simulate(jobs, 'eagle', 150, short_partition=0.17, cutoff=1129.532).stats['events'])",
}
"""What a fresh process is asked to print, by name: nothing but the import, and a first result of each paper's own policy."""


def collect(only=None) -> list[dict]:
    """The rows of `cold_starts()` and of `schedlib.<package>.bench.bench()` for each package that has one; `only` names packages.

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
    return [{"package": "all", **row} for row in cold_starts(only)] + rows


def cold_starts(only=None, repeats: int = 5) -> list[dict]:
    """How soon a fresh process prints the first result of a paper's policy, kernels compiled before: rows as a bench module's.

    Values are times over that of an empty Python in the same run, the least of `repeats` each; `seconds` has them as they are.
    """
    empty = soonest("print()", repeats)
    rows = []
    for name, code in FIRST.items():
        if name in PAPERS and only and name not in only:
            continue
        seconds = soonest(code, repeats)
        what = f"{name}, first result" if name in PAPERS else name
        note = f"{seconds:.2f} s against {empty:.2f}, to the first line printed; asked: 1 s"
        rows.append({"name": what, "value": round(seconds / empty, 1), "unit": "x an empty Python", "note": note, "seconds": seconds})
    return rows


def soonest(code: str, repeats: int = 5) -> float:
    """Least seconds of `repeats` from starting Python on `code` to its first line of output, after one start that is not counted.

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


def main(only=None) -> list[dict]:
    """Run the benchmarks and print one table; gives its rows."""
    rows = collect(only)
    header = ("package", "name", "value", "unit", "note")
    print(columns(header, [[row.get(name) for name in header] for row in rows]))
    return rows
