"""Who is starved while tasks end and start: a group with complementary leaves, random trees."""

import functools

import numpy as np
import pandas as pd

from schedlib.exhibits.mch.common import SEEDS, label, per_seed, random_trees
from schedlib.experiment import Experiment, Figure, claim_maker, grid, scales
from schedlib.mch.model import Tree
from schedlib.mch.properties import long_run_guarantee
from schedlib.mch.simulate import simulate
from schedlib.pictures import style

PLACE = 5.2
OVER_TIME = ("h-drf", "mch", "exact-ch", "naive-h-drf", "drf")
"""The rules that are compared over time."""
AT_ONCE = 50
"""About so many tasks of one leaf fill its dominant resource."""


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


def run_group(rule: str, horizon: int, seed: int) -> pd.DataFrame:
    """Dominant shares in the tree [memory, [CPU, memory]]: `time` (in mean task lengths), `leaf, share`."""
    tree = Tree([(0, 1), [(1, 0), (0, 1)]])
    shares = shares_over_time(tree, rule, horizon, np.random.default_rng([seed, 17]))
    wide = pd.DataFrame(shares, columns=[tree.name(leaf) for leaf in tree.leaves]).rename_axis("time")
    return wide.reset_index().melt("time", None, "leaf", "share")


def run_trees(rule: str, depth: int, partial: float, trees: int, horizon: int, seed: int) -> pd.DataFrame:
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


def plot(frame: pd.DataFrame):
    """Dominant shares over time of the two memory leaves: n1, and n2,2 beside a CPU leaf in a group."""
    figure, axes = style.subplots(1, 2, size=(8.8, 3.6), sharey=True)
    panels = (("n1", 50, "n1, memory, alone"), ("n2,2", 25, "n2,2, memory, in a group with a CPU leaf"))
    for ax, (leaf, guarantee, title) in zip(axes, panels, strict=True):
        for k, (rule, rows) in enumerate(frame[frame["leaf"] == leaf].groupby("rule", sort=False)):
            mean = rows.groupby("time")["share"].mean()
            line = style.look(rule).line() | {"label": label(rule), "markevery": (3 * k, 15)}
            ax.plot(mean.index, 100 * mean, **line)
        ax.axhline(guarantee, color="black", linewidth=0.8, linestyle=":")
        where = (frame["time"].max(), guarantee)
        ax.annotate("guarantee", where, xytext=(0, -10), textcoords="offset points", ha="right", fontsize=8)
        ax.set_title(title, fontsize=10)
        ax.set_xlabel("time (mean task lengths)")
    axes[0].set_ylabel("dominant share (%)")
    axes[0].set_ylim(-3, 103)
    figure.legend(*axes[0].get_legend_handles_labels(), loc="outside lower center", ncols=5)
    return figure


def _late(frame):
    """What n2,2 holds in the second half of the time."""
    return frame[(frame["leaf"] == "n2,2") & (frame["time"] >= frame["time"].max() / 2)]


def _late_in_words(frame, digits):
    mean = 100 * _late(frame).groupby("rule", sort=False)["share"].mean()
    return ", ".join(f"{label(rule)} {share:.{digits}g} %" for rule, share in mean.items())


def _caption(frame):
    return (
        "Dominant shares under the tree [memory, [CPU, memory]] while tasks (50 fill a resource, exponential "
        "lengths) end and waiting ones start; means over seeds. The naive rule takes the CPU leaf's share "
        "for the group's, so that whatever memory is given back goes to n1. Mean share of n2,2 in the second "
        f"half: {_late_in_words(frame, 3)}; lines of equal shares lie on each other.")


def _alt(frame):
    return ("Line charts of two memory leaves' shares over time. In the second half n2,2 holds: "
            f"{_late_in_words(frame, 2)}.")


def _alt_trees(frame):
    rules = frame.groupby("rule", sort=False)["starved"].mean()
    words = ", ".join(f"{label(rule)} {100 * starved:.2g} %" for rule, starved in rules.items())
    return f"Table of rules on random trees over time. Trees with a leaf below half its guarantee: {words}."


def _holds(rule, sign, bound, frame):
    """By how much n2,2's mean late share, in % of its guarantee of 1/4, is above (sign -1: below) a bound."""
    return sign * (100 * per_seed(_late(frame[frame["rule"] == rule]), "share") / 0.25 - bound)


_claim = claim_maker("mch", metric="what the same leaf holds above its guarantee", unit="% of the guarantee",
                     check="order")

EXPERIMENTS = (
    Experiment("mch.starvation", "A group with complementary leaves beside a memory leaf, over time",
               run_group, scales(*(grid(rule=OVER_TIME, horizon=[end]) for end in (20, 50, 200))), SEEDS),
    Experiment("mch.long-run", "Who is starved on random trees while tasks end and start", run_trees,
               scales(*(grid(rule=OVER_TIME, depth=depths, partial=[0.0, 0.5], trees=[trees], horizon=[end])
                        for depths, trees, end in (
                            ((2,), 1, 10), ((2, 3), 10, 50), ((2, 3, 4), 50, 200)))), SEEDS),
)
FIGURES = (
    Figure("mch.starvation", "mch.starvation", plot, _caption, _alt),
    Figure(
        "mch.long-run", "mch.long-run", None,
        "Random trees over time, two resources, tasks of exponential length, at most about 50 of a leaf at "
        "once. starved: share of trees with a leaf whose mean share over the second half is below half its "
        "guarantee; least: the least mean share over its guarantee.", _alt_trees),
)
CLAIMS = (
    _claim("naive-starves", "Section I.C",
           "The natural adaptation of DRF to hierarchies starves some jobs (read as: on [memory, [CPU, "
           "memory]] the nested memory leaf holds less than half its guarantee in the long run)",
           "mch.starvation", functools.partial(_holds, "naive-h-drf", -1, 50.0),
           metric="half the guarantee less what it holds"),
    _claim("h-drf-no-starvation", "Section I.C", "H-DRF avoids the starvation", "mch.starvation",
           functools.partial(_holds, "h-drf", 1, 100.0)),
    _claim("mch-no-starvation", "abstract; Sections III and V", "MCH, too, keeps the guarantee there",
           "mch.starvation", functools.partial(_holds, "mch", 1, 100.0)),
)
