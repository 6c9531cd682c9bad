"""The explorer of the chapter on your own policies: a board that settles as seeds are added."""

import functools

from pandas import DataFrame

from book.explorers import Explorer, Picture, menu, slider
from schedlib.boards import alt_text, plot, standings
from schedlib.plots import style


def draw_seeds(runs: DataFrame, seeds: int = 5, metric: str | None = None) -> Picture:
    """The board of the first `seeds` seeds of these runs (which a board gives with `each=True`). The axis has
    room for all values of single runs, whatever the number of seeds. Returns (matplotlib Figure, alt text);
    nothing is simulated. Raises ValueError on fewer than one seed."""
    if seeds < 1:
        raise ValueError(f"seeds: {seeds}, must be at least 1")
    metric = metric or runs["metric"].iloc[0]
    runs = runs[runs["metric"] == metric]
    every = sorted(runs["seed"].unique())
    first = runs["seed"].isin(every[:seeds])
    board = standings(runs[first])
    figure = plot(board)
    # fixed margins: quicker, and nothing jumps when intervals change
    figure.set_layout_engine("none")
    labels = [style.look(policy).label for policy in board["policy"]]
    longest = max(map(len, labels))
    left = 0.05 + 0.0185 * longest
    height = 1.1 + 0.55 * len(board)
    figure.set_size_inches(4.4, height)  # as wide as a phone
    ax = figure.axes[0]
    ax.set_position((left, 0.5 / height, 0.96 - left, 1 - 1.1 / height))
    for text in ax.texts:  # above the lines that they speak of
        text.set(x=1, y=text.get_position()[1] - 0.3, ha="right")
    low = runs["value"].min()
    high = runs["value"].max()
    margin = 0.1 * (high - low)
    if margin > 0:
        ax.set_xlim(low - margin, high + margin)
    return figure, alt_text(board)


def seeds(runs: DataFrame) -> Explorer:
    """A slider for the number of seeds, a menu of metrics, and the board that they give."""
    most = runs["seed"].nunique()
    metrics = list(runs["metric"].unique())
    controls = {
        "seeds": slider(min(3, most), 1, most, text="seeds"),
        "metric": menu(metrics, text="metric"),
    }
    policies = runs["policy"].nunique()
    draw = functools.partial(draw_seeds, runs)
    return Explorer(draw, controls, height=110 + 55 * policies)
