"""Fig. 5: what scheduling costs, against the number of jobs and of nodes, and on a stream of tasks.

Cost is judged by operations (nodes and heap places looked at), which repeat; seconds are only shown.
"""

from functools import partial

import numpy as np
from matplotlib.ticker import FixedLocator, LogFormatterSciNotation, LogLocator, NullLocator
from pandas import DataFrame, Series

from reproduce.exhibits import legend_below, only
from reproduce.figure import Figure
from schedlib.intervals import mean_ci
from schedlib.mch.model import Tree
from schedlib.mch.simulate import simulate
from schedlib.mch.workloads import full_binary, jobs_below, jobs_from_trace
from schedlib.plots import style
from schedlib.plots.alt import alt
from schedlib.sweeps import Experiment, grid, scales

PLACE = 4.2
MEASURED = (("h-drf", "literal"), *((rule, "fast") for rule in ("h-drf", "mch", "c-ch", "m-ch")))
FAST = (("h-drf", "fast"), ("mch", "fast"), ("mch-two-phase", "fast"))
LARGEST = 11  # levels of the largest tree on which H-DRF as printed is run
LEVELS = (2, 3, 4, 5)
MACHINES = 4.0
"""Capacity in Fig. 5, in machines of the trace: some 500 tasks run at a time."""
READINGS = {
    "queues": "queues at the leaves, as 'q = 6' for two levels says",
    "nodes": "jobs as leaves below the lowest groups, so that q grows with them, as Theorem 1 has it",
}
"""Where the jobs are in the tree, which the paper leaves open."""


def run_jobs(reading: str, levels: int, jobs: int, seed: int) -> DataFrame:
    """The cost of scheduling jobs of the trace under a full binary tree, a row for each rule and method.

    Columns are `rule, method, q, decisions, operations, reweighed, seconds`; `operations` count nodes and
    heap places looked at, and q for each of the `reweighed` times that a flat rule worked its weights out.
    All jobs are there at time 0 and run to their ends on 4 machines. Under the reading `queues` the tree's
    2^levels leaves serve one job after another, with the first one's demands; under `nodes` jobs are leaves
    below its lowest groups.
    """
    drawn = jobs_from_trace(max(jobs, 2**levels), seed)
    demand = drawn[["cpu", "memory"]].to_numpy()
    tree, leaf = full_binary(levels, demand[: 2**levels]), np.arange(len(demand)) % 2**levels
    if reading == "nodes":
        tree, leaf = (
            jobs_below(levels, demand),
            np.argsort(np.argsort(leaf, kind="stable"), kind="stable"),
        )
    table = drawn.assign(leaf=leaf, submit=0.0, duration=drawn["duration"].clip(lower=1.0))[:jobs]
    return _cost(tree, MACHINES, table[["leaf", "submit", "tasks", "duration"]])


def run_nodes(levels: int, seed: int, most: int = 20, measured: tuple = MEASURED) -> DataFrame:
    """The cost of filling a cluster by a full binary tree whose leaves are jobs; columns as in `run_jobs`.

    There is 1/20 machine for each job of the trace (up to 2^`most`), some six tasks, so that the number of
    decisions grows as that of nodes. Tasks start at time 0, none ends.
    """
    leaves = 2**levels
    tree = full_binary(levels, jobs_from_trace(leaves, seed)[["cpu", "memory"]])
    jobs = DataFrame({"leaf": range(leaves), "submit": 0.0, "tasks": 10**6, "duration": 1.0})
    return _cost(tree, min(leaves, 2**most) / 20, jobs, until=0, measured=measured)


def stream(
    jobs: int = 10_000, tasks: int = 1_000_000, seed: int = 2
) -> tuple[Tree, float, DataFrame]:
    """A tree of 1,024 leaves, half of them partial-type, four children to a group, its capacity (of each of
    two resources, for a thousand tasks), and jobs for it at load 0.9, of some hundred tasks each.

    >>> tree, capacity, table = stream(10, 100)
    >>> tree.n_leaves, len(table), int(table.tasks.sum())
    (1024, 10, 100)
    """
    rng = np.random.default_rng(seed)
    demand = rng.uniform(0.1, 1.0, (1024, 2))
    demand[::4, 0] = demand[2::4, 1] = 0.0
    below: list = [tuple(row) for row in demand]
    while len(below) > 1:
        below = [list(group) for group in zip(*(below[k::4] for k in range(4)), strict=True)]
    count, length = (
        1 + rng.multinomial(tasks - jobs, np.full(jobs, 1 / jobs)),
        rng.exponential(1.0, jobs),
    )
    span = (count * length).sum() / (0.9 * 1000)
    table = {
        "leaf": rng.integers(0, 1024, jobs),
        "submit": np.sort(rng.uniform(0, span, jobs)),
        "tasks": count,
        "duration": length,
    }
    return Tree(below[0]), 412.0, DataFrame(table)


def run_frontier(load: str, size: int, seed: int) -> DataFrame:
    """The cost on large trees; columns as in `run_jobs`. `fill`: as `run_nodes`, of `size` levels, without
    C-CH and M-CH, and H-DRF as printed up to `LARGEST` levels; `stream`: `size` tasks of `stream`."""
    if load == "stream":
        return _cost(*stream(size // 100, size, seed), measured=FAST)
    # large trees are filled with half a million tasks
    return run_nodes(size, seed, most=16, measured=MEASURED[: size <= LARGEST] + FAST)


def _cost(tree, machines, jobs, until=None, measured=MEASURED):
    """The cost of each rule; kernels are compiled before the clock starts."""
    rows = []
    for rule, method in measured:
        done = simulate(
            tree, (machines, machines), rule, jobs, until=until, method=method, record=False
        )
        operations = done.operations + done.reflattens * tree.n_nodes
        rows.append(
            (rule, method, tree.n_nodes, done.decisions, operations, done.reflattens, done.seconds)
        )
    columns = ["rule", "method", "q", "decisions", "operations", "reweighed", "seconds"]
    return DataFrame(rows, columns=columns)


def _look(rule, method):
    """H-DRF with nothing computed twice is ours, and has a look of its own."""
    if rule == "h-drf" and method == "fast":
        look = {"color": "#555555", "linestyle": (0, (5, 1, 1, 1)), "marker": "*"}
        return look | {"label": "H-DRF, logarithmic (ours)"}
    return style.look(rule).line() | ({"label": "H-DRF, as printed"} if rule == "h-drf" else {})


def _lines(ax, frame, x, y):
    """Medians over the seeds, a line for each rule and method, on logarithmic axes; a tick at each x."""
    for (rule, method), rows in frame.groupby(["rule", "method"], sort=False):
        middle = rows.groupby(x)[y].median()
        ax.plot(middle.index, middle, **_look(rule, method))
    ax.set(xscale="log", yscale="log")
    ax.xaxis.set_major_locator(FixedLocator(sorted(set(frame[x]))))
    ax.xaxis.set_minor_locator(NullLocator())
    ax.xaxis.set_major_formatter("{x:g}")


def plot_fig5(frame: DataFrame):
    """Operations and seconds by number of jobs, a column for each tree."""
    levels = sorted(set(frame["levels"]))
    size = (2.0 * len(levels) + 0.8, 5.2)
    figure, axes = style.subplots(
        2, len(levels), size=size, squeeze=False, sharex=True, sharey="row"
    )
    for line, measure in zip(axes, ("operations", "seconds"), strict=True):
        for ax, level in zip(line, levels, strict=True):
            _lines(ax, only(frame, levels=level), "jobs", measure)
        line[0].set_ylabel(measure)
    for top, bottom, level in zip(axes[0], axes[-1], levels, strict=True):
        top.set_title(f"{level} levels")
        bottom.set_xlabel("number of jobs")
    legend_below(axes[0, 0], 3)
    return figure


def _operations_per_decision(frame):
    """The frame with the operations of a decision, `each`; it needs no times, which published frames lack."""
    return frame.assign(each=frame["operations"] / frame["decisions"])


def _per_decision(frame):
    """The frame with the operations of a decision, `each`, and its `microseconds`."""
    microseconds = 1e6 * frame["seconds"] / frame["decisions"]
    return _operations_per_decision(frame).assign(microseconds=microseconds)


def exponents(frame: DataFrame, x: str, y: str) -> Series:
    """Log-log slope of `y` against `x` for each seed: `y` grows as `x` to that power."""
    logs = np.log(frame[[x, y]]).groupby(frame["seed"])
    return logs.apply(lambda rows: np.polyfit(rows[x], rows[y], 1)[0])


def plot_complexity(frame: DataFrame):
    """Operations and microseconds per decision against q, with the slopes of the lines."""
    frame = _per_decision(frame)
    figure, axes = style.subplots(1, 2, size=(9.2, 4.6))
    measures = {"each": "operations per decision", "microseconds": "microseconds per decision"}
    for ax, (measure, title) in zip(axes, measures.items(), strict=True):
        _lines(ax, frame, "q", measure)
        for line, (_, rows) in zip(
            ax.lines, frame.groupby(["rule", "method"], sort=False), strict=True
        ):
            mean, low, _ = mean_ci(exponents(rows, "q", measure))
            interval = f" ± {mean - low:.2f}" if low == low else ""
            line.set_label(f"{line.get_label()}: {mean:.2f}{interval}")
        ax.set(ylabel=title, xlabel="nodes q")
        low, high = ax.get_ylim()
        ax.set_ylim(low, high * (high / low) ** 0.8)  # room for the legend
        ax.legend(fontsize=9, title="slope in q", loc="upper left", handlelength=2)
    return figure


def plot_frontier(frame: DataFrame):
    """Operations and microseconds per decision against q to a million nodes, and per task of a stream."""
    frame = _per_decision(frame)
    figure, axes = style.subplots(1, 3, size=(9.2, 3.9), width_ratios=[3, 3, 2])
    measures = {"each": "operations", "microseconds": "microseconds"}
    for ax, (measure, name) in zip(axes, measures.items(), strict=False):
        _lines(ax, only(frame, load="fill"), "q", measure)
        ax.xaxis.set_major_locator(LogLocator())
        ax.xaxis.set_major_formatter(LogFormatterSciNotation())
        ax.set(xlabel="nodes q", ylabel=f"{name} per decision")
    rows = only(frame, load="stream")
    middle = (1e6 * rows["seconds"] / rows["size"]).groupby(rows["rule"], sort=False).median()
    colours = [_look(rule, "fast")["color"] for rule in middle.index]
    axes[2].bar(range(len(middle)), middle, color=colours)
    axes[2].set(ylabel="microseconds per task", xticks=[])
    axes[2].set_xlabel(f"a stream of\n{rows['size'].max():,} tasks")
    legend_below(axes[0], 4)
    return figure


EXPERIMENTS = (
    Experiment(
        "mch.fig5",
        "The cost of scheduling against the number of jobs, full binary trees",
        run_jobs,
        scales(
            *(
                grid(reading=READINGS, levels=LEVELS, jobs=[50, 100, 200, 400, 800, 1600][:most])
                for most in (2, 4, 6)
            )
        ),
        scales(2, 5, 3),
        timing=("seconds",),
    ),
    Experiment(
        "mch.complexity",
        "The cost of filling a cluster against the number of nodes",
        run_nodes,
        scales(*(grid(levels=range(5, most + 1)) for most in (7, 12))),
        scales(2, (5, 8, 20), (5, 10, 20)),
        timing=("seconds",),
    ),
    Experiment(
        "mch.frontier",
        "The cost of a decision to a million nodes, and of a stream of tasks",
        run_frontier,
        scales(
            *(
                [{"load": "fill", "size": levels} for levels in range(5, most + 1, 2)]
                + [{"load": "stream", "size": tasks}]
                for most, tasks in ((7, 10_000), (19, 1_000_000))
            )
        ),
        scales(1),
        timing=("seconds",),
    ),
)
METHODS = {"literal": "as printed", "fast": "at best"}
FIGURES = (
    *(
        Figure(
            f"mch.fig5{suffix}",
            "mch.fig5",
            plot_fig5,
            f"The cost of scheduling under full binary trees {where}. The jobs are from Alibaba's hour, "
            "the paper's from Google's trace. Operations: the nodes and places in heaps that a rule looks "
            "at. Seconds of flat rules include a fixed cost whenever weights are computed again. Medians "
            f"over seeds. {of_paper}",
            alt(
                "Line charts of the cost of scheduling against the number of jobs. Median operations, deepest trees",
                "operations",
                ["rule", "method"],
                "jobs",
                of=lambda frame: frame[frame["levels"] == frame["levels"].max()],
                names=METHODS,
                average="median",
            ),
            partial(only, reading=reading),
        )
        for suffix, reading, where, of_paper in (
            ("", "queues", "whose leaves are queues of jobs", "The paper's Fig. 5."),
            (
                "-nodes",
                "nodes",
                "with jobs as leaves below the lowest groups",
                "Another reading of Fig. 5.",
            ),
        )
    ),
    Figure(
        "mch.complexity",
        "mch.complexity",
        plot_complexity,
        "The cost of a decision as a cluster is filled under full binary trees of q nodes, whose leaves are jobs "
        "of six tasks. In all there are some 3q decisions. The legends give the slope of each line over all q, "
        "with its 95 % interval over seeds. Seconds include a fixed cost, which matters when q is small.",
        alt(
            "Line charts of the cost of a decision against the number of nodes. Median operations",
            "each",
            ["rule", "method"],
            "q",
            of=_operations_per_decision,
            names=METHODS,
            average="median",
        ),
    ),
    Figure(
        "mch.frontier",
        "mch.frontier",
        plot_frontier,
        lambda frame: (
            f"The cost of a decision on full binary trees of up to {frame['q'].max():,} nodes, whose leaves are jobs "
            "(left, middle), and of a task in a stream of tasks for 1,024 leaves, half of which need only some "
            "resources (right). H-DRF as printed was run up to "
            f"{only(frame, method='literal')['q'].max():,} nodes, and not on the stream."
        ),
        alt(
            "Line charts of the cost of a decision against the number of nodes, and bars of the cost of a task. "
            "Operations for a decision",
            "each",
            ["rule", "method"],
            "q",
            of=_operations_per_decision,
            names=METHODS,
        ),
    ),
)
