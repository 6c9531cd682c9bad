"""Johnson's rule against every order of a small flow shop (Section 3.1)."""

import itertools

from pandas import DataFrame

from reproduce.figure import Figure
from schedlib.core.streams import streams
from schedlib.hmhs.johnson import flow_shop_makespan, johnson
from schedlib.sweeps import Experiment, grid, scales

PLACE = 5


def run_johnson(jobs: int, seed: int) -> DataFrame:
    """Johnson's rule against every order of a random two-machine flow shop: `johnson, best` makespans."""
    (rng,) = streams(seed, "flow shop")
    first, second = rng.integers(1, 50, (2, jobs))
    orders = map(list, itertools.permutations(range(jobs)))
    best = min(flow_shop_makespan(first, second, order) for order in orders)
    by_rule = flow_shop_makespan(first, second, johnson(first, second))
    return DataFrame([{"johnson": by_rule, "best": best}])


EXPERIMENTS = (
    Experiment(
        "hmhs.johnson",
        "Johnson's rule against every order",
        run_johnson,
        scales(grid(jobs=[5]), grid(jobs=[6, 7])),
        scales(3, 40, 100),
    ),
)
FIGURES = (
    Figure(
        "hmhs.johnson",
        "hmhs.johnson",
        None,
        "Johnson's rule on random flow shops of two machines and one task a stage: its mean makespan, and that of "
        "the best of all orders.",
        "Table of Johnson's rule against the best of all orders: they end at the same time.",
    ),
)
