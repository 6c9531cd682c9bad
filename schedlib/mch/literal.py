"""The rules as they are printed: every node, or every leaf, anew for each decision.

The fast kernels must decide the same. These are not in the tests because their cost is a claim.
"""

from typing import NamedTuple

import numpy as np

from schedlib.core.uncounted import kernel

CUT = float(2**24 + 1)  # Veltkamp's constant: of 53 bits, 29 are kept


class Nodes(NamedTuple):
    """A tree's arrays in its own numbering, and room for what is computed anew each time."""

    child_start: np.ndarray
    child: np.ndarray
    leaf_of: np.ndarray
    weight: np.ndarray
    demand: np.ndarray  # (p, R) over capacity
    usage: np.ndarray  # (Q, R) U, scratch
    ratio: np.ndarray  # (1, Q) s over omega, infinite when blocked; scratch
    started: np.ndarray  # (Q,) tasks started so far below each node, scratch


@kernel
def rounded(x):
    """A number to 29 bits (Veltkamp's splitting), so that shares which differ by rounding alone are equal."""
    if not np.isfinite(x):
        return x
    y = x * CUT
    return y - (y - x)


@kernel
def goes_first(g, c, a, b):
    """Whether child `a` is served before `b` (-1: none): least s/omega, on ties fewest tasks per weight."""
    if a < 0 or b < 0:
        return a >= 0
    mine, other = rounded(g.ratio[c, a]), rounded(g.ratio[c, b])
    if mine != other:
        return mine < other
    few, many = g.started[a] * g.weight[b], g.started[b] * g.weight[a]
    return few < many if few != many else a < b


@kernel
def descend(g, leaves, saturated, rescale):
    """H-DRF's leaf (naive hierarchical DRF's unless `rescale`), or -1, and the number of nodes looked at."""
    q, resources = g.usage.shape
    for i in range(q - 1, -1, -1):  # every U and s from the leaves up: children come after their parent
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
                if g.ratio[0, j] < np.inf:
                    blocked = False
                    if 0 < g.ratio[0, j] < f:
                        f = g.ratio[0, j]
            g.started[i] = count
            for at in range(g.child_start[i], g.child_start[i + 1]):
                j = g.child[at]
                factor = f / g.ratio[0, j] if rescale and 0 < g.ratio[0, j] < np.inf else 1.0
                for l in range(resources):
                    g.usage[i, l] += factor * g.usage[j, l]
        s = 0.0
        for l in range(resources):
            if (saturated >> l) & 1 == 0 or not rescale:
                s = max(s, g.usage[i, l])
        g.ratio[0, i] = np.inf if blocked else s / g.weight[i]
    if g.ratio[0, 0] == np.inf:
        return -1, q
    node, looked = 0, q
    while g.leaf_of[node] < 0:
        best = -1
        for at in range(g.child_start[node], g.child_start[node + 1]):
            looked += 1
            if g.ratio[0, g.child[at]] < np.inf and goes_first(g, 0, g.child[at], best):
                best = g.child[at]
        node = best
    return g.leaf_of[node], looked


@kernel
def scan(leaves, saturated, late):
    """The flat rules' leaf, every one looked at; -1 when all are blocked."""
    best, key = -1, np.inf
    for leaf in range(leaves.size):
        one = leaves[leaf]
        mine = one.late_key if late else one.key
        if one.waiting > 0 and one.bits & saturated == 0 and (best < 0 or mine < key):
            best, key = leaf, mine
    return best
