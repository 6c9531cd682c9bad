"""A cluster over time: jobs arrive at leaves, their tasks start and end, jobs leave."""

import time
from dataclasses import dataclass

import numpy as np
import pandas as pd

from schedlib.core import events
from schedlib.mch import dispatch
from schedlib.mch.filling import check_priority, most_at_once, name, plan, put_weights, set_weights
from schedlib.mch.model import Tree, check_capacity
from schedlib.mch.own import Rule
from schedlib.mch.reweigh import CHANGING, Weights

COLUMNS = ("leaf", "submit", "tasks", "duration")


@dataclass(frozen=True, eq=False)
class Churn:
    """What happened to a cluster under a rule; times in the reader's unit.

    - `shares`: `time`, `leaf`, `share` (dominant share mu_i t_i): a row for each leaf whose share has changed by the end of that
      time, or, with `every`, one for each leaf and grid time; empty when nothing was recorded
    - `jobs`: the jobs given, with `start` (of the first task) and `finish` (of the last task, or when it left); NaN: not yet
    - `decisions`: leaves chosen, those whose task did not fit among them; `operations`: nodes, or heap places, looked at
    - `reflattens`: how often the weights of the flat tree were worked out anew; `seconds`: wall-clock time of all of that
    - `utilisation (R,)`: mean part of each resource in use, from the first submission to `end`
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


def simulate(tree: Tree, capacity, rule, jobs, *, until=None, method="fast", record=True, every=None) -> Churn:
    """Run jobs through a cluster that a rule shares out task by task.

    - `rule`, `method`: as in `mch.fill`
    - `jobs`: a table with `leaf` (0 .. p-1, left to right), `submit`, `tasks`, `duration` (of one task) and, where wanted, `depart`
      (NaN: never): when the job leaves, its waiting tasks are dropped and its running ones stop. Jobs of a leaf wait in line.
    - `until`: the last time that counts; without it, until all is done
    - `record`: False keeps no shares; `every`: shares on a grid from 0 with that step, instead of at changes

    A leaf is active while it has tasks waiting or running. "mch", "case1", "c-ch", "m-ch" and "exact-ch" work their weights out anew
    whenever the set of active leaves changes. At equal times tasks end first, then jobs leave, then jobs arrive; then the
    scheduler starts tasks until none fits. A resource in which the chosen task does not fit stays saturated until some of it is
    given back. Ties and fits as in `mch.fill`. ValueError, with the row, on jobs that cannot be, and as in `mch.fill`.
    Source: MCH, Sections II.A and IV.A.

    >>> from schedlib import mch
    >>> tree = mch.Tree([(1, 0), (1, 0)])
    >>> jobs = pd.DataFrame({"leaf": [0, 1], "submit": [0.0, 1.0], "tasks": [6, 2], "duration": [2.0, 2.0]})
    >>> run = simulate(tree, (2, 2), "drf", jobs)
    >>> run.jobs[["start", "finish"]].values.tolist()
    [[0.0, 8.0], [2.0, 6.0]]
    """
    capacity = check_capacity(tree, capacity)
    kind, fast, own = plan(tree, capacity, rule, method)
    table = check_jobs(tree, jobs)
    until = np.inf if until is None else float(until)
    if not until >= 0:
        raise ValueError(f"until: {until}, must not be negative; leave it out to run until all is done")
    if every is not None and not every > 0:
        raise ValueError(f"every: {every}, must be a positive step of time")
    sys = dispatch.system(tree, capacity, np.zeros(tree.n_leaves), hierarchical=kind >= dispatch.H_DRF, fast=fast)
    entered = enter(tree, table)
    together = min(int(table["tasks"].sum()), most_at_once(tree, capacity, np.bincount(table["leaf"], table["tasks"], tree.n_leaves)))
    stopped = int(table["tasks"][np.isfinite(entered.depart)].sum())  # their tasks' ends stay in the queue
    sys = sys._replace(jobs=entered, ends=events.event_queue(together + stopped + 1))
    if record:
        sys = with_log(sys, 2 * tree.n_leaves + 1024)
    by = rule.weights if isinstance(rule, Rule) else rule
    set_weights(sys, tree, capacity, rule)
    weights = Weights(tree, capacity, by) if by in CHANGING else None
    reflattens, begin = 0, time.perf_counter()
    dispatch.refresh(own, kind, fast, sys)
    while True:
        status = dispatch.advance(own, kind, fast, weights is not None, sys, until)
        if status == dispatch.REWEIGH:
            put_weights(sys, weights.of((sys.state.tasks > 0) | (sys.state.waiting > 0)), weights.share)
            dispatch.refresh(own, kind, fast, sys)
            reflattens += 1
        elif status == dispatch.MORE_ROOM:
            sys = with_log(sys, 2 * len(sys.state.log_time))
        else:
            break
    seconds = time.perf_counter() - begin
    check_priority(sys, tree)
    state, end = sys.state, float(sys.state.clock[dispatch.NOW])
    span = end - table["submit"].min() if len(table) else 0.0
    used = state.busy / (capacity * span) if span > 0 else np.zeros(tree.n_resources)
    done = table.assign(start=entered.start, finish=entered.finish)
    whole = state.whole
    counts = int(whole[dispatch.DECISIONS]), int(whole[dispatch.OPERATIONS]), reflattens
    shares = changes(sys, tree, capacity)
    if every is not None and record:
        shares = on_grid(shares, tree.n_leaves, every, end)
    return Churn(name(rule), shares, done, *counts, seconds, used, end)


def check_jobs(tree: Tree, jobs) -> pd.DataFrame:
    """The jobs as given, after a look at every row; ValueError with the row and the way out."""
    if not isinstance(jobs, pd.DataFrame) or any(column not in jobs for column in COLUMNS):
        raise ValueError(f"jobs: needs a table with the columns {', '.join(COLUMNS)}, and `depart` where jobs leave")
    table = jobs.reset_index(drop=True)
    numbers = {column: pd.to_numeric(table[column], errors="coerce").to_numpy(float) for column in COLUMNS}
    for column, values in numbers.items():
        whole = column in ("leaf", "tasks")
        bad = ~np.isfinite(values) | (values < 0) | (whole & (values != np.floor(values)))
        if column == "leaf":
            bad |= values >= tree.n_leaves
        if bad.any():
            row = int(np.flatnonzero(bad)[0])
            must = {"leaf": f"a leaf's index, 0 to {tree.n_leaves - 1}", "tasks": "a whole number >= 0"}.get(column, "a number >= 0")
            raise ValueError(f"jobs, row {row}: {column} is {table[column][row]}, must be {must}")
    if "depart" in table:
        depart = pd.to_numeric(table["depart"], errors="coerce").to_numpy(float)
        early = np.flatnonzero(depart <= numbers["submit"])
        if len(early):
            row = early[0]
            raise ValueError(f"jobs, row {row}: departs at {depart[row]}, must be after its submission at {numbers['submit'][row]}")
        table = table.assign(depart=depart)
    return table.assign(leaf=numbers["leaf"].astype(np.int64), tasks=numbers["tasks"].astype(np.int64))


def enter(tree: Tree, table: pd.DataFrame) -> dispatch.Jobs:
    """The jobs' arrays: each leaf's line, and who arrives and leaves when."""
    n, p = len(table), tree.n_leaves
    leaf, left = table["leaf"].to_numpy(np.int64).copy(), table["tasks"].to_numpy(np.int64).copy()
    submit, duration = (table[column].to_numpy(float).copy() for column in ("submit", "duration"))
    depart = table["depart"].fillna(np.inf).to_numpy(float).copy() if "depart" in table else np.full(n, np.inf)
    line = np.lexsort((submit, leaf))
    line_start = np.concatenate(([0], np.cumsum(np.bincount(leaf, minlength=p)))).astype(np.int64)
    finish = np.where(left == 0, submit, np.nan)  # a job without tasks is done when it arrives
    arrives = np.argsort(submit, kind="stable")
    leaves = np.argsort(depart, kind="stable")[: int(np.isfinite(depart).sum())]
    running, start = np.zeros(n, np.int64), np.full(n, np.nan)
    where = line, line_start, line_start[:-1].copy(), arrives, leaves, np.zeros(3, np.int64)
    return dispatch.Jobs(leaf, submit, duration, depart, left, running, start, finish, *where)


def with_log(sys: dispatch.System, rows: int) -> dispatch.System:
    """The same system with room for `rows` changes."""
    state, kept = sys.state, int(sys.state.whole[dispatch.LOGGED])
    log = np.zeros(rows), np.zeros(rows, np.int64), np.zeros(rows, np.int64)
    for new, old in zip(log, (state.log_time, state.log_leaf, state.log_tasks), strict=True):
        new[:kept] = old[:kept]
    return sys._replace(state=state._replace(log_time=log[0], log_leaf=log[1], log_tasks=log[2]))


def changes(sys: dispatch.System, tree: Tree, capacity) -> pd.DataFrame:
    """Time, leaf and share, by time."""
    state, n = sys.state, int(sys.state.whole[dispatch.LOGGED])
    leaf = state.log_leaf[:n]
    share = state.log_tasks[:n] * (tree.demand / capacity).max(axis=1)[leaf]
    return pd.DataFrame({"time": state.log_time[:n], "leaf": leaf, "share": share})


def on_grid(shares: pd.DataFrame, leaves: int, every: float, end: float) -> pd.DataFrame:
    """Shares of all leaves at 0, every, 2 every and so on up to `end`.

    >>> on_grid(pd.DataFrame({"time": [0.0, 3.0], "leaf": [0, 0], "share": [0.5, 0.0]}), 1, 2.0, 4.0).share.tolist()
    [0.5, 0.5, 0.0]
    """
    grid = np.arange(int(end / every * (1 + 1e-12)) + 1) * every
    columns = []
    for leaf in range(leaves):
        mine = shares[shares["leaf"] == leaf]
        last = np.searchsorted(mine["time"].to_numpy(), grid, side="right")
        columns.append(np.append(0.0, mine["share"].to_numpy())[last])
    long = np.repeat(grid, leaves), np.tile(np.arange(leaves), len(grid)), np.column_stack(columns).ravel()
    return pd.DataFrame(dict(zip(("time", "leaf", "share"), long, strict=True)))
