"""Bins: all mixes of jobs that fill a machine, each once; and the paper's Algorithm 1, which sets out to make
them (Section 4.2).

A bin is non-dominated when no job of any class can be added. Classes are taken from the largest to the
smallest, each number of jobs in turn, and the smallest class fills what is left, so that few mixes are looked
at in vain. A mix is one whole number while it waits (a few bits per class), which sorts quickly.
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import pandas as pd

from schedlib.core.checks import amounts, numbers, refuse
from schedlib.core.compiling import compiled
from schedlib.lotes.model import scaled

MAX_BINS = 50_000_000
WORD = 63  # bits of a sortable whole number


class _Search(NamedTuple):
    """What the kernel reads; `minimal` shows whether a job could be added, `step` is a job's code."""

    room: np.ndarray  # (R,)
    size: np.ndarray  # (C, R), in the order of the search
    minimal: np.ndarray  # (A, R)
    step: np.ndarray  # (C, W)


@compiled
def _visit(search, code, limit):
    """Count the non-dominated bins up to `limit + 1`; where `code (B, W)` has rows, write them there too."""
    size, step = search.size, search.step
    classes, resources = size.shape
    words, write = step.shape[1], code.shape[0] > 0
    last, level = classes - 1, max(classes - 2, 0)  # the class that only fills, the one that changes fastest
    number, prefix = np.zeros(classes, np.int64), np.zeros(words, np.int64)
    room = np.empty((classes + 1, resources), np.int64)
    room[:] = search.room
    fewer, rest_step = np.zeros(resources, np.int64), np.zeros(resources, np.int64)
    fill, rest = np.zeros(resources, np.int64), np.zeros(resources, np.int64)
    for l in range(resources if classes > 1 else 0):
        rest_step[l] = size[level, l]
        if size[last, l] > 0:
            fewer[l], rest_step[l] = size[level, l] // size[last, l], size[level, l] % size[last, l]
    bins = 0
    while True:
        # innermost loop: one more job of class `level` each time; carrying replaces division by the last size
        most = np.int64(2**62) if classes > 1 else np.int64(1)
        for l in range(resources):
            if classes > 1 and size[level, l] > 0:
                most = min(most, room[level, l] // size[level, l] + 1)
            if size[last, l] > 0:
                fill[l], rest[l] = room[level, l] // size[last, l], room[level, l] % size[last, l]
            else:
                fill[l], rest[l] = np.int64(2**62), room[level, l]
        for inner in range(most):
            filled = fill[0]
            for l in range(1, resources):
                filled = min(filled, fill[l])
            maximal = True
            for a in range(search.minimal.shape[0]):
                fitting = True
                for l in range(resources):
                    if rest[l] + (fill[l] - filled) * size[last, l] < search.minimal[a, l]:
                        fitting = False
                        break
                if fitting:
                    maximal = False
                    break
            if maximal:
                if write:
                    for w in range(words):
                        code[bins, w] = prefix[w] + filled * step[last, w]
                        code[bins, w] += inner * step[level, w] * (classes > 1)
                bins += 1
                if bins > limit:
                    return bins
            for l in range(resources):
                fill[l] -= fewer[l]
                rest[l] -= rest_step[l]
                if rest[l] < 0:
                    rest[l] += size[last, l]
                    fill[l] -= 1
        # the slower classes count up like an odometer
        q = level - 1
        while q >= 0:
            fits = True
            for l in range(resources):
                if room[q + 1, l] < size[q, l]:
                    fits = False
            if fits:
                break
            for w in range(words):
                prefix[w] -= number[q] * step[q, w]
            number[q] = 0
            q -= 1
        if q < 0:
            return bins
        number[q] += 1
        for w in range(words):
            prefix[w] += step[q, w]
        for l in range(resources):
            left = room[q + 1, l] - size[q, l]
            for p in range(q + 1, level + 1):
                room[p, l] = left


def _prepare(capacity, demand):
    capacity = numbers("capacity", capacity, 1, "one amount per resource")
    demand = numbers("demand", demand, 2, "a row per class and a column per resource")
    if demand.shape[1] != capacity.size:
        raise ValueError(f"demand: {demand.shape[1]} columns for {capacity.size} capacities; needs one per "
                         "resource")
    amounts("capacity", capacity)
    amounts("demand", demand)
    refuse("demand", ~demand.any(axis=1), demand.max(axis=1),
           "a class that needs nothing fills a machine with any number of jobs; leave it out")
    room, size = scaled(capacity, demand)
    most = np.where(size > 0, room // np.maximum(size, 1), np.iinfo(np.int64).max).min(axis=1)
    # fields of the code: the first class is the most significant one, so that sorted codes are sorted rows
    bits = np.array([int(m).bit_length() for m in most])
    word, shift, used = np.zeros(len(bits), np.int64), np.zeros(len(bits), np.int64), 0
    for k in range(len(bits) - 1, -1, -1):
        if used % WORD + bits[k] > WORD:
            used += WORD - used % WORD
        word[k], shift[k] = used // WORD, used % WORD
        used += bits[k]
    word = word.max() - word
    step = np.zeros((len(bits), word.max() + 1), np.int64)
    step[np.arange(len(bits)), word] = np.int64(1) << shift
    usable = np.flatnonzero(most > 0)
    relative = (size / np.maximum(room, 1)).max(axis=1)
    order = usable[np.argsort(-relative[usable], kind="stable")]
    # if a class fits, so does every smaller one: only the minimal ones need be tried, the filling class never
    others = np.unique(size[order[:-1]], axis=0)
    below = (others[:, None] >= others[None]).all(axis=2) & ~np.eye(len(others), dtype=bool)
    minimal = others[~below.any(axis=1)]
    if len(order):
        minimal = minimal[~(minimal >= size[order[-1]]).all(axis=1)]
    search = _Search(room, size[order], np.ascontiguousarray(minimal), step[order])
    return search, word, shift, (np.int64(1) << bits) - 1, (np.diff(order) > 0).all()


def count_bins(capacity: npt.ArrayLike, demand: npt.ArrayLike, limit: int = 2**62) -> int:
    """How many non-dominated bins there are, or `limit + 1` when there are more; takes no memory.

    `capacity (R,)`, `demand (K, R)` as in `non_dominated_bins`, and the same errors.

    >>> count_bins([7], [[2], [3]])
    3
    """
    search = _prepare(capacity, demand)[0]
    nothing = np.zeros((0, search.step.shape[1]), np.int64)
    return int(_visit(search, nothing, limit)) if len(search.size) else 1


def non_dominated_bins(capacity: npt.ArrayLike, demand: npt.ArrayLike, *,
                       max_bins: int = MAX_BINS) -> np.ndarray:
    """Every mix of jobs that fits one machine and leaves room for no further job of any class, (B, K) int32.

    `capacity (R,)`: c_jl of one machine; `demand (K, R)`: r_kl of a job of each class. Rows are in
    lexicographic order, each once; when no class fits, the empty bin is the only one. `model.scaled` decides
    what fits. Bins are counted before any memory is asked for. Raises ValueError on shapes that disagree, on
    amounts negative or not finite, on a class that needs nothing, and when there are more than `max_bins`.
    Source: LoTES, Section 4.2, Fig. 5.

    >>> non_dominated_bins([7], [[2], [3]])
    array([[0, 2],
           [2, 1],
           [3, 0]], dtype=int32)
    """
    search, word, shift, mask, in_order = _prepare(capacity, demand)
    classes, words = len(word), search.step.shape[1]
    if not len(search.size):
        return np.zeros((1, classes), np.int32)
    bins = _visit(search, np.zeros((0, words), np.int64), max_bins)
    if bins > max_bins:
        raise ValueError(f"max_bins: there are more than {max_bins:,} non-dominated bins of {classes} "
                         f"classes, that is over {max_bins * (4 * classes + 8 * words) / 1e9:.1f} GB. Leave "
                         "out classes (lotes.plan keeps those of K^j), use lotes.generate_plan, which makes "
                         "only the bins it needs, or raise max_bins if memory allows")
    code = np.empty((bins, words), np.int64)
    _visit(search, code, bins)
    if words > 1:
        code = code[np.lexsort(code.T[::-1])]
    elif not in_order:
        code.reshape(-1).sort()
    rows = np.empty((bins, classes), np.int32)
    for k in range(classes):
        rows[:, k] = (code[:, word[k]] >> shift[k]) & mask[k]
    return rows


class Kept(NamedTuple):
    """What Algorithm 1 keeps: `rows (B, K)` in their order, and whether it came to an `undefined` step."""

    rows: np.ndarray
    undefined: bool


def algorithm1(capacity: npt.ArrayLike, demand: npt.ArrayLike, *, reset_flag: bool = False,
               max_bins: int = 200_000) -> Kept:
    """The paper's Algorithm 1 on one machine, line by line: it does not make the set that it promises.

    As printed, the flag `nextBin` is set once and never reset, so every bin passed on the way back is kept:
    all feasible ones, and some twice. With `reset_flag` it is false again at the start of each round; then
    bins remain that a job of an *earlier* class would fit. Where no further class fits an empty machine,
    `mostRecentAdd({})` asks for a job that is not there: that undefined step ends the run.

    `capacity (R,)`, `demand (K, R)` as in `non_dominated_bins`, the classes in the order of K^j. Raises
    ValueError when more than `max_bins` would be kept. Source: LoTES, Section 4.2, Algorithm 1.

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
        next_bin = next_bin and not reset_flag
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
        first = first + 1 if added else x
    return Kept(np.array(kept, np.int64).reshape(-1, classes), False)


def defects(capacity: npt.ArrayLike, demand: npt.ArrayLike, *, max_bins: int = 200_000) -> pd.DataFrame:
    """What Algorithm 1 keeps on one machine, as printed and with its flag reset, beside the exact set.

    Arguments as in `algorithm1`. Columns: `version`; numbers of rows `kept`, `repeated`, `dominated`
    (different rows to which a job could be added) and `missing` (non-dominated bins); whether a step was
    `undefined`.

    >>> defects([7], [[2], [3]])
          version  kept  repeated  dominated  missing  undefined
    0  as printed     7         0          4        0      False
    1  flag reset     4         0          1        0      False
    2       exact     3         0          0        0      False
    """
    right = non_dominated_bins(capacity, demand, max_bins=max_bins)
    printed, mended = (algorithm1(capacity, demand, reset_flag=reset, max_bins=max_bins)
                       for reset in (False, True))
    versions = {"as printed": printed, "flag reset": mended, "exact": Kept(right, False)}
    exact, rows = set(map(tuple, right.tolist())), []
    for version, (kept, undefined) in versions.items():
        different = set(map(tuple, kept.tolist()))
        rows.append((version, len(kept), len(kept) - len(different), len(different - exact),
                     len(exact - different), undefined))
    return pd.DataFrame(rows, columns=["version", "kept", "repeated", "dominated", "missing", "undefined"])
