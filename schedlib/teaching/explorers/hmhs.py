"""The explorer of the HMHS chapter: jobs, machines and policy in, a Gantt chart and the distance to the bound out."""

import functools

import ipywidgets as widgets

from schedlib import hmhs
from schedlib.hmhs.priced import priced
from schedlib.pictures import style
from schedlib.pictures.gantt import plot_gantt
from schedlib.teaching.explorers.explorer import Explorer, slider

POLICIES = ("hmhs", "r-hmhs", "fifo-pri", "fifo", "priced")


@functools.lru_cache(maxsize=256)
def _instance(jobs, slow, seed):
    instance = hmhs.single(jobs, seed, machines=(8, 8), slow=slow / 100)
    found = hmhs.bounds(instance)
    longest = max(_schedule(instance, found, name).makespan for name in POLICIES)
    return instance, found, longest


def _schedule(instance, found, policy):
    return priced(instance, found) if policy == "priced" else hmhs.schedule(instance, policy)


def draw(jobs: int = 8, slow: int = 0, policy: str = "hmhs", seed: int = 1):
    """The Gantt chart of `policy` on `jobs` jobs of the single workload and 8 + 8 machines, `slow` % of them slow.

    Returns (matplotlib Figure, alt text). The time axis is the same for all policies on one instance.
    """
    instance, found, longest = _instance(jobs, slow, seed)
    done = _schedule(instance, found, policy)
    alt = (
        f"Gantt chart of {jobs} jobs under {style.look(policy).label} with {slow} per cent slow machines: makespan "
        f"{done.makespan:.0f} s, lower bound {found.best:.0f} s."
    )
    figure = plot_gantt(done, bound=found.best, until=1.02 * longest, size=(8.0, 4.2))
    figure.set_layout_engine("none")  # that of the book's style takes half of the time of a move
    figure.axes[0].get_gridspec().update(left=0.085, right=0.87 if figure.legends else 0.98, bottom=0.115, top=0.925, hspace=0.08)
    return figure, alt


def explorer():
    """Sliders for the number of jobs and the share of slow machines, a menu of policies, and the chart they give."""
    names = [(style.look(name).label, name) for name in POLICIES]
    controls = {
        "jobs": slider(8, 1, 30, text="jobs"),
        "slow": slider(0, 0, 100, 25, text="slow machines (%)"),
        "policy": widgets.Dropdown(options=names, value="hmhs", description="policy"),
        "seed": slider(1, 0, 9, text="seed"),
    }
    return Explorer(draw, controls)
