"""LoTES on traces: Google's arrivals, a synthetic month of its cluster, Alibaba's hour. Waits in seconds, rates in jobs per hour."""

import numpy as np
import pandas as pd

from schedlib import traces
from schedlib.experiment import Experiment
from schedlib.lotes.alibaba import FIRST, alibaba_hour, alibaba_instances
from schedlib.lotes.cluster import class_counts, cluster_jobs
from schedlib.lotes.google import fewer_machines, google2011
from schedlib.lotes.month import google_month
from schedlib.lotes.plan import plan
from schedlib.lotes.policies import SHIPPED
from schedlib.lotes.simulate import simulate


def no_google_table() -> str:
    """What to do when Google's job table is not here; "" when it is."""
    if traces.google2011_folder() is None:
        return "Google's job table is not here and may not be shipped; fetch it with: python -m schedlib data google2011"
    return ""


def data_files(experiment_id: str, point: dict) -> list:
    """The files whose content an experiment's result depends on."""
    folder = traces.google2011_folder() if experiment_id == "lotes.fig6" else None
    return sorted(folder.glob("*.csv.gz")) if folder else []


def fig6(seed: int) -> pd.DataFrame:
    """Jobs submitted in each hour of Google's trace: `hour` from the trace's start, `jobs`.

    Jobs of timestamp 0 were there before the trace began; they are the row of hour -1. Draws nothing at random.
    """
    submit = traces.google2011_jobs(traces.google2011_folder()).jobs["submit"].to_numpy()
    hour = np.where(submit == 0, -1, submit // 3600).astype(int)
    jobs = np.bincount(hour + 1)
    return pd.DataFrame({"hour": np.arange(-1, len(jobs) - 1), "jobs": jobs})


def _month(shrink, seed, **more):
    configs, classes = google2011()
    fewer = fewer_machines(configs, shrink)
    return fewer, *google_month(fewer, classes, seed=seed, **more)


def fig7(shrink: int, seed: int) -> pd.DataFrame:
    """The share of each class among the jobs of each day of the synthetic month: `day, job_class, share`."""
    _, _, month = _month(shrink, seed)
    jobs = month.jobs
    counts = pd.crosstab((jobs["submit"] // 24).astype(int), jobs["class"], normalize="index")
    frame = counts.rename_axis("day").reset_index().melt("day", var_name="job_class", value_name="share")
    return frame.assign(job_class=frame["job_class"].astype(int) + 1)


def month(shrink: int, load: float, seed: int) -> pd.DataFrame:
    """The synthetic month on Table 1's machines over `shrink`, by policy and day (Figs. 8-10).

    `wait`: mean wait (s) of the jobs that start that day; `queue`: jobs waiting at its end. The same in every row of a policy:
    `mean_wait` (s), and the shares of all jobs that wait `over_1h`, `over_7h`, `over_17h` (%).
    """
    configs, classes, jobs = _month(shrink, seed, load=load)
    found, frames = plan(configs, classes), []
    for policy in SHIPPED:
        follows = {"plan": found} if policy.startswith("lotes") else {"classes": classes}
        run = simulate(policy, configs, jobs, seed=seed, record=False, until=720.0, interval=24.0, **follows)
        days = run.intervals
        frame = pd.DataFrame({"policy": policy, "day": np.arange(len(days)), "wait": 3600 * days["mean_response"]})
        over = {f"over_{hours}h": 100 * run.share_above(hours) for hours in (1, 7, 17)}
        frames.append(frame.assign(queue=days["queue_end"].to_numpy(), mean_wait=3600 * run.mean_response, **over))
    return pd.concat(frames, ignore_index=True)


WAITS = 10.0 ** (np.arange(-5, 45) / 10)
"""Waits (s) at which the hour's distribution of waits is told: ten in each decade."""


def hour(minutes: int, load: float, seed: int) -> pd.DataFrame:
    """The first `minutes` of Alibaba's hour under each policy: `policy, what, at, value`, all jobs run to their end (Figs. 8-10).

    `what` is "wait": mean wait (s) of the jobs that start in minute `at`; "queue": jobs waiting at its end; "above": the share (%)
    of all jobs that wait longer than `at` seconds. The same in every row of a policy: `machines`; `mean_wait` and `p99`, the mean
    and the 99 % quantile of all waits (s); `waited`, the share of jobs that do not start at once (%); `queued`, the share of
    those minutes during which jobs wait (%). Classes are made of the first sixth of the minutes.
    """
    trace = traces.alibaba2018("instances").between(0, 60 * minutes + 1)  # the trace's last jobs come at 3600 s
    configs, classes, jobs = alibaba_hour(trace=trace, load=load, first=FIRST * minutes / 60, seed=seed)
    found, frames = plan(configs, classes), []
    for policy in SHIPPED:
        follows = {"plan": found} if policy.startswith("lotes") else {"classes": classes}
        run = simulate(policy, configs, jobs, seed=seed, record=False, interval=60.0, **follows)
        during, minute = run.intervals[:minutes], np.arange(min(minutes, len(run.intervals)))
        parts = {
            "wait": (minute, during["mean_response"]),
            "queue": (minute, during["queue_end"]),
            "above": (WAITS, [100 * run.share_above(wait) for wait in WAITS]),
        }
        frame = pd.concat([pd.DataFrame({"what": what, "at": at, "value": value}) for what, (at, value) in parts.items()])
        waits = {"mean_wait": run.mean_response, "p99": run.quantile(0.99), "waited": 100 * run.share_above(0)}
        frame = frame.dropna().assign(machines=configs.n_machines, **waits, queued=100 * during["queued"].mean())
        frame.insert(0, "policy", policy)
        frames.append(frame)
    return pd.concat(frames, ignore_index=True)


def classes(minutes: int, features: str, seed: int) -> pd.DataFrame:
    """What each further class gains on the first `minutes` of Alibaba's hour: `class_counts` for k = 1 ... 8, shares in %."""
    trace = traces.alibaba2018("instances").between(0, 60 * minutes)
    table = class_counts(alibaba_instances(trace=trace), 8, day=60.0 * minutes, features=features, seed=seed)
    return table.assign(**{name: 100 * table[name] for name in ("spread", "smallest", "moved")})


def table2_hour(seed: int) -> pd.DataFrame:
    """Table 2 from Alibaba's hour: four classes of its first ten minutes; `share_hour` is that of the whole hour's jobs."""
    found, job_class = cluster_jobs(alibaba_instances(), 4, day=FIRST, seed=seed)
    columns = {"job_class": np.arange(1, 5), "mean_time_h": 1 / found.rate[0] / 3600, "cores": found.demand[:, 0]}
    columns |= {"memory": found.demand[:, 1], "share": found.share, "share_hour": np.bincount(job_class) / len(job_class)}
    return pd.DataFrame(columns)


def always(points=({},)):
    return {"smoke": list(points), "quick": list(points), "paper": list(points)}


FEATURES = ("demand", "demand and duration")
ONE, FIVE = {"smoke": 1, "quick": 1, "paper": 1}, {"smoke": 2, "quick": 5, "paper": 5}


EXPERIMENTS = (
    Experiment("lotes.fig6", "Jobs arriving in each hour of the Google trace", fig6, always(), ONE, missing=no_google_table),
    Experiment("lotes.fig7", "The drifting mix of the synthetic month", fig7, always([{"shrink": 40}]), ONE),
    Experiment(
        "lotes.month", "A synthetic month of Google's cluster", month,
        {
            "smoke": [{"shrink": 400, "load": 0.8}],
            "quick": [{"shrink": 40, "load": 0.8}],
            "paper": [{"shrink": 1, "load": 0.8}],
        },
        FIVE,
    ),
    Experiment(
        "lotes.hour", "An hour of Alibaba's batch jobs", hour,
        {
            "smoke": [{"minutes": 5, "load": 0.8}],
            **dict.fromkeys(("quick", "paper"), [{"minutes": 60, "load": load} for load in (0.8, 0.95)]),
        },
        {"smoke": 1, "quick": 1, "paper": 3},
    ),
    Experiment(
        "lotes.classes", "What each further class gains on Alibaba's hour", classes,
        {
            "smoke": [{"minutes": 1, "features": features} for features in FEATURES],
            **dict.fromkeys(("quick", "paper"), [{"minutes": 10, "features": features} for features in FEATURES]),
        },
        {"smoke": 1, "quick": 1, "paper": 3},
    ),
    Experiment("lotes.table2-hour", "Four classes of Alibaba's hour", table2_hour, always(), ONE),
)  # fmt: skip
