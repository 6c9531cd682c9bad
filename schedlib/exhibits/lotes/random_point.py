"""One point of Figs. 11-13 as a picture: wait and queue growth of every instance, and the figure's claims."""

import numpy as np
import pandas as pd
from matplotlib.figure import Figure as Picture
from matplotlib.ticker import NullLocator

from schedlib.exhibits.lotes.drawing import WAIT, dots
from schedlib.exhibits.lotes.fig11_13_random import LAWS, axis_of
from schedlib.exhibits.lotes.judging import SHORTEST
from schedlib.exhibits.lotes.runs import POLICIES
from schedlib.lotes.result import GROWTH
from schedlib.pictures import style

SPREAD = 0.12
LINE = 0.19
NO_VERDICT = "no verdict", "the claims are judged under two other laws of sizes"


def at_point(frame: pd.DataFrame, sizes: str, at: float) -> pd.DataFrame:
    """The rows of one law of sizes and one value of the axis, all instances and policies.

    Raises ValueError, which lists the laws and values that there are, when there are no such rows.
    """
    x = axis_of(frame)
    rows = frame[(frame["sizes"] == sizes) & np.isclose(frame[x], at)]
    if rows.empty:
        laws, values = frame["sizes"].unique(), [f"{value:g}" for value in sorted(frame[x].unique())]
        raise ValueError(f"sizes, at: no runs of {sizes!r} at {x} = {at:g}; there are {', '.join(laws)} at "
                         f"{', '.join(values)}")
    return rows


def plot_point(frame: pd.DataFrame, sizes: str, at: float, claims: pd.DataFrame | None = None, *,
               size=(8.6, 4.6)) -> Picture:
    """Mean waits and growth of the queue at one point of the frame of `lotes.fig11`, `fig12` or `fig13`.

    `sizes`: the law of job sizes; `at`: the value of Phi or Omega. Every instance is a point, hollow where
    the run was unstable. The axes are the same for all points of the frame. `claims`: rows of the ledger,
    listed below the axes. Raises ValueError as `at_point` does.
    """
    rows = at_point(frame, sizes, at)
    policies = [policy for policy in POLICIES if policy in set(rows["policy"])]
    lines = 0 if claims is None else max(len(claims), 1)
    low = (0.55 + (0.1 + LINE * lines if lines else 0)) / size[1]
    # The axes are placed by hand, which is twice as quick as the layout engine.
    place = {"left": 1.6 / size[0], "right": 0.98, "top": 1 - 0.4 / size[1], "bottom": low, "wspace": 0.11}
    figure, axes = style.subplots(1, 2, size=size, sharey=True, gridspec_kw=place)
    figure.set_layout_engine("none")
    measures = frame["wait"].clip(lower=SHORTEST), 100 * frame["slope"]
    for ax, values in zip(axes, measures, strict=True):
        for height, policy in enumerate(policies):
            runs = rows[rows["policy"] == policy].sort_values("seed")
            heights = height + SPREAD * (np.arange(len(runs)) - (len(runs) - 1) / 2)
            dots(ax, values[runs.index], heights, style.look(policy), 7, stable=runs["stable"])
    axes[0].set(xscale="log", xlim=(SHORTEST / 2, 2 * measures[0].max()), xlabel=WAIT)
    axes[0].set_yticks(range(len(policies)), [style.look(policy).label for policy in policies])
    axes[0].set_ylim(len(policies) - 0.5, -0.5)
    threshold = 100 * GROWTH
    axes[1].set_xscale("symlog", linthresh=threshold)
    axes[1].set_xlim(1.2 * min(measures[1].min(), -threshold), max(1.5 * measures[1].max(), 1))
    axes[1].set_xlabel("growth of the queue (% of the arrivals)")
    axes[1].axvline(threshold, color="black", linestyle=":", linewidth=1)
    for ax in axes:
        ax.xaxis.set_minor_locator(NullLocator())
        ax.xaxis.set_major_formatter("{x:,g}")  # powers as formulas take longer to set than all else to draw
    where = f"load {rows['load'].iloc[0]:g}, {axis_of(frame).capitalize()} = {at:g}, sizes: {LAWS[sizes]}"
    figure.suptitle(f"{where} (hollow: unstable)", fontsize=10, y=0.985)
    if lines:
        _list_claims(figure, claims, size)
    return figure


def _list_claims(figure, claims, size):
    """Write the claims on the whole figure and their verdicts at the bottom, a line each."""
    rows = [(row.verdict, row.claim.partition(" (sizes")[0], row.where) for row in claims.itertuples()]
    rows = [(verdict, f"{claim} ({where})") for verdict, claim, where in reversed(rows)]
    for line, (verdict, text) in enumerate(rows or [NO_VERDICT]):
        y = (0.08 + LINE * line) / size[1]
        figure.text(0.15 / size[0], y, verdict, fontsize=9, fontweight="bold")
        figure.text(1.6 / size[0], y, text, fontsize=9)
