"""H-DRF and naive hierarchical DRF with logarithmic decisions: only the path of a changed leaf is looked at.

A group's usage is B + f V: B is the sum over its children that are blocked or have nothing, V the sum of U
omega/s over the others, f their least s/omega. A group with a handful of children adds them up. A wide one
keeps B, V, f and its first child in a binary tree of partial sums: nothing is subtracted, so rounding does
not pile up. There is a copy of all that for each set of saturated resources (for five or more only one, made
anew with each set), which lists the leaves that have changed since it was asked. Source: H-DRF, Section 4.

At the end are the rules as printed, each node, or leaf, anew for each decision. The fast kernels must decide
the same; these are not in the tests because their cost is a claim.
"""

from typing import NamedTuple

import numpy as np

from schedlib.core.uncounted import kernel
from schedlib.mch.model import Tree

CUT = float(2**24 + 1)  # Veltkamp's constant: of 53 bits, 29 are kept
HANDFUL, MOST = 8, 4  # children of a group that is not wide; resources with a copy for each saturated set
NODE = np.dtype([
    ("first", np.int64), ("count", np.int64),  # its children: first .. first + count - 1; count 0 for leaves
    ("parent", np.int64), ("leaf", np.int64),  # `leaf`: its number, -1 for groups
    ("inner", np.int64),  # where a wide group's tree lies in `sums`, `low` and `winner`; else -1
    ("light", np.float64)], align=True)  # 1 over the weight


class Groups(NamedTuple):
    """Nodes by depth, so that siblings are neighbours; C copies of what depends on saturated resources."""

    nodes: np.recarray  # NODE (Q,)
    started: np.ndarray  # (Q,) tasks started so far below each node
    weight: np.ndarray  # (Q,)
    node_of: np.ndarray  # (p,) each leaf's node
    demand: np.ndarray  # (p, R) over capacity
    ratio: np.ndarray  # (C, Q) s over omega, infinite when blocked
    usage: np.ndarray  # (C, Q, R) U
    best: np.ndarray  # (C, Q) the leaf to serve, -1 for none
    sums: np.ndarray  # (C, I, 2R) B and V of the places in wide groups' trees
    low: np.ndarray  # (C, I) f
    winner: np.ndarray  # (C, I) the child to serve
    made: np.ndarray  # (C,) the set of saturated resources that a copy is for, -1 for none
    changed: np.ndarray  # (C, p) leaves that have changed since
    changes: np.ndarray  # (C,) how many
    noted: np.ndarray  # (C, p) whether a leaf is among them


def groups(tree: Tree, share: np.ndarray) -> Groups:
    """The arrays of a tree whose leaves need `share (p, R)` of each capacity for a task."""
    q, (p, resources) = tree.n_nodes, share.shape
    order = np.argsort(tree.depth, kind="stable")
    rank = np.empty(q, np.int64)
    rank[order] = np.arange(q)
    count = np.diff(tree.child_start)[order]
    nodes = np.zeros(q, NODE).view(np.recarray)
    nodes.first, nodes.count = np.cumsum(count) - count + 1, count
    nodes.parent, nodes.leaf = np.append(-1, rank[tree.parent[order[1:]]]), tree.leaf_of[order]
    nodes.light = 1 / tree.weight[order]
    places = np.where(count > HANDFUL, count, 0)
    nodes.inner = np.where(places > 0, np.cumsum(places) - places, -1)
    copies, inside = 2**resources if resources <= MOST else 1, int(places.sum())
    return Groups(nodes=nodes, started=np.zeros(q, np.int64), weight=np.array(tree.weight[order]),
                  node_of=rank[tree.leaves], demand=share, made=np.full(copies, -1),
                  ratio=np.zeros((copies, q)), usage=np.zeros((copies, q, resources)),
                  best=np.zeros((copies, q), np.int64), sums=np.zeros((copies, inside, 2 * resources)),
                  low=np.zeros((copies, inside)), winner=np.zeros((copies, inside), np.int64),
                  changed=np.zeros((copies, p), np.int64), noted=np.zeros((copies, p), np.bool_),
                  changes=np.zeros(copies, np.int64))


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
def side(g, c, i, at, l, rescale):
    """B (for l < R) or V of a place in a wide group's tree; places from `count` on are the children."""
    n, resources = g.nodes[i].count, g.usage.shape[2]
    if at < n:
        return g.sums[c, g.nodes[i].inner + at, l]
    j = g.nodes[i].first + at - n
    scaled = rescale and 0.0 < g.ratio[c, j] < np.inf
    if l < resources:
        return 0.0 if scaled else g.usage[c, j, l]
    return g.usage[c, j, l - resources] / g.ratio[c, j] if scaled else 0.0


@kernel
def lowest(g, c, i, at):
    """f of a place in a wide group's tree, and the child to serve first of those below it, -1 for none."""
    n = g.nodes[i].count
    if at < n:
        return g.low[c, g.nodes[i].inner + at], g.winner[c, g.nodes[i].inner + at]
    j = g.nodes[i].first + at - n
    ratio = g.ratio[c, j]
    return (ratio if ratio > 0 else np.inf), (j if ratio < np.inf else -1)


@kernel
def sum_up(g, c, i, child, rescale):
    """Usage, share and leaf to serve of a group, after a child (-1: each) has changed; gives the cost."""
    first, n, resources, looked = g.nodes[i].first, g.nodes[i].count, g.usage.shape[2], 0
    if g.nodes[i].inner < 0:  # a handful of children, one by one
        f, best, looked = np.inf, -1, n
        for j in range(first, first + n):
            ratio = g.ratio[c, j]
            f = min(f, ratio if ratio > 0.0 else np.inf)
            if ratio < np.inf and goes_first(g, c, j, best):
                best = j
        for l in range(resources):
            g.usage[c, i, l] = 0.0
        for j in range(first, first + n):
            factor = 1.0
            if rescale and 0.0 < g.ratio[c, j] < np.inf:
                factor = f / g.ratio[c, j]
            for l in range(resources):
                g.usage[c, i, l] += factor * g.usage[c, j, l]
    else:
        at = n - 1 if child < 0 else (n + child - first) >> 1
        while at >= 1:  # a place from the two below it
            here = g.nodes[i].inner + at
            for l in range(2 * resources):
                g.sums[c, here, l] = side(g, c, i, 2 * at, l, rescale) + side(g, c, i, 2 * at + 1, l, rescale)
            (f, a), (other, b) = lowest(g, c, i, 2 * at), lowest(g, c, i, 2 * at + 1)
            g.low[c, here], g.winner[c, here] = min(f, other), a if goes_first(g, c, a, b) else b
            looked += 2
            at = at - 1 if child < 0 else at >> 1
        top = g.nodes[i].inner + 1
        f, best = g.low[c, top], g.winner[c, top]
        for l in range(resources):
            v = g.sums[c, top, resources + l]
            g.usage[c, i, l] = g.sums[c, top, l] + (f * v if f < np.inf else 0.0)
    g.best[c, i] = -1 if best < 0 else g.best[c, best]
    s = 0.0
    for l in range(resources):
        if (g.made[c] >> l) & 1 == 0 or not rescale:
            s = max(s, g.usage[c, i, l])
    g.ratio[c, i] = np.inf if best < 0 else s * g.nodes[i].light
    return looked


@kernel
def set_leaf(g, c, leaf, leaves):
    """Usage and share of a leaf."""
    i, s, one = g.node_of[leaf], 0.0, leaves[leaf]
    g.best[c, i] = leaf
    for l in range(g.usage.shape[2]):
        g.usage[c, i, l] = one.tasks * g.demand[leaf, l]
        s = max(s, g.usage[c, i, l])
    blocked = one.waiting == 0 or (one.bits & g.made[c]) != 0
    g.ratio[c, i] = np.inf if blocked else s * g.nodes[i].light


@kernel
def note(g, leaf):
    """Every copy that is in use must look at the leaf again."""
    for c in range(g.made.size):
        if g.made[c] >= 0 and not g.noted[c, leaf]:
            g.noted[c, leaf] = True
            g.changed[c, g.changes[c]] = leaf
            g.changes[c] += 1


@kernel
def count_start(g, leaf):
    """One more task started on the path from a leaf to the root."""
    i = g.node_of[leaf]
    while i >= 0:
        g.started[i] += 1
        i = g.nodes[i].parent


@kernel
def next_leaf(g, leaves, saturated, rescale):
    """The leaf to serve, or -1 when all are blocked, and the nodes looked at to bring a copy up to date."""
    c = saturated if g.made.size > 1 else 0
    looked, many = 0, 8 * g.changes[c] > g.node_of.size and g.changes[c] > 1
    anew = g.made[c] != saturated or many
    g.made[c] = saturated
    if anew:
        for i in range(g.nodes.size - 1, -1, -1):
            looked += 1
            if g.nodes[i].leaf >= 0:
                set_leaf(g, c, g.nodes[i].leaf, leaves)
            else:
                looked += sum_up(g, c, i, -1, rescale)
    for at in range(g.changes[c]):
        leaf = g.changed[c, at]
        g.noted[c, leaf] = False
        if not anew:
            set_leaf(g, c, leaf, leaves)
            child = g.node_of[leaf]
            i = g.nodes[child].parent
            while i >= 0:
                looked += sum_up(g, c, i, child, rescale)
                child, i = i, g.nodes[i].parent
    g.changes[c] = 0
    return (g.best[c, 0] if g.ratio[c, 0] < np.inf else -1), looked


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
