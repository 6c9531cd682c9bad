"""What Eagle's figures share: looks, lines with intervals, dots with intervals, words on sizes."""

from fractions import Fraction

import pandas as pd

from schedlib import style
from schedlib.intervals import mean_ci
from schedlib.style import Look

PERCENTILE_LOOKS = {
    50: Look(style.BLUE, "-", "o", "50th percentile"),
    90: Look(style.VERMILLION, "--", "s", "90th percentile"),
    99: Look(style.GREEN, "-.", "^", "99th percentile"),
}
SYSTEM_LOOKS = {name: style.look(name) for name in ("eagle", "hawk", "sparrow", "dlwl", "omniscient", "ideal-eagle")} | {
    "no-sss": Look(style.ORANGE, (0, (7, 2)), "v", "Eagle without SSS"),
    "no-sss-stale": Look(style.BLACK, (0, (1, 3)), "X", "Eagle without SSS, sizes never updated"),
    "no-sbp-srpt": Look(style.PURPLE, ":", "D", "Eagle without SBP+SRPT"),
    "no-min": Look(style.SKY, (0, (3, 1, 1, 1, 1, 1)), "P", "Eagle without minimum probes"),
    "exact-bits": Look("#555555", (0, (5, 1, 1, 1)), "*", "Eagle by exact bits"),
    "dlwl-5": Look(style.ORANGE, (0, (7, 2)), "v", "DLWL+SRPT, 5 s"),
    "dlwl-7": Look(style.GREEN, "-.", "^", "DLWL+SRPT, 7 s"),
    "hawk-any": style.look("hawk")._replace(label="Hawk, any idle worker steals"),
    "hawk-general": Look(style.ORANGE, (0, (7, 2)), "v", "Hawk, the general partition steals"),
    "hawk-none": Look(style.SKY, (0, (3, 1, 1, 1, 1, 1)), "P", "Hawk without stealing"),
}
SYSTEM_LOOKS["dlwl"] = SYSTEM_LOOKS["dlwl"]._replace(label="DLWL+SRPT")
NAMES = {"google": "Google", "cloudera": "Cloudera", "yahoo": "Yahoo"}


def lines(ax, rows: pd.DataFrame, x: str, y: str, by: str, looks) -> None:
    """The mean of `y` over seeds at each measured `x` with its 95 % interval, a line for each name in `looks` that is in column `by`."""
    for name, look in looks.items():
        one = rows[rows[by] == name]
        if one.empty:
            continue
        found = one.groupby(x)[y].apply(mean_ci)
        means, low, high = zip(*found, strict=True)
        ax.plot(found.index, means, **look.line())
        if any(end == end for end in low):
            ax.fill_between(found.index, low, high, color=look.color, alpha=0.2, linewidth=0)


def dots(ax, places, groups, look: Look, **more) -> None:
    """The mean of each group of replicates at its place, with its 95 % interval as a bar."""
    for place, values in zip(places, groups, strict=True):
        mean, low, high = mean_ci(values)
        if low == low:
            ax.plot([place, place], [low, high], color=look.color, linewidth=1.4)
        ax.plot([place], [mean], linestyle="none", marker=look.marker, color=look.color, **more)


def legend(figure, looks, **more) -> None:
    """A legend of these looks, as dots, below the figure."""
    from matplotlib.lines import Line2D

    handles = [Line2D([], [], color=look.color, linestyle="none", marker=look.marker, label=look.label) for look in looks]
    figure.legend(handles=handles, loc="outside lower center", **({"ncols": min(len(handles), 4)} | more))


def thousands(ax, workers) -> None:
    """The x axis as numbers of workers in thousands."""
    values = sorted(set(workers))
    ax.set_xticks(values, [f"{value / 1000:g}" for value in values])


def mean_of(rows: pd.DataFrame) -> float:
    """The mean ratio."""
    return float(rows["ratio"].mean())


def part(scale: float) -> str:
    """A scale in words.

    >>> part(1.0), part(1 / 30)
    ("the paper's own size", "1/30 of the paper's size")
    """
    return "the paper's own size" if scale == 1 else f"{Fraction(scale).limit_denominator(1000)} of the paper's size"


def sizes(frame: pd.DataFrame) -> str:
    """How large the simulated clusters are, how many jobs they get, how many seeds there are."""
    if "trace" in frame:
        each = frame.groupby("trace", sort=False)[["scale", "jobs"]].first().itertuples()
        words = ", ".join(f"{NAMES[one.Index]} {part(one.scale)} and {one.jobs:,} jobs" for one in each)
    else:
        words = f"{part(frame['scale'].iloc[0])} and {frame['jobs'].iloc[0]:,} jobs"
    count = frame["seed"].nunique()
    return f"Clusters: {words}; {count} seed{'s' * (count > 1)}, each with its own workload{', bands 95 %' * (count > 1)}."
