"""Published test cases of schedulers in use (Volcano, Mesos, YARN), and how a rule serves one of them.

The facts of the cases alone, in our words. Sources: volcano-sh/volcano, pkg/scheduler/plugins/drf/hdrf_test.go;
apache/mesos, src/tests/sorter_tests.cpp (DRFSorterTest); apache/hadoop, the FairScheduler's
TestDominantResourceFairnessPolicy.java. `cases.toml` has those of Mesos and YARN.
"""

import re

import numpy as np

from cases import CASES
from schedlib.core.running import to_the_end
from schedlib.mch.model import Tree, tree_of
from schedlib.mch.rules import RULES
from schedlib.mch.running import start
from schedlib.mch.state import Work

WHOLE = 2**40  # tasks that make up what a leaf holds: one more does not change a decision
LEAF = re.compile(r"^(\(?)([a-z/.]+)(?:(\d[\d.]*)(?:,(\d+))?)?(?:\*([\d.]+))?(?:#(\d+))?\)?$")
DEPTHS = {"a": 5, "b": 4, "c": 3, "d": 2, "e": 6, "f": 2}
MESOS, YARN = CASES["mesos"], CASES["yarn"]
MESOS["ShallowHierarchy"] = [re.sub(r"([a-f])", r"\1/\1", line) for line in MESOS["DRF"]]
MESOS["DeepHierarchy"] = [
    re.sub("[a-f]", lambda found: "/".join(found[0] * DEPTHS[found[0]]), line)
    for line in MESOS["DRF"]
]
C, M, ALIKE = (1, 0), (0, 1), {(1,): 50, (2,): 50, (2, 1): 50, (2, 2): 50}
VOLCANO = {
    "rescaling": (Tree([(1, 1), [C, M]], ALIKE), 10, 10, [5, 5, 5]),
    "blocking nodes": (
        Tree([C, C, [C, M], M], {(k,): 25 for k in (1, 2, 3, 4)} | {(3, 1): 50, (3, 2): 50}),
        30,
        30,
        [10, 10, 10, 15, 15],
    ),
}
"""The tree, what there is of each resource, tasks of each leaf, and how many of them run in the end."""
HIERARCHICAL = "naive-h-drf"  # Mesos adds up what is below a node and takes the largest share
FLAT = (HIERARCHICAL, "h-drf", "weighted-drf")
EQUAL_SHARES = {"SameDominantResource"}
"""Of YARN's cases: dominant shares are equal. YARN then compares the next largest shares, the rules here
numbers of tasks, then indices."""
# YARN's guaranteed minimum shares (OneIsNeedy, half of BothAreNeedy) have no counterpart here.


def read_case(line):
    """A line of `MESOS` as the tree of what leaves hold, capacity, counts, who is active, and the order.

    >>> tree, capacity, counts, active, order = read_case("100: a/*3 a/c5,2#4 (b6) > a/c")
    >>> tree.demand.tolist(), tree.weight.tolist(), counts.tolist(), active.tolist(), order
    ([[5.0, 2.0], [6.0, 6.0]], [1.0, 3.0, 1.0, 1.0], [4, 1], [1, 0], [0])
    """
    amounts, leaves, wanted = re.split("[:>]", line)
    capacity = np.array((amounts.split(",") * 2)[:2], float)
    whole: dict = {}
    weights, held, names = {}, {}, []
    for token in leaves.split():
        idle, name, cpu, memory, weight, count = LEAF.findall(token)[0]
        name = name.rstrip("/")
        group = whole
        for part in name.split("/"):
            group = group.setdefault(part, {})
        weights[f"/{name}"] = float(weight or 1)
        if cpu:
            held[name] = float(cpu), float(memory or cpu), int(count or 1), not idle

    def branch(group, name):
        below = [branch(inner, f"{name}/{part}") for part, inner in group.items()]
        if not below:
            names.append(name[1:])
        return weights.get(name, 1.0), below or (1.0, 1.0)

    tree = tree_of(branch(whole, ""))
    *usage, counts, active = np.array([held[name] for name in names]).T
    object.__setattr__(tree, "demand", np.array(usage).T)  # a leaf may hold nothing
    order = [names.index(name) for name in wanted.split()]
    return tree, capacity, counts.astype(int), active.astype(int), order


def served_in_turn(line, rule, method="fast"):
    """Whether a rule serves the active leaves of a case in the published order."""
    tree, capacity, counts, active, order = read_case(line)
    holds = tree.demand.any(axis=1)
    tree = tree.with_demand(np.where(holds[:, None], tree.demand, capacity) / WHOLE)
    run = start(tree, capacity, RULES[rule], method, Work(active, order=tree.n_leaves), 0)
    run.state.leaves.tasks, run.state.leaves.started = holds * WHOLE, counts
    run.state.tally.ready = True
    to_the_end(run.advance, "a case")
    return run.state.order[: len(order)].tolist() == order
