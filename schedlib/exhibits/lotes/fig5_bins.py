"""Bins of one machine: the examples of fragmentation, LoTES's Fig. 5, and what Algorithm 1 keeps."""

from typing import Any

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure as Picture

from schedlib.exhibits.lotes.drawing import axes_or_figure
from schedlib.exhibits.lotes.judging import claim
from schedlib.exhibits.lotes.runs import ONCE
from schedlib.experiment import Experiment, Figure
from schedlib.lotes.model import JobClasses, MachineConfigs
from schedlib.lotes.planning.algorithm1 import defects
from schedlib.lotes.planning.bins import non_dominated_bins
from schedlib.lotes.planning.plan import plan
from schedlib.lotes.workloads.google import google2011
from schedlib.pictures import style

PLACE = 4.2


def fragmentation(seed: int) -> pd.DataFrame:
    """Jobs of size 3 on two sets of machines: the rates `pooled` (stage 1) and `placed` (stage 2)."""
    classes, rows = JobClasses([1.0], [[3.0]], [[1.0]]), []  # type: ignore[arg-type]
    for machines, size in ((30, 8.0), (2, 5.0)):
        made = plan(MachineConfigs([[size]], [machines]), classes)  # type: ignore[arg-type]
        rows.append({"machines": machines, "size": size, "pooled": made.allocation.rate, "placed": made.rate})
    return pd.DataFrame(rows)


def fig5(seed: int) -> pd.DataFrame:
    """Every mix of jobs of sizes 2 and 3 that fits a machine of size 7, and whether none dominates it."""
    bins = {tuple(row) for row in non_dominated_bins([7.0], [[2.0], [3.0]]).tolist()}
    mixes = [(a, b) for a in range(4) for b in range(3) if 2 * a + 3 * b <= 7]
    columns = ["first", "second", "non_dominated"]
    return pd.DataFrame([(a, b, (a, b) in bins) for a, b in mixes], columns=columns)


def algorithm1_defects(seed: int) -> pd.DataFrame:
    """What Algorithm 1 keeps on three machines, as printed and with its flag reset, and the exact set."""
    configs, classes = google2011()
    cases = {
        "Fig. 5": ([7], [[2], [3]]),
        "class 2 too large": ([4], [[2], [5]]),
        "Google, 0.5 x 0.5": (configs.capacity[0], classes.demand),
    }
    frames = [defects(*case).assign(machine=name) for name, case in cases.items()]  # type: ignore[arg-type]
    return pd.concat(frames, ignore_index=True)[["machine", *frames[0].columns.drop("machine")]]


def plot_fig5(frame: pd.DataFrame, ax: Axes | None = None) -> Picture:
    """The mixes of two classes that fit a machine, the non-dominated bins among them, and the limit."""
    figure, ax = axes_or_figure(ax, (4.6, 3.8))
    ax.plot([0, 3.5], [7 / 3, 0], color="black", linewidth=1.2, label="the machine is full")
    kinds = ((False, "o", 6, style.BLUE, "feasible"), (True, "s", 9, style.VERMILLION, "non-dominated bin"))
    for non_dominated, marker, size, colour, label in kinds:
        rows = frame[frame["non_dominated"] == non_dominated]
        shape: dict[str, Any] = {"linestyle": "none", "marker": marker, "markersize": size}
        ax.plot(rows["first"], rows["second"], color=colour, label=label, **shape)
    ax.set(xlabel="jobs of class 1 (size 2)", ylabel="jobs of class 2 (size 3)")
    ax.set(xlim=(-0.2, 4), ylim=(-0.2, 2.8))
    ax.set_yticks([0, 1, 2])
    ax.legend()
    return figure


EXPERIMENTS = (
    Experiment("lotes.fragmentation", "Eighty jobs fit the pool, sixty the machines", fragmentation, **ONCE),
    Experiment("lotes.fig5", "Feasible mixes and non-dominated bins of two classes", fig5, **ONCE),
    Experiment("lotes.algorithm1", "What Algorithm 1 keeps", algorithm1_defects, **ONCE),
)
FIGURES = (
    Figure(
        "lotes.fragmentation", "lotes.fragmentation", None,
        "The paper's two examples of fragmentation: jobs of size 3 and rate 1. What pooled machines could "
        "run, and what real ones can.",
        "Table: 30 machines of size 8 run 80 jobs pooled and 60 placed; 2 machines of size 5 run 10/3 pooled "
        "and 2 placed."),
    Figure("lotes.fig5", "lotes.fig5", plot_fig5,
           "All mixes of two classes that one machine of size 7 can hold, and the non-dominated bins among "
           "them. The paper's Fig. 5.",
           lambda frame: f"Scatter of {len(frame)} feasible mixes below the machine's limit, "
           f"{frame['non_dominated'].sum()} of them non-dominated bins: (0, 2), (2, 1) and (3, 0)."),
    Figure(
        "lotes.algorithm1", "lotes.algorithm1", None,
        "What the paper's Algorithm 1 keeps: as printed every feasible bin, with its flag reset still "
        "dominated ones; where a class fits no empty machine it comes to an undefined step.",
        "Table of the bins that Algorithm 1 keeps, repeats and misses on three machines, as printed, mended "
        "and exact."),
)


def _rate(column, row):
    return lambda frame: frame[column][row : row + 1]


CLAIMS = tuple(
    claim(
        name, f"Section {section}", text, "lotes.fragmentation", _rate(name.partition("-")[0], row), value,
        check="value", tolerance=1e-6, metric=f"lambda of stage {stage}", unit=unit,
    )
    for name, section, text, row, value, stage, unit in (
        ("pooled", "2", "Thirty machines of 8 cores, pooled, run 80 jobs of 3 cores", 0, 80.0, 1, "jobs"),
        ("placed", "2", "On real machines only 60 of them run at once", 0, 60.0, 2, "jobs"),
        ("pooled-rate", "4.1",
         "Two machines of capacity five, pooled, sustain 10/3 jobs of three units a minute",
         1, 10 / 3, 1, "jobs/min"),
        ("placed-rate", "4.1", "The real machines sustain two", 1, 2.0, 2, "jobs/min"),
    )
)  # fmt: skip
