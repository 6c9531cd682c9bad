"""Every LoTES experiment: a point and a seed in, a tidy frame out."""

import numpy as np
import pandas as pd

from schedlib import traces
from schedlib.experiment import Experiment


def no_google_table() -> str:
    """What to do when Google's job table is not here; "" when it is."""
    if traces.google2011_folder() is None:
        return "Google's job table is not here and may not be shipped; fetch it with: python -m schedlib data google2011"
    return ""


def data_files(experiment_id: str, point: dict) -> list:
    """The files whose content an experiment's result depends on."""
    folder = traces.google2011_folder()
    return sorted(folder.glob("*.csv.gz")) if folder else []


def fig6(seed: int) -> pd.DataFrame:
    """Jobs submitted in each hour of Google's trace: `hour` from the trace's start, `jobs`.

    Jobs of timestamp 0 were there before the trace began; they are the row of hour -1. Draws nothing at random.
    """
    submit = traces.google2011_jobs(traces.google2011_folder()).jobs["submit"].to_numpy()
    hour = np.where(submit == 0, -1, submit // 3600).astype(int)
    jobs = np.bincount(hour + 1)
    return pd.DataFrame({"hour": np.arange(-1, len(jobs) - 1), "jobs": jobs})


ONCE = {"smoke": [{}], "quick": [{}], "paper": [{}]}

EXPERIMENTS = (
    Experiment(
        "lotes.fig6",
        "Jobs arriving in each hour of the Google trace",
        fig6,
        ONCE,
        {"smoke": 1, "quick": 1, "paper": 1},
        missing=no_google_table,
    ),
)
