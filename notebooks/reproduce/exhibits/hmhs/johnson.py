"""Johnson's rule against every order, and what is a theorem and not a measurement."""

import itertools

import pandas as pd

from exhibits.hmhs.comparing import claim
from schedlib.core.streams import streams
from schedlib.experiment import Experiment, grid, scales
from schedlib.hmhs.johnson import flow_shop_makespan, johnson

PLACE = 5


def run_johnson(jobs: int, seed: int) -> pd.DataFrame:
    """Johnson's rule against every order of a random two-machine flow shop: `johnson, best` makespans."""
    (rng,) = streams(seed, "flow shop")
    first, second = rng.integers(1, 50, (2, jobs))
    orders = map(list, itertools.permutations(range(jobs)))
    best = min(flow_shop_makespan(first, second, order) for order in orders)
    ours = flow_shop_makespan(first, second, johnson(first, second))
    return pd.DataFrame([{"johnson": ours, "best": best}])


EXPERIMENTS = (
    Experiment(
        "hmhs.johnson",
        "Johnson's rule against every order",
        run_johnson,
        scales(grid(jobs=[5]), grid(jobs=[6, 7])),
        scales(3, 40, 100),
    ),
)

CLAIMS = (
    claim(
        "johnson",
        "Section 3.1",
        "Johnson's rule is optimal with one machine and one task a stage",
        "hmhs.johnson",
        lambda frame: (frame["johnson"] - frame["best"]).groupby(frame["seed"]).max().to_numpy(),
        0.0,
        tolerance=0.0,
        how_read="text",
        metric="excess over the best of all orders",
        unit="time units",
    ),
    claim(
        "np-hard",
        "Section 2.2",
        "The problem is NP-hard",
        None,
        None,
        metric="complexity",
        unit="",
        how_read="text",
        reason="A theorem, not a measurement: with one task a stage and job the problem "
        "contains the two-stage flexible flow shop, which Gupta (1988) showed NP-complete. The chapter "
        "explains the reduction.",
    ),
)
