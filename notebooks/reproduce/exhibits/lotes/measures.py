"""The measures of LoTES's claims: waits and queues of runs and days, rates, bins and losses of its linear programs.

Waits below 0.1 ms count as 0.1 ms. A measure of a law of sizes that a frame does not have gives None: at the
paper's own scale some are not run.
"""

import numpy as np
from pandas import DataFrame, Series

from reproduce.exhibits import Each, difference, each_seed, only
from reproduce.exhibits import mean_of as mean_of  # which claims name
from reproduce.exhibits import value as value
from reproduce.exhibits.lotes.drawing import SHORTEST, axis_of
from reproduce.exhibits.lotes.table1_2_fig5_planning import lost
from schedlib.intervals import Best, Exact, Proportion

PERCENT = 100.0
SECONDS_PER_HOUR = 3600.0
PRINTED = "as printed"


def in_decades(rows: DataFrame, column: str = "wait") -> DataFrame:
    """These rows with `decades`, the power of ten of a wait."""
    waits = rows[column].clip(lower=SHORTEST)
    return rows.assign(decades=np.log10(waits))


def grown(rows: DataFrame, x: str, column: str) -> Each:
    """By how much a column grows from one end of `x` to the other, along the line of least squares: one number a
    seed."""
    span = rows[x].max() - rows[x].min()
    slopes = [np.polyfit(some[x], some[column], 1)[0] for _, some in rows.groupby("seed")]
    return span * np.array(slopes)


def decades(
    frame: DataFrame, rivals: list[str], policy: str = "lotes", column: str = "wait", **where
) -> Each | None:
    """By how many decades (powers of ten) the best of these rivals waits longer than the policy, a mean over
    these rows: one number a seed."""
    rows = only(frame, **where)
    if rows.empty:
        return None
    means = in_decades(rows, column).pivot_table("decades", "seed", "policy")
    best = means[rivals].min(axis=1)
    longer = best - means[policy]
    return longer.to_numpy()


def later(frame: DataFrame, rival: str, unit: float = 1.0, **where) -> Each:
    """The mean wait of a rival of the whole month less LoTES's, in seconds of this number: one number a seed."""
    rows = only(frame, measure="mean", **where)
    return difference(rows, "value", rival, less="lotes") / unit


def apart(frame: DataFrame, **where) -> Each | None:
    """The distance (s) of the mean waits of LoTES and Tetris, a mean over these rows: one number a seed."""
    rows = only(frame, **where)
    if rows.empty:
        return None
    return np.abs(difference(rows, "wait", "lotes", less="tetris"))


def growth(frame: DataFrame, policy: str, **where) -> Each | None:
    """By how many decades a policy's wait grows from one end of Phi or Omega to the other, along the line of
    least squares: one number a seed."""
    rows = only(frame, policy=policy, **where)
    if rows.empty:
        return None
    longer = grown(in_decades(rows), axis_of(rows), "decades")
    return np.round(longer, 9)  # a flat line's slope is about 1e-17


def days(frame: DataFrame, of: str, holds: str, first: int = 0, **where) -> Series:
    """Whether `holds` is true of each day from `first` on, by seed and day. Queues are those of the whole month,
    of which one job in `thin` was run, or `times` as many."""
    rows = only(frame, measure=of, **where)
    late = rows[rows["x"] >= first]
    table = late.pivot(index=["seed", "x"], columns="policy", values="value")
    whole = table.clip(lower=SHORTEST)
    if of == "queue":
        thin, times = rows[["thin", "times"]].iloc[0]
        whole = whole * thin / times
    return whole.eval(holds)


def days_with(frame: DataFrame, of: str, holds: str, first: int = 0, **where) -> Each:
    """The share (%) of days from `first` on for which `holds` is true: one number a seed."""
    held = days(frame, of, holds, first, **where)
    shares = held.groupby("seed").mean()
    return PERCENT * shares.to_numpy()


def months_with(frame: DataFrame, of: str, holds: str, first: int = 0, **where) -> Proportion:
    """The share (%) of months, one a seed, with a day from `first` on for which `holds` is true."""
    held = days(frame, of, holds, first, **where)
    some = held.groupby("seed").any()
    return Proportion(int(some.sum()), len(some), PERCENT)


def over(frame: DataFrame, policy: str, hours: float, **where) -> Each:
    """The share (%) of all jobs that wait longer than a number of hours: one number a seed."""
    rows = only(frame, measure="tail", policy=policy, x=SECONDS_PER_HOUR * hours, **where)
    return each_seed(rows, rows["value"])


def at_once(frame: DataFrame, **where) -> Each:
    """The share (%) of all jobs that wait less than a millisecond, under the policy where they are fewest: one number
    a seed."""
    rows = only(frame, measure="tail", x=1e-3, **where)
    return PERCENT - each_seed(rows, rows["value"], "max")


def beyond_processing(frame: DataFrame, **where) -> Each:
    """By how many decades the mean wait of the jobs that wait exceeds what jobs run, under the policy where it is
    longest: one number a seed."""
    rows = only(frame, measure="waited", **where)
    ratio = rows["value"] / (SECONDS_PER_HOUR * rows["lasts"])
    return each_seed(rows, np.log10(ratio), "max")


def more_over(frame: DataFrame, rival: str, hours: float, **where) -> Each:
    """How much larger the share (%) of jobs that wait a number of hours is than under LoTES: one number a seed."""
    return over(frame, rival, hours, **where) - over(frame, "lotes", hours, **where)


def spare(frame: DataFrame, policy: str, load: float, **where) -> Each:
    """By how much what a policy sustains after a burst exceeds a load of stage 2's rate, in % of stage 1's, where it
    does so least: one number a seed."""
    rows = only(frame, policy=policy, **where)
    margin = PERCENT * (rows["capacity"] - load * rows["limit"])
    return each_seed(rows, margin, "min")


def grew(frame: DataFrame, policies: list[str], **where) -> Proportion | None:
    """The share (%) of instances, one a seed, in which the queue of one of these policies grows until the end of a
    run from an empty system, at most of these points."""
    rows = only(frame, policy=policies, **where)
    if rows.empty:
        return None
    point = [rows[name] for name in ("seed", "phi", "omega")]
    some = ~rows["stable"].groupby(point).all()
    most = some.groupby("seed").mean() > 0.5
    return Proportion(int(most.sum()), len(most), PERCENT)


def longest(frame: DataFrame, policies: list[str], **where) -> Each | None:
    """The longest mean wait of these policies, in powers of ten of a second, a mean over these rows: one number a
    seed."""
    rows = in_decades(only(frame, policy=policies, **where))
    if rows.empty:
        return None
    most = rows.groupby(["seed", "phi", "omega"])["decades"].max()
    return most.groupby("seed").mean().to_numpy()


def by_reading(frame: DataFrame, **where) -> DataFrame:
    """Decades of the mean wait by seed, a column for each policy and how it is read."""
    rows = in_decades(only(frame, **where))
    return rows.pivot_table("decades", "seed", ["policy", "reading"])


def gained(frame: DataFrame, over: list[str], policy: str = "lotes", **where) -> Each:
    """By how many decades a policy as printed waits less than the policy and reading `over`: one number a seed."""
    waits = by_reading(frame, **where)
    longer = waits[tuple(over)] - waits[policy, PRINTED]
    return longer.to_numpy()


def best_weights(frame: DataFrame, weights: list[str], **where) -> Best:
    """By how many decades Tetris waits less with the best of these weights than as printed."""
    waits = by_reading(frame, **where)
    others = waits["tetris"][weights]
    gains = others.rsub(waits["tetris", PRINTED], axis=0)
    return Best(gains.to_numpy().T)


def behind(frame: DataFrame, weights: list[str], **where) -> Each:
    """By how many decades Tetris waits longer than LoTES with the best of these weights: one number a seed."""
    waits = by_reading(frame, **where)
    means = waits["tetris"][weights].mean()
    best = means.idxmin()
    longer = waits["tetris", best] - waits["lotes", PRINTED]
    return longer.to_numpy()


def asks_more(frame: DataFrame, policy: str, least: float = 0.0, most: float = 1.0) -> Each:
    """How much larger a share (%) of all machines a policy asks than LoTES, a mean over loads from `least` to
    `most`: one number a seed."""
    loads = frame["load"].between(least, most)
    rows = only(frame[loads], sampled=0)
    return difference(rows, "looked", policy, less="lotes")


def asked_times(frame: DataFrame) -> Each:
    """How many times as many machines LoTES asks when it does not sample them: one number a seed."""
    means = only(frame, policy="lotes").pivot_table("looked", "seed", "sampled")
    return (means[0] / means[10]).to_numpy()


def replanned(frame: DataFrame, way: str, every: int) -> Each:
    """By how many decades planning again shortens the mean wait of a month with bursts and a drifting mix: one
    number a seed."""
    rows = in_decades(only(frame, bursts=True, drift=0.8))
    return difference(rows, "decades", ("fixed", 0), less=(way, every), by=["way", "every"])


def least_lost(frame: DataFrame) -> Each:
    """The loss (%) of stage 2 against stage 1 on the instance where it is smallest: one number a seed."""
    return each_seed(frame, lost(frame, "assignment"), "min")


def in_time(frame: DataFrame, column: str, seconds: float) -> Each:
    """The share (%) of instances solved in less than a number of seconds: one number a seed."""
    return each_seed(frame, 100 * (frame[column] < seconds))


def without_bin(frame: DataFrame) -> Each:
    """How many machines rounding leaves without a bin, or with two, at most: one number a seed."""
    return each_seed(frame, frame["unassigned"].abs(), "max")


def all_bins(frame: DataFrame) -> Exact:
    """How many bins Google's machines have when each may serve every class."""
    return Exact(frame["bins_all_classes"].sum())


def lost_by_rounding(frame: DataFrame, vertex: str, against: str) -> Exact:
    """The loss (%) of the rounded plan against another plan, under one optimum of stage 1."""
    rows = only(frame, vertex=vertex)
    kept = rows["rounded"] / rows[against]
    return Exact(100 * (1 - kept.item()))


def optima(frame: DataFrame, holds: str) -> Proportion:
    """The share (%) of random optima of stage 1 for which `holds` is true."""
    held = frame.eval(holds)
    return Proportion(int(held.sum()), len(held), PERCENT)


def looser(frame: DataFrame) -> Each:
    """How much stage 2's loss (points) grows from one end of Phi's axis to the other: one number a seed."""
    random = frame[frame["phi"] >= 0]
    rows = random.assign(lost=lost(random, "assignment"))
    return grown(rows, "phi", "lost")


def longer_tail(frame: DataFrame, rival: str, policy: str, load: float) -> Each:
    """By how many decades the rival's 99 % quantile of the waits is longer: one number a seed."""
    rows = in_decades(only(frame, measure="p99", load=load), "value")
    return difference(rows, "decades", rival, less=policy)


def moved(frame: DataFrame, classes: int) -> Each:
    """The share (%) of jobs that change their class when the last of a number of classes is added, clustered by
    demand: one number a seed."""
    rows = only(frame, features="demand", k=classes)
    return rows["moved"].to_numpy()
