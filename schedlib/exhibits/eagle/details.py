"""Beyond the paper: what the authors' program does otherwise than the paper's text says, all of it together."""

import numpy as np
import pandas as pd

from schedlib.exhibits.eagle.comparing import compare, only
from schedlib.exhibits.eagle.drawing import (
    PERCENTILE_LOOKS,
    SYSTEM_LOOKS,
    caption,
    dots,
    legend,
    level,
    means_in_words,
)
from schedlib.exhibits.eagle.running import ALL, THIEVES, WITHOUT, highest, on_google
from schedlib.experiment import Experiment, Figure
from schedlib.pictures import style

PLACE = 6.7

SYSTEMS = (
    "eagle", "hawk-any", "hawk-general", "sparrow", "dlwl", "omniscient", "ideal-eagle", "no-sss", "no-sbp-srpt", "no-min",
)


def run(detail: str, workers: int, jobs: int, scale: float, seed: int) -> pd.DataFrame:
    """Every system in one of the two settings of detail, Google's trace: columns as of `each_system`."""
    return on_google(SYSTEMS, workers, jobs, scale, seed, variants=WITHOUT | THIEVES, detail=detail)


def _as_written(frame, system, jobs):
    """Ratios of completion times as written over those as published: `seed, class, percentile, ratio`."""
    written, published = ({"system": system, "detail": detail} for detail in ("as_written", "as_published"))
    return only(compare(frame, written, published), jobs)


def draw(frame: pd.DataFrame):
    """Completion times as written over those as published, per system: a panel for short and one for long jobs."""
    systems = list(dict.fromkeys(frame["system"]))
    labels = [SYSTEM_LOOKS[system].label.replace("Eagle without", "without") for system in systems]
    labels = [label.replace("Hawk, ", "Hawk,\n") for label in labels]
    figure, axes = style.subplots(1, 2, size=(11.6, 4.4), sharey=True)
    for ax, jobs in zip(axes, ("short", "long"), strict=True):
        for k, (percentile, look) in enumerate(PERCENTILE_LOOKS.items()):
            groups = [only(_as_written(frame, system, jobs), percentile=percentile)["ratio"] for system in systems]
            dots(ax, np.arange(len(systems)) + 0.22 * (k - 1), groups, look)
        level(ax)
        ax.set(title=f"{jobs} jobs", xlabel="system", yscale="log")
        ax.set_xticks(range(len(systems)), labels, rotation=50, ha="right", fontsize=8)
        ax.yaxis.set_major_formatter("{x:g}")
        ax.yaxis.set_minor_formatter("{x:g}")
        ax.tick_params(axis="y", which="minor", labelsize=7)
    axes[0].set_ylabel("completion time,\nas written / as published")
    legend(figure, PERCENTILE_LOOKS.values())
    return figure


def _alt(frame):
    systems = dict.fromkeys(frame["system"])
    words = [f"{SYSTEM_LOOKS[name].label} {means_in_words(_as_written(frame, name, 'short'))}" for name in systems]
    return (
        "Dot charts per system. Short jobs as written over as published, 50th, 90th, 99th percentile: "
        f"{'; '.join(words)}."
    )


EXPERIMENTS = (
    Experiment(
        "eagle.details", "As published and as written", run,
        {scale: highest(scale, [{"detail": detail} for detail in ("as_published", "as_written")]) for scale in ALL},
        {"smoke": 1, "quick": 5, "paper": 3},
    ),
)

FIGURES = (
    Figure(
        "eagle.details", "eagle.details", draw,
        caption("What the authors' program does otherwise than the paper's text says (see `eagle.simulate`), all of it "
                "together: completion times as written over those as published, on the same workloads, Google's trace, "
                "highest load. Who steals in Hawk is held fixed here. Beyond the paper."),
        _alt,
    ),
)
