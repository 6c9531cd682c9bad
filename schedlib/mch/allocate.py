"""One call for every rule: who gets what of the cluster; and the way there, when tasks are divisible."""

import numpy as np
import numpy.typing as npt

from schedlib.core.portable import dot
from schedlib.mch.choosing import NAIVE, OWN, SHARE
from schedlib.mch.filling import fill
from schedlib.mch.fluid_hdrf import fluid_hdrf
from schedlib.mch.model import Allocation, Tree, check_capacity
from schedlib.mch.rules import Rule, flat_weights, the_rule

USED_UP, SAME = 1e-10, 1e-12
"""Rounding: a resource with less than this share left is used up; shares that differ by less are equal."""


def allocate(tree: Tree, capacity: npt.ArrayLike, rule: str | Rule, divisible: bool = True) -> Allocation:
    """Fill an empty cluster by a rule; every leaf has tasks without end.

    - `capacity (R,)`: c_j, in the units of the leaves' demands
    - `rule`: "drf", "weighted-drf" (the leaves' own omegas), "c-ch", "m-ch", "mch", "case1", "exact-ch",
      "h-drf", "naive-h-drf", or a reader's `mch.Rule`
    - `divisible`: tasks are as fine as sand, and the result is exact; False fills task by task, as a reader's
      own rule always does

    ValueError on an unknown rule, capacities that do not fit the tree, and "c-ch" or "m-ch" with a leaf that
    uses nothing of their resource. Source: MCH, Sections II.B and III.A; H-DRF: Bhattacharya et al., SoCC
    2013.

    >>> from schedlib import mch
    >>> a = mch.allocate(mch.Tree([(1, 4), (3, 1)]), (9, 18), "drf")
    >>> a.tasks.round(9).tolist(), a.usage.round(9).tolist(), a.saturated.tolist()
    ([3.0, 2.0], [[3.0, 12.0], [6.0, 2.0]], [True, False])
    """
    capacity, rule = check_capacity(tree, capacity), the_rule(rule)
    if not divisible or rule.kind == OWN:
        return fill(tree, capacity, rule)
    need = tree.demand / capacity
    if rule.kind == SHARE:
        weight, share = flat_weights(tree, capacity, rule.weights)
        tasks, saturated, events = fluid_flat(need, weight / share)
    else:
        fluid = fluid_hdrf(tree, capacity, naive=rule.kind == NAIVE)
        tasks, saturated, events = fluid.shares / need.max(axis=1), fluid.saturated, fluid.events
    return Allocation(rule=rule.name, shares=tasks * need.max(axis=1), usage=tree.demand * tasks[:, None],
                      tasks=tasks, saturated=saturated, decisions=events)


def fluid_flat(need: np.ndarray, speed: np.ndarray) -> tuple[np.ndarray, np.ndarray, int]:
    """Weighted DRF with tasks as fine as sand: tasks (p,), saturated resources (R,) and the number of phases.

    `need (p, R)`: share of each resource that one task takes; `speed (p,)`: tasks per unit of the common
    level, weight over share. A resource that is used up freezes the leaves that demand it; there are at most
    R phases. Source: DRF (Ghodsi et al., NSDI 2011); MCH, Section II.B.3.

    >>> need, speed = np.array([[1 / 9, 4 / 18], [3 / 9, 1 / 18]]), np.array([18 / 4, 9 / 3])
    >>> tasks, saturated, phases = fluid_flat(need, speed)
    >>> tasks.round(9).tolist(), saturated.tolist(), phases
    ([3.0, 2.0], [True, False], 1)
    """
    tasks, saturated, phases = np.zeros(len(need)), np.zeros(need.shape[1], bool), 0
    while (growing := ~(need[:, saturated] > 0).any(axis=1)).any():
        rate = dot(np.where(growing, speed, 0), need)
        left = 1 - dot(tasks, need)
        asked = (rate > 0) & ~saturated
        span = np.full(len(left), np.inf)
        span[asked] = np.maximum(left[asked], 0) / rate[asked]
        first = int(span.argmin())
        tasks[growing] += speed[growing] * span[first]
        saturated |= asked & (1 - dot(tasks, need) <= USED_UP)
        saturated[first] = True
        phases += 1
    return tasks, saturated, phases


def filling_path(tree: Tree, capacity: npt.ArrayLike, rule: str) -> np.ndarray:
    """Dominant shares (E + 1, p) at the corners of the divisible filling; between them rates are constant.

    The corners are the moments at which a rate changes: a resource is used up, or a laggard has caught up
    with a sibling. The rules are the shipped ones, with the errors of `allocate`; the last row is what
    `allocate` gives. A hierarchical rule costs E fillings.

    >>> tree = Tree([[(1, 0), (0, 1)], [(1, 0), (1, 0), (0, 1)], [(1, 0)]])
    >>> filling_path(tree, (200, 200), "h-drf")[:, [1, 4]].round(3).tolist()
    [[0.0, 0.0], [0.333, 0.167], [0.333, 0.333], [0.5, 0.5]]
    """
    capacity, kind = check_capacity(tree, capacity), the_rule(rule).kind
    if kind == OWN:
        raise ValueError("rule: a reader's rule fills task by task; give a shipped rule's name")
    if kind == SHARE:
        need = tree.demand / capacity
        weight, share = flat_weights(tree, capacity, rule)
        speed = weight / share
        tasks, _, _ = fluid_flat(need, speed)
        blocked_at = np.divide(tasks, speed, out=np.zeros(len(speed)), where=speed > 0)
        levels = np.unique(np.append(blocked_at, 0.0))
        path = np.minimum(levels[:, None], blocked_at) * speed * need.max(axis=1)
    else:
        events = fluid_hdrf(tree, capacity, kind == NAIVE).events
        stops = range(events + 1)
        path = np.array([fluid_hdrf(tree, capacity, kind == NAIVE, stop).shares for stop in stops])
    grows = np.diff(path, axis=0).max(axis=1) > SAME
    return path[np.append(True, grows)]
