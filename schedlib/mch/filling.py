"""Progressive filling, task by task: the rule chooses a leaf, one task of it starts, until nothing fits."""

from dataclasses import dataclass

import numpy as np

from schedlib.mch import dispatch
from schedlib.mch.allocate import Allocation, check_rule
from schedlib.mch.flatten import flat_weights
from schedlib.mch.model import Tree, check_capacity
from schedlib.mch.own import Rule, nobody


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


def fill(tree: Tree, capacity, rule, *, method: str = "fast", tasks=None) -> Filling:
    """Fill an empty cluster with whole tasks, one decision after another.

    - `rule`: a name, as in `mch.allocate`, or a reader's `mch.Rule`
    - `method`: "fast" (flat rules by a heap, the hierarchical ones by path, O(log)) or "literal" (every leaf, or node, anew at each
      decision, O(q)); both decide the same
    - `tasks (p,)`: how many tasks each leaf has; without end when left out

    A task fits when it exceeds no capacity by more than a part in 10^9. A resource in which the chosen task does not fit is
    saturated, and blocks the leaves that demand it. Shares that agree to 29 bits are ties: flat rules then take the lower index,
    hierarchical ones the child with the fewest tasks started below it per weight, then the first.
    ValueError on an unknown rule or method, a leaf whose one task is larger than the cluster, and as `mch.allocate`.

    >>> from schedlib import mch
    >>> tree = mch.Tree([[(1, 0), (0, 1)], [(1, 0)]])
    >>> filled = fill(tree, (4, 4), "h-drf")
    >>> filled.tasks.tolist(), filled.saturated.tolist(), filled.order[:3].tolist()
    ([2, 4, 2], [True, True], [0, 2, 1])
    """
    capacity = check_capacity(tree, capacity)
    kind, fast, own = plan(tree, capacity, rule, method)
    left = np.full(tree.n_leaves, np.iinfo(np.int64).max) if tasks is None else _limits(tree, tasks)
    most = most_at_once(tree, capacity, left)
    sys = dispatch.system(tree, capacity, left, hierarchical=kind >= dispatch.H_DRF, fast=fast, decisions=most)
    set_weights(sys, tree, capacity, rule)
    dispatch.refresh(own, kind, fast, sys)
    dispatch.fill(own, kind, fast, sys)
    check_priority(sys, tree)
    state = sys.state
    whole, done = state.whole, state.tasks
    saturated = (whole[dispatch.MASK] >> np.arange(tree.n_resources)) & 1 == 1
    shares = done * (tree.demand / capacity).max(axis=1)
    counted = int(whole[dispatch.DECISIONS]), int(whole[dispatch.OPERATIONS]), state.order[: whole[dispatch.ORDERED]].copy()
    return Filling(name(rule), shares, tree.demand * done[:, None], done, saturated, *counted)


def name(rule) -> str:
    """A rule's name, whether shipped or a reader's."""
    return rule.name if isinstance(rule, Rule) else rule


def plan(tree, capacity, rule, method):
    """Which kernels serve a rule: its kind, whether fast, and the reader's function or a stand-in."""
    if method not in ("fast", "literal"):
        raise ValueError(f'method: {method!r} is neither "fast" nor "literal"')
    if tree.n_resources > 62:
        raise ValueError(f"tree: {tree.n_resources} resources; task by task there can be 62")
    too_large = np.argwhere(tree.demand > capacity * (1 + 1e-9))
    if len(too_large):
        leaf, resource = too_large[0]
        raise ValueError(
            f"leaf {leaf} ({tree.name(tree.leaves[leaf])}) needs {tree.demand[leaf, resource]:g} of resource {resource} for a task, "
            f"but there is {capacity[resource]:g}: no task of it ever fits; leave it out, or make its tasks smaller"
        )
    if isinstance(rule, Rule):
        return dispatch.OWN, method == "fast", rule.priority
    kinds = {"h-drf": dispatch.H_DRF, "naive-h-drf": dispatch.NAIVE}
    return kinds.get(check_rule(rule), dispatch.FLAT), method == "fast", nobody


def set_weights(sys, tree, capacity, rule):
    """Give the leaves the weights of a flat rule."""
    weights = rule.weights if isinstance(rule, Rule) else rule
    if weights not in ("h-drf", "naive-h-drf"):
        weight, share = flat_weights(tree, capacity, weights)
        put_weights(sys, weight, share)


def put_weights(sys, weight, share):
    sys.state.weight[:] = weight
    sys.heap.slope[:] = np.divide(share, weight, out=np.full(len(weight), np.inf), where=weight > 0)


def check_priority(sys, tree):
    """Refuse a reader's rule that gave no number."""
    leaf = sys.state.whole[dispatch.BAD]
    if leaf >= 0:
        raise ValueError(f"the rule's priority of leaf {leaf} ({tree.name(tree.leaves[leaf])}) is not a number; give each leaf one")


def most_at_once(tree, capacity, left) -> int:
    """A bound on the tasks that run together: of each leaf alone, and by the least dominant share of a task."""
    share = tree.demand / capacity
    alone = np.minimum(np.floor((1 + 1e-6) / share.max(axis=1)), left)
    return int(min(alone.sum(), np.floor((1 + 1e-6) * tree.n_resources / share.max(axis=1).min()))) + 1


def _limits(tree, tasks):
    given = np.asarray(tasks)
    if given.shape != (tree.n_leaves,):
        raise ValueError(f"tasks: shape {given.shape}, but the tree has {tree.n_leaves} leaves; give one number for each")
    with np.errstate(invalid="ignore"):
        bad = np.flatnonzero((given < 0) | (given != np.floor(given)) | ~np.isfinite(given.astype(float)))
    if len(bad):
        raise ValueError(f"tasks[{bad[0]}]: {given[bad[0]]}, must be a whole number >= 0; leave `tasks` out for tasks without end")
    return given.astype(np.int64)
