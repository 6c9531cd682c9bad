"""Beyond the paper: what a smaller cluster at the same load does to the ratios."""

import pandas as pd

from schedlib.eagle.workloads.synthetic import WORKERS
from schedlib.exhibits.eagle import drawing
from schedlib.exhibits.eagle.comparing import ratios
from schedlib.exhibits.eagle.running import SCALE, SIZE, on_google
from schedlib.experiment import Experiment, Figure
from schedlib.pictures import style

PLACE = 6.85
SCALES = {
    "smoke": (1 / 150, 1 / 75),
    "quick": (1 / 150, 1 / 75, 1 / 30, 1 / 10, 1 / 5),
    "paper": (1 / 150, 1 / 75, 1 / 30, 1 / 10, 1 / 3, 1.0),
}


def run(scale: float, workers: int, jobs: int, seed: int) -> pd.DataFrame:
    """Eagle, Hawk and DLWL+SRPT at the highest load of Google's trace on the share `scale` of `workers`."""
    return on_google(("eagle", "hawk", "dlwl"), workers, jobs, scale, seed)


def _points(name):
    """As many jobs a worker as at that scale of the reproduction."""
    jobs = SIZE[name]["google"] / SCALE[name]["google"]
    points = ({"scale": scale, "workers": min(WORKERS["google"])} for scale in SCALES[name])
    return [point | {"jobs": round(jobs * point["scale"])} for point in points]


def draw(frame: pd.DataFrame):
    """Eagle over Hawk and over DLWL+SRPT at the same load against the size of the cluster, by class."""
    figure, axes = style.subplots(2, 2, size=(9.2, 6.2), sharex=True)
    for panels, base in zip(axes, ("hawk", "dlwl"), strict=True):
        for ax, jobs in zip(panels, ("short", "long"), strict=True):
            rows = ratios(frame, "eagle", base, jobs)
            drawing.plot_ratios(ax, rows.assign(simulated=rows["workers"] * rows["scale"]), "simulated")
            ax.set(xscale="log", ylabel=f"{jobs} jobs,\nEagle / {drawing.LOOKS[base].label}")
        drawing.from_zero(panels)
    for ax in axes[1]:
        ax.set_xlabel("workers simulated")
    drawing.legend_of(axes[0, 0])
    return figure


def _alt(frame):
    words = "; ".join(f"{scale * rows['workers'].iloc[0]:,.0f} workers {drawing.means_in_words(rows)}"
                      for scale, rows in ratios(frame, "eagle", "hawk", "short").groupby("scale"))
    return ("Line charts of ratios against the size of the cluster. Eagle over Hawk, short jobs, 50th, 90th, "
            f"99th: {words}.")


EXPERIMENTS = (Experiment("eagle.clusters", "The same load in clusters of different size", run,
                          {scale: _points(scale) for scale in SCALES}, {"smoke": 1, "quick": 5, "paper": 3}),)

FIGURES = (Figure(
               "eagle.clusters", "eagle.clusters", draw,
               lambda frame: "What a smaller cluster does to the ratios: Google's trace at the highest load, "
               "with as many jobs per worker and, in a smaller cluster, a smaller largest job. "
               f"{frame['seed'].nunique()} seeds, intervals 95 %. Beyond the paper.", _alt),)
