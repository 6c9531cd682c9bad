"""Every MCH figure of the paper's own: a tidy frame in, a picture out. Nothing here simulates."""

import numpy as np
import pandas as pd

from schedlib.exhibits.mch import cost_figures, property_figures
from schedlib.experiment import Figure
from schedlib.mch.model import Tree
from schedlib.mch.workloads import FIG4_CAPACITY, fig1, fig4, fig4_full, minimal_tree
from schedlib.pictures import style
from schedlib.pictures.trees import plot_tree, tree_size

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
    ax.set_xlabel(f"largest |t / t* - 1| over the leaves (at {EXACT:g}: equal)")
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


def plot_fig4b(frame: pd.DataFrame):
    """Dominant shares of the six leaves over time, a panel for each rule (the paper's Fig. 4b)."""
    rules = ("h-drf", "mch", "naive-h-drf")
    figure, axes = style.subplots(1, len(rules), size=(11.4, 3.7), sharey=True)
    for ax, rule in zip(axes, rules, strict=True):
        mine = frame[frame["rule"] == rule]
        for leaf, one in mine.groupby("leaf"):
            look = {"color": style.PALETTE[leaf], "linestyle": LEAF_LINES[leaf], "linewidth": LEAF_WIDTHS[leaf]}
            ax.step(one["time"], one["share"], where="post", label=one["name"].iloc[0], **look)
        ends = min(600, mine["finish"].min())  # a leaf that is given too much is done, and gone, sooner
        ax.axvspan(200, ends, color="#EEEEEE", zorder=0)
        ax.text((200 + ends) / 2, 1.0, "all six active", ha="center", va="top", fontsize=9, color="#444444")
        ax.set(title=style.look(rule).label, xlabel="time (s)", ylim=(0, 1.04))
    axes[0].set_ylabel("dominant share")
    figure.legend(*axes[0].get_legend_handles_labels(), loc="outside lower center", ncols=7, title="leaf")
    return figure


def _shares_in_words(frame, rule):
    some = frame[frame["rule"] == rule].sort_values("leaf")
    return ", ".join(f"{name} {share:.3g}" for name, share in zip(some["name"], some["share"], strict=True))


def _alt_fig1(frame):
    return (
        "A tree: ads with weight 60 and dev with 40, in each production with 90 and tests with 10. Beside it dominant shares: with "
        f"equal demands under MCH {_shares_in_words(frame[frame['demands'] == 'alike'], 'mch')}; with mixed demands "
        f"{_shares_in_words(frame[frame['demands'] == 'mixed'], 'mch')}."
    )


def _tasks_in_words(frame, case):
    rows = frame[(frame["case"] == case) & frame["t"].notna()]
    return ", ".join(f"{one.node} {one.t_star:.4g} and {one.t:.4g}" for one in rows.itertuples())


def _alt_weights(frame):
    equal = (frame["gap"] <= EXACT).groupby(frame["case"]).mean()
    return (
        "Distribution of the largest relative difference of tasks over random trees. Equal in "
        f"{100 * equal['full']:.0f} % of trees of Case 1, {100 * equal['other']:.0f} % of Sub-case 1 and "
        f"{100 * equal['first']:.0f} % of Sub-case 2."
    )


def _alt_fig4b(frame):
    some = frame[frame["time"].between(200, 580)]
    words = []
    for rule in ("h-drf", "mch", "naive-h-drf"):
        mean = some[some["rule"] == rule].groupby("name")["share"].mean()
        words.append(f"{style.look(rule).label} " + ", ".join(f"{name} {share:.3f}" for name, share in mean.items()))
    return f"Three charts of six dominant shares over time. Mean from 200 to 580 s: {'; '.join(words)}."


def _alt_fig4(name):
    return lambda frame: (
        "A hierarchy of six leaves above the flat tree that MCH makes of it. H-DRF's shares: "
        f"{_shares_in_words(frame[frame['tree'] == name], 'h-drf')}; MCH's: {_shares_in_words(frame[frame['tree'] == name], 'mch')}."
    )


FIGURES = (
    Figure(
        "mch.fig1", "mch.fig1", plot_fig1,
        "The organisation of the paper's Fig. 1 with its hierarchical share guarantees (left), and each leaf's dominant share under "
        "each rule when tasks are divisible, of 200 CPUs and 200 GB: with equal demands H-DRF and MCH give the guarantee, with mixed ones "
        "(<2, 1>, <1, 2>, <1, 3>, <3, 1> CPUs and GB, ours) at least that; flat DRF knows neither ads nor dev, and C-CH and M-CH "
        "divide one resource alone.",
        _alt_fig1,
    ),
    Figure(
        "mch.fig2", "mch.worked", plot_fig2,
        "The paper's Fig. 2 with numbers: demands of a task, mu, normalised demands, and how many (divisible) tasks each leaf gets, "
        "t* in the hierarchy under H-DRF and t in the flat tree under MCH's weights. n2's demand is Eq. 2's; n2,2 has the paper's "
        "2 CPUs and 3 GB.",
        lambda frame: f"A hierarchy of n1 and a group of n2,1 and n2,2, and the flat tree. Tasks in each: {_tasks_in_words(frame, 'full')}.",
    ),
    Figure(
        "mch.fig3", "mch.worked", plot_fig3,
        "The paper's Fig. 3 with numbers, for both sub-cases. Sub-case 1 shows where its derivation breaks: weight 1 lets n2,2 run ahead "
        "from the beginning, so that memory saturates first, and t differs from t*.",
        lambda frame: "Two hierarchies with a leaf that needs one resource, and their flat trees. Tasks in hierarchy and flat tree, "
        f"Sub-case 1: {_tasks_in_words(frame, 'other')}; Sub-case 2: {_tasks_in_words(frame, 'first')}.",
    ),
    Figure(
        "mch.worked", "mch.worked", None,
        "The weights of Fig. 2 (full) and Fig. 3 (other: k' is not k; first: k' is k) determined with numbers, of 10 CPUs and 12 GB: "
        "demand per task, mu, normalised demand s, weight in the flat tree, tasks t* in the hierarchy and t in the flat tree.",
        "Table of the nodes of three small hierarchies with demands, mu, weights and tasks.",
    ),
    Figure(
        "mch.weights", "mch.weights", plot_weights,
        "How far the flat tree's tasks t are from the hierarchy's t* on the minimal general case with random demands: the largest "
        "relative difference over the three leaves, as a distribution over trees. Case 1 and Sub-case 2 are exact; Sub-case 1 is not.",
        _alt_weights,
    ),
    Figure(
        "mch.fig4a", "mch.fig4", plot_fig4a,
        "The hierarchy of the paper's Fig. 4a with H-DRF's divisible shares (above), and as MCH flattens it (below), with MCH's. "
        "Leaves of CPU are brown, leaves of memory green: none needs both.",
        _alt_fig4("paper"),
    ),
    Figure(
        "mch.fig4-full", "mch.fig4", plot_fig4_full,
        "The same hierarchy with full-type leaves (blue) in the places of the CPU leaves, beyond the paper, so that Case 1 is met.",
        _alt_fig4("full"),
    ),
    Figure(
        "mch.fig4b", "mch.fig4b", plot_fig4b,
        "Dominant shares over time in the hierarchy of Fig. 4a, 2000 tasks for each leaf, task by task (the paper's Fig. 4b is the "
        "middle panel). Submissions and lengths of tasks are ours, chosen so that all are active from 200 to 600 s and n1,2 leaves at 790 s.",
        _alt_fig4b,
    ),
    *cost_figures.FIGURES,
    *property_figures.FIGURES,
)  # fmt: skip
