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


def _over_days(frame, column, label, least):
    """Every seed as a thin line and the median over seeds as a thick one, by policy and day."""
    figure, ax = style.subplots(size=(8.0, 4.0))
    for policy in SHIPPED:
        some, look = frame[frame["policy"] == policy], style.look(policy)
        for _, one in some.groupby("seed"):
            ax.plot(one["day"], one[column].clip(lower=least), color=look.color, linewidth=0.6, alpha=0.35)
        middle = some.groupby("day")[column].median().clip(lower=least)
        ax.plot(middle.index, middle, color=look.color, linestyle=look.linestyle, label=look.label)
    ax.set(xlabel="time (days)", ylabel=label, yscale="log")
    figure.legend(*ax.get_legend_handles_labels(), loc="outside lower center", ncols=4)
    return figure


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


REPLANS = {
    ("estimate", 24): "estimated anew, 24 h", ("estimate", 6): "estimated anew, 6 h", ("cluster", 24): "clustered anew, 24 h",
    ("cluster", 6): "clustered anew, 6 h", ("foresight", 24): "next 24 h foreseen", ("all", 0): "one plan, any class at exits",
    ("tetris", 0): "Tetris",
}  # fmt: skip
SETTING = ["bursts", "load", "drift"]


def _over_fixed(frame, column):
    """That column over its value under the fixed plan, a row per seed and setting and a column for each way."""
    waits = frame.pivot_table(index=[*SETTING, "seed"], columns=["way", "every"], values=column).clip(lower=1e-3)
    return waits.div(waits["fixed", 0], axis=0)


def plot_replan(frame: pd.DataFrame):
    """Mean wait under plans made anew over that under one plan: of all jobs, of small ones and of large ones, every seed."""
    figure, axes = style.subplots(1, 3, size=(9.6, 4.6), sharey=True)
    panels = (("wait", "all jobs"), ("wait_small", "classes 1 and 2"), ("wait_large", "classes 3 and 4"))
    for ax, (column, title) in zip(axes, panels, strict=True):
        ratios = _over_fixed(frame, column)
        for i, (setting, some) in enumerate(ratios.groupby(SETTING, sort=False)):
            label = f"load {setting[1]:g}, drift {setting[2]:g}" + ("" if setting[0] else ", no bursts")
            for place, way in enumerate(way for way in REPLANS if way in some):
                look = {"color": style.PALETTE[i], "linestyle": "none", "label": label if place == 0 else None}
                at = np.full(len(some), place + 0.14 * (i - 2))
                ax.plot(some[way], at, marker="|", markersize=5, **look | {"label": None})
                ax.plot(np.exp(np.log(some[way]).mean()), at[0], marker="osD^v"[i % 5], markersize=5, **look)
        ax.axvline(1, color="black", linewidth=0.8, linestyle=":")
        ax.set(title=title, xlabel="mean wait / that of one plan", xscale="log")
    for ax in axes[::2]:
        ax.set_xticks([0.25, 0.5, 1, 2], ["1/4", "1/2", "1", "2"])
        ax.set_xticks([], minor=True)
    names = [name for way, name in REPLANS.items() if way in ratios]
    axes[0].set_yticks(range(len(names)), names)
    axes[0].set_ylabel("way of planning")
    axes[0].invert_yaxis()
    figure.legend(*axes[0].get_legend_handles_labels(), loc="outside lower center", ncols=3)
    return figure


def _replan_words(frame):
    ratios = np.log10(_over_fixed(frame, "wait"))
    ranges = ratios.groupby(SETTING).mean()
    one = ", ".join(f"{REPLANS[way]}: {10 ** ranges[way].min():.2f} to {10 ** ranges[way].max():.2f}" for way in REPLANS if way in ranges)
    return f"Mean wait over that of one plan, geometric means over seeds, least and largest of the settings: {one}."


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
    Figure(
        "lotes.replan", "lotes.replan", plot_replan,
        lambda frame: "Planning anew on the synthetic month, by what from and how often: mean wait over that under one plan (ticks: seeds; "
        f"symbols: their geometric mean). Table 1's machines over {frame['shrink'].iloc[0]}. The paper leaves this to future work "
        "(Sections 5.3.3 and 6).",
        lambda frame: "Chart in three panels, all jobs, the small classes and the large ones. " + _replan_words(frame),
    ),
)  # fmt: skip
