"""MCH and the rules beside it in plain Python: read this first, with the paper in hand.

The paper is You et al., IEEE Communications Letters 2019; its baseline, H-DRF, is by Bhattacharya et al., SoCC
2013. An empty cluster is filled task by task. Every job has tasks without end, and no task ends. `flatten`
gives MCH's weights, `weighted_drf` is the flat rule (DRF, C-CH, M-CH and MCH differ in the weights), and
`allocate` fills a cluster by any rule. H-DRF is in `plain_rivals.py`, the cluster in `plain_model.py`.

Where the texts are silent, these are our readings (those of the fast code, `mch.flatten` and `mch.fill`):

- P^H(i) is the root. k' is the first resource with the largest sum at the root, up to a part in 10^12.
- Weights omega (1 in the paper): a child counts omega times in Eq. 2, and Case 1 takes omega/mu at each level.
  Only ratios count: Sub-case 1's 1, and in Case 1 the root's children, take omega over the siblings' mean.
- A partial-type job with several resources needs k' if k' is among them.
- A resource is saturated when the chosen task exceeds it, by more than a part in 10^9 of the capacity. It
  stays so, and blocks the jobs that demand it (Section II.B.3).
- Shares that agree to 29 of 53 bits are ties. Flat rules then serve the first leaf.
- C-CH and M-CH weigh by guarantees, and compare the first or second resource alone, which all must demand.

1,000 tasks take 0.01 s by a flat rule; by H-DRF 0.07 s for 10 nodes, 5 s for 1,000. Bad input is not refused
here, beyond what `mch.Tree` does. `Filling.operations` is 0: nothing is counted.
"""

import heapq
import math

import numpy as np
import numpy.typing as npt

from schedlib.mch.allocate import Filling
from schedlib.mch.flatten import Flattened
from schedlib.mch.model import Tree
from schedlib.mch.plain_model import Cluster, Vector, rounded
from schedlib.mch.plain_rivals import goes_before as goes_before
from schedlib.mch.plain_rivals import group_view as group_view
from schedlib.mch.plain_rivals import hierarchical_drf
from schedlib.mch.plain_rivals import hierarchical_leaf as hierarchical_leaf

__all__ = ["allocate", "flatten", "hierarchical_leaf", "normalised_demand", "weighted_drf"]


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
    weights, first, products, mu, s = leaf_weights(tree, c)
    return Flattened(
        weights=np.array(weights),
        first_saturated=first,
        full_type=np.all(tree.demand > 0, axis=1),
        node_share=np.array(s),
        mu=np.array(mu),
        case1=np.array(products),
    )


def leaf_weights(tree: Tree, c: Vector) -> tuple:
    """The leaves' weights, k', Case 1's products, and the mu and s of all nodes (Section III.A).

    >>> weights, first, *_ = leaf_weights(Tree([[(1, 0), (0, 1)], [(1, 0), (1, 0), (0, 1)]]), [20, 20])
    >>> [float(weight) for weight in weights], first
    ([1.0, 1.0, 0.5, 0.5, 1.0], 0)
    """
    s: list[Vector] = [[]] * tree.n_nodes
    mu = [0.0] * tree.n_nodes
    for node in reversed(range(tree.n_nodes)):  # children before their group
        i = tree.leaf_of[node]
        if i >= 0:
            d = list(tree.demand[i])
        else:
            d = group_demand(tree, node, s, c)  # Eq. 2
        mu[node] = dominant_share(d, c)
        s[node] = normalised_demand(d, c)
    largest = [math.isclose(share, 1, rel_tol=1e-12) for share in s[0]]
    first = largest.index(True)  # k'
    products = []
    weights = []
    for i in range(tree.n_leaves):
        product = inverse_mu_product(tree, i, mu)
        weight = leaf_weight(tree, i, first, product)
        products.append(product)
        weights.append(weight)
    return weights, first, products, mu, s


def group_demand(  # s: of all nodes; c (R,)
    tree: Tree, group: int, s: list[Vector], c: Vector
) -> Vector:
    """The demand of a group, from the normalised demands of its children."""
    d = [0.0] * len(c)
    for child in tree.children(group):
        omega = tree.weight[child]
        for j, share in enumerate(s[child]):
            d[j] += c[j] * omega * share  # Eq. 2
    return d


def inverse_mu_product(tree: Tree, i: int, mu: Vector) -> float:
    """The product of 1/mu over the groups above leaf i, without the root."""
    product = 1.0
    node = tree.leaves[i]
    while tree.depth[node] > 1:  # h = 1, ..., H - 1
        parent = tree.parent[node]
        product *= tree.weight[node] / mu[parent]
        node = parent
    return product * weight_over_mean(tree, node)


def leaf_weight(tree: Tree, i: int, first: int, product: float) -> float:
    """w_i of leaf i, from k' and the product of 1/mu over the groups above it."""
    d = tree.demand[i]
    if min(d) > 0:  # full-type
        return product  # Case 1
    if d[first] > 0:  # partial-type, k = k'
        return product  # Case 2, Sub-case 2
    return weight_over_mean(tree, tree.leaves[i])  # Case 2, Sub-case 1: 1


def weight_over_mean(tree: Tree, node: int) -> float:
    """A node's omega over the mean of its siblings': always 1 in the paper, and for a tree that is one leaf."""
    if node == 0:
        siblings = [0]
    else:
        parent = tree.parent[node]
        siblings = list(tree.children(parent))
    omegas = [tree.weight[sibling] for sibling in siblings]
    scaled = tree.weight[node] * len(omegas)
    return float(scaled / sum(omegas))


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
        weighted = rounded(share / w[i])
        heapq.heappush(heap, (weighted, i))


def allocate(tree: Tree, capacity: npt.ArrayLike, rule: str) -> Filling:
    """Fill an empty cluster task by task, until no task fits.

    - `tree`: the hierarchy; `capacity (R,)`: c_j, in the units of the demands
    - `rule`: "drf", "weighted-drf", "c-ch", "m-ch", "mch", "h-drf" or "naive-h-drf"

    Source: MCH, Sections II.B and III.A; Bhattacharya et al., SoCC 2013.

    >>> allocate(Tree([[(1, 0), (0, 1)], [(1, 0)]]), (4, 4), "h-drf").order.tolist()
    [0, 2, 1, 2, 0, 1, 1, 1]
    """
    cluster = Cluster(tree, capacity)
    c = cluster.capacity
    mu = [dominant_share(d, c) for d in cluster.demand]
    leaves = tree.leaves
    if rule in ("h-drf", "naive-h-drf"):
        hierarchical_drf(cluster, rescale=rule == "h-drf")
    elif rule in ("c-ch", "m-ch"):
        j = ("c-ch", "m-ch").index(rule)
        share = [d[j] / c[j] for d in cluster.demand]  # of one resource alone
        guarantee = tree.guarantee[leaves].tolist()
        weighted_drf(cluster, share, guarantee)
    elif rule == "mch":
        weights = flatten(tree, c).weights.tolist()
        weighted_drf(cluster, mu, weights)
    elif rule == "weighted-drf":
        omega = tree.weight[leaves].tolist()
        weighted_drf(cluster, mu, omega)
    elif rule == "drf":
        weighted_drf(cluster, mu, [1.0] * tree.n_leaves)
    else:
        raise ValueError(f"rule: {rule!r}; drf, weighted-drf, c-ch, m-ch, mch, h-drf, naive-h-drf")
    tasks = np.array(cluster.tasks)
    saturated = [j in cluster.saturated for j in range(len(c))]
    return Filling(
        rule=rule,
        shares=tasks * mu,
        usage=tree.demand * tasks[:, None],
        tasks=tasks,
        saturated=np.array(saturated),
        decisions=cluster.decisions,
        operations=0,
        order=np.array(cluster.order, dtype=int),
    )
