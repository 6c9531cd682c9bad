"""Figs. 1 and 2 and Table 1: makespans against the number of jobs and of slow machines, and beyond the paper.

Beyond it: the same on real map-reduce pairs, and how far each policy ends above the lower bound.
"""

from dataclasses import replace
from functools import partial

import numpy as np
from pandas import DataFrame

from reproduce.exhibits import legend_below, only
from reproduce.exhibits.hmhs import comparing
from reproduce.exhibits.hmhs.comparing import JOBS, WORKLOADS
from reproduce.figure import Figure
from schedlib.core.streams import streams
from schedlib.hmhs.model import Instance
from schedlib.hmhs.workloads import CLUSTERS, from_trace, speeds
from schedlib.plots import style
from schedlib.plots.alt import alt
from schedlib.sweeps import Experiment, grid, scales

PLACE = 1


def run(workload: str, jobs: int, seed: int) -> DataFrame:
    """Makespan of each policy on 100 map and 100 reduce machines, in seconds: `policy, makespan`."""
    return comparing.makespans(WORKLOADS[workload](jobs, seed))


def run_table(cluster: str, seed: int) -> DataFrame:
    """`slow` and `random` (% of 100 machines), and the mean speed factor of each kind over 100 jobs."""
    (rng,) = streams(seed, "hmhs map speeds")
    drawn = speeds(rng, 100, 100, CLUSTERS[cluster])
    slow = drawn.min(axis=0) >= 0.9
    means = [float(drawn[:, kind].mean()) if kind.any() else np.nan for kind in (slow, ~slow)]
    share = 100 * slow.mean()
    columns = ["slow", "random", "slow_mean_factor", "random_mean_factor"]
    return DataFrame([(share, 100 - share, *means)], columns=columns)


def run_clusters(workload: str, cluster: str, seed: int) -> DataFrame:
    """Makespan of each policy for 100 jobs, in seconds: `policy, makespan, slow` (% of machines)."""
    slow = CLUSTERS[cluster]
    return comparing.makespans(WORKLOADS[workload](100, seed, slow=slow)).assign(slow=100 * slow)


def one_factor_a_machine(drawn: Instance) -> Instance:
    """The same jobs where every job has the first one's speed factors: V drawn per machine."""
    return replace(
        drawn,
        map_speed=np.repeat(drawn.map_speed[:1], drawn.n_jobs, axis=0),
        reduce_speed=np.repeat(drawn.reduce_speed[:1], drawn.n_jobs, axis=0),
    )


def run_alibaba(jobs: int, seed: int) -> DataFrame:
    """Makespan of each policy on pairs drawn from the hour, machines as in the paper: `policy, makespan`."""
    return comparing.makespans(from_trace(comparing.pairs(), seed, n_jobs=jobs))


def run_gap(workload: str, jobs: int, seed: int) -> DataFrame:
    """As Fig. 1, with priced dispatch and the lower bound."""
    return comparing.makespans(WORKLOADS[workload](jobs, seed), bounded=True)


SEEDS = scales(2, 60)


EXPERIMENTS = (
    Experiment(
        "hmhs.fig1",
        "Makespan against the number of jobs, single and hybrid workloads",
        run,
        scales(grid(workload=WORKLOADS, jobs=[25, 50]), grid(workload=WORKLOADS, jobs=JOBS)),
        SEEDS,
    ),
    Experiment(
        "hmhs.table1",
        "The six heterogeneous clusters",
        run_table,
        scales(grid(cluster=CLUSTERS)),
        scales(1),
    ),
    Experiment(
        "hmhs.fig2",
        "Makespan on the six clusters",
        run_clusters,
        scales(
            grid(workload=WORKLOADS, cluster=["cluster 1", "cluster 5", "cluster 6"]),
            grid(workload=WORKLOADS, cluster=CLUSTERS),
        ),
        SEEDS,
    ),
    Experiment(
        "hmhs.alibaba",
        "Makespan against the number of jobs, real map-reduce pairs",
        run_alibaba,
        scales(grid(jobs=[25, 50]), grid(jobs=JOBS)),
        scales(2, 10, 20),
    ),
    Experiment(
        "hmhs.gap",
        "Makespan above a lower bound",
        run_gap,
        scales(grid(workload=WORKLOADS, jobs=[25, 50]), grid(workload=WORKLOADS, jobs=JOBS)),
        scales(2, 5, 10),
    ),
)


def gaps(frame: DataFrame) -> DataFrame:
    """The policies' rows with `gap`: by how many per cent of the lower bound the makespan exceeds it."""
    rows = comparing.against(frame, "bound")
    return rows[rows["policy"] != "bound"].assign(gap=100 * (rows["makespan"] / rows["bound"] - 1))


def plot_gap(frame: DataFrame):
    """The gap against the number of jobs, a panel for each workload."""
    gap = gaps(frame)
    figure, axes = style.subplots(1, len(WORKLOADS), size=(9.2, 3.8))
    for ax, name in zip(axes, WORKLOADS, strict=True):
        rows = only(gap, workload=name)
        style.band(ax, rows, "jobs", "gap", by="policy")
        ax.set(title=comparing.TITLES[name], ylabel="makespan above the lower bound (%)")
        comparing.log_y(ax, rows.groupby(["jobs", "policy"])["gap"].mean().min())
        comparing.jobs_axis(ax, frame["jobs"])
    legend_below(axes[0], 5)
    return figure


FIGURES = (
    Figure(
        "hmhs.fig1",
        "hmhs.fig1",
        comparing.plot_makespans,
        "Makespan of four policies (top) and HMHS's "
        "gain over its rivals (bottom) against the number of jobs, on 100 map and 100 reduce machines "
        "(the paper's Fig. 1). Short bars at the right: the smallest and the largest gain that the paper "
        "prints. Bands: 95 % intervals of mean gains.",
        comparing.alt_makespans(["workload", "policy"], "jobs", "the number of jobs"),
    ),
    Figure(
        "hmhs.table1",
        "hmhs.table1",
        None,
        "The six clusters of the paper's Table 1: the share of slow "
        "machines and of random ones, and the mean speed factor of each kind as drawn. The larger the "
        "factor, the slower the machine. Slow machines draw from 0.9 to 1, random ones from 0.1 to "
        "1.",
        "Table of six clusters: slow machines from 0 to 100 per cent in steps of 20.",
        heads={
            "slow": "slow (%)",
            "random": "random (%)",
            "slow_mean_factor": "mean factor, slow",
            "random_mean_factor": "mean factor, random",
        },
    ),
    Figure(
        "hmhs.fig2",
        "hmhs.fig2",
        partial(comparing.plot_makespans, x="slow", label="slow machines (%)"),
        "Makespan of 100 jobs (top) and HMHS's gain (bottom) against the share of slow machines (the "
        "paper's Fig. 2). Bands: 95 % intervals of mean gains.",
        comparing.alt_makespans(["workload", "policy"], "slow", "the share of slow machines (%)"),
    ),
    Figure(
        "hmhs.alibaba",
        "hmhs.alibaba",
        lambda frame: comparing.plot_makespans(frame.assign(workload="alibaba")),
        "Makespans and HMHS's gains as in the paper's Fig. 1, but on real jobs: map-reduce pairs drawn "
        "from one hour of Alibaba's batch trace, on the paper's machines. Bands: 95 % intervals of "
        "mean gains.",
        comparing.alt_makespans(["policy"], "jobs", "the number of jobs"),
    ),
    Figure(
        "hmhs.gap",
        "hmhs.gap",
        plot_gap,
        "How far each policy's makespan is above a lower bound that no "
        "schedule can beat (beyond the paper). FIFO is much farther from HMHS than HMHS is from the "
        "bound. Priced dispatch, a rule of ours, gains part of the "
        "rest.",
        alt(
            "Line charts of each policy's makespan above the lower bound (%) against the number of jobs",
            "gap",
            ["policy", "workload"],
            "jobs",
            of=gaps,
        ),
    ),
)
