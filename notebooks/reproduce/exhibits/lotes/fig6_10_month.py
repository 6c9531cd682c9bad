"""Figs. 6-10 of LoTES: a month of Google's cluster, its jobs per hour and their mix, waits (in seconds) and
queues, by load and under two laws of job sizes; and the map of who waits least where.

The jobs are those of a model fitted to Google's job table, and the table's own where it is here.
"""

from functools import lru_cache, partial
from typing import Any

import numpy as np
from pandas import DataFrame, concat, crosstab

from reproduce.exhibits import legend_below, only
from reproduce.exhibits.lotes import drawing, runs
from reproduce.exhibits.lotes.drawing import SHORTEST
from reproduce.figure import Figure
from schedlib import lotes
from schedlib.core import streams
from schedlib.lotes.workloads.month import BATCH, GOOGLE_ARRIVALS, HOURS, JOBS, machines_for
from schedlib.plots import style
from schedlib.plots.alt import alt
from schedlib.sweeps import Experiment, grid, scales

PLACE = 5.33
TAIL = np.unique(np.concatenate((10.0 ** np.arange(-3, 6.01, 0.25), 3600.0 * np.array([1, 7, 17]))))
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


def fig7(drift: float, seed: int) -> DataFrame:
    """The share of each class among the jobs of each day, when the mix drifts: `day, job_class, share`."""
    jobs = runs.month(seed, drift=drift)[2].jobs
    day, job_class = (jobs["submit"] // 24).astype(int), jobs["class"].astype(int) + 1
    shares = crosstab(day.rename("day"), job_class.rename("job_class"), normalize="index")
    return shares.reset_index().melt("day", value_name="share")


def month(google: bool, thin: int, load: float, sizes: str, seed: int) -> DataFrame:
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
            "wait": enumerate(3600 * run.intervals["mean_wait"]),
            "queue": enumerate(run.intervals["queue_end"]),
            "tail": ((seconds, 100 * run.share_above(seconds / 3600)) for seconds in TAIL),
            "mean": [(0, 3600 * run.mean_wait)],
        }

    classes, jobs = _month_jobs(google, thin, sizes, seed)
    configs = machines_for(lotes.google2011()[0], jobs, load)
    frame = runs.each_policy(
        configs, classes, jobs, measures, seed, until=float(HOURS), interval=24.0
    )
    return frame.assign(realised=lotes.core_load(configs, jobs))


@lru_cache(maxsize=2)
def _month_jobs(google, thin, sizes, seed):
    """The classes and jobs of a month, the same at every load; those of a seed's laws are kept."""
    times = runs.google_times() if google else None
    return runs.month(seed, thin=thin, sizes=sizes, times=times)[1:]


LOADS = (0.5, 0.7, 0.8, 0.81, 0.82, 0.83, 0.84, 0.85, 0.86, 0.9, 0.95, 1.0)
"""Near the knee, 0.8 to 0.86, in steps of one or two machines: there a policy's waits rise a thousandfold."""
SHOWN = (0.8, 0.9, 1.0)
LAWS, LAW = ("independent", "common"), "independent"
GOOGLE: dict[str, Any] = {"missing": runs.no_google_table, "data_files": runs.google_files}


def _points(google, laws):
    return scales(
        *(
            grid(google=[google], thin=[thin], load=loads, sizes=laws)
            for thin, loads in ((12, (0.5, 0.9)), (3, LOADS), (1, LOADS))
        )
    )


EXPERIMENTS = (
    Experiment(
        "lotes.fig6", "Jobs arriving in each hour of the Google trace", fig6, **runs.ONCE, **GOOGLE
    ),
    Experiment("lotes.fig7", "A drifting mix", fig7, scales([{"drift": 0.8}]), scales(1)),
    Experiment(
        "lotes.month",
        "The model of Google's month",
        month,
        _points(False, LAWS),
        # at some load a sentence is always in doubt, so more than one look would cost and never stop early
        scales(1, 24, 5),
    ),
    Experiment(
        "lotes.month-google",
        "The month of Google's table",
        month,
        _points(True, (LAW,)),
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


def _waits(frame):
    """The mean wait (s) of all jobs, by policy, law, load and seed."""
    rows = only(frame, measure="mean").set_index(["policy", "sizes", "load", "seed"])
    return rows["value"].sort_index()


def _ahead(frame):
    """The policy of least wait, and by how many decades the next of the paper's three waits longer, by median."""
    waits = np.log10(_waits(frame).clip(lower=SHORTEST)).unstack("policy")[
        ["lotes", "greedy", "tetris"]
    ]
    ahead = {}
    for at, rows in waits.groupby(["sizes", "load"]):
        first, second = rows.median().sort_values(kind="stable").index[:2]
        ahead[at] = first, float((rows[second] - rows[first]).median())
    return ahead


def plot_map(frame: DataFrame):
    """Mean waits against the load under each law of sizes; below, who waits least and by how many decades."""
    laws = drawing.laws_in(frame)
    loads, ahead = sorted(set(frame["load"])), _ahead(frame)
    waits = (
        _waits(frame)
        .reset_index(name="wait")
        .assign(place=lambda rows: rows["load"].map(loads.index), stable=True)
    )
    figure, axes = style.subplots(
        2,
        len(laws),
        size=(max(4.4 * len(laws), 7.4), 5.0),
        sharex=True,
        sharey="row",
        squeeze=False,
        height_ratios=(5, 1),
    )
    for law, (above, below) in zip(laws, axes.T, strict=True):
        looks = {policy: style.look(policy) for policy in runs.POLICIES}
        drawing.lines(above, only(waits, sizes=law), "place", looks, 0.1)
        above.set(title=drawing.LAWS[law], ylabel=drawing.WAIT)
        drawing.log_and_zero(above, SHORTEST)
        for at, load in enumerate(loads):
            policy, lead = ahead[law, load]
            if lead >= 0.05:
                below.axvspan(at - 0.5, at + 0.5, color=style.look(policy).color, alpha=0.35)
            below.text(
                at,
                0.5,
                f"{lead:.1f}" if lead >= 0.05 else "=",
                ha="center",
                va="center",
                fontsize=8,
            )
        below.set(
            xlabel="mean load of the cores", ylabel="log10 of\nnext / least", ylim=(0, 1), yticks=[]
        )
        below.set_xticks(range(len(loads)), loads, fontsize=8, rotation=90)
    legend_below(axes[0, 0], 4)
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


def _setting(frame):
    """The jobs that ran, in the captions' words."""
    whose = "" if frame["google"].iloc[0] else "the model of "
    return f"Jobs: one in {frame['thin'].iloc[0]} of {whose}Google's job table (CC-BY 4.0)"


PRINTED = {
    8: " Grey: the paper's text has Greedy's mean wait 15 to 20 minutes longer than LoTES's.",
    9: " Bars: the paper's 1 % (Tetris 7 h, Greedy 17 h, LoTES below 1 h).",
    10: "",
}


def _caption_month(frame, number):
    title = drawing.FIGURES_8_TO_10[number][-1].format(unit="day")
    return (
        f"{title} at three loads (the paper's Fig. {number}). {_setting(frame)}; each resource is drawn "
        "for itself from the paper's Table 2. "
        f"Lines: medians. Shades: all seeds.{PRINTED[number]}"
    )


def _caption_map(frame):
    off = (frame["realised"] / frame["load"] - 1).abs().max()
    return (
        f"Mean waits of all jobs by load (beyond the paper). {_setting(frame)}. "
        f"Realised loads: within {off:.1%} of the nominal. Points: seeds. Lines: medians. "
        "Below: who waits least, and by how many powers of ten (=: below 0.05). "
        "A wait below 0.1 ms counts as 0.1 ms."
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
