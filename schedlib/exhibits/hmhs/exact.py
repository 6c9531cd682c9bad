"""The policies and the lower bound against the exact optimum of tiny instances (beyond the paper)."""

import pandas as pd
from matplotlib import figure as mpl

from schedlib.exhibits.hmhs.comparing import makespans
from schedlib.experiment import Experiment, Figure, grid, scales
from schedlib.hmhs.optimum import optimum
from schedlib.hmhs.workloads import tiny
from schedlib.pictures import style

PLACE = 5


def run(jobs: int, seed: int) -> pd.DataFrame:
    """Two map and two reduce machines, few tasks: `policy, makespan, optimum`, the exact one."""
    instance = tiny(jobs, seed)
    return makespans(instance).assign(optimum=optimum(instance))


def plot(frame: pd.DataFrame) -> mpl.Figure:
    """Makespans as multiples of the exact optimum: every instance, and the mean."""
    policies = set(frame["policy"])
    names = [name for name in ("bound", "priced", "hmhs", "r-hmhs", "fifo-pri", "fifo") if name in policies]
    figure, ax = style.subplots(size=(6.4, 3.8))
    for row, name in enumerate(names):
        one = frame[frame["policy"] == name]
        ratio = (one["makespan"] / one["optimum"]).to_numpy()
        look = style.look(name)
        spread = row + 0.28 * ((pd.Series(ratio).rank(method="first") % 7) / 3 - 1)
        every = {"linestyle": "none", "marker": look.marker, "color": look.color, "alpha": 0.35}
        ax.plot(ratio, spread, **every, markersize=3.5)
        ax.plot([ratio.mean()], [row], marker="|", markersize=22, markeredgewidth=2.5, color="black")
    ax.axvline(1, color="black", linewidth=0.8)
    ax.set_yticks(range(len(names)), [style.look(name).label for name in names])
    ax.invert_yaxis()
    ax.set(xlabel="makespan over the exact optimum (bar: mean)", ylabel="policy")
    return figure


def alt(frame: pd.DataFrame) -> str:
    """The mean ratios in words."""
    means = (frame["makespan"] / frame["optimum"]).groupby(frame["policy"]).mean().sort_values()
    words = ", ".join(f"{style.look(name).label} {value:.2f}" for name, value in means.items())
    return f"Strip chart of makespan over the exact optimum on tiny instances. Means: {words}."


EXPERIMENTS = (Experiment("hmhs.exact", "Policies against the exact optimum of tiny instances", run,
                          scales(grid(jobs=[3]), grid(jobs=[3, 4, 5])), scales(3, 40, 100)),)

FIGURES = (
    Figure(
        "hmhs.exact", "hmhs.exact", plot,
        "Tiny instances (3 to 5 jobs, two map and two reduce machines): every policy and the lower bound as "
        "a multiple of the exact optimum. HMHS may lose to FIFO on a single instance.", alt),)
