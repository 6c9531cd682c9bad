"""What HMHS's claims measure: its gains over rivals, in % of the rival's makespan on the same instance."""

import numpy as np
import pandas as pd
from scipy import stats

from exhibits import only
from exhibits.hmhs.comparing import RIVALS, gains
from exhibits.hmhs.crossing import met
from exhibits.hmhs.factors import HEURISTICS, brought
from schedlib.intervals import Best, Proportion


def curve(frame: pd.DataFrame, rivals: list[str], axis: str = "jobs", **where) -> pd.DataFrame:
    """The gains along the axis of Fig. 1 ("jobs") or of Fig. 2 ("slow"), from a frame that may hold both."""
    if {"jobs", "slow"} <= set(frame):
        frame = only(frame, slow=0) if axis == "jobs" else only(frame, jobs=100)
    return gains(only(frame, **where), rivals)


def least(table: pd.DataFrame) -> np.ndarray:
    """Of a table of seeds by cases, the case with the smallest mean: one number a seed."""
    means = table.mean()
    return table[means.idxmin()].to_numpy()


def most_gain(frame: pd.DataFrame, rival: str, axis: str = "jobs", **where) -> Best:
    """The gain (%) over a rival where it is largest."""
    rows = curve(frame, [rival], axis, **where)
    table = rows.pivot(index=["workload", axis], columns="seed", values="gain")
    return Best(table.to_numpy())


def least_gain(frame: pd.DataFrame, rival: str) -> np.ndarray:
    """The gain (%) over a rival at the point of Fig. 1 where it is smallest."""
    rows = curve(frame, [rival])
    return least(rows.pivot(index="seed", columns=["workload", "jobs"], values="gain"))


def lead(frame: pd.DataFrame) -> np.ndarray:
    """The gain (%) over the best rival, at the point of Fig. 1 where it is smallest."""
    rows = curve(frame, list(RIVALS))
    over_best = rows.groupby(["seed", "workload", "jobs"])["gain"].min()
    return least(over_best.unstack(["workload", "jobs"]))


def of_each(frame: pd.DataFrame, rivals: list[str]) -> np.ndarray:
    """The mean gain (%) of Fig. 1 over that rival over which it is smallest."""
    rows = curve(frame, rivals)
    return least(rows.pivot_table("gain", "seed", "policy"))


def added(frame: pd.DataFrame, law: str) -> np.ndarray:
    """What each heuristic takes off the makespan (%) beside the two others; the one that takes least."""
    rows = only(frame, law=law)
    means = {
        factor: brought(rows, factor, last=True).groupby("seed")["gain"].mean()
        for factor in HEURISTICS
    }
    return least(pd.DataFrame(means))


def trend(frame: pd.DataFrame) -> np.ndarray:
    """How much the gain over FIFO grows per doubling of the jobs (points), on the workload where less."""
    rows = curve(frame, ["fifo"])
    return least(slopes(rows.assign(x=np.log2(rows["jobs"]))))


def fewer_slow(frame: pd.DataFrame) -> np.ndarray:
    """How much the gain over FIFO grows per 10 points fewer slow machines (points), on the workload where less."""
    rows = curve(frame, ["fifo"], "slow")
    return least(slopes(rows.assign(x=-rows["slow"] / 10)))


def slopes(rows: pd.DataFrame) -> pd.DataFrame:
    """The slope of the gain along `x`, seeds by workloads."""
    each = {
        key: np.polyfit(part["x"], part["gain"], 1)[0]
        for key, part in rows.groupby(["seed", "workload"])
    }
    return pd.Series(each).unstack()


def rank_correlation(frame: pd.DataFrame) -> np.ndarray:
    """Spearman's correlation of the gain over R-HMHS with the number of jobs, on the workload where strongest."""
    each = {
        key: stats.spearmanr(part["jobs"], part["gain"]).statistic
        for key, part in curve(frame, ["r-hmhs"]).groupby(["seed", "workload"])
    }
    table = pd.Series(each).unstack()
    strongest = table.mean().abs().idxmax()
    return table[strongest].to_numpy()


def single_above_hybrid(frame: pd.DataFrame, rival: str) -> np.ndarray:
    """The mean gain of Fig. 1 on the single workload less that on the hybrid one (points)."""
    rows = curve(frame, [rival])
    means = rows.pivot_table("gain", "seed", "workload")
    return (means["single"] - means["hybrid"]).to_numpy()


def excess(frame: pd.DataFrame) -> np.ndarray:
    """By how many time units Johnson's order ends later than the best of all orders, at most."""
    later = frame["johnson"] - frame["best"]
    return later.groupby(frame["seed"]).max().to_numpy()


def met_all(frame: pd.DataFrame) -> Proportion:
    """The share (%) of draws that have all six printed gains within two points."""
    hits = met(frame).all(axis=1)
    return Proportion(int(hits.sum()), len(hits), 100.0)
