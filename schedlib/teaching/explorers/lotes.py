"""The explorers of the LoTES chapters: a waiting line, two pools, bins, a cluster, runs of Figs. 11-13."""

import functools
from collections.abc import Mapping

import ipywidgets as widgets
import numpy as np
import pandas as pd
from matplotlib.ticker import NullLocator

from schedlib import lotes, theory
from schedlib.core.checks import unknown
from schedlib.lotes.simulation import GROWTH
from schedlib.pictures import style
from schedlib.pictures.bins import plot_allocation, plot_occupancy, plot_polytope
from schedlib.pictures.waits import LAWS, SHORTEST, WAIT, axis_of, dots
from schedlib.teaching.explorers import Explorer, Picture, menu, slider
from schedlib.teaching.lessons import dispatch as stored_clusters

CORES, MEMORY = 10, 10
WIDE = 8.6
HIGH = 4.6
SPREAD = 0.12
POLICIES = ("lotes", "greedy", "tetris")


@functools.lru_cache(maxsize=64)
def _line(servers, load, seed):
    machine = lotes.MachineConfigs([[float(servers)]], [1])
    one = lotes.JobClasses([1.0], [[1.0]], [[1.0]])
    jobs = lotes.RandomWorkload(
        one,
        rate=servers * load / 100,
        hours=500.0,
        sizes="fixed",
        largest=servers,
        seed=seed,
    )
    return lotes.simulate("greedy", machine, jobs, interval=1.0)


def draw_line(servers: int = 1, load: int = 80, seed: int = 0) -> Picture:
    """The queue at one machine of `servers` cores over 500 mean service times, its mean and Erlang's formula.
    Jobs need one core each; arrivals are Poisson, service exponential."""
    run = _line(servers, load, seed)
    rate = servers * load / 100
    wait = theory.mmc_mean_wait(rate, 1.0, servers)
    expected = theory.little(rate, wait)
    cores = _cores(servers)
    figure, ax = style.subplots(size=(8.0, 3.4))
    end = run.intervals["end"]
    queue = run.intervals["queue"]
    mean = run.mean_queue
    ax.fill_between(end, queue, step="pre", color=style.BLUE, alpha=0.25, linewidth=0)
    ax.axhline(mean, color=style.BLUE, label=f"mean of this run: {mean:.3g}")
    ax.axhline(expected, color=style.VERMILLION, linestyle="--", label=f"Erlang C: {expected:.3g}")
    top = 1.35 * max(queue.max(), expected, 1)
    ax.set(
        title=f"{cores}, {load} % busy",
        xlabel="time (mean service times)",
        xlim=(0, 500),
        ylabel="jobs waiting",
        ylim=(0, top),
    )
    ax.legend(loc="upper left")
    means = f"{mean:.2f} jobs wait on average, {expected:.2f} by Erlang C"
    return figure, f"Queue over time with {cores} at {load} per cent load: {means}."


def _cores(number):
    return f"{number} core{'s' * (number > 1)}"


def line() -> Explorer:
    """Sliders for cores, load and seed, and the queue they give."""
    controls = {
        "servers": slider(1, 1, 32, text="cores"),
        "load": slider(80, 10, 98, text="load (%)"),
        "seed": slider(0, 0, 9, text="seed"),
    }
    page = {"servers": (1, 2, 4, 16), "load": (50, 80, 90, 95, 98), "seed": range(5)}
    return Explorer(draw_line, controls, height=340, page=page)


def draw_pools(
    share: int = 50, memory: float = 4, cores: float = 2, pool_cores: int = 6, pool_memory: int = 4
) -> Picture:
    """Stage 1 on two pools of ten machines: lambda*, which pool holds which class, and what is scarce.

    `share` % of the jobs are of class 1 and need 1 core and `memory` GB, others `cores` cores and 1 GB, all
    for 1 h. Machines have 4 cores and 16 GB in the first pool, `pool_cores` and `pool_memory` in the second.
    """
    configs = lotes.MachineConfigs([[4, 16], [pool_cores, pool_memory]], [10, 10])  # type: ignore[arg-type]
    shares = [share / 100, 1 - share / 100]
    demand = [[1, memory], [cores, 1]]
    classes = lotes.JobClasses(shares, demand, [[1, 1], [1, 1]])  # type: ignore[arg-type]
    allocation = lotes.allocate(configs, classes)
    gain = lotes.scarcity(configs, classes)
    pools = ["4 cores, 16 GB", f"{_cores(pool_cores)}, {pool_memory} GB"]
    resources = ["cores", "memory"]
    scarce = []
    for pool, gains in zip(("first", "second"), gain, strict=True):
        for resource, more in zip(resources, gains, strict=True):
            if more > 1e-6:
                scarce.append(f"{resource} of the {pool} pool")
    words = " and ".join(scarce) or "no resource on its own, as several give out at once"
    alt = f"Two pools sustain {allocation.rate:.4g} jobs an hour. Scarce: {words}."
    figure = plot_allocation(configs, allocation, gain=gain, names=pools, resources=resources)
    return figure, alt


def pools() -> Explorer:
    """Sliders for the mix, the jobs and the second pool's machines, and the allocation that stage 1 finds."""
    controls = {
        "share": slider(50, 0, 100, 5, text="class 1 (% of jobs)"),
        "memory": slider(4.0, 0.5, 8, 0.5, text="class 1: GB"),
        "cores": slider(2.0, 0.5, 4, 0.5, text="class 2: cores"),
        "pool_cores": slider(6, 1, 16, text="second pool: cores"),
        "pool_memory": slider(4, 1, 16, text="second pool: GB"),
    }
    page = {
        "share": (25, 50, 75),
        "memory": (1, 4, 8),
        "cores": (2, 4),
        "pool_cores": (4, 6, 8),
        "pool_memory": (4, 16),
    }
    return Explorer(draw_pools, controls, height=360, page=page)


def draw_bins(
    cores_1: float = 2, cores_2: float = 3, memory_1: float = 3, memory_2: float = 1
) -> Picture:
    """The mixes of two classes that fit a machine of 10 cores and 10 GB, and its non-dominated bins."""
    capacity = [CORES, MEMORY]
    demand = [[cores_1, memory_1], [cores_2, memory_2]]
    bins = len(lotes.non_dominated_bins(capacity, demand))
    first, second = (f"{cores:g} cores and {memory:g} GB" for cores, memory in demand)
    machine = f"a machine of {CORES} cores and {MEMORY} GB"
    alt = f"Jobs of {first}, and of {second}, on {machine}: {bins} non-dominated bins."
    figure = plot_polytope(capacity, demand, resources=("cores", "memory"), size=(8.0, 4.2))
    return figure, alt


def bins() -> Explorer:
    """Sliders for the sizes of two classes, and the bins they give."""
    sizes = (
        ("cores_1", 2, "class 1: cores"),
        ("cores_2", 3, "class 2: cores"),
        ("memory_1", 3, "class 1: GB"),
        ("memory_2", 1, "class 2: GB"),
    )
    cores = (1, 2, 2.5, 3)
    controls = {name: slider(size, 0.5, 6, 0.5, text=text) for name, size, text in sizes}
    return Explorer(
        draw_bins,
        controls,
        page={"cores_1": cores, "cores_2": cores, "memory_1": (1, 2, 3), "memory_2": (1, 2)},
    )


def draw_dispatch(load: int = 97, phi: int = 6, sizes: str = "common", seed: int = 0) -> Picture:
    """A cluster of 60 machines for six hours under three policies: how full each machine is, and the queues.
    `load` in % of the rate that stage 2 sustains after rounding, `phi` in thousandths of the largest machine.
    Plans are stored for `seed` 0 to 9 and `phi` 0, 3, ... 15; ValueError for others."""
    case = stored_clusters.instance(phi, load, sizes, seed)
    plans = {"lotes": case.plan, "greedy": None, "tetris": None}
    runs = []
    waits = []
    for policy, plan in plans.items():
        run = lotes.simulate(policy, case.configs, case.workload, plan=plan)
        runs.append(run)
        waits.append(f"{style.look(policy).label} {run.mean_response:.2g} h")
    alt = f"Occupancy of 60 machines and queues at {load} per cent load with {sizes} sizes"
    figure = plot_occupancy(runs, case.configs, case.workload)
    return figure, f"{alt}; mean waits: {', '.join(waits)}."


def dispatch() -> Explorer:
    """Sliders for load and for how much classes differ, a menu of laws of sizes, and the cluster."""
    laws = {
        "each resource alone": "independent",
        "one factor a job": "common",
        "as the class says": "fixed",
    }
    controls = {
        "load": slider(97, 50, 98, text="load (%)"),
        "phi": slider(6, 0, 15, 3, text="Phi (thousandths)"),
        "sizes": menu(list(laws.items()), "common", text="law of sizes"),
        "seed": slider(0, 0, 9, text="seed"),
    }
    return Explorer(
        draw_dispatch, controls, page={"load": (60, 80, 90, 97), "phi": (0, 6, 15), "seed": ()}
    )


def draw_stored(
    runs: Mapping[str, pd.DataFrame],
    figure: str = "fig11",
    sizes: str = "common-matched-limit",
    at: float = 0.006,
) -> Picture:
    """One point of a stored figure: waits and queue growth of all instances and policies. `runs`: frames by
    figure, such as `{"fig11": reproduce.frame("lotes.fig11")}`. Nothing is simulated."""
    if figure not in runs:
        raise unknown("figure", figure, runs)
    frame = runs[figure]
    axis = axis_of(frame)
    here = np.isclose(frame[axis], at)
    point = frame[here & (frame["sizes"] == sizes)]
    if point.empty:
        laws = ", ".join(frame["sizes"].unique())
        values = ", ".join(f"{value:g}" for value in sorted(frame[axis].unique()))
        raise ValueError(
            f"sizes, at: no runs of {sizes!r} at {axis} = {at:g}; there are {laws} at {values}"
        )
    words = []
    for policy, rows in point.groupby("policy", sort=False):
        label = style.look(policy).label
        wait = rows["wait"].median()
        stable = f"{rows['stable'].sum()} of {len(rows)} runs stable"
        words.append(f"{label} waits {wait:.2g} s ({stable})")
    load = point["load"].iloc[0]
    where = f"load {load:g} and {axis} = {at:g}, sizes {sizes}"
    drawn = _plot_point(frame, point, sizes, at)
    return drawn, f"Medians at {where}: {', '.join(words)}."


def _plot_point(frame, rows, sizes, at):
    """Mean waits and growth of the queue in these rows of a stored figure's frame."""
    policies = [policy for policy in POLICIES if policy in set(rows["policy"])]
    # The axes are placed by hand, which is twice as quick as the layout engine.
    place = {
        "left": 1.6 / WIDE,
        "right": 0.98,
        "top": 1 - 0.4 / HIGH,
        "bottom": 0.55 / HIGH,
        "wspace": 0.11,
    }
    figure, axes = style.subplots(1, 2, size=(WIDE, HIGH), sharey=True, gridspec_kw=place)
    waiting, growing = axes
    figure.set_layout_engine("none")
    waits = frame["wait"].clip(lower=SHORTEST)
    growth = 100 * frame["slope"]
    threshold = 100 * GROWTH
    for ax, values in zip(axes, (waits, growth), strict=True):
        for height, policy in enumerate(policies):
            runs = rows[rows["policy"] == policy].sort_values("seed")
            middle = (len(runs) - 1) / 2
            heights = height + SPREAD * (np.arange(len(runs)) - middle)
            dots(
                ax,
                values[runs.index],
                heights,
                style.look(policy),
                7,
                stable=runs["stable"],
            )
    labels = [style.look(policy).label for policy in policies]
    waiting.set(xscale="log", xlabel=f"{WAIT}; none: 0.0001")
    waiting.set_xlim(SHORTEST / 2, 2 * waits.max())
    waiting.set_yticks(range(len(policies)), labels)
    waiting.set_ylim(len(policies) - 0.5, -0.5)
    least = min(growth.min(), -threshold)
    most = max(1.5 * growth.max(), 1)
    growing.set_xscale("symlog", linthresh=threshold)
    growing.set(xlim=(1.2 * least, most), xlabel="growth of the queue (% of the arrivals)")
    growing.axvline(threshold, color="black", linestyle=":", linewidth=1)
    for ax in axes:
        ax.xaxis.set_minor_locator(NullLocator())
        # powers as formulas take longer to set than all else to draw
        ax.xaxis.set_major_formatter("{x:,g}")
    load = rows["load"].iloc[0]
    axis = axis_of(frame).capitalize()
    where = f"load {load:g}, {axis} = {at:g}, sizes: {LAWS[sizes]}"
    figure.suptitle(f"{where} (hollow: unstable)", fontsize=10, y=0.985)
    return figure


def stored(runs: Mapping[str, pd.DataFrame]) -> Explorer:
    """Menus for the figure and the law of sizes, a slider along the figure's axis, and the runs there. `runs`
    as in `draw_stored`. The slider's values and the laws are those of the figure chosen."""
    varies = {"phi": "classes differ by Phi", "omega": "machines differ by Omega"}
    names = []
    for name, run in runs.items():
        load = run["load"].iloc[0]
        names.append((f"load {load:g}, {varies[axis_of(run)]}", name))
    figure = menu(names, text="runs")
    sizes = menu([], text="law of sizes")
    at = widgets.SelectionSlider(options=[0], description="Phi or Omega")

    def offer():
        frame = runs[figure.value]
        law = sizes.value
        drawn = set(frame["sizes"])
        laws = [law for law in LAWS if law in drawn]
        sizes.options = [(LAWS[law], law) for law in laws]
        sizes.value = law if law in laws else laws[0]
        values = sorted(set(frame[axis_of(frame)]))
        at.options = [(f"{value:g}", value) for value in values]

    offer()
    at.index = len(at.options) // 2
    return Explorer(
        functools.partial(draw_stored, runs),
        {"figure": figure, "sizes": sizes, "at": at},
        height=460,
        on_change={"figure": offer},
    )
