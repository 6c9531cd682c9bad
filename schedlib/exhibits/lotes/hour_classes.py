"""The job classes that Alibaba's hour makes: how many are enough, and Table 2 of LoTES from real demands."""

import numpy as np
import pandas as pd
from matplotlib.figure import Figure as Picture

from schedlib import traces
from schedlib.exhibits.lotes.drawing import legend_below
from schedlib.exhibits.lotes.judging import claim
from schedlib.experiment import Experiment, Figure, scales
from schedlib.lotes.workloads.alibaba import FIRST, alibaba_instances
from schedlib.lotes.workloads.kmeans import class_counts, cluster_jobs
from schedlib.pictures import style

PLACE = 5.33


def classes(minutes: int, features: str, seed: int) -> pd.DataFrame:
    """What each further class gains on the first `minutes` of Alibaba's hour: `class_counts` for k = 1 ... 8.

    Shares are in %.
    """
    trace = traces.alibaba2018("instances").between(0, 60 * minutes)
    table = class_counts(alibaba_instances(trace=trace), 8, day=60.0 * minutes, features=features, seed=seed)
    return table.assign(**{name: 100 * table[name] for name in ("spread", "smallest", "moved")})


def table2_hour(seed: int) -> pd.DataFrame:
    """Four classes of the hour's first ten minutes; `share_hour` is that of the whole hour's jobs.

    Demands are fractions of a machine taken as 96 cores (see `alibaba`).
    """
    made, job_class = cluster_jobs(alibaba_instances(), 4, day=FIRST, seed=seed)
    columns = {"job_class": np.arange(1, 5), "mean_time_h": 1 / made.rate[0] / 3600}
    columns |= {"cores": made.demand[:, 0], "memory": made.demand[:, 1], "share": made.share}
    return pd.DataFrame(columns | {"share_hour": np.bincount(job_class) / len(job_class)})


def _points(minutes):
    return [{"minutes": minutes, "features": features} for features in ("demand", "demand and duration")]


EXPERIMENTS = (
    Experiment(
        "lotes.classes", "What each further class gains on Alibaba's hour", classes,
        scales(_points(1), _points(10)), scales(1, 1, 3),
    ),
    Experiment("lotes.table2-hour", "Four classes of Alibaba's hour", table2_hour, scales([{}]), scales(1)),
)  # fmt: skip


def plot_classes(frame: pd.DataFrame) -> Picture:
    """What is left within classes, and what the last class takes over, against the number of classes."""
    figure, axes = style.subplots(1, 2, size=(8.8, 3.8))
    labels = "variance left within classes (%)", "jobs that the last class moves (%)"
    most = int(frame["k"].max())
    for ax, column, label in zip(axes, ("spread", "moved"), labels, strict=True):
        for k, (features, rows) in enumerate(frame.groupby("features")):
            median = rows.groupby("k")[column].median().dropna()
            look = {"color": style.PALETTE[k], "linestyle": ("-", "--")[k], "marker": ("o", "s")[k]}
            ax.plot(median.index, median, label=f"clustered by {features}", **look)
        ax.set(xlabel="number of classes", ylabel=label)
        ax.set_xticks(range(1, most + 1))
    axes[0].set_ylim(0, None)
    axes[1].set_yscale("log")
    for limit, version in ((1.0, "extended version"), (0.01, "first version")):
        axes[1].axhline(limit, color="black", linewidth=0.8, linestyle=":")
        offset = {"xytext": (0, 3), "textcoords": "offset points"}
        axes[1].annotate(version, (most, limit), fontsize=8, ha="right", **offset)
    legend_below(figure, axes[0], 2)
    return figure


def _caption_classes(frame):
    minutes = frame["minutes"].iloc[0]
    time = "first ten minutes" if minutes == 10 else f"first {minutes} min"
    return (
        f"What each further class gains on the {time} of Alibaba's hour: the variance left within classes, "
        "and the share of jobs that are not where one class fewer had them. Dotted: below these, the papers "
        "say of Google's trace, lies what more than four classes take (Section 5.3.2; first version, 5.1). "
        "Data: Alibaba, cluster-trace-v2018."
    )


def _alt_classes(frame):
    fifth = frame[frame["k"] == 5].groupby("features")["moved"].median()
    words = ", ".join(f"{value:.2g} % (clustered by {features})" for features, value in fifth.items())
    most = frame["k"].max()
    return f"Line charts for 1 to {most} classes. With a fifth class there move {words} of the jobs."


FIGURES = (
    Figure("lotes.classes", "lotes.classes", plot_classes, _caption_classes, _alt_classes),
    Figure(
        "lotes.table2-hour", "lotes.table2-hour", None,
        "The paper's Table 2 from real demands: four classes of the first ten minutes of Alibaba's hour, by "
        "k-means on cores and memory used (fractions of a machine taken as 96 cores); the last column is "
        "their share of the whole hour's jobs. Data: Alibaba, cluster-trace-v2018.",
        "Table of four job classes with mean time, cores, memory, and share in the first ten minutes and in "
        "the hour.",
    ),
)  # fmt: skip


def _fifth_class(limit):
    """By how much the share of jobs that a fifth class takes over stays below `limit` per cent, per seed."""
    return lambda frame: limit - frame.query("features == 'demand' and k == 5")["moved"].to_numpy()


CLAIMS = tuple(
    claim(
        f"hour-classes{suffix}", f"Section {where}",
        f"Four classes suffice: a fifth takes less than {limit:g} % of the jobs",
        "lotes.classes", _fifth_class(limit),
        metric="limit less the share of jobs that are not where four classes had them", unit="%",
        reason="clustered by demand, on the first ten minutes of Alibaba's hour, not on the first day of "
        "Google's month",
    )
    for suffix, where, limit in (("", "5.3.2, extended version", 1.0), ("-first", "5.1, first version", 0.01))
)  # fmt: skip
