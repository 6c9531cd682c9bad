"""What LoTES's claims share: their maker, and measures of waits and queues per seed."""

import numpy as np
import pandas as pd

from schedlib.exhibits import measure
from schedlib.experiment import claim_maker

SHORTEST = 1e-4
"""Seconds below which mean waits count as equal, and are drawn as none."""
DECADES = {"metric": "log10 of the ratio of mean waits", "unit": "decades"}

claim = claim_maker("lotes", check="order")


def with_decades(frame: pd.DataFrame) -> pd.DataFrame:
    """The frame with log10 of the column `wait` (s) as a column `decades`."""
    return frame.assign(decades=np.log10(frame["wait"].clip(lower=SHORTEST)))


def by_interval(frame: pd.DataFrame, measure: str, first: int = 0) -> pd.DataFrame:
    """A measure of each day or minute from number `first` on: rows by seed and x, a column per policy."""
    rows = frame[(frame["measure"] == measure) & (frame["x"] >= first)]
    return rows.pivot(index=["seed", "x"], columns="policy", values="value")


def overall(frame: pd.DataFrame, measure: str = "mean") -> pd.DataFrame:
    """A measure of the whole run, by default the mean wait (s): a row per seed, a column per policy."""
    return frame[frame["measure"] == measure].pivot(index="seed", columns="policy", values="value")


@measure
def longer(frame: pd.DataFrame, first: str, second: str, of: str = "mean") -> np.ndarray:
    """By how many decades the policy `second` waits longer than `first` over the whole run, per seed."""
    waits = overall(frame, of).clip(lower=SHORTEST)
    return np.log10(waits[second] / waits[first]).to_numpy()


@measure
def ends_queued(frame: pd.DataFrame, policy: str) -> pd.Series:
    """The share of the days or minutes (%) at whose end jobs wait, per seed."""
    return 100 * (by_interval(frame, "queue")[policy] > 0).groupby("seed").mean()
