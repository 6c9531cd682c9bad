"""Every MCH experiment of the paper's own: a point and a seed in, a tidy frame out. Shares are fractions of the cluster."""

import itertools

import numpy as np
import pandas as pd

from schedlib.core.streams import streams
from schedlib.exhibits.mch import property_experiments
from schedlib.experiment import Experiment
from schedlib.mch.allocate import allocate
from schedlib.mch.flatten import flatten
from schedlib.mch.simulate import simulate
from schedlib.mch.workloads import (
    FIG4_CAPACITY,
    demands_from_trace,
    fig1,
    fig4,
    fig4_full,
    fig4_jobs,
    full_binary,
    jobs_below,
    jobs_from_trace,
    minimal_tree,
)

FIG1_RULES = ("h-drf", "naive-h-drf", "mch", "c-ch", "m-ch", "weighted-drf", "drf")
FIG1_DEMANDS = {"alike": ((1, 1), (1, 1), (1, 1), (1, 1)), "mixed": ((2, 1), (1, 2), (1, 3), (3, 1))}
WORKED_CAPACITY = (10.0, 12.0)
WORKED = {
    "full": ((2, 1), (1, 1), (2, 3)),
    "other": ((2, 1), (1, 1), (0, 3)),
    "first": ((2, 1), (1, 1), (2, 0)),
}
"""Fig. 2 and 3 with numbers: what a task of n1, n2,1 and n2,2 needs; n2,2 is the paper's <2 CPUs, 3 GB>, or one half of it."""
FIG4_TREES = {"paper": fig4, "full": fig4_full}


def fig1_shares(demands: str, seed: int) -> pd.DataFrame:
    """Divisible shares in the organisation of Fig. 1: `rule, leaf, name, share, guarantee` (dominant shares)."""
    tree = fig1(FIG1_DEMANDS[demands])
    names = [f"{tree.name(tree.parent[node])} {tree.name(node)}" for node in tree.leaves]
    rows = [
        (rule, leaf, names[leaf], share, tree.guarantee[tree.leaves[leaf]])
        for rule in FIG1_RULES
        for leaf, share in enumerate(allocate(tree, FIG4_CAPACITY, rule).shares)
    ]
    return pd.DataFrame(rows, columns=["rule", "leaf", "name", "share", "guarantee"])


def worked(case: str, seed: int) -> pd.DataFrame:
    """A weight determined with numbers, a row for each node but the root: `node, cpu, memory, mu, s_cpu, s_memory, weight, t_star, t`.

    `cpu, memory` are demands per task (Eq. 2 for n2), `mu` dominant shares, `s_...` normalised demands, `weight` that in the flat tree;
    `t_star` and `t` are the tasks in the hierarchy and in the flat tree. A group has neither weight nor tasks of its own.
    """
    tree = minimal_tree(WORKED[case])
    flat = flatten(tree, WORKED_CAPACITY)
    shares = [allocate(tree, WORKED_CAPACITY, rule).tasks for rule in ("h-drf", "mch")]
    rows = []
    for node in range(1, tree.n_nodes):
        leaf = tree.leaf_of[node]
        need = flat.node_share[node] * flat.mu[node] * WORKED_CAPACITY
        last = (flat.weights[leaf], shares[0][leaf], shares[1][leaf]) if leaf >= 0 else (np.nan,) * 3
        rows.append((tree.name(node), *need, flat.mu[node], *flat.node_share[node], *last))
    frame = pd.DataFrame(rows, columns=["node", "cpu", "memory", "mu", "s_cpu", "s_memory", "weight", "t_star", "t"])
    return frame.assign(first_saturated=flat.first_saturated)


def weights(case: str, trees: int, seed: int) -> pd.DataFrame:
    """The minimal general case with random demands: `tree, gap`, the largest relative difference of t and t* over the three leaves.

    n1 and n2,1 are full-type; n2,2 is so too (`full`), or needs one resource: the one that is first saturated (`first`) or not
    (`other`). Demands are uniform on [0.1, 1] of capacities of 100; trees of another case are drawn again.
    """
    (rng,) = streams(seed, f"mch weights {case}")
    rows = []
    while len(rows) < trees:
        demand = rng.uniform(0.1, 1, (3, 2))
        if case != "full":
            demand[2, rng.integers(2)] = 0
        tree = minimal_tree(demand)
        needs_first = demand[2, flatten(tree, (100, 100)).first_saturated] > 0
        if case == "full" or needs_first == (case == "first"):
            star, flat = (allocate(tree, (100, 100), rule).tasks for rule in ("h-drf", "mch"))
            rows.append(round(float(np.abs(flat / star - 1).max()), 12))  # the rest is rounding
    return pd.DataFrame({"tree": range(trees), "gap": rows})


def fig4_shares(tree: str, seed: int) -> pd.DataFrame:
    """Divisible shares and MCH's weights of the six leaves of Fig. 4a: `rule, leaf, name, share, weight`."""
    made = FIG4_TREES[tree]()
    flat = flatten(made, FIG4_CAPACITY)
    rows = [
        (rule, leaf, made.name(made.leaves[leaf]), share, flat.weights[leaf])
        for rule in ("h-drf", "mch", "naive-h-drf")
        for leaf, share in enumerate(allocate(made, FIG4_CAPACITY, rule).shares)
    ]
    return pd.DataFrame(rows, columns=["rule", "leaf", "name", "share", "weight"])


FIG4_RULES = ("h-drf", "mch", "naive-h-drf")


def fig4b(rule: str, step: float, seed: int) -> pd.DataFrame:
    """Dominant shares of the six leaves of Fig. 4a while jobs come and go, read every `step` seconds: `time, leaf, share, name`.

    `finish` is when the leaf's last task ends.
    """
    tree = fig4()
    done = simulate(tree, FIG4_CAPACITY, rule, fig4_jobs(), every=step)
    finish = done.jobs.set_index("leaf")["finish"]
    return _named(done.shares, tree).assign(finish=lambda frame: frame["leaf"].map(finish))


def _named(shares, tree):
    return shares.assign(name=[tree.name(tree.leaves[leaf]) for leaf in shares["leaf"]])


MEASURED = (("h-drf", "literal"), ("h-drf", "fast"), ("mch", "fast"), ("c-ch", "fast"), ("m-ch", "fast"))
MACHINES = 4.0
"""Capacity in Fig. 5, in machines of the trace: some 500 tasks run at a time."""


def fig5(reading: str, levels: int, jobs: int, seed: int) -> pd.DataFrame:
    """The cost of scheduling `jobs` jobs of the trace under a full binary tree: `rule, method, q, decisions, operations, reweighed, seconds`.

    All jobs are there at time 0 and run to their ends on 4 machines. `reading` says where they are in the tree, which the paper
    leaves open: `queues`, its 2^levels leaves are queues, each with the demands of its first job, that serve one job after another;
    `nodes`, jobs are leaves below its lowest groups, so that q grows with them. `operations` are nodes and heap places looked at,
    with the q nodes of each of the `reweighed` times that a flat rule worked its weights out.
    """
    drawn = jobs_from_trace(max(jobs, 2**levels), seed)
    demand = drawn[["cpu", "memory"]].to_numpy()
    leaf = np.arange(jobs) % 2**levels
    if reading == "queues":
        tree = full_binary(levels, demand[: 2**levels])
    else:
        tree = jobs_below(levels, demand)
        leaf = np.argsort(np.argsort(np.arange(len(demand)) % 2**levels, kind="stable"), kind="stable")[:jobs]
    table = drawn[:jobs].assign(leaf=leaf, submit=0.0, duration=drawn["duration"][:jobs].clip(lower=1.0))
    table = table[["leaf", "submit", "tasks", "duration"]]
    return _cost(tree, MACHINES, table)


def complexity(levels: int, seed: int) -> pd.DataFrame:
    """The cost of filling a cluster by a full binary tree whose leaves are jobs of the trace: columns as in `fig5`.

    There is 1/20 machine for each job, some six tasks, so that the number of decisions grows as that of nodes. Tasks start at
    time 0, none ends.
    """
    leaves = 2**levels
    tree = full_binary(levels, demands_from_trace(leaves, seed))
    jobs = pd.DataFrame({"leaf": range(leaves), "submit": 0.0, "tasks": 10**6, "duration": 1.0})
    return _cost(tree, leaves / 20, jobs, until=0)


def _cost(tree, machines, jobs, until=None):
    """What each rule takes; kernels are compiled before the clock starts."""
    rows = []
    for rule, method in MEASURED:
        done = simulate(tree, (machines, machines), rule, jobs, until=until, method=method, record=False)
        weights = done.reflattens * tree.n_nodes
        rows.append((rule, method, tree.n_nodes, done.decisions, done.operations + weights, done.reflattens, done.seconds))
    return pd.DataFrame(rows, columns=["rule", "method", "q", "decisions", "operations", "reweighed", "seconds"])


def _grid(**axes):
    return [dict(zip(axes, values, strict=True)) for values in itertools.product(*axes.values())]


def _scales(smoke, quick, paper=None):
    return {"smoke": smoke, "quick": quick, "paper": quick if paper is None else paper}


READINGS = ("queues", "nodes")

EXPERIMENTS = (
    Experiment(
        "mch.fig1", "The organisation of Fig. 1 under each rule", fig1_shares,
        _scales(_grid(demands=list(FIG1_DEMANDS)), _grid(demands=list(FIG1_DEMANDS))), _scales(1, 1),
    ),
    Experiment(
        "mch.worked", "Weights determined, with numbers", worked,
        _scales(_grid(case=list(WORKED)), _grid(case=list(WORKED))), _scales(1, 1),
    ),
    Experiment(
        "mch.weights", "Tasks in the flat tree against those in the hierarchy, minimal general case", weights,
        _scales(_grid(case=list(WORKED), trees=[10]), _grid(case=list(WORKED), trees=[100]), _grid(case=list(WORKED), trees=[500])),
        _scales(2, 5, 10),
    ),
    Experiment(
        "mch.fig4", "Shares and weights of the six leaves of Fig. 4a", fig4_shares,
        _scales(_grid(tree=list(FIG4_TREES)), _grid(tree=list(FIG4_TREES))), _scales(1, 1),
    ),
    Experiment(
        "mch.fig4b", "Shares of the six leaves over time", fig4b,
        _scales(_grid(rule=FIG4_RULES, step=[20.0]), _grid(rule=FIG4_RULES, step=[5.0])), _scales(1, 1),
    ),
    Experiment(
        "mch.fig5", "The cost of scheduling against the number of jobs, full binary trees", fig5,
        _scales(
            _grid(reading=READINGS, levels=[2, 3, 4, 5], jobs=[50, 100]),
            _grid(reading=READINGS, levels=[2, 3, 4, 5], jobs=[50, 100, 200, 400, 800]),
            _grid(reading=READINGS, levels=[2, 3, 4, 5], jobs=[50, 100, 200, 400, 800, 1600]),
        ),
        _scales(2, 5, 10), timing=("seconds",),
    ),
    Experiment(
        "mch.complexity", "The cost of filling a cluster against the number of nodes", complexity,
        _scales(_grid(levels=[5, 6, 7]), _grid(levels=[5, 6, 7, 8, 9, 10, 11]), _grid(levels=[5, 6, 7, 8, 9, 10, 11, 12])),
        _scales(2, 5, 10), timing=("seconds",),
    ),
    *property_experiments.EXPERIMENTS,
)  # fmt: skip
