"""MCH's family on random trees: which properties hold, how often MCH allocates as H-DRF does, who starves, the smallest failures."""

import numpy as np
import pandas as pd

from schedlib.experiment import Experiment
from schedlib.mch.allocate import allocate
from schedlib.mch.flatten import flatten
from schedlib.mch.model import Tree
from schedlib.mch.properties import (
    PROPERTIES,
    TOLERANCE,
    collapsed,
    long_run_guarantee,
    node_shares,
    property_table,
    solve,
)
from schedlib.mch.search import as_text, counter_example, random_tree
from schedlib.mch.simulate import simulate

CAPACITY = 100.0
"""Of each resource; divisible shares do not depend on it."""

RULES = {name: name for name in ("drf", "h-drf", "naive-h-drf", "mch", "case1", "exact-ch", "c-ch", "m-ch")} | {
    "collapsed": collapsed,
}
"""The rules compared; `collapsed`: collapsed hierarchies with dominant shares; `case1`: MCH with one weight formula for all leaves."""


def _trees(depth, partial, resources, trees, seed):
    """The same random trees for every rule; no two points or seeds share one."""
    rng = np.random.default_rng([seed, depth, resources, round(1000 * partial)])
    return [random_tree(rng, depth, resources=resources, partial=partial) for _ in range(trees)]


def properties(depth: int, partial: float, trees: int, seed: int) -> pd.DataFrame:
    """How often each rule violates each property on random trees of two resources: `rule, property, trees, violated, worst`."""
    found = property_table([CAPACITY] * 2, RULES.values(), _trees(depth, partial, 2, trees, seed))
    return found.drop(columns="tree")


def equality(rule: str, depth: int, partial: float, resources: int, trees: int, seed: int) -> pd.DataFrame:
    """How often and how far a flat rule's shares differ from H-DRF's, and who falls below the guarantee, on random trees: one row.

    - `leaves`: mean number; `differ`: share of trees on which some leaf's dominant share differs by more than `TOLERANCE`
    - `gap`, `largest_gap`: that greatest difference, mean and largest over the trees (of the whole cluster)
    - `below_leaf`, `below`: share of trees with a leaf, with a leaf or group below its guarantee; `h_drf_below` the same of H-DRF
    - `least_leaf`, `least`: the least share of a leaf, of a leaf or group, over its guarantee
    """
    rows, capacity, rule = [], np.full(resources, CAPACITY), RULES[rule]
    for tree in _trees(depth, partial, resources, trees, seed):
        ours, theirs = solve(tree, capacity, rule).shares, allocate(tree, capacity, "h-drf").shares
        ratio, its = (node_shares(tree, capacity, shares)[1:] / tree.guarantee[1:] for shares in (ours, theirs))
        rows.append((tree.n_leaves, np.abs(ours - theirs).max(), ratio[tree.leaves - 1].min(), ratio.min(), its.min()))
    leaves, gap, least_leaf, least, its_least = np.array(rows).T
    row = {
        "leaves": leaves.mean(),
        "differ": (gap > TOLERANCE).mean(),
        "gap": gap.mean(),
        "largest_gap": gap.max(),
        "below_leaf": (least_leaf < 1 - TOLERANCE).mean(),
        "below": (least < 1 - TOLERANCE).mean(),
        "h_drf_below": (its_least < 1 - TOLERANCE).mean(),
        "least_leaf": least_leaf.min(),
        "least": least.min(),
    }
    return pd.DataFrame([row])


def _clear(tree):
    """Whether one resource alone would be saturated first in the hierarchy: where two tie, a rule's failure could be put down to the tie."""
    return np.sort(flatten(tree, np.full(tree.n_resources, CAPACITY)).node_share[0])[-2] < 0.99


def _violates(holds, rule):
    """A predicate: the rule takes the tree and falls short of the property by more than 1 % of the guarantee."""

    def fails(tree):
        try:
            return _clear(tree) and holds(tree, np.full(tree.n_resources, CAPACITY), rule).value < -0.01
        except ValueError:
            return False

    return fails


def _differs(rule):
    """A predicate: some leaf's share is more than 1 % of the cluster away from H-DRF's."""

    def fails(tree):
        capacity = np.full(tree.n_resources, CAPACITY)
        return _clear(tree) and np.abs(solve(tree, capacity, rule).shares - allocate(tree, capacity, "h-drf").shares).max() > 0.01

    return fails


def counterexamples(rule: str, tries: int, seed: int) -> pd.DataFrame:
    """The smallest tree found for each property that a rule violates: `property, tree, leaves, margin, who, shares, h_drf`.

    Shares are the leaves' dominant shares in per cent, the rule's and H-DRF's. A property without a row failed on no tree. For the
    flat rules `as H-DRF` is a property too: allocating 1 % of the cluster otherwise fails it.
    """
    one, rows = RULES[rule], []
    searched = {name: _violates(holds, one) for name, holds in PROPERTIES.items()}
    if rule in ("mch", "exact-ch", "case1"):
        searched |= dict.fromkeys(("as H-DRF", "as H-DRF, full-type leaves"), _differs(one))
    partials = {"as H-DRF, full-type leaves": 0.0} | (dict.fromkeys(PROPERTIES, 0.0) if rule in ("c-ch", "m-ch") else {})
    for name, fails in searched.items():
        tree = counter_example(fails, seed, tries, partial=partials.get(name, 0.5))
        if tree is None:
            continue
        capacity = np.full(tree.n_resources, CAPACITY)
        shares, theirs = solve(tree, capacity, one).shares, allocate(tree, capacity, "h-drf").shares
        if name in PROPERTIES:
            margin, who = PROPERTIES[name](tree, capacity, one)
        else:
            worst = int(np.abs(shares - theirs).argmax())
            margin, who = -abs(shares - theirs)[worst], tree.name(tree.leaves[worst])
        rows.append((rule, name, as_text(tree), tree.n_leaves, margin, who, _percent(shares), _percent(theirs)))
    return pd.DataFrame(rows, columns=["rule", "property", "tree", "leaves", "margin", "who", "shares", "h_drf"])


def _percent(shares):
    return ", ".join(f"{100 * share:.3g}" for share in shares)


AT_ONCE = 50
"""About so many tasks of one leaf fill its dominant resource in the runs over time."""


def _over_time(tree, rule, horizon, rng):
    """Every leaf's dominant share at times 0, 1, ..., (T + 1, p): single tasks, waiting from the start, of exponential length 1."""
    tasks = 2 * AT_ONCE * horizon
    durations = rng.exponential(1.0, tree.n_leaves * tasks)
    jobs = pd.DataFrame({"leaf": np.repeat(np.arange(tree.n_leaves), tasks), "submit": 0.0, "tasks": 1, "duration": durations})
    run = simulate(tree, np.full(tree.n_resources, float(AT_ONCE)), rule, jobs, until=float(horizon), every=1.0)
    return run.shares.pivot(index="time", columns="leaf", values="share").to_numpy()


def starvation(rule: str, horizon: int, seed: int) -> pd.DataFrame:
    """A group with complementary leaves beside a memory leaf, tasks ending and starting: `time, leaf, share`, dominant shares.

    The tree is [memory, [CPU, memory]]; times in mean task lengths.
    """
    tree = Tree([(0, 1), [(1, 0), (0, 1)]])
    shares = _over_time(tree, rule, horizon, np.random.default_rng([seed, 17]))
    names = [tree.name(leaf) for leaf in tree.leaves]
    return pd.DataFrame(shares, columns=names).rename_axis("time").reset_index().melt("time", names, "leaf", "share")


def long_run(rule: str, depth: int, partial: float, trees: int, horizon: int, seed: int) -> pd.DataFrame:
    """Random trees over time, each leaf's mean share of the second half against its guarantee: one row.

    `starved`: share of trees with a leaf below half its guarantee; `least`: the least mean share over its guarantee. Two
    resources; a task needs 1/50 of its leaf's dominant resource.
    """
    rng, least = np.random.default_rng([seed, 18]), []
    for tree in _trees(depth, partial, 2, trees, seed):
        shares = _over_time(tree.with_demand(tree.demand / tree.demand.max(axis=1, keepdims=True)), rule, horizon, rng)
        late = shares[horizon // 2 :]
        least.append(1 + long_run_guarantee(tree, np.arange(len(late) + 1), late).value)
    return pd.DataFrame([{"starved": np.less(least, 0.5).mean(), "least": min(least)}])


OVER_TIME = ("h-drf", "mch", "exact-ch", "naive-h-drf", "drf")


def _grid(trees, depths, partials, resources=None, rule=None):
    more = {"rule": rule} if rule else {}
    return [
        {"depth": depth, "partial": partial, "trees": trees} | more | ({"resources": m} if m else {})
        for m in resources or (None,) for depth in depths for partial in partials
    ]  # fmt: skip


PARTIALS = (0.0, 0.25, 0.5, 0.75, 1.0)
SEEDS = {"smoke": 1, "quick": 5, "paper": 20}


def _equality(trees, *rules):
    """Points of `equality`, one rule after the other; `trees` at quick scale."""
    sizes = {
        "smoke": (4, (1, 2, 3), (0.0, 0.5), (2, 3)),
        "quick": (trees, (1, 2, 3, 4, 5), PARTIALS, (2, 3)),
        "paper": (5 * trees, (1, 2, 3, 4, 5), PARTIALS, (2, 3, 4)),
    }
    return {scale: [point for rule in rules for point in _grid(*size, rule)] for scale, size in sizes.items()}


EXPERIMENTS = (
    Experiment(
        "mch.properties", "Which properties of fair sharing each rule keeps", properties,
        {
            "smoke": _grid(2, (1, 2), (0.0, 0.5)),
            "quick": _grid(10, (1, 2, 3, 4), (0.0, 0.5)),
            "paper": _grid(100, (1, 2, 3, 4), (0.0, 0.5)),
        },
        SEEDS,
    ),
    Experiment("mch.equality", "How often MCH allocates as H-DRF does", equality, _equality(200, "mch"), SEEDS),
    Experiment("mch.exact", "Two repairs of MCH against H-DRF", equality, _equality(50, "case1", "exact-ch"), SEEDS),
    Experiment(
        "mch.starvation", "A group with complementary leaves beside a memory leaf, over time", starvation,
        {scale: [{"rule": rule, "horizon": end} for rule in OVER_TIME] for scale, end in (("smoke", 20), ("quick", 50), ("paper", 200))},
        SEEDS,
    ),
    Experiment(
        "mch.long-run", "Who is starved on random trees while tasks end and start", long_run,
        {
            scale: [
                {"rule": rule, "depth": depth, "partial": partial, "trees": trees, "horizon": end}
                for rule in OVER_TIME for depth in depths for partial in (0.0, 0.5)
            ]
            for scale, trees, depths, end in (("smoke", 1, (2,), 10), ("quick", 10, (2, 3), 50), ("paper", 50, (2, 3, 4), 200))
        },
        SEEDS,
    ),
    Experiment(
        "mch.counterexamples", "The smallest trees on which a property fails", counterexamples,
        {scale: [{"rule": rule, "tries": tries} for rule in RULES] for scale, tries in (("smoke", 5), ("quick", 100), ("paper", 1000))},
        dict.fromkeys(SEEDS, 1),
    ),
)  # fmt: skip
