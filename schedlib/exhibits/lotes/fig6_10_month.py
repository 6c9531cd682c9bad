"""Figs. 6-10 of LoTES: a month of Google's cluster, its jobs per hour and their mix, waits (in seconds) and
queues.

All is synthetic, or arrivals are Google's where the job table is here. Claims on waits are judged on both.
"""

from functools import partial
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure as Picture

from schedlib.core import streams
from schedlib.exhibits import measure
from schedlib.exhibits.lotes import drawing, runs
from schedlib.experiment import Experiment, Figure, grid, scales
from schedlib.lotes.workloads.month import BATCH, GOOGLE_ARRIVALS, HOURS, JOBS
from schedlib.pictures import style

PLACE = 5.33
TAIL = np.unique(np.concatenate((10.0 ** np.arange(-3, 6.01, 0.25), 3600.0 * np.array([1, 7, 17]))))
"""Seconds at which the distribution of waits is read."""


def _hourly(source, batch, counts):
    jobs = np.concatenate(([batch], counts))
    return pd.DataFrame({"source": source, "hour": np.arange(-1, len(counts)), "jobs": jobs})


def fig6_model(seed: int) -> pd.DataFrame:
    """The fitted model's draw in that month: `source, hour, jobs`; hour -1 has the batch from before."""
    (random,) = streams(seed, "month arrivals")
    return _hourly("model", BATCH, GOOGLE_ARRIVALS.draw(HOURS, JOBS - BATCH, random))


def fig6(seed: int) -> pd.DataFrame:
    """Jobs submitted in each hour of Google's trace (`source` "Google"), with `fig6_model`'s draw below."""
    return pd.concat([_hourly("Google", *runs.google_counts()), fig6_model(seed)], ignore_index=True)


def fig7(thin: int, seed: int) -> pd.DataFrame:
    """The share of each class among the jobs of each day of the synthetic month: `day, job_class, share`."""
    jobs = runs.synthetic_month(thin, seed)[2].jobs
    day, job_class = (jobs["submit"] // 24).astype(int), jobs["class"].astype(int) + 1
    shares = pd.crosstab(day.rename("day"), job_class.rename("job_class"), normalize="index")
    return shares.reset_index().melt("day", value_name="share")


def month(thin: int, load: float, seed: int, **options) -> pd.DataFrame:
    """The synthetic month, `thin` times fewer jobs on as many fewer machines: `policy, measure, x, value`.

    | measure | x | value |
    |---|---|---|
    | wait | day | mean wait (s) of the jobs that start that day |
    | queue | day | jobs waiting at its end |
    | tail | seconds | share of all jobs that wait longer (%) |
    | mean | 0 | mean wait (s) of all jobs |
    """

    def measures(run):
        return {"wait": enumerate(3600 * run.intervals["mean_response"]),
                "queue": enumerate(run.intervals["queue_end"]),
                "tail": ((seconds, 100 * run.share_above(seconds / 3600)) for seconds in TAIL),
                "mean": [(0, 3600 * run.mean_wait)]}

    setting = runs.synthetic_month(thin, seed, load=load, **options)
    return runs.each_policy(*setting, measures, seed, until=float(HOURS), interval=24.0)


def month_google(thin: int, load: float, seed: int) -> pd.DataFrame:
    """`month` with Google's real arrivals, hour by hour; all else is as synthetic as there."""
    batch, counts = runs.google_counts()
    return month(thin, load, seed, arrivals=counts // thin, batch=batch // thin)


def month_load(thin: int, load: float, seed: int) -> pd.DataFrame:
    """Of `month` what concerns the whole of it: the measures `tail` and `mean`."""
    return month(thin, load, seed).query("measure in ('tail', 'mean')").reset_index(drop=True)


MONTH = scales(*(grid(thin=[thin], load=[0.8]) for thin in (4, 1)))
LOADS = (0.4, 0.6, 0.8, 0.9, 0.95)
GOOGLE: dict[str, Any] = {"missing": runs.no_google_table, "data_files": runs.google_files}

EXPERIMENTS = (
    Experiment("lotes.fig6", "Jobs arriving in each hour of the Google trace", fig6, **runs.ONCE, **GOOGLE),
    Experiment("lotes.fig6-model", "Jobs arriving in each hour of the fitted model", fig6_model, **runs.ONCE),
    Experiment("lotes.fig7", "The drifting mix of the synthetic month", fig7, scales([{"thin": 1}]),
               scales(1)),
    Experiment("lotes.month", "A synthetic month of Google's cluster", month, MONTH, scales(2, 5, 20)),
    Experiment("lotes.month-google", "A month with Google's arrivals", month_google, MONTH, scales(2, 5, 20),
               **GOOGLE),
    Experiment("lotes.month-load", "The synthetic month at other loads", month_load,
               scales(grid(thin=[4], load=[0.4, 0.9]), grid(thin=[1], load=LOADS)), scales(1, 3, 10)),
)
SOURCES = {"Google": "Google's trace", "model": "fitted model, one draw"}


def plot_fig6(frame: pd.DataFrame) -> Picture:
    """Jobs arriving in each hour of the month (Fig. 6), a panel for each source."""
    sources = list(dict.fromkeys(frame["source"]))
    size = (8.0, 0.8 + 2.6 * len(sources))
    figure, axes = style.subplots(len(sources), size=size, sharex=True, sharey=True, squeeze=False)
    for ax, source, color in zip(axes.flat, sources, style.PALETTE, strict=False):
        during = frame[(frame["source"] == source) & (frame["hour"] >= 0)]
        ax.plot(during["hour"] / 24, during["jobs"], color=color, linewidth=0.9)
        ax.set(title=SOURCES[source], ylabel="jobs arriving in the hour", ylim=(0, None), xlim=(0, 29.1))
    axes[-1, 0].set_xlabel("time (days)")
    return figure


def plot_fig7(frame: pd.DataFrame, ax: Axes | None = None) -> Picture:
    """The share of each class among the jobs of each day."""
    figure, ax = style.into(ax, (7.0, 3.6))
    classes = zip(frame.groupby("job_class"), ("-", "--", "-.", ":"), style.PALETTE, strict=False)
    for (job_class, rows), line, colour in classes:
        ax.plot(rows["day"], rows["share"], line, color=colour, label=f"class {job_class}")
    ax.set(xlabel="time (days)", ylabel="share of the day's jobs", ylim=(0, 1))
    ax.legend(ncols=4)
    return figure


def _summaries(frame):
    """Mean wait (s) and share (%) of jobs over an hour, by policy, load and seed."""
    over = drawing.per_run(frame, "tail", 3600.0)
    return pd.DataFrame({"wait": drawing.per_run(frame, "mean"), "over": over})


def plot_load(frame: pd.DataFrame) -> Picture:
    """Mean wait over the month, and the share of jobs that wait over an hour, against the assumed load."""
    figure, axes = style.subplots(1, 2, size=(8.8, 4.0))
    table, loads = _summaries(frame).clip(lower=1e-3), sorted(set(frame["load"]))
    labels = {"wait": "mean wait (s; 1 ms and less: 0.001)",
              "over": "jobs that wait over an hour (%; less: 0.001)"}
    for ax, (column, label) in zip(axes, labels.items(), strict=True):
        for k, policy in enumerate(runs.POLICIES):
            values, look = table.loc[policy, column], style.look(policy)
            load = values.index.get_level_values("load")
            drawing.median_line(ax, values, load, look)
            drawing.dots(ax, load + 0.005 * (k - 1.5), values, look)
        ax.set(xlabel="load: share of the fluid limit", ylabel=label, yscale="log")
        ax.set_xticks(loads, [f"{load:g}" for load in loads], fontsize=8)
    drawing.legend_below(figure, axes[0])
    return figure


MODEL = ("a log-normal AR(1) with cycles of a week, a day and four hours, fitted to the trace's whole hours "
         "by maximum likelihood. It has no burst like the trace's of hours 414 to 431")


def _caption_fig6(frame):
    google = frame[frame["source"] == "Google"]
    return (f"Jobs arriving in each hour of Google's clusterdata-2011-2, {google['jobs'].sum():,} in all, of "
            f"which {google.loc[google['hour'] < 0, 'jobs'].sum():,} were there before the trace began and "
            "are not drawn: the paper's Fig. 6 (extended version). The first and the last hour are not "
            f"whole. Below, {MODEL}. Data: Google, CC-BY 4.0.")


def _alt_fig6(frame):
    words = []
    for source, jobs in frame[frame["hour"] >= 0].set_index("hour").groupby("source")["jobs"]:
        mean = f"{jobs.mean():.0f} an hour on average"
        words.append(f"{SOURCES[source]}: {mean}, at most {jobs.max()} in hour {jobs.idxmax()}")
    return f"Line chart of jobs arriving in each hour of 29 days. {'; '.join(words)}."


def _alt_fig7(frame):
    second = frame.loc[frame["job_class"] == 2, "share"]
    return (f"Line chart of the daily share of {frame['job_class'].nunique()} classes over "
            f"{frame['day'].nunique()} days; class 2 between {second.min():.2f} and {second.max():.2f}.")


def _assumed(frame):
    loads = ", ".join(f"{load:g}" for load in sorted(set(frame["load"])))
    return (f"Table 1's machines over {40 * frame['thin'].iloc[0]}, Table 2's classes with a drifting mix, "
            f"durations stretched to a load of {loads}")


def _caption_month(frame, number, real):
    title = drawing.FIGURES_8_TO_10[number][-1].format(unit="day")
    arrivals = ("Google's real arrivals of each hour, all else synthetic" if real
                else "all synthetic, arrivals by the fitted model")
    jobs = f"{JOBS // frame['thin'].iloc[0]:,} jobs ({arrivals})"
    return (f"{title} in a month of {jobs}: {_assumed(frame)}. Thin lines: seeds; thick: medians. The "
            f"paper's Fig. {number} has Google's tasks, which may not be shipped."
            f"{' Data: Google, CC-BY 4.0.' if real else ''}")


def _alt_month(frame):
    medians = _summaries(frame).groupby("policy").median().itertuples()
    words = [f"{style.look(name).label} waits {wait / 60:.3g} min on average and {over:.2g} % of jobs over "
             "an hour" for name, wait, over in medians]
    return f"Charts of a month under four policies, medians over seeds: {'; '.join(words)}."


def _alt_load(frame):
    words = []
    for load, waits in _summaries(frame)["wait"].groupby("load"):
        medians = waits.groupby("policy").median().items()
        each = ", ".join(f"{style.look(policy).label} {wait:.3g} s" for policy, wait in medians)
        words.append(f"at {load:g} {each}")
    return ("Two charts against load, of mean wait and of the share of jobs that wait over an hour. Median "
            f"mean waits: {'; '.join(words)}.")


FIGURES = (
    Figure("lotes.fig6", "lotes.fig6", plot_fig6, _caption_fig6, _alt_fig6),
    Figure("lotes.fig6-model", "lotes.fig6-model", plot_fig6,
           f"Jobs arriving in each hour of a synthetic month: a draw from {MODEL}.", _alt_fig6),
    Figure("lotes.fig7", "lotes.fig7", plot_fig7,
           "The mix of classes in the synthetic month, day by day. The paper's Fig. 7 shows that of Google's "
           "jobs, which also drifts.", _alt_fig7),
    *(Figure(f"lotes.fig{number}{suffix}", f"lotes.month{suffix}",
             partial(drawing.plot_over_time, number=number),
             partial(_caption_month, number=number, real=bool(suffix)), _alt_month)
      for suffix in ("", "-google") for number in drawing.FIGURES_8_TO_10),
    Figure("lotes.month-load", "lotes.month-load", plot_load, lambda frame: (
        f"What the assumed load decides in the synthetic month: {_assumed(frame)}. Points: seeds; lines: "
        "medians. Beyond the paper."), _alt_load),
)


@measure
def _at_load(frame, judged):
    return judged(frame[frame["load"] == 0.8])


@measure
def _over(frame, policy, hours):
    """Share of jobs (%) that wait longer, per seed."""
    where = f"measure == 'tail' and policy == '{policy}' and x == {3600.0 * hours}"
    return frame.query(where)["value"].to_numpy()


@measure
def _days(frame, sums_up, of, holds, first=0):
    """Share ("mean") or "any" of the days from `first` on of which `holds` is true, less 1/2, per seed."""
    return holds(runs.by_interval(frame, of, first)).groupby("seed").agg(sums_up).to_numpy() - 0.5


def _first_day(frame):
    """By how many decades Greedy waits less than the better of the others on the first day, per seed."""
    waits = runs.by_interval(frame, "wait").xs(0, level="x").clip(lower=runs.SHORTEST)
    return np.log10(waits[["lotes", "tetris"]].min(axis=1) / waits["greedy"]).to_numpy()


ASSUMED = ("load, durations, demands and mix are assumed (Google's task table may not be shipped), and load "
           "decides much: see lotes.month-load")
HOUR = {"an hour of Alibaba's instances by the minute, beyond the paper": "lotes.hour"}
ON_THE_HOUR = ("greedy", "tetris", "first-day", "queue-lotes", "queue-greedy")
MONTHS = {"arrivals of the fitted model": "lotes.month", "Google's hourly arrivals": "lotes.month-google"}
VALUE = {"check": "value", "tolerance": 0.5}
OVER = VALUE | {"paper_value": 1.0, "metric": "jobs that wait longer", "unit": "%"}
MOST = {"metric": "share of such days less one half", "unit": "1"}
ANY = {"metric": "share of seeds with such a day less one half", "unit": "1"}

ROWS = (
    ("greedy", "Greedy waits orders of magnitude longer than LoTES (read as 100 times)",
     runs.longer("lotes", "greedy"), runs.DECADES | VALUE | {"paper_value": 2.0}),
    ("tetris", "Tetris waits about an order of magnitude longer than LoTES", runs.longer("lotes", "tetris"),
     runs.DECADES | VALUE | {"paper_value": 1.0}),
    ("greedy-minutes", "On average Greedy's wait is 15 to 20 minutes longer than LoTES's",
     lambda frame: (runs.overall(frame).eval("greedy - lotes") / 60).to_numpy(),
     {"check": "value", "paper_value": 17.5, "tolerance": 2.5, "unit": "min",
      "metric": "Greedy's mean wait less LoTES's"}),
    ("lower", "LoTES's wait is generally no longer than Tetris's (read as: on most days, waits below 0.1 ms "
     "being equal)",
     _days("mean", "wait", lambda days: days["lotes"] <= days["tetris"].clip(lower=runs.SHORTEST)), MOST),
    ("deviate", "When they deviate, Greedy waits minutes, Tetris seconds, LoTES microseconds (read as: on "
     "some day means of at least 60 s, at least 1 s, below 1 ms)",
     _days("any", "wait", lambda days: (days["greedy"] >= 60) & (days["tetris"] >= 1)
           & (days["lotes"] < 1e-3)), ANY),
    ("first-day", "In the first period, with the batch, Greedy waits less than LoTES and Tetris (read as: "
     "jobs that start on the first day)", _first_day, runs.DECADES),
    ("tail-lotes", "Under LoTES less than 1 % of jobs wait over an hour",
     lambda frame: 1 - _over("lotes", 1)(frame),
     {"metric": "1 % less the share that waits longer", "unit": "%"}),
    ("tail-tetris", "Under Tetris 1 % of jobs wait over 7 hours", _over("tetris", 7), OVER),
    ("tail-greedy", "Under Greedy 1 % of jobs wait over 17 hours", _over("greedy", 17), OVER),
    ("queue-lotes", "For most of the month LoTES's queue stays small (read as: nobody waits at the end of "
     "most days)", _days("mean", "queue", lambda days: days["lotes"] == 0), MOST),
    ("queue-tetris", "Tetris has a queue at some points in the month (read as: at the end of a day after the "
     "first)", _days("any", "queue", lambda days: days["tetris"] > 0, 1), ANY),
    ("queue-tetris-small", "Tetris's queues are relatively small (read as: at the end of most days after the "
     "first fewer jobs wait than arrive in an hour)",
     _days("mean", "queue", lambda days: days["tetris"] < JOBS / HOURS, 1), MOST),
    ("queue-greedy", "Greedy has a queue at all points of the month (read as: at the end of every day)",
     runs.ends_queued("greedy"), {"check": "value", "paper_value": 100.0, "tolerance": 5.0, "unit": "%",
                                  "metric": "share of days that end with a queue"}),
)

CLAIMS = (
    runs.claim("mix", "Section 5.3.2; Fig. 7", "The proportions of the classes change heavily over the month",
               None, None, reason="the tasks' demands may not be shipped, and the synthetic month's mix "
               "drifts by construction"),
    *(runs.claim(f"month-{name}", "Section 5.3.3", text, None, None, **more, reason=ASSUMED,
                 readings={reading: (run, _at_load(judged)) for reading, run in
                           (MONTHS | (HOUR if name in ON_THE_HOUR else {})).items()})
      for name, text, judged, more in ROWS),
)
