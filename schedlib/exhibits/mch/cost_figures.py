"""What scheduling costs: MCH's Fig. 5 and the growth of operations with the number of nodes. A frame in, a picture out."""

import numpy as np
import pandas as pd
from matplotlib.ticker import FixedLocator, NullLocator

from schedlib.experiment import Figure
from schedlib.intervals import mean_ci
from schedlib.pictures import style


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
        unit = "operations" if measure == "operations" else "seconds"
        line[0].set_ylabel(f"{unit},\njobs as {reading if reading == 'nodes' else 'queues at leaves'}")
    for top, bottom, level in zip(axes[0], axes[-1], levels, strict=True):
        top.set_title(f"{level} levels")
        bottom.set_xlabel("number of jobs")
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
        low, high = ax.get_ylim()
        ax.set_ylim(low, high * (high / low) ** 0.42)  # room for the legend
        ax.legend(fontsize=7.5, title="slope in q", title_fontsize=8, loc="upper left")
    return figure


def _alt_fig5(frame):
    most = frame[frame["jobs"] == frame["jobs"].max()]
    words = []
    for reading, some in most.groupby("reading", sort=False):
        middle = some.groupby(["levels", "rule", "method"])["operations"].median().unstack(["rule", "method"])
        times = middle["h-drf", "literal"] / middle["mch", "fast"]
        words.append(f"jobs as {reading} " + ", ".join(f"{value:.3g}" for value in times))
    levels = ", ".join(map(str, sorted(set(frame["levels"]))))
    return f"Log-log charts. H-DRF's operations over MCH's at {most['jobs'].max()} jobs for {levels} levels: {'; '.join(words)}."


def _alt_complexity(frame):
    slopes = {
        _cost_look(rule, method)["label"]: mean_ci(exponents(one, "q", "operations")).mean
        for (rule, method), one in frame.groupby(["rule", "method"], sort=False)
    }
    words = ", ".join(f"{label} {slope:.2f}" for label, slope in slopes.items())
    return f"Four log-log charts of cost against the number of nodes. Exponents of all operations in q: {words}."


FIGURES = (
    Figure(
        "mch.fig5", "mch.fig5", plot_fig5,
        "The cost of scheduling jobs of the Alibaba hour (which stands for Google's trace) under full binary trees, medians over seeds. "
        "Upper half: the leaves are queues. Lower half: jobs are leaves below the lowest groups. Operations are nodes and heap places "
        "looked at; seconds of the flat rules include a fixed cost each time that weights are worked out anew. The paper's Fig. 5.",
        _alt_fig5,
    ),
    Figure(
        "mch.complexity", "mch.complexity", plot_complexity,
        "The cost of filling a cluster under full binary trees whose leaves are jobs, six tasks each: in all (above) and per decision "
        "(below), with slopes over all q and their 95 % intervals over seeds. Seconds have a fixed part, which few nodes do not hide.",
        _alt_complexity,
    ),
)  # fmt: skip
