"""How far each policy ends above the lower bound, in the runs of Fig. 1 and of Alibaba's hour."""

import pandas as pd
from matplotlib import figure as mpl

from schedlib.exhibits.hmhs.gains import JOBS_LABEL, TITLES, against, jobs_axis, log_y
from schedlib.experiment import Figure
from schedlib.pictures import style

PLACE = 5


def gaps(frame: pd.DataFrame) -> pd.DataFrame:
    """The policies' rows with `gap`: by how many per cent of the lower bound the makespan exceeds it."""
    rows = against(frame, "bound")
    return rows[rows["policy"] != "bound"].assign(gap=100 * (rows["makespan"] / rows["bound"] - 1))


def plot(frame: pd.DataFrame) -> mpl.Figure:
    """The gap against the number of jobs, a panel for each workload."""
    gap = gaps(frame if "workload" in frame else frame.assign(workload="alibaba"))
    workloads = list(dict.fromkeys(gap["workload"]))
    figure, axes = style.subplots(1, len(workloads), size=(4.6 * len(workloads), 3.8), squeeze=False)
    for ax, name in zip(axes[0], workloads, strict=True):
        rows = gap[gap["workload"] == name]
        style.band(ax, rows, "jobs", "gap", by="policy")
        ax.set(title=TITLES[name], xlabel=JOBS_LABEL, ylabel="makespan above the lower bound (%)")
        log_y(ax, rows.groupby(["jobs", "policy"])["gap"].mean().min())
        jobs_axis(ax, frame["jobs"])
    columns = 3 if len(workloads) == 1 else 5
    figure.legend(*axes[0, 0].get_legend_handles_labels(), loc="outside lower center", ncols=columns)
    return figure


def alt(frame: pd.DataFrame) -> str:
    """The mean gaps at the largest number of jobs, in words."""
    gap = gaps(frame)
    most = gap["jobs"].max()
    last = gap[gap["jobs"] == most].groupby("policy")["gap"].mean()
    words = ", ".join(f"{style.look(name).label} {value:.0f} %" for name, value in last.sort_values().items())
    return f"Line chart of each policy's makespan above the lower bound. At {most} jobs: {words}."


FIGURES = (
    Figure(
        "hmhs.gap", "hmhs.fig1", plot,
        "How far each policy ends above a lower bound that no schedule can beat (beyond the paper). What "
        "separates FIFO from HMHS is far more than what is left to gain; priced dispatch, ours, wins part "
        "of that.",
        alt,
    ),
    Figure(
        "hmhs.alibaba-gap", "hmhs.alibaba", plot,
        "How far each policy ends above the lower bound on real map-reduce pairs (beyond the paper).",
        alt,
    ),
)
