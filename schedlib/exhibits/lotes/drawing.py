"""How LoTES's figures show waits: medians as lines through the points of all seeds, in panels."""

from collections.abc import Mapping

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from schedlib.exhibits.lotes.judging import SHORTEST
from schedlib.exhibits.lotes.runs import POLICIES
from schedlib.pictures import style
from schedlib.pictures.style import Look

WAIT = "mean wait (s); none: 0.0001"


def median_line(ax: Axes, values: pd.Series, at: pd.Series, look: Look) -> None:
    """Draw the median of the values at each place along the axis, as a line with its label."""
    median = values.groupby(at).median()
    ax.plot(median.index, median, color=look.color, linestyle=look.linestyle, label=look.label)


def dots(ax: Axes, x, y, look: Look, size: float | None = 4, *, stable=None, **options) -> None:
    """Draw every run as a marker, a hollow one where its queue grew (`stable` is given and false)."""
    kinds = [(slice(None), look.color)]
    if stable is not None:
        stable = stable.astype(bool)
        kinds = [(stable, look.color), (~stable, "white")]
    for rows, face in kinds:
        ax.plot(x[rows], y[rows], look.marker, color=look.color, mfc=face, markersize=size, **options)


def legend_below(figure: Figure, ax: Axes, columns: int = 4) -> None:
    """Put the legend of these axes below the whole figure."""
    figure.legend(*ax.get_legend_handles_labels(), loc="outside lower center", ncols=columns)


def by_policy_at(frame: pd.DataFrame, column: str, x: str, unit: str) -> str:
    """The median of a column at the least and at the largest x, for each policy, in words."""
    medians, ends = frame.groupby(["policy", x])[column].median(), frame[x].agg(["min", "max"])
    return "; ".join(f"{style.look(policy).label} {medians[policy, ends['min']]:.3g} and "
                     f"{medians[policy, ends['max']]:.3g} {unit}" for policy in POLICIES)


def wait_panels(frame: pd.DataFrame, column: str, titles: Mapping, x: str, *, by: str = "policy",
                looks: Mapping[str, Look] | None = None, shift: float = 0.0, height: float = 3.8,
                hollow: bool = True, size: float = 4, **axis) -> Figure:
    """Mean waits against the column `x`, a panel for each value of `column`: points, and medians as lines.

    `titles`: of each panel, by value; `by`: the column whose values have a line each, drawn with these
    `looks` (default: the policies'); `shift`: between the points of two lines, along the axis; `height` in
    inches; `hollow`: whether points are hollow where the queue grew; `axis`: for `Axes.set`.
    """
    looks = looks or {policy: style.look(policy) for policy in POLICIES}
    columns = min(len(titles), 2)
    shape = len(titles) // columns, columns
    figure, axes = style.subplots(*shape, size=(8.8, height), sharey=True, squeeze=False)
    for ax, (value, title) in zip(axes.flat, titles.items(), strict=True):
        for k, (name, look) in enumerate(looks.items()):
            rows = frame[(frame[column] == value) & (frame[by] == name)]
            wait = rows["wait"].clip(lower=SHORTEST)
            median_line(ax, wait, rows[x], look)
            place = rows[x] + shift * (k - (len(looks) - 1) / 2)
            dots(ax, place, wait, look, size, **({"stable": rows["stable"]} if hollow else {"alpha": 0.6}))
        ax.set(title=title, ylabel=WAIT, yscale="log", **axis)
        ax.yaxis.set_tick_params(labelleft=True)
    legend_below(figure, axes[0, 0], len(looks))
    return figure


TIME = {"day": "time (days)", "minute": "time (min)"}


def _over_time(frame, measure, least, **axis):
    """One measure by policy, a panel for each load: seeds as thin lines and their median as a thick one."""
    loads = frame[frame["measure"] == measure].groupby("load")
    size = (max(8.0, 4.6 * len(loads)), 4.0)
    figure, axes = style.subplots(1, len(loads), size=size, sharey=True, squeeze=False)
    for ax, (load, runs) in zip(axes.flat, loads, strict=True):
        for policy in POLICIES:
            rows, look = runs[runs["policy"] == policy], style.look(policy)
            values = rows["value"].clip(lower=least)
            for _, seed in values.groupby(rows["seed"]):
                ax.plot(rows["x"][seed.index], seed, color=look.color, linewidth=0.6, alpha=0.35)
            median_line(ax, values, rows["x"], look)
        ax.set(yscale="log", **axis)
        ax.yaxis.set_tick_params(labelleft=True)
        if len(loads) > 1:
            ax.set_title(f"load {load:g}", fontsize=10)
    legend_below(figure, ax)
    return figure


def plot_fig8(frame: pd.DataFrame, unit: str = "day") -> Figure:
    """The mean wait of the jobs that start in each day (the paper's Fig. 8), or in each minute."""
    label = f"mean wait of jobs started that {unit} (s)\n(1 ms and less: 0.001)"
    return _over_time(frame, "wait", 1e-3, xlabel=TIME[unit], ylabel=label)


def plot_fig9(frame: pd.DataFrame, unit: str = "day") -> Figure:
    """The share of jobs that wait longer than a time (the paper's Fig. 9, complemented)."""
    labels = {"xlabel": "time waited (s)", "ylabel": "jobs that wait longer (%)"}
    figure = _over_time(frame, "tail", 1e-3, xscale="log", ylim=(1e-3, 110), **labels)
    for ax in figure.axes:
        ax.axhline(1, color="black", linewidth=0.8, linestyle=":")
        for hour in (1, 7, 17) if unit == "day" else ():  # which the paper's text names
            ax.axvline(3600 * hour, color="black", linewidth=0.8, linestyle=":")
            ax.annotate(f"{hour} h", (3600 * hour, 130), fontsize=8, ha="center", annotation_clip=False)
    return figure


def plot_fig10(frame: pd.DataFrame, unit: str = "day") -> Figure:
    """The jobs that wait at the end of each day (the paper's Fig. 10), or of each minute."""
    label = f"jobs waiting at the {unit}'s end\n(none: 0.5)"
    return _over_time(frame, "queue", 0.5, xlabel=TIME[unit], ylabel=label)


FIGURES_8_TO_10 = {
    8: (plot_fig8, "Mean wait of the jobs that start each {unit},"),
    9: (plot_fig9, "Share of jobs that wait longer than a time,"),
    10: (plot_fig10, "Jobs waiting at the end of each {unit},"),
}
"""How Figs. 8-10 are drawn, and how their captions begin, by number."""


def per_run(frame: pd.DataFrame, measure: str, x: float = 0.0) -> pd.Series:
    """The value of a measure at one x, by policy, load and seed."""
    rows = frame[(frame["measure"] == measure) & (frame["x"] == x)]
    return rows.set_index(["policy", "load", "seed"])["value"].sort_index()
