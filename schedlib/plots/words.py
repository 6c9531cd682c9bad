"""A drawn figure in words, read from its axes: the alt text of pictures that a notebook draws."""

from collections.abc import Iterable

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

MOST_SERIES = 10
MOST_WORDS = 30
NUMERALS = "-\N{MINUS SIGN}.,0123456789e %"  # ticks of these alone name nothing


class Described(Figure):
    """A figure that a notebook shows with alt text: `alt`, or else what `describe` reads from the axes.

    >>> figure = Described()
    >>> figure.alt = "Nothing yet."
    """

    alt: str | None = None

    def _repr_mimebundle_(self, include=None, exclude=None):
        return {}, {"image/png": {"alt": self.alt or describe(self)}}


def describe(figure: Figure) -> str:
    """A figure's titles, axes and series in a few sentences; labelled lines with their first and last values.

    >>> figure = Figure()
    >>> ax = figure.subplots()
    >>> _ = ax.set(xlabel="load", ylabel="wait (s)")
    >>> _ = ax.plot([0.5, 0.9], [1.0, 9.0], label="FIFO")
    >>> describe(figure)
    'Chart of wait (s) against load from 0.5 to 0.9: FIFO from 1 to 9.'
    """
    texts = [_plain(figure.get_suptitle())]
    for ax in figure.axes:
        if ax.get_visible() and ax.get_label() != "<colorbar>":
            texts.append(axes_in_words(ax))
    return " ".join(_sentence(text) for text in texts if text)


def axes_in_words(ax: Axes) -> str:
    """One axes in a sentence: a chart by its labels and series, a diagram by the words in it.

    >>> ax = Figure().subplots()
    >>> _ = ax.axis("off"), ax.text(1, 1, "a queue")
    >>> axes_in_words(ax)
    'diagram of a queue'
    """
    title = _plain(ax.get_title())
    text = (
        _chart(ax)
        if ax.axison
        else _listed("diagram of ", (text.get_text() for text in ax.texts), MOST_WORDS)
    )
    return ": ".join(filter(None, [title, text]))


def _chart(ax: Axes) -> str:
    x, y = _label(ax, "x") or "position", _label(ax, "y") or "values"
    text = f"chart of {y} against {x}"
    low, high = ax.dataLim.intervalx
    if np.isfinite([low, high]).all():
        text += f" from {low:.4g} to {high:.4g}"
    series = map(_series, *ax.get_legend_handles_labels())
    return _listed(f"{text}: ", series, MOST_SERIES) or text


def _listed(start: str, parts: Iterable[str], most: int) -> str:
    """The first of some words, each once; nothing where there are none."""
    words = list(dict.fromkeys(filter(None, map(_plain, parts))))
    return start + "; ".join(words[:most]) if words else ""


def _series(handle, label: str) -> str:
    if not isinstance(handle, Line2D) or handle.get_linestyle() == "None":  # dots alone
        return label
    values = np.asarray(handle.get_ydata(), dtype=float)
    values = values[np.isfinite(values)]
    if not len(values):
        return label
    first, last = values[0], values[-1]
    return f"{label} {last:.3g}" if first == last else f"{label} from {first:.3g} to {last:.3g}"


def _label(ax: Axes, letter: str) -> str:
    """The label of an axis: its own, that of axes with the same scale, the figure's, or its ticks' names."""
    shared = getattr(ax, f"get_shared_{letter}_axes")().get_siblings(ax)
    labels = [getattr(other, f"get_{letter}label")() for other in (ax, *shared)]
    labels.append(getattr(ax.get_figure(root=True), f"get_sup{letter}label")())
    ticks = [tick.get_text() for tick in getattr(ax, f"get_{letter}ticklabels")()]
    names = ", ".join(dict.fromkeys(name for name in ticks if name.strip(NUMERALS)))
    return _plain(next(filter(None, labels), names))


def _plain(text: str) -> str:
    unmarked = text.replace("$", "").replace("\\", "")
    return " ".join(unmarked.split())


def _sentence(text: str) -> str:
    end = "" if text.endswith((".", "!", "?")) else "."
    return text[:1].upper() + text[1:] + end
