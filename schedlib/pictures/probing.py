"""Fig. 1 of the paper as a drawing, and a recorded run as a Gantt chart."""

import functools
from typing import Any

import numpy as np
from matplotlib.colors import to_hex, to_rgb, to_rgba
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import FancyArrowPatch, Patch, Rectangle

from schedlib.core.checks import typed
from schedlib.eagle.simulating.results import Simulation
from schedlib.pictures import style

# colours of short and of long jobs
SHORT = style.BLUE
LONG = style.VERMILLION
# the same for words, dark enough to be read on a tinted box
INK = {SHORT: "#005A8C", LONG: "#9E4600"}
SHORT_ONLY, WORKERS = 3, 10
# inches from worker to worker, a slot's side, where the lowest stands
PITCH, SLOT, FLOOR = (0.8, 0.34, 0.62)
LONG_AT = {4: 1, 6: 2, 7: 1, 9: 2}  # long tasks in the picture, by worker
TASKS = LONG_AT | {0: 2, 1: 1, 2: 3, 3: 1, 8: 2}  # and short ones; nobody has both
DOTTED: dict[str, Any] = {"color": SHORT, "linewidth": 1.6, "linestyle": ":"}
ASKS: dict[str, Any] = {"color": "black", "marker": 7, "linestyle": "none"}
STEPS = (
    ("1 a probe, to a random worker", SHORT),
    ("2 rejected, as a long task is there;", "#444444"),
    ("   back comes the worker's copy", "#444444"),
    ("   of the bit vector, and its age", "#444444"),
    ("3 again, to a random worker", SHORT),
    ("   whose bit is clear", SHORT),
)


def _x(worker):
    apart = 0.2 if worker >= SHORT_ONLY else 0.0
    return 0.3 + (worker + 0.5) * PITCH + apart


@functools.lru_cache(maxsize=64)
def pale(colour: str, share: float) -> str:
    """`share` of the colour, the rest white.

    >>> pale("#000000", 0.2)
    '#cccccc'
    """
    red, green, blue = (1 - share * (1 - level) for level in to_rgb(colour))
    return to_hex((red, green, blue))


def plot_overview() -> Figure:
    """Draw Eagle (Fig. 1, Section 3.3): its schedulers, its partitions, a probe rejected and sent again.

    >>> [text.get_text() for text in plot_overview().axes[0].texts if "scheduler" in text.get_text()]
    ['distributed scheduler', 'distributed scheduler', 'distributed scheduler', 'central scheduler']
    """
    figure, ax = style.canvas(8.6, 4.9)
    short, long = "short jobs only", "long jobs, and short ones where no long task is"
    for name, first, last, words in (
        ("short", 0, SHORT_ONLY, short),
        ("general", SHORT_ONLY, WORKERS, long),
    ):
        left = _x(first) - PITCH / 2 + 0.02
        right = _x(last - 1) + PITCH / 2 - 0.02
        style.rounded(ax, (left, 0.14), (right - left, 2.0), facecolor="#F0F0F0", edgecolor="none")
        look = {
            "ha": "center",
            "va": "bottom",
            "fontsize": 9,
            "style": "italic",
            "color": "#444444",
        }
        ax.text((left + right) / 2, 0.2, f"{name} partition: {words}", **look)
    for worker in range(WORKERS):
        x = _x(worker)
        tasks = TASKS.get(worker, 0)
        colour = LONG if worker in LONG_AT else SHORT
        for place in range(max(tasks, 1)):
            face = to_rgba(colour, 0.9 if place == 0 else 0.3) if tasks else "white"
            corner = (x - SLOT / 2, FLOOR + place * (SLOT + 0.05))
            edge = colour if tasks else "#888888"
            ax.add_patch(
                Rectangle(corner, SLOT, SLOT, linewidth=1.2, facecolor=face, edgecolor=edge)
            )
        ax.text(x, FLOOR - 0.06, worker, ha="center", va="top", fontsize=8.5, color="#444444")
    _schedulers(ax)
    _messages(ax)
    return figure


def _top(worker):
    """Where a message reaches a worker's queue."""
    slots = max(TASKS.get(worker, 0), 1)
    return _x(worker), FLOOR + slots * (SLOT + 0.05) + 0.02


def _schedulers(ax):
    for number in range(3):
        corner = 0.3 + number * 1.62, 3.95
        _scheduler(
            ax,
            corner,
            (1.5, 0.62),
            {4.35: "distributed scheduler", 4.12: "short jobs"},
            SHORT,
            0.14,
        )
    words = {4.43: "central scheduler", 4.2: "long jobs: least work left"}
    _scheduler(ax, (5.35, 3.62), (2.95, 0.95), words, LONG, 0.1)
    side, y = 0.25, 3.72
    for worker in range(WORKERS):
        x = 5.57 + worker * side
        bit = worker in LONG_AT
        look = {"facecolor": to_rgba(LONG, 0.35) if bit else "white", "edgecolor": "#666666"}
        ax.add_patch(Rectangle((x, y), side, side, linewidth=0.8, **look))
        ax.text(
            x + side / 2,
            y + side / 2 - 0.01,
            int(bit),
            ha="center",
            va="center",
            fontsize=8,
        )


def _scheduler(ax, corner, size, words, colour, tint):
    """A scheduler's box, with its name and its jobs, by height; the jobs in the box's colour."""
    style.rounded(
        ax, corner, size, facecolor=to_rgba(colour, tint), edgecolor=colour, linewidth=1.3
    )
    for (height, text), ink in zip(words.items(), ("black", INK[colour]), strict=True):
        ax.text(
            corner[0] + size[0] / 2, height, text, ha="center", va="center", fontsize=9, color=ink
        )


def _messages(ax):
    # the middle of the schedulers
    short = 0.3 + 1.62 + 0.75
    central = 5.35 + 2.95 / 2
    (x, y) = _top(4)
    _arrow(ax, (short - 0.15, 3.93), _top(3), SHORT, "3")
    _arrow(ax, (short + 0.3, 3.93), (x - 0.09, y), SHORT, "1")
    _arrow(ax, (x + 0.08, y), (short + 0.68, 3.93), "#444444", "2", "--")
    _arrow(ax, (central, 3.6), _top(9), LONG, "")
    for row, (words, colour) in enumerate(STEPS):
        ax.text(
            0.3, 3.55 - 0.2 * row, words, va="center", fontsize=9, color=INK.get(colour, colour)
        )
    words = "a long task; with it goes a copy\nof the bit vector and the time"
    ax.text(
        6.95, 2.75, words, ha="right", va="center", fontsize=9, color=INK[LONG], linespacing=1.2
    )


def _arrow(ax, start, end, colour, number, line="-"):
    look = {
        "arrowstyle": "-|>",
        "mutation_scale": 12,
        "linewidth": 1.4,
        "color": colour,
        "linestyle": line,
    }
    ax.add_patch(FancyArrowPatch(start, end, shrinkA=0, shrinkB=1, **look))
    if number:
        x = (start[0] + end[0]) / 2
        y = (start[1] + end[1]) / 2
        circle = {"boxstyle": "circle,pad=0.2", "facecolor": "white", "edgecolor": colour}
        look = {"ha": "center", "va": "center", "fontsize": 9, "zorder": 4, "bbox": circle}
        ax.text(x, y, number, color=INK.get(colour, colour), **look)


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
    style.end("until", until)
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
                [task.queued, task.start],
                [task.worker + 0.36] * 2,
                color=colour,
                linewidth=1.6,
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
