"""A drawn figure once more, for a phone: as wide as its screen, panels below one another, legends below all.

The site shows these pictures on narrow screens: those of `figures`, and those that chapters keep from where they were run.
"""

import base64
import io
import itertools
import pickle
import re
import textwrap
from typing import Any

import numpy as np
from IPython import get_ipython
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.gridspec import GridSpec
from matplotlib.legend import Legend
from matplotlib.text import Text
from PIL import Image

WIDTH, DOTS = 3.6, 200  # inches, and dots an inch: a phone of 390 pixels has 358 for a picture
SMALLEST, LARGEST = 8.0, 9.5  # points of letters: 8 are 11 of these pixels
LINE, NAME = 40, 30  # letters of a line above or below a panel, and of a tick's name beside it
PANEL = 2.1  # inches of height, at least, of what was one of several panels in a row
NAMED = 0.13  # inches of height of a line of ticks' names
HIGHEST = 24.0  # inches of the whole, three screens
KIND = "application/vnd.schedlib.narrow+webp"  # in a notebook, so that JupyterLab and slides show the other picture
FORMULA = re.compile(r"\$[^$]*\$")
WORD = re.compile(r"(?<![\\a-z])[a-z]{3}")  # in a tick's name, and no command of a formula


def lay_out(figure: Figure) -> bool:
    """Lay a figure out again, in place, for a phone. False where this cannot be done: a drawing without panels, or
    one whose words would lie on each other.

    >>> from schedlib.plots import style
    >>> figure, axes = style.subplots(1, 3, size=(9, 3))
    >>> lay_out(figure), float(figure.get_figwidth())
    (True, 3.6)
    >>> bool(axes[0].get_position().y0 > axes[1].get_position().y1)
    True
    """
    panels = [ax for ax in figure.axes if ax.get_label() != "<colorbar>"]
    if not panels or not all(ax.get_subplotspec() for ax in panels):
        return False
    if panels[0].get_position().bounds == (0, 0, 1, 1):
        return False
    figure.set_layout_engine("constrained")
    FigureCanvasAgg(figure)  # on a canvas for SVG there are 72 dots an inch
    figure.set_dpi(DOTS)
    grid: Any = panels[0].get_gridspec()
    parts = grid.get_height_ratios()
    several = grid.ncols > 1
    if several:
        panels = _in_order(panels)
    broad, whole = figure.get_size_inches()
    heights = []
    for ax in panels:
        rows = parts[slice(*_span(ax))]
        high = whole * sum(rows) / sum(parts)
        if ax.get_aspect() == 1 and not ax.axison:  # a drawing becomes smaller as a whole
            high *= min(1, WIDTH * grid.ncols / broad)
        elif several:
            high = max(high, PANEL * sum(rows) / max(parts))
        heights.append(max(high, NAMED * _wrap(ax, int(13 * high))))
    stack: Any = GridSpec(len(panels), 1, figure=figure, height_ratios=heights)
    for ax, place in zip(panels, stack, strict=True):
        ax.set_in_layout(True)
        ax.set_subplotspec(place)
    height = sum(heights) + _legend_below(figure, several)
    if _bars_below(figure, panels):
        height += 0.5
    figure.set_size_inches(WIDTH, height)
    for text in figure.findobj(Text):
        inside = text.axes is not None and not text.axes.axison
        size = np.clip(text.get_fontsize(), SMALLEST, LARGEST)
        text.set_fontsize(SMALLEST if inside else size)
    clear = height < HIGHEST and _is_clear(figure, panels)
    figure.set_layout_engine("none")  # else `picture` lays out twice more
    return clear


def picture(figure: Figure) -> bytes:
    """A figure as a WebP file, which is smaller than a PNG file."""
    canvas = FigureCanvasAgg(figure)
    canvas.draw()
    small = io.BytesIO()
    few = Image.fromarray(np.asarray(canvas.buffer_rgba())).convert("RGB").quantize(128)  # colours
    few.save(small, "webp", lossless=True, method=6)
    return small.getvalue()


def keep() -> None:
    """Keep the pictures for phones beside those that this notebook shows from now on."""
    formatter = get_ipython().display_formatter.mimebundle_formatter
    formatter.for_type_by_name("schedlib.plots.words", "Described", bundle)


def bundle(figure: Any, **options: Any) -> tuple[dict[str, str], dict[str, Any]]:
    """What a notebook keeps of a figure beside its PNG file: its words, and the picture for a phone where there is one."""
    data, metadata = figure._repr_mimebundle_()
    again = pickle.loads(pickle.dumps(figure))
    if lay_out(again):
        data[KIND] = base64.b64encode(picture(again)).decode()
    return data, metadata


def _span(ax: Any) -> tuple[int, int]:
    """The first of a panel's rows in the grid, and the one after its last."""
    rows = ax.get_subplotspec().rowspan
    return rows.start, rows.stop


def _in_order(panels: list[Any]) -> list[Any]:
    """The panels of a grid from top to bottom: column by column where a column has one title, else row by row.
    Each gets the words that the first of its row or the last of its column has for all."""
    columns = {ax: ax.get_subplotspec().colspan.start for ax in panels}
    titled = {_span(ax)[0] for ax in panels if ax.get_title()}
    by_column = len(titled) == 1
    first = {_span(ax)[0]: ax for ax in panels if columns[ax] == 0}
    last = {columns[ax]: ax.get_xlabel() for ax in panels if ax.get_xlabel()}
    for ax in panels:
        left = first.get(_span(ax)[0], ax)
        named = any(WORD.search(label.get_text()) for label in ax.get_yticklabels())
        if not named or ax.get_shared_y_axes().joined(ax, left):
            ax.set_ylabel(ax.get_ylabel() or left.get_ylabel())
        ax.tick_params(labelleft=True)
        if not by_column:
            ax.set_xlabel(ax.get_xlabel() or last.get(columns[ax], ""))
            ax.tick_params(labelbottom=True)
    if by_column:
        return sorted(panels, key=lambda ax: (columns[ax], _span(ax)))
    return sorted(panels, key=lambda ax: (_span(ax), columns[ax]))


def _wrap(ax: Axes, high: int) -> int:
    """Break a panel's long words into lines, of `high` letters beside it; gives the lines that its ticks' names take there."""
    rooms = ((ax.title, LINE), (ax.xaxis.label, LINE), (ax.yaxis.label, high))
    for text, room in rooms:
        text.set_text(_wrapped(text.get_text(), room))
    names = [label.get_text() for label in ax.get_yticklabels()]
    if max(map(len, names), default=0) <= NAME:
        return 0
    broken = [_wrapped(name, NAME) for name in names]
    ax.set_yticks(ax.get_yticks(), broken)
    return len(names) * max(name.count("\n") + 1 for name in broken)


def _wrapped(text: str, room: int) -> str:
    """Words in lines of so many letters; a formula stays whole."""
    whole = FORMULA.sub(lambda found: found[0].replace(" ", "\0"), " ".join(text.split()))
    return textwrap.fill(whole, max(room, 12)).replace("\0", " ")


def _legend_below(figure: Any, several: bool) -> float:
    """Put what legends name below the figure; gives the inches that it takes. A legend in one of several panels stays."""
    legends = [*figure.legends]
    if not several:
        legends += [ax.get_legend() for ax in figure.axes]
    entries: dict[str, Any] = {}
    for legend in filter(None, legends):
        for handle, text in zip(legend.legend_handles, legend.get_texts(), strict=True):
            entries.setdefault(_wrapped(text.get_text(), LINE), handle)
        legend.remove()
    if not entries:
        return 0.0
    longest = max(map(len, entries))
    columns = 3 if longest < 11 else 2 if longest < 22 else 1
    figure.legend(
        [*entries.values()],
        [*entries],
        fontsize=9,
        handlelength=2.2,
        loc="outside lower center",
        ncols=columns,
    )
    return 0.2 * -(-len(entries) // columns)


def _bars_below(figure: Any, panels: list[Any]) -> int:
    """Put the bars of colours below all panels; gives how many there are."""
    shown = [image for ax in panels for image in (*ax.images, *ax.collections) if image.colorbar]
    for image in shown:
        bar = image.colorbar
        words = " ".join(bar.ax.get_ylabel().split())
        ticks = bar.get_ticks()
        bar.remove()
        figure.colorbar(image, ax=panels, ticks=ticks, label=words, location="bottom", aspect=30)
    return len(shown)


def _is_clear(figure: Figure, panels: list[Any]) -> bool:
    """Whether no words are cut, and none lie on others. Names of ticks below a panel are turned first."""
    figure.draw_without_rendering()
    crowded = [ax for ax in panels if ax.axison and _cross(_ticks(ax))]
    for ax in crowded:
        ax.tick_params("x", labelrotation=90)
    if crowded:
        figure.draw_without_rendering()
    words: list[Text] = [*figure.texts]
    for ax in panels:
        words += [ax.title, ax.xaxis.label, ax.yaxis.label, *ax.texts]
    for legend in figure.findobj(Legend):
        words += [legend.get_title(), *legend.get_texts()]
    frame = figure.bbox.padded(1)
    for text in words:
        box = text.get_window_extent()
        if text.get_text() and frame.count_contains(box.get_points()) < 2:
            return False
    if any(_cross(_ticks(ax) if ax.axison else ax.texts) for ax in panels):
        return False
    boxes = [box.get_window_extent() for ax in panels if not ax.axison for box in ax.patches]
    return all(_fits(text.get_window_extent(), boxes) for text in words)


def _ticks(ax: Any) -> list[Text]:
    """The names of the ticks of a panel."""
    names = []
    for axis, along in ((ax.xaxis, 0), (ax.yaxis, 1)):
        low, high = sorted(axis.get_view_interval())
        labels = axis.get_ticklabels()
        names += [name for name in labels if low <= name.get_position()[along] <= high]
    return names


def _fits(word: Any, boxes: list[Any]) -> bool:
    """Whether a word is as wide as a box that it stands in, at most, if it stands in any."""
    middle = (word.x0 + word.x1) / 2, (word.y0 + word.y1) / 2
    around = [box.width for box in boxes if box.contains(*middle)]
    return not around or word.width <= max(around)


def _cross(words: list[Text]) -> bool:
    """Whether two of these words lie on each other, by more than a dot."""
    boxes = [text.get_window_extent().padded(-1) for text in words if text.get_text()]
    return any(one.overlaps(other) for one, other in itertools.combinations(boxes, 2))
