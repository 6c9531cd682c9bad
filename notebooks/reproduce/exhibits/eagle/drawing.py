"""Shared by Eagle's figures: looks, dots with intervals, lines, legends, numbers and sizes in words."""

from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from typing import Any

from pandas import DataFrame, concat

from reproduce.exhibits import handles_of, legend_below
from reproduce.exhibits.eagle.comparing import highest_load, only, ratios
from schedlib.intervals import mean_ci
from schedlib.plots import style
from schedlib.plots.alt import Text, alt
from schedlib.plots.style import Look

PERCENTILE_LOOKS = {
    50: Look("#3F97A6", "-", "o", "50th percentile"),
    90: Look("#1F6A78", "--", "s", "90th percentile"),
    99: Look("#083945", "-.", "^", "99th percentile"),
}
"""Shades of one colour that no system has."""
NTH = {50: "50th", 90: "90th", 99: "99th"}
"""The percentiles along an axis."""
SPARSE, DASHED = style.LINES[4:6]
LOOKS = {
    "eagle": style.look("eagle"),
    "hawk": style.look("hawk"),
    "sparrow": style.look("sparrow"),
    "omniscient": style.look("omniscient"),
    "ideal-eagle": style.look("ideal-eagle"),
    "dlwl": style.look("dlwl")._replace(label="DLWL+SRPT"),
    "no-sss": Look("#555555", SPARSE, "<", "Eagle without SSS"),
    "no-sbp-srpt": Look("#000000", ":", ">", "Eagle without SBP+SRPT"),
    "no-min": Look("#777777", DASHED, "p", "Eagle without minimum probes"),
    "printed": style.PRINTED,
    "dlwl-5": Look("#8E4A73", SPARSE, "<", "DLWL+SRPT, 5 s"),
    "dlwl-7": Look("#5E2A4B", "-.", ">", "DLWL+SRPT, 7 s"),
    "hawk-any": style.look("hawk")._replace(label="Hawk, any idle worker steals"),
    "hawk-general": Look("#777777", (0, (2, 1)), "X", "Hawk, the general partition steals"),
    "hawk-none": Look("#444444", DASHED, "p", "Hawk without stealing"),
}
"""Looks of the systems. Variants of DLWL have shades of its colour, those of Hawk and Eagle greys."""
NAMES = {"google": "Google", "cloudera": "Cloudera", "yahoo": "Yahoo"}
TITLES = NAMES | {"yahoo-1": "Yahoo 1", "yahoo-2": "Yahoo 2"}
"""The paper's traces, and excerpts of which it has several."""
WORDS: dict[Any, str] = {**TITLES, **style.labels(LOOKS), **style.labels(PERCENTILE_LOOKS)}
"""Traces, systems and percentiles in alt texts."""
SPEEDUPS = (3, 10)
"""By what factor Eagle is faster than Hawk at the highest load, at least and at most (Section 6.1)."""
BEST = 0.2
"""Eagle's time over Hawk's where the prototype gains most, 80 % (Fig. 9)."""


def looks_of(systems: Iterable[str]) -> dict[str, Look]:
    """The looks of these systems."""
    return {name: LOOKS[name] for name in systems}


def traces_of(frame: DataFrame) -> list[str]:
    """The traces of these rows, in the order in which they are drawn."""
    return [trace for trace in TITLES if trace in set(frame["trace"])]


def whose(trace: str) -> str:
    """The paper's trace that this is an excerpt of, or is.

    >>> whose("yahoo-2"), whose("google")
    ('yahoo', 'google')
    """
    return trace.partition("-")[0]


def google_short(frame: DataFrame, **where: Any) -> DataFrame:
    """The rows of short jobs on Google's trace at its highest load."""
    return only(highest_load(frame), "short", trace="google", **where)


def level(ax, *ratios: float) -> None:
    """Dotted lines at these ratios; at 1, where both systems take the same time, when none is given."""
    for ratio in ratios or (1,):
        ax.axhline(ratio, color="black", linewidth=0.8, linestyle=":")


def plot_ratios(ax, rows: DataFrame, x: str) -> None:
    """The mean ratios against `x` with their intervals, a line for each percentile."""
    style.band(ax, rows, x, "ratio", "percentile", PERCENTILE_LOOKS)
    level(ax)


def plot_columns(axes, columns: Mapping[str, DataFrame], x: str) -> None:
    """Ratios against `x`: a column of axes for each title, short jobs above long ones."""
    for column, (title, rows) in zip(axes.T, columns.items(), strict=True):
        column[0].set_title(title)
        plot_ratios(column[0], only(rows, "short"), x)
        plot_ratios(column[1], only(rows, "long"), x)
    from_zero(axes[0])


def plot_cases(columns: Mapping[str, DataFrame], x: str, label: str):
    """Ratios of Eagle to Hawk against `x`, in two columns."""
    figure, axes = style.subplots(2, 2, size=(9.6, 6.4), sharex=True, sharey="row")
    plot_columns(axes, columns, x)
    from_zero(axes[1])
    for ax in axes[1]:
        ax.set_xlabel(label)
    axes[0, 0].set_ylabel("short jobs, Eagle / Hawk")
    axes[1, 0].set_ylabel("long jobs, Eagle / Hawk")
    legend_below(axes[0, 0], 4, style.PRINTED)
    return figure


def plot_utilisation(ax, frame: DataFrame, systems: Iterable[str]) -> None:
    """The share of busy workers (%) under these systems against the number of workers."""
    rows = only(frame, "short", percentile=50)
    shares = rows.assign(utilisation=100 * rows["utilisation"])
    style.band(ax, shares, "workers", "utilisation", "system", looks_of(systems))
    ax.set_ylim(0, 100)
    thousands(ax, rows["workers"])


def plot_against(frame: DataFrame, base: str):
    """Figs. 2 and 3: Eagle's times over a rival's against the number of workers, and the utilisation."""
    traces = {trace: only(frame, trace=trace) for trace in traces_of(frame)}
    figure, axes = style.subplots(
        3,
        len(traces),
        size=(3.4 * len(traces) + 0.4, 7.4),
        squeeze=False,
        sharex="col",
        sharey="row",
        height_ratios=(3, 2, 2),
    )
    columns = {}
    for trace, rows in traces.items():
        columns[TITLES[trace]] = ratios(rows, "eagle", base)
    plot_columns(axes, columns, "workers")
    for ax, rows in zip(axes[2], traces.values(), strict=True):
        plot_utilisation(ax, rows, ("eagle", base))
    rival = LOOKS[base].label
    axes[0, 0].set_ylabel(f"short jobs,\nEagle / {rival}")
    axes[1, 0].set_ylabel(f"long jobs,\nEagle / {rival}")
    low, high = axes[1, 0].get_ylim()
    axes[1, 0].set_ylim(min(0.7, low), max(1.3, high))
    axes[2, 0].set_ylabel("busy workers (%)")
    axes[2, 0].legend(fontsize=8, loc="lower left")
    marks = []
    if base == "hawk":
        marks.append(style.PRINTED)
        for ax, rows in zip(axes[0], traces.values(), strict=True):
            fewest = rows["workers"].min()
            for ratio in SPEEDUPS:
                style.printed(ax, fewest, 1 / ratio)
    legend_below(axes[0, 0], 4, *marks)
    return figure


def alt_against(base: str) -> Text:
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


def alt_times(head: str, systems: Sequence[str]) -> Text:
    """The alt text of a figure of Google's short jobs under these systems at the highest load."""
    return alt(
        f"{head}. Completion times of short jobs (s)",
        "completion",
        ["system", "percentile"],
        of=lambda frame: google_short(frame, system=systems),
        names=WORDS,
    )


def without_each(frame: DataFrame, others: Iterable[str], **where: str) -> DataFrame:
    """Ratios of Eagle to each of these systems, whose name is in the column `other`; short jobs."""
    return concat(
        [ratios(frame, "eagle", name, "short", **where).assign(other=name) for name in others]
    )


def shift(k: int, count: int, gap: float = 0.16) -> float:
    """How far from their common place the `k`-th of all dots is drawn."""
    return gap * (k - (count - 1) / 2)


def dots(
    ax,
    rows: DataFrame,
    value: str,
    along: str,
    places: Mapping[Any, str],
    by: str = "percentile",
    looks: Mapping[Any, Look] = PERCENTILE_LOOKS,
    gap: float = 0.22,
    upright: bool = True,
) -> None:
    """Means of the column `value` over replicates with their 95 % intervals, upright or level.

    They stand by the column `along` at its values in `places`, which also names these; there those of each value
    of `by` that has a look are side by side, with a `gap` between two.
    """
    for k, (name, look) in enumerate(looks.items()):
        of_look = only(rows, **{by: name})
        for place, key in enumerate(places):
            at = place + shift(k, len(looks), gap)
            mean, low, high = mean_ci(only(of_look, **{along: key})[value])
            line = [at, at], [low, high]
            dot = [at], [mean]
            if not upright:
                line = line[::-1]
                dot = dot[::-1]
            if low == low:
                ax.plot(*line, color=look.color, linewidth=1.4)
            ax.plot(*dot, linestyle="none", marker=look.marker, color=look.color)
    ticks = range(len(places))
    if upright:
        ax.set_xticks(ticks, places.values())
        return
    ax.set(yticks=ticks, yticklabels=places.values(), ylim=(len(places) - 0.5, -0.5))


def level_dots(ax, rows: DataFrame, along: str, places: Mapping[Any, str], **words: str) -> None:
    """Ratios as level dots by the column `along`, on a logarithmic axis with a line at 1; `words` of `ax.set`."""
    dots(ax, rows, "ratio", along, places, upright=False)
    ax.axvline(1, color="black", linewidth=0.8, linestyle=":")
    ax.set(xscale="log", **words)
    style.plain_log(ax.xaxis)
    ax.label_outer()


def plot_systems(ax, rows: DataFrame, systems: Iterable[str], gap: float = 0.16) -> None:
    """Completion times of short jobs under these systems as dots, the percentiles side by side."""
    dots(ax, rows, "completion", "percentile", NTH, "system", looks_of(systems), gap)
    ax.set(yscale="log", xlabel="percentile", ylabel="completion time of short jobs (s)")
    style.plain_log(ax.yaxis)


def from_zero(axes) -> None:
    """Begin the y axes at 0, once everything is drawn."""
    top = max(1.05, *(ax.get_ylim()[1] for ax in axes))
    for ax in axes:
        ax.set_ylim(0, top)


def thousands(ax, workers) -> None:
    """The x axis as numbers of workers in thousands."""
    values = sorted(set(workers))
    ax.set(
        xticks=values,
        xticklabels=[f"{value / 1000:g}" for value in values],
        xlabel="workers (thousands)",
    )


def legend(figure, looks: Mapping[Any, Look], columns: int = 4) -> None:
    """A legend of these looks, as dots, below the figure."""
    marks = [look._replace(linestyle="none") for look in looks.values()]
    figure.legend(
        handles=handles_of(marks),
        loc="outside lower center",
        ncols=min(len(marks), columns),
        handlelength=1.2,
    )


def caption(text: str, trace: str | None = None) -> Text:
    """A caption that ends with the sizes of what was run, of one trace or of all."""

    def words(frame: DataFrame) -> str:
        rows = frame if trace is None else only(frame, trace=trace)
        return f"{text} {sizes(rows)}"

    return words


def sizes(frame: DataFrame) -> str:
    """How large the simulated clusters are, how many jobs they get, how many workloads (seeds) there are."""
    words = []
    points = frame.drop_duplicates("trace") if "trace" in frame else frame[:1]
    for point in points.to_dict("records"):
        share = Fraction(point["scale"]).limit_denominator(1000)
        size = f"{share} ({point['jobs']:,} jobs)"
        words.append(f"{NAMES[point['trace']]} {size}" if "trace" in point else size)
    count = frame["seed"].nunique()
    seeds = f"{count} workloads. Intervals: 95 %" if count > 1 else "1 workload"
    return f"Program as submitted; share of the paper's size: {', '.join(words)}. {seeds}."
