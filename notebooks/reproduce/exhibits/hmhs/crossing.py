"""Whether any reading of FIFO, of FIFO-Pri and of the numbers of jobs gives all six gains that the paper prints."""

from dataclasses import replace
from itertools import combinations, product

from pandas import DataFrame, Series, concat

from reproduce.exhibits.hmhs.comparing import JOBS, WORKLOADS, gains
from reproduce.figure import Figure
from schedlib.hmhs.johnson import priority
from schedlib.hmhs.policies import POLICIES
from schedlib.hmhs.policies import run as dispatch
from schedlib.sweeps import Experiment, grid, scales

PLACE = 1.1
PRIS = {
    "fifo": "fifo-pri",
    "fifo-strict": "fifo-pri-strict",
    "fifo-ready": "fifo-pri-ready",
    "fifo-barrier": "fifo-pri-barrier",
}
"""The readings of FIFO, and FIFO-Pri read in the same way."""
PRINTED = {
    "fifo_least": 51,
    "fifo_most": 77,
    "fifo_pri_single": 72,
    "fifo_pri_hybrid": 55,
    "r_hmhs_least": 10,
    "r_hmhs_most": 30,
}


def run(workload: str, jobs: int, seed: int) -> DataFrame:
    """Makespan of HMHS, of R-HMHS, and of FIFO and FIFO-Pri under each reading: `policy, makespan`."""
    instance = WORKLOADS[workload](jobs, seed)
    hmhs = dispatch(instance, POLICIES["hmhs"])
    plans = [hmhs, dispatch(instance, POLICIES["r-hmhs"], hmhs.map)]
    for fifo, pri in PRIS.items():
        policy = POLICIES[fifo]
        plans.append(dispatch(instance, policy))
        plans.append(dispatch(instance, replace(policy, order=priority, name=pri)))
    return DataFrame(
        [(plan.policy, plan.makespan) for plan in plans], columns=["policy", "makespan"]
    )


def readings(frame: DataFrame) -> DataFrame:
    """The six gains (%) on each seed's instances, under each reading: `fifo, pri` and the `first` and `last`
    number of jobs of the axis."""
    gain = gains(frame, [*PRIS, *PRIS.values(), "r-hmhs"])
    blocks = []
    for first, last in combinations(sorted(set(frame["jobs"])), 2):
        part = gain[gain["jobs"].between(first, last)]
        ends = part.groupby(["policy", "seed"])["gain"].agg(["min", "max"])
        most = part.groupby(["policy", "workload", "seed"])["gain"].max()
        for fifo, pri in product(PRIS, PRIS.values()):
            six = {
                "fifo_least": ends["min"][fifo],
                "fifo_most": ends["max"][fifo],
                "fifo_pri_single": most[pri, "single"],
                "fifo_pri_hybrid": most[pri, "hybrid"],
                "r_hmhs_least": ends["min"]["r-hmhs"],
                "r_hmhs_most": ends["max"]["r-hmhs"],
            }
            block = DataFrame(six).reset_index()
            blocks.append(block.assign(fifo=fifo, pri=pri, first=first, last=last))
    return concat(blocks, ignore_index=True)


def farthest(rows: DataFrame) -> Series:
    """How many points the gain is off that is farthest from the printed one, for each row."""
    gaps = rows[list(PRINTED)] - Series(PRINTED)
    return gaps.abs().max(axis=1)


def table(frame: DataFrame) -> DataFrame:
    """Of each reading of FIFO and FIFO-Pri the numbers of jobs that come closest: the mean gains (%), and by how many
    points the worst is off."""
    means = readings(frame).groupby(["fifo", "pri", "first", "last"])[list(PRINTED)].mean()
    rows = means.reset_index().assign(off=farthest)
    closest = rows.groupby(["fifo", "pri"])["off"].idxmin()
    return rows.loc[closest]


EXPERIMENTS = (
    Experiment(
        "hmhs.crossing",
        "The six printed gains under every reading",
        run,
        scales(grid(workload=WORKLOADS, jobs=[25, 50]), grid(workload=WORKLOADS, jobs=JOBS)),
        scales(2, 10, 60),
    ),
)
FIGURES = (
    Figure(
        "hmhs.crossing",
        "hmhs.crossing",
        None,
        "Whether some reading gives all six printed gains. For each reading of FIFO and of FIFO-Pri those numbers of "
        "jobs, as ends of the axis, that come closest: the mean of each gain over instances, and by how many points "
        "the worst of them is off.",
        lambda rows: (
            f"Table of {len(rows)} readings. The closest misses one of six printed gains by {rows['off'].min():.1f} points."
        ),
        part=table,
        heads={
            "fifo": "FIFO",
            "pri": "FIFO-Pri",
            "first": "jobs, from",
            "last": "to",
            "fifo_least": "FIFO, least (%)",
            "fifo_most": "FIFO, most (%)",
            "fifo_pri_single": "FIFO-Pri, single (%)",
            "fifo_pri_hybrid": "FIFO-Pri, hybrid (%)",
            "r_hmhs_least": "R-HMHS, least (%)",
            "r_hmhs_most": "R-HMHS, most (%)",
            "off": "worst off by (points)",
        },
    ),
)
