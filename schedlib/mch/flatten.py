"""A hierarchy made flat: the weights of MCH, of collapsed hierarchies, and the exact ones (Section III.A)."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from schedlib.mch.model import Tree, check_capacity

LEVEL = 1e-12
"""Shares that differ by less, relatively, are equal: of equals, the first resource is saturated first."""


@dataclass(frozen=True, eq=False)
class Flattened:
    """MCH's flat tree: one weight for each leaf, and what the weights came from.

    - `weights (p,)`: w_i, for weighted DRF over the leaves
    - `first_saturated`: k', the index of the resource that the hierarchy would use up first
    - `full_type (p,)`: whether a leaf demands every resource
    - `node_share (Q, R)`: normalised demands s_i^j of all nodes, 1 for a node's dominant resource
    - `mu (Q,)`: dominant share of one task (leaves), of all children at share omega (groups)
    - `case1 (p,)`: Case 1's weight for every leaf, whatever its type (beyond the paper)
    """

    weights: np.ndarray
    first_saturated: int
    full_type: np.ndarray
    node_share: np.ndarray
    mu: np.ndarray
    case1: np.ndarray


def flatten(tree: Tree, capacity: npt.ArrayLike) -> Flattened:
    """MCH's weights for weighted DRF over the leaves; `capacity (R,)` is c_j, in the units of the demands.

    A group's demand is the sum of its children's normalised demands (Eq. 2), each times the child's omega; mu
    is its largest entry. Full-type leaves (Case 1), and partial-type leaves that demand k' (Sub-case 2), get
    w_i = product of 1/mu over the groups above them, without the root, times the omegas of the leaf and of
    those groups; partial-type leaves that do not demand k' (Sub-case 1) get w_i = 1, or their omega. One pass
    over the nodes, O(q R). ValueError on capacities that do not fit the tree. Source: MCH, Section III.A.

    >>> from schedlib import mch
    >>> flat = mch.flatten(mch.Tree([[(1, 0), (0, 1)], [(1, 0), (1, 0), (0, 1)], [(1, 0)]]), (200, 200))
    >>> flat.weights.tolist(), flat.first_saturated
    ([1.0, 1.0, 0.5, 0.5, 1.0, 1.0], 0)
    """
    need = tree.demand / check_capacity(tree, capacity)
    share = np.zeros((tree.n_nodes, tree.n_resources))
    share[tree.leaves] = need
    mu = np.ones(tree.n_nodes)
    for node in range(tree.n_nodes - 1, -1, -1):  # preorder backwards: children come before their group
        mu[node] = share[node].max()
        share[node] /= mu[node]
        if node:
            share[tree.parent[node]] += tree.weight[node] * share[node]
    product = np.ones(tree.n_nodes)  # of omega/mu over a group and those above it, without the root
    for node in range(1, tree.n_nodes):
        divisor = mu[node] if tree.leaf_of[node] < 0 else 1
        product[node] = product[tree.parent[node]] * tree.weight[node] / divisor
    first = int(np.flatnonzero(share[0] >= 1 - LEVEL)[0])
    weights = np.where(tree.demand[:, first] > 0, product[tree.leaves], tree.weight[tree.leaves])
    return Flattened(weights, first, (tree.demand > 0).all(axis=1),  # type: ignore[arg-type]
                     share, mu, product[tree.leaves])
