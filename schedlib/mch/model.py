"""MCH's nouns: a hierarchy of groups whose leaves are jobs (Section II.A), and what each leaf is given."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from schedlib.core.checks import numbers, refuse, typed


@dataclass(frozen=True, eq=False, init=False, repr=False)
class Tree:
    """A weighted hierarchy: a group is a list, a leaf a tuple: what one of its tasks needs of each resource.

    Nodes are numbered in preorder, the root is 0; leaves are numbered from left to right. A node's path is
    the paper's list of numbers: n_{2,1} is `(2, 1)`, the root `()`.

    - `weights`: omega by path, else 1: `{(1,): 60, (2,): 40}`; `names`: by path, else n1,2 and so on
    - `demand (p, R)`: d_i^j, of leaf i for resource j, in the reader's units per task
    - `parent (Q,)`, `depth (Q,)`, `weight (Q,)`; `leaves (p,)`: the leaves' nodes; `leaf_of (Q,)`: the leaf's
      number, -1 for groups; `child_start (Q + 1,)`, `child (Q - 1,)`: where `children` finds a node's

    Raises ValueError, with the path, on an empty group, a leaf that needs nothing, demands negative, infinite
    or of different lengths, and weights not positive or of no node. Source: MCH, Section II.A.

    See also: `mch.allocate`, `mch.random_tree`.

    >>> tree = Tree([[(1, 0), (0, 1)], [(1, 0)]], weights={(1,): 2})
    >>> tree.n_leaves, tree.n_nodes, tree.paths[1:3], tree.weight[1].item(), tree.demand.tolist()
    (3, 6, ((1,), (1, 1)), 2.0, [[1.0, 0.0], [0.0, 1.0], [1.0, 0.0]])
    """

    weights: dict | None
    names: dict | None
    paths: tuple
    demand: np.ndarray
    parent: np.ndarray
    depth: np.ndarray
    weight: np.ndarray
    leaves: np.ndarray
    leaf_of: np.ndarray
    child_start: np.ndarray
    child: np.ndarray

    @typed
    def __init__(self, nested: Any, weights: dict | None = None, names: dict | None = None) -> None:
        paths: list[tuple] = []
        parents: list[int] = []
        at: list[int] = []  # the leaves' nodes
        rows: list[Any] = []
        stack: list[Any] = [((), nested, -1)]
        while stack:
            path, node, group = stack.pop()
            if isinstance(node, list) and node:
                for k in range(len(node), 0, -1):  # the first comes off the stack first
                    stack.append(((*path, k), node[k - 1], len(paths)))
            else:
                at.append(len(paths))
                rows.append(node)
            paths.append(path)
            parents.append(group)
        demand = _demands(rows, at, paths)
        leaves, parent = np.array(at), np.array(parents)
        leaf_of = np.full(len(paths), -1)
        leaf_of[leaves] = np.arange(len(leaves))
        weight = _by_path("weights", weights, paths, 1.0).astype(float)
        _by_path("names", names, paths, "")
        for bad in np.flatnonzero(~(np.isfinite(weight) & (weight > 0))):
            raise ValueError(f"weights[{paths[bad]}]: {weight[bad]}, must be a positive number")
        counts = np.bincount(parent[1:], minlength=len(paths))
        arrays = {
            "demand": demand,
            "parent": parent,
            "weight": weight,
            "leaves": leaves,
            "leaf_of": leaf_of,
            "depth": np.array([len(path) for path in paths]),
            "child": np.argsort(parent[1:], kind="stable") + 1,
            "child_start": np.append(0, counts.cumsum()),
        }
        for array in arrays.values():
            array.flags.writeable = False
        self.__dict__.update(arrays, paths=tuple(paths), weights=weights, names=names)

    @property
    def n_nodes(self) -> int:
        """q, all nodes, the root among them."""
        return len(self.parent)

    @property
    def n_leaves(self) -> int:
        """p, the jobs."""
        return len(self.leaves)

    @property
    def n_resources(self) -> int:
        """R."""
        return self.demand.shape[1]

    def name(self, node: int) -> str:
        """A node's label: its name, or the paper's n with its path."""
        path = self.paths[node]
        return (self.names or {}).get(path) or ("n" + ",".join(map(str, path)) if path else "root")

    def children(self, node: int) -> np.ndarray:
        """The children of a node, from left to right."""
        return self.child[self.child_start[node] : self.child_start[node + 1]]

    @cached_property
    def guarantee(self) -> np.ndarray:
        """The parent's guarantee (the root has 1), times a node's part of its siblings' weights, (Q,)."""
        share = np.ones(self.n_nodes)
        below = np.bincount(self.parent[1:], self.weight[1:], self.n_nodes)  # children's weights
        for node in range(1, self.n_nodes):  # a group before its children
            group = self.parent[node]
            share[node] = share[group] * self.weight[node] / below[group]
        share.flags.writeable = False
        return share

    def with_demand(self, demand: npt.ArrayLike) -> "Tree":
        """The same hierarchy with other demands (p, R); ValueError on another number of rows."""
        rows = np.array(demand, float, order="C")
        if len(rows) != self.n_leaves:
            raise ValueError(
                f"demand: {len(rows)} rows for {self.n_leaves} leaves; give one per leaf"
            )
        other, rows = object.__new__(Tree), _demands(rows, self.leaves, self.paths)
        rows.flags.writeable = False
        other.__dict__.update(self.__dict__, demand=rows)
        return other


def _demands(rows, leaves, paths):
    """The demands (p, R) of these leaves; ValueError, with the path, where a row is not a demand."""
    demands = [_demand(paths[leaf], row) for leaf, row in zip(leaves, rows, strict=True)]
    lengths = sorted({len(demand) for demand in demands})
    if len(lengths) > 1:
        raise ValueError(
            f"nested: its leaves name {lengths} resources; give every leaf a number for each"
        )
    return np.array(demands)


def _demand(path, node):
    """A leaf's demand, alone."""
    where = f"nested{list(path)}"
    if isinstance(node, list):
        raise ValueError(
            f"{where}: an empty group; leave it out, or give it a leaf (a tuple of demands)"
        )
    if not isinstance(node, tuple | np.ndarray):
        raise ValueError(
            f"{where}: {node!r} is neither a list (a group) nor a tuple (a leaf's demands)"
        )
    try:
        demand = np.array(node, float)
    except (TypeError, ValueError, OverflowError) as error:
        raise ValueError(
            f"{where}: {node!r}; a leaf is a tuple of numbers, a group a list"
        ) from error
    if demand.ndim != 1 or not len(demand) or not 0 <= demand.min() <= demand.max() < np.inf:
        raise ValueError(
            f"{where}: {node!r}; demands must be finite numbers >= 0, one for each resource"
        )
    if demand.max() == 0:
        raise ValueError(f"{where}: the leaf needs nothing of any resource; leave it out")
    return demand


def _by_path(what, given, paths, default):
    values = dict.fromkeys(paths, default)
    for path, value in (given or {}).items():
        if path not in values:
            raise ValueError(
                f"{what}: no node has the path {path!r}; paths are tuples, (2, 1) for n2,1"
            )
        values[path] = value
    return np.array(list(values.values()))


def branch_of(tree: Tree, node: int = 0) -> tuple[float, Any]:
    """A node as its weight beside what it holds: a leaf's demand as a tuple, or a list of such branches."""
    leaf = tree.leaf_of[node]
    below = [branch_of(tree, child) for child in tree.children(node)]
    return float(tree.weight[node]), below if leaf < 0 else tuple(tree.demand[leaf].tolist())


def tree_of(branch: tuple[float, Any]) -> Tree:
    """The tree whose root is this branch.

    >>> tree_of((1, [(1, (1, 0)), (3, [(1, (0, 1)), (1, (2, 2))])])).weight.tolist()
    [1.0, 1.0, 3.0, 1.0, 1.0]
    """
    weights: dict[tuple, float] = {}
    return Tree(_nested(branch, (), weights), weights)


def _nested(branch, path, weights):
    """The contents of a branch without its weights, which go into `weights` by path where they are not 1."""
    weight, below = branch
    if weight != 1:
        weights[path] = weight
    if not isinstance(below, list):
        return below
    return [_nested(child, (*path, k), weights) for k, child in enumerate(below, 1)]


def check_capacity(tree: Tree, capacity: npt.ArrayLike) -> np.ndarray:
    """Capacities c_j as (R,) floats; ValueError when one is not positive, or not one for each resource."""
    values = numbers("capacity", capacity, 1, "one number for each resource")
    if values.shape != (tree.n_resources,):
        raise ValueError(
            f"capacity: shape {values.shape}; give one number for {tree.n_resources} resources"
        )
    right = np.isfinite(values) & (values > 0)
    refuse("capacity", ~right, values, "must be positive; leave out a resource that does not exist")
    return values


@dataclass(frozen=True, eq=False)
class Allocation:
    """The tasks or shares of each leaf, from left to right, when nothing more fits under the rule of that name.

    - `tasks (p,)`: t_i; `shares (p,)`: dominant shares mu_i t_i; `usage (p, R)`: d_i^j t_i, in demands' units
    - `saturated (R,)`: which are used up; `decisions`: tasks chosen, or events when tasks are divisible

    See also: `mch.allocate`; `mch.fill`, whose result says more.

    >>> from schedlib import mch
    >>> mch.allocate(Tree([(1, 4), (3, 1)]), (9, 18), "drf").shares.round(9).tolist()
    [0.666666667, 0.666666667]
    """

    rule: str
    shares: np.ndarray
    usage: np.ndarray
    tasks: np.ndarray
    saturated: np.ndarray
    decisions: int
