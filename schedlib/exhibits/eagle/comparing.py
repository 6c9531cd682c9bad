"""Ratios of completion times on the same workload, and claims about them.

Readings that hold for all claims on Eagle, fixed before anything was run:

- Runs follow the authors' program (`detail="as_published"`); Hawk's thieves are then any idle worker.
- A ratio is taken per seed, both systems on the same workload. Every job counts.
- The highest load of a trace is at its fewest workers. "At all percentiles, loads, traces" is judged at the
  case (workers and percentile) that is worst on average over the seeds; "up to" at the one that is best.
- Counts of Table 2 are judged as shares of probes or of tasks, since a smaller cluster runs fewer jobs.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd

from schedlib.exhibits.eagle.running import COUNTERS
from schedlib.experiment import Claim, claim_maker

MEASURED = ("completion", "utilisation", *COUNTERS)
PERCENTILES = (50, 90, 99)
WORST = "judged at the case that is worst on average over the seeds"
STEP = "growth of the mean log ratio from one number of workers to the next"
LOAD_TREND = {"check": "trend", "tolerance": 0.0, "metric": STEP}

Measure = Callable[[pd.DataFrame], np.ndarray]
"""What a claim measures: an experiment's rows in, one number per seed out."""
_MAKE = claim_maker("eagle", check="order", unit="1")


def claim(name: str, where: str, text: str, measure: Measure, value: Any = None, **fields: Any) -> Claim:
    """A claim on `eagle.loads`; unless `fields` differ an order."""
    return _MAKE(name, where, text, fields.pop("experiment", "eagle.loads"), measure, value, **fields)


def only(frame: pd.DataFrame, jobs: str | None = None, /, **where) -> pd.DataFrame:
    """The rows of a class of jobs ("short", "long", None for both) with these values; a tuple names several.

    >>> only(pd.DataFrame({"trace": ["google", "yahoo"], "workers": [3, 4]}), trace="yahoo")
       trace  workers
    1  yahoo        4
    """
    wanted = ({"class": jobs} if jobs else {}) | where
    for name, value in wanted.items():
        frame = frame[frame[name].isin(value) if isinstance(value, tuple) else frame[name] == value]
    return frame


def ratios(frame: pd.DataFrame, system: str, base: str, jobs: str | None = None, /, **where) -> pd.DataFrame:
    """`ratio`, the completion time of `system` over that of `base`, for each setting and seed that both ran.

    `jobs` and `where` choose rows as in `only`.

    >>> frame = pd.DataFrame({"seed": 0, "system": ["eagle", "hawk"], "completion": [2.0, 8.0]})
    >>> ratios(frame, "eagle", "hawk")
       seed  ratio
    0     0   0.25
    """
    settings = [name for name in frame.columns if name not in (*MEASURED, "system")]
    first, second = (only(frame, system=name).set_index(settings)["completion"] for name in (system, base))
    return only((first / second).dropna().rename("ratio").reset_index(), jobs, **where)


def compare(frame: pd.DataFrame, first: dict, second: dict) -> pd.DataFrame:
    """`ratio` of completion times of two settings, each given by its values, by seed, class and percentile.

    Raises ValueError when a setting leaves more than one row for these.
    """
    times = []
    for where in (first, second):
        times.append(only(frame, **where).set_index(["seed", "class", "percentile"])["completion"])
        if not times[-1].index.is_unique:
            raise ValueError(f"{where}: does not pin down one run per seed; name more columns")
    return (times[0] / times[1]).rename("ratio").reset_index()


def highest_load(frame: pd.DataFrame) -> pd.DataFrame:
    """The rows with each trace's fewest workers."""
    return frame[frame["workers"] == frame.groupby("trace")["workers"].transform("min")]


def per_seed(rows: pd.DataFrame) -> np.ndarray:
    """The geometric mean of the ratios, one number per seed.

    >>> per_seed(pd.DataFrame({"seed": [7, 7], "ratio": [1, 4]})).round(12)
    array([2.])
    """
    return rows.groupby("seed")["ratio"].agg(lambda values: float(np.exp(np.mean(np.log(values))))).to_numpy()


def extreme_case(rows: pd.DataFrame, largest: bool) -> np.ndarray:
    """The ratios, one per seed, of the case (trace, workers, percentile ...) of largest or smallest mean."""
    case = [name for name in rows.columns if name not in ("seed", "ratio")]
    means = rows.groupby(case)["ratio"].mean()
    extreme = means.idxmax() if largest else means.idxmin()
    return rows.set_index(case)["ratio"].sort_index().loc[[extreme]].to_numpy()


def reduction(rows: pd.DataFrame) -> np.ndarray:
    """The largest reduction (%) of completion times over the cases (`extreme_case`), one per seed."""
    return 100 * (1 - extreme_case(rows, largest=False))


def slope(rows: pd.DataFrame, along: str) -> np.ndarray:
    """How the mean log ratio grows from one value of a column to the next, per seed (least squares).

    >>> slope(pd.DataFrame({"seed": 0, "workers": [15, 17, 19], "ratio": [1, 2, 4]}), "workers").round(4)
    array([0.6931])
    """
    means = rows.assign(log=np.log(rows["ratio"])).groupby(["seed", along])["log"].mean().unstack()
    return np.polyfit(np.arange(means.shape[1]), means.to_numpy().T, 1)[0]


def margin(system: str, base: str, **where) -> Measure:
    """By how much `system` is better than `base` for short jobs where it is worst on average."""
    return lambda frame: 1 - extreme_case(ratios(frame, system, base, "short", **where), largest=True)


def growth(system: str, base: str, trace: str) -> Measure:
    """How the log ratio of the short jobs' times grows from one number of workers to the next."""
    return lambda frame: slope(ratios(frame, system, base, "short", trace=trace), "workers")
