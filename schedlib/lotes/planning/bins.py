"""Bins: all mixes of jobs that fill a machine, each once (no job of any class can be added); and the paper's
Algorithm 1, which sets out to make them (Section 4.2).

Classes are taken from the largest to the smallest, each number of jobs in turn, and the smallest class fills
what is left, so that few mixes are looked at in vain.
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import pandas as pd

from schedlib.core.checks import amounts, numbers, refuse, typed
from schedlib.core.compiling import compiled
from schedlib.core.uncounted import kernel
from schedlib.lotes.dispatching.machine_tree import fits
from schedlib.lotes.model import holds, scaled

MAX_BINS = 50_000_000
MOST_COUNTED = 10**9
MOST_KEPT = 200_000  # bins, by the literal Algorithm 1
NOWHERE = np.zeros((0, 0), np.int32)  # in place of rows: bins are only counted


class _Search(NamedTuple):
    """The kernel's input; `minimal` shows whether a job could be added."""

    room: np.ndarray  # (R,)
    size: np.ndarray  # (C, R), in the order of the search
    minimal: np.ndarray  # (A, R)
    order: np.ndarray  # (C,): which of the K classes these are


@kernel
def most_that_fit(room, size):
    """How many jobs of a size (R,) fit into the room (R,), amounts in whole numbers."""
    most = np.int64(2**62)
    for l in range(size.size):
        if size[l] > 0:
            most = min(most, room[l] // size[l])
    return most


@compiled
def _visit(search, rows, limit):
    """Count the non-dominated bins up to `limit + 1`; where there are `rows (B, K)`, write them there too."""
    size = search.size
    order = search.order
    classes, resources = size.shape
    if classes == 0:
        return 1  # the empty bin
    last = classes - 1  # the class that only fills
    number = np.zeros(classes, np.int64)
    left = np.empty(resources, np.int64)
    room = np.empty((classes, resources), np.int64)
    room[:] = search.room  # row q: what the classes before q leave
    bins = 0
    while True:
        number[last] = most_that_fit(room[last], size[last])
        for l in range(resources):
            left[l] = room[last, l] - number[last] * size[last, l]
        maximal = True
        for a in range(search.minimal.shape[0]):
            if fits(left, search.minimal[a]):
                maximal = False
                break
        if maximal:
            if rows.shape[0] > 0:
                for q in range(classes):
                    rows[bins, order[q]] = number[q]
            bins += 1
            if bins > limit:
                return bins
        # the other classes count up like an odometer
        q = last - 1
        while q >= 0 and not fits(room[q + 1], size[q]):
            number[q] = 0
            q -= 1
        if q < 0:
            return bins
        number[q] += 1
        for l in range(resources):
            rest = room[q + 1, l] - size[q, l]
            for p in range(q + 1, classes):
                room[p, l] = rest


def _checked(capacity, demand):
    """Capacity (R,) and demand (K, R) as numbers that make sense, or ValueError."""
    capacity = numbers("capacity", capacity, 1, "one amount per resource")
    demand = numbers("demand", demand, 2, "a row per class and a column per resource")
    if demand.shape[1] != capacity.size:
        raise ValueError(
            f"demand: {demand.shape[1]} columns for {capacity.size} capacities; needs one per "
            "resource"
        )
    amounts("capacity", capacity)
    amounts("demand", demand)
    refuse(
        "demand",
        ~demand.any(axis=1),
        demand.max(axis=1),
        "a class that needs nothing fills a machine with any number of jobs; leave it out",
    )
    return capacity, demand


def _prepare(capacity, demand):
    capacity, demand = _checked(capacity, demand)
    room, size = scaled(capacity, demand)
    usable = np.flatnonzero(holds(capacity, demand))
    relative = (size / np.maximum(room, 1)).max(axis=1)
    order = usable[np.argsort(-relative[usable], kind="stable")]
    # if a class fits, so does every smaller one: only the minimal ones need be tried, the filling class never
    others = np.unique(size[order[:-1]], axis=0)
    below = (others[:, None] >= others[None]).all(axis=2) & ~np.eye(len(others), dtype=bool)
    minimal = others[~below.any(axis=1)]
    if len(order):
        minimal = minimal[~(minimal >= size[order[-1]]).all(axis=1)]
    return _Search(room=room, size=size[order], minimal=np.ascontiguousarray(minimal), order=order)


@typed
def count_bins(capacity: npt.ArrayLike, demand: npt.ArrayLike, limit: int | None = None) -> int:
    """How many non-dominated bins there are, or `limit + 1` when there are more; takes no memory.

    `capacity (R,)`, `demand (K, R)` as in `non_dominated_bins`, and the same errors. Without a `limit`
    ValueError when there are more than 1,000,000,000 (`MOST_COUNTED`).

    >>> count_bins([7], [[2], [3]])
    3
    """
    if limit is not None and limit < 0:
        raise ValueError(f"limit: {limit}, must be 0 or more")
    search = _prepare(capacity, demand)
    bins = int(_visit(search, NOWHERE, MOST_COUNTED if limit is None else limit))
    if limit is None and bins > MOST_COUNTED:
        raise ValueError(
            f"demand: {len(search.size)} classes; the number of bins is too large to count: "
            f"over {MOST_COUNTED:,}; give a limit=, or leave out classes that need little"
        )
    return bins


@typed
def non_dominated_bins(
    capacity: npt.ArrayLike, demand: npt.ArrayLike, *, max_bins: int = MAX_BINS
) -> np.ndarray:
    """Every mix of jobs that fits one machine and leaves room for no further job of any class, (B, K) int32.

    `capacity (R,)`: c_jl of one machine; `demand (K, R)`: r_kl of a job of each class. Rows are in
    lexicographic order; when no class fits, the empty bin is the only one. `model.scaled` decides what fits.
    Bins are counted before any memory is asked for. Raises ValueError on shapes that disagree, on amounts
    negative or not finite, on a class that needs nothing, and when there are more than `max_bins`. Source:
    LoTES, Section 4.2, Fig. 5.

    See also: `lotes.count_bins`, `lotes.algorithm1`.

    >>> non_dominated_bins([7], [[2], [3]])
    array([[0, 2],
           [2, 1],
           [3, 0]], dtype=int32)
    """
    search = _prepare(capacity, demand)
    classes = len(np.asarray(demand))
    bins = _visit(search, NOWHERE, max_bins)
    if bins > max_bins:
        raise ValueError(
            f"max_bins: there are more than {max_bins:,} non-dominated bins of {classes} "
            f"classes, that is over {max_bins * 8 * classes / 1e9:.1f} GB. Leave "
            "out classes (lotes.plan keeps those of K^j), or use lotes.generate_plan, which makes "
            "only the bins it needs"
        )
    rows = np.zeros((bins, classes), np.int32)
    _visit(search, rows, bins)
    return rows if (np.diff(search.order) > 0).all() else rows[np.lexsort(rows.T[::-1])]


class Kept(NamedTuple):
    """The bins that Algorithm 1 keeps: `rows (B, K)` in their order, and whether it came to an `undefined` step."""

    rows: np.ndarray
    undefined: bool


MOST_JOBS = 100_000  # of a class on one machine, in the literal Algorithm 1


@typed
def algorithm1(capacity: npt.ArrayLike, demand: npt.ArrayLike, *, reset_flag: bool = False) -> Kept:
    """The paper's Algorithm 1 on one machine, line by line: it does not make the set that it promises.

    As printed, the flag `nextBin` is set once and never reset, so every bin passed on the way back is kept:
    all feasible ones, and some twice. With `reset_flag` it is false again at the start of each round; then
    bins remain that a job of an *earlier* class would fit. Where no further class fits an empty machine,
    `mostRecentAdd({})` asks for a job that is not there: that undefined step ends the run. Where nothing fits
    the first bin, which is empty, stays: it is a subset of no other bin. Arguments as in `non_dominated_bins`,
    the classes in the order of K^j. Raises ValueError when more than 200,000 bins would be kept, and when a
    machine holds more than 100,000 jobs of a class. Source: LoTES, Section 4.2, Algorithm 1.

    >>> algorithm1([7], [[2], [3]]).rows.tolist()
    [[3, 0], [2, 1], [2, 0], [1, 1], [1, 0], [0, 2], [0, 1]]
    >>> algorithm1([7], [[2], [3]], reset_flag=True).rows.tolist()
    [[3, 0], [2, 1], [1, 1], [0, 2]]
    """
    capacity, demand = _checked(capacity, demand)
    room, size = scaled(capacity, demand)
    classes = len(size)
    for k in np.flatnonzero(holds(capacity, demand) > MOST_JOBS):
        raise ValueError(
            f"demand[{k}]: a machine holds more than {MOST_JOBS:,} such jobs, which Algorithm 1 adds "
            "one by one; leave the class out"
        )
    bin_now = np.zeros(classes, np.int64)
    added: list[int] = []
    kept = []
    x = first = 0  # the paper counts from 1
    next_bin = False
    while x < classes:
        next_bin = next_bin and not reset_flag
        for i in range(first, classes):
            while (bin_now @ size + size[i] <= room).all():
                bin_now[i] += 1
                added.append(i)
                next_bin = True
        if not added:
            break
        first = added.pop()
        if next_bin:
            kept.append(bin_now.copy())
            if len(kept) > MOST_KEPT:
                raise ValueError(
                    f"demand: Algorithm 1 keeps more than {MOST_KEPT:,} bins here; take fewer classes"
                )
        bin_now[first] -= 1
        if not added:
            x += 1
        first = first + 1 if added else x
    rows = np.array(kept or [bin_now], np.int64)
    return Kept(rows, undefined=x < classes)


@typed
def defects(capacity: npt.ArrayLike, demand: npt.ArrayLike) -> pd.DataFrame:
    """The bins that Algorithm 1 keeps on one machine, as printed and with its flag reset, beside the exact set.

    Columns: `version`; numbers of rows `kept`, `repeated`, `dominated` (different rows to which a job could
    be added) and `missing` (non-dominated bins); whether a step was `undefined`.

    >>> defects([7], [[2], [3]])
          version  kept  repeated  dominated  missing  undefined
    0  as printed     7         0          4        0      False
    1  flag reset     4         0          1        0      False
    2       exact     3         0          0        0      False
    """
    printed = algorithm1(capacity, demand)
    mended = algorithm1(capacity, demand, reset_flag=True)
    right = non_dominated_bins(capacity, demand)
    versions = {"as printed": printed, "flag reset": mended, "exact": Kept(right, False)}
    exact = set(map(tuple, right.tolist()))
    rows = []
    for version, (kept, undefined) in versions.items():
        different = set(map(tuple, kept.tolist()))
        row = {
            "version": version,
            "kept": len(kept),
            "repeated": len(kept) - len(different),
            "dominated": len(different - exact),
            "missing": len(exact - different),
            "undefined": undefined,
        }
        rows.append(row)
    return pd.DataFrame(rows)
