"""Shared by the comparisons: the policies on one instance, HMHS's gains over its rivals, and their picture.

A gain is in per cent of the rival's makespan, and paired: on the same instance.
"""

from collections.abc import Iterable, Sequence
from functools import cache
from typing import Any

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import NullLocator
from pandas import DataFrame

from reproduce.exhibits import legend_below, only
from schedlib import traces
from schedlib.hmhs.bound import bounds
from schedlib.hmhs.model import Instance, Schedule
from schedlib.hmhs.policies import POLICIES, run
from schedlib.hmhs.priced import priced
from schedlib.hmhs.schedule import schedule
from schedlib.hmhs.workloads import hybrid, single
from schedlib.plots import style
from schedlib.plots.alt import Text, alt

WORKLOADS = {"single": single, "hybrid": hybrid}
JOBS = (25, 50, 100, 200, 400, 800)
RIVALS = ("fifo", "fifo-pri", "r-hmhs")
TITLES = {"single": "Single workload", "hybrid": "Hybrid workload", "alibaba": "Alibaba hour"}
EACH = (("fifo", 51), ("fifo", 77), ("r-hmhs", 10), ("r-hmhs", 30))
PRINTED = {"single": (*EACH, ("fifo-pri", 72)), "hybrid": (*EACH, ("fifo-pri", 55))}
"""The gains (%) that the text prints for any number of jobs: over FIFO and R-HMHS the least and the most, over
FIFO-Pri the most."""


def paper_plans(instance: Instance) -> list[Schedule]:
    """The schedules of HMHS and its three rivals; both HMHS share Min-Min's map stage."""
    hmhs = schedule(instance, "hmhs")
    return [
        hmhs,
        run(instance, POLICIES["r-hmhs"], hmhs.map),
        schedule(instance, "fifo-pri"),
        schedule(instance, "fifo"),
    ]


@cache
def pairs() -> DataFrame:
    """The hour's map-reduce pairs, read once for all points."""
    return traces.alibaba2018("mapreduce")


def makespans(instance: Instance, bounded: bool = False) -> DataFrame:
    """Makespan of each of the paper's policies: `policy, makespan`. With `bounded`, whose linear programs
    take most of the time, also of priced dispatch, and the lower bound under the name "bound"."""
    plans = paper_plans(instance)
    rows = [(plan.policy, plan.makespan) for plan in plans]
    if bounded:
        bound_on = bounds(instance)
        rows += [
            ("priced", priced(instance, bound_on, plans[0]).makespan),
            ("bound", bound_on.best),
        ]
    return DataFrame(rows, columns=["policy", "makespan"])


def against(frame: DataFrame, base: str) -> DataFrame:
    """`frame` with a column `base` that holds, in every row, the makespan of `base` on the same instance."""
    measured = {"policy", "makespan", "optimum"}
    same = [name for name in frame.columns if name not in measured]
    other = only(frame, policy=base).set_index(same)
    makespan = other["makespan"].rename(base)
    return frame.merge(makespan, on=same, validate="many_to_one")


def percent(ours, theirs):
    """By how many per cent of the other makespan ours is shorter."""
    return 100 * (1 - ours / theirs)


def gains(frame: DataFrame, rivals: Sequence[str] = RIVALS, **where: Any) -> DataFrame:
    """The rivals' rows with `gain`: by how many per cent of its makespan HMHS ends sooner; of those with `where`."""
    rows = against(only(frame, **where), "hmhs")
    gain = percent(rows["hmhs"], rows["makespan"])
    return only(rows.assign(gain=gain), policy=list(rivals))


def jobs_axis(ax: Axes, jobs: Iterable[int]) -> None:
    """A logarithmic axis of numbers of jobs, with a tick at each of them."""
    ticks = sorted(set(jobs))
    ax.set_xscale("log", base=2)
    ax.set_xticks(ticks, map(str, ticks))
    ax.xaxis.set_minor_locator(NullLocator())
    ax.set_xlabel("number of jobs")


def log_y(ax: Axes, lowest: float) -> None:
    """A logarithmic axis that ends at half the lowest mean, since an interval may reach zero."""
    ax.set(yscale="log", ylim=(lowest / 2, None))
    plain_ticks(ax)


def plain_ticks(ax: Axes) -> None:
    """Plain numbers along a logarithmic y axis, between the decades at 2 and 5."""
    ax.yaxis.set_major_formatter("{x:g}")
    ax.yaxis.set_minor_formatter(lambda value, _: f"{value:g}" if f"{value:e}"[0] in "25" else "")


def plot_makespans(frame: DataFrame, x: str = "jobs", label: str = "") -> Figure:
    """Mean makespans above and HMHS's gains below, a column for each workload."""
    workloads = frame["workload"].unique()
    size = 4.4 * len(workloads), 6.4
    figure, axes = style.subplots(2, len(workloads), size=size, squeeze=False)
    gain = gains(frame)
    lowest = min(-5, gain["gain"].min())
    for (top, bottom), name in zip(axes.T, workloads, strict=True):
        of_workload = only(frame, workload=name)
        hours = of_workload.assign(hours=of_workload["makespan"] / 3600)
        means = hours.groupby([x, "policy"], as_index=False)["hours"].mean()
        style.band(top, means, x, "hours", by="policy")
        style.band(bottom, only(gain, workload=name), x, "gain", by="policy")
        top.set(title=TITLES[name], xlabel=label, ylabel="makespan (hours)")
        log_y(top, means["hours"].min())
        bottom.set(xlabel=label, ylabel="HMHS shorter than rival by (%)", ylim=(lowest, 100))
        if x == "jobs":
            jobs_axis(top, frame["jobs"])
            jobs_axis(bottom, frame["jobs"])
            for rival, value in PRINTED.get(name, ()):
                color = style.look(rival).color
                bottom.axhline(value, 0.96, 1, color=color, linewidth=3)
    legend_below(axes[0, 0], 2 * len(workloads))
    return figure


def alt_makespans(by: Sequence[str], x: str, what: str) -> Text:
    """The alt text of such a figure, with HMHS's gains."""
    head = (
        f"Line charts of makespan and of HMHS's gain over its rivals against {what}. Mean gain (%)"
    )
    return alt(head, "gain", by, x, of=gains)
