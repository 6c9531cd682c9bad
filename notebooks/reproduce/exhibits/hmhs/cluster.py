"""What a cluster would run instead, with jobs that arrive over time (beyond the paper): no verdicts.

One setting for both exhibits: 100 machines with a map and a reduce slot each,
300 jobs of the trace, speed factors as in the paper. A map's input lies on three machines drawn at random,
and a map elsewhere takes half as long again; under delay scheduling a job waits up to 5 s for a local slot. A
third of a reduce task's time is copying, where the trace does not tell (Facebook's does).
"""

from functools import cache

import numpy as np
from pandas import DataFrame

from reproduce.exhibits import SWIM, legend_below, only, swim_files
from reproduce.exhibits.hmhs.comparing import pairs, plain_ticks
from reproduce.figure import Figure
from schedlib import traces
from schedlib.hmhs.arrivals import SHARING, arriving, serve
from schedlib.hmhs.workloads import swim_jobs
from schedlib.plots import style
from schedlib.plots.alt import alt
from schedlib.sweeps import Experiment, grid, scales

PLACE = 8
JOBS, MACHINES, COPY = 300, 100, 1 / 3
BLOCK = 256e6
"""Bytes of input to a map task of the Facebook jobs: Hadoop's 64 MB of those years gives ten million."""
YEARS = (2009, 2010)
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


@cache
def _facebook(year: int) -> DataFrame:
    """The day's jobs with the share of a reduce task's bytes that is copied."""
    workload = traces.read_swim(swim_files({"year": year})[0])
    shuffle, output = workload.jobs["shuffle"], workload.jobs["reduce_output"]
    return swim_jobs(workload, block=BLOCK).assign(copy=shuffle / np.maximum(shuffle + output, 1))


def _measured(jobs: DataFrame, seed: int, load: float, **more: float) -> DataFrame:
    """Flow times of each policy (s): `policy, mean, median, p95`, `last` (when all is done), `local` (%)."""
    arrivals = arriving(jobs, seed, n_jobs=JOBS, machines=MACHINES, load=load, **more)
    rows = []
    for policy in SHARING:
        done = serve(arrivals, policy, seed=seed, delay=5.0, remote=1.5)
        quantiles = np.quantile(done.flow, (0.5, 0.95))
        rows.append((policy, done.flow.mean(), *quantiles, done.job_end.max(), 100 * done.local))
    return DataFrame(rows, columns=["policy", "mean", "median", "p95", "last", "local"])


def run(load: float, seed: int) -> DataFrame:
    """Alibaba's map-reduce pairs at a load."""
    return _measured(pairs(), seed, load, copy=COPY)


def run_facebook(year: int, load: float, seed: int) -> DataFrame:
    """Facebook's jobs of 2009 or 2010 at a load."""
    return _measured(_facebook(year), seed, load)


def over_fifo(frame: DataFrame) -> DataFrame:
    """`frame` with `mean` and `p95` over FIFO's on the same jobs."""
    same = [name for name in ("seed", "year", "load") if name in frame]
    fifo = only(frame, policy="fifo")[[*same, "mean", "p95"]]
    both = frame.merge(fifo, on=same, suffixes=("", "_fifo"))
    return both.assign(mean=both["mean"] / both["mean_fifo"], p95=both["p95"] / both["p95_fifo"])


def plot_flow(frame: DataFrame):
    """Mean and 95th percentile of the flow time, over FIFO's, by load; a row for each year there is."""
    ratios = over_fifo(frame)
    parts = list(ratios.groupby("year")) if "year" in frame else [("", ratios)]
    figure, axes = style.subplots(len(parts), 2, size=(8.8, 3.6 * len(parts)), squeeze=False)
    shown = {"mean": "mean flow time / FIFO's", "p95": "95th percentile of flow time / FIFO's"}
    for row, (year, part) in zip(axes, parts, strict=True):
        for ax, (column, label) in zip(row, shown.items(), strict=True):
            style.band(ax, part, "load", column, by="policy", looks=LOOKS, each=True)
            means = part.groupby(["load", "policy"])[column].mean()
            limits = means.min() / 1.5, means.max() * 1.5
            ax.set(xlabel="offered load", ylabel=label, yscale="log", ylim=limits)
            plain_ticks(ax)
        row[0].set_title(f"Facebook {year}" if year else "Alibaba hour")
    legend_below(axes[0, 0], 3)
    return figure


def _alt(*by: str):
    head = "Line charts of flow time against the load. Mean flow time over FIFO's"
    return alt(head, "mean", by, "load", of=over_fifo, names=LABELS)


LOADS = (0.5, 0.7, 0.9)
EXPERIMENTS = (
    Experiment(
        "hmhs.flow",
        "Flow time by policy and load, Alibaba's pairs",
        run,
        scales(grid(load=[0.7]), grid(load=LOADS)),
        scales(2, 10),
    ),
    Experiment(
        "hmhs.flow-facebook",
        "Flow time by policy and load, Facebook's jobs",
        run_facebook,
        scales(grid(year=[2009], load=[0.7]), grid(year=YEARS, load=LOADS)),
        scales(2, 3, 5),
        **SWIM,
    ),
)

COMMON = (
    "300 jobs run on 100 machines, each with a map slot and a reduce slot. A map on a machine without one "
    "of its input's three copies takes half as long again. Ratios compare the same jobs. Lines: means. "
    "Faint marks: seeds. Beyond the paper."
)
FIGURES = (
    Figure(
        "hmhs.flow",
        "hmhs.flow",
        plot_flow,
        "Flow time, from submission to end, by policy and load of Alibaba's map-reduce pairs. "
        f"{COMMON}",
        _alt("policy"),
    ),
    Figure(
        "hmhs.flow-facebook",
        "hmhs.flow-facebook",
        plot_flow,
        f"Flow time by policy and load, Facebook's jobs (SWIM) at 10 MB/s a task. {COMMON}",
        _alt("policy", "year"),
    ),
)
