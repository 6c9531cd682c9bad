"""At which load each sentence on Figs. 11-13 of LoTES holds. The paper prints one load for each figure."""

from functools import partial

import pandas as pd

from reproduce import registry
from reproduce.exhibits import only
from reproduce.exhibits.lotes.fig11_13_random import LAWS, by_omega
from reproduce.exhibits.lotes.month_loads import ALT, OWN, at_each_load, holding, plot
from reproduce.exhibits.lotes.runs import sized
from reproduce.figure import Figure
from schedlib.sweeps import Experiment, scales

PLACE = 5.405
WORDS = {
    "lotes.fig11-alike": "Phi = 0: LoTES and Tetris hardly differ (0.97)",
    "lotes.fig11-lotes-grows": "LoTES's wait grows with Phi (0.97)",
    "lotes.fig11-tetris-grows": "Tetris's wait grows with Phi (0.97)",
    "lotes.fig11-better": "Phi > 0: LoTES waits less than Tetris (0.97)",
    "lotes.random-greedy": "Phi > 0: Greedy waits orders longer (0.97)",
    "lotes.random-tetris": "Phi > 0: Tetris waits an order longer (0.97)",
    "lotes.fig12-lotes": "LoTES starts nearly all jobs at once (0.90)",
    "lotes.fig12-tetris-zero": "Omega = 0: Tetris starts all jobs at once (0.90)",
    "lotes.fig13-lotes-grows": "LoTES's wait grows with Omega (0.95)",
    "lotes.fig13-tetris-grows": "Tetris's wait grows with Omega (0.90, 0.95)",
    "lotes.fig13-better": "LoTES waits less than Tetris (0.95)",
}
"""The sentences, without their loads; in brackets the load that the paper prints."""
LOADS = [0.85, 0.90, 0.93, 0.95, 0.97, 0.98, 0.99, 1.0]
SEEDS = 12
SETTINGS = [(0.0, 0.0), (0.006, 0.0), (0.009, 0.0), (0.015, 0.0), (0.006, 0.1), (0.006, 0.2)]
"""Phi and Omega of Figs. 11 to 13, every second or third."""


def _points(loads):
    sizes = list(LAWS[:2])
    return [
        {"phi": phi, "omega": omega, "load": load, "sizes": sizes}
        for load in loads
        for phi, omega in SETTINGS
    ]


EXPERIMENTS = (
    Experiment(
        "lotes.random-loads",
        "Waits on random data, by load",
        by_omega,
        sized(_points(LOADS[1::3]), _points(LOADS), machines=(4, 50, 50), hours=(10.0, 8.0, 8.0)),
        scales(2, SEEDS),
    ),
)


def judged(frame: pd.DataFrame) -> pd.DataFrame:
    """Every sentence at each load, under the paper's reading and under a common factor: `reading, id, sentence,
    load, verdict`."""
    claims, rows = registry.load().claims, []
    for name, words in WORDS.items():
        claim = claims[name]
        axis = {"omega": 0.0} if claim.experiment == "lotes.fig11" else {"phi": 0.006}
        here = only(frame, **axis)
        common = claim.others["a common factor"]
        rows += at_each_load(OWN, claim, here, words)
        rows += at_each_load("a common factor", common, here, words)
    return pd.DataFrame(rows)


FIGURES = (
    Figure(
        "lotes.random-loads",
        "lotes.random-loads",
        partial(plot, load="load / lambda* of stage 2"),
        lambda frame: (
            "Which of the text's sentences on Figs. 11 to 13 hold at which share of stage 2's lambda*, by 95 % "
            "intervals over instances. In brackets: the printed load. `lotes.capacity` shows who is stable. "
            f"At most {holding(frame)['sentences'].max()} of {len(WORDS)} hold at one load."
        ),
        ALT,
        judged,
    ),
)
