"""LoTES's figures of Alibaba's hour: a tidy frame in, a picture out. Nothing here simulates."""

import pandas as pd

from schedlib.exhibits.lotes.trace_figures import per_run, plot_fig8, plot_fig9, plot_fig10
from schedlib.experiment import Figure
from schedlib.pictures import style


def plot_hour8(frame: pd.DataFrame):
    """Mean wait of the jobs that start in each minute of Alibaba's hour (as the paper's Fig. 8)."""
    return plot_fig8(frame, "minute")


def plot_hour9(frame: pd.DataFrame):
    """Share of jobs of Alibaba's hour that wait longer than so many seconds (the paper's Fig. 9, complemented)."""
    return plot_fig9(frame, ())


def plot_hour10(frame: pd.DataFrame):
    """Jobs waiting at the end of each minute of Alibaba's hour (as the paper's Fig. 10)."""
    return plot_fig10(frame, "minute")


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


def _alt_hour(frame):
    waits, words = pd.DataFrame({name: per_run(frame, name) for name in ("mean", "p99")}), []
    for load, some in waits.groupby("load"):
        each = [
            f"{style.look(policy).label} {one['mean'].median():.3g} s, 99 % of jobs under {one['p99'].median():.3g} s"
            for policy, one in some.groupby("policy")
        ]
        words.append(f"at load {load:g} {'; '.join(each)}")
    return f"Charts of Alibaba's hour under four policies. Mean waits: {'. '.join(words)}."


def _caption_hour(number, what):
    def caption(frame):
        machines = per_run(frame, "machines").groupby("load").median()
        sizes = " and ".join(f"{count:,.0f} machines (load {load:g})" for load, count in machines.items())
        return (
            f"{what} in {frame['minutes'].iloc[0]} minutes of Alibaba's batch instances on {sizes}, Table 1's configurations in "
            "proportion, the largest taken as 96 cores; classes of the first sixth of the time. An instance comes when its job "
            "does, thousands at a time. The load counts work that runs on after the hour. Thin lines: seeds; thick: medians. "
            f"The paper's Fig. {number} has Google's month. Data: Alibaba, cluster-trace-v2018."
        )

    return caption


def _caption_classes(frame):
    jobs = "first ten minutes" if frame["minutes"].iloc[0] == 10 else f"first {frame['minutes'].iloc[0]} min"
    return (
        f"What each further class gains on the {jobs} of Alibaba's hour: the variance left within classes, and the share of jobs that "
        "are not where one class fewer had them. Dotted: below these, the papers say of Google's trace, lies what more than "
        "four classes take (Section 5.3.2; first version, 5.1). Data: Alibaba, cluster-trace-v2018."
    )


def _alt_classes(frame):
    fifth = frame[frame["k"] == 5].groupby("features")["moved"].median()
    words = ", ".join(f"{value:.2g} % (clustered by {features})" for features, value in fifth.items())
    return f"Line charts for 1 to {frame['k'].max()} classes. With a fifth class there move {words} of the jobs."


FIGURES = (
    Figure("lotes.hour8", "lotes.hour", plot_hour8, _caption_hour(8, "Mean wait of the jobs that start each minute,"), _alt_hour),
    Figure("lotes.hour9", "lotes.hour", plot_hour9, _caption_hour(9, "Share of jobs that wait longer than a time,"), _alt_hour),
    Figure("lotes.hour10", "lotes.hour", plot_hour10, _caption_hour(10, "Jobs waiting at the end of each minute,"), _alt_hour),
    Figure("lotes.classes", "lotes.classes", plot_classes, _caption_classes, _alt_classes),
    Figure(
        "lotes.table2-hour", "lotes.table2-hour", None,
        "The paper's Table 2 from real demands: four classes of the first ten minutes of Alibaba's hour, by k-means on cores and "
        "memory used (fractions of a machine taken as 96 cores); the last column is their share of the whole hour's jobs. Data: "
        "Alibaba, cluster-trace-v2018.",
        "Table of four job classes with mean time, cores, memory, and share in the first ten minutes and in the hour.",
    ),
)  # fmt: skip
