"""How the tests write a small data frame."""

import io

import pandas as pd


def as_frame(text):
    """The data frame of a table in words: the columns' names, then the rows; `-` is a missing value."""
    return pd.read_csv(io.StringIO(text), sep=r"\s+", na_values="-")
