"""The explorer of the HMHS chapter: a batch's Gantt chart, and its distance to the bound."""

import functools
from typing import Any

from book.explorers import Explorer, Picture, Question, labelled, menu, slider
from schedlib import hmhs, plots
from schedlib.hmhs.priced import priced
from schedlib.plots import style

POLICIES = ("hmhs", "r-hmhs", "fifo-pri", "fifo", "priced")


@functools.lru_cache(maxsize=256)
def _schedules(jobs, slow, seed):
    """Each policy's schedule of an instance, and its bounds."""
    instance = hmhs.single(jobs, seed, machines=(8, 8), slow=slow / 100)
    bounds = hmhs.bounds(instance)
    return {
        name: priced(instance, bounds) if name == "priced" else hmhs.schedule(instance, name)
        for name in POLICIES
    }, bounds


def draw(jobs: int = 8, slow: int = 0, policy: str = "hmhs", seed: int = 1) -> Picture:
    """The Gantt chart of `policy` on `jobs` jobs of the single workload and 8 + 8 machines, `slow` % slow.
    The time axis is the same for all policies and all shares of slow machines."""
    schedules, bounds = _schedules(jobs, slow, seed)
    slowest, _ = _schedules(jobs, 100, seed)
    plans = [*schedules.values(), *slowest.values()]
    longest = max(schedule.makespan for schedule in plans)
    figure = plots.gantt(
        schedules[policy],
        bound=bounds.best,
        until=1.02 * longest,
        unit="s",
        first=1,
        size=(4.4, 5.0),  # as wide as a phone
    )
    figure.set_layout_engine("none")  # that of the book's style takes half of the time of a move
    (ax,) = figure.axes
    ax.set_position((0.22, 0.2, 0.73, 0.69))
    ax.set_title(ax.get_title().replace(", ", "\n", 1), fontsize=10)
    if legend := ax.get_legend():
        handles: Any = legend.legend_handles
        figure.legend(handles=handles, loc="lower center", ncols=4, handlelength=1)
        legend.remove()
    for name in ax.texts:
        name.set_fontsize(10)
    chart = f"Gantt chart of {jobs} jobs under {style.look(policy).label} with {slow} per cent slow machines"
    return (
        figure,
        f"{chart}: makespan {schedules[policy].makespan:.0f} s, lower bound {bounds.best:.0f} s.",
    )


def explorer() -> Explorer:
    """Sliders for the number of jobs and the share of slow machines, a menu of policies, and their chart."""
    controls = {
        "jobs": slider(8, 1, 30, text="jobs"),
        "seed": slider(1, 0, 9, text="seed"),
        "slow": slider(0, 0, 100, 25, text="slow machines (%)"),
        "policy": menu(labelled(POLICIES), text="policy"),
    }
    page = {"jobs": (2, 4, 8, 12, 20), "seed": (1, 3, 5), "slow": (0, 50, 100)}
    question = Question(
        "All machines are fast now. Let half of them be slow: what will HMHS's makespan be?",
        {"jobs": 8, "seed": 1, "slow": 50, "policy": "hmhs"},
        lambda jobs, seed, slow, policy: _schedules(jobs, slow, seed)[0][policy].makespan,
        (0, 2000, 10),
        "s",
    )
    return Explorer(draw, controls, height=500, page=page, question=question)
