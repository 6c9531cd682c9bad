"""Fig. 1 of Eagle's paper as a drawing."""

from matplotlib.colors import to_rgba
from matplotlib.figure import Figure
from matplotlib.patches import FancyArrowPatch, Rectangle

from schedlib.plots import style

# colours of short and of long jobs
SHORT = style.BLUE
LONG = style.VERMILLION
# the same for words, dark enough to be read on a tinted box
INK = {SHORT: "#005A8C", LONG: "#9E4600"}
SHORT_ONLY, WORKERS = 3, 10
# inches from worker to worker, a slot's side, where the lowest stands
PITCH, SLOT, FLOOR = (0.8, 0.34, 0.62)
LONG_AT = {4: 1, 6: 2, 7: 1, 9: 2}  # long tasks in the picture, by worker
TASKS = LONG_AT | {0: 2, 1: 1, 2: 3, 3: 1, 8: 2}  # and short ones; no worker has both
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


def plot_overview() -> Figure:
    """Draw Eagle (Fig. 1, Section 3.3): its schedulers, its partitions, a probe rejected and sent again.

    >>> [text.get_text() for text in plot_overview().axes[0].texts if "scheduler" in text.get_text()]
    ['distributed scheduler', 'distributed scheduler', 'distributed scheduler', 'central scheduler']
    """
    figure, ax = style.canvas(8.6, 4.9)
    for first, last, words in (
        (0, SHORT_ONLY, "short partition: short jobs only"),
        (SHORT_ONLY, WORKERS, "general partition: long jobs, and short ones where no long task is"),
    ):
        left = _x(first) - PITCH / 2 + 0.02
        right = _x(last - 1) + PITCH / 2 - 0.02
        style.rounded(ax, (left, 0.14), (right - left, 2.0), facecolor="#F0F0F0", edgecolor="none")
        look = {"ha": "center", "va": "bottom", "fontsize": 9, "style": "italic"}
        ax.text((left + right) / 2, 0.2, words, color="#444444", **look)
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
        ax.text(x + side / 2, y + side / 2 - 0.01, int(bit), ha="center", va="center", fontsize=8)


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
