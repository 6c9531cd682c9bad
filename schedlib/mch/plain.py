"""MCH and the rules beside it in plain Python: read this first, with the paper in hand.

The paper is You et al., IEEE Communications Letters 2019; its baseline, H-DRF, is by Bhattacharya et al., SoCC
2013. An empty cluster is filled task by task. Every job has tasks without end, and no task ends. `flatten`
gives MCH's weights, `weighted_drf` is the flat rule (DRF, C-CH, M-CH and MCH differ in the weights), and
`hierarchical_leaf` is H-DRF's choice, or naive H-DRF's; `allocate` fills a cluster by any of them.

Where the texts are silent, these are our readings (those of the fast code, `mch.flatten` and `mch.fill`):

- P^H(i) is the root. k' is the first resource with the largest sum at the root, up to a part in 10^12.
- Weights omega (1 in the paper): a child counts omega times in Eq. 2, and Case 1 takes omega/mu at each level.
  Only ratios count: Sub-case 1's 1, and in Case 1 the root's children, take omega over the siblings' mean.
- A partial-type job with several resources needs k' if k' is among them.
- A resource is saturated when the chosen task exceeds it, by more than a part in 10^9 of the capacity. It
  stays so, and blocks the jobs that demand it (Section II.B.3).
- Shares that agree to 29 of 53 bits are ties. Flat rules then serve the first leaf, hierarchical ones the child
  with the fewest tasks per omega, then the first child.
- H-DRF rescales no child that is blocked or has share 0; saturated resources count in no share. Naive H-DRF
  rescales no child, and counts every resource.
- C-CH and M-CH weigh by guarantees, and compare the first or second resource alone, which all must demand.

1,000 tasks take 0.01 s by a flat rule; by H-DRF 0.07 s for 10 nodes, 5 s for 1,000. Bad input is not refused
here, beyond what `mch.Tree` does. `Filling.operations` is 0: nothing is counted.
"""

import heapq
import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from schedlib.mch.allocate import Filling
from schedlib.mch.flatten import Flattened
from schedlib.mch.model import Tree

__all__ = ["allocate", "flatten", "hierarchical_leaf", "normalised_demand", "weighted_drf"]
Vector = list[float]


def dominant_share(demand: Vector, capacity: Vector) -> float:
    """mu_i, the largest part of a capacity that one task takes (Section II.B.1).

    - `demand (R,)`: d_i^j; `capacity (R,)`: c_j, in the same units

    >>> dominant_share([2, 3], [10, 12])
    0.25
    """
    return max(d / c for d, c in zip(demand, capacity, strict=True))


def normalised_demand(demand: Vector, capacity: Vector) -> Vector:
    """s_i^j, the parts of the capacities that one task takes, over the largest (Section III.A.2).

    - `demand (R,)`: d_i^j; `capacity (R,)`: c_j, in the same units

    >>> normalised_demand([2, 3], [10, 12])
    [0.8, 1.0]
    """
    mu = dominant_share(demand, capacity)
    return [d / (c * mu) for d, c in zip(demand, capacity, strict=True)]


def flatten(tree: Tree, capacity: npt.ArrayLike) -> Flattened:
    """The weights of the flat tree's leaves, and what they come from (Section III.A).

    - `tree`: the hierarchy; `capacity (R,)`: c_j, in the units of the demands

    >>> tree = Tree([[(1, 0), (0, 1)], [(1, 0), (1, 0), (0, 1)], [(1, 0)]])
    >>> flat = flatten(tree, (200, 200))
    >>> flat.weights.tolist(), flat.first_saturated
    ([1.0, 1.0, 0.5, 0.5, 1.0, 1.0], 0)
    """
    c: Vector = np.asarray(capacity, float).tolist()
    s: list[Vector] = [[]] * tree.n_nodes
    mu = [0.0] * tree.n_nodes
    for node in reversed(range(tree.n_nodes)):  # children before their group
        if tree.leaf_of[node] >= 0:
            d = tree.demand[tree.leaf_of[node]].tolist()
        else:
            d = group_demand(tree, node, s, c)  # Eq. 2
        mu[node] = dominant_share(d, c)
        s[node] = normalised_demand(d, c)
    largest = [math.isclose(share, 1, rel_tol=1e-12) for share in s[0]]
    first = largest.index(True)  # k'
    products = [inverse_mu_product(tree, i, mu) for i in range(tree.n_leaves)]
    weights = [leaf_weight(tree, i, first, products[i]) for i in range(tree.n_leaves)]
    return Flattened(
        weights=np.array(weights),
        first_saturated=first,
        full_type=np.all(tree.demand > 0, axis=1),
        node_share=np.array(s),
        mu=np.array(mu),
        case1=np.array(products),
    )


def group_demand(tree: Tree, group: int, s: list[Vector], c: Vector) -> Vector:
    """What a group demands, from the normalised demands of its children."""
    d = [0.0] * len(c)
    for child in tree.children(group):
        for j in range(len(c)):
            d[j] += c[j] * tree.weight[child] * s[child][j]  # Eq. 2
    return d


def inverse_mu_product(tree: Tree, i: int, mu: Vector) -> float:
    """The product of 1/mu over the groups above leaf i, without the root."""
    product, node = 1.0, tree.leaves[i]
    while tree.depth[node] > 1:  # h = 1, ..., H - 1
        product *= tree.weight[node] / mu[tree.parent[node]]
        node = tree.parent[node]
    return product * weight_over_mean(tree, node)


def leaf_weight(tree: Tree, i: int, first: int, product: float) -> float:
    """w_i of leaf i, from k' and the product of 1/mu over the groups above it."""
    d = tree.demand[i]
    if all(d > 0):  # full-type
        return product  # Case 1
    if d[first] > 0:  # partial-type, k = k'
        return product  # Case 2, Sub-case 2
    return weight_over_mean(tree, tree.leaves[i])  # Case 2, Sub-case 1: 1


def weight_over_mean(tree: Tree, node: int) -> float:
    """A node's omega over the mean of its siblings': always 1 in the paper, and for a tree that is one leaf."""
    siblings = tree.children(tree.parent[node]) if node > 0 else [0]
    omegas = tree.weight[siblings].tolist()
    return float(tree.weight[node] * len(omegas) / sum(omegas))


@dataclass
class View:
    """What a hierarchical rule sees of a node."""

    usage: Vector  # (R,) in parts of the capacities
    tasks: int
    omega: float
    share: float  # dominant share over omega
    blocked: bool


class Cluster:
    """A cluster that is filled from empty."""

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
            if d > 0 and self.used[j] + d > self.capacity[j] * (1 + 1e-9):
                self.saturated.add(j)
        if self.is_blocked(i):
            return
        for j, d in enumerate(self.demand[i]):
            self.used[j] += d
        self.tasks[i] += 1
        self.order.append(i)

    def leaf_view(self, i: int) -> View:
        """What leaf i has."""
        t, omega = self.tasks[i], self.tree.weight[self.tree.leaves[i]]
        usage = [t * d / c for d, c in zip(self.demand[i], self.capacity, strict=True)]
        return View(usage, t, omega, max(usage) / omega, self.is_blocked(i))


def rounded(share: float) -> float:
    """A share to 29 bits, so that rounding errors do not decide."""
    mantissa, exponent = math.frexp(share)
    return math.ldexp(round(mantissa * 2**29), exponent - 29)


def weighted_drf(cluster: Cluster, mu: Vector, w: Vector) -> None:
    """Serve the leaf with the least mu_i t_i / w_i, until no task fits.

    - `mu (p,)`: the share that one task takes; `w (p,)`: the weights. Source: MCH, Section II.B

    >>> cluster = Cluster(Tree([(1, 4), (3, 1)]), (9, 18))
    >>> weighted_drf(cluster, mu=[4 / 18, 3 / 9], w=[1, 1])
    >>> cluster.order, cluster.used, cluster.saturated
    ([0, 1, 0, 1, 0], [9.0, 14.0], {0})
    """
    heap = [(0.0, i) for i in range(len(mu))]  # share over weight, leaf
    while heap:
        _, i = heapq.heappop(heap)  # the least
        if cluster.is_blocked(i):
            continue  # for ever, as no task ends
        cluster.try_to_start(i)
        share = mu[i] * cluster.tasks[i]  # mu_i t_i
        heapq.heappush(heap, (rounded(share / w[i]), i))


def hierarchical_leaf(cluster: Cluster, rescale: bool = True) -> int | None:
    """The leaf that H-DRF serves next, or None when all are blocked.

    - `cluster`: what it holds now; `rescale`: False for naive H-DRF

    Source: Bhattacharya et al., SoCC 2013, Section 4.

    >>> cluster = Cluster(Tree([(0, 1), [(1, 0), (0, 1)]]), (10, 10))
    >>> cluster.tasks, cluster.saturated = [5, 10, 2], {0}
    >>> hierarchical_leaf(cluster), hierarchical_leaf(cluster, rescale=False)
    (2, 0)
    """
    tree, views = cluster.tree, dict[int, View]()
    for node in reversed(range(tree.n_nodes)):  # children before their group
        if tree.leaf_of[node] >= 0:
            views[node] = cluster.leaf_view(tree.leaf_of[node])
        else:
            below = [views[child] for child in tree.children(node)]
            views[node] = group_view(cluster, node, below, rescale)
    if views[0].blocked:
        return None
    node = 0
    while tree.leaf_of[node] < 0:  # from the root down
        able = [child for child in tree.children(node) if not views[child].blocked]
        node = able[0]
        for child in able[1:]:
            if goes_before(views[child], views[node]):
                node = child
    return int(tree.leaf_of[node])


def group_view(cluster: Cluster, group: int, below: list[View], rescale: bool) -> View:
    """What a group has, from the views of its children."""
    served = [view.share for view in below if not view.blocked and view.share > 0]
    least = min(served, default=0)
    total: Vector = [0] * len(cluster.capacity)
    for view in below:
        scaled = rescale and not view.blocked and view.share > 0
        factor = least / view.share if scaled else 1  # as if it had the least
        for j, used in enumerate(view.usage):
            total[j] += factor * used
    ignored = cluster.saturated if rescale else set()
    counted = [u for j, u in enumerate(total) if j not in ignored]
    omega = cluster.tree.weight[group]
    share = max(counted, default=0) / omega
    tasks = sum(view.tasks for view in below)
    return View(total, tasks, omega, share, all(view.blocked for view in below))


def goes_before(a: View, b: View) -> bool:
    """Whether child a is served before b, which is to its left."""
    if rounded(a.share) != rounded(b.share):
        return rounded(a.share) < rounded(b.share)
    return a.tasks * b.omega < b.tasks * a.omega  # fewer tasks per omega


def allocate(tree: Tree, capacity: npt.ArrayLike, rule: str) -> Filling:
    """Fill an empty cluster task by task, until no task fits.

    - `tree`: the hierarchy; `capacity (R,)`: c_j, in the units of the demands
    - `rule`: "drf", "weighted-drf", "c-ch", "m-ch", "mch", "h-drf" or "naive-h-drf"

    Source: MCH, Sections II.B and III.A; Bhattacharya et al., SoCC 2013.

    >>> allocate(Tree([[(1, 0), (0, 1)], [(1, 0)]]), (4, 4), "h-drf").order.tolist()
    [0, 2, 1, 2, 0, 1, 1, 1]
    """
    cluster = Cluster(tree, capacity)
    d, c = cluster.demand, cluster.capacity
    mu = [dominant_share(demand, c) for demand in d]
    if rule in ("h-drf", "naive-h-drf"):
        while (i := hierarchical_leaf(cluster, rescale=rule == "h-drf")) is not None:
            cluster.try_to_start(i)
    elif rule in ("c-ch", "m-ch"):
        j = ("c-ch", "m-ch").index(rule)  # the share of one resource alone
        share = [demand[j] / c[j] for demand in d]
        weighted_drf(cluster, share, tree.guarantee[tree.leaves].tolist())
    elif rule == "mch":
        weighted_drf(cluster, mu, flatten(tree, c).weights.tolist())
    else:
        omega = tree.weight[tree.leaves].tolist()
        weights = {"drf": [1.0] * tree.n_leaves, "weighted-drf": omega}
        weighted_drf(cluster, mu, weights[rule])
    tasks = np.array(cluster.tasks)
    return Filling(
        rule=rule,
        shares=tasks * mu,
        usage=tree.demand * tasks[:, None],
        tasks=tasks,
        saturated=np.array([j in cluster.saturated for j in range(len(c))]),
        decisions=cluster.decisions,
        operations=0,
        order=np.array(cluster.order, dtype=int),
    )
