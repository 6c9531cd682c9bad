"""Beyond the paper: every system on a real trace, an hour of Alibaba's stages."""

import pandas as pd

from schedlib.eagle.workloads.samples import alibaba
from schedlib.eagle.workloads.synthetic import WORKERS
from schedlib.exhibits.eagle import drawing
from schedlib.exhibits.eagle.comparing import PERCENTILES, each_system, only
from schedlib.experiment import Experiment, Figure, grid, scales
from schedlib.pictures import style

PLACE = 8
SYSTEMS = ("eagle", "hawk", "hawk-general", "sparrow", "dlwl", "omniscient", "ideal-eagle")
DRAWN = ("eagle", "ideal-eagle", "omniscient", "dlwl", "hawk", "hawk-general", "sparrow")


def run(every: int, workers: int, seed: int) -> pd.DataFrame:
    """Every system on each `every`-th stage; `workers` is for every 16th, other samples get their share."""
    return each_system(SYSTEMS, alibaba(every), "alibaba", round(workers * 16 / every), seed)


def draw(frame: pd.DataFrame):
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


POINTS = [grid(every=[every], workers=WORKERS["alibaba"][::step])
          for every, step in ((256, 4), (32, 2), (16, 1))]
EXPERIMENTS = (
    Experiment("eagle.hour", "An hour of Alibaba's stages", run, scales(*POINTS), scales(1, 3, 5)),)

FIGURES = (
    Figure("eagle.hour", "eagle.hour", draw,
           lambda frame: f"Every system on a real trace: one stage in {frame['every'].iloc[0]} of Alibaba's "
           "hour is a job, its instances are the tasks; means above 49 s make a job long, 24 % of the "
           "workers are for short jobs. Percentiles against the number of workers. Beyond the paper. Data: "
           "Alibaba, cluster-trace-v2018.",
           lambda frame: f"Line charts of times. Highest load, {drawing.PERCENTILES_OF} short jobs: "
           + drawing.times_in_words(only(frame, "short", workers=frame["workers"].min()), DRAWN) + "."),)
