"""Fig. 4: the shares and weights of a hierarchy of six leaves, and its shares while jobs come and go."""

from functools import partial

import numpy as np
import pandas as pd

from schedlib.exhibits.mch import EXACT, leaf_shares, per_seed, shares_in_words
from schedlib.experiment import Experiment, Figure, claim_maker, grid, scales
from schedlib.mch.flatten import flatten
from schedlib.mch.model import Tree
from schedlib.mch.simulate import simulate
from schedlib.mch.workloads import FIG4_CAPACITY, fig4, fig4_jobs
from schedlib.pictures import style
from schedlib.pictures.trees import side_by_side

PLACE = 4.1
TREES = {"paper": partial(fig4), "full": partial(fig4, full=True)}
RULES = ("h-drf", "mch", "naive-h-drf")
LEAF_LINES, LEAF_WIDTHS = ("-", "-", "--", ":", "--", "-."), (1.8, 1.8, 2.6, 1.4, 1.4, 1.4)
"""Fig. 4b: a line for each leaf, so that those that lie on one another are still told apart."""


def run_shares(tree: str, seed: int) -> pd.DataFrame:
    """Divisible shares and MCH's weights of the six leaves of Fig. 4a: `rule, leaf, name, share, weight`."""
    made = TREES[tree]()
    return leaf_shares(made, FIG4_CAPACITY, RULES, weight=flatten(made, FIG4_CAPACITY).weights)


def run_churn(rule: str, step: float, seed: int) -> pd.DataFrame:
    """Dominant shares of the six leaves of Fig. 4a while jobs come and go: `time, leaf, share, name, finish`.

    Shares are read every `step` seconds; `finish` is when the leaf's last task ends.
    """
    tree = fig4()
    done = simulate(tree, FIG4_CAPACITY, rule, fig4_jobs(), every=step)
    finish, leaf = done.jobs.set_index("leaf")["finish"], done.shares["leaf"]
    return done.shares.assign(name=[tree.name(tree.leaves[one]) for one in leaf], finish=leaf.map(finish))


def _mch_weights(frame, tree):
    return frame[(frame["tree"] == tree) & (frame["rule"] == "mch")].sort_values("leaf")["weight"]


def plot_trees(frame: pd.DataFrame, name: str = "paper"):
    """One of `TREES` with H-DRF's shares, above MCH's flat tree with its own."""
    tree, weight = TREES[name](), _mch_weights(frame, name)
    share = frame[frame["tree"] == name].pivot(index="leaf", columns="rule", values="share")
    names = {(k,): tree.name(leaf) for k, leaf in enumerate(tree.leaves, 1)}
    weights = {(k,): float(w) for k, w in enumerate(weight.round(4), 1)}
    flat = Tree([tuple(row) for row in tree.demand], weights, names)
    common = {"resources": ("CPU", "GB"), "labels": {(): "{:g} CPUs, {:g} GB".format(*FIG4_CAPACITY)}}
    above = {"tree": tree, "shares": share["h-drf"].to_numpy(), "title": "Hierarchy: H-DRF's shares"}
    below = {"tree": flat, "shares": share["mch"].to_numpy(), "title": "Made flat by MCH: weights and shares"}
    return side_by_side([[common | above], [common | below]])


def plot_fig4b(frame: pd.DataFrame):
    """Dominant shares of the six leaves over time, a panel for each rule (the paper's Fig. 4b)."""
    figure, axes = style.subplots(1, len(RULES), size=(11.4, 3.7), sharey=True)
    for ax, rule in zip(axes, RULES, strict=True):
        mine = frame[frame["rule"] == rule]
        for leaf, rows in mine.groupby("leaf"):
            ax.step(rows["time"], rows["share"], where="post", color=style.PALETTE[leaf],
                    linestyle=LEAF_LINES[leaf], linewidth=LEAF_WIDTHS[leaf], label=rows["name"].iloc[0])
        ends = min(600, mine["finish"].min())  # a leaf that is given too much is done, and gone, sooner
        ax.axvspan(200, ends, color="#EEEEEE", zorder=0)
        ax.text((200 + ends) / 2, 1.0, "all six active", ha="center", va="top", fontsize=9, color="#444444")
        ax.set(title=style.look(rule).label, xlabel="time (s)", ylim=(0, 1.04))
    axes[0].set_ylabel("dominant share")
    figure.legend(*axes[0].get_legend_handles_labels(), loc="outside lower center", ncols=7, title="leaf")
    return figure


def _alt_trees(frame, name="paper"):
    h_drf, mch = (shares_in_words(frame[frame["tree"] == name], rule) for rule in ("h-drf", "mch"))
    return (f"A hierarchy of six leaves above the flat tree that MCH makes of it. H-DRF's shares: {h_drf}; "
            f"MCH's: {mch}.")


def _alt_churn(frame):
    rows, words = frame[frame["time"].between(200, 580)], []
    for rule in RULES:
        mean = rows[rows["rule"] == rule].groupby("name")["share"].mean()
        listed = ", ".join(f"{name} {share:.3f}" for name, share in mean.items())
        words.append(f"{style.look(rule).label} {listed}")
    return f"Three charts of six dominant shares over time. Mean from 200 to 580 s: {'; '.join(words)}."


PRINTED = {"n1,1": 0.33, "n1,2": 0.5, "n2,1": 0.165, "n2,2": 0.165, "n2,3": 0.5, "n3,1": 0.33}
ACTIVE, BEFORE, AFTER = (200, 580), (640, 780), (800, 880)
"""Seconds in which all six leaves have tasks waiting (n3,1 starts its last 16 s before it leaves at 600 s);
before and after n1,2 leaves at 790 s, in which the same other leaves have tasks waiting."""


def _mean_share(name, window, frame):
    """MCH's mean share of a leaf in a window of seconds, per seed."""
    rows = frame[(frame["rule"] == "mch") & (frame["name"] == name) & frame["time"].between(*window)]
    return per_seed(rows, "share")


def _ratio_gap(frame):
    """How far the shares of n1,1, n2,2 and n3,1 over n2,1's are from 2, 1 and 2, at most."""
    first, base, same, alone = (_mean_share(name, ACTIVE, frame) for name in ("n1,1", "n2,1", "n2,2", "n3,1"))
    return np.max(np.abs([first / base - 2, same / base - 1, alone / base - 2]), axis=0)


def _others_move(frame):
    """By how much the mean share of any leaf of CPU changes when n1,2 leaves."""
    before, after = ([_mean_share(name, window, frame) for name in ("n1,1", "n2,1", "n2,2")]
                     for window in (BEFORE, AFTER))
    return np.max(np.abs(np.subtract(after, before)), axis=0)


_claim = claim_maker("mch", metric="dominant share", unit="of the cluster", tolerance=0.01)

EXPERIMENTS = (
    Experiment("mch.fig4", "Shares and weights of the six leaves of Fig. 4a", run_shares,
               scales(grid(tree=TREES)), scales(1)),
    Experiment("mch.fig4b", "Shares of the six leaves over time", run_churn,
               scales(grid(rule=RULES, step=[20.0]), grid(rule=RULES, step=[5.0])), scales(1)))
FIGURES = (
    Figure("mch.fig4a", "mch.fig4", plot_trees, "The hierarchy of the paper's Fig. 4a with H-DRF's divisible "
           "shares (above), and as MCH flattens it (below), with MCH's. Leaves of CPU are brown, leaves of "
           "memory green: none needs both.", _alt_trees),
    Figure("mch.fig4-full", "mch.fig4", partial(plot_trees, name="full"),
           "The same hierarchy with full-type leaves (blue) in the places of the CPU leaves, beyond the "
           "paper, so that Case 1 is met.", partial(_alt_trees, name="full")),
    Figure("mch.fig4b", "mch.fig4b", plot_fig4b,
           "Dominant shares over time in the hierarchy of Fig. 4a, 2000 tasks for each leaf, task by task "
           "(the paper's Fig. 4b is the middle panel). Submissions and lengths of tasks are ours, chosen so "
           "that all are active from 200 to 600 s and n1,2 leaves at 790 s.", _alt_churn))
CLAIMS = (
    _claim("fig4-weights", "Section IV.A", "The six leaves' weights are 1, 1, 0.5, 0.5, 1, 1", "mch.fig4",
           lambda frame: [np.abs(_mch_weights(frame, "paper") - [1, 1, 0.5, 0.5, 1, 1]).max()], 0.0,
           tolerance=EXACT, metric="largest distance", unit="1"),
    *(_claim(f"fig4-share-{name.replace(',', '-')}", "Section IV.A; Fig. 4b",
             f"While all six leaves are active, {name} has the dominant share {share}", "mch.fig4b",
             partial(_mean_share, name, ACTIVE), share) for name, share in PRINTED.items()),
    _claim("fig4-ratio", "Section IV.A", "The shares of n1,1, n2,1, n2,2, n3,1 are as 2 : 1 : 1 : 2",
           "mch.fig4b", _ratio_gap, 0.0, tolerance=0.1, metric="largest distance of a ratio to n2,1's share",
           unit="1"),
    _claim("fig4-takes-over", "Section IV.A", "When n1,2 leaves, the share of n2,3 rises to 1", "mch.fig4b",
           partial(_mean_share, "n2,3", AFTER), 1.0),
    _claim("fig4-others-stay", "Section IV.A", "When n1,2 leaves, the shares of the others stay as they are",
           "mch.fig4b", _others_move, 0.0, metric="largest change of a mean share"))
