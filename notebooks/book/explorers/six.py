"""The explorer of our six jobs, on the first page and in chapters 1b and 1c: who waits, with these servers and this order?"""

from collections.abc import Sequence

import ipywidgets as widgets

from book.explorers import Explorer, Picture, Question, menu, placed, slider
from schedlib import lotes
from schedlib.plots import style

# Who is served first, by the job's number, what is left of it and how long it lasts.
ORDERS = {
    "first come, first served": lambda job, left, length: job,
    "shortest first": lambda job, left, length: (left == length, length, job),
    "shortest rest first": lambda job, left, length: (left, job),
}
LAST = 46  # the end of the axis (min)


def served(
    submit: Sequence[float], minutes: Sequence[float], servers: int, order: str
) -> list[tuple[int, float, float]]:
    """Rows of job, from, to: at each moment the servers work on the first jobs by `order` of those that are there.

    `submit`, `minutes`: when jobs come, and how long they last, in the order in which they come. `order` is one
    of `ORDERS`; only under "shortest rest first" a job is interrupted. ValueError for fewer than one server.

    >>> served([0, 1], [9, 5], 1, "shortest rest first")
    [(0, 0, 1), (1, 1, 6), (0, 6, 14)]
    """
    if servers < 1:
        raise ValueError(f"servers: {servers}, must be at least 1")
    left, rows, now = list(minutes), [], submit[0]
    while any(left):
        coming = [time for time in submit if time > now]
        here = [job for job, time in enumerate(submit) if time <= now and left[job]]
        here.sort(key=lambda job: ORDERS[order](job, left[job], minutes[job]))
        ends = [now + left[job] for job in here[:servers]]
        until = min(coming[:1] + ends)
        for job in here[:servers]:
            rows.append((job, now, until))
            left[job] -= until - now
        now = until
    return rows


def waits(servers: int, order: str, equal: bool) -> list[float]:
    """How long each of our six jobs waits, also when it is interrupted (min); `equal` as in `draw`."""
    submit, minutes = _jobs(equal)
    ends = {job: end for job, _, end in served(submit, minutes, servers, order)}
    return [ends[job] - submit[job] - minutes[job] for job in range(6)]


def mean_wait(servers: int, order: str, equal: bool) -> float:
    """Their mean (min)."""
    return sum(waits(servers, order, equal)) / 6


def _jobs(equal):
    jobs = lotes.six_jobs()
    minutes = jobs.tasks["duration"].tolist()
    return jobs.jobs["submit"].tolist(), [sum(minutes) / 6] * 6 if equal else minutes


def draw(servers: int = 1, order: str = "first come, first served", equal: bool = False) -> Picture:
    """Our six jobs on `servers` servers: how long each waits (grey) and runs; `equal`: all last their mean."""
    submit, minutes = _jobs(equal)
    mean = mean_wait(servers, order, equal)
    figure, (ax,) = placed((3.4, 2.7), (0.13, 0.2, 0.84, 0.68))
    words = []
    for job, wait in enumerate(waits(servers, order, equal)):
        ax.barh(job + 1, wait + minutes[job], left=submit[job], color="#bbbbbb")
        words.append(f"job {job + 1} waits {wait:g}")
    for job, start, end in served(submit, minutes, servers, order):
        ax.barh(job + 1, end - start, left=start, color=style.BLUE)
    ax.set(
        title=f"mean wait {mean:.3g} min",
        xlabel="time (min): waits grey, runs blue",
        xlim=(0, LAST),
        ylabel="job",
        ylim=(6.6, 0.4),
        yticks=range(1, 7),
    )
    on = f"Our six jobs on {servers} server{'s' * (servers > 1)}"
    return figure, f"{on}, {order}: mean wait {mean:.3g} min; {', '.join(words)}."


def explorer() -> Explorer:
    """A slider for servers, a menu of orders, a box for equal jobs, and how long each of our six jobs waits."""
    controls = {
        "order": menu(list(ORDERS), text="order"),
        "servers": slider(1, 1, 4, text="servers"),
        "equal": widgets.Checkbox(value=False, description="all as long as the mean", indent=False),
    }
    question = Question(
        "First come, first served, our six jobs wait 16.8 minutes on average. How long when the job with least left goes first?",
        {"servers": 1, "order": "shortest rest first", "equal": False},
        mean_wait,
        (0, 30, 0.5),
        "min",
    )
    return Explorer(draw, controls, height=280, question=question)
