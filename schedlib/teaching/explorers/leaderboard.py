"""The explorer of the chapter on policies of one's own: how a board settles as seeds are added."""

import ipywidgets as widgets
import pandas as pd

from schedlib.leaderboard import alt_text, plot, standings
from schedlib.pictures import style
from schedlib.teaching.explorers.explorer import Explorer, slider


def draw_seeds(runs: pd.DataFrame, seeds: int = 5, metric: str | None = None):
    """The board of the first `seeds` seeds of some runs (those that a board gives with `each=True`).

    Returns (matplotlib Figure, alt text); nothing is simulated. Raises ValueError on fewer than one seed.
    """
    known = sorted(runs["seed"].unique())
    if seeds < 1:
        raise ValueError(f"seeds: {seeds}, must be at least 1")
    metric = metric or runs["metric"].iloc[0]
    board = standings(runs[(runs["metric"] == metric) & runs["seed"].isin(known[:seeds])])
    figure = plot(board)
    ax, (low, high) = figure.axes[0], _reach(runs, metric)
    figure.set_layout_engine("none")  # fixed margins: quicker, and nothing jumps when intervals change
    left = 0.03 + 0.0115 * max(len(style.look(policy).label) for policy in board["policy"])
    bottom = 0.5 / figure.get_figheight()
    ax.set_position([left, bottom, 0.7 - left, 0.9 - bottom])
    if low < high:
        ax.set_xlim(low, high)
    return figure, alt_text(board)


def _reach(runs, metric):
    """The same axis whatever the number of seeds: all values of single runs, with a margin; intervals of few seeds go beyond."""
    values = runs.loc[runs["metric"] == metric, "value"].dropna()
    low, high = values.min(), values.max()
    return low - 0.1 * (high - low), high + 0.1 * (high - low)


def seeds(runs: pd.DataFrame):
    """A slider for the number of seeds, a menu of metrics, and the board that they give."""
    most = runs["seed"].nunique()
    metrics = list(dict.fromkeys(runs["metric"]))
    controls = {
        "seeds": slider(min(3, most), 1, most, text="seeds"),
        "metric": widgets.Dropdown(options=metrics, value=metrics[0], description="metric"),
    }
    height = 110 + 45 * runs["policy"].nunique()
    return Explorer(lambda seeds, metric: draw_seeds(runs, seeds, metric), controls, height)
