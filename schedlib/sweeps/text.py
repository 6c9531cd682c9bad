"""Frames and times as text, the same bytes each time."""

from pandas import DataFrame

ROUNDING = 1e-12
"""Nothing that is measured here is as small; differences of equal numbers are, by how a processor rounds."""


def csv_text(frame: DataFrame) -> str:
    r"""A frame as CSV: twelve digits, newline ends, no index. What is below 1e-12 is rounding, and becomes 0.

    >>> csv_text(DataFrame({"x": [0.1 + 0.2, 3e-17], "n": [1, 2]}))
    'x,n\n0.3,1\n0,2\n'
    """
    reals = frame.select_dtypes("float")
    rounded = reals.mask(reals.abs() < ROUNDING, 0.0)
    frame = frame.assign(**rounded)
    return frame.to_csv(index=False, float_format="%.12g", lineterminator="\n")


def duration(seconds: float) -> str:
    """Seconds in the unit a reader would use.

    >>> duration(0.2), duration(75), duration(250), duration(9000)
    ('1 s', '75 s', '4 min', '2.5 h')
    """
    if seconds < 120:
        return f"{max(1, round(seconds))} s"
    if seconds < 7200:
        return f"{seconds / 60:.0f} min"
    return f"{seconds / 3600:.1f} h"
