"""H-DRF and naive hierarchical DRF, rules that choose: only the path of a changed leaf is looked at, O(log).

A group's usage is B + f V: B is the sum over its children that are blocked or have nothing, V the sum of U
omega/s over the others, f their least s/omega. A group with a handful of children adds them up. A wide one
keeps B, V, f and its first child in a binary tree of partial sums: nothing is subtracted, so rounding does
not pile up. Source: H-DRF, Section 4.

At the end are the rules as printed, which look at each node for each decision. The fast ones must
decide the same. They are in the library and not in its tests, because a claim measures their cost.
"""

import numpy as np

from schedlib.core.uncounted import kernel
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
    tasks, others = room[a, STARTED], room[b, STARTED]
    few = tasks * nodes[b].weight
    many = others * nodes[a].weight
    if few != many:
        return few < many
    return a < b


@kernel
def side(tree, i, at, l, rescale):
    """B (for l < R) or V of a place in a wide group's tree; places from `count` on are the children."""
    group = tree.nodes[i]
    if at < group.count:
        row = group.inner + at
        return tree.room[row, SUMS + l]
    j = group.first + at - group.count
    child = tree.room[j]
    resources = tree.need.shape[1]
    ratio = child[RATIO]
    scaled = rescale and 0.0 < ratio < np.inf
    if l < resources:
        return 0.0 if scaled else child[USAGE + l]
    if not scaled:
        return 0.0
    used = child[USAGE + l - resources]
    return used / ratio


@kernel
def lowest(tree, i, at):
    """f of a place in a wide group's tree, and the child to serve first of those below it, -1 for none."""
    group = tree.nodes[i]
    if at < group.count:
        place = tree.room[group.inner + at]
        return place[LOW], int(place[WINNER])
    j = group.first + at - group.count
    ratio = tree.room[j, RATIO]
    if ratio == np.inf:
        return ratio, -1
    f = ratio if ratio > 0 else np.inf
    return f, j


@kernel
def one_by_one(tree, i, rescale):
    """The usage of a group whose children are added up, and the child to serve, -1 for none."""
    room = tree.room
    mine = room[i]
    resources = tree.need.shape[1]
    usage = range(USAGE, USAGE + resources)
    group = tree.nodes[i]
    children = range(group.first, group.first + group.count)
    best = -1
    f = np.inf
    for j in children:
        ratio = room[j, RATIO]
        if ratio > 0.0:
            f = min(f, ratio)
        if ratio < np.inf and goes_first(tree, j, best):
            best = j
    for l in usage:
        mine[l] = 0.0
    for j in children:
        child = room[j]
        ratio = child[RATIO]
        factor = 1.0
        if rescale and 0.0 < ratio < np.inf:
            factor = f / ratio
        for l in usage:
            mine[l] += factor * child[l]
    return best


@kernel
def set_place(tree, i, at, rescale):
    """A place in a wide group's tree, from the two below it."""
    row = tree.nodes[i].inner + at
    place = tree.room[row]
    left = 2 * at
    right = left + 1
    for l in range(2 * tree.need.shape[1]):
        below = side(tree, i, left, l, rescale)
        beside = side(tree, i, right, l, rescale)
        place[SUMS + l] = below + beside
    low, a = lowest(tree, i, left)
    other_low, b = lowest(tree, i, right)
    place[LOW] = min(low, other_low)
    place[WINNER] = b
    if goes_first(tree, a, b):
        place[WINNER] = a


@kernel
def by_parts(tree, i, child, rescale):
    """As `one_by_one`, of a wide group of which a child (-1: each) has changed; and the places looked at."""
    group, looked = tree.nodes[i], 0
    if child < 0:
        for at in range(group.count - 1, 0, -1):
            set_place(tree, i, at, rescale)
            looked += 2
    else:
        place = group.count + child - group.first
        at = place >> 1
        while at >= 1:
            set_place(tree, i, at, rescale)
            looked += 2
            at >>= 1
    mine = tree.room[i]
    top = tree.room[group.inner + 1]
    resources = tree.need.shape[1]
    f, best = lowest(tree, i, 1)
    for l in range(resources):
        mine[USAGE + l] = top[SUMS + l]
        if f < np.inf:
            v = top[SUMS + resources + l]
            mine[USAGE + l] += f * v
    return best, looked


@kernel
def set_leaf(tree, leaf):
    """A leaf's row, from what it runs."""
    record = tree.leaves[leaf]
    mine = tree.room[record.node]
    s = 0.0
    for l in range(tree.need.shape[1]):
        used = record.tasks * tree.need[leaf, l]
        mine[USAGE + l] = used
        s = max(s, used)
    mine[STARTED] = record.started
    mine[BEST] = -1
    mine[RATIO] = np.inf
    blocked = record.bits & tree.saturated != 0
    if record.waiting > 0 and not blocked:
        mine[BEST] = leaf
        node = tree.nodes[record.node]
        mine[RATIO] = s * node.light


@kernel
def set_group(tree, i, child, rescale, printed):
    """A group's row, after a child (-1: each) has changed; gives the cost."""
    group, mine = tree.nodes[i], tree.room[i]
    looked = group.count
    if group.inner < 0 or printed:
        best = one_by_one(tree, i, rescale)
    else:
        best, looked = by_parts(tree, i, child, rescale)
    s = 0.0
    for l in range(tree.need.shape[1]):
        full = (tree.saturated >> l) & 1
        if full == 0 or not rescale:
            s = max(s, mine[USAGE + l])
    mine[BEST] = -1
    mine[RATIO] = np.inf
    if best >= 0:
        mine[BEST] = tree.room[best, BEST]
        mine[RATIO] = s * group.light
    return looked


@kernel
def set_all(tree, rescale, printed):
    """Every row, children before their group; gives the cost."""
    room, looked = tree.room, tree.nodes.size
    for i in range(tree.nodes.size - 1, -1, -1):
        node = tree.nodes[i]
        if node.leaf >= 0:
            set_leaf(tree, node.leaf)
            continue
        started = 0.0
        for j in range(node.first, node.first + node.count):
            started += room[j, STARTED]
        room[i, STARTED] = started
        looked += set_group(tree, i, -1, rescale, printed)
    return looked


@kernel
def set_path(tree, leaf, rescale):
    """The rows of a leaf that has changed and of the groups above it; gives the cost."""
    room, record = tree.room, tree.leaves[leaf]
    looked = 0
    child = record.node
    new = record.started - room[child, STARTED]
    set_leaf(tree, leaf)
    i = tree.nodes[child].parent
    while i >= 0:
        room[i, STARTED] += new
        looked += set_group(tree, i, child, rescale, False)
        child = i
        i = tree.nodes[i].parent
    return looked


@kernel
def by_path(tree, rescale):
    """The leaf to serve, or -1 when all are blocked."""
    changes = tree.changed.size
    many = 8 * changes > tree.leaves.size
    if tree.every_leaf or (many and changes > 1):
        tree.looked[0] += set_all(tree, rescale, False)
    else:
        for leaf in tree.changed:
            tree.looked[0] += set_path(tree, leaf, rescale)
    return int(tree.room[0, BEST])


@kernel
def as_printed(tree, rescale):
    """The same leaf: every node's share, then from the root down."""
    set_all(tree, rescale, True)
    leaf = int(tree.room[0, BEST])
    looked = tree.nodes.size
    i = 0
    if leaf >= 0:
        i = tree.leaves[leaf].node
    while i > 0:
        i = tree.nodes[i].parent
        looked += tree.nodes[i].count
    tree.looked[0] += looked
    return leaf


@CHOOSE
def h_drf(tree):
    """H-DRF by path."""
    return by_path(tree, True)


@CHOOSE
def naive_h_drf(tree):
    """Naive H-DRF by path."""
    return by_path(tree, False)


@CHOOSE
def h_drf_as_printed(tree):
    """H-DRF, every node looked at."""
    return as_printed(tree, True)


@CHOOSE
def naive_as_printed(tree):
    """Naive H-DRF, every node looked at."""
    return as_printed(tree, False)
