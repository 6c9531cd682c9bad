"""How LoTES's figures show waits: medians as lines through the points of all seeds, in panels."""

from collections.abc import Mapping
from typing import Any

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from pandas import DataFrame, Series

from reproduce.exhibits import legend_below, only
from reproduce.exhibits.lotes.runs import POLICIES
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


WAIT = "mean wait (s)"
SHORTEST = 1e-4
"""Seconds below which mean waits count as equal, and are drawn as none."""
LAWS = {
    "independent-limit": "each resource for itself (the text)",
    "common-limit": "one factor for all resources",
    "common-matched-limit": "one factor, mean as planned",
    "independent": "each resource for itself",
    "common-matched": "one factor, mean as planned",
}
"""The laws of job sizes, with what they are called in a figure. With `-limit` loads are shares of stage 2's
lambda*, else of what whole machines leave of it."""
JOBS = {False: "all jobs", True: "jobs that end"}


def laws_in(frame: DataFrame) -> dict[str, str]:
    """The laws of job sizes that a frame has, with what they are called."""
    return {law: name for law, name in LAWS.items() if law in set(frame["sizes"])}


def axis_of(frame: DataFrame) -> str:
    """The quantity along the axis of Figs. 11-13: "phi" or "omega"."""
    return "phi" if frame["phi"].nunique() > 1 else "omega"


def panels(count: int, size: tuple[float, float]) -> tuple[Figure, Any]:
    """A figure with several axes side by side, which share a scale."""
    figure, axes = style.subplots(1, count, size=size, sharey=True, squeeze=False)
    return figure, axes[0]


def median_line(ax: Axes, values: Series, at: Series, look: Look) -> float:
    """Draw the median of the values at each place along the axis, as a line with its label; gives the last."""
    median = values.groupby(at).median()
    ax.plot(median.index, median, color=look.color, linestyle=look.linestyle, label=look.label)
    return median.iloc[-1]


def log_and_zero(ax: Axes, least: float) -> None:
    """Make the y axis logarithmic down to `least`; below, it is linear and ends at zero."""
    ax.set_yscale("symlog", linthresh=least, linscale=0.5)
    ax.yaxis.get_major_locator().set_params(numticks=5)  # type: ignore[call-arg]
    ax.yaxis.set_major_formatter("{x:,g}")


def lines(ax: Axes, frame: DataFrame, x: str, looks: Mapping[str, Look], shift: float) -> None:
    """Draw mean waits against the column `x`: all runs as points, hollow where the queue grew, and medians as
    lines with their names behind them, for policies with these `looks`; `shift` is between two lines."""
    ends = []
    for k, (name, look) in enumerate(looks.items()):
        rows = only(frame, policy=name)
        place = rows[x] + shift * (k - (len(looks) - 1) / 2)
        grew = ~rows["stable"].astype(bool)
        for chosen, face in ((~grew, look.color), (grew, "none")):
            x_of, y_of = place[chosen], rows["wait"][chosen]
            ax.plot(x_of, y_of, look.marker, color=look.color, mfc=face, markersize=3, alpha=0.5)
        ends.append((median_line(ax, rows["wait"], place, look), name))
    at_end: Any = {"xycoords": ax.get_yaxis_transform(), "textcoords": "offset points"}
    for k, (end, name) in enumerate(sorted(ends)):  # 11 points apart where lines end together
        ax.annotate(looks[name].label, (1, end), (5, 11 * k - 11), **at_end)


def plot_over_time(
    frame: DataFrame, number: int, unit: str = "day", by: tuple[str, ...] = ("load",)
) -> Figure:
    """Fig. 8, 9 or 10, a panel for each value of `by`: the median of the seeds as a line, their range as thin ones.

    They show the mean wait of the jobs that start in each `unit`, "day" or "minute"; the share of jobs that
    wait longer than a time (the paper's Fig. 9, complemented); the jobs that wait at the end of each unit.
    The waits that the paper's text prints for Fig. 9 are marked.
    """
    measure, least, label, _ = FIGURES_8_TO_10[number]
    shown = only(frame, measure=measure)
    loads = shown.groupby(list(by))
    longest = shown.loc[shown["value"] > least, "x"].max()
    figure, axes = style.subplots(
        1, len(loads), size=(max(8.0, 3.0 * len(loads)), 4.0), sharey=True, squeeze=False
    )
    for ax, ((*ended, load), runs) in zip(axes[0], loads, strict=True):
        for policy in POLICIES:
            rows, look = only(runs, policy=policy), style.look(policy)
            ends = rows.groupby("x")["value"].agg(["min", "max"])
            ax.plot(ends.index, ends, color=look.color, linewidth=0.6, alpha=0.6)
            median_line(ax, rows["value"], rows["x"], look)
        if number == 9:
            ax.set(xscale="log", yscale="log", ylim=(least, 110), xlabel="time waited (s)")
            ax.set_xlim(None, 2 * longest)
            if unit == "day":
                _mark_printed(ax)
        else:
            ax.set_xlabel({"day": "time (days)", "minute": "time (min)"}[unit])
            log_and_zero(ax, least)
        if len(loads) > 1:
            ax.set_title(f"{JOBS[ended[0]]}, load {load:g}" if ended else f"load {load:g}")
    axes[0, 0].set_ylabel(label.format(unit=unit))
    legend_below(axes[0, 0], 4)
    return figure


def _mark_printed(ax):
    """Mark the waits that 1 % of jobs exceed, as the text prints them."""
    for policy, hours, above in (("lotes", 1, 5), ("tetris", 7, -13), ("greedy", 17, 5)):
        style.printed(ax, 3600 * hours, 1, color=style.look(policy).color, markersize=9)
        ax.annotate(
            f"{hours} h", (3600 * hours, 1), (0, above), textcoords="offset points", ha="center"
        )
    ax.plot([], [], **style.PRINTED.line())
