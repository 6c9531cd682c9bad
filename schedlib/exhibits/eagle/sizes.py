"""Beyond the paper: what three sizes decide: that of the short partition, of the cluster, and of the load."""

import pandas as pd

from schedlib.eagle.workloads.synthetic import LOAD, WORKERS
from schedlib.exhibits.eagle import drawing
from schedlib.exhibits.eagle.comparing import PERCENTILES, only, ratios
from schedlib.exhibits.eagle.running import SCALE, SEEDS, SIZE, TRACES, WITHOUT, highest, on_trace, size
from schedlib.experiment import Experiment, Figure, grid, scales
from schedlib.pictures import style

PLACE = 6.6
PARTITIONS = scales((0, 17, 20), (0, 10, 17, 20, 30), (0, 10, 17, 20, 25))  # per cent of the workers
DRAWN: tuple[str, ...] = ("eagle", "no-sss", "hawk", "dlwl")
SCALES = scales((1 / 150, 1 / 75), (1 / 150, 1 / 75, 1 / 30, 1 / 10, 1 / 5),
                (1 / 150, 1 / 75, 1 / 30, 1 / 10, 1 / 3, 1.0))
LOADS = scales((0.95, 1.15), (0.85, 0.95, 1.05, 1.15))


def run_partition(partition: int, workers: int, jobs: int, scale: float, seed: int) -> pd.DataFrame:
    """Systems with `partition` % of the workers for short jobs; at 0 only those that can do without."""
    names = ("dlwl",) if partition == 0 else DRAWN
    names += {0: ("omniscient",), 17: ("omniscient", "no-sbp-srpt")}.get(partition, ())
    return on_trace(names, "google", workers, jobs, scale, seed, variants=WITHOUT,
                    short_partition=partition / 100)


def run_clusters(scale: float, workers: int, jobs: int, seed: int) -> pd.DataFrame:
    """Eagle, Hawk and DLWL+SRPT at the highest load of Google's trace on the share `scale` of `workers`."""
    return on_trace(("eagle", "hawk", "dlwl"), "google", workers, jobs, scale, seed)


def run_heavier(trace: str, load: float, jobs: int, scale: float, seed: int) -> pd.DataFrame:
    """Eagle and Hawk with so few workers that the offered load is `load`."""
    return on_trace(("eagle", "hawk"), trace, min(WORKERS[trace]) * LOAD / load, jobs, scale, seed)


def _clusters(name):
    """As many jobs a worker as at that scale of the reproduction."""
    jobs = SIZE[name]["google"] / SCALE[name]["google"]
    return [{"scale": scale, "workers": min(WORKERS["google"]), "jobs": round(jobs * scale)}
            for scale in SCALES[name]]


def _heavier(name):
    """The paper's scale has small clusters too: in an overloaded one queues grow with the number of jobs."""
    small = "quick" if name == "paper" else name
    return [{"trace": trace, "load": load, **size(small, trace)} for trace in TRACES for load in LOADS[name]]


def draw_partition(frame: pd.DataFrame):
    """Completion times of short jobs, and long ones' 90th percentile, against the size of the partition."""
    figure, axes = style.subplots(1, 4, size=(13.6, 3.7))
    panels = [("short", percentile) for percentile in PERCENTILES] + [("long", 90)]
    drawing.plot_times(axes, frame, panels, "partition", DRAWN)
    for ax, (jobs, percentile) in zip(axes, panels, strict=True):
        ax.axvline(17, color="black", linewidth=0.8, linestyle=":")
        rows = only(frame, jobs, percentile=percentile, system=DRAWN)
        drawing.near_means(ax, rows, "completion", ["system", "partition"])
        ax.set_xlabel("workers for short jobs alone (%)")
    return figure


def draw_clusters(frame: pd.DataFrame):
    """Eagle over Hawk and over DLWL+SRPT at the same load against the size of the cluster, by class."""
    figure, axes = style.subplots(2, 2, size=(9.2, 6.2), sharex=True)
    for panels, base in zip(axes, ("hawk", "dlwl"), strict=True):
        for ax, jobs in zip(panels, ("short", "long"), strict=True):
            rows = ratios(frame, "eagle", base, jobs)
            drawing.plot_ratios(ax, rows.assign(simulated=rows["workers"] * rows["scale"]), "simulated")
            ax.set(xscale="log", ylabel=f"{jobs} jobs,\nEagle / {drawing.LOOKS[base].label}")
        drawing.from_zero(panels)
    for ax in axes[1]:
        ax.set_xlabel("workers simulated")
    drawing.legend_of(axes[0, 0])
    return figure


def draw_heavier(frame: pd.DataFrame):
    """Eagle over Hawk against the offered load, short jobs, a panel per trace."""
    figure, axes = style.subplots(1, 3, size=(11.4, 3.8), sharey=True)
    rows = ratios(frame, "eagle", "hawk", "short")
    for ax, (trace, name) in zip(axes, drawing.NAMES.items(), strict=True):
        style.band(ax, only(rows, trace=trace), "load", "ratio", "percentile", drawing.PERCENTILE_LOOKS)
        drawing.level(ax, 1, 1 / 3, 1 / 10)
        ax.axvline(LOAD, color="#AAAAAA", linewidth=0.8)
        ax.set(title=name, xlabel="offered load")
        drawing.near_means(ax, rows, "ratio", ["trace", "load", "percentile"])
        ax.set_yticks([0.1, 0.2, 1 / 3, 0.5, 1], ["1/10", "1/5", "1/3", "1/2", "1"])
        ax.yaxis.set_minor_formatter("")
    axes[0].set_ylabel("short jobs, Eagle / Hawk")
    drawing.legend_of(axes[0])
    return figure


def _alt_partition(frame):
    means = only(frame, "short", percentile=99).groupby(["system", "partition"])["completion"].mean()
    words = (f"{drawing.LOOKS[name].label} {means[name, 17]:.4g} s at 17 %, {means[name, 20]:.4g} s at 20 %"
             for name in DRAWN)
    return f"Line charts of times against the partition. 99th percentile of short jobs: {'; '.join(words)}."


def _alt_clusters(frame):
    words = "; ".join(f"{scale * rows['workers'].iloc[0]:,.0f} workers {drawing.means_in_words(rows)}"
                      for scale, rows in ratios(frame, "eagle", "hawk", "short").groupby("scale"))
    return ("Line charts of ratios against the size of the cluster. Eagle over Hawk, "
            f"{drawing.PERCENTILES_OF} short jobs: {words}.")


def _alt_heavier(frame):
    words = "; ".join(f"{drawing.NAMES[trace]} at {load:g} {drawing.means_in_words(rows)}"
                      for (trace, load), rows in ratios(frame, "eagle", "hawk", "short").groupby(
                          ["trace", "load"], sort=False))
    return f"Line charts of Eagle over Hawk against the load, {drawing.PERCENTILES_OF} short jobs: {words}."


EXPERIMENTS = (
    Experiment("eagle.partition", "The size of the short partition", run_partition,
               highest({scale: grid(partition=shares) for scale, shares in PARTITIONS.items()}), SEEDS),
    Experiment("eagle.clusters", "The same load in clusters of different size", run_clusters,
               {scale: _clusters(scale) for scale in SCALES}, scales(1, 5, 3)),
    Experiment("eagle.heavier", "Loads above the highest", run_heavier,
               {scale: _heavier(scale) for scale in LOADS}, scales(1, 3, 5)))

FIGURES = (
    Figure("eagle.partition", "eagle.partition", draw_partition, drawing.caption(
        "What the size of the short partition, in the paper the short jobs' share of the work, does at the "
        "highest load of Google's trace; dotted: the paper's 17 %."), _alt_partition),
    Figure("eagle.clusters", "eagle.clusters", draw_clusters,
           lambda frame: "What a smaller cluster does to the ratios: Google's trace at the highest load, "
           "with as many jobs per worker and, in a smaller cluster, a smaller largest job. "
           f"{frame['seed'].nunique()} seeds, intervals 95 %. Beyond the paper.", _alt_clusters),
    Figure("eagle.heavier", "eagle.heavier", draw_heavier, drawing.caption(
        "What the highest load, which the paper's text does not print, decides: short jobs under Eagle over "
        "those under Hawk against the offered load. Grey: our highest, 0.95; dotted: 3 and 10 times as fast, "
        "which the paper has at its highest. Above 1 queues grow as long as jobs come. Beyond the paper."),
        _alt_heavier),
)
