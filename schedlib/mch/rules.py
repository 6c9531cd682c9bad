"""The rules: shipped ones and a reader's are the same kind of thing, a `Rule`.

A shipped flat rule is an entry in `FLAT`, with a function in `flatten` for weights of its own. A reader's is
a flat one, by a priority of each leaf, or sees the hierarchy and chooses:

    @mch.rule
    def least_memory(leaf, usage, demand, weight, capacity):
        return usage[1] / (weight * capacity[1])

    @mch.rule(room=0)
    def first_that_can(tree):
        for k in range(tree.leaves.size):
            if tree.leaves[k].waiting > 0 and tree.leaves[k].bits & tree.saturated == 0:
                return k
        return -1
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from typing import NamedTuple

import numpy as np

from schedlib.core import compiling
from schedlib.core.checks import unknown
from schedlib.core.uncounted import UNCOUNTED
from schedlib.mch import flatten
from schedlib.mch.choosing import CHOOSE, H_DRF, NAIVE, OWN, PRIORITY, SEES, SHARE
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


@compiling.rule(PRIORITY)
def unasked(leaf, usage, demand, weight, capacity):
    """The priority of rules that have none."""
    return 0.0


@compiling.rule(CHOOSE, **UNCOUNTED)
def nobody(tree):
    """What rules choose that are not asked."""
    return -1


@dataclass(frozen=True)
class Rule:
    """A rule: of the leaves that want a task and demand no saturated resource, who is next.

    A reader's rule is one of two functions, which are compiled:

    - `priority(leaf, usage, demand, weight, capacity)`: a number, from the leaf's index, what its tasks use
      now (R,), what one demands (R,), the leaf's weight and the capacity (R,), in the reader's units; the
      leaf with the least is next, ties go to the lower index; asked again only when a leaf's usage or weight
      changes
    - `choose(tree)`: the next leaf, or -1 when none can be served, from a `choosing.Hierarchy`: nodes and
      their siblings, what each leaf runs, what is saturated, which leaves have changed, and `room`, as many
      numbers of its own for each node. It makes no arrays; its helpers are `schedlib.core.uncounted.kernel`s.
      tests/test_mch_own_rules.py has H-DRF, MCH and two-phase MCH written so
    - `weights`: where the weight comes from, a flat rule's name: "weighted-drf" (the leaf's own), "mch",
      "mch-two-phase", "case1", "c-ch", "m-ch", "exact-ch", or "drf" (all 1)

    ValueError, with the compiler's reason, when a function does not compile, and (from `fill` and `simulate`,
    with the leaf and the time) when it gives what is no number, or a leaf that cannot be served.

    >>> @rule
    ... def dominant_share(leaf, usage, demand, weight, capacity):
    ...     return (usage / capacity).max() / weight
    >>> dominant_share.name, dominant_share.weights
    ('dominant_share', 'weighted-drf')
    """

    priority: Callable = unasked
    weights: str = "weighted-drf"
    name: str = ""
    choose: Callable = nobody
    room: int = 0
    kind: int = field(default=OWN, repr=False)

    def __post_init__(self):
        own = self.priority if self.choose is nobody else self.choose
        if self.kind == OWN and own is self.choose:
            object.__setattr__(self, "kind", SEES)
        if self.kind in (OWN, SEES) and self.weights not in FLAT:
            raise unknown("weights", self.weights, FLAT)
        object.__setattr__(self, "name", self.name or getattr(own, "__name__", "own"))
        object.__setattr__(self, "priority", compiling.rule(PRIORITY)(self.priority))
        object.__setattr__(self, "choose", compiling.rule(CHOOSE, "(tree) -> leaf", **UNCOUNTED)(self.choose))


def rule(function: Callable | None = None, *, weights: str = "weighted-drf",
         room: int | None = None) -> Rule | Callable:
    """`Rule` as a decorator: of a priority, or, with `room`, of a function that chooses."""
    if function is None:
        return partial(rule, weights=weights, room=room)
    return Rule(function, weights) if room is None else Rule(weights=weights, choose=function, room=room)


RULES = {name: Rule(weights=name, name=name, kind=SHARE) for name in FLAT} | {
    name: Rule(weights="", name=name, kind=kind) for name, kind in (("h-drf", H_DRF), ("naive-h-drf", NAIVE))}
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
