"""Heaps of leaves by priority, one for each set of demanded resources.

A saturated resource blocks whole heaps, and a decision looks at the others' tops alone. Heaps know where each
leaf is, so that a task's end costs no more than its start.
"""

from typing import NamedTuple

import numpy as np

from schedlib.core import heap
from schedlib.core.arrays import zeroed
from schedlib.core.uncounted import kernel

HEAP = np.dtype(
    [
        ("start", np.int64),  # its first place in `Heaps.key` and `Heaps.leaf`
        ("count", np.int64),  # leaves in it
        ("bits", np.int64),  # the resources that its leaves demand, bit j for resource j
    ],
    align=True,
)


class Heaps(NamedTuple):
    """p leaves in T heaps, whose places lie one heap after the other."""

    key: np.ndarray  # (p,) by place
    leaf: np.ndarray  # (p,) by place
    place: np.ndarray  # (p,) by leaf: where it is in its heap, -1 when it is not
    kind: np.ndarray  # (p,) by leaf: the number of its heap
    heap: np.recarray  # HEAP (T,)


def new_heaps(bits: np.ndarray) -> Heaps:
    """Empty heaps for leaves that demand the resources `bits (p,)`."""
    sets, kind, count = np.unique(bits, return_inverse=True, return_counts=True)
    heaps = zeroed(HEAP, len(sets))
    heaps.bits = sets
    heaps.start = count.cumsum() - count
    p = len(bits)
    return Heaps(
        key=np.zeros(p), leaf=np.zeros(p, np.int64), place=np.full(p, -1), kind=kind, heap=heaps
    )


@kernel
def set_key(heaps, leaf, key, wants):
    """Give a leaf a key, or take it out when it wants nothing; gives the number of places looked at."""
    mine = heaps.heap[heaps.kind[leaf]]
    keys = heaps.key[mine.start :]
    leaves = heaps.leaf[mine.start :]
    at = heaps.place[leaf]
    if wants:
        if at < 0:
            at = mine.count
            mine.count += 1
        return heap.move(keys, leaves, heaps.place, mine.count, at, key, leaf)
    if at < 0:
        return 0
    mine.count -= 1
    last = mine.count
    heaps.place[leaf] = -1
    if at == last:
        return 1
    return heap.move(keys, leaves, heaps.place, last, at, keys[last], leaves[last])


@kernel
def least(heaps, mask):
    """The leaf with the least key that demands no resource in `mask`, or -1; ties go to the lower index."""
    best, key = -1, np.inf
    for kind in range(heaps.heap.size):
        mine = heaps.heap[kind]
        if mine.count > 0 and mine.bits & mask == 0:
            top, top_key = heaps.leaf[mine.start], heaps.key[mine.start]
            if best < 0 or heap.before(top_key, top, key, best):
                best, key = top, top_key
    return best
