"""Beyond the paper: every system on a real trace, an hour of Alibaba's stages."""

import pandas as pd

from schedlib.eagle.workloads.samples import alibaba
from schedlib.eagle.workloads.synthetic import WORKERS
from schedlib.exhibits.eagle import drawing
from schedlib.exhibits.eagle.comparing import PERCENTILES, only
from schedlib.exhibits.eagle.running import THIEVES, each_system
from schedlib.experiment import Experiment, Figure, grid, scales
from schedlib.pictures import style

PLACE = 8
DRAWN = ("eagle", "ideal-eagle", "omniscient", "dlwl", "hawk", "hawk-general", "sparrow")


def run(every: int, workers: int, seed: int) -> pd.DataFrame:
    """Every system on each `every`-th stage; `workers` is for every 16th, other samples get their share."""
    names = ("eagle", "hawk", "hawk-general", "sparrow", "dlwl", "omniscient", "ideal-eagle")
    return each_system(names, alibaba(every), "alibaba", round(workers * 16 / every), seed, THIEVES)


def draw(frame: pd.DataFrame):
    """Percentiles of completion times of short and of long jobs against the number of workers."""
    figure, axes = style.subplots(2, 3, size=(12.0, 6.8), sharex=True, sharey="row")
    frame = frame.assign(simulated=frame["workers"] * 16 / frame["every"])
    panels = [(jobs, percentile) for jobs in ("short", "long") for percentile in PERCENTILES]
    drawing.plot_times(axes.flat, frame, panels, "simulated", DRAWN)
    counts = sorted(set(frame["simulated"]))
    for ax in axes[1]:
        ax.set_xticks(counts, [f"{count:g}" for count in counts])
        ax.set_xlabel("workers")
    for ax in axes.flat:
        ax.label_outer()
    return figure


def _points(every, step):
    """One stage in `every` of the hour, and one in `step` of the numbers of workers."""
    return grid(every=[every], workers=WORKERS["alibaba"][::step])


EXPERIMENTS = (Experiment("eagle.hour", "An hour of Alibaba's stages", run,
                          scales(_points(256, 4), _points(32, 2), _points(16, 1)), scales(1, 3, 5)),)

FIGURES = (
    Figure("eagle.hour", "eagle.hour", draw,
           lambda frame: f"Every system on a real trace: one stage in {frame['every'].iloc[0]} of Alibaba's "
           "hour is a job, its instances are the tasks; means above 49 s make a job long, 24 % of the "
           "workers are for short jobs. Percentiles against the number of workers. Beyond the paper. Data: "
           "Alibaba, cluster-trace-v2018.",
           lambda frame: f"Line charts of times. Highest load, {drawing.PERCENTILES_OF} short jobs: "
           + drawing.times_in_words(only(frame, "short", workers=frame["workers"].min()), DRAWN) + "."),)
