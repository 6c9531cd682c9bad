"""A cluster over time: jobs arrive at leaves, their tasks start and end, jobs leave."""

import time
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pandas as pd

from schedlib.core import compiling
from schedlib.core.arrays import zeroed
from schedlib.core.checks import positive, refuse, typed
from schedlib.core.running import to_the_end
from schedlib.mch import dispatch
from schedlib.mch.model import Tree, check_capacity
from schedlib.mch.rules import Rule, the_rule
from schedlib.mch.running import most_at_once, start
from schedlib.mch.state import JOB, Jobs, Work
from schedlib.mch.weights import FLAT
from schedlib.workload import in_short, with_results

MOST_ROWS = 10**9  # shares on a grid
COLUMNS = ("leaf", "submit", "tasks", "duration")
WHOLE = ("leaf", "tasks")  # columns of whole numbers


@dataclass(frozen=True, eq=False)
class Churn:
    """A cluster's history under a rule; times in the reader's unit.

    - `shares`: `time, leaf, share` (dominant share mu_i t_i), by time: a row for each leaf whose share has
      changed by then, or, with `every`, for each leaf and grid time; empty when nothing was recorded
    - `jobs`: `job, class` (as given; without names numbered, without classes 0), `submit`, `start` of the first
      task and `finish` of the last (or departure), else NaN; then the other columns as given
    - `decisions`, `operations`: as in `mch.Filling`; `reflattens`: how often the flat tree's weights were
      worked out; `seconds`: wall-clock time of all that
    - `utilisation (R,)`: mean part of each resource in use, from the first submission to `end`; `end`: when the
      run ended; `rule`: the rule's name

    See also: `mch.simulate`.

    >>> jobs = pd.DataFrame({"leaf": [0, 1], "submit": [0.0, 0.0], "tasks": [2, 2], "duration": [1.0, 1.0]})
    >>> done = simulate(Tree([(1,), (1,)]), [2], "drf", jobs)
    >>> done.jobs["finish"].tolist(), done.utilisation.round(6).tolist()
    ([2.0, 2.0], [1.0])
    """

    rule: str
    shares: pd.DataFrame
    jobs: pd.DataFrame
    decisions: int
    operations: int
    reflattens: int
    seconds: float
    utilisation: np.ndarray
    end: float

    def __repr__(self) -> str:
        return in_short(self, self.rule, self.jobs)


@typed
def simulate(
    tree: Tree,
    capacity: npt.ArrayLike,
    rule: str | Rule,
    jobs: pd.DataFrame,
    *,
    until: float | None = None,
    method: str = "fast",
    record: bool = True,
    every: float | None = None,
    seed: int = 0,
) -> Churn:
    """Run jobs through a cluster that a rule shares out task by task.

    - `capacity`, `rule`: as in `mch.fill`; `seed`: of the random numbers that a reader's rule may draw
    - `method`: "fast" (hierarchical rules look at the path above a changed leaf, O(log)), or "literal" (they
      look at every node at each decision, as printed, O(q)); both decide the same
    - `jobs`: a table with `leaf` (0 .. p-1, left to right), `submit`, `tasks`, `duration` (of one task) and,
      where wanted, `depart` (NaN: never), when waiting tasks are dropped and running ones stop. Jobs of a
      leaf wait in line.
    - `until`: the last time that counts: events at that time are still run (in `lotes.simulate` they
      are not), so that 0 fills the cluster; without it, until all is done
    - `record`: False keeps no shares; `every`: shares on a grid from 0 with that step, instead of at changes

    A leaf is active while it has tasks; weights that depend on that are worked out again whenever it changes.
    Events of one moment: ends, then arrivals, then starts. Jobs leave between ends and arrivals. A resource in
    which the chosen task does not fit stays saturated until some is given back. Ties, fits and errors as in
    `mch.fill`; ValueError on impossible jobs, with the row. Source: MCH, Sections II.A, IV.A.

    See also: `mch.fill`, `mch.rule`, `boards.mch`.

    >>> from schedlib import mch
    >>> tree = mch.Tree([(1, 0), (1, 0)])
    >>> jobs = pd.DataFrame({"leaf": [0, 1], "submit": [0.0, 1.0], "tasks": [6, 2], "duration": [2.0, 2.0]})
    >>> run = simulate(tree, (2, 2), "drf", jobs)
    >>> run.jobs[["start", "finish"]].values.tolist()
    [[0.0, 8.0], [2.0, 6.0]]
    """
    known = the_rule(rule)
    table = check_jobs(tree, jobs)
    last = check_times(tree, until, every)
    amounts = check_capacity(tree, capacity)
    offered = np.bincount(table["leaf"], table["tasks"], tree.n_leaves)
    work = to_do(table, offered, most_at_once(tree, amounts, offered), record)
    run = start(tree, amounts, known, method, work, int(offered.sum()), seed)
    run.state.tally.until = last
    run.state.tally.whose = FLAT[known.weights]
    if FLAT[known.weights] >= 0:
        run.state.leaves.weight = 0.0  # until a leaf is active for the first time
    compiling.ready(dispatch.advance)
    begin = time.perf_counter()
    to_the_end(run.advance, "mch.simulate")
    seconds = time.perf_counter() - begin
    state = run.state
    tally = state.tally[0]
    end = float(tally.now)
    run.check(f"time {end:.4g}")
    log = state.log[: tally.logged]
    of_task = (tree.demand / amounts).max(axis=1)
    share = log["tasks"] * of_task[log["leaf"]]
    shares = pd.DataFrame({"time": log["time"], "leaf": log["leaf"], "share": share})
    span = end - table["submit"].min() if len(table) else 0.0
    if every and record:
        shares = on_grid(shares, len(offered), every, end)
    return Churn(
        rule=known.name,
        shares=shares,
        decisions=int(tally.decisions),
        seconds=seconds,
        end=end,
        jobs=with_results(table, {name: state.jobs.table[name] for name in ("start", "finish")}),
        operations=run.operations(),
        reflattens=int(tally.reweighed),
        utilisation=state.busy / (amounts * span) if span > 0 else np.zeros_like(amounts),
    )


def check_times(tree: Tree, until: float | None, every: float | None) -> float:
    """The last time that counts, infinite without one; ValueError on times that cannot be."""
    last = np.inf if until is None else float(until)
    if not last >= 0:
        raise ValueError(
            f"until: {last}, must not be negative; leave it out to run until all is done"
        )
    if every is None:
        return last
    positive("every", every)
    if last < np.inf and last / every * tree.n_leaves > MOST_ROWS:
        raise ValueError(
            f"every: {every}, up to {last:g}: over {MOST_ROWS:,} shares; take a longer step"
        )
    return last


def check_jobs(tree: Tree, jobs: pd.DataFrame) -> pd.DataFrame:
    """The jobs as given, each entry checked; ValueError with the row and the way out."""
    if not set(COLUMNS) <= set(jobs):
        raise ValueError(
            f"jobs: a table of columns {', '.join(COLUMNS)}, and `depart` where jobs leave"
        )
    table = jobs.reset_index(drop=True)
    for column in COLUMNS:
        values = as_numbers(table[column])
        right = np.isfinite(values) & (values >= 0)
        must = "must be a number >= 0"
        if column in WHOLE:
            right &= values == np.floor(values)
            must = "must be a whole number >= 0"
        if column == "leaf":
            right &= values < tree.n_leaves
            must = f"must be a leaf's index, 0 to {tree.n_leaves - 1}"
        refuse(f"jobs, {column}", ~right, table[column].to_numpy(), must)
        if column in WHOLE:
            table[column] = values.astype(np.int64)
    if "depart" in table:
        depart = as_numbers(table["depart"])
        text = np.isnan(depart) & table["depart"].notna()
        refuse("jobs, depart", text.to_numpy(), table["depart"].to_numpy(), "must be a number")
        early = depart <= as_numbers(table["submit"])
        refuse("jobs, depart", early, depart, "must be after the job's submission")
        table["depart"] = depart
    return table


def as_numbers(column: pd.Series) -> np.ndarray:
    """A column as floats, NaN where an entry is not a number."""
    return pd.to_numeric(column, errors="coerce").to_numpy(float)


def to_do(table: pd.DataFrame, offered: np.ndarray, together: int, record: bool) -> Work:
    """The work that a table of jobs is: `offered (p,)` tasks, of which at most `together` run at a time."""
    jobs = zeroed(JOB, len(table))
    jobs.leaf = table["leaf"]
    jobs.left = table["tasks"]
    jobs.submit = table["submit"]
    jobs.duration = table["duration"]
    jobs.start = np.nan
    jobs.depart = table["depart"].fillna(np.inf) if "depart" in table else np.inf
    # a job without tasks is done when it arrives
    jobs.finish = np.where(jobs.left == 0, jobs.submit, np.nan)
    lengths = np.bincount(jobs.leaf, minlength=len(offered))
    departs = np.isfinite(jobs.depart)
    stopped = int(jobs.left[departs].sum())  # the ends of tasks that are stopped stay in the queue
    return Work(
        waiting=np.zeros(len(offered)),
        jobs=Jobs(
            table=jobs,
            line=np.lexsort((jobs.submit, jobs.leaf)),
            head=np.cumsum(lengths) - lengths,
            by_submit=np.argsort(jobs.submit, kind="stable"),
            by_depart=np.argsort(jobs.depart, kind="stable")[: int(departs.sum())],
        ),
        ends=min(int(jobs.left.sum()), together) + stopped,
        log=2 * len(offered) + 1024 if record else 0,
    )


def on_grid(shares: pd.DataFrame, leaves: int, every: float, end: float) -> pd.DataFrame:
    """Shares of all leaves at 0, every, 2 every and so on up to `end`.

    >>> changes = pd.DataFrame({"time": [0.0, 3.0], "leaf": [0, 0], "share": [0.5, 0.0]})
    >>> on_grid(changes, 1, 2.0, 4.0).share.tolist()
    [0.5, 0.5, 0.0]
    """
    grid = np.arange(int(end / every * (1 + 1e-12)) + 1) * every
    index = pd.MultiIndex.from_product([grid, range(leaves)], names=["time", "leaf"])
    cells = index.to_frame(index=False)
    held = pd.merge_asof(cells.astype({"time": float}), shares, on="time", by="leaf")
    return cells.assign(share=held["share"].fillna(0.0))
