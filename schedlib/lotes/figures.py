"""Every LoTES figure: a tidy frame in, a picture out. Nothing here simulates."""

import numpy as np
import pandas as pd

from schedlib import style
from schedlib.experiment import Figure

LAW_NAMES = {
    "common-matched": "one factor, mean as planned",
    "common": "one factor for all resources",
    "independent": "each resource for itself (printed)",
    "fixed": "class means",
}
SHOWN = ("lotes", "lotes-first", "greedy", "tetris")
FASTEST = 1e-4
"""Seconds below which a mean wait is drawn as none."""


def plot_fig5(frame: pd.DataFrame):
    """Feasible mixes of two classes on one machine, the non-dominated bins among them, and the machine's limit."""
    figure, ax = style.subplots(size=(4.6, 3.8))
    ax.plot([0, 3.5], [7 / 3, 0], color="black", linewidth=1.2, label="the machine is full")
    for best, marker, colour, label in ((False, "o", style.SKY, "feasible"), (True, "s", style.VERMILLION, "non-dominated bin")):
        some = frame[frame["non_dominated"] == best]
        size = 9 if best else 6
        ax.plot(some["first"], some["second"], linestyle="none", marker=marker, color=colour, markersize=size, label=label)
    ax.set(xlabel="jobs of class 1 (size 2)", ylabel="jobs of class 2 (size 3)", xlim=(-0.2, 4), ylim=(-0.2, 2.8))
    ax.set_yticks([0, 1, 2])
    ax.legend()
    return figure


def plot_stages(frame: pd.DataFrame):
    """What each way of making the plan loses against the fluid bound, every instance."""
    figure, ax = style.subplots(size=(7.0, 3.8))
    ways = {"assignment": ("stage 2 as in the paper", style.BLUE, "o"), "generated": ("stage 2 over all bins", style.VERMILLION, "s")}
    ways["rounded"] = ("the paper's, rounded", style.GREEN, "^")
    names = {phi: "Google" if phi < 0 else f"{phi:g}" for phi in sorted(set(frame["phi"]))}
    place = {phi: k for k, phi in enumerate(names)}
    for k, (column, (label, colour, marker)) in enumerate(ways.items()):
        loss = 100 * (1 - frame[column] / frame["allocation"])
        x = frame["phi"].map(place) + 0.2 * (k - 1)
        ax.plot(x, loss, linestyle="none", marker=marker, color=colour, alpha=0.8, label=label)
    ax.set_xticks(range(len(names)), names.values())
    ax.set(xlabel="instance: Google's, and random ones by Phi", ylabel="rate lost against the fluid bound (%)", ylim=(0, None))
    ax.legend()
    return figure


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
    for policy in SHOWN:
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
    for k, policy in enumerate(SHOWN):
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


def _waits(frame, x, label):
    """Mean waits, a panel for each law of sizes: every instance as a point, hollow where unstable, and the median as a line."""
    laws = [law for law in LAW_NAMES if law in set(frame["sizes"])]
    columns = min(len(laws), 2)
    figure, axes = style.subplots(len(laws) // columns, columns, size=(8.8, 3.6 * (len(laws) // columns) + 0.5), sharey=True, squeeze=False)
    ticks = sorted(set(frame[x]))
    step = (ticks[-1] - ticks[0] or 1) / max(len(ticks) - 1, 1)
    for ax, law in zip(axes.flat, laws, strict=True):
        for k, policy in enumerate(SHOWN):
            some = frame[(frame["sizes"] == law) & (frame["policy"] == policy)]
            look = style.look(policy)
            wait = some["wait"].clip(lower=FASTEST)
            median = wait.groupby(some[x]).median()
            ax.plot(median.index, median, color=look.color, linestyle=look.linestyle, label=look.label)
            for stable, face in ((True, look.color), (False, "white")):
                mine = some["stable"].astype(bool) == stable
                at = some.loc[mine, x] + 0.06 * step * (k - 1.5)
                ax.plot(at, wait[mine], linestyle="none", marker=look.marker, color=look.color, markerfacecolor=face, markersize=4)
        ax.set(title=LAW_NAMES[law], xlabel=label, ylabel="mean wait (s); none: 0.0001", yscale="log")
        ax.set_xticks(ticks, [f"{tick:g}" for tick in ticks], fontsize=8)
        ax.title.set_fontsize(10)
        ax.yaxis.set_tick_params(labelleft=True)
    figure.legend(*axes[0, 0].get_legend_handles_labels(), loc="outside lower center", ncols=4)
    return figure


def plot_fig11(frame: pd.DataFrame):
    """Mean wait against Phi at load 0.97 (the paper's Fig. 11), under each law of sizes."""
    return _waits(frame, "phi", "Phi: how much classes differ")


def plot_omega(frame: pd.DataFrame):
    """Mean wait against Omega (the paper's Figs. 12 and 13), under two laws of sizes."""
    return _waits(frame, "omega", "Omega: how much machines differ")


def _alt_fig6(frame):
    during = frame[frame["hour"] >= 0]
    peak = during.loc[during["jobs"].idxmax()]
    return (
        f"Line chart of jobs arriving in each of {len(during)} hours: {during['jobs'].mean():.0f} an hour on average, at most "
        f"{peak['jobs']} in hour {peak['hour']}."
    )


def _alt_waits(frame):
    """Median waits at the far end of the axis, and how many runs were unstable, for each law and policy."""
    x = "phi" if frame["phi"].nunique() > 1 else "omega"
    parts = []
    for law, some in frame.groupby("sizes"):
        far = some[some[x] == some[x].max()]
        words = [
            f"{style.look(policy).label} {one['wait'].median():.3g} s ({(~one['stable'].astype(bool)).sum()} of {len(one)} unstable)"
            for policy, one in far.groupby("policy")
        ]
        parts.append(f"sizes {law}: {', '.join(words)}")
    return f"Charts of mean wait against {x}. Medians at {x} = {frame[x].max():g}: {'; '.join(parts)}."


def _caption_waits(number, what):
    def caption(frame):
        machines, hours = int(frame["machines"].iloc[0]), frame["hours"].iloc[0]
        return (
            f"Mean wait of started jobs {what}, on {10 * machines:,} machines of ten configurations for {hours:g} hours, under each "
            "reading of how job sizes are drawn. Points: instances, hollow where the queue grew; lines: medians. "
            f"The paper's Fig. {number} has 10,000 machines and 100 hours."
        )

    return caption


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


def _alt_stages(frame):
    loss = {name: 100 * (1 - np.mean(frame[name] / frame["allocation"])) for name in ("assignment", "generated", "rounded")}
    words = ", ".join(f"{name} {value:.2f} %" for name, value in loss.items())
    return f"Strip chart of the rate lost against the fluid bound on {len(frame)} instances. Means: {words}."


FIGURES = (
    Figure(
        "lotes.fragmentation", "lotes.fragmentation", None,
        "The paper's two examples of fragmentation: jobs of size 3 and rate 1. What pooled machines could run, and what real ones can.",
        "Table: 30 machines of size 8 run 80 jobs pooled and 60 placed; 2 machines of size 5 run 10/3 pooled and 2 placed.",
    ),
    Figure(
        "lotes.table1", "lotes.table1", None,
        "Google's machines (the paper's Table 1). The printed supports are those of one optimum of stage 1 among many; ours is "
        "another, chosen to waste least. Bins: under our supports, and with all four classes everywhere.",
        "Table of ten machine configurations with the number of machines, cores, memory, supports and bins.",
    ),
    Figure(
        "lotes.table2", "lotes.table2", None,
        "Google's four job classes (the paper's Table 2) as they enter the models.",
        "Table of four job classes with mean time, cores, memory and share.",
    ),
    Figure(
        "lotes.fig5", "lotes.fig5", plot_fig5,
        "All mixes of two classes that one machine of size 7 can hold, and the non-dominated bins among them. The paper's Fig. 5.",
        lambda frame: f"Scatter of {len(frame)} feasible mixes below the machine's limit, {frame['non_dominated'].sum()} of them "
        "non-dominated bins: (0, 2), (2, 1) and (3, 0).",
    ),
    Figure(
        "lotes.algorithm1", "lotes.algorithm1", None,
        "What the paper's Algorithm 1 keeps: as printed every feasible bin, with its flag reset still dominated ones; where a class "
        "fits no empty machine it comes to an undefined step.",
        "Table of the bins that Algorithm 1 keeps, repeats and misses on three machines, as printed, mended and exact.",
    ),
    Figure(
        "lotes.stages", "lotes.stages", plot_stages,
        "What the plan loses against the fluid bound of stage 1: with the paper's stage 2, rounded, and with stage 2 over all bins "
        "by column generation (beyond the paper). 10,000 machines.",
        _alt_stages,
    ),
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
        "lotes.fig11", "lotes.fig11", plot_fig11, _caption_waits(11, "as classes differ more (load 0.97 of stage 2's rate)"), _alt_waits,
    ),
    Figure(
        "lotes.fig12", "lotes.fig12", plot_omega, _caption_waits(12, "as machines differ more (load 0.90)"), _alt_waits,
    ),
    Figure(
        "lotes.fig13", "lotes.fig13", plot_omega, _caption_waits(13, "as machines differ more (load 0.95)"), _alt_waits,
    ),
)  # fmt: skip
