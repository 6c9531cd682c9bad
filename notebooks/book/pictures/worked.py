"""Worked pictures of two ideas, with numbers for a pencil: prices, column generation."""

import numpy as np
from matplotlib.figure import Figure

from schedlib.plots import style

BINS = ((2, 1), (1, 2), (0, 4))
DEMAND = (3, 2)
CORES = 8
MACHINES = 30


def plot_prices() -> Figure:
    """Duality in chapter 2's toy: every price of a core gives a bound on the rate, and the least is reached.

    The pool has 40 cores and 80 GB. A job of each class together take 3 cores and 5 GB, and are to cost 2: a mean job costs 1.

    >>> plot_prices().alt.split(":")[0]
    'A line of bounds over the price of a core'
    """
    core = np.linspace(0, 2 / 3, 50)
    memory = (2 - 3 * core) / 5
    bound = 40 * core + 80 * memory
    figure, ax = style.subplots(size=(6.6, 3.4))
    ax.fill_between(
        core, 0, bound.min(), color=style.BLUE, alpha=0.15, label="rates that the pool sustains"
    )
    ax.plot(core, bound, color=style.BLACK, label="cost of the whole pool: a bound")
    ax.plot(
        core[-1], bound[-1], "o", color=style.VERMILLION, label=r"the least: $\lambda^* = 80/3$"
    )
    ax.set(
        xlabel="price of a core (the rest of a mean job's cost is memory)",
        ylabel="jobs an hour",
        ylim=(0, 40),
    )
    ax.legend(loc="lower left")
    figure.alt = (
        f"A line of bounds over the price of a core: it falls from {bound[0]:.0f} jobs an hour, "
        f"where only memory costs, to {bound[-1]:.1f}, where only cores cost. "
        "The pool sustains just that rate."
    )
    return figure


def plot_column_generation() -> Figure:
    """Column generation on chapter 3's thirty machines, in two rounds: what each bin is worth at the prices.

    Round 1 has the bin (2, 1) alone and sustains 60 jobs: class 2 limits it, so only its jobs have a price.
    Round 2 has (0, 4) as well and sustains 96. No bin is worth more than those at hand, so it ends.

    >>> len(plot_column_generation().axes)
    2
    """
    figure, axes = style.subplots(1, 2, size=(8, 3.2))
    rounds = (
        ("round 1: prices 0 and 1, rate 60", (0, 1), [0]),
        ("round 2: prices 3 and 2, rate 96", (3, 2), [0, 2]),
    )
    sentences = []
    for ax, (title, prices, at_hand) in zip(axes, rounds, strict=True):
        worth = [int(np.dot(mix, prices)) for mix in BINS]
        colors = [style.BLUE if k in at_hand else style.VERMILLION for k in range(len(BINS))]
        ax.bar([str(mix) for mix in BINS], worth, color=colors)
        ax.axhline(max(worth[k] for k in at_hand), color=style.BLACK, linestyle="--")
        for place, value in enumerate(worth):
            ax.annotate(str(value), (place, value), ha="center", va="bottom")
        ax.set(
            title=title,
            xlabel="bin (blue: at hand)",
            ylabel="worth of the bin",
            ylim=(0, 1.2 * max(worth)),
        )
        values = zip(BINS, worth, strict=True)
        sentences.append(
            f"{title}: " + ", ".join(f"{mix} is worth {value}" for mix, value in values)
        )
    figure.alt = (
        f"{'; '.join(sentences)}. In round 1 the bin (0, 4) is above the dashed line and is "
        "added; in round 2 none is."
    )
    return figure
