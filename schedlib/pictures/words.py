"""Words for a picture: what a chart shows, read from the chart itself, for those who cannot see it."""

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

MOST_SERIES, MOST_WORDS = 10, 30


class Described(Figure):
    """A figure that a notebook shows with alt text: `alt` when it was set, else what `describe` reads from the axes."""

    alt: str | None = None

    def _repr_mimebundle_(self, include=None, exclude=None):
        return {}, {"image/png": {"alt": self.alt or describe(self)}}


def describe(figure: Figure) -> str:
    """A figure's titles, axes and series in a few sentences; each labelled line with its first and last value.

    >>> figure = Described()
    >>> ax = figure.subplots()
    >>> _ = ax.set(xlabel="load", ylabel="wait (s)")
    >>> _ = ax.plot([0.5, 0.9], [1.0, 9.0], label="FIFO")
    >>> describe(figure)
    'Chart of wait (s) against load from 0.5 to 0.9: FIFO from 1 to 9.'
    """
    shown = [ax for ax in figure.axes if ax.get_visible() and ax.get_label() != "<colorbar>"]
    words = [figure.get_suptitle(), *(axes_said(figure, ax) for ax in shown)]
    return " ".join(_sentence(text) for text in words if text)


def axes_said(figure: Figure, ax: Axes) -> str:
    """One axes in a sentence: a chart by its labels and series, a diagram by the words in it."""
    title = f"{_plain(ax.get_title())}: " if ax.get_title() else ""
    if not ax.axison:
        words = [text for text in (_plain(text.get_text()) for text in ax.texts) if text]
        return f"{title}diagram of {'; '.join(dict.fromkeys(words[:MOST_WORDS]))}" if words else title.rstrip(": ")
    x, y = (_plain(getattr(ax, f"get_{name}label")() or getattr(figure, f"get_sup{name}label")() or _shared(ax, name)) for name in "xy")
    low, high = sorted(ax.get_xlim())
    series = [_series(*pair) for pair in zip(*ax.get_legend_handles_labels(), strict=True)]
    lines = [line.get_xdata() for line in ax.lines if np.size(line.get_xdata()) > 1 and line.get_transform() == ax.transData]
    if lines:
        low, high = min(map(_least, lines)), max(map(_most, lines))
    span = f" from {low:.4g} to {high:.4g}" if np.isfinite([low, high]).all() else ""
    named = f": {'; '.join(dict.fromkeys(series[:MOST_SERIES]))}" if series else ""
    y, x = y or _ticks(ax.get_yticklabels()) or "values", x or _ticks(ax.get_xticklabels()) or "position"
    return f"{title}{'chart' if title else 'Chart'} of {y} against {x}{span}{named}"


def _ticks(labels) -> str:
    """The names along an axis without a label; numbers name nothing."""
    words = [text for label in labels if (text := _plain(label.get_text())) and text.strip("-−.,0123456789e %")]
    return ", ".join(dict.fromkeys(words))


def _least(values) -> float:
    return float(np.nanmin(np.asarray(values, float)))


def _most(values) -> float:
    return float(np.nanmax(np.asarray(values, float)))


def _series(handle, label: str) -> str:
    label = _plain(label)
    if isinstance(handle, Line2D):
        values = np.asarray(handle.get_ydata(), dtype=float)
        values = values[np.isfinite(values)]
        if len(values) > 1 and values[0] != values[-1]:
            return f"{label} from {values[0]:.3g} to {values[-1]:.3g}"
        if len(values):
            return f"{label} {values[-1]:.3g}"
    return label


def _shared(ax: Axes, letter: str) -> str:
    """The label that axes with the same scale have, when this one has none."""
    others = getattr(ax, f"get_shared_{letter}_axes")().get_siblings(ax)
    return next((text for other in others if (text := getattr(other, f"get_{letter}label")())), "")


def _plain(text: str) -> str:
    return " ".join(text.replace("$", "").replace("\\", "").split())


def _sentence(text: str) -> str:
    text = _plain(text)
    return text[:1].upper() + text[1:] + ("" if text.endswith((".", "!", "?")) else ".")
