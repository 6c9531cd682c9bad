"""LoTES's experiments on Alibaba's hour: its waits and queues, and the classes that its instances make. Waits are in seconds."""

import numpy as np
import pandas as pd

from schedlib import traces
from schedlib.exhibits.lotes.trace_experiments import ONE, always, each_policy
from schedlib.experiment import Experiment
from schedlib.lotes.workloads.alibaba import FIRST, alibaba_hour, alibaba_instances
from schedlib.lotes.workloads.kmeans import class_counts, cluster_jobs

WAITS = 10.0 ** (np.arange(-10, 45) / 10)
"""Seconds at which the hour's distribution of waits is read: its times are whole and half seconds."""


def hour(minutes: int, load: float, seed: int) -> pd.DataFrame:
    """The first `minutes` of Alibaba's hour under each policy: `policy, measure, x, value`, all jobs run to their end (Figs. 8-10).

    Classes are made of the first sixth of the minutes. Of the measures below those at x = 0 tell of the whole run.

    | measure | x | value |
    |---|---|---|
    | wait | minute | mean wait (s) of the jobs that start that minute; no row when none does |
    | queue | minute | jobs waiting at its end |
    | tail | seconds | share of all jobs that wait longer (%) |
    | mean, p99 | 0 | mean and 99 % quantile of all waits (s) |
    | waited | 0 | share of all jobs that do not start at once (%) |
    | queued | 0 | share of the minutes during which jobs wait (%) |
    | machines | 0 | machines, the same under every policy |
    """
    trace = traces.alibaba2018("instances").between(0, 60 * minutes + 1)  # the trace's last jobs come at 3600 s
    configs, classes, jobs = alibaba_hour(trace=trace, load=load, first=FIRST * minutes / 60, seed=seed)

    def measures(run):
        during = run.intervals[:minutes]
        whole = {"mean": run.mean_response, "p99": run.quantile(0.99), "waited": 100 * run.share_above(0)}
        whole |= {"queued": 100 * during["queued"].mean(), "machines": configs.n_machines}
        return {
            "wait": enumerate(during["mean_response"]),
            "queue": enumerate(during["queue_end"]),
            "tail": ((seconds, 100 * run.share_above(seconds)) for seconds in WAITS),
            **{measure: [(0, value)] for measure, value in whole.items()},
        }

    return each_policy(configs, classes, jobs, measures, seed, interval=60.0).dropna(ignore_index=True)


def classes(minutes: int, features: str, seed: int) -> pd.DataFrame:
    """What each further class gains on the first `minutes` of Alibaba's hour: `class_counts` for k = 1 ... 8, shares in %."""
    trace = traces.alibaba2018("instances").between(0, 60 * minutes)
    table = class_counts(alibaba_instances(trace=trace), 8, day=60.0 * minutes, features=features, seed=seed)
    return table.assign(**{name: 100 * table[name] for name in ("spread", "smallest", "moved")})


def table2_hour(seed: int) -> pd.DataFrame:
    """Table 2 from Alibaba's hour: four classes of its first ten minutes; `share_hour` is that of the whole hour's jobs.

    Demands are fractions of a machine taken as 96 cores (see `alibaba`).
    """
    found, job_class = cluster_jobs(alibaba_instances(), 4, day=FIRST, seed=seed)
    columns = {"job_class": np.arange(1, 5), "mean_time_h": 1 / found.rate[0] / 3600, "cores": found.demand[:, 0]}
    columns |= {"memory": found.demand[:, 1], "share": found.share, "share_hour": np.bincount(job_class) / len(job_class)}
    return pd.DataFrame(columns)


FEATURES = ("demand", "demand and duration")
FEW = {"smoke": 1, "quick": 1, "paper": 3}

EXPERIMENTS = (
    Experiment(
        "lotes.hour", "An hour of Alibaba's batch jobs", hour,
        {
            "smoke": [{"minutes": 5, "load": 0.8}],
            **dict.fromkeys(("quick", "paper"), [{"minutes": 60, "load": load} for load in (0.8, 0.95)]),
        },
        FEW,
    ),
    Experiment(
        "lotes.classes", "What each further class gains on Alibaba's hour", classes,
        {
            "smoke": [{"minutes": 1, "features": features} for features in FEATURES],
            **dict.fromkeys(("quick", "paper"), [{"minutes": 10, "features": features} for features in FEATURES]),
        },
        FEW,
    ),
    Experiment("lotes.table2-hour", "Four classes of Alibaba's hour", table2_hour, always(), ONE),
)  # fmt: skip
