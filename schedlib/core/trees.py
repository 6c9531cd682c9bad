"""A winner tree: which of n keys is smallest, kept up to date in log2(n) steps when one key changes."""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from schedlib.core.checks import numbers, typed
from schedlib.core.compiling import compiled


class WinnerTree(NamedTuple):
    """Keys (n,), the first tie-breakers (n,), and the index that wins each match (2n,)."""

    key: np.ndarray
    tie: np.ndarray
    winner: np.ndarray


@compiled
def beats(tree, a, b):
    """Whether index `a` wins against `b`: smaller key, then smaller tie, then smaller index."""
    if tree.key[a] != tree.key[b]:
        return tree.key[a] < tree.key[b]
    if tree.tie[a] != tree.tie[b]:
        return tree.tie[a] < tree.tie[b]
    return a < b


@compiled
def play(tree):
    """Play every match again after many keys have changed, in O(n)."""
    n = tree.key.size
    for i in range(n):
        tree.winner[n + i] = i
    for node in range(n - 1, 0, -1):
        a, b = tree.winner[2 * node], tree.winner[2 * node + 1]
        tree.winner[node] = a if beats(tree, a, b) else b


@compiled
def update(tree, index, key, tie):
    """Give `index` a new key and tie, and play its matches up to the root."""
    n = tree.key.size
    tree.key[index] = key
    tree.tie[index] = tie
    node = (n + index) >> 1
    while node >= 1:
        a, b = tree.winner[2 * node], tree.winner[2 * node + 1]
        tree.winner[node] = a if beats(tree, a, b) else b
        node >>= 1


@compiled
def smallest(tree):
    """The index of the smallest key."""
    return tree.winner[1]


@typed
def winner_tree(keys: npt.ArrayLike) -> WinnerTree:
    """A tree over a copy of `keys (n,)`, all ties 0; ValueError when there is none.

    >>> tree = winner_tree([3.0, 1.0, 2.0])
    >>> int(smallest(tree))
    1
    >>> update(tree, 1, 9.0, 0)
    >>> int(smallest(tree))
    2
    """
    key = numbers("keys", keys, 1, "at least one key, in one row").copy()
    tie = np.zeros(key.size, np.int64)
    winner = np.zeros(2 * key.size, np.int64)
    tree = WinnerTree(key, tie, winner)
    play(tree)
    return tree
