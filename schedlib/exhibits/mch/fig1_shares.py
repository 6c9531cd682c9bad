"""Fig. 1: an organisation of two groups, and what each rule gives its four leaves."""

import numpy as np
import pandas as pd

from schedlib.exhibits.mch.common import EXACT, shares_in_words
from schedlib.experiment import Experiment, Figure, claim_maker, grid, scales
from schedlib.mch.allocate import allocate
from schedlib.mch.workloads import FIG4_CAPACITY, fig1
from schedlib.pictures import style
from schedlib.pictures.trees import plot_tree, tree_size

PLACE = 1.1
RULES = ("h-drf", "naive-h-drf", "mch", "c-ch", "m-ch", "weighted-drf", "drf")
DEMANDS = {"alike": ((1, 1), (1, 1), (1, 1), (1, 1)), "mixed": ((2, 1), (1, 2), (1, 3), (3, 1))}
TITLES = {"alike": "Every task 1 CPU, 1 GB", "mixed": "Mixed demands"}


def run(demands: str, seed: int) -> pd.DataFrame:
    """Divisible dominant shares in the organisation of Fig. 1: `rule, leaf, name, share, guarantee`."""
    tree = fig1(DEMANDS[demands])
    names = [f"{tree.name(tree.parent[node])} {tree.name(node)}" for node in tree.leaves]
    rows = [(rule, leaf, names[leaf], share, tree.guarantee[tree.leaves[leaf]]) for rule in RULES
            for leaf, share in enumerate(allocate(tree, FIG4_CAPACITY, rule).shares)]
    return pd.DataFrame(rows, columns=["rule", "leaf", "name", "share", "guarantee"])


def plot(frame: pd.DataFrame):
    """The organisation of Fig. 1, and each leaf's dominant share by rule, for equal and for mixed demands."""
    tree = fig1()
    weights = {path: f"weight {tree.weight[node]:g}" for node, path in enumerate(tree.paths) if path}
    width, height = tree_size(tree, tree.guarantee, weights)
    size, ratios = (width + 6.6, max(height + 1.1, 3.9)), {"width_ratios": [width, 3.3, 3.3]}
    figure, axes = style.subplots(1, 3, size=size, gridspec_kw=ratios)
    plot_tree(tree, tree.guarantee, weights, ax=axes[0])
    for ax, (demands, rows) in zip(axes[1:], frame.groupby("demands"), strict=False):
        for place, rule in enumerate(RULES):
            mine = rows[rows["rule"] == rule]
            at = mine["leaf"] + 0.7 * (place / (len(RULES) - 1) - 0.5)
            ax.plot(mine["share"], at, **style.look(rule).line() | {"linestyle": "none"})
        first = rows[rows["rule"] == RULES[0]]
        low, high = first["leaf"] - 0.45, first["leaf"] + 0.45
        ax.vlines(first["guarantee"], low, high, color="black", linewidth=1, label="guarantee")
        ax.set_yticks(first["leaf"], first["name"])
        ax.invert_yaxis()
        ax.set(xlabel="dominant share", ylabel="leaf", title=TITLES[demands], xlim=(0, None))
    figure.legend(*axes[1].get_legend_handles_labels(), fontsize=9, loc="outside lower center", ncols=8)
    return figure


def _alt(frame):
    alike, mixed = (shares_in_words(frame[frame["demands"] == one], "mch") for one in ("alike", "mixed"))
    return ("A tree: ads with weight 60 and dev with 40, in each production with 90 and tests with 10. "
            f"Beside it dominant shares: with equal demands under MCH {alike}; with mixed demands {mixed}.")


def _largest_distance(frame):
    rows = frame[(frame["demands"] == "alike") & (frame["rule"] == "mch")]
    return [np.abs(rows["share"] - rows["guarantee"]).max()]


EXPERIMENTS = (Experiment("mch.fig1", "The organisation of Fig. 1 under each rule", run,
                          scales(grid(demands=DEMANDS)), scales(1)),)
FIGURES = (Figure(
    "mch.fig1", "mch.fig1", plot,
    "The organisation of the paper's Fig. 1 with its hierarchical share guarantees (left), and each leaf's "
    "dominant share under each rule when tasks are divisible, of 200 CPUs and 200 GB: with equal demands "
    "H-DRF and MCH give the guarantee, with mixed ones (<2, 1>, <1, 2>, <1, 3>, <3, 1> CPUs and GB, ours) at "
    "least that; flat DRF knows neither ads nor dev, and C-CH and M-CH divide one resource alone.", _alt),)
CLAIMS = (claim_maker("mch", unit="of the cluster", tolerance=EXACT)(
    "fig1", "Section I.A; Fig. 1",
    "MCH gives ads 60 % and dev 40 %, and 90 % of it to production (equal demands)", "mch.fig1",
    _largest_distance, 0.0, metric="largest distance from 0.54, 0.06, 0.36, 0.04"),)
