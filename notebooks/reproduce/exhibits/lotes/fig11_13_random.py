"""Figs. 11-13 of LoTES: every policy on random workloads, as classes or machines differ.

Section 5.4 draws each resource of a job for itself ("independent"), and Section 5.4.2 takes loads as shares of
"the solution of the machine assignment LP", stage 2's lambda* ("limit"). Other laws have a common factor for all
resources of a job, with the mean of the Gaussian before or after it is truncated, which is not said.
A policy is unstable where its queue grows in a run from an empty system, as the text says. Waits are in seconds,
of all jobs.
"""

from dataclasses import replace
from functools import partial

from pandas import DataFrame

from reproduce.exhibits import only
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
LAWS = ("independent-limit", "common-limit", "common-matched-limit")
"""The text's law, and the others: see `under`."""
FULL = ("independent-limit", "common-matched-limit")
"""Those of them that run at the paper's own scale, where a run takes minutes."""
PHIS, OMEGAS = (0.0, 0.003, 0.006, 0.009, 0.012, 0.015), (0.0, 0.05, 0.1, 0.15, 0.2)
MIDDLE = PHIS[2:3]  # Phi of Figs. 12 and 13
FIG11 = (0.97, 0.0)  # its load and Omega
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
    phi: float, omega: float, load: float, sizes: list[str], machines: int, hours: float, seed: int
) -> DataFrame:
    """The paper's three policies on a random instance of Section 5.4, under each law of sizes (see `under`).

    `load` is that of stage 2's rate in whole machines: with few of them rounding would overload LoTES alone.
    Columns: `sizes`, `policy`, those of `outcome`, `rate`: jobs per hour, and `limit`, lambda of stage 2 over
    lambda of stage 1. Fig. 11 takes the instances in order, the others those that are `drawn`.
    """
    number = seed if (load, omega) == FIG11 else drawn(seed)
    first = lotes.random_instance(
        phi, omega=omega, load=load, machines=machines, hours=hours, seed=number, rounded=True
    )
    cases: list[runs.Case] = [
        ({"sizes": law, "policy": policy}, under(first, law), policy, {})
        for law in sizes
        for policy in runs.POLICIES
    ]
    limit = first.plan.rate / first.plan.allocation.rate
    return runs.compared(
        cases,
        number,
        lambda run, instance: (
            runs.outcome(run, instance) | {"rate": instance.workload.rate, "limit": limit}
        ),
    )


def drawn(seed: int) -> int:
    """The number of an instance, the `seed`-th of those that can be planned at every Phi and Omega of
    Figs. 11 to 13: the others have more than 500,000 bins at some."""
    planned = [number for number in range(seed + 6) if number not in TOO_MANY_BINS]
    return planned[seed]


def _points(laws, phis=PHIS, step12=2, step13=1):
    """The points of Figs. 11, 12 and 13, and what Section 5.4.3 says of a load of 0.97."""
    axes = (
        (phis, OMEGAS[:1], 0.97),
        (MIDDLE, OMEGAS[::step12], 0.90),
        (MIDDLE, OMEGAS[::step13], 0.95),
        (MIDDLE, OMEGAS[2:3], 0.97),
    )
    points = []
    for some, omegas, load in axes:
        points += grid(phi=some, omega=omegas, load=[load], sizes=[laws])
    return points


EXPERIMENTS = (
    Experiment(
        "lotes.random",
        "Waits as classes and machines differ",
        dispatching,
        runs.sized(
            _points(LAWS, PHIS[::5], 4, 4),
            _points(LAWS),
            # by the text's law hardly any job waits along Phi at this size: its ends alone
            _points(FULL, PHIS[::5], 4, 2)
            + grid(phi=MIDDLE, omega=OMEGAS[:1], load=[0.97], sizes=[FULL[1:]]),
        ),
        scales(2, (5, 12), 3),
    ),
)


def plot_waits(frame: DataFrame):
    """Mean wait against Phi (Fig. 11) or Omega (Figs. 12 and 13), a panel for each law of sizes."""
    x = axis_of(frame)
    titles = laws_in(frame)
    label = {"phi": "Phi: how much classes differ", "omega": "Omega: how much machines differ"}[x]
    ticks = sorted(set(frame[x]))
    shift = 0.2 * (ticks[1] - ticks[0])
    figure, axes = panels(len(titles), (9.4, 4.3))
    looks = {name: style.look(name) for name in frame["policy"].unique()}
    log_and_zero(axes[0], SHORTEST)
    axes[0].set(ylabel=WAIT, ylim=(-0.5 * SHORTEST, 2 * frame["wait"].max()))
    for ax, (law, title) in zip(axes, titles.items(), strict=True):
        lines(ax, only(frame, sizes=law), x, looks, shift)
        ax.set_xlabel(label)
        ax.set_title(title, fontsize=9)
        ax.set_xticks(ticks, [f"{tick:g}" for tick in ticks], fontsize=8)
    return figure


# of longer names an alt text has room for ranges over the laws alone
IN_A_WORD = {
    "independent-limit": "independent",
    "common-limit": "one-factor",
    "common-matched-limit": "one-factor-as-planned",
}


def _alt(frame):
    x = axis_of(frame)
    head = f"Charts of mean wait against {x}. Medians (s) by policy and law of sizes"
    return alt(head, "wait", ["policy", "sizes"], x, names=IN_A_WORD, average="median")(frame)


def _figure(number, what, **where):
    return Figure(
        f"lotes.fig{number}",
        "lotes.random",
        plot_waits,
        lambda frame: (
            f"Mean wait of all jobs as {what} differ more (load {where['load']:.2f}), on "
            f"{runs.CONFIGS * int(frame['machines'].iloc[0]):,} machines for {frame['hours'].iloc[0]:g} hours "
            f"(the paper's Fig. {number}: 10,000 and 100). Panels: how job sizes are drawn. Loads: shares of "
            "stage 2's lambda*. Points: instances. Hollow: the queue grew until the end. Lines: medians."
        ),
        _alt,
        partial(only, **where),
    )


FIGURES = (
    _figure(11, "classes", load=0.97, omega=0.0),
    _figure(12, "machines", load=0.90),
    _figure(13, "machines", load=0.95),
)
