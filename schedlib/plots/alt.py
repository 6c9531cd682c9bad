"""Alt texts of charts: a sentence on what is drawn, then the numbers of each series, all made in one way."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from pandas import DataFrame, Series

from schedlib.plots import style

MOST_WORDS = 90
Text = Callable[[DataFrame], str]
"""A function that makes a caption or an alt text from a figure's frame."""


def alt(
    head: str,
    y: str,
    by: Sequence[str] = (),
    x: str | None = None,
    *,
    of: Callable[[DataFrame], DataFrame] | None = None,
    names: Mapping | None = None,
    average: str = "mean",
) -> Text:
    """Make the alt text of a figure from its frame: `head`, then the means of column `y`, series by series.

    A series has one value of each column in `by`. With `x` its text has the means at the ends of that axis
    and where they are lowest and highest, else its mean. Where that makes more than 90 words, series that
    share the first column's value have one text: the range of their means, at the ends of `x`.
    `of(frame)` gives the rows that are drawn, and `names` words for values; policies have the book's labels.
    `average`: `"mean"` or `"median"`.

    >>> frame = DataFrame({"load": [0.5, 0.7, 0.9], "policy": "fifo", "wait": [1.0, 2.0, 9.0]})
    >>> alt("Lines of the wait (s) against the load", "wait", ["policy"], "load")(frame)
    'Lines of the wait (s) against the load: FIFO 1 at 0.5, 9 at 0.9.'
    """
    words = names or {}
    columns = list(by)

    def sentence(start: str, rows: DataFrame, columns: list[str], within: list[str]) -> str:
        groups: Any = [((), rows)]
        if columns:
            groups = rows.groupby(columns, sort=False, observed=True)
        series = []
        for values, group in groups:
            labels = [words.get(value) or word(value) for value in values]
            labels.append(averages(group, x, y, within, average))
            series.append(" ".join(labels))
        listed = "; ".join(series)
        return f"{start}: {listed}."

    def text(frame: DataFrame) -> str:
        rows = frame if of is None else of(frame)
        rows = rows.dropna(subset=[y])
        whole = sentence(head, rows, columns, [])
        if len(columns) < 2 or len(whole.split()) <= MOST_WORDS:
            return whole
        first, *within = columns
        over = " and ".join(within)
        return sentence(f"{head}, ranges over {over}", rows, [first], within)

    return text


def averages(
    rows: DataFrame, x: str | None, y: str, within: list[str] | None = None, average: str = "mean"
) -> str:
    """The average of `y`, or with `x` those at its ends and the lowest and the highest of them.

    Where series lie `within` the rows, with one value of each of these columns, the range of their averages,
    or with `x` the ranges at its ends.

    >>> frame = DataFrame({"k": [1, 2, 1, 2], "x": [1, 1, 3, 3], "y": [5.0, 2.0, 4.0, 4.0]})
    >>> averages(frame, "x", "y"), averages(frame, "x", "y", ["k"])
    ('3.5 at 1, 4 at 3', '2 to 5 at 1, 4 at 3')
    """
    if x is None:
        if not within:
            return number(rows[y].agg(average))
        return extent(rows.groupby(within, observed=True)[y].agg(average))
    means = rows.groupby(x, observed=True)[y].agg(average)
    places = {0, len(means) - 1}
    if not within:
        places |= {means.argmin(), means.argmax()}
    texts = []
    for place in means.index[sorted(places)]:
        at = rows[rows[x] == place]
        values = at.groupby(within or x, observed=True)[y].agg(average)
        texts.append(f"{extent(values)} at {word(place)}")
    return ", ".join(texts)


def extent(values: Series) -> str:
    """The lowest and the highest of some values, once where they have the same digits."""
    low = number(values.min())
    high = number(values.max())
    return low if low == high else f"{low} to {high}"


def word(value: Any) -> str:
    """A value of a column: a number as it is, a policy by its label.

    >>> word(15000), word("hmhs"), word("single")
    ('15,000', 'HMHS', 'single')
    """
    if isinstance(value, str):
        return style.look(value).label
    if abs(value) < 10_000:
        return f"{value:g}"
    return f"{value:,.0f}"


def number(value: float, digits: int = 3) -> str:
    """The first digits of a number.

    >>> number(0.12345), number(12345.6)
    ('0.123', '12,300')
    """
    rounded = float(f"{value:.{digits}g}")
    return f"{rounded:,.10g}"
