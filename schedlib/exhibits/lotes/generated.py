"""Beyond LoTES: what a plan over all bins, made by column generation, does to waits (in seconds)."""

import warnings

import numpy as np
import pandas as pd
from matplotlib.figure import Figure as Picture

from schedlib.exhibits.lotes.drawing import wait_panels
from schedlib.exhibits.lotes.runs import CONFIGS, MATCHED, SIZE, follow, outcome
from schedlib.experiment import Experiment, Figure, scales
from schedlib.lotes.planning.generation import generate_plan
from schedlib.lotes.workloads.random_instances import random_instance
from schedlib.pictures import style

PLACE = 5.5


def steering(phi: float, load: float, machines: int, hours: float, seed: int) -> pd.DataFrame:
    """LoTES following the paper's plan and the generated one (over all bins), and Tetris, on the same jobs.

    `load` is that of the paper's stage 2 once rounded, so that above 1 only the generated plan may sustain
    it. Columns: `followed`, those of `outcome`, and `limit`, what the plan that is followed sustains over
    what stage 1 allows (Tetris follows none).
    """
    instance = random_instance(phi, load=load, machines=machines, hours=hours, seed=seed, **MATCHED)
    generated, rows = generate_plan(instance.configs, instance.classes), []
    for name, plan in (("paper's plan", instance.plan), ("generated plan", generated), ("tetris", None)):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # above load 1 the paper's plan is meant to be overloaded
            run = follow(instance, "lotes" if plan else "tetris", seed, plan)
        limit = plan.rate_rounded / instance.plan.allocation.rate if plan else np.nan
        rows.append({"followed": name} | outcome(run, instance) | {"limit": limit})
    return pd.DataFrame(rows).drop(columns="arrived")


def _points(scale, phis=(0.006, 0.015), loads=(0.94, 0.97, 1.0, 1.02)):
    return [{"phi": phi, "load": load, **SIZE[scale]} for phi in phis for load in loads]


EXPERIMENTS = (Experiment("lotes.generated", "What a plan over all bins does to waits", steering,
                          scales(_points("smoke", (0.006,), (1.0,)), _points("quick"), _points("paper")),
                          scales(1, 3, 5)),)

FOLLOWED = {
    "paper's plan": style.Look(style.BLUE, "-", "o", "LoTES, the paper's plan"),
    "generated plan": style.Look(style.VERMILLION, "--", "s", "LoTES, plan over all bins"),
    "tetris": style.look("tetris"),
}


def plot_generated(frame: pd.DataFrame) -> Picture:
    """Mean wait against the load by the plan that is followed, a panel for each Phi."""
    titles = {phi: f"Phi = {phi:g}" for phi in sorted(set(frame["phi"]))}
    label = "load of what the paper's plan sustains"
    return wait_panels(frame, "phi", titles, "load", by="followed", looks=FOLLOWED, size=5, xlabel=label)


def _alt(frame):
    waits = frame[frame["load"] == 1.0].groupby(["phi", "followed"])["wait"].median()
    words = [f"{name} {waits[phi, name]:.3g} s" for phi in sorted(set(frame["phi"])) for name in FOLLOWED]
    half = len(words) // 2
    each = f"for the smaller Phi: {', '.join(words[:half])}; for the larger: {', '.join(words[half:])}"
    return f"Charts of mean wait against load. Medians at load 1, {each}."


FIGURES = (
    Figure("lotes.generated", "lotes.generated", plot_generated, lambda frame: (
        "Beyond the paper: stage 2 over all bins, by column generation, and what it does to waits, on "
        f"{CONFIGS * frame['machines'].iloc[0]:,} machines for {frame['hours'].iloc[0]:g} hours. The same "
        "jobs for all three; load 1 is what the paper's plan sustains. Hollow where the queue grew."), _alt),)
