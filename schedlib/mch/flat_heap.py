"""Flat rules: leaves that want tasks, by share over weight, a heap for each set of resources they demand.

A saturated resource blocks whole heaps, so a decision looks at their tops alone. The heaps know where each
leaf is, so that a task's end costs no more than its start. Each place has four children, as in
`schedlib.core.heap`.
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from schedlib.core import heap as core_heap
from schedlib.core.uncounted import kernel

before = core_heap.before
CUT = float(2**24 + 1)
"""Veltkamp's constant: of 53 bits, 29 are kept."""


class Heaps(NamedTuple):
    """p leaves in T heaps: heap t, of those that demand `bits[t]`, has places from start[t] on."""

    key: np.ndarray  # (p,)
    leaf: np.ndarray  # (p,)
    place: np.ndarray  # (p,) where each leaf is, -1 for those without waiting tasks
    start: np.ndarray  # (T + 1,)
    size: np.ndarray  # (T,)
    bits: np.ndarray  # (T,)
    type_of: np.ndarray  # (p,)


def heaps(bits: npt.ArrayLike) -> Heaps:
    """Empty heaps for leaves that demand the resources `bits (p,)`, bit j for resource j.

    >>> heaps([1, 3, 1]).start.tolist()
    [0, 2, 3]
    """
    kinds, type_of = np.unique(np.array(bits, np.int64), return_inverse=True)
    p, start = len(type_of), np.append(0, np.cumsum(np.bincount(type_of)))
    return Heaps(key=np.zeros(p), leaf=np.zeros(p, np.int64), place=np.full(p, -1),
                 start=start.astype(np.int64), size=np.zeros(len(kinds), np.int64), bits=kinds,
                 type_of=type_of.astype(np.int64))


@kernel
def rounded(x):
    """A number to 29 bits (Veltkamp's splitting), so that shares which differ by rounding alone are equal."""
    if not np.isfinite(x):
        return x
    y = x * CUT
    return y - (y - x)


@kernel
def _put(heap, at, key, leaf):
    """Write a pair to a place."""
    heap.key[at] = key
    heap.leaf[at] = leaf
    heap.place[leaf] = at


@kernel
def sift(heap, kind, at, key, leaf):
    """Put (key, leaf) into heap `kind`, whose place `at` is free; gives the number of places looked at."""
    base, size = heap.start[kind], heap.size[kind]
    here, moves = at - base, 1
    while here > 0:
        up = (here - 1) >> 2
        moves += 1
        above, other = heap.key[base + up], heap.leaf[base + up]
        if before(above, other, key, leaf):
            break
        _put(heap, base + here, above, other)
        here = up
    while True:
        first = 4 * here + 1
        if first >= size:
            break
        best = first
        for child in range(first + 1, min(first + 4, size)):
            one, two = base + child, base + best
            if before(heap.key[one], heap.leaf[one], heap.key[two], heap.leaf[two]):
                best = child
        moves += min(4, size - first)
        below, other = heap.key[base + best], heap.leaf[base + best]
        if before(key, leaf, below, other):
            break
        _put(heap, base + here, below, other)
        here = best
    _put(heap, base + here, key, leaf)
    return moves


@kernel
def set_key(heap, leaf, key, wants):
    """Give a leaf a key, or take it out when it wants nothing; gives the number of places looked at."""
    kind, at = heap.type_of[leaf], heap.place[leaf]
    if wants:
        if at < 0:
            at = heap.start[kind] + heap.size[kind]
            heap.size[kind] += 1
        return sift(heap, kind, at, key, leaf)
    if at < 0:
        return 0
    heap.size[kind] -= 1
    heap.place[leaf] = -1
    last = heap.start[kind] + heap.size[kind]
    if at == last:
        return 1
    return sift(heap, kind, at, heap.key[last], heap.leaf[last])


@kernel
def least(heap, mask):
    """The leaf with the least key that demands no resource in `mask`, or -1; ties go to the lower index."""
    best, key = -1, np.inf
    for kind in range(heap.size.size):
        if heap.size[kind] > 0 and heap.bits[kind] & mask == 0:
            top = heap.start[kind]
            if best < 0 or before(heap.key[top], heap.leaf[top], key, best):
                best, key = heap.leaf[top], heap.key[top]
    return best
