"""The leaderboard as a figure: means with intervals, best on top, and below them those who broke a rule."""

from typing import Any

import numpy as np
import pandas as pd
from matplotlib import ticker
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from schedlib.core.checks import unknown
from schedlib.pictures import style

APART = 8  # a factor between means above which the axis is logarithmic
GREY = "#555555"
Size = tuple[float, float] | None


def _shown(board: pd.DataFrame, metric: str | None) -> pd.DataFrame:
    known = list(dict.fromkeys(board["metric"]))
    if metric is not None and metric not in known:
        raise unknown("metric", metric, known)
    return board[board["metric"] == (metric or known[0])].reset_index(drop=True)


def plot(board: pd.DataFrame, metric: str | None = None, size: Size = None, ax: Axes | None = None) -> Figure:
    """Draw a board: a line per policy, best on top: mean, 95 % interval and paired difference to the best.
    `metric` is one of the board's, the first by default. Who broke a rule stands below. The axis is
    logarithmic when means are apart by more than a factor of 8. Returns a matplotlib Figure, of `size` in
    inches, or that of `ax`. ValueError on an unknown metric."""
    rows = _shown(board, metric)
    axes: Any = ax or style.subplots(size=size or (7.6, 0.9 + 0.42 * len(rows)))[1]
    means, beside = rows["mean"].dropna(), {"transform": axes.get_yaxis_transform(), "va": "center"}
    for line, row in rows.iterrows():
        look = style.look(row["policy"])
        mean, low, high = row[["mean", "low", "high"]].astype(float)
        if np.isfinite(mean):
            bar = [[mean - low], [high - mean]] if np.isfinite(low) else None
            axes.errorbar(mean, line, xerr=bar, marker=look.marker, markersize=7, capsize=4, color=look.color,
                          markerfacecolor="none" if row["broke"] else look.color)
        else:
            axes.text(0.02, line, "no result", style="italic", color=GREY, **beside)
        axes.text(1.02, line, _remark(row), **beside)
    apart = len(means) > 1 and means.min() > 0 and means.max() > APART * means.min()
    if apart and not (rows["low"] <= 0).any():
        axes.set_xscale("log")
        axes.xaxis.set_major_locator(ticker.LogLocator(subs=(1, 2, 5)))
        axes.xaxis.set_major_formatter(ticker.FuncFormatter(lambda value, _: f"{value:,.10g}"))
        axes.xaxis.set_minor_locator(ticker.NullLocator())
    axes.set_yticks(range(len(rows)), [style.look(policy).label for policy in rows["policy"]])
    better = "lower" if rows["better"][0] == "low" else "higher"
    axes.set(xlabel=f"{rows['metric'][0]}, {better} is better", ylim=(len(rows) - 0.5, -0.5))
    axes.text(1.02, -0.75, "less the best's", color=GREY, **beside)
    return axes.figure


def _kind(broke: str) -> str:
    """The rule's name, with which the sentence on it begins."""
    return broke.partition(":")[0]


def _remark(row: pd.Series) -> str:
    if row["broke"]:
        return f"broke: {_kind(row['broke'])}"
    if pd.isna(row["rank"]) or row["rank"] == 1:
        return "" if pd.isna(row["rank"]) else "best"
    interval = f"  [{_signed(row['difference_low'])}, {_signed(row['difference_high'])}]"
    return _signed(row["difference"]) + (interval if np.isfinite(row["difference_low"]) else "")


def _signed(value: float) -> str:
    """A difference with its sign in three digits, larger ones in whole units.

    >>> _signed(0.12345), _signed(-12345.6)
    ('+0.123', '-12,346')
    """
    return f"{value:+,.0f}" if abs(value) >= 100 else f"{value:+.3g}"


def alt_text(board: pd.DataFrame, metric: str | None = None) -> str:
    """A board in words, for those who do not see the figure."""
    rows = _shown(board, metric)
    rows = rows.assign(label=[style.look(policy).label for policy in rows["policy"]])
    ranked = [f"{row['label']} {row['mean']:.4g}" for _, row in rows[rows["rank"].notna()].iterrows()]
    broken = [f"{row['label']} ({_kind(row['broke'])})" for _, row in rows[rows["broke"] != ""].iterrows()]
    text = f"Leaderboard by {rows['metric'][0]} over {rows['seeds'][0]} seeds, best first"
    rules = f" Broke a rule: {', '.join(broken)}." if broken else ""
    return f"{text}: {', '.join(ranked) or 'nobody'}.{rules}"
