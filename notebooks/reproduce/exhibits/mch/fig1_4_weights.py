"""Figs. 1 to 4: an organisation's shares; weights in the minimal general case, with numbers and on random
demands; the shares and weights of a hierarchy of six leaves, and its shares while jobs come and go."""

from collections.abc import Mapping, Sequence
from functools import partial

import numpy as np
from pandas import DataFrame

from reproduce.exhibits import legend_below, only
from reproduce.exhibits.mch import EXACT, leaf_shares
from reproduce.figure import Figure
from schedlib.core.streams import streams
from schedlib.mch.allocate import allocate
from schedlib.mch.flatten import flatten
from schedlib.mch.model import Tree
from schedlib.mch.simulate import simulate
from schedlib.mch.workloads import FIG4_CAPACITY, fig1, fig4, fig4_jobs, minimal_tree
from schedlib.plots import style
from schedlib.plots.alt import alt
from schedlib.plots.trees import plot_tree, tree_size
from schedlib.sweeps import Experiment, grid, scales

PLACE = 1.1
RULES = ("h-drf", "naive-h-drf", "mch", "c-ch", "m-ch", "weighted-drf", "drf")
DEMANDS = {"alike": ((1, 1), (1, 1), (1, 1), (1, 1)), "mixed": ((2, 1), (1, 2), (1, 3), (3, 1))}
TITLES = {"alike": "Every task 1 CPU, 1 GB", "mixed": "Mixed demands"}


def run_fig1(demands: str, seed: int) -> DataFrame:
    """Divisible dominant shares in the organisation of Fig. 1: `rule, leaf, name, share, guarantee`."""
    tree = fig1(DEMANDS[demands])
    names = [f"{tree.name(tree.parent[node])} {tree.name(node)}" for node in tree.leaves]
    return leaf_shares(
        tree, FIG4_CAPACITY, RULES, name=names, guarantee=tree.guarantee[tree.leaves]
    )


def plot_fig1(frame: DataFrame):
    """The organisation of Fig. 1, and each leaf's dominant share by rule, for equal and for mixed demands."""
    tree = fig1()
    weights = {
        path: f"weight {tree.weight[node]:g}" for node, path in enumerate(tree.paths) if path
    }
    width, height = tree_size(tree, tree.guarantee, weights)
    size, ratios = (width + 6.6, max(height + 1.1, 3.9)), {"width_ratios": [width, 3.3, 3.3]}
    figure, axes = style.subplots(1, 3, size=size, gridspec_kw=ratios)
    plot_tree(tree, tree.guarantee, weights, ax=axes[0])
    for ax, (demands, rows) in zip(axes[1:], frame.groupby("demands"), strict=False):
        for place, rule in enumerate(RULES):  # one below the other in a leaf's line
            of_rule = only(rows, rule=rule)
            line = of_rule["leaf"] + 0.7 * (place / (len(RULES) - 1) - 0.5)
            ax.plot(of_rule["share"], line, **style.look(rule).line() | {"linestyle": "none"})
        ax.yaxis.set_inverted(True)
        ax.set_ylabel("leaf")
        first = only(rows, rule=RULES[0])
        low, high = first["leaf"] - 0.45, first["leaf"] + 0.45
        ax.vlines(first["guarantee"], low, high, color="black", linewidth=1, label="guarantee")
        ax.set(
            yticks=first["leaf"],
            yticklabels=first["name"],
            xlabel="dominant share",
            title=TITLES[demands],
            xlim=(0, None),
        )
    legend_below(axes[1], 8, fontsize=9)
    return figure


def side_by_side(rows: Sequence[Sequence[Mapping]]):
    """Trees in rows of panels, each at its own size; a panel is a dictionary of `plot_tree`'s arguments."""
    sizes = np.array([[tree_size(**panel) for panel in row] for row in rows])
    widths = sizes[..., 0].max(axis=0)
    heights = sizes[..., 1].max(axis=1)
    ratios = {"width_ratios": widths.tolist(), "height_ratios": heights.tolist()}
    size = (float(widths.sum() + 0.4), float(heights.sum() + 0.1 * len(rows)))
    figure, axes = style.subplots(
        len(heights), len(widths), size=size, squeeze=False, gridspec_kw=ratios
    )
    panels = [panel for row in rows for panel in row]
    for ax, panel in zip(axes.flat, panels, strict=True):
        plot_tree(**panel, ax=ax)
    return figure


CAPACITY = (10.0, 12.0)
N22 = {"full": (2, 3), "other": (0, 3), "first": (2, 0)}
CASES = {case: ((2, 1), (1, 1), demand) for case, demand in N22.items()}
"""The demands of a task of n1, n2,1 and n2,2; n2,2 needs the paper's <2 CPUs, 3 GB>, or one half of it."""
CASE_TITLES = {
    "full": "Case 1: n2,2 needs both",
    "other": "Sub-case 1: n2,2 needs memory, CPU saturates first",
    "first": "Sub-case 2: n2,2 needs CPU, CPU saturates first",
}


def run_worked(case: str, seed: int) -> DataFrame:
    """The weights of one case, a row for each node but the root.

    Columns are `node, cpu, memory, mu, s_cpu, s_memory, weight, t_star, t`: demands per task (Eq. 2 for n2),
    mu, normalised demands, the weight in the flat tree, and the tasks in the hierarchy (`t_star`) and in the
    flat tree (`t`). A group has neither weight nor tasks of its own.
    """
    tree = minimal_tree(CASES[case])
    flat = flatten(tree, CAPACITY)
    cpu, memory = (flat.node_share * flat.mu[:, None] * CAPACITY).T
    s_cpu, s_memory = flat.node_share.T
    weight, t_star, t = of_leaves = np.full((3, tree.n_nodes), np.nan)
    tasks = (allocate(tree, CAPACITY, rule).tasks for rule in ("h-drf", "mch"))
    of_leaves[:, tree.leaves] = [flat.weights, *tasks]
    frame = DataFrame(
        {
            "node": list(map(tree.name, range(tree.n_nodes))),
            "cpu": cpu,
            "memory": memory,
            "mu": flat.mu,
            "s_cpu": s_cpu,
            "s_memory": s_memory,
            "weight": weight,
            "t_star": t_star,
            "t": t,
            "first_saturated": flat.first_saturated,
        }
    )
    return frame[1:].reset_index(drop=True)


def _panels(frame, case):
    """The hierarchy with its numbers, and the flat tree with its weights."""
    rows = only(frame, case=case).set_index("node")
    tree = minimal_tree(rows.loc[["n1", "n2,1", "n2,2"], ["cpu", "memory"]].to_numpy().round(9))
    hierarchy, flat, names = {(): "10 CPUs, 12 GB"}, {(): "10 CPUs, 12 GB"}, {}
    for node in range(1, tree.n_nodes):
        # k: its place in the flat tree, 0 for a group
        name, k = (tree.name(node), tree.leaf_of[node] + 1)
        row = rows.loc[name]
        tasks = f"\n$t^*$ = {row['t_star']:.4g}" if k else ""
        hierarchy[tree.paths[node]] = (
            f"{row['cpu']:.3g} CPU, {row['memory']:.3g} GB\nμ = {row['mu']:.4g}\n"
            f"⟨{row['s_cpu']:.3g}, {row['s_memory']:.3g}⟩{tasks}"
        )
        if k:
            names[(k,)], flat[(k,)] = name, f"weight {row['weight']:.4g}\nt = {row['t']:.4g}"
    flat_tree = Tree([tuple(row) for row in tree.demand], names=names)
    return [
        {"tree": tree, "labels": hierarchy, "title": CASE_TITLES[case]},
        {"tree": flat_tree, "labels": flat, "title": "made flat"},
    ]


def plot_worked(frame: DataFrame, cases: tuple[str, ...] = ("full",)):
    """Weights determined with numbers, a row for each case (the paper's Figs. 2 and 3)."""
    return side_by_side([_panels(frame, case) for case in cases])


LABELS = {
    "full": "Case 1: full-type",
    "other": "Sub-case 1: needs k, not k'",
    "first": "Sub-case 2: needs k = k'",
}


def run_weights(case: str, trees: int, seed: int) -> DataFrame:
    """The minimal general case with random demands: `tree, gap, two_phase`, the largest abs(t / t* - 1) over
    the leaves, with MCH's weights from the beginning and with two-phase MCH's.

    n1 and n2,1 are full-type; n2,2 is so too (`full`), or needs one resource: the one that is first saturated
    (`first`) or not (`other`). Demands are uniform on [0.1, 1] of capacities of 100; others are drawn again.
    """
    (rng,) = streams(seed, f"mch weights {case}")
    rows: list[np.ndarray] = []
    while len(rows) < trees:
        demand = rng.uniform(0.1, 1, (3, 2))
        if case != "full":
            demand[2, rng.integers(2)] = 0
        tree = minimal_tree(demand)
        needs_first = demand[2, flatten(tree, (100, 100)).first_saturated] > 0
        if case == "full" or needs_first == (case == "first"):
            rules = ("h-drf", "mch", "mch-two-phase")
            star, *flat = (allocate(tree, (100, 100), rule).tasks for rule in rules)
            # the digits left out are rounding
            rows.append(np.abs(flat / star - 1).max(axis=1).round(12))
    return DataFrame(rows, columns=["gap", "two_phase"]).rename_axis("tree").reset_index()


def plot_weights(frame: DataFrame):
    """How far tasks in the flat tree are from those in the hierarchy: a distribution for each case."""
    figure, ax = style.subplots(size=(6.4, 3.6))
    lines = [(case, "gap", text) for case, text in LABELS.items()]
    lines.append(("other", "two_phase", "Sub-case 1, two-phase"))
    for (case, column, text), colour in zip(lines, style.PALETTE, strict=False):
        gaps = np.sort(only(frame, case=case)[column])
        if gaps[-1] <= EXACT:
            ax.plot([], [], linestyle="none", label=f"{text}: equal on all trees")
        else:
            share = 100 * np.arange(1, len(gaps) + 1) / len(gaps)
            ax.step(100 * gaps, share, where="post", color=colour, label=text)
    ax.set(ylabel="trees (%)", ylim=(0, 103), xlim=(0, None))
    ax.set_xlabel("largest difference of t from t* over the leaves, at most (%)")
    ax.legend(fontsize=9, loc="lower right")
    return figure


WIDTHS = {"h-drf": 4.5, "naive-h-drf": 0.8, "mch": 1.8}
"""Of the rules' lines over time, so that lines that lie on one another can be distinguished."""
OVER_TIME = ("h-drf", "mch", "naive-h-drf")


def run_shares(seed: int) -> DataFrame:
    """Divisible shares and MCH's weights of the six leaves of Fig. 4a: `rule, leaf, name, share, weight`."""
    tree = fig4()
    return leaf_shares(tree, FIG4_CAPACITY, OVER_TIME, weight=flatten(tree, FIG4_CAPACITY).weights)


def run_churn(rule: str, step: float, seed: int) -> DataFrame:
    """Dominant shares of the six leaves of Fig. 4a while jobs come and go: `time, leaf, share, name, finish`.

    Shares are read every `step` seconds; `finish` is when the leaf's last task ends.
    """
    tree = fig4()
    done = simulate(tree, FIG4_CAPACITY, rule, fig4_jobs(), every=step)
    finish, leaf = done.jobs.set_index("leaf")["finish"], done.shares["leaf"]
    return done.shares.assign(
        name=[tree.name(tree.leaves[place]) for place in leaf], finish=leaf.map(finish)
    )


def plot_trees(frame: DataFrame):
    """The tree of Fig. 4a with H-DRF's shares, above MCH's flat tree with its own."""
    tree = fig4()
    weight = only(frame, rule="mch").sort_values("leaf")["weight"]
    share = frame.pivot(index="leaf", columns="rule", values="share")
    names = {(k,): tree.name(leaf) for k, leaf in enumerate(tree.leaves, 1)}
    weights = {(k,): float(w) for k, w in enumerate(weight.round(4), 1)}
    flat = Tree([tuple(row) for row in tree.demand], weights, names)
    whole = {(): "{:g} CPUs, {:g} GB".format(*FIG4_CAPACITY)}
    panels = (
        (tree, "h-drf", "Hierarchy: H-DRF's shares"),
        (flat, "mch", "Made flat by MCH: weights and shares"),
    )
    return side_by_side(
        [
            [
                {
                    "tree": drawn,
                    "shares": share[rule].to_numpy(),
                    "title": title,
                    "resources": ("CPU", "GB"),
                    "labels": whole,
                }
            ]
            for drawn, rule, title in panels
        ]
    )


def plot_fig4b(frame: DataFrame):
    """Dominant share of each leaf over time, a panel for each leaf (the paper's Fig. 4b has all in one)."""
    figure, axes = style.subplots(2, 3, size=(8.8, 4.6), sharex=True, sharey=True)
    for ax, (name, of_leaf) in zip(axes.flat, frame.groupby("name"), strict=True):
        for rule, width in WIDTHS.items():
            rows, look = only(of_leaf, rule=rule), style.look(rule)
            line = look.line() | {"marker": "", "linewidth": width, "linestyle": "-"}
            ax.step(rows["time"], rows["share"], where="post", **line)
        ax.axvspan(200, 600, color="#EEEEEE", zorder=0)
        ax.set(title=name, ylim=(0, 1.04))
        if ax in axes[-1]:
            ax.set_xlabel("time (s)")
    for ax in axes[:, 0]:
        ax.set_ylabel("dominant share")
    legend_below(axes[0, 0], 3)
    return figure


ACTIVE = (200, 580)
"""Seconds in which all six leaves have tasks waiting (n3,1 starts its last 16 s before it leaves at 600 s)."""
EXPERIMENTS = (
    Experiment(
        "mch.fig1",
        "The organisation of Fig. 1 under each rule",
        run_fig1,
        scales(grid(demands=DEMANDS)),
        scales(1),
    ),
    Experiment(
        "mch.worked",
        "Weights determined, with numbers",
        run_worked,
        scales(grid(case=CASES)),
        scales(1),
    ),
    Experiment(
        "mch.weights",
        "Tasks in the flat tree against those in the hierarchy, minimal general case",
        run_weights,
        scales(*(grid(case=LABELS, trees=[trees]) for trees in (10, 100, 500))),
        scales(2, 5, 10),
    ),
    Experiment(
        "mch.fig4",
        "Shares and weights of the six leaves of Fig. 4a",
        run_shares,
        scales([{}]),
        scales(1),
    ),
    Experiment(
        "mch.fig4b",
        "Shares of the six leaves over time",
        run_churn,
        scales(grid(rule=OVER_TIME, step=[20.0]), grid(rule=OVER_TIME, step=[5.0])),
        scales(1),
    ),
)
FIGURES = (
    Figure(
        "mch.fig1",
        "mch.fig1",
        plot_fig1,
        "Left: the organisation of the paper's Fig. 1 with its hierarchical share guarantees. Right: each "
        "leaf's dominant share of 200 CPUs and 200 GB under each rule, with divisible tasks. The mixed "
        "demands are ours: 2 CPUs and 1 GB, 1 and 2, 1 and 3, 3 and 1. C-CH and M-CH divide one resource "
        "alone.",
        alt(
            "A tree: ads with weight 60 and dev with 40, in each production with 90 and tests with 10. Beside it "
            "dominant shares. Under MCH, demands",
            "share",
            ["demands", "name"],
            of=partial(only, rule="mch"),
        ),
    ),
    Figure(
        "mch.fig2",
        "mch.worked",
        plot_worked,
        "The paper's Fig. 2 with numbers. A node shows the demand of a task, mu (the demand's dominant "
        "share of the cluster) and the normalised demand (the demand over mu). t* is a leaf's number of "
        "(divisible) tasks in the hierarchy under H-DRF, t that in the flat tree under MCH's weights.",
        alt(
            "A hierarchy of n1 and a group of n2,1 and n2,2, and the flat tree. Tasks in the flat tree",
            "t",
            ["node"],
            of=partial(only, case="full"),
        ),
    ),
    Figure(
        "mch.fig3",
        "mch.worked",
        partial(plot_worked, cases=("other", "first")),
        "The paper's Fig. 3 with numbers, for both sub-cases. The symbols are as in Fig. 2. In Sub-case 1 "
        "the paper's derivation fails: with weight 1 leaf n2,2 gets more than the others from the "
        "beginning, memory saturates first, and t differs from t*.",
        alt(
            "Two hierarchies with a leaf that needs one resource, and their flat trees. Tasks in the flat trees",
            "t",
            ["case", "node"],
            of=partial(only, case=("other", "first")),
            names=LABELS,
        ),
    ),
    Figure(
        "mch.worked",
        "mch.worked",
        None,
        "MCH's weights in the paper's Fig. 2 (case full) and Fig. 3 with numbers, on 10 CPUs and 12 GB. "
        "Leaf n2,2 needs only the resource that saturates first (case first) or the other (case other). "
        "Columns: a task's demand, mu, the normalised demand s, the flat tree's weight, tasks t* in the "
        "hierarchy and t in the flat tree.",
        "Table of the nodes of three small hierarchies with demands, mu, weights and tasks.",
        heads={
            "cpu": "CPUs",
            "memory": "GB",
            "s_cpu": "s, CPU",
            "s_memory": "s, memory",
            "t_star": "t*",
        },
    ),
    Figure(
        "mch.weights",
        "mch.weights",
        plot_weights,
        "The largest relative difference between the tasks t in the flat tree and t* in the hierarchy "
        "over the three leaves of the paper's smallest general tree, as a distribution over random "
        "demands. The resource k' saturates first; k is the one that n2,2 needs. In two-phase MCH "
        "Sub-case 1's weight of 1 begins when k' is full.",
        alt(
            "Distribution of the largest relative difference of tasks over random trees. Trees where it is zero "
            "(%)",
            "equal",
            ["case"],
            of=lambda frame: frame.assign(equal=100 * (frame["gap"] <= EXACT)),
            names=LABELS,
        ),
    ),
    Figure(
        "mch.fig4a",
        "mch.fig4",
        plot_trees,
        "The hierarchy of the paper's Fig. 4a, and the flat tree that MCH makes of it. Above: H-DRF's "
        "shares for divisible tasks. Below: MCH's shares. Brown leaves need CPUs only, green leaves "
        "memory only.",
        alt(
            "A hierarchy of six leaves above the flat tree that MCH makes of it. Dominant shares",
            "share",
            ["rule", "name"],
            of=partial(only, rule=("h-drf", "mch")),
        ),
    ),
    Figure(
        "mch.fig4b",
        "mch.fig4b",
        plot_fig4b,
        "Dominant share of each leaf over time in the hierarchy of Fig. 4a, with 2000 whole tasks for each leaf. "
        "MCH's lines are the paper's Fig. 4b. Times of submission and lengths of tasks are ours. Grey: all leaves "
        "are active under H-DRF and MCH, from 200 to 600 s. n1,2 leaves at 790 s.",
        alt(
            "Six charts of dominant shares over time, one for each leaf. Mean from 200 to 580 s",
            "share",
            ["rule", "name"],
            of=lambda frame: frame[frame["time"].between(*ACTIVE)],
        ),
    ),
)
