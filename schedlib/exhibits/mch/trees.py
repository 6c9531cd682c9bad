"""What the runs on random trees share: the trees, the rules compared, and shares over time."""

import numpy as np
import pandas as pd

from schedlib.experiment import scales
from schedlib.mch.model import Tree
from schedlib.mch.properties import collapsed
from schedlib.mch.search import random_tree
from schedlib.mch.simulate import simulate

CAPACITY = 100.0
"""Of each resource; divisible shares do not depend on it."""

NAMES = ("drf", "h-drf", "naive-h-drf", "mch", "case1", "exact-ch", "c-ch", "m-ch")
RULES = {name: name for name in NAMES} | {"collapsed": collapsed}
"""The rules compared; `collapsed`: collapsed hierarchies with dominant shares."""

AT_ONCE = 50
"""About so many tasks of one leaf fill its dominant resource in the runs over time."""

PARTIALS = (0.0, 0.25, 0.5, 0.75, 1.0)
"""Chances that a leaf is partial-type."""

SEEDS = scales(1, 5, 20)
OVER_TIME = ("h-drf", "mch", "exact-ch", "naive-h-drf", "drf")
"""The rules that are compared over time."""


def random_trees(depth: int, partial: float, resources: int, trees: int, seed: int) -> list[Tree]:
    """The same random trees for every rule; no two points or seeds share one."""
    rng = np.random.default_rng([seed, depth, resources, round(1000 * partial)])
    return [random_tree(rng, depth, resources=resources, partial=partial) for _ in range(trees)]


def shares_over_time(tree: Tree, rule: str, horizon: int, rng: np.random.Generator) -> np.ndarray:
    """Every leaf's dominant share at times 0, 1, ..., (T + 1, p).

    Each leaf has single tasks, waiting from the start, of exponential length with mean 1.
    """
    tasks = 2 * AT_ONCE * horizon
    durations = rng.exponential(1.0, tree.n_leaves * tasks)
    leaf = np.repeat(np.arange(tree.n_leaves), tasks)
    jobs = pd.DataFrame({"leaf": leaf, "submit": 0.0, "tasks": 1, "duration": durations})
    capacity = np.full(tree.n_resources, float(AT_ONCE))
    run = simulate(tree, capacity, rule, jobs, until=float(horizon), every=1.0)
    return run.shares.pivot(index="time", columns="leaf", values="share").to_numpy()
