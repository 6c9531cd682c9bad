"""Table 1 and Fig. 2: the six heterogeneous clusters, and the makespan of 100 jobs on each."""

from functools import partial

import numpy as np
import pandas as pd

from schedlib.core.streams import streams
from schedlib.exhibits.hmhs import comparing
from schedlib.exhibits.hmhs.comparing import WORKLOADS, claim, gain_over
from schedlib.experiment import Experiment, Figure, grid, scales
from schedlib.hmhs.workloads import CLUSTERS, speeds

PLACE = 2


def run_table(cluster: str, seed: int) -> pd.DataFrame:
    """`slow` and `random` (% of 100 machines), and the mean speed factor of each kind over 100 jobs."""
    (rng,) = streams(seed, "hmhs map speeds")
    drawn = speeds(rng, 100, 100, CLUSTERS[cluster])
    slow = drawn.min(axis=0) >= 0.9
    means = [float(drawn[:, kind].mean()) if kind.any() else np.nan for kind in (slow, ~slow)]
    share = 100 * slow.mean()
    return pd.DataFrame([{"slow": share, "random": 100 - share, "slow_mean_factor": means[0],
                          "random_mean_factor": means[1]}])


def run(workload: str, cluster: str, seed: int) -> pd.DataFrame:
    """Makespan of each policy for 100 jobs, in seconds: `policy, makespan, slow` (% of machines)."""
    slow = CLUSTERS[cluster]
    return comparing.makespans(WORKLOADS[workload](100, seed, slow=slow)).assign(slow=100 * slow)


EXPERIMENTS = (
    Experiment("hmhs.table1", "The six heterogeneous clusters", run_table, scales(grid(cluster=CLUSTERS)),
               scales(1)),
    Experiment("hmhs.fig2", "Makespan on the six clusters", run,
               scales(grid(workload=WORKLOADS, cluster=["cluster 1", "cluster 5", "cluster 6"]),
                      grid(workload=WORKLOADS, cluster=CLUSTERS)), scales(2, 10, 30)),
)

FIGURES = (
    Figure(
        "hmhs.table1", "hmhs.table1", None,
        "The six clusters of the paper's Table 1: share of slow machines (factor 0.9 to 1) and random ones "
        "(0.1 to 1), and the mean speed factor of each kind as drawn.",
        "Table of six clusters: slow machines from 0 to 100 per cent in steps of 20."),
    Figure(
        "hmhs.fig2", "hmhs.fig2", partial(comparing.plot_makespans, x="slow", label="slow machines (%)"),
        "Makespan of 100 jobs (top) and HMHS's gain (bottom) as slow machines take over the cluster; bands "
        "are 95 % intervals over seeds. The paper's Fig. 2.",
        partial(comparing.alt_makespans, x="slow", what="the share of slow machines in per cent")),
)

CLAIMS = (
    *(claim(f"slow-{workload}-{share}", "Section 4.2 B",
            f"HMHS is close to FIFO where slow machines dominate ({workload}, {share} % slow)", "hmhs.fig2",
            gain_over("fifo", workload, at=share), 0.0, tolerance=10.0, how_read="text: 'close'",
            reason=reason) for workload in WORKLOADS
      for share, reason in (
          (80, "one random machine in five is enough: Min-Min sends the tasks where they are quick"),
          (100, ""),
      )),
    *(claim(f"fewer-slow-{workload}", "Section 4.2 B",
            f"The fewer slow machines, the more HMHS gains over FIFO ({workload})", "hmhs.fig2",
            comparing.slope(workload, "slow"), **comparing.TREND,
            unit="points per 10 points fewer slow machines") for workload in WORKLOADS),
)
