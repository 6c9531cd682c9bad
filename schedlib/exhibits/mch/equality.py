"""Whether MCH, and two repairs of it, allocate as H-DRF does and keep the guarantee, on random trees.

Tasks are divisible, and a leaf is partial-type with a chance from 0 to 1. A theorem has no exceptions, so
shares of trees are to be 0 % within one point, which leaves room for ties alone.
"""

import functools

import numpy as np
import pandas as pd

from schedlib.exhibits.mch.common import (
    CAPACITY,
    RULES,
    SEEDS,
    heat_maps,
    label,
    random_trees,
    share_of_trees,
)
from schedlib.experiment import Experiment, Figure, claim_maker, scales
from schedlib.mch.allocate import allocate
from schedlib.mch.properties import TOLERANCE, node_shares, solve

PLACE = 5.1
PARTIALS = (0.0, 0.25, 0.5, 0.75, 1.0)
"""Chances that a leaf is partial-type."""


def run(rule: str, depth: int, partial: float, resources: int, trees: int, seed: int) -> pd.DataFrame:
    """How often and how far a flat rule's shares differ from H-DRF's, and who misses the guarantee: one row.

    - `leaves`: mean number; `differ`: share of trees on which some leaf's dominant share differs by over
      `TOLERANCE`
    - `gap`, `largest_gap`: that greatest difference, mean and largest over the trees (of the whole cluster)
    - `below_leaf`, `below`: share of trees with a leaf, with a leaf or group below its guarantee;
      `h_drf_below`: the same of H-DRF
    - `least_leaf`, `least`: the least share of a leaf, of a leaf or group, over its guarantee
    """
    rows, capacity = [], np.full(resources, CAPACITY)
    for tree in random_trees(depth, partial, resources, trees, seed):
        ours, theirs = solve(tree, capacity, RULES[rule]).shares, allocate(tree, capacity, "h-drf").shares
        ratio, its = (node_shares(tree, capacity, s)[1:] / tree.guarantee[1:] for s in (ours, theirs))
        leaf = ratio[tree.leaves - 1].min()
        rows.append((tree.n_leaves, np.abs(ours - theirs).max(), leaf, ratio.min(), its.min()))
    leaves, gap, least_leaf, least, its_least = np.array(rows).T
    below_leaf, below, h_drf_below = ((one < 1 - TOLERANCE).mean() for one in (least_leaf, least, its_least))
    return pd.DataFrame([{
        "leaves": leaves.mean(), "differ": (gap > TOLERANCE).mean(), "gap": gap.mean(),
        "largest_gap": gap.max(), "below_leaf": below_leaf, "below": below, "h_drf_below": h_drf_below,
        "least_leaf": least_leaf.min(), "least": least.min()}])


def _heat_maps(panels):
    """Levels against partial-type leaves: `(rows, column, title)` each."""
    tables = [(100 * rows.pivot_table(column, "depth", "partial"), title) for rows, column, title in panels]
    panels = [(table, table.index, [f"{100 * partial:.0f}" for partial in table.columns], title)
              for table, title in tables]
    return heat_maps(panels, (4.5, 3.6), "chance that a leaf is partial-type (%)", "levels of the tree",
                     "share of trees (%)")


def plot_equality(frame: pd.DataFrame, resources: int = 2):
    """How often MCH's shares differ from H-DRF's, and how often a leaf or group falls below its guarantee."""
    rows = frame[frame["resources"] == resources]
    titles = {"differ": "shares other than H-DRF's", "below": "a leaf or group below its guarantee"}
    return _heat_maps([(rows, column, title) for column, title in titles.items()])


def plot_exact(frame: pd.DataFrame):
    """How often two repairs of MCH give shares other than H-DRF's, two resources and more alike."""
    return _heat_maps([(rows, "differ", f"{label(rule)}: other than H-DRF's")
                       for rule, rows in frame.groupby("rule")])


def _trees(frame):
    """Trees in each cell of a heat map."""
    return int(frame.groupby(["depth", "partial"])["trees"].sum().min())


def _caption_equality(frame, resources=2):
    rows, rule = frame[frame["resources"] == resources], label(frame["rule"].iloc[0])
    return (
        f"{rule} against H-DRF on {_trees(rows):,} random trees for each cell, {resources} resources, equal "
        "weights, divisible tasks. Left: some leaf's dominant share differs. Right: some leaf or group "
        f"falls below its hierarchical share guarantee, under {rule}; under H-DRF on "
        f"{100 * rows['h_drf_below'].mean():.2g} % of all trees. The largest difference of a leaf's "
        f"share is {100 * rows['largest_gap'].max():.3g} % of the cluster; the least share of a leaf is "
        f"{100 * rows['least_leaf'].min():.3g} % of its guarantee.")


def _alt_equality(frame, resources=2):
    rows = frame[frame["resources"] == resources]
    deep = rows[rows["depth"] == rows["depth"].max()]
    words = "; ".join(
        f"{100 * one['differ'].mean():.3g} % differ and {100 * one['below'].mean():.3g} % violate the "
        f"guarantee when a leaf is partial-type with chance {100 * partial:.0f} %"
        for partial, one in deep.groupby("partial"))
    levels = deep["depth"].iloc[0]
    return f"Two heat maps by levels and partial-type leaves. Of trees with {levels} levels {words}."


def _caption_exact(frame):
    words = ". ".join(
        f"{label(rule)}: the guarantee is violated on {100 * rows['below'].mean():.2g} % of trees, a share "
        f"differs by {100 * rows['largest_gap'].max():.2g} % at most" for rule, rows in frame.groupby("rule"))
    one = frame[frame["rule"] == frame["rule"].iloc[0]]
    return (
        f"Two repairs of MCH on {_trees(one):,} random trees for each cell, {one['resources'].min()} to "
        f"{one['resources'].max()} resources, divisible tasks. Case 1's weight for every leaf is H-DRF until "
        "a resource is saturated; what is left over goes another way. Exact CH takes H-DRF's own shares as "
        f"weights. {words} (of the cluster).")


def _alt_exact(frame):
    differ = frame.groupby("rule")["differ"].mean()
    words = ", ".join(f"{label(rule)} {100 * share:.3g} %" for rule, share in differ.items())
    return ("Two heat maps by levels and partial-type leaves. Trees with shares other than H-DRF's, over all "
            f"cells: {words}.")


def _failing(column, kind, frame):
    """The share of trees (%) with this kind of leaves on which a column holds."""
    return share_of_trees(frame[(frame["partial"] > 0) == (kind == "partial")] if kind else frame, column)


def _points(trees, *rules):
    """The points of each scale, one rule after the other; `trees` at quick scale."""
    deep = (1, 2, 3, 4, 5)
    sizes = ((4, (2, 3), (1, 2, 3), (0.0, 0.5)), (trees, (2, 3), deep, PARTIALS),
             (5 * trees, (2, 3, 4), deep, PARTIALS))
    return scales(*([{"depth": depth, "partial": partial, "trees": count, "rule": rule, "resources": m}
                     for rule in rules for m in resources for depth in depths for partial in partials]
                    for count, resources, depths, partials in sizes))


GUARANTEE = "abstract; Sections III and V"
KEEPS = "keeps the hierarchical share guarantee of leaves"
SAME = "MCH's allocation is exactly the same as the hierarchical one (H-DRF's)"
FULL, PARTIAL = "all leaves are full-type", "some leaves are partial-type"
_claim = claim_maker("mch", metric="share of random trees on which it fails", unit="%", tolerance=1.0)

EXPERIMENTS = (
    Experiment("mch.equality", "How often MCH allocates as H-DRF does", run, _points(200, "mch"), SEEDS),
    Experiment("mch.exact", "Two repairs of MCH against H-DRF", run, _points(50, "case1", "exact-ch"), SEEDS),
)
EQUALITY = plot_equality, _caption_equality, _alt_equality
FIGURES = (
    Figure("mch.equality", "mch.equality", *EQUALITY),
    Figure("mch.equality3", "mch.equality", *(functools.partial(make, resources=3) for make in EQUALITY)),
    Figure("mch.exact", "mch.exact", plot_exact, _caption_exact, _alt_exact),
)
CLAIMS = tuple(
    _claim(name, where, claim, "mch.equality", functools.partial(_failing, column, kind), 0.0)
    for name, where, claim, column, kind in (
        ("guarantee-full", GUARANTEE, f"MCH {KEEPS} and groups when {FULL}", "below", "full"),
        ("guarantee-partial", GUARANTEE, f"MCH {KEEPS} and groups when {PARTIAL}", "below", "partial"),
        ("guarantee-partial-leaf", GUARANTEE, f"MCH {KEEPS} (groups not asked) when {PARTIAL}", "below_leaf",
         "partial"),
        ("same-full", "Section III.A.3, Case 1", f"{SAME} when {FULL}", "differ", "full"),
        ("same-partial", "Section III.A.3, Case 2", f"{SAME} when {PARTIAL}", "differ", "partial"),
        ("h-drf-guarantee", "Section I.C", f"H-DRF {KEEPS} and groups", "h_drf_below", None)))
