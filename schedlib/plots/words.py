"""A drawn figure in words, read from its axes: the alt text of pictures that a notebook draws."""

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

MOST_SERIES, MOST_WORDS = 10, 30
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
    texts = [figure.get_suptitle()]
    for ax in figure.axes:
        if ax.get_visible() and ax.get_label() != "<colorbar>":
            texts.append(axes_in_words(figure, ax))
    sentences = [_sentence(text) for text in texts if text]
    return " ".join(sentences)


def axes_in_words(figure: Figure, ax: Axes) -> str:
    """One axes in a sentence: a chart by its labels and series, a diagram by the words in it.

    >>> figure = Figure()
    >>> ax = figure.subplots()
    >>> _ = ax.axis("off"), ax.text(1, 1, "a queue")
    >>> axes_in_words(figure, ax)
    'diagram of a queue'
    """
    title = _plain(ax.get_title())
    if title:
        title += ": "
    if not ax.axison:
        return _diagram(title, ax)
    x = _label(figure, ax, "x") or "position"
    y = _label(figure, ax, "y") or "values"
    kind = "chart" if title else "Chart"
    span = _span(ax)
    text = f"{title}{kind} of {y} against {x}{span}"
    handles, labels = ax.get_legend_handles_labels()
    series = list(map(_series, handles, labels))
    if not series:
        return text
    named = "; ".join(dict.fromkeys(series[:MOST_SERIES]))
    return f"{text}: {named}"


def _diagram(title: str, ax: Axes) -> str:
    texts = [_plain(text.get_text()) for text in ax.texts]
    words = list(filter(None, texts))
    if not words:
        return title.rstrip(": ")
    inside = "; ".join(dict.fromkeys(words[:MOST_WORDS]))
    return f"{title}diagram of {inside}"


def _span(ax: Axes) -> str:
    """From where to where along x something is drawn."""
    low, high = ax.dataLim.intervalx
    return f" from {low:.4g} to {high:.4g}" if np.isfinite([low, high]).all() else ""


def _series(handle, label: str) -> str:
    label = _plain(label)
    if isinstance(handle, Line2D) and handle.get_linestyle() != "None":  # not dots alone
        values = np.asarray(handle.get_ydata(), dtype=float)
        values = values[np.isfinite(values)]
        if len(values):
            first = values[0]
            last = values[-1]
            if first == last:
                return f"{label} {last:.3g}"
            return f"{label} from {first:.3g} to {last:.3g}"
    return label


def _label(figure: Figure, ax: Axes, letter: str) -> str:
    """The label of an axis: its own, the figure's, that of axes with the same scale, or its ticks' names."""
    shared = getattr(ax, f"get_shared_{letter}_axes")()
    labels = [getattr(figure, f"get_sup{letter}label")()]
    for one in shared.get_siblings(ax):
        labels.append(getattr(one, f"get_{letter}label")())
    own = getattr(ax, f"get_{letter}label")()
    found = [label for label in (own, *labels) if label]
    if found:
        return _plain(found[0])
    ticks = getattr(ax, f"get_{letter}ticklabels")()
    words = dict.fromkeys(_plain(tick.get_text()) for tick in ticks)
    names = [word for word in words if word.strip(NUMERALS)]
    return ", ".join(names)


def _plain(text: str) -> str:
    unmarked = text.replace("$", "").replace("\\", "")
    return " ".join(unmarked.split())


def _sentence(text: str) -> str:
    text = _plain(text)
    if not text.endswith((".", "!", "?")):
        text += "."
    first = text[:1].upper()
    return first + text[1:]
