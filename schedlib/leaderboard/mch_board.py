"""The board of MCH's simulator: leaves of a hierarchy that always want more, and what the poorest gets."""

from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from schedlib.leaderboard.race import (
    LIMIT,
    READ_ONLY,
    Game,
    Outcome,
    Seeds,
    Waiting,
    bounded_slowdown,
    cases,
    race,
)
from schedlib.mch import Churn, Rule, Tree, rule, simulate
from schedlib.mch.rules import RULES
from schedlib.mch.search import random_tree

SHIPPED = ("h-drf", "mch", "naive-h-drf", "drf")
TASKS = 50  # of a job
METRICS = {
    "poorest leaf (share over its due)": "high",
    "utilisation (%)": "high",
    "bounded slowdown": "low",
}


class Case(NamedTuple):
    """A hierarchy, a cluster (R,), its jobs, and the last time that counts (s)."""

    tree: Tree
    capacity: np.ndarray
    jobs: pd.DataFrame
    until: float


def mch(
    *mine: Rule | Callable,
    workload: tuple | Callable[[int], tuple] | None = None,
    seeds: Seeds = 5,
    against: Iterable[str] = SHIPPED,
    each: bool = False,
    limit: float = LIMIT,
) -> pd.DataFrame:
    """The leaderboard of rules that share a cluster, by the part of its due that the poorest leaf has.

    - `mine`: rules made by `@mch.rule` (or plain functions `priority(leaf, usage, demand, weight, capacity)`)
    - `workload`: if left out, a random hierarchy of three levels with each seed, half of its leaves
      partial-type, on 400 units of each of two resources, of which a task needs up to 1; every leaf has jobs
      without end, all there at 0, for 900 s. Or (tree, capacity, jobs, until) as `mch.simulate` takes them,
      or a function from a seed to it
    - `against`, `seeds`, `each`, `limit`: as for `leaderboard.lotes`

    A leaf's due is its guarantee, or what its unfinished jobs ask for while that is less: where there is room
    for all, every leaf has 1. Its dominant share and its due are averaged from a third of the time on, so
    that the cluster has filled (or over all its time when it is done by then). A leaf starves when it has
    tasks and runs none for long. Utilisation is the mean over the resources. The slowdown is a job's time
    until its end, or until the last time that counts, over the duration of a task, each at least 10 s. Gives
    a frame as `standings` does.

    See also: `mch.rule`.

    >>> @rule
    ... def no_number(leaf, usage, demand, weight, capacity):
    ...     return np.nan
    >>> print(mch(no_number, seeds=1, against=["drf"])["broke"].iloc[1])
    a rule: ...(seed 0)
    """
    case_of = cases(workload, greedy_leaves, _case)
    return race(GAME, mine, case_of, against, seeds, each, limit)


def greedy_leaves(seed: int) -> Case:
    """The default case: leaves that never have enough."""
    rng = np.random.default_rng([seed, 10])
    tree = random_tree(rng, depth=3, partial=0.5)
    until, duration = 900.0, rng.uniform(5.0, 60.0, tree.n_leaves)
    capacity = np.full(tree.n_resources, 400.0)
    at_once = 1 / (tree.demand / capacity).max(axis=1)
    # than the leaf alone could run
    more = np.ceil(at_once * (2 * until / duration + 2) / TASKS).astype(int)
    leaf = np.repeat(np.arange(tree.n_leaves), more)
    jobs = pd.DataFrame({"leaf": leaf, "submit": 0.0, "tasks": TASKS})
    jobs["duration"] = duration[leaf] * rng.standard_exponential(len(leaf))
    return Case(tree, capacity, jobs, until)


def _case(given: Any) -> Case:
    if not isinstance(given, tuple) or len(given) != 4 or not isinstance(given[0], Tree):
        raise ValueError(
            "workload: give (tree, capacity, jobs, until), or a function from a seed to those"
        )
    tree, capacity, jobs, until = given
    return Case(tree, np.asarray(capacity, float), jobs, until)


def _play(policy: str | Rule, case: Case, seed: int) -> Churn:
    return simulate(case.tree, case.capacity, policy, case.jobs, until=case.until, seed=seed)


def _judge(run: Churn, case: Case) -> Outcome:
    part, hungry = _shares(run, case)
    poorest = min(part[~np.isnan(part)], default=np.nan)
    came = run.jobs[run.jobs["submit"] < case.until]
    response = came["finish"].fillna(case.until).clip(upper=case.until) - came["submit"]
    slow = (
        bounded_slowdown(response.to_numpy(), came["duration"].to_numpy()) if len(came) else np.nan
    )
    broke = _other_cluster(run, case) or _other_work(run, case) or _overfull(run, case)
    return Outcome((poorest, 100 * run.utilisation.mean(), slow), hungry, broke)


def _shares(run: Churn, case: Case) -> tuple[np.ndarray, np.ndarray]:
    """Each leaf's share over its due (NaN: nothing is due), its longest time with no task running (NaN: all)."""
    part, hungry = np.full(case.tree.n_leaves, np.nan), np.zeros(case.tree.n_leaves)
    one, guarantee = (
        (case.tree.demand / case.capacity).max(axis=1),
        case.tree.guarantee[case.tree.leaves],
    )
    changes = dict(list(run.shares.groupby("leaf")))
    for leaf, jobs in run.jobs.groupby("leaf"):
        begin = jobs["submit"].min()
        end = min(jobs["finish"].max(), case.until) if jobs["finish"].notna().all() else case.until
        if not end > begin:
            continue
        if leaf not in changes:
            part[leaf], hungry[leaf] = 0.0, np.nan
            continue
        time = np.clip(np.concatenate(([begin], changes[leaf]["time"], [end])), begin, end)
        share = np.concatenate(([0.0], changes[leaf]["share"]))
        settled = max(begin, case.until / 3) if end > case.until / 3 else begin
        hungry[leaf] = np.diff(time)[share == 0].max(initial=0.0)
        come = np.concatenate((jobs["submit"], jobs["finish"].fillna(np.inf)))
        order, tasks = np.argsort(come), np.concatenate((jobs["tasks"], -jobs["tasks"]))
        due = np.minimum(one[leaf] * np.cumsum(tasks[order]), guarantee[leaf])
        due = (due * np.diff(np.clip(come[order], settled, end), append=end)).sum()
        if due > 0:
            part[leaf] = (share * np.diff(np.clip(time, settled, None))).sum() / due
    return part, hungry


def _other_cluster(run: Churn, case: Case) -> str:
    """The sentence on a share that is of no whole number of tasks: it is of another cluster than this one."""
    share, leaf = run.shares["share"].to_numpy(), run.shares["leaf"].to_numpy()
    tasks = share / (case.tree.demand / case.capacity).max(axis=1)[leaf]
    for row in np.flatnonzero(np.abs(tasks - np.rint(tasks)) > 1e-6 * (1 + tasks))[:1]:
        runs = f"leaf {leaf[row]} has a share of {share[row]:.4g}, that is {tasks[row]:.4g} tasks"
        return f"capacity: {runs}; the arrays that a rule is given {READ_ONLY}"
    return ""


def _other_work(run: Churn, case: Case) -> str:
    """The sentence on a leaf, all of whose jobs are done, that ran longer or shorter than they take."""
    one = (case.tree.demand / case.capacity).max(axis=1)  # the share of a task
    changes = dict(list(run.shares.groupby("leaf")))
    for leaf, jobs in run.jobs.groupby("leaf"):
        if (
            leaf in changes
            and jobs["finish"].max(skipna=False) < case.until
            and "depart" not in jobs
        ):
            time, share = changes[leaf]["time"].to_numpy(), changes[leaf]["share"].to_numpy()
            ran = (np.diff(time) * share[:-1]).sum() / one[leaf]
            takes = (jobs["tasks"] * jobs["duration"]).sum()
            if abs(ran - takes) > 1e-6 * takes:
                total = f"tasks run for {ran:.6g} s in all, and they take {takes:.6g}"
                return (
                    f"duration: leaf {leaf}'s {total}; the arrays that a rule is given {READ_ONLY}"
                )
    return ""


def _overfull(run: Churn, case: Case) -> str:
    """The sentence on shares that together need more than there is; empty when they never do."""
    time, leaf, share = (run.shares[name].to_numpy() for name in ("time", "leaf", "share"))
    before = run.shares.groupby("leaf")["share"].shift(fill_value=0.0).to_numpy()
    change = (share - before) / (case.tree.demand / case.capacity).max(axis=1)[leaf]
    used = np.cumsum(change[:, None] * case.tree.demand[leaf], axis=0)
    over = (used > case.capacity * (1 + 1e-6)) & (np.diff(time, append=np.inf) > 0)[:, None]
    if not over.any():
        return ""
    row, resource = np.argwhere(over)[0]
    use = f"at {time[row]:.4g} s tasks use {used[row, resource]:.4g} of resource {resource}, and there is"
    return f"capacity: {use} {case.capacity[resource]:.4g}; the arrays that a rule is given {READ_ONLY}"


def _waiting(case: Case) -> Waiting:
    first = (
        case.jobs.groupby("leaf")["submit"].min().reindex(range(case.tree.n_leaves), fill_value=0.0)
    )
    way_out = "look at its priority when it has nothing, and whether its task's needs are ever free at once"
    return Waiting("leaf", first.to_numpy(), float(case.jobs["duration"].mean()), "s", way_out)


GAME = Game(
    metrics=METRICS,
    play=_play,
    judge=_judge,
    waiting=_waiting,
    plain=RULES["drf"],
    small=lambda case: case._replace(until=case.until / 10),
    kind=Rule,
    make=rule,
    ways="a rule made by @mch.rule",
)
