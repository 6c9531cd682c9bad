"""HMHS's gain under four readings of FIFO: the paper leaves open which job a free reduce machine takes."""

from dataclasses import replace

import pandas as pd
from matplotlib import figure as mpl

from schedlib.exhibits.hmhs.comparing import JOBS, WORKLOADS, jobs_axis
from schedlib.experiment import Experiment, Figure, grid, scales
from schedlib.hmhs.johnson import priority
from schedlib.hmhs.schedule import schedule
from schedlib.hmhs.two_stages import POLICIES
from schedlib.pictures import style

PLACE = 4
LOOKS = {  # of each reading: the policy whose colour and line it borrows, and its label
    "fifo": ("fifo", "the first ready job"),
    "fifo-strict": ("fifo-pri", "the first unfinished job, or waits"),
    "fifo-ready": ("r-hmhs", "the job ready longest"),
    "fifo-barrier": ("priced", "nothing before the last map ends"),
}


def run(workload: str, jobs: int, seed: int) -> pd.DataFrame:
    """HMHS's gain over FIFO and over FIFO-Pri in % of their makespan: `reading, fifo, fifo_pri`."""
    instance = WORKLOADS[workload](jobs, seed)
    best = schedule(instance, "hmhs").makespan
    rows = []
    for name in LOOKS:
        both = POLICIES[name], replace(POLICIES[name], order=priority)
        rows.append((name, *(100 * (1 - best / schedule(instance, fifo).makespan) for fifo in both)))
    return pd.DataFrame(rows, columns=["reading", "fifo", "fifo_pri"])


def plot(frame: pd.DataFrame) -> mpl.Figure:
    """The gains over FIFO and over FIFO-Pri against the number of jobs, a line for each reading."""
    figure, axes = style.subplots(1, 2, size=(8.8, 3.8), sharey=True)
    for ax, (column, title) in zip(axes, (("fifo", "FIFO"), ("fifo_pri", "FIFO-Pri")), strict=True):
        for reading, (policy, label) in LOOKS.items():
            points = frame[frame["reading"] == reading].groupby("jobs")[column].mean()
            ax.plot(points.index, points, **style.look(policy).line() | {"label": label})
        ax.set(title=f"HMHS's gain over {title}", ylabel="mean over seeds and workloads (%)")
        ax.yaxis.set_tick_params(labelleft=True)
        jobs_axis(ax, frame["jobs"])
    handles = axes[0].get_legend_handles_labels()
    figure.legend(*handles, title="a free reduce machine takes", loc="outside lower center", ncols=2)
    return figure


def alt(frame: pd.DataFrame) -> str:
    """The mean gains over FIFO at the largest number of jobs, in words."""
    means = frame[frame["jobs"] == frame["jobs"].max()].groupby("reading")["fifo"].mean()
    words = ", ".join(f"{value:.0f} % where it takes {LOOKS[name][1]}" for name, value in means.items())
    return ("Line charts of HMHS's mean gain against the number of jobs, one line for each reading of FIFO; "
            f"at the most jobs {words}.")


EXPERIMENTS = (Experiment("hmhs.fifo-readings", "HMHS's gain under four readings of FIFO", run,
                          scales(grid(workload=["single"], jobs=[25]), grid(workload=WORKLOADS, jobs=JOBS)),
                          scales(2, 10, 30)),)

FIGURES = (
    Figure("hmhs.fifo-readings", "hmhs.fifo-readings", plot,
           "HMHS's gain under four readings of what FIFO does with a free reduce machine, which the paper "
           "leaves open.", alt),)
