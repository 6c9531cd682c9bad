"""What Section 3.2 says of dispatching: tasks on their quickest machines, and reduces that arrive together."""

import numpy as np
from pandas import DataFrame

from reproduce.exhibits.hmhs.comparing import WORKLOADS
from reproduce.figure import Figure
from schedlib.hmhs.johnson import total_times
from schedlib.hmhs.schedule import schedule
from schedlib.sweeps import Experiment, grid, scales

PLACE = 3.2


def run(workload: str, jobs: int, seed: int) -> DataFrame:
    """The maps under HMHS and FIFO, by `policy`.

    - `best`: the share (%) of map tasks on that machine on which their job is quickest
    - `apart`: how far apart the reduces of neighbours in P-bar^m arrive, in % of any two jobs' mean distance
    """
    instance = WORKLOADS[workload](jobs, seed)
    quickest = instance.map_speed.argmin(axis=1)  # (N,)
    totals, _ = total_times(instance)
    by_total = np.argsort(totals)
    rows = []
    for policy in ("hmhs", "fifo"):
        plan = schedule(instance, policy)
        best = 100 * (plan.map.machine == quickest[plan.map.job]).mean()
        arriving = plan.map_end[by_total]
        neighbours = np.abs(np.diff(arriving)).mean()
        pairs = np.abs(np.subtract.outer(arriving, arriving)).sum() / (jobs * (jobs - 1))
        rows.append((policy, best, 100 * neighbours / pairs))
    return DataFrame(rows, columns=["policy", "best", "apart"])


EXPERIMENTS = (
    Experiment(
        "hmhs.dispatching",
        "Where map tasks run, and when reduces arrive",
        run,
        scales(grid(workload=WORKLOADS, jobs=[25]), grid(workload=WORKLOADS, jobs=[100])),
        scales(2, 20),
    ),
)
FIGURES = (
    Figure(
        "hmhs.dispatching",
        "hmhs.dispatching",
        None,
        "Two remarks of Section 3.2, with 100 jobs. Best: the share of map tasks on the machine on which their job "
        "is quickest, one of 100. Apart: how far apart the reduces of jobs arrive that are neighbours in their "
        "maps' total time, in per cent of the mean over all pairs of jobs.",
        "Table of two policies and two workloads: map tasks on their quickest machine, and how far apart reduces arrive.",
        heads={"best": "on the quickest machine (%)", "apart": "neighbours apart (%)"},
    ),
)
