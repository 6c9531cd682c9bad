"""Capacity: the rate that each policy sustains over lambda* of stage 1, by Phi, Omega and law of sizes.

Whether a policy is stable in Figs. 11-13 is judged here, by what it sustains after a burst, and not by how
its queue looked at the end of a run from an empty system. Beyond the paper: why one may sustain more than
lambda*, and two ways not to recover: queues that stay after a burst, jobs that wait for ever.
"""

from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.figure import Figure as Picture

from exhibits import measure
from exhibits.lotes.drawing import LAWS, WAIT, laws_in, legend_below, log_and_zero, panels
from exhibits.lotes.fig11_13_random import JUDGED, LOADS, under
from exhibits.lotes.runs import CONFIGS, POLICIES, SHORTEST, claim, compared, follow, sized
from schedlib.experiment import Experiment, Figure, grid, scales
from schedlib.intervals import Proportion
from schedlib.lotes.capacity import capacity
from schedlib.lotes.model import JobClasses, MachineConfigs
from schedlib.lotes.planning.allocate import allocate
from schedlib.lotes.workloads.instances import RandomWorkload, google2011, random_instance
from schedlib.pictures import style
from schedlib.pictures.alt import alt

PLACE = 5.41
LARGER = 0.97  # a policy sustains about this part of the rate when jobs are 2.8 % larger
AXES = {
    "phi": "Phi: how much classes differ (Omega = 0)",
    "omega": "Omega: how much machines differ (Phi = 0.006)",
}
LIMIT = style.Look("#555555", (0, (1, 1)), "x", "stage 2's lambda*")
LOOKS = {name: style.look(name) for name in POLICIES}
SHARES = (0.8, 0.9, 0.95, 0.99)
WAYS: dict[str, tuple[str, dict[str, Any]]] = {
    "lotes": ("lotes", {}),
    "lotes, exit all": ("lotes", {"exit": "all"}),
    "greedy": ("greedy", {}),
    "tetris": ("tetris", {}),
}
"""Who is compared: LoTES as printed, and with an exit that starts jobs of any class."""
WAYS_LOOK = {name: style.look(name) for name in ("lotes", "greedy", "tetris")} | {
    "lotes, exit all": style.Look(
        style.BROWN, (0, (3, 1, 1, 1)), "D", "LoTES, any class on an exit"
    )
}
LABELS = {name: look.label for name, look in (LOOKS | WAYS_LOOK).items()}
BURST, OVERLOAD = 2.0, 1.5  # hours of jobs at 1.5 lambda* of stage 1


def capacities(
    phi: float,
    omega: float,
    sizes: list[str],
    machines: int,
    precision: float,
    hours: float,
    seed: int,
) -> pd.DataFrame:
    """What each policy sustains on an instance of Section 5.4: `sizes, policy, capacity, low, high`.

    `sizes`: laws as in `fig11_13_random.under`. Capacities, `fluid`, `limit` and `rounded` (lambda* of stage
    1, of stage 2, and what whole machines leave of it) are over lambda1. `wait 0.8` ...: mean wait (s) of all
    jobs at these shares of `low` in runs of so many `hours` from an empty cluster; none when 0.
    """
    first = random_instance(phi, omega=omega, machines=machines, hours=hours or 1.0, seed=seed)
    bound, rows, rate = first.plan.allocation.rate, [], dict[str, float]()
    for law, policy in ((law, policy) for law in sizes for policy in POLICIES):
        made, plan = under(first, law).workload, first.plan if policy == "lotes" else None
        near = rate.get("lotes") if policy not in ("lotes", "greedy") else None
        near = LARGER * rate[policy] if law == "common" and policy in rate else near
        found = capacity(
            policy,
            first.configs,
            made,
            seed=seed,
            precision=precision,
            near=near,
            plan=plan,
        )
        rate[policy] = found.rate
        rows.append(
            {
                "sizes": law,
                "policy": policy,
                "capacity": found.rate / bound,
                "low": found.low / bound,
                "high": found.high / bound,
            }
        )
        for share in SHARES if hours else ():
            jobs = replace(made, rate=share * found.low, limit=None)
            run = follow(first._replace(workload=jobs), policy, seed)
            rows[-1][f"wait {share:g}"] = 3600 * run.mean_wait
    return pd.DataFrame(rows).assign(
        fluid=1.0, limit=first.plan.rate / bound, rounded=first.plan.rate_rounded / bound
    )


def packing(sizes: str, draws: int, seed: int) -> pd.DataFrame:
    """How many jobs of mean size 0.025 one machine of each kind holds: `cores`, `memory`, and

    - `bin`: the bin of means; `pooled`: where jobs are divisible, stage 1
    - `ordered`: jobs of random sizes, in order until one does not fit, mean of so many `draws`
    """
    configs = google2011()[0]
    configs = MachineConfigs(configs.capacity, np.full(configs.n_configs, 1000))
    alike = JobClasses(np.ones(1), np.full((1, 2), 0.025), np.ones((configs.n_configs, 1)))
    law, _, matched = sizes.partition("-")
    jobs = RandomWorkload(
        alike, rate=100.0 * draws, hours=1.0, sizes=law, matched=bool(matched), seed=seed
    )
    drawn = np.concatenate([block.demand for block in jobs.blocks()])[: 80 * draws].reshape(
        draws, 80, 2
    )
    held = [
        (np.cumsum(drawn, axis=1) <= room).all(axis=2).sum(axis=1).mean()
        for room in configs.capacity
    ]
    return pd.DataFrame(
        {
            "cores": configs.capacity[:, 0],
            "memory": configs.capacity[:, 1],
            "bin": (configs.capacity / 0.025 + 1e-9).min(axis=1) // 1,
            "pooled": allocate(configs, alike).running.sum(axis=1) / configs.count,
            "ordered": held,
        }
    )


def _after_burst(phi, load, sizes, machines, hours, seed, burst=BURST):
    """A random instance whose jobs come in a burst of that many hours first."""
    first = random_instance(phi, load=load, machines=machines, hours=hours, seed=seed, rounded=True)
    made, faster = under(first, sizes), (OVERLOAD * first.plan.allocation.rate, burst)
    return made._replace(workload=replace(made.workload, burst=faster, limit=None))


def _ways(made):
    return [({"policy": name}, made, policy, options) for name, (policy, options) in WAYS.items()]


def recovering(
    phi: float, load: float, sizes: str, machines: int, hours: float, seed: int
) -> pd.DataFrame:
    """Queues by the hour, with and without two hours of overload: `policy, burst, hour, queue`."""
    frames = []
    for burst in (0.0, BURST):
        made = _after_burst(phi, load, sizes, machines, hours, seed, burst)
        for named, _, policy, options in _ways(made):
            run = follow(made, policy, seed, interval=1.0, **options).intervals
            rows = run[["end", "queue_end"]].set_axis(["hour", "queue"], axis=1)
            frames.append(rows.assign(**named, burst=burst)[["policy", "burst", "hour", "queue"]])
    return pd.concat(frames, ignore_index=True)


def starving(
    phi: float, load: float, sizes: str, machines: int, hours: float, seed: int
) -> pd.DataFrame:
    """What waits at the end of a run that began with a burst: `waiting` jobs, the `oldest`'s wait (h), and
    `old`, how many wait since the first half."""
    made = _after_burst(phi, load, sizes, machines, hours, seed)
    return compared(
        _ways(made),
        seed,
        lambda run, _: {
            "waiting": len(run.ages),
            "oldest": run.ages.max(initial=0.0),
            "old": (run.ages > hours / 2).sum(),
        },
    )


def _points(phis, omegas, machines, precision, hours):
    size = {"sizes": JUDGED, "machines": machines, "precision": precision}
    settings = [(phi, 0.0) for phi in phis] + [(0.006, omega) for omega in omegas]
    return [
        {"phi": phi, "omega": omega, **size, "hours": hours if omega == WAITS_AT else 0.0}
        for phi, omega in settings
    ]


WAITS_AT = 0.1  # Omega of the chart of waits
EXPERIMENTS = (
    Experiment(
        "lotes.capacity",
        "The rate that each policy sustains",
        capacities,
        scales(
            _points((0.006,), (0.1, 0.2), 4, 0.04, 4.0),
            _points((0.0, 0.006, 0.015), (0.1, 0.2), 20, 0.02, 4.0),
            _points((0.0, 0.006, 0.015), (0.1, 0.2), 100, 0.01, 10.0),
        ),
        scales(2, 5, 1),
    ),
    Experiment(
        "lotes.packing",
        "What fits one machine",
        packing,
        scales(grid(sizes=["common-matched", "independent"], draws=[400])),
        scales(1),
    ),
    Experiment(
        "lotes.metastable",
        "Queues after a burst",
        recovering,
        sized(
            grid(phi=[0.006], load=[0.97], sizes=["independent"]),
            hours=(10.0, 20.0, 20.0),
            machines=(4, 50, 50),
        ),
        scales(1, 2),
    ),
    Experiment(
        "lotes.starvation",
        "Jobs that never start",
        starving,
        scales(
            *(
                grid(
                    phi=[0.006, 0.015],
                    load=[0.95],
                    sizes=["common-matched"],
                    machines=[machines],
                    hours=lengths,
                )
                for machines, lengths in ((4, [5.0, 10.0]), (30, [10.0, 30.0]))
            )
        ),
        scales(1, 3),
    ),
)


def _along(frame, axis):
    """The rows of one axis: Phi where machines are alike, Omega where Phi is 0.006."""
    return frame[frame["omega"] == 0] if axis == "phi" else frame[frame["phi"] == 0.006]


def plot_capacity(frame: pd.DataFrame) -> Picture:
    """Capacity over lambda1 against Phi (left) and Omega (right), a row of panels for each law of sizes."""
    laws = laws_in(frame)
    size = 8.8, 2.5 * len(laws) + 0.5
    figure, axes = style.subplots(len(laws), 2, size=size, sharey=True, squeeze=False)
    for row, law in zip(axes, laws, strict=True):
        for ax, (axis, label) in zip(row, AXES.items(), strict=True):
            rows = _along(frame[frame["sizes"] == law], axis)
            style.band(ax, rows, axis, "capacity", by="policy", looks=LOOKS)
            limits = rows[rows["policy"] == "lotes"].assign(what="limit")
            style.band(ax, limits, axis, "limit", by="what", looks={"limit": LIMIT})
            ax.set(xlabel=label, ylabel="capacity / lambda1")
            ax.set_title(f"sizes: {LAWS[law]}", fontsize=10)
            ax.yaxis.set_tick_params(labelleft=True)
    legend_below(figure, axes[-1, 0], 3)
    return figure


def plot_load(frame: pd.DataFrame) -> Picture:
    """Mean wait against the load, up to 99 % of what each policy sustains, a panel for each law of sizes."""
    frame = frame[frame["hours"] > 0]
    figure, axes = panels(len(laws_in(frame)), (9.4, 3.8))
    for ax, (law, title) in zip(axes, laws_in(frame).items(), strict=True):
        for policy in POLICIES:
            rows, look = frame[(frame["sizes"] == law) & (frame["policy"] == policy)], LOOKS[policy]
            waits = rows[[f"wait {share:g}" for share in SHARES]]
            loads = rows["low"].to_numpy()[:, None] * np.array(SHARES)
            ax.plot(
                loads.ravel(), waits.to_numpy().ravel(), look.marker, color=look.color, alpha=0.5
            )
            ax.plot(np.median(loads, axis=0), waits.median(), **look._replace(marker="").line())
        ax.set(xlabel="load / lambda1", ylabel=WAIT)
        log_and_zero(ax, SHORTEST)
        ax.set_title(title, fontsize=9)
    legend_below(figure, axes[0])
    return figure


def plot_packing(frame: pd.DataFrame) -> Picture:
    """Jobs that fit one machine as they come, over the bin of means."""
    figure, ax = style.subplots(size=(7.0, 3.8))
    for (law, rows), look in zip(frame.groupby("sizes"), LOOKS.values(), strict=False):
        line = look._replace(label=LAWS[law]).line() | {"linestyle": "none"}
        names = [f"{row.cores:g} x {row.memory:g}" for row in rows.itertuples()]
        ax.plot(names, rows["ordered"] / rows["bin"], **line)
    ax.set(xlabel="machine: cores x memory", ylabel="jobs as they come / bin of means")
    ax.tick_params("x", rotation=60, labelsize=8)
    legend_below(figure, ax, 2)
    return figure


def plot_metastable(frame: pd.DataFrame) -> Picture:
    """Queues over time: without a burst (left) and after one (right); a line for each instance and policy."""
    figure, axes = panels(2, (8.8, 4.0))
    for ax, (burst, runs) in zip(axes, frame.groupby("burst"), strict=True):
        for name, look in WAYS_LOOK.items():
            for seed, rows in runs[runs["policy"] == name].groupby("seed"):
                named = {"label": look.label} if seed == runs["seed"].min() else {}
                ax.plot(
                    rows["hour"], rows["queue"], color=look.color, linestyle=look.linestyle, **named
                )
        ax.set_yscale("symlog", linthresh=1)
        ax.set_title(
            f"{burst:g} hours of overload first" if burst else "from an empty cluster", fontsize=10
        )
        ax.set(xlabel="time (hours)", ylabel="jobs waiting")
    axes[0].set_ylim(bottom=0)  # last, so that both panels show all of both
    legend_below(figure, axes[0])
    return figure


def plot_starvation(frame: pd.DataFrame) -> Picture:
    """The oldest queued job's wait at the end, by the length of the run, a panel for each Phi."""
    figure, axes = panels(frame["phi"].nunique(), (8.8, 4.0))
    lengths = sorted(set(frame["hours"]))
    for ax, (phi, runs) in zip(axes, frame.groupby("phi"), strict=True):
        for k, (name, look) in enumerate(WAYS_LOOK.items()):
            rows = runs[runs["policy"] == name]
            place = rows["hours"] * (1 + 0.06 * (k - 1.5))
            ax.plot(
                place, rows["oldest"], look.marker, color=look.color, label=look.label, alpha=0.8
            )
        ax.plot(lengths, lengths, ":", color="black", label="since the beginning")
        ax.set(
            title=f"Phi = {phi:g}",
            xlabel="length of the run (hours)",
            xscale="log",
            ylabel="the oldest queued job's wait so far (hours)",
        )
        ax.set_xticks(lengths, [f"{hours:g}" for hours in lengths])
        ax.minorticks_off()
    legend_below(figure, axes[0], 5)
    return figure


def _where(frame):
    machines, load, sizes = frame[["machines", "load", "sizes"]].iloc[0]
    return f"{CONFIGS * machines:,} machines, load {load:g}, sizes: {LAWS[sizes]}"


FIGURES = (
    Figure(
        "lotes.capacity",
        "lotes.capacity",
        plot_capacity,
        lambda frame: (
            "The rate of arrivals that each policy sustains after a burst (its capacity), over lambda1, stage "
            "1's largest rate. Left: as classes differ more. Right: as machines do. "
            f"{CONFIGS * frame['machines'].iloc[0]:,} machines. Above 1 a policy packs better than mean sizes "
            "allow. The paper's Figs. 11-13 show waits at 0.97, 0.90 and 0.95 of stage 2's lambda*. "
            "Bands: 95 % over instances."
        ),
        alt(
            "Charts of capacity over lambda1 against Phi and Omega. Against Phi, by policy and law of sizes",
            "capacity",
            ["policy", "sizes"],
            "phi",
            names=LABELS,
        ),
    ),
    Figure(
        "lotes.capacity-load",
        "lotes.capacity",
        plot_load,
        lambda frame: (
            "Mean wait of all jobs near each policy's capacity: at 0.8, 0.9, 0.95 and 0.99 of the load that it "
            f"sustains on the instance. Phi = 0.006, Omega = {WAITS_AT:g}, "
            f"{CONFIGS * frame['machines'].iloc[0]:,} machines, {frame['hours'].max():g} hours from an empty "
            "cluster. Points: instances. Lines: medians."
        ),
        alt(
            "Charts of mean wait against load. Medians at 99 % of capacity (s), by law of sizes",
            "wait 0.99",
            ["sizes", "policy"],
            of=lambda frame: frame[frame["policy"].isin(POLICIES)],
            average="median",
        ),
    ),
    Figure(
        "lotes.packing",
        "lotes.packing",
        plot_packing,
        lambda frame: (
            "Why a policy may sustain more than lambda1, stage 1's largest rate (beyond the paper). Jobs have a "
            "mean size of 0.025. Shown: jobs that fit on one machine in the order of their arrival, over those "
            "that fit if all had mean size. When each resource is drawn by itself, some jobs need little memory. "
            "Machines with little memory can hold those, and other machines hold the rest."
        ),
        alt(
            "Scatter by machine: jobs as they come over the bin of means",
            "more",
            ["sizes"],
            of=lambda frame: frame.assign(more=frame["ordered"] / frame["bin"]),
            names=LAWS,
        ),
    ),
    Figure(
        "lotes.metastable",
        "lotes.metastable",
        plot_metastable,
        lambda frame: (
            "Queues over time. Left: from an empty cluster. Right: after two hours of arrivals at 1.5 lambda*. "
            "Greedy keeps up from an empty cluster. After the burst its queue may never drain, because each "
            f"machine starts the job that waits at it, not the one that fits best. {_where(frame)}, Phi = "
            "0.006. Lines: instances."
        ),
        alt(
            "Queues over time. Median of the jobs that wait at the end, by the size of a burst before",
            "queue",
            ["policy"],
            "burst",
            of=lambda frame: frame[frame["hour"] == frame["hour"].max()],
            names=LABELS,
            average="median",
        ),
    ),
    Figure(
        "lotes.starvation",
        "lotes.starvation",
        plot_starvation,
        lambda frame: (
            "How long the oldest job in the queue has waited, in runs that begin with two hours of arrivals at "
            "1.5 lambda*. A job on the dotted line has waited since the beginning. Under LoTES a machine with "
            "new room looks only for classes that its plan gives it. A job may be too large for all machines "
            "with its class in their plan, and then none looks for it. Letting machines look for any class "
            "helps. Tetris passes large jobs over as long as smaller ones wait. "
            f"{_where(frame)}."
        ),
        alt(
            "Scatter of how long the oldest queued job waits, against the length of the run. Medians (h)",
            "oldest",
            ["policy"],
            "hours",
            names=LABELS,
            average="median",
        ),
    ),
)


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
    rows = frame[
        (frame["sizes"] == law) & (frame["omega"] > 0) & frame["policy"].isin(["lotes", "tetris"])
    ]
    short = (rows["capacity"] < 0.97 * rows[of]).groupby([rows["seed"], rows["omega"]]).any()
    return Proportion(int(short.sum()), len(short), 100.0)


READINGS = {
    f"{law}, load of {name}": (law, of)
    for law in JUDGED
    for of, name in (LOADS | {"rounded": "stage 2's in whole machines"}).items()
}
"""What the text leaves open: how sizes are drawn, and of which lambda* loads are shares."""
SIGNED = {
    1: {"metric": "capacity less load, where it is least", "unit": "% of lambda1"},
    -1: {"metric": "load less capacity, where it is least", "unit": "% of lambda1"},
}
STABLE = (
    ("fig11-greedy", "5.4.2", 0.97, "Greedy is unstable", "greedy", "phi", "phi >= 0", -1),
    ("fig11-lotes-stable", "5.4.2", 0.97, "LoTES is stable", "lotes", "phi", "phi >= 0", 1),
    ("fig11-tetris-stable", "5.4.2", 0.97, "Tetris is stable", "tetris", "phi", "phi >= 0", 1),
    ("fig12-greedy", "5.4.3", 0.90, "Greedy is unstable", "greedy", "omega", "omega >= 0", -1),
    (
        "fig13-tetris-unstable",
        "5.4.3",
        0.95,
        "Tetris is unstable at Omega = 0.2",
        "tetris",
        "omega",
        "omega == 0.2",
        -1,
    ),
    (
        "fig13-tetris-stable",
        "5.4.3; Fig. 13",
        0.95,
        "Tetris is stable up to Omega = 0.1",
        "tetris",
        "omega",
        "omega <= 0.1",
        1,
    ),
    ("fig13-greedy", "5.4.3", 0.95, "Greedy is unstable", "greedy", "omega", "omega >= 0", -1),
)
ROWS = [
    (
        name,
        where,
        f"At load {load:.2f} {text}",
        _spare,
        (policy, load, axis, at, sign),
        SIGNED[sign],
    )
    for name, where, load, text, policy, axis, at, sign in STABLE
]
HALF: dict[str, Any] = {
    "check": "value",
    "paper_value": 75.0,
    "tolerance": 25.0,
    "unit": "%",
    "metric": "share of such instances",
}
OFTEN = (
    "heavier",
    "5.4.3",
    "With differing machines a load of 0.97 often leads to instability (of LoTES or "
    "Tetris for Omega > 0; read: in at least half of instances)",
    _often_short,
    (),
    HALF,
)

CLAIMS = tuple(
    claim(
        name,
        f"Section {where}",
        text,
        None,
        None,
        **more,
        readings={
            reading: ("lotes.capacity", judged(*which, *options))
            for reading, which in READINGS.items()
        },
    )
    for name, where, text, judged, options, more in (*ROWS, OFTEN)
)
