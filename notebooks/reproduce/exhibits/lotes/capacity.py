"""Capacity: the rate that each policy sustains over lambda* of stage 1, by Phi and law of sizes.

It is our own measure: what a policy sustains after a burst, beside the text's, whether its queue grows in a run
from an empty system.
"""

from pandas import DataFrame

from reproduce.exhibits import legend_below, only
from reproduce.exhibits.lotes.drawing import LAWS, laws_in, panels
from reproduce.exhibits.lotes.fig11_13_random import drawn, under
from reproduce.exhibits.lotes.runs import CONFIGS, POLICIES
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
LABELS = style.labels(LOOKS)


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
        ax.set(xlabel="Phi: how much classes differ", title=title)
        ax.set_xticks(sorted(set(rows["phi"])))
    axes[0].set_ylabel("capacity / lambda1")
    legend_below(axes[0], 4)
    return figure


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
            names=LABELS | LAWS,
        ),
    ),
)
