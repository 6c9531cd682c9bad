"""The evidence: one file for each exhibit, or for those drawn from one run; beside them a paper's claims."""

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.lines import Line2D
from pandas import DataFrame, Series

from schedlib.intervals import Exact
from schedlib.plots.style import Look


def lacking(folder: Path | None, what: str, trace: str) -> str:
    """How to fetch a trace whose folder is not there, for `Experiment.missing`; "" where it is."""
    return "" if folder else f"{what}: python -m schedlib data {trace}"


Each = np.ndarray
"""The numbers that a claim measures, one for each seed."""


def only(frame: DataFrame, /, **where: Any) -> DataFrame:
    """The rows with these values in these columns; a tuple or a list names several values.

    >>> only(DataFrame({"trace": ["google", "yahoo"], "workers": [3, 4]}), trace="yahoo")
       trace  workers
    1  yahoo        4
    """
    for name, value in where.items():
        several = isinstance(value, tuple | list)
        frame = frame[frame[name].isin(value) if several else frame[name] == value]
    return frame


def each_seed(rows: DataFrame, values: Series, how: str = "mean") -> Each:
    """The rows' values summed up for each seed, by their mean or as `how` says.

    >>> rows = DataFrame({"seed": [0, 0, 1], "wait": [1.0, 3.0, 5.0]})
    >>> each_seed(rows, rows["wait"])
    array([2., 5.])
    """
    return values.groupby(rows["seed"]).agg(how).to_numpy()


def as_key(column: str) -> Callable[[DataFrame], DataFrame]:
    """A figure's `part` whose table has a row for each value of a column of numbers, not their mean."""
    return lambda frame: frame.astype({column: str})


def mean_of(frame: DataFrame, column: str, **where: Any) -> Each | None:
    """The mean of a column over these rows, one number a seed; None where there are none."""
    rows = only(frame, **where)
    if rows.empty:
        return None
    return each_seed(rows, rows[column])


def value(frame: DataFrame, column: str, **where: Any) -> Exact:
    """The number in a column of the one row with these values."""
    return Exact(only(frame, **where)[column].item())


def difference(
    rows: DataFrame, column: str, of: Any, less: Any, by: str | list[str] = "policy"
) -> Each:
    """The mean of a column under one value of `by` less that under another: one number a seed.

    >>> rows = DataFrame({"seed": 0, "policy": ["fifo", "hmhs"], "wait": [5.0, 3.0]})
    >>> difference(rows, "wait", "fifo", less="hmhs")
    array([2.])
    """
    means = rows.pivot_table(column, "seed", by)
    return (means[of] - means[less]).to_numpy()


def legend_below(ax: Any, columns: int, *marks: Look, **more: Any) -> None:
    """The legend of these axes, and of marks, below their figure, where it holds for all axes; `more` of
    `Figure.legend`."""
    handles, _ = ax.get_legend_handles_labels()
    ax.figure.legend(
        handles=[*handles, *handles_of(marks)], loc="outside lower center", ncols=columns, **more
    )


def handles_of(looks: Iterable[Look]) -> list[Line2D]:
    """The legend's handles for these looks."""
    return [Line2D([], [], **look.line()) for look in looks]
