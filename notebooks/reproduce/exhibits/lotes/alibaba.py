"""LoTES on Alibaba's traces, whose demands and durations are real: Figs. 8-10 on an hour of batch jobs."""

from functools import partial

import numpy as np
from pandas import DataFrame

from reproduce.exhibits import only
from reproduce.exhibits.lotes import drawing, runs
from reproduce.exhibits.lotes.drawing import FIGURES_8_TO_10
from reproduce.figure import Figure
from schedlib import lotes, traces
from schedlib.lotes.workloads.alibaba import FIRST
from schedlib.plots.alt import alt
from schedlib.sweeps import Experiment, grid, scales

PLACE = 5.33
WAITS = 10.0 ** (np.arange(-10, 45) / 10)
"""Seconds at which the distribution of waits is read. The trace's own times are whole and half seconds."""


def hour(minutes: int, load: float, seed: int) -> DataFrame:
    """The first `minutes` of Alibaba's hour under each policy: `policy, measure, x, value`.

    The run ends with the last job. Classes are made of the first sixth of the minutes. The measures at x = 0
    concern the whole run.

    | measure | x | value |
    |---|---|---|
    | wait | minute | mean wait (s) of the jobs that start that minute; no row when none does |
    | queue | minute | jobs waiting at its end |
    | tail | seconds | share of all jobs that wait longer (%) |
    | mean, p99 | 0 | mean and 99 % quantile of all waits (s) |
    | machines | 0 | machines, the same under every policy |
    """
    # the last jobs come at 3600 s
    trace = traces.alibaba2018("instances").between(0, 60 * minutes + 1)
    problem = lotes.alibaba_hour(trace=trace, load=load, first=FIRST * minutes / 60, seed=seed)

    def measures(run):
        during = run.intervals[:minutes]
        return {
            "wait": enumerate(during["mean_wait"]),
            "queue": enumerate(during["queue_end"]),
            "tail": ((seconds, 100 * run.share_above(seconds)) for seconds in WAITS),
            "mean": [(0, run.mean_wait_started)],
            "p99": [(0, run.quantile(0.99))],
            "machines": [(0, problem[0].n_machines)],
        }

    return runs.each_policy(*problem, measures, seed, interval=60.0)


def classes(minutes: int, features: str, seed: int) -> DataFrame:
    """The gain of each further class on the first `minutes` of Alibaba's hour: `class_counts`, shares in %."""
    instances = lotes.alibaba_instances(
        trace=traces.alibaba2018("instances").between(0, 60 * minutes)
    )
    table = lotes.class_counts(instances, 8, day=60.0 * minutes, features=features, seed=seed)
    return table.assign(**{name: 100 * table[name] for name in ("spread", "smallest", "moved")})


FEATURES = ("demand", "demand and duration")
EXPERIMENTS = (
    Experiment(
        "lotes.hour",
        "An hour of Alibaba's batch jobs",
        hour,
        scales(
            *(
                grid(minutes=[minutes], load=loads)
                for minutes, loads in ((5, [0.8]), (60, [0.8]), (60, [0.8, 0.95]))
            )
        ),
        scales(1),
    ),
    Experiment(
        "lotes.classes",
        "What each further class gains on Alibaba's hour",
        classes,
        scales(*(grid(minutes=[minutes], features=FEATURES) for minutes in (1, 10))),
        scales(1),
    ),
)


def _caption(frame, number):
    title = FIGURES_8_TO_10[number][-1].format(unit="minute")
    machines = only(frame, measure="machines").groupby("load")["value"].median()
    sizes = " and ".join(
        f"{count:,.0f} machines (load {load:g})" for load, count in machines.items()
    )
    return (
        f"{title}, in {frame['minutes'].iloc[0]} minutes of Alibaba's batch instances on {sizes}. The "
        "machines are Google's configurations in proportion, the largest with 96 cores. All instances of "
        f"a job arrive with it. The paper's Fig. {number} has Google's "
        "month. Data: Alibaba, cluster-trace-v2018."
    )


FIGURES = (
    *(
        Figure(
            f"lotes.hour{number}",
            "lotes.hour",
            partial(drawing.plot_over_time, number=number, unit="minute"),
            partial(_caption, number=number),
            alt(
                "Charts of Alibaba's hour by policy. Median over seeds of the mean wait (s) against the load",
                "value",
                ["policy"],
                "load",
                of=partial(only, measure="mean"),
                average="median",
            ),
        )
        for number in FIGURES_8_TO_10
    ),
    Figure(
        "lotes.classes",
        "lotes.classes",
        None,
        lambda frame: (
            f"What each further class gains on the first {frame['minutes'].iloc[0]} min of Alibaba's hour: the "
            "variance left within classes, the share of jobs in the smallest, and the share that change their "
            "class (%). The two versions of the paper say that on Google's trace a fifth class takes less than "
            "1 and 0.01 % of the jobs. Data: Alibaba, cluster-trace-v2018."
        ),
        "Table of the variance left and the jobs that move, by the number of classes and what is clustered.",
    ),
)
