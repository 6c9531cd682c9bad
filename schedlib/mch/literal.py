"""The rules as they are printed: every node, or every leaf, anew for each decision.

The fast kernels must decide the same. These are in the library, and not in the tests, because their cost is a
claim.
"""

from typing import NamedTuple

import numpy as np

from schedlib.core.uncounted import kernel
from schedlib.mch.flat_heap import rounded
from schedlib.mch.model import Tree


class Nodes(NamedTuple):
    """A tree's arrays in its own numbering, and room for what is computed anew each time."""

    child_start: np.ndarray
    child: np.ndarray
    leaf_of: np.ndarray
    weight: np.ndarray
    demand: np.ndarray  # (p, R) over capacity
    usage: np.ndarray  # (Q, R) U, scratch
    ratio: np.ndarray  # (Q,) s over omega, infinite when blocked; scratch
    started: np.ndarray  # (Q,) tasks started so far below each node, scratch


def nodes(tree: Tree, share: np.ndarray) -> Nodes:
    """Arrays of a tree whose leaves need `share (p, R)` of each capacity for a task."""
    q = tree.n_nodes
    return Nodes(**tree.copies("child_start", "child", "leaf_of", "weight"), demand=share,
                 usage=np.zeros((q, share.shape[1])), ratio=np.zeros(q), started=np.zeros(q, np.int64))


@kernel
def least_child(g, node):
    """The unblocked child with the least s/omega; ties: fewest started tasks per weight, then the first."""
    best, key = -1, np.inf
    for at in range(g.child_start[node], g.child_start[node + 1]):
        j = g.child[at]
        if g.ratio[j] < np.inf:
            mine = rounded(g.ratio[j])
            fewer = best >= 0 and g.started[j] * g.weight[best] < g.started[best] * g.weight[j]
            if best < 0 or mine < key or (mine == key and fewer):
                best, key = j, mine
    return best


@kernel
def descend(g, leaves, saturated, rescale):
    """H-DRF's leaf (naive hierarchical DRF's unless `rescale`), or -1, and the number of nodes looked at.

    Every U and s is computed from the leaves up.
    """
    q, resources = g.usage.shape
    for i in range(q - 1, -1, -1):  # children come after their parent
        leaf, blocked = g.leaf_of[i], True
        for l in range(resources):
            g.usage[i, l] = 0.0
        if leaf >= 0:
            blocked = leaves[leaf].waiting == 0 or (leaves[leaf].bits & saturated) != 0
            for l in range(resources):
                g.usage[i, l] = leaves[leaf].tasks * g.demand[leaf, l]
            g.started[i] = leaves[leaf].started
        else:
            f, count = np.inf, 0
            for at in range(g.child_start[i], g.child_start[i + 1]):
                j = g.child[at]
                count += g.started[j]
                if g.ratio[j] < np.inf:
                    blocked = False
                    if 0 < g.ratio[j] < f:
                        f = g.ratio[j]
            g.started[i] = count
            for at in range(g.child_start[i], g.child_start[i + 1]):
                j = g.child[at]
                factor = f / g.ratio[j] if rescale and 0 < g.ratio[j] < np.inf else 1.0
                for l in range(resources):
                    g.usage[i, l] += factor * g.usage[j, l]
        s = 0.0
        for l in range(resources):
            if (saturated >> l) & 1 == 0 or not rescale:
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
def scan(leaves, saturated):
    """The flat rules' leaf, every one looked at; -1 when all are blocked."""
    best = -1
    for leaf in range(leaves.size):
        one = leaves[leaf]
        if one.waiting > 0 and one.bits & saturated == 0 and (best < 0 or one.key < leaves[best].key):
            best = leaf
    return best
