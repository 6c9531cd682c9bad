"""Speed of the explorers: a move of each, in units of the time of an empty picture."""

import time
from collections.abc import Iterable

import numpy as np

from explorer_moves import EXPLORERS, move
from schedlib.pictures import style
from schedlib.teaching.explorers import png

MOVES = 12


def empty() -> float:
    """Seconds that a picture without anything in it takes, axes made and drawn, the best of five.

    >>> 0 < empty() < 60
    True
    """
    return min(_seconds(lambda: png(style.subplots(size=(8.0, 4.0))[0])) for _ in range(5))


def _seconds(do) -> float:
    start = time.process_time()
    do()
    return time.process_time() - start


def bench(names: Iterable[str] = EXPLORERS) -> list[dict]:
    """A row for each explorer: the median time of random moves over that of an empty picture."""
    least, rows = empty(), []
    for name in names:
        explorer, rng = EXPLORERS[name](), np.random.default_rng(0)
        took = [
            _seconds(lambda explorer=explorer, rng=rng: move(explorer, rng)) for _ in range(MOVES)
        ]
        note = f"median {1000 * np.median(took):.0f} ms, slowest {1000 * max(took):.0f} ms of {MOVES} moves"
        row = {
            "name": f"explorer {name}",
            "value": np.median(took) / least,
            "unit": "empty pictures",
        }
        rows.append(row | {"note": note})
    return rows
