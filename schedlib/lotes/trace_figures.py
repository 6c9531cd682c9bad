"""LoTES's figures on traces: a tidy frame in, a picture out. Nothing here simulates."""

import numpy as np
import pandas as pd

from schedlib import style
from schedlib.experiment import Figure
from schedlib.lotes.policies import SHIPPED


def plot_fig6(frame: pd.DataFrame):
    """Jobs arriving in each hour of the month (the extended version's Fig. 6)."""
    during = frame[frame["hour"] >= 0]
    figure, ax = style.subplots(size=(8.0, 3.4))
    ax.plot(during["hour"] / 24, during["jobs"], color=style.BLUE, linewidth=0.9)
    ax.set(xlabel="time since the trace began (days)", ylabel="jobs arriving in the hour", ylim=(0, None), xlim=(0, 29.1))
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


def _panels(frame):
    """A figure with a panel per load, side by side, and each panel with its rows."""
    loads = sorted(set(frame["load"]))
    figure, axes = style.subplots(1, len(loads), size=(max(8.0, 4.6 * len(loads)), 4.0), sharey=True, squeeze=False)
    if len(loads) > 1:
        for load, ax in zip(loads, axes[0], strict=True):
            ax.set_title(f"load {load:g}", fontsize=10)
            ax.yaxis.set_tick_params(labelleft=True)
    return figure, [(ax, frame[frame["load"] == load]) for load, ax in zip(loads, axes[0], strict=True)]


def _lines(frame, x, column, least, labels, **scales):
    """Every seed as a thin line and the median over seeds as a thick one, by policy, a panel per load."""
    figure, panels = _panels(frame)
    for ax, rows in panels:
        for policy in SHIPPED:
            some, look = rows[rows["policy"] == policy], style.look(policy)
            for _, one in some.groupby("seed"):
                ax.plot(one[x], one[column].clip(lower=least), color=look.color, linewidth=0.6, alpha=0.35)
            middle = some.groupby(x)[column].median().clip(lower=least)
            ax.plot(middle.index, middle, color=look.color, linestyle=look.linestyle, label=look.label)
        ax.set(xlabel=labels[0], ylabel=labels[1], yscale="log", **scales)
    figure.legend(*ax.get_legend_handles_labels(), loc="outside lower center", ncols=4)
    return figure


def _over_days(frame, column, label, least):
    return _lines(frame, "day", column, least, ("time (days)", label))


def _of_hour(frame, what, least, labels, **scales):
    return _lines(frame[frame["what"] == what], "at", "value", least, labels, **scales)


def plot_fig8(frame: pd.DataFrame):
    """Mean wait of the jobs that start in each day of the month (the paper's Fig. 8)."""
    return _over_days(frame, "wait", "mean wait of jobs started that day (s)", 1e-3)


def plot_fig9(frame: pd.DataFrame):
    """Share of jobs that wait longer than 1, 7 and 17 hours, every seed (the tail of the paper's Fig. 9)."""
    figure, ax = style.subplots(size=(6.4, 3.8))
    for k, policy in enumerate(SHIPPED):
        rows, look = frame[frame["policy"] == policy].drop_duplicates("seed"), style.look(policy)
        for place, hours in enumerate((1, 7, 17)):
            share = rows[f"over_{hours}h"].clip(lower=1e-3)
            at = np.full(len(share), place + 0.12 * (k - 1.5))
            ax.plot(at, share, linestyle="none", marker=look.marker, color=look.color, label=look.label if place == 0 else None)
    ax.axhline(1, color="black", linewidth=0.8, linestyle=":")
    ax.set_xticks(range(3), ["1", "7", "17"])
    ax.set(xlabel="hours waited", ylabel="jobs that wait longer (%)", yscale="log")
    figure.legend(*ax.get_legend_handles_labels(), loc="outside lower center", ncols=4)
    return figure


def plot_fig10(frame: pd.DataFrame):
    """Jobs waiting at the end of each day (the paper's Fig. 10)."""
    return _over_days(frame, "queue", "jobs waiting at the day's end (none: 0.5)", 0.5)


def plot_hour8(frame: pd.DataFrame):
    """Mean wait of the jobs that start in each minute of Alibaba's hour (as the paper's Fig. 8)."""
    return _of_hour(frame, "wait", 1e-2, ("time (min)", "mean wait (s); none: 0.01"))


def plot_hour9(frame: pd.DataFrame):
    """The share of jobs of Alibaba's hour that wait longer than a time (one less the paper's Fig. 9)."""
    some = frame[(frame["what"] != "above") | (frame["value"] > 0)]
    return _of_hour(some, "above", 0, ("time waited (s)", "jobs that wait longer (%)"), xscale="log")


def plot_hour10(frame: pd.DataFrame):
    """Jobs waiting at the end of each minute of Alibaba's hour (as the paper's Fig. 10)."""
    return _of_hour(frame, "queue", 0.5, ("time (min)", "jobs waiting; none: 0.5"))


def plot_classes(frame: pd.DataFrame):
    """What is left within classes, and what the last class takes over, against the number of classes."""
    figure, axes = style.subplots(1, 2, size=(8.8, 3.8))
    labels = "variance left within classes (%)", "jobs that the last class moves (%)"
    for ax, column, label in zip(axes, ("spread", "moved"), labels, strict=True):
        for k, (features, some) in enumerate(frame.groupby("features")):
            middle = some.groupby("k")[column].median().dropna()
            look = {"color": style.PALETTE[k], "linestyle": ("-", "--")[k], "marker": ("o", "s")[k]}
            ax.plot(middle.index, middle, label=f"clustered by {features}", **look)
        ax.set(xlabel="number of classes", ylabel=label)
        ax.set_xticks(range(1, int(frame["k"].max()) + 1))
    axes[0].set_ylim(0, None)
    axes[1].set_yscale("log")
    for limit, version in ((1.0, "extended version"), (0.01, "first version")):
        axes[1].axhline(limit, color="black", linewidth=0.8, linestyle=":")
        axes[1].annotate(version, (frame["k"].max(), limit), xytext=(0, 3), textcoords="offset points", fontsize=8, ha="right")
    figure.legend(*axes[0].get_legend_handles_labels(), loc="outside lower center", ncols=2)
    return figure


def _alt_fig6(frame):
    during = frame[frame["hour"] >= 0]
    peak = during.loc[during["jobs"].idxmax()]
    return (
        f"Line chart of jobs arriving in each of {len(during)} hours: {during['jobs'].mean():.0f} an hour on average, at most "
        f"{peak['jobs']} in hour {peak['hour']}."
    )


def _alt_month(frame):
    rows = frame.drop_duplicates(["policy", "seed"]).groupby("policy")
    words = [
        f"{style.look(policy).label} waits {one['mean_wait'].median() / 60:.3g} min on average and {one['over_1h'].median():.2g} % of "
        f"jobs over an hour" for policy, one in rows
    ]  # fmt: skip
    return f"Charts of a synthetic month under four policies, medians over seeds: {'; '.join(words)}."


def _caption_month(number, what):
    return lambda frame: (
        f"{what} in a synthetic month: 672,074 jobs on Table 1's machines over {frame['shrink'].iloc[0]}, Table 2's classes with a "
        f"drifting mix, durations stretched to a load of {frame['load'].iloc[0]:g}. The paper's Fig. {number} has Google's tasks, which "
        "may not be shipped."
    )


def _alt_hour(frame):
    words = []
    for load, rows in frame.drop_duplicates(["policy", "seed", "load"]).groupby("load"):
        each = [
            f"{style.look(policy).label} {one['mean_wait'].median():.3g} s, 99 % of jobs under {one['p99'].median():.3g} s"
            for policy, one in rows.groupby("policy")
        ]
        words.append(f"at load {load:g} {'; '.join(each)}")
    return f"Charts of Alibaba's hour under four policies. Mean waits: {'. '.join(words)}."


def _caption_hour(number, what):
    def caption(frame):
        machines = frame.groupby("load")["machines"].median()
        sizes = " and ".join(f"{count:,.0f} machines (load {load:g})" for load, count in machines.items())
        return (
            f"{what} in {frame['minutes'].iloc[0]} minutes of Alibaba's batch instances on {sizes}, Table 1's configurations in "
            "proportion, classes of the first sixth of the time. An instance comes when its job does, thousands at a time. The load "
            f"counts work that runs on after the hour. The paper's Fig. {number} has Google's month. Data: Alibaba, cluster-trace-v2018."
        )

    return caption


def _caption_classes(frame):
    jobs = "first ten minutes" if frame["minutes"].iloc[0] == 10 else f"first {frame['minutes'].iloc[0]} min"
    return (
        f"What each further class gains on the {jobs} of Alibaba's hour: the variance left within classes, and the share of jobs that "
        "are not where one class fewer had them. Dotted: below these, the papers say of Google's trace, lies what more than four "
        "classes take (Section 5.3.2; first version, 5.1)."
    )


def _alt_classes(frame):
    fifth = frame[frame["k"] == 5].groupby("features")["moved"].median()
    words = ", ".join(f"{value:.2g} % (clustered by {features})" for features, value in fifth.items())
    return f"Line charts for 1 to {frame['k'].max()} classes. With a fifth class there move {words} of the jobs."


FIGURES = (
    Figure(
        "lotes.fig6", "lotes.fig6", plot_fig6,
        lambda frame: f"Jobs arriving in each hour of Google's clusterdata-2011-2, {frame['jobs'].sum():,} in all, of which "
        f"{frame.loc[frame['hour'] < 0, 'jobs'].sum():,} were there before the trace began and are not drawn. The paper's Fig. 6 "
        "(extended version). Data: Google, CC-BY 4.0.",
        _alt_fig6,
    ),
    Figure(
        "lotes.fig7", "lotes.fig7", plot_fig7,
        "The mix of classes in the synthetic month, day by day. The paper's Fig. 7 shows that of Google's jobs, which also drifts.",
        lambda frame: f"Line chart of the daily share of {frame['job_class'].nunique()} classes over {frame['day'].nunique()} days; "
        f"class 2 between {frame.loc[frame['job_class'] == 2, 'share'].min():.2f} and "
        f"{frame.loc[frame['job_class'] == 2, 'share'].max():.2f}.",
    ),
    Figure("lotes.fig8", "lotes.month", plot_fig8, _caption_month(8, "Mean wait of the jobs that start each day,"), _alt_month),
    Figure("lotes.fig9", "lotes.month", plot_fig9, _caption_month(9, "Jobs that wait long,"), _alt_month),
    Figure("lotes.fig10", "lotes.month", plot_fig10, _caption_month(10, "Jobs waiting at the end of each day,"), _alt_month),
    Figure("lotes.hour8", "lotes.hour", plot_hour8, _caption_hour(8, "Mean wait of the jobs that start each minute,"), _alt_hour),
    Figure("lotes.hour9", "lotes.hour", plot_hour9, _caption_hour(9, "Jobs that wait longer than a time,"), _alt_hour),
    Figure("lotes.hour10", "lotes.hour", plot_hour10, _caption_hour(10, "Jobs waiting at the end of each minute,"), _alt_hour),
    Figure("lotes.classes", "lotes.classes", plot_classes, _caption_classes, _alt_classes),
    Figure(
        "lotes.table2-hour", "lotes.table2-hour", None,
        "The paper's Table 2 from real demands: four classes of the first ten minutes of Alibaba's hour, by k-means on cores and "
        "memory used (fractions of a machine of 96 cores); the last column is their share of the whole hour's jobs.",
        "Table of four job classes with mean time, cores, memory, and share in the first ten minutes and in the hour.",
    ),
)  # fmt: skip
