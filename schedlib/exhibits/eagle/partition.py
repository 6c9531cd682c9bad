"""Beyond the paper: the size of the short partition, in the paper the short jobs' share of the work."""

import pandas as pd

from schedlib.exhibits.eagle import drawing
from schedlib.exhibits.eagle.comparing import PERCENTILES, only
from schedlib.exhibits.eagle.running import SEEDS, WITHOUT, highest, on_google
from schedlib.experiment import Experiment, Figure
from schedlib.pictures import style

PLACE = 6.6
PER_CENT = {"smoke": (0, 17, 20), "quick": (0, 10, 17, 20, 30), "paper": (0, 10, 17, 20, 25)}
DRAWN = ("eagle", "no-sss", "hawk", "dlwl")


def run(partition: int, workers: int, jobs: int, scale: float, seed: int) -> pd.DataFrame:
    """Systems with `partition` % of the workers for short jobs; at 0 only those that can do without."""
    names: tuple[str, ...] = ("dlwl",) if partition == 0 else ("eagle", "no-sss", "hawk", "dlwl")
    names += {0: ("omniscient",), 17: ("omniscient", "no-sbp-srpt")}.get(partition, ())
    return on_google(names, workers, jobs, scale, seed, variants=WITHOUT, short_partition=partition / 100)


def draw(frame: pd.DataFrame):
    """Completion times of short jobs, and long ones' 90th percentile, against the size of the partition."""
    figure, axes = style.subplots(1, 4, size=(13.6, 3.7))
    panels = [("short", percentile) for percentile in PERCENTILES] + [("long", 90)]
    for ax, (jobs, percentile) in zip(axes, panels, strict=True):
        rows = only(frame, jobs, percentile=percentile, system=DRAWN)
        drawing.plot_lines(ax, rows, "partition", "completion", DRAWN)
        ax.axvline(17, color="black", linewidth=0.8, linestyle=":")
        drawing.near_means(ax, rows, "completion", ["system", "partition"])
        ax.set_title(f"{jobs} jobs, {percentile}th percentile")
        ax.set(xlabel="workers for short jobs alone (%)", ylabel="completion time (s)")
    drawing.legend_of(axes[0], columns=4)
    return figure


def _alt(frame):
    means = only(frame, "short", percentile=99).groupby(["system", "partition"])["completion"].mean()
    words = "; ".join(
        f"{drawing.LOOKS[name].label} {means[name, 17]:.4g} s at 17 % and {means[name, 20]:.4g} s at 20 %"
        for name in DRAWN)
    return ("Line charts of completion times against the short partition. 99th percentile of short jobs: "
            f"{words}.")


EXPERIMENTS = (Experiment("eagle.partition", "The size of the short partition", run,
                          {scale: highest(scale, ({"partition": share} for share in shares))
                           for scale, shares in PER_CENT.items()}, SEEDS),)

FIGURES = (
    Figure("eagle.partition", "eagle.partition", draw, drawing.caption(
        "What the size of the short partition does at the highest load of Google's trace; dotted: the "
        "paper's 17 %."), _alt),
)
