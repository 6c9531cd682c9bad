"""Beyond the paper: how much the tasks of one job differ. The paper's Google trace told, ours assumes it.

The generator's tasks have a coefficient of variation of 0.7 within a job. Here they are drawn anew for the
same jobs, lognormal, with another. Fixed before any was run: Fig. 8's widest ranges of estimates.
"""

import numpy as np
import pandas as pd

from exhibits.eagle import comparing, drawing
from exhibits.eagle.comparing import only, ratios
from schedlib.core.streams import streams
from schedlib.eagle.workloads.synthetic import durations
from schedlib.experiment import Experiment, Figure, grid, scales
from schedlib.pictures import style
from schedlib.workload import Workload

PLACE = 6.67
CVS = scales((0.2, 2.0), (0.2, 0.5, 1.0, 2.0))
RANGES = {"exact": "mean", "under": (0.3, 1.0), "over": (1.0, 1.9)}
"""What an estimate is multiplied by, at random."""
LOOKS = {
    name: drawing.LOOKS[like]._replace(label=f"DLWL+SRPT, {name}-estimated ({low:g} to {high:g})")
    for name, like, low, high in (("under", "dlwl", 0.3, 1), ("over", "dlwl-7", 1, 1.9))
}


def redrawn(workload: Workload, cv: float, seed: int) -> Workload:
    """The same jobs with tasks of this coefficient of variation within each, the means as they were."""
    (within,) = streams(seed, "google within jobs")
    tasks, mean = np.diff(workload.offsets), workload.jobs["mean"].to_numpy()
    return Workload(
        workload.jobs, workload.tasks.assign(duration=durations(within, tasks, mean, cv))
    )


def run(cv: float, workers: int, jobs: int, scale: float, seed: int) -> pd.DataFrame:
    """Eagle, Hawk and DLWL+SRPT with exact estimates, Eagle and DLWL+SRPT with others, Google's trace."""
    made, slower = comparing.generated("google", jobs, scale, seed)
    made = redrawn(made, cv, seed)
    blocks = []
    for name, estimate in RANGES.items():
        systems = ("eagle", "hawk", "dlwl") if name == "exact" else ("eagle", "dlwl")
        blocks.append(
            comparing.each_system(
                systems,
                made,
                "google",
                round(scale * workers),
                seed,
                slower=slower,
                estimate=estimate,
            ).assign(estimates=name)
        )
    return pd.concat(blocks, ignore_index=True)


def slowdowns(frame: pd.DataFrame, system: str) -> pd.DataFrame:
    """`ratio` of short jobs' times to those with exact estimates: `cv, seed, percentile, estimates`."""
    key = ["cv", "seed", "percentile"]
    rows = only(frame, "short", system=system).set_index(key)
    exact = only(rows, estimates="exact")["completion"]
    return pd.concat(
        [
            (only(rows, estimates=name)["completion"] / exact)
            .rename("ratio")
            .reset_index()
            .assign(estimates=name)
            for name in LOOKS
        ]
    )


def draw(frame: pd.DataFrame):
    figure, (left, right) = style.subplots(1, 2, size=(9.6, 4.2))
    rows = ratios(only(frame, estimates="exact"), "hawk", "eagle", "short")
    style.band(left, rows, "cv", "ratio", "percentile", drawing.PERCENTILE_LOOKS)
    left.set_ylabel("short jobs, Hawk / Eagle")
    style.band(
        right, only(slowdowns(frame, "dlwl"), percentile=99), "cv", "ratio", "estimates", LOOKS
    )
    right.set_ylabel("slowdown at the 99th percentile:\ntime over that with exact estimates")
    for ax in (left, right):
        drawing.level(ax)
        ax.set_xlabel("standard deviation / mean, within a job")
        ax.legend(fontsize=8)
    drawing.near_means(left, rows, "ratio", ["cv", "percentile"])
    return figure


def _alt(frame):
    rows = only(ratios(only(frame, estimates="exact"), "hawk", "eagle"), "short")
    first = "; ".join(f"{drawing.means_in_words(own)} at {cv:g}" for cv, own in rows.groupby("cv"))
    slow = (
        only(slowdowns(frame, "dlwl"), percentile=99).groupby(["estimates", "cv"])["ratio"].mean()
    )
    second = "; ".join(
        f"{name} " + ", ".join(f"{value:.2f} at {cv:g}" for cv, value in own.items())
        for name, own in ((name, slow[name]) for name in LOOKS)
    )
    return (
        f"Line charts against the variation within a job. Hawk over Eagle, {drawing.PERCENTILES_OF} "
        f"short jobs: {first}. DLWL's slowdown at the 99th percentile by estimates: {second}."
    )


EXPERIMENTS = (
    Experiment(
        "eagle.within",
        "How much the tasks of a job differ",
        run,
        comparing.highest({scale: grid(cv=cvs) for scale, cvs in CVS.items()}),
        scales(1, 3, 1),
    ),
)

FIGURES = (
    Figure(
        "eagle.within",
        "eagle.within",
        draw,
        drawing.caption(
            "What changes when the tasks of one job differ more. Task times within a job are lognormal; the "
            "generator's standard deviation is 0.7 of the mean. Left: completion times of short jobs under Hawk "
            "over those under Eagle. Right: how much wrong estimates slow DLWL+SRPT down. Google's trace, "
            "highest load. Beyond the paper."
        ),
        _alt,
    ),
)
