"""Beyond the paper: loads above the highest, which the paper's text does not print and we take as 0.95."""

import pandas as pd

from schedlib.eagle.workloads.synthetic import LOAD, WORKERS
from schedlib.exhibits.eagle import drawing
from schedlib.exhibits.eagle.comparing import only, ratios
from schedlib.exhibits.eagle.running import MAKERS, TRACES, each_system, size
from schedlib.experiment import Experiment, Figure
from schedlib.pictures import style

PLACE = 6.9
LOADS = {"smoke": (0.95, 1.15), "quick": (0.85, 0.95, 1.05, 1.15), "paper": (0.85, 0.95, 1.05, 1.15)}


def run(trace: str, load: float, jobs: int, scale: float, seed: int) -> pd.DataFrame:
    """Eagle and Hawk with so few workers that the offered load is `load`."""
    workers = round(scale * min(WORKERS[trace]) * LOAD / load)
    return each_system(("eagle", "hawk"), MAKERS[trace](jobs, seed, scale), trace, workers, seed)


def _points(scale):
    """The paper's scale has small clusters too: in an overloaded one queues grow with the number of jobs."""
    small = "quick" if scale == "paper" else scale
    return [{"trace": trace, "load": load, **size(small, trace)} for trace in TRACES for load in LOADS[scale]]


def draw(frame: pd.DataFrame):
    """Eagle over Hawk against the offered load, short jobs, a panel per trace."""
    figure, axes = style.subplots(1, 3, size=(11.4, 3.8), sharey=True)
    rows = ratios(frame, "eagle", "hawk", "short")
    for ax, (trace, name) in zip(axes, drawing.NAMES.items(), strict=True):
        style.band(ax, only(rows, trace=trace), "load", "ratio", "percentile", drawing.PERCENTILE_LOOKS)
        drawing.level(ax, 1, 1 / 3, 1 / 10)
        ax.axvline(LOAD, color="#AAAAAA", linewidth=0.8)
        ax.set(title=name, xlabel="offered load")
        drawing.near_means(ax, rows, "ratio", ["trace", "load", "percentile"])
        ax.set_yticks([0.1, 0.2, 1 / 3, 0.5, 1], ["1/10", "1/5", "1/3", "1/2", "1"])
        ax.yaxis.set_minor_formatter("")
    axes[0].set_ylabel("short jobs, Eagle / Hawk")
    drawing.legend_of(axes[0])
    return figure


def _alt(frame):
    words = []
    for trace, rows in ratios(frame, "eagle", "hawk", "short").groupby("trace", sort=False):
        each = (f"at {load:g} {drawing.means_in_words(at_load)}" for load, at_load in rows.groupby("load"))
        words.append(f"{drawing.NAMES[trace]} {'; '.join(each)}")
    said = ". ".join(words)
    return f"Line charts of Eagle over Hawk against the load, 50th, 90th, 99th percentile. {said}."


EXPERIMENTS = (Experiment("eagle.heavier", "Loads above the highest", run,
                          {scale: _points(scale) for scale in LOADS}, {"smoke": 1, "quick": 3, "paper": 5}),)

FIGURES = (
    Figure("eagle.heavier", "eagle.heavier", draw, drawing.caption(
        "What the highest load, which the paper's text does not print, decides: short jobs under Eagle over "
        "those under Hawk against the offered load. Grey: our highest, 0.95; dotted: 3 and 10 times as fast, "
        "which the paper has at its highest. Above 1 queues grow as long as jobs come. Beyond the paper."),
        _alt),
)
