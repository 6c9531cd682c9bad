"""Boxes and arrows on a grid, for the diagrams among the LoTES figures."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
from matplotlib.colors import to_rgba
from matplotlib.figure import Figure
from matplotlib.patches import FancyArrowPatch

from schedlib.core.checks import typed
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


@typed
def plot_diagram(
    boxes: Mapping[str, Box],
    arrows: Sequence[Arrow],
    groups: Mapping[str, Sequence[str]] | None = None,
    *,
    cell: tuple[float, float] = (2.6, 1.4),
    box: tuple[float, float] = (1.5, 0.8),
) -> Figure:
    """Draw boxes on a grid, arrows between them, and a shade with a title behind each group of boxes.

    `cell` and `box`: width and height in inches of a cell of the grid and of the box in it. Two arrows back
    and forth keep clear of each other.

    >>> figure = plot_diagram({"a": Box(0, 0, "A"), "b": Box(1, 0, "B")}, [Arrow("a", "b", "then")])
    >>> figure.axes[0].texts[-1].get_text()
    'then'
    """
    groups = groups or {}
    if not boxes or not all(isinstance(b, Box) for b in boxes.values()):
        raise ValueError("boxes: needs a Box for each name, and at least one")
    for arrow in arrows:
        if not isinstance(arrow, Arrow) or not {*arrow[:2]} <= set(boxes):
            raise ValueError(f"arrows: {arrow!r:.60}; needs Arrows between names of boxes")
    for title, names in groups.items():
        if not isinstance(names, Sequence) or not names or not set(names) <= set(boxes):
            raise ValueError(f"groups: {title!r}: {names!r:.60}; needs a list of names of boxes")
    rows = 1 + max(b.row for b in boxes.values())
    columns = 1 + max(b.column for b in boxes.values())
    wide, high = cell
    height = high * rows
    figure, ax = style.canvas(wide * columns, height)
    centre = {}
    for name, b in boxes.items():
        x = wide * (b.column + 0.5)
        y = height - high * (b.row + 0.5)
        centre[name] = np.array([x, y])
    reach = np.array(box) / 2 + MARGIN
    for title, names in groups.items():
        centres = np.array([centre[name] for name in names])
        corner = centres.min(axis=0) - reach
        opposite = centres.max(axis=0) + reach + (0, TITLE)
        style.rounded(
            ax, corner, opposite - corner, 0.1, facecolor="#F0F0F0", edgecolor="none", zorder=0
        )
        ax.text(
            corner[0] + 0.08,
            opposite[1] - 0.05,
            title,
            va="top",
            color="#444444",
            fontsize=9,
            style="italic",
        )
    patches = {name: _box(ax, b, centre[name], box) for name, b in boxes.items()}
    pairs = {arrow[:2] for arrow in arrows}
    for arrow in arrows:
        _arrow(ax, arrow, centre, patches, box, back=(arrow.target, arrow.source) in pairs)
    return figure


def _box(ax, box, centre, size):
    low = centre - np.array(size) / 2
    x, y = centre
    style.rounded(ax, low, size, facecolor="white", edgecolor="none")
    bold = {"ha": "center", "fontsize": 9.5, "fontweight": "bold"}
    if box.text:
        top = y + size[1] / 2 - 0.08
        ax.text(x, top, box.title, va="top", **bold)
    else:
        ax.text(x, y, box.title, va="center", **bold)
    ax.text(x, y - 0.1, box.text, ha="center", va="center", fontsize=9, linespacing=1.25)
    pale = to_rgba(box.colour, 0.14)
    return style.rounded(ax, low, size, facecolor=pale, edgecolor=box.colour, linewidth=1.3)


def _arrow(ax, arrow, centre, patches, box, back):
    a = centre[arrow.source]
    b = centre[arrow.target]
    way = b - a
    along = way / np.linalg.norm(way)
    left = np.array([-along[1], along[0]])
    shift = APART * left * back
    middle = (a + b) / 2 + shift
    level = abs(along[1]) < 1e-9
    upright = abs(along[0]) < 1e-9
    if level or upright:  # the arrow goes between the facing sides
        reach = along * (box[0] if level else box[1]) / 2
        ends = a + reach + shift, b - reach + shift
        clip = {"shrinkA": 1, "shrinkB": 1}
    else:
        ends = a + shift, b + shift
        clip = {"patchA": patches[arrow.source], "patchB": patches[arrow.target]}
    look = {"arrowstyle": "-|>", "mutation_scale": 13, "color": "#333333", "linewidth": 1.3}
    ax.add_patch(FancyArrowPatch(*ends, **clip, **look))
    if level:
        above = left[1] > 0 or not back
        place = {"ha": "center", "va": "bottom" if above else "top"}
        middle += (0, 0.05 if above else -0.05)
    elif upright:
        place = {"ha": "left", "va": "center"}
        middle += (APART / 2, 0)
    else:
        side = left if left[1] > 0 else -left
        place = {"ha": "right" if side[0] < 0 else "left", "va": "bottom"}
        middle += 0.06 * side
    ax.text(*middle, arrow.text, fontsize=9, linespacing=1.2, **place)
