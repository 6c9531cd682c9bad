"""Figs. 6-10 of LoTES: a month of Google's cluster, its jobs per hour and their mix, waits (in seconds) and queues.

The paper does not print its load. Three choices beside it are ours: how many machines there are, whether jobs
that never end count, and how much sizes vary within a class. `worlds` maps what holds under which of them.
The jobs are those of a model fitted to Google's job table, and the table's own where it is here.
"""

from functools import lru_cache, partial
from typing import Any

import numpy as np
from pandas import DataFrame, concat, crosstab

from reproduce.exhibits import only
from reproduce.exhibits.lotes import drawing, runs
from reproduce.figure import Figure
from schedlib import lotes
from schedlib.core import streams
from schedlib.lotes.workloads.month import BATCH, GOOGLE_ARRIVALS, HOURS, JOBS, machines_for
from schedlib.plots import style
from schedlib.plots.alt import alt
from schedlib.sweeps import Experiment, grid, scales

PLACE = 5.33
TAIL = np.unique(np.concatenate((10.0 ** np.arange(-3, 6.01, 0.5), 3600.0 * np.array([1, 7, 17]))))
"""Seconds at which the distribution of waits is read."""


def _hourly(source, counts):
    jobs = np.concatenate(([BATCH], counts))
    return DataFrame({"source": source, "hour": np.arange(-1, len(counts)), "jobs": jobs})


def fig6(seed: int) -> DataFrame:
    """Jobs submitted in each hour of Google's trace and in a draw of the fitted model: `source, hour, jobs`.

    Hour -1 has the batch from before.
    """
    (random,) = streams(seed, "month arrivals")
    model = _hourly("model", GOOGLE_ARRIVALS.draw(HOURS, JOBS - BATCH, random))
    submit = runs.google_times()["submit"]
    google = _hourly("Google", np.bincount(submit[submit > 0].astype(int), minlength=HOURS))
    return concat([google, model], ignore_index=True)


def fig7(seed: int) -> DataFrame:
    """The share of each class among the jobs of each day, when the mix drifts: `day, job_class, share`."""
    jobs = runs.month(seed, drift=0.8)[2].jobs
    day, job_class = (jobs["submit"] // 24).astype(int), jobs["class"].astype(int) + 1
    shares = crosstab(day.rename("day"), job_class.rename("job_class"), normalize="index")
    return shares.reset_index().melt("day", value_name="share")


def month(
    google: bool, thin: int, times: float, ended: bool, sizes: str, load: float, seed: int
) -> DataFrame:
    """Every policy on the month of a `thin`-th of the jobs, or `times` as many: `policy, measure, x, value, machines,
    lasts`.

    `google`: the jobs of Google's table, else of the model. `ended`: without the jobs that never end. `sizes`: a
    law, "fixed" for jobs as large as their class's mean. `machines`: how many take the mean `load` of their
    cores; `lasts`: how long jobs run on average (h).

    | measure | x | value |
    |---|---|---|
    | wait | day | mean wait (s) of the jobs that start that day; no row when none does |
    | queue | day | jobs waiting at its end |
    | tail | seconds | share of all jobs that wait longer (%) |
    | mean | 0 | mean wait (s) of all jobs |
    | waited | 0 | mean wait (s) of those that wait at all |
    | part | class | its part of all waiting (%); no row when nobody waits |
    """

    def measures(run):
        waits = 3600 * (run.jobs["start"].fillna(run.time) - run.jobs["submit"])
        by_class = waits.groupby(run.jobs["class"] + 1).sum()
        return {
            "wait": enumerate(3600 * run.intervals["mean_wait"]),
            "queue": enumerate(run.intervals["queue_end"]),
            "tail": ((seconds, 100 * run.share_above(seconds / 3600)) for seconds in TAIL),
            "mean": [(0, waits.mean())],
            "waited": [(0, waits[waits > 0].mean())],
            "part": (100 * by_class / by_class.sum()).items(),
        }

    classes, jobs = _month_jobs(google, thin / times, ended, sizes, seed)
    configs = machines_for(lotes.google2011()[0], jobs, load)
    frame = runs.each_policy(
        configs, classes, jobs, measures, seed, record=True, until=float(HOURS), interval=24.0
    )
    return frame.assign(machines=configs.n_machines, lasts=jobs.tasks["duration"].mean().round(4))


@lru_cache(maxsize=2)
def _month_jobs(google, thin, ended, sizes, seed):
    """The classes and jobs of a month, the same at every load; those of two settings are kept."""
    times = runs.google_times() if google else None
    return runs.month(seed, thin=thin, ended=ended, sizes=sizes, times=times)[1:]


ALL = (0.7, 0.8, 0.84, 0.86, 0.9, 0.95)
"""Loads with all jobs: near the knee in steps of a few machines, where a policy's waits rise a thousandfold."""
ENDED = (0.64, 0.66)
"""Loads with the jobs that end: their knee is lower, since the load wanders more."""
LAW = "independent"
GOOGLE: dict[str, Any] = {"missing": runs.no_google_table, "data_files": runs.google_files}


def _months(google, thin, times, ended, sizes, load):
    return grid(google=[google], thin=[thin], times=times, ended=[ended], sizes=[sizes], load=load)


def _points(google, thin, few, every=1):
    """The points of a map: a `thin`-th of all jobs, and a `few`-th of the table without those that never end."""
    return (
        _months(google, thin, [1], False, LAW, ALL[::every])
        + _months(google, few, [1], True, LAW, ENDED)
        + _months(google, thin, [1], False, "fixed", ALL[3:5])
    )


# Points with the jobs that end which no verdict of the model needs. A run has three times the jobs of one with all
# jobs on as many machines.
def _more(google):
    return [
        *_months(google, 1, [1], True, LAW, [0.62]),
        *_months(google, 1, [1], True, "fixed", [0.66]),
    ]


def _sizes(thin, *times):
    """All jobs at a load where both ratios of the paper's conclusion hold, on more and more machines."""
    return _months(False, thin, times, False, LAW, ALL[4:5])


EXPERIMENTS = (
    Experiment(
        "lotes.fig6", "Jobs arriving in each hour of the Google trace", fig6, **runs.ONCE, **GOOGLE
    ),
    Experiment("lotes.fig7", "A drifting mix", fig7, **runs.ONCE),
    Experiment(
        "lotes.month",
        "The model of Google's month",
        month,
        scales(
            _points(False, 12, 9, every=2),
            _points(False, 3, 1),
            _points(False, 1, 1)
            + _more(False)
            + _months(False, 1, [10], False, LAW, ALL[4:5])
            + _months(False, 1, [10], True, LAW, ENDED[:1]),
        ),
        # 24 where a run takes about a second, 5 where one with ten times the jobs takes half a minute. At some load a
        # sentence is always in doubt, so more than one look would cost and never stop early.
        scales(1, 24, 5),
    ),
    Experiment(
        "lotes.month-sizes",
        "The month on more machines, up to as many as Google's",
        month,
        scales(_sizes(3, 1, 3), paper=_sizes(1, 1, 10, 38.54)),
        scales(1),
    ),
    Experiment(
        "lotes.month-google",
        "The month of Google's table",
        month,
        scales(
            _points(True, 12, 9, every=2),
            _points(True, 3, 1) + _more(True),
            _points(True, 1, 1) + _more(True),
        ),
        scales(1, 10, 5),
        **GOOGLE,
    ),
)
SOURCES = {"Google": "Google's trace", "model": "fitted model, one draw"}


def plot_fig6(frame: DataFrame):
    """Jobs arriving in each hour of the month (Fig. 6), a panel for each source."""
    figure, axes = style.subplots(2, size=(8.0, 6.0), sharex=True, sharey=True)
    for ax, (source, title), color in zip(axes, SOURCES.items(), style.PALETTE, strict=False):
        during = only(frame[frame["hour"] >= 0], source=source)
        ax.plot(during["hour"] / 24, during["jobs"], color=color, linewidth=0.9)
        ax.set(title=title, ylabel="jobs arriving in the hour", ylim=(0, None), xlim=(0, 29.1))
    axes[-1].set_xlabel("time (days)")
    return figure


def plot_fig7(frame: DataFrame):
    """The share of each class among the jobs of each day."""
    figure, ax = style.subplots(size=(7.0, 3.6))
    classes = zip(frame.groupby("job_class"), ("-", "--", "-.", ":"), style.PALETTE, strict=False)
    for (job_class, rows), line, colour in classes:
        ax.plot(rows["day"], rows["share"], line, color=colour, label=f"class {job_class}")
    ax.set(xlabel="time (days)", ylabel="share of the day's jobs", ylim=(0, 1))
    ax.legend(ncols=4)
    return figure


def _caption_fig6(frame):
    google = only(frame, source="Google")
    before = google.loc[google["hour"] < 0, "jobs"].sum()
    return (
        f"Jobs arriving in each hour of Google's clusterdata-2011-2 (CC-BY 4.0), {google['jobs'].sum():,} "
        f"in all (the paper's Fig. 6); {before:,} were there before the trace began and are not drawn. "
        "Below: one draw from a log-normal autoregressive model of order 1 with cycles of a week, a day "
        "and four hours, fitted to the trace's hours."
    )


PRINTED = {8: " Printed: Greedy 15 to 20 minutes over LoTES.", 9: " Bars: the paper's 1 %.", 10: ""}


def setting(rows):
    """The machines of these runs, in the captions' words: "103 to 112 machines"."""
    least, most = rows["machines"].min(), rows["machines"].max()
    return f"{least:,} machines" if least == most else f"{least:,} to {most:,} machines"


def _caption_month(frame, number):
    title = drawing.FIGURES_8_TO_10[number][-1].format(unit="day")
    whose = "" if frame["google"].iloc[0] else "the model of "
    return (
        f"{title} (the paper's Fig. {number}). Arrivals: {whose}Google's job table (CC-BY 4.0). Left: all jobs, "
        f"{setting(only(frame, ended=False))}. Right: without the 0.6 % that never end, "
        f"{setting(only(frame, ended=True))}. Sizes: Table 2's, CV 0.5. Lines: medians. Thin: the "
        f"seeds' range.{PRINTED[number]}"
    )


SHOWN = {False: (0.86, 0.9), True: (0.64,)}
"""The loads of Figs. 8-10: with all jobs, and with those that end."""


def _shown(frame, name):
    """The rows of one measure that Figs. 8-10 show."""
    rows = only(frame, measure=name, sizes=LAW, times=1)
    parts = [only(rows, ended=ended, load=loads) for ended, loads in SHOWN.items()]
    return concat(parts, ignore_index=True)


FIGURES = (
    Figure(
        "lotes.fig6",
        "lotes.fig6",
        plot_fig6,
        _caption_fig6,
        alt(
            "Line chart of jobs that arrive in each hour of 29 days",
            "jobs",
            ["source"],
            "hour",
            of=lambda frame: frame[frame["hour"] >= 0],
            names=SOURCES,
        ),
    ),
    Figure(
        "lotes.fig7",
        "lotes.fig7",
        plot_fig7,
        "The mix of classes, day by day, when it drifts. The drift is an option of our model and not used "
        "in Figs. 8-10. The paper's Fig. 7 shows the mix of Google's jobs, which also drifts.",
        alt(
            "Line chart of the daily share of jobs in each class. Class",
            "share",
            ["job_class"],
            "day",
        ),
    ),
    Figure(
        "lotes.month-sizes",
        "lotes.month-sizes",
        None,
        "Mean waits (s) on the month as machines and jobs grow together, up to as many as Google's (`SCALE=paper`): "
        "all jobs, CV 0.5, load 0.9; one run each. Beyond the paper.",
        "Table of mean waits by number of machines, a column for each policy.",
        lambda frame: (
            only(frame, measure="mean").pivot_table("value", "machines", "policy").reset_index()
        ),
    ),
    *(
        Figure(
            f"lotes.fig{number}{suffix}",
            f"lotes.month{suffix}",
            partial(drawing.plot_over_time, number=number, by=("ended", "load")),
            partial(_caption_month, number=number),
            alt(
                f"{drawing.FIGURES_8_TO_10[number][3].format(unit='day')}, by policy, a panel for each load. "
                "Medians by policy, whether all jobs end, and load",
                "value",
                ["policy", "ended", "load"],
                "x",
                average="median",
            ),
            partial(_shown, name=drawing.FIGURES_8_TO_10[number][0]),
        )
        for suffix in ("", "-google")
        for number in drawing.FIGURES_8_TO_10
    ),
)
