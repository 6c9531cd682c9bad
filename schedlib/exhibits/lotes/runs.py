"""Runs that several of LoTES's exhibits share: a policy on a random workload, and every policy on a month.

Google's task table may not be shipped. Its job table gives real arrivals where it has been fetched.
"""

from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from schedlib import traces
from schedlib.experiment import scales
from schedlib.lotes.model import JobClasses, MachineConfigs, Plan
from schedlib.lotes.planning.plan import plan
from schedlib.lotes.result import Simulation
from schedlib.lotes.simulate import simulate
from schedlib.lotes.workloads.google import fewer_machines, google2011
from schedlib.lotes.workloads.month import google_month
from schedlib.lotes.workloads.random_instances import RandomInstance
from schedlib.workload import Workload

ONCE: dict[str, Any] = {"points": scales([{}]), "seeds": scales(1)}
"""An experiment without parameters or randomness, the same at every scale."""
POLICIES = ("lotes", "lotes-first", "greedy", "tetris")
"""LoTES in the extended and in the first version, and the two policies that the paper compares it with."""
CONFIGS = 10
"""Machine configurations of a random workload, with equally many machines each."""
SIZE = {
    "smoke": {"machines": 4, "hours": 10.0},
    "quick": {"machines": 50, "hours": 50.0},
    "paper": {"machines": 1000, "hours": 100.0},
}
"""Machines of each configuration and hours of arrivals. The paper's own size is that of the scale `paper`."""
MATCHED: dict[str, Any] = {"sizes": "common", "matched": True, "rounded": True}
"""Options of `random_instance`: one factor for all of a job's sizes, whose mean is as planned; the load
refers to the rate of stage 2 in whole machines."""


def follow(instance: RandomInstance, policy: str, seed: int, plan: Plan | None = None, **more) -> Simulation:
    """A run of a policy on the jobs of a random instance; LoTES follows `plan`, or else the instance's."""
    plan = instance.plan if plan is None else plan
    return simulate(policy, instance.configs, instance.workload, plan=plan, seed=seed, record=False, **more)


def outcome(run: Simulation, instance: RandomInstance) -> dict:
    """The waits of a run (s) and what shows whether its queue grew.

    `wait`, `p99`: mean and 99 % quantile over started jobs; `arrived`: jobs; `waiting`: jobs queued at the
    end; `slope`: growth of the queue in jobs per hour, per job that arrives in an hour; `stable`:
    `Simulation.stable`.
    """
    row = {"wait": 3600 * run.mean_response, "p99": 3600 * run.quantile(0.99), "arrived": run.arrived}
    return row | {"waiting": run.waiting, "slope": run.slope / instance.workload.rate, "stable": run.stable}


def no_google_table() -> str:
    """What to do when Google's job table is not here, and "" when it is."""
    if traces.google2011_folder() is None:
        why = "Google's job table is not here and may not be shipped; "
        return f"{why}fetch it with: python -m schedlib data google2011"
    return ""


def google_files(point: Mapping) -> list[Path]:
    """The files of Google's job table that are here, on which results of any point depend."""
    folder = traces.google2011_folder()
    return sorted(folder.glob("*.csv.gz")) if folder else []


def google_counts() -> tuple[int, np.ndarray]:
    """The jobs of Google's table that were there before the trace began, and those of each hour (697,).

    The former have timestamp 0, from which the hours count. The trace begins at 600 s and lasts 29 days: its
    first and last hours are not whole.
    """
    submit = traces.google2011_jobs(traces.google2011_folder() or "").jobs["submit"].to_numpy()
    return int((submit == 0).sum()), np.bincount((submit[submit > 0] // 3600).astype(int))


def synthetic_month(shrink: int, seed: int, **options) -> tuple[MachineConfigs, JobClasses, Workload]:
    """Table 1's machines, `shrink` times fewer, with the classes and jobs of a `google_month` on them."""
    configs, classes = google2011()
    fewer = fewer_machines(configs, shrink)
    return fewer, *google_month(fewer, classes, seed=seed, **options)


def class_table(classes: JobClasses, mean_time_h: np.ndarray) -> pd.DataFrame:
    """Classes as in the paper's Table 2: `job_class` from 1, the given mean times (h), demands and shares."""
    cores, memory = classes.demand.T
    return pd.DataFrame({"job_class": np.arange(1, len(cores) + 1), "mean_time_h": mean_time_h,
                         "cores": cores, "memory": memory, "share": classes.share})


Measures = Callable[[Simulation], Mapping[str, Iterable[tuple[float, float]]]]


def each_policy(configs: MachineConfigs, classes: JobClasses, jobs: Workload, measures: Measures, seed: int,
                **options) -> pd.DataFrame:
    """Every policy on the same jobs: `policy, measure, x, value`; `measures` gives a run's (x, value)."""
    made, rows = plan(configs, classes), []
    for policy in POLICIES:
        run = simulate(policy, configs, jobs, plan=made, seed=seed, record=False, **options)
        for measure, series in measures(run).items():
            rows += [(policy, measure, float(x), float(value)) for x, value in series]
    return pd.DataFrame(rows, columns=["policy", "measure", "x", "value"])
