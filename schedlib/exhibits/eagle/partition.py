"""Beyond the paper: the size of the short partition, in the paper the short jobs' share of the work."""

import pandas as pd

from schedlib.exhibits.eagle import drawing
from schedlib.exhibits.eagle.comparing import PERCENTILES, only
from schedlib.exhibits.eagle.running import SEEDS, WITHOUT, highest, on_trace
from schedlib.experiment import Experiment, Figure, grid, scales
from schedlib.pictures import style

PLACE = 6.6
PER_CENT = scales((0, 17, 20), (0, 10, 17, 20, 30), (0, 10, 17, 20, 25))
DRAWN: tuple[str, ...] = ("eagle", "no-sss", "hawk", "dlwl")


def run(partition: int, workers: int, jobs: int, scale: float, seed: int) -> pd.DataFrame:
    """Systems with `partition` % of the workers for short jobs; at 0 only those that can do without."""
    names = ("dlwl",) if partition == 0 else DRAWN
    names += {0: ("omniscient",), 17: ("omniscient", "no-sbp-srpt")}.get(partition, ())
    return on_trace(names, "google", workers, jobs, scale, seed, variants=WITHOUT,
                    short_partition=partition / 100)


def draw(frame: pd.DataFrame):
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


def _alt(frame):
    means = only(frame, "short", percentile=99).groupby(["system", "partition"])["completion"].mean()
    words = (f"{drawing.LOOKS[name].label} {means[name, 17]:.4g} s at 17 %, {means[name, 20]:.4g} s at 20 %"
             for name in DRAWN)
    return f"Line charts of times against the partition. 99th percentile of short jobs: {'; '.join(words)}."


EXPERIMENTS = (Experiment("eagle.partition", "The size of the short partition", run,
                          highest({scale: grid(partition=shares) for scale, shares in PER_CENT.items()}),
                          SEEDS),)

FIGURES = (
    Figure("eagle.partition", "eagle.partition", draw, drawing.caption(
        "What the size of the short partition does at the highest load of Google's trace; dotted: the "
        "paper's 17 %."), _alt),
)
