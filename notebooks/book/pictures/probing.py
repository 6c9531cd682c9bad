"""A recorded run of Eagle as a Gantt chart, with its probes."""

import functools
from typing import Any

from matplotlib.colors import to_hex, to_rgb
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from schedlib import plots
from schedlib.core.checks import typed
from schedlib.eagle.simulating.results import Simulation
from schedlib.plots import style
from schedlib.plots.bars import BELOW, WAIT

# colours of short and of long jobs
SHORT = style.BLUE
LONG = style.VERMILLION
DOTTED: dict[str, Any] = WAIT | {"linestyle": ":"}
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
    """`plots.gantt` of a run made with `record=True`, and what else its probes do.

    A dotted line is the wait of a probe that got no task; a triangle a sticky probe that asks again. `job`: one to
    stand out, the only one whose waiting is drawn; `until` (s): end of the axis, to compare runs by eye. Raises
    ValueError when nothing was recorded.
    """
    figure = plots.gantt(run, job=job, until=until, unit="s", size=size)
    ax = figure.axes[0]
    ax.set(title=title)
    legend: Any = ax.get_legend()
    legend.remove()
    handles = legend.legend_handles
    labels = [text.get_text() for text in legend.get_texts()]
    vain = [wait for name, *wait in _in_vain(run) if job is None or name == job]
    for worker, begin, end in vain:
        ax.plot([begin, end], [worker + BELOW] * 2, **DOTTED)
    if vain:
        handles.append(Line2D([], [], **DOTTED))
        labels.append("waits for nothing")
    tasks: Any = run.tasks
    again = tasks.sort_values("start").duplicated(["worker", "job", "queued"])
    for task in tasks[again.sort_index()].itertuples():
        ax.plot(task.asked, task.worker - 0.4, markersize=5, clip_on=False, **ASKS)
    if again.any():
        handles.append(Line2D([], [], **ASKS))
        labels.append("the probe asks again")
    figure.legend(handles, labels, loc="outside lower center", ncols=5, fontsize=9)
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
