"""Figs. 6 and 7 of LoTES's extended version: arrivals in each hour of Google's trace, and a drifting mix."""

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure as Picture

from schedlib.core import streams
from schedlib.exhibits.lotes.judging import claim
from schedlib.exhibits.lotes.runs import ONCE, google_counts, google_files, no_google_table, synthetic_month
from schedlib.experiment import Experiment, Figure, scales
from schedlib.lotes.workloads.arrivals import GOOGLE_ARRIVALS
from schedlib.lotes.workloads.month import BATCH, HOURS, JOBS
from schedlib.pictures import style

PLACE = 5.32


def _hourly(source, batch, counts):
    jobs = np.concatenate(([batch], counts))
    return pd.DataFrame({"source": source, "hour": np.arange(-1, len(counts)), "jobs": jobs})


def fig6_model(seed: int) -> pd.DataFrame:
    """A draw of the fitted model, as in the synthetic month of that seed: `source, hour, jobs`.

    The row of hour -1 has the batch, which was there before the trace began.
    """
    (random,) = streams(seed, "month arrivals")
    return _hourly("model", BATCH, GOOGLE_ARRIVALS.draw(HOURS, JOBS - BATCH, random))


def fig6(seed: int) -> pd.DataFrame:
    """Jobs submitted in each hour of Google's trace (`source` "Google"), with `fig6_model`'s draw below."""
    return pd.concat([_hourly("Google", *google_counts()), fig6_model(seed)], ignore_index=True)


def fig7(shrink: int, seed: int) -> pd.DataFrame:
    """The share of each class among the jobs of each day of the synthetic month: `day, job_class, share`."""
    jobs = synthetic_month(shrink, seed)[2].jobs
    day, job_class = (jobs["submit"] // 24).astype(int), jobs["class"].astype(int) + 1
    shares = pd.crosstab(day.rename("day"), job_class.rename("job_class"), normalize="index")
    return shares.reset_index().melt("day", value_name="share")


EXPERIMENTS = (
    Experiment("lotes.fig6", "Jobs arriving in each hour of the Google trace", fig6, **ONCE,
               missing=no_google_table, data_files=google_files),
    Experiment("lotes.fig6-model", "Jobs arriving in each hour of the fitted model", fig6_model, **ONCE),
    Experiment("lotes.fig7", "The drifting mix of the synthetic month", fig7, scales([{"shrink": 40}]),
               scales(1)),
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


def _alt_fig6(frame):
    words = []
    for source, jobs in frame[frame["hour"] >= 0].set_index("hour").groupby("source")["jobs"]:
        mean = f"{jobs.mean():.0f} an hour on average"
        words.append(f"{SOURCES[source]}: {mean}, at most {jobs.max()} in hour {jobs.idxmax()}")
    return f"Line chart of jobs arriving in each hour of 29 days. {'; '.join(words)}."


MODEL = ("a log-normal AR(1) with cycles of a week, a day and four hours, fitted to the trace's whole hours "
         "by maximum likelihood. It has no burst like the trace's of hours 414 to 431")


def _caption_fig6(frame):
    google = frame[frame["source"] == "Google"]
    return (f"Jobs arriving in each hour of Google's clusterdata-2011-2, {google['jobs'].sum():,} in all, of "
            f"which {google.loc[google['hour'] < 0, 'jobs'].sum():,} were there before the trace began and "
            "are not drawn: the paper's Fig. 6 (extended version). The first and the last hour are not "
            f"whole. Below, {MODEL}. Data: Google, CC-BY 4.0.")


def _alt_fig7(frame):
    second = frame.loc[frame["job_class"] == 2, "share"]
    return (f"Line chart of the daily share of {frame['job_class'].nunique()} classes over "
            f"{frame['day'].nunique()} days; class 2 between {second.min():.2f} and {second.max():.2f}.")


FIGURES = (
    Figure("lotes.fig6", "lotes.fig6", plot_fig6, _caption_fig6, _alt_fig6),
    Figure("lotes.fig6-model", "lotes.fig6-model", plot_fig6,
           f"Jobs arriving in each hour of a synthetic month: a draw from {MODEL}.", _alt_fig6),
    Figure("lotes.fig7", "lotes.fig7", plot_fig7,
           "The mix of classes in the synthetic month, day by day. The paper's Fig. 7 shows that of Google's "
           "jobs, which also drifts.", _alt_fig7),
)

CLAIMS = (
    claim("mix", "Section 5.3.2; Fig. 7", "The proportions of the classes change heavily over the month",
          None, None, reason="the tasks' demands may not be shipped, and the synthetic month's mix drifts by "
          "construction"),
)
