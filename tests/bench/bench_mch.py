"""Speed of MCH: a decision of each rule, how its cost grows with the tree, and a stream of tasks."""

import time

import numpy as np

from exhibits.mch.fig5_cost import stream
from schedlib.core.running import to_the_end
from schedlib.mch.model import Tree
from schedlib.mch.rules import RULES
from schedlib.mch.running import start
from schedlib.mch.simulate import simulate
from schedlib.mch.state import Work

LEVELS = (10, 12, 14, 15)  # full binary trees of 1,023 ... 32,767 nodes
REPEATS = 5


def binary(levels: int, seed: int = 1) -> Tree:
    """A full binary tree, two resources, demands between a tenth and one.

    >>> binary(3).n_nodes
    7
    """
    demand = np.random.default_rng(seed).uniform(0.1, 1.0, (2 ** (levels - 1), 2))
    below = [tuple(row) for row in demand]
    while len(below) > 1:
        below = [list(pair) for pair in zip(below[::2], below[1::2], strict=True)]
    return Tree(below[0])


def per_decision(
    tree: Tree, rule: str, method: str = "fast", tasks: int = 100_000, repeats: int = REPEATS
) -> tuple[float, float]:
    """Seconds and operations per decision of the quickest of several fillings with some `tasks`.

    >>> seconds, operations = per_decision(binary(4), "h-drf", tasks=100, repeats=1)
    >>> seconds > 0, operations > 4
    (True, True)
    """
    capacity = np.full(2, tasks * 0.55)
    left = np.full(tree.n_leaves, np.iinfo(np.int64).max)
    best = np.inf
    for _ in range(repeats):
        run = start(tree, capacity, RULES[rule], method, Work(left), tasks)
        run.state.tally.ready = True
        begin = time.perf_counter()
        to_the_end(run.advance, "a filling")
        best = min(best, time.perf_counter() - begin)
    decisions = run.state.tally[0].decisions
    return float(best / decisions), float(run.operations() / decisions)


def growth(nodes, values) -> float:
    """The slope of log(values) over log(nodes).

    >>> round(growth([10, 100], [3, 300]), 9)
    2.0
    """
    return float(np.polyfit(np.log(nodes), np.log(values), 1)[0])


def bench() -> list[dict]:
    """Rows of name, value, unit and note; everything compiled before it is timed."""
    rows = []

    def row(name, value, unit, note=""):
        rows.append({"name": name, "value": float(f"{value:.3g}"), "unit": unit, "note": note})

    cases = {
        ("mch", "fast"): 200_000,
        ("h-drf", "fast"): 200_000,
        ("naive-h-drf", "fast"): 200_000,
        ("h-drf", "literal"): 1_000,
    }
    trees, timed = {levels: binary(levels) for levels in LEVELS}, {}
    per_decision(trees[10], "mch", tasks=10, repeats=1)  # compile or load
    for levels, tree in trees.items():
        for (rule, method), tasks in cases.items():
            repeats = REPEATS if method == "fast" else 2
            timed[levels, rule, method] = per_decision(tree, rule, method, tasks, repeats)
    names = {
        (rule, method): rule + ", as printed" * (method == "literal") for rule, method in cases
    }
    largest = f"{trees[15].n_nodes:,} nodes"
    for case, name in names.items():
        seconds, operations = timed[15, *case]
        note = f"per decision; {operations:,.0f} nodes or places looked at"
        row(f"{name}, {largest}", 1e6 * seconds, "microseconds", note)
    heap, quick, _, literal = (timed[15, *case] for case in cases)
    note = f"looked at: {quick[1] / heap[1]:.1f} times as much; {largest}"
    row("h-drf / mch, a decision", quick[0] / heap[0], "times", note)
    note = f"looked at: {literal[1] / quick[1]:.0f} times as much; {largest}"
    row("h-drf as printed / by path", literal[0] / quick[0], "times", note)
    nodes = [tree.n_nodes for tree in trees.values()]
    for case, name in names.items():
        seconds, operations = ([timed[levels, *case][k] for levels in LEVELS] for k in (0, 1))
        slope = f"of operations {growth(nodes, operations):.2f}; log-log slope, {nodes[0]:,} to {nodes[-1]:,}"
        row(
            f"{name}, growth",
            growth(nodes, seconds),
            "exponent of q",
            f"{slope} nodes; 1 is linear",
        )
    tree, each, jobs = stream()
    capacity = np.full(2, each)
    for rule in ("h-drf", "mch", "mch-two-phase"):
        simulate(tree, capacity, rule, jobs.head(100), record=False)
        runs = [simulate(tree, capacity, rule, jobs, record=False) for _ in range(2)]
        run = min(runs, key=lambda run: run.seconds)
        size = f"{int(jobs.tasks.sum()):,} tasks, {len(jobs):,} jobs, {tree.n_leaves:,} leaves"
        again = f", {run.reflattens:,} new weights" if run.reflattens else ""
        row(f"{rule}, stream", run.seconds, "s", f"{size}; {run.decisions:,} decisions{again}")
    return rows
