"""Every MCH figure of the paper's own: a tidy frame in, a picture out. Nothing here simulates."""

import numpy as np
import pandas as pd
from matplotlib.ticker import FixedLocator, NullLocator

from schedlib import style
from schedlib.experiment import Figure
from schedlib.intervals import mean_ci
from schedlib.mch.model import Tree
from schedlib.mch.pictures import plot_tree, tree_size
from schedlib.mch.workloads import FIG4_CAPACITY, fig1, fig4, fig4_full, minimal_tree

TREES = {"paper": fig4, "full": fig4_full}
EXACT = 1e-9
"""Relative differences up to this are rounding: the numbers are equal."""
CASES = {
    "full": "Case 1: n2,2 needs both",
    "other": "Sub-case 1: n2,2 needs memory, CPU saturates first",
    "first": "Sub-case 2: n2,2 needs CPU, CPU saturates first",
}


def _side_by_side(rows):
    """Trees in rows of panels, each a dictionary of `plot_tree`'s arguments, at their own sizes."""
    sizes = np.array([[tree_size(**panel) for panel in row] for row in rows])
    widths, heights = sizes[..., 0].max(axis=0), sizes[..., 1].max(axis=1)
    ratios = {"width_ratios": widths.tolist(), "height_ratios": heights.tolist()}
    size = (float(widths.sum() + 0.4), float(heights.sum() + 0.1 * len(rows)))
    figure, axes = style.subplots(len(rows), len(widths), size=size, squeeze=False, gridspec_kw=ratios)
    for ax, panel in zip(axes.flat, [panel for row in rows for panel in row], strict=True):
        plot_tree(**panel, ax=ax)
    return figure


def plot_fig1(frame: pd.DataFrame):
    """The organisation of Fig. 1, and each leaf's dominant share under each rule, for equal and for mixed demands."""
    tree = fig1()
    weights = {path: f"weight {weight:g}" for path, weight in zip(tree.paths[1:], tree.weight[1:], strict=True)}
    panel = {"tree": tree, "shares": tree.guarantee, "labels": weights}
    width, height = tree_size(**panel)
    figure, axes = style.subplots(1, 3, size=(width + 6.6, max(height + 1.1, 3.9)), gridspec_kw={"width_ratios": [width, 3.3, 3.3]})
    plot_tree(**panel, ax=axes[0])
    titles = {"alike": "Every task 1 CPU, 1 GB", "mixed": "Mixed demands"}
    for ax, (demands, one) in zip(axes[1:], frame.groupby("demands"), strict=False):
        rules = list(dict.fromkeys(one["rule"]))
        for place, rule in enumerate(rules):
            mine = one[one["rule"] == rule]
            at = mine["leaf"] + 0.7 * (place / (len(rules) - 1) - 0.5)
            ax.plot(mine["share"], at, **style.look(rule).line() | {"linestyle": "none"})
        some = one[one["rule"] == rules[0]]
        ax.vlines(some["guarantee"], some["leaf"] - 0.45, some["leaf"] + 0.45, color="black", linewidth=1, label="guarantee")
        ax.set_yticks(some["leaf"], some["name"])
        ax.invert_yaxis()
        ax.set(xlabel="dominant share", ylabel="leaf", title=titles[demands], xlim=(0, None))
    figure.legend(*axes[1].get_legend_handles_labels(), fontsize=9, loc="outside lower center", ncols=8)
    return figure


def _worked_panels(frame, case):
    """The hierarchy with its numbers, and the flat tree with its weights."""
    rows = frame[frame["case"] == case].set_index("node")
    tree = minimal_tree(rows.loc[["n1", "n2,1", "n2,2"], ["cpu", "memory"]].to_numpy().round(9))
    named = {tree.paths[node]: rows.loc[tree.name(node)] for node in range(1, tree.n_nodes)}
    hierarchy, flat, names = {(): "10 CPUs, 12 GB"}, {(): "10 CPUs, 12 GB"}, {}
    for path, row in named.items():
        numbers = f"<{row['cpu']:.3g} CPU, {row['memory']:.3g} GB>\nmu {row['mu']:.4g}\n<{row['s_cpu']:.3g}, {row['s_memory']:.3g}>"
        hierarchy[path] = numbers + (f"\nt* = {row['t_star']:.4g}" if row["t_star"] == row["t_star"] else "")
    for k, path in enumerate([(1,), (2, 1), (2, 2)], 1):
        names[(k,)] = "n" + ",".join(map(str, path))
        flat[(k,)] = f"weight {named[path]['weight']:.4g}\nt = {named[path]['t']:.4g}"
    left = {"tree": tree, "labels": hierarchy, "title": CASES[case]}
    return [left, {"tree": Tree([tuple(row) for row in tree.demand], names=names), "labels": flat, "title": "made flat"}]


def plot_fig2(frame: pd.DataFrame):
    """Weights determined for full-type leaves, with numbers (the paper's Fig. 2)."""
    return _side_by_side([_worked_panels(frame, "full")])


def plot_fig3(frame: pd.DataFrame):
    """Weights determined for a leaf that needs one resource, with numbers (the paper's Fig. 3)."""
    return _side_by_side([_worked_panels(frame, "other"), _worked_panels(frame, "first")])


def plot_weights(frame: pd.DataFrame):
    """How far tasks in the flat tree are from those in the hierarchy, over random demands: a distribution for each case."""
    figure, ax = style.subplots(size=(6.4, 3.6))
    labels = {"full": "Case 1: full-type", "other": "Sub-case 1: needs k, not k'", "first": "Sub-case 2: needs k = k'"}
    for case, colour, line in zip(labels, style.PALETTE, ("-", "--", ":"), strict=False):
        gaps = np.sort(frame.loc[frame["case"] == case, "gap"].clip(lower=EXACT))
        ax.step([EXACT / 2, *gaps, 2], [0, *np.arange(1, len(gaps) + 1) / len(gaps), 1], where="post", color=colour, linestyle=line,
                label=labels[case])  # fmt: skip
    ax.set(xscale="log", ylabel="fraction of trees", ylim=(0, 1.03), xlim=(EXACT / 2, 2))
    ax.set_xlabel(f"largest |t / t* - 1| over the leaves ({EXACT:g}: equal)")
    ax.legend(fontsize=8)
    return figure


def _fig4_panels(frame, name):
    tree = TREES[name]()
    share = frame[frame["tree"] == name].pivot(index="leaf", columns="rule", values="share")
    weight = frame[(frame["tree"] == name) & (frame["rule"] == "mch")].sort_values("leaf")["weight"]
    names = {(k,): tree.name(leaf) for k, leaf in enumerate(tree.leaves, 1)}
    flat = Tree([tuple(row) for row in tree.demand], {(k,): float(w) for k, w in enumerate(weight.round(4), 1)}, names)
    capacity = "{:g} CPUs, {:g} GB".format(*FIG4_CAPACITY)
    common = {"resources": ("CPU", "GB"), "labels": {(): capacity}}
    left = common | {"tree": tree, "shares": share["h-drf"].to_numpy(), "title": "Hierarchy: H-DRF's shares"}
    return [left, common | {"tree": flat, "shares": share["mch"].to_numpy(), "title": "Made flat by MCH: weights and shares"}]


def plot_fig4a(frame: pd.DataFrame):
    """The hierarchy of Fig. 4a with H-DRF's shares, and MCH's flat tree with its own."""
    return _side_by_side([[panel] for panel in _fig4_panels(frame, "paper")])


def plot_fig4_full(frame: pd.DataFrame):
    """The same with full-type leaves where Fig. 4a has CPU leaves."""
    return _side_by_side([[panel] for panel in _fig4_panels(frame, "full")])


LEAF_LINES = ("-", "-", "--", ":", "--", "-.")
"""Fig. 4b: a line for each leaf, so that those that lie on one another are still told apart."""
LEAF_WIDTHS = (1.8, 1.8, 2.6, 1.4, 1.4, 1.4)


def _over_time(frame, rules, mark=None):
    """A panel for each rule, a line for each leaf."""
    figure, axes = style.subplots(1, len(rules), size=(3.6 * len(rules) + 0.6, 3.7), sharey=True, squeeze=False)
    for ax, rule in zip(axes[0], rules, strict=True):
        mine = frame[frame["rule"] == rule]
        for leaf, one in mine.groupby("leaf"):
            mean = one.groupby("time")["share"].mean()
            look = {"color": style.PALETTE[leaf % 6], "linestyle": LEAF_LINES[leaf], "linewidth": LEAF_WIDTHS[leaf]}
            ax.step(mean.index, mean, where="post", label=one["name"].iloc[0], **look)
        if mark:
            mark(ax, mine)
        ax.set(title=style.look(rule).label, xlabel="time (s)", ylabel="dominant share" if rule == rules[0] else "", ylim=(0, 1.04))
    figure.legend(*axes[0, 0].get_legend_handles_labels(), loc="outside lower center", ncols=7, title="leaf")
    return figure


def plot_fig4b(frame: pd.DataFrame):
    """Dominant shares of the six leaves over time, a panel for each rule (the paper's Fig. 4b)."""

    def mark(ax, mine):
        ax.axvspan(200, 600, color="#EEEEEE", zorder=0)
        ax.text(400, 1.0, "all six active", ha="center", va="top", fontsize=9, color="#444444")

    return _over_time(frame, ("h-drf", "mch", "naive-h-drf"), mark)


def plot_churn(frame: pd.DataFrame):
    """Shares on [M, [C, M]] over time, mean over seeds, a panel for each rule; the guarantee of n2,2 as a thin line."""

    def mark(ax, mine):
        ax.axhline(0.25, color="black", linewidth=0.8)
        ax.text(mine["time"].max(), 0.26, "guarantee of n2,2", ha="right", va="bottom", fontsize=8)

    return _over_time(frame, ("h-drf", "mch", "naive-h-drf"), mark)


def _cost_look(rule, method):
    """H-DRF with nothing computed twice is ours, and has a look of its own."""
    if rule == "h-drf" and method == "fast":
        return {"color": "#555555", "linestyle": (0, (5, 1, 1, 1)), "marker": "*", "label": "H-DRF, logarithmic (ours)"}
    return style.look(rule).line() | ({"label": "H-DRF, as printed"} if rule == "h-drf" else {})


def _cost_lines(ax, frame, x, y):
    for (rule, method), one in frame.groupby(["rule", "method"], sort=False):
        middle = one.groupby(x)[y].median()
        ax.plot(middle.index, middle, **_cost_look(rule, method))
    ax.set(xscale="log", yscale="log")


def plot_fig5(frame: pd.DataFrame):
    """Operations and seconds against the number of jobs, a column for each tree, a pair of rows for each reading (Fig. 5)."""
    levels, readings = sorted(set(frame["levels"])), [name for name in ("queues", "nodes") if name in set(frame["reading"])]
    rows = [(reading, measure) for reading in readings for measure in ("operations", "seconds")]
    size = (2.6 * len(levels) + 0.8, 2.35 * len(rows) + 0.5)
    figure, axes = style.subplots(len(rows), len(levels), size=size, squeeze=False, sharex=True, sharey="row")
    for line, (reading, measure) in zip(axes, rows, strict=True):
        for ax, level in zip(line, levels, strict=True):
            _cost_lines(ax, frame[(frame["levels"] == level) & (frame["reading"] == reading)], "jobs", measure)
            _plain_ticks(ax, sorted(set(frame["jobs"])))
            if line is axes[0]:
                ax.set_title(f"{level} levels")
        unit = "operations" if measure == "operations" else "seconds"
        line[0].set_ylabel(f"{unit},\njobs as {reading if reading == 'nodes' else 'queues at leaves'}")
    for ax in axes[-1]:
        ax.set_xlabel("number of jobs")
    figure.legend(*axes[0, 0].get_legend_handles_labels(), loc="outside lower center", ncols=5)
    return figure


def _plain_ticks(ax, values):
    ax.xaxis.set_major_locator(FixedLocator(values))
    ax.xaxis.set_minor_locator(NullLocator())
    ax.xaxis.set_major_formatter("{x:g}")


def exponents(frame: pd.DataFrame, x: str, y: str) -> pd.Series:
    """Log-log slope of `y` against `x` for each seed: `y` grows as `x` to that power."""
    return frame.groupby("seed")[[x, y]].apply(lambda one: np.polyfit(np.log(one[x]), np.log(one[y]), 1)[0])


def plot_complexity(frame: pd.DataFrame):
    """Operations and seconds, in all and per decision, against q, with the slopes of the lines (medians over seeds)."""
    frame = frame.assign(each=frame["operations"] / frame["decisions"], microseconds=1e6 * frame["seconds"] / frame["decisions"])
    titles = {
        "operations": "operations, in all", "seconds": "seconds, in all",
        "each": "operations per decision", "microseconds": "microseconds per decision",
    }  # fmt: skip
    figure, axes = style.subplots(2, 2, size=(9.6, 7.2), sharex=True)
    for ax, (measure, title) in zip(axes.flat, titles.items(), strict=True):
        _cost_lines(ax, frame, "q", measure)
        for line, (_, one) in zip(ax.lines, frame.groupby(["rule", "method"], sort=False), strict=True):
            mean, low, high = mean_ci(exponents(one, "q", measure))
            line.set_label(f"{line.get_label()}: {mean:.2f}" + (f" ({low:.2f} to {high:.2f})" if low == low else ""))
        ax.set(ylabel=title, xlabel="nodes q")
        _plain_ticks(ax, sorted(set(frame["q"])))
        ax.legend(fontsize=7.5, title="slope in q", title_fontsize=8)
    return figure
