"""A hierarchy made flat: the weights of MCH, of collapsed hierarchies, and the exact ones (Section III.A)."""

from dataclasses import dataclass

import numpy as np

from schedlib.mch.fluid_hdrf import fluid_hdrf
from schedlib.mch.model import Tree, check_capacity

LEVEL = 1e-12  # shares that differ by less, relatively, are called equal: the first of the equals saturates first


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


def flatten(tree: Tree, capacity) -> Flattened:
    """MCH's weights: a leaf gets the product of 1/mu of the groups above it, without the root, or 1 when k' is nothing to it.

    A group's demand is the sum of its children's normalised demands (Eq. 2), each times the child's omega; mu is its largest entry.
    Full-type leaves (Case 1), and partial-type leaves that demand k' (Sub-case 2), get w_i = product of 1/mu_{P^h(i)}, times the
    omegas of the leaf and of those groups; partial-type leaves that do not demand k' (Sub-case 1) get w_i = 1, or their omega.
    One pass over the nodes, O(q R). Source: MCH, Section III.A.

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
    product = np.ones(tree.n_nodes)  # of omega/mu over a group and those above it; the root counts for nothing
    for node in range(1, tree.n_nodes):
        product[node] = product[tree.parent[node]] * tree.weight[node] / (mu[node] if tree.leaf_of[node] < 0 else 1)
    first = int(np.flatnonzero(share[0] >= 1 - LEVEL)[0])
    weights = np.where(tree.demand[:, first] > 0, product[tree.leaves], tree.weight[tree.leaves])
    return Flattened(weights, first, (tree.demand > 0).all(axis=1), share, mu, product[tree.leaves])


def flat_weights(tree: Tree, capacity, rule: str) -> tuple[np.ndarray, np.ndarray]:
    """What a flat rule compares: each leaf's weight (p,), and the share that one of its tasks has, (p,).

    The rule serves the leaf with the least tasks * share / weight. The share is the dominant one, mu_i, but for `c-ch` that of
    resource 0 and for `m-ch` that of resource 1, with the hierarchical share guarantee as weight. `case1` gives every
    leaf, partial-type or not, Case 1's weight (beyond the paper): until a first resource is saturated that is H-DRF, so every guarantee
    is kept, and what is left over is shared in another way. `exact-ch` takes H-DRF's own
    fluid shares as weights: in a cluster filled from empty all leaves then reach them at the same moment, and none is 0, for all
    leaves grow at first. It knows the final shares only, not the way there, nor what another set of leaves would get. ValueError
    naming the first leaf that uses none of the resource that `c-ch` or `m-ch` looks at.
    """
    need = tree.demand / check_capacity(tree, capacity)
    mu = need.max(axis=1)
    if rule in ("c-ch", "m-ch"):
        resource = ("c-ch", "m-ch").index(rule)
        if resource >= tree.n_resources:
            raise ValueError(f"rule {rule!r} collapses by resource {resource}, but leaves name {tree.n_resources} only; use 'c-ch'")
        without = np.flatnonzero(need[:, resource] == 0)
        if len(without):
            leaf = tree.name(tree.leaves[without[0]])
            raise ValueError(
                f"rule {rule!r}: leaf {leaf} uses nothing of resource {resource}, its share of it would be 0 for ever; "
                "this rule is for leaves that demand the resource, use 'mch' or 'h-drf'"
            )
        return tree.guarantee[tree.leaves].copy(), need[:, resource]
    if rule == "exact-ch":
        return fluid_hdrf(tree, capacity).shares, mu
    if rule == "mch":
        return flatten(tree, capacity).weights, mu
    if rule == "case1":
        return flatten(tree, capacity).case1, mu
    if rule == "weighted-drf":
        return tree.weight[tree.leaves].copy(), mu
    if rule == "drf":
        return np.ones(tree.n_leaves), mu
    raise ValueError(f"rule: {rule!r} is not a flat one; flat rules are drf, weighted-drf, c-ch, m-ch, mch, case1 and exact-ch")
