"""Where a picture may be cut, so that a phone shows its panels one below the other."""

import base64
import io

import numpy as np
from PIL import Image

WHITE = 250  # of 255: what is lighter is background
GAP = 0.007  # of the width: narrower gaps part letters, not panels
# of the width: what is narrower is an axis' label, and goes with the panel to its right
PANEL = 0.14
ALIKE = 0.4  # narrowest panel over widest: beside a far broader panel one often has no labels of its own
AXES = 0.6, 0.2  # of a panel's width and of the height: a chart has lines that are as long
MIDDLE = 0.35, 0.65  # of the height: here panels are looked for, as legends stand above or below


def pieces(png: str) -> list[tuple[int, int, int, int]]:
    """Left, top, right and bottom of a picture's pieces in thousandths of its sides: what stands above all panels, panels, what stands below.

    Nothing for a picture of one panel. `png` is the picture in base64, as a notebook has it.
    """
    ink = np.asarray(Image.open(io.BytesIO(base64.b64decode(png))).convert("L")) < WHITE
    height, width = ink.shape
    band = ink[int(MIDDLE[0] * height) : int(MIDDLE[1] * height)]
    panels = _groups(_runs(band.any(axis=0), GAP * width), PANEL * width)
    widths = [end - start for start, end in panels]
    if len(panels) < 2 or min(widths) < ALIKE * max(widths):
        return []
    if not all(_is_chart(ink[:, slice(*panel)]) for panel in panels):
        return []
    cuts = [
        _emptiest(ink, one[1], other[0]) for one, other in zip(panels[:-1], panels[1:], strict=True)
    ]
    crossing = ink[:, cuts].any(axis=1)
    blank = ~ink.any(axis=1)
    above = np.flatnonzero(crossing[: height // 2])
    below = np.flatnonzero(crossing[height // 2 :])
    top = _next(blank, above[-1], 1) if len(above) else 0
    bottom = _next(blank, height // 2 + below[0], -1) if len(below) else height
    found = []
    if top:
        found.append((*_columns(ink[:top]), 0, top))
    for left, right in zip([0, *cuts], [*cuts, width], strict=True):
        found.append((left, right, top, bottom))
    if bottom < height:
        found.append((*_columns(ink[bottom:]), bottom, height))
    sides = np.array([width, width, height, height])
    shares = (1000 * np.array(found) / sides).round().astype(int)[:, [0, 2, 1, 3]]
    return [tuple(piece) for piece in shares.tolist()]


def classes(png: str) -> str:
    """The pieces as classes of an `<img>`, which the page's script reads."""
    return " ".join("piece-" + "-".join(map(str, piece)) for piece in pieces(png))


def _is_chart(ink):
    """Whether a panel has an axis, which a diagram has not."""
    height, width = ink.shape
    return _longest(ink) >= AXES[0] * width and _longest(ink.T) >= AXES[1] * height


def _longest(ink):
    """The most ink in a row without a break."""
    edges = np.diff(np.pad(ink, ((0, 0), (1, 1))).astype(int), axis=1)
    starts, ends = np.argwhere(edges == 1), np.argwhere(edges == -1)
    return (ends[:, 1] - starts[:, 1]).max(initial=0)


def _runs(filled, gap):
    """First and last position of what is filled; runs nearer than the gap are one."""
    edges = np.flatnonzero(np.diff(np.r_[False, filled, False].astype(int)))
    runs: list[list[int]] = []
    for start, end in edges.reshape(-1, 2).tolist():
        if runs and start - runs[-1][1] < gap:
            runs[-1][1] = end
        else:
            runs.append([start, end])
    return runs


def _groups(runs, least):
    """Runs of at least this width, each with the narrow ones to its left; the last has those to its right, too."""
    groups, waiting = [], None
    for start, end in runs:
        waiting = start if waiting is None else waiting
        if end - start >= least:
            groups.append([waiting, end])
            waiting = None
    if waiting is not None and groups:
        groups[-1][1] = runs[-1][1]
    return groups


def _emptiest(ink, start, end):
    """The column between two panels with the least ink, as near to the middle as can be."""
    columns = np.arange(start, end)
    far = np.abs(columns - (start + end) / 2) / (end - start)
    return int(columns[np.argmin(ink[:, start:end].sum(axis=0) + far)])


def _next(blank, row, step):
    """The nearest blank row from this one on, or the one after this where there is none before the middle."""
    rows = range(row, len(blank) // 2, step)
    return next((each for each in rows if blank[each]), row + step)


def _columns(ink):
    """The columns with ink, and a little more."""
    filled = np.flatnonzero(ink.any(axis=0))
    return max(filled[0] - 8, 0), min(filled[-1] + 8, ink.shape[1])
