"""The measures of HMHS's claims: its gains over rivals, in % of the rival's makespan on the same instance."""

from collections.abc import Callable

import numpy as np
from pandas import DataFrame, Series, concat
from scipy import stats

from reproduce.exhibits import Each, difference, each_seed, only
from reproduce.exhibits import mean_of as mean_of  # which claims name
from reproduce.exhibits.hmhs.comparing import gains
from reproduce.exhibits.hmhs.crossing import farthest, readings
from reproduce.exhibits.hmhs.factors import HEURISTICS, brought
from schedlib.intervals import Best


def least(rows: DataFrame, *case: str) -> Each:
    """The gain in the case, a value of each of these columns, where its mean is smallest: one number a seed."""
    table = rows.pivot_table("gain", "seed", list(case))
    smallest = table.mean().idxmin()
    return table[smallest].to_numpy()


def most_gain(frame: DataFrame, rival: str, axis: str = "jobs", **where) -> Best:
    """The gain (%) over a rival where it is largest."""
    rows = gains(frame, [rival], **where)
    table = rows.pivot(index=["workload", axis], columns="seed", values="gain")
    return Best(table.to_numpy())


def least_gain(frame: DataFrame, rival: str, **where) -> Each:
    """The gain (%) over a rival at the point of Fig. 1 where it is smallest."""
    rows = gains(frame, [rival], **where)
    return least(rows, "workload", "jobs")


def lead(frame: DataFrame, **where) -> Each:
    """The gain (%) over the best rival, at the point of Fig. 1 where it is smallest."""
    rows = gains(frame, **where)
    over_best = rows.groupby(["seed", "workload", "jobs"])["gain"].min()
    return least(over_best.reset_index(), "workload", "jobs")


def of_each(frame: DataFrame, rivals: list[str], **where) -> Each:
    """The mean gain (%) of Fig. 1 over that rival over which it is smallest."""
    rows = gains(frame, rivals, **where)
    return least(rows, "policy")


def added(frame: DataFrame, law: str) -> Each:
    """The gain (%) of the heuristic that takes least off the makespan beside the two others."""
    rows = only(frame, law=law)
    blocks = [brought(rows, factor, last=True).assign(heuristic=factor) for factor in HEURISTICS]
    return least(concat(blocks), "heuristic")


def each_workload(rows: DataFrame, of: Callable) -> Series:
    """A number of the rows of each seed and workload."""
    return rows.groupby(["seed", "workload"]).apply(of)


def least_slope(rows: DataFrame) -> Each:
    """The slope of the gain along `x`, on the workload where it is less: one number a seed."""
    slopes = each_workload(rows, lambda group: np.polyfit(group["x"], group["gain"], 1)[0])
    return least(slopes.reset_index(name="gain"), "workload")


def trend(frame: DataFrame, **where) -> Each:
    """How much the gain over FIFO grows per doubling of the jobs (points), on the workload where less."""
    rows = gains(frame, ["fifo"], **where)
    doublings = np.log2(rows["jobs"])
    return least_slope(rows.assign(x=doublings))


def fewer_slow(frame: DataFrame) -> Each:
    """How much the gain over FIFO grows per 10 points fewer slow machines (points), on the workload where less."""
    rows = gains(frame, ["fifo"])
    return least_slope(rows.assign(x=-rows["slow"] / 10))


def rank_correlation(frame: DataFrame, **where) -> Each:
    """Spearman's correlation of the gain over R-HMHS with the number of jobs, on the workload where strongest."""
    rows = gains(frame, ["r-hmhs"], **where)
    correlations = each_workload(
        rows, lambda group: stats.spearmanr(group["jobs"], group["gain"]).statistic
    )
    table = correlations.unstack()
    strongest = table.mean().abs().idxmax()
    return table[strongest].to_numpy()


def single_above_hybrid(frame: DataFrame, rival: str, **where) -> Each:
    """The mean gain of Fig. 1 on the single workload less that on the hybrid one (points)."""
    rows = gains(frame, [rival], **where)
    return difference(rows, "gain", "single", less="hybrid", by="workload")


def excess(frame: DataFrame) -> Each:
    """By how many time units Johnson's order ends later than the best of all orders, at most."""
    return each_seed(frame, frame["johnson"] - frame["best"], "max")


def missed(frame: DataFrame) -> Each:
    """By how many points the reading that comes closest misses one of the six printed gains: one number a seed."""
    rows = readings(frame)
    return each_seed(rows, farthest(rows), "min")
