"""Tenants on real demands, in one pool and on machines of finite size (beyond the paper).

How it is read: tenants are those of `workloads.gpu_tenants` and `hour_tenants`, siblings have equal weights.
Durations are drawn at random from those of the leaf's tasks. Twice is looked at what rules do with it:

- *guarantees*: every leaf has tasks waiting all the time, 60 mean durations long; its mean dominant share,
  at 200 times in the last two thirds, over its hierarchical share guarantee
- *waits*: tasks, drawn at random from the trace's, arrive by a Poisson process that asks for 1.2 times what
  there is of the most demanded resource, so that some must wait: from submission to start, or, of a task that
  has not started, to the last arrival
"""

import itertools
from functools import partial

import numpy as np
import pandas as pd
from matplotlib.ticker import FixedLocator, NullLocator

from schedlib.core.portable import dot
from schedlib.core.streams import streams
from schedlib.exhibits import GPU_TRACE
from schedlib.exhibits.mch import dots_by_rule, label
from schedlib.experiment import Experiment, Figure, grid, scales
from schedlib.mch.model import Tree
from schedlib.mch.simulate import simulate
from schedlib.mch.workloads import gpu_tenants, hour_tenants
from schedlib.pictures import style

PLACE = 5.5
RULES = ("h-drf", "naive-h-drf", "mch", "mch-two-phase", "drf", "c-ch", "m-ch")
TENANTS = {"gpu": gpu_tenants, "hour": hour_tenants}
LOAD, LONG, TIMES = 1.2, 60, 200
PLACES = {"pool": "one pool", "machines": "machines"}


def backlog(
    tree: Tree, tasks: pd.DataFrame, capacity: np.ndarray, span: float, seed: int
) -> pd.DataFrame:
    """Jobs of one task for `mch.simulate`, all there at 0: twice what a leaf alone could run in `span`."""
    (draw,), parts = streams(seed, "mch tenants wait"), []
    alone = (capacity / np.maximum(tree.demand, 1e-300)).min(axis=1)
    for leaf, mine in tasks.groupby("leaf")["duration"]:
        count = int(2 * alone[leaf] * max(span / mine.mean(), 1)) + 1
        parts.append(pd.DataFrame({"leaf": leaf, "duration": draw.choice(mine.to_numpy(), count)}))
    return pd.concat(parts, ignore_index=True).assign(submit=0.0, tasks=1)


def arrivals(
    tree: Tree, tasks: pd.DataFrame, capacity: np.ndarray, count: int, seed: int
) -> pd.DataFrame:
    """`count` of the tasks, drawn at random, as jobs for `mch.simulate` that arrive at `LOAD`."""
    draw, when = streams(seed, "mch tenants", "mch tenants arrive")
    jobs = tasks.iloc[draw.integers(len(tasks), size=count)].reset_index(drop=True)
    # s of all there is
    work = dot(jobs["duration"].to_numpy(float), tree.demand[jobs["leaf"]]) / capacity
    return jobs.assign(
        tasks=1, submit=np.cumsum(when.exponential(work.max() / (LOAD * count), count))
    )


def run(trace: str, count: int, seed: int) -> pd.DataFrame:
    """What each leaf gets: `place, rule, leaf, name, share, wait, used`.

    `share`: mean dominant share over the guarantee while all leaves have tasks waiting, `used` the part (%)
    of the most used resource then; `wait`: mean wait of `count` tasks that arrive, over their mean duration.
    """
    tree, tasks, machines = TENANTS[trace]()
    capacity, span, rows = machines.sum(axis=0), LONG * tasks["duration"].mean(), []
    waiting, coming = (
        backlog(tree, tasks, capacity, span, seed),
        arrivals(tree, tasks, capacity, count, seed),
    )
    names = [f"{tree.name(tree.parent[node])}, {tree.name(node)}" for node in tree.leaves]
    for place, rule in itertools.product(PLACES, RULES):
        there = machines if place == "machines" else capacity
        held = simulate(tree, there, rule, waiting, until=span, every=span / (1.5 * TIMES))
        late = held.shares[held.shares["time"] > span / 3].groupby("leaf")["share"].mean()
        done = simulate(tree, there, rule, coming, until=coming["submit"].iloc[-1], record=False)
        wait = (
            (done.jobs["start"].fillna(done.end) - coming["submit"]).groupby(coming["leaf"]).mean()
        )
        rows.append(
            pd.DataFrame(
                {
                    "place": place,
                    "rule": rule,
                    "leaf": late.index,
                    "name": names,
                    "share": late / tree.guarantee[tree.leaves],
                    "wait": wait / coming.groupby("leaf")["duration"].mean(),
                    "used": 100 * held.utilisation.max(),
                }
            )
        )
    return pd.concat(rows, ignore_index=True).round(9)  # the digits left out are rounding


def poorest(frame: pd.DataFrame) -> pd.DataFrame:
    """The least share over the guarantee that a leaf has: a row for each rule, means over seeds."""
    least = frame.groupby(["rule", "place", "seed"], sort=False)["share"].min()
    return least.groupby(["rule", "place"], sort=False).mean().unstack("place")[list(PLACES)]


def plot(frame: pd.DataFrame):
    """On machines, shares over guarantees and waits of every leaf; at the right, the poorest leaf's share."""
    figure, axes = style.subplots(
        1, 3, size=(11.6, 4.6), gridspec_kw={"width_ratios": [3, 2.4, 2.4]}
    )
    axes[1].sharey(axes[0])
    rows = frame[frame["place"] == "machines"]
    means = rows.groupby(["rule", "leaf"], sort=False)[["share", "wait"]].mean().reset_index()
    for ax, column in zip(axes, ("share", "wait"), strict=False):
        dots_by_rule(ax, means, column, RULES)
    names = rows.groupby("leaf")["name"].first()
    axes[0].set_yticks(names.index, names)
    axes[0].axvline(1, color="black", linewidth=1)
    axes[0].set(xlabel="share over guarantee", xscale="log")
    axes[0].xaxis.set_major_locator(FixedLocator([0.25, 0.5, 1, 2, 4]))
    axes[0].xaxis.set_minor_locator(NullLocator())
    axes[0].xaxis.set_major_formatter("{x:g}")
    axes[1].set(xlabel="mean wait over the mean duration")
    axes[1].tick_params(labelleft=False)
    table = poorest(frame)
    for (place, words), up, alpha in zip(PLACES.items(), (-0.2, 0.2), (0.4, 1.0), strict=True):
        at = np.arange(len(table)) + up
        axes[2].barh(at, table[place], 0.38, color=style.BLUE, alpha=alpha, label=words)
    axes[2].set_yticks(range(len(table)), [label(rule) for rule in table.index])
    axes[2].invert_yaxis()
    axes[2].axvline(1, color="black", linewidth=1)
    axes[2].set(xlabel="share over guarantee,\npoorest leaf", ylabel="rule")
    entries = zip(*(ax.get_legend_handles_labels() for ax in axes[::2]), strict=True)
    figure.legend(*map(sum, entries, ([], [])), loc="outside lower center", ncols=5)
    return figure


def _caption(frame, what):
    words = "; ".join(
        f"{label(rule)} {pool:.2f} and {machines:.2f}"
        for rule, pool, machines in poorest(frame).itertuples()
    )
    used = frame.groupby("place")["used"].mean()
    return (
        f"{what} Weights are equal. Left: mean dominant share over the hierarchical guarantee, while all "
        f"leaves have tasks waiting. Middle: waits at load {LOAD}. Both are on machines, where each "
        "task runs on the first machine that it fits on. Right: the poorest leaf's share over its "
        f"guarantee, in one pool of the same size and on machines: {words}. The most used resource is "
        f"then in use to {used['pool']:.0f} and {used['machines']:.0f} %. Means of "
        f"{frame['seed'].nunique()} seeds. Beyond the paper."
    )


def _alt(frame):
    rows = frame[frame["place"] == "machines"].groupby(["rule", "name"])[["share", "wait"]].mean()
    words = []
    for rule in RULES:
        share, wait = rows.loc[rule, "share"], rows.loc[rule, "wait"]
        words.append(
            f"{label(rule)}: {share.idxmin()} {share.min():.2g} of its guarantee, longest wait "
            f"{wait.idxmax()} {wait.max():.2g} durations"
        )
    return f"Two charts of leaves and one of rules. On machines: {'; '.join(words)}."


def _experiment(name, trace, title, counts, **data):
    points = (grid(trace=[trace], count=[count]) for count in counts)
    return Experiment(name, title, run, scales(*points), scales(1, 3, 10), **data)


EXPERIMENTS = (
    _experiment(
        "mch.tenants",
        "gpu",
        "Tenants of a GPU cluster, by rule",
        (1000, 10_000, 100_000),
        **GPU_TRACE,
    ),
    _experiment(
        "mch.tenants-hour", "hour", "Tenants of the hour, by rule", (5000, 20_000, 100_000)
    ),
)
FIGURES = tuple(
    Figure(name, name, plot, partial(_caption, what=what), _alt)
    for name, what in (
        (
            "mch.tenants",
            "Tenants of Alibaba's GPU cluster of 2023, on every 48th machine. Most leaves need "
            "CPU, memory and GPUs; two need no GPU.",
        ),
        (
            "mch.tenants-hour",
            "Tenants of Alibaba's hour on 4 machines. All leaves need CPU and memory.",
        ),
    )
)
CLAIMS = ()
