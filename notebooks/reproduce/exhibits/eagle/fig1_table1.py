"""Fig. 1, Eagle as a drawing, in which nothing is measured; and Table 1 on the generated traces."""

from typing import Any

import pandas as pd

from exhibits.eagle.comparing import MAKERS, TRACES, Measure, claim, only
from schedlib.eagle.workloads.measures import short_share, table1
from schedlib.eagle.workloads.synthetic import CUTOFF, JOBS
from schedlib.experiment import Experiment, Figure, scales
from schedlib.pictures.probing import plot_overview

PLACE = 3
PRINTED = {"google": (506460, 10.00, 83), "cloudera": (21030, 5.02, 91), "yahoo": (24262, 9.41, 98)}
"""The paper's Table 1: jobs, long jobs (%), task-seconds of long jobs (%)."""
COLUMNS = (  # the claim's name, the rows' column, what it is, its unit, the claim's tolerance
    ("jobs", "jobs", "number of jobs", "jobs", 0.0),
    ("long-jobs", "long_jobs", "share of long jobs", "% of jobs", 0.05),
    ("task-seconds", "long_work", "share of task-seconds in long jobs", "% of task-seconds", 0.5),
)


def run(trace: str, jobs: int, seed: int) -> pd.DataFrame:
    """What a trace holds: `jobs`, `long_jobs` (%), `long_work` and `short_share` (% of the task-seconds)."""
    workload = MAKERS[trace](jobs, seed)
    return table1(workload, CUTOFF[trace]).assign(
        short_share=100 * short_share(workload, CUTOFF[trace])
    )


def _of(trace: str, column: str) -> Measure:
    return lambda frame: only(frame, trace=trace)[column].to_numpy()


def _partition_gap(frame):
    """The largest distance (%) of the short jobs' share of task-seconds from the partition's of workers."""
    partition = frame["trace"].map({trace: 100 - printed[2] for trace, printed in PRINTED.items()})
    return (frame["short_share"] - partition).abs().groupby(frame["seed"]).max().to_numpy()


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
    ),
)

MADE: dict[str, Any] = {"by_construction": True, "reason": "the generator is made to have it"}

CLAIMS = (
    *(
        claim(
            f"{trace}-{name}",
            "Table 1",
            f"The {trace.title()} trace: {what}",
            _of(trace, column),
            value,
            experiment="eagle.table1",
            check="value",
            tolerance=tolerance,
            metric=what,
            unit=unit,
            how_read="table: at the paper's size",
            **MADE,
        )
        for trace in TRACES
        for (name, column, what, unit, tolerance), value in zip(
            COLUMNS, PRINTED[trace], strict=True
        )
    ),
    claim(
        "partition-rule",
        "Section 5",
        "The short partitions (17, 9, 2 % of the workers) are the short "
        "jobs' shares of task-seconds",
        _partition_gap,
        0.0,
        experiment="eagle.table1",
        check="value",
        tolerance=0.5,
        metric="largest distance",
        unit="points",
        **MADE,
    ),
)
