"""LoTES's experiment on planning anew while the system runs, which the paper leaves to future work. Waits are in seconds."""

import time

import numpy as np
import pandas as pd

from schedlib.exhibits.lotes.trace_experiments import FIVE, synthetic_month
from schedlib.experiment import Experiment
from schedlib.lotes.planning.plan import plan
from schedlib.lotes.replan import WAYS, Past, Replan
from schedlib.lotes.simulate import simulate
from schedlib.lotes.workloads.month import BATCH, HOURS, JOBS


def _timed(how, seconds):
    """That way of planning anew, which also notes how long each turn took."""

    def again(past, old):
        began = time.perf_counter()
        found = how(past, old)
        seconds.append(time.perf_counter() - began)
        return found

    return again


def _foresight(jobs, hours):
    """Planning anew from the jobs that come in the next hours, and how long they will run: what no scheduler knows."""
    submit, job_class, duration = jobs.jobs["submit"].to_numpy(), jobs.jobs["class"].to_numpy(), jobs.tasks["duration"].to_numpy()
    demand = jobs.tasks[list(jobs.resources)].to_numpy()

    def again(past, old):
        some = (submit >= past.now) & (submit < past.now + hours)
        start = submit[some]
        return WAYS["estimate"](Past(np.inf, past.now, start, job_class[some], demand[some], start, start + duration[some]), old)

    return again


def replanning(shrink: int, load: float, drift: float, bursts: bool, finest: int, hours: int, seed: int) -> pd.DataFrame:
    """LoTES on the synthetic month with one plan and with plans made anew, by `way` and the hours between plans, `every` (0: never).

    `hours`: 720, or fewer of the month's kind.

    Ways: `tetris`; `fixed`: one plan, `all`: the same, and an exit may start any class; `estimate`, `cluster`: every 24 hours, and
    every 6 if that is `finest`; `foresight`: every 24 hours from the jobs of the next 24. Without `bursts` all hours bring equally
    many jobs, and only the mix drifts. `wait` (s): mean wait of all jobs so far, those included that wait at the end; the same for
    the jobs of classes 1 and 2, `wait_small`, and of the larger two, `wait_large`; `over_1h` (%); `queue`: mean jobs waiting;
    `idle` (%): of all cores while jobs wait; `plans` followed in all; `seconds`: the longest that a new plan took.
    """
    come = {"jobs": JOBS * hours // HOURS, "hours": hours} if bursts else {"arrivals": np.full(hours, (JOBS - BATCH) // HOURS + 1)}
    configs, classes, jobs = synthetic_month(shrink, seed, load=load, drift=drift, **come)
    found = plan(configs, classes)
    runs = [("tetris", 0), ("fixed", 0), ("all", 0), ("foresight", 24)]
    runs += [(how, every) for every in (24, 6) if every >= finest for how in WAYS]
    rows, small = [], jobs.jobs["class"].to_numpy() < 2
    for way, every in runs:
        seconds = [0.0]
        policy, follows = ("tetris", {"classes": classes}) if way == "tetris" else ("lotes", {"plan": found})
        if every:
            how = _foresight(jobs, every) if way == "foresight" else WAYS[way]
            follows["replan"] = Replan(every, how=_timed(how, seconds))
        elif way == "all":
            follows["exit"] = "all"
        run = simulate(policy, configs, jobs, seed=seed, until=hours, interval=24.0, **follows)
        wait = (run.jobs["start"].fillna(hours) - run.jobs["submit"]).to_numpy()
        row = {"way": way, "every": every, "wait": 3600 * wait.mean(), "wait_small": 3600 * wait[small].mean()}
        row |= {"wait_large": 3600 * wait[~small].mean(), "over_1h": 100 * (wait > 1).mean(), "queue": run.mean_queue}
        row |= {"idle": 100 * run.fragmentation[0], "plans": len(run.plans), "seconds": max(seconds)}
        rows.append(row)
    return pd.DataFrame(rows)


REPLANNED = (
    {"load": 0.8, "drift": 0.8, "bursts": True, "finest": 6, "hours": HOURS},
    {"load": 0.95, "drift": 0.8, "bursts": True, "finest": 6, "hours": HOURS},
    {"load": 0.8, "drift": 0.0, "bursts": True, "finest": 24, "hours": HOURS},
    {"load": 0.8, "drift": 1.6, "bursts": True, "finest": 24, "hours": HOURS},
    {"load": 0.95, "drift": 0.8, "bursts": False, "finest": 24, "hours": HOURS},
)

EXPERIMENTS = (
    Experiment(
        "lotes.replan", "Planning anew on a drifting month", replanning,
        {
            "smoke": [{"shrink": 400} | REPLANNED[0] | {"hours": 72}],
            "quick": [{"shrink": 40} | point for point in REPLANNED[:2]],
            "paper": [{"shrink": 4} | point | {"finest": 6} for point in REPLANNED],
        },
        FIVE, ("seconds",),
    ),
)  # fmt: skip
