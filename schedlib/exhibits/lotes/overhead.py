"""How many machines an arriving job asks for their state under each policy (LoTES, Section 5.2)."""

from typing import Any

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure as Picture

from schedlib.exhibits import measure
from schedlib.exhibits.lotes.drawing import by_policy_at, dots, legend_below, median_line
from schedlib.exhibits.lotes.judging import claim
from schedlib.exhibits.lotes.runs import MATCHED, POLICIES, SIZE, follow
from schedlib.experiment import Experiment, Figure, grid, scales
from schedlib.lotes.workloads.random_instances import random_instance
from schedlib.pictures import style

PLACE = 5.35


def overhead(load: float, phi: float, machines: int, hours: float, seed: int) -> pd.DataFrame:
    """The share of all machines (%) that an arriving job asks for their state: `policy, sampled, looked`.

    `sampled`: machines of a configuration that LoTES asks, 0 for all.
    """
    instance, rows = random_instance(phi, load=load, machines=machines, hours=hours, seed=seed, **MATCHED), []
    for policy, sampled in (*((policy, 0) for policy in POLICIES), ("lotes", 10)):
        options: dict[str, Any] = {"sampled": sampled} if sampled else {}
        looked = 100 * follow(instance, policy, seed, **options).looked / instance.configs.n_machines
        rows.append({"policy": policy, "sampled": sampled, "looked": looked})
    return pd.DataFrame(rows)


POINTS = {scale: grid(load=[0.3, 0.6, 0.8, 0.9, 0.95, 0.97], phi=[0.006], machines=[size["machines"]],
                      hours=[min(size["hours"], 20.0)]) for scale, size in SIZE.items()}
EXPERIMENTS = (Experiment("lotes.overhead", "How many machines an arrival asks", overhead, POINTS,
                          scales(1, 3, 5)),)


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
    words = by_policy_at(frame[frame["sampled"] == 0], "looked", "load", "%")
    low, high = frame["load"].min(), frame["load"].max()
    return f"Line chart of machines asked per arrival. At loads {low:g} and {high:g}: {words}."


FIGURES = (
    Figure("lotes.overhead", "lotes.overhead", plot_overhead,
           "How many machines an arriving job asks for their state, by the policies' words: LoTES every one "
           "of the configurations it tries, Greedy down the table until one has room, Tetris all. (The "
           "simulator itself finds the same machine by search trees.)", _alt),)


@measure
def _asks_more(frame, policy, low, high):
    """How much larger a share of machines a policy asks than LoTES, mean over these loads, per seed."""
    rows = frame[(frame["sampled"] == 0) & frame["load"].between(low, high)]
    table = rows.pivot_table(index="seed", columns="policy", values="looked")
    return (table[policy] - table["lotes"]).to_numpy()


ASKS_ALL: dict[str, Any] = {"by_construction": True,
                            "reason": "Tetris scores every machine for every job, nobody can ask more"}

CLAIMS = tuple(
    claim(f"overhead-{name}", "Section 5.2", text, "lotes.overhead", judged,
          metric="machines asked per arrival, less LoTES's", unit="% of all", **more)
    for name, text, judged, more in (
        ("tetris", "Where jobs start at once, LoTES asks fewer machines than Tetris (loads to 0.9)",
         _asks_more("tetris", 0, 0.9), ASKS_ALL),
        ("tetris-heavy", "Under heavy load LoTES's overhead is no worse than Tetris's (0.95 and 0.97)",
         _asks_more("tetris", 0.95, 1), ASKS_ALL),
        ("greedy", "LoTES's overhead is no worse than Greedy's (all loads)", _asks_more("greedy", 0, 1), {}),
    ))
