"""One call for every rule: who gets what of the cluster."""

from dataclasses import dataclass
from difflib import get_close_matches

import numpy as np

from schedlib.mch.flatten import flat_weights
from schedlib.mch.fluid_flat import fluid_flat
from schedlib.mch.fluid_hdrf import fluid_hdrf
from schedlib.mch.model import Tree, check_capacity

FLAT = ("drf", "weighted-drf", "c-ch", "m-ch", "mch", "case1", "exact-ch")
RULES = (*FLAT, "h-drf", "naive-h-drf")


@dataclass(frozen=True, eq=False)
class Allocation:
    """What each leaf, from left to right, has when nothing more fits.

    - `rule`: the rule's name
    - `shares (p,)`: dominant shares mu_i t_i; `usage (p, R)`: in the reader's units, d_i^j t_i; `tasks (p,)`: t_i
    - `saturated (R,)`: which resources are used up
    - `decisions`: tasks chosen one by one; the number of events when tasks are divisible
    """

    rule: str
    shares: np.ndarray
    usage: np.ndarray
    tasks: np.ndarray
    saturated: np.ndarray
    decisions: int


def check_rule(rule: str) -> str:
    """The rule's name; ValueError, with the near matches, when there is none of that name."""
    if rule not in RULES:
        near = get_close_matches(str(rule), RULES, 3, 0.5)
        raise ValueError(f"rule: {rule!r} is unknown{'; did you mean ' + ' or '.join(near) + '?' if near else ''}; rules: {RULES}")
    return rule


def allocate(tree: Tree, capacity, rule, divisible: bool = True) -> Allocation:
    """Fill an empty cluster by a rule; every leaf has tasks without end.

    - `capacity (R,)`: c_j, in the units of the leaves' demands
    - `rule`: "drf", "weighted-drf" (the leaves' own omegas), "c-ch", "m-ch", "mch", "case1", "exact-ch", "h-drf" or "naive-h-drf"
    - `divisible`: tasks are as fine as sand, and the result is exact; False fills task by task, as always for a reader's own
      `mch.Rule` (which says whom to serve next, so it needs whole tasks)

    ValueError on an unknown rule, capacities that do not fit the tree, and "c-ch"/"m-ch" with a leaf that uses nothing of their
    resource. Source: MCH, Sections II.B and III.A; H-DRF: Bhattacharya et al., SoCC 2013.

    >>> from schedlib import mch
    >>> a = mch.allocate(mch.Tree([(1, 4), (3, 1)]), (9, 18), "drf")
    >>> a.tasks.round(9).tolist(), a.usage.round(9).tolist(), a.saturated.tolist()
    ([3.0, 2.0], [[3.0, 12.0], [6.0, 2.0]], [True, False])
    """
    capacity = check_capacity(tree, capacity)
    from schedlib.mch.own import Rule

    if not isinstance(rule, Rule):
        check_rule(rule)
    if not divisible or isinstance(rule, Rule):
        from schedlib.mch.filling import fill

        return fill(tree, capacity, rule)
    need = tree.demand / capacity
    mu = need.max(axis=1)
    if rule in FLAT:
        weight, share = flat_weights(tree, capacity, rule)
        tasks, saturated, events = fluid_flat(need, weight / share)
    else:
        fluid = fluid_hdrf(tree, capacity, naive=rule == "naive-h-drf")
        tasks, saturated, events = fluid.shares / mu, fluid.saturated, fluid.events
    return Allocation(rule, tasks * mu, tree.demand * tasks[:, None], tasks, saturated, events)
