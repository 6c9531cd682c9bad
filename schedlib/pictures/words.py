"""A drawn figure in words, read from its axes: the alt text of pictures that a notebook draws."""

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

MOST_SERIES, MOST_WORDS = 10, 30


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
    title = f"{_plain(ax.get_title())}: " if ax.get_title() else ""
    if not ax.axison:
        return _diagram(title, ax)
    x = _label(figure, ax, "x") or _ticks(ax.get_xticklabels()) or "position"
    y = _label(figure, ax, "y") or _ticks(ax.get_yticklabels()) or "values"
    handles, labels = ax.get_legend_handles_labels()
    series = [_series(*pair) for pair in zip(handles, labels, strict=True)]
    named = "; ".join(dict.fromkeys(series[:MOST_SERIES]))
    kind = "chart" if title else "Chart"
    text = f"{title}{kind} of {y} against {x}{_span(ax)}"
    return f"{text}: {named}" if named else text


def _diagram(title: str, ax: Axes) -> str:
    texts = [_plain(text.get_text()) for text in ax.texts]
    words = [text for text in texts if text][:MOST_WORDS]
    inside = "; ".join(dict.fromkeys(words))
    return f"{title}diagram of {inside}" if words else title.rstrip(": ")


def _span(ax: Axes) -> str:
    """From where to where the lines go, or else the x axis."""
    low, high = sorted(ax.get_xlim())
    lines = [line for line in ax.lines if line.get_transform() == ax.transData]
    values = [np.asarray(line.get_xdata(), float) for line in lines]
    values = [one for one in values if one.size > 1]
    if values:
        low = min(map(np.nanmin, values))
        high = max(map(np.nanmax, values))
    if not np.isfinite([low, high]).all():
        return ""
    return f" from {low:.4g} to {high:.4g}"


def _ticks(labels) -> str:
    """The names along an axis without a label; numbers name nothing."""
    words = dict.fromkeys(_plain(label.get_text()) for label in labels)
    return ", ".join(text for text in words if text.strip("-−.,0123456789e %"))


def _series(handle, label: str) -> str:
    label = _plain(label)
    if isinstance(handle, Line2D):
        values = np.asarray(handle.get_ydata(), dtype=float)
        values = values[np.isfinite(values)]
        if not len(values):
            return label
        first, last = values[0], values[-1]
        if first == last:
            return f"{label} {last:.3g}"
        return f"{label} from {first:.3g} to {last:.3g}"
    return label


def _label(figure: Figure, ax: Axes, letter: str) -> str:
    """The label of an axis: its own, the figure's, or that of axes with the same scale."""
    shared = getattr(ax, f"get_shared_{letter}_axes")()
    axes = [ax, *shared.get_siblings(ax)]
    labels = [getattr(one, f"get_{letter}label")() for one in axes]
    whole = getattr(figure, f"get_sup{letter}label")()
    candidates = [labels[0], whole, *labels[1:], ""]
    return _plain(next(filter(None, candidates), ""))


def _plain(text: str) -> str:
    unmarked = text.replace("$", "").replace("\\", "")
    return " ".join(unmarked.split())


def _sentence(text: str) -> str:
    text = _plain(text)
    end = "" if text.endswith((".", "!", "?")) else "."
    return text[:1].upper() + text[1:] + end
