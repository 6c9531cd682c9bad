"""Random trees over time: who is starved while tasks end and start."""

import numpy as np
import pandas as pd

from schedlib.exhibits.mch.common import OVER_TIME, SEEDS, label, random_trees, shares_over_time
from schedlib.experiment import Experiment, Figure, grid, scales
from schedlib.mch.properties import long_run_guarantee

PLACE = 5.4


def run(rule: str, depth: int, partial: float, trees: int, horizon: int, seed: int) -> pd.DataFrame:
    """Random trees over time, each leaf's mean share of the second half against its guarantee: one row.

    `starved`: share of trees with a leaf below half its guarantee; `least`: the least mean share over its
    guarantee. Two resources; a task needs 1/50 of its leaf's dominant resource.
    """
    rng, least = np.random.default_rng([seed, 18]), []
    for tree in random_trees(depth, partial, 2, trees, seed):
        scaled = tree.with_demand(tree.demand / tree.demand.max(axis=1, keepdims=True))
        late = shares_over_time(scaled, rule, horizon, rng)[horizon // 2 :]
        least.append(1 + long_run_guarantee(tree, np.arange(len(late) + 1), late).value)
    return pd.DataFrame([{"starved": np.less(least, 0.5).mean(), "least": min(least)}])


def _alt(frame):
    rules = frame.groupby("rule", sort=False)["starved"].mean()
    words = ", ".join(f"{label(rule)} {100 * starved:.2g} %" for rule, starved in rules.items())
    return f"Table of rules on random trees over time. Trees with a leaf below half its guarantee: {words}."


EXPERIMENTS = (Experiment("mch.long-run", "Who is starved on random trees while tasks end and start", run,
                          scales(*(grid(rule=OVER_TIME, depth=depths, partial=[0.0, 0.5], trees=[trees],
                                        horizon=[end])
                                   for depths, trees, end in (
                                       ((2,), 1, 10), ((2, 3), 10, 50), ((2, 3, 4), 50, 200)))), SEEDS),)
FIGURES = (
    Figure(
        "mch.long-run", "mch.long-run", None,
        "Random trees over time, two resources, tasks of exponential length, at most about 50 of a leaf at "
        "once. starved: share of trees with a leaf whose mean share over the second half is below half its "
        "guarantee; least: the least mean share over its guarantee.", _alt),)
