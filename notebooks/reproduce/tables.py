"""Frames as text: Markdown, and numbers for reading."""

import math
from collections.abc import Container
from typing import Any

import pandas as pd
from pandas import DataFrame

from schedlib.intervals import mean_ci


def markdown(frame: DataFrame) -> str:
    """A frame as a Markdown table: four significant digits, empty cells for missing values.

    >>> print(markdown(pd.DataFrame({"policy": ["a|b"], "mean": [1234.5678]})))
    | policy | mean |
    | :-- | --: |
    | a\\|b | 1235 |
    """
    alignments = []
    for kind in frame.dtypes:
        numeric = pd.api.types.is_numeric_dtype(kind)
        alignments.append("--:" if numeric else ":--")
    rows = [frame.columns, *frame.itertuples(index=False)]
    head, *texts = ([cell(value) for value in row] for row in rows)
    return "".join(f"| {' | '.join(row)} |\n" for row in (head, alignments, *texts))


def cell(value: Any) -> str:
    """A value as the text of a table's cell.

    >>> cell(0.123456), cell(7), cell(None), cell(True), cell(1e6)
    ('0.1235', '7', '', 'True', '1e+06')
    """
    if value is None or value != value:
        return ""
    text = f"{value:.4g}" if isinstance(value, float) else str(value)
    return text.replace("|", "\\|").replace("\n", " ")


def number(value: float, decimals: int | None = None) -> str:
    """A number for reading: to `decimals` places, else whole from 1,000 on and to three digits below; "" for NaN.

    >>> number(1814.6), number(999.7), number(0.0023241), number(3e6), number(0.5), number(-0.0004, 2), number(math.nan)
    ('1,815', '1,000', '0.00232', '3,000,000', '0.5', '0.00', '')
    """
    if value != value:
        return ""
    if decimals is not None:
        return f"{value:z,.{max(decimals, 0)}f}"  # z: no minus before nothing but zeros
    size = abs(value)
    if size < 1e7 and (size >= 999.5 or value == round(value)):
        return f"{value:,.0f}"
    return f"{value:.3g}"


def measurement(mean: float, low: float, high: float) -> str:
    """A mean and its interval, with two digits of the interval's half width; the mean alone where they are NaN or equal.

    >>> measurement(0.0931, -0.2459, 0.4321), measurement(678.6, -352.6, 1710)
    ('0.09 (-0.25 to 0.43)', '679 (-353 to 1,710)')
    >>> measurement(4.0, math.nan, math.nan), measurement(1, 1, 1), measurement(2e-7, 1e-7, 3e-7)
    ('4', '1', '2e-07 (1e-07 to 3e-07)')
    """
    if not low < high:
        return number(mean)
    half = (high - low) / 2
    decimals = 1 - math.floor(math.log10(half))
    if decimals > 5:
        return f"{mean:.3g} ({low:.3g} to {high:.3g})"
    middle = number(mean, decimals)
    least = number(low, decimals)
    most = number(high, decimals)
    return f"{middle} ({least} to {most})"


def averaged(frame: DataFrame, parameters: Container[str]) -> DataFrame:
    """One row per setting: numbers become means over seeds, with "low to high" of the 95 % interval beside.

    A setting is the columns named in `parameters` and those without numbers. With one seed only `seed` goes.

    >>> frame = pd.DataFrame({"policy": ["a", "a"], "seed": [0, 1], "time": [1.0, 3.0]})
    >>> averaged(frame, []).to_dict("records")
    [{'policy': 'a', 'time': 2.0, 'time, 95 %': '-10.71 to 14.71'}]
    """
    if "seed" not in frame or frame["seed"].nunique() == 1:
        return frame.drop(columns="seed", errors="ignore")
    rows = frame.drop(columns="seed")
    values = [name for name in rows.select_dtypes("number") if name not in parameters]
    keys = [name for name in rows if name not in values]
    groups = rows.groupby(keys or (lambda row: 0), sort=False, dropna=False, observed=True)
    means = groups[values].mean()
    spread = groups[values].agg(interval)
    columns = {}
    for name in values:
        columns[name] = means[name]
        if (spread[name] != "").any():
            columns[f"{name}, 95 %"] = spread[name]
    return pd.DataFrame(columns, index=means.index).reset_index(drop=not keys)


def interval(values: pd.Series) -> str:
    """The 95 % interval of a mean, "low to high"; "" where all values are the same.

    >>> interval(pd.Series([1.0, 3.0]))
    '-10.71 to 14.71'
    """
    known = values.dropna()
    if known.nunique() < 2:
        return ""
    _, low, high = mean_ci(known)
    return f"{low:.4g} to {high:.4g}"
