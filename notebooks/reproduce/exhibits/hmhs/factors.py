"""The gain of each heuristic: every combination of order, map and reduce dispatch, V's law and N."""

from typing import Any

from pandas import DataFrame, concat

from reproduce.exhibits import legend_below, only
from reproduce.exhibits.hmhs import comparing
from reproduce.exhibits.hmhs.comparing import TITLES, WORKLOADS
from reproduce.exhibits.hmhs.fig1_2_makespans import one_factor_a_machine
from reproduce.figure import Figure
from schedlib.hmhs.johnson import priority
from schedlib.hmhs.list_scheduling import first
from schedlib.hmhs.policies import MIN_MIN, Policy, as_given, reverse_priority
from schedlib.hmhs.policies import run as dispatch
from schedlib.plots import style
from schedlib.plots.alt import alt
from schedlib.sweeps import Experiment, grid, scales

PLACE = 4
ORDERS = {"given": as_given, "pri": priority, "reversed": reverse_priority}
RULES: dict[str, Any] = {"fifo": first, "min-min": MIN_MIN}
LAWS = {"job": "V per job and machine", "machine": "V per machine"}
WITHOUT = {"order": "given", "map": "fifo", "reduce": "fifo"}
WITH = {"order": "pri", "map": "min-min", "reduce": "min-min"}
HEURISTICS = {
    "map": ("hmhs", "Min-Min on the maps"),
    "reduce": ("r-hmhs", "Dynamic-Min-Min on the reduces"),
    "order": ("fifo-pri", "Pri"),
}
"""Of each factor: the policy whose colour and line it borrows, and its heuristic."""


def run(workload: str, law: str, jobs: int, seed: int) -> DataFrame:
    """Makespan of each of the twelve combinations: `order, map, reduce, makespan`."""
    instance = WORKLOADS[workload](jobs, seed)
    if law == "machine":
        instance = one_factor_a_machine(instance)
    rows, placed = [], None  # Min-Min places maps the same way under every order
    for name, order in ORDERS.items():
        for map_name, map_rule in RULES.items():
            maps = placed if map_rule == MIN_MIN else None
            for reduce_name, reduce_rule in RULES.items():
                policy = Policy(order, map_rule, reduce_rule, name="combination")
                plan = dispatch(instance, policy, maps)
                maps = plan.map
                rows.append((name, map_name, reduce_name, plan.makespan))
            placed = maps if map_rule == MIN_MIN else placed
    return DataFrame(rows, columns=["order", "map", "reduce", "makespan"])


def brought(frame: DataFrame, factor: str, last: bool) -> DataFrame:
    """The gain of a heuristic in % of the makespan without it: added `last`, to the others, or alone."""
    rest = {name: level for name, level in (WITH if last else WITHOUT).items() if name != factor}
    rows = only(frame, **rest)
    keys = [name for name in ("workload", "law", "jobs", "seed") if name in rows]
    table = rows.pivot(index=keys, columns=factor, values="makespan")
    gain = 100 * (1 - table[WITH[factor]] / table[WITHOUT[factor]])
    return gain.rename("gain").reset_index()


def plot(frame: DataFrame):
    """The gain of each heuristic against the number of jobs: the columns are V's laws, the rows workloads."""
    workloads = [name for name in WORKLOADS if name in set(frame["workload"])]
    figure, axes = style.subplots(
        len(workloads), 2, size=(8.8, 3.4 * len(workloads)), squeeze=False
    )
    for row, workload in zip(axes, workloads, strict=True):
        for ax, (law, title) in zip(row, LAWS.items(), strict=True):
            part = only(frame, workload=workload, law=law)
            for factor, (policy, label) in HEURISTICS.items():
                for last in (True, False):
                    means = brought(part, factor, last).groupby("jobs")["gain"].mean()
                    look = style.look(policy).line() | {"linestyle": "-" if last else ":"}
                    look |= {"label": f"{label}, {'added last' if last else 'alone'}"}
                    ax.plot(means.index, means, **look)
            ax.axhline(0, color="black", linewidth=0.8)
            ax.set(title=f"{TITLES[workload]}, {title}", ylabel="makespan shorter by (%)")
            comparing.jobs_axis(ax, part["jobs"])
    legend_below(axes[0, 0], 3)
    return figure


def added_last(frame: DataFrame) -> DataFrame:
    """The gain of each heuristic beside the two others on the single workload: `heuristic, law, jobs, gain`."""
    single = only(frame, workload="single")
    return concat(
        [
            brought(single, factor, True).assign(heuristic=label)
            for factor, (_, label) in HEURISTICS.items()
        ]
    )


POINTS = grid(workload=["single"], law=LAWS, jobs=[25, 100, 400, 1600, 10000]) + grid(
    workload=["hybrid"], law=LAWS, jobs=[25, 100, 400, 1600]
)
EXPERIMENTS = (
    Experiment(
        "hmhs.factors",
        "Every combination of order and dispatch",
        run,
        scales(grid(workload=WORKLOADS, law=LAWS, jobs=[25, 50]), POINTS),
        scales(2, 3, 5),
    ),
)
FIGURES = (
    Figure(
        "hmhs.factors",
        "hmhs.factors",
        plot,
        "How much each of HMHS's three heuristics shortens the "
        "makespan, in per cent of the makespan without it. Solid: added last, to the two others. Dotted: "
        "added alone, to FIFO. V is the speed factor: one for each job and machine, or one for each "
        "machine. Means over seeds. Beyond the paper.",
        alt(
            "Line charts of what each heuristic takes off the makespan (%) against the number of jobs. "
            "Added last, single workload",
            "gain",
            ["law", "heuristic"],
            "jobs",
            of=added_last,
            names=LAWS,
        ),
    ),
)
