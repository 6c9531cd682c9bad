"""A GPU cluster of today (beyond the paper): LoTES, Greedy, Tetris and fragmentation gradient descent."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.figure import Figure as Picture

from schedlib import lotes, traces
from schedlib.core.portable import dot
from schedlib.exhibits.lotes.drawing import WAIT, dots, legend_below, median_line
from schedlib.exhibits.lotes.runs import SHORTEST
from schedlib.experiment import Experiment, Figure, grid, scales
from schedlib.lotes.workloads.gpus import RESOURCES
from schedlib.pictures import style
from schedlib.traces.alibaba_gpu2023 import NODES, TASKS

PLACE = 5.34
FRAGMENTED = "fragmented GPUs (% of all)"
POLICIES = ("lotes", "greedy", "tetris", "fgd")
LOOKS = {name: style.look(name) for name in POLICIES}
ASKED = np.arange(1, 21) / 20
"""Shares of the cluster's GPUs asked for, at which a cluster that fills up is looked at."""
TIMES = np.linspace(0.1, 1, 50, endpoint=False)
"""When fragmentation is measured during the month, as parts of it."""


def no_gpu_trace() -> str:
    """What to do when Alibaba's GPU trace is not here, and "" when it is."""
    lacking = ("Alibaba's GPU trace is not here and may not be shipped; fetch it with: "
               "python -m schedlib data alibaba-gpu2023")
    return lacking if traces.alibaba_gpu2023_folder() is None else ""


def gpu_files(point: Mapping) -> list[Path]:
    """The files of the GPU trace that are here, on which results of any point depend."""
    folder = traces.alibaba_gpu2023_folder()
    return [folder / NODES, folder / TASKS] if folder else []


def _followed(make, seed, **options):
    """Machines and GPUs of the problem that `make` gives for the trace, each task's share of all GPUs, and of
    each policy its name, its run, and a function from times to F_n(M) over all machines (% of all GPUs).
    """
    nodes, trace = traces.alibaba_gpu2023(traces.alibaba_gpu2023_folder() or "")
    configs, classes, jobs = make(nodes, trace, seed=seed, **options)
    plan, typical = lotes.plan(configs, classes), lotes.typical_tasks(trace)
    gpus, demand = dot(configs.capacity[:, -1], configs.count), jobs.tasks[RESOURCES].to_numpy()
    end = jobs.jobs["submit"].iloc[-1] + 1

    def runs():
        for policy in POLICIES:
            more: dict[str, Any] = {"typical": typical} if policy == "fgd" else {}
            run = lotes.simulate(policy, configs, jobs, plan=plan, seed=seed, until=end, **more)
            yield policy, run, lambda time, run=run: (
                100 / gpus * lotes.fragmentation(configs, typical, demand, run.jobs, time))

    return {"machines": configs.n_machines, "gpus": gpus}, demand[:, -1] / gpus, runs()


def month(load: float, copies: int, seed: int) -> pd.DataFrame:
    """The month at a load, a row per policy: `wait` and `p99` (s) of all jobs, `late`, those that did not
    start at once, `busy` and `fragmented` GPUs (%), and the cluster's `machines` and `gpus`.
    """
    (cluster, _, runs), rows = _followed(lotes.gpu_month, seed, load=load, copies=copies), []
    for policy, run, fragmented in runs:
        rows.append({"policy": policy, "wait": run.mean_wait, "p99": run.quantile(0.99),
                     "late": 100 * run.share_above(0), "busy": 100 * run.utilisation[-1],
                     "fragmented": float(np.mean([fragmented(run.time * part) for part in TIMES]))})
    return pd.DataFrame(rows).assign(**cluster)


def filling(shrink: float, seed: int) -> pd.DataFrame:
    """A cluster that fills up, a row per policy and share of the GPUs `asked` for, all in %: GPUs `allocated`
    and `fragmented`, and `first`, what was allocated when the first task did not fit.
    """
    (cluster, gpu, runs), rows = _followed(lotes.gpu_draw, seed, shrink=shrink), []
    tasks = np.minimum(np.searchsorted(gpu.cumsum(), ASKED - 1e-9), len(gpu) - 1)
    for policy, run, fragmented in runs:
        placed = (run.jobs["start"] == run.jobs["submit"]).to_numpy()
        first = 100 * (gpu.sum() if placed.all() else gpu[: placed.argmin()].sum())
        rows += [(policy, 100 * share, 100 * (gpu * placed)[: task + 1].sum(), fragmented(task + 0.5), first)
                 for share, task in zip(ASKED, tasks, strict=True)]
    frame = pd.DataFrame(rows, columns=["policy", "asked", "allocated", "fragmented", "first"])
    return frame.assign(**cluster)


DATA: dict[str, Any] = {"missing": no_gpu_trace, "data_files": gpu_files}
EXPERIMENTS = (
    Experiment("lotes.gpus", "A month of GPU tasks", month,
               scales(grid(load=[0.5], copies=[4]), grid(load=[0.5, 0.6, 0.7, 0.8, 0.9], copies=[8]),
                      grid(load=[0.5, 0.6, 0.7, 0.8, 0.9, 0.95], copies=[40])), scales(1, 3, 10), **DATA),
    Experiment("lotes.gpus-fill", "A GPU cluster that fills up", filling,
               scales([{"shrink": 20.0}], [{"shrink": 1.0}]), scales(1, 3, 10), **DATA),
)


def plot_month(frame: pd.DataFrame) -> Picture:
    """Mean waits (left) and fragmented GPUs (right) against the load: all seeds, medians as lines."""
    figure, axes = style.subplots(1, 2, size=(8.8, 4.0))
    shown = frame.assign(wait=frame["wait"].clip(lower=SHORTEST))
    for ax, column, label in zip(axes, ("wait", "fragmented"), (WAIT, FRAGMENTED), strict=True):
        for k, (name, look) in enumerate(LOOKS.items()):
            rows = shown[shown["policy"] == name]
            median_line(ax, rows[column], rows["load"], look)
            dots(ax, rows["load"] + 0.006 * (k - 1.5), rows[column], look, alpha=0.6)
        ax.set(xlabel="load (share of lambda1)", ylabel=label)
    axes[0].set_yscale("log")
    axes[1].set_ylim(bottom=0)
    legend_below(figure, axes[0])
    return figure


def plot_filling(frame: pd.DataFrame) -> Picture:
    """GPUs not allocated (left) and fragmented (right) against GPUs asked for; hollow: the first misfit."""
    figure, axes = style.subplots(1, 2, size=(8.8, 4.0))
    shown = frame.assign(lacking=frame["asked"] - frame["allocated"])
    style.band(axes[0], shown, "asked", "lacking", by="policy", looks=LOOKS)
    style.band(axes[1], shown, "asked", "fragmented", by="policy", looks=LOOKS)
    for name, look in LOOKS.items():
        first = frame[frame["policy"] == name].groupby("seed")["first"].first()
        axes[0].plot(first, 0 * first - 0.4, look.marker, color=look.color, mfc="none", markersize=9)
    for ax, label in zip(axes, ("GPUs asked for and not allocated (% of all)", FRAGMENTED), strict=True):
        ax.set(xlabel="GPUs asked for (% of all)", ylabel=label)
    axes[1].set_ylim(bottom=0)
    legend_below(figure, axes[0])
    return figure


def _words(rows, column, unit):
    medians = rows.groupby("policy")[column].median()
    return ", ".join(f"{look.label} {medians[name]:.3g} {unit}" for name, look in LOOKS.items())


def _alt_month(frame):
    last = frame[frame["load"] == frame["load"].max()]
    return (f"Charts against the load. At the largest one, mean waits: {_words(last, 'wait', 's')}; "
            f"fragmented GPUs: {_words(last, 'fragmented', '%')}.")


def _alt_filling(frame):
    last = frame[frame["asked"] == frame["asked"].max()]
    return ("Charts against the GPUs asked for. When as many are asked for as there are, allocated: "
            f"{_words(last, 'allocated', '%')}; when the first did not fit: {_words(last, 'first', '%')}.")


SOURCE = "Data: Alibaba, cluster-trace-gpu-v2023; FGD: Weng et al., USENIX ATC 2023."
FIGURES = (
    Figure("lotes.gpus", "lotes.gpus", plot_month, lambda frame: (
        "LoTES, Greedy, Tetris and fragmentation gradient descent (FGD) on tasks of a GPU cluster of 2023, "
        f"which ask for CPU, memory and GPUs or a share of one: {frame['copies'].iloc[0]} copies of the "
        f"trace's 34 days, each turned by a random time, on {frame['machines'].min()} to "
        f"{frame['machines'].max()} machines in the cluster's proportions. Left: mean waits; right: GPUs of "
        f"no use to typical tasks, F_n(M) over all machines, on average. Lines: medians. {SOURCE}"),
        _alt_month),
    Figure("lotes.gpus-fill", "lotes.gpus-fill", plot_filling, lambda frame: (
        f"The cluster's {frame['gpus'].iloc[0]:,.0f} GPUs, filled by tasks drawn from the trace at random, "
        "none of which ends. Left: GPUs that tasks without room asked for; hollow: when the first task, of "
        "whatever kind, found none. Right: GPUs of no use to typical tasks. Bands: 95 % over draws. What "
        "finds no room waits, and Greedy starts nothing more on a machine at which a task waits. "
        f"{SOURCE}"), _alt_filling),
)
