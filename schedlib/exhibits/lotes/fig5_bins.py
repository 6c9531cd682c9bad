"""Fig. 5 of LoTES, the non-dominated bins of one machine, and what the printed Algorithm 1 keeps in their
place."""

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure as Picture

from schedlib.exhibits.lotes.drawing import axes_or_figure
from schedlib.experiment import Experiment, Figure, scales
from schedlib.lotes.planning.algorithm1 import defects
from schedlib.lotes.planning.bins import non_dominated_bins
from schedlib.lotes.workloads.google import google2011
from schedlib.pictures import style

PLACE = 4.2


def fig5(seed: int) -> pd.DataFrame:
    """The paper's machine of size 7 with classes of sizes 2 and 3: every mix that fits, and whether no other
    one dominates it."""
    bins = {tuple(row) for row in non_dominated_bins([7.0], [[2.0], [3.0]]).tolist()}
    mixes = [(a, b) for a in range(4) for b in range(3) if 2 * a + 3 * b <= 7]
    columns = ["first", "second", "non_dominated"]
    return pd.DataFrame([(a, b, (a, b) in bins) for a, b in mixes], columns=columns)


def algorithm1_defects(seed: int) -> pd.DataFrame:
    """What Algorithm 1 keeps, as printed and with its flag reset, against the exact set, on three
    machines."""
    configs, classes = google2011()
    cases = {
        "Fig. 5": ([7], [[2], [3]]),
        "class 2 too large": ([4], [[2], [5]]),
        "Google, 0.5 x 0.5": (configs.capacity[0], classes.demand),
    }
    frames = [defects(*case).assign(machine=name) for name, case in cases.items()]
    return pd.concat(frames, ignore_index=True)[["machine", *frames[0].columns.drop("machine")]]


def plot_fig5(frame: pd.DataFrame, ax: Axes | None = None) -> Picture:
    """The mixes of two classes that fit one machine, the non-dominated bins among them, and the machine's
    limit."""
    figure, ax = axes_or_figure(ax, (4.6, 3.8))
    ax.plot([0, 3.5], [7 / 3, 0], color="black", linewidth=1.2, label="the machine is full")
    kinds = ((False, "o", 6, style.BLUE, "feasible"), (True, "s", 9, style.VERMILLION, "non-dominated bin"))
    for non_dominated, marker, size, colour, label in kinds:
        rows = frame[frame["non_dominated"] == non_dominated]
        shape = {"linestyle": "none", "marker": marker, "markersize": size}
        ax.plot(rows["first"], rows["second"], color=colour, label=label, **shape)
    ax.set(xlabel="jobs of class 1 (size 2)", ylabel="jobs of class 2 (size 3)")
    ax.set(xlim=(-0.2, 4), ylim=(-0.2, 2.8))
    ax.set_yticks([0, 1, 2])
    ax.legend()
    return figure


EXPERIMENTS = (
    Experiment(
        "lotes.fig5", "Feasible mixes and non-dominated bins of two classes", fig5, scales([{}]), scales(1)
    ),
    Experiment("lotes.algorithm1", "What Algorithm 1 keeps", algorithm1_defects, scales([{}]), scales(1)),
)
FIGURES = (
    Figure(
        "lotes.fig5", "lotes.fig5", plot_fig5,
        "All mixes of two classes that one machine of size 7 can hold, and the non-dominated bins among "
        "them. The paper's Fig. 5.",
        lambda frame: f"Scatter of {len(frame)} feasible mixes below the machine's limit, "
        f"{frame['non_dominated'].sum()} of them non-dominated bins: (0, 2), (2, 1) and (3, 0).",
    ),
    Figure(
        "lotes.algorithm1", "lotes.algorithm1", None,
        "What the paper's Algorithm 1 keeps: as printed every feasible bin, with its flag reset still "
        "dominated ones; where a class fits no empty machine it comes to an undefined step.",
        "Table of the bins that Algorithm 1 keeps, repeats and misses on three machines, as printed, mended "
        "and exact.",
    ),
)  # fmt: skip
