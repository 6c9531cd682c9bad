"""Runs that several of LoTES's exhibits share, their measures of waits and queues per seed, and its claims'
maker.

Google's task table may not be shipped. Its job table gives real arrivals where it has been fetched.
"""

from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from schedlib import lotes, traces
from schedlib.exhibits import measure
from schedlib.experiment import claim_maker, scales
from schedlib.workload import Workload

ONCE: dict[str, Any] = {"points": scales([{}]), "seeds": scales(1)}
"""An experiment without parameters or randomness, the same at every scale."""
POLICIES = ("lotes", "lotes-first", "greedy", "tetris")
"""LoTES in the extended and in the first version, and the two policies that the paper compares it with."""
CONFIGS = 10
"""Machine configurations of a random workload, with equally many machines each."""
SIZE = {"smoke": {"machines": 4, "hours": 10.0}, "quick": {"machines": 50, "hours": 8.0},
        "paper": {"machines": 1000, "hours": 100.0}}
"""Machines of each configuration and hours of arrivals. The paper's own size is that of the scale `paper`."""
SHORTEST = 1e-4
"""Seconds below which mean waits count as equal, and are drawn as none."""
DECADES = {"metric": "log10 of the ratio of mean waits", "unit": "decades"}

claim = claim_maker("lotes", check="order")


def matched_instance(phi: float, load: float, machines: int, hours: float, seed: int) -> lotes.RandomInstance:
    """One factor for a job's sizes, its mean as planned; `load` is of stage 2's rate in whole machines."""
    return lotes.random_instance(phi, load=load, machines=machines, hours=hours, seed=seed, sizes="common",
                                 matched=True, rounded=True)


def follow(instance: lotes.RandomInstance, policy: str, seed: int, plan: lotes.Plan | None = None,
           **more) -> lotes.Simulation:
    """A run of a policy on the jobs of a random instance; LoTES follows `plan`, or else the instance's."""
    return lotes.simulate(policy, instance.configs, instance.workload, plan=plan or instance.plan, seed=seed,
                          record=False, **more)


def outcome(run: lotes.Simulation, instance: lotes.RandomInstance) -> dict:
    """The waits of a run (s) and what shows whether its queue grew.

    `wait`, `p99`: mean and 99 % quantile over all jobs; `arrived`: jobs; `waiting`: jobs queued at the end;
    `slope`: growth of the queue in jobs per hour, per job that arrives in an hour; `stable`:
    `Simulation.stable`.
    """
    return {"wait": 3600 * run.mean_wait, "p99": 3600 * run.quantile(0.99), "arrived": run.arrived,
            "waiting": run.waiting, "slope": run.slope / instance.workload.rate, "stable": run.stable}


def no_google_table() -> str:
    """What to do when Google's job table is not here, and "" when it is."""
    lacking = ("Google's job table is not here and may not be shipped; fetch it with: "
               "python -m schedlib data google2011")
    return lacking if traces.google2011_folder() is None else ""


def google_files(point: Mapping) -> list[Path]:
    """The files of Google's job table that are here, on which results of any point depend."""
    folder = traces.google2011_folder()
    return sorted(folder.glob("*.csv.gz")) if folder else []


@cache
def google_times() -> pd.DataFrame:
    """When the jobs of Google's table come and how long they run, read once in each process."""
    return lotes.google_times(traces.google2011_jobs(traces.google2011_folder() or "").jobs)


def month(seed: int, **options) -> tuple[lotes.MachineConfigs, lotes.JobClasses, Workload]:
    """The machines, classes and jobs of a `google_month` on Table 1's machines, in proportion."""
    return lotes.google_month(*lotes.google2011(), seed=seed, **options)


def class_table(classes: lotes.JobClasses, mean_time_h: np.ndarray) -> pd.DataFrame:
    """Classes as in the paper's Table 2: `job_class` from 1, the given mean times (h), demands and shares."""
    cores, memory = classes.demand.T
    return pd.DataFrame({"job_class": np.arange(1, len(cores) + 1), "mean_time_h": mean_time_h,
                         "cores": cores, "memory": memory, "share": classes.share})


def each_policy(configs: lotes.MachineConfigs, classes: lotes.JobClasses, jobs: Workload, measures: Callable,
                seed: int, **options) -> pd.DataFrame:
    """Every policy on the same jobs: `policy, measure, x, value`; `measures` gives a run's (x, value)."""
    made, rows = lotes.plan(configs, classes), []
    for policy in POLICIES:
        run = lotes.simulate(policy, configs, jobs, plan=made, seed=seed, record=False, **options)
        for name, series in measures(run).items():
            rows += [(policy, name, float(x), float(value)) for x, value in series]
    return pd.DataFrame(rows, columns=["policy", "measure", "x", "value"])


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
