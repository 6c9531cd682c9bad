"""Whose weights a flat rule goes by: it serves the leaf with the least share over weight."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from schedlib.mch.flatten import (
    CASE1,
    GUARANTEE,
    MCH,
    OUTSIDE,
    TWO_PHASE,
    Nodes,
    collapse,
    flat_nodes,
)
from schedlib.mch.fluid import fluid_hdrf
from schedlib.mch.model import Tree, branch_of, tree_of

EQUAL, OMEGA = -1, -2  # weights that do not change: 1, or the leaf's own
FLAT = {
    "drf": EQUAL,
    "weighted-drf": OMEGA,
    "c-ch": GUARANTEE,
    "m-ch": GUARANTEE,
    "mch": MCH,
    "mch-two-phase": TWO_PHASE,
    "case1": CASE1,
    "exact-ch": OUTSIDE,
}
"""The flat rules, and their weights:

- `drf`: 1; `weighted-drf`: the leaf's own omega; `mch`: MCH's (`mch.flatten`)
- `c-ch`, `m-ch`: the hierarchical share guarantee, with the share of resource 0 or 1
- `mch-two-phase` (a reading of the paper): Case 1's for every leaf until k' is saturated, from then on
  `mch`'s, so 1 for those that do not need k'. Sub-case 1's derivation says that such a leaf *continues* when
  k' is full ("at this point, n2,2 continues to increase its dominant share"); read so, its weight of 1 begins
  there, and not, as with `mch`, with the first task. Until then it is H-DRF, and no leaf's share falls later.
- `case1` (beyond the paper): Case 1's for every leaf, partial-type or not. Until a first resource is
  saturated that is H-DRF, so every guarantee is kept; what is left over is shared in another way.
- `exact-ch` (beyond the paper): H-DRF's own fluid shares, which all leaves then reach at the same moment in a
  cluster filled from empty. The way there, and what another set of leaves would get, are not H-DRF's.
"""
ALONE = {"c-ch": 0, "m-ch": 1}  # the resource whose share counts; else the dominant one


class Weights(NamedTuple):
    """The keys that a flat rule compares, (p,) each: tasks * `share` / `weight`, or `late` for it once k' is full."""

    weight: np.ndarray
    share: np.ndarray  # of one task
    late: np.ndarray
    first: int  # k', where weights change when it is saturated, else -1
    flat: Nodes  # what they are worked out in


def task_share(tree: Tree, capacity: np.ndarray, name: str) -> np.ndarray:
    """The share (p,) of one task that a flat rule looks at.

    ValueError on a leaf without the resource that `c-ch` or `m-ch` looks at.
    """
    need, resource = tree.demand / capacity, ALONE.get(name)
    if resource is None:
        return need.max(axis=1)
    asked = f"rule {name!r} looks at resource {resource} alone"
    if resource >= tree.n_resources:
        raise ValueError(f"{asked}, but leaves name {tree.n_resources} only; use 'c-ch'")
    for leaf in tree.leaves[need[:, resource] == 0][:1]:
        why = f"uses nothing of resource {resource}, its share would be 0 for ever"
        raise ValueError(f"{asked}: leaf {tree.name(leaf)} {why}; use 'mch' or 'h-drf'")
    return need[:, resource]


def flat_weights(tree: Tree, capacity: np.ndarray, name: str) -> Weights:
    """The keys that a flat rule of `FLAT` compares while all leaves are active; ValueError as `task_share`."""
    share, whose = task_share(tree, capacity, name), FLAT[name]
    flat, first = flat_nodes(tree, capacity), -1
    if whose == EQUAL:
        weight = late = np.ones(tree.n_leaves)
    elif whose == OMEGA:
        weight = late = tree.weight[tree.leaves]
    elif whose == OUTSIDE:
        weight, _, _ = fluid_hdrf(tree, capacity)
        late = weight
    elif whose == TWO_PHASE:
        first = int(collapse(flat))
        weight, late = flat.weights[CASE1], flat.weights[MCH]
    else:
        collapse(flat)
        weight = late = flat.weights[whose]
    return Weights(weight, share, late, first, flat)


def exact_weights(tree: Tree, capacity: np.ndarray, active: np.ndarray) -> np.ndarray:
    """`exact-ch`'s weights of the active leaves alone, from left to right."""
    if not active.any():
        return np.zeros(0)
    if not active.all():
        tree = pruned(tree, active)
    shares, _, _ = fluid_hdrf(tree, capacity)
    return shares


def pruned(tree: Tree, active: Sequence[bool] | np.ndarray) -> Tree:
    """The tree with the active leaves alone, without the groups that have none.

    >>> pruned(Tree([[(1,), (2,)], [(3,)]]), [False, True, False]).demand.tolist()
    [[2.0]]
    """
    alive = iter(active)

    def keep(branch):
        weight, below = branch
        if not isinstance(below, list):
            return branch if next(alive) else None
        kept = [branch for branch in map(keep, below) if branch]
        return (weight, kept) if kept else None

    return tree_of(keep(branch_of(tree)))
