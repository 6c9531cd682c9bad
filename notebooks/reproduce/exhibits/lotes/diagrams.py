"""Boxes and arrows on a grid, and jobs as blocks over time, for the LoTES figures."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from matplotlib.axes import Axes
from matplotlib.collections import PolyCollection
from matplotlib.colors import to_rgba
from matplotlib.figure import Figure
from matplotlib.patches import FancyArrowPatch

from schedlib.plots import style

APART = 0.16  # half the distance in inches between an arrow and the one that goes back
MARGIN, TITLE = 0.12, 0.2  # inches around the boxes of a group, and for its title above them


class Box(NamedTuple):
    """A box at a column and a row of the grid (fractions are allowed): a bold title above lines of text."""

    column: float
    row: float
    title: str
    text: str = ""
    colour: str = style.BLUE


class Arrow(NamedTuple):
    """An arrow between two boxes, by name, with a label."""

    source: str
    target: str
    text: str = ""


def plot_diagram(
    boxes: Mapping[str, Box],
    arrows: Sequence[Arrow],
    groups: Mapping[str, Sequence[str]],
    *,
    cell: tuple[float, float],
    box: tuple[float, float],
) -> Figure:
    """Draw boxes on a grid, arrows between them, and a shade with a title behind each group of boxes.

    `cell` and `box`: width and height in inches of a cell of the grid and of the box in it. Two arrows back
    and forth keep clear of each other.

    >>> boxes = {"a": Box(0, 0, "A"), "b": Box(1, 0, "B")}
    >>> figure = plot_diagram(boxes, [Arrow("a", "b", "then")], {}, cell=(2.6, 1.4), box=(1.5, 0.8))
    >>> figure.axes[0].texts[-1].get_text()
    'then'
    """
    wide, high = cell
    height = high * (1 + max(place.row for place in boxes.values()))
    figure, ax = style.canvas(wide * (1 + max(place.column for place in boxes.values())), height)
    centre = {
        name: np.array([wide * (place.column + 0.5), height - high * (place.row + 0.5)])
        for name, place in boxes.items()
    }
    for title, names in groups.items():
        _shade(ax, np.array([centre[name] for name in names]), np.array(box) / 2 + MARGIN, title)
    patches = {name: _box(ax, place, centre[name], box) for name, place in boxes.items()}
    pairs = {arrow[:2] for arrow in arrows}
    for arrow in arrows:
        ends = centre[arrow.source], centre[arrow.target]
        clip = patches[arrow.source], patches[arrow.target]
        _arrow(ax, arrow.text, ends, clip, box, back=arrow[1::-1] in pairs)
    return figure


def _shade(ax, centres, reach, title):
    """A grey box behind the boxes at these centres (n, 2), which reach this far around them."""
    low, high = centres.min(axis=0) - reach, centres.max(axis=0) + reach + (0, TITLE)
    style.rounded(ax, low, high - low, 0.1, facecolor="#F0F0F0", edgecolor="none", zorder=0)
    look = {"va": "top", "color": "#444444", "fontsize": 9, "style": "italic"}
    ax.text(low[0] + 0.08, high[1] - 0.05, title, **look)


def _box(ax, box, centre, size):
    """A box of this size with its title and text; gives its patch."""
    low = centre - np.array(size) / 2
    x, y = centre
    style.rounded(ax, low, size, facecolor="white", edgecolor="none")
    top, va = (y + size[1] / 2 - 0.08, "top") if box.text else (y, "center")
    ax.text(x, top, box.title, ha="center", va=va, fontsize=9.5, fontweight="bold")
    ax.text(x, y - 0.1, box.text, ha="center", va="center", fontsize=9, linespacing=1.25)
    pale = to_rgba(box.colour, 0.14)
    return style.rounded(ax, low, size, facecolor=pale, edgecolor=box.colour, linewidth=1.3)


def _arrow(ax, text, ends, clip, box, back):
    """An arrow between two centres with its text; `back`: another arrow goes the other way, so both step aside."""
    a, b = ends
    along = (b - a) / np.linalg.norm(b - a)
    left = np.array([-along[1], along[0]])
    shift = APART * left * back
    middle = (a + b) / 2 + shift
    slanted = np.abs(along).min() > 1e-9
    if slanted:
        where = {"patchA": clip[0], "patchB": clip[1]}
        reach = np.zeros(2)
        side = left if left[1] > 0 else -left
        middle += 0.06 * side
        place = {"ha": "right" if side[0] < 0 else "left", "va": "bottom"}
    else:  # between the facing sides
        where = {"shrinkA": 1, "shrinkB": 1}
        reach = along * np.array(box) / 2
        if abs(along[0]) > 0.5:
            above = left[1] > 0 or not back
            middle += (0, 0.05 if above else -0.05)
            place = {"ha": "center", "va": "bottom" if above else "top"}
        else:
            middle += (APART / 2, 0)
            place = {"ha": "left", "va": "center"}
    look = {"arrowstyle": "-|>", "mutation_scale": 13, "color": "#333333", "linewidth": 1.3}
    ax.add_patch(FancyArrowPatch(a + reach + shift, b - reach + shift, **where, **look))
    ax.text(*middle, text, fontsize=9, linespacing=1.2, **place)


def draw_blocks(
    ax: Axes,
    start: Collection[float],
    finish: Collection[float],
    height: Iterable[int],
    lanes: int,
    colours: Iterable[Any],
    names: Iterable[Any],
) -> None:
    """Draw each job, in order of start, as a block over time on the lowest free lanes, with its name.

    A job takes `height` whole lanes of `lanes`; where they are not neighbours, it is drawn in pieces.
    """
    until = np.full(lanes, -np.inf)
    for s, f, h, colour, name in zip(start, finish, height, colours, names, strict=True):
        free = np.flatnonzero(until <= s)[:h]
        until[free] = f
        gaps = np.flatnonzero(np.diff(free) > 1)
        boxes = []
        for piece in np.split(free, gaps + 1):
            low = piece[0]
            high = piece[-1] + 1
            boxes.append([(s, low), (f, low), (f, high), (s, high)])
        pale = to_rgba(colour, 0.4)
        ax.add_collection(PolyCollection(boxes, facecolors=pale, edgecolors=colour, linewidths=1.2))
        middle = (s + f) / 2
        look: dict[str, Any] = {"fontweight": "bold", "fontsize": 9}
        ax.text(middle, free.mean() + 0.5, name, ha="center", va="center", **look)
