"""The explorers of the LoTES chapters: a waiting line, two pools, a machine's bins, a small cluster, and the runs of Figs. 11-13."""

import functools

import ipywidgets as widgets
import numpy as np

from schedlib import lotes, theory
from schedlib.exhibits.lotes.fig11_13_random import LAWS, axis_of
from schedlib.exhibits.lotes.random_point import at_point, plot_point
from schedlib.pictures import style
from schedlib.pictures.bins import plot_allocation, plot_occupancy, plot_polytope
from schedlib.teaching.explorers.explorer import Explorer, slider
from schedlib.teaching.lessons import dispatch as dispatch_book

POLICIES = ("lotes", "greedy", "tetris")
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
    ax.fill_between(run.intervals["end"], run.intervals["queue"], step="pre", color=style.BLUE, alpha=0.25, linewidth=0)
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
    controls = {
        "servers": slider(1, 1, 32, text="cores"),
        "load": slider(80, 10, 98, text="load (%)"),
        "seed": slider(0, 0, 9, text="seed"),
    }
    return Explorer(draw_line, controls, height=340)


def draw_pools(share: int = 50, memory: float = 4, cores: float = 2, pool_cores: int = 6, pool_memory: int = 4):
    """Stage 1 on two pools of ten machines: lambda*, which pool holds which class, and what is scarce.

    `share` of class 1 in %; its jobs need 1 core and `memory` GB, those of class 2 `cores` cores and 1 GB, all for an hour. The first
    pool's machines have 4 cores and 16 GB, the second's `pool_cores` and `pool_memory`. Returns (matplotlib Figure, alt text).
    """
    configs = lotes.MachineConfigs([[4, 16], [pool_cores, pool_memory]], [10, 10])
    classes = lotes.JobClasses([share / 100, 1 - share / 100], [[1, memory], [cores, 1]], [[1, 1], [1, 1]])
    found, gain = lotes.allocate(configs, classes), lotes.scarcity(configs, classes)
    names, resources = ["4 cores, 16 GB", f"{pool_cores} core{'s' * (pool_cores > 1)}, {pool_memory} GB"], ["cores", "memory"]
    scarce = [f"{resources[l]} of the {('first', 'second')[j]} pool" for j, l in zip(*np.nonzero(gain > 1e-6), strict=True)]
    what = " and ".join(scarce) or "no resource on its own, as several give out at once"
    alt = f"Two pools sustain {found.rate:.4g} jobs an hour. Scarce: {what}."
    return plot_allocation(configs, found, gain=gain, names=names, resources=resources), alt


def pools():
    """Sliders for the mix, the jobs and the second pool's machines, and the allocation that stage 1 finds."""
    controls = {
        "share": slider(50, 0, 100, 5, text="class 1 (% of jobs)"),
        "memory": slider(4.0, 0.5, 8, 0.5, text="class 1: GB"),
        "cores": slider(2.0, 0.5, 4, 0.5, text="class 2: cores"),
        "pool_cores": slider(6, 1, 16, text="second pool: cores"),
        "pool_memory": slider(4, 1, 16, text="second pool: GB"),
    }
    return Explorer(draw_pools, controls, height=360)


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
    starts = {"cores_1": 2, "cores_2": 3, "memory_1": 3, "memory_2": 1}
    controls = {
        name: slider(value, 0.5, 6, 0.5, text=f"class {name[-1]}: {unit}")
        for (name, value), unit in zip(starts.items(), ("cores", "cores", "GB", "GB"), strict=True)
    }
    return Explorer(draw_bins, controls)


_instance = functools.lru_cache(maxsize=64)(dispatch_book.instance)


def draw_dispatch(load: int = 97, phi: int = 6, sizes: str = "common", seed: int = 0):
    """A cluster of 60 machines for six hours under LoTES, Greedy and Tetris: how full each machine is, and the queues.

    `load` in % of the rate that stage 2 sustains after rounding, `phi` in thousandths of the largest machine; of its plans those
    for `seed` 0 to 9 and `phi` 0, 3, ... 15 are stored. Returns (matplotlib Figure, alt text). Raises ValueError for others.
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
    laws = [("each resource alone", "independent"), ("one factor a job", "common"), ("as the class says", "fixed")]
    controls = {
        "load": slider(97, 50, 98, text="load (%)"),
        "phi": slider(6, 0, 15, 3, text="Phi (thousandths)"),
        "sizes": widgets.Dropdown(options=laws, value="common", description="law of sizes"),
        "seed": slider(0, 0, 9, text="seed"),
    }
    return Explorer(draw_dispatch, controls)


def draw_stored(runs, figure: str = "fig11", sizes: str = "common-matched", at: float = 0.006, claims=None):
    """One point of a stored figure: waits and queue growth of every instance and policy, and the figure's claims under that law.

    `runs`: frames by figure, such as `{"fig11": reproduce.frame("lotes.fig11")}`; `claims`: the ledger, `reproduce.claims("lotes")`.
    Nothing is simulated. Returns (matplotlib Figure, alt text).
    """
    if figure not in runs:
        raise ValueError(f"figure: {figure!r} is not among the runs; there are {', '.join(runs)}")
    frame = runs[figure]
    if claims is not None:
        claims = claims[claims["id"].str.startswith(f"lotes.{figure}-") & claims["id"].str.endswith(f"-{sizes}")]
    some = at_point(frame, sizes, at)
    words = [
        f"{style.look(policy).label} waits {one['wait'].median():.2g} s ({one['stable'].sum()} of {len(one)} runs stable)"
        for policy, one in some.groupby("policy", sort=False)
    ]
    alt = f"Medians at load {some['load'].iloc[0]:g} and {axis_of(frame)} = {at:g}, sizes {sizes}: {', '.join(words)}."
    return plot_point(frame, sizes, at, claims), alt


def _what_varies(frame):
    words = {"phi": "classes differ by Phi", "omega": "machines differ by Omega"}
    return f"load {frame['load'].iloc[0]:g}, {words[axis_of(frame)]}"


def stored(runs, claims=None):
    """Menus for the figure and the law of sizes, a slider along the figure's axis, and the stored runs at that point.

    `runs` and `claims` as in `draw_stored`. The slider's values and the laws are those of the figure chosen.
    """
    figure = widgets.Dropdown(options=[(_what_varies(frame), name) for name, frame in runs.items()], description="runs")
    sizes = widgets.Dropdown(description="law of sizes")
    at = widgets.SelectionSlider(options=[0], description="Phi or Omega", continuous_update=False)

    def offer():
        frame = runs[figure.value]
        law, values = sizes.value, sorted(set(frame[axis_of(frame)]))
        laws = [(name, law) for law, name in LAWS.items() if law in set(frame["sizes"])]
        sizes.options = laws
        sizes.value = law if law in dict(laws).values() else laws[0][1]
        at.options = [(f"{value:g}", value) for value in values]

    offer()
    at.index = len(at.options) // 2
    controls = {"figure": figure, "sizes": sizes, "at": at}
    return Explorer(functools.partial(draw_stored, runs, claims=claims), controls, height=460, settle={"figure": offer})
