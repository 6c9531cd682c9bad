"""A recorded run of Eagle as a Gantt chart."""

import functools
from typing import Any

import numpy as np
from matplotlib.colors import to_hex, to_rgb
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch, Rectangle

from schedlib.core.checks import typed
from schedlib.eagle.simulating.results import Simulation
from schedlib.plots import style

# colours of short and of long jobs
SHORT = style.BLUE
LONG = style.VERMILLION
DOTTED: dict[str, Any] = {"color": SHORT, "linewidth": 1.6, "linestyle": ":"}
ASKS: dict[str, Any] = {"color": "black", "marker": 7, "linestyle": "none"}


@functools.lru_cache(maxsize=64)
def pale(colour: str, share: float) -> str:
    """`share` of the colour, the rest white.

    >>> pale("#000000", 0.2)
    '#cccccc'
    """
    red, green, blue = (1 - share * (1 - level) for level in to_rgb(colour))
    return to_hex((red, green, blue))


@typed
def plot_gantt(
    run: Simulation,
    *,
    job: int | None = None,
    title: str = "",
    until: float | None = None,
    size: tuple[float, float] = (8.0, 3.2),
) -> Figure:
    """Draw a run made with `record=True`: a row per worker, a bar per task with its job's number, the waits.

    A thin line below the bars is the time that a probe, or a placed task, was queued before a task of it
    started; a dotted one that of a probe that got none; a triangle a sticky probe that asked again. `job`:
    one to stand out, the only one whose waiting is drawn; `until` (s): end of the axis, to compare runs by
    eye. Raises ValueError when nothing was recorded.
    """
    if run.tasks is None:
        raise ValueError("run: holds no tasks; simulate with record=True")
    jobs = run.jobs["job"].tolist()
    if job is not None and job not in jobs:
        raise ValueError(f"job: {job}; none of the run is called so")
    workers = run.stats["workers"]
    tasks = run.tasks.sort_values(["worker", "start"])
    if until is None:
        until = 1.02 * tasks["finish"].max()
    figure, ax = style.subplots(size=size)
    again = tasks.duplicated(["worker", "job", "queued"])
    for task in tasks.assign(again=again).itertuples():
        colour = LONG if task.long else SHORT
        stands_out = job is None or task.job == job
        face = colour if stands_out else pale(colour, 0.35)
        width = task.finish - task.start
        corner = task.start, task.worker - 0.36
        ax.add_patch(
            Rectangle(corner, width, 0.62, facecolor=face, edgecolor="white", linewidth=0.6)
        )
        if width > until / 45:
            style.number_on_bar(ax, task.start + width / 2, task.worker - 0.05, task.job)
        if task.again:
            ax.plot(task.asked, task.worker - 0.38, markersize=5, clip_on=False, **ASKS)
        elif stands_out:
            ax.plot(
                [task.queued, task.start], [task.worker + 0.36] * 2, color=colour, linewidth=1.6
            )
    vain = [wait for name, *wait in _in_vain(run) if job is None or name == job]
    for worker, begin, end in vain:
        ax.plot([begin, end], [worker + 0.36] * 2, **DOTTED)
    ax.set(
        xlim=(0, until),
        ylim=(workers - 0.4, -0.6),
        xlabel="time (s)",
        ylabel="worker",
        title=title,
        yticks=np.arange(workers),
    )
    ax.grid(axis="y", visible=False)
    kinds = {False: Patch(color=SHORT, label="short"), True: Patch(color=LONG, label="long")}
    handles: list[Any] = [patch for long, patch in kinds.items() if (tasks["long"] == long).any()]
    handles.append(Line2D([], [], color=SHORT, linewidth=1.6, label="in the queue"))
    if vain:
        handles.append(Line2D([], [], label="in the queue, for nothing", **DOTTED))
    if again.any():
        handles.append(Line2D([], [], label="the probe asks again", **ASKS))
    figure.legend(handles=handles, loc="outside lower center", ncols=5, fontsize=9)
    return figure


def _in_vain(run):
    """Job, worker, beginning and end (s) of the waits of probes that got no task where they were queued."""
    where = ["worker", "job"]
    ran = set(run.tasks[where].itertuples(index=False, name=None))
    events = run.log[run.log["event"].isin(["queue", "vain", "drop"])]
    for place, rows in events.groupby(where):
        in_vain = rows["event"].isin(["vain", "drop"]).any()
        if in_vain and place not in ran:
            worker, job = place
            yield job, worker, rows["time"].min(), rows["time"].max()
