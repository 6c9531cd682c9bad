"""Capacity: the rate that each policy sustains over lambda* of stage 1, by Phi and law of sizes.

It is our own measure: what a policy sustains after a burst, beside the text's, whether its queue grows in a run
from an empty system. Beyond the paper, too: jobs that wait for ever.
"""

from dataclasses import replace

from pandas import DataFrame

from reproduce.exhibits import legend_below, only
from reproduce.exhibits.lotes.drawing import LAWS, laws_in, panels
from reproduce.exhibits.lotes.fig11_13_random import drawn, under
from reproduce.exhibits.lotes.runs import CONFIGS, POLICIES, Case, compared
from reproduce.figure import Figure
from schedlib.lotes.capacity import capacity
from schedlib.lotes.workloads.instances import random_instance
from schedlib.plots import style
from schedlib.plots.alt import alt
from schedlib.sweeps import Experiment, grid, scales

PLACE = 5.41
JUDGED = ("common-matched", "independent")
LIMIT = style.Look("#555555", (0, (1, 1)), "x", "stage 2's lambda*")
LOOKS = {name: style.look(name) for name in POLICIES}
EXIT_ALL = style.Look(style.BROWN, (0, (3, 1, 1, 1)), "D", "LoTES, any class on an exit")
WAYS_LOOK = LOOKS | {"lotes, exit all": EXIT_ALL}
"""The policies compared in `starving`: also LoTES with an exit that starts jobs of any class."""
LABELS = style.labels(LOOKS | WAYS_LOOK)
BURST, OVERLOAD = 2.0, 1.5  # hours of jobs at 1.5 lambda* of stage 1


def capacities(
    phi: float, sizes: list[str], machines: int, precision: float, seed: int
) -> DataFrame:
    """The rate that each policy sustains on an instance of Section 5.4: `sizes, policy, capacity, low, high`.

    The instance is the one that is `drawn`. `sizes`: laws as in `fig11_13_random.under`. Capacities, `fluid`,
    `limit` and `rounded` (lambda* of stage 1, of stage 2, and what whole machines leave of it) are over lambda1.
    """
    number = drawn(seed)
    first = random_instance(phi, machines=machines, hours=1.0, seed=number)
    bound = first.plan.allocation.rate
    rows = []
    rate: dict[str, float] = {}
    for law in sizes:
        for policy in POLICIES:
            # the bisection begins near a rate that is like it
            near = rate["lotes"] if policy == "tetris" else None
            found = capacity(
                policy,
                first.configs,
                under(first, law).workload,
                seed=number,
                precision=precision,
                near=near,
                plan=first.plan if policy == "lotes" else None,
            )
            rate[policy] = found.rate
            shares = [share / bound for share in (found.rate, found.low, found.high)]
            rows.append((law, policy, *shares))
    return DataFrame(rows, columns=["sizes", "policy", "capacity", "low", "high"]).assign(
        fluid=1.0, limit=first.plan.rate / bound, rounded=first.plan.rate_rounded / bound
    )


def starving(
    phi: float, load: float, sizes: str, machines: int, hours: float, seed: int
) -> DataFrame:
    """The queue at the end of a run that began with a burst: `waiting` jobs, the `oldest`'s wait (h), and
    `old`, how many wait since the first half."""
    first = random_instance(phi, load=load, machines=machines, hours=hours, seed=seed, rounded=True)
    made, burst = under(first, sizes), (OVERLOAD * first.plan.allocation.rate, BURST)
    made = made._replace(workload=replace(made.workload, burst=burst, limit=None))
    cases: list[Case] = [({"policy": name}, made, name, {}) for name in POLICIES]
    cases.insert(1, ({"policy": "lotes, exit all"}, made, "lotes", {"exit": "all"}))
    return compared(
        cases,
        seed,
        lambda run, _: {
            "waiting": len(run.ages),
            "oldest": run.ages.max(initial=0.0),
            "old": (run.ages > hours / 2).sum(),
        },
    )


def _points(phis, machines, precision):
    return grid(phi=phis, sizes=[JUDGED], machines=[machines], precision=[precision])


EXPERIMENTS = (
    Experiment(
        "lotes.capacity",
        "The rate that each policy sustains",
        capacities,
        scales(
            _points((0.006,), 4, 0.04),
            _points((0.0, 0.006, 0.015), 20, 0.02),
            _points((0.0, 0.006, 0.015), 100, 0.01),
        ),
        scales(2, 3, 1),
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


def plot_capacity(frame: DataFrame):
    """Capacity over lambda1 against Phi, a panel for each law of sizes."""
    laws = laws_in(frame)
    figure, axes = panels(len(laws), (8.8, 4.0))
    for ax, (law, title) in zip(axes, laws.items(), strict=True):
        rows = only(frame, sizes=law)
        style.band(ax, rows, "phi", "capacity", by="policy", looks=LOOKS)
        limits = only(rows, policy="lotes").assign(what="limit")
        style.band(ax, limits, "phi", "limit", by="what", looks={"limit": LIMIT})
        ax.set(xlabel="Phi: classes differ", ylabel="capacity / lambda1", title=title)
        ax.set_xticks(sorted(set(rows["phi"])))
    legend_below(axes[0], 4)
    return figure


def plot_starvation(frame: DataFrame):
    """The oldest queued job's wait at the end, by the length of the run, a panel for each Phi."""
    figure, axes = panels(frame["phi"].nunique(), (8.8, 4.0))
    lengths = sorted(set(frame["hours"]))
    for ax, (phi, runs) in zip(axes, frame.groupby("phi"), strict=True):
        for k, (name, look) in enumerate(WAYS_LOOK.items()):
            rows = only(runs, policy=name)
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
            xticks=lengths,
            xticklabels=[f"{hours:g}" for hours in lengths],
        )
        ax.minorticks_off()
    legend_below(axes[0], 5)
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
            "1's largest rate, as classes differ more. Our own measure, beyond the paper. "
            f"{CONFIGS * frame['machines'].iloc[0]:,} machines. Above 1 a policy packs better than mean sizes "
            "allow. Bands: 95 % over instances."
        ),
        alt(
            "Charts of capacity over lambda1 against Phi, by policy and law of sizes",
            "capacity",
            ["policy", "sizes"],
            "phi",
            names=LABELS,
        ),
    ),
    Figure(
        "lotes.starvation",
        "lotes.starvation",
        plot_starvation,
        lambda frame: (
            "How long the oldest job in the queue has waited, in runs that begin with two hours of "
            "arrivals at 1.5 lambda*. A job on the dotted line has waited since the beginning. "
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
