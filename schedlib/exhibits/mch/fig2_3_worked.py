"""Fig. 2 and 3: the weights of the minimal general case, determined with numbers."""

import numpy as np
import pandas as pd

from schedlib.exhibits.mch.common import EXACT
from schedlib.experiment import Experiment, Figure, claim_maker, grid, scales
from schedlib.mch.allocate import allocate
from schedlib.mch.flatten import flatten
from schedlib.mch.model import Tree
from schedlib.mch.workloads import minimal_tree
from schedlib.pictures.trees import side_by_side

PLACE = 3.1
CAPACITY = (10.0, 12.0)
N22 = {"full": (2, 3), "other": (0, 3), "first": (2, 0)}
DEMANDS = {case: ((2, 1), (1, 1), demand) for case, demand in N22.items()}
"""What a task of n1, n2,1 and n2,2 needs; n2,2 needs the paper's <2 CPUs, 3 GB>, or one half of it."""
TITLES = {"full": "Case 1: n2,2 needs both", "other": "Sub-case 1: n2,2 needs memory, CPU saturates first",
          "first": "Sub-case 2: n2,2 needs CPU, CPU saturates first"}


def run(case: str, seed: int) -> pd.DataFrame:
    """The weights of one case, a row for each node but the root.

    Columns are `node, cpu, memory, mu, s_cpu, s_memory, weight, t_star, t`: demands per task (Eq. 2 for n2),
    mu, normalised demands, the weight in the flat tree, and the tasks in the hierarchy (`t_star`) and in the
    flat tree (`t`). A group has neither weight nor tasks of its own.
    """
    tree = minimal_tree(DEMANDS[case])
    flat = flatten(tree, CAPACITY)
    star, tasks = (allocate(tree, CAPACITY, rule).tasks for rule in ("h-drf", "mch"))
    rows = []
    for node in range(1, tree.n_nodes):
        leaf = tree.leaf_of[node]
        need = flat.node_share[node] * flat.mu[node] * CAPACITY
        last = (flat.weights[leaf], star[leaf], tasks[leaf]) if leaf >= 0 else (np.nan,) * 3
        rows.append((tree.name(node), *need, flat.mu[node], *flat.node_share[node], *last))
    columns = ["node", "cpu", "memory", "mu", "s_cpu", "s_memory", "weight", "t_star", "t"]
    return pd.DataFrame(rows, columns=columns).assign(first_saturated=flat.first_saturated)


def _panels(frame, case):
    """The hierarchy with its numbers, and the flat tree with its weights."""
    rows = frame[frame["case"] == case].set_index("node")
    tree = minimal_tree(rows.loc[["n1", "n2,1", "n2,2"], ["cpu", "memory"]].to_numpy().round(9))
    named = {tree.paths[node]: rows.loc[tree.name(node)] for node in range(1, tree.n_nodes)}
    hierarchy, flat, names = {(): "10 CPUs, 12 GB"}, {(): "10 CPUs, 12 GB"}, {}
    for path, row in named.items():
        tasks = "" if np.isnan(row["t_star"]) else f"\nt* = {row['t_star']:.4g}"
        hierarchy[path] = (f"<{row['cpu']:.3g} CPU, {row['memory']:.3g} GB>\nmu {row['mu']:.4g}\n"
                           f"<{row['s_cpu']:.3g}, {row['s_memory']:.3g}>{tasks}")
    for k, node in enumerate(tree.leaves, 1):
        names[(k,)], row = tree.name(node), named[tree.paths[node]]
        flat[(k,)] = f"weight {row['weight']:.4g}\nt = {row['t']:.4g}"
    flat_tree = Tree([tuple(row) for row in tree.demand], names=names)
    return [{"tree": tree, "labels": hierarchy, "title": TITLES[case]},
            {"tree": flat_tree, "labels": flat, "title": "made flat"}]


def plot_fig2(frame: pd.DataFrame):
    """Weights determined for full-type leaves, with numbers (the paper's Fig. 2)."""
    return side_by_side([_panels(frame, "full")])


def plot_fig3(frame: pd.DataFrame):
    """Weights determined for a leaf that needs one resource, with numbers (the paper's Fig. 3)."""
    return side_by_side([_panels(frame, "other"), _panels(frame, "first")])


def _tasks_in_words(frame, case):
    rows = frame[(frame["case"] == case) & frame["t"].notna()]
    return ", ".join(f"{row.node} {row.t_star:.4g} and {row.t:.4g}" for row in rows.itertuples())


def _alt_fig2(frame):
    return ("A hierarchy of n1 and a group of n2,1 and n2,2, and the flat tree. Tasks in each: "
            f"{_tasks_in_words(frame, 'full')}.")


def _alt_fig3(frame):
    other, first = (_tasks_in_words(frame, case) for case in ("other", "first"))
    return ("Two hierarchies with a leaf that needs one resource, and their flat trees. Tasks in hierarchy "
            f"and flat tree, Sub-case 1: {other}; Sub-case 2: {first}.")


def _normalised(frame):
    row = frame[(frame["case"] == "full") & (frame["node"] == "n2,2")]
    return [np.abs(row[["s_cpu", "s_memory"]].to_numpy() - [0.8, 1.0]).max()]


def _inverse_mu(frame):
    """How far w_{2,1} and w_{2,2} times mu_2 are from 1 (Case 1)."""
    rows = frame[frame["case"] == "full"].set_index("node")
    return [np.abs(rows.loc[["n2,1", "n2,2"], "weight"] * rows.loc["n2", "mu"] - 1).max()]


_claim = claim_maker("mch", metric="largest distance", unit="1", tolerance=EXACT)

EXPERIMENTS = (Experiment("mch.worked", "Weights determined, with numbers", run, scales(grid(case=DEMANDS)),
                          scales(1)),)
FIGURES = (
    Figure("mch.fig2", "mch.worked", plot_fig2,
           "The paper's Fig. 2 with numbers: demands of a task, mu, normalised demands, and how many "
           "(divisible) tasks each leaf gets, t* in the hierarchy under H-DRF and t in the flat tree under "
           "MCH's weights. n2's demand is Eq. 2's; n2,2 has the paper's 2 CPUs and 3 GB.", _alt_fig2),
    Figure("mch.fig3", "mch.worked", plot_fig3,
           "The paper's Fig. 3 with numbers, for both sub-cases. Sub-case 1 shows where its derivation "
           "breaks: weight 1 lets n2,2 run ahead from the beginning, so that memory saturates first, and t "
           "differs from t*.", _alt_fig3),
    Figure(
        "mch.worked", "mch.worked", None,
        "The weights of Fig. 2 (full) and Fig. 3 (other: k' is not k; first: k' is k) determined with "
        "numbers, of 10 CPUs and 12 GB: demand per task, mu, normalised demand s, weight in the flat tree, "
        "tasks t* in the hierarchy and t in the flat tree.",
        "Table of the nodes of three small hierarchies with demands, mu, weights and tasks."))
CLAIMS = (
    _claim("normalised-demand", "Section III.A",
           "<2 CPUs, 3 GB> of <10 CPUs, 12 GB> is normalised to <4/5, 1>", "mch.worked", _normalised, 0.0),
    _claim("inverse-mu", "Section III.A, Case 1", "Both leaves below n2 have the weight 1/mu_2", "mch.worked",
           _inverse_mu, 0.0, metric="largest distance of weight times mu_2 from 1", by_construction=True,
           reason="the weight is worked out as 1 / mu_2"),
)
