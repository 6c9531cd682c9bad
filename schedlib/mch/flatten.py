"""A hierarchy made flat: the weights of MCH and of collapsed hierarchies (Section III.A).

While leaves come and go, only active nodes count (C(i), Section II.A).
"""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from schedlib.core.checks import typed
from schedlib.core.uncounted import kernel
from schedlib.mch.model import Tree, check_capacity

MCH, CASE1, GUARANTEE, TWO_PHASE, OUTSIDE = range(5)
"""Whose weights count: a row of `Nodes.weights`; Case 1's until k' is full, then MCH's; H-DRF's fluid shares,
which no kernel works out."""
LEVEL = 1e-12  # shares that differ by less, relatively, are equal: of these, the first is saturated first


@dataclass(frozen=True, eq=False)
class Flattened:
    """MCH's flat tree: one weight for each leaf, and what the weights came from.

    - `weights (p,)`: w_i, for weighted DRF over the leaves; `case1 (p,)`: Case 1's for all (beyond the paper)
    - `first_saturated`: k', the index of the resource that the hierarchy would use up first
    - `full_type (p,)`: whether a leaf demands every resource
    - `node_share (Q, R)`: normalised demands s_i^j of all nodes, 1 for a node's dominant resource
    - `mu (Q,)`: dominant share of one task (leaves), of all children at share omega (groups)

    See also: `mch.flatten`.

    >>> flat = flatten(Tree([[(1, 0), (0, 1)], [(1, 0)]]), (10, 10))
    >>> flat.full_type.tolist(), flat.first_saturated
    ([False, False, False], 0)
    """

    weights: np.ndarray
    first_saturated: int
    full_type: np.ndarray
    node_share: np.ndarray
    mu: np.ndarray
    case1: np.ndarray


@typed
def flatten(tree: Tree, capacity: npt.ArrayLike) -> Flattened:
    """MCH's weights for weighted DRF over the leaves; `capacity (R,)` is c_j, in the units of the demands.

    A group's demand is the sum of its children's normalised demands (Eq. 2), each times the child's omega; mu
    is its largest entry. Full-type leaves (Case 1), and partial-type leaves that demand k' (Sub-case 2), get
    w_i = product of 1/mu over the groups above them, without the root, times the omegas of the leaf and of
    those groups; other partial-type leaves (Sub-case 1) get w_i = 1. One pass over the nodes, O(q R).

    The paper has weights of 1 alone. Weights of siblings say how they share, so only their ratios may count:
    Sub-case 1's 1 becomes the leaf's omega over the mean of its siblings' (its own among them), and in Case 1
    those of the root's children are taken over their mean; below the root mu cancels a common factor.
    ValueError on capacities that do not fit the tree. Source: MCH, Section III.A.

    See also: `mch.allocate`.

    >>> from schedlib import mch
    >>> flat = mch.flatten(mch.Tree([[(1, 0), (0, 1)], [(1, 0), (1, 0), (0, 1)], [(1, 0)]]), (200, 200))
    >>> flat.weights.tolist(), flat.first_saturated
    ([1.0, 1.0, 0.5, 0.5, 1.0, 1.0], 0)
    """
    capacity = check_capacity(tree, capacity)
    nodes = flat_nodes(tree, capacity)
    first = collapse(nodes)
    share = nodes.vector / nodes.mu[:, None]
    nodes.mu[tree.leaves] = (tree.demand / capacity).max(axis=1)
    return Flattened(
        weights=nodes.weights[MCH],
        first_saturated=int(first),
        node_share=share,
        mu=nodes.mu,
        full_type=np.all(tree.demand > 0, axis=1),
        case1=nodes.weights[CASE1],
    )


class Nodes(NamedTuple):
    """A tree's arrays, and room for what is worked out for each set of active leaves."""

    parent: np.ndarray
    leaf_of: np.ndarray
    weight: np.ndarray  # (Q,) omega
    normal: np.ndarray  # (p, R) a leaf's normalised demand
    vector: np.ndarray  # (Q, R) a group's demand, Eq. 2; scratch
    mu: np.ndarray  # (Q,) scratch
    product: np.ndarray  # (Q,) of omega/mu over a node and those above it; scratch
    guarantee: np.ndarray  # (Q,) hierarchical share guarantee; scratch
    below: np.ndarray  # (Q,) sum of the children's omegas; scratch
    children: np.ndarray  # (Q,) how many; scratch
    weights: np.ndarray  # (3, p) the leaves': MCH's, Case 1's for every leaf, guarantees
    active: np.ndarray  # (p,) which leaves count, at first all


def flat_nodes(tree: Tree, capacity: np.ndarray) -> Nodes:
    """The arrays of a tree, with nothing worked out yet."""
    q = tree.n_nodes
    p, resources = tree.demand.shape
    need = tree.demand / capacity
    return Nodes(
        parent=np.array(tree.parent),  # kernels are compiled for arrays that can be written
        leaf_of=np.array(tree.leaf_of),
        weight=np.array(tree.weight),
        normal=need / need.max(axis=1)[:, None],
        vector=np.zeros((q, resources)),
        mu=np.zeros(q),
        product=np.zeros(q),
        guarantee=np.zeros(q),
        below=np.zeros(q),
        children=np.zeros(q),
        weights=np.zeros((3, p)),
        active=np.ones(p, np.bool_),
    )


@kernel
def collapse(nodes):
    """All weights from the active leaves alone; gives k'. O(q R)."""
    add_up(nodes)
    first = 0  # k', the resource that is saturated first
    largest = nodes.mu[0] * (1 - LEVEL)
    while first < nodes.vector.shape[1] - 1 and nodes.vector[0, first] < largest:
        first += 1
    share_out(nodes, first)
    return first


@kernel
def add_up(nodes):
    """Demands of groups (Eq. 2), mu, and the sums of omegas, from the leaves up."""
    vector, mu = nodes.vector, nodes.mu
    q, resources = vector.shape
    for i in range(q):
        leaf = nodes.leaf_of[i]
        mu[i] = 0.0
        nodes.below[i] = 0.0
        nodes.children[i] = 0.0
        counts = leaf >= 0 and nodes.active[leaf]
        for l in range(resources):
            vector[i, l] = nodes.normal[leaf, l] if counts else 0.0
    for i in range(q - 1, -1, -1):  # preorder backwards: children come before their group
        for l in range(resources):
            mu[i] = max(mu[i], vector[i, l])
        if mu[i] > 0 and i > 0:
            above, weight = nodes.parent[i], nodes.weight[i]
            for l in range(resources):
                vector[above, l] += weight * (vector[i, l] / mu[i])
            nodes.below[above] += weight
            nodes.children[above] += 1.0


@kernel
def share_out(nodes, first):
    """The leaves' weights (Cases 1 and 2), from the root down; `first` is k'."""
    mu, weight = nodes.mu, nodes.weight
    nodes.guarantee[0] = 1.0
    nodes.product[0] = 1.0
    if nodes.below[0] > 0:
        nodes.product[0] = nodes.children[0] / nodes.below[0]
    if nodes.leaf_of[0] >= 0:  # the whole tree is one leaf
        nodes.weights[:, 0] = 1.0
    for i in range(1, mu.size):
        if mu[i] == 0:
            continue
        above = nodes.parent[i]
        leaf = nodes.leaf_of[i]
        siblings = nodes.below[above]  # the sum of their omegas
        mean = siblings / nodes.children[above]
        case1 = nodes.product[above] * weight[i]
        nodes.product[i] = case1 / mu[i]
        nodes.guarantee[i] = nodes.guarantee[above] * weight[i] / siblings
        if leaf >= 0:
            needs_first = nodes.normal[leaf, first] > 0
            nodes.weights[MCH, leaf] = case1 if needs_first else weight[i] / mean
            nodes.weights[CASE1, leaf] = case1
            nodes.weights[GUARANTEE, leaf] = nodes.guarantee[i]
