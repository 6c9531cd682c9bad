"""Who gets what of an empty cluster: divisible tasks, exactly, and the way there; whole tasks, one by one."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from schedlib.core.checks import numbers, refuse, typed, unknown
from schedlib.core.stopping import interruptible
from schedlib.mch import dispatch
from schedlib.mch.choosing import HEAPS, KEYS, TREE, State, new_state
from schedlib.mch.hdrf_tree import every_leaf
from schedlib.mch.model import Allocation, Tree, check_capacity
from schedlib.mch.rules import FLAT, Rule, flat_weights, nobody, the_rule

SAME = 1e-12  # shares that differ by less are equal
METHODS = ("fast", "literal")
MOST_TASKS = 2**31  # that run together
MOST_RESOURCES = 62  # sets of resources are the bits of a whole number


@typed
def allocate(
    tree: Tree, capacity: npt.ArrayLike, rule: str | Rule, divisible: bool = True
) -> Allocation:
    """Fill an empty cluster by a rule; every leaf has tasks without end.

    - `capacity (R,)`: c_j, in the units of the leaves' demands
    - `rule`: "drf", "weighted-drf" (the leaves' own omegas), "c-ch", "m-ch", "mch", "mch-two-phase", "case1",
      "exact-ch", "h-drf", "naive-h-drf", or a reader's `mch.Rule`
    - `divisible`: tasks are as fine as sand, the result is exact; False, and a reader's rule: as `fill`

    ValueError on an unknown rule, capacities that do not fit the tree, and "c-ch" or "m-ch" with a leaf that
    uses nothing of their resource. Source: MCH, Sections II.B, III.A; Bhattacharya et al., SoCC 2013.

    See also: `mch.fill`, for whole tasks; `mch.simulate`, over time.

    >>> from schedlib import mch
    >>> a = mch.allocate(mch.Tree([(1, 4), (3, 1)]), (9, 18), "drf")
    >>> a.tasks.round(9).tolist(), a.usage.round(9).tolist(), a.saturated.tolist()
    ([3.0, 2.0], [[3.0, 12.0], [6.0, 2.0]], [True, False])
    """
    capacity, rule = check_capacity(tree, capacity), the_rule(rule)
    if not divisible or rule.fluid is None:
        return fill(tree, capacity, rule)
    (tasks, saturated, events), share = (
        rule.fluid(tree, capacity, -1),
        (tree.demand / capacity).max(axis=1),
    )
    return Allocation(
        rule=rule.name,
        shares=tasks * share,
        usage=tree.demand * tasks[:, None],
        tasks=tasks,
        saturated=saturated,
        decisions=events,
    )


@typed
def filling_path(tree: Tree, capacity: npt.ArrayLike, rule: str | Rule) -> np.ndarray:
    """Dominant shares (E + 1, p) at the corners of the divisible filling; between them rates are constant.

    At a corner a resource is used up, or a laggard has caught up with a sibling. For shipped rules, with the
    errors of `allocate`, whose result is the last row. It costs E fillings.

    >>> tree = Tree([[(1, 0), (0, 1)], [(1, 0), (1, 0), (0, 1)], [(1, 0)]])
    >>> filling_path(tree, (200, 200), "h-drf")[:, [1, 4]].round(3).tolist()
    [[0.0, 0.0], [0.333, 0.167], [0.333, 0.333], [0.5, 0.5]]
    """
    capacity, known = check_capacity(tree, capacity), the_rule(rule)
    if known.fluid is None:
        raise ValueError("rule: a reader's rule fills task by task; give a shipped rule's name")
    stops = range(known.fluid(tree, capacity, -1)[2] + 1)
    path = np.array([known.fluid(tree, capacity, stop)[0] for stop in stops])
    path *= (tree.demand / capacity).max(axis=1)
    return path[np.append(True, np.diff(path, axis=0).max(axis=1) > SAME)]


@dataclass(frozen=True, eq=False)
class Filling(Allocation):
    """An allocation of whole tasks, and what it took.

    - `saturated (R,)`: resources in which a chosen task did not fit; `decisions`: all leaves chosen
    - `operations`: nodes, or places of a heap, that were looked at; the same in every run, unlike seconds
    - `order (n,)`: the leaf of each task, in the order in which they started

    See also: `mch.fill`, `mch.allocate`.

    >>> from schedlib import mch
    >>> mch.fill(Tree([(1, 4), (3, 1)]), (9, 18), "drf").order.tolist()
    [0, 1, 0, 1, 0]
    """

    operations: int
    order: np.ndarray


@typed
@interruptible
def fill(
    tree: Tree,
    capacity: npt.ArrayLike,
    rule: str | Rule,
    *,
    method: str = "fast",
    tasks: npt.ArrayLike | None = None,
    seed: int = 0,
) -> Filling:
    """Fill an empty cluster with whole tasks: the rule chooses a leaf, whose task starts, until nothing fits.

    - `capacity`, `rule`: as in `mch.allocate`; `tasks (p,)`: how many each leaf has, without end if left out
    - `method`: "fast" (flat rules by a heap, the hierarchical ones by path, O(log)) or "literal" (every leaf,
      or node, anew at each decision, O(q)); both decide the same
    - `seed`: of the random numbers that a reader's rule may draw

    A task fits when it exceeds no capacity by more than a part in 10^9. A resource in which the chosen task
    does not fit is saturated, and blocks the leaves that demand it. Shares that agree to 29 bits are ties:
    flat rules then take the lower index, hierarchical ones the child with the fewest tasks started per
    weight, then the first. ValueError as `mch.allocate`, on an unknown method, a leaf whose one task is
    larger than the cluster, and a priority that is no number (with the leaf and when).

    See also: `mch.allocate`, `mch.simulate`.

    >>> from schedlib import mch
    >>> filled = fill(mch.Tree([[(1, 0), (0, 1)], [(1, 0)]]), (4, 4), "h-drf")
    >>> filled.tasks.tolist(), filled.saturated.tolist(), filled.order[:3].tolist()
    ([2, 4, 2], [True, True], [0, 2, 1])
    """
    capacity, rule = check_capacity(tree, capacity), the_rule(rule)
    left = np.full(tree.n_leaves, np.iinfo(np.int64).max)
    if tasks is not None:
        given = numbers("tasks", tasks, 1, "one number for each leaf")
        if len(given) != tree.n_leaves:
            raise ValueError(
                f"tasks: {len(given)} numbers for {tree.n_leaves} leaves; give one for each"
            )
        bad = ~np.isfinite(given) | (given < 0) | (given != np.floor(given)) | (given > 2**62)
        refuse(
            "tasks",
            bad,
            given,
            "must be a whole number >= 0; leave `tasks` out for tasks without end",
        )
        left = given.astype(np.int64)
    together = most_at_once(tree, capacity, left)
    if together > MOST_TASKS:
        raise ValueError(
            f"capacity: has room for some {together:.2g} tasks; give less, or larger demands"
        )
    state = empty(tree, capacity, rule, method, left, decisions=together, seed=seed)
    dispatch.fill(*served(rule, method), state)
    tally, done = state.tally[0], state.leaves.tasks.copy()
    check_rule(state, tree, rule, f"decision {tally.decisions}")
    full = (tally.saturated >> np.arange(tree.n_resources)) & 1 == 1
    return Filling(
        rule=rule.name,
        shares=done * (tree.demand / capacity).max(axis=1),
        saturated=full,
        usage=tree.demand * done[:, None],
        tasks=done,
        decisions=int(tally.decisions),
        operations=operations(state),
        order=state.order[: tally.ordered].copy(),
    )


def empty(
    tree: Tree,
    capacity: np.ndarray,
    rule: Rule,
    method: str,
    waiting: np.ndarray,
    *,
    decisions: int = 0,
    seed: int = 0,
) -> State:
    """A state in which nothing runs and `waiting (p,)` tasks wait, with room to note `decisions` leaves.

    ValueError on an unknown method, too many resources, and a leaf whose one task is larger than the cluster.
    """
    if method not in METHODS:
        raise unknown("method", method, METHODS)
    if tree.n_resources > MOST_RESOURCES:
        raise ValueError(
            f"tree: {tree.n_resources} resources; task by task there can be {MOST_RESOURCES}"
        )
    for leaf, resource in np.argwhere(tree.demand > capacity * (1 + 1e-9))[:1]:
        needs = (
            f"needs {tree.demand[leaf, resource]:g} of resource {resource} for a task, but there is"
        )
        never = f"{capacity[resource]:g}: no task of it ever fits; leave it out, or make its tasks smaller"
        raise ValueError(f"leaf {leaf} ({tree.name(tree.leaves[leaf])}) {needs} {never}")
    how = served(rule, method)
    state = new_state(
        tree,
        capacity,
        waiting,
        how[2],
        decisions=decisions,
        room=rule.room,
        seed=seed,
        weighed=FLAT[rule.weights] >= 0,
    )
    weights = flat_weights(tree, capacity, rule.weights)
    state.leaves.weight, state.leaves.late, state.tally.first = (
        weights.weight,
        weights.late,
        weights.first,
    )
    dispatch.refresh(*how, state)
    check_rule(state, tree, rule, "the start")
    return state


def served(rule: Rule, method: str) -> tuple:
    """What kernels take of a rule: its two functions, and how they are asked."""
    fast = method == "fast"
    if rule.choose is nobody:
        return rule.priority, nobody if fast else every_leaf, HEAPS if fast else KEYS
    return rule.priority, rule.choose if fast else rule.literal or rule.choose, TREE


def operations(state: State) -> int:
    """Heap places that were looked at, and what the rule itself has counted."""
    return int(state.tally.operations[0] + state.seen.looked[0])


def check_rule(state: State, tree: Tree, rule: Rule, when: str) -> None:
    """Refuse a reader's rule that gave no number, or no leaf that can be served, as the kernel has noted."""
    leaf, tasks = (int(state.tally[0][name]) for name in ("bad_leaf", "bad_tasks"))
    if leaf >= tree.n_leaves:
        raise ValueError(
            f"rule {rule.name!r} chose leaf {leaf} at {when}; there are {tree.n_leaves}"
        )
    who = f"leaf {leaf} ({tree.name(tree.leaves[leaf])}) at {when}" if leaf >= 0 else ""
    if leaf >= 0 and tasks < 0:
        raise ValueError(
            f"rule {rule.name!r} chose {who}, which has no task waiting, or demands a saturated "
            "resource; look at `leaves[k].waiting`, and at `leaves[k].bits & saturated`"
        )
    if leaf >= 0:
        uses = ", ".join(f"{amount:.4g}" for amount in tasks * tree.demand[leaf])
        raise ValueError(
            f"not a number: the priority of {who}, where it uses ({uses}); return one for each "
            "leaf, inf to come last"
        )


def most_at_once(tree: Tree, capacity: np.ndarray, left: np.ndarray) -> int:
    """A bound on the tasks that run together: of each leaf alone, and by a task's least dominant share."""
    share = (tree.demand / capacity).max(axis=1)
    alone = np.minimum(np.floor((1 + 1e-6) / share), left)
    return int(min(alone.sum(), np.floor((1 + 1e-6) * tree.n_resources / share.min()))) + 1
