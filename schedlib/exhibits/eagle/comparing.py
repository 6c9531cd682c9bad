"""Ratios of completion times on the same workload: what most of the paper's figures and claims are made of."""

import numpy as np
import pandas as pd

from schedlib.exhibits.eagle.printed import OVER, UNDER

COUNTERS = ("probes", "short_tasks", "behind_long", "ran_behind_long", "rescheduled", "steal_attempts")
"""What is carried along of a run's `stats`."""
MEASURED = ("completion", "utilisation", *COUNTERS)
PERCENTILES = (50, 90, 99)


def ratios(frame: pd.DataFrame, system: str, base: str) -> pd.DataFrame:
    """`ratio`, the completion time of `system` over that of `base`, wherever both ran: a row for each other setting and seed.

    >>> frame = pd.DataFrame({"seed": [0, 0], "percentile": 50, "system": ["eagle", "hawk"], "completion": [2.0, 8.0]})
    >>> ratios(frame, "eagle", "hawk")
       seed  percentile  ratio
    0     0          50   0.25
    """
    settings = [name for name in frame.columns if name not in (*MEASURED, "system")]
    first, second = (frame[frame["system"] == name].set_index(settings)["completion"] for name in (system, base))
    return (first / second).dropna().rename("ratio").reset_index()


def only(frame: pd.DataFrame, **where) -> pd.DataFrame:
    """The rows that have these values in these columns; a tuple names several values.

    >>> only(pd.DataFrame({"trace": ["google", "yahoo"], "workers": [3, 4]}), trace="yahoo")
       trace  workers
    1  yahoo        4
    """
    for name, value in where.items():
        frame = frame[frame[name].isin(value) if isinstance(value, tuple) else frame[name] == value]
    return frame


def compare(frame: pd.DataFrame, first: dict, second: dict) -> pd.DataFrame:
    """`ratio` of completion times of two settings, each given by its values: a row for each seed, class and percentile.

    Raises ValueError when a setting leaves more than one row for these.
    """
    times = []
    for where in (first, second):
        times.append(only(frame, **where).set_index(["seed", "class", "percentile"])["completion"])
        if not times[-1].index.is_unique:
            raise ValueError(f"{where}: does not pin down one run per seed; name more columns")
    return (times[0] / times[1]).rename("ratio").reset_index()


def slowdowns(frame: pd.DataFrame, system: str) -> pd.DataFrame:
    """Short jobs' times with mis-estimated tasks over those with exact means: `low, high, seed, class, percentile, ratio`."""
    exact = {"system": system, "low": 1.0, "high": 1.0}
    blocks = [
        compare(frame, {"system": system, "low": low, "high": high}, exact).assign(low=low, high=high)
        for low, high in (*UNDER, *OVER)
    ]
    return only(pd.concat(blocks), **{"class": "short"})


def highest_load(frame: pd.DataFrame) -> pd.DataFrame:
    """The rows with each trace's fewest workers."""
    return frame[frame["workers"] == frame.groupby("trace")["workers"].transform("min")]


def geometric(values) -> float:
    """The geometric mean.

    >>> round(geometric([1, 4]), 12)
    2.0
    """
    return float(np.exp(np.mean(np.log(values))))


def per_seed(rows: pd.DataFrame, how=geometric) -> np.ndarray:
    """One number for each seed of what its ratios give (the geometric mean unless told)."""
    return rows.groupby("seed")["ratio"].agg(how).to_numpy()


def extreme_case(rows: pd.DataFrame, largest: bool) -> np.ndarray:
    """The ratios, one per seed, of the case (trace, workers, percentile ...) whose mean over the seeds is largest or smallest."""
    case = [name for name in rows.columns if name not in ("seed", "ratio")]
    means = rows.groupby(case)["ratio"].mean()
    rows = rows.set_index(case)["ratio"].sort_index()
    return rows.loc[[means.idxmax() if largest else means.idxmin()]].to_numpy()


def slope(rows: pd.DataFrame, along: str) -> np.ndarray:
    """How the mean logarithm of the ratios grows from one value of a column to the next, per seed (least squares).

    >>> slope(pd.DataFrame({"seed": 0, "workers": [15, 17, 19], "ratio": [0.25, 0.5, 1.0]}), "workers").round(6)
    array([0.693147])
    """
    means = rows.assign(log=np.log(rows["ratio"])).groupby(["seed", along])["log"].mean().unstack()
    return np.polyfit(np.arange(means.shape[1]), means.to_numpy().T, 1)[0]
