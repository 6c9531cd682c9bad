"""Speed of MCH: a decision of each rule, how its cost grows with the tree, and a stream of tasks."""

import time

import numpy as np

from bench_core import row
from reproduce.exhibits.mch.fig5_cost import stream
from schedlib.core.running import to_the_end
from schedlib.mch.model import Tree
from schedlib.mch.rules import RULES
from schedlib.mch.running import start
from schedlib.mch.simulate import simulate
from schedlib.mch.state import Work

LEVELS = (10, 12, 15)  # full binary trees of 1,023 ... 32,767 nodes
REPEATS = 5
FILLED = ("mch", "h-drf", "naive-h-drf")


def binary(levels):
    """A full binary tree, two resources, demands between a tenth and one.

    >>> binary(3).n_nodes
    7
    """
    demand = np.random.default_rng(1).uniform(0.1, 1.0, (2 ** (levels - 1), 2))
    below = [tuple(row) for row in demand]
    while len(below) > 1:
        below = [list(pair) for pair in zip(below[::2], below[1::2], strict=True)]
    return Tree(below[0])


def per_decision(tree, rule, tasks=200_000, repeats=REPEATS):
    """Seconds and operations per decision of the quickest of several fillings with some `tasks`.

    >>> seconds, operations = per_decision(binary(4), "h-drf", tasks=100, repeats=1)
    >>> seconds > 0, operations > 4
    (True, True)
    """
    capacity = np.full(2, tasks * 0.55)
    left = np.full(tree.n_leaves, np.iinfo(np.int64).max)
    best = np.inf
    for _ in range(repeats):
        run = start(tree, capacity, RULES[rule], "fast", Work(left), tasks)
        run.state.tally.ready = True
        begin = time.perf_counter()
        to_the_end(run.advance, "a filling")
        best = min(best, time.perf_counter() - begin)
    decisions = run.state.tally[0].decisions
    return float(best / decisions), float(run.operations() / decisions)


def bench():
    """Rows of name, value, unit and note; everything compiled before it is timed."""
    rows = []
    per_decision(binary(10), "mch", tasks=10, repeats=1)  # compile or load
    for levels in LEVELS:
        tree = binary(levels)
        for rule in FILLED:
            seconds, operations = per_decision(tree, rule)
            note = f"per decision; {operations:,.0f} nodes or places looked at"
            name = f"{rule}, {tree.n_nodes:,} nodes"
            rows.append(row(name, 1e6 * seconds, "microseconds", note))
    tree, each, jobs = stream()
    capacity = np.full(2, each)
    for rule in ("h-drf", "mch", "mch-two-phase"):
        simulate(tree, capacity, rule, jobs.head(100), record=False)
        run = simulate(tree, capacity, rule, jobs, record=False)
        note = f"{run.decisions:,} decisions for {tree.n_leaves:,} leaves"
        rows.append(row(f"{rule}, stream", run.seconds, "s", note))
    return rows
