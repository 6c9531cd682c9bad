"""The measures of Eagle's claims: one number a seed, unless it says otherwise.

A case is a trace, a number of workers and a percentile. Completion times are compared seed by seed, on the same
workload, and every job counts. "Highest" is the load of a trace's fewest workers.
"""

from typing import Any

import numpy as np
from pandas import DataFrame, concat

from reproduce.exhibits import Each, each_seed
from reproduce.exhibits import value as value  # which claims name
from reproduce.exhibits.eagle import fig2_4_rivals, fig8_estimates, fig9_hour
from reproduce.exhibits.eagle.comparing import compare, highest_load, only, ratios
from schedlib.intervals import Best, Exact


def times_over(
    frame: DataFrame,
    of: str,
    than: str,
    jobs: str = "short",
    highest: bool = False,
    but: dict[str, Any] | None = None,
    **where: Any,
) -> DataFrame:
    """Completion times of one system over another's, cases by seeds, without the case `but`."""
    rows = only(frame, **where)
    table = ratios(highest_load(rows) if highest else rows, of, than, jobs)
    if but:
        table = table.drop(only(table, **but).index)
    case = table.columns.difference(["seed", "ratio"], sort=False)
    return table.pivot(index=list(case), columns="seed", values="ratio")


def mean_ratio(table: DataFrame) -> Each:
    """The geometric mean over the cases."""
    logs = np.log(table.to_numpy())
    return np.exp(logs.mean(axis=0))


def worst(table: DataFrame) -> Each:
    """The values of the case whose mean over the seeds is the smallest."""
    values = table.to_numpy()
    means = values.mean(axis=1)
    return values[means.argmin()]


def over_cases(table: DataFrame, cases: str) -> Each | Best:
    """A table's numbers over its cases: in the "best", else in the "worst"."""
    return Best(table.to_numpy()) if cases == "best" else worst(table)


def sooner(
    frame: DataFrame, than: str, of: str = "eagle", cases: str = "mean", **where: Any
) -> Each | Best:
    """By how much (%) jobs complete sooner: on average over the cases ("mean"), or in the "best" or "worst"."""
    if cases == "mean":
        return -later(frame, than, of, **where)
    return over_cases(100 * (1 - times_over(frame, of, than, **where)), cases)


def sooner_at_each_percentile(frame: DataFrame, than: str, of: str = "eagle", **where: Any) -> Each:
    """By how much (%) jobs complete sooner at the load that is best for a percentile, a mean over these."""
    losses = times_over(frame, of, than, **where) - 1
    best = []
    for _, of_percentile in losses.groupby(level="percentile"):
        best.append(worst(of_percentile))
    return -100 * np.mean(best, axis=0)


def sooner_as_busy(frame: DataFrame, times: list[float], **where: Any) -> Each | Best:
    """As `sooner` in the best case, where the share of busy nodes is nearest to one over these `times`."""
    busy = fig9_hour.busy(frame)["cut"]
    near = set()
    for ratio in times:
        off = abs(busy - 100 / ratio)
        near.add(off.idxmin())
    return sooner(frame, "hawk", cases="best", sample="cut", interarrival=list(near), **where)


def later(frame: DataFrame, than: str, of: str = "eagle", **where: Any) -> Each:
    """By how much (%) jobs complete later, on average over the cases."""
    table = times_over(frame, of, than, **where)
    return 100 * (mean_ratio(table) - 1)


def times_as_fast(
    frame: DataFrame, than: str = "hawk", of: str = "eagle", cases: str = "mean", **where: Any
) -> Each | Best:
    """How many times as fast short jobs complete at the highest load, over the cases as in `sooner`."""
    table = times_over(frame, than, of, highest=True, **where)
    if cases == "mean":
        return mean_ratio(table)
    return over_cases(table, cases)


def cases_won(frame: DataFrame, than: str, of: str = "eagle", **where: Any) -> Each:
    """In how many cases (%) jobs complete sooner under one system than under another."""
    won = times_over(frame, of, than, **where) < 1
    return 100 * won.mean().to_numpy()


def slope(table: DataFrame) -> Each:
    """How the values grow from one row to the next (least squares), a number a column.

    >>> slope(DataFrame([[1.0, 3.0], [2.0, 2.0], [3.0, 1.0]])).round(9)
    array([ 1., -1.])
    """
    steps = np.arange(len(table))
    return np.polyfit(steps, table.to_numpy(), 1)[0]


def trend(frame: DataFrame, of: str, than: str, along: str = "workers", **where: Any) -> Each:
    """How the mean log ratio of completion times grows from one value of a column to the next."""
    logs = np.log(times_over(frame, of, than, **where))
    means = logs.groupby(level=along).mean()
    return slope(means)


def worth_more(
    frame: DataFrame,
    without: str,
    rivals: list[str],
    trace: str | list[str],
    rival_trace: str | list[str],
) -> Each:
    """By how much more a part of Eagle is worth than the best of others: a difference of mean log ratios."""
    part = times_over(frame, "eagle", without, trace=trace)
    more = []
    for rival in rivals:
        rival_part = times_over(frame, "eagle", rival, trace=rival_trace)
        factor = mean_ratio(rival_part) / mean_ratio(part)
        more.append(np.log(factor))
    return worst(DataFrame(more))


def with_partition(frame: DataFrame, of: str, than: str) -> Each:
    """By how much (%) short jobs complete sooner with a short partition of 17 % than another system without."""
    reserved = {"system": of, "partition": 17}
    shared = {"system": than, "partition": 0}
    rows = compare(frame, reserved, shared)
    table = only(rows, "short").pivot(index="percentile", columns="seed", values="ratio")
    return 100 * (1 - mean_ratio(table))


def off_the_rule(frame: DataFrame, short_partitions: dict[str, float]) -> Exact:
    """How far (points) a short partition is from the short jobs' share of the task-seconds, at most."""
    partitions = frame["trace"].map(short_partitions)
    off = abs(frame["short_share"] - partitions)
    return Exact(off.max())


def head_of_line(
    frame: DataFrame,
    trace: str | list[str],
    share: str,
    of: float = 100.0,
    hawk: str = "hawk",
    eagle: str = "eagle",
    **where: Any,
) -> Each:
    """A share of Table 2 (`fig2_4_rivals.shares`), in units of which the whole has `of`: 100 for %."""
    names = {hawk: "hawk", eagle: "eagle"}
    rows = only(frame, system=list(names), **where)
    rows = rows.assign(system=rows["system"].map(names))
    shares = fig2_4_rivals.shares(rows).reset_index()
    of_trace = only(shares, trace=trace)
    return of * each_seed(of_trace, of_trace[share]) / 100


def least_stolen(frame: DataFrame) -> Each:
    """The share (%) of Hawk's probes behind a long task that are stolen, on the trace where it is least."""
    rescued = fig2_4_rivals.shares(frame)["rescued"]
    return worst(rescued.unstack("seed"))


def more_rescheduled(frame: DataFrame) -> Each:
    """How many more probes (%) Eagle sends again than Hawk steals, on the trace where it is most."""
    saved = 1 - fig2_4_rivals.shares(frame)["again"]
    return -100 * worst(saved.unstack("seed"))


def behind_long(frame: DataFrame) -> Each:
    """Eagle's probes queued behind a long task, over all traces and loads."""
    runs = only(frame, "short", system="eagle", percentile=50)
    return each_seed(runs, runs["behind_long"], "sum")


def attempts(frame: DataFrame, trace: str, hawk: str = "hawk") -> Each:
    """How the log number of attempts to steal grows from one number of workers to the next."""
    runs = only(frame, "short", trace=trace, system=hawk, percentile=50)
    counts = runs.pivot(index="workers", columns="seed", values="steal_attempts")
    return slope(np.log(counts.clip(lower=1)))


def more_messages(frame: DataFrame, updates: bool, traces: list[str]) -> Each:
    """How many more messages (%) a minimum of probes costs at the highest load, on the trace where it costs most.

    SRPT's updates are counted or not.
    """
    runs = only(highest_load(frame), "short", trace=traces, percentile=50)
    uncounted = 0 if updates else runs["updates"]
    table = runs.assign(sent=runs["messages"] - uncounted).pivot(
        index=["trace", "seed"], columns="system", values="sent"
    )
    saved = 1 - table["eagle"] / table["no-min"]
    return -100 * worst(saved.unstack("seed"))


def contacted(frame: DataFrame, probes: int) -> Exact:
    """The number of probes in % of the fewest workers."""
    return Exact(100 * probes / frame["workers"].min())


def slowdowns(frame: DataFrame, system: str, percentile: int) -> DataFrame:
    """Completion times over those with exact estimates, ranges of the estimates' factor by seeds."""
    rows = fig8_estimates.slowdowns(frame, system, percentile=percentile)
    return rows.pivot(index=["low", "high"], columns="seed", values="ratio")


def misestimated(frame: DataFrame, system: str) -> Each:
    """The largest change (%) of short jobs' 50th and 90th percentile over all ranges."""
    ranges = [slowdowns(frame, system, percentile) for percentile in (50, 90)]
    changes = abs(concat(ranges) - 1)
    return 100 * changes.max().to_numpy()


def excess(frame: DataFrame, over: bool) -> DataFrame:
    """DLWL's slowdown of the 99th percentile less Eagle's (points), over- or else under-estimation, by seeds."""
    dlwl = slowdowns(frame, "dlwl", 99)
    eagle = slowdowns(frame, "eagle", 99)
    high = dlwl.index.get_level_values("high")
    points = 100 * (dlwl - eagle)
    return points[(high > 1) == over]


def more_robust(frame: DataFrame) -> Each:
    """By how much (points) DLWL's slowdown exceeds Eagle's on average when task times are under-estimated."""
    return excess(frame, over=False).mean().to_numpy()


def farthest_slowdowns(frame: DataFrame) -> Each:
    """How far apart (points) DLWL's and Eagle's slowdowns are, at most, when task times are over-estimated."""
    return excess(frame, over=True).abs().max().to_numpy()


def example(frame: DataFrame, case: str) -> Exact:
    """When the job of four tasks completes."""
    tasks = only(frame, case=case, last=True)
    return Exact(tasks["finish"].max() - tasks["submit"].min())


def off_the_mean(frame: DataFrame) -> Each | None:
    """How far (%) a run's ratio of Eagle to Hawk is from the mean of all, in the farthest case; short jobs."""
    table = times_over(frame, "eagle", "hawk")
    if table.shape[1] == 1:
        return None
    means = table.mean(axis=1)
    off = table.div(means, axis=0) - 1
    return 100 * off.abs().max().to_numpy()
