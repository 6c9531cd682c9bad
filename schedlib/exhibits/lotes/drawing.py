"""How LoTES's figures show waits: medians as lines through the points of all seeds, in panels."""

from collections.abc import Mapping
from typing import Any

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from schedlib.exhibits.lotes.runs import POLICIES, SHORTEST
from schedlib.pictures import style
from schedlib.pictures.style import Look

WAIT = "mean wait (s); none: 0.0001"
LAWS = {"common-matched": "one factor, mean as planned", "common": "one factor for all resources",
        "independent": "each resource for itself (printed)",
        "common-fluid": "one factor, load of lambda1", "fixed": "class means"}
"""The laws of job sizes in Figs. 11-13, with what they are called in a figure."""
FIGURES_8_TO_10 = {
    8: ("wait", 1e-3, "mean wait of jobs started that {unit} (s)\n(1 ms and less: 0.001)",
        "Mean wait of the jobs that start each {unit},"),
    9: ("tail", 1e-3, "jobs that wait longer (%)", "Share of jobs that wait longer than a time,"),
    10: ("queue", 0.5, "jobs waiting at the {unit}'s end\n(none: 0.5)",
         "Jobs waiting at the end of each {unit},"),
}
"""Of Figs. 8-10 the measure, the least value drawn, the label, and how captions begin, by number."""


def axis_of(frame: pd.DataFrame) -> str:
    """What varies along the axis of such a figure: "phi" or "omega"."""
    return "phi" if frame["phi"].nunique() > 1 else "omega"


def laws_in(frame: pd.DataFrame) -> dict[str, str]:
    """The laws of job sizes that a frame has, with what they are called."""
    return {law: name for law, name in LAWS.items() if law in set(frame["sizes"])}


def panels(count: int, size: tuple[float, float], **options) -> tuple[Figure, Any]:
    """A figure with so many axes side by side, which share a scale and all show its numbers."""
    figure, axes = style.subplots(1, count, size=size, sharey=True, squeeze=False, **options)
    for ax in axes.flat:
        ax.yaxis.set_tick_params(labelleft=True)
    return figure, axes[0]


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


def medians(frame: pd.DataFrame, column: str, unit: str = "s") -> str:
    """The median of a column for each policy, in words."""
    values = frame.groupby("policy", sort=False)[column].median()
    return ", ".join(f"{style.look(name).label} {value:.3g} {unit}" for name, value in values.items())


def by_policy_at(frame: pd.DataFrame, column: str, x: str, unit: str) -> str:
    """The median of a column at the least and at the largest x, for each policy, in words."""
    medians, low, high = frame.groupby(["policy", x])[column].median(), frame[x].min(), frame[x].max()
    return "; ".join(f"{style.look(policy).label} {medians[policy, low]:.3g} and {medians[policy, high]:.3g} "
                     f"{unit}" for policy in frame["policy"].unique())


def lines(ax: Axes, frame: pd.DataFrame, x: str, y: str, *, by: str = "policy",
          looks: Mapping[str, Look] | None = None, shift: float = 0.0, hollow: bool = False,
          size: float = 4, **options) -> None:
    """Draw `y` against the column `x`: all runs as points, medians as lines, a look for each value of `by`.

    `looks`: the style's unless given; `shift`: between the points of two lines, along the axis; `hollow`:
    whether points are hollow where the queue grew; `options` of the points.
    """
    looks = looks or {name: style.look(name) for name in frame[by].unique()}
    for k, (name, look) in enumerate(looks.items()):
        rows = frame[frame[by] == name]
        values = rows[y].clip(lower=SHORTEST) if y == "wait" else rows[y]
        median_line(ax, values, rows[x], look)
        more = options | ({"stable": rows["stable"]} if hollow else {})
        dots(ax, rows[x] + shift * (k - (len(looks) - 1) / 2), values, look, size, **more)


def wait_panels(frame: pd.DataFrame, column: str, titles: Mapping, x: str, *, height: float = 3.8,
                hollow: bool = True, by: str = "policy", looks: Mapping[str, Look] | None = None,
                shift: float = 0.0, size: float = 4, **axis) -> Figure:
    """Mean waits against the column `x` by `lines`, a panel for each value of `column`, with these `titles`;
    `height` in inches; `axis`: for `Axes.set`."""
    figure, axes = panels(len(titles), (8.8, height))
    looks = looks or {name: style.look(name) for name in frame[by].unique()}
    for ax, (value, title) in zip(axes, titles.items(), strict=True):
        lines(ax, frame[frame[column] == value], x, "wait", by=by, looks=looks, shift=shift, hollow=hollow,
              size=size, **({} if hollow else {"alpha": 0.6}))
        ax.set(title=title, ylabel=WAIT, yscale="log", **axis)
    legend_below(figure, axes[0], len(looks))
    return figure


def plot_over_time(frame: pd.DataFrame, number: int, unit: str = "day") -> Figure:
    """Fig. 8, 9 or 10, a panel for each load: seeds as thin lines and their median as a thick one.

    They show the mean wait of the jobs that start in each `unit`, "day" or "minute"; the share of jobs that
    wait longer than a time (the paper's Fig. 9, complemented); the jobs that wait at the end of each unit.
    """
    measure, least, label, _ = FIGURES_8_TO_10[number]
    loads = frame[frame["measure"] == measure].groupby("load")
    figure, axes = panels(len(loads), (max(8.0, 4.6 * len(loads)), 4.0))
    for ax, (load, runs) in zip(axes, loads, strict=True):
        for policy in POLICIES:
            rows, look = runs[runs["policy"] == policy], style.look(policy)
            values = rows["value"].clip(lower=least)
            for _, seed in values.groupby(rows["seed"]):
                ax.plot(rows["x"][seed.index], seed, color=look.color, linewidth=0.6, alpha=0.35)
            median_line(ax, values, rows["x"], look)
        ax.set(yscale="log", ylabel=label.format(unit=unit))
        if number != 9:
            ax.set_xlabel({"day": "time (days)", "minute": "time (min)"}[unit])
        else:
            ax.set(xscale="log", ylim=(1e-3, 110), xlabel="time waited (s)")
            ax.axhline(1, color="black", linewidth=0.8, linestyle=":")
            places = {1: "center", 7: "right", 17: "left"}  # hours which the paper's text names
            for hour, place in places.items() if unit == "day" else ():
                ax.axvline(3600 * hour, color="black", linewidth=0.8, linestyle=":")
                ax.annotate(f"{hour} h", (3600 * hour, 130), fontsize=8, ha=place, annotation_clip=False)
        if len(loads) > 1:
            ax.set_title(f"load {load:g}", fontsize=10)
    legend_below(figure, axes[0])
    return figure
