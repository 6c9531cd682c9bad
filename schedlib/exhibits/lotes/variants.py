"""What LoTES's text leaves open: every reading of every policy on the same jobs (waits in seconds); and how
many machines an arriving job asks for their state under each policy (Section 5.2).
"""

from typing import Any

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure as Picture

from schedlib import lotes
from schedlib.exhibits import measure
from schedlib.exhibits.lotes import runs
from schedlib.exhibits.lotes.drawing import WAIT, by_policy_at, dots, legend_below, median_line
from schedlib.exhibits.lotes.fig11_13_random import under
from schedlib.experiment import Experiment, Figure, grid, scales
from schedlib.pictures import style

PLACE = 5.34
READINGS: dict[str, dict[str, dict[str, Any]]] = {
    "lotes": {"as printed": {}, "classes with Delta = 0 on exit too": {"exit": "all"},
              "no fall-back": {"fallback": False}, "wheel by served rate": {"wheel": "rate"},
              "1 machine sampled": {"sampled": 1}, "10 machines sampled": {"sampled": 10},
              "100 machines sampled": {"sampled": 100}},
    "lotes-first": {"as printed": {}},
    "greedy": {"as printed": {}, "past those who wait": {"bypass": True}},
    "tetris": {"as printed": {}, "gamma in seconds": {"gamma_unit": "s"}, "work weighs 1/10": {"work": 0.1},
               "work weighs 10": {"work": 10.0}, "packing alone": {"work": 0.0},
               "work alone": {"packing": 0.0}},
}
"""The readings of each policy, ours first, then others, as options of `simulate`."""


def variants(phi: float, omega: float, load: float, rivals: bool, machines: int, hours: float,
             seed: int) -> pd.DataFrame:
    """Every reading of LoTES (and of its `rivals`) on the same jobs: `policy`, `reading`, those of `outcome`.

    One factor scales all of a job's sizes, with the mean as planned.
    """
    instance, rows = under(lotes.random_instance(phi, omega=omega, load=load, machines=machines, hours=hours,
                                                 seed=seed, rounded=True), "common-matched"), []
    for policy in READINGS if rivals else ("lotes", "lotes-first"):
        for reading, options in READINGS[policy].items():
            run = runs.follow(instance, policy, seed, **options)
            rows.append({"policy": policy, "reading": reading} | runs.outcome(run, instance))
    return pd.DataFrame(rows).drop(columns="arrived")


def overhead(load: float, phi: float, machines: int, hours: float, seed: int) -> pd.DataFrame:
    """The share of all machines (%) that an arriving job asks for their state: `policy, sampled, looked`.

    `sampled`: machines of a configuration that LoTES asks, 0 for all.
    """
    instance, rows = runs.matched_instance(phi, load, machines, hours, seed), []
    for policy, sampled in (*((policy, 0) for policy in runs.POLICIES), ("lotes", 10)):
        options: dict[str, Any] = {"sampled": sampled} if sampled else {}
        looked = 100 * runs.follow(instance, policy, seed, **options).looked / instance.configs.n_machines
        rows.append({"policy": policy, "sampled": sampled, "looked": looked})
    return pd.DataFrame(rows)


def _settings(machines, hours):
    size = {"phi": [0.006], "load": [0.97], "machines": [machines], "hours": [hours]}
    return grid(omega=[0.0], rivals=[True], **size) + grid(omega=[0.1, 0.2], rivals=[False], **size)


EXPERIMENTS = (
    Experiment("lotes.variants", "Every reading of every policy", variants,
               scales(_settings(4, 10.0), _settings(50, 12.0), _settings(1000, 100.0)), scales(2, 5)),
    Experiment("lotes.overhead", "How many machines an arrival asks", overhead,
               {scale: grid(load=[0.3, 0.6, 0.8, 0.9, 0.95, 0.97], phi=[0.006], machines=[size["machines"]],
                            hours=[min(size["hours"], 20.0)]) for scale, size in runs.SIZE.items()},
               scales(1, 3, 5)),
)


def plot_variants(frame: pd.DataFrame) -> Picture:
    """Mean waits of every reading of every policy by Omega, a row each: points, and medians as bars."""
    readings = list(dict.fromkeys(zip(frame["policy"], frame["reading"], strict=True)))
    names = [f"{style.look(policy).label}: {reading}" for policy, reading in readings]
    figure, axes = style.subplots(1, 3, size=(9.8, 5.6), sharey=True)
    for ax, (omega, table) in zip(axes, frame.groupby("omega"), strict=True):
        for place, (policy, reading) in enumerate(readings):
            rows = table[(table["policy"] == policy) & (table["reading"] == reading)]
            look, wait = style.look(policy), rows["wait"].clip(lower=runs.SHORTEST)
            ax.plot([wait.median()] * 2, [place - 0.35, place + 0.35], color=look.color, linewidth=2.2)
            dots(ax, wait, wait * 0 + place, look, None, stable=rows["stable"])
        ax.set(title=f"Omega = {omega:g}", xlabel=WAIT, xscale="log")
    axes[0].set_yticks(range(len(names)), names, fontsize=8)
    axes[0].set_ylabel("policy: reading")
    axes[0].invert_yaxis()
    return figure


def plot_overhead(frame: pd.DataFrame, ax: Axes | None = None) -> Picture:
    """Share of machines that an arriving job asks against the load, by policy: seeds, and their medians."""
    figure, ax = style.into(ax, (7.0, 4.0))
    for (policy, sampled), rows in frame.groupby(["policy", "sampled"], sort=False):
        look = style.look(policy)
        if sampled:
            look = look._replace(linestyle=":", label=f"{look.label}, {sampled} sampled")
        median_line(ax, rows["looked"], rows["load"], look)
        dots(ax, rows["load"], rows["looked"], look)
    ax.set(xlabel="load of what stage 2 sustains", ylabel="machines asked per arrival (%)", yscale="log")
    legend_below(figure, ax, 3)
    return figure


def _alt(frame):
    waits = frame[frame["omega"] == 0].groupby(["policy", "reading"], sort=False)["wait"].median()
    words = [f"{style.look(name).label} {reading} {wait:.3g} s" for (name, reading), wait in waits.items()]
    return f"Strip charts of mean waits by policy and reading. Medians at Omega = 0: {'; '.join(words)}."


def _alt_overhead(frame):
    words = by_policy_at(frame[frame["sampled"] == 0], "looked", "load", "%")
    low, high = frame["load"].min(), frame["load"].max()
    return f"Line chart of machines asked per arrival. At loads {low:g} and {high:g}: {words}."


FIGURES = (
    Figure("lotes.variants", "lotes.variants", plot_variants, lambda frame: (
        "What the text leaves open: every reading of every policy on the same jobs, Phi = 0.006, load 0.97, "
        f"on {runs.CONFIGS * frame['machines'].iloc[0]:,} machines for {frame['hours'].iloc[0]:g} hours. The "
        "first reading of each is ours. Points: instances, hollow where the queue grew; bars: medians."),
           _alt),
    Figure("lotes.overhead", "lotes.overhead", plot_overhead,
           "How many machines an arriving job asks for their state, by the policies' words: LoTES every one "
           "of the configurations it tries, Greedy down the table until one has room, Tetris all. (The "
           "simulator itself finds the same machine by search trees.)", _alt_overhead),
)


@measure
def _gained(frame, policy, *others, omega=0.0):
    """By how many decades our reading waits less than the best of the others at this Omega, per seed.

    The others are pairs of a policy and a reading.
    """
    rows = runs.with_decades(frame[frame["omega"] == omega])
    table = rows.pivot_table(index="seed", columns=["policy", "reading"], values="decades")
    return (table[list(others)].min(axis=1) - table[policy, "as printed"]).to_numpy()


@measure
def _asks_more(frame, policy, low, high):
    """How much larger a share of machines a policy asks than LoTES, mean over these loads, per seed."""
    rows = frame[(frame["sampled"] == 0) & frame["load"].between(low, high)]
    table = rows.pivot_table(index="seed", columns="policy", values="looked")
    return (table[policy] - table["lotes"]).to_numpy()


WEIGHTS = ("work weighs 1/10", "work weighs 10", "packing alone", "work alone")
DECADES = {"experiment": "lotes.variants", **runs.DECADES}
ASKED: dict[str, Any] = {"experiment": "lotes.overhead", "metric": "machines asked per arrival, less LoTES's",
                         "unit": "% of all"}
ASKS_ALL = ASKED | {"by_construction": True,
                    "reason": "Tetris scores every machine for every job, nobody can ask more"}

CLAIMS = tuple(
    runs.claim(name, f"Section {where}", text, measure=judged, **{"experiment": None} | more)
    for name, where, text, judged, more in (
        ("tetris-weights", "5.1", "Tetris does not improve with other weightings of its two scores",
         _gained("tetris", *(("tetris", weights) for weights in WEIGHTS)), DECADES),
        ("fallback", "4.3.3", "Trying all other configurations before a job queues is beneficial",
         _gained("lotes", ("lotes", "no fall-back")), DECADES),
        ("exit", "4.3.2",
         "On an exit it is better to reserve resources than to start classes with Delta = 0", None,
         runs.DECADES | {"readings": {
             f"Omega = {omega:g}": ("lotes.variants", _gained(
                 "lotes", ("lotes", "classes with Delta = 0 on exit too"), omega=omega))
             for omega in (0.0, 0.1, 0.2)}}),
        ("improved", "footnote 1", "The extended version improves the algorithm",
         _gained("lotes", ("lotes-first", "as printed")), DECADES),
        ("overhead-tetris", "5.2",
         "Where jobs start at once, LoTES asks fewer machines than Tetris (loads to 0.9)",
         _asks_more("tetris", 0, 0.9), ASKS_ALL),
        ("overhead-tetris-heavy", "5.2",
         "Under heavy load LoTES's overhead is no worse than Tetris's (0.95 and 0.97)",
         _asks_more("tetris", 0.95, 1), ASKS_ALL),
        ("overhead-greedy", "5.2", "LoTES's overhead is no worse than Greedy's (all loads)",
         _asks_more("greedy", 0, 1), ASKED),
    ))
