"""Fig. 2: makespan of 100 jobs on the six clusters of Table 1."""

from functools import partial

import pandas as pd

from schedlib.exhibits.hmhs.comparing import WORKLOADS, makespans
from schedlib.exhibits.hmhs.gains import TREND, alt_makespans, claim, gain_over, plot_makespans, slope
from schedlib.experiment import Experiment, Figure, grid, scales
from schedlib.hmhs.workloads import CLUSTERS

PLACE = 3


def run(workload: str, cluster: str, seed: int) -> pd.DataFrame:
    """Makespan of each policy for 100 jobs, in seconds: `policy, makespan, slow` (% of machines)."""
    slow = CLUSTERS[cluster]
    return makespans(WORKLOADS[workload](100, seed, slow=slow)).assign(slow=100 * slow)


EXPERIMENTS = (
    Experiment(
        "hmhs.fig2", "Makespan on the six clusters", run,
        scales(
            grid(workload=WORKLOADS, cluster=["cluster 1", "cluster 5", "cluster 6"]),
            grid(workload=WORKLOADS, cluster=CLUSTERS),
        ),
        scales(2, 10, 30),
    ),
)

FIGURES = (
    Figure(
        "hmhs.fig2", "hmhs.fig2", partial(plot_makespans, x="slow", label="slow machines (%)"),
        "Makespan of 100 jobs (top) and HMHS's gain (bottom) as slow machines take over the cluster; bands "
        "are 95 % intervals over seeds. The paper's Fig. 2.",
        partial(alt_makespans, x="slow", what="the share of slow machines in per cent"),
    ),
)

CLAIMS = (
    *(
        claim(
            f"slow-{workload}-{share}", "Section 4.2 B",
            f"HMHS is close to FIFO where slow machines dominate ({workload}, {share} % slow)", "hmhs.fig2",
            gain_over("fifo", workload, at=share), 0.0,
            tolerance=10.0, how_read="text: 'close'", reason=reason,
        )
        for workload in WORKLOADS
        for share, reason in (
            (80, "one random machine in five is enough: Min-Min sends the tasks where they are quick"),
            (100, ""),
        )
    ),
    *(
        claim(
            f"fewer-slow-{workload}", "Section 4.2 B",
            f"The fewer slow machines, the more HMHS gains over FIFO ({workload})", "hmhs.fig2",
            slope("fifo", workload, "slow"), **TREND, unit="points per 10 points fewer slow machines",
        )
        for workload in WORKLOADS
    ),
)
