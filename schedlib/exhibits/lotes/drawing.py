"""How LoTES's figures show waits: medians as lines through the points of all seeds, in panels; and one point
of Figs. 11-13 as a picture.
"""

from collections.abc import Mapping

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import NullLocator

from schedlib.exhibits.lotes.runs import POLICIES, SHORTEST
from schedlib.lotes.simulate import GROWTH
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
SPREAD, LINE = 0.12, 0.19
NO_VERDICT = "no verdict", "the claims are judged under other laws of sizes"


def axis_of(frame: pd.DataFrame) -> str:
    """What varies along the axis of such a figure: "phi" or "omega"."""
    return "phi" if frame["phi"].nunique() > 1 else "omega"


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
    medians, low, high = frame.groupby(["policy", x])[column].median(), frame[x].min(), frame[x].max()
    return "; ".join(f"{style.look(policy).label} {medians[policy, low]:.3g} and {medians[policy, high]:.3g} "
                     f"{unit}" for policy in frame["policy"].unique())


def wait_panels(frame: pd.DataFrame, column: str, titles: Mapping, x: str, *, by: str = "policy",
                looks: Mapping[str, Look] | None = None, shift: float = 0.0, height: float = 3.8,
                hollow: bool = True, size: float = 4, **axis) -> Figure:
    """Mean waits against the column `x`, a panel for each value of `column`: points, and medians as lines.

    `titles`: of each panel, by value; `by`: the column whose values have a line each, drawn with these
    `looks` (default: the style's); `shift`: between the points of two lines, along the axis; `height` in
    inches; `hollow`: whether points are hollow where the queue grew; `axis`: for `Axes.set`.
    """
    looks = looks or {policy: style.look(policy) for policy in frame[by].unique()}
    figure, axes = style.subplots(1, len(titles), size=(8.8, height), sharey=True, squeeze=False)
    for ax, (value, title) in zip(axes.flat, titles.items(), strict=True):
        for k, (name, look) in enumerate(looks.items()):
            rows = frame[(frame[column] == value) & (frame[by] == name)]
            wait, place = rows["wait"].clip(lower=SHORTEST), rows[x] + shift * (k - (len(looks) - 1) / 2)
            median_line(ax, wait, rows[x], look)
            dots(ax, place, wait, look, size, **({"stable": rows["stable"]} if hollow else {"alpha": 0.6}))
        ax.set(title=title, ylabel=WAIT, yscale="log", **axis)
        ax.yaxis.set_tick_params(labelleft=True)
    legend_below(figure, axes[0, 0], len(looks))
    return figure


def plot_over_time(frame: pd.DataFrame, number: int, unit: str = "day") -> Figure:
    """Fig. 8, 9 or 10, a panel for each load: seeds as thin lines and their median as a thick one.

    They show the mean wait of the jobs that start in each `unit`, "day" or "minute"; the share of jobs that
    wait longer than a time (the paper's Fig. 9, complemented); the jobs that wait at the end of each unit.
    """
    measure, least, label, _ = FIGURES_8_TO_10[number]
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
        ax.set(yscale="log", ylabel=label.format(unit=unit))
        ax.yaxis.set_tick_params(labelleft=True)
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
    legend_below(figure, ax)
    return figure


def per_run(frame: pd.DataFrame, measure: str, x: float = 0.0) -> pd.Series:
    """The value of a measure at one x, by policy, load and seed."""
    rows = frame[(frame["measure"] == measure) & (frame["x"] == x)]
    return rows.set_index(["policy", "load", "seed"])["value"].sort_index()


def at_point(frame: pd.DataFrame, sizes: str, at: float) -> pd.DataFrame:
    """The rows of one law of sizes and one value of the axis, all instances and policies.

    Raises ValueError, which lists the laws and values that there are, when there are no such rows.
    """
    x = axis_of(frame)
    rows = frame[(frame["sizes"] == sizes) & np.isclose(frame[x], at)]
    if rows.empty:
        values = ", ".join(f"{value:g}" for value in sorted(frame[x].unique()))
        raise ValueError(f"sizes, at: no runs of {sizes!r} at {x} = {at:g}; there are "
                         f"{', '.join(frame['sizes'].unique())} at {values}")
    return rows


def plot_point(frame: pd.DataFrame, sizes: str, at: float, claims: pd.DataFrame | None = None, *,
               size=(8.6, 4.6)) -> Figure:
    """Mean waits and growth of the queue at one point of the frame of `lotes.fig11`, `fig12` or `fig13`.

    `sizes`: the law of job sizes; `at`: the value of Phi or Omega. Every instance is a point, hollow where
    the run was unstable. The axes are the same for all points of the frame. `claims`: rows of the ledger,
    listed below the axes. Raises ValueError as `at_point` does.
    """
    rows = at_point(frame, sizes, at)
    policies = [policy for policy in POLICIES if policy in set(rows["policy"])]
    lines = 0 if claims is None else max(len(claims), 1)
    low = (0.55 + (0.1 + LINE * lines if lines else 0)) / size[1]
    # The axes are placed by hand, which is twice as quick as the layout engine.
    place = {"left": 1.6 / size[0], "right": 0.98, "top": 1 - 0.4 / size[1], "bottom": low, "wspace": 0.11}
    figure, axes = style.subplots(1, 2, size=size, sharey=True, gridspec_kw=place)
    figure.set_layout_engine("none")
    waits, growth, threshold = frame["wait"].clip(lower=SHORTEST), 100 * frame["slope"], 100 * GROWTH
    for ax, values in zip(axes, (waits, growth), strict=True):
        for height, policy in enumerate(policies):
            runs = rows[rows["policy"] == policy].sort_values("seed")
            heights = height + SPREAD * (np.arange(len(runs)) - (len(runs) - 1) / 2)
            dots(ax, values[runs.index], heights, style.look(policy), 7, stable=runs["stable"])
    axes[0].set(xscale="log", xlim=(SHORTEST / 2, 2 * waits.max()), xlabel=WAIT)
    axes[0].set_yticks(range(len(policies)), [style.look(policy).label for policy in policies])
    axes[0].set_ylim(len(policies) - 0.5, -0.5)
    axes[1].set_xscale("symlog", linthresh=threshold)
    axes[1].set(xlim=(1.2 * min(growth.min(), -threshold), max(1.5 * growth.max(), 1)),
                xlabel="growth of the queue (% of the arrivals)")
    axes[1].axvline(threshold, color="black", linestyle=":", linewidth=1)
    for ax in axes:
        ax.xaxis.set_minor_locator(NullLocator())
        ax.xaxis.set_major_formatter("{x:,g}")  # powers as formulas take longer to set than all else to draw
    where = f"load {rows['load'].iloc[0]:g}, {axis_of(frame).capitalize()} = {at:g}, sizes: {LAWS[sizes]}"
    figure.suptitle(f"{where} (hollow: unstable)", fontsize=10, y=0.985)
    listed = [] if claims is None else [
        (row.verdict, f"{row.claim} ({row.where})") for row in claims.itertuples()]
    for line, (verdict, text) in enumerate((listed[::-1] or [NO_VERDICT]) if lines else ()):
        y = (0.08 + LINE * line) / size[1]
        figure.text(0.15 / size[0], y, verdict, fontsize=9, fontweight="bold")
        figure.text(1.6 / size[0], y, text, fontsize=9)
    return figure
