"""Flat rules, H-DRF and the naive hierarchical DRF with tasks as fine as sand, exact from event to event.

Under H-DRF a group's vector is B + f A: B of its blocked children as they are, A of the others, each rescaled
to share/omega = f, the least among them. Only laggards (children whose share/omega is f) are served, so f and
everything else grows at constant rates until a laggard catches up with a sibling, a group's largest share
changes its resource, or a resource is used up. In the last case shares drop, as used-up resources no
longer count, and groups that lag on the rest catch up. Source: H-DRF, Bhattacharya et al., SoCC 2013.
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from schedlib.core.arrays import zeroed
from schedlib.core.compiling import compiled
from schedlib.core.uncounted import kernel
from schedlib.mch.hierarchy import by_depth, nodes_of_leaves
from schedlib.mch.model import Tree

TIE, ZERO, USED_UP = 1e-9, 1e-12, 1e-10
"""Rounding: shares/omega that differ by less, relatively, are tied after a jump (later, ties are remembered);
a rate below this part of the largest beside it counts as 0; a resource with less than this left is used up."""


NODE = np.dtype(
    [
        ("share", np.float64),  # the dominant one, over the resources that count
        ("used", np.float64),  # total usage of all resources
        ("level", np.float64),  # f, the least share/omega among a group's children
        # rates of share and of total usage per unit of flow into the node; a group's unit raises its f by 1,
        # or, where it serves laggards that do not grow, their total usage by 1
        ("growth", np.float64),
        ("pace", np.float64),
        ("step", np.float64),  # a child's flow per unit of its group's
        ("flow", np.float64),
        ("when", np.float64),  # how much filling later the laggards reach it
        ("tied", np.bool_),  # whether it is a laggard
        ("blocked", np.bool_),
    ],
    align=True,
)


class Filling(NamedTuple):
    """A tree while it fills: Q nodes by depth, so that siblings are neighbours; p leaves, R resources."""

    first: np.ndarray  # (Q,) the first child
    children: np.ndarray  # (Q,) how many
    leaf_of: np.ndarray  # (Q,)
    node_of: np.ndarray  # (p,)
    weight: np.ndarray  # (Q,)
    direction: np.ndarray  # (p, R) what a dominant share of 1 uses
    shares: np.ndarray  # (p,) the leaves'
    saturated: np.ndarray  # (R,)
    left: np.ndarray  # (R,) what is not used
    drain: np.ndarray  # (R,) how fast it is used
    nodes: np.recarray  # NODE (Q,)
    vector: np.ndarray  # (Q, R)
    rate: np.ndarray  # (Q, R) of the vector, per unit of flow into the node


def empty_cluster(tree: Tree, capacity: npt.ArrayLike) -> Filling:
    """Nothing is used, and all children lag."""
    need = tree.demand / np.asarray(capacity, float)
    p, resources = need.shape
    below = by_depth(tree)
    nodes = zeroed(NODE, tree.n_nodes)
    nodes.tied = True
    return Filling(
        first=below.first.copy(),
        children=below.count.copy(),
        leaf_of=below.leaf.copy(),
        node_of=nodes_of_leaves(below),
        weight=below.weight.copy(),
        direction=need / need.max(axis=1, keepdims=True),
        shares=np.zeros(p),
        saturated=np.zeros(resources, np.bool_),
        left=np.ones(resources),
        drain=np.zeros(resources),
        nodes=nodes,
        vector=np.zeros((tree.n_nodes, resources)),
        rate=np.zeros((tree.n_nodes, resources)),
    )


def fluid_hdrf(
    tree: Tree, capacity: npt.ArrayLike, naive: bool = False, stop: int = -1
) -> tuple[np.ndarray, np.ndarray, int]:
    """Dominant shares (p,), saturated resources (R,) and events of H-DRF, or naive hierarchical DRF.

    It is the limit of ever smaller tasks.

    - `capacity (R,)`: as `mch.allocate` has checked it
    - `naive`: a group's vector is the plain sum of its leaves' usage, its share the largest entry of all
    - `stop`: end after this number of events, before the cluster is full; -1: when it is full

    From empty, all children grow together, at shares in proportion to omega. A laggard whose share does not
    grow while it is served takes the flow alone; of several, those with the least total usage do, at the same
    speed. (There the limit is not unique: of siblings with equal shares, neither of which grows while served,
    the one a task behind goes first, however small tasks are.) Exact up to rounding. An event costs O(q R);
    10,000 nodes take tens to some hundreds of events. RuntimeError after 20 (q + 10) (R + 1) events: rounding
    that goes in circles.

    >>> from schedlib import mch
    >>> tree = mch.Tree([[(1, 0), (0, 1)], [(1, 0), (1, 0), (0, 1)], [(1, 0)]])
    >>> shares, _, events = fluid_hdrf(tree, (200, 200))
    >>> events, shares.round(4).tolist()
    (3, [0.3333, 0.5, 0.1667, 0.1667, 0.5, 0.3333])
    """
    most = 20 * (tree.n_nodes + 10) * (tree.n_resources + 1)
    filling = empty_cluster(tree, capacity)
    events = fill(filling, naive, most if stop < 0 else stop)
    if events < 0 and stop < 0:
        raise RuntimeError(
            f"fluid H-DRF: no end after {most} events; demands differ by too many orders of "
            "magnitude, rescale them"
        )
    return filling.shares, filling.saturated, events


@kernel
def below(tree, i):
    """The children of a group."""
    first = tree.first[i]
    return range(first, first + tree.children[i])


@kernel
def add(rows, i, c, factor):
    """Add a row, times a factor, to another one."""
    for j in range(rows.shape[1]):
        rows[i, j] += rows[c, j] * factor


@kernel
def set_leaf(tree, i):
    """A leaf's vector and share, and their rates."""
    node = tree.nodes[i]
    leaf = tree.leaf_of[i]
    share = tree.shares[leaf]
    total = 0.0
    for j in range(tree.left.size):
        uses = tree.direction[leaf, j]
        tree.rate[i, j] = uses
        tree.vector[i, j] = uses * share
        total += uses
    node.share = share
    node.growth = 1.0
    node.used = total * share
    node.pace = total


@kernel
def set_level(tree, i):
    """A group's f and total usage, and whether it is blocked."""
    group = tree.nodes[i]
    group.used = 0.0
    group.level = np.inf
    group.blocked = True
    for c in below(tree, i):
        child = tree.nodes[c]
        group.used += child.used
        if not child.blocked:
            group.blocked = False
            ratio = child.share / tree.weight[c]
            group.level = min(group.level, ratio)


@kernel
def stuck(child):
    """Whether a child is a laggard whose share does not grow while it is served."""
    return child.tied and not child.blocked and child.growth == 0


@kernel
def least_stuck(tree, i):
    """How many children of a group are stuck, and the least total usage among them."""
    count, least = 0, np.inf
    for c in below(tree, i):
        child = tree.nodes[c]
        if stuck(child):
            count += 1
            least = min(least, child.used)
    return count, least


@kernel
def set_ties(tree, i):
    """Which children of a group lag, after a jump."""
    level = tree.nodes[i].level * (1 + TIE)
    for c in below(tree, i):
        child = tree.nodes[c]
        ratio = child.share / tree.weight[c]
        child.tied = not child.blocked and ratio <= level


@kernel
def add_children(tree, i, naive):
    """A group's vector B + f A and its rate, and how its children share its flow."""
    group = tree.nodes[i]
    count, least = least_stuck(tree, i)
    alone = count > 0
    vector, rate = tree.vector, tree.rate
    resources = tree.left.size
    for j in range(resources):
        vector[i, j] = 0.0
        rate[i, j] = 0.0
    group.pace = 0.0
    for c in below(tree, i):
        child, weight = tree.nodes[c], tree.weight[c]
        factor = 1.0  # to the group's level f, except blocked and empty children
        if not (child.blocked or naive or child.share == 0):
            factor = group.level * weight / child.share
        add(vector, i, c, factor)
        child.step = 0.0
        if child.blocked:
            continue
        if stuck(child) and child.used <= least * (1 + TIE):
            child.step = 1 / child.pace
        elif child.tied and not alone:
            child.step = weight / child.growth
        elif not (naive or alone or child.tied):  # ahead: its rescaled vector grows with f
            grows = weight / child.share
            for j in range(resources):
                rate[i, j] += vector[c, j] * grows
        add(rate, i, c, child.step)
        group.pace += child.step * child.pace


@kernel
def set_share(tree, i, naive):
    """A group's share, and how it grows."""
    group, vector, rate = tree.nodes[i], tree.vector, tree.rate
    resources = tree.left.size
    group.share = 0.0
    group.growth = 0.0
    fastest = rate[i, 0]
    for j in range(resources):
        fastest = max(fastest, rate[i, j])
        if naive or not tree.saturated[j]:
            group.share = max(group.share, vector[i, j])
    largest = group.share * (1 - USED_UP)
    for j in range(resources):
        counts = naive or not tree.saturated[j]
        if counts and vector[i, j] >= largest:
            group.growth = max(group.growth, rate[i, j])
    if group.growth <= ZERO * fastest:
        group.growth = 0.0


@kernel
def set_vectors(tree, naive, jumped):
    """Vectors, shares and their rates, from the leaves up."""
    for i in range(tree.leaf_of.size - 1, -1, -1):
        if tree.leaf_of[i] >= 0:
            set_leaf(tree, i)
            continue
        set_level(tree, i)
        if jumped:
            set_ties(tree, i)
        add_children(tree, i, naive)
        if not tree.nodes[i].blocked:
            set_share(tree, i, naive)


@kernel
def until_caught_up(tree, i):
    """Divide a group's flow among its children; gives how much filling later its laggards change."""
    group, span = tree.nodes[i], np.inf
    rivals, least = least_stuck(tree, i)
    for c in below(tree, i):
        child = tree.nodes[c]
        child.flow = group.flow * child.step
        if child.blocked or child.step > 0:
            continue
        if rivals == 0:  # a sibling ahead, until the laggards reach it
            ahead = child.share / tree.weight[c] - group.level
            child.when = max(ahead, 0.0) / group.flow
            span = min(span, child.when)
        elif stuck(child):
            span = min(span, (child.used - least) / group.flow)
    return span


@kernel
def until_another_resource(tree, i, naive):
    """How much filling later a group's largest share is that of another resource."""
    group, span = tree.nodes[i], np.inf
    largest = group.share * (1 - USED_UP)
    for j in range(tree.left.size):
        share = tree.vector[i, j]
        rate = tree.rate[i, j]
        counts = naive or not tree.saturated[j]
        if counts and share < largest and rate > group.growth:
            gains = (rate - group.growth) * group.flow
            span = min(span, (group.share - share) / gains)
    return span


@kernel
def flow_down(tree, naive):
    """Each node's flow, from the root down; gives the filling until something changes."""
    span = np.inf
    for i in range(tree.weight.size):
        tree.nodes[i].flow = 0.0
        tree.nodes[i].when = np.inf
    tree.nodes[0].flow = 1.0
    for i in range(tree.weight.size):
        if tree.children[i] == 0 or tree.nodes[i].flow == 0:
            continue
        span = min(span, until_caught_up(tree, i))
        if i > 0:
            span = min(span, until_another_resource(tree, i, naive))
    return span


@kernel
def set_drain(tree):
    """The rest of each resource, and how fast it is used."""
    for j in range(tree.left.size):
        tree.left[j] = 1.0
        tree.drain[j] = 0.0
    for leaf in range(tree.shares.size):
        share = tree.shares[leaf]
        flow = tree.nodes[tree.node_of[leaf]].flow
        for j in range(tree.left.size):
            uses = tree.direction[leaf, j]
            tree.left[j] -= uses * share
            tree.drain[j] += uses * flow


@kernel
def first_full(tree, span):
    """The resource that is used up within `span`, -1 for none, and how much filling later that is."""
    first = -1
    for j in range(tree.left.size):
        if not tree.saturated[j] and tree.drain[j] > 0:
            lasts = max(tree.left[j], 0.0) / tree.drain[j]
            if lasts <= span:
                first, span = j, lasts
    return first, span


@kernel
def pour(tree, span, first):
    """Fill by `span`; resource `first`, and others that last as long, are then used up (-1: none)."""
    for i in range(tree.weight.size):
        node = tree.nodes[i]
        node.tied |= node.when <= span * (1 + ZERO)
    for leaf in range(tree.shares.size):
        flow = tree.nodes[tree.node_of[leaf]].flow
        tree.shares[leaf] += flow * span
    if first >= 0:
        use_up(tree, span, first)


@kernel
def use_up(tree, span, first):
    """Which resources are saturated after `span`, and which leaves that blocks."""
    for j in range(tree.left.size):
        drain = tree.drain[j]
        rest = tree.left[j] - drain * span
        if j == first or (drain > 0 and rest <= USED_UP):
            tree.saturated[j] = True
    for leaf in range(tree.shares.size):
        node = tree.nodes[tree.node_of[leaf]]
        for j in range(tree.left.size):
            if tree.saturated[j] and tree.direction[leaf, j] > 0:
                node.blocked = True


@kernel
def fill(tree, naive, most):
    """Fill from event to event; the number of events, -1 for more than `most`."""
    jumped = False
    for event in range(most):
        set_vectors(tree, naive, jumped)
        if tree.nodes[0].blocked:
            return event
        span = flow_down(tree, naive)
        set_drain(tree)
        first, span = first_full(tree, span)
        if span == np.inf:
            break
        jumped = first >= 0
        pour(tree, span, first)
    return -1


@compiled
def fluid_flat(need, speed, late, first, stop):
    """Weighted DRF with tasks as fine as sand: tasks (p,), saturated resources (R,) and the number of events.

    `need (p, R)`: share of each resource that one task takes; `speed (p,)`: tasks per unit of the common
    level, weight over share. A resource that is used up freezes the leaves that demand it. Once resource
    `first` is (-1: none), speeds are `late`: leaves with the least level grow, the others wait until it has
    reached theirs. Source: DRF (Ghodsi et al., NSDI 2011); MCH, Section II.B.3.
    """
    p, resources = need.shape
    pace, watched = speed, first  # the resource whose saturation changes the speeds
    events, level = 0, 0.0
    tasks, flow = np.zeros(p), np.zeros(p)
    saturated = np.zeros(resources, np.bool_)
    begins = np.zeros(p)  # the level from which on a leaf grows
    growing = np.ones(p, np.bool_)
    rate, left = np.zeros(resources), np.ones(resources)
    while growing.any() and events != stop:
        # the span ends where the level reaches a leaf that waits, or resource `full` is used up
        full, span = -1, np.inf
        for i in range(p):
            waits = begins[i] > level
            flow[i] = 0.0 if waits or not growing[i] else pace[i]
            if growing[i] and waits:
                span = min(span, begins[i] - level)
        reached = level + span
        for j in range(resources):
            rate[j] = 0.0
            for i in range(p):
                rate[j] += flow[i] * need[i, j]
            if rate[j] > 0 and not saturated[j]:
                lasts = max(left[j], 0.0) / rate[j]
                if lasts < span:
                    full, span = j, lasts
        for i in range(p):
            tasks[i] += flow[i] * span
        level = reached if full < 0 else level + span
        for j in range(resources):
            used = 0.0
            for i in range(p):
                used += tasks[i] * need[i, j]
            left[j] = 1 - used
            saturated[j] |= j == full or (rate[j] > 0 and left[j] <= USED_UP)
            for i in range(p):
                growing[i] &= not saturated[j] or need[i, j] == 0
        if watched >= 0 and saturated[watched]:
            pace, watched = late, -1
            level = np.inf  # from now on the least of those that grow
            for i in range(p):
                begins[i] = tasks[i] / pace[i]
                if growing[i]:
                    level = min(level, begins[i])
        events += 1
    return tasks, saturated, events
