"""Allocations of an empty cluster: divisible tasks, exactly, and the way there; whole tasks, one by one."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from schedlib.core.checks import typed
from schedlib.core.running import to_the_end
from schedlib.mch.model import Allocation, Tree, check_capacity
from schedlib.mch.rules import Rule, the_rule
from schedlib.mch.running import most_at_once, start
from schedlib.mch.state import Work

SAME = 1e-12  # shares that differ by less are equal
MOST_TASKS = 2**31  # that run together


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
    known = the_rule(rule)
    if not divisible or known.fluid is None:
        return fill(tree, capacity, known)
    amounts = check_capacity(tree, capacity)
    tasks, saturated, events = known.fluid(tree, amounts, -1)
    share = (tree.demand / amounts).max(axis=1)
    return Allocation(
        rule=known.name,
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
    amounts, known = check_capacity(tree, capacity), the_rule(rule)
    if known.fluid is None:
        raise ValueError("rule: a reader's rule fills task by task; give a shipped rule's name")
    _, _, events = known.fluid(tree, amounts, -1)
    path = np.array([known.fluid(tree, amounts, stop)[0] for stop in range(events + 1)])
    path *= (tree.demand / amounts).max(axis=1)
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
def fill(tree: Tree, capacity: npt.ArrayLike, rule: str | Rule) -> Filling:
    """Fill an empty cluster with whole tasks: the rule chooses a leaf, whose task starts, until nothing fits.

    - `capacity`, `rule`: as in `mch.allocate`; every leaf has tasks without end

    A task fits when it exceeds no capacity by more than a part in 10^9. A resource in which the chosen task
    does not fit is saturated, and blocks the leaves that demand it. Under shipped rules shares that agree to
    29 bits are ties; a reader's priorities are compared exactly. On ties flat rules take the lower index,
    hierarchical ones the child with the fewest tasks started per weight, then the first. Random numbers of a reader's rule have seed 0. ValueError as `mch.allocate`, on a
    leaf whose one task is larger than the cluster, and a priority that is not a number (with the leaf and
    when).

    See also: `mch.allocate`, `mch.simulate`.

    >>> from schedlib import mch
    >>> filled = fill(mch.Tree([[(1, 0), (0, 1)], [(1, 0)]]), (4, 4), "h-drf")
    >>> filled.tasks.tolist(), filled.saturated.tolist(), filled.order[:3].tolist()
    ([2, 4, 2], [True, True], [0, 2, 1])
    """
    known, amounts = the_rule(rule), check_capacity(tree, capacity)
    left = np.full(tree.n_leaves, np.iinfo(np.int64).max)
    together = most_at_once(tree, amounts, left)
    if together > MOST_TASKS:
        raise ValueError(
            f"capacity: has room for some {together:.2g} tasks; give less, or larger demands"
        )
    run = start(tree, amounts, known, "fast", Work(left, order=together), together)
    run.state.tally.ready = True  # nothing has to happen before tasks start
    to_the_end(run.advance, "mch.fill")
    tally, done = run.state.tally[0], run.state.leaves.tasks.copy()
    run.check(f"decision {tally.decisions}" if tally.decisions else "the start")
    full = (tally.saturated >> np.arange(tree.n_resources)) & 1 == 1
    return Filling(
        rule=known.name,
        shares=done * (tree.demand / amounts).max(axis=1),
        saturated=full,
        usage=tree.demand * done[:, None],
        tasks=done,
        decisions=int(tally.decisions),
        operations=run.operations(),
        order=run.state.order[: tally.ordered].copy(),
    )
