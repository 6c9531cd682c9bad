"""Progressive filling, task by task: the rule chooses a leaf, one task of it starts, until nothing fits."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from schedlib.core.checks import numbers, refuse, unknown
from schedlib.mch import dispatch
from schedlib.mch.choosing import H_DRF, State
from schedlib.mch.model import Allocation, Tree, check_capacity
from schedlib.mch.rules import Rule, flat_weights, the_rule

METHODS = ("fast", "literal")
MOST_RESOURCES = 62  # sets of resources are the bits of a whole number


@dataclass(frozen=True, eq=False)
class Filling(Allocation):
    """An allocation of whole tasks, and what it took.

    - `saturated (R,)`: resources in which a task that was chosen did not fit
    - `decisions`: leaves chosen, those whose task did not fit among them
    - `operations`: nodes, or places of a heap, that were looked at; the same in every run, unlike seconds
    - `order (n,)`: the leaf of each task, in the order in which they started
    """

    operations: int
    order: np.ndarray


def fill(tree: Tree, capacity: npt.ArrayLike, rule: str | Rule, *, method: str = "fast",
         tasks: npt.ArrayLike | None = None) -> Filling:
    """Fill an empty cluster with whole tasks, one decision after another.

    - `capacity`, `rule`: as in `mch.allocate`; `tasks (p,)`: how many each leaf has, without end if left out
    - `method`: "fast" (flat rules by a heap, the hierarchical ones by path, O(log)) or "literal" (every leaf,
      or node, anew at each decision, O(q)); both decide the same

    A task fits when it exceeds no capacity by more than a part in 10^9. A resource in which the chosen task
    does not fit is saturated, and blocks the leaves that demand it. Shares that agree to 29 bits are ties:
    flat rules then take the lower index, hierarchical ones the child with the fewest tasks started below it
    per weight, then the first. ValueError on an unknown rule or method, a leaf whose one task is larger than
    the cluster, a priority that is no number (with the leaf and when), and as `mch.allocate`.

    >>> from schedlib import mch
    >>> tree = mch.Tree([[(1, 0), (0, 1)], [(1, 0)]])
    >>> filled = fill(tree, (4, 4), "h-drf")
    >>> filled.tasks.tolist(), filled.saturated.tolist(), filled.order[:3].tolist()
    ([2, 4, 2], [True, True], [0, 2, 1])
    """
    capacity, rule = check_capacity(tree, capacity), the_rule(rule)
    left = np.full(tree.n_leaves, np.iinfo(np.int64).max) if tasks is None else _limits(tree, tasks)
    state = empty(tree, capacity, rule, method, left, decisions=most_at_once(tree, capacity, left))
    dispatch.fill(rule.priority, rule.kind, method == "fast", state)
    tally, done = state.tally[0], state.leaves.tasks.copy()
    check_priority(state, tree, f"decision {tally.decisions}")
    return Filling(rule=rule.name, shares=done * (tree.demand / capacity).max(axis=1),
                   usage=tree.demand * done[:, None], tasks=done,
                   saturated=(tally.saturated >> np.arange(tree.n_resources)) & 1 == 1,
                   decisions=int(tally.decisions), operations=int(tally.operations),
                   order=state.order[: tally.ordered].copy())


def empty(tree: Tree, capacity: np.ndarray, rule: Rule, method: str, waiting: np.ndarray,
          decisions: int = 0) -> State:
    """A state in which nothing runs and `waiting (p,)` tasks wait, with the rule's weights and keys.

    There is room for `decisions` leaves in `order`. ValueError on an unknown method, too many resources, and
    a leaf whose one task is larger than the cluster.
    """
    if method not in METHODS:
        raise unknown("method", method, METHODS)
    if tree.n_resources > MOST_RESOURCES:
        raise ValueError(f"tree: {tree.n_resources} resources; task by task there can be {MOST_RESOURCES}")
    too_large = np.argwhere(tree.demand > capacity * (1 + 1e-9))
    if len(too_large):
        leaf, resource = too_large[0]
        raise ValueError(
            f"leaf {leaf} ({tree.name(tree.leaves[leaf])}) needs {tree.demand[leaf, resource]:g} of resource "
            f"{resource} for a task, but there is {capacity[resource]:g}: no task of it ever fits; leave it "
            "out, or make its tasks smaller")
    hierarchical, fast = rule.kind >= H_DRF, method == "fast"
    state = dispatch.new_state(tree, capacity, waiting, hierarchical=hierarchical, fast=fast,
                               decisions=decisions)
    if not hierarchical:
        put_weights(state, *flat_weights(tree, capacity, rule.weights))
    dispatch.refresh(rule.priority, rule.kind, fast, state)
    check_priority(state, tree, "the start")
    return state


def put_weights(state: State, weight: np.ndarray, share: np.ndarray) -> None:
    """Give the leaves these weights (p,), with the share (p,) of one task."""
    state.leaves.weight = weight
    state.leaves.slope = np.divide(share, weight, out=np.full(len(weight), np.inf), where=weight > 0)


def check_priority(state: State, tree: Tree, when: str) -> None:
    """Refuse a reader's rule that gave no number: the kernel has written down for which leaf and tasks."""
    leaf = state.tally[0].bad_leaf
    if leaf >= 0:
        uses = ", ".join(f"{amount:.4g}" for amount in state.tally[0].bad_tasks * tree.demand[leaf])
        raise ValueError(
            f"not a number: the priority of leaf {leaf} ({tree.name(tree.leaves[leaf])}) at {when}, where it "
            f"uses ({uses}); return a number for each leaf, inf to come last")


def most_at_once(tree: Tree, capacity: np.ndarray, left: np.ndarray) -> int:
    """A bound on the tasks that run together: of each leaf alone, and by a task's least dominant share."""
    share = (tree.demand / capacity).max(axis=1)
    alone = np.minimum(np.floor((1 + 1e-6) / share), left)
    return int(min(alone.sum(), np.floor((1 + 1e-6) * tree.n_resources / share.min()))) + 1


def _limits(tree, tasks):
    given = numbers("tasks", tasks, 1, "one number for each leaf")
    if len(given) != tree.n_leaves:
        raise ValueError(f"tasks: {len(given)} numbers for {tree.n_leaves} leaves; give one for each")
    bad = ~np.isfinite(given) | (given < 0) | (given != np.floor(given))
    refuse("tasks", bad, given, "must be a whole number >= 0; leave `tasks` out for tasks without end")
    return given.astype(np.int64)
