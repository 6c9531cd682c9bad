"""The explorer of the HMHS chapter: a batch's Gantt chart, and its distance to the bound."""

from dataclasses import replace
from typing import Any

from book.explorers import Explorer, Picture, Question, labelled, menu, slider
from schedlib import hmhs, plots
from schedlib.plots import style

POLICIES = ("hmhs", "r-hmhs", "fifo-pri", "fifo", "priced")
LAST = 2.75  # the end of the axis, in lower bounds: room for the worst plan of all settings


def _plan(jobs, slow, policy, seed):
    """The schedule with the lower bound as the unit of time, and the bound (s)."""
    instance = hmhs.single(jobs, seed, machines=(8, 8), slow=slow / 100)
    bound = hmhs.lower_bound(instance)
    times = {"map_time": instance.map_time / bound, "reduce_time": instance.reduce_time / bound}
    return hmhs.schedule(replace(instance, **times), policy), bound


def draw(jobs: int = 8, slow: int = 0, policy: str = "hmhs", seed: int = 1) -> Picture:
    """The Gantt chart of `policy` on `jobs` jobs of the single workload and 8 + 8 machines, `slow` % slow.
    Time is in units of the lower bound, so that the axis is the same for all settings."""
    plan, bound = _plan(jobs, slow, policy, seed)
    figure = plots.gantt(
        plan,
        bound=1.0,
        until=LAST,
        unit="lower bound = 1",
        first=1,
        size=(4.4, 5.0),  # as wide as a phone
    )
    figure.set_layout_engine("none")  # that of the book's style takes half of the time of a move
    (ax,) = figure.axes
    ax.set_position((0.22, 0.2, 0.73, 0.69))
    label = style.look(policy).label
    makespan = f"makespan {plan.makespan * bound:,.0f} s"
    above = f"{100 * (plan.makespan - 1):.0f} % above the bound of {bound:,.0f} s"
    ax.set_title(f"{label}: {makespan}\n{above}", fontsize=10)
    if legend := ax.get_legend():
        handles: Any = legend.legend_handles
        figure.legend(handles=handles, loc="lower center", ncols=4, handlelength=1)
        legend.remove()
    for name in ax.texts:
        name.set_fontsize(10)
    chart = f"Gantt chart of {jobs} jobs under {label} with {slow} per cent slow machines"
    return figure, f"{chart}: {makespan}, {above}."


def explorer() -> Explorer:
    """Sliders for the number of jobs and the share of slow machines, a menu of policies, and their chart."""
    controls = {
        "jobs": slider(8, 2, 30, text="jobs"),
        "seed": slider(1, 0, 9, text="seed"),
        "slow": slider(0, 0, 100, 25, text="slow machines (%)"),
        "policy": menu(labelled(POLICIES), text="policy"),
    }
    page = {"jobs": (2, 4, 8, 12, 20), "seed": (1, 3, 5), "slow": (0, 50, 100)}
    question = Question(
        "No machine is slow now. Let all be slow, and take FIFO: at how many times the lower bound does it end?",
        {"jobs": 8, "seed": 1, "slow": 100, "policy": "fifo"},
        lambda **setting: _plan(**setting)[0].makespan,
        (1, 3, 0.05),
        "times the bound",
    )
    return Explorer(draw, controls, height=500, page=page, question=question)
