"""Published test cases of schedulers in use (Volcano, Mesos, YARN), and how a rule serves one of them.

The facts of the cases alone, in our words. Sources: volcano-sh/volcano, pkg/scheduler/plugins/drf/hdrf_test.go;
apache/mesos, src/tests/sorter_tests.cpp (DRFSorterTest); apache/hadoop, the FairScheduler's
TestDominantResourceFairnessPolicy.java.
"""

import re

import numpy as np

from schedlib.core.running import to_the_end
from schedlib.mch.model import Tree, tree_of
from schedlib.mch.rules import RULES
from schedlib.mch.running import start
from schedlib.mch.state import Work

WHOLE = 2**40  # tasks that make up what a leaf holds: one more does not change a decision
LEAF = re.compile(r"^(\(?)([a-z/.]+)(?:(\d[\d.]*)(?:,(\d+))?)?(?:\*([\d.]+))?(?:#(\d+))?\)?$")
DEPTHS = {"a": 5, "b": 4, "c": 3, "d": 2, "e": 6, "f": 2}
SORTER = (
    "100: a5 b6 > a b",
    "100: a5 b6 c1 d3,1 > c d a b",
    "100: b2 c1 d3,1 > c b d",
    "50,100: b2 c1 d3,1 e1,5 > c b e d",
    "50,200: b2 c1,16 d3,1 e1,5 f5,1 > e b d c f",
    "50,200: b2 c1,16 (d3,1) e1,5 f5,1 > e b c f",
)
MESOS = {
    "DRF": SORTER,
    "ShallowHierarchy": tuple(re.sub(r"([a-f])", r"\1/\1", line) for line in SORTER),
    "DeepHierarchy": tuple(
        re.sub("[a-f]", lambda found: "/".join(found[0] * DEPTHS[found[0]]), line)
        for line in SORTER
    ),
    "WDRF": (
        "100: a5 b6*2 > b a",
        "100: a5 b6*2 c4 > b c a",
        "100: a5 b6*2 c4 d10,20*10 > d b c a",
        "100: a5 c4 d10,20*10 > d c a",
        "100: a5 c4 d20,45*10 > c d a",
        "100: a5 c4 d20,45*10 e1*0.1 > c d a e",
        "100: c4 d20,45*10 e1*0.1 > c d e",
    ),
    "UpdateWeight": ("100: a5 b6 > a b", "100: a5 b6*2 > b a"),
    "AllocationCountTieBreak": (
        "100: a3 b3 c3#3 d3#2 e3 > a b e d c",
        "100: a3 b3 c0#3 d3#2 e3 > c a b e d",
        "100: a3 b3 c3#4 d3#2 e3 > a b e d c",
        "100: a3 b3 c3#5 d3#2 e3 > a b e d c",
        "100: (a3#2) b3 c3#5 d3#2 e3 > b e d c",
        "100: a3#2 b3 c3#5 d3#2 e3 > b e a d c",
    ),
    "HierarchicalAllocation": (
        "100: a0 b/c0 b/d0 > a b/c b/d",
        "100: a6 b/c0 b/d0 > b/c b/d a",
        "100: a6 b/c4 b/d3 > a b/d b/c",
        "100: a8 b/c4 b/d3 > b/d b/c a",
        "100: a8 b/c4 b/d3 b/e/f0 > b/e/f b/d b/c a",
        "100: a8 b/c4 b/d3 b/e/f3.5 > a b/d b/e/f b/c",
        "100: a8 b/c1 b/d3 > b/c b/d a",
        "100: a8 b/c1 b/d3 b/e/f3.5 > b/c b/d b/e/f a",
    ),
    "HierarchicalIterationOrder": (
        "100: a/b0 c0 d/.0 d/e0 > a/b c d/. d/e",
        "100: a/b0 c8 d/.0 d/e0 > a/b d/. d/e c",
        "100: a/b0 c8 d/.3 d/e2 > a/b d/e d/. c",
        "100: a/b6 c8 d/.3 d/e2 > d/e d/. a/b c",
    ),
    "AddChildToLeaf": (
        "100: a10 b6 > b a",
        "100: a/.10 a/c5 b6 > b a/c a/.",
        "100: a/c5 b6 > a/c b",
        "100: a/.10 a/c5*0.2 b6 > b a/. a/c",
        "100: a/*3 a/.10 a/c5*0.2 b6 > a/. a/c b",
        "100: a/*3 a/.10 a/c5 b6 > a/c a/. b",
    ),
    "AddChildToInternal": (
        "100: x/a10 x/b6 > x/b x/a",
        "100: x/.7 x/a10 x/b6 > x/b x/. x/a",
        "100: x/.7 x/a10 x/b6 z20 > z x/b x/. x/a",
        "100: x/a10 x/b6 z20 > x/b x/a z",
    ),
    "AddChildToInactiveLeaf": ("100: (a10) b6 > b", "100: (a/.10) a/c5 b6 > b a/c"),
}
"""`capacity: leaves > the order in which the sorter offers`: `a5,1*2#3` holds 5 CPUs and 1 GB (`a5`: 5 of
each) from 3 allocations, weight 2; `a/*3`: a group's weight; `a/.`: a client with children; in parentheses:
inactive."""
YARN = {
    "SameDominantResource": ("8000,4: a1000,1 b2000,1 > a b",),
    "DifferentDominantResource": ("8000,8: a4000,3 b2000,5 > a b",),
    "BothAreNeedy": ("8000,100: a2000,5 b4000,3 > a b",),
    "EvenWeights": (
        "8000,8: a3000,1*2 b2000,1 > a b",
        "8000,8: a1000,3*2 b1000,2 > a b",
        "8000,8: a1000,3*2 b2000,1 > a b",
        "8000,8: a3000,1*2 b1000,2 > a b",
    ),
    "ClusterResourceChanges": ("4000,5: a1000,2 b2000,1 > a b", "8000,6: a2000,1 b1000,2 > a b"),
}
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
