"""Runs that several of LoTES's exhibits share, and their rows.

Google's task table is not shipped. Its job table gives real arrivals where it has been fetched.
"""

import warnings
from collections.abc import Callable, Iterable, Mapping
from functools import cache
from pathlib import Path
from typing import Any

from pandas import DataFrame

from reproduce.exhibits import lacking
from schedlib import lotes, traces
from schedlib.sweeps import scales
from schedlib.workload import Workload

ONCE: dict[str, Any] = {"points": scales([{}]), "seeds": scales(1)}
"""An experiment without parameters or randomness, the same at every scale."""
POLICIES = ("lotes", "greedy", "tetris")
"""LoTES in the extended version, and the two policies that the paper compares it with."""
CONFIGS = 10
"""Machine configurations of a random workload, with equally many machines each."""

Case = tuple[dict, lotes.RandomInstance, str, dict[str, Any]]
"""Of a run its name, the instance, the policy and options."""
SOME: dict[str, Any] = {"machines": (4, 50, 50), "hours": (10.0, 8.0, 8.0)}
"""For `sized`, of what the paper did not run itself: it has no size of the paper's own."""


def sized(
    *points: list[dict],
    hours: tuple[float, ...] = (10.0, 8.0, 25.0),
    machines: tuple[int, ...] = (4, 50, 1000),
) -> dict[str, list[dict]]:
    """The points of each scale, or the same of all, with its `machines` of each configuration and its `hours`
    of arrivals. `paper` has the paper's machines, and 25 of its 100 hours: 10 million jobs a run."""
    sizes = zip(machines, hours, strict=True)
    return {
        scale: [point | {"machines": machines, "hours": length} for point in some]
        for (scale, some), (machines, length) in zip(scales(*points).items(), sizes, strict=True)
    }


def follow(instance: lotes.RandomInstance, policy: str, seed: int, **options) -> lotes.Simulation:
    """A run of a policy on the jobs of a random instance; LoTES follows the instance's plan.

    Loads that stage 2 does not sustain pass without a warning: exhibits show what they do.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return lotes.simulate(
            policy,
            instance.configs,
            instance.workload,
            plan=instance.plan,
            seed=seed,
            record=False,
            **options,
        )


def outcome(run: lotes.Simulation, instance: lotes.RandomInstance) -> dict:
    """`wait`, `p99`: mean and 99 % quantile over all jobs (s); jobs `arrived`, and `waiting` at the end;
    `slope`: growth of the queue in jobs per hour, per job that arrives in an hour; `stable`: the run's."""
    return {
        "wait": 3600 * run.mean_wait,
        "p99": 3600 * run.quantile(0.99),
        "arrived": run.arrived,
        "waiting": run.waiting,
        "slope": run.slope / instance.workload.rate,
        "stable": run.stable,
    }


def compared(cases: Iterable[Case], seed: int, measures: Callable = outcome) -> DataFrame:
    """A row for each case: its name, and what its run measures."""
    return DataFrame(
        [
            named | measures(follow(instance, policy, seed, **options), instance)
            for named, instance, policy, options in cases
        ]
    )


def no_google_table() -> str:
    """How to fetch Google's job table where it is not here; "" where it is."""
    return lacking(
        traces.google2011_folder(),
        "Google's job table is not shipped, and not here; fetch it with",
        "google2011",
    )


def google_files(point: Mapping) -> list[Path]:
    """The files of Google's job table that are here, on which results of any point depend."""
    folder = traces.google2011_folder()
    return sorted(folder.glob("*.csv.gz")) if folder else []


@cache
def google_times() -> DataFrame:
    """When the jobs of Google's table come and how long they run, read once in each process."""
    return lotes.google_times(traces.google2011_jobs(traces.google2011_folder() or "").jobs)


def month(seed: int, **options) -> tuple[lotes.MachineConfigs, lotes.JobClasses, Workload]:
    """The machines, classes and jobs of a `google_month` on Table 1's machines, in proportion."""
    return lotes.google_month(*lotes.google2011(), seed=seed, **options)


def each_policy(
    configs: lotes.MachineConfigs,
    classes: lotes.JobClasses,
    jobs: Workload,
    measures: Callable,
    seed: int,
    record: bool = False,
    **options,
) -> DataFrame:
    """Every policy on the same jobs: `policy, measure, x, value`; `measures` gives a run's (x, value)."""
    made, rows = lotes.plan(configs, classes), []
    for policy in POLICIES:
        run = lotes.simulate(policy, configs, jobs, plan=made, seed=seed, record=record, **options)
        for name, series in measures(run).items():
            rows += [(policy, name, float(x), float(value)) for x, value in series]
    return DataFrame(rows, columns=["policy", "measure", "x", "value"]).dropna(ignore_index=True)
