"""H-DRF and naive hierarchical DRF with logarithmic decisions: after a task starts or ends only its path to the root is looked at.

A group's usage is B + f V: B the sum over its children that are blocked or have nothing, V the sum of U omega/s over the others,
f their least s/omega. A group with a handful of children adds them up; a wide one keeps B, V, f and its first child in a binary
tree, as partial sums, so that nothing is ever subtracted and rounding does not pile up.

All of that depends on which resources are saturated. There is a copy for each set of them (for five resources or more only one,
made anew when the set changes), and each copy lists the leaves that have changed since it was last asked.
"""

from typing import NamedTuple

import numpy as np

from schedlib.core.uncounted import kernel
from schedlib.mch.flat_heap import rounded

HANDFUL = 8
MOST = 4  # resources with a copy for each set


class Groups(NamedTuple):
    """Nodes by depth, so that siblings are neighbours: children of node i are `first[i] .. first[i] + count[i] - 1`; C copies."""

    first: np.ndarray  # (Q,)
    count: np.ndarray  # (Q,) 0 for leaves
    parent: np.ndarray  # (Q,)
    leaf_of: np.ndarray  # (Q,) -1 for groups
    node: np.ndarray  # (p,) each leaf's node
    weight: np.ndarray  # (Q,)
    light: np.ndarray  # (Q,) 1 over the weight
    given: np.ndarray  # (Q,) tasks started so far below each node
    demand: np.ndarray  # (p, R) over capacity
    bits: np.ndarray  # (p,)
    ratio: np.ndarray  # (C, Q) s over omega, infinite when blocked
    usage: np.ndarray  # (C, Q, R) U
    best: np.ndarray  # (C, Q) the leaf to serve, -1 for none
    inner: np.ndarray  # (Q,) where a wide group's tree lies in the next three, -1 for the others
    sums: np.ndarray  # (C, I, 2R) B and V
    low: np.ndarray  # (C, I) f
    winner: np.ndarray  # (C, I) the child to serve
    made: np.ndarray  # (C,) the set of saturated resources a copy is for, -1 for none
    changed: np.ndarray  # (C, p) leaves that have changed since
    changes: np.ndarray  # (C,) how many
    noted: np.ndarray  # (C, p) whether a leaf is among them


def groups(tree, share, bits) -> Groups:
    """The arrays of a tree whose leaves need `share (p, R)` of each capacity."""
    q, (p, resources) = tree.n_nodes, share.shape
    order = np.argsort(tree.depth, kind="stable")
    rank = np.empty(q, np.int64)
    rank[order] = np.arange(q)
    count = np.diff(tree.child_start)[order]
    first = np.cumsum(count) - count + 1
    wide = count > HANDFUL
    inner = np.where(wide, np.cumsum(np.where(wide, count, 0)) - np.where(wide, count, 0), -1)
    inside = int(count[wide].sum())
    copies = 2**resources if resources <= MOST else 1
    weight = np.array(tree.weight[order])
    return Groups(
        *(first.astype(np.int64), count.astype(np.int64), np.append(-1, rank[tree.parent[order[1:]]]).astype(np.int64)),
        *(tree.leaf_of[order].astype(np.int64), rank[tree.leaves], weight, 1 / weight, np.zeros(q, np.int64), share, bits),
        *(np.zeros((copies, q)), np.zeros((copies, q, resources)), np.zeros((copies, q), np.int64), inner.astype(np.int64)),
        *(np.zeros((copies, inside, 2 * resources)), np.zeros((copies, inside)), np.zeros((copies, inside), np.int64)),
        *(np.full(copies, -1), np.zeros((copies, p), np.int64), np.zeros(copies, np.int64), np.zeros((copies, p), np.bool_)),
    )


@kernel
def goes_first(g, c, a, b):
    """Whether child `a` is served before child `b`; -1 stands for none."""
    if a < 0 or b < 0:
        return a >= 0
    mine, other = rounded(g.ratio[c, a]), rounded(g.ratio[c, b])
    if mine != other:
        return mine < other
    few, many = g.given[a] * g.weight[b], g.given[b] * g.weight[a]
    return few < many if few != many else a < b


@kernel
def sum_handful(g, c, i, rescale):
    """The group's usage and the leaf to serve below it, from its children one by one."""
    start, end, resources = g.first[i], g.first[i] + g.count[i], g.usage.shape[2]
    f, best = np.inf, -1
    for j in range(start, end):
        ratio = g.ratio[c, j]
        f = min(f, ratio if ratio > 0.0 else np.inf)
        if ratio < np.inf and goes_first(g, c, j, best):
            best = j
    g.best[c, i] = -1 if best < 0 else g.best[c, best]
    for l in range(resources):
        g.usage[c, i, l] = 0.0
    for j in range(start, end):
        factor = 1.0
        if rescale and 0.0 < g.ratio[c, j] < np.inf:
            factor = f / g.ratio[c, j]
        for l in range(resources):
            g.usage[c, i, l] += factor * g.usage[c, j, l]
    return g.count[i]


@kernel
def side(g, c, i, at, l, rescale):
    """B (for l < R) or V of a place in a wide group's tree; places from `count` on are the children."""
    n, resources = g.count[i], g.usage.shape[2]
    if at < n:
        return g.sums[c, g.inner[i] + at, l]
    j = g.first[i] + at - n
    scaled = rescale and 0.0 < g.ratio[c, j] < np.inf
    if l < resources:
        return 0.0 if scaled else g.usage[c, j, l]
    return g.usage[c, j, l - resources] / g.ratio[c, j] if scaled else 0.0


@kernel
def lowest(g, c, i, at):
    if at < g.count[i]:
        return g.low[c, g.inner[i] + at]
    ratio = g.ratio[c, g.first[i] + at - g.count[i]]
    return ratio if ratio > 0 else np.inf


@kernel
def champion(g, c, i, at):
    if at < g.count[i]:
        return g.winner[c, g.inner[i] + at]
    j = g.first[i] + at - g.count[i]
    return j if g.ratio[c, j] < np.inf else -1


@kernel
def join(g, c, i, at, rescale):
    """A place of a wide group's tree from the two below it."""
    here = g.inner[i] + at
    for l in range(g.sums.shape[2]):
        g.sums[c, here, l] = side(g, c, i, 2 * at, l, rescale) + side(g, c, i, 2 * at + 1, l, rescale)
    g.low[c, here] = min(lowest(g, c, i, 2 * at), lowest(g, c, i, 2 * at + 1))
    a, b = champion(g, c, i, 2 * at), champion(g, c, i, 2 * at + 1)
    g.winner[c, here] = a if goes_first(g, c, a, b) else b


@kernel
def sum_wide(g, c, i, child, rescale):
    """The group's usage and the leaf to serve below it, after one child has changed, or after all have (`child` -1)."""
    n, resources, looked = g.count[i], g.usage.shape[2], 0
    at = n - 1 if child < 0 else (n + child - g.first[i]) >> 1
    while at >= 1:
        join(g, c, i, at, rescale)
        looked += 2
        at = at - 1 if child < 0 else at >> 1
    top = g.inner[i] + 1
    g.best[c, i] = -1 if g.winner[c, top] < 0 else g.best[c, g.winner[c, top]]
    f = g.low[c, top]
    for l in range(resources):
        v = g.sums[c, top, resources + l]
        g.usage[c, i, l] = g.sums[c, top, l] + (f * v if f < np.inf else 0.0)
    return looked


@kernel
def sum_up(g, c, i, child, rescale):
    """Usage and share of a group, and the leaf to serve below it."""
    looked = sum_handful(g, c, i, rescale) if g.inner[i] < 0 else sum_wide(g, c, i, child, rescale)
    s = 0.0
    for l in range(g.usage.shape[2]):
        if (g.made[c] >> l) & 1 == 0 or not rescale:
            s = max(s, g.usage[c, i, l])
    g.ratio[c, i] = np.inf if g.best[c, i] < 0 else s * g.light[i]
    return looked


@kernel
def set_leaf(g, c, leaf, tasks, waiting):
    """Usage and share of a leaf."""
    i, s = g.node[leaf], 0.0
    g.best[c, i] = leaf
    for l in range(g.usage.shape[2]):
        g.usage[c, i, l] = tasks[leaf] * g.demand[leaf, l]
        s = max(s, g.usage[c, i, l])
    g.ratio[c, i] = np.inf if waiting[leaf] == 0 or (g.bits[leaf] & g.made[c]) != 0 else s * g.light[i]


@kernel
def note(g, leaf):
    """Every copy must look at the leaf again."""
    for c in range(g.made.size):
        if g.made[c] >= 0 and not g.noted[c, leaf]:
            g.noted[c, leaf] = True
            g.changed[c, g.changes[c]] = leaf
            g.changes[c] += 1


@kernel
def count_start(g, leaf):
    """One more task started on the path from a leaf to the root."""
    i = g.node[leaf]
    while i >= 0:
        g.given[i] += 1
        i = g.parent[i]


@kernel
def bring_up_to_date(g, c, mask, tasks, waiting, rescale):
    """Make copy `c` right for the saturated resources `mask`; the nodes looked at."""
    looked, many = 0, 8 * g.changes[c] > g.node.size and g.changes[c] > 1
    if g.made[c] != mask or many:
        g.made[c] = mask
        for i in range(g.count.size - 1, -1, -1):
            looked += 1
            if g.leaf_of[i] >= 0:
                set_leaf(g, c, g.leaf_of[i], tasks, waiting)
            else:
                looked += sum_up(g, c, i, -1, rescale)
        for at in range(g.changes[c]):
            g.noted[c, g.changed[c, at]] = False
    else:
        for at in range(g.changes[c]):
            leaf = g.changed[c, at]
            g.noted[c, leaf] = False
            set_leaf(g, c, leaf, tasks, waiting)
            child = g.node[leaf]
            i = g.parent[child]
            while i >= 0:
                looked += sum_up(g, c, i, child, rescale)
                child, i = i, g.parent[i]
    g.changes[c] = 0
    return looked


@kernel
def next_leaf(g, mask, tasks, waiting, rescale):
    """The leaf to serve, or -1 when all are blocked, and the nodes looked at."""
    c = mask if g.made.size > 1 else 0
    looked = bring_up_to_date(g, c, mask, tasks, waiting, rescale)
    return (g.best[c, 0] if g.ratio[c, 0] < np.inf else -1), looked
