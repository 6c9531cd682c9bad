"""Two pictures of queues: the steps of a queue with several servers, and what a new job finds in service."""

import numpy as np
from matplotlib.figure import Figure

from schedlib.plots import style

SERVICES = (1, 1, 1, 1, 1, 1, 1, 1, 1, 21)  # nine short ones and a long one; their mean is 3


def plot_chain(servers: int = 3, most: int = 6) -> Figure:
    """The numbers of jobs with `servers` servers, from 0 to `most`, and the rates of the steps between them.

    >>> plot_chain(2).alt.split(".")[0]
    'A row of circles, 0 to 6 jobs'
    """
    figure, ax = style.subplots(size=(7.5, 2.2))
    arrow = {"arrowstyle": "->", "shrinkA": 14, "shrinkB": 14}
    for jobs in range(most + 1):
        full = jobs >= servers
        ax.plot(jobs, 0, "o", markersize=26, color=style.VERMILLION if full else style.BLUE)
        ax.text(jobs, 0, str(jobs), ha="center", va="center", color="white", fontweight="bold")
        if jobs == most:
            continue
        busy = min(jobs + 1, servers)
        for start, end in ((jobs, jobs + 1), (jobs + 1, jobs)):
            bend = arrow | {"connectionstyle": "arc3,rad=-0.5"}
            ax.annotate("", (end, 0), (start, 0), arrowprops=bend)
        ax.text(jobs + 0.5, 0.32, r"$\lambda$", ha="center")
        ax.text(jobs + 0.5, -0.48, rf"${busy if busy > 1 else ''}\mu$", ha="center")
    ax.text(most + 0.55, 0, "...", va="center")
    ax.set(xlim=(-0.5, most + 1), ylim=(-0.8, 0.8))
    ax.axis("off")
    figure.alt = (
        f"A row of circles, 0 to {most} jobs. Each step to the right has the rate lambda. Steps to the "
        f"left have the rates mu, 2 mu and so on up to {servers} mu, where all {servers} servers work; "
        "with so many jobs or more, in orange, a new job waits."
    )
    return figure


def plot_remainder() -> Figure:
    """Services in a row, nine short ones and a long one, and a few moments at random: most meet the long one.

    >>> plot_remainder().alt.split(".")[0]
    'Ten services in a row, nine of 1 and one of 21'
    """
    figure, ax = style.subplots(size=(7.5, 1.9))
    order = [*SERVICES[:4], SERVICES[-1], *SERVICES[4:-1]]
    ends = np.cumsum(order)
    for length, end in zip(order, ends, strict=True):
        colour = style.VERMILLION if length > 1 else style.BLUE
        ax.barh(0, length, left=end - length, color=colour, edgecolor="white")
    total = int(ends[-1])
    arrivals = np.arange(1.5, total, 3.0)
    ax.plot(arrivals, np.full(arrivals.size, 0.75), "v", color=style.BLACK)
    within = (arrivals > 4) & (arrivals < 25)
    met = arrivals[within][2]
    ax.plot([met, met], [-0.4, 0.7], color=style.BLACK)
    ax.annotate("", (25, 0), (met, 0), arrowprops={"arrowstyle": "<->", "color": "white"})
    ax.text((met + 25) / 2, 0.08, "what is left", ha="center", color="white")
    ax.set(xlabel="time", xlim=(0, total), ylim=(-0.5, 1.1), yticks=[])
    ax.grid(visible=False)
    share = SERVICES[-1] / total
    figure.alt = (
        f"Ten services in a row, nine of 1 and one of 21. Of {arrivals.size} jobs that come at even "
        f"moments {within.sum()} meet the long service: it has {100 * share:.0f} % of the time."
    )
    return figure
