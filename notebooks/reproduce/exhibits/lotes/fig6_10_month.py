"""Figs. 6-10 of LoTES: a month of Google's cluster, its jobs per hour and their mix, waits (in seconds) and
queues, at seven loads and under three laws of job sizes; and the map of who waits least where.

The jobs are those of a model fitted to Google's job table, and the table's own where it is here.
"""

from functools import partial
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.figure import Figure as Picture

from exhibits import legend_below, measure, only
from exhibits.lotes import drawing, runs
from schedlib import lotes
from schedlib.core import streams
from schedlib.experiment import Experiment, Figure, grid, scales
from schedlib.lotes.workloads.month import BATCH, GOOGLE_ARRIVALS, HOURS, JOBS
from schedlib.pictures import style
from schedlib.pictures.alt import alt

PLACE = 5.33
TAIL = np.unique(np.concatenate((10.0 ** np.arange(-3, 6.01, 0.25), 3600.0 * np.array([1, 7, 17]))))
"""Seconds at which the distribution of waits is read."""


def _hourly(source, counts):
    jobs = np.concatenate(([BATCH], counts))
    return pd.DataFrame({"source": source, "hour": np.arange(-1, len(counts)), "jobs": jobs})


def fig6(seed: int) -> pd.DataFrame:
    """Jobs submitted in each hour of Google's trace and in a draw of the fitted model: `source, hour, jobs`.

    Hour -1 has the batch from before.
    """
    (random,) = streams(seed, "month arrivals")
    model = _hourly("model", GOOGLE_ARRIVALS.draw(HOURS, JOBS - BATCH, random))
    submit = runs.google_times()["submit"]
    google = _hourly("Google", np.bincount(submit[submit > 0].astype(int), minlength=HOURS))
    return pd.concat([google, model], ignore_index=True)


def fig7(drift: float, seed: int) -> pd.DataFrame:
    """The share of each class among the jobs of each day, when the mix drifts: `day, job_class, share`."""
    jobs = runs.month(seed, drift=drift)[2].jobs
    day, job_class = (jobs["submit"] // 24).astype(int), jobs["class"].astype(int) + 1
    shares = pd.crosstab(day.rename("day"), job_class.rename("job_class"), normalize="index")
    return shares.reset_index().melt("day", value_name="share")


def month(google: bool, thin: int, load: float, sizes: str, seed: int) -> pd.DataFrame:
    """Every policy on the month of a `thin`-th of the jobs: `policy, measure, x, value, realised`.

    `google`: the jobs of Google's table, else of the model. `realised`: the mean load of the cores. A day on
    which no job starts has no wait.

    | measure | x | value |
    |---|---|---|
    | wait | day | mean wait (s) of the jobs that start that day |
    | queue | day | jobs waiting at its end |
    | tail | seconds | share of all jobs that wait longer (%) |
    | mean | 0 | mean wait (s) of all jobs |
    """

    def measures(run):
        return {
            "wait": enumerate(3600 * run.intervals["mean_response"]),
            "queue": enumerate(run.intervals["queue_end"]),
            "tail": ((seconds, 100 * run.share_above(seconds / 3600)) for seconds in TAIL),
            "mean": [(0, 3600 * run.mean_wait)],
        }

    times = runs.google_times() if google else None
    configs, classes, jobs = runs.month(seed, thin=thin, load=load, sizes=sizes, times=times)
    frame = runs.each_policy(
        configs, classes, jobs, measures, seed, until=float(HOURS), interval=24.0
    )
    return frame.assign(realised=lotes.core_load(configs, jobs))


LOADS, SHOWN = (0.5, 0.7, 0.8, 0.85, 0.9, 0.95, 1.0), (0.8, 0.9, 1.0)
LAWS, LAW = ("common-matched", "common", "independent"), "common"
GOOGLE: dict[str, Any] = {"missing": runs.no_google_table, "data_files": runs.google_files}


def _points(google, laws):
    return scales(
        *(
            grid(google=[google], thin=[thin], load=loads, sizes=laws)
            for thin, loads in ((12, LOADS[::4]), (3, LOADS), (1, LOADS))
        )
    )


EXPERIMENTS = (
    Experiment(
        "lotes.fig6", "Jobs arriving in each hour of the Google trace", fig6, **runs.ONCE, **GOOGLE
    ),
    Experiment("lotes.fig7", "A drifting mix", fig7, scales([{"drift": 0.8}]), scales(1)),
    Experiment(
        "lotes.month", "The model of Google's month", month, _points(False, LAWS), scales(1, 3, 5)
    ),
    Experiment(
        "lotes.month-google",
        "The month of Google's table",
        month,
        _points(True, (LAW,)),
        scales(1, 3, 5),
        **GOOGLE,
    ),
)
SOURCES = {"Google": "Google's trace", "model": "fitted model, one draw"}


def plot_fig6(frame: pd.DataFrame) -> Picture:
    """Jobs arriving in each hour of the month (Fig. 6), a panel for each source."""
    figure, axes = style.subplots(2, size=(8.0, 6.0), sharex=True, sharey=True)
    for ax, (source, title), color in zip(axes, SOURCES.items(), style.PALETTE, strict=False):
        during = only(frame[frame["hour"] >= 0], source=source)
        ax.plot(during["hour"] / 24, during["jobs"], color=color, linewidth=0.9)
        ax.set(title=title, ylabel="jobs arriving in the hour", ylim=(0, None), xlim=(0, 29.1))
    axes[-1].set_xlabel("time (days)")
    return figure


def plot_fig7(frame: pd.DataFrame) -> Picture:
    """The share of each class among the jobs of each day."""
    figure, ax = style.subplots(size=(7.0, 3.6))
    classes = zip(frame.groupby("job_class"), ("-", "--", "-.", ":"), style.PALETTE, strict=False)
    for (job_class, rows), line, colour in classes:
        ax.plot(rows["day"], rows["share"], line, color=colour, label=f"class {job_class}")
    ax.set(xlabel="time (days)", ylabel="share of the day's jobs", ylim=(0, 1))
    ax.legend(ncols=4)
    return figure


def _waits(frame):
    """The mean wait (s) of all jobs, by policy, law, load and seed."""
    rows = only(frame, measure="mean").set_index(["policy", "sizes", "load", "seed"])
    return rows["value"].sort_index()


def _ahead(frame):
    """Who waits least, by how many decades less than the next of the paper's three policies, by median."""
    waits = np.log10(_waits(frame).clip(lower=runs.SHORTEST)).unstack("policy")[
        ["lotes", "greedy", "tetris"]
    ]
    found = {}
    for at, rows in waits.groupby(["sizes", "load"]):
        first, second = rows.median().sort_values(kind="stable").index[:2]
        found[at] = first, float((rows[second] - rows[first]).median())
    return found


def plot_map(frame: pd.DataFrame) -> Picture:
    """Mean waits against the load under each law of sizes; below, who waits least and by how many decades."""
    laws = drawing.laws_in(frame)
    loads, ahead = sorted(set(frame["load"])), _ahead(frame)
    waits = (
        _waits(frame)
        .reset_index(name="wait")
        .assign(place=lambda rows: rows["load"].map(loads.index))
    )
    figure, axes = style.subplots(
        2,
        len(laws),
        size=(max(3.4 * len(laws), 7.4), 5.0),
        sharex=True,
        sharey="row",
        squeeze=False,
        height_ratios=(5, 1),
    )
    for law, (above, below) in zip(laws, axes.T, strict=True):
        looks = {policy: style.look(policy) for policy in runs.POLICIES}
        drawing.lines(above, only(waits, sizes=law), "place", "wait", looks=looks, shift=0.1)
        above.set(title=drawing.LAWS[law], ylabel=drawing.WAIT)
        drawing.log_and_zero(above, runs.SHORTEST)
        for at, load in enumerate(loads):
            policy, lead = ahead[law, load]
            if lead >= 0.05:
                below.axvspan(at - 0.5, at + 0.5, color=style.look(policy).color, alpha=0.35)
            below.text(at, 0.5, f"{lead:.1f}" if lead >= 0.05 else "=", ha="center", va="center")
        below.set(
            xlabel="mean load of the cores", ylabel="log10 of\nnext / least", ylim=(0, 1), yticks=[]
        )
        below.set_xticks(range(len(loads)), [f"{load:g}" for load in loads])
    legend_below(axes[0, 0], 4)
    return figure


MODEL = (
    "a log-normal autoregressive model of order 1 with cycles of a week, a day and four hours, fitted "
    "to the trace's hours by maximum likelihood. It has no burst like the trace's in hours 414 to 431"
)


def _caption_fig6(frame):
    google = only(frame, source="Google")
    return (
        f"Jobs arriving in each hour of Google's clusterdata-2011-2, {google['jobs'].sum():,} in all "
        f"(the paper's Fig. 6). {google.loc[google['hour'] < 0, 'jobs'].sum():,} of them were there "
        f"before the trace began and are not drawn. Below: one draw from {MODEL}. Data: Google, CC-BY "
        "4.0."
    )


def _setting(frame):
    """What ran, as captions say it."""
    whose = (
        "Google's job table, with their own times of arrival and durations"
        if frame["google"].iloc[0]
        else "the model fitted to Google's job table"
    )
    thin, realised = frame["thin"].iloc[0], frame["realised"]
    return (
        f"The jobs are one in {thin} of those of {whose}. "
        f"The class of each is drawn from the paper's Table 2. "
        "The machines are those of its Table 1, in proportion. The realised load is "
        f"{realised.min():.3f} to {realised.max():.3f}, within "
        f"{(realised / frame['load'] - 1).abs().max():.1%} of the nominal one. Data: Google, CC-BY 4.0."
    )


PRINTED = {
    8: " Grey: the paper's text has Greedy's mean wait 15 to 20 minutes longer than LoTES's.",
    9: " Short bars: by the paper's text 1 % of jobs wait over 7 h under Tetris, 1 % over 17 h under "
    "Greedy, and under LoTES less than 1 % over 1 h.",
    10: "",
}


def _caption_month(frame, number):
    title = drawing.FIGURES_8_TO_10[number][-1].format(unit="day")
    return (
        f"{title} at three loads. One factor makes a job larger in all resources. {_setting(frame)} "
        f"Lines: medians over the seeds. Shades: from the least seed to the largest.{PRINTED[number]} "
        f"The paper's Fig. {number} has the demands of Google's tasks, which we may not ship."
    )


def _caption_map(frame):
    return (
        f"Mean waits of all jobs by load, and who waits least. {_setting(frame)} Points: seeds. Lines: "
        "medians. Below: the colour says which of LoTES, Greedy and Tetris waits least. The number says "
        "by how many decades (powers of ten) less than the next. A wait below 0.1 ms counts as 0.1 ms. "
        "=: by less than 0.05. Beyond the paper."
    )


def _shown(frame, name):
    """The rows of one measure that Figs. 8-10 show."""
    return only(frame, measure=name, sizes=LAW, load=SHOWN)


def _mapped(frame):
    """The rows of the whole month: mean waits, those of the first day, and jobs that wait over an hour."""
    at = frame["measure"].map({"mean": 0.0, "wait": 0.0, "tail": 3600.0})
    return frame[frame["x"] == at]


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
    *(
        Figure(
            f"lotes.fig{number}{suffix}",
            f"lotes.month{suffix}",
            partial(drawing.plot_over_time, number=number),
            partial(_caption_month, number=number),
            alt(
                f"{drawing.FIGURES_8_TO_10[number][3].format(unit='day')}, by policy, a panel for each load. "
                "Medians by policy and load",
                "value",
                ["policy", "load"],
                "x",
                average="median",
            ),
            partial(_shown, name=drawing.FIGURES_8_TO_10[number][0]),
        )
        for suffix in ("", "-google")
        for number in drawing.FIGURES_8_TO_10
    ),
    *(
        Figure(
            f"lotes.month-map{suffix}",
            f"lotes.month{suffix}",
            plot_map,
            _caption_map,
            alt(
                "Charts of mean wait against load, a column for each law of sizes. Medians (s)",
                "value",
                ["policy", "sizes"],
                "load",
                of=partial(only, measure="mean"),
                average="median",
            ),
            _mapped,
        )
        for suffix in ("", "-google")
    ),
)


@measure
def _over(frame, policy, hours):
    """The share of jobs (%) that wait longer than so many hours, per seed."""
    where = f"measure == 'tail' and policy == '{policy}' and x == {3600.0 * hours}"
    return frame.query(where)["value"].to_numpy()


@measure
def _days(frame, of, holds, sums_up="mean", first=0, of_all=1.0, less=0.5):
    """The share ("mean") or "any" of the days from `first` on on which `holds` is true, per seed.

    Waits are 0.1 ms at least; queues those of the whole month, of which a `thin`-th was run.
    """
    rows = only(frame[frame["x"] >= first], measure=of)
    days = rows.pivot(index=["seed", "x"], columns="policy", values="value").clip(
        lower=runs.SHORTEST
    )
    days = days * (frame["thin"].iloc[0] if of == "queue" else 1)
    return of_all * days.eval(holds).groupby("seed").agg(sums_up).to_numpy() - less


def _longer(first, second, where="measure == 'mean'", **more):
    return runs.longer(first, second, where, "value", **more)


ASSUMED = (
    "which load Google's cluster had is not known, and Table 2's classes are drawn for each job: the "
    "tasks' own demands are not shipped"
)
VALUE = {"check": "value", "tolerance": 0.5}
OVER = VALUE | {"paper_value": 1.0, "metric": "jobs that wait longer", "unit": "%"}
MOST = {"metric": "share of such days less one half", "unit": "1"}
ANY = {"metric": "share of seeds with such a day less one half", "unit": "1"}

ROWS = (
    (
        "greedy",
        "Greedy waits orders of magnitude longer than LoTES (read as 100 times)",
        _longer("lotes", "greedy"),
        runs.DECADES | VALUE | {"paper_value": 2.0},
    ),
    (
        "tetris",
        "Tetris waits about an order of magnitude longer than LoTES",
        _longer("lotes", "tetris"),
        runs.DECADES | VALUE | {"paper_value": 1.0},
    ),
    (
        "greedy-minutes",
        "On average Greedy's wait is 15 to 20 minutes longer than LoTES's",
        lambda frame: _longer("lotes", "greedy", log=False)(frame) / 60,
        {
            "check": "value",
            "paper_value": 17.5,
            "tolerance": 2.5,
            "unit": "min",
            "metric": "Greedy's mean wait less LoTES's",
        },
    ),
    (
        "lower",
        "LoTES's wait is generally no longer than Tetris's (read as: on most days, waits below 0.1 ms "
        "being equal)",
        _days("wait", "lotes <= tetris"),
        MOST,
    ),
    (
        "deviate",
        "When they deviate, Greedy waits minutes, Tetris seconds, LoTES microseconds (read as: on "
        "some day means of at least 60 s, at least 1 s, below 1 ms)",
        _days("wait", "greedy >= 60 and tetris >= 1 and lotes < 1e-3", "any"),
        ANY,
    ),
    (
        "first-day",
        "In the first period, with the batch, Greedy waits less than LoTES and Tetris (read as: "
        "jobs that start on the first day)",
        _longer("greedy", ["lotes", "tetris"], "measure == 'wait' and x == 0"),
        runs.DECADES,
    ),
    (
        "tail-lotes",
        "Under LoTES less than 1 % of jobs wait over an hour",
        lambda frame: 1 - _over("lotes", 1)(frame),
        {"metric": "1 % less the share that waits longer", "unit": "%"},
    ),
    ("tail-tetris", "Under Tetris 1 % of jobs wait over 7 hours", _over("tetris", 7), OVER),
    ("tail-greedy", "Under Greedy 1 % of jobs wait over 17 hours", _over("greedy", 17), OVER),
    (
        "queue-lotes",
        "For most of the month LoTES's queue stays small (read as: nobody waits at the end of "
        "most days)",
        _days("queue", "lotes < 1"),
        MOST,
    ),
    (
        "queue-tetris",
        "Tetris has a queue at some points in the month (read as: at the end of a day after the "
        "first)",
        _days("queue", "tetris >= 1", "any", 1),
        ANY,
    ),
    (
        "queue-tetris-small",
        "Tetris's queues are relatively small (read as: at the end of most days after the "
        "first fewer jobs wait than arrive in an hour)",
        _days("queue", f"tetris < {JOBS / HOURS}", first=1),
        MOST,
    ),
    (
        "queue-greedy",
        "Greedy has a queue at all points of the month (read as: at the end of every day)",
        _days("queue", "greedy >= 1", of_all=100.0, less=0.0),
        {
            "check": "value",
            "paper_value": 100.0,
            "tolerance": 5.0,
            "unit": "%",
            "metric": "share of days that end with a queue",
        },
    ),
)

READINGS = {law: ("lotes.month", law) for law in LAWS} | {
    f"{LAW}, the jobs of Google's table": ("lotes.month-google", LAW)
}
CLAIMS = (
    runs.claim(
        "mix",
        "Section 5.3.2; Fig. 7",
        "The proportions of the classes change heavily over the month",
        None,
        None,
        reason="the tasks' demands, which make the classes, are not shipped",
    ),
    *(
        runs.claim(
            f"month-{name}",
            "Section 5.3.3",
            text,
            None,
            None,
            **more,
            reason=ASSUMED,
            along="load",
            readings={
                reading: (run, runs.under(f"sizes == {law!r}", judged))
                for reading, (run, law) in READINGS.items()
            },
        )
        for name, text, judged, more in ROWS
    ),
)
