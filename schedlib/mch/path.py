"""The way to an allocation: what every leaf has while the cluster fills, exactly."""

import numpy as np

from schedlib.mch.allocate import FLAT, check_rule
from schedlib.mch.flatten import flat_weights
from schedlib.mch.fluid_flat import fluid_flat
from schedlib.mch.fluid_hdrf import fluid_hdrf
from schedlib.mch.model import Tree, check_capacity

SAME = 1e-12  # corners at which nobody has more than this more than at the one before are none: it absorbs rounding only


def filling_path(tree: Tree, capacity, rule: str) -> np.ndarray:
    """Dominant shares (E + 1, p) of the divisible filling, from empty to full: in between, all grow at constant rates.

    The corners are the moments at which a rate changes: a resource is used up, or a laggard has caught up with a sibling. For
    rules as in `allocate`, with the same errors; the last row is what `allocate` gives. Cost: E fillings for the hierarchical rules.

    >>> filling_path(Tree([[(1, 0), (0, 1)], [(1, 0), (1, 0), (0, 1)], [(1, 0)]]), (200, 200), "h-drf")[:, [1, 4]].round(3).tolist()
    [[0.0, 0.0], [0.333, 0.167], [0.333, 0.333], [0.5, 0.5]]
    """
    capacity, rule = check_capacity(tree, capacity), check_rule(rule)
    if rule in FLAT:
        need = tree.demand / capacity
        weight, share = flat_weights(tree, capacity, rule)
        speed = weight / share  # tasks per unit of the common level, until the leaf is blocked
        tasks, _, _ = fluid_flat(need, speed)
        blocked_at = np.divide(tasks, speed, out=np.zeros(len(speed)), where=speed > 0)
        levels = np.unique(np.append(blocked_at, 0.0))
        path = np.minimum(levels[:, None], blocked_at) * speed * need.max(axis=1)
    else:
        naive = rule == "naive-h-drf"
        events = fluid_hdrf(tree, capacity, naive).events
        path = np.array([fluid_hdrf(tree, capacity, naive, stop=event).shares for event in range(events + 1)])
    grows = np.diff(path, axis=0).max(axis=1) > SAME
    return path[np.append(True, grows)]
