"""The board of MCH's simulator: leaves of a hierarchy that always want more, and what the poorest gets."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import pandas as pd
from pandas import DataFrame

from schedlib.boards.race import (
    LIMIT,
    Outcome,
    Seeds,
    bounded_slowdown,
    cases,
    named,
    policies,
    race,
)
from schedlib.core.checks import typed
from schedlib.mch import Churn, Rule, Tree, rule, simulate
from schedlib.mch.rules import RULES
from schedlib.mch.search import random_tree

SHIPPED = ("h-drf", "mch", "naive-h-drf", "drf")
TASKS = 50  # of a job
SLACK = 1e-6  # of a number of tasks, a capacity or a time: rounding
METRICS = {
    "poorest leaf (share over its due)": "high",
    "utilisation (%)": "high",
    "bounded slowdown": "low",
}


@dataclass(frozen=True)
class Case:
    """A hierarchy, a cluster (R,), its jobs, and the last time that counts (s)."""

    tree: Tree
    capacity: np.ndarray
    jobs: DataFrame
    until: float

    metrics: ClassVar = METRICS
    plain: ClassVar = RULES["drf"]
    what: ClassVar = "leaf"
    way_out: ClassVar = "look at its priority when it has nothing, and whether its task's needs are ever free at once"

    def play(self, policy: str | Rule, seed: int) -> Churn:
        """Shares and jobs over time."""
        return simulate(self.tree, self.capacity, policy, self.jobs, until=self.until, seed=seed)

    def judge(self, run: Churn) -> Outcome:
        first = self.jobs.groupby("leaf")["submit"].min()
        part, hungry, other_work = _leaves(run, self)
        came = run.jobs[run.jobs["submit"] < self.until]
        slow = np.nan
        if len(came):
            end = came["finish"].fillna(self.until).clip(upper=self.until)
            response = end - came["submit"]
            slow = bounded_slowdown(response.to_numpy(), came["duration"].to_numpy())
        return Outcome(
            values=(np.fmin.reduce(part), 100 * run.utilisation.mean(), slow),
            waits=hungry,
            submit=first.reindex(range(self.tree.n_leaves), fill_value=0.0).to_numpy(),
            task=float(self.jobs["duration"].mean()),
            broke=_overfull(run, self) or other_work,
        )


@typed
def mch(
    *mine: Rule | Callable[..., Any],
    workload: tuple | Callable[[int], tuple] | None = None,
    seeds: Seeds = 5,
    against: Iterable[str] = SHIPPED,
    each: bool = False,
    limit: float = LIMIT,
    baseline: str | None = None,
) -> DataFrame:
    """The leaderboard of rules that share a cluster, by the part of its due that the poorest leaf has.

    - `mine`: rules made by `@mch.rule` (or plain functions `priority(leaf, usage, demand, weight, capacity)`)
    - `workload`: if left out, a random hierarchy of three levels with each seed, half of its leaves
      partial-type, on 400 units of each of two resources, of which a task needs up to 1; every leaf has jobs
      without end, all there at 0, for 900 s. Or (tree, capacity, jobs, until) as `mch.simulate` takes them,
      or a function from a seed to it
    - `against`, `seeds`, `each`, `limit`, `baseline`: as for `boards.lotes`

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
    case_of = cases(workload, tuple, greedy_leaves, _case)
    rivals = named(against, RULES)
    entries = policies(mine, Rule, rule, "a rule made by @mch.rule")
    return race(entries, case_of, rivals, seeds, each, limit, baseline)


def greedy_leaves(seed: int) -> Case:
    """The default case: leaves that never have enough."""
    rng = np.random.default_rng([seed, 10])
    tree = random_tree(rng, depth=3, partial=0.5)
    until = 900.0
    duration = rng.uniform(5.0, 60.0, tree.n_leaves)
    capacity = np.full(tree.n_resources, 400.0)
    share = (tree.demand / capacity).max(axis=1)
    at_once = 1 / share
    rounds = 2 * until / duration + 2
    more = np.ceil(at_once * rounds / TASKS)  # than the leaf alone could run
    leaves = np.arange(tree.n_leaves)
    leaf = np.repeat(leaves, more.astype(int))
    jobs = DataFrame({"leaf": leaf, "submit": 0.0, "tasks": TASKS})
    jobs["duration"] = duration[leaf] * rng.standard_exponential(len(leaf))
    return Case(tree, capacity, jobs, until)


def _case(four: tuple) -> Case:
    if len(four) != 4 or not isinstance(four[0], Tree):
        wanted = "give (tree, capacity, jobs, until), or a function from a seed to those"
        raise ValueError(f"workload: {wanted}")
    tree, capacity, jobs, until = four
    return Case(tree, np.asarray(capacity, float), jobs, until)


def _of_a_task(case: Case) -> np.ndarray:
    """The dominant share of one task of each leaf, (leaves,)."""
    return (case.tree.demand / case.capacity).max(axis=1)


def _spans(time: np.ndarray, begin: float, end: float) -> np.ndarray:
    """How long after each time the next is, from `begin` to `end`."""
    clipped = np.clip(time, begin, end)
    return np.diff(clipped, append=end)


def _leaves(run: Churn, case: Case) -> tuple[np.ndarray, np.ndarray, str]:
    """Each leaf's share over its due (NaN: nothing is due), its longest time with no task running (NaN: all), and
    the sentence on a leaf that ran less than its finished jobs take, or more than those that began."""
    part = np.full(case.tree.n_leaves, np.nan)
    hungry = np.zeros(case.tree.n_leaves)
    other_work = ""
    of_a_task = _of_a_task(case)
    guarantee = case.tree.guarantee[case.tree.leaves]
    courses = dict(list(run.shares.groupby("leaf")))
    filled = case.until / 3
    for leaf, jobs in run.jobs.groupby("leaf"):
        course = courses.get(leaf, run.shares[:0])
        time = np.append(0.0, course["time"])
        share = np.append(0.0, course["share"])
        work = jobs["tasks"] * jobs["duration"]
        least = work[jobs["finish"] <= case.until].sum()
        most = work[jobs["start"] < case.until].sum()
        runs = share != 0  # where nothing runs, time may be without end
        ran = share[runs] @ _spans(time, 0.0, case.until)[runs] / of_a_task[leaf]
        rounding = SLACK * most
        if "depart" not in jobs and not least - rounding <= ran <= most + rounding:
            takes = f"they take {least:.6g} to {most:.6g} s"
            other_work = f"duration: leaf {leaf}'s tasks run for {ran:.6g} s in all, and {takes}"
        begin = jobs["submit"].min()
        leave = jobs["finish"].fillna(np.inf)
        end = min(leave.max(), case.until)
        if end <= begin:
            continue
        spans = _spans(time, begin, end)
        hungry[leaf] = spans[share == 0].max(initial=0.0) if share.any() else np.nan
        settled = max(begin, filled) if end > filled else begin
        change = np.concatenate((jobs["submit"], leave))
        tasks = np.concatenate((jobs["tasks"], -jobs["tasks"]))
        order = np.argsort(change)
        wanted = of_a_task[leaf] * tasks[order].cumsum()
        due = np.minimum(wanted, guarantee[leaf]) * _spans(change[order], settled, end)
        if due.sum() > 0:
            part[leaf] = (share * _spans(time, settled, end)).sum() / due.sum()
    return part, hungry, other_work


def _overfull(run: Churn, case: Case) -> str:
    """The sentence on shares that together need more than there is."""
    time = run.shares["time"].to_numpy()
    leaf = run.shares["leaf"].to_numpy()
    tasks = run.shares["share"].to_numpy() / _of_a_task(case)[leaf]
    before = pd.Series(tasks).groupby(leaf).shift(fill_value=0.0)
    more = tasks - before.to_numpy()
    change = more[:, None] * case.tree.demand[leaf]
    used = change.cumsum(axis=0)
    settled = np.diff(time, append=np.inf) > 0  # of one time only the last row counts
    over = settled[:, None] & (used > case.capacity * (1 + SLACK))
    if not over.any():
        return ""
    row, resource = np.argwhere(over)[0]
    return (
        f"capacity: at {time[row]:.4g} s tasks use {used[row, resource]:.4g} of resource {resource}, "
        f"and there is {case.capacity[resource]:.4g}"
    )
