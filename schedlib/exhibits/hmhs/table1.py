"""Table 1: the six heterogeneous clusters, as configured and as drawn."""

import numpy as np
import pandas as pd

from schedlib.core.streams import streams
from schedlib.experiment import Experiment, Figure, grid, scales
from schedlib.hmhs.workloads import CLUSTERS, speeds

PLACE = 2


def run(cluster: str, seed: int) -> pd.DataFrame:
    """`slow` and `random` (% of 100 machines), and the mean speed factor of each kind over 100 jobs."""
    (rng,) = streams(seed, "hmhs map speeds")
    drawn = speeds(rng, 100, 100, CLUSTERS[cluster])
    slow = drawn.min(axis=0) >= 0.9
    means = [float(drawn[:, kind].mean()) if kind.any() else np.nan for kind in (slow, ~slow)]
    share = 100 * slow.mean()
    return pd.DataFrame(
        [{"slow": share, "random": 100 - share, "slow_mean_factor": means[0], "random_mean_factor": means[1]}]
    )


EXPERIMENTS = (
    Experiment(
        "hmhs.table1", "The six heterogeneous clusters", run, scales(grid(cluster=CLUSTERS)), scales(1)
    ),
)

FIGURES = (
    Figure(
        "hmhs.table1", "hmhs.table1", None,
        "The six clusters of the paper's Table 1: share of slow machines (factor 0.9 to 1) and random ones "
        "(0.1 to 1), and the mean speed factor of each kind as drawn.",
        "Table of six clusters: slow machines from 0 to 100 per cent in steps of 20.",
    ),
)
