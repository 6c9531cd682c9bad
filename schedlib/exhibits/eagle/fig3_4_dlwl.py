"""Figs. 3 and 4: Eagle against DLWL+SRPT, and what the heartbeat does to the latter."""

from functools import partial

import pandas as pd

from schedlib.exhibits.eagle import drawing
from schedlib.exhibits.eagle.comparing import WORST, Measure, claim, highest_load, margin, only, ratios
from schedlib.exhibits.eagle.running import TRACES
from schedlib.experiment import Figure
from schedlib.pictures import style

PLACE = 6.2
HEARTBEATS = ("eagle", "dlwl", "dlwl-5", "dlwl-7")


def draw_fig4(frame: pd.DataFrame):
    """Eagle, and DLWL+SRPT with heartbeats of 3, 5 and 7 s (Fig. 4)."""
    figure, ax = style.subplots(size=(6.8, 4.0))
    drawing.plot_systems(ax, only(highest_load(frame), "short", trace="google"), HEARTBEATS)
    looks = [drawing.LOOKS[name] for name in HEARTBEATS]
    drawing.legend(figure, [looks[0], looks[1]._replace(label="DLWL+SRPT, 3 s"), *looks[2:]])
    return figure


FIGURES = (
    Figure("eagle.fig3", "eagle.loads", partial(drawing.plot_against, base="dlwl"), drawing.caption(
        "Percentiles of completion times under Eagle over those under DLWL+SRPT with heartbeats of 3, 12 and "
        "7 s (the paper's Fig. 3)."), partial(drawing.alt_against, base="dlwl")),
    Figure("eagle.fig4", "eagle.loads", draw_fig4, drawing.caption(
        "What the heartbeat does to DLWL+SRPT: short jobs of Google's trace at the highest load (the paper's "
        "Fig. 4).", "google"),
        lambda frame: "Dot chart of Eagle and of DLWL+SRPT with heartbeats of 3, 5 and 7 s. "
        f"{drawing.PERCENTILES_OF} short jobs: "
        + drawing.times_in_words(only(highest_load(frame), "short", trace="google"), HEARTBEATS) + "."),
)


def _most_cases(frame):
    """The share of cases (trace, workers, percentile) with faster long jobs than under DLWL, less 3/4."""
    rows = ratios(frame, "eagle", "dlwl", "long")
    return (rows["ratio"] < 1).groupby(rows["seed"]).mean().to_numpy() - 0.75


def _heartbeat(seconds: int, p: int) -> Measure:
    """By how many per cent DLWL takes longer than with a heartbeat of 3 s."""
    pair, where = (f"dlwl-{seconds}", "dlwl"), {"trace": "google", "percentile": p}
    return lambda frame: 100 * (ratios(frame, *pair, "short", **where)["ratio"].to_numpy() - 1)


CLAIMS = (
    *(claim(f"dlwl-{trace}", "Section 6.2; Fig. 3",
            f"{trace.title()}: short jobs complete sooner than under DLWL+SRPT",
            margin("eagle", "dlwl", trace=trace), metric="1 less the ratio to DLWL+SRPT", how_read=WORST)
      for trace in TRACES),
    claim("dlwl-long", "Section 6.2; Fig. 3", "Long jobs complete sooner than under DLWL+SRPT in the vast "
          "majority of the cases", _most_cases, tolerance=0.0, metric="share of cases less 3/4",
          how_read="three quarters of the cases (trace, workers, percentile)"),
    *(claim(f"heartbeat-{seconds}-p{p}", "Section 6.2; Fig. 4", f"With a heartbeat of {seconds} s instead of "
            f"3 s, short jobs' {p}th percentile under DLWL+SRPT grows by {value} %", _heartbeat(seconds, p),
            value, check="value", unit="%", tolerance=2.5, metric="growth of the percentile",
            how_read="Google trace, highest load")
      for seconds, p, value in ((5, 90, 4.8), (5, 99, 2.2), (7, 90, 6.8), (7, 99, 4.2))),
)
