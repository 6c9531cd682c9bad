"""Policies that clusters run instead, with jobs that arrive over time (beyond the paper): no verdicts.

100 machines with a map and a reduce slot each, 300 jobs of the trace, speed factors as in the paper. A map's
input lies on three machines drawn at random, and a map elsewhere takes half as long again. Under delay
scheduling a job waits up to 5 s for a local slot. A third of a reduce task's time is copying.
"""

import numpy as np
from pandas import DataFrame

from reproduce.exhibits import legend_below, only
from reproduce.exhibits.hmhs.comparing import pairs, plain_ticks
from reproduce.figure import Figure
from schedlib.hmhs.arrivals import SHARING, arriving, serve
from schedlib.plots import style
from schedlib.plots.alt import alt
from schedlib.sweeps import Experiment, grid, scales

PLACE = 8
JOBS, MACHINES, COPY = 300, 100, 1 / 3
LABELS = {
    "hmhs": "HMHS",
    "fifo": "FIFO",
    "fair": "Fair",
    "delay": "Delay (fair, 5 s)",
    "capacity": "Capacity",
    "shortest": "Shortest remaining",
}
LOOKS = {
    name: style.look(like)._replace(label=label)
    for (name, label), like in zip(
        LABELS.items(), ("hmhs", "fifo", "r-hmhs", "fifo-pri", "priced", "bound"), strict=True
    )
}


def run(load: float, seed: int) -> DataFrame:
    """Flow times of each policy (s): `policy, mean, median, p95`, `last` (when all is done), `local` (%)."""
    arrivals = arriving(pairs(), seed, n_jobs=JOBS, machines=MACHINES, load=load, copy=COPY)
    rows = []
    for policy in SHARING:
        done = serve(arrivals, policy, seed=seed, delay=5.0, remote=1.5)
        quantiles = np.quantile(done.flow, (0.5, 0.95))
        rows.append((policy, done.flow.mean(), *quantiles, done.job_end.max(), 100 * done.local))
    return DataFrame(rows, columns=["policy", "mean", "median", "p95", "last", "local"])


def over_fifo(frame: DataFrame) -> DataFrame:
    """`frame` with `mean` and `p95` over FIFO's on the same jobs."""
    fifo = only(frame, policy="fifo")[["seed", "load", "mean", "p95"]]
    both = frame.merge(fifo, on=["seed", "load"], suffixes=("", "_fifo"))
    return both.assign(mean=both["mean"] / both["mean_fifo"], p95=both["p95"] / both["p95_fifo"])


def plot_flow(frame: DataFrame):
    """Mean and 95th percentile of the flow time, over FIFO's, by load; each policy has a column beside the others."""
    ratios = over_fifo(frame)
    loads = sorted(set(ratios["load"]))
    figure, axes = style.subplots(1, 2, size=(8.8, 3.6))
    shown = {"mean": "mean flow time / FIFO's", "p95": "95th percentile / FIFO's"}
    for ax, (column, label) in zip(axes, shown.items(), strict=True):
        for shift, (policy, look) in zip(
            np.linspace(-0.3, 0.3, len(LOOKS)), LOOKS.items(), strict=True
        ):
            rows = only(ratios, policy=policy)
            at = rows["load"].map(loads.index) + shift
            ax.plot(at, rows[column], **look.line() | style.FAINT)
            means = rows.groupby(at)[column].mean()
            ax.plot(means.index, means, **look.line() | {"linestyle": "none"})
        ax.set(xlabel="offered load", ylabel=label, yscale="log")
        ax.set_xticks(range(len(loads)), loads)
        plain_ticks(ax)
    legend_below(axes[0], 3)
    return figure


EXPERIMENTS = (
    Experiment(
        "hmhs.flow",
        "Flow time by policy and load, Alibaba's pairs",
        run,
        scales(grid(load=[0.7]), grid(load=[0.5, 0.7, 0.9])),
        scales(2, 10),
    ),
)
FIGURES = (
    Figure(
        "hmhs.flow",
        "hmhs.flow",
        plot_flow,
        "Flow time, from submission to end, by policy and load of Alibaba's map-reduce pairs. 300 jobs run on "
        "100 machines, each with a map slot and a reduce slot. A map on a machine without one of its input's "
        "three copies takes half as long again. Ratios compare the same jobs. Marks: means. Faint: seeds. "
        "Beyond the paper.",
        alt(
            "Line charts of flow time against the load. Mean flow time over FIFO's",
            "mean",
            ["policy"],
            "load",
            of=over_fifo,
            names=LABELS,
        ),
    ),
)
