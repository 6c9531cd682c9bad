"""The promises of a fair rule: each property as a margin, measured on the divisible allocation of a tree.

Margins are in units of the guaranteed share of the node concerned: at 0 or more the property is kept, at -0.3
it is missed by 30 % of that share. Sources: DRF's properties, Ghodsi et al., NSDI 2011, Section 3; the
hierarchical share guarantee, Bhattacharya et al., SoCC 2013, Section 3, MCH, Section II.A.
"""

from collections.abc import Callable, Iterable, Iterator
from functools import partial
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import pandas as pd

from schedlib.core.checks import typed, unknown
from schedlib.core.portable import dot
from schedlib.mch.allocate import allocate
from schedlib.mch.flatten import flatten
from schedlib.mch.model import Allocation, Tree, check_capacity
from schedlib.mch.rules import RULES, Rule

TOLERANCE = (
    1e-6  # of margins: a property is violated below minus this, and above that it is rounding
)
# Lies: times the true demand of a resource; or this part of the dominant demand, if it needs none of it.
FACTORS = (0.5, 0.9, 1.1, 2.0)
ADDED = (0.01, 0.25, 0.5, 1.0)
Vector = npt.ArrayLike
Solver = str | Rule | Callable[[Tree, Vector], Allocation]  # a rule of `allocate`, or a function


class Margin(NamedTuple):
    """The margin of a property (negative: it is violated), and the leaf or group for which it is least."""

    value: float
    who: str


def _least(tree, margin, nodes):
    """The least of the margins of these nodes; of margins that differ by rounding alone, the first."""
    worst = int(margin.round(12).argmin())
    return Margin(float(margin[worst]), tree.name(nodes[worst]))


def solve(tree: Tree, capacity: Vector, rule: Solver) -> Allocation:
    """The divisible allocation of a rule, or of a function of (tree, capacity)."""
    if callable(rule):
        return rule(tree, capacity)
    return allocate(tree, capacity, rule)


class Solved(NamedTuple):
    """A tree with the capacities (R,), a rule, and the rule's allocation: properties are asked of it.

    >>> tree, capacity = Tree([(1, 0), [(1, 0), (0, 1)]]), np.array([10.0, 10.0])
    >>> Solved(tree, capacity, "drf", solve(tree, capacity, "drf")).guarantee.tolist()
    [0.5, 0.25, 0.25]
    """

    tree: Tree
    capacity: np.ndarray
    rule: Solver
    allocation: Allocation

    @property
    def guarantee(self) -> np.ndarray:
        """The leaves' guarantees (p,)."""
        return self.tree.guarantee[self.tree.leaves]

    @property
    def need(self) -> np.ndarray:
        """The leaves' normalised demands (p, R): 1 for the dominant resource."""
        return flatten(self.tree, self.capacity).node_share[self.tree.leaves]


def collapsed(tree: Tree, capacity: Vector) -> Allocation:
    """Collapsed hierarchies by dominant shares (MCH, Section I.C): weighted DRF by the leaves' guarantees."""
    guarantee = tree.guarantee[tree.leaves]
    omega = {(k,): float(share) for k, share in enumerate(guarantee, 1)}
    leaves = [tuple(row) for row in tree.demand.tolist()]
    return allocate(Tree(leaves, omega), capacity, "weighted-drf")


@typed
def node_shares(tree: Tree, capacity: Vector, shares: Vector) -> np.ndarray:
    """The share of each node, (Q,), from the leaves' dominant shares (p,); for rows of these, rows.

    A group is worth what its poorest child lets it show: H-DRF's rescaled share before anything is saturated,
    mu times the least share per weight. It grows with every leaf's, so it can be asked of any allocation.

    >>> node_shares(Tree([(1, 1), [(1, 0), (0, 1)]]), [10, 10], [0.5, 0.5, 0.25]).tolist()
    [0.5, 0.5, 0.25, 0.5, 0.25]
    """
    mu = flatten(tree, capacity).mu
    leaves = np.asarray(shares, float).T
    share = np.zeros((tree.n_nodes, *leaves.shape[1:]))
    least = np.full_like(share, np.inf)
    share[tree.leaves] = leaves
    for node in reversed(range(tree.n_nodes)):  # children before their group
        if tree.leaf_of[node] < 0:
            share[node] = mu[node] * least[node]
        group = tree.parent[node]  # -1 above the root: the last node, which is done
        least[group] = np.minimum(least[group], share[node] / tree.weight[node])
    return share.T


def share_guarantee(solved: Solved) -> Margin:
    """Every leaf and every group but the root has its hierarchical share guarantee, whatever siblings ask.

    H-DRF keeps it: at the first saturation siblings' shares per weight add up to 1, and none falls later.

    >>> tree, capacity = Tree([(1, 1), [(1, 0), (0, 1)]]), [10, 10]
    >>> share_guarantee(Solved(tree, capacity, "drf", solve(tree, capacity, "drf")))
    Margin(value=0.0, who='n1')
    """
    tree = solved.tree
    shares = node_shares(tree, solved.capacity, solved.allocation.shares)
    margin = shares / tree.guarantee - 1
    first = min(1, tree.n_nodes - 1)  # the root counts when it is a leaf
    return _least(tree, margin[first:], range(first, tree.n_nodes))


def sharing_incentive(solved: Solved) -> Margin:
    """Every leaf runs as many tasks as on its guarantee's part of every resource, a cluster of its own."""
    tree = solved.tree
    part = solved.guarantee[:, None] * solved.capacity
    with np.errstate(divide="ignore"):
        alone = (part / tree.demand).min(axis=1)
    return _least(tree, solved.allocation.tasks / alone - 1, tree.leaves)


def envy_freeness(solved: Solved, *, across: bool = False) -> Margin:
    """No leaf would run more tasks with a sibling leaf's resources, times the ratio of their guarantees.

    `across`: with any other leaf's. A hierarchy does not promise that: a leaf whose sibling needs other
    resources gets more than one whose sibling competes with it.
    """
    tree = solved.tree
    need = solved.need[:, None]
    used = solved.allocation.usage / solved.capacity
    scaled = used / solved.guarantee[:, None]
    with np.errstate(divide="ignore", invalid="ignore"):
        runs = np.where(
            need > 0, scaled / need, np.inf
        )  # (p, p, R): row's leaf with column's usage
    worth = runs.min(axis=2)
    keeps = solved.allocation.shares / solved.guarantee
    margin = keeps[:, None] - worth
    if not across:
        parent = tree.parent[tree.leaves]
        margin[parent[:, None] != parent] = np.inf
    np.fill_diagonal(margin, np.inf)
    if not np.isfinite(margin).any():
        return Margin(0.0, "no two leaves to compare")
    pair = divmod(int(margin.argmin()), tree.n_leaves)
    names = [tree.name(tree.leaves[leaf]) for leaf in pair]
    return Margin(float(margin.min()), " of ".join(names))


envy_freeness_across = partial(envy_freeness, across=True)


def pareto_efficiency(solved: Solved) -> Margin:
    """No leaf could run more with what is left over."""
    tree = solved.tree
    usage = solved.allocation.usage.sum(axis=0)
    left = 1 - usage / solved.capacity
    need = solved.need
    with np.errstate(divide="ignore", invalid="ignore"):
        room = np.where(need > 0, left / need, np.inf)
    margin = -room.min(axis=1) / solved.guarantee
    value, who = _least(tree, margin, tree.leaves)
    return Margin(min(0.0, value), who)


def lies(demand: np.ndarray, capacity: np.ndarray) -> Iterator[np.ndarray]:
    """The demands that a leaf may report instead of its demand (R,), by `FACTORS` and `ADDED`, one resource at a time."""
    dominant = (demand / capacity).max()
    for j, need in enumerate(demand):
        reports = need * np.array(FACTORS)
        if need == 0:
            reports = dominant * capacity[j] * np.array(ADDED)
        for reported in reports:
            lie = demand.copy()
            lie[j] = reported
            yield lie


def strategy_proofness(solved: Solved) -> Margin:
    """No leaf runs more tasks (of the true demand) by misreporting it: the greatest gain over all `lies`."""
    tree = solved.tree
    capacity = solved.capacity
    worst = Margin(0.0, "no leaf")
    for i, truth in enumerate(tree.demand):
        needed = truth > 0
        share = (truth / capacity).max()  # of a task
        for lie in lies(truth, capacity):
            reported = tree.demand.copy()
            reported[i] = lie
            lied = solve(tree.with_demand(reported), capacity, solved.rule)
            tasks = (lied.usage[i][needed] / truth[needed]).min()
            loss = solved.allocation.shares[i] - tasks * share
            margin = float(loss / solved.guarantee[i])
            if margin < worst.value:
                name = tree.name(tree.leaves[i])
                worst = Margin(margin, f"{name} reporting {np.round(lie, 4).tolist()}")
    return worst


def long_run_guarantee(tree: Tree, times: Vector, shares: Vector) -> Margin:
    """No leaf is starved while tasks end and start: its mean share over time is its guarantee at least.

    `times (T + 1,)`: when the shares change, and the end; `shares (T, p)`: dominant shares in between, all
    leaves active. -1: a leaf got nothing. Source: Bhattacharya et al., SoCC 2013; MCH, Section I.C.

    >>> long_run_guarantee(Tree([(1, 0), (1, 0)]), [0, 1, 4], [[0.5, 0.5], [0.9, 0.1]])
    Margin(value=-0.6, who='n2')
    """
    length = np.diff(np.asarray(times, float))
    mean = dot(length, shares) / length.sum()
    margin = mean / tree.guarantee[tree.leaves] - 1
    return _least(tree, margin, tree.leaves)


PROPERTIES: dict[str, Callable[[Solved], Margin]] = {
    "share guarantee": share_guarantee,
    "sharing incentive": sharing_incentive,
    "envy-freeness among siblings": envy_freeness,
    "envy-freeness across groups": envy_freeness_across,
    "Pareto efficiency": pareto_efficiency,
    "strategy-proofness": strategy_proofness,
}


@typed
def property_table(
    capacity: Vector, rules: Iterable[Solver], trees: Iterable[Tree]
) -> pd.DataFrame:
    """How often each rule (a name, a `Rule` or a function) violates each of `PROPERTIES`.

    Gives `rule, property, trees, violated, worst, tree`. `trees` counts those that the rule takes (C-CH and
    M-CH: whose leaves all need their resource); `violated`: share of them on which it falls short by more
    than `TOLERANCE`; `worst`: the least margin, in units of the guarantee; `tree`: its tree's number.

    >>> tree = Tree([(1, 0), [(1, 0), (0, 1), (1, 1)]])
    >>> property_table([10, 10], ["drf"], [tree]).head(1).values.tolist()
    [['drf', 'share guarantee', 1, 1.0, -0.333..., 0]]
    """
    rules = list(rules) if getattr(rules, "ndim", 1) else []
    trees = list(trees) if getattr(trees, "ndim", 1) else []
    are_trees = [isinstance(tree, Tree) for tree in trees]
    if not trees or not all(are_trees):
        raise TypeError("trees: needs a list of trees, one at least")
    if not rules:
        raise ValueError("rules: needs one at least, by name or as a function")
    amounts, *_ = [check_capacity(tree, capacity) for tree in trees]
    for rule in rules:
        shipped = isinstance(rule, str) and rule in RULES
        if not shipped and not callable(rule) and not isinstance(rule, Rule):
            raise unknown(
                "rules", rule, RULES, "or a Rule, or a function of a tree and its capacity"
            )
    rows: list[tuple] = []
    for rule in rules:
        margins = {name: np.full(len(trees), np.nan) for name in PROPERTIES}
        for number, tree in enumerate(trees):
            try:
                allocation = solve(tree, capacity, rule)
            except ValueError:  # the rule refuses the tree
                continue
            solved = Solved(tree, amounts, rule, allocation)
            for name, margin_of in PROPERTIES.items():
                margins[name][number] = margin_of(solved).value
        label = rule.name if isinstance(rule, Rule) else getattr(rule, "__name__", rule)
        for name, values in margins.items():
            rows.append((label, name, *_summary(values)))
    return pd.DataFrame(rows, columns=["rule", "property", "trees", "violated", "worst", "tree"])


def _summary(margins):
    """Of a property's margins, NaN where a rule refused the tree: count, share violated, worst, its tree."""
    taken = margins[~np.isnan(margins)]
    if len(taken) == 0:
        return 0, np.nan, np.nan, -1
    worst = int(np.nanargmin(margins.round(12)))
    violated = (taken < -TOLERANCE).mean()
    return len(taken), violated, margins[worst], worst
