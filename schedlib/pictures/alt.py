"""Alt texts of charts: a sentence on what is drawn, then the numbers of each series, all made in one way."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import pandas as pd

from schedlib.pictures import style


def alt(
    head: str,
    y: str,
    by: Sequence[str] = (),
    x: str | None = None,
    *,
    of: Callable[[pd.DataFrame], pd.DataFrame] | None = None,
    names: Mapping | None = None,
    average: str = "mean",
) -> Callable[[pd.DataFrame], str]:
    """Make the alt text of a figure from its frame: `head`, then the means of column `y`, series by series.

    A series has one value of each column in `by`. With `x` its text has the means at the ends of that axis
    and where they are lowest and highest, else its mean. `of(frame)` gives the rows that are drawn, and
    `names` words for values; policies have the book's labels. `average`: `"mean"` or `"median"`.

    >>> frame = pd.DataFrame({"load": [0.5, 0.7, 0.9], "policy": "fifo", "wait": [1.0, 2.0, 9.0]})
    >>> alt("Lines of the wait (s) against the load", "wait", ["policy"], "load")(frame)
    'Lines of the wait (s) against the load: FIFO 1 at 0.5, 9 at 0.9.'
    """
    known = names or {}

    def text(frame: pd.DataFrame) -> str:
        rows = frame if of is None else of(frame)
        rows = rows.dropna(subset=[y])
        groups: Any = [((), rows)]
        if by:
            groups = rows.groupby(list(by), sort=False, observed=True)
        series = []
        for values, group in groups:
            words = [known.get(value) or word(value) for value in values]
            words.append(points(group, x, y, average))
            series.append(" ".join(words))
        return f"{head}: {'; '.join(series)}."

    return text


def points(rows: pd.DataFrame, x: str | None, y: str, average: str = "mean") -> str:
    """The average of `y`, or with `x` those at its ends and the lowest and the highest of them.

    >>> points(pd.DataFrame({"x": [1, 2, 3], "y": [5.0, 2.0, 4.0]}), "x", "y")
    '5 at 1, 2 at 2, 4 at 3'
    """
    if x is None:
        return number(rows[y].agg(average))
    means = rows.groupby(x, observed=True)[y].agg(average)
    ends = {0, len(means) - 1}
    extremes = {means.argmin(), means.argmax()}
    told = means.iloc[sorted(ends | extremes)]
    words = [f"{number(mean)} at {word(place)}" for place, mean in told.items()]
    return ", ".join(words)


def word(value: Any) -> str:
    """A value of a column: a number as it is, a policy by its label.

    >>> word(15000), word("hmhs"), word("single")
    ('15,000', 'HMHS', 'single')
    """
    if isinstance(value, str):
        return style.look(value).label
    return f"{value:g}" if abs(value) < 10_000 else f"{value:,.0f}"


def number(value: float) -> str:
    """Three digits of a number.

    >>> number(0.12345), number(12345.6)
    ('0.123', '12,300')
    """
    return f"{float(f'{value:.3g}'):,.10g}"
