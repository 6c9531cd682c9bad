"""The view that a choosing rule gets of a hierarchy, and the room that it has for numbers of its own."""

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from schedlib.core.arrays import zeroed
from schedlib.core.uncounted import kernel
from schedlib.mch.model import Tree

HANDFUL = 8  # children of a group that is not wide
MOST = 4  # resources up to which each set of saturated ones has a copy of its own
f8, i8, flag = np.float64, np.int64, np.bool_
NODE = np.dtype(
    [
        ("first", i8),
        ("count", i8),  # its children: first .. first + count - 1; count 0 for leaves
        ("parent", i8),
        ("leaf", i8),  # its number, -1 for groups
        ("inner", i8),  # a wide group's first row of its own in a rule's room, else -1
        ("weight", f8),  # omega
        ("light", f8),  # 1 over omega
    ],
    align=True,
)
LEAF = np.dtype(
    [
        ("weight", f8),  # by the rule's `weights`
        ("late", f8),  # the weight once k' is saturated, where that counts
        ("bits", i8),  # the resources that the leaf demands, bit j for resource j
        ("tasks", i8),  # running
        ("waiting", i8),  # not yet running
        ("started", i8),  # so far
        ("node", i8),  # in `Hierarchy.nodes`
        ("touched", flag),  # whether its tasks changed at this time
    ],
    align=True,
)


class Hierarchy(NamedTuple):
    """The view of a choosing rule: Q nodes by depth, siblings side by side, the root first; p leaves.

    All is read-only but `room`, `mine` and `looked`, which are the rule's own, zero at the start.

    - `nodes[i]`: `.parent` (-1: the root), `.first` and `.count` of its children, `.leaf` (-1: a group),
      `.weight` omega, `.light` 1 over it, `.inner` (see `room`)
    - `leaves[k]`: its `.node`, `.tasks` that run, `.waiting` (its backlog), `.started` so far, `.bits` (bit
      j: it demands resource j), `.weight` and, once resource `first` is saturated, `.late`, as the rule's
      `weights` say
    - `need (p, R)`: what a task takes, over `capacity (R,)`; `free (R,)` of it, in the reader's units; `now`:
      the time
    - `saturated`: bit j for resource j; `first`: k', or -1
    - `changed (n,)`: leaves whose tasks or weight changed since the rule was last asked with that set of
      saturated resources; `every_leaf`: whether all must be looked at: the first time that this set is
      saturated; with more than four resources, whenever the set is another than at the last decision
    - `room (N, W)`: a row for each node, and from `.inner` on one for each child of a group of over 8; each
      set of saturated resources has a room. `mine (N, W)`: the same, but one for all
    - `looked (1,)`: operations, which a rule may count; `rng`: random numbers, the same for a seed
    """

    nodes: Any
    leaves: Any
    need: np.ndarray
    capacity: np.ndarray
    free: np.ndarray
    now: float
    saturated: int
    first: int
    changed: np.ndarray
    every_leaf: bool
    room: np.ndarray
    mine: np.ndarray
    looked: np.ndarray
    rng: np.random.Generator


class Copies(NamedTuple):
    """The values for each of C sets of saturated resources (beyond four resources: one, made again)."""

    room: np.ndarray  # (C, N, W)
    made: np.ndarray  # (C,) the set that a copy is for, -1 for none
    changed: np.ndarray  # (C, p) leaves that have changed since
    changes: np.ndarray  # (C,) how many
    noted: np.ndarray  # (C, p) whether a leaf is among them


def fixed(array: npt.NDArray) -> Any:
    """The same array, which cannot be written."""
    view = array.view()
    view.flags.writeable = False
    return view


def by_depth(tree: Tree) -> np.recarray:
    """The nodes (Q,) so that siblings are neighbours."""
    q = tree.n_nodes
    order = np.argsort(tree.depth, kind="stable")
    rank = np.argsort(order)  # a node's row
    count = np.diff(tree.child_start)[order]
    nodes = zeroed(NODE, q)
    nodes.first = np.cumsum(count) - count + 1
    nodes.count = count
    nodes.parent = np.append(-1, rank[tree.parent[order[1:]]])
    nodes.leaf = tree.leaf_of[order]
    nodes.weight = tree.weight[order]
    nodes.light = 1 / nodes.weight
    places = np.where(count > HANDFUL, count, 0)
    nodes.inner = np.where(places > 0, q + np.cumsum(places) - places, -1)
    return nodes


def nodes_of_leaves(nodes: np.recarray) -> np.ndarray:
    """The leaves' places (p,) among the nodes (Q,), from left to right."""
    groups = np.count_nonzero(nodes.leaf < 0)
    return np.argsort(nodes.leaf, kind="stable")[groups:]


def bits_of(sets: np.ndarray) -> np.ndarray:
    """Sets of resources (..., R) as whole numbers, bit j for resource j.

    >>> bits_of(np.array([[True, False], [True, True]])).tolist()
    [1, 3]
    """
    return (sets * (1 << np.arange(sets.shape[-1]))).sum(axis=-1)


def new_leaves(tree: Tree, nodes: np.recarray, waiting: np.ndarray) -> np.recarray:
    """The leaves (p,): nothing runs, and `waiting (p,)` tasks wait."""
    leaves = zeroed(LEAF, len(waiting))
    leaves.waiting = waiting
    leaves.bits = bits_of(tree.demand > 0)
    leaves.node = nodes_of_leaves(nodes)
    return leaves


def new_copies(count: int, rows: int, wide: int, leaves: int) -> Copies:
    """`count` copies, none of them made, with `wide` numbers in each of `rows` rows."""
    return Copies(
        room=np.zeros((count, rows, wide)),
        made=np.full(count, -1),
        changed=np.zeros((count, leaves), np.int64),
        changes=np.zeros(count, np.int64),
        noted=np.zeros((count, leaves), np.bool_),
    )


@kernel
def note(copies, leaf):
    """A leaf has changed: every copy that was made must look at it again."""
    for c in range(copies.made.size):
        if copies.made[c] >= 0 and not copies.noted[c, leaf]:
            copies.noted[c, leaf] = True
            copies.changed[c, copies.changes[c]] = leaf
            copies.changes[c] += 1
