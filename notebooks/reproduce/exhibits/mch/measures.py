"""The measures of MCH's claims: worked examples, random trees, shares over time, and what a decision costs.

Cost is counted in operations (nodes and heap places looked at), which repeat; seconds do not. A method is a rule
and how it is computed: "h-drf literal" is H-DRF as printed, "h-drf fast" ours, with nothing computed twice.
"""

import numpy as np
from pandas import DataFrame

from reproduce.exhibits import Each, each_seed, only
from reproduce.exhibits.mch import EXACT
from reproduce.exhibits.mch.fig1_4_weights import ACTIVE
from reproduce.exhibits.mch.fig5_cost import exponents
from reproduce.exhibits.mch.guarantee import late
from schedlib.intervals import Exact, Proportion

WINDOWS = {"all active": ACTIVE, "n1,2 there": (640, 780), "n1,2 gone": (800, 880)}
"""Seconds: all six leaves have tasks waiting; before and after n1,2 leaves at 790 s, with the same others."""


def farthest(frame: DataFrame, columns: list[str], wanted: list[float], **where) -> Exact:
    """The largest distance of these columns of these rows, in their order, from what the paper prints."""
    rows = only(frame, **where)
    measured = rows[columns].to_numpy(float).ravel()
    gaps = np.abs(measured - wanted)
    return Exact(gaps.max())


def unequal(frame: DataFrame, case: str, column: str = "gap") -> Proportion:
    """The share (%) of random trees on which the flat tree's tasks are not the hierarchy's."""
    rows = only(frame, case=case)
    apart = rows[column] > EXACT
    return Proportion(int(apart.sum()), len(apart), 100.0)


def trees_with(frame: DataFrame, column: str, **where) -> Proportion:
    """The share (%) of random trees, among these rows, on which `column` is true."""
    rows = only(frame, **where)
    trees = rows["trees"]
    with_it = rows[column] * trees
    return Proportion(round(with_it.sum()), int(trees.sum()), 100.0)


def share(frame: DataFrame, leaves: list[str], window: str) -> Exact:
    """MCH's mean dominant share of these leaves in a window of time."""
    start, end = WINDOWS[window]
    rows = only(frame, rule="mch", name=leaves)
    inside = rows["time"].between(start, end)
    shares = rows.loc[inside, "share"]
    return Exact(shares.mean())


def share_ratio(frame: DataFrame, more: list[str], less: list[str], window: str) -> Exact:
    """How many times the mean share of some leaves other leaves have, in a window of time."""
    above = share(frame, more, window)
    below = share(frame, less, window)
    return Exact(above.value / below.value)


def largest_change(frame: DataFrame, leaves: list[str], before: str, after: str) -> Exact:
    """By how much the mean share of one of these leaves changes from a window of time to another, at most."""
    changes = []
    for leaf in leaves:
        old = share(frame, [leaf], before)
        new = share(frame, [leaf], after)
        change = abs(new.value - old.value)
        changes.append(change)
    return Exact(max(changes))


def poorest(frame: DataFrame, rule: str) -> Each:
    """The share of the poorest leaf of all random trees with partial-type leaves over time, in % of its
    guarantee: one number a seed."""
    rows = only(frame, rule=rule)
    partial = rows[rows["partial"] > 0]
    return 100 * each_seed(partial, partial["least"], "min")


def nested(frame: DataFrame, rule: str) -> Each:
    """The share of the nested memory leaf of [memory, [CPU, memory]] over time, in % of its guarantee of 1/4:
    one number a seed."""
    rows = only(late(frame), rule=rule)
    return 100 * each_seed(rows, rows["share"]) / 0.25


def costs(frame: DataFrame, each: bool = False, **where) -> DataFrame:
    """Operations by size and seed, a column for each method: in all, or (`each`) of a decision."""
    rows = only(frame, **where)
    methods = rows["rule"] + " " + rows["method"]
    cost = rows["operations"]
    if each:
        cost = cost / rows["decisions"]
    size = "jobs" if "jobs" in rows else "q"
    table = rows.assign(method=methods, cost=cost).pivot_table(
        "cost", ["seed", "levels", size], "method"
    )
    return table.reset_index()


def growth(frame: DataFrame, method: str, over: str = "", size: str = "q") -> Each:
    """The power of q (with `size` "levels": of log p) with which a method's operations of a decision grow, or
    their ratio to those of the method `over`: one number a seed."""
    table = costs(frame, each=True)
    cost = table[method]
    if over:
        cost = cost / table[over]
    grown = table.assign(cost=cost)
    return exponents(grown, size, "cost").to_numpy()


def power(frame: DataFrame, each: bool = False, last: int = 0, **where) -> Each:
    """The power of MCH's operations with which H-DRF's grow, over all sizes or the `last` ones: one number a
    seed."""
    table = costs(frame, each, **where)
    if last:
        sizes = sorted(set(table["q"]))
        table = only(table, q=sizes[-last:])
    slopes = exponents(table, "mch fast", "h-drf literal")
    return slopes.to_numpy()


def times(frame: DataFrame, dear: str, cheap: str, most: str = "", **where) -> Each:
    """How many times the operations of the cheap method those of the dear one are, a geometric mean over all
    sizes, or at the `most` jobs or nodes: one number a seed."""
    table = costs(frame, **where)
    if most:
        largest = table[most].max()
        table = only(table, **{most: largest})
    logs = np.log(table[dear] / table[cheap])
    return np.exp(each_seed(table, logs))
