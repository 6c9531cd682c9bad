"""Weights of the flat tree while leaves come and go: only active nodes count (C(i), Section II.A).

Each maker does once what does not change, and gives a function from the active leaves (p,) to weights (p,).
It gives the same array each time; the weights of leaves that are not active mean nothing.
"""

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from schedlib.core.uncounted import kernel
from schedlib.mch.flatten import LEVEL
from schedlib.mch.fluid_hdrf import fluid_hdrf
from schedlib.mch.model import Tree

Anew = Callable[[np.ndarray], np.ndarray]


class Nodes(NamedTuple):
    """A tree's arrays, and room for what is worked out anew for each set of active leaves."""

    parent: np.ndarray
    leaf_of: np.ndarray
    omega: np.ndarray
    normal: np.ndarray  # (p, R) a leaf's normalised demand
    vector: np.ndarray  # (Q, R) a group's demand, Eq. 2; scratch
    mu: np.ndarray  # (Q,) scratch
    product: np.ndarray  # (Q,) of omega/mu, or of guarantees, over a node and those above it; scratch
    weight: np.ndarray  # (p,) the result


def _nodes(tree, capacity):
    need = tree.demand / capacity
    return Nodes(parent=np.array(tree.parent), leaf_of=np.array(tree.leaf_of), omega=np.array(tree.weight),
                 normal=need / need.max(axis=1)[:, None], vector=np.zeros((tree.n_nodes, tree.n_resources)),
                 mu=np.zeros(tree.n_nodes), product=np.zeros(tree.n_nodes), weight=np.zeros(tree.n_leaves))


def _by_kernel(tree, capacity, work):
    nodes = _nodes(tree, capacity)

    def weights(active):
        work(nodes, active)
        return nodes.weight

    weights(np.ones(tree.n_leaves, np.bool_))  # compiles what a run's `seconds` should not count
    return weights


def mch_weights(tree: Tree, capacity: np.ndarray) -> Anew:
    """MCH's weights, as `mch.flatten` has them for a tree of the active leaves alone.

    >>> tree = Tree([[(1, 0), (0, 1)], [(1, 0), (1, 0)]])
    >>> mch_weights(tree, np.ones(2))(np.array([True, True, True, False])).tolist()[:3]
    [1.0, 1.0, 1.0]
    """
    return _by_kernel(tree, capacity, lambda nodes, active: collapse(nodes, active, False))


def case1_weights(tree: Tree, capacity: np.ndarray) -> Anew:
    """Case 1's weight for every leaf, partial-type or not."""
    return _by_kernel(tree, capacity, lambda nodes, active: collapse(nodes, active, True))


def guarantees(tree: Tree, capacity: np.ndarray) -> Anew:
    """The hierarchical share guarantees of the leaves."""
    return _by_kernel(tree, capacity, guarantee)


def exact_weights(tree: Tree, capacity: np.ndarray) -> Anew:
    """H-DRF's fluid shares of the active leaves."""
    weight = np.zeros(tree.n_leaves)

    def weights(active):
        if active.any():
            weight[active] = fluid_hdrf(pruned(tree, active), capacity).shares
        return weight

    return weights


@kernel
def collapse(nodes, active, case1):
    """`mch.flatten`'s weights, or those of `case1`, with the active leaves alone; O(q R)."""
    vector, mu, leaf_of = nodes.vector, nodes.mu, nodes.leaf_of
    q, resources = vector.shape
    for i in range(q):
        leaf = leaf_of[i]
        mu[i] = 0.0
        for l in range(resources):
            vector[i, l] = nodes.normal[leaf, l] if leaf >= 0 and active[leaf] else 0.0
    for i in range(q - 1, -1, -1):  # children come after their parent
        for l in range(resources):
            mu[i] = max(mu[i], vector[i, l])
        if mu[i] > 0 and i > 0:
            for l in range(resources):
                vector[nodes.parent[i], l] += nodes.omega[i] * vector[i, l] / mu[i]
    first = 0  # k', the resource that is saturated first
    while first < resources - 1 and vector[0, first] < mu[0] * (1 - LEVEL):
        first += 1
    nodes.product[0] = 1.0
    for i in range(1, q):
        if mu[i] > 0:
            leaf = leaf_of[i]
            above = nodes.product[nodes.parent[i]]
            nodes.product[i] = above * nodes.omega[i] / (1.0 if leaf >= 0 else mu[i])
            if leaf >= 0:
                weighed = case1 or nodes.normal[leaf, first] > 0
                nodes.weight[leaf] = nodes.product[i] if weighed else nodes.omega[i]


@kernel
def guarantee(nodes, active):
    """The hierarchical share guarantee of each leaf among the active nodes; O(q)."""
    below, q = nodes.mu, nodes.parent.size
    for i in range(q):
        below[i] = 1.0 if nodes.leaf_of[i] >= 0 and active[nodes.leaf_of[i]] else 0.0
    for i in range(q - 1, 0, -1):
        if below[i] > 0:
            below[nodes.parent[i]] += nodes.omega[i]  # for a group: the sum of its active children's weights
    nodes.product[0] = 1.0
    for i in range(1, q):
        if below[i] > 0:
            nodes.product[i] = nodes.product[nodes.parent[i]] * nodes.omega[i] / below[nodes.parent[i]]
            if nodes.leaf_of[i] >= 0:
                nodes.weight[nodes.leaf_of[i]] = nodes.product[i]


def pruned(tree: Tree, active: Sequence[bool] | np.ndarray) -> Tree:
    """The tree with the active leaves alone, without the groups that have none.

    >>> pruned(Tree([[(1,), (2,)], [(3,)]]), [False, True, False]).demand.tolist()
    [[2.0]]
    """
    omega = {}

    def keep(node, path):
        if tree.leaf_of[node] >= 0:
            return tuple(tree.demand[tree.leaf_of[node]]) if active[tree.leaf_of[node]] else None
        kept = []
        for child in tree.children(node):
            below = keep(child, (*path, len(kept) + 1))
            if below is not None:
                kept.append(below)
                omega[(*path, len(kept))] = float(tree.weight[child])
        return kept or None

    nested = keep(0, ())
    return Tree(nested, omega)
