"""A winner tree: which of n keys is smallest, kept up to date in log2(n) steps when one key changes."""

from typing import NamedTuple

import numpy as np

from schedlib.core.compiling import compiled


class WinnerTree(NamedTuple):
    """Keys (n,), the first tie-breakers (n,), and the index that wins each match (2n,).

    >>> tree = WinnerTree(np.array([3.0, 1.0, 2.0]), np.zeros(3, int), np.zeros(6, int))
    >>> play(tree)
    >>> int(smallest(tree))
    1
    >>> update(tree, 1, 9.0, 0)
    >>> int(smallest(tree))
    2
    """

    key: np.ndarray
    tie: np.ndarray
    winner: np.ndarray


@compiled
def beats(tree, a, b):
    """Whether index `a` wins against `b`: smaller key, then smaller tie, then smaller index."""
    key, other = tree.key[a], tree.key[b]
    tie, other_tie = tree.tie[a], tree.tie[b]
    # no branches, which a processor would guess wrong half of the time
    wins_tie = (tie < other_tie) | ((tie == other_tie) & (a < b))
    return (key < other) | ((key == other) & wins_tie)


@compiled
def match(tree, node):
    """Play one match between the winners of the two below it."""
    a = tree.winner[2 * node]
    b = tree.winner[2 * node + 1]
    tree.winner[node] = a if beats(tree, a, b) else b


@compiled
def play(tree):
    """Play every match again after many keys have changed, in O(n)."""
    n = tree.key.size
    for i in range(n):
        tree.winner[n + i] = i
    for node in range(n - 1, 0, -1):
        match(tree, node)


@compiled
def update(tree, index, key, tie):
    """Give `index` a new key and tie, and play its matches up to the root."""
    n = tree.key.size
    tree.key[index] = key
    tree.tie[index] = tie
    node = n + index
    best = index
    while node > 1:
        other = tree.winner[node ^ 1]
        if beats(tree, other, best):
            best = other
        node >>= 1
        tree.winner[node] = best


@compiled
def smallest(tree):
    """The index of the smallest key."""
    return tree.winner[1]
