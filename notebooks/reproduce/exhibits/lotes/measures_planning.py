"""What LoTES's claims on planning measure: rates, bins and losses of its two linear programs, and real traces."""

import numpy as np
from pandas import DataFrame

from exhibits import only
from exhibits.lotes.table1_2_fig5_planning import lost
from schedlib.intervals import Exact
from schedlib.pictures.waits import SHORTEST


def rate(frame: DataFrame, column: str, machines: int) -> Exact:
    """The jobs a minute that so many machines sustain, pooled or placed."""
    rows = only(frame, machines=machines)
    return Exact(rows[column].item())


def least_lost(frame: DataFrame) -> np.ndarray:
    """The loss (%) of stage 2 against stage 1 on the instance where it is smallest: one number a seed."""
    losses = lost(frame, "assignment")
    return losses.groupby(frame["seed"]).min().to_numpy()


def in_time(frame: DataFrame, column: str, seconds: float) -> np.ndarray:
    """The share (%) of instances solved in less than so many seconds: one number a seed."""
    solved = 100 * (frame[column] < seconds)
    return solved.groupby(frame["seed"]).mean().to_numpy()


def without_bin(frame: DataFrame) -> np.ndarray:
    """How many machines rounding leaves without a bin, or with two, at most: one number a seed."""
    wrong = frame["unassigned"].abs()
    return wrong.groupby(frame["seed"]).max().to_numpy()


def all_bins(frame: DataFrame) -> Exact:
    """How many bins Google's machines have when each may serve every class."""
    return Exact(frame["bins_all_classes"].sum())


def bins(frame: DataFrame, vertex: str, column: str = "bins_printed") -> Exact:
    """How many bins Google's machines have under one optimum of stage 1."""
    rows = only(frame, vertex=vertex)
    return Exact(rows[column].item())


def lost_by_rounding(frame: DataFrame, vertex: str, against: str) -> Exact:
    """The loss (%) of the rounded plan against another plan, under one optimum of stage 1."""
    rows = only(frame, vertex=vertex)
    kept = rows["rounded"] / rows[against]
    return Exact(100 * (1 - kept.item()))


def looser(frame: DataFrame) -> np.ndarray:
    """How much stage 2's loss (points) grows from one end of Phi's axis to the other: one number a seed."""
    random = frame[frame["phi"] >= 0]
    rows = random.assign(lost=lost(random, "assignment"))
    span = rows["phi"].max() - rows["phi"].min()
    slopes = [np.polyfit(one["phi"], one["lost"], 1)[0] for _, one in rows.groupby("seed")]
    return span * np.array(slopes)


def longer_tail(frame: DataFrame, rival: str, policy: str, load: float) -> np.ndarray:
    """By how many decades the rival's 99 % quantile of the waits is longer: one number a seed."""
    rows = only(frame, measure="p99", load=load)
    waits = rows["value"].clip(lower=SHORTEST)
    logs = rows.assign(decades=np.log10(waits)).pivot(
        index="seed", columns="policy", values="decades"
    )
    return (logs[rival] - logs[policy]).to_numpy()


def moved(frame: DataFrame, classes: int) -> np.ndarray:
    """The share (%) of jobs that the last of so many classes takes, clustered by demand: one number a seed."""
    rows = only(frame, features="demand", k=classes)
    return rows["moved"].to_numpy()
