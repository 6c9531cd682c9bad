"""What LoTES's text leaves open: every reading of every policy on the same jobs. Waits are in seconds."""

from typing import Any

import pandas as pd
from matplotlib.figure import Figure as Picture

from schedlib.exhibits import measure
from schedlib.exhibits.lotes.drawing import WAIT, dots
from schedlib.exhibits.lotes.judging import DECADES, SHORTEST, claim, with_decades
from schedlib.exhibits.lotes.runs import CONFIGS, MATCHED, SIZE, follow, outcome
from schedlib.experiment import Experiment, Figure, scales
from schedlib.lotes.workloads.random_instances import random_instance
from schedlib.pictures import style

PLACE = 5.34
READINGS: dict[str, dict[str, dict[str, Any]]] = {
    "lotes": {
        "as printed": {},
        "classes with Delta = 0 on exit too": {"exit": "all"},
        "no fall-back": {"fallback": False},
        "wheel by served rate": {"wheel": "rate"},
        "1 machine sampled": {"sampled": 1},
        "10 machines sampled": {"sampled": 10},
        "100 machines sampled": {"sampled": 100},
    },
    "lotes-first": {"as printed": {}},
    "greedy": {"as printed": {}, "past those who wait": {"bypass": True}},
    "tetris": {
        "as printed": {},
        "gamma in seconds": {"gamma_unit": "s"},
        "work weighs 1/10": {"work": 0.1},
        "work weighs 10": {"work": 10.0},
        "packing alone": {"work": 0.0},
        "work alone": {"packing": 0.0},
    },
}
"""The readings of each policy, ours first, then others, as options of `simulate`."""


def variants(phi: float, load: float, machines: int, hours: float, seed: int) -> pd.DataFrame:
    """Every reading of every policy on the same jobs: `policy`, `reading`, and the columns of `outcome`.

    One factor scales all of a job's sizes, with the mean as planned.
    """
    instance, rows = random_instance(phi, load=load, machines=machines, hours=hours, seed=seed, **MATCHED), []
    for policy, readings in READINGS.items():
        for reading, options in readings.items():
            run = follow(instance, policy, seed, **options)
            rows.append({"policy": policy, "reading": reading} | outcome(run, instance))
    return pd.DataFrame(rows).drop(columns="arrived")


EXPERIMENTS = (Experiment("lotes.variants", "Every reading of every policy", variants,
                          {scale: [{"phi": 0.006, "load": load, **size} for load in (0.90, 0.97)]
                           for scale, size in SIZE.items()}, scales(2, 5)),)


def plot_variants(frame: pd.DataFrame) -> Picture:
    """Mean waits of every reading of every policy at two loads, a row each: points, and medians as bars."""
    readings = list(dict.fromkeys(zip(frame["policy"], frame["reading"], strict=True)))
    names = [f"{style.look(policy).label}: {reading}" for policy, reading in readings]
    figure, axes = style.subplots(1, 2, size=(9.4, 5.6), sharey=True)
    for ax, (load, table) in zip(axes, frame.groupby("load"), strict=True):
        for place, (policy, reading) in enumerate(readings):
            rows = table[(table["policy"] == policy) & (table["reading"] == reading)]
            look, wait = style.look(policy), rows["wait"].clip(lower=SHORTEST)
            ax.plot([wait.median()] * 2, [place - 0.35, place + 0.35], color=look.color, linewidth=2.2)
            dots(ax, wait, wait * 0 + place, look, None, stable=rows["stable"])
        ax.set(title=f"load {load:g}", xlabel=WAIT, xscale="log")
    axes[0].set_yticks(range(len(names)), names, fontsize=8)
    axes[0].set_ylabel("policy: reading")
    axes[0].invert_yaxis()
    return figure


def _alt(frame):
    load = frame["load"].max()
    waits = frame[frame["load"] == load].groupby(["policy", "reading"], sort=False)["wait"].median()
    words = [f"{style.look(name).label} {reading} {wait:.3g} s" for (name, reading), wait in waits.items()]
    return f"Strip charts of mean waits by policy and reading. Medians at load {load:g}: {'; '.join(words)}."


FIGURES = (
    Figure("lotes.variants", "lotes.variants", plot_variants, lambda frame: (
        "What the text leaves open: every reading of every policy on the same jobs, Phi = 0.006, on "
        f"{CONFIGS * frame['machines'].iloc[0]:,} machines for {frame['hours'].iloc[0]:g} hours. The first "
        "reading of each is ours. Points: instances, hollow where the queue grew; bars: medians."), _alt),)


@measure
def _gained(frame, policy, *others):
    """By how many decades our reading waits less than the best of the others at load 0.97, per seed.

    The others are pairs of a policy and a reading.
    """
    rows = with_decades(frame[frame["load"] == 0.97])
    table = rows.pivot_table(index="seed", columns=["policy", "reading"], values="decades")
    return (table[list(others)].min(axis=1) - table[policy, "as printed"]).to_numpy()


WEIGHTS = ("work weighs 1/10", "work weighs 10", "packing alone", "work alone")

CLAIMS = tuple(
    claim(name, f"Section {where}", text, "lotes.variants", judged, **DECADES)
    for name, where, text, judged in (
        ("tetris-weights", "5.1", "Tetris does not improve with other weightings of its two scores",
         _gained("tetris", *(("tetris", weights) for weights in WEIGHTS))),
        ("fallback", "4.3.3", "Trying all other configurations before a job queues is beneficial",
         _gained("lotes", ("lotes", "no fall-back"))),
        ("exit", "4.3.2", "On an exit it is better to reserve resources than to start classes with Delta = 0",
         _gained("lotes", ("lotes", "classes with Delta = 0 on exit too"))),
        ("improved", "footnote 1", "The extended version improves the algorithm",
         _gained("lotes", ("lotes-first", "as printed"))),
    ))
