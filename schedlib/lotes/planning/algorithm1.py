"""The paper's Algorithm 1, line by line: it does not make the set that it promises (Section 4.2).

As printed, the flag `nextBin` is set once and never reset, so every bin passed on the way back is kept: all
feasible ones, and some twice. With the flag reset in each round, bins remain that a job of an *earlier* class
would fit. And where no further class fits an empty machine, `mostRecentAdd({})` asks for a job that is not
there. `bins.non_dominated_bins` makes the exact set.
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import pandas as pd

from schedlib.lotes.model import scaled
from schedlib.lotes.planning.bins import non_dominated_bins


class Kept(NamedTuple):
    """The bins kept, `rows (B, K)` in their order, and whether the algorithm came to an `undefined` step."""

    rows: np.ndarray
    undefined: bool


def algorithm1(capacity: npt.ArrayLike, demand: npt.ArrayLike, *, reset_flag: bool = False,
               max_bins: int = 200_000) -> Kept:
    """Run Algorithm 1 on one machine; with `reset_flag` its flag is false again at the start of each round.

    `capacity (R,)`, `demand (K, R)` as in `non_dominated_bins`, the classes in the order of K^j. An undefined
    step ends the run. Raises ValueError when more than `max_bins` would be kept. Source: LoTES, Section 4.2,
    Algorithm 1.

    >>> algorithm1([7], [[2], [3]]).rows.tolist()
    [[3, 0], [2, 1], [2, 0], [1, 1], [1, 0], [0, 2], [0, 1]]
    >>> algorithm1([7], [[2], [3]], reset_flag=True).rows.tolist()
    [[3, 0], [2, 1], [1, 1], [0, 2]]
    """
    room, size = scaled(capacity, demand)
    classes = len(size)
    bin_now, added, kept = np.zeros(classes, np.int64), [], []  # type: ignore[var-annotated]
    x = first = 0  # the paper counts from 1
    next_bin = False
    while x < classes:
        if reset_flag:
            next_bin = False
        for i in range(first, classes):
            while ((bin_now @ size + size[i]) <= room).all():
                bin_now[i] += 1
                added.append(i)
                next_bin = True
        if not added:
            return Kept(np.array(kept, np.int64).reshape(-1, classes), True)
        first = added.pop()
        if next_bin:
            kept.append(bin_now.copy())
            if len(kept) > max_bins:
                raise ValueError(f"max_bins: Algorithm 1 keeps more than {max_bins:,} bins here; take fewer "
                                 "classes or raise it")
        bin_now[first] -= 1
        if not added:
            x += 1
            first = x
        else:
            first += 1
    return Kept(np.array(kept, np.int64).reshape(-1, classes), False)


def defects(capacity: npt.ArrayLike, demand: npt.ArrayLike, *, max_bins: int = 200_000) -> pd.DataFrame:
    """What Algorithm 1 keeps on one machine, as printed and with its flag reset, beside the exact set.

    Arguments as in `algorithm1`. Columns: `version`, `kept` (rows), `repeated` (rows that are there already),
    `dominated` (different rows to which a job could be added), `missing` (non-dominated bins that are not
    there), `undefined` (whether `mostRecentAdd({})` was called).

    >>> defects([7], [[2], [3]])
          version  kept  repeated  dominated  missing  undefined
    0  as printed     7         0          4        0      False
    1  flag reset     4         0          1        0      False
    2       exact     3         0          0        0      False
    """
    right = non_dominated_bins(capacity, demand, max_bins=max_bins)
    versions = {name: algorithm1(capacity, demand, reset_flag=name == "flag reset", max_bins=max_bins)
                for name in ("as printed", "flag reset")}
    exact, rows = set(map(tuple, right.tolist())), []
    for version, (kept, undefined) in {**versions, "exact": Kept(right, False)}.items():
        different = set(map(tuple, kept.tolist()))
        rows.append((version, len(kept), len(kept) - len(different), len(different - exact),
                     len(exact - different), undefined))
    return pd.DataFrame(rows, columns=["version", "kept", "repeated", "dominated", "missing", "undefined"])
