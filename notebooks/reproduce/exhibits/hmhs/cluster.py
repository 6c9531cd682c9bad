"""What a cluster would run instead, with jobs that arrive over time (beyond the paper): no verdicts.

One setting for all four exhibits, fixed before any was run: 100 machines with a map and a reduce slot each,
300 jobs of the trace, speed factors as in the paper. A map's input lies on three machines drawn at random,
and a map elsewhere takes half as long again; under delay scheduling a job waits up to 5 s for a local slot. A
third of a reduce task's time is copying, where the trace does not tell (Facebook's does).
"""

from functools import cache, partial
from typing import Any

import numpy as np
import pandas as pd

from exhibits import SWIM, swim_files
from exhibits.hmhs.comparing import pairs
from schedlib import traces
from schedlib.experiment import Experiment, Figure, grid, scales
from schedlib.hmhs.arrivals import SHARING, Arrivals, arriving, serve
from schedlib.hmhs.workloads import swim_jobs
from schedlib.pictures import style
from schedlib.pictures.alt import alt

PLACE = 8
SETTING = {"delay": 5.0, "remote": 1.5}
JOBS, MACHINES, LOAD, COPY = 300, 100, 0.8, 1 / 3
SLOWER = 4.0
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
def _facebook(year: int) -> pd.DataFrame:
    """The day's jobs with the share of a reduce task's bytes that is copied."""
    workload = traces.read_swim(swim_files({"year": year})[0])
    shuffle, output = workload.jobs["shuffle"], workload.jobs["reduce_output"]
    return swim_jobs(workload, block=BLOCK).assign(copy=shuffle / np.maximum(shuffle + output, 1))


def _measured(arrivals: Arrivals, seed: int, **options: Any) -> pd.DataFrame:
    """Flow times of each policy (s): `policy, mean, median, p95`, `last` (when all is done), `local` (%)."""
    rows = []
    for policy in SHARING:
        done = serve(arrivals, policy, seed=seed, **SETTING | options)
        quantiles = np.quantile(done.flow, (0.5, 0.95))
        rows.append((policy, done.flow.mean(), *quantiles, done.job_end.max(), 100 * done.local))
    return pd.DataFrame(rows, columns=["policy", "mean", "median", "p95", "last", "local"])


def _hour(seed: int, load: float = LOAD) -> Arrivals:
    return arriving(pairs(), seed, n_jobs=JOBS, machines=MACHINES, load=load, copy=COPY)


def run(load: float, seed: int) -> pd.DataFrame:
    """Alibaba's map-reduce pairs at a load."""
    return _measured(_hour(seed, load), seed)


def run_facebook(year: int, load: float, seed: int) -> pd.DataFrame:
    """Facebook's jobs of 2009 or 2010 at a load."""
    jobs = arriving(_facebook(year), seed, n_jobs=JOBS, machines=MACHINES, load=load)
    return _measured(jobs, seed)


def run_slow_start(start: float, seed: int) -> pd.DataFrame:
    """Reduces may take slots, and copy, when so many per cent of their job's maps have ended."""
    return _measured(_hour(seed), seed, slow_start=start / 100)


def run_estimates(error: float, seed: int) -> pd.DataFrame:
    """The policy believes task times that are off by a factor of up to `error`, either way."""
    return _measured(_hour(seed), seed, error=float(np.log(error)))


def run_slowing(slow: float, seed: int) -> pd.DataFrame:
    """So many per cent of the machines are four times slower from the middle of the arrivals on."""
    arrivals = _hour(seed)
    factors = np.where(np.arange(MACHINES) < slow / 100 * MACHINES, SLOWER, 1.0)
    return _measured(arrivals, seed, slow=factors, slow_since=float(arrivals.submit[-1] / 2))


def over_fifo(frame: pd.DataFrame, x: str, at: float | None = None) -> pd.DataFrame:
    """`frame` with `mean`, `p95` and `last` over FIFO's on the same jobs, at the same `x` or `at` one."""
    same = [name for name in ("seed", "year") if name in frame] + ([x] if at is None else [])
    fifo = frame[(frame["policy"] == "fifo") & (True if at is None else frame[x] == at)]
    both = frame.merge(fifo[[*same, "mean", "p95", "last"]], on=same, suffixes=("", "_fifo"))
    return both.assign(
        **{name: both[name] / both[f"{name}_fifo"] for name in ("mean", "p95", "last")}
    )


def _lines(ax, frame, x, y, label, says):
    style.band(ax, frame, x, y, by="policy", looks=LOOKS, each=True)
    means = frame.groupby([x, "policy"])[y].mean()
    ax.set(xlabel=label, ylabel=says, yscale="log", ylim=(means.min() / 1.5, means.max() * 1.5))
    ax.yaxis.set_major_formatter("{x:g}")
    ax.yaxis.set_minor_formatter(lambda value, _: f"{value:g}" if f"{value:e}"[0] in "25" else "")


def plot_flow(frame: pd.DataFrame):
    """Mean and 95th percentile of the flow time, over FIFO's, by load; a row for each year there is."""
    ratios = over_fifo(frame, "load")
    parts = list(ratios.groupby("year")) if "year" in frame else [("", ratios)]
    figure, axes = style.subplots(len(parts), 2, size=(8.8, 3.6 * len(parts)), squeeze=False)
    for (left, right), (year, part) in zip(axes, parts, strict=True):
        _lines(left, part, "load", "mean", "offered load", "mean flow time / FIFO's")
        _lines(right, part, "load", "p95", "offered load", "95th percentile of flow time / FIFO's")
        left.set_title(f"Facebook {year}" if year else "Alibaba hour")
    figure.legend(*axes[0, 0].get_legend_handles_labels(), loc="outside lower center", ncols=3)
    return figure


def _plot_against(x: str, label: str, plain: float):
    def plot(frame: pd.DataFrame):
        figure, (left, right) = style.subplots(1, 2, size=(8.8, 3.8))
        ratios, words = over_fifo(frame, x, plain), f"FIFO's at {plain:g}"
        _lines(left, ratios, x, "mean", label, f"mean flow time / {words}")
        _lines(right, ratios, x, "last", label, f"all jobs done / {words}")
        if x == "error":
            for ax in (left, right):
                ax.set_xscale("log", base=2)
                ax.set_xticks(ticks := sorted(set(frame[x])), [f"{tick:g}" for tick in ticks])
        figure.legend(*left.get_legend_handles_labels(), loc="outside lower center", ncols=3)
        return figure

    return plot


def _alt(x: str, what: str, at: float | None = None, by: tuple[str, ...] = ("policy",)):
    over = "FIFO's" if at is None else f"FIFO's at {at:g}"
    head = f"Line charts of flow time against {what}. Mean flow time over {over}"
    return alt(head, "mean", by, x, of=partial(over_fifo, x=x, at=at), names=LABELS)


SEEDS, FEWER = scales(2, 10), scales(2, 5, 10)
LOADS = (0.5, 0.7, 0.9)
EXPERIMENTS = (
    Experiment(
        "hmhs.flow",
        "Flow time by policy and load, Alibaba's pairs",
        run,
        scales(grid(load=[0.7]), grid(load=LOADS)),
        SEEDS,
    ),
    Experiment(
        "hmhs.flow-facebook",
        "Flow time by policy and load, Facebook's jobs",
        run_facebook,
        scales(grid(year=[2009], load=[0.7]), grid(year=YEARS, load=LOADS)),
        scales(2, 3, 5),
        **SWIM,
    ),
    Experiment(
        "hmhs.slow-start",
        "Flow time when reduces may start early",
        run_slow_start,
        scales(grid(start=[5, 100]), grid(start=[5, 25, 50, 75, 100])),
        FEWER,
    ),
    Experiment(
        "hmhs.estimates",
        "Flow time when estimates are wrong",
        run_estimates,
        scales(grid(error=[1, 4]), grid(error=[1, 2, 4, 8])),
        FEWER,
    ),
    Experiment(
        "hmhs.slowing",
        "Flow time when machines slow down",
        run_slowing,
        scales(grid(slow=[0, 20]), grid(slow=[0, 10, 20, 40])),
        FEWER,
    ),
)

COMMON = (
    "300 jobs run on 100 machines, each with a map slot and a reduce slot. Every map's input has three "
    "copies; a map on a machine without one takes half as long again. Ratios compare the same jobs. "
    "Lines: means. Faint marks: seeds. Beyond the paper."
)
FIGURES = (
    Figure(
        "hmhs.flow",
        "hmhs.flow",
        plot_flow,
        "Flow time, from a job's submission to its end, by policy "
        "and load. The jobs are Alibaba's map-reduce pairs; their times of submission are stretched to "
        f"give the load. {COMMON}",
        _alt("load", "the load"),
    ),
    Figure(
        "hmhs.flow-facebook",
        "hmhs.flow-facebook",
        plot_flow,
        "Flow time by policy and load on "
        "Facebook's jobs of 2009 and 2010 (SWIM). A task takes its bytes over 10 MB/s. "
        f"{COMMON}",
        _alt("load", "the load", by=("policy", "year")),
    ),
    Figure(
        "hmhs.slow-start",
        "hmhs.slow-start",
        _plot_against("start", "maps done before reduces start (%)", 100),
        "Slow-start: when reduces may start before all maps of their job have ended. A reduce that starts "
        "early copies its input while maps still run. But it keeps its slot until the last of them has "
        f"ended. {COMMON}",
        _alt("start", "the maps done before (%)", at=100),
    ),
    Figure(
        "hmhs.estimates",
        "hmhs.estimates",
        _plot_against("error", "largest believed time / true one", 1),
        "Flow time when task times are estimated wrongly. Only HMHS and shortest remaining first use "
        f"estimates, so the other lines are level. {COMMON}",
        _alt("error", "the error's factor", at=1),
    ),
    Figure(
        "hmhs.slowing",
        "hmhs.slowing",
        _plot_against("slow", "machines four times slower (%)", 0),
        "Flow time when some machines become four times slower from the middle of the arrivals on. No "
        f"policy knows of it. {COMMON}",
        _alt("slow", "the share of slower machines (%)", at=0),
    ),
)
CLAIMS = ()
