"""How large the code is, in AST nodes, by room, against the budget of each room.

    python .ci/size.py           a table
    python .ci/size.py --check   print only rooms over their budgets, and fail where there are any

Nodes are those of `ast.walk`. A room is a folder with all that lies in it but for the rooms within it; several
files can share one budget.
"""

import argparse
import ast
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
BUDGETS = {
    ("schedlib/lotes",): 42_000,
    ("schedlib/eagle",): 28_280,
    ("schedlib/mch",): 25_000,
    ("schedlib/hmhs",): 13_000,
    ("schedlib/core",): 7_720,
    ("schedlib/traces",): 13_000,
    ("schedlib/workload.py", "schedlib/theory.py", "schedlib/intervals.py"): 6_000,
    ("schedlib/plots",): 6_000,
    ("schedlib/boards",): 15_000,
    ("schedlib/sweeps",): 9_000,
    ("schedlib/prototype",): 15_000,
    ("schedlib",): 180_000,
    ("notebooks/reproduce",): 15_000,
    ("notebooks/reproduce/exhibits",): 47_000,
    ("notebooks/book",): 48_000,
    ("tests",): 130_000,
}
"""The most nodes of a room. `schedlib` is the whole package, with the rooms above."""
STILL = {
    ("schedlib/lotes",): 48_536,
    ("schedlib/eagle",): 28_837,
    ("schedlib/hmhs",): 14_639,
    ("schedlib/core",): 8_484,
    ("schedlib/workload.py", "schedlib/theory.py", "schedlib/intervals.py"): 6_406,
    ("schedlib/plots",): 6_989,
    ("schedlib",): 192_774,
    ("notebooks/reproduce",): 18_993,
    ("notebooks/book",): 58_587,
    ("tests",): 159_150,
}
"""The most nodes, meanwhile, of rooms that are not within their budgets yet."""
APART = {"notebooks/reproduce": "notebooks/reproduce/exhibits"}
"""A room and the room within it that has a budget of its own."""


def nodes_of(text: str) -> int:
    """The nodes of a Python file's text.

    >>> nodes_of("x = 1")
    5
    """
    return sum(1 for _ in ast.walk(ast.parse(text)))


def size_of(places: tuple[str, ...]) -> int:
    """The nodes of a room: of the files at these places and below them."""
    total = 0
    for place in places:
        path = ROOT / place
        for file in [path] if path.is_file() else path.rglob("*.py"):
            total += nodes_of(file.read_text())
        if place in APART:
            total -= size_of((APART[place],))
    return total


def main() -> int:
    """Print the table; with --check, only the rooms that are too large, and give 1 when there are any."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--check", action="store_true")
    check = parser.parse_args().check
    over = 0
    for places, budget in BUDGETS.items():
        nodes = size_of(places)
        most = STILL.get(places, budget)
        over += nodes > most
        if nodes > most or not check:
            mark = f"  still at most {most:,}" if most > budget else ""
            print(f"{', '.join(places):72} {nodes:8,} of {budget:8,}{mark}")
    return int(check and over > 0)


if __name__ == "__main__":
    sys.exit(main())
