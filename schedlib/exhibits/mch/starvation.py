"""Starvation: a group with complementary leaves beside a memory leaf, while tasks end and start."""

from functools import partial

import numpy as np
import pandas as pd

from schedlib.exhibits.mch.common import OVER_TIME, SEEDS, label, per_seed, shares_over_time
from schedlib.experiment import Experiment, Figure, claim_maker, grid, scales
from schedlib.mch.model import Tree
from schedlib.pictures import style

PLACE = 5.2


def run(rule: str, horizon: int, seed: int) -> pd.DataFrame:
    """Dominant shares in the tree [memory, [CPU, memory]]: `time` (in mean task lengths), `leaf, share`."""
    tree = Tree([(0, 1), [(1, 0), (0, 1)]])
    shares = shares_over_time(tree, rule, horizon, np.random.default_rng([seed, 17]))
    wide = pd.DataFrame(shares, columns=[tree.name(leaf) for leaf in tree.leaves]).rename_axis("time")
    return wide.reset_index().melt("time", None, "leaf", "share")


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


def _holds(rule, sign, bound, frame):
    """By how much n2,2's mean late share, in % of its guarantee of 1/4, is above (sign -1: below) a bound."""
    return sign * (100 * per_seed(_late(frame[frame["rule"] == rule]), "share") / 0.25 - bound)


_claim = claim_maker("mch", metric="what the same leaf holds above its guarantee", unit="% of the guarantee",
                     check="order", tolerance=5.0)

EXPERIMENTS = (Experiment("mch.starvation",
                          "A group with complementary leaves beside a memory leaf, over time", run,
                          scales(*(grid(rule=OVER_TIME, horizon=[end]) for end in (20, 50, 200))), SEEDS),)
FIGURES = (Figure("mch.starvation", "mch.starvation", plot, _caption, _alt),)
CLAIMS = (
    _claim("naive-starves", "Section I.C",
           "The natural adaptation of DRF to hierarchies starves some jobs (read as: on [memory, [CPU, "
           "memory]] the nested memory leaf holds less than half its guarantee in the long run)",
           "mch.starvation", partial(_holds, "naive-h-drf", -1, 50.0),
           metric="half the guarantee less what it holds"),
    _claim("h-drf-no-starvation", "Section I.C", "H-DRF avoids the starvation", "mch.starvation",
           partial(_holds, "h-drf", 1, 100.0)),
    _claim("mch-no-starvation", "abstract; Sections III and V", "MCH, too, keeps the guarantee there",
           "mch.starvation", partial(_holds, "mch", 1, 100.0)),
)
