"""Figs. 1-4 of LoTES's extended version: six jobs on one machine, a job's life, and the stages of LoTES."""

from functools import partial
from typing import Any

import numpy as np
from pandas import DataFrame

from reproduce.exhibits.lotes.diagrams import Arrow, Box, draw_blocks, plot_diagram
from reproduce.exhibits.lotes.runs import CONFIGS, ONCE
from reproduce.figure import Figure
from schedlib import lotes
from schedlib.lotes.workloads.example import CORES, MEMORY, six_jobs
from schedlib.plots import style
from schedlib.sweeps import Experiment, scales

PLACE = 2
SMALL_CLUSTER = {"phi": 0.006, "load": 0.97, "machines": 6, "hours": 6.0}


def fig1(total_cores: float, total_memory: float, seed: int) -> DataFrame:
    """Six jobs, first come, first served: `job, submit, start, finish` (min), `cores`, `memory` (GB)."""
    machine = lotes.MachineConfigs([[total_cores, total_memory]], [1])  # type: ignore[arg-type]
    jobs: Any = lotes.simulate("greedy", machine, six_jobs(), seed=seed).jobs
    frame = jobs[["job", "submit", "start", "finish"]]
    return frame.assign(job=frame["job"] + 1, cores=CORES, memory=MEMORY)


def fig3(phi: float, load: float, machines: int, hours: float, seed: int) -> DataFrame:
    """How many jobs go which way through a small cluster under LoTES: `source, target, jobs`.

    The run ends when the last has left. `load` is that of stage 2's rate once rounded to whole machines.
    """
    configs, _, made, workload = lotes.random_instance(
        phi, sizes="common", seed=seed, load=load, machines=machines, hours=hours, rounded=True
    )
    run = lotes.simulate("lotes", configs, workload, plan=made, seed=seed, until=np.inf)
    jobs: Any = run.jobs
    queued = run.wait > 0
    rows = [
        ("outside", "machine", np.sum(~queued)),
        ("outside", "queue", np.sum(queued)),
        ("queue", "machine", np.sum(queued & jobs["start"].notna())),
        ("machine", "left", np.sum(jobs["finish"].notna())),
    ]
    return DataFrame(rows, columns=["source", "target", "jobs"])


def fig4(seed: int) -> DataFrame:
    """The numbers that flow between the stages on Google's cluster: `quantity`, its symbol in the paper, `value`.

    Rates are in jobs per hour.
    """
    configs, classes = lotes.google2011()
    made = lotes.plan(configs, classes)
    rows = [
        ("machines", "sum n_j", configs.n_machines),
        ("configurations", "|M|", configs.n_configs),
        ("classes", "|K|", classes.n_classes),
        ("rate of stage 1", "lambda*", made.allocation.rate),
        ("pairs with delta > 0", "sum |K^j|", made.allocation.support.sum()),
        ("bins", "sum |B_j|", sum(map(len, made.bins))),
        ("rate of stage 2", "lambda", made.rate),
        ("rate after rounding", "lambda", made.rate_rounded),
        ("bins in use", "x_ij > 0", sum(int((machines > 0).sum()) for machines in made.machines)),
    ]
    return DataFrame(rows, columns=["quantity", "symbol", "value"]).astype({"value": float})


def _plot(frame, resource, label):
    """Draw what each job holds of one resource, as blocks over time, and above the capacity who waits."""
    capacity, frame = frame[f"total_{resource}"].iloc[0], frame.sort_values("start")
    figure, ax = style.subplots(size=(7.0, 3.2))
    names, colours = frame["job"].map("job {}".format), np.array(style.PALETTE)[frame["job"] - 1]
    heights, end = frame[resource].astype(int), frame["finish"].max()
    draw_blocks(ax, frame["start"], frame["finish"], heights, int(capacity), colours, names)
    ax.axhline(capacity, color="black", linewidth=1.6)
    above = {"va": "bottom", "fontsize": 9}
    ax.text(end, 1.015 * capacity, f"capacity {capacity:g}", ha="right", **above)
    for job in frame[frame["start"] > frame["submit"]].itertuples():
        ax.hlines(
            1.05 * capacity, job.submit, job.start, color=style.PALETTE[job.job - 1], linewidth=4
        )
        where = (job.submit + job.start) / 2, 1.08 * capacity
        ax.text(*where, f"job {job.job} waits", ha="center", **above)
    ax.grid(visible=False)
    ax.set(
        xlabel="time (min)",
        ylabel=label,
        ylim=(0, 1.22 * capacity),
        xlim=(0, end),
        yticks=np.arange(0, capacity + 1),
        xticks=range(0, int(end) + 1, 2),
    )
    return figure


plot_fig1 = partial(_plot, resource="cores", label="cores")
plot_fig2 = partial(_plot, resource="memory", label="memory (GB)")


def plot_fig3(frame: DataFrame):
    """The life of a job, with how many jobs went which way (Fig. 3)."""
    jobs = frame.set_index(["source", "target"])["jobs"]
    boxes = {
        "outside": Box(0, 1, "outside", "not yet submitted", style.BLACK),
        "queue": Box(1, 0, "queue", "waits for room", style.VERMILLION),
        "machine": Box(1, 1, "machine", "runs, holds cores\nand memory", style.BLUE),
        "left": Box(2, 1, "outside again", "done", style.BLACK),
    }
    words = {
        ("outside", "machine"): "starts at once",
        ("outside", "queue"): "finds no room",
        ("queue", "machine"): "some machine\nhas room again",
        ("machine", "left"): "ends",
    }
    arrows = [Arrow(*way, f"{text}\n{jobs[way]:,} jobs") for way, text in words.items()]
    groups = {"data centre": ("queue", "machine")}
    return plot_diagram(boxes, arrows, groups, cell=(2.55, 1.5), box=(1.4, 0.75))


def plot_fig4(frame: DataFrame):
    """The three stages of LoTES and what flows between them, with Google's numbers (Fig. 4)."""
    value = frame.set_index("quantity")["value"].map("{:,.0f}".format)
    cluster = (
        f"{value['machines']} machines of\n{value['configurations']} configurations,\n"
        f"{value['classes']} classes of jobs"
    )
    pool = (
        f"allocation LP\n$\\lambda^*$ = {value['rate of stage 1']} jobs/h\n"
        f"{value['pairs with delta > 0']} pairs with $\\delta > 0$"
    )
    mixes = f"{value['bins']} mixes that fit\na machine, of the\nclasses in $K^j$"
    assign = f"LP: machines to bins\n$\\lambda$ = {value['rate of stage 2']} jobs/h"
    in_use = (
        f"{value['bins in use']} bins in use\n$\\lambda$ = {value['rate after rounding']} jobs/h"
    )
    near = "keeps each machine\nnear its bin;\na queue per class"
    boxes = {
        "data": Box(0, 0, "Google's cluster", cluster, style.BLACK),
        "allocate": Box(1, 0, "Stage 1: pool", pool),
        "bins": Box(2, 0, "Stage 2: bins", mixes, style.GREEN),
        "assign": Box(2, 1, "Stage 2: assign", assign, style.GREEN),
        "round": Box(1, 1, "Stage 2: round", in_use, style.GREEN),
        "jobs": Box(0, 2, "jobs", "arrive at random", style.BLACK),
        "dispatch": Box(1, 2, "Stage 3: dispatch", near, style.VERMILLION),
        "machines": Box(
            2, 2, "machines", f"{value['machines']}, each\nwith a bin to emulate", style.BLACK
        ),
    }
    arrows = (
        Arrow("data", "allocate", "$c, n, \\alpha, r, \\mu$"),
        Arrow("allocate", "bins", "$K^j$"),
        Arrow("bins", "assign", "$N_{ijk}$"),
        Arrow("assign", "round", "$x_{ij}$"),
        Arrow("round", "dispatch", "$\\Delta_{jkl}$, a bin for\neach machine"),
        Arrow("jobs", "dispatch", "arrival"),
        Arrow("dispatch", "machines", "start"),
        Arrow("machines", "dispatch", "exit"),
    )
    stages = {
        "offline, once": ("data", "allocate", "bins", "assign", "round"),
        "online, at each event": ("jobs", "dispatch", "machines"),
    }
    return plot_diagram(boxes, arrows, stages, cell=(2.7, 1.62), box=(1.85, 0.95))


def _waits(frame):
    rows = frame[frame["start"] > frame["submit"]].itertuples()
    return "; ".join(
        f"job {row.job} waits from {row.submit:g} to {row.start:g} min" for row in rows
    )


EXPERIMENTS = (
    Experiment(
        "lotes.fig1",
        "Six jobs on one machine",
        fig1,
        scales([{"total_cores": 4.0, "total_memory": 8.0}]),
        scales(1),
    ),
    Experiment(
        "lotes.fig3",
        "The ways of jobs through a small cluster",
        fig3,
        scales([SMALL_CLUSTER]),
        scales(1),
    ),
    Experiment("lotes.fig4", "What flows between the stages of LoTES", fig4, **ONCE),
)
FIGURES = (
    Figure(
        "lotes.fig1",
        "lotes.fig1",
        plot_fig1,
        lambda frame: (
            "Six jobs on a machine with four cores and 8 GB: cores in use (the paper's Fig. 1, with jobs of our "
            f"own). First come, first served: {_waits(frame)}."
        ),
        "Blocks of jobs over time on a machine: the cores that each takes, and who waits.",
    ),
    Figure(
        "lotes.fig2",
        "lotes.fig1",
        plot_fig2,
        lambda frame: (
            "Memory in use by the same six jobs over the same times (the paper's Fig. 2). A job needs cores and "
            f"memory at once. {_waits(frame).capitalize()}."
        ),
        "Blocks of jobs over time on a machine: the memory that each takes, and who waits.",
    ),
    Figure(
        "lotes.fig3",
        "lotes.fig3",
        plot_fig3,
        lambda frame: (
            "The life of a job (the paper's Fig. 3), with the counts of a run: LoTES, "
            f"{CONFIGS * frame['machines'].iloc[0]} machines of ten configurations, arrivals for "
            f"{frame['hours'].iloc[0]:g} hours at {100 * frame['load'].iloc[0]:g} % of stage 2's rate after "
            "rounding. The run ends when the last job has left."
        ),
        "Diagram of a job's states with arrows between them: outside, queue, machine, outside again.",
    ),
    Figure(
        "lotes.fig4",
        "lotes.fig4",
        plot_fig4,
        "LoTES's three stages (the paper's Fig. 4), with our numbers for Google's cluster. The symbols at "
        "the arrows are the paper's. Rates are in jobs per hour (h).",
        "Diagram: offline, stage 1 (allocation) gives the classes of each configuration to stage 2, which makes "
        "bins, assigns machines to them and rounds; online, stage 3 starts jobs on arrivals and exits so that "
        "machines resemble their bins.",
    ),
)
