"""Which properties of fair sharing each rule keeps on random trees of two resources."""

import functools

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
from schedlib.experiment import Experiment, Figure, claim_maker, grid, scales
from schedlib.mch.properties import property_table

PLACE = 5.3
SHORT = {
    "share guarantee": "share\nguarantee", "sharing incentive": "sharing\nincentive",
    "envy-freeness among siblings": "no envy,\nsiblings",
    "envy-freeness across groups": "no envy,\nall leaves",
    "Pareto efficiency": "Pareto\nefficiency", "strategy-proofness": "strategy-\nproofness"}


def run(depth: int, partial: float, trees: int, seed: int) -> pd.DataFrame:
    """How often each rule violates each property: `rule, property, trees, violated, worst`."""
    table = property_table([CAPACITY] * 2, RULES.values(), random_trees(depth, partial, 2, trees, seed))
    return table.drop(columns="tree")


def _kind(partial):
    return "all leaves full-type" if partial == 0 else f"{100 * partial:.0f} % of leaves partial-type"


def plot(frame: pd.DataFrame):
    """Share of random trees on which each rule violates each property, a panel for each kind of leaves."""
    panels = []
    for partial, rows in frame.assign(bad=frame["violated"] * frame["trees"]).groupby("partial"):
        sums = rows.pivot_table(["bad", "trees"], "rule", "property", aggfunc="sum", sort=False)
        rates = (100 * sums["bad"] / sums["trees"]).reindex(columns=list(SHORT))
        panels.append((rates, [label(rule) for rule in rates.index], list(SHORT.values()), _kind(partial)))
    figure = heat_maps(panels, (5.6, 4.2), "property", "rule", "trees on which it is violated (%)")
    for ax in figure.axes[: len(panels)]:
        ax.tick_params(axis="x", labelsize=8)
    return figure


def _caption(frame):
    count = int(frame[frame["rule"] == "h-drf"].groupby(["property", "partial"])["trees"].sum().min())
    return (
        f"Share of {count:,} random trees a panel (two resources, {frame['depth'].min()} to "
        f"{frame['depth'].max()} levels, equal weights, divisible tasks) on which each rule violates each "
        "property. The share guarantee is asked for leaves and groups, the sharing incentive for leaves; "
        "strategy-proofness is searched over one leaf's lies on a grid. C-CH and M-CH count only trees whose "
        "leaves all use their resource. MCH with Case 1's weight for all leaves, and Exact CH (H-DRF's "
        "shares as weights), are ours.")


def _alt(frame):
    words = []
    for partial, rows in frame[frame["property"] == "share guarantee"].groupby("partial"):
        sums = rows.assign(bad=rows["violated"] * rows["trees"]).groupby("rule", sort=False)
        rate = (100 * sums["bad"].sum() / sums["trees"].sum()).dropna()
        listed = ", ".join(f"{label(rule)} on {value:.0f} %" for rule, value in rate.items())
        words.append(f"with {_kind(partial)} by {listed}")
    return ("Heat maps of rules against properties. The share guarantee is violated "
            f"{'; '.join(words)} of the trees.")


def _violated(rules, frame):
    """Share of trees (%) with full-type leaves and several levels that violate the guarantee."""
    rows = frame[(frame["property"] == "share guarantee") & frame["rule"].isin(rules)]
    return share_of_trees(rows[(rows["partial"] == 0) & (rows["depth"] > 1)], "violated")


_claim = claim_maker("mch", metric="share of random trees on which it is violated", unit="%", check="order")

EXPERIMENTS = (Experiment("mch.properties", "Which properties of fair sharing each rule keeps", run,
                          scales(*(grid(depth=range(1, most + 1), partial=[0.0, 0.5], trees=[trees])
                                   for trees, most in ((2, 2), (10, 4), (100, 4)))), SEEDS),)
FIGURES = (Figure("mch.properties", "mch.properties", plot, _caption, _alt),)
CLAIMS = tuple(
    _claim(f"collapsed-{name}", "Section I.C", f"Collapsed hierarchies {what} may violate the guarantee",
           "mch.properties", functools.partial(_violated, rules))
    for name, what, rules in (("one", "by the share of one resource (C-CH, M-CH)", ("c-ch", "m-ch")),
                              ("dominant", "extended to dominant shares", ("collapsed",))))
