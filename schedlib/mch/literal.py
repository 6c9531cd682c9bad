"""The rules as they are printed: every node, or every leaf, anew for each decision. The fast ones must decide the same."""

from typing import NamedTuple

import numpy as np

from schedlib.core.uncounted import kernel
from schedlib.mch.flat_heap import rounded


class Nodes(NamedTuple):
    """A tree's arrays in its own numbering, and room for what is computed anew each time."""

    child_start: np.ndarray
    child: np.ndarray
    parent: np.ndarray
    leaf_of: np.ndarray
    weight: np.ndarray
    demand: np.ndarray  # (p, R) over capacity
    bits: np.ndarray  # (p,)
    usage: np.ndarray  # (Q, R) U, scratch
    ratio: np.ndarray  # (Q,) s over omega, infinite when blocked; scratch
    given: np.ndarray  # (Q,) tasks started so far below each node, scratch


def nodes(tree, share, bits) -> Nodes:
    """Arrays of a tree whose leaves need `share (p, R)` of each capacity."""
    q = tree.n_nodes
    fixed = (tree.child_start, tree.child, tree.parent, tree.leaf_of)
    whole = [np.array(array, np.int64) for array in fixed]
    return Nodes(*whole, np.array(tree.weight), share, bits, np.zeros((q, share.shape[1])), np.zeros(q), np.zeros(q, np.int64))


@kernel
def least_child(g, node):
    """The unblocked child with the least s/omega; ties to the fewest tasks started below per weight, then to the first."""
    best, key = -1, np.inf
    for at in range(g.child_start[node], g.child_start[node + 1]):
        j = g.child[at]
        if g.ratio[j] < np.inf:
            mine = rounded(g.ratio[j])
            if best < 0 or mine < key or (mine == key and g.given[j] * g.weight[best] < g.given[best] * g.weight[j]):
                best, key = j, mine
    return best


@kernel
def descend(g, mask, tasks, waiting, started, rescale):
    """H-DRF's leaf (naive hierarchical DRF's unless `rescale`), or -1, every U and s computed from the leaves up; nodes visited."""
    q, resources = g.usage.shape
    for i in range(q - 1, -1, -1):  # children come after their parent
        leaf = g.leaf_of[i]
        blocked = True
        for l in range(resources):
            g.usage[i, l] = 0.0
        if leaf >= 0:
            blocked = waiting[leaf] == 0 or (g.bits[leaf] & mask) != 0
            for l in range(resources):
                g.usage[i, l] = tasks[leaf] * g.demand[leaf, l]
            g.given[i] = started[leaf]
        else:
            f, count = np.inf, 0
            for at in range(g.child_start[i], g.child_start[i + 1]):
                j = g.child[at]
                count += g.given[j]
                if g.ratio[j] < np.inf:
                    blocked = False
                    if 0 < g.ratio[j] < f:
                        f = g.ratio[j]
            g.given[i] = count
            for at in range(g.child_start[i], g.child_start[i + 1]):
                j = g.child[at]
                factor = f / g.ratio[j] if rescale and 0 < g.ratio[j] < np.inf else 1.0
                for l in range(resources):
                    g.usage[i, l] += factor * g.usage[j, l]
        s = 0.0
        for l in range(resources):
            if (mask >> l) & 1 == 0 or not rescale:
                s = max(s, g.usage[i, l])
        g.ratio[i] = np.inf if blocked else s / g.weight[i]
    if g.ratio[0] == np.inf:
        return -1, q
    node, looked = 0, q
    while g.leaf_of[node] < 0:
        looked += g.child_start[node + 1] - g.child_start[node]
        node = least_child(g, node)
    return g.leaf_of[node], looked


@kernel
def scan(key, bits, waiting, mask):
    """The flat rules' leaf, every one looked at; -1 when all are blocked."""
    best = -1
    for leaf in range(key.size):
        if waiting[leaf] > 0 and bits[leaf] & mask == 0 and (best < 0 or key[leaf] < key[best]):
            best = leaf
    return best
