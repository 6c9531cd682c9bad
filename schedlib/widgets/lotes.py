"""The explorers of the LoTES chapters: a waiting line, a machine's bins, and a small cluster under three policies."""

import functools
from dataclasses import replace

import ipywidgets as widgets

from schedlib import lotes, style, theory
from schedlib.lotes.pictures import plot_occupancy, plot_polytope

POLICIES = ("lotes", "greedy", "tetris")
MACHINES, HOURS = 6, 6.0
CORES, MEMORY = 10, 10


@functools.lru_cache(maxsize=64)
def _line(servers, load, seed):
    one = lotes.JobClasses([1.0], [[1.0]], [[1.0]])
    jobs = lotes.RandomWorkload(one, rate=servers * load / 100, hours=500.0, sizes="fixed", largest=servers, seed=seed)
    return lotes.simulate("greedy", lotes.MachineConfigs([[float(servers)]], [1]), jobs, interval=1.0)


def draw_line(servers: int = 1, load: int = 80, seed: int = 0):
    """The queue at one machine of `servers` cores over 500 mean service times, with its mean and Erlang's formula.

    Returns (matplotlib Figure, alt text). Jobs need one core each; arrivals are Poisson, service exponential.
    """
    run = _line(servers, load, seed)
    rate = servers * load / 100
    expected = theory.little(rate, theory.mmc_mean_wait(rate, 1.0, servers))
    figure, ax = style.subplots(size=(8.0, 3.4))
    ax.fill_between(run.intervals["end"], run.intervals["queue"], step="pre", color=style.SKY, alpha=0.4, linewidth=0)
    ax.axhline(run.mean_queue, color=style.BLUE, label=f"mean of this run: {run.mean_queue:.3g}")
    ax.axhline(expected, color=style.VERMILLION, linestyle="--", label=f"Erlang C: {expected:.3g}")
    top = max(run.intervals["queue"].max(), expected, 1)
    ax.set(xlabel="time (mean service times)", ylabel="jobs waiting", xlim=(0, 500), ylim=(0, 1.35 * top))
    ax.set_title(f"{servers} cores, {load} % busy" if servers > 1 else f"1 core, {load} % busy")
    ax.legend(loc="upper left")
    alt = (
        f"Queue over time with {servers} cores at {load} per cent load: {run.mean_queue:.2f} jobs wait on average, "
        f"{expected:.2f} by Erlang C."
    )
    return figure, alt


def line():
    """Sliders for cores, load and seed, and the queue they give."""
    from schedlib.widgets.explorer import Explorer

    controls = {
        "servers": widgets.IntSlider(1, 1, 32, description="cores", continuous_update=False),
        "load": widgets.IntSlider(80, 10, 98, description="load (%)", continuous_update=False),
        "seed": widgets.IntSlider(0, 0, 9, description="seed", continuous_update=False),
    }
    return Explorer(draw_line, controls, height=340)


def draw_bins(cores_1: float = 2, cores_2: float = 3, memory_1: float = 3, memory_2: float = 1):
    """The mixes of two classes that fit a machine of 10 cores and 10 GB, and its non-dominated bins.

    Returns (matplotlib Figure, alt text).
    """
    demand = [[cores_1, memory_1], [cores_2, memory_2]]
    found = lotes.non_dominated_bins([CORES, MEMORY], demand)
    alt = (
        f"Jobs of {cores_1:g} cores and {memory_1:g} GB, and of {cores_2:g} cores and {memory_2:g} GB, on a machine of {CORES} "
        f"cores and {MEMORY} GB: {len(found)} non-dominated bins."
    )
    return plot_polytope([CORES, MEMORY], demand, resources=("cores", "memory"), size=(8.0, 4.2)), alt


def bins():
    """Sliders for the sizes of two classes, and the bins they give."""
    from schedlib.widgets.explorer import Explorer

    starts = {"cores_1": 2, "cores_2": 3, "memory_1": 3, "memory_2": 1}
    controls = {
        name: widgets.FloatSlider(value, min=0.5, max=6, step=0.5, description=f"class {name[-1]}: {unit}", continuous_update=False)
        for (name, value), unit in zip(starts.items(), ("cores", "cores", "GB", "GB"), strict=True)
    }
    return Explorer(draw_bins, controls)


@functools.lru_cache(maxsize=64)
def _instance(phi, load, sizes, seed):
    made = lotes.random_instance(phi / 1000, machines=MACHINES, hours=HOURS, sizes=sizes, seed=seed)
    # with so few machines rounding costs a good part of the planned rate: the load is that of what is left
    limit = made.plan.rate_rounded
    return made._replace(workload=replace(made.workload, rate=load / 100 * limit, limit=limit))


def draw_dispatch(load: int = 97, phi: int = 6, sizes: str = "common", seed: int = 0):
    """A cluster of 60 machines for six hours under LoTES, Greedy and Tetris: how full each machine is, and the queues.

    `load` in % of the rate that stage 2 sustains after rounding, `phi` in thousandths of the largest machine. Returns
    (matplotlib Figure, alt text).
    """
    instance = _instance(phi, load, sizes, seed)
    runs = []
    for policy in POLICIES:
        plan = instance.plan if policy == "lotes" else None
        runs.append(lotes.simulate(policy, instance.configs, instance.workload, plan=plan))
    waits = ", ".join(f"{style.look(run.policy).label} {run.mean_response:.2g} h" for run in runs)
    alt = f"Occupancy of 60 machines and queues at {load} per cent load with {sizes} sizes; mean waits: {waits}."
    return plot_occupancy(runs, instance.configs, instance.workload), alt


def dispatch():
    """Sliders for load and for how much classes differ, a menu of laws of sizes, and the cluster under three policies."""
    from schedlib.widgets.explorer import Explorer

    laws = [("each resource alone", "independent"), ("one factor a job", "common"), ("as the class says", "fixed")]
    controls = {
        "load": widgets.IntSlider(97, 50, 98, description="load (%)", continuous_update=False),
        "phi": widgets.IntSlider(6, 0, 15, 3, description="Phi (thousandths)", continuous_update=False),
        "sizes": widgets.Dropdown(options=laws, value="common", description="law of sizes"),
        "seed": widgets.IntSlider(0, 0, 9, description="seed", continuous_update=False),
    }
    return Explorer(draw_dispatch, controls)
