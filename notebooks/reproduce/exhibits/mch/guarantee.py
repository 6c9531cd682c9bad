"""Which rules allocate as H-DRF does and which keep the guarantee, at once and while tasks end and start.

A leaf of a random tree is partial-type with a chance from 0 to 1.
"""

import numpy as np
from pandas import DataFrame

from reproduce.exhibits import legend_below, only
from reproduce.exhibits.mch import CAPACITY, SEEDS, heat_maps, label, random_trees
from reproduce.figure import Figure
from schedlib.mch.allocate import allocate
from schedlib.mch.model import Tree
from schedlib.mch.properties import TOLERANCE, long_run_guarantee, node_shares
from schedlib.mch.simulate import simulate
from schedlib.plots import style
from schedlib.plots.alt import alt
from schedlib.sweeps import Experiment, grid, scales

PLACE = 5.1
COMPARED = ("mch", "mch-two-phase", "case1", "exact-ch")  # with H-DRF, on the same trees
PARTIALS = (0.0, 0.25, 0.5, 0.75, 1.0)  # chances that a leaf is partial-type
OVER_TIME = ("h-drf", "mch", "mch-two-phase", "exact-ch", "naive-h-drf", "drf")
AT_ONCE = 200  # tasks of a leaf fill its dominant resource, as in Section IV.A: 200 CPUs, and one for each task


def run(depth: int, partial: float, resources: int, needs: int, trees: int, seed: int) -> DataFrame:
    """How often and how far flat rules' shares differ from H-DRF's, and who misses the guarantee, by `rule`.

    - `needs`: how many resources partial-type leaves need; `differ`: share of trees on which a leaf's
      dominant share differs by over `TOLERANCE`
    - `gap`, `largest_gap`: that greatest difference (of the whole cluster), mean and largest over the trees
    - `below_leaf`, `below`, `h_drf_below`: share of trees with a leaf, with a leaf or group below its
      guarantee, the latter under H-DRF; `least_leaf`: the least share over it, of a leaf
    """
    capacity = np.full(resources, CAPACITY)
    gaps, leaves, nodes = [], [], []  # (rules,) of each tree
    for tree in random_trees(depth, partial, resources, trees, seed, needs):
        shares = np.array([allocate(tree, capacity, rule).shares for rule in ("h-drf", *COMPARED)])
        ratio = node_shares(tree, capacity, shares)[:, 1:] / tree.guarantee[1:]
        gaps.append(np.abs(shares - shares[0]).max(axis=1))
        leaves.append(ratio[:, tree.leaves - 1].min(axis=1))
        nodes.append(ratio.min(axis=1))
    gap, leaf, node = np.array(gaps), np.array(leaves), np.array(nodes)  # (trees, rules)
    enough = 1 - TOLERANCE
    columns = {
        "differ": (gap > TOLERANCE).mean(axis=0),
        "gap": gap.mean(axis=0),
        "below_leaf": (leaf < enough).mean(axis=0),
        "below": (node < enough).mean(axis=0),
        "h_drf_below": (node[:, 0] < enough).mean(),
        "largest_gap": gap.max(axis=0),
        "least_leaf": leaf.min(axis=0),
    }
    # what is left out is rounding
    frame = DataFrame(columns)[1:].round(12)
    frame.insert(0, "rule", COMPARED)
    return frame


def shares_over_time(tree: Tree, rule: str, horizon: int, rng: np.random.Generator) -> np.ndarray:
    """Every leaf's dominant share at times 0, 1, ..., (T + 1, p); tasks, all there at 0, of mean length 1."""
    # what a leaf runs that has the cluster for itself; 1.2 times that is enough
    alone = AT_ONCE * horizon
    durations = rng.exponential(1.0, (tree.n_leaves, 2 * alone))[:, : 6 * alone // 5]
    leaf = np.repeat(np.arange(tree.n_leaves), durations.shape[1])
    jobs = DataFrame({"leaf": leaf, "submit": 0.0, "tasks": 1, "duration": durations.ravel()})
    capacity = np.full(tree.n_resources, float(AT_ONCE))
    run = simulate(tree, capacity, rule, jobs, until=float(horizon), every=1.0)
    return run.shares.pivot(index="time", columns="leaf", values="share").to_numpy()


def run_group(rule: str, horizon: int, seed: int) -> DataFrame:
    """Dominant shares in the tree [memory, [CPU, memory]]: `time` (in mean task lengths), `leaf, share`."""
    tree = Tree([(0, 1), [(1, 0), (0, 1)]])
    shares = shares_over_time(tree, rule, horizon, np.random.default_rng([seed, 17]))
    wide = DataFrame(shares, columns=[tree.name(leaf) for leaf in tree.leaves]).rename_axis("time")
    return wide.reset_index().melt("time", None, "leaf", "share")


def run_trees(
    rule: str, depth: int, partial: float, trees: int, horizon: int, seed: int
) -> DataFrame:
    """Random trees over time, each leaf's mean share of the second half against its guarantee: one row.

    `starved`: share of trees with a leaf below half its guarantee; `least`: the least mean share over its
    guarantee. Two resources; a task needs 1/200 of its leaf's dominant resource.
    """
    rng, least = np.random.default_rng([seed, 18]), []
    for tree in random_trees(depth, partial, 2, trees, seed):
        scaled = tree.with_demand(tree.demand / tree.demand.max(axis=1, keepdims=True))
        late = shares_over_time(scaled, rule, horizon, rng)[horizon // 2 :]
        least.append(1 + long_run_guarantee(tree, np.arange(len(late) + 1), late).value)
    return DataFrame([{"starved": np.less(least, 0.5).mean(), "least": min(least)}])


def _heat_maps(*panels):
    """Levels against partial-type leaves: `(rows, column, title)` each."""
    maps = []
    for rows, column, title in panels:
        table = 100 * rows.pivot_table(column, "depth", "partial")
        maps.append((table, table.index, [f"{100 * partial:.0f}" for partial in table], title))
    return heat_maps(
        maps,
        (3.2, 3.4),
        "chance that a leaf is partial-type (%)",
        "levels of the tree",
        "share of trees (%)",
    )


def _of_mch(frame):
    """MCH's rows with two resources, of which partial-type leaves need one."""
    return only(frame, resources=2, rule="mch", needs=1)


def plot_equality(frame: DataFrame):
    """How often MCH's shares differ from H-DRF's, and how often a leaf or group falls below its guarantee."""
    rows = _of_mch(frame)
    return _heat_maps(
        (rows, "differ", "shares other than H-DRF's"),
        (rows, "below", "a leaf or group below its guarantee"),
    )


def plot_exact(frame: DataFrame):
    """How often two-phase MCH and two repairs give shares other than H-DRF's, with two resources and more."""
    return _heat_maps(*((rows, "differ", label(rule)) for rule, rows in _others(frame)))


def _others(frame):
    """The rows of the rules beside MCH as printed."""
    return only(frame, rule=COMPARED[1:], needs=1).groupby("rule", sort=False)


def plot_group(frame: DataFrame):
    """Dominant shares over time of the two memory leaves: n1, and n2,2 beside a CPU leaf in a group."""
    figure, axes = style.subplots(1, 2, size=(8.8, 3.6), sharey=True)
    panels = (
        ("n1", 50, "n1, memory, alone"),
        ("n2,2", 25, "n2,2, memory, in a group with a CPU leaf"),
    )
    for ax, (leaf, guarantee, title) in zip(axes, panels, strict=True):
        for k, (rule, rows) in enumerate(only(frame, leaf=leaf).groupby("rule", sort=False)):
            mean = rows.groupby("time")["share"].mean()
            line = style.look(rule).line() | {"label": label(rule), "markevery": (3 * k, 15)}
            ax.plot(mean.index, 100 * mean, **line)
        ax.axhline(guarantee, color="black", linewidth=0.8, linestyle=":")
        where = (frame["time"].max(), guarantee)
        ax.annotate(
            "guarantee", where, xytext=(0, -10), textcoords="offset points", ha="right", fontsize=8
        )
        ax.set_title(title, fontsize=10)
        ax.set_xlabel("time (mean task lengths)")
    axes[0].set(ylabel="dominant share (%)", ylim=(-3, 103))
    legend_below(axes[0], 5)
    return figure


def _trees(frame):
    """Trees in each cell of a heat map."""
    return int(frame.groupby(["depth", "partial"])["trees"].sum().min())


def in_percent(rows: DataFrame, column: str) -> DataFrame:
    """The rows with a column of fractions in per cent."""
    return rows.assign(**{column: 100 * rows[column]})


def _caption_equality(frame):
    rule = label("mch")
    return (
        f"{rule} against H-DRF on {_trees(_of_mch(frame)):,} random trees for each cell, 2 resources, "
        "equal weights, divisible tasks. A partial-type leaf needs some of the resources only. Left: "
        "trees on which some leaf's dominant share differs. Right: trees on which some leaf or group "
        f"falls below its hierarchical share guarantee under {rule}."
    )


def _caption_exact(frame):
    words = ", ".join(
        f"{label(rule)} {100 * rows['largest_gap'].max():.2g} %" for rule, rows in _others(frame)
    )
    return (
        "Trees on which some leaf's dominant share differs from H-DRF's under two-phase MCH and two other "
        f"repairs: {_trees(_of_mch(frame)):,} random trees for each cell and number of resources "
        f"({frame['resources'].min()} to {frame['resources'].max()}), divisible tasks. The largest "
        f"difference, of the cluster: {words}."
    )


def late(frame: DataFrame) -> DataFrame:
    """The share of n2,2 in the second half of the time."""
    return only(frame[frame["time"] >= frame["time"].max() / 2], leaf="n2,2")


def _points(trees, resources, depths, partials):
    """Every number of resources, depth and chance; with three, partial-type leaves that need two, too."""
    shared = {"depth": depths, "trees": [trees]}
    return grid(partial=partials, resources=resources, needs=[1], **shared) + grid(
        partial=[0.5], resources=[3], needs=[2], **shared
    )


ALL = (1, 2, 3, 4, 5)
EXPERIMENTS = (
    Experiment(
        "mch.equality",
        "How often MCH and its repairs allocate as H-DRF does",
        run,
        scales(
            _points(4, (2, 3), ALL[:3], (0.0, 0.5)),
            _points(20, (2, 3), ALL, PARTIALS),
            _points(100, (2, 3, 4), ALL, PARTIALS),
        ),
        SEEDS,
    ),
    Experiment(
        "mch.starvation",
        "A group with complementary leaves beside a memory leaf, over time",
        run_group,
        scales(*(grid(rule=OVER_TIME, horizon=[end]) for end in (20, 50, 200))),
        SEEDS,
    ),
    Experiment(
        "mch.long-run",
        "Who is starved on random trees while tasks end and start",
        run_trees,
        scales(
            *(
                grid(rule=OVER_TIME, depth=depths, partial=[0.0, 0.5], trees=[trees], horizon=[end])
                for depths, trees, end in (((2,), 1, 10), ((2, 3), 10, 50), ((2, 3, 4), 10, 100))
            )
        ),
        scales(1, (5, 8, 20), (5, 10, 20)),
    ),
)


FIGURES = (
    Figure(
        "mch.equality",
        "mch.equality",
        plot_equality,
        _caption_equality,
        alt(
            "Heat maps by levels and partial-type leaves. Trees on which shares differ (%), by the chance of a "
            "partial-type leaf and against levels",
            "differ",
            ["partial"],
            "depth",
            of=lambda frame: in_percent(_of_mch(frame), "differ"),
        ),
    ),
    Figure(
        "mch.exact",
        "mch.equality",
        plot_exact,
        _caption_exact,
        alt(
            "Three heat maps by levels and partial-type leaves. Trees with shares other than H-DRF's (%)",
            "differ",
            ["rule"],
            of=lambda frame: in_percent(only(frame, rule=COMPARED[1:]), "differ"),
        ),
    ),
    Figure(
        "mch.starvation",
        "mch.starvation",
        plot_group,
        "Dominant shares while tasks end and waiting ones start. Leaf n1 needs memory; group n2 has a "
        "leaf that needs CPUs and a leaf n2,2 that needs memory. 200 tasks fill a resource, and their "
        "lengths are exponential. Means over seeds; equal shares lie on one another.",
        alt(
            "Line charts of two memory leaves' shares over time. In the second half n2,2 holds (%)",
            "share",
            ["rule"],
            of=lambda frame: in_percent(late(frame), "share"),
        ),
    ),
    Figure(
        "mch.long-run",
        "mch.long-run",
        None,
        "Random trees over time: two resources, tasks of exponential length, at most about 200 tasks of a "
        "leaf at once. starved: the share of trees on which some leaf's mean share in the second half is "
        "below half of its guarantee. least: the least mean share of a leaf over its guarantee.",
        alt(
            "Table of rules on random trees over time. Trees with a leaf below half its guarantee (%)",
            "starved",
            ["rule"],
            of=lambda frame: in_percent(frame, "starved"),
        ),
    ),
)
