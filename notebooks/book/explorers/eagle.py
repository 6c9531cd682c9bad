"""Two systems side by side, the explorer of chapter 7; an Eagle of some parts beside the whole, for chapter 8."""

import functools
from dataclasses import replace
from typing import Any

import numpy as np
from matplotlib.ticker import NullLocator

from book.explorers import Explorer, Picture, Question, menu, placed, slider, working
from schedlib import eagle
from schedlib.core.checks import unknown
from schedlib.eagle.workloads.synthetic import LOAD
from schedlib.plots import style
from schedlib.workload import Workload

WORKERS = 600


def _short_partition_alone(cluster, job, probe, rng):
    return int(rng.random() * cluster.short_only)


# The systems to compare. A strict split sends short jobs' probes to the short partition alone.
SYSTEMS = {
    "sparrow": eagle.Sparrow(),
    "strict split": eagle.System("strict split", short_jobs=_short_partition_alone),
    "hawk without stealing": eagle.Hawk(steal=False),
    "hawk, general thieves": replace(eagle.Hawk(thieves="general"), name="hawk, general thieves"),
    "hawk": eagle.Hawk(thieves="any"),
    "eagle": eagle.Eagle(),
    "omniscient": eagle.Omniscient(),
}
STYLES = {
    "strict split": style.Look("#999999", (0, (1, 1)), "", "Strict split"),
    "hawk without stealing": style.Look("#555555", (0, (5, 1, 1, 1)), "", "Hawk without stealing"),
    "hawk, general thieves": style.Look("#777777", (0, (3, 1)), "", "Hawk, general thieves"),
    "eagle": style.look("eagle")._replace(label="Eagle (next chapter)"),
}
QUANTILES = 1 - np.geomspace(1, 0.002, 200)
TIMES = {10: "10 s", 60: "1 min", 3600: "1 h", 36000: "10 h", 360000: "100 h"}
SHARES = (
    "short partition busy",
    "general partition busy",
    "probes queued behind long",
    "of these, stolen",
    "short tasks run behind long",
)


def style_of(system: str) -> style.Look:
    """A system's line, marker and label."""
    return STYLES.get(system, style.look(system))


@functools.lru_cache(maxsize=16)
def _google(jobs):
    return eagle.google(jobs, scale=WORKERS / eagle.WORKERS["google"][0])


@functools.lru_cache(maxsize=16)
def _workload(load):
    """The same 15,000 jobs for every load, at other times."""
    jobs = _google(15_000).jobs
    tasks = _google(15_000).tasks
    return Workload(jobs.assign(submit=jobs["submit"] * (100 * LOAD["google"] / load)), tasks)


def _simulated(jobs, system, partition):
    return eagle.simulate(
        jobs,
        system,
        WORKERS,
        short_partition=partition,
        cutoff=eagle.CUTOFF["google"],
        detail="as_published",
    )


@functools.lru_cache(maxsize=128)
def _run(system, load, partition):
    """Completion times of short and of long jobs (s), and `SHARES` in %, NaN where a system has none."""
    run = _simulated(_workload(load), SYSTEMS[system], partition / 100)
    took = run.jobs["completion"].to_numpy()
    long = run.jobs["long"].to_numpy()
    stats = run.stats
    behind = stats["behind_long"] if stats["probes"] else 0
    shares = [
        stats["utilisation_short"],
        stats["utilisation_general"],
        behind / stats["probes"] if stats["probes"] else np.nan,
        stats["stolen"] / behind if SYSTEMS[system].steal and behind else np.nan,
        stats["ran_behind_long"] / stats["short_tasks"],
    ]
    return took[~long], took[long], 100 * np.array(shares)


def draw_load(
    load: int = 80, partition: int = 17, left: str = "sparrow", right: str = "hawk"
) -> Picture:
    """15,000 Google-like jobs on 600 workers at `load` %, `partition` % for short jobs, under two systems.

    How many jobs take longer than a time; how busy both partitions are; how many probes are queued behind
    long tasks, and stolen; how many short tasks ran after that. ValueError for systems not in `SYSTEMS`.
    """
    for side, system in (("left", left), ("right", right)):
        if system not in SYSTEMS:
            raise unknown(side, system, SYSTEMS)
    # inches, of a picture as wide as a phone: from the left, from below, width, height
    boxes = np.array([[0.85, 6.65, 3.35, 1.6], [0.85, 4.2, 3.35, 1.6], [2.2, 1.15, 2.0, 2.2]])
    figure, axes = placed((4.4, 8.6), *boxes / (4.4, 8.6, 4.4, 8.6))
    words = []
    for row, system in enumerate(dict.fromkeys((left, right))):
        *times, shares = _run(system, load, partition)
        look = style_of(system)
        rows = np.arange(5) + 0.4 * row - 0.2
        for ax, took in zip(axes[:2], times, strict=True):
            ax.plot(np.quantile(took, QUANTILES), 1 - QUANTILES, **look.line() | {"marker": ""})
        axes[2].barh(rows, np.nan_to_num(shares), height=0.36, color=look.color, label=look.label)
        for place in rows[np.isnan(shares)]:
            axes[2].text(1, place, "none", va="center", color="#555555")
        p50, p99 = np.percentile(times[0], [50, 99])
        half = f"half of the short jobs take at most {p50:.0f} s"
        words.append(f"{look.label}: {half}, 99 per cent {p99:.0f} s")
    for ax, what, ends in zip(axes, ("short", "long"), ((5, 60_000), (900, 400_000)), strict=False):
        ax.set(
            title=f"{what} jobs",
            yscale="log",
            ylim=(0.004, 1.1),
            xlabel="completion time",
            xscale="log",
            xlim=ends,
        )
        ticks = {time: name for time, name in TIMES.items() if ends[0] <= time <= ends[1]}
        ax.set(
            xticks=list(ticks),
            xticklabels=ticks.values(),
            yticks=[1, 0.5, 0.1, 0.01],
            yticklabels=["all", "50 %", "10 %", "1 %"],
        )
        ax.minorticks_off()
        ax.set_ylabel("jobs that take longer")
    axes[2].set(
        xlim=(0, 102),
        xlabel="%",
        xticks=[0, 50, 100],
        ylim=(4.5, -0.5),
        yticks=range(5),
        yticklabels=SHARES,
    )
    figure.legend(*axes[0].get_legend_handles_labels(), loc="lower center")
    return (
        figure,
        f"Load {load} %, {partition} % of 600 workers for short jobs only. {'; '.join(words)}.",
    )


def load_explorer() -> Explorer:
    """Sliders for load and short partition, menus of two systems, and how long their jobs take."""
    names = [(style_of(system).label, system) for system in SYSTEMS]
    controls = {
        "load": slider(80, 50, 95, 5, text="load (%)"),
        "partition": slider(17, 2, 40, text="short partition (%)"),
        "left": menu(names, "sparrow", text="one system"),
        "right": menu(names, "hawk", text="another"),
    }
    with working():  # compiled before the first move
        for system in SYSTEMS:
            _run(system, 80, 17)
    page = {
        "load": (65, 80, 90, 95),
        "partition": (5, 10, 17, 25),
        "left": ("sparrow", "strict split", "hawk, general thieves"),
        "right": ("hawk", "eagle", "omniscient"),
    }
    question = Question(
        "Read below how long half of the short jobs take under Sparrow at 80 % load. And at 95 %?",
        {"load": 95, "partition": 17, "left": "sparrow", "right": "hawk"},
        lambda load, partition, left, right: float(np.median(_run(left, load, partition)[0])),
        (0, 2000, 50),
        "s",
    )
    return Explorer(draw_load, controls, height=860, page=page, question=question)


PERCENTILES = (50, 90, 99)
LONGER = np.geomspace(100, 0.1, 200)  # the shares of jobs (%) at which the curves are drawn
COMPARED = {
    "eagle": style.look("eagle"),
    "hawk": style.look("hawk")._replace(color="#777777", linestyle=":"),
    "chosen": style.Look(style.VERMILLION, "--", "s", "your choice"),
}


def _short_jobs(system):
    """Sorted completion times of short jobs (s)."""
    jobs = _simulated(_google(20_000), system, eagle.PARTITION["google"]).jobs
    return np.sort(jobs.loc[~jobs["long"], "completion"].to_numpy())


def draw_parts(**parts: Any) -> Picture:
    """Short jobs under `eagle.Eagle(**parts)`, the whole Eagle and Hawk: 20,000 jobs on 600 workers. On the
    left the share that takes longer than a time, on the right percentiles over the whole Eagle's."""
    systems = {"eagle": "eagle", "hawk": "hawk", "chosen": eagle.Eagle(**parts)}
    took = {name: _short_jobs(system) for name, system in systems.items()}
    figure, (left, right) = placed((9.0, 3.8), (0.075, 0.14, 0.5, 0.76), (0.67, 0.14, 0.31, 0.76))
    for name, times in took.items():
        left.plot(
            np.percentile(times, 100 - LONGER), LONGER, **COMPARED[name].line() | {"marker": ""}
        )
    left.set(
        xscale="log",
        xlabel="completion time of a short job (s)",
        xlim=(10, 30_000),
        title="Short jobs",
        yscale="log",
        ylabel="jobs that take longer (%)",
        ylim=(0.1, 110),
    )
    left.legend(loc="lower left")
    whole, mine = (np.percentile(took[name], PERCENTILES) for name in ("eagle", "chosen"))
    ratio = mine / whole
    right.barh(range(3), ratio - 1, left=1, height=0.6, color=COMPARED["chosen"].color, alpha=0.8)
    for row, (value, seconds) in enumerate(zip(ratio, mine, strict=True)):
        text = f"{value:.2f} times\n({seconds:,.0f} s)"
        right.text(max(value, 1) * 1.1, row, text, va="center", fontsize=9)
    right.axvline(1, color="black", linewidth=1)
    right.set(
        xscale="log",
        xlabel="over the whole Eagle's",
        xlim=(0.5, 400),
        title="Percentiles",
        ylim=(2.6, -0.6),
        yticks=range(3),
        yticklabels=[f"{p} %" for p in PERCENTILES],
    )
    for axis in (left.xaxis, left.yaxis, right.xaxis):
        axis.set_major_formatter("{x:,g}")
        axis.set_minor_locator(NullLocator())  # small ticks would take half of the time of a move
    words = ", ".join(f"{p} % {value:.2f}" for p, value in zip(PERCENTILES, ratio, strict=True))
    alt = "Completion times of short jobs; the choice's percentiles over those of the whole Eagle"
    return figure, f"{alt}: {words}."
