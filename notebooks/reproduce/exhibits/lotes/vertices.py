"""Which optimum of stage 1: very many allocations reach lambda*, and stage 2 depends on which is taken.

Table 1 prints how many classes each configuration serves, abs(K^j), under the authors' optimum. Three are
compared: ours, of least waste; the first that the solver finds; one with the printed numbers of classes.
"""

import numpy as np
from pandas import DataFrame

from reproduce.exhibits.lotes.drawing import SHORTEST
from reproduce.exhibits.lotes.runs import ONCE
from reproduce.figure import Figure
from schedlib import lotes
from schedlib.core import streams
from schedlib.lotes.planning.allocate import VERTICES, allocate, pool_size, solve, waste
from schedlib.lotes.workloads.instances import SUPPORTS
from schedlib.plots import style
from schedlib.plots.alt import alt
from schedlib.sweeps import Experiment, grid, scales

PLACE = 4.11
PRINTED = "as Table 1"
LEAST = 1e-4  # a class that a configuration serves has at least this part of its pool


def with_supports(
    configs: lotes.MachineConfigs, classes: lotes.JobClasses, supports: tuple[int, ...]
) -> lotes.Allocation:
    """The optimum of stage 1 of least waste under which configuration j serves supports[j] classes.

    An integer program; raises RuntimeError when no optimum has these numbers.
    """
    rate, pool = allocate(configs, classes).rate, pool_size(configs, classes)
    total, n = configs.capacity * configs.count[:, None], pool.size
    lost = waste(configs, classes) * (total / total.sum(axis=0)).mean(axis=1)[:, None]
    served = classes.rate * pool / (classes.share * rate)
    # a pair's column says which part of its pool it runs, and n columns on whether it is used
    part = np.arange(n).reshape(pool.shape)
    rows, low, high = [], [], []

    def limit(least, most, *terms):
        row = np.zeros(2 * n)
        for columns, factors in terms:
            row[columns] = factors
        rows.append(row)
        low.append(least)
        high.append(most)

    for pair in range(n):
        limit(-np.inf, 0.0, (pair, 1.0), (n + pair, -1.0))  # part <= used
        limit(0.0, np.inf, (pair, 1.0), (n + pair, -LEAST))
    for j, count in enumerate(supports):
        limit(count, count, (n + part[j], 1.0))
        for need, room in zip(classes.demand.T, total[j], strict=True):
            limit(-np.inf, 1.0, (part[j], pool[j] * need / room))
    for k in range(classes.n_classes):
        limit(1 - 1e-9, np.inf, (part[:, k], served[:, k]))
    second = np.arange(2 * n) >= n
    x, _ = solve(
        "the optimum with these numbers of classes",
        np.append(lost, np.zeros(n)),
        np.array(rows),
        np.array(low),
        np.array(high),
        most=np.where(second, 1.0, np.inf),
        whole=second,
    )
    running = np.where(x[n:] > 0.5, x[:n] * pool.ravel(), 0.0).reshape(pool.shape)
    return lotes.Allocation(rate, running[:, :, None] * classes.demand / total[:, None], running)


def google_vertices(seed: int) -> DataFrame:
    """The consequences of each optimum on Google's machines, a row each: `vertex`, and

    - `supports`: the abs(K^j); `above_two_supports`: configurations with more than two classes
    - `bins`: non-dominated ones under K^j; `bins_printed`: what Algorithm 1 keeps as printed
    - `assignment`: lambda of stage 2; `rounded`: that in whole machines; `integer`: of the exact program; all
      over lambda of stage 1
    """
    configs, classes = lotes.google2011()
    optima = {vertex: allocate(configs, classes, vertex=vertex) for vertex in VERTICES}
    rows = []
    for vertex, stage1 in (optima | {PRINTED: with_supports(configs, classes, SUPPORTS)}).items():
        exact = (
            lotes.plan(configs, classes, allocation=stage1, integer=True).rate_rounded / stage1.rate
        )
        supports = " ".join(map(str, stage1.supports))
        rows.append(
            {"vertex": vertex, "supports": supports}
            | _follows(configs, classes, stage1)
            | {"integer": np.round(exact, 12)}
        )
    return DataFrame(rows)


def _follows(configs, classes, stage1):
    """The columns of `google_vertices` for an optimum of stage 1, without the exact program."""
    made = lotes.plan(configs, classes, allocation=stage1)
    kept = [
        lotes.algorithm1(room, classes.demand[these])[0]
        for room, these in zip(configs.capacity, stage1.support, strict=True)
    ]
    return {
        "above_two_supports": int((stage1.supports > 2).sum()),
        "bins": sum(map(len, made.bins)),
        "bins_printed": sum(map(len, kept)),
        "assignment": np.round(made.rate / stage1.rate, 12),
        "rounded": np.round(made.rate_rounded / stage1.rate, 12),
    }


def spread(optima: int, thin: int, hours: float, seed: int) -> DataFrame:
    """The consequences of random optima of stage 1 on Google's machines, each of least random cost, a row each.

    Columns as in `google_vertices`, and `wait`: LoTES's mean wait (s) on Table 1's machines over `thin` at
    0.97 of the least that any of these optima sustains in whole machines, the same jobs for all.
    """
    configs, classes = lotes.google2011()
    (costs,) = streams(seed, "lotes vertices")
    fewer, rows, plans = lotes.fewer_machines(configs, thin), [], []
    for cost in costs.random((optima, *classes.rate.shape)):
        rows.append(_follows(configs, classes, allocate(configs, classes, vertex=cost)))
        plans.append(lotes.plan(fewer, classes, allocation=allocate(fewer, classes, vertex=cost)))
    jobs = lotes.RandomWorkload(
        classes, 0.97 * min(made.rate_rounded for made in plans), hours, "common", True, seed=seed
    )
    runs = [
        lotes.simulate("lotes", fewer, jobs, plan=made, seed=seed, record=False) for made in plans
    ]
    return DataFrame(rows).assign(wait=[3600 * run.mean_wait for run in runs])


EXPERIMENTS = (
    Experiment(
        "lotes.vertices", "Three optima of stage 1 on Google's machines", google_vertices, **ONCE
    ),
    Experiment(
        "lotes.vertices-spread",
        "Random optima of stage 1 on Google's machines",
        spread,
        scales(grid(optima=[3], thin=[40], hours=[0.2]), grid(optima=[10], thin=[20], hours=[0.5])),
        scales(1, 5),
    ),
)


MEASURES = {
    "bins": "bins / optimum",
    "bins_printed": "bins of Algorithm 1 / optimum",
    "rounded": "lost by rounding (%)",
    "wait": "LoTES's mean wait (s)",
}


def _losses(frame):
    """The frame with `rounded` as the per cent of stage 2's rate that rounding loses."""
    lost = 100 * (1 - frame["rounded"] / frame["assignment"])
    return frame.assign(rounded=lost.clip(lower=1e-5), wait=frame["wait"].clip(lower=SHORTEST))


def plot_spread(frame: DataFrame):
    """How many of the random optima lead to at most a number of bins, a loss, a wait."""
    figure, axes = style.subplots(2, 2, size=(8.0, 5.6), sharey=True)
    for ax, (column, label) in zip(axes.flat, MEASURES.items(), strict=True):
        values = np.sort(_losses(frame)[column])
        ax.step(values, 100 * np.arange(1, len(values) + 1) / len(values), where="post")
        ax.set(xlabel=label, ylabel="optima (%)", xscale="log")
        style.plain_log(ax.xaxis)
        ax.yaxis.set_tick_params(labelleft=True)
    return figure


SPREAD = Figure(
    "lotes.vertices-spread",
    "lotes.vertices-spread",
    plot_spread,
    lambda frame: (
        f"How much depends on which optimum stage 1 finds: {len(frame)} random optima on Google's machines, all "
        f"with the same lambda*. In {100 * (frame['above_two_supports'] == 1).mean():.0f} % of them all "
        "configurations but one serve one or two classes, as in the paper's Table 1. Waits: on one machine in "
        f"{frame['thin'].iloc[0]} of Google's, with the same jobs for all optima of a seed."
    ),
    alt(
        "Distributions over random optima. Medians",
        "value",
        ["measure"],
        of=lambda frame: _losses(frame).melt(value_vars=list(MEASURES), var_name="measure"),
        names=MEASURES,
        average="median",
    ),
)
FIGURES = (
    SPREAD,
    Figure(
        "lotes.vertices",
        "lotes.vertices",
        None,
        "Three of very many optima of stage 1 on Google's machines, all with the same lambda*: ours "
        "(least waste), the solver's first, and one with the numbers of classes that the paper's Table 1 "
        "prints. Bins: the non-dominated ones, and those that Algorithm 1 keeps. The rates of stage 2, "
        "its rounding and the exact integer program are over lambda*.",
        "Table of three optima of stage 1: bins, and the rate that stage 2 keeps.",
        heads={
            "vertex": "optimum",
            "supports": "classes of each configuration",
            "above_two_supports": "configurations of more than two",
            "bins_printed": "bins that Algorithm 1 keeps",
            "assignment": "stage 2",
            "integer": "integer program",
        },
    ),
)
