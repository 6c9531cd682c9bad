"""How the tests write a small data frame, and the runs behind a board."""

import io

import pandas as pd

from schedlib.boards.standings import COLUMNS


def as_frame(text):
    """The data frame of a table in words: the columns' names, then the rows; `-` is a missing value."""
    return pd.read_csv(io.StringIO(text), sep=r"\s+", na_values="-")


def are_rows(frame, text):
    """That these are the frame's rows, in the columns of the table in words."""
    wanted = as_frame(text)
    found = frame[[*wanted]].reset_index(drop=True)
    loosely = {"check_dtype": False, "check_categorical": False}
    pd.testing.assert_frame_equal(found, wanted, **loosely, check_exact=True)


def runs_of(values):
    """What a board is made of: waits of policies from {name: values by seed}."""
    rows = [
        (name, "wait (s)", "low", seed, value, "", "")
        for name in values
        for seed, value in enumerate(values[name])
    ]
    return pd.DataFrame(rows, columns=COLUMNS)
