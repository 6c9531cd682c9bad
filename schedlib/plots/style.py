"""One style for the book: a look per policy, fonts and sizes, mean lines with 95 % bands."""

from collections.abc import Mapping
from contextlib import AbstractContextManager
from typing import Any, NamedTuple

import matplotlib as mpl
import numpy as np
import pandas as pd
from cycler import cycler
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import FancyBboxPatch
from matplotlib.ticker import LogLocator, NullLocator

from schedlib.intervals import mean_ci
from schedlib.plots import papers
from schedlib.plots.words import Described

# Wong's colours, with a brown and a violet for his orange and sky blue, whose contrast to white is below 3:1
# and which, made darker, look like vermillion and blue to colour-blind readers.
PALETTE = ("#0072B2", "#D55E00", "#009E73", "#B66A9A", "#592D00", "#7422E5", "#000000")
BLUE, VERMILLION, GREEN, PURPLE, BROWN, VIOLET, BLACK = PALETTE
LINES = ("-", "--", "-.", ":", (0, (7, 2)), (0, (3, 1, 1, 1, 1, 1)), (0, (1, 3)))
_MARKERS = ("o", "s", "^", "D", "v", "P", "X")

RC: dict[Any, Any] = {
    "figure.figsize": (6.0, 3.6),
    "figure.dpi": 100,
    "figure.constrained_layout.use": True,
    "savefig.dpi": 150,
    "font.size": 10.0,
    "lines.linewidth": 1.6,
    "lines.markersize": 5.0,
    "svg.hashsalt": "schedlib",
    "axes.grid": True,
    "axes.axisbelow": True,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.prop_cycle": cycler(color=PALETTE),
    "grid.color": "#DDDDDD",
    "grid.linewidth": 0.6,
    "legend.framealpha": 0.85,
    "legend.edgecolor": "none",
    "legend.handlelength": 3.0,
}
FAINT = {"linestyle": "none", "alpha": 0.25, "markersize": 3.5, "label": ""}


class Look(NamedTuple):
    """How a policy is drawn; `**look(policy).line()` goes into `ax.plot`.

    See also: `style.look`.

    >>> Look("black", "--", "o", "mine").line()["label"]
    'mine'
    """

    color: str
    linestyle: object
    marker: str
    label: str

    def line(self) -> dict:
        """Keyword arguments for `ax.plot`: colour, line style, marker and label."""
        return self._asdict()


PRINTED = Look("black", "none", "_", "printed in the paper")
"""A value that the paper prints."""


def _looks(labels: Mapping[str, str]) -> dict[str, Look]:
    """One look per policy of a paper, in order; no two share a colour, a line style or a marker."""
    rows = zip(PALETTE, LINES, _MARKERS, labels.items(), strict=False)
    return {name: Look(color, line, marker, label) for color, line, marker, (name, label) in rows}


PAPER_LOOKS = {paper.key: _looks(paper.labels) for paper in papers.ALL}
# Looks of policies that no paper has, in greys: repairs and a reading of MCH.
BEYOND = {
    "exact-ch": Look("#555555", (0, (5, 1, 1, 1)), "*", "Exact CH"),
    "case1": Look("#999999", (0, (1, 1)), "P", "MCH, Case 1 for all"),
    "mch-two-phase": Look("#222222", (0, (6, 2)), "X", "MCH, two-phase"),
}
LOOKS = {
    policy: look for looks in (*PAPER_LOOKS.values(), BEYOND) for policy, look in looks.items()
}


def look(policy: object) -> Look:
    """The look of a policy through the whole book; a reader's own policy gets a grey one with its name.

    >>> look("eagle").label, look("my-policy").label
    ('Eagle', 'my-policy')
    """
    name = str(getattr(policy, "name", getattr(policy, "__name__", policy)))
    return LOOKS.get(name, Look("#555555", (0, (5, 1, 1, 1)), "*", name))


def labels(looks: Mapping[Any, Look]) -> dict[Any, str]:
    """The labels of looks by their names.

    >>> labels({"mine": Look("black", "--", "o", "My policy")})
    {'mine': 'My policy'}
    """
    return {name: look.label for name, look in looks.items()}


def use() -> AbstractContextManager:
    """The book's style inside a `with` block.

    >>> with use():
    ...     mpl.rcParams["axes.grid"]
    True
    """
    return mpl.rc_context(RC)


def subplots(
    rows: int = 1, columns: int = 1, size: tuple[float, float] | None = None, **options
) -> tuple[Described, Any]:
    """A figure in the book's style with its axes, as `pyplot.subplots` gives, but known to no global state.

    `size` is width and height in inches; `options` go to `Figure.subplots`. A notebook shows the figure with
    alt text: `figure.alt` where that is set, else words read from its axes. Raises ValueError for a size that
    matplotlib refuses.

    >>> figure, ax = subplots()
    >>> ax.get_figure() is figure
    True
    """
    with use():
        figure = Described(figsize=size)
        return figure, figure.subplots(rows, columns, **options)


def into(ax: Any, size: tuple[float, float] | None = None) -> tuple[Figure, Any]:
    """The figure of these axes, and the axes; a new figure of that size when they are None.

    >>> figure, ax = into(None, (4, 3))
    >>> into(ax)[0] is figure
    True
    """
    return subplots(size=size) if ax is None else (ax.get_figure(root=True), ax)


def canvas(width: float, height: float) -> tuple[Described, Any]:
    """A figure of these inches and its axes for a drawing, without frame or margins.

    >>> canvas(4, 3)[1].get_xlim()
    (np.float64(0.0), np.float64(4.0))
    """
    figure, ax = subplots(size=(width, height))
    figure.set_layout_engine("none")
    ax.set_position((0, 0, 1, 1))
    ax.set(xlim=(0, width), ylim=(0, height))
    ax.axis("off")
    return figure, ax


def rounded(ax: Axes, low: Any, size: Any, corner: float = 0.08, **look: Any) -> FancyBboxPatch:
    """A box of this size with round corners, its lower left one at `low`.

    >>> _, ax = canvas(4, 3)
    >>> rounded(ax, (1, 1), (2, 1), facecolor="white").get_width()
    2
    """
    shape = FancyBboxPatch(
        low, size[0], size[1], boxstyle=f"round,pad=0,rounding_size={corner}", **look
    )
    ax.add_patch(shape)
    return shape


def band(
    ax: Any,
    frame: pd.DataFrame,
    x: str,
    y: str,
    by: str | None = None,
    looks: Mapping | None = None,
) -> Axes:
    """Draw the mean of `y` at each measured `x` with its 95 % interval, one line per value of `by`.

    Each row at an `x` is one independent replicate; a single one gives no band. `looks` names the values of
    `by` that are drawn, in this order, with the `Look` of each; without it all are, in the book's order of
    policies, then by name. `ax=None` makes a figure. Raises ValueError when a column is missing.

    >>> frame = pd.DataFrame({"load": [0.5, 0.5, 0.9, 0.9], "wait": [1.0, 2.0, 8.0, 9.0]})
    >>> band(None, frame, "load", "wait").lines[0].get_ydata().tolist()
    [1.5, 8.5]
    """
    if missing := {x, y, by or x} - set(frame.columns):
        has = ", ".join(map(str, frame.columns))
        raise ValueError(f"frame: lacks column {', '.join(sorted(missing))}; it has {has}")
    _, ax = into(ax)
    groups = dict(list(frame.groupby(by, observed=True))) if by else {y: frame}
    if looks is None:
        looks = {name: look(name) for name in dict.fromkeys([*LOOKS, *groups])}
    for name in filter(groups.__contains__, looks):
        points = groups[name].groupby(x)[y].apply(mean_ci)
        means, low, high = zip(*points, strict=True)
        ax.plot(points.index, means, **looks[name].line())
        if any(end == end for end in low):
            ax.fill_between(
                points.index, low, high, color=looks[name].color, alpha=0.2, linewidth=0
            )
    return ax


def plain_log(axis: Any) -> None:
    """Label a logarithmic x or y axis (`ax.xaxis`), whose limits are set, with plain numbers.

    >>> _, ax = subplots()
    >>> _ = ax.set(xscale="log", xlim=(1, 100))
    >>> plain_log(ax.xaxis)
    >>> ax.xaxis.get_major_locator().tick_values(1, 100)[1:4].tolist()
    [0.2, 0.5, 1.0]
    """
    low, high = axis.get_view_interval()
    decades = np.log10(high / low)
    steps = (1, 1.5, 2, 3, 5, 7) if decades < 0.9 else (1, 2, 5) if decades < 2.2 else (1,)
    axis.set_major_locator(LogLocator(subs=steps))
    axis.set_minor_locator(NullLocator())
    axis.set_major_formatter("{x:,g}")


def printed(ax: Any, x: float, y: float, **look: Any) -> None:
    """A bar at a value that the paper prints.

    >>> _, ax = subplots()
    >>> printed(ax, 0.9, 12.0)
    >>> len(ax.lines)
    1
    """
    bar = PRINTED.line() | {"label": "", "markersize": 12, "markeredgewidth": 2, "zorder": 3}
    ax.plot([x], [y], **bar | look)
