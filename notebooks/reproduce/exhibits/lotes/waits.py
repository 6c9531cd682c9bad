"""What every picture of LoTES's mean waits has in common: its label, its scale, a dot for each run."""

from typing import Any

from matplotlib.axes import Axes
from pandas import DataFrame, Series

from schedlib.plots.style import Look

WAIT = "mean wait (s)"
SHORTEST = 1e-4
"""Seconds below which mean waits count as equal, and are drawn as none."""
LAWS = {
    "independent-limit": "each resource for itself, load of lambda2 (printed)",
    "common-limit": "one factor for all resources, load of lambda2",
    "common-matched-limit": "one factor, mean as planned, load of lambda2",
    "independent": "each resource for itself",
    "common": "one factor for all resources",
    "common-matched": "one factor, mean as planned",
    "fixed": "class means",
}
"""The laws of job sizes, with what they are called in a figure. In Figs. 11-13 loads are shares of stage 2's
lambda*, lambda2, where said, else of what whole machines leave of it."""


def axis_of(frame: DataFrame) -> str:
    """What varies along the axis of such a figure: "phi" or "omega"."""
    return "phi" if frame["phi"].nunique() > 1 else "omega"


def dots(
    ax: Axes,
    x: Any,
    y: Any,
    look: Look,
    size: float | None = 4,
    *,
    stable: Series | None = None,
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
