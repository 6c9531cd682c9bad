"""What every picture of LoTES's mean waits has in common: its label, its scale, a dot for each run."""

from typing import Any

import pandas as pd
from matplotlib.axes import Axes

from schedlib.pictures.style import Look

WAIT = "mean wait (s)"
SHORTEST = 1e-4
"""Seconds below which mean waits count as equal, and are drawn as none."""
LAWS = {
    "common-matched": "one factor, mean as planned",
    "common": "one factor for all resources",
    "independent": "each resource for itself (printed)",
    "common-fluid": "one factor, load of lambda1",
    "fixed": "class means",
}
"""The laws of job sizes in Figs. 11-13, with what they are called in a figure."""


def axis_of(frame: pd.DataFrame) -> str:
    """What varies along the axis of such a figure: "phi" or "omega"."""
    return "phi" if frame["phi"].nunique() > 1 else "omega"


def dots(
    ax: Axes,
    x: Any,
    y: Any,
    look: Look,
    size: float | None = 4,
    *,
    stable: pd.Series | None = None,
    **options: Any,
) -> None:
    """Draw every run as a marker, a hollow one where its queue grew (`stable` is given and false)."""
    kinds: list[tuple[Any, str]] = [(slice(None), look.color)]
    if stable is not None:
        stable = stable.astype(bool)
        kinds = [(stable, look.color), (~stable, "white")]
    for rows, face in kinds:
        ax.plot(
            x[rows], y[rows], look.marker, color=look.color, mfc=face, markersize=size, **options
        )
