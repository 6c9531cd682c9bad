"""The open points of LoTES's text: every reading of every policy on the same jobs (waits in seconds); how many
machines an arriving job asks for their state under each policy (Section 5.2); and planning again while the
system runs, which the paper leaves to future work (Sections 5.3.3 and 6).
"""

import time
from functools import partial
from typing import Any

import numpy as np
from pandas import DataFrame

from reproduce.exhibits import as_key, only
from reproduce.exhibits.lotes import runs
from reproduce.exhibits.lotes.fig11_13_random import drawn, under
from reproduce.figure import Figure
from schedlib import lotes
from schedlib.lotes.replan import WAYS
from schedlib.lotes.workloads.month import BATCH, HOURS, JOBS, ArrivalModel
from schedlib.sweeps import Experiment, grid, scales

PLACE = 5.34
READINGS: dict[str, dict[str, dict[str, Any]]] = {
    "lotes": {
        "as printed": {},
        "classes with Delta = 0 on exit too": {"exit": "all"},
        "no fall-back": {"fallback": False},
        "wheel by served rate": {"wheel": "rate"},
        "1 machine sampled": {"sampled": 1},
        "10 machines sampled": {"sampled": 10},
    },
    "lotes-first": {"as printed": {}},
    "greedy": {"as printed": {}, "past those who wait": {"bypass": True}},
    "tetris": {
        "as printed": {},
        "gamma in seconds": {"gamma_unit": "s"},
        "work weighs 1/10": {"work": 0.1},
        "work weighs 10": {"work": 10.0},
        "packing alone": {"work": 0.0},
        "work alone": {"packing": 0.0},
    },
}
"""The readings of each policy, ours first, then others, as options of `simulate`."""


def _instance(phi, omega, load, sizes, machines, hours, seed):
    """A random instance with job sizes of a law as in `fig11_13_random.under`."""
    made = lotes.random_instance(
        phi, omega=omega, load=load, machines=machines, hours=hours, seed=seed, rounded=True
    )
    return under(made, sizes)


def variants(
    phi: float,
    omega: float,
    load: float,
    sizes: str,
    rivals: bool,
    machines: int,
    hours: float,
    seed: int,
) -> DataFrame:
    """Every reading of every policy on the same jobs: `policy`, `reading`, those of `outcome`.

    Without `rivals` only LoTES as printed, with its other exit and with its other wheel.
    """
    instance = _instance(phi, omega, load, sizes, machines, hours, drawn(seed))
    cases = [
        ({"policy": policy, "reading": reading}, instance, policy, options)
        for policy in (READINGS if rivals else ("lotes",))
        for reading, options in READINGS[policy].items()
        if rivals or options.keys() <= {"exit", "wheel"}
    ]
    return runs.compared(cases, seed).drop(columns="arrived")


def overhead(
    load: float, phi: float, sizes: str, machines: int, hours: float, seed: int
) -> DataFrame:
    """The share of all machines (%) that an arriving job asks for their state: `policy, sampled, looked`.

    `sampled`: machines of a configuration that LoTES asks, 0 for all.
    """
    instance = _instance(phi, 0.0, load, sizes, machines, hours, seed)
    cases: list[runs.Case] = [
        ({"policy": policy, "sampled": 0}, instance, policy, {}) for policy in runs.POLICIES
    ]
    cases.append(({"policy": "lotes", "sampled": 10}, instance, "lotes", {"sampled": 10}))
    return runs.compared(
        cases,
        seed,
        lambda run, instance: {"looked": 100 * run.looked / instance.configs.n_machines},
    )


def _timed(way, seconds):
    """That way of planning again, which also notes in the list `seconds` how long each new plan took."""

    def again(past, old):
        began = time.perf_counter()
        made = way(past, old)
        seconds.append(time.perf_counter() - began)
        return made

    return again


def _foresight(jobs, hours):
    """Planning again from the jobs that come in the next hours and their durations, which no scheduler knows."""
    submit, job_class = jobs.jobs["submit"].to_numpy(), jobs.jobs["class"].to_numpy()
    duration, demand = (
        jobs.tasks["duration"].to_numpy(),
        jobs.tasks[list(jobs.resources)].to_numpy(),
    )

    def again(past, old):
        coming = (submit >= past.now) & (submit < past.now + hours)
        start, finish = submit[coming], submit[coming] + duration[coming]
        known = lotes.Past(
            now=np.inf,
            since=past.now,
            submit=start,
            job_class=job_class[coming],
            demand=demand[coming],
            start=start,
            finish=finish,
        )
        return WAYS["estimate"](known, old)

    return again


def replanning(
    thin: int, load: float, drift: float, bursts: bool, finest: int, hours: int, seed: int
) -> DataFrame:
    """LoTES on the model of Google's month with one plan and with plans made again, by `way` and by `every`.

    `every`: hours between plans, 0 when one plan is kept. `hours`: how many are run.
    Without `bursts` all hours bring equally many jobs, and only the mix drifts.

    Ways: `tetris`; `fixed`: one plan; `all`: the same, and an exit may start any class; `estimate`,
    `cluster`: every 24 hours, and every 6 if that is `finest`; `foresight`: every 24 hours from the jobs of
    the next 24.

    Measures: `wait` (s): mean wait of all jobs so far, those included that wait at the end; `wait_small`,
    `wait_large`: the same for the jobs of classes 1 and 2 and for the others; `over_1h`: jobs that wait over
    an hour (%); `queue`: mean jobs waiting; `idle`: share of all cores that is idle while jobs wait (%);
    `plans` followed in all; `seconds`: the longest that a new plan took.
    """
    even = {} if bursts else {"arrivals": ArrivalModel((JOBS - BATCH) / HOURS, 0.0, 1.0)}
    configs, classes, jobs = runs.month(
        seed, thin=thin, load=load, drift=drift, hours=hours, **even
    )
    first = lotes.plan(configs, classes)
    ways = [("tetris", 0), ("fixed", 0), ("all", 0), ("foresight", 24)]
    ways += [(way, every) for every in (24, 6) if every >= finest for way in WAYS]
    rows, small = [], jobs.jobs["class"].to_numpy() < 2
    for way, every in ways:
        seconds = [0.0]
        options: dict[str, Any] = {"exit": "all"} if way == "all" else {}
        if every:
            renew = _foresight(jobs, every) if way == "foresight" else WAYS[way]
            options["replan"] = lotes.Replan(every, how=_timed(renew, seconds))
        run = lotes.simulate(
            "tetris" if way == "tetris" else "lotes",
            configs,
            jobs,
            plan=first,
            seed=seed,
            until=hours,
            interval=24.0,
            **options,
        )
        wait = (run.jobs["start"].fillna(hours) - run.jobs["submit"]).to_numpy()  # type: ignore[index]
        rows.append(
            {
                "way": way,
                "every": every,
                "wait": 3600 * wait.mean(),
                "wait_small": 3600 * wait[small].mean(),
                "wait_large": 3600 * wait[~small].mean(),
                "over_1h": 100 * (wait > 1).mean(),
                "queue": run.mean_queue,
                "idle": 100 * run.fragmentation[0],
                "plans": len(run.plans),
                "seconds": max(seconds),
            }
        )
    return DataFrame(rows)


def _point(thin, load, drift=0.8, bursts=True, hours=HOURS):
    return {
        "thin": thin,
        "load": load,
        "drift": drift,
        "bursts": bursts,
        "finest": 6,
        "hours": hours,
    }


SIZES = ["independent-limit", "common-matched-limit"]
"""The text's reading, and one factor for a job's sizes, with the mean as planned: see `under`."""
EXPERIMENTS = (
    Experiment(
        "lotes.variants",
        "Every reading of every policy",
        variants,
        runs.sized(
            grid(omega=[0.0], rivals=[True], phi=[0.006], load=[0.97], sizes=SIZES)
            + grid(omega=[0.1, 0.2], rivals=[False], phi=[0.006], load=[0.97], sizes=SIZES),
            hours=(10.0, 12.0, 12.0),
            machines=(4, 50, 50),
        ),
        scales(2, (5, 8), 5),
    ),
    Experiment(
        "lotes.overhead",
        "How many machines an arrival asks",
        overhead,
        runs.sized(
            grid(load=[0.3, 0.6, 0.8, 0.9, 0.95, 0.97], phi=[0.006], sizes=SIZES[:1]), **runs.SOME
        ),
        scales(1, (3, 10), 3),
    ),
    Experiment(
        "lotes.replan",
        "Planning again on a drifting month",
        replanning,
        scales(
            [_point(4, 0.8, hours=72)],
            [_point(4, 0.8, hours=168)],
            [
                _point(2, 0.8),
                _point(2, 0.95),
                _point(2, 0.8, 0.0),
                _point(2, 0.8, 1.6),
                _point(2, 0.95, bursts=False),
            ],
        ),
        scales(2, (3, 10), 1),
        timing=("seconds",),
    ),
)


FIGURES = (
    Figure(
        "lotes.variants",
        "lotes.variants",
        None,
        lambda frame: (
            "Mean waits (s) under every reading of the paper's text, on the same jobs: Phi = 0.006, load 0.97, "
            f"{runs.CONFIGS * frame['machines'].iloc[0]:,} machines, {frame['hours'].iloc[0]:g} hours. The first "
            "reading of each policy is ours. Where machines differ (Omega above 0), only LoTES's exits and "
            "roulette wheel are varied. A reading has two rows where the queue grew in some instances."
        ),
        "Table of waits by policy, reading and Omega.",
        partial(only, sizes=SIZES[0]),
    ),
    Figure(
        "lotes.overhead",
        "lotes.overhead",
        None,
        "How many machines an arriving job asks for their state (%), as the paper describes the policies. LoTES asks "
        "every machine of the configurations that it tries, or as many of each as are sampled. Greedy asks one "
        "after the other until one has room. Tetris asks all.",
        "Table of the machines asked for an arrival by load and policy.",
        part=as_key("sampled"),
        heads={"looked": "machines asked (%)", "sampled": "machines sampled (0: all)"},
    ),
    Figure(
        "lotes.replan",
        "lotes.replan",
        None,
        lambda frame: (
            "Mean waits (s) when the plan is made again, on the model of Google's month with a drifting mix: of all "
            "jobs, of classes 1 and 2, and of the others. A row says what the new plan is made from and how often "
            f"(every 0: once). One job in {frame['thin'].iloc[0]}. The paper leaves this to future work."
        ),
        "Table of waits, queues and idle cores by way of planning and hours between plans.",
        part=as_key("every"),
        heads={
            "every": "every (h)",
            "over_1h": "wait over 1 h (%)",
            "idle": "cores idle while jobs wait (%)",
            "queue": "mean queue (jobs)",
        },
    ),
)
