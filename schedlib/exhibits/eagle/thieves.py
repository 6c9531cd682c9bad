"""Beyond the paper: who steals in Hawk, on which the paper's text and the authors' program differ."""

import pandas as pd

from schedlib.exhibits.eagle import drawing
from schedlib.exhibits.eagle.comparing import PERCENTILES, highest_load, only
from schedlib.exhibits.eagle.running import ALL, MAKERS, SEEDS, THIEVES, each_system, loads
from schedlib.experiment import Experiment, Figure
from schedlib.pictures import style

PLACE = 6.8
DRAWN = ("eagle", "hawk-any", "hawk-general", "hawk-none", "sparrow")


def run(trace: str, workers: int, jobs: int, scale: float, seed: int) -> pd.DataFrame:
    """Hawk with thieves of all workers, of the general partition, and with none, beside Sparrow and Eagle."""
    names, workload = (*THIEVES, "sparrow", "eagle"), MAKERS[trace](jobs, seed, scale)
    return each_system(names, workload, trace, round(scale * workers), seed, THIEVES)


def draw(frame: pd.DataFrame):
    """Short jobs' completion times against the number of workers, a panel per percentile."""
    figure, axes = style.subplots(1, 3, size=(12.0, 3.9), sharey=True)
    for ax, percentile in zip(axes, PERCENTILES, strict=True):
        drawing.plot_lines(ax, only(frame, "short", percentile=percentile), "workers", "completion", DRAWN)
        ax.set(title=f"{percentile}th percentile", yscale="log")
        drawing.thousands(ax, frame["workers"])
    axes[0].set_ylabel("completion time of short jobs (s)")
    drawing.legend_of(axes[0])
    return figure


def _alt(frame):
    words = drawing.times_in_words(only(highest_load(frame), "short"), DRAWN)
    return f"Line charts of short jobs' times. At the highest load, 50th, 90th, 99th percentile: {words}."


EXPERIMENTS = (Experiment("eagle.thieves", "Who steals in Hawk", run,
                          {scale: loads(scale, step=2) for scale in ALL}, SEEDS),)

FIGURES = (
    Figure("eagle.thieves", "eagle.thieves", draw, drawing.caption(
        "Who steals in Hawk: any idle worker (the authors' program), those of the general partition (the "
        "paper's text), none; with Sparrow and Eagle, Google's trace. Beyond the paper."), _alt),
)
