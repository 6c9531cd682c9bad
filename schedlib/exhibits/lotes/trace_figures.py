"""LoTES's figures on traces: a tidy frame in, a picture out. Nothing here simulates."""

import pandas as pd

from schedlib.experiment import Figure
from schedlib.lotes.policies.shipped import SHIPPED
from schedlib.pictures import style

NAMES = {"Google": "Google's trace", "model": "fitted model, one draw"}


def plot_fig6(frame: pd.DataFrame):
    """Jobs arriving in each hour of the month (the extended version's Fig. 6), a panel for each source."""
    sources = list(dict.fromkeys(frame["source"]))
    figure, axes = style.subplots(len(sources), size=(8.0, 0.8 + 2.6 * len(sources)), sharex=True, sharey=True, squeeze=False)
    for ax, source, color in zip(axes.flat, sources, style.PALETTE, strict=False):
        during = frame[(frame["source"] == source) & (frame["hour"] >= 0)]
        ax.plot(during["hour"] / 24, during["jobs"], color=color, linewidth=0.9)
        ax.set(title=NAMES[source], ylabel="jobs arriving in the hour", ylim=(0, None), xlim=(0, 29.1))
    axes[-1, 0].set_xlabel("time (days)")
    return figure


def plot_fig7(frame: pd.DataFrame):
    """The share of each class among the jobs of each day."""
    figure, ax = style.subplots(size=(7.0, 3.6))
    for k, (job_class, some) in enumerate(frame.groupby("job_class")):
        line = ("-", "--", "-.", ":")[k % 4]
        ax.plot(some["day"], some["share"], color=style.PALETTE[k], linestyle=line, label=f"class {job_class}")
    ax.set(xlabel="time (days)", ylabel="share of the day's jobs", ylim=(0, 1))
    ax.legend(ncols=4)
    return figure


def _lines(frame, measure, least, **labels):
    """One measure, a panel per load: every seed as a thin line and the median over seeds as a thick one, by policy."""
    loads = sorted(set(frame["load"]))
    figure, axes = style.subplots(1, len(loads), size=(max(8.0, 4.6 * len(loads)), 4.0), sharey=True, squeeze=False)
    rows = frame[frame["measure"] == measure].assign(value=lambda some: some["value"].clip(lower=least))
    for ax, load in zip(axes.flat, loads, strict=True):
        for policy in SHIPPED:
            some, look = rows[(rows["load"] == load) & (rows["policy"] == policy)], style.look(policy)
            for _, one in some.groupby("seed"):
                ax.plot(one["x"], one["value"], color=look.color, linewidth=0.6, alpha=0.35)
            middle = some.groupby("x")["value"].median()
            ax.plot(middle.index, middle, color=look.color, linestyle=look.linestyle, label=look.label)
        ax.set(yscale="log", **labels)
        ax.yaxis.set_tick_params(labelleft=True)
        if len(loads) > 1:
            ax.set_title(f"load {load:g}", fontsize=10)
    figure.legend(*ax.get_legend_handles_labels(), loc="outside lower center", ncols=4)
    return figure


TIME = {"day": "time (days)", "minute": "time (min)"}


def plot_fig8(frame: pd.DataFrame, unit: str = "day"):
    """Mean wait of the jobs that start in each day of the month (the paper's Fig. 8), or in each other `unit` of the run."""
    label = f"mean wait of jobs started that {unit} (s)\n(1 ms and less: 0.001)"
    return _lines(frame, "wait", 1e-3, xlabel=TIME[unit], ylabel=label)


def plot_fig9(frame: pd.DataFrame, hours=(1, 7, 17)):
    """Share of jobs that wait longer than so many seconds (the paper's Fig. 9, complemented), with marks at these `hours`."""
    labels = {"xlabel": "time waited (s)", "ylabel": "jobs that wait longer (%)"}
    figure = _lines(frame, "tail", 1e-3, **labels, xscale="log", ylim=(1e-3, 110))
    for ax in figure.axes:
        ax.axhline(1, color="black", linewidth=0.8, linestyle=":")
        for hour in hours:
            ax.axvline(3600 * hour, color="black", linewidth=0.8, linestyle=":")
            ax.annotate(f"{hour} h", (3600 * hour, 130), fontsize=8, ha="center", annotation_clip=False)
    return figure


def plot_fig10(frame: pd.DataFrame, unit: str = "day"):
    """Jobs waiting at the end of each day of the month (the paper's Fig. 10), or of each other `unit` of the run."""
    return _lines(frame, "queue", 0.5, xlabel=TIME[unit], ylabel=f"jobs waiting at the {unit}'s end\n(none: 0.5)")


def per_run(frame: pd.DataFrame, measure: str, x: float = 0.0) -> pd.Series:
    """The value of a measure at one x, by policy, load and seed."""
    rows = frame[(frame["measure"] == measure) & (frame["x"] == x)]
    return rows.set_index(["policy", "load", "seed"])["value"].sort_index()


def _summaries(frame):
    """Mean wait (s) and share (%) of jobs over an hour, by policy, load and seed."""
    return pd.DataFrame({"wait": per_run(frame, "mean"), "over": per_run(frame, "tail", 3600.0)})


def plot_load(frame: pd.DataFrame):
    """Mean wait over the month, and the share of jobs that wait over an hour, against the assumed load: seeds and their median."""
    figure, axes = style.subplots(1, 2, size=(8.8, 4.0))
    table = _summaries(frame).clip(lower=1e-3)
    step = 0.01
    labels = {"wait": "mean wait (s; 1 ms and less: 0.001)", "over": "jobs that wait over an hour (%; less: 0.001)"}
    for ax, (column, label) in zip(axes, labels.items(), strict=True):
        for k, policy in enumerate(SHIPPED):
            one, look = table.loc[policy, column], style.look(policy)
            middle = one.groupby("load").median()
            ax.plot(middle.index, middle, color=look.color, linestyle=look.linestyle, label=look.label)
            at = one.index.get_level_values("load") + step * (k - 1.5) / 2
            ax.plot(at, one, linestyle="none", marker=look.marker, color=look.color, markersize=4)
        ax.set(xlabel="load: share of the fluid limit", ylabel=label, yscale="log")
        loads = sorted(set(frame["load"]))
        ax.set_xticks(loads, [f"{load:g}" for load in loads], fontsize=8)
    figure.legend(*axes[0].get_legend_handles_labels(), loc="outside lower center", ncols=4)
    return figure


def _alt_fig6(frame):
    def words(source, during):
        peak = during.loc[during["jobs"].idxmax()]
        return f"{NAMES[source]}: {during['jobs'].mean():.0f} an hour on average, at most {peak['jobs']} in hour {peak['hour']}"

    groups = frame[frame["hour"] >= 0].groupby("source")
    return f"Line chart of jobs arriving in each hour of 29 days. {'; '.join(words(*group) for group in groups)}."


def _alt_month(frame):
    rows = _summaries(frame).groupby("policy")
    words = [
        f"{style.look(policy).label} waits {one['wait'].median() / 60:.3g} min on average and {one['over'].median():.2g} % of "
        f"jobs over an hour" for policy, one in rows
    ]  # fmt: skip
    return f"Charts of a month under four policies, medians over seeds: {'; '.join(words)}."


def _alt_load(frame):
    parts = []
    for load, some in _summaries(frame).groupby("load"):
        words = [f"{style.look(policy).label} {one['wait'].median():.3g} s" for policy, one in some.groupby("policy")]
        parts.append(f"at {load:g} {', '.join(words)}")
    return f"Two charts against load, of mean wait and of the share of jobs that wait over an hour. Median mean waits: {'; '.join(parts)}."


def _assumed(frame):
    return f"Table 1's machines over {frame['shrink'].iloc[0]}, Table 2's classes with a drifting mix, durations stretched to a load"


def _caption_month(number, what, real):
    arrivals = "Google's real arrivals of each hour, all else synthetic" if real else "all synthetic, arrivals by the fitted model"
    return lambda frame: (
        f"{what} in a month of 672,074 jobs ({arrivals}): {_assumed(frame)} of {frame['load'].iloc[0]:g}. Thin lines: seeds; thick: "
        f"medians. The paper's Fig. {number} has Google's tasks, which may not be shipped.{' Data: Google, CC-BY 4.0.' if real else ''}"
    )


def _month(suffix):
    whats = (
        (8, plot_fig8, "Mean wait of the jobs that start each day,"),
        (9, plot_fig9, "Share of jobs that wait longer than a time,"),
        (10, plot_fig10, "Jobs waiting at the end of each day,"),
    )
    return tuple(
        Figure(f"lotes.fig{number}{suffix}", f"lotes.month{suffix}", plot, _caption_month(number, what, bool(suffix)), _alt_month)
        for number, plot, what in whats
    )


MODEL = (
    "a log-normal AR(1) with cycles of a week, a day and four hours, fitted to the trace's whole hours by maximum likelihood. It has "
    "no burst like the trace's of hours 414 to 431"
)

FIGURES = (
    Figure(
        "lotes.fig6", "lotes.fig6", plot_fig6,
        lambda frame: "Jobs arriving in each hour of Google's clusterdata-2011-2, "
        f"{frame.loc[frame['source'] == 'Google', 'jobs'].sum():,} in all, of which "
        f"{frame.loc[(frame['hour'] < 0) & (frame['source'] == 'Google'), 'jobs'].sum():,} were there before the trace began and are "
        "not drawn: the paper's Fig. 6 (extended version). The first and the last hour are not whole. "
        f"Below, {MODEL}. Data: Google, CC-BY 4.0.",
        _alt_fig6,
    ),
    Figure(
        "lotes.fig6-model", "lotes.fig6-model", plot_fig6,
        lambda frame: f"Jobs arriving in each hour of a synthetic month: a draw from {MODEL}.",
        _alt_fig6,
    ),
    Figure(
        "lotes.fig7", "lotes.fig7", plot_fig7,
        "The mix of classes in the synthetic month, day by day. The paper's Fig. 7 shows that of Google's jobs, which also drifts.",
        lambda frame: f"Line chart of the daily share of {frame['job_class'].nunique()} classes over {frame['day'].nunique()} days; "
        f"class 2 between {frame.loc[frame['job_class'] == 2, 'share'].min():.2f} and "
        f"{frame.loc[frame['job_class'] == 2, 'share'].max():.2f}.",
    ),
    *_month(""),
    *_month("-google"),
    Figure(
        "lotes.month-load", "lotes.month-load", plot_load,
        lambda frame: f"What the assumed load decides in the synthetic month: {_assumed(frame)} of "
        f"{', '.join(f'{load:g}' for load in sorted(set(frame['load'])))}. Points: seeds; lines: medians. Beyond the paper.",
        _alt_load,
    ),
)  # fmt: skip
