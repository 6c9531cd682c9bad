"""LoTES's experiments on traces: Google's arrivals, a synthetic month of its cluster. Waits are in seconds, rates in jobs per hour."""

import time

import numpy as np
import pandas as pd

from schedlib import traces
from schedlib.experiment import Experiment
from schedlib.lotes.google import google2011
from schedlib.lotes.model import MachineConfigs
from schedlib.lotes.month import BATCH, HOURS, JOBS, google_month
from schedlib.lotes.plan import plan
from schedlib.lotes.policies import SHIPPED
from schedlib.lotes.replan import WAYS, Past, Replan
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
    fewer = MachineConfigs(configs.capacity, np.maximum(np.round(configs.count / shrink), 1).astype(int))
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
    configs, classes, jobs = _month(shrink, seed, load=load, drift=drift, **come)
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


def always(points=({},)):
    return {"smoke": list(points), "quick": list(points), "paper": list(points)}


ONE, FIVE = {"smoke": 1, "quick": 1, "paper": 1}, {"smoke": 2, "quick": 5, "paper": 5}

REPLANNED = (
    {"load": 0.8, "drift": 0.8, "bursts": True, "finest": 6, "hours": HOURS},
    {"load": 0.95, "drift": 0.8, "bursts": True, "finest": 6, "hours": HOURS},
    {"load": 0.8, "drift": 0.0, "bursts": True, "finest": 24, "hours": HOURS},
    {"load": 0.8, "drift": 1.6, "bursts": True, "finest": 24, "hours": HOURS},
    {"load": 0.95, "drift": 0.8, "bursts": False, "finest": 24, "hours": HOURS},
)


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
        "lotes.replan", "Planning anew on a drifting month", replanning,
        {
            "smoke": [{"shrink": 400} | REPLANNED[0] | {"hours": 72}],
            "quick": [{"shrink": 40} | point for point in REPLANNED],
            "paper": [{"shrink": 4} | point | {"finest": 6} for point in REPLANNED],
        },
        FIVE, ("seconds",),
    ),
)  # fmt: skip
