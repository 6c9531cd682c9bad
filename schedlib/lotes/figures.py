"""Every LoTES figure: a tidy frame in, a picture out. Nothing here simulates."""

import pandas as pd

from schedlib import style
from schedlib.experiment import Figure


def plot_fig6(frame: pd.DataFrame):
    """Jobs arriving in each hour of the month (the extended version's Fig. 6)."""
    during = frame[frame["hour"] >= 0]
    figure, ax = style.subplots(size=(8.0, 3.4))
    ax.plot(during["hour"] / 24, during["jobs"], color=style.BLUE, linewidth=0.9)
    ax.set(xlabel="time since the trace began (days)", ylabel="jobs arriving in the hour", ylim=(0, None), xlim=(0, 29.1))
    return figure


def _alt_fig6(frame):
    during = frame[frame["hour"] >= 0]
    peak = during.loc[during["jobs"].idxmax()]
    return (
        f"Line chart of jobs arriving in each of {len(during)} hours: {during['jobs'].mean():.0f} an hour on average, at most "
        f"{peak['jobs']} in hour {peak['hour']}."
    )


FIGURES = (
    Figure(
        "lotes.fig6",
        "lotes.fig6",
        plot_fig6,
        lambda frame: f"Jobs arriving in each hour of Google's clusterdata-2011-2, {frame['jobs'].sum():,} in all, of which "
        f"{frame.loc[frame['hour'] < 0, 'jobs'].sum():,} were there before the trace began and are not drawn. The paper's Fig. 6 "
        "(extended version). Data: Google, CC-BY 4.0.",
        _alt_fig6,
    ),
)
