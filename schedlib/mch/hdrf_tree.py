"""H-DRF and naive hierarchical DRF, rules that choose: only the path of a changed leaf is looked at, O(log).

A group's usage is B + f V: B is the sum over its children that are blocked or have nothing, V the sum of U
omega/s over the others, f their least s/omega. A group with a handful of children adds them up. A wide one
keeps B, V, f and its first child in a binary tree of partial sums: nothing is subtracted, so rounding does
not pile up. Source: H-DRF, Section 4.

At the end are the rules as printed, which look at each node, or leaf, for each decision. The fast ones must decide the
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
    room, nodes = tree.room, tree.nodes
    mine = rounded(room[a, RATIO])
    other = rounded(room[b, RATIO])
    if mine != other:
        return mine < other
    few = room[a, STARTED] * nodes[b].weight
    many = room[b, STARTED] * nodes[a].weight
    return few < many if few != many else a < b


@kernel
def side(tree, i, at, l, rescale):
    """B (for l < R) or V of a place in a wide group's tree; places from `count` on are the children."""
    group, room = tree.nodes[i], tree.room
    if at < group.count:
        return room[group.inner + at, SUMS + l]
    j = group.first + at - group.count
    ratio, resources = room[j, RATIO], tree.need.shape[1]
    scaled = rescale and 0.0 < ratio < np.inf
    if l < resources:
        return 0.0 if scaled else room[j, USAGE + l]
    return room[j, USAGE + l - resources] / ratio if scaled else 0.0


@kernel
def lowest(tree, i, at):
    """f of a place in a wide group's tree, and the child to serve first of those below it, -1 for none."""
    group, room = tree.nodes[i], tree.room
    if at < group.count:
        row = group.inner + at
        return room[row, LOW], int(room[row, WINNER])
    j = group.first + at - group.count
    ratio = room[j, RATIO]
    f = ratio if ratio > 0 else np.inf
    return f, (j if ratio < np.inf else -1)


@kernel
def one_by_one(tree, i, rescale):
    """The usage of a group whose children are added up, and the child to serve, -1 for none."""
    room, resources = tree.room, tree.need.shape[1]
    first = tree.nodes[i].first
    end = first + tree.nodes[i].count
    f, best = np.inf, -1
    for j in range(first, end):
        ratio = room[j, RATIO]
        if ratio > 0.0:
            f = min(f, ratio)
        if ratio < np.inf and goes_first(tree, j, best):
            best = j
    for l in range(resources):
        room[i, USAGE + l] = 0.0
    for j in range(first, end):
        ratio = room[j, RATIO]
        factor = f / ratio if rescale and 0.0 < ratio < np.inf else 1.0
        for l in range(resources):
            room[i, USAGE + l] += factor * room[j, USAGE + l]
    return best


@kernel
def set_place(tree, i, at, rescale):
    """A place in a wide group's tree, from the two below it."""
    room, row = tree.room, tree.nodes[i].inner + at
    left, right = 2 * at, 2 * at + 1
    for l in range(2 * tree.need.shape[1]):
        one = side(tree, i, left, l, rescale)
        other = side(tree, i, right, l, rescale)
        room[row, SUMS + l] = one + other
    low, a = lowest(tree, i, left)
    other_low, b = lowest(tree, i, right)
    room[row, LOW] = min(low, other_low)
    room[row, WINNER] = a if goes_first(tree, a, b) else b


@kernel
def by_parts(tree, i, child, rescale):
    """As `one_by_one`, of a wide group of which a child (-1: each) has changed; and the places looked at."""
    group, looked = tree.nodes[i], 0
    if child < 0:
        for at in range(group.count - 1, 0, -1):
            set_place(tree, i, at, rescale)
            looked += 2
    else:
        at = (group.count + child - group.first) >> 1
        while at >= 1:
            set_place(tree, i, at, rescale)
            looked += 2
            at >>= 1
    room, top, resources = tree.room, group.inner + 1, tree.need.shape[1]
    f, best = lowest(tree, i, 1)
    for l in range(resources):
        room[i, USAGE + l] = room[top, SUMS + l]
        if f < np.inf:
            room[i, USAGE + l] += f * room[top, SUMS + resources + l]
    return best, looked


@kernel
def set_leaf(tree, leaf):
    """A leaf's row, from what it runs."""
    room, one = tree.room, tree.leaves[leaf]
    i, s = one.node, 0.0
    for l in range(tree.need.shape[1]):
        used = one.tasks * tree.need[leaf, l]
        room[i, USAGE + l] = used
        s = max(s, used)
    blocked = one.waiting == 0 or (one.bits & tree.saturated) != 0
    room[i, STARTED] = one.started
    room[i, BEST] = -1 if blocked else leaf
    room[i, RATIO] = np.inf if blocked else s * tree.nodes[i].light


@kernel
def set_group(tree, i, child, rescale, printed):
    """A group's row, after a child (-1: each) has changed; gives the cost."""
    room, group = tree.room, tree.nodes[i]
    looked = group.count
    if group.inner < 0 or printed:
        best = one_by_one(tree, i, rescale)
    else:
        best, looked = by_parts(tree, i, child, rescale)
    s = 0.0
    for l in range(tree.need.shape[1]):
        saturated = (tree.saturated >> l) & 1 == 1
        if not (saturated and rescale):
            s = max(s, room[i, USAGE + l])
    room[i, BEST] = -1 if best < 0 else room[best, BEST]
    room[i, RATIO] = np.inf if best < 0 else s * group.light
    return looked


@kernel
def set_all(tree, rescale, printed):
    """Every row, children before their group; gives the cost."""
    looked = tree.nodes.size
    for i in range(tree.nodes.size - 1, -1, -1):
        node = tree.nodes[i]
        if node.leaf >= 0:
            set_leaf(tree, node.leaf)
            continue
        started = 0.0
        for j in range(node.first, node.first + node.count):
            started += tree.room[j, STARTED]
        tree.room[i, STARTED] = started
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
    """The same leaf: every node's share, then from the root down."""
    set_all(tree, rescale, True)
    leaf = int(tree.room[0, BEST])
    looked = tree.nodes.size
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
    best, key = -1, np.inf
    late = tree.first >= 0 and (tree.saturated >> tree.first) & 1 == 1
    for leaf in range(tree.leaves.size):
        one = tree.leaves[leaf]
        if one.waiting == 0 or one.bits & tree.saturated != 0:
            continue
        mine = one.late_key if late else one.key
        if best < 0 or mine < key:
            best, key = leaf, mine
    tree.looked[0] += tree.leaves.size
    return best
