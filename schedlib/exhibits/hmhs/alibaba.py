"""The comparison of Fig. 1 on real map-reduce pairs (beyond the paper)."""

import pandas as pd

from schedlib import traces
from schedlib.exhibits.hmhs.comparing import JOBS, makespans
from schedlib.exhibits.hmhs.gains import alt_makespans, plot_makespans
from schedlib.experiment import Experiment, Figure, grid, scales
from schedlib.hmhs.workloads import from_trace

PLACE = 4


def run(jobs: int, seed: int) -> pd.DataFrame:
    """Makespan of each policy on pairs drawn from the hour, machines as in the paper: `policy, makespan`."""
    return makespans(from_trace(traces.alibaba2018("mapreduce"), seed, n_jobs=jobs))


EXPERIMENTS = (
    Experiment(
        "hmhs.alibaba", "Makespan against the number of jobs, real map-reduce pairs", run,
        scales(grid(jobs=[25, 50]), grid(jobs=JOBS)), scales(2, 10, 30),
    ),
)

FIGURES = (
    Figure(
        "hmhs.alibaba", "hmhs.alibaba", lambda frame: plot_makespans(frame.assign(workload="alibaba")),
        "The comparison of Fig. 1 on real jobs: map-reduce pairs drawn from one hour of Alibaba's batch "
        "trace, on the paper's machines; bands are 95 % intervals over seeds.",
        alt_makespans,
    ),
)
