"""Figs. 11-13 of LoTES: every policy on random workloads, as classes, machines or the cluster's size differ;
and, beyond the paper, LoTES under a plan over all bins, made by column generation.

The text does not settle how job sizes are drawn, and of which lambda* loads are shares: claims are judged
under three laws and three loads, those on stability in `capacity`. Waits are in seconds, of all jobs.
"""

from dataclasses import replace

import numpy as np
import pandas as pd
from matplotlib.figure import Figure as Picture

from exhibits import measure
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


def steering(phi: float, load: float, machines: int, hours: float, seed: int) -> pd.DataFrame:
    """LoTES following the paper's plan and the generated one (over all bins), and Tetris, on the same jobs.

    `load` is that of the paper's stage 2 once rounded, so that above 1 only the generated plan may sustain
    it. Columns: `followed`, those of `outcome`, and `limit`, what the plan that is followed sustains over
    what stage 1 allows (Tetris follows none).
    """
    instance = runs.matched_instance(phi, load, machines, hours, seed)
    plans = {
        "paper's plan": instance.plan,
        "generated plan": lotes.generate_plan(instance.configs, instance.classes),
    }
    cases = [
        ({"followed": name}, instance, "lotes", {"plan": plan}) for name, plan in plans.items()
    ]
    limit = [plan.rate_rounded / instance.plan.allocation.rate for plan in plans.values()]
    frame = runs.compared([*cases, ({"followed": "tetris"}, instance, "tetris", {})], seed)
    return frame.drop(columns="arrived").assign(limit=[*limit, np.nan])


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
    Experiment(
        "lotes.scale",
        "Waits as the cluster grows",
        dispatching,
        scales(
            *(
                grid(
                    phi=phis,
                    machines=machines,
                    omega=[0.0],
                    load=[0.97],
                    sizes=[["common-matched"]],
                    hours=[hours],
                )
                for machines, phis, hours in (
                    ((4,), (0.006,), 10.0),
                    ((10, 20, 50, 100), (0.006, 0.015), 8.0),
                )
            )
        ),
        scales(1, 3),
    ),
    Experiment(
        "lotes.generated",
        "What a plan over all bins does to waits",
        steering,
        runs.sized(grid(phi=[0.006, 0.015], load=[0.97, 1.0, 1.02]), **runs.SOME),
        scales(1, 2),
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
    figure = wait_panels(frame, "sizes", titles, x, shift=shift, height=4.3, xlabel=label)
    for ax in figure.axes:
        ax.set_xticks(ticks, [f"{tick:g}" for tick in ticks], fontsize=8)
        ax.title.set_fontsize(10 if len(titles) < 3 else 8.5 if len(titles) < 4 else 7)
    return figure


def _by_phi(frame):
    return {phi: f"Phi = {phi:g}" for phi in sorted(set(frame["phi"]))}


def plot_scale(frame: pd.DataFrame) -> Picture:
    """Mean wait against the number of machines, a panel for each Phi."""
    frame = frame.assign(cluster=runs.CONFIGS * frame["machines"])
    figure = wait_panels(
        frame, "phi", _by_phi(frame), "cluster", hollow=False, xlabel="machines", xscale="log"
    )
    ticks = sorted(set(frame["cluster"]))
    for ax in figure.axes:
        ax.set_xticks(ticks, [f"{machines:,}" for machines in ticks])
        ax.minorticks_off()
    return figure


FOLLOWED = {
    "paper's plan": style.Look(style.BLUE, "-", "o", "LoTES, the paper's plan"),
    "generated plan": style.Look(style.VIOLET, "--", "s", "LoTES, plan over all bins"),
    "tetris": style.look("tetris"),
}


def plot_generated(frame: pd.DataFrame) -> Picture:
    """Mean wait against the load by the plan that is followed, a panel for each Phi."""
    return wait_panels(
        frame,
        "phi",
        _by_phi(frame),
        "load",
        by="followed",
        looks=FOLLOWED,
        size=5,
        xlabel="load of what the paper's plan sustains",
    )


def _alt(frame):
    x = axis_of(frame)
    head = f"Charts of mean wait against {x}. Medians (s) by policy and law of sizes"
    return alt(head, "wait", ["policy", "sizes"], x, average="median")(frame)


def _of_lambda1(frame):
    """Median waits where the load is a share of stage 1's rate and the mean is the parent's, in words."""
    medians = frame[frame["sizes"] == "common-fluid"].groupby(["policy", "omega"])["wait"].median()
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
    Figure(
        "lotes.scale",
        "lotes.scale",
        plot_scale,
        lambda frame: (
            f"Mean wait as the cluster grows, at load 0.97, in {frame['hours'].iloc[0]:g} hours. Job sizes vary "
            "by one factor for all resources, with the mean as planned. Waits depend on the size of the cluster, "
            "and LoTES's most of all. So a figure made at quick scale shows the shape of a curve, but not the "
            "seconds of the paper's scale."
        ),
        alt(
            "Charts of mean wait against machines of a configuration. Medians at the smaller Phi (s)",
            "wait",
            ["policy"],
            "machines",
            of=lambda frame: frame[frame["phi"] == frame["phi"].min()],
            average="median",
        ),
    ),
    Figure(
        "lotes.generated",
        "lotes.generated",
        plot_generated,
        lambda frame: (
            "Mean wait when stage 2 chooses among all bins, by column generation (beyond the paper), on "
            f"{runs.CONFIGS * frame['machines'].iloc[0]:,} machines for {frame['hours'].iloc[0]:g} hours. All "
            "three run the same jobs. Load 1 is what the paper's plan sustains. A hollow point is a run whose "
            "queue grew until its end."
        ),
        alt(
            "Charts of mean wait against load. Medians (s), by Phi",
            "wait",
            ["phi", "followed"],
            "load",
            average="median",
        ),
    ),
)


@measure
def _wait(frame, policy, where="phi >= 0"):
    """Mean wait in seconds, per seed."""
    return frame[frame["policy"] == policy].query(where).groupby("seed")["wait"].mean().to_numpy()


@measure
def _growth(frame, policy):
    """Slope of the wait's decades along the axis, from one end of it to the other, per seed."""
    x = axis_of(frame)
    span = frame[x].max() - frame[x].min()
    rows = frame[frame["policy"] == policy].sort_values(["phi", "omega", "seed"])
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
