"""The cluster that `plain.py` fills task by task, and what a hierarchical rule sees of a node.

Read `plain.py` first.
"""

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from schedlib.mch.model import Tree

Vector = list[float]


@dataclass
class View:
    """The view that a hierarchical rule gets of a node.

    >>> View(usage=[0.5, 0.0], tasks=1, omega=1.0, share=0.5, blocked=True).is_served
    False
    """

    usage: Vector  # (R,) in parts of the capacities
    tasks: int
    omega: float
    share: float  # dominant share over omega
    blocked: bool

    @property
    def is_served(self) -> bool:
        """Whether it holds something and may get more."""
        return self.share > 0 and not self.blocked


class Cluster:
    """A cluster that is filled from empty.

    - `tree`: the hierarchy; `capacity (R,)`: c_j, in the units of the demands

    >>> cluster = Cluster(Tree([(1, 4), (3, 1)]), (9, 18))
    >>> cluster.try_to_start(1)
    >>> cluster.used, cluster.tasks, cluster.is_blocked(1)
    ([3.0, 1.0], [0, 1], False)
    """

    def __init__(self, tree: Tree, capacity: npt.ArrayLike) -> None:
        self.tree = tree
        self.demand: list[Vector] = tree.demand.tolist()  # (p, R) d_i^j
        self.capacity: Vector = np.asarray(capacity, float).tolist()  # (R,) c_j
        self.used = [0.0] * tree.n_resources
        self.tasks = [0] * tree.n_leaves  # t_i
        self.saturated: set[int] = set()
        self.order: list[int] = []  # the leaf of each task
        self.decisions = 0

    def is_blocked(self, i: int) -> bool:
        """Whether leaf i demands a saturated resource."""
        return any(self.demand[i][j] > 0 for j in self.saturated)

    def try_to_start(self, i: int) -> None:
        """Start a task of leaf i, or note the resources in which it does not fit."""
        self.decisions += 1
        for j, d in enumerate(self.demand[i]):
            most = self.capacity[j] * (1 + 1e-9)
            if d > 0 and self.used[j] + d > most:
                self.saturated.add(j)
        if self.is_blocked(i):
            return
        for j, d in enumerate(self.demand[i]):
            self.used[j] += d
        self.tasks[i] += 1
        self.order.append(i)

    def leaf_view(self, i: int) -> View:
        """The view of leaf i."""
        t = self.tasks[i]
        node = self.tree.leaves[i]
        omega = self.tree.weight[node]
        usage = []
        for d, c in zip(self.demand[i], self.capacity, strict=True):
            usage.append(t * d / c)
        share = max(usage) / omega
        blocked = self.is_blocked(i)
        return View(  # usage (R,)
            usage=usage, tasks=t, omega=omega, share=share, blocked=blocked
        )


def rounded(share: float) -> float:
    """A share to 29 bits, so that rounding errors do not decide.

    >>> 0.1 + 0.2 == 0.3, rounded(0.1 + 0.2) == rounded(0.3)
    (False, True)
    """
    mantissa, exponent = math.frexp(share)
    whole = round(mantissa * 2**29)
    return math.ldexp(whole, exponent - 29)
