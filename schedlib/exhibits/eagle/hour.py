"""Beyond the paper: every system on a real trace, an hour of Alibaba's stages."""

import pandas as pd

from schedlib.eagle.workloads.alibaba import alibaba
from schedlib.eagle.workloads.synthetic import WORKERS
from schedlib.exhibits.eagle import drawing
from schedlib.exhibits.eagle.comparing import PERCENTILES, only
from schedlib.exhibits.eagle.running import THIEVES, each_system
from schedlib.experiment import Experiment, Figure
from schedlib.pictures import style

PLACE = 8
EVERY = {"smoke": (256, 4), "quick": (32, 2), "paper": (16, 1)}
"""At each scale the share of the hour's stages, one in so many, and of the numbers of workers, likewise."""
DRAWN = ("eagle", "ideal-eagle", "omniscient", "dlwl", "hawk", "hawk-general", "sparrow")


def run(every: int, workers: int, seed: int) -> pd.DataFrame:
    """Every system on each `every`-th stage; `workers` is for every 16th, other samples get their share."""
    names = ("eagle", "hawk", "hawk-general", "sparrow", "dlwl", "omniscient", "ideal-eagle")
    return each_system(names, alibaba(every), "alibaba", round(workers * 16 / every), seed, THIEVES)


def draw(frame: pd.DataFrame):
    """Percentiles of completion times of short and of long jobs against the number of workers."""
    figure, axes = style.subplots(2, 3, size=(12.0, 6.8), sharex=True, sharey="row")
    frame = frame.assign(simulated=frame["workers"] * 16 / frame["every"])
    counts = sorted(set(frame["simulated"]))
    for panels, jobs in zip(axes, ("short", "long"), strict=True):
        for ax, percentile in zip(panels, PERCENTILES, strict=True):
            drawing.plot_lines(ax, only(frame, jobs, percentile=percentile), "simulated", "completion", DRAWN)
            ax.set(yscale="log", title=f"{jobs} jobs, {percentile}th percentile")
            ax.set_xticks(counts, [f"{count:g}" for count in counts])
        panels[0].set_ylabel("completion time (s)")
    for ax in axes[1]:
        ax.set_xlabel("workers")
    drawing.legend_of(axes[0, 0], columns=4)
    return figure


def _alt(frame):
    words = drawing.times_in_words(only(frame, "short", workers=frame["workers"].min()), DRAWN)
    return f"Line charts of completion times. Highest load, short jobs, 50th, 90th, 99th percentile: {words}."


EXPERIMENTS = (Experiment("eagle.hour", "An hour of Alibaba's stages", run,
                          {scale: [{"every": every, "workers": workers}
                                   for workers in WORKERS["alibaba"][::step]]
                           for scale, (every, step) in EVERY.items()}, {"smoke": 1, "quick": 3, "paper": 5}),)

FIGURES = (
    Figure("eagle.hour", "eagle.hour", draw,
           lambda frame: f"Every system on a real trace: one stage in {frame['every'].iloc[0]} of Alibaba's "
           "hour is a job, its instances are the tasks; means above 49 s make a job long, 24 % of the "
           "workers are for short jobs. Percentiles against the number of workers. Beyond the paper. Data: "
           "Alibaba, cluster-trace-v2018.", _alt),)
