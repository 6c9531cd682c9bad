"""What scheduling costs: candidates that the dispatcher looks at, and wall-clock time (beyond the paper)."""

import time

import pandas as pd
from matplotlib import figure as mpl

from schedlib.experiment import Experiment, Figure, grid, scales
from schedlib.hmhs.schedule import schedule
from schedlib.hmhs.workloads import single
from schedlib.pictures import style

PLACE = 7


def run(jobs: int, seed: int) -> pd.DataFrame:
    """Cost on the single workload: `policy, tasks, steps, steps_full_scan` and the wall-clock `seconds`."""
    instance = single(jobs, seed)
    instance.map_task_time, instance.reduce_task_time  # noqa: B018 - fills these tables beforehand
    rows = []
    for name in ("hmhs", "fifo"):
        began = time.perf_counter()
        done = schedule(instance, name)
        seconds = time.perf_counter() - began
        tasks = done.map.job.size + done.reduce.job.size
        rows.append((name, tasks, done.steps, done.steps_full_scan, seconds))
    return pd.DataFrame(rows, columns=["policy", "tasks", "steps", "steps_full_scan", "seconds"])


def plot(frame: pd.DataFrame) -> mpl.Figure:
    """Candidates looked at and wall-clock seconds against the number of jobs, both axes logarithmic."""
    figure, (left, right) = style.subplots(1, 2, size=(8.8, 3.8))
    hmhs = frame[frame["policy"] == "hmhs"].groupby("jobs").mean(numeric_only=True)
    scans = {"color": "black", "linestyle": "--", "marker": "x", "label": "full scans, as printed"}
    left.plot(hmhs.index, hmhs["steps_full_scan"], **scans)
    left.plot(hmhs.index, hmhs["steps"], **style.look("hmhs").line() | {"label": "heaps and trees (ours)"})
    left.plot(hmhs.index, hmhs["tasks"], color="#555555", linestyle=":", marker=".", label="tasks to place")
    for name, one in frame.groupby("policy"):
        seconds = one.groupby("jobs")["seconds"].median()
        right.plot(seconds.index, seconds, **style.look(name).line())
    for ax, what in ((left, "candidates looked at"), (right, "seconds, both stages (median)")):
        ax.set(xlabel="number of jobs", ylabel=what, xscale="log", yscale="log")
        ax.legend()
    return figure


def alt(frame: pd.DataFrame) -> str:
    """The candidates at the largest number of jobs, in words."""
    last = frame.loc[frame["jobs"].idxmax()]
    return (f"Log-log charts: at {frame['jobs'].max()} jobs the paper's loops look at "
            f"{last['steps_full_scan']:.1e} candidates and ours at {last['steps']:.1e}.")


EXPERIMENTS = (Experiment("hmhs.cost", "What scheduling costs against the number of jobs", run,
                          scales(grid(jobs=[25, 100]), grid(jobs=[25, 100, 400, 1600, 6400]),
                                 grid(jobs=[25, 100, 400, 1600, 6400, 10000])), scales(1, 3, 5),
                          timing=("seconds",)),)

FIGURES = (
    Figure("hmhs.cost", "hmhs.cost", plot,
           "Cost of scheduling the single workload on 100 + 100 machines: candidates that HMHS's two "
           "Min-Mins look at, by the paper's loops and by ours with the same decisions (left); wall-clock "
           "time (right).", alt),)
