"""Against exact answers: the policies on tiny instances (beyond the paper), and Johnson's rule."""

import itertools

import numpy as np
import pandas as pd
from matplotlib import figure as mpl

from schedlib.core.streams import streams
from schedlib.exhibits.hmhs.comparing import claim, makespans
from schedlib.experiment import Experiment, Figure, grid, scales
from schedlib.hmhs.johnson import flow_shop_makespan, johnson
from schedlib.hmhs.optimum import optimum
from schedlib.hmhs.workloads import tiny
from schedlib.pictures import style

PLACE = 5


def run(jobs: int, seed: int) -> pd.DataFrame:
    """Two map and two reduce machines, few tasks: `policy, makespan, optimum`, the exact one."""
    instance = tiny(jobs, seed)
    return makespans(instance).assign(optimum=optimum(instance))


def run_johnson(jobs: int, seed: int) -> pd.DataFrame:
    """Johnson's rule against every order of a random two-machine flow shop: `johnson, best` makespans."""
    (rng,) = streams(seed, "flow shop")
    first, second = rng.integers(1, 50, (2, jobs))
    orders = map(list, itertools.permutations(range(jobs)))
    best = min(flow_shop_makespan(first, second, order) for order in orders)
    ours = flow_shop_makespan(first, second, johnson(first, second))
    return pd.DataFrame([{"johnson": ours, "best": best}])


def plot(frame: pd.DataFrame) -> mpl.Figure:
    """Makespans as multiples of the exact optimum: every instance, and the mean."""
    policies = set(frame["policy"])
    names = [name for name in ("bound", "priced", "hmhs", "r-hmhs", "fifo-pri", "fifo") if name in policies]
    figure, ax = style.subplots(size=(6.4, 3.8))
    ratios = (frame["makespan"] / frame["optimum"]).groupby(frame["policy"])
    for row, name in enumerate(names):
        ratio, look = ratios.get_group(name), style.look(name)
        spread = row + 0.28 * ((ratio.rank(method="first") % 7) / 3 - 1)
        ax.plot(ratio, spread, look.marker, color=look.color, alpha=0.35, markersize=3.5)
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


EXPERIMENTS = (
    Experiment("hmhs.exact", "Policies against the exact optimum of tiny instances", run,
               scales(grid(jobs=[3]), grid(jobs=[3, 4, 5])), scales(3, 40, 100)),
    Experiment("hmhs.johnson", "Johnson's rule against every order", run_johnson,
               scales(grid(jobs=[5]), grid(jobs=[6, 7])), scales(3, 40, 100)),
)

FIGURES = (
    Figure("hmhs.exact", "hmhs.exact", plot,
           "Tiny instances (3 to 5 jobs, two map and two reduce machines): every policy and the lower bound "
           "as a multiple of the exact optimum. HMHS may lose to FIFO on a single instance.", alt),)


def excess(frame: pd.DataFrame) -> np.ndarray:
    """By how much Johnson's rule exceeds the best of all orders, the worst case of each seed."""
    return (frame["johnson"] - frame["best"]).groupby(frame["seed"]).max().to_numpy()


CLAIMS = (
    claim("johnson", "Section 3.1", "Johnson's rule is optimal with one machine and one task a stage",
          "hmhs.johnson", excess, 0.0, tolerance=0.0, metric="excess over the best of all orders",
          unit="time units"),
    claim("np-hard", "Section 2.2", "The problem is NP-hard", None, None, metric="complexity", unit="",
          reason="A theorem, not a measurement: with one task a stage and job the problem contains the "
          "two-stage flexible flow shop, which Gupta (1988) showed NP-complete. "
          "The chapter explains the reduction."),
)
