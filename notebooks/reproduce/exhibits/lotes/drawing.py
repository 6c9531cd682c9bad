"""How LoTES's figures show waits: medians as lines through the points of all seeds, in panels."""

from collections.abc import Mapping
from typing import Any

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from pandas import DataFrame, Series

from reproduce.exhibits import legend_below, only
from reproduce.exhibits.lotes.runs import POLICIES
from reproduce.exhibits.lotes.waits import LAWS, SHORTEST, WAIT, dots
from schedlib.plots import style
from schedlib.plots.style import Look

FIGURES_8_TO_10 = {
    8: (
        "wait",
        1e-3,
        "mean wait of the jobs\nthat start that {unit} (s)",
        "Mean wait of the jobs that start each {unit}",
    ),
    9: ("tail", 1e-3, "jobs that wait longer (%)", "Share of jobs that wait longer than a time"),
    10: (
        "queue",
        1.0,
        "jobs waiting at the {unit}'s end",
        "Jobs waiting at the end of each {unit}",
    ),
}
"""Of Figs. 8-10 the measure, where the logarithmic scale begins, the label, and how captions begin."""


def laws_in(frame: DataFrame) -> dict[str, str]:
    """The laws of job sizes that a frame has, with what they are called."""
    return {law: name for law, name in LAWS.items() if law in set(frame["sizes"])}


def panels(count: int, size: tuple[float, float], **options) -> tuple[Figure, Any]:
    """A figure with several axes side by side, which share a scale and all show its numbers."""
    figure, axes = style.subplots(1, count, size=size, sharey=True, squeeze=False, **options)
    for ax in axes.flat:
        ax.yaxis.set_tick_params(labelleft=True)
    return figure, axes[0]


def median_line(ax: Axes, values: Series, at: Series, look: Look) -> None:
    """Draw the median of the values at each place along the axis, as a line with its label."""
    median = values.groupby(at).median()
    ax.plot(median.index, median, color=look.color, linestyle=look.linestyle, label=look.label)


def range_and_median(ax: Axes, values: Series, at: Series, look: Look) -> None:
    """Draw the median of the values at each place as a line, over a shade from the least to the largest."""
    ends = values.groupby(at).agg(["min", "max"])
    ax.fill_between(ends.index, ends["min"], ends["max"], color=look.color, alpha=0.2, linewidth=0)
    median_line(ax, values, at, look)


def log_and_zero(ax: Axes, least: float, axis: str = "y") -> None:
    """Make an axis logarithmic down to `least`; below, it is linear and ends at zero."""
    room = {"x": 1.2, "y": 0.5}  # decades for zero: labels are wider than they are high
    most = {"x": 4, "y": 5}  # labels
    getattr(ax, f"set_{axis}scale")("symlog", linthresh=least, linscale=room[axis])
    getattr(ax, f"{axis}axis").get_major_locator().set_params(numticks=most[axis])


def lines(
    ax: Axes,
    frame: DataFrame,
    x: str,
    y: str,
    *,
    looks: Mapping[str, Look],
    shift: float = 0.0,
    hollow: bool = False,
) -> None:
    """Draw `y` against the column `x`: all runs as points, medians as lines, for policies with these `looks`.

    `shift`: between the points of two lines, along the axis; `hollow`: whether points are hollow where the
    queue grew.
    """
    for k, (name, look) in enumerate(looks.items()):
        rows = only(frame, policy=name)
        median_line(ax, rows[y], rows[x], look)
        more = {"stable": rows["stable"]} if hollow else {}
        dots(ax, rows[x] + shift * (k - (len(looks) - 1) / 2), rows[y], look, **more)


def wait_panels(
    frame: DataFrame, titles: Mapping[str, str], x: str, shift: float, **axis
) -> Figure:
    """Mean waits against the column `x` by `lines`, a panel for each law of sizes with its title; `axis`: for
    `Axes.set`."""
    figure, axes = panels(len(titles), (8.8, 4.3))
    looks = {name: style.look(name) for name in frame["policy"].unique()}
    for ax, (law, title) in zip(axes, titles.items(), strict=True):
        lines(ax, only(frame, sizes=law), x, "wait", looks=looks, shift=shift, hollow=True)
        ax.set(title=title, ylabel=WAIT, **axis)
        log_and_zero(ax, SHORTEST)
    axes[0].plot(
        [], [], "o", color="black", mfc="white", markersize=4, label="hollow: the queue grew"
    )
    legend_below(axes[0], len(looks) + 1)
    return figure


def plot_over_time(frame: DataFrame, number: int, unit: str = "day") -> Figure:
    """Fig. 8, 9 or 10, a panel for each load: the median of the seeds as a line, and their range as a shade.

    They show the mean wait of the jobs that start in each `unit`, "day" or "minute"; the share of jobs that
    wait longer than a time (the paper's Fig. 9, complemented); the jobs that wait at the end of each unit.
    What the paper's text says of the month in numbers is marked.
    """
    measure, least, label, _ = FIGURES_8_TO_10[number]
    loads = only(frame, measure=measure).groupby("load")
    figure, axes = style.subplots(
        1, len(loads), size=(max(8.0, 3.3 * len(loads)), 4.0), sharey=True, squeeze=False
    )
    for ax, (load, runs) in zip(axes[0], loads, strict=True):
        for policy in POLICIES:
            rows, look = only(runs, policy=policy), style.look(policy)
            range_and_median(ax, rows["value"], rows["x"], look)
        if number == 9:
            ax.set(xscale="log", yscale="log", ylim=(least, 110), xlabel="time waited (s)")
        else:
            ax.set_xlabel({"day": "time (days)", "minute": "time (min)"}[unit])
            log_and_zero(ax, least)
        if unit == "day":
            _mark_printed(ax, number)
        if len(loads) > 1:
            ax.set_title(f"load {load:g}")
    axes[0, 0].set_ylabel(label.format(unit=unit))
    legend_below(axes[0, 0], 4)
    return figure


def _mark_printed(ax, number):
    """What the text prints of the month: Greedy's wait less LoTES's; the waits that 1 % of jobs exceed."""
    if number == 8:
        ax.axhspan(
            15 * 60,
            20 * 60,
            color="black",
            alpha=0.3,
            linewidth=0,
            label="printed: Greedy's mean less LoTES's",
        )
    elif number == 9:
        for policy, hours, above in (("lotes", 1, 5), ("tetris", 7, -13), ("greedy", 17, 5)):
            style.printed(ax, 3600 * hours, 1, color=style.look(policy).color, markersize=9)
            ax.annotate(
                f"{hours} h", (3600 * hours, 1), (0, above), textcoords="offset points", ha="center"
            )
        ax.plot([], [], **style.PRINTED.line())
