"""The leaderboard as a figure: means with intervals, best on top, and below them those who broke a rule."""

import numpy as np
import pandas as pd
from matplotlib import ticker
from matplotlib.figure import Figure

from schedlib.pictures import style

APART = 8  # a factor between means above which the axis is logarithmic


def _shown(board: pd.DataFrame, metric) -> pd.DataFrame:
    known = list(dict.fromkeys(board["metric"]))
    if metric is not None and metric not in known:
        raise ValueError(f"metric: {metric!r}; this board has {', '.join(map(repr, known))}")
    return board[board["metric"] == (metric or known[0])].reset_index(drop=True)


def _label(policy) -> str:
    return style.look(policy).label


def plot(board: pd.DataFrame, metric: str | None = None, size=None) -> Figure:
    """Draw a board: a policy a line, best on top, mean and 95 % interval over the seeds, and the paired difference to the best.

    `metric`: one of the board's, the first unless told. Who broke a rule stands below, with its first word. The axis is logarithmic
    when the means are apart by more than a factor of 8. Returns a matplotlib Figure; ValueError on an unknown metric.
    """
    rows = _shown(board, metric)
    figure, ax = style.subplots(size=size or (7.6, 0.9 + 0.42 * len(rows)))
    numbers = rows["mean"].dropna()
    wide = len(numbers) > 1 and numbers.min() > 0 and numbers.max() > APART * numbers.min() and not (rows["low"] <= 0).any()
    for line, row in rows.iterrows():
        look = style.look(row["policy"])
        if np.isfinite(row["mean"]):
            bar = [[row["mean"] - row["low"]], [row["high"] - row["mean"]]] if np.isfinite(row["low"]) else None
            face = look.color if row["broke"] == "" else "none"
            ax.errorbar(row["mean"], line, xerr=bar, color=look.color, marker=look.marker, markersize=7, capsize=4, markerfacecolor=face)
        else:
            ax.text(0.02, line, "no result", transform=ax.get_yaxis_transform(), va="center", style="italic", color="#555555")
        ax.text(1.02, line, _remark(row), transform=ax.get_yaxis_transform(), va="center")
    if wide:
        ax.set_xscale("log")
        ax.xaxis.set_major_locator(ticker.LogLocator(subs=(1, 2, 5)))
        ax.xaxis.set_major_formatter(ticker.FuncFormatter(lambda value, _: f"{value:,.10g}"))
        ax.xaxis.set_minor_locator(ticker.NullLocator())
    ax.set_yticks(range(len(rows)), [_label(policy) for policy in rows["policy"]])
    ax.set(xlabel=f"{rows['metric'][0]}, {'lower' if rows['better'][0] == 'low' else 'higher'} is better", ylim=(len(rows) - 0.5, -0.5))
    ax.text(1.02, -0.75, "less the best's", transform=ax.get_yaxis_transform(), va="center", color="#555555")
    return figure


def _remark(row) -> str:
    if row["broke"]:
        return f"broke: {row['broke'].partition(':')[0]}"
    if pd.isna(row["rank"]):
        return ""
    if row["rank"] == 1:
        return "best"
    if not np.isfinite(row["difference_low"]):
        return _signed(row["difference"])
    return f"{_signed(row['difference'])}  [{_signed(row['difference_low'])}, {_signed(row['difference_high'])}]"


def _signed(value) -> str:
    """A difference with its sign in three digits, larger ones in whole units.

    >>> _signed(0.12345), _signed(-12345.6)
    ('+0.123', '-12,346')
    """
    return f"{value:+,.0f}" if abs(value) >= 100 else f"{value:+.3g}"


def alt_text(board: pd.DataFrame, metric: str | None = None) -> str:
    """A board in words, for those who do not see the figure."""
    rows = _shown(board, metric)
    ranked = [f"{_label(row['policy'])} {row['mean']:.4g}" for _, row in rows[rows["rank"].notna()].iterrows()]
    broken = [f"{_label(row['policy'])} ({row['broke'].partition(':')[0]})" for _, row in rows[rows["broke"] != ""].iterrows()]
    text = f"Leaderboard by {rows['metric'][0]} over {rows['seeds'][0]} seeds, best first: {', '.join(ranked) or 'nobody'}."
    return text + (f" Broke a rule: {', '.join(broken)}." if broken else "")
