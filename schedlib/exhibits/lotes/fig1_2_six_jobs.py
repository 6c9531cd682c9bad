"""Figs. 1 and 2 of LoTES's extended version: six jobs on one machine hold cores and memory over time (Section
2)."""

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure as Picture

from schedlib.exhibits.lotes.drawing import axes_or_figure
from schedlib.experiment import Experiment, Figure, scales
from schedlib.lotes.model import MachineConfigs
from schedlib.lotes.simulate import simulate
from schedlib.pictures import style
from schedlib.pictures.bins import draw_blocks
from schedlib.workload import Workload

PLACE = 2
SIX = {
    "submit": [0, 1, 2, 4, 10, 13],
    "duration": [14, 6, 7, 5, 6, 7],
    "cores": [1, 2, 1, 2, 1, 2],
    "memory": [3, 2, 1, 2, 4, 1],
}
"""On 4 cores and 8 GB the fourth job has to wait for cores alone, and the fifth for memory alone."""


def fig1(total_cores: float, total_memory: float, seed: int) -> pd.DataFrame:
    """Six jobs on one machine, first come, first served: `job, submit, start, finish` (min), `cores`,
    `memory` (GB)."""
    demand = {name: np.array(SIX[name], float) for name in ("cores", "memory")}
    jobs = Workload.from_arrays(np.array(SIX["submit"], float), np.array(SIX["duration"], float), **demand)
    run = simulate("greedy", MachineConfigs([[total_cores, total_memory]], [1]), jobs, seed=seed)
    frame = run.jobs[["job", "submit", "start", "finish"]].assign(**demand)
    return frame.assign(job=frame["job"] + 1)


def _plot(frame, resource, label, ax):
    """Draw what each job holds of one resource, as blocks over time, and above the capacity who waits."""
    capacity, frame = frame[f"total_{resource}"].iloc[0], frame.sort_values("start")
    figure, ax = axes_or_figure(ax, (7.0, 3.2))
    names, colours = frame["job"].map("job {}".format), np.array(style.PALETTE)[frame["job"] - 1]
    heights = frame[resource].astype(int)
    draw_blocks(ax, frame["start"], frame["finish"], heights, int(capacity), colours, names)
    ax.axhline(capacity, color="black", linewidth=1.6)
    above = {"va": "bottom", "fontsize": 9}
    ax.text(frame["finish"].max(), 1.015 * capacity, f"capacity {capacity:g}", ha="right", **above)
    for job in frame[frame["start"] > frame["submit"]].itertuples():
        ax.hlines(1.05 * capacity, job.submit, job.start, color=style.PALETTE[job.job - 1], linewidth=4)
        where = (job.submit + job.start) / 2, 1.08 * capacity
        ax.text(*where, f"job {job.job} waits", ha="center", **above)
    ax.set(xlabel="time (min)", ylabel=label, ylim=(0, 1.22 * capacity), xlim=(0, frame["finish"].max()))
    ax.grid(visible=False)
    ax.set_yticks(np.arange(0, capacity + 1))
    ax.set_xticks(range(0, int(frame["finish"].max()) + 1, 2))
    return figure


def plot_fig1(frame: pd.DataFrame, ax: Axes | None = None) -> Picture:
    """The cores that six jobs hold over time (Fig. 1)."""
    return _plot(frame, "cores", "cores", ax)


def plot_fig2(frame: pd.DataFrame, ax: Axes | None = None) -> Picture:
    """The memory that the same jobs hold over the same times (Fig. 2)."""
    return _plot(frame, "memory", "memory (GB)", ax)


def _waits(frame):
    rows = frame[frame["start"] > frame["submit"]].itertuples()
    return "; ".join(f"job {row.job} waits from {row.submit:g} to {row.start:g} min" for row in rows)


def _alt(resource, unit):
    def alt(frame):
        jobs = [
            f"job {row.job} {getattr(row, resource):g} {unit} from {row.start:g} to {row.finish:g}"
            for row in frame.itertuples()
        ]
        capacity = f"{frame[f'total_{resource}'].iloc[0]:g} {unit}"
        waits = _waits(frame).capitalize()
        return f"Blocks over time on a machine of {capacity}: {', '.join(jobs)}. {waits}."

    return alt


EXPERIMENTS = (
    Experiment(
        "lotes.fig1", "Six jobs on one machine", fig1,
        scales([{"total_cores": 4.0, "total_memory": 8.0}]), scales(1),
    ),
)  # fmt: skip
FIGURES = (
    Figure(
        "lotes.fig1", "lotes.fig1", plot_fig1,
        lambda frame: "Six jobs on a machine with four cores and 8 GB: cores in use (the paper's Fig. 1, "
        f"with jobs of our own). First come, first served: {_waits(frame)}.",
        _alt("cores", "cores"),
    ),
    Figure(
        "lotes.fig2", "lotes.fig1", plot_fig2,
        lambda frame: "Memory in use by the same six jobs over the same times (the paper's Fig. 2): a job "
        f"needs both at once. {_waits(frame).capitalize()}.",
        _alt("memory", "GB"),
    ),
)  # fmt: skip
