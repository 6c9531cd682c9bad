"""What Eagle's figures share: looks, lines with intervals, dots with intervals, words on sizes."""

from fractions import Fraction

import pandas as pd

from schedlib.exhibits.eagle.comparing import PERCENTILES, highest_load, only, ratios
from schedlib.intervals import mean_ci
from schedlib.pictures import style
from schedlib.pictures.style import Look

PERCENTILE_LOOKS = {
    50: Look(style.BLUE, "-", "o", "50th percentile"),
    90: Look(style.VERMILLION, "--", "s", "90th percentile"),
    99: Look(style.GREEN, "-.", "^", "99th percentile"),
}
SYSTEM_LOOKS = {name: style.look(name) for name in ("eagle", "hawk", "sparrow", "dlwl", "omniscient", "ideal-eagle")} | {
    "no-sss": Look("#555555", (0, (7, 2)), "<", "Eagle without SSS"),
    "no-sss-stale": Look("#8A8A8A", (0, (1, 3)), "X", "Eagle without SSS, sizes never updated"),
    "no-sbp-srpt": Look("#000000", ":", ">", "Eagle without SBP+SRPT"),
    "no-min": Look("#777777", (0, (3, 1, 1, 1, 1, 1)), "p", "Eagle without minimum probes"),
    "dlwl-5": Look("#8E4A73", (0, (7, 2)), "<", "DLWL+SRPT, 5 s"),
    "dlwl-7": Look("#5E2A4B", "-.", ">", "DLWL+SRPT, 7 s"),
    "hawk-any": style.look("hawk")._replace(label="Hawk, any idle worker steals"),
    "hawk-general": Look("#777777", (0, (2, 1)), "X", "Hawk, the general partition steals"),
    "hawk-none": Look("#444444", (0, (3, 1, 1, 1, 1, 1)), "p", "Hawk without stealing"),
}
"""Variants of DLWL have shades of it, those of Hawk and Eagle greys."""
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


def percentile_ticks(ax) -> None:
    """The x axis as the three percentiles, side by side."""
    ax.set_xlabel("percentile")
    ax.set_xticks(range(len(PERCENTILES)), [f"{p}th" for p in PERCENTILES])


def plot_systems(ax, rows: pd.DataFrame, systems) -> None:
    """Completion times of these systems as dots, the percentiles side by side."""
    for k, system in enumerate(systems):
        groups = [only(rows, system=system, percentile=p)["completion"] for p in PERCENTILES]
        dots(ax, [place + 0.16 * (k - (len(systems) - 1) / 2) for place in range(len(PERCENTILES))], groups, SYSTEM_LOOKS[system])
    percentile_ticks(ax)


def from_zero(axes) -> None:
    """Begin the y axes at 0, once everything is drawn."""
    top = max(1.05, *(ax.get_ylim()[1] for ax in axes))
    for ax in axes:
        ax.set_ylim(0, top)


def near_means(ax, rows: pd.DataFrame, y: str, by) -> None:
    """A logarithmic y axis around the means, since an interval may reach below 0."""
    means = rows.groupby(by)[y].mean()
    ax.set(yscale="log", ylim=(means.min() / 1.4, means.max() * 1.4))


def legend(figure, looks, **more) -> None:
    """A legend of these looks, as dots, below the figure."""
    from matplotlib.lines import Line2D

    handles = [Line2D([], [], color=look.color, linestyle="none", marker=look.marker, label=look.label) for look in looks]
    figure.legend(handles=handles, loc="outside lower center", **({"ncols": min(len(handles), 4), "handlelength": 1.2} | more))


def thousands(ax, workers) -> None:
    """The x axis as numbers of workers in thousands."""
    values = sorted(set(workers))
    ax.set_xticks(values, [f"{value / 1000:g}" for value in values])


def ratios_in_words(frame: pd.DataFrame, base: str, which: str = "short", traces=tuple(NAMES)) -> str:
    """Mean ratios of Eagle to `base` at each trace's highest load, by percentile."""
    rows = only(highest_load(ratios(frame, "eagle", base)), **{"class": which})
    means = rows.groupby(["trace", "percentile"])["ratio"].mean()
    present = [trace for trace in traces if trace in set(rows["trace"])]
    return "; ".join(f"{NAMES[trace]} " + ", ".join(f"{means[trace, p]:.2f}" for p in PERCENTILES) for trace in present)


def times_in_words(rows: pd.DataFrame, systems) -> str:
    """Mean completion times of each system, by percentile."""
    means = rows.groupby(["system", "percentile"])["completion"].mean()
    each = {name: ", ".join(f"{means[name, p]:.4g} s" for p in PERCENTILES) for name in systems}
    return "; ".join(f"{SYSTEM_LOOKS[name].label} {words}" for name, words in each.items())


def caption(text: str, trace: str | None = None):
    """A caption that ends with the sizes of what was run, of one trace or of all."""
    return lambda frame: f"{text} {sizes(frame if trace is None else only(frame, trace=trace))}"


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
    return f"Clusters: {words}; {count} seed{'s' * (count > 1)}, each with its own workload{', intervals 95 %' * (count > 1)}."
