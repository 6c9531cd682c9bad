"""Figures of the properties of MCH's family on random trees: a frame in, a picture out. Nothing here allocates."""

import numpy as np
import pandas as pd

from schedlib.experiment import Figure
from schedlib.pictures import style

COLOURS = "Blues"
"""Light where nothing fails; one hue, so that it reads the same for the colour-blind and in grey."""

SHORT = {
    "share guarantee": "share\nguarantee",
    "sharing incentive": "sharing\nincentive",
    "envy-freeness among siblings": "no envy,\nsiblings",
    "envy-freeness across groups": "no envy,\nall leaves",
    "Pareto efficiency": "Pareto\nefficiency",
    "strategy-proofness": "strategy-\nproofness",
}
NAMES = {"collapsed": "CH, dominant shares"}


def _label(rule):
    return NAMES.get(rule, style.look(rule).label)


def _heat_map(ax, table: pd.DataFrame, rows, columns):
    """Per cents by row and column, each written into its cell."""
    image = ax.imshow(table.to_numpy(float), cmap=COLOURS, vmin=0, vmax=100, aspect="auto")
    for i, j in np.ndindex(table.shape):
        value = table.iat[i, j]
        text = "–" if np.isnan(value) else f"{value:.0f}" if value in (0, 100) or 1 <= value <= 99 else f"{value:.1f}"
        ax.annotate(text, (j, i), ha="center", va="center", fontsize=8.5, color="white" if value > 55 else "black")
    ax.set_xticks(range(table.shape[1]), columns)
    ax.set_yticks(range(table.shape[0]), rows)
    ax.grid(False)
    ax.spines[:].set_visible(False)
    ax.tick_params(length=0)
    return image


def _rates(frame, value, index, columns):
    return 100 * frame.pivot_table(index=index, columns=columns, values=value)


def plot_properties(frame: pd.DataFrame):
    """Share of random trees on which each rule violates each property, with full-type leaves and with half partial-type ones."""
    partials = sorted(frame["partial"].unique())
    figure, axes = style.subplots(1, len(partials), size=(5.6 * len(partials), 4.2), squeeze=False, sharey=True)
    for ax, partial in zip(axes[0], partials, strict=True):
        some = frame[frame["partial"] == partial].assign(bad=lambda f: f["violated"] * f["trees"])
        sums = some.pivot_table(index="rule", columns="property", values=["bad", "trees"], aggfunc="sum", sort=False)
        rates = (100 * sums["bad"] / sums["trees"]).reindex(columns=list(SHORT))
        image = _heat_map(ax, rates, [_label(rule) for rule in rates.index], list(SHORT.values()))
        ax.set_title("all leaves full-type" if partial == 0 else f"{100 * partial:.0f} % of leaves partial-type", fontsize=10)
        ax.tick_params(axis="x", labelsize=8)
        ax.set_xlabel("property")
    axes[0, 0].set_ylabel("rule")
    figure.colorbar(image, ax=list(axes[0]), label="trees on which it is violated (%)")
    return figure


def _heat_maps(frame, panels):
    """Heat maps of levels against partial-type leaves, side by side: `(rows, column, title)` each."""
    figure, axes = style.subplots(1, len(panels), size=(4.5 * len(panels), 3.6), sharey=True)
    for ax, (some, value, title) in zip(axes, panels, strict=True):
        rates = _rates(some, value, "depth", "partial")
        image = _heat_map(ax, rates, rates.index, [f"{100 * partial:.0f}" for partial in rates.columns])
        ax.set_title(title, fontsize=10)
        ax.set_xlabel("chance that a leaf is partial-type (%)")
    axes[0].set_ylabel("levels of the tree")
    figure.colorbar(image, ax=list(axes), label="share of trees (%)")
    return figure


def plot_equality(frame: pd.DataFrame, resources: int = 2):
    """How often MCH's shares differ from H-DRF's, and how often a leaf or group falls below its guarantee."""
    some = frame[frame["resources"] == resources]
    return _heat_maps(some, [(some, "differ", "shares other than H-DRF's"), (some, "below", "a leaf or group below its guarantee")])


def plot_equality3(frame: pd.DataFrame):
    """As `plot_equality`, with three resources."""
    return plot_equality(frame, 3)


def plot_exact(frame: pd.DataFrame):
    """How often two repairs of MCH give shares other than H-DRF's, two resources and more alike."""
    return _heat_maps(frame, [(some, "differ", f"{_label(rule)}: other than H-DRF's") for rule, some in frame.groupby("rule")])


def plot_starvation(frame: pd.DataFrame):
    """Dominant shares over time of the two memory leaves: n1, and n2,2 beside a CPU leaf in a group."""
    figure, axes = style.subplots(1, 2, size=(8.8, 3.6), sharey=True)
    for ax, (leaf, title) in zip(
        axes, (("n1", "n1, memory, alone"), ("n2,2", "n2,2, memory, in a group with a CPU leaf")), strict=True
    ):
        for k, (rule, one) in enumerate(frame[frame["leaf"] == leaf].groupby("rule", sort=False)):
            mean = one.groupby("time")["share"].mean()
            line = style.look(rule).line() | {"label": _label(rule), "markevery": (3 * k, 15)}
            ax.plot(mean.index, 100 * mean, **line)
        guarantee = 50 if leaf == "n1" else 25
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
    """Mean share (%) of n2,2 in the second half of the time, by rule."""
    some = frame[(frame["leaf"] == "n2,2") & (frame["time"] >= frame["time"].max() / 2)]
    return 100 * some.groupby("rule", sort=False)["share"].mean()


def _caption_starvation(frame):
    words = ", ".join(f"{_label(rule)} {share:.3g} %" for rule, share in _late(frame).items())
    return (
        "Dominant shares under the tree [memory, [CPU, memory]] while tasks (50 fill a resource, exponential lengths) end and waiting ones "
        "start; means over seeds. The naive rule takes the CPU leaf's share for the group's, so that whatever memory is given back goes "
        f"to n1. Mean share of n2,2 in the second half: {words}; lines of equal shares lie on each other."
    )


def _alt_starvation(frame):
    words = ", ".join(f"{_label(rule)} {share:.2g} %" for rule, share in _late(frame).items())
    return f"Line charts of two memory leaves' shares over time. In the second half n2,2 holds: {words}."


def _alt_long_run(frame):
    words = [f"{_label(rule)} {100 * some['starved'].mean():.2g} %" for rule, some in frame.groupby("rule", sort=False)]
    return f"Table of rules on random trees over time. Trees with a leaf below half its guarantee: {', '.join(words)}."


def _caption_properties(frame):
    count = int(frame[frame["rule"] == "h-drf"].groupby(["property", "partial"])["trees"].sum().min())
    return (
        f"Share of {count:,} random trees a panel (two resources, {frame['depth'].min()} to {frame['depth'].max()} levels, equal weights, "
        "divisible tasks) on which each rule violates each property. The share guarantee is asked for leaves and groups, the sharing "
        "incentive for leaves; strategy-proofness is searched over one leaf's lies on a grid. C-CH and M-CH count only trees whose "
        "leaves all use their resource. MCH with Case 1's weight for all leaves, and Exact CH (H-DRF's shares as weights), are ours."
    )


def _alt_properties(frame):
    words = []
    for partial, some in frame.groupby("partial"):
        some = some[some["property"] == "share guarantee"].assign(bad=lambda f: f["violated"] * f["trees"])
        rate = 100 * some.groupby("rule", sort=False)["bad"].sum() / some.groupby("rule", sort=False)["trees"].sum()
        kind = "all leaves full-type" if partial == 0 else f"{100 * partial:.0f} % of leaves partial-type"
        words.append(f"with {kind} by " + ", ".join(f"{_label(rule)} on {value:.0f} %" for rule, value in rate.dropna().items()))
    return f"Heat maps of rules against properties. The share guarantee is violated {'; '.join(words)} of the trees."


def _trees(frame):
    """Trees in each cell of a heat map."""
    return int(frame.groupby(["depth", "partial"])["trees"].sum().min())


def _caption_equality(resources):
    def caption(frame):
        some = frame[frame["resources"] == resources]
        count, rule = _trees(some), _label(frame["rule"].iloc[0])
        return (
            f"{rule} against H-DRF on {count:,} random trees for each cell, {resources} resources, equal weights, divisible tasks. Left: "
            "some leaf's dominant share differs. Right: some leaf or group falls below its hierarchical share guarantee, under "
            f"{rule}; under H-DRF on {100 * some['h_drf_below'].mean():.2g} % of all trees. The largest difference of a leaf's share is "
            f"{100 * some['largest_gap'].max():.3g} % of the cluster; the least share of a leaf is {100 * some['least_leaf'].min():.3g} % "
            "of its guarantee."
        )

    return caption


def _alt_equality(resources):
    def alt(frame):
        some = frame[frame["resources"] == resources]
        deep = some[some["depth"] == some["depth"].max()]
        words = [
            f"{100 * one['differ'].mean():.3g} % differ and {100 * one['below'].mean():.3g} % violate the guarantee when a leaf is "
            f"partial-type with chance {100 * partial:.0f} %"
            for partial, one in deep.groupby("partial")
        ]
        return f"Two heat maps by levels and partial-type leaves. Of trees with {deep['depth'].iloc[0]} levels {'; '.join(words)}."

    return alt


def _caption_exact(frame):
    words = []
    for rule, some in frame.groupby("rule"):
        below, largest = 100 * some["below"].mean(), 100 * some["largest_gap"].max()
        words.append(
            f"{_label(rule)}: the guarantee is violated on {below:.2g} % of trees, a share differs by {largest:.2g} % at most"
        )
    one = frame[frame["rule"] == frame["rule"].iloc[0]]
    return (
        f"Two repairs of MCH on {_trees(one):,} random trees for each cell, {one['resources'].min()} to {one['resources'].max()} resources, "
        "divisible tasks. Case 1's weight for every leaf is H-DRF until a resource is saturated; what is left over goes another way. "
        f"Exact CH takes H-DRF's own shares as weights. {'. '.join(words)} (of the cluster)."
    )


def _alt_exact(frame):
    words = [f"{_label(rule)} {100 * some['differ'].mean():.3g} %" for rule, some in frame.groupby("rule")]
    return f"Two heat maps by levels and partial-type leaves. Trees with shares other than H-DRF's, over all cells: {', '.join(words)}."


def _alt_counterexamples(frame):
    words = [f"{_label(row.rule)}, {row.property}: {row.leaves} leaves" for row in frame[frame["rule"] == "mch"].itertuples()]
    return f"Table of the smallest trees found on which a rule violates a property. {'; '.join(words)}."


FIGURES = (
    Figure("mch.properties", "mch.properties", plot_properties, _caption_properties, _alt_properties),
    Figure("mch.equality", "mch.equality", plot_equality, _caption_equality(2), _alt_equality(2)),
    Figure("mch.equality3", "mch.equality", plot_equality3, _caption_equality(3), _alt_equality(3)),
    Figure("mch.exact", "mch.exact", plot_exact, _caption_exact, _alt_exact),
    Figure(
        "mch.starvation", "mch.starvation", plot_starvation,
        _caption_starvation, _alt_starvation,
    ),
    Figure(
        "mch.long-run", "mch.long-run", None,
        "Random trees over time, two resources, tasks of exponential length, at most about 50 of a leaf at once. starved: share of trees with "
        "a leaf whose mean share over the second half is below half its guarantee; least: the least mean share over its guarantee.",
        _alt_long_run,
    ),
    Figure(
        "mch.counterexamples", "mch.counterexamples", None,
        "The smallest trees found on which a rule violates a property by 1 % of the guarantee or more (two resources of equal capacity, "
        "a leaf is what one of its tasks needs, a bracket a group), or on which a flat rule's shares differ from H-DRF's by more than "
        "1 % of the cluster. Shares are the leaves' dominant shares in per cent, from left to right; the margin is in units of the "
        "guarantee. C-CH and M-CH are searched on full-type leaves. Random search, then shrinking: nothing smaller in one step fails.",
        _alt_counterexamples,
    ),
)  # fmt: skip
