"""Whether any reading of FIFO, of V and of the numbers of jobs gives all six gains that the paper prints."""

from dataclasses import replace

from pandas import DataFrame, Series

from reproduce.exhibits.hmhs.comparing import JOBS, WORKLOADS, percent
from reproduce.exhibits.hmhs.factors import LAWS
from reproduce.exhibits.hmhs.fig1_2_makespans import one_factor_a_machine
from reproduce.figure import Figure
from schedlib.core.streams import streams
from schedlib.hmhs.johnson import priority
from schedlib.hmhs.policies import POLICIES
from schedlib.hmhs.policies import run as dispatch
from schedlib.sweeps import Experiment, scales

PLACE = 1.1
FIFOS = ("fifo", "fifo-strict", "fifo-ready", "fifo-barrier")
PRINTED = {
    "fifo_least": 51,
    "fifo_most": 77,
    "fifo_pri_single": 72,
    "fifo_pri_hybrid": 55,
    "r_hmhs_least": 10,
    "r_hmhs_most": 30,
}
NEAR = 2  # points from a printed gain


def run(draws: int, seed: int) -> DataFrame:
    """Random draws of the paper's Fig. 1, a row each: how the paper is read, and the six gains (%)."""
    (rng,) = streams(seed, "hmhs crossing")
    rows = []
    for draw in range(draws):
        first, last = sorted(rng.choice(JOBS, 2, replace=False).tolist())
        law = rng.choice(list(LAWS))
        fifo = rng.choice(FIFOS)
        read = {"law": law, "fifo": fifo, "first": first, "last": last}
        curve = gains_of(**read, seed=draws * seed + draw)
        rows.append(read | six(curve))
    return DataFrame(rows)


def gains_of(law: str, fifo: str, first: int, last: int, seed: int) -> DataFrame:
    """HMHS's gains (%) on one instance for each workload and number of jobs, FIFO-Pri read like FIFO."""
    policies = {"fifo": POLICIES[fifo], "fifo_pri": replace(POLICIES[fifo], order=priority)}
    rows = []
    for workload, draw in WORKLOADS.items():
        for jobs in JOBS:
            if not first <= jobs <= last:
                continue
            instance = draw(jobs, seed)
            if law == "machine":
                instance = one_factor_a_machine(instance)
            hmhs = dispatch(instance, POLICIES["hmhs"])
            reverse = dispatch(instance, POLICIES["r-hmhs"], hmhs.map)
            row = {"workload": workload, "r_hmhs": percent(hmhs.makespan, reverse.makespan)}
            for name, policy in policies.items():
                row[name] = percent(hmhs.makespan, dispatch(instance, policy).makespan)
            rows.append(row)
    return DataFrame(rows)


def six(curve: DataFrame) -> dict[str, float]:
    """The gains that the paper prints, of a curve over numbers of jobs and workloads."""
    pri = curve.groupby("workload")["fifo_pri"].max()
    return {
        "fifo_least": curve["fifo"].min(),
        "fifo_most": curve["fifo"].max(),
        "fifo_pri_single": pri["single"],
        "fifo_pri_hybrid": pri["hybrid"],
        "r_hmhs_least": curve["r_hmhs"].min(),
        "r_hmhs_most": curve["r_hmhs"].max(),
    }


def met(frame: DataFrame) -> DataFrame:
    """Which of its six gains each draw has within two points of the printed ones."""
    gaps = frame[list(PRINTED)] - Series(PRINTED)
    return gaps.abs() <= NEAR


def table(frame: DataFrame) -> DataFrame:
    """For each reading its `draws`, the share (%) of them that meet each gain and all, the `most` met in one."""
    near = met(frame)
    near["all"] = near.all(axis=1)
    reading = [frame["law"], frame["fifo"]]
    shares = 100 * near.groupby(reading).mean()
    shares.insert(0, "draws", near.groupby(reading).size())
    at_once = near[list(PRINTED)].sum(axis=1)
    return shares.assign(most=at_once.groupby(reading).max()).reset_index()


EXPERIMENTS = (
    Experiment(
        "hmhs.crossing",
        "The six printed gains under every reading",
        run,
        scales([{"draws": 4}], [{"draws": 20}]),
        scales(2, 20, 100),
    ),
)
FIGURES = (
    Figure(
        "hmhs.crossing",
        "hmhs.crossing",
        None,
        "Whether some reading gives all six printed gains. A draw picks a reading of FIFO and of V, two "
        "numbers of jobs as the ends of the axis, and one instance at each number between. Columns: the "
        "share of draws (%) within two points of each printed gain and of all six, and the most gains "
        "that one draw meets.",
        lambda rows: (
            f"Table of {len(rows)} readings, of {rows['draws'].sum()} draws in all. At best a draw meets "
            f"{rows['most'].max()} of six gains; {(rows['draws'] * rows['all']).sum() / 100:.0f} meet all."
        ),
        part=table,
        heads={
            "law": "factor V of a",
            "fifo": "reading of FIFO",
            "fifo_least": "FIFO, least (%)",
            "fifo_most": "FIFO, most (%)",
            "fifo_pri_single": "FIFO-Pri, single (%)",
            "fifo_pri_hybrid": "FIFO-Pri, hybrid (%)",
            "r_hmhs_least": "R-HMHS, least (%)",
            "r_hmhs_most": "R-HMHS, most (%)",
            "all": "all six (%)",
            "most": "most gains",
        },
    ),
)
