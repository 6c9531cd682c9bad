"""A flat rule of one's own, in ten lines.

    @mch.rule
    def least_memory(leaf, usage, demand, weight, capacity):
        return usage[1] / (weight * capacity[1])

    mch.simulate(tree, capacity, least_memory, jobs)
"""

from collections.abc import Callable
from dataclasses import dataclass

import numba
from numba.core import types

from schedlib.core import compiling
from schedlib.mch.allocate import FLAT

_VECTOR = types.float64[::1]
PRIORITY = types.float64(types.int64, _VECTOR, _VECTOR, types.float64, _VECTOR)


@dataclass(frozen=True)
class Rule:
    """A reader's flat rule: the leaf with the least priority that wants a task, and whose resources are not saturated, is next.

    - `priority(leaf, usage, demand, weight, capacity)`: a number, from the leaf's index, what its tasks use now (R,), what one task
      demands (R,), the leaf's weight and the cluster's capacity (R,), in the reader's units. Asked again when the leaf's usage
      changes, and not otherwise. Ties go to the lower index.
    - `weights`: where the weight comes from: "weighted-drf" (the leaf's own), "mch", "case1", "c-ch", "m-ch", "exact-ch", or "drf" (all 1)

    `priority` is compiled: numbers, loops and arrays. Raises ValueError, with the compiler's reason, when it does not compile, and
    (from `fill` and `simulate`) when a priority is not a number.

    >>> @rule
    ... def dominant_share(leaf, usage, demand, weight, capacity):
    ...     return (usage / capacity).max() / weight
    >>> dominant_share.name, dominant_share.weights
    ('dominant_share', 'weighted-drf')
    """

    priority: Callable
    weights: str = "weighted-drf"
    name: str = ""

    def __post_init__(self):
        if self.weights not in FLAT:
            raise ValueError(f"weights: {self.weights!r}; a flat rule takes one of {', '.join(FLAT)}")
        object.__setattr__(self, "name", self.name or getattr(self.priority, "__name__", "own"))
        object.__setattr__(self, "priority", _compiled(self.priority))


def rule(priority=None, *, weights: str = "weighted-drf"):
    """`Rule` as a decorator."""
    return (lambda function: Rule(function, weights)) if priority is None else Rule(priority, weights)


def _compiled(function):
    if isinstance(function, numba.core.dispatcher.Dispatcher) and PRIORITY.args in [tuple(s) for s in function.signatures]:
        return function
    return function if numba.config.DISABLE_JIT else compiling.rule(PRIORITY)(function)


@compiling.rule(PRIORITY)
def nobody(leaf, usage, demand, weight, capacity):
    return 0.0
