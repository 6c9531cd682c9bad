"""The board of MCH's simulator: leaves of a hierarchy that always want more, and what the poorest gets."""

from typing import NamedTuple

import numpy as np
import pandas as pd

from schedlib.leaderboard.race import Game, Outcome, Waiting, race
from schedlib.leaderboard.telling import telling
from schedlib.mch import Rule, Tree, rule, simulate
from schedlib.mch.choosing import PRIORITY
from schedlib.mch.search import random_tree

PAPERS = ("h-drf", "mch", "naive-h-drf", "drf")
TASKS = 50  # of a job
METRICS = {"poorest leaf (share over guarantee)": "high", "utilisation (%)": "high"}


class Case(NamedTuple):
    """A hierarchy, a cluster, its jobs, and the last time that counts (s)."""

    tree: Tree
    capacity: np.ndarray
    jobs: pd.DataFrame
    until: float


def mch(*mine, workload=None, seeds=5, against=PAPERS, each=False):
    """The leaderboard of rules that share a cluster, by what the poorest leaf has of its guarantee: 1 and more keeps the promise.

    - `mine`: rules made by `@mch.rule` (or plain functions `priority(leaf, usage, demand, weight, capacity)`)
    - `workload`: left out, a random hierarchy of three levels with each seed, half of its leaves partial-type, on a cluster of 400 units
      of each of two resources, of which a task needs up to 1; every leaf has jobs without end, all there at 0, for 900 s. Or (tree,
      capacity, jobs, until) as `mch.simulate` takes them, or a function from a seed to those.
    - `against`, `seeds`, `each`: as for `leaderboard.lotes`

    A leaf's share is its dominant share, averaged while it has tasks, from a third of the time on, so that the cluster has filled (or
    over all its time when it is done by then). A leaf starves when it has tasks and runs none for long. Utilisation is the mean over
    the resources. Gives a frame as `standings` does.

    >>> @rule
    ... def no_number(leaf, usage, demand, weight, capacity):
    ...     return np.nan
    >>> board = mch(no_number, seeds=1, against=["drf"])
    >>> print(board["broke"].iloc[1])
    not a number: the priority of leaf 0 (...) at 0 s, where it uses (0, 0); return a number for each leaf, inf for never (seed 0)
    """
    game = Game(METRICS, _cases(workload), _run, _waiting, _reason)
    return race(game, tuple(map(_rule, mine)), against, seeds, each)


def greedy_leaves(seed: int) -> Case:
    """The default case: leaves that never have enough."""
    rng = np.random.default_rng([seed, 10])
    tree = random_tree(rng, depth=3, partial=0.5)
    until, duration = 900.0, rng.uniform(5.0, 60.0, tree.n_leaves)
    capacity = np.full(tree.n_resources, 400.0)
    at_once = 1 / (tree.demand / capacity).max(axis=1)
    jobs = np.ceil(at_once * (2 * until / duration + 2) / TASKS).astype(int)  # more than the leaf alone could run
    leaf = np.repeat(np.arange(tree.n_leaves), jobs)
    columns = {"leaf": leaf, "submit": 0.0, "tasks": TASKS, "duration": duration[leaf] * rng.standard_exponential(len(leaf))}
    return Case(tree, capacity, pd.DataFrame(columns), until)


def _cases(workload):
    if workload is None:
        return greedy_leaves
    make = workload if callable(workload) else lambda seed: workload

    def checked(seed):
        case = make(seed)
        if not isinstance(case, tuple) or len(case) != 4 or not isinstance(case[0], Tree):
            raise ValueError("workload: give (tree, capacity, jobs, until), as mch.simulate takes them, or a function from a seed to those")
        return Case(case[0], np.asarray(case[1], float), *case[2:])

    return checked


def _rule(given) -> Rule:
    if isinstance(given, Rule):
        return given
    if not callable(given):
        raise ValueError(f"mine: {given!r}; give a rule made by @mch.rule")
    return rule(given)


def _run(policy, case: Case, seed: int) -> Outcome:
    run = simulate(case.tree, case.capacity, policy, case.jobs, until=case.until)
    share, hungry = _shares(run, case)
    guarantee = case.tree.guarantee[case.tree.leaves]
    wanting = np.isin(np.arange(case.tree.n_leaves), case.jobs["leaf"])
    values = (share / guarantee)[wanting].min(), 100 * run.utilisation.mean()
    return Outcome(values, hungry, _overfull(run, case))


def _shares(run, case: Case):
    """Each leaf's mean share while it has tasks, and its longest time with none running (NaN: it never had one)."""
    n = case.tree.n_leaves
    mean, hungry = np.zeros(n), np.zeros(n)
    changes, jobs = dict(list(run.shares.groupby("leaf"))), run.jobs.groupby("leaf")
    for leaf, mine in jobs:
        begin = mine["submit"].min()
        end = min(mine["finish"].max(), case.until) if mine["finish"].notna().all() else case.until
        if leaf not in changes or not end > begin:
            hungry[leaf] = np.nan if end > begin else 0.0
            continue
        time = np.clip(np.concatenate(([begin], changes[leaf]["time"], [end])), begin, end)
        share = np.concatenate(([0.0], changes[leaf]["share"]))
        settled = max(begin, case.until / 3) if end > case.until / 3 else begin
        mean[leaf] = (share * np.diff(np.clip(time, settled, None))).sum() / (end - settled)
        hungry[leaf] = np.diff(time)[share == 0].max(initial=0.0)
    return mean, hungry


def _waiting(case: Case) -> Waiting:
    first = case.jobs.groupby("leaf")["submit"].min().reindex(range(case.tree.n_leaves), fill_value=0.0)
    way_out = "look at its priority when it has nothing, and at whether all that a task of it needs is ever free at once"
    return Waiting("leaf", first.to_numpy(), float(case.jobs["duration"].mean()), "s", way_out)


def _overfull(run, case: Case) -> str:
    """Whether the shares, put together, ever need more than there is."""
    time, leaf = run.shares["time"].to_numpy(), run.shares["leaf"].to_numpy()
    dominant = (case.tree.demand / case.capacity).max(axis=1)
    before = run.shares.groupby("leaf")["share"].shift(fill_value=0.0).to_numpy()
    change = (run.shares["share"].to_numpy() - before) / dominant[leaf]
    used = np.cumsum(change[:, None] * case.tree.demand[leaf], axis=0)
    over = (used > case.capacity * (1 + 1e-6)) & (np.diff(time, append=np.inf) > 0)[:, None]
    if not over.any():
        return ""
    row, resource = np.argwhere(over)[0]
    return (
        f"capacity: at {time[row]:.4g} s tasks use {used[row, resource]:.4g} of resource {resource}, and there is "
        f"{case.capacity[resource]:.4g}; the arrays that a rule is given are the simulator's own: read them, and change none"
    )


def _reason(policy: Rule, case: Case, seed: int, error: str) -> str:
    def reason(leaf, usage, demand, weight, capacity, priority):
        if not np.isnan(priority):
            return None
        uses = ", ".join(f"{value:.4g}" for value in usage)
        return int(leaf), uses

    heard, said = telling(policy.priority, PRIORITY, reason)
    until = _last_good(policy, case)
    try:
        simulate(case.tree, case.capacity, Rule(heard, policy.weights, policy.name), case.jobs, until=case.until)
    except ValueError:
        if not said:
            return ""
        (leaf, uses), *_ = said
        name = case.tree.name(case.tree.leaves[leaf])
        return (
            f"not a number: the priority of leaf {leaf} ({name}) at {until:.4g} s, where it uses ({uses}); return a number for each leaf, "
            "inf for never"
        )
    return ""


def _last_good(policy, case) -> float:
    """The time at which a run stops, to a part in a million of its length: the last one that it reaches."""
    low, high = 0.0, case.until
    for _ in range(20):
        middle = (low + high) / 2
        try:
            simulate(case.tree, case.capacity, policy, case.jobs, until=middle, record=False)
            low = middle
        except ValueError:
            high = middle
    return low
