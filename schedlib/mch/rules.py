"""The rules: shipped ones and a reader's are the same kind of thing, a `Rule`.

A shipped flat rule is an entry in `FLAT`, with a function in `flatten` for weights of its own. A reader's:

    @mch.rule
    def least_memory(leaf, usage, demand, weight, capacity):
        return usage[1] / (weight * capacity[1])
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from schedlib.core import compiling
from schedlib.core.checks import unknown
from schedlib.mch import flatten
from schedlib.mch.choosing import H_DRF, NAIVE, OWN, PRIORITY, SHARE
from schedlib.mch.model import Tree


class Weighing(NamedTuple):
    """How a flat rule weighs leaves, and which share it compares."""

    weights: Callable[[Tree, np.ndarray], Callable]  # makes a function, active leaves (p,) to weights (p,)
    resource: int | None = None  # the index of the resource whose share counts; None: the dominant share
    changes: bool = True  # whether weights depend on which leaves are active
    whose: int = flatten.OUTSIDE  # by which row of `flatten.Nodes.weights` the kernel goes


FLAT = {
    "drf": Weighing(lambda tree, capacity: lambda active: np.ones(tree.n_leaves), changes=False),
    "weighted-drf": Weighing(lambda tree, capacity: lambda active: tree.weight[tree.leaves], changes=False),
    "c-ch": Weighing(flatten.guarantees, 0, whose=flatten.GUARANTEE),
    "m-ch": Weighing(flatten.guarantees, 1, whose=flatten.GUARANTEE),
    "mch": Weighing(flatten.mch_weights, whose=flatten.MCH),
    "mch-two-phase": Weighing(flatten.case1_weights, whose=flatten.TWO_PHASE),
    "case1": Weighing(flatten.case1_weights, whose=flatten.CASE1),
    "exact-ch": Weighing(flatten.exact_weights)}
"""Flat rules serve the leaf with the least tasks * share / weight. Their weights:

- `drf`: 1; `weighted-drf`: the leaf's own omega; `mch`: MCH's (`mch.flatten`)
- `c-ch`, `m-ch`: the hierarchical share guarantee, with the share of resource 0 or 1
- `mch-two-phase` (a reading of the paper): Case 1's for every leaf until k' is saturated, from then on
  `mch`'s, so 1 for those that do not need k'. Sub-case 1's derivation says that such a leaf *continues* when
  k' is full ("at this point, n2,2 continues to increase its dominant share"); read so, its weight of 1 begins
  there, and not, as with `mch`, with the first task. Until then it is H-DRF, and nobody's share falls later.
- `case1` (beyond the paper): Case 1's for every leaf, partial-type or not. Until a first resource is
  saturated that is H-DRF, so every guarantee is kept; what is left over is shared in another way.
- `exact-ch` (beyond the paper): H-DRF's own fluid shares, which all leaves then reach at the same moment in a
  cluster filled from empty. The way there, and what another set of leaves would get, are not H-DRF's.
"""


@dataclass(frozen=True)
class Rule:
    """A rule: of the leaves that want a task and demand no saturated resource, who is next.

    A reader's rule is flat: the leaf with the least priority is next, ties go to the lower index.

    - `priority(leaf, usage, demand, weight, capacity)`: a number, from the leaf's index, what its tasks use
      now (R,), what one demands (R,), the leaf's weight and the capacity (R,), in the reader's units;
      compiled, and asked again only when the leaf's usage or weight changes
    - `weights`: where the weight comes from, a flat rule's name: "weighted-drf" (the leaf's own), "mch",
      "mch-two-phase", "case1", "c-ch", "m-ch", "exact-ch", or "drf" (all 1)

    ValueError, with the compiler's reason, when `priority` does not compile, and (from `fill` and `simulate`,
    with the leaf and the time) when it gives what is no number.

    >>> @rule
    ... def dominant_share(leaf, usage, demand, weight, capacity):
    ...     return (usage / capacity).max() / weight
    >>> dominant_share.name, dominant_share.weights
    ('dominant_share', 'weighted-drf')
    """

    priority: Callable
    weights: str = "weighted-drf"
    name: str = ""
    kind: int = field(default=OWN, repr=False)

    def __post_init__(self):
        if self.kind == OWN and self.weights not in FLAT:
            raise unknown("weights", self.weights, FLAT)
        object.__setattr__(self, "name", self.name or getattr(self.priority, "__name__", "own"))
        object.__setattr__(self, "priority", compiling.rule(PRIORITY)(self.priority))


def rule(priority: Callable | None = None, *, weights: str = "weighted-drf") -> Rule | Callable:
    """`Rule` as a decorator."""
    return (lambda function: Rule(function, weights)) if priority is None else Rule(priority, weights)


@compiling.rule(PRIORITY)
def unasked(leaf, usage, demand, weight, capacity):
    """The priority of shipped rules, which is never asked for: `choosing` has theirs."""
    return 0.0


RULES = {name: Rule(unasked, name, name, SHARE) for name in FLAT} | {
    "h-drf": Rule(unasked, "", "h-drf", H_DRF), "naive-h-drf": Rule(unasked, "", "naive-h-drf", NAIVE)}
"""Every shipped rule by name."""


def the_rule(given: str | Rule) -> Rule:
    """The rule of that name, or the rule itself; ValueError, with the near matches, when there is none."""
    if isinstance(given, Rule):
        return given
    if not isinstance(given, str) or given not in RULES:
        raise unknown("rule", given, RULES, "or a rule made by @mch.rule")
    return RULES[given]


class Weights(NamedTuple):
    """What a flat rule compares, (p,) each: tasks * `share` / `weight`, or `late` for it once k' is full."""

    weight: np.ndarray
    share: np.ndarray  # of one task
    late: np.ndarray
    first: int = -1  # k', where weights change when it is saturated


def flat_weights(tree: Tree, capacity: np.ndarray, weighing: str) -> Weights:
    """What a flat rule of `FLAT` compares while all leaves are active.

    ValueError on a name not in `FLAT`, and on a leaf without the resource that `c-ch` or `m-ch` looks at.
    """
    if weighing not in FLAT:
        raise unknown("flat rule", weighing, FLAT)
    how, need = FLAT[weighing], tree.demand / capacity
    if how.resource is not None:
        asked = f"rule {weighing!r} looks at resource {how.resource} alone"
        if how.resource >= tree.n_resources:
            raise ValueError(f"{asked}, but leaves name {tree.n_resources} only; use 'c-ch'")
        for leaf in tree.leaves[need[:, how.resource] == 0][:1]:
            why = f"uses nothing of resource {how.resource}, its share would be 0 for ever"
            raise ValueError(f"{asked}: leaf {tree.name(leaf)} {why}; use 'mch' or 'h-drf'")
    share = need.max(axis=1) if how.resource is None else need[:, how.resource]
    if how.whose == flatten.TWO_PHASE:
        flat = flatten.flatten(tree, capacity)
        return Weights(flat.case1, share, flat.weights, flat.first_saturated)
    weights = how.weights(tree, capacity)(np.ones(tree.n_leaves, np.bool_))
    return Weights(weights, share, weights)
