"""LoTES's experiments on traces: Google's arrivals, and a month of its cluster of which the rest is synthetic.

Waits are in seconds, rates in jobs per hour.
"""

import numpy as np
import pandas as pd

from schedlib import traces
from schedlib.core import streams
from schedlib.experiment import Experiment
from schedlib.lotes.planning.plan import plan
from schedlib.lotes.policies.shipped import SHIPPED
from schedlib.lotes.simulate import simulate
from schedlib.lotes.workloads.arrivals import GOOGLE_ARRIVALS
from schedlib.lotes.workloads.google import fewer_machines, google2011
from schedlib.lotes.workloads.month import BATCH, HOURS, JOBS, google_month


def no_google_table() -> str:
    """What to do when Google's job table is not here; "" when it is."""
    if traces.google2011_folder() is None:
        return "Google's job table is not here and may not be shipped; fetch it with: python -m schedlib data google2011"
    return ""


def data_files(experiment_id: str, point: dict) -> list:
    """The files whose content an experiment's result depends on."""
    folder = traces.google2011_folder() if experiment_id in ("lotes.fig6", "lotes.month-google") else None
    return sorted(folder.glob("*.csv.gz")) if folder else []


def google_counts() -> tuple[int, np.ndarray]:
    """Of Google's table the jobs of timestamp 0, which were there before the trace began, and the jobs in each hour after (697,).

    Hours count from the trace's timestamp 0. It begins at 600 s and lasts 29 days: the first and the last hour are not whole.
    """
    submit = traces.google2011_jobs(traces.google2011_folder()).jobs["submit"].to_numpy()
    return int((submit == 0).sum()), np.bincount((submit[submit > 0] // 3600).astype(int))


def _hourly(source, batch, counts):
    return pd.DataFrame({"source": source, "hour": np.arange(-1, len(counts)), "jobs": np.concatenate(([batch], counts))})


def fig6_model(seed: int) -> pd.DataFrame:
    """A draw of the fitted model, as in the synthetic month of that seed: `source, hour, jobs`; the batch is the row of hour -1."""
    (when,) = streams(seed, "month arrivals")
    return _hourly("model", BATCH, GOOGLE_ARRIVALS.draw(HOURS, JOBS - BATCH, when))


def fig6(seed: int) -> pd.DataFrame:
    """Jobs submitted in each hour of Google's trace (`source` "Google"), with `fig6_model`'s draw below."""
    return pd.concat([_hourly("Google", *google_counts()), fig6_model(seed)], ignore_index=True)


def synthetic_month(shrink, seed, **more):
    """Table 1's machines over `shrink`, and `google_month` on them: machines, classes, jobs."""
    configs, classes = google2011()
    fewer = fewer_machines(configs, shrink)
    return fewer, *google_month(fewer, classes, seed=seed, **more)


def fig7(shrink: int, seed: int) -> pd.DataFrame:
    """The share of each class among the jobs of each day of the synthetic month: `day, job_class, share`."""
    _, _, month = synthetic_month(shrink, seed)
    jobs = month.jobs
    counts = pd.crosstab((jobs["submit"] // 24).astype(int), jobs["class"], normalize="index")
    frame = counts.rename_axis("day").reset_index().melt("day", var_name="job_class", value_name="share")
    return frame.assign(job_class=frame["job_class"].astype(int) + 1)


TAIL = np.unique(np.concatenate((10.0 ** np.arange(-3, 6.01, 0.25), 3600.0 * np.array([1, 7, 17]))))
"""Seconds at which the distribution of waits is read."""


def each_policy(configs, classes, jobs, measures, seed: int, **options) -> pd.DataFrame:
    """Every policy on the same jobs: `policy, measure, x, value`. `measures(run)` gives pairs (x, value) by measure."""
    found, rows = plan(configs, classes), []
    for policy in SHIPPED:
        follows = {"plan": found} if policy.startswith("lotes") else {"classes": classes}
        run = simulate(policy, configs, jobs, seed=seed, record=False, **options, **follows)
        rows += [(policy, measure, float(x), float(value)) for measure, series in measures(run).items() for x, value in series]
    return pd.DataFrame(rows, columns=["policy", "measure", "x", "value"])


def month(shrink: int, load: float, seed: int, **more) -> pd.DataFrame:
    """The synthetic month on Table 1's machines over `shrink`, each policy: `policy, measure, x, value` (Figs. 8-10).

    | measure | x | value |
    |---|---|---|
    | wait | day | mean wait (s) of the jobs that start that day |
    | queue | day | jobs waiting at its end |
    | tail | seconds | share of all started jobs that wait longer (%) |
    | mean | 0 | mean wait (s) over the month |
    """

    def measures(run):
        return {
            "wait": enumerate(3600 * run.intervals["mean_response"]),
            "queue": enumerate(run.intervals["queue_end"]),
            "tail": ((seconds, 100 * run.share_above(seconds / 3600)) for seconds in TAIL),
            "mean": [(0, 3600 * run.mean_response)],
        }

    return each_policy(*synthetic_month(shrink, seed, load=load, **more), measures, seed, until=float(HOURS), interval=24.0)


def month_google(shrink: int, load: float, seed: int) -> pd.DataFrame:
    """`month` with Google's real arrivals, hour by hour; classes, durations and demands are as synthetic as there."""
    batch, counts = google_counts()
    return month(shrink, load, seed, arrivals=counts, batch=batch)


def month_load(shrink: int, load: float, seed: int) -> pd.DataFrame:
    """Of `month` what concerns the whole of it: the measures `tail` and `mean`."""
    frame = month(shrink, load, seed)
    return frame[frame["measure"].isin(["tail", "mean"])].reset_index(drop=True)


def always(points=({},)):
    return {"smoke": list(points), "quick": list(points), "paper": list(points)}


ONE, FIVE = {"smoke": 1, "quick": 1, "paper": 1}, {"smoke": 2, "quick": 5, "paper": 5}
THREE = {"smoke": 1, "quick": 3, "paper": 5}
LOADS = {"smoke": (0.4, 0.9), "quick": (0.4, 0.6, 0.8, 0.9, 0.95), "paper": (0.4, 0.6, 0.8, 0.9, 0.95)}
SHRINK = {"smoke": 400, "quick": 40, "paper": 1}
MONTH = {scale: [{"shrink": shrink, "load": 0.8}] for scale, shrink in SHRINK.items()}
MONTH_LOAD = {scale: [{"shrink": SHRINK[scale], "load": load} for load in loads] for scale, loads in LOADS.items()}

EXPERIMENTS = (
    Experiment("lotes.fig6", "Jobs arriving in each hour of the Google trace", fig6, always(), ONE, missing=no_google_table),
    Experiment("lotes.fig6-model", "Jobs arriving in each hour of the fitted model", fig6_model, always(), ONE),
    Experiment("lotes.fig7", "The drifting mix of the synthetic month", fig7, always([{"shrink": 40}]), ONE),
    Experiment("lotes.month", "A synthetic month of Google's cluster", month, MONTH, FIVE),
    Experiment("lotes.month-google", "A month with Google's arrivals", month_google, MONTH, FIVE, missing=no_google_table),
    Experiment("lotes.month-load", "The synthetic month at other loads", month_load, MONTH_LOAD, THREE),
)
