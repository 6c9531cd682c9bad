"""Fig. 1, Eagle as a drawing, in which nothing is measured; and Table 1 on the generated traces."""

from pandas import DataFrame

from reproduce.exhibits.eagle.comparing import MAKERS, TRACES
from reproduce.exhibits.eagle.overview import plot_overview
from reproduce.figure import Figure
from schedlib.eagle.workloads.measures import short_share, table1
from schedlib.eagle.workloads.synthetic import CUTOFF, JOBS
from schedlib.sweeps import Experiment, scales

PLACE = 3


def run(trace: str, jobs: int, seed: int) -> DataFrame:
    """The contents of a trace: `jobs`, `long_jobs` (%), `long_work` and `short_share` (% of the task-seconds)."""
    workload = MAKERS[trace](jobs, seed)
    return table1(workload, CUTOFF[trace]).assign(
        short_share=100 * short_share(workload, CUTOFF[trace])
    )


EXPERIMENTS = (
    Experiment(
        "eagle.table1",
        "What the three traces hold",
        run,
        scales([{"trace": trace, "jobs": JOBS[trace]} for trace in TRACES]),
        scales(1),
    ),
)

FIGURES = (
    Figure(
        "eagle.fig1",
        "eagle.example",
        lambda frame: plot_overview(),
        "How Eagle schedules, as in the paper's Fig. 1. The central scheduler places long jobs. With "
        "each long task it sends a vector of bits that says which workers have long tasks. Distributed "
        "schedulers send probes for short jobs. A worker with a long task rejects a probe and returns "
        "its copy of the vector.",
        "Diagram of three distributed schedulers and a central one above ten workers in two partitions, "
        "with a probe that is rejected and sent again.",
    ),
    Figure(
        "eagle.table1",
        "eagle.table1",
        None,
        "The paper's Table 1 on generated traces: the number of jobs, the share of long jobs (%) and "
        "their share of the task-seconds (%). The last column is the short jobs' share of the "
        "task-seconds (%). By the paper's rule it is the size of the short partition (17, 9 and 2 %).",
        "Table of three traces with number of jobs, share of long jobs, and shares of task-seconds.",
        heads={
            "long_jobs": "long jobs (%)",
            "long_work": "their work (%)",
            "short_share": "short jobs' work (%)",
        },
    ),
)
