"""Waits as the cluster grows, on the random workloads of LoTES's Section 5.4 at load 0.97 (beyond the
paper)."""

import pandas as pd
from matplotlib.figure import Figure as Picture

from schedlib.exhibits.lotes.drawing import wait_panels
from schedlib.exhibits.lotes.fig11_13_random import dispatching
from schedlib.exhibits.lotes.random_runs import CONFIGS, POLICIES
from schedlib.experiment import Experiment, Figure, scales
from schedlib.pictures import style

PLACE = 5.5


def _points(sizes, phis, hours):
    law = {"omega": 0.0, "load": 0.97, "sizes": "common-matched", "hours": hours}
    return [{"phi": phi, "machines": machines, **law} for phi in phis for machines in sizes]


EXPERIMENTS = (
    Experiment(
        "lotes.scale", "Waits as the cluster grows", dispatching,
        scales(
            _points((4,), (0.006,), 10.0),
            _points((10, 20, 50, 100, 200), (0.006, 0.015), 50.0),
            _points((10, 20, 50, 100, 200, 500, 1000), (0.006, 0.015), 100.0),
        ),
        scales(1, 3, 5),
    ),
)  # fmt: skip


def plot_scale(frame: pd.DataFrame) -> Picture:
    """Mean wait against the number of machines, a panel for each Phi."""
    frame = frame.assign(cluster=CONFIGS * frame["machines"])
    titles = {phi: f"Phi = {phi:g}" for phi in sorted(set(frame["phi"]))}
    figure = wait_panels(frame, "phi", titles, "cluster", hollow=False, xlabel="machines", xscale="log")
    ticks = sorted(set(frame["cluster"]))
    for ax in figure.axes:
        ax.set_xticks(ticks, [f"{machines:,}" for machines in ticks])
        ax.minorticks_off()
    return figure


def _alt(frame):
    few, many = frame["machines"].min(), frame["machines"].max()
    waits = frame[frame["phi"] == frame["phi"].min()].groupby(["policy", "machines"])["wait"].median()
    words = [
        f"{style.look(policy).label} {waits[policy, few]:.3g} and {waits[policy, many]:.3g} s"
        for policy in POLICIES
    ]
    where = f"at the smaller Phi, {CONFIGS * few} and {CONFIGS * many:,} machines"
    return f"Charts of mean wait against machines. Medians {where}: {'; '.join(words)}."


FIGURES = (
    Figure(
        "lotes.scale", "lotes.scale", plot_scale,
        lambda frame: f"Mean wait as the cluster grows, load 0.97, {frame['hours'].iloc[0]:g} hours, sizes "
        "by one factor with the mean as planned. Waits depend on the size of the cluster, LoTES's most: "
        "figures at quick scale show shapes, not the seconds of the paper's scale.",
        _alt,
    ),
)  # fmt: skip
