"""The paper's hierarchies, and demands drawn from a public trace: what MCH's experiments run on."""

from collections.abc import Iterable, Sequence
from functools import cache

import numpy as np
import numpy.typing as npt
import pandas as pd

from schedlib import traces
from schedlib.core.streams import streams
from schedlib.mch.model import Tree

FIG4_CAPACITY = (200.0, 200.0)  # Section IV.A: 200 CPUs, 200 GB
# of a machine of the Alibaba 2018 cluster; the trace states memory as a share of a machine
CORES = 96


def fig1(demand: Sequence[Sequence[float]] = ((1, 1), (1, 1), (1, 1), (1, 1))) -> Tree:
    """The organisation of Fig. 1: ads has 60 % and dev 40 %; in each production has 90 % and tests have 10 %.

    `demand (4, R)`: what a task of each leaf needs, left to right; the paper prints none.

    >>> fig1().guarantee[fig1().leaves].round(2).tolist()
    [0.54, 0.06, 0.36, 0.04]
    """
    paths, leaves = [(1,), (1, 1), (1, 2), (2,), (2, 1), (2, 2)], [tuple(row) for row in demand]
    weights = dict(zip(paths, (60, 90, 10, 40, 90, 10), strict=True))
    names = dict(zip(paths, ("ads", "prod", "test", "dev", "prod", "test"), strict=True))
    return Tree([leaves[:2], leaves[2:]], weights, names)


def minimal_tree(demand: Iterable[Sequence[float]]) -> Tree:
    """The minimal general case of Fig. 2a and 3a: a leaf n1 beside a group n2 of two, with these demands.

    >>> minimal_tree([(2, 1), (1, 1), (2, 3)]).paths
    ((), (1,), (2,), (2, 1), (2, 2))
    """
    first, *second = (tuple(row) for row in demand)
    return Tree([first, second])


def fig4() -> Tree:
    """The hierarchy of Fig. 4a: six leaves that need 1 CPU or 1 GB, never both.

    The printed shares add up to 1 on each resource, so no leaf uses both. Source: MCH, Section IV.A.

    >>> fig4().demand.argmax(axis=1).tolist()
    [0, 1, 0, 0, 1, 0]
    """
    cpu = (1, 0)
    memory = (0, 1)
    return Tree([[cpu, memory], [cpu, cpu, memory], [cpu]])


def fig4_jobs() -> pd.DataFrame:
    """The six jobs of Fig. 4b, one per leaf: `leaf, submit (s), tasks, duration (s of one task)`.

    The paper prints that each has 2000 tasks, that all are active from 200 to 600 s and that n1,2 leaves at
    790 s. The rest is chosen to meet that: a leaf comes every 20 s, to have its share by 200 s although no
    running task is stopped; under H-DRF n3,1 ends at 600 s, n1,2 at 790 s, the others from 950 s on.

    >>> fig4_jobs()["tasks"].tolist()
    [2000, 2000, 2000, 2000, 2000, 2000]
    """
    return pd.DataFrame(
        {
            "leaf": range(6),
            "submit": np.arange(6) * 20.0,
            "tasks": 2000,
            "duration": (40.6, 42.8, 21.2, 25.8, 62.1, 16.0),
        }
    )


def full_binary(levels: int, demand: npt.ArrayLike) -> Tree:
    """A full binary tree of `levels` levels below the root; its leaves have the rows of `demand`.

    Two levels are 4 leaves and, as the paper counts, q = 6 nodes. ValueError on another number of rows.

    >>> full_binary(2, [(1, 2)] * 4).n_nodes
    7
    """
    leaves = list(map(tuple, np.asarray(demand, float).tolist()))
    if levels < 1 or len(leaves) != 2**levels:
        raise ValueError(
            f"demand: {len(leaves)} rows for {levels} levels; give 2^levels, levels at least 1"
        )
    return _paired(leaves)


def jobs_below(levels: int, demand: npt.ArrayLike) -> Tree:
    """A full binary tree of groups with jobs dealt out below its lowest groups: row i below i mod 2^levels.

    Here q grows with the number of jobs, as in the paper's theorems. ValueError if a group would stay empty.

    >>> jobs_below(1, [(1, 1), (2, 2), (3, 3)]).demand[:, 0].tolist()
    [1.0, 3.0, 2.0]
    """
    jobs = list(map(tuple, np.asarray(demand, float).tolist()))
    if levels < 1 or len(jobs) < 2**levels:
        few = f"{len(jobs)} jobs for {2 ** max(levels, 1)} lowest groups"
        raise ValueError(f"demand: {few}; give each group a job, levels at least 1")
    return _paired([jobs[k :: 2**levels] for k in range(2**levels)])


def _paired(nodes):
    """A tree with these nodes at the bottom, neighbours paired level by level."""
    while len(nodes) > 2:
        nodes = [list(pair) for pair in zip(nodes[::2], nodes[1::2], strict=True)]
    return Tree(nodes)


@cache
def _stages() -> pd.DataFrame:
    """The Alibaba hour's stages: what a task asks of a machine, number of tasks, mean duration (s)."""
    workload = traces.alibaba2018("stages")
    jobs = workload.jobs.set_index("job")
    durations = workload.tasks.groupby("job")["duration"]
    columns = {
        "cpu": jobs["plan_cpu"] / CORES,
        "memory": jobs["plan_mem"],
        "tasks": durations.size(),
        "duration": durations.mean(),
    }
    return pd.DataFrame(columns, jobs.index).reset_index(drop=True)


def jobs_from_trace(n: int, seed: int) -> pd.DataFrame:
    """`n` random stages of the Alibaba hour: `cpu, memory` (of one machine, per task), `tasks, duration` (s).

    They take the place of the paper's jobs from Google's trace, which is not available here. Demands are what was
    requested: always some of both (all leaves are full-type), more of CPU in 98 of 100 stages. Drawn without
    replacement while they last. ValueError unless `n` >= 1.

    >>> bool((jobs_from_trace(50, seed=0)[["cpu", "memory"]] > 0).all().all())
    True
    """
    if n < 1:
        raise ValueError(f"n: {n}, must be at least 1")
    stages = _stages()
    (rng,) = streams(seed, "mch jobs of the trace")
    rows = (
        rng.permutation(len(stages))[:n] if n <= len(stages) else rng.integers(len(stages), size=n)
    )
    return stages.iloc[rows].reset_index(drop=True)
