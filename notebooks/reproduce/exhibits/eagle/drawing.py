"""What Eagle's figures share: looks, dots with intervals, lines, legends, numbers and sizes in words."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from fractions import Fraction
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.lines import Line2D

from exhibits.eagle.comparing import PERCENTILES, highest_load, only, ratios
from schedlib.intervals import mean_ci
from schedlib.pictures import style
from schedlib.pictures.alt import alt
from schedlib.pictures.style import Look

PERCENTILE_LOOKS = {
    50: Look("#3F97A6", "-", "o", "50th percentile"),
    90: Look("#1F6A78", "--", "s", "90th percentile"),
    99: Look("#083945", "-.", "^", "99th percentile"),
}
"""Shades of one colour that no system has."""
LOOKS = {
    name: style.look(name) for name in ("eagle", "hawk", "sparrow", "omniscient", "ideal-eagle")
} | {
    "dlwl": style.look("dlwl")._replace(label="DLWL+SRPT"),
    "no-sss": Look("#555555", (0, (7, 2)), "<", "Eagle without SSS"),
    "no-sbp-srpt": Look("#000000", ":", ">", "Eagle without SBP+SRPT"),
    "no-min": Look("#777777", (0, (3, 1, 1, 1, 1, 1)), "p", "Eagle without minimum probes"),
    "printed": style.PRINTED,
    "dlwl-5": Look("#8E4A73", (0, (7, 2)), "<", "DLWL+SRPT, 5 s"),
    "dlwl-7": Look("#5E2A4B", "-.", ">", "DLWL+SRPT, 7 s"),
    "hawk-any": style.look("hawk")._replace(label="Hawk, any idle worker steals"),
    "hawk-general": Look("#777777", (0, (2, 1)), "X", "Hawk, the general partition steals"),
    "hawk-none": Look("#444444", (0, (3, 1, 1, 1, 1, 1)), "p", "Hawk without stealing"),
}
"""Looks of the systems. Variants of DLWL have shades of its colour, those of Hawk and Eagle greys."""
NAMES = {"google": "Google", "cloudera": "Cloudera", "yahoo": "Yahoo"}
TITLES = NAMES | {"yahoo-1": "Yahoo 1", "yahoo-2": "Yahoo 2"}
"""The paper's traces, and excerpts of which it has several."""
WORDS: dict[Any, str] = {
    **TITLES,
    **{name: look.label for name, look in LOOKS.items()},
    **{percentile: look.label for percentile, look in PERCENTILE_LOOKS.items()},
}
"""Traces, systems and percentiles in alt texts."""
SPEEDUPS = (3, 10)
"""At the highest load Eagle is so many times as fast as Hawk, at least and at most (abstract)."""
BEST = 0.2
"""Eagle's time over Hawk's where the prototype gains most, 80 % (Fig. 9)."""


def traces_of(frame: pd.DataFrame) -> list[str]:
    """The traces of these rows, in the order in which they are drawn."""
    return [trace for trace in TITLES if trace in set(frame["trace"])]


def whose(trace: str) -> str:
    """The paper's trace that this is an excerpt of, or is.

    >>> whose("yahoo-2"), whose("google")
    ('yahoo', 'google')
    """
    return trace.partition("-")[0]


def google_short(frame: pd.DataFrame, **where: Any) -> pd.DataFrame:
    """The rows of short jobs on Google's trace at its highest load."""
    return only(highest_load(frame), "short", trace="google", **where)


def level(ax, *ratios: float) -> None:
    """Dotted lines at these ratios; at 1, where both systems take the same time, when none is given."""
    for ratio in ratios or (1,):
        ax.axhline(ratio, color="black", linewidth=0.8, linestyle=":")


def plot_ratios(ax, rows: pd.DataFrame, x: str) -> None:
    """The mean ratios against `x` with their intervals, a line for each percentile."""
    style.band(ax, rows, x, "ratio", "percentile", PERCENTILE_LOOKS)
    level(ax)


def plot_cases(rows: pd.DataFrame, by: str, titles: Mapping[str, str], x: str, label: str):
    """Ratios of Eagle to Hawk against `x`: a column for each of two values of `by`, short jobs above long ones."""
    figure, axes = style.subplots(2, 2, size=(9.6, 6.4), sharex=True, sharey="row")
    for column, (value, title) in zip(axes.T, titles.items(), strict=True):
        for ax, jobs in zip(column, ("short", "long"), strict=True):
            plot_ratios(ax, only(rows, jobs, **{by: value}), x)
        column[0].set_title(title)
        column[1].set_xlabel(label)
    for row, jobs in zip(axes, ("short", "long"), strict=True):
        row[0].set_ylabel(f"{jobs} jobs, Eagle / Hawk")
        from_zero(row)
    legend_of(axes[0, 0], 4, [LOOKS["printed"]])
    return figure


def plot_utilisation(ax, frame: pd.DataFrame, systems: Iterable[str]) -> None:
    """The share of busy workers (%) under these systems against the number of workers."""
    rows = only(frame, "short", percentile=50)
    shares = rows.assign(utilisation=100 * rows["utilisation"])
    looks = {name: LOOKS[name] for name in systems}
    style.band(ax, shares, "workers", "utilisation", "system", looks)
    ax.set_ylim(0, 100)
    thousands(ax, rows["workers"])


def plot_against(frame: pd.DataFrame, base: str):
    """Figs. 2 and 3: Eagle's times over a rival's against the number of workers, and the utilisation."""
    traces = traces_of(frame)
    options = {"squeeze": False, "sharex": "col", "sharey": "row", "height_ratios": (3, 2, 2)}
    figure, axes = style.subplots(3, len(traces), size=(3.4 * len(traces) + 0.4, 7.4), **options)
    for column, trace in zip(axes.T, traces, strict=True):
        rows = only(frame, trace=trace)
        for ax, jobs in zip(column, ("short", "long"), strict=False):
            plot_ratios(ax, ratios(rows, "eagle", base, jobs), "workers")
        plot_utilisation(column[2], rows, ("eagle", base))
        column[0].set_title(TITLES[trace])
    from_zero(axes[0])
    for row, jobs in zip(axes[:2], ("short", "long"), strict=True):
        row[0].set_ylabel(f"{jobs} jobs,\nEagle / {LOOKS[base].label}")
    low, high = axes[1, 0].get_ylim()
    axes[1, 0].set_ylim(min(0.7, low), max(1.3, high))
    axes[2, 0].set_ylabel("busy workers (%)")
    axes[2, 0].legend(fontsize=8, loc="lower left")
    marks = []
    if base == "hawk":
        marks = [LOOKS["printed"]]
        for ax, trace in zip(axes[0], traces, strict=True):
            fewest = only(frame, trace=trace)["workers"].min()
            for ratio in SPEEDUPS:
                style.printed(ax, fewest, 1 / ratio)
    legend_of(axes[0, 0], 4, marks)
    return figure


def alt_against(base: str) -> Callable[[pd.DataFrame], str]:
    """The alt text of such a figure."""
    return alt(
        f"Line charts of Eagle's completion times over those of {LOOKS[base].label} against the number of "
        "workers, and of the share of busy workers. Short jobs",
        "ratio",
        ["trace", "percentile"],
        "workers",
        of=lambda frame: ratios(frame, "eagle", base, "short"),
        names=WORDS,
    )


def alt_times(head: str, systems: Sequence[str]) -> Callable[[pd.DataFrame], str]:
    """The alt text of a figure of Google's short jobs under these systems at the highest load."""

    def drawn(frame: pd.DataFrame) -> pd.DataFrame:
        return google_short(frame, system=systems)

    head = f"{head}. Completion times of short jobs (s)"
    return alt(head, "completion", ["system", "percentile"], of=drawn, names=WORDS)


def without_each(frame: pd.DataFrame, others: Iterable[str], **where: str) -> pd.DataFrame:
    """Ratios of Eagle to each of these systems, whose name is in the column `other`; short jobs."""
    return pd.concat(
        [ratios(frame, "eagle", name, "short", **where).assign(other=name) for name in others]
    )


def dots(ax, places, groups, look: Look, upright: bool = True) -> None:
    """The mean of each group of replicates at its place, with its 95 % interval, upright or level."""
    turn = slice(None) if upright else slice(None, None, -1)
    for place, (mean, low, high) in zip(places, map(mean_ci, groups), strict=True):
        if low == low:
            ax.plot(*([place, place], [low, high])[turn], color=look.color, linewidth=1.4)
        ax.plot(*([place], [mean])[turn], linestyle="none", marker=look.marker, color=look.color)


def percentile_dots(ax, rows: pd.DataFrame, column: str, shift: float, look: Look) -> None:
    """The means of a column as dots, the percentiles side by side along the x axis, all moved by `shift`."""
    groups = [only(rows, percentile=p)[column] for p in PERCENTILES]
    dots(ax, np.arange(len(PERCENTILES)) + shift, groups, look)
    ax.set_xlabel("percentile")
    ax.set_xticks(range(len(PERCENTILES)), [f"{p}th" for p in PERCENTILES])


def shift(k: int, systems: Sequence[str], gap: float = 0.16) -> float:
    """How far from a percentile's place the `k`-th of these systems is drawn."""
    return gap * (k - (len(systems) - 1) / 2)


def plot_systems(ax, rows: pd.DataFrame, systems, gap: float = 0.16) -> None:
    """Completion times of short jobs under these systems as dots, the percentiles side by side."""
    for k, name in enumerate(systems):
        percentile_dots(
            ax, only(rows, system=name), "completion", shift(k, systems, gap), LOOKS[name]
        )
    ax.set(yscale="log", ylabel="completion time of short jobs (s)")


def from_zero(axes) -> None:
    """Begin the y axes at 0, once everything is drawn."""
    top = max(1.05, *(ax.get_ylim()[1] for ax in axes))
    for ax in axes:
        ax.set_ylim(0, top)


def near_means(ax, rows: pd.DataFrame, y: str, by) -> None:
    """A logarithmic y axis with the means and their intervals; one that reaches far below is cut."""
    means, low, high = zip(*rows.groupby(by)[y].apply(mean_ci), strict=True)
    bottom = min(means) / 1.4
    ax.set(
        yscale="log",
        ylim=(max(np.nanmin((bottom, *low)), bottom / 1.6), 1.1 * np.nanmax((*means, *high))),
    )
    style.plain_log(ax.yaxis)


def thousands(ax, workers) -> None:
    """The x axis as numbers of workers in thousands."""
    values = sorted(set(workers))
    ax.set_xticks(values, [f"{value / 1000:g}" for value in values])
    ax.set_xlabel("workers (thousands)")


def legend(figure, looks: Iterable[Look], columns: int = 4) -> None:
    """A legend of these looks, as dots, below the figure."""
    handles = [Line2D([], [], **look._replace(linestyle="none").line()) for look in looks]
    columns = min(len(handles), columns)
    figure.legend(handles=handles, loc="outside lower center", ncols=columns, handlelength=1.2)


def plot_times(axes, frame: pd.DataFrame, panels, x: str, systems) -> None:
    """Mean completion times against `x`, an axis for each (class of jobs, percentile), the legend below."""
    for ax, (jobs, percentile) in zip(axes, panels, strict=True):
        rows = only(frame, jobs, percentile=percentile)
        style.band(ax, rows, x, "completion", "system", {name: LOOKS[name] for name in systems})
        title = f"{jobs} jobs, {percentile}th percentile"
        ax.set(title=title, ylabel="completion time (s)", yscale="log")
    legend_of(axes[0], len(systems))


def legend_of(ax, columns: int = 3, marks: Iterable[Look] = ()) -> None:
    """The legend of these axes, and of marks, below their figure, where it holds for all axes."""
    handles, _ = ax.get_legend_handles_labels()
    handles += [Line2D([], [], **look.line()) for look in marks]
    ax.figure.legend(handles=handles, loc="outside lower center", ncols=columns)


def caption(text: str, trace: str | None = None) -> Callable[[pd.DataFrame], str]:
    """A caption that ends with the sizes of what was run, of one trace or of all."""
    return lambda frame: f"{text} {sizes(frame if trace is None else only(frame, trace=trace))}"


def sizes(frame: pd.DataFrame) -> str:
    """How large the simulated clusters are, how many jobs they get, how many workloads (seeds) there are."""
    words = []
    for trace, rows in frame.groupby("trace", sort=False) if "trace" in frame else [("", frame)]:
        point, name = rows.iloc[0], f"{NAMES[trace]} " if trace else ""
        share = Fraction(point["scale"]).limit_denominator(1000)
        words.append(f"{name}{share} ({point['jobs']:,} jobs)")
    count = frame["seed"].nunique()
    seeds = f"{count} workloads. Intervals: 95 %" if count > 1 else "1 workload"
    return f"Clusters' share of the paper's size: {', '.join(words)}. {seeds}."
