"""Every MCH experiment of the paper's own: a point and a seed in, a tidy frame out. Shares are fractions of the cluster."""

import numpy as np
import pandas as pd

from schedlib.core.streams import streams
from schedlib.experiment import Experiment
from schedlib.mch.allocate import allocate
from schedlib.mch.flatten import flatten
from schedlib.mch.model import Tree
from schedlib.mch.workloads import FIG4_CAPACITY, fig1, fig4, fig4_full

FIG1_RULES = ("h-drf", "naive-h-drf", "mch", "c-ch", "m-ch", "weighted-drf", "drf")
FIG1_DEMANDS = {"alike": ((1, 1), (1, 1), (1, 1), (1, 1)), "mixed": ((2, 1), (1, 2), (1, 3), (3, 1))}
WORKED_CAPACITY = (10.0, 12.0)
WORKED = {
    "full": ((2, 1), (1, 1), (2, 3)),
    "other": ((2, 1), (1, 1), (0, 3)),
    "first": ((2, 1), (1, 1), (2, 0)),
}
"""Fig. 2 and 3 with numbers: what a task of n1, n2,1 and n2,2 needs; n2,2 is the paper's <2 CPUs, 3 GB>, or one half of it."""
FIG4_TREES = {"paper": fig4, "full": fig4_full}


def fig1_shares(demands: str, seed: int) -> pd.DataFrame:
    """Divisible shares in the organisation of Fig. 1: `rule, leaf, name, share, guarantee` (dominant shares)."""
    tree = fig1(FIG1_DEMANDS[demands])
    names = [f"{tree.name(tree.parent[node])} {tree.name(node)}" for node in tree.leaves]
    rows = [
        (rule, leaf, names[leaf], share, tree.guarantee[tree.leaves[leaf]])
        for rule in FIG1_RULES
        for leaf, share in enumerate(allocate(tree, FIG4_CAPACITY, rule).shares)
    ]
    return pd.DataFrame(rows, columns=["rule", "leaf", "name", "share", "guarantee"])


def minimal_tree(demand) -> Tree:
    """The minimal general case of Fig. 2a and 3a: a leaf n1 beside a group n2 of two leaves, with these three demands."""
    first, *second = (tuple(row) for row in demand)
    return Tree([first, second])


def worked(case: str, seed: int) -> pd.DataFrame:
    """A weight determined with numbers, a row for each node but the root: `node, cpu, memory, mu, s_cpu, s_memory, weight, t_star, t`.

    `cpu, memory` are demands per task (Eq. 2 for n2), `mu` dominant shares, `s_...` normalised demands, `weight` that in the flat tree;
    `t_star` and `t` are the tasks in the hierarchy and in the flat tree. A group has neither weight nor tasks of its own.
    """
    tree = minimal_tree(WORKED[case])
    flat = flatten(tree, WORKED_CAPACITY)
    shares = [allocate(tree, WORKED_CAPACITY, rule).tasks for rule in ("h-drf", "mch")]
    rows = []
    for node in range(1, tree.n_nodes):
        leaf = tree.leaf_of[node]
        need = flat.node_share[node] * flat.mu[node] * WORKED_CAPACITY
        last = (flat.weights[leaf], shares[0][leaf], shares[1][leaf]) if leaf >= 0 else (np.nan,) * 3
        rows.append((tree.name(node), *need, flat.mu[node], *flat.node_share[node], *last))
    frame = pd.DataFrame(rows, columns=["node", "cpu", "memory", "mu", "s_cpu", "s_memory", "weight", "t_star", "t"])
    return frame.assign(first_saturated=flat.first_saturated)


def weights(case: str, trees: int, seed: int) -> pd.DataFrame:
    """The minimal general case with random demands: `tree, gap`, the largest relative difference of t and t* over the three leaves.

    n1 and n2,1 are full-type; n2,2 is so too (`full`), or needs one resource: the one that is first saturated (`first`) or not
    (`other`). Demands are uniform on [0.1, 1] of capacities of 100; trees of another case are drawn again.
    """
    (rng,) = streams(seed, f"mch weights {case}")
    rows = []
    while len(rows) < trees:
        demand = rng.uniform(0.1, 1, (3, 2))
        if case != "full":
            demand[2, rng.integers(2)] = 0
        tree = minimal_tree(demand)
        needs_first = demand[2, flatten(tree, (100, 100)).first_saturated] > 0
        if case == "full" or needs_first == (case == "first"):
            star, flat = (allocate(tree, (100, 100), rule).tasks for rule in ("h-drf", "mch"))
            rows.append(float(np.abs(flat / star - 1).max()))
    return pd.DataFrame({"tree": range(trees), "gap": rows})


def fig4_shares(tree: str, seed: int) -> pd.DataFrame:
    """Divisible shares and MCH's weights of the six leaves of Fig. 4a: `rule, leaf, name, share, weight`."""
    made = FIG4_TREES[tree]()
    flat = flatten(made, FIG4_CAPACITY)
    rows = [
        (rule, leaf, made.name(made.leaves[leaf]), share, flat.weights[leaf])
        for rule in ("h-drf", "mch", "naive-h-drf")
        for leaf, share in enumerate(allocate(made, FIG4_CAPACITY, rule).shares)
    ]
    return pd.DataFrame(rows, columns=["rule", "leaf", "name", "share", "weight"])
