"""A schedule as a picture: who runs what, when (a Gantt chart)."""

from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.collections import PolyCollection
from matplotlib.figure import Figure
from matplotlib.patches import Patch, PathPatch
from matplotlib.path import Path

from schedlib.hmhs.model import Schedule, Stage
from schedlib.plots import style
from schedlib.plots.alt import number

HATCHES = ("", "////", "....", "xxxx", "----")
# with more tasks in a stage, those of a job that follow without a break share a bar
ONE_BY_ONE = 200
MOST_NUMBERED, MOST_ROWS = 80, 12  # more bars have no numbers, more machines no ticks


def _bars(stage: Stage) -> np.ndarray:
    """Rows of job, machine, start, finish, sorted by machine and start."""
    order = np.lexsort((stage.start, stage.machine))
    rows = np.column_stack(stage)[order]
    if len(rows) <= ONE_BY_ONE:
        return rows
    _, _, start, finish = rows.T
    other = np.diff(rows[:, :2], axis=0).any(axis=1)  # another job or machine
    a_break = start[1:] != finish[:-1]
    begins = other | a_break
    first = np.flatnonzero(np.r_[True, begins])
    last = np.flatnonzero(np.r_[begins, True])
    bars = rows[first]
    bars[:, 3] = finish[last]
    return bars


def _draw_stage(ax: Axes, bars: np.ndarray, until: float) -> None:
    job, machine, start, finish = bars.T
    number = job.astype(int)
    low = machine - 0.42
    high = machine + 0.42
    corners = [[start, low], [finish, low], [finish, high], [start, high]]
    boxes: Any = np.array(corners).transpose(2, 0, 1)
    palette = np.array(style.PALETTE)
    colours = palette[number % len(palette)]
    white: dict[str, Any] = {"edgecolor": "white", "alpha": 0.85}
    ax.add_collection(PolyCollection(boxes, facecolors=colours, linewidths=0.5, **white))
    pattern = number // len(palette) % len(HATCHES)
    for k in set(pattern[pattern > 0]):
        # all bars of a pattern are one path: hatching each alone is slow
        outlines = [Path(box, closed=False) for box in boxes[pattern == k]]
        outline = Path.make_compound_path(*outlines)
        look = white | {"facecolor": "none", "linewidth": 0, "hatch": HATCHES[k]}
        ax.add_patch(PathPatch(outline, **look))
    if len(bars) > MOST_NUMBERED:
        return
    wide_enough = finish - start > until / 40
    middle = (start + finish) / 2
    for k in np.flatnonzero(wide_enough):
        style.number_on_bar(ax, middle[k], machine[k], int(number[k]) + 1)


def plot_gantt(
    schedule: Schedule,
    *,
    bound: float | None = None,
    until: float | None = None,
    size: tuple[float, float] = (7.5, 4.0),
) -> Figure:
    """Draw each machine as a row and each task as a bar, labelled with its job where there is room.

    A dotted line marks the lower bound where one is given; `until` fixes the end of the time axis, so that
    schedules can be compared by eye. Jobs differ in colour, and beyond seven also in hatching.
    """
    if until is None:
        until = 1.02 * schedule.makespan
    stages = {"map": schedule.map, "reduce": schedule.reduce}
    machines = [int(stage.machine.max(initial=0)) + 1 for stage in stages.values()]
    figure, axes = style.subplots(2, 1, size=size, sharex=True, height_ratios=machines)
    panels = zip(axes, stages, machines, strict=True)
    for ax, name, rows in panels:
        bars = _bars(stages[name])
        _draw_stage(ax, bars, until)
        if bound is not None:
            ax.axvline(bound, color="black", linestyle=":", linewidth=1.2)
        ax.axvline(schedule.makespan, color="black", linewidth=1.2)
        ax.set(ylabel=f"{name}\nmachine", ylim=(rows - 0.4, -0.6), xlim=(0, until))
        shown = range(rows) if rows <= MOST_ROWS else ()
        ax.set_yticks(shown, [str(k + 1) for k in shown])
        ax.grid(axis="y", visible=False)
    axes[1].set_xlabel("time (the instance's unit)")
    name = style.look(schedule.policy).label
    title = f"{name}: makespan {number(schedule.makespan, 4)}"
    if bound is not None:
        above = 100 * (schedule.makespan / bound - 1)
        title += f", {above:.0f} % above the bound {number(bound, 4)}"
    axes[0].set_title(title)
    jobs = schedule.job_end.size
    if jobs <= len(style.PALETTE):
        colours = style.PALETTE[:jobs]
        handles = [Patch(color=c, label=f"job {k}") for k, c in enumerate(colours, 1)]
        figure.legend(handles=handles, loc="outside right upper")
    return figure
