"""Words for a picture: what a chart shows, read from the chart itself, for those who cannot see it."""

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

MOST_SERIES, MOST_WORDS = 10, 30


class Described(Figure):
    """A figure that a notebook shows with alt text: `alt`, or else what `describe` reads from the axes."""

    alt: str | None = None

    def _repr_mimebundle_(self, include=None, exclude=None):
        return {}, {"image/png": {"alt": self.alt or describe(self)}}


def describe(figure: Figure) -> str:
    """A figure's titles, axes and series in a few sentences; labelled lines with their first and last values.

    >>> figure = Described()
    >>> ax = figure.subplots()
    >>> _ = ax.set(xlabel="load", ylabel="wait (s)")
    >>> _ = ax.plot([0.5, 0.9], [1.0, 9.0], label="FIFO")
    >>> describe(figure)
    'Chart of wait (s) against load from 0.5 to 0.9: FIFO from 1 to 9.'
    """
    shown = [ax for ax in figure.axes if ax.get_visible() and ax.get_label() != "<colorbar>"]
    words = [figure.get_suptitle(), *(axes_in_words(figure, ax) for ax in shown)]
    return " ".join(_sentence(text) for text in words if text)


def axes_in_words(figure: Figure, ax: Axes) -> str:
    """One axes in a sentence: a chart by its labels and series, a diagram by the words in it."""
    title = f"{_plain(ax.get_title())}: " if ax.get_title() else ""
    if not ax.axison:
        words = list(filter(None, (_plain(text.get_text()) for text in ax.texts)))
        inside = "; ".join(dict.fromkeys(words[:MOST_WORDS]))
        return f"{title}diagram of {inside}" if words else title.rstrip(": ")
    x, y = _label(figure, ax, "x"), _label(figure, ax, "y")
    low, high = sorted(ax.get_xlim())
    series = [_series(*pair) for pair in zip(*ax.get_legend_handles_labels(), strict=True)]
    lines = [line.get_xdata() for line in ax.lines if line.get_transform() == ax.transData]
    if lines := [np.asarray(values, float) for values in lines if np.size(values) > 1]:
        low, high = min(map(np.nanmin, lines)), max(map(np.nanmax, lines))
    span = f" from {low:.4g} to {high:.4g}" if np.isfinite([low, high]).all() else ""
    named = f": {'; '.join(dict.fromkeys(series[:MOST_SERIES]))}" if series else ""
    y, x = y or _ticks(ax.get_yticklabels()) or "values", x or _ticks(ax.get_xticklabels()) or "position"
    return f"{title}{'chart' if title else 'Chart'} of {y} against {x}{span}{named}"


def _ticks(labels) -> str:
    """The names along an axis without a label; numbers name nothing."""
    words = dict.fromkeys(_plain(label.get_text()) for label in labels)
    return ", ".join(text for text in words if text.strip("-−.,0123456789e %"))


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


def _label(figure: Figure, ax: Axes, letter: str) -> str:
    """The label of an axis: its own, the figure's, or that of axes with the same scale."""
    others = getattr(ax, f"get_shared_{letter}_axes")().get_siblings(ax)
    labels = (getattr(other, f"get_{letter}label")() for other in others)
    own = getattr(ax, f"get_{letter}label")() or getattr(figure, f"get_sup{letter}label")()
    return _plain(own or next(filter(None, labels), ""))


def _plain(text: str) -> str:
    return " ".join(text.replace("$", "").replace("\\", "").split())


def _sentence(text: str) -> str:
    text = _plain(text)
    return text[:1].upper() + text[1:] + ("" if text.endswith((".", "!", "?")) else ".")
