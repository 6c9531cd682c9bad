"""H-DRF and naive hierarchical DRF, rules that choose: only the path of a changed leaf is looked at, O(log).

A group's usage is B + f V: B is the sum over its children that are blocked or have nothing, V the sum of U
omega/s over the others, f their least s/omega. A group with a handful of children adds them up. A wide one
keeps B, V, f and its first child in a binary tree of partial sums: nothing is subtracted, so rounding does
not pile up. Source: H-DRF, Section 4.

At the end are the rules as printed, each node, or leaf, anew for each decision. The fast ones must decide the
same; these are not in the tests because their cost is a claim.
"""

import numpy as np

from schedlib.core import compiling
from schedlib.core.uncounted import UNCOUNTED, kernel
from schedlib.mch.choice import CHOOSE, rounded

RATIO, BEST, STARTED, USAGE = range(4)
"""A node's row in `room`: s/omega, infinite when blocked; the leaf to serve, -1 for none; tasks started below
it; U, a number for each resource."""
LOW, WINNER, SUMS = range(3)
"""A row of a place in a wide group's tree: f, the child to serve, B and V."""
ROOM = (2, 2)  # numbers in a row, and for each resource


@kernel
def goes_first(tree, a, b):
    """Whether child `a` is served before `b` (-1: none): least s/omega, on ties fewest tasks per weight."""
    if a < 0 or b < 0:
        return a >= 0
    mine, other = rounded(tree.room[a, RATIO]), rounded(tree.room[b, RATIO])
    if mine != other:
        return mine < other
    few, many = (
        tree.room[a, STARTED] * tree.nodes[b].weight,
        tree.room[b, STARTED] * tree.nodes[a].weight,
    )
    return few < many if few != many else a < b


@kernel
def side(tree, i, at, l, rescale):
    """B (for l < R) or V of a place in a wide group's tree; places from `count` on are the children."""
    n, resources, room = tree.nodes[i].count, tree.need.shape[1], tree.room
    if at < n:
        return room[tree.nodes[i].inner + at, SUMS + l]
    j = tree.nodes[i].first + at - n
    scaled = rescale and 0.0 < room[j, RATIO] < np.inf
    if l < resources:
        return 0.0 if scaled else room[j, USAGE + l]
    return room[j, USAGE + l - resources] / room[j, RATIO] if scaled else 0.0


@kernel
def lowest(tree, i, at):
    """f of a place in a wide group's tree, and the child to serve first of those below it, -1 for none."""
    n = tree.nodes[i].count
    if at < n:
        return tree.room[tree.nodes[i].inner + at, LOW], int(
            tree.room[tree.nodes[i].inner + at, WINNER]
        )
    j = tree.nodes[i].first + at - n
    ratio = tree.room[j, RATIO]
    return (ratio if ratio > 0 else np.inf), (j if ratio < np.inf else -1)


@kernel
def one_by_one(tree, i, rescale):
    """The usage of a group whose children are added up, and the child to serve, -1 for none."""
    room, nodes, first, f, best, least = (
        tree.room,
        tree.nodes,
        tree.nodes[i].first,
        np.inf,
        -1,
        np.inf,
    )
    end = first + nodes[i].count
    for j in range(first, end):
        ratio = room[j, RATIO]
        f = min(f, ratio if ratio > 0.0 else np.inf)
        key = rounded(ratio)
        if key < least or (
            key == least < np.inf
            and room[j, STARTED] * nodes[best].weight < room[best, STARTED] * nodes[j].weight
        ):
            best, least = j, key
    for l in range(tree.need.shape[1]):
        room[i, USAGE + l] = 0.0
    for j in range(first, end):
        ratio = room[j, RATIO]
        factor = f / ratio if rescale and 0.0 < ratio < np.inf else 1.0
        for l in range(tree.need.shape[1]):
            room[i, USAGE + l] += factor * room[j, USAGE + l]
    return best


@kernel
def by_parts(tree, i, child, rescale):
    """As `one_by_one`, of a wide group of which a child (-1: each) has changed; and the places looked at."""
    room, first, n, resources = (
        tree.room,
        tree.nodes[i].first,
        tree.nodes[i].count,
        tree.need.shape[1],
    )
    at, looked, inner = n - 1 if child < 0 else (n + child - first) >> 1, 0, tree.nodes[i].inner
    while at >= 1:  # a place from the two below it
        for l in range(2 * resources):
            room[inner + at, SUMS + l] = side(tree, i, 2 * at, l, rescale) + side(
                tree, i, 2 * at + 1, l, rescale
            )
        (f, a), (other, b) = lowest(tree, i, 2 * at), lowest(tree, i, 2 * at + 1)
        room[inner + at, LOW], room[inner + at, WINNER] = (
            min(f, other),
            a if goes_first(tree, a, b) else b,
        )
        looked += 2
        at = at - 1 if child < 0 else at >> 1
    f, best = lowest(tree, i, 1)
    for l in range(resources):
        v = room[inner + 1, SUMS + resources + l]
        room[i, USAGE + l] = room[inner + 1, SUMS + l] + (f * v if f < np.inf else 0.0)
    return best, looked


@kernel
def set_leaf(tree, leaf):
    """A leaf's row, from what it runs."""
    room, one = tree.room, tree.leaves[leaf]
    i, s = one.node, 0.0
    for l in range(tree.need.shape[1]):
        room[i, USAGE + l] = one.tasks * tree.need[leaf, l]
        s = max(s, room[i, USAGE + l])
    blocked = one.waiting == 0 or (one.bits & tree.saturated) != 0
    room[i, BEST], room[i, STARTED] = -1 if blocked else leaf, one.started
    room[i, RATIO] = np.inf if blocked else s * tree.nodes[i].light


@kernel
def set_group(tree, i, child, rescale, printed):
    """A group's row, after a child (-1: each) has changed; gives the cost."""
    room, looked = tree.room, tree.nodes[i].count
    if tree.nodes[i].inner < 0 or printed:
        best = one_by_one(tree, i, rescale)
    else:
        best, looked = by_parts(tree, i, child, rescale)
    s = 0.0
    for l in range(tree.need.shape[1]):
        if (tree.saturated >> l) & 1 == 0 or not rescale:
            s = max(s, room[i, USAGE + l])
    room[i, BEST] = -1 if best < 0 else room[best, BEST]
    room[i, RATIO] = np.inf if best < 0 else s * tree.nodes[i].light
    return looked


@kernel
def set_all(tree, rescale, printed):
    """Every row anew, children before their group; gives the cost."""
    looked = tree.nodes.size
    for i in range(tree.nodes.size - 1, -1, -1):
        node = tree.nodes[i]
        if node.leaf >= 0:
            set_leaf(tree, node.leaf)
            continue
        tree.room[i, STARTED] = 0.0
        for j in range(node.first, node.first + node.count):
            tree.room[i, STARTED] += tree.room[j, STARTED]
        looked += set_group(tree, i, -1, rescale, printed)
    return looked


@kernel
def by_path(tree, rescale):
    """The leaf to serve, or -1 when all are blocked."""
    room, looked, changes = tree.room, 0, tree.changed.size
    if tree.anew or (8 * changes > tree.leaves.size and changes > 1):
        looked = set_all(tree, rescale, False)
    else:
        for leaf in tree.changed:
            child = tree.leaves[leaf].node
            new = tree.leaves[leaf].started - room[child, STARTED]
            set_leaf(tree, leaf)
            i = tree.nodes[child].parent
            while i >= 0:
                room[i, STARTED] += new
                looked += set_group(tree, i, child, rescale, False)
                child, i = i, tree.nodes[i].parent
    tree.looked[0] += looked
    return int(room[0, BEST])


@kernel
def as_printed(tree, rescale):
    """The same leaf, every node's share anew, then from the root down."""
    set_all(tree, rescale, True)
    leaf, looked = int(tree.room[0, BEST]), tree.nodes.size
    i = tree.leaves[leaf].node if leaf >= 0 else 0
    while i > 0:
        i = tree.nodes[i].parent
        looked += tree.nodes[i].count
    tree.looked[0] += looked
    return leaf


rule = compiling.rule(CHOOSE, **UNCOUNTED)


h_drf = rule(lambda tree: by_path(tree, True))
naive_h_drf = rule(lambda tree: by_path(tree, False))
h_drf_as_printed = rule(lambda tree: as_printed(tree, True))
naive_as_printed = rule(lambda tree: as_printed(tree, False))


@rule
def every_leaf(tree):
    """The leaf with the least priority, every one looked at; -1 when all are blocked."""
    best, key, late = -1, np.inf, tree.first >= 0 and (tree.saturated >> tree.first) & 1 == 1
    for leaf in range(tree.leaves.size):
        one = tree.leaves[leaf]
        mine = one.late_key if late else one.key
        if one.waiting > 0 and one.bits & tree.saturated == 0 and (best < 0 or mine < key):
            best, key = leaf, mine
    tree.looked[0] += tree.leaves.size
    return best
