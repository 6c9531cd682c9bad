"""H-DRF and the naive hierarchical DRF written down literally: one small task at a time, everything recomputed for each."""

import numpy as np


def fill_literally(tree, capacity, naive, epsilon):
    """Dominant shares (p,) when every task is `epsilon` of its leaf's dominant resource; saturated resources (R,)."""
    need = tree.demand / np.asarray(capacity, float)
    task = need / need.max(axis=1, keepdims=True) * epsilon
    count, saturated = np.zeros(tree.n_leaves), np.zeros(tree.n_resources, bool)
    while True:
        node, view = 0, _views(tree, task, count, saturated, naive)
        if view[0]["blocked"]:
            return count * epsilon, saturated
        while tree.leaf_of[node] < 0:
            ready = [c for c in tree.children(node) if not view[c]["blocked"]]
            node = min(
                ready, key=lambda c: (view[c]["share"] / tree.weight[c], *_tie(tree, view, c), c)
            )
        leaf = tree.leaf_of[node]
        lacking = (count @ task + task[leaf] > 1 + 1e-9) & (task[leaf] > 0)
        if lacking.any():
            saturated |= lacking
        else:
            count[leaf] += 1


def _tie(tree, view, child):
    return (
        (view[child]["tasks"] / tree.weight[child],)
        if view[child]["share"] == 0
        else (view[child]["usage"].sum(),)
    )


def _views(tree, task, count, saturated, naive):
    view = [None] * tree.n_nodes
    for node in reversed(range(tree.n_nodes)):
        leaf = tree.leaf_of[node]
        if leaf >= 0:
            usage = vector = count[leaf] * task[leaf]
            tasks, blocked = count[leaf], bool((task[leaf][saturated] > 0).any())
        else:
            below = tree.children(node)
            usage, tasks = (
                sum(view[c]["usage"] for c in below),
                sum(view[c]["tasks"] for c in below),
            )
            blocked = all(view[c]["blocked"] for c in below)
            scaled = {
                c: view[c]["share"] / tree.weight[c]
                for c in below
                if not view[c]["blocked"] and view[c]["share"] > 0
            }
            f = min(scaled.values(), default=0)
            vector = sum(
                view[c]["vector"] * (f / scaled[c] if c in scaled and not naive else 1)
                for c in below
            )
        counted = vector if naive or blocked else vector[~saturated]
        view[node] = {
            "vector": vector,
            "usage": usage,
            "tasks": tasks,
            "blocked": blocked,
            "share": counted.max(),
        }
    return view
