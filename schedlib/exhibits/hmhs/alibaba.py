"""Beyond the paper: Fig. 1 on real map-reduce pairs, and how far each policy ends above the lower bound."""

import pandas as pd
from matplotlib import figure as mpl

from schedlib import traces
from schedlib.exhibits.hmhs import comparing
from schedlib.exhibits.hmhs.comparing import JOBS, JOBS_LABEL
from schedlib.experiment import Experiment, Figure, grid, scales
from schedlib.hmhs.workloads import from_trace
from schedlib.pictures import style

PLACE = 3


def run(jobs: int, seed: int) -> pd.DataFrame:
    """Makespan of each policy on pairs drawn from the hour, machines as in the paper: `policy, makespan`."""
    return comparing.makespans(from_trace(traces.alibaba2018("mapreduce"), seed, n_jobs=jobs))


def gaps(frame: pd.DataFrame) -> pd.DataFrame:
    """The policies' rows with `gap`: by how many per cent of the lower bound the makespan exceeds it."""
    rows = comparing.against(frame, "bound")
    return rows[rows["policy"] != "bound"].assign(gap=100 * (rows["makespan"] / rows["bound"] - 1))


def plot_gap(frame: pd.DataFrame) -> mpl.Figure:
    """The gap against the number of jobs, a panel for each workload."""
    gap = gaps(frame if "workload" in frame else frame.assign(workload="alibaba"))
    workloads = list(dict.fromkeys(gap["workload"]))
    figure, axes = style.subplots(1, len(workloads), size=(4.6 * len(workloads), 3.8), squeeze=False)
    for ax, name in zip(axes[0], workloads, strict=True):
        rows = gap[gap["workload"] == name]
        style.band(ax, rows, "jobs", "gap", by="policy")
        ax.set(title=comparing.TITLES[name], xlabel=JOBS_LABEL, ylabel="makespan above the lower bound (%)")
        comparing.log_y(ax, rows.groupby(["jobs", "policy"])["gap"].mean().min())
        comparing.jobs_axis(ax, frame["jobs"])
    columns = 3 if len(workloads) == 1 else 5
    figure.legend(*axes[0, 0].get_legend_handles_labels(), loc="outside lower center", ncols=columns)
    return figure


def alt_gap(frame: pd.DataFrame) -> str:
    """The mean gaps at the largest number of jobs, in words."""
    gap = gaps(frame)
    most = gap["jobs"].max()
    last = gap[gap["jobs"] == most].groupby("policy")["gap"].mean()
    words = ", ".join(f"{style.look(name).label} {value:.0f} %" for name, value in last.sort_values().items())
    return f"Line chart of each policy's makespan above the lower bound. At {most} jobs: {words}."


EXPERIMENTS = (Experiment("hmhs.alibaba", "Makespan against the number of jobs, real map-reduce pairs", run,
                          scales(grid(jobs=[25, 50]), grid(jobs=JOBS)), scales(2, 10, 30)),)

FIGURES = (
    Figure("hmhs.alibaba", "hmhs.alibaba",
           lambda frame: comparing.plot_makespans(frame.assign(workload="alibaba")),
           "The comparison of Fig. 1 on real jobs: map-reduce pairs drawn from one hour of Alibaba's batch "
           "trace, on the paper's machines; bands are 95 % intervals over seeds.", comparing.alt_makespans),
    Figure("hmhs.gap", "hmhs.fig1", plot_gap,
           "How far each policy ends above a lower bound that no schedule can beat (beyond the paper). What "
           "separates FIFO from HMHS is far more than what is left to gain; priced dispatch, ours, wins part "
           "of that.", alt_gap),
    Figure("hmhs.alibaba-gap", "hmhs.alibaba", plot_gap,
           "How far each policy ends above the lower bound on real map-reduce pairs (beyond the paper).",
           alt_gap),
)
