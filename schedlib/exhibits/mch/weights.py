"""Section III.A on random demands: whether flat tree and hierarchy give the minimal general case the same."""

from functools import partial

import numpy as np
import pandas as pd

from schedlib.core.streams import streams
from schedlib.exhibits.mch.common import EXACT, per_seed
from schedlib.experiment import Experiment, Figure, claim_maker, grid, scales
from schedlib.mch.allocate import allocate
from schedlib.mch.flatten import flatten
from schedlib.mch.workloads import minimal_tree
from schedlib.pictures import style

PLACE = 3.2
LABELS = {"full": "Case 1: full-type", "other": "Sub-case 1: needs k, not k'",
          "first": "Sub-case 2: needs k = k'"}


def run(case: str, trees: int, seed: int) -> pd.DataFrame:
    """The minimal general case with random demands: `tree, gap`, the largest abs(t / t* - 1) over the leaves.

    n1 and n2,1 are full-type; n2,2 is so too (`full`), or needs one resource: the one that is first saturated
    (`first`) or not (`other`). Demands are uniform on [0.1, 1] of capacities of 100; trees of another case
    are drawn again.
    """
    (rng,) = streams(seed, f"mch weights {case}")
    rows: list[float] = []
    while len(rows) < trees:
        demand = rng.uniform(0.1, 1, (3, 2))
        if case != "full":
            demand[2, rng.integers(2)] = 0
        tree = minimal_tree(demand)
        needs_first = demand[2, flatten(tree, (100, 100)).first_saturated] > 0
        if case == "full" or needs_first == (case == "first"):
            star, flat = (allocate(tree, (100, 100), rule).tasks for rule in ("h-drf", "mch"))
            rows.append(round(float(np.abs(flat / star - 1).max()), 12))  # the digits left out are rounding
    return pd.DataFrame({"tree": range(trees), "gap": rows})


def plot(frame: pd.DataFrame):
    """How far tasks in the flat tree are from those in the hierarchy: a distribution for each case."""
    figure, ax = style.subplots(size=(6.4, 3.6))
    for case, colour, line in zip(LABELS, style.PALETTE, ("-", "--", ":"), strict=False):
        gaps = np.sort(frame.loc[frame["case"] == case, "gap"].clip(lower=EXACT))
        fraction = [0, *np.arange(1, len(gaps) + 1) / len(gaps), 1]
        ax.step([EXACT / 2, *gaps, 2], fraction, where="post", color=colour, linestyle=line,
                label=LABELS[case])
    ax.set(xscale="log", ylabel="fraction of trees", ylim=(0, 1.03), xlim=(EXACT / 2, 2))
    ax.set_xlabel(f"largest |t / t* - 1| over the leaves (at {EXACT:g}: equal)")
    ax.legend(fontsize=8)
    return figure


def _alt(frame):
    equal = (frame["gap"] <= EXACT).groupby(frame["case"]).mean()
    return ("Distribution of the largest relative difference of tasks over random trees. Equal in "
            f"{100 * equal['full']:.0f} % of trees of Case 1, {100 * equal['other']:.0f} % of Sub-case 1 and "
            f"{100 * equal['first']:.0f} % of Sub-case 2.")


def _equal(case, frame):
    """The share of trees with t = t* for all leaves, per seed."""
    return per_seed(frame[frame["case"] == case].assign(equal=lambda rows: rows["gap"] <= EXACT), "equal")


_claim = claim_maker("mch", metric="share of trees with t = t*", unit="1",
                     how_read="minimal general case with random demands, divisible tasks, hierarchy by H-DRF")

EXPERIMENTS = (Experiment("mch.weights",
                          "Tasks in the flat tree against those in the hierarchy, minimal general case", run,
                          scales(*(grid(case=LABELS, trees=[trees]) for trees in (10, 100, 500))),
                          scales(2, 5, 10)),)
FIGURES = (Figure(
    "mch.weights", "mch.weights", plot,
    "How far the flat tree's tasks t are from the hierarchy's t* on the minimal general case with random "
    "demands: the largest relative difference over the three leaves, as a distribution over trees. Case 1 "
    "and Sub-case 2 are exact; Sub-case 1 is not.", _alt),)
CLAIMS = tuple(
    _claim(f"equal-{case}", f"Section III.A, {place}",
           f"The flat tree gives exactly the hierarchy's allocation: n2,2 {what}", "mch.weights",
           partial(_equal, case), 1.0, reason=reason)
    for case, place, what, reason in (
        ("full", "Case 1", "is full-type", ""),
        ("other", "Sub-case 1", "needs only a resource that is not first saturated",
         "(9) says what holds at the end, but with weight 1 n2,2 grows faster from the beginning, and then "
         "its own resource may be the first to saturate; it holds where that does not happen"),
        ("first", "Sub-case 2", "needs only the resource that is first saturated", "")))
