"""Random hierarchies, and the search for the smallest one on which something fails."""

from collections.abc import Callable, Iterator
from itertools import islice, product

import numpy as np

from schedlib.core.checks import typed
from schedlib.mch.model import Tree, branch_of, tree_of

# depths and branchings, in this order
SIZES = ((1, 2), (1, 3), (2, 2), (2, 3), (3, 2), (3, 3), (4, 3))
TRIES = 200  # trees of a size
FAILURES = 10  # most failing trees of a size that are shrunk
LARGEST = 4  # largest whole demand tried


@typed
def random_tree(
    rng: np.random.Generator,
    depth: int,
    branching: int = 3,
    resources: int = 2,
    partial: float = 0.0,
    needs: int = 1,
) -> Tree:
    """A random hierarchy of this depth, whose groups have 2 to `branching` children.

    Above the lowest level of groups a child is a group with chance 1/2, and one at least is. A leaf needs a
    uniform amount (0.05 to 1) of every resource (full-type), or, with chance `partial`, of `needs` of them,
    by default one (partial-type, MCH, Section II.B.3). All weights are 1. Depth 1 is a flat tree. ValueError
    on a depth outside 1 to 30, a `branching` outside 2 to 1000, `resources` outside 1 to 1000, `needs`
    outside 1 to `resources`, and a `partial` that is not a probability.

    >>> tree = random_tree(np.random.default_rng(1), depth=2, partial=0.5)
    >>> tree.depth.max().item(), tree.demand.shape
    (2, (4, 2))
    """
    if not (1 <= depth <= 30 and 2 <= branching <= 1000 and 1 <= resources <= 1000):
        raise ValueError(
            f"{depth=}, {branching=}, {resources=}: give 1 to 30, 2 to 1000 and 1 to 1000"
        )
    if not 1 <= needs <= resources:
        raise ValueError(f"needs: {needs}, must be from 1 to the {resources} resources")
    if not 0 <= partial <= 1:
        raise ValueError(
            f"partial: {partial} is not a probability; give the share of partial-type leaves"
        )

    def leaf():
        demand = rng.uniform(0.05, 1.0, resources)
        if rng.random() < partial:
            needed = (
                rng.integers(resources, size=1)
                if needs == 1
                else rng.permutation(resources)[:needs]
            )
            demand[~np.isin(np.arange(resources), needed)] = 0.0
        return tuple(demand.tolist())

    def group(levels):
        count = int(rng.integers(2, branching + 1))
        deep = [False] * count
        if levels > 1:
            deep = (rng.random(count) < 0.5) | (np.arange(count) == rng.integers(count))
        return [group(levels - 1) if is_group else leaf() for is_group in deep]

    return Tree(group(depth))


def as_text(tree: Tree) -> str:
    """A tree as nested text, as `Tree` reads it; weights other than 1 follow an asterisk.

    >>> as_text(Tree([(1, 0), [(0, 1), (0.5, 2)]], {(2,): 3}))
    '[(1, 0), [(0, 1), (0.5, 2)]*3]'
    """

    def text(node):
        weight = f"*{tree.weight[node]:g}" if tree.weight[node] != 1 else ""
        leaf = tree.leaf_of[node]
        if leaf >= 0:
            needs = ", ".join(f"{need:g}" for need in tree.demand[leaf])
            return f"({needs}){weight}"
        inside = ", ".join(map(text, tree.children(node)))
        return f"[{inside}]{weight}"

    return text(0)


@typed
def counter_example(fails: Callable[[Tree], bool]) -> Tree | None:
    """The smallest tree for which `fails(tree)`, by random search and shrinking; None when no tree fails.

    Trees grow through `SIZES` (depth, branching), `TRIES` each, up to the first with a failure, whose first
    `FAILURES` failing trees are shrunk. Every call draws the same trees.

    >>> as_text(counter_example(lambda tree: tree.n_leaves >= 3 and (tree.demand[:, 0] == 0).any()))
    '[(0, 1), (0, 1), (0, 1)]'
    """
    rng = np.random.default_rng(0)
    for depth, branching in SIZES:
        trees = (random_tree(rng, depth, branching, partial=0.5) for _ in range(TRIES))
        failing = islice(filter(fails, trees), FAILURES)
        shrunk = [shrink(tree, fails) for tree in failing]
        if shrunk:
            return min(shrunk, key=_size)
    return None


@typed
def shrink(tree: Tree, fails: Callable[[Tree], bool]) -> Tree:
    """A tree that still fails and that no single step makes simpler; ValueError when it does not fail.

    Steps: drop a node, put a child in its group's place, put a group's children in its place, make demands
    small whole numbers; groups keep two children at least. Weights stay.
    """
    if not fails(tree):
        raise ValueError("tree: it does not fail; give one that does")
    simpler: Tree | None = tree
    while simpler:
        tree, size = simpler, _size(simpler)
        steps = (step for step in _simpler(tree) if _size(step) < size)
        simpler = next(filter(fails, steps), None)
    return tree


def _size(tree):
    """The sizes that shrinking makes smaller: leaves, nodes, odd demands, and the sum of demands."""
    broken = tree.demand != np.round(tree.demand)
    odd = (broken | (tree.demand > 100)).any(axis=1).sum()
    return tree.n_leaves, tree.n_nodes, odd, tree.demand.sum()


def _simpler(tree: Tree) -> Iterator[Tree]:
    whole = branch_of(tree)
    for path in sorted(tree.paths[1:], key=len):
        for smaller in _without(whole, path):
            if isinstance(smaller[1], list) and _branches(smaller):
                yield tree_of(smaller)
    largest = tree.demand.max(axis=1, keepdims=True)
    for n in range(1, 21):
        whole = np.round(tree.demand / largest * n)
        yield tree.with_demand(np.maximum(whole, tree.demand > 0))
    demands = product(range(LARGEST + 1), repeat=tree.n_resources)
    smallest_first = sorted(demands, key=sum)[1:]
    for i in range(tree.n_leaves):
        for small in smallest_first:
            demand = tree.demand.copy()
            demand[i] = small
            yield tree.with_demand(demand)


def _without(branch, path):
    """The branch without the node at `path`, with it in its parent's place, its children in its place."""
    weight, below = branch
    k, *rest = path
    child = below[k - 1]
    before, after = below[: k - 1], below[k:]
    if rest:
        for smaller in _without(child, rest):
            yield weight, [*before, smaller, *after]
        return
    _, inside = child
    yield weight, before + after
    yield weight, inside
    if isinstance(inside, list):
        yield weight, before + inside + after


def _branches(branch):
    """Whether every group has two children at least, as in `random_tree`."""
    _, below = branch
    if not isinstance(below, list):
        return True
    return len(below) > 1 and all(map(_branches, below))
