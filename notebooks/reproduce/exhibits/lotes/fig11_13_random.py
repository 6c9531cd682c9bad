"""Figs. 11-13 of LoTES: every policy on random workloads, as classes or machines differ.

Section 5.4 draws each resource of a job for itself ("independent"), and Section 5.4.2 takes loads as shares of
"the solution of the machine assignment LP", stage 2's lambda* ("limit"). Whether a class's mean is that of the
Gaussian before or after it is truncated is not said. Other readings change one of these: a common factor for
all resources of a job, with the mean of either law, or loads of stage 2's rate in whole machines. Stability is
judged in `capacity`. Waits are in seconds, of all jobs.
"""

import textwrap
from dataclasses import replace
from typing import Any

from pandas import DataFrame

from reproduce.exhibits import legend_below, only
from reproduce.exhibits.lotes import runs
from reproduce.exhibits.lotes.drawing import (
    SHORTEST,
    WAIT,
    axis_of,
    laws_in,
    lines,
    log_and_zero,
    panels,
)
from reproduce.figure import Figure
from schedlib import lotes
from schedlib.plots import style
from schedlib.plots.alt import alt
from schedlib.sweeps import Experiment, grid, scales

PLACE = 5.4
LAWS = ("independent-limit", "common-limit", "common-matched-limit", "independent")
"""The text's reading, and the others: see `under`."""
FULL = ("independent-limit", "common-matched-limit")
"""Those of them that run at the paper's own scale, where a run takes minutes."""
PHIS, OMEGAS = (0.0, 0.003, 0.006, 0.009, 0.012, 0.015), (0.0, 0.05, 0.1, 0.15, 0.2)
TOO_MANY_BINS = 5, 9, 12, 13, 14
"""Instances, of the first 18, that stage 2 does not plan at some Phi or Omega of Figs. 11 to 13."""


def under(instance: lotes.RandomInstance, sizes: str) -> lotes.RandomInstance:
    """The instance with job sizes of that law of `RandomWorkload`. With `-matched` behind it, the mean that
    the plan assumes is that of the truncated law and not of its parent; with `-fluid` or `-limit`, the load
    is a share of lambda* of stage 1 or of stage 2, and not of what whole machines leave of it.
    """
    jobs, plan, (law, *how) = instance.workload, instance.plan, sizes.split("-")
    for of, rate in (("fluid", plan.allocation.rate), ("limit", plan.rate)):
        if of in how:
            jobs = replace(jobs, rate=jobs.rate / plan.rate_rounded * rate)
    return instance._replace(workload=replace(jobs, sizes=law, matched="matched" in how))


def dispatching(
    phi: float,
    omega: float,
    load: float,
    sizes: list[str],
    machines: int,
    hours: float,
    seed: int,
    policies: tuple[str, ...] = runs.POLICIES,
) -> DataFrame:
    """The paper's three policies on a random instance of Section 5.4, under each law of sizes (see `under`).

    `load` is that of stage 2's rate in whole machines: with few of them rounding would overload LoTES alone.
    Columns: `sizes`, `policy`, those of `outcome`, `rate`: jobs per hour, and `limit`, lambda of stage 2 over
    lambda of stage 1.
    """
    first = lotes.random_instance(
        phi, omega=omega, load=load, machines=machines, hours=hours, seed=seed, rounded=True
    )
    cases: list[runs.Case] = [
        ({"sizes": law, "policy": policy}, under(first, law), policy, {})
        for law in sizes
        for policy in policies
    ]
    limit = first.plan.rate / first.plan.allocation.rate
    return runs.compared(
        cases,
        seed,
        lambda run, instance: (
            runs.outcome(run, instance) | {"rate": instance.workload.rate, "limit": limit}
        ),
    )


def drawn(seed: int) -> int:
    """The number of an instance, the `seed`-th of those that can be planned at every Phi and Omega of
    Figs. 11 to 13: the others have more than 500,000 bins at some."""
    planned = [number for number in range(seed + 6) if number not in TOO_MANY_BINS]
    return planned[seed]


def by_omega(seed: int, **point: Any) -> DataFrame:
    """As `dispatching`, on the instance that is `drawn`."""
    return dispatching(**point, seed=drawn(seed))


def _axis(name, what, load, phis, omegas=(0.0,), every=1, paper=1):
    """An experiment along one axis: at smoke scale only its ends, else every `every`-th of its values.

    At the paper's scale there is one run, as in the paper, under the laws `FULL`.
    """

    def of(step, laws):
        step_of_phi = step if len(phis) > 1 else 1
        return grid(phi=phis[::step_of_phi], omega=omegas[::step], load=[load], sizes=[laws])

    ends = max(len(phis), len(omegas)) - 1
    points = runs.sized(of(ends, LAWS), of(every, LAWS), of(paper, FULL))
    title = f"Waits as {what} differ more, load {load:.2f}"
    run = dispatching if len(phis) > 1 else by_omega
    return Experiment(f"lotes.{name}", title, run, points, scales(2, (5, 12), 1))


EXPERIMENTS = (
    _axis("fig11", "classes", 0.97, PHIS),
    _axis("fig12", "machines", 0.90, (0.006,), OMEGAS, every=2, paper=2),
    _axis("fig13", "machines", 0.95, (0.006,), OMEGAS, paper=2),
)


def plot_waits(frame: DataFrame):
    """Mean wait against Phi (Fig. 11) or Omega (Figs. 12 and 13), a panel for each law of sizes."""
    x = axis_of(frame)
    titles = laws_in(frame)
    label = {"phi": "Phi: classes differ", "omega": "Omega: machines differ"}[x]
    label = label if len(titles) < 4 else label.partition(":")[0]
    ticks = sorted(set(frame[x]))
    shift = 0.16 * (ticks[-1] - ticks[0] or 1) / max(len(ticks) - 1, 1)
    figure, axes = panels(len(titles), (8.8, 4.3))
    looks = {name: style.look(name) for name in frame["policy"].unique()}
    for ax, (law, title) in zip(axes, titles.items(), strict=True):
        lines(ax, only(frame, sizes=law), x, looks, shift)
        ax.set(title=title, ylabel=WAIT, xlabel=label)
        log_and_zero(ax, SHORTEST)
    axes[0].plot(
        [], [], "o", color="black", mfc="white", markersize=4, label="hollow: the queue grew"
    )
    legend_below(axes[0], len(looks) + 1)
    for ax in figure.axes:
        rotation = 90 if len(titles) >= 4 else 0  # narrow panels
        labels = [f"{tick:g}" for tick in ticks]
        ax.set_xticks(ticks, labels, fontsize=8, rotation=rotation)
        ax.set_title(textwrap.fill(ax.get_title(), 30), fontsize=8)
    return figure


def _alt(frame):
    x = axis_of(frame)
    head = f"Charts of mean wait against {x}. Medians (s) by policy and law of sizes"
    return alt(head, "wait", ["policy", "sizes"], x, average="median")(frame)


def _figure(number, what):
    return Figure(
        f"lotes.fig{number}",
        f"lotes.fig{number}",
        plot_waits,
        lambda frame: (
            f"Mean wait of all jobs {what}, on {runs.CONFIGS * int(frame['machines'].iloc[0]):,} machines "
            f"for {frame['hours'].iloc[0]:g} hours (the paper's Fig. {number}: 10,000 and 100). Panels: "
            "readings of how job sizes are drawn, at loads of stage 2's rate (lambda2) or of what whole "
            "machines leave of it. Points: instances. Hollow: the queue grew until the end. Lines: medians."
        ),
        _alt,
    )


FIGURES = (
    _figure(11, "as classes differ more (load 0.97)"),
    _figure(12, "as machines differ more (load 0.90)"),
    _figure(13, "as machines differ more (load 0.95)"),
)
