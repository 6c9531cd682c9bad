"""Weights of the flat tree while leaves come and go: only active nodes count (C(i) is the set of active children, Section II.A)."""

import numpy as np

from schedlib.core.uncounted import kernel
from schedlib.mch.flatten import LEVEL, flat_weights
from schedlib.mch.fluid_hdrf import fluid_hdrf
from schedlib.mch.model import Tree

CHANGING = ("mch", "case1", "c-ch", "m-ch", "exact-ch")  # rules whose weights depend on who is active


class Weights:
    """Weights by a flat rule, anew for each set of active leaves; what does not change is worked out once."""

    def __init__(self, tree: Tree, capacity, rule: str):
        self.tree, self.capacity, self.rule = tree, capacity, rule
        self.weight, self.share = (np.array(values) for values in flat_weights(tree, capacity, rule))
        need = tree.demand / capacity
        self.mu = need.max(axis=1)
        fixed = [np.array(a) for a in (tree.parent, tree.leaf_of, tree.weight)]
        self.arrays = *fixed, need / self.mu[:, None], np.zeros((tree.n_nodes, tree.n_resources)), *np.zeros((2, tree.n_nodes))
        if rule != "exact-ch":
            self.of(np.ones(tree.n_leaves, np.bool_))  # compiles what `seconds` should not count

    def of(self, active) -> np.ndarray:
        """Weights (p,) when the leaves `active (p,)` are; those of the others mean nothing.

        >>> tree = Tree([[(1, 0), (0, 1)], [(1, 0), (1, 0)]])
        >>> Weights(tree, np.ones(2), "mch").of(np.array([True, True, True, False])).tolist()[:3]
        [1.0, 1.0, 1.0]
        """
        if self.rule in ("mch", "case1"):
            collapse(*self.arrays, active, self.rule == "case1", self.weight)
        elif self.rule in ("c-ch", "m-ch"):
            guarantee(*self.arrays[:3], *self.arrays[-2:], active, self.weight)
        elif self.rule == "exact-ch" and active.any():
            self.weight[active] = fluid_hdrf(pruned(self.tree, active), self.capacity).shares
        return self.weight


@kernel
def collapse(parent, leaf_of, omega, normal, vector, mu, product, active, case1, weight):
    """`mch.flatten`'s weights, or those of `case1`, with the active leaves alone; O(q R)."""
    q, resources = vector.shape
    for i in range(q):
        leaf = leaf_of[i]
        mu[i] = 0.0
        for l in range(resources):
            vector[i, l] = normal[leaf, l] if leaf >= 0 and active[leaf] else 0.0
    for i in range(q - 1, -1, -1):
        for l in range(resources):
            mu[i] = max(mu[i], vector[i, l])
        if mu[i] > 0 and i > 0:
            for l in range(resources):
                vector[parent[i], l] += omega[i] * vector[i, l] / mu[i]
    first = 0
    while first < resources - 1 and vector[0, first] < mu[0] * (1 - LEVEL):
        first += 1
    product[0] = 1.0
    for i in range(1, q):
        if mu[i] > 0:
            product[i] = product[parent[i]] * omega[i] / (1.0 if leaf_of[i] >= 0 else mu[i])
            if leaf_of[i] >= 0:
                weight[leaf_of[i]] = product[i] if case1 or normal[leaf_of[i], first] > 0 else omega[i]


@kernel
def guarantee(parent, leaf_of, omega, below, share, active, weight):
    """The hierarchical share guarantee of each leaf among the active nodes; O(q)."""
    q = parent.size
    for i in range(q):
        below[i] = 1.0 if leaf_of[i] >= 0 and active[leaf_of[i]] else 0.0  # then the weights of its active children
    for i in range(q - 1, 0, -1):
        if below[i] > 0:
            below[parent[i]] += omega[i]
    share[0] = 1.0
    for i in range(1, q):
        if below[i] > 0:
            share[i] = share[parent[i]] * omega[i] / below[parent[i]]
            if leaf_of[i] >= 0:
                weight[leaf_of[i]] = share[i]


def pruned(tree: Tree, active) -> Tree:
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
