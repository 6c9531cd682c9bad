"""How a picture looks to colour-blind readers, and the contrast of its words."""

import itertools

import numpy as np
from matplotlib.backend_bases import RendererBase
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.colors import to_rgb, to_rgba
from matplotlib.lines import Line2D
from matplotlib.text import Text

from cases import CASES

EYES = CASES["seeing"]
TO_XYZ = np.array(
    [
        [0.4124564, 0.3575761, 0.1804375],
        [0.2126729, 0.7151522, 0.0721750],
        [0.0193339, 0.1191920, 0.9503041],
    ]
)
WHITE = np.array([0.95047, 1.0, 1.08883])
APART = 15.0
"""CIELAB distance from which two patches of colour count as different; some 2.3 can just be noticed side by side."""


def linear(color):
    channels = np.array(to_rgb(color))
    return np.where(channels <= 0.04045, channels / 12.92, ((channels + 0.055) / 1.055) ** 2.4)


def lab(light):
    """CIE 1976 L*a*b* of linear RGB."""
    ratio = TO_XYZ @ light / WHITE
    f = np.where(ratio > 216 / 24389, np.cbrt(ratio), (24389 / 27 * ratio + 16) / 116)
    return np.array([116 * f[1] - 16, 500 * (f[0] - f[1]), 200 * (f[1] - f[2])])


def distance(color, shade, eye):
    """How far apart two colours are to an eye; to each eye greys stay grey.

    >>> [round(distance("black", "white", eye)) for eye in EYES]
    [100, 100, 100, 100]
    >>> [round(distance("#D55E00", "#A86F00", eye)) for eye in ("all cones", "protanopia")]
    [29, 1]
    """
    light = [lab(np.clip(np.array(EYES[eye]) @ linear(seen), 0, 1)) for seen in (color, shade)]
    return float(np.linalg.norm(light[0] - light[1]))


def contrast(color, shade):
    """Contrast ratio of WCAG 2, from 1 to 21. WCAG's own example of the darkest grey that passes:

    >>> round(float(contrast("#767676", "white")), 2)
    4.54
    """
    dark, light = sorted([TO_XYZ[1] @ linear(color), TO_XYZ[1] @ linear(shade)])
    return (light + 0.05) / (dark + 0.05)


def alike(drawn):
    """Pairs of series of one axes, by their legend, that some eyes cannot tell apart: colours too close, and no other mark.

    Lines of close colours must differ in their dashes: markers are far between. Dots may differ in their markers, patches in their hatches.
    """
    pairs = []
    for ax in drawn.axes:
        handles, labels = ax.get_legend_handles_labels()
        series = zip(map(mark, handles), labels, strict=True)
        for (mine, label), (yours, other) in itertools.combinations(series, 2):
            (color, trait), (shade, rival) = mine, yours
            if label != other and trait == rival:
                nearest = min(distance(color, shade, eye) for eye in EYES)
                if nearest < APART:
                    pairs.append((label, other))
    return pairs


def mark(handle):
    """Colour on white, and what else tells a legend's entry from others: dashes of a line, else the marker, hatch of a patch."""
    if hasattr(handle, "lines"):  # an error bar
        handle = handle.lines[0] or handle.lines[2][0]
    if hasattr(handle, "patches"):  # bars
        handle = handle.patches[0]
    is_line = isinstance(handle, Line2D)
    paint = handle.get_color() if is_line else handle.get_facecolor()
    if not len(paint):  # lines of a collection
        paint = handle.get_edgecolor()
    color = paint if isinstance(paint, str) else np.atleast_2d(paint)[0]
    *rgb, alpha = to_rgba(color)
    alpha = alpha if handle.get_alpha() is None else handle.get_alpha()
    if is_line and handle.get_linestyle() not in ("None", "none", "", " "):
        trait = dashes(handle)
    else:
        trait = handle.get_marker() if is_line else handle.get_hatch()
    return [alpha * channel + 1 - alpha for channel in rgb], str(trait)


class DashReader(RendererBase):
    """Draws nothing, and keeps the dashes that it is asked to draw a line with."""

    def draw_path(self, gc, path, transform, rgbFace=None):
        self.dashes = gc.get_dashes()


def dashes(line):
    """A line's dashes in line widths: `get_linestyle` gives "--" for every custom pattern."""
    like, reader = Line2D([0, 1], [0, 1]), DashReader()
    like.update_from(line)
    like.set(marker="", linewidth=1)
    like.draw(reader)
    return reader.dashes


def faint(drawn):
    """Words of a figure whose contrast with what is behind them is less than 4.5."""
    canvas = FigureCanvasAgg(drawn)
    canvas.draw()
    words = [text for text in drawn.findobj(Text) if text.get_visible() and text.get_text().strip()]
    boxes = [text.get_window_extent() for text in words]
    drawn.set_layout_engine("none")  # which would move the axes once their words are gone
    for text in words:
        text.set_visible(False)
    canvas.draw()
    pixels = np.asarray(canvas.buffer_rgba())[::-1, :, :3] / 255
    weak = []
    for text, box in zip(words, boxes, strict=True):
        left, right, low, high = (max(int(end), 0) for end in (box.x0, box.x1, box.y0, box.y1))
        behind = pixels[low : high + 1, left : right + 1].reshape(-1, 3)
        if len(behind):
            color = text.get_color()
            ratio = contrast(color, np.median(behind, axis=0))
            if ratio < 4.5:
                weak.append((text.get_text(), color, round(ratio, 2)))
    return weak
