"""Beyond the paper: where the authors' program and the paper's text differ; above all, who steals in Hawk."""

import numpy as np
import pandas as pd

from schedlib.exhibits.eagle import drawing
from schedlib.exhibits.eagle.comparing import PERCENTILES, compare, highest_load, only
from schedlib.exhibits.eagle.running import SEEDS, THIEVES, WITHOUT, highest, loads, on_trace
from schedlib.experiment import Experiment, Figure, grid, scales
from schedlib.pictures import style

PLACE = 6.7
SYSTEMS = ("eagle", "hawk-any", "hawk-general", "sparrow", "dlwl", "omniscient", "ideal-eagle", *WITHOUT)
HAWKS = ("eagle", "hawk-any", "hawk-general", "hawk-none", "sparrow")


def run(detail: str, workers: int, jobs: int, scale: float, seed: int) -> pd.DataFrame:
    """Every system in one of the two settings of detail, Google's trace."""
    return on_trace(SYSTEMS, "google", workers, jobs, scale, seed, variants=WITHOUT | THIEVES, detail=detail)


def run_thieves(trace: str, workers: int, jobs: int, scale: float, seed: int) -> pd.DataFrame:
    """Hawk with thieves of all workers, of the general partition, and with none, beside Sparrow and Eagle."""
    names = (*THIEVES, "sparrow", "eagle")
    return on_trace(names, trace, workers, jobs, scale, seed, variants=THIEVES)


def _as_written(frame, system, jobs, **where):
    """Ratios of completion times as written over those as published: `seed, class, percentile, ratio`."""
    written, published = ({"detail": f"as_{word}", "system": system} for word in ("written", "published"))
    return only(compare(frame, written, published), jobs, **where)


def draw(frame: pd.DataFrame):
    """Completion times as written over those as published, by system, short and long jobs."""
    figure, axes = style.subplots(1, 2, size=(11.6, 4.4), sharey=True)
    labels = [drawing.LOOKS[name].label.replace("Eagle without", "without") for name in SYSTEMS]
    labels = [label.replace("Hawk, ", "Hawk,\n") for label in labels]
    for ax, jobs in zip(axes, ("short", "long"), strict=True):
        for k, (percentile, look) in enumerate(drawing.PERCENTILE_LOOKS.items()):
            groups = [_as_written(frame, name, jobs, percentile=percentile)["ratio"] for name in SYSTEMS]
            drawing.dots(ax, np.arange(len(SYSTEMS)) + 0.22 * (k - 1), groups, look)
        drawing.level(ax)
        ax.set(title=f"{jobs} jobs", xlabel="system", yscale="log")
        ax.set_xticks(range(len(SYSTEMS)), labels, rotation=50, ha="right", fontsize=8)
        ax.yaxis.set_major_formatter("{x:g}")
        ax.yaxis.set_minor_formatter("{x:g}")
        ax.tick_params(axis="y", which="minor", labelsize=7)
    axes[0].set_ylabel("completion time,\nas written / as published")
    drawing.legend(figure, drawing.PERCENTILE_LOOKS.values())
    return figure


def draw_thieves(frame: pd.DataFrame):
    """Short jobs' completion times against the number of workers, a panel per percentile."""
    figure, axes = style.subplots(1, 3, size=(12.0, 3.9), sharey=True)
    drawing.plot_times(axes, frame, [("short", p) for p in PERCENTILES], "workers", HAWKS, columns=3)
    for ax in axes:
        drawing.thousands(ax, frame["workers"])
        ax.label_outer()
    return figure


def _alt(frame):
    words = "; ".join(f"{drawing.LOOKS[name].label} "
                      f"{drawing.means_in_words(_as_written(frame, name, 'short'))}" for name in SYSTEMS)
    return f"Dot charts: as written over as published, {drawing.PERCENTILES_OF} short jobs. {words}."


EXPERIMENTS = (
    Experiment("eagle.details", "As published and as written", run,
               highest(scales(grid(detail=["as_published", "as_written"]))), scales(1, 5, 3)),
    Experiment("eagle.thieves", "Who steals in Hawk", run_thieves, loads(scales(2)), SEEDS))

FIGURES = (
    Figure("eagle.details", "eagle.details", draw, drawing.caption(
        "What the authors' program does otherwise than the paper's text says (see `eagle.simulate`), all of "
        "it together: completion times as written over those as published, on the same workloads, Google's "
        "trace, highest load. Who steals in Hawk is held fixed here. Beyond the paper."), _alt),
    Figure("eagle.thieves", "eagle.thieves", draw_thieves, drawing.caption(
        "Who steals in Hawk: any idle worker (the authors' program), those of the general partition (the "
        "paper's text), none; with Sparrow and Eagle, Google's trace. Beyond the paper."),
        lambda frame: f"Line charts of times. At the highest load, {drawing.PERCENTILES_OF} short jobs: "
        + drawing.times_in_words(only(highest_load(frame), "short"), HAWKS) + "."),
)
