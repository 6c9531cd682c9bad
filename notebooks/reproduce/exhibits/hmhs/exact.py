"""Exact answers: policies on tiny instances, Johnson's rule; and what scheduling costs (beyond the paper)."""

import itertools
import time

import pandas as pd

from exhibits.hmhs.comparing import claim, makespans
from schedlib.core.streams import streams
from schedlib.experiment import Experiment, Figure, grid, scales
from schedlib.hmhs.bound import optimum
from schedlib.hmhs.johnson import flow_shop_makespan, johnson
from schedlib.hmhs.schedule import schedule, warm
from schedlib.hmhs.workloads import single, tiny
from schedlib.pictures import style
from schedlib.pictures.alt import alt

PLACE = 5
COSTED = (25, 100, 400, 1600, 6400, 10000)  # numbers of jobs


def run(jobs: int, seed: int) -> pd.DataFrame:
    """Two map and two reduce machines, few tasks: `policy, makespan, optimum`, the exact one."""
    instance = tiny(jobs, seed)
    return makespans(instance).assign(optimum=optimum(instance))


def run_johnson(jobs: int, seed: int) -> pd.DataFrame:
    """Johnson's rule against every order of a random two-machine flow shop: `johnson, best` makespans."""
    (rng,) = streams(seed, "flow shop")
    first, second = rng.integers(1, 50, (2, jobs))
    orders = map(list, itertools.permutations(range(jobs)))
    best = min(flow_shop_makespan(first, second, order) for order in orders)
    ours = flow_shop_makespan(first, second, johnson(first, second))
    return pd.DataFrame([{"johnson": ours, "best": best}])


def run_cost(jobs: int, seed: int) -> pd.DataFrame:
    """Cost on the single workload: `policy, tasks, steps, steps_full_scan` and the wall-clock `seconds`."""
    instance = single(jobs, seed)
    warm()
    instance.map_task_time, instance.reduce_task_time  # noqa: B018 - fills these tables beforehand
    rows = []
    for name in ("hmhs", "fifo"):
        began, done = time.perf_counter(), schedule(instance, name)
        seconds, tasks = time.perf_counter() - began, done.map.job.size + done.reduce.job.size
        rows.append((name, tasks, done.steps, done.steps_full_scan, seconds))
    return pd.DataFrame(rows, columns=["policy", "tasks", "steps", "steps_full_scan", "seconds"])


def plot(frame: pd.DataFrame):
    """Makespans as multiples of the exact optimum: every instance, and the mean."""
    ratios = dict(list((frame["makespan"] / frame["optimum"]).groupby(frame["policy"])))
    names = [
        name for name in ("bound", "priced", "hmhs", "r-hmhs", "fifo-pri", "fifo") if name in ratios
    ]
    figure, ax = style.subplots(size=(6.4, 3.8))
    for row, name in enumerate(names):
        ratio, look = ratios[name], style.look(name)
        spread = row + 0.28 * ((ratio.rank(method="first") % 7) / 3 - 1)
        ax.plot(ratio, spread, look.marker, color=look.color, alpha=0.35, markersize=3.5)
        ax.plot(
            [ratio.mean()], [row], marker="|", markersize=22, markeredgewidth=2.5, color="black"
        )
    ax.axvline(1, color="black", linewidth=0.8)
    ax.set_yticks(range(len(names)), [style.look(name).label for name in names])
    ax.invert_yaxis()
    ax.set(xlabel="makespan over the exact optimum (bar: mean)", ylabel="policy")
    return figure


def plot_cost(frame: pd.DataFrame):
    """Candidates looked at and wall-clock seconds against the number of jobs, both axes logarithmic."""
    figure, (left, right) = style.subplots(1, 2, size=(8.8, 3.8))
    hmhs = frame[frame["policy"] == "hmhs"].groupby("jobs").mean(numeric_only=True)
    scans = {"color": "black", "linestyle": "--", "marker": "x", "label": "full scans, as printed"}
    left.plot(hmhs.index, hmhs["steps_full_scan"], **scans)
    ours = style.look("hmhs").line() | {"label": "jobs sorted for each machine (ours)"}
    left.plot(hmhs.index, hmhs["steps"], **ours)
    left.plot(
        hmhs.index,
        hmhs["tasks"],
        color="#555555",
        linestyle=":",
        marker=".",
        label="tasks to place",
    )
    for name, one in frame.groupby("policy"):
        seconds = one.groupby("jobs")["seconds"].median()
        right.plot(seconds.index, seconds, **style.look(name).line())
    for ax, what in ((left, "candidates looked at"), (right, "seconds, both stages (median)")):
        ax.set(xlabel="number of jobs", ylabel=what, xscale="log", yscale="log")
        ax.legend()
    return figure


def both_looks(frame: pd.DataFrame) -> pd.DataFrame:
    """The candidates that HMHS looks at with the paper's loops and with ours: `jobs, way, looks`."""
    hmhs = frame[frame["policy"] == "hmhs"]
    return hmhs.melt(["jobs"], ["steps_full_scan", "steps"], "way", "looks")


EXPERIMENTS = (
    Experiment(
        "hmhs.exact",
        "Policies against the exact optimum of tiny instances",
        run,
        scales(grid(jobs=[3]), grid(jobs=[3, 4, 5])),
        scales(3, 15, 40),
    ),
    Experiment(
        "hmhs.johnson",
        "Johnson's rule against every order",
        run_johnson,
        scales(grid(jobs=[5]), grid(jobs=[6, 7])),
        scales(3, 40, 100),
    ),
    Experiment(
        "hmhs.cost",
        "What scheduling costs against the number of jobs",
        run_cost,
        scales(*(grid(jobs=jobs) for jobs in (COSTED[:2], COSTED[:-1], COSTED))),
        scales(1, 3, 5),
        timing=("seconds",),
    ),
)

FIGURES = (
    Figure(
        "hmhs.exact",
        "hmhs.exact",
        plot,
        "The makespan of every policy over the exact optimum, on tiny instances: 3 to 5 jobs, two map and "
        "two reduce machines. On a single instance HMHS may lose to FIFO.",
        alt(
            "Strip chart of makespan over the exact optimum on tiny instances. Means",
            "ratio",
            ["policy"],
            of=lambda frame: frame.assign(ratio=frame["makespan"] / frame["optimum"]),
        ),
    ),
    Figure(
        "hmhs.cost",
        "hmhs.cost",
        plot_cost,
        "The cost of scheduling the single workload on 100 map and "
        "100 reduce machines. Left: the candidates that HMHS's two Min-Min rules look at, with the "
        "paper's loops and with ours, which make the same decisions. Right: wall-clock time.",
        alt(
            "Line charts of candidates looked at and of seconds against the number of jobs. Candidates",
            "looks",
            ["way"],
            "jobs",
            of=both_looks,
            names={"steps_full_scan": "with the paper's loops", "steps": "with ours"},
        ),
    ),
)


CLAIMS = (
    claim(
        "johnson",
        "Section 3.1",
        "Johnson's rule is optimal with one machine and one task a stage",
        "hmhs.johnson",
        lambda frame: (frame["johnson"] - frame["best"]).groupby(frame["seed"]).max().to_numpy(),
        0.0,
        tolerance=0.0,
        how_read="text",
        metric="excess over the best of all orders",
        unit="time units",
    ),
    claim(
        "np-hard",
        "Section 2.2",
        "The problem is NP-hard",
        None,
        None,
        metric="complexity",
        unit="",
        how_read="text",
        reason="A theorem, not a measurement: with one task a stage and job the problem "
        "contains the two-stage flexible flow shop, which Gupta (1988) showed NP-complete. The chapter "
        "explains the reduction.",
    ),
)
