"""The explorer of the chapter on policies of one's own: how a board settles as seeds are added."""

import pandas as pd

from schedlib.leaderboard import alt_text, plot, standings
from schedlib.pictures import style
from schedlib.teaching.explorers import Explorer, Picture, menu, slider


def draw_seeds(runs: pd.DataFrame, seeds: int = 5, metric: str | None = None) -> Picture:
    """The board of the first `seeds` seeds of these runs (which a board gives with `each=True`). The axis has
    room for all values of single runs, whatever the number of seeds. Returns (matplotlib Figure, alt text);
    nothing is simulated. Raises ValueError on fewer than one seed."""
    if seeds < 1:
        raise ValueError(f"seeds: {seeds}, must be at least 1")
    metric = metric or runs["metric"].iloc[0]
    runs = runs[runs["metric"] == metric]
    first = sorted(runs["seed"].unique())[:seeds]
    board = standings(runs[runs["seed"].isin(first)])
    figure = plot(board)
    # fixed margins: quicker, and nothing jumps when intervals change
    figure.set_layout_engine("none")
    labels = [style.look(policy).label for policy in board["policy"]]
    left = 0.03 + 0.0115 * max(map(len, labels))
    bottom = 0.5 / figure.get_figheight()
    figure.axes[0].set_position((left, bottom, 0.7 - left, 0.9 - bottom))
    low = runs["value"].min()
    high = runs["value"].max()
    if low < high:
        margin = 0.1 * (high - low)
        figure.axes[0].set_xlim(low - margin, high + margin)
    return figure, alt_text(board)


def seeds(runs: pd.DataFrame) -> Explorer:
    """A slider for the number of seeds, a menu of metrics, and the board that they give."""
    most = runs["seed"].nunique()
    controls = {
        "seeds": slider(min(3, most), 1, most, text="seeds"),
        "metric": menu(list(runs["metric"].unique()), text="metric"),
    }
    height = 110 + 45 * runs["policy"].nunique()
    return Explorer(lambda seeds, metric: draw_seeds(runs, seeds, metric), controls, height)
