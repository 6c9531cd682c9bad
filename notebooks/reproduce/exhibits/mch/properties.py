"""Which properties of fair sharing each rule keeps on random trees; the smallest trees on which it fails."""

import functools
from collections.abc import Callable

import numpy as np
import pandas as pd

from exhibits.mch import CAPACITY, RULES, SEEDS, heat_maps, label, random_trees, trees_with
from schedlib.experiment import Experiment, Figure, claim_maker, grid, scales
from schedlib.mch.allocate import allocate
from schedlib.mch.flatten import flatten
from schedlib.mch.properties import PROPERTIES, property_table, solve
from schedlib.mch.search import as_text, counter_example
from schedlib.pictures.alt import alt

PLACE = 5.3
SHORT = dict(
    zip(
        PROPERTIES,
        (
            "share\nguarantee",
            "sharing\nincentive",
            "no envy,\nsiblings",
            "no envy,\nall leaves",
            "Pareto\nefficiency",
            "strategy-\nproofness",
        ),
        strict=True,
    )
)


def run(depth: int, partial: float, trees: int, seed: int) -> pd.DataFrame:
    """How often each rule violates each property: `rule, property, trees, violated, worst`."""
    table = property_table(
        [CAPACITY] * 2, RULES.values(), random_trees(depth, partial, 2, trees, seed)
    )
    return table.drop(columns="tree")


def _full(tree):
    return np.full(tree.n_resources, CAPACITY)


def _clear(tree):
    """Whether one resource alone is saturated first: a failure could be put down to a tie of two."""
    return np.sort(flatten(tree, _full(tree)).node_share[0])[-2] < 0.99


def _violates(holds, rule, tree):
    """Whether the rule takes the tree and misses the property by more than 1 % of the guarantee."""
    try:
        return _clear(tree) and holds(tree, _full(tree), rule).value < -0.01
    except ValueError:
        return False


def _gaps(tree, rule):
    """How far each leaf's dominant share, (p,), is from H-DRF's."""
    return np.abs(
        solve(tree, _full(tree), rule).shares - allocate(tree, _full(tree), "h-drf").shares
    )


def run_search(rule: str, tries: int, seed: int) -> pd.DataFrame:
    """The smallest tree found for each property that a rule violates.

    Columns are `rule, property, tree, leaves, margin, who, shares, h_drf`; shares are the leaves' dominant
    shares in per cent, the rule's and H-DRF's. A property without a row failed on no tree. For the flat rules
    `as H-DRF` is a property too: allocating 1 % of the cluster otherwise fails it.
    """
    one, rows = RULES[rule], []
    searched: dict[str, Callable] = {
        name: functools.partial(_violates, holds, one) for name, holds in PROPERTIES.items()
    }
    if rule in ("mch", "exact-ch", "case1"):
        searched |= dict.fromkeys(
            ("as H-DRF", "as H-DRF, full-type leaves"),
            lambda tree: _clear(tree) and _gaps(tree, one).max() > 0.01,
        )
    full_type = {"as H-DRF, full-type leaves", *(PROPERTIES if rule in ("c-ch", "m-ch") else ())}
    for name, fails in searched.items():
        tree = counter_example(fails, seed, tries, partial=0.0 if name in full_type else 0.5)
        if tree is None:
            continue
        gaps = _gaps(tree, one)
        margin, who = -gaps.max(), tree.name(tree.leaves[int(gaps.argmax())])
        if name in PROPERTIES:
            margin, who = PROPERTIES[name](tree, _full(tree), one)
        both = (100 * solve(tree, _full(tree), solved).shares for solved in (one, "h-drf"))
        words = (", ".join(f"{share:.3g}" for share in shares) for shares in both)
        rows.append((rule, name, as_text(tree), tree.n_leaves, margin, who, *words))
    columns = ["rule", "property", "tree", "leaves", "margin", "who", "shares", "h_drf"]
    return pd.DataFrame(rows, columns=columns)


def _kind(partial):
    return (
        "all leaves full-type" if partial == 0 else f"{100 * partial:.0f} % of leaves partial-type"
    )


def _rates(rows):
    """The share of trees (%) on which each rule violates each property."""
    sums = rows.assign(bad=rows["violated"] * rows["trees"]).pivot_table(
        ["bad", "trees"], "rule", "property", aggfunc="sum", sort=False
    )
    return 100 * sums["bad"] / sums["trees"]


def plot(frame: pd.DataFrame):
    """Share of random trees on which each rule violates each property, a panel for each kind of leaves."""
    panels = []
    for partial, rows in frame.groupby("partial"):
        rates = _rates(rows).reindex(columns=list(SHORT))
        panels.append(
            (rates, [label(rule) for rule in rates.index], list(SHORT.values()), _kind(partial))
        )
    figure = heat_maps(panels, (5.6, 4.2), "property", "rule", "trees on which it is violated (%)")
    for ax in figure.axes[: len(panels)]:
        ax.tick_params(axis="x", labelsize=8)
    return figure


def _caption(frame):
    count = int(
        frame[frame["rule"] == "h-drf"].groupby(["property", "partial"])["trees"].sum().min()
    )
    return (
        f"Share of {count:,} random trees a panel (two resources, {frame['depth'].min()} to "
        f"{frame['depth'].max()} levels, equal weights, divisible tasks) on which each rule violates "
        "each property. The share guarantee is tested for leaves and groups, the sharing incentive for "
        "leaves. For strategy-proofness one leaf reports wrong demands from a grid. For C-CH and M-CH "
        "only trees count whose leaves all use their resource. Two rules are ours: MCH with Case 1's "
        "weight for all leaves, and Exact CH, which takes H-DRF's shares as weights."
    )


def guarantee_violated(frame: pd.DataFrame) -> pd.DataFrame:
    """How often each rule violates the share guarantee: `partial, rule, rate` (%)."""
    rows = frame[frame["property"] == "share guarantee"]
    return rows.assign(rate=100 * rows["violated"])


def _violated(rules, frame):
    """Share of trees (%) with full-type leaves and several levels that violate the guarantee."""
    rows = frame[(frame["property"] == "share guarantee") & frame["rule"].isin(rules)]
    return trees_with(rows[(rows["partial"] == 0) & (rows["depth"] > 1)], "violated")


EXPERIMENTS = (
    Experiment(
        "mch.properties",
        "Which properties of fair sharing each rule keeps",
        run,
        scales(
            *(
                grid(depth=range(1, most + 1), partial=[0.0, 0.5], trees=[trees])
                for trees, most in ((2, 2), (5, 4), (20, 4))
            )
        ),
        SEEDS,
    ),
    Experiment(
        "mch.counterexamples",
        "The smallest trees on which a property fails",
        run_search,
        scales(*(grid(rule=RULES, tries=[tries]) for tries in (5, 15, 100))),
        scales(1),
    ),
)
FIGURES = (
    Figure(
        "mch.properties",
        "mch.properties",
        plot,
        _caption,
        alt(
            "Heat maps of rules against properties. Trees that violate the share guarantee (%), by rule and "
            "by the chance of a partial-type leaf",
            "rate",
            ["rule", "chance"],
            of=lambda frame: guarantee_violated(frame).rename(columns={"partial": "chance"}),
            names={"collapsed": label("collapsed")},
        ),
    ),
    Figure(
        "mch.counterexamples",
        "mch.counterexamples",
        None,
        "The smallest trees found on which a rule violates a property by 1 % of the guarantee or more, "
        "or on which a flat rule's shares differ from H-DRF's by more than 1 % of the cluster. There are "
        "two resources of equal capacity. A leaf is written as what one of its tasks needs, a group in "
        "brackets. Shares are the leaves' dominant shares in per cent, from left to right. The margin is "
        "in units of the guarantee. For C-CH and M-CH all leaves need both resources. A tree is found at "
        "random and then made smaller until no smaller step still violates the property.",
        "Table of the smallest trees found on which a rule violates a property.",
    ),
)
_claim = claim_maker(
    "mch", metric="share of random trees on which it is violated", unit="%", check="order"
)
CLAIMS = tuple(
    _claim(
        f"collapsed-{name}",
        "Section I.C",
        f"Collapsed hierarchies {what} may violate the guarantee",
        "mch.properties",
        functools.partial(_violated, rules),
    )
    for name, what, rules in (
        ("one", "by the share of one resource (C-CH, M-CH)", ("c-ch", "m-ch")),
        ("dominant", "extended to dominant shares", ("collapsed",)),
    )
)
