"""MCH's rival in plain Python: H-DRF, and its naive form (Bhattacharya et al., SoCC 2013). Read `plain.py` first.

Where the text is silent, these readings are taken:

- Of children whose shares agree to 29 of 53 bits, the one with the fewest tasks per omega is served, then the first.
- H-DRF rescales no child that is blocked or has share 0; saturated resources count in no share. Naive H-DRF
  rescales no child, and counts every resource.
"""

from schedlib.mch.plain_model import Cluster, Vector, View, rounded


def hierarchical_drf(cluster: Cluster, rescale: bool = True) -> None:
    """Serve the leaf that H-DRF chooses, until no task fits.

    - `cluster`: an empty one; `rescale`: False for naive H-DRF

    >>> from schedlib.mch import Tree
    >>> cluster = Cluster(Tree([[(1, 0), (0, 1)], [(1, 0)]]), (4, 4))
    >>> hierarchical_drf(cluster)
    >>> cluster.order
    [0, 2, 1, 2, 0, 1, 1, 1]
    """
    leaf = hierarchical_leaf(cluster, rescale)
    while leaf is not None:
        cluster.try_to_start(leaf)
        leaf = hierarchical_leaf(cluster, rescale)


def hierarchical_leaf(cluster: Cluster, rescale: bool = True) -> int | None:
    """The leaf that H-DRF serves next, or None when all are blocked.

    - `cluster`: what it holds now; `rescale`: False for naive H-DRF

    Source: Bhattacharya et al., SoCC 2013, Section 4.

    >>> from schedlib.mch import Tree
    >>> cluster = Cluster(Tree([(0, 1), [(1, 0), (0, 1)]]), (10, 10))
    >>> cluster.tasks, cluster.saturated = [5, 10, 2], {0}
    >>> hierarchical_leaf(cluster), hierarchical_leaf(cluster, rescale=False)
    (2, 0)
    """
    tree = cluster.tree
    views: dict[int, View] = {}
    for node in reversed(range(tree.n_nodes)):  # children before their group
        i = tree.leaf_of[node]
        if i >= 0:
            views[node] = cluster.leaf_view(i)
        else:
            below = [views[child] for child in tree.children(node)]
            views[node] = group_view(cluster, node, below, rescale)
    if views[0].blocked:
        return None
    node = 0
    while tree.leaf_of[node] < 0:  # from the root down
        children = tree.children(node)
        able = [child for child in children if not views[child].blocked]
        node = able[0]
        for child in able:
            if goes_before(views[child], views[node]):
                node = child
    return int(tree.leaf_of[node])


def group_view(  # below: a view of each child
    cluster: Cluster, group: int, below: list[View], rescale: bool
) -> View:
    """The view of a group, from the views of its children.

    - `below`: a view of each child; `rescale`: False for naive H-DRF

    >>> from schedlib.mch import Tree
    >>> cluster = Cluster(Tree([[(1, 0), (0, 1)]]), (10, 10))
    >>> cluster.tasks = [4, 2]
    >>> below = [cluster.leaf_view(0), cluster.leaf_view(1)]
    >>> [float(used) for used in group_view(cluster, 1, below, rescale=True).usage]
    [0.2, 0.2]
    """
    shares = [view.share for view in below if view.is_served]
    least = min(shares, default=0)
    total: Vector = [0] * len(cluster.capacity)
    for view in below:
        factor: float = 1  # not 1.0: fractions stay fractions
        if rescale and view.is_served:
            factor = least / view.share  # as if it had the least
        for j, used in enumerate(view.usage):
            total[j] += factor * used
    ignored = cluster.saturated if rescale else set()
    counted = [used for j, used in enumerate(total) if j not in ignored]
    omega = cluster.tree.weight[group]
    return View(
        usage=total,
        tasks=sum(view.tasks for view in below),
        omega=omega,
        share=max(counted, default=0) / omega,
        blocked=all(view.blocked for view in below),
    )


def goes_before(a: View, b: View) -> bool:
    """Whether child a is served before b, which is to its left.

    >>> one = View(usage=[0.5], tasks=1, omega=1.0, share=0.5, blocked=False)
    >>> two = View(usage=[0.5], tasks=2, omega=1.0, share=0.5, blocked=False)
    >>> goes_before(one, two), goes_before(one, one)
    (True, False)
    """
    share_a = rounded(a.share)
    share_b = rounded(b.share)
    if share_a != share_b:
        return share_a < share_b
    left = b.tasks * a.omega
    right = a.tasks * b.omega
    return right < left  # fewer tasks per omega
