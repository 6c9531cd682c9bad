"""Beyond the paper: all that the authors' program does otherwise than the paper's text says."""

import numpy as np
import pandas as pd

from schedlib.exhibits.eagle import drawing
from schedlib.exhibits.eagle.comparing import compare, only
from schedlib.exhibits.eagle.running import ALL, THIEVES, WITHOUT, highest, on_google
from schedlib.experiment import Experiment, Figure
from schedlib.pictures import style

PLACE = 6.7
SYSTEMS = ("eagle", "hawk-any", "hawk-general", "sparrow", "dlwl", "omniscient", "ideal-eagle", *WITHOUT)
POINTS = [{"detail": "as_published"}, {"detail": "as_written"}]


def run(detail: str, workers: int, jobs: int, scale: float, seed: int) -> pd.DataFrame:
    """Every system in one of the two settings of detail, Google's trace."""
    return on_google(SYSTEMS, workers, jobs, scale, seed, variants=WITHOUT | THIEVES, detail=detail)


def _as_written(frame, system, jobs, **where):
    """Ratios of completion times as written over those as published: `seed, class, percentile, ratio`."""
    published, written = (point | {"system": system} for point in POINTS)
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


def _alt(frame):
    means = {name: drawing.means_in_words(_as_written(frame, name, "short")) for name in SYSTEMS}
    words = "; ".join(f"{drawing.LOOKS[name].label} {ratios}" for name, ratios in means.items())
    return ("Dot charts per system. Short jobs as written over as published, 50th, 90th, 99th percentile: "
            f"{words}.")


EXPERIMENTS = (Experiment("eagle.details", "As published and as written", run,
                          {scale: highest(scale, POINTS) for scale in ALL},
                          {"smoke": 1, "quick": 5, "paper": 3}),)

FIGURES = (
    Figure("eagle.details", "eagle.details", draw, drawing.caption(
        "What the authors' program does otherwise than the paper's text says (see `eagle.simulate`), all of "
        "it together: completion times as written over those as published, on the same workloads, Google's "
        "trace, highest load. Who steals in Hawk is held fixed here. Beyond the paper."), _alt),
)
