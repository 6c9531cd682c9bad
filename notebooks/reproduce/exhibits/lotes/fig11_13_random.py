"""Figs. 11-13 of LoTES: every policy on random workloads, as classes or machines differ.

Section 5.4 draws each resource of a job for itself ("independent"), and Section 5.4.2 takes loads as shares of
"the solution of the machine assignment LP", stage 2's lambda* ("limit"). Whether a class's mean is that of the
Gaussian before or after it is truncated is not said. Beside the text's words claims are judged under two laws
with one factor a job, and for loads of stage 1's lambda* and of stage 2's in whole machines; those on
stability in `capacity`. Waits are in seconds, of all jobs.
"""

from dataclasses import replace

import numpy as np
import pandas as pd
from matplotlib.figure import Figure as Picture

from exhibits import measure, only
from exhibits.lotes import runs
from exhibits.lotes.drawing import laws_in, wait_panels
from schedlib import lotes
from schedlib.experiment import Experiment, Figure, grid, scales
from schedlib.pictures import style
from schedlib.pictures.alt import alt
from schedlib.pictures.waits import axis_of

PLACE = 5.4
JUDGED = ("common-matched", "common", "independent")
FULL = ("common-matched", "independent")
"""The laws that have the paper's own number of machines at its scale."""
LOADS = {"limit": "stage 2's lambda*", "fluid": "stage 1's lambda*"}
"""Of what a load may be a share, if not of stage 2's lambda* in whole machines."""
PHIS, OMEGAS = (0.0, 0.003, 0.006, 0.009, 0.012, 0.015), (0.0, 0.05, 0.1, 0.15, 0.2)


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
) -> pd.DataFrame:
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


def by_load(
    phi: float, omega: float, load: float, machines: int, hours: float, seed: int
) -> pd.DataFrame:
    """LoTES and Tetris as in `dispatching`, where loads are shares of lambda* of stage 1 or of stage 2."""
    sizes = [f"{law}-{of}" for law in JUDGED for of in LOADS]
    return dispatching(phi, omega, load, sizes, machines, hours, seed, ("lotes", "tetris"))


def _axis(name, what, load, phis, omegas=(0.0,), laws=JUDGED, every=1, paper=1):
    """An experiment along one axis: at smoke scale only its ends, else one in so many of its values.

    At the paper's scale there is one run, as in the paper; laws that are not `FULL` have fewer machines.
    """

    def of(laws, **more):
        points = (
            grid(
                phi=phis[:: step if len(phis) > 1 else 1],
                omega=omegas[::step],
                load=[load],
                sizes=[laws],
            )
            for step in (max(len(phis), len(omegas)) - 1, every, paper)
        )
        return runs.sized(*points, **more)

    points, others = of(laws), [law for law in laws if law not in FULL]
    points["paper"] = of(FULL)["paper"] + of(others, machines=(4, 50, 200))["paper"]
    title = f"Waits as {what} differ more, load {load:.2f}"
    return Experiment(f"lotes.{name}", title, dispatching, points, scales(2, 5, 1))


ENDS = grid(phi=[0.0, 0.006, 0.015], omega=[0.0], load=[0.97]) + grid(
    phi=[0.006], omega=[0.0, 0.1, 0.2], load=[0.95]
)
"""Ends and middle of the axes of Figs. 11 and 13."""
EXPERIMENTS = (
    _axis("fig11", "classes", 0.97, PHIS),
    _axis("fig12", "machines", 0.90, (0.006,), OMEGAS, (*JUDGED, "common-fluid"), every=2, paper=2),
    _axis("fig13", "machines", 0.95, (0.006,), OMEGAS, paper=2),
    Experiment(
        "lotes.loads",
        "Waits when loads are shares of another lambda*",
        by_load,
        runs.sized(ENDS, **runs.SOME),
        scales(2, 5),
    ),
)


def plot_waits(frame: pd.DataFrame) -> Picture:
    """Mean wait against Phi (Fig. 11) or Omega (Figs. 12 and 13), a panel for each law of sizes."""
    x = axis_of(frame)
    titles = laws_in(frame)
    label = {"phi": "Phi: classes differ", "omega": "Omega: machines differ"}[x]
    label = label if len(titles) < 4 else label.partition(":")[0]
    ticks = sorted(set(frame[x]))
    shift = 0.16 * (ticks[-1] - ticks[0] or 1) / max(len(ticks) - 1, 1)
    figure = wait_panels(frame, titles, x, shift, xlabel=label)
    for ax in figure.axes:
        ax.set_xticks(ticks, [f"{tick:g}" for tick in ticks], fontsize=8)
        ax.title.set_fontsize(10 if len(titles) < 3 else 8.5 if len(titles) < 4 else 7)
    return figure


def _alt(frame):
    x = axis_of(frame)
    head = f"Charts of mean wait against {x}. Medians (s) by policy and law of sizes"
    return alt(head, "wait", ["policy", "sizes"], x, average="median")(frame)


def _of_lambda1(frame):
    """Median waits where the load is a share of stage 1's rate and the mean is the parent's, in words."""
    rows = only(frame, sizes="common-fluid")
    medians = rows.groupby(["policy", "omega"])["wait"].median()
    if medians.empty:
        return ""
    words = [
        f"{style.look(policy).label} {', '.join(f'{wait:.2g}' for wait in medians[policy])} s"
        for policy in runs.POLICIES
    ]
    return f" Medians by Omega where the load is of lambda1: {'; '.join(words)}."


def _figure(number, what):
    return Figure(
        f"lotes.fig{number}",
        f"lotes.fig{number}",
        plot_waits,
        lambda frame: (
            f"Mean wait of all jobs {what}, on {runs.CONFIGS * int(frame['machines'].iloc[0]):,} machines of "
            f"ten configurations for {frame['hours'].iloc[0]:g} hours. Each panel is one reading of how job "
            "sizes are drawn. Points: instances. A hollow point is a run whose queue grew until its end. "
            f"Lines: medians. The paper's Fig. {number} has 10,000 machines and 100 "
            f"hours.{_of_lambda1(frame)}"
        ),
        _alt,
    )


FIGURES = (
    _figure(11, "as classes differ more (load 0.97 of stage 2's rate)"),
    _figure(
        12, "as machines differ more (load 0.90 of stage 2's rate, or, where said, of stage 1's)"
    ),
    _figure(13, "as machines differ more (load 0.95)"),
)


@measure
def _wait(frame, policy, where="phi >= 0"):
    """Mean wait in seconds, per seed."""
    rows = only(frame, policy=policy).query(where)
    return rows.groupby("seed")["wait"].mean().to_numpy()


@measure
def _growth(frame, policy):
    """Slope of the wait's decades along the axis, from one end of it to the other, per seed."""
    x = axis_of(frame)
    span = frame[x].max() - frame[x].min()
    rows = only(frame, policy=policy).sort_values(["phi", "omega", "seed"])
    rows = rows.assign(decades=np.log10(rows["wait"].clip(lower=runs.SHORTEST)))
    slopes = [span * np.polyfit(one[x], one["decades"], 1)[0] for _, one in rows.groupby("seed")]
    return np.round(slopes, 9)  # so that a flat line, whose slope is about 1e-17, does not grow


def _readings(figure, judged):
    """The measure under each law; in Figs. 11 and 13 also where loads are shares of another lambda*."""
    load = {"fig11": 0.97, "fig12": 0.9, "fig13": 0.95}[figure]

    def at(law):
        return runs.under(f"sizes == {law!r} and load == {load}", judged)

    own = {
        law: (f"lotes.{figure}", at(law))
        for law in (*JUDGED, *["common-fluid"] * (figure == "fig12"))
    }
    return own | {
        f"{law}, load of {name}": ("lotes.loads", at(f"{law}-{of}"))
        for law in JUDGED
        for of, name in LOADS.items()
        if figure != "fig12"
    }


GROWS = {"check": "trend", "metric": "growth of the mean wait along the axis", "unit": "decades"}
NONE = {"check": "value", "paper_value": 0.0, "tolerance": 1.0, "metric": "mean wait", "unit": "s"}

ROWS = (
    (
        "fig11-alike",
        "5.4.2",
        "When all classes are alike, LoTES and Tetris hardly differ (read: by at most 1 s)",
        lambda frame: np.abs(
            _wait("lotes", "phi == 0")(frame) - _wait("tetris", "phi == 0")(frame)
        ),
        NONE | {"metric": "difference of mean waits"},
    ),
    ("fig11-lotes-grows", "5.4.2; Fig. 11", "LoTES's wait grows with Phi", _growth("lotes"), GROWS),
    (
        "fig11-tetris-grows",
        "5.4.2; Fig. 11",
        "Tetris's wait grows with Phi",
        _growth("tetris"),
        GROWS,
    ),
    (
        "fig11-better",
        "5.4.2; Fig. 11",
        "For Phi > 0 LoTES waits less than Tetris",
        runs.longer("lotes", "tetris", "phi >= 0.003"),
        runs.DECADES,
    ),
    (
        "fig12-lotes",
        "5.4.3; Fig. 12",
        "At load 0.90 LoTES starts nearly all jobs at once",
        _wait("lotes"),
        NONE,
    ),
    (
        "fig12-tetris-zero",
        "5.4.3; Fig. 12",
        "At load 0.90 and Omega = 0 Tetris starts nearly all jobs at once",
        _wait("tetris", "omega == 0"),
        NONE,
    ),
    (
        "fig12-tetris-grows",
        "5.4.3; Fig. 12",
        "At load 0.90 Tetris's wait grows with Omega",
        _growth("tetris"),
        GROWS,
    ),
    (
        "fig13-lotes-grows",
        "5.4.3; Fig. 13",
        "At load 0.95 LoTES's wait grows with Omega",
        _growth("lotes"),
        GROWS,
    ),
    (
        "fig13-tetris-grows",
        "5.4.3; Fig. 13",
        "At load 0.95 Tetris's wait grows with Omega",
        _growth("tetris"),
        GROWS,
    ),
    (
        "fig13-better",
        "5.4.3; Fig. 13",
        "At load 0.95 LoTES waits less than Tetris",
        runs.longer("lotes", "tetris"),
        runs.DECADES,
    ),
)

CLAIMS = tuple(
    runs.claim(
        name,
        f"Section {where}",
        text,
        None,
        None,
        **more,
        readings=_readings(name.partition("-")[0], judged),
    )
    for name, where, text, judged, more in ROWS
)
