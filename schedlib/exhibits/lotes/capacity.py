"""Capacity: the rate that each policy sustains over lambda* of stage 1, by Phi, Omega and law of sizes.

Whether a policy is stable in Figs. 11-13 is judged here, by what it sustains after a burst, and not by how
its queue looked at the end of a run from an empty system.
"""

import itertools
from typing import Any

import pandas as pd
from matplotlib.figure import Figure as Picture

from schedlib.exhibits import measure
from schedlib.exhibits.lotes.drawing import LAWS, legend_below
from schedlib.exhibits.lotes.fig11_13_random import JUDGED, PRINTED, under
from schedlib.exhibits.lotes.runs import CONFIGS, claim
from schedlib.experiment import Experiment, Figure, scales
from schedlib.intervals import Proportion
from schedlib.lotes.capacity import capacity
from schedlib.lotes.workloads.instances import random_instance
from schedlib.pictures import style

PLACE = 5.41
LARGER = 0.97  # a policy sustains about this part of the rate when jobs are 2.8 % larger
AXES = {"phi": "Phi: how much classes differ (Omega = 0)",
        "omega": "Omega: how much machines differ (Phi = 0.006)"}
LIMIT = style.Look("#555555", (0, (1, 1)), "x", "stage 2's lambda*")


def capacities(phi: float, omega: float, sizes: list[str], machines: int, precision: float,
               seed: int) -> pd.DataFrame:
    """What each policy sustains on an instance of Section 5.4: `sizes, policy, capacity, low, high`.

    `sizes`: laws as in `fig11_13_random.under`. Capacities, `fluid`, `limit` and `rounded` (lambda* of stage
    1, of stage 2, and what whole machines leave of it) are over lambda1.
    """
    first = random_instance(phi, omega=omega, machines=machines, hours=1.0, seed=seed)
    plan, rows, rate = first.plan, [], dict[str, float]()
    for law, policy in itertools.product(sizes, PRINTED):
        near = rate.get("lotes") if policy == "tetris" else None
        near = LARGER * rate[policy] if law == "common" and policy in rate else near
        found = capacity(policy, first.configs, under(first, law).workload, seed=seed, precision=precision,
                         near=near, plan=plan if policy == "lotes" else None)
        rate[policy] = found.rate
        rows.append((law, policy, *(each / found.bound for each in (found.rate, found.low, found.high))))
    whole = {"limit": plan.rate / plan.allocation.rate, "rounded": plan.rate_rounded / plan.allocation.rate}
    return pd.DataFrame(rows, columns=["sizes", "policy", "capacity", "low", "high"]).assign(
        fluid=1.0, **whole)


def _points(phis, omegas, machines, precision):
    size = {"sizes": JUDGED, "machines": machines, "precision": precision}
    settings = [(phi, 0.0) for phi in phis] + [(0.006, omega) for omega in omegas]
    return [{"phi": phi, "omega": omega, **size} for phi, omega in settings]


EXPERIMENTS = (Experiment(
    "lotes.capacity", "The rate that each policy sustains", capacities,
    scales(_points((0.006,), (0.2,), 4, 0.04), _points((0.0, 0.006, 0.015), (0.1, 0.2), 20, 0.02),
           _points((0.0, 0.003, 0.006, 0.009, 0.012, 0.015), (0.05, 0.1, 0.15, 0.2), 1000, 0.005)),
    scales(2, 5)),)


def _along(frame, axis):
    """The rows of one axis: Phi where machines are alike, Omega where Phi is 0.006."""
    return frame[frame["omega"] == 0] if axis == "phi" else frame[frame["phi"] == 0.006]


def plot_capacity(frame: pd.DataFrame) -> Picture:
    """Capacity over lambda1 against Phi (left) and Omega (right), a row of panels for each law of sizes."""
    laws = [law for law in LAWS if law in set(frame["sizes"])]
    size = 8.8, 2.5 * len(laws) + 0.5
    figure, axes = style.subplots(len(laws), 2, size=size, sharey=True, squeeze=False)
    for row, law in zip(axes, laws, strict=True):
        for ax, (axis, label) in zip(row, AXES.items(), strict=True):
            rows = _along(frame[frame["sizes"] == law], axis)
            style.band(ax, rows, axis, "capacity", by="policy")
            limits = rows[rows["policy"] == "lotes"].assign(what="limit")
            style.band(ax, limits, axis, "limit", by="what", looks={"limit": LIMIT})
            ax.set(xlabel=label, ylabel="capacity / lambda1")
            ax.set_title(f"sizes: {LAWS[law]}", fontsize=10)
            ax.yaxis.set_tick_params(labelleft=True)
    legend_below(figure, axes[0, 0])
    return figure


def _alt(frame):
    ends = []
    for law, rows in frame.groupby("sizes", sort=False):
        means = rows.groupby("policy", sort=False)["capacity"].agg(["min", "max"])
        words = [f"{style.look(name).label} {least:.2f} to {most:.2f}"
                 for name, least, most in means.itertuples()]
        ends.append(f"sizes {law}: {', '.join(words)}")
    return f"Charts of capacity over lambda1 against Phi and Omega. Least and most, {'; '.join(ends)}."


FIGURES = (Figure("lotes.capacity", "lotes.capacity", plot_capacity, lambda frame: (
    "The arrival rate that each policy sustains after a burst, over lambda* of stage 1, as classes (left) "
    f"and machines (right) differ more; {CONFIGS * frame['machines'].iloc[0]:,} machines. Figs. 11-13 are "
    "cuts through it, at .97, .90 and .95 of stage 2's lambda*. Above 1 a policy packs better than mean "
    "sizes allow. Bands: 95 % over instances."), _alt),)


@measure
def _spare(frame, law, of, policy, load, axis, where, sign):
    """By how many per cent of lambda1 the capacity exceeds the load, per seed (`sign=-1`: falls short of it).

    `of`: the column of which the load is a share. Of the places along the axis, where it does so least.
    """
    rows = _along(frame[(frame["sizes"] == law) & (frame["policy"] == policy)], axis).query(where)
    margin = 100 * sign * (rows["capacity"] - load * rows[of])
    return margin.groupby(rows["seed"]).min().to_numpy()


@measure
def _often_short(frame, law, of):
    """Share (%) of instances with Omega > 0 in which LoTES or Tetris sustains less than 0.97."""
    rows = frame[(frame["sizes"] == law) & (frame["omega"] > 0) & frame["policy"].isin(["lotes", "tetris"])]
    short = (rows["capacity"] < 0.97 * rows[of]).groupby([rows["seed"], rows["omega"]]).any()
    return Proportion(int(short.sum()), len(short), 100.0)


READINGS = {f"{law}, load of {name}": (law, of) for law in JUDGED
            for of, name in (("limit", "stage 2's lambda*"), ("fluid", "stage 1's lambda*"))}
"""What the text leaves open: how sizes are drawn, and of which lambda* loads are shares."""
SIGNED = {1: {"metric": "capacity less load, where it is least", "unit": "% of lambda1"},
          -1: {"metric": "load less capacity, where it is least", "unit": "% of lambda1"}}
STABLE = tuple((name, where, f"At load {load:.2f} {text}", _spare, (policy, load, axis, at, sign),
                SIGNED[sign]) for name, where, text, policy, load, axis, at, sign in (
    ("fig11-greedy", "5.4.2", "Greedy is unstable", "greedy", 0.97, "phi", "phi >= 0", -1),
    ("fig11-lotes-stable", "5.4.2", "LoTES is stable", "lotes", 0.97, "phi", "phi >= 0", 1),
    ("fig11-tetris-stable", "5.4.2", "Tetris is stable", "tetris", 0.97, "phi", "phi >= 0", 1),
    ("fig12-greedy", "5.4.3", "Greedy is unstable", "greedy", 0.90, "omega", "omega >= 0", -1),
    ("fig13-tetris-unstable", "5.4.3", "Tetris is unstable at Omega = 0.2", "tetris", 0.95, "omega",
     "omega == 0.2", -1),
    ("fig13-tetris-stable", "5.4.3; Fig. 13", "Tetris is stable up to Omega = 0.1", "tetris", 0.95, "omega",
     "omega <= 0.1", 1),
    ("fig13-greedy", "5.4.3", "Greedy is unstable", "greedy", 0.95, "omega", "omega >= 0", -1)))
HALF: dict[str, Any] = {"check": "value", "paper_value": 75.0, "tolerance": 25.0, "unit": "%",
                        "metric": "share of such instances"}
OFTEN = ("heavier", "5.4.3", "With differing machines a load of 0.97 often leads to instability (of LoTES or "
         "Tetris for Omega > 0; read: in at least half of instances)", _often_short, (), HALF)

CLAIMS = tuple(claim(name, f"Section {where}", text, None, None, **more,
                     readings={reading: ("lotes.capacity", judged(*which, *options))
                               for reading, which in READINGS.items()})
               for name, where, text, judged, options, more in (*STABLE, OFTEN))
