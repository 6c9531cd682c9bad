"""How the simulators scale: time and memory of Eagle's systems up to a million workers, and of LoTES's
policies up to a million machines, at the same load; and how many messages or machines a decision takes.

Fixed for all sizes: the law of the jobs, the load, and for how long jobs come to an empty cluster; only the
rate grows. Times are the processor's. Jobs are drawn and kernels compiled before the clock starts, and what a
run of LoTES takes that ends at once is not counted. DLWL is left out: its news go out every three seconds
until the last task ends, so that its time would tell how long the longest task is. The two claims, on work
that repeats, were worded after first runs.
"""

import math
import time
import tracemalloc
from collections.abc import Callable, Iterator
from dataclasses import dataclass, fields
from functools import cached_property, partial
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.ticker import FixedLocator, NullFormatter

from exhibits import measure
from exhibits.lotes.runs import CONFIGS, matched_instance
from schedlib import lotes
from schedlib.eagle.simulating.simulate import simulate
from schedlib.eagle.workloads.synthetic import CUTOFF, PARTITION, WORKERS, google
from schedlib.experiment import Experiment, Figure, claim_maker, grid, scales
from schedlib.pictures import style
from schedlib.workload import Workload

SYSTEMS = {
    "eagle": ("eagle", "hawk", "sparrow", "omniscient"),
    "lotes": ("lotes", "greedy", "tetris"),
}
"""What is timed, by simulator."""
SIZES = {
    "eagle": ((600, 1200), (15_000, 30_000, 60_000, 120_000), (250_000, 500_000, 1_000_000)),
    "lotes": ((100, 200), (1000, 4000, 16_000, 64_000), (250_000, 1_000_000)),
}
"""Workers or machines at smoke and at quick scale, and those that the paper's scale adds."""
JOBS_PER_WORKER = 0.2
HOURS, LOAD, PHI = 0.5, 0.97, 0.006
ENOUGH = 8000
"""A smaller cluster's run is repeated, and the quickest counts, so often that it makes up for this size."""


@dataclass(frozen=True)
class Drawn(lotes.RandomWorkload):
    """A random workload whose jobs are drawn once, when they are first asked for."""

    @cached_property
    def _drawn(self) -> list:
        return list(super().blocks())

    def blocks(self) -> Iterator:
        return iter(self._drawn)


def faster(workers: int, seed: int) -> Workload:
    """Google's jobs, as many for each worker at every size, so much faster that the load is the same."""
    drawn = google(round(JOBS_PER_WORKER * workers), seed)
    submit = np.floor(drawn.jobs["submit"] * (WORKERS["google"][0] / workers))
    return Workload(drawn.jobs.assign(submit=submit), drawn.tasks)


def cost(call: Callable[[], Any], times: int) -> tuple[Any, float, int]:
    """What a call gives, the processor's seconds of the quickest of so many, the most bytes that it held."""
    seconds = math.inf
    tracemalloc.start()
    for _ in range(times):
        begin = time.thread_time()
        result = call()
        seconds = min(seconds, time.thread_time() - begin)
    held = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return result, seconds, held


def run(simulator: str, size: int, seed: int) -> pd.DataFrame:
    """What each system takes on a cluster of this size: `system, tasks, asked, microseconds, bytes`.

    `tasks` ran (under LoTES a job has one); `asked`: messages of the system per task, under LoTES's policies
    machines asked per job; `microseconds` of the processor per task; `bytes`: the most that the simulator
    held, without the jobs, per worker or machine.
    """
    times, rows = max(1, ENOUGH // size), []
    timed = _eagle if simulator == "eagle" else _lotes
    for system, (tasks, asked, seconds, held) in timed(size, seed, times):
        rows.append((system, tasks, asked, 1e6 * seconds / tasks, held / size))
    return pd.DataFrame(rows, columns=["system", "tasks", "asked", "microseconds", "bytes"])


def _eagle(workers, seed, times):
    how: dict[str, Any] = {
        "short_partition": PARTITION["google"],
        "cutoff": CUTOFF["google"],
        "seed": seed,
    }
    small, jobs = google(100), faster(workers, seed)
    for system in SYSTEMS["eagle"]:
        simulate(small, system, 150, **how)
        done, seconds, held = cost(partial(simulate, jobs, system, workers, **how), times)
        yield (
            system,
            (done.stats["tasks"], done.stats["messages"] / done.stats["tasks"], seconds, held),
        )


def _lotes(machines, seed, times):
    case = matched_instance(PHI, LOAD, machines // CONFIGS, HOURS, seed)
    jobs = Drawn(
        **{field.name: getattr(case.workload, field.name) for field in fields(case.workload)}
    )
    for policy in SYSTEMS["lotes"]:
        follow = partial(
            lotes.simulate,
            policy,
            case.configs,
            jobs,
            plan=case.plan,
            seed=seed,
            record=False,
            slots=1024,
        )
        begin = partial(follow, until=1e-9)
        begin()
        _, start, _ = cost(begin, times)
        done, seconds, held = cost(follow, times)
        yield policy, (done.arrived, done.looked, max(seconds - start, 1e-9), held)


def growth(sizes, values) -> tuple[float, float]:
    """Least squares over the sizes: the power of the size with which values grow, and what a doubling adds.

    >>> growth([1, 2, 4], [3.0, 6.0, 12.0])
    (1.0, 4.5)
    """
    x = [math.log2(size) for size in sizes]
    middle = math.fsum(x) / len(x)
    square = math.fsum((one - middle) ** 2 for one in x)

    def slope(y):
        return math.fsum((one - middle) * other for one, other in zip(x, y, strict=True)) / square

    return slope([math.log2(value) for value in values]), slope(list(values))


MEASURES = {
    "microseconds": "CPU microseconds / {task}",
    "bytes": "bytes / {worker}",
    "asked": "{asked} / {task}",
}
WORDS = {
    "eagle": {
        "task": "task",
        "worker": "worker",
        "asked": "messages",
        "title": "Eagle and its rivals",
    },
    "lotes": {
        "task": "job",
        "worker": "machine",
        "asked": "machines asked",
        "title": "LoTES and its rivals",
    },
}


def of_system(frame: pd.DataFrame, simulator: str, system: str, column: str) -> pd.Series:
    """The mean of a column over the seeds, by size."""
    rows = frame[(frame["simulator"] == simulator) & (frame["system"] == system)]
    return rows.groupby("size")[column].mean()


def draw(frame: pd.DataFrame):
    """A row for each simulator, a panel for each measure; the growth of each line stands in the legend."""
    figure, axes = style.subplots(2, 3, size=(12.4, 7.2), sharex="row")
    for line, (simulator, words) in zip(axes, WORDS.items(), strict=True):
        for ax, (column, label) in zip(line, MEASURES.items(), strict=True):
            for system in SYSTEMS[simulator]:
                values = of_system(frame, simulator, system, column)
                power, doubling = growth(values.index, values)
                more = f", {doubling:+.2f}" if column == "microseconds" else ""
                look = style.look(system)
                ax.plot(
                    values.index,
                    values,
                    **look.line() | {"label": f"{look.label}: {power:.2f}{more}"},
                )
            ax.set(xscale="log", ylabel=label.format(**words), xlabel=f"{words['worker']}s")
            ax.xaxis.set_major_locator(FixedLocator(values.index))
            ax.xaxis.set_major_formatter("{x:,.0f}")
            ax.xaxis.set_minor_formatter(NullFormatter())
            ax.tick_params(axis="x", labelrotation=25)
            if column == "asked" and simulator == "lotes":
                ax.set_yscale("log")
                low, high = ax.get_ylim()
                ax.set_ylim(low, high * (high / low) ** 0.35)  # room for the legend
            else:
                ax.set_ylim(0, 1.4 * ax.get_ylim()[1])
            ax.yaxis.set_major_formatter("{x:,.10g}")
            title = "power, a doubling" if column == "microseconds" else "power"
            ax.legend(
                fontsize=7.5,
                title=title,
                title_fontsize=8,
                loc="upper left",
                ncols=2,
                columnspacing=1,
                handlelength=2.4,
            )
        line[0].set_title(words["title"], loc="left")
    return figure


def _largest(frame, simulator):
    return int(frame.loc[frame["simulator"] == simulator, "size"].max())


def _caption(frame):
    tasks = frame.groupby("simulator")["tasks"].max()
    return (
        f"How costs grow with the cluster, beyond the papers: Eagle's systems on up to "
        f"{_largest(frame, 'eagle'):,} workers ({tasks['eagle']:,} tasks of Google's law, load 0.95), "
        f"and LoTES's policies on up to {_largest(frame, 'lotes'):,} machines ({tasks['lotes']:,} jobs, "
        f"load {LOAD}, for {HOURS:g} hours). Every run starts with an empty cluster. Left: processor "
        "time per task or job. Middle: the most memory that the simulator holds. Its arrays grow by "
        "doubling. Under Eagle every worker and scheduler keeps a copy of a vector with one bit for "
        "each worker. Right: the messages of a system, and the machines that a policy asks by the "
        "paper's description (the simulator finds the same machine with search trees). First number in "
        "a legend: the power of the size with which the cost grows, by least squares (0: not at all; 1: "
        "in proportion). Second number, for times: what a doubling of the size adds. Times depend on "
        "the computer."
    )


def _alt(frame):
    words = []
    for simulator, names in SYSTEMS.items():
        each = []
        for system in names:
            asked = of_system(frame, simulator, system, "asked")
            first, last = (float(f"{value:.4g}") for value in asked.iloc[[0, -1]])
            power = growth(asked.index, asked)[0]
            each.append(
                f"{style.look(system).label} {first:,.10g} to {last:,.10g} (power {power:.2f})"
            )
        sizes, name = asked.index, WORDS[simulator]
        words.append(
            f"{name['asked']} per {name['task']}, {sizes[0]:,} to {sizes[-1]:,} {name['worker']}s: "
            f"{', '.join(each)}"
        )
    return f"Six charts of time, memory and work against the cluster's size. In words: {'; '.join(words)}."


def _points():
    """Each scale's points, the small clusters first; the paper's scale has quick's and larger ones."""
    few, some, more = (
        [
            point
            for simulator, sizes in SIZES.items()
            for point in grid(simulator=[simulator], size=sizes[step])
        ]
        for step in range(3)
    )
    return scales(few, some, [*some, *more])


@measure
def _power(frame, simulator, system):
    """The power of the size with which messages or machines asked grow, per seed."""
    return [
        growth(own.index, own)[0]
        for _, rows in frame.groupby("seed")
        for own in [of_system(rows, simulator, system, "asked")]
    ]


EXPERIMENTS = (
    Experiment(
        "beyond.scale",
        "Up to a million workers or machines at the same load",
        run,
        _points(),
        scales(1),
        timing=("microseconds", "bytes"),
    ),
)
FIGURES = (Figure("beyond.scale", "beyond.scale", draw, _caption, _alt),)
CLAIMS = (
    claim_maker("eagle", unit="1", tolerance=0.05)(
        "scalable",
        "Section 3.3",
        "Eagle's distributed schedulers place short jobs in a scalable fashion "
        "(read: its messages per task do not grow with the cluster)",
        "beyond.scale",
        _power("eagle", "eagle"),
        0.0,
        metric="power of the workers with which messages per task grow",
    ),
    claim_maker("lotes", unit="1", tolerance=0.05)(
        "search",
        "Section 5.2",
        "Scaling may be problematic, as policies search over a very large number of "
        "machines (read: those that LoTES asks grow in proportion)",
        "beyond.scale",
        _power("lotes", "lotes"),
        1.0,
        metric="power of the machines with which those asked per job grow",
        by_construction=True,
        reason="it asks all machines of each configuration that it tries, a fixed share of the cluster",
    ),
)
