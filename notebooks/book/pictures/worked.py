"""Worked pictures of three ideas, with numbers for a pencil: prices, column generation, a search tree."""

import numpy as np
from matplotlib.figure import Figure

from schedlib.plots import style

BINS = ((2, 1), (1, 2), (0, 4))
DEMAND = (3, 2)
CORES = 8
MACHINES = 30
JOBS = ((1, 5), (2, 2), (3, 7), (4, 1), (5, 3), (6, 6))  # (arrival, size), sizes below 8


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


def _tree(jobs, low, high):
    """A job and its two subtrees: the earliest on top, the others by the half of the sizes they lie in."""
    if not jobs:
        return None
    top, *rest = sorted(jobs)
    middle = (low + high) / 2
    halves = [job for job in rest if job[1] < middle], [job for job in rest if job[1] >= middle]
    return top, low, _tree(halves[0], low, middle), _tree(halves[1], middle, high)


def plot_search_tree(room: float = 3) -> Figure:
    """A priority search tree of six waiting jobs, and what a machine with so much `room` (0 to 8) looks at.

    On top of each subtree is its earliest job; below it small sizes lie left and large ones right. A subtree
    whose sizes are all too large is skipped whole, and so is one that comes after a job that fits.

    >>> plot_search_tree(3).alt.split(".")[0]
    'A tree of six waiting jobs; a machine with room for 3 takes job 2'
    """
    figure, ax = style.subplots(size=(7, 3))
    chosen, looked = None, 0

    def search(node):
        nonlocal chosen, looked
        if node is None or node[1] > room or (chosen and node[0] > chosen):
            return
        looked += 1
        if node[0][1] <= room:
            chosen = node[0]
            return
        search(node[2])
        search(node[3])

    def draw(node, x, y, step):
        if node is None:
            return
        (arrival, size), low, *children = node
        color = style.VERMILLION if node[0] == chosen else "#888888" if low > room else style.BLUE
        for child, side in zip(children, (-1, 1), strict=True):
            if child:
                ax.plot([x, x + side * step], [y, y - 1], color="#888888", zorder=1)
                draw(child, x + side * step, y - 1, step / 2)
        ax.text(
            x,
            y,
            f"job {arrival}\nsize {size}",
            ha="center",
            va="center",
            color="white",
            zorder=2,
            bbox={"boxstyle": "round", "facecolor": color, "edgecolor": "none"},
        )

    tree = _tree(JOBS, 0, 8)
    search(tree)
    draw(tree, 0, 0, 2)
    ax.set(xlim=(-4, 4), ylim=(-3.5, 0.6))
    ax.axis("off")
    took = f"takes job {chosen[0]}" if chosen else "takes none"
    figure.alt = (
        f"A tree of six waiting jobs; a machine "
        f"with room for {room:g} {took}. It looks at {looked} of "
        "them, and skips whole subtrees of jobs that are too large (grey) or come later."
    )
    return figure
