"""Pictures of LoTES: a machine's bins, a small timetable, a cluster's occupancy, and an allocation."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
from matplotlib.artist import Artist
from matplotlib.figure import Figure
from matplotlib.patches import Patch

from reproduce.exhibits.lotes.diagrams import draw_blocks
from schedlib.core.checks import amounts, numbers, typed
from schedlib.lotes.model import Allocation, MachineConfigs, scaled
from schedlib.lotes.plain import Run
from schedlib.lotes.planning.bins import non_dominated_bins
from schedlib.lotes.simulation import Simulation
from schedlib.lotes.workloads.instances import RandomWorkload
from schedlib.plots import style
from schedlib.workload import Workload

# jobs of a class up to which whole mixes are drawn; moments of an occupancy
MOST_DOTS, MOMENTS = (40, 240)
HIGHEST = 3000  # jobs: the longest queue that the sliders of chapter 4 give (load 98 %, Phi 0.015, seed 5)
HATCHES = ("", "//", "..", "xx")
DASHES = ("-", "--", "-.", ":")


def _edge(capacity, demand):
    """The upper edge of {y >= 0 : y @ demand <= capacity} in the plane: its corners' two coordinates."""
    first, second = demand
    with np.errstate(divide="ignore", invalid="ignore"):
        most = np.nanmin(capacity / first)
        # where two resources are used up
        above = np.outer(capacity, second) - np.outer(second, capacity)
        crossing = above / (np.outer(first, second) - np.outer(second, first))
        within = crossing[(crossing > 0) & (crossing < most)]
        x = np.unique([0.0, *within, most])
        room = (capacity - np.outer(x, first)) / second
    return x, np.maximum(np.nanmin(room, axis=1), 0.0)


def _named(argument, names, number):
    texts = all(isinstance(name, str) for name in names)
    if isinstance(names, str) or not texts or len(names) != number:
        raise ValueError(f"{argument}: needs a name for each of the {number} {argument}")


@typed
def plot_polytope(
    capacity: npt.ArrayLike,
    demand: npt.ArrayLike,
    resources: Sequence[str],
    *,
    mix: npt.ArrayLike | None = None,
    whole: bool = True,
    size: tuple[float, float] = (6.4, 4.0),
) -> Figure:
    """How many jobs of two classes fit: the polytope, the whole mixes in it, and its non-dominated bins.

    `capacity (R,)`, `demand (2, R)`. Whole mixes are drawn when at most 40 jobs of either class fit, unless
    `whole` is False (pooled machines). `mix (2,)` adds the ray of mixes in that proportion up to where it
    leaves the polytope; `resources` names the R resources; `size` is in inches. Raises ValueError for other
    numbers of classes, and when no resource bounds a class.

    >>> len(plot_polytope([7], [[2], [3]], ["cores"]).axes)
    1
    """
    capacity = numbers("capacity", capacity, 1, "one number for each resource")
    demand = numbers("demand", demand, 2, "a row for each of two classes")
    if demand.shape != (2, capacity.size):
        raise ValueError(
            f"demand: shape {demand.shape}; give two classes, and a column for each resource"
        )
    if not demand.any(axis=1).all():
        raise ValueError(
            "demand: any number of jobs of a class that needs nothing fits; leave it out"
        )
    _named("resources", resources, capacity.size)
    if mix is not None:
        mix = numbers("mix", mix, 1, "a part for each of the two classes")
        amounts("mix", mix)
        if mix.size != 2 or not mix.any():
            raise ValueError("mix: needs two parts, one of them above 0")
    figure, axes = style.subplots(size=size)
    x, y = _edge(capacity, demand)
    top = np.maximum([x.max(), y.max()], 1e-12)
    few = top.max() <= MOST_DOTS
    width, height = 1.15 * top + (0.3 if few else 0)
    axes.fill_between(x, y, color=style.BLUE, alpha=0.15, linewidth=0)
    handles: list[Artist] = [Patch(color=style.BLUE, alpha=0.25, label="fits, jobs divisible")]
    for l in np.flatnonzero(demand.any(axis=0)).tolist():
        look: dict[str, Any] = {
            "color": style.PALETTE[l % 7 if l > 1 else 3 * l],
            "linestyle": DASHES[l % 4],
        }
        # from where class 1 alone uses it up to where class 2 does: far away for one that needs nothing of it
        x, y = capacity[l] / np.maximum(demand[:, l], 1e-9 * demand[:, l].max())
        axes.plot([x, 0.0], [0.0, y], label=f"{resources[l]} used up", **look)
    handles += axes.lines
    if whole and few:
        axes.locator_params(integer=True)
        handles += _dots(axes, capacity, demand)
    if mix is not None:
        handles += _ray(axes, capacity, demand, np.asarray(mix, float))
    axes.set(
        xlim=(-0.02 * width, width),
        ylim=(-0.02 * height, height),
        xlabel="jobs of class 1 at a time",
        ylabel="jobs of class 2 at a time",
    )
    below: dict[str, Any] = {"loc": "outside lower center", "ncols": 2, "handlelength": 2}
    figure.legend(handles=handles, **below)
    return figure


def _ray(ax, capacity, demand, mix):
    """Draw the mixes in this proportion up to where a resource is used up; gives the legend's handles."""
    used = mix @ demand
    needed = used > 0
    times = capacity[needed] / used[needed]
    x, y = mix * times.min()
    look = {"color": "black", "linewidth": 1.2}
    ax.plot([0, x], [0, y], **look)
    label = f"asked mix, at most\n({x:.4g}, {y:.4g}) at a time"
    return ax.plot(x, y, "*", markersize=11, label=label, **look)


def _dots(ax, capacity, demand):
    room, need = scaled(capacity, demand)
    kept = non_dominated_bins(capacity, demand)
    most = kept.max(axis=0)
    grid = np.array(list(np.ndindex(most[0] + 1, most[1] + 1)))
    fits = grid @ need <= room
    inside = grid[fits.all(axis=1)]
    dot = {"marker": "o", "color": "#777777", "markersize": 3, "linestyle": ""}
    box = {"marker": "s", "color": style.VERMILLION, "markersize": 7, "linestyle": ""}
    dots = ax.plot(*inside.T, clip_on=False, label="whole mix that fits", **dot)
    bins = f"non-dominated bin ({len(kept)})"
    return dots + ax.plot(*kept.T, clip_on=False, label=bins, **box)


def _demands(workload, jobs) -> np.ndarray:
    """The demands (N, R) of these jobs of a run of the workload."""
    if isinstance(workload, Workload):
        demands = workload.tasks[list(workload.resources)].to_numpy(float)
    else:
        demands = np.concatenate([block.demand for block in workload.blocks()])
    if len(demands) < len(jobs):
        raise ValueError(
            f"workload: {len(demands)} jobs, but the run has {len(jobs)}; give the one that was run"
        )
    return demands[: len(jobs)]


@typed
def plot_timetable(
    run: Simulation | Run,
    configs: MachineConfigs,
    workload: Workload | RandomWorkload,
    *,
    until: float | None = None,
    size: tuple[float, float] = (7.0, 3.6),
    title: str = "",
    unit: str = "",
) -> Figure:
    """Which job holds how much of each machine, when, and the queue below: for few jobs with whole demands.

    `run` must have kept its rows; heights are the first resource, and a job that needs none of it has no block.
    `title` stands in the place of the policy's name, and `unit` names that of the times.
    Jobs are numbered from 1 by arrival and coloured by class. Raises ValueError when demands are not whole numbers.
    """
    jobs: Any = run.jobs
    demands = _demands(workload, jobs)
    if demands.shape[1] == 0:
        raise ValueError("workload: its jobs demand no resource, so there is nothing to draw")
    height = demands[:, 0]
    if (height != np.rint(height)).any():
        raise ValueError(
            "workload: a timetable draws whole amounts of a resource; use plot_occupancy"
        )
    jobs = jobs.assign(height=height.astype(int))
    if until is None:
        until = 1.03 * jobs["finish"].max()
    room = np.repeat(configs.capacity[:, 0], configs.count).astype(int)
    heights = [*room, max(2, room.max() / 2)]
    figure, axes = style.subplots(len(heights), 1, size=size, sharex=True, height_ratios=heights)
    palette = np.array(style.PALETTE)
    for machine, (ax, lanes) in enumerate(zip(axes, room, strict=False)):
        drawn = (jobs["machine"] == machine) & (jobs["height"] > 0)
        mine = jobs[drawn].sort_values(["start", "job"])
        colours = palette[mine["class"].astype(int) % len(palette)]
        numbers = mine.index + 1
        times = mine["start"], mine["finish"]
        draw_blocks(ax, *times, mine["height"], lanes, colours, numbers)
        ax.set(ylim=(0, lanes), xlim=(0, until), ylabel=f"machine {machine + 1}")
        step = max(1, lanes // 5)
        ax.set_yticks(range(0, lanes + 1, step))
    _queue_steps(axes[-1], run, until)
    label = title or style.look(run.policy).label
    response = jobs["start"] - jobs["submit"]
    wait = f"mean wait {response.mean():.3g} {unit}".rstrip()
    axes[0].set_title(f"{label}: {wait}")
    if unit:
        axes[-1].set_xlabel(f"time ({unit})")
    classes = sorted(set(jobs["class"]))
    if len(classes) > 1:
        names = []
        for k in classes:
            colour = palette[k % len(palette)]
            names.append(Patch(color=colour, alpha=0.75, label=f"class {k + 1}"))
        figure.legend(handles=names, loc="outside right upper")
    return figure


def _queue_steps(ax, run, until):
    start = np.sort(run.jobs["start"].fillna(np.inf))
    submit = np.sort(run.jobs["submit"])
    started = start[np.isfinite(start)]
    moments = np.unique([0.0, *submit, *started, until])
    have_come = np.searchsorted(submit, moments, "right")
    have_left = np.searchsorted(start, moments, "right")
    length = have_come - have_left
    longest = length.max(initial=0)
    top = max(1.0, 1.1 * longest)
    ax.fill_between(moments, length, step="post", color="#555555", alpha=0.35, linewidth=0)
    ax.step(moments, length, where="post", color="#333333", linewidth=1.0)
    ax.set(xlabel="time", ylabel="waiting", xlim=(0, until), ylim=(0, top))
    ax.locator_params(axis="y", integer=True, nbins=4)


def occupancy(
    run: Simulation,
    configs: MachineConfigs,
    workload: Workload | RandomWorkload,
    moments: np.ndarray,
) -> np.ndarray:
    """How full each machine is at each of the moments (T,): the share of its fullest resource, (N, T)."""
    jobs: Any = run.jobs
    started = jobs["machine"].to_numpy() >= 0
    demand = _demands(workload, jobs)[started]
    jobs = jobs[started]
    machine = jobs["machine"].to_numpy()
    finish = jobs["finish"].fillna(np.inf).to_numpy()
    begin = np.searchsorted(moments, jobs["start"].to_numpy())
    end = np.searchsorted(moments, finish)
    capacity = np.repeat(configs.capacity, configs.count, axis=0)
    machines = len(capacity)
    full = np.zeros((machines, len(moments)))
    for l in range(configs.n_resources):
        need = demand[:, l]
        change = np.zeros((machines, len(moments) + 1))
        np.add.at(change, (machine, begin), need)
        np.add.at(change, (machine, end), -need)
        used = change.cumsum(axis=1)[:, :-1]
        room = capacity[:, [l]]
        share = np.zeros_like(used)
        np.divide(used, room, out=share, where=room > 0)
        full = np.maximum(full, share)
    return full


@typed
def plot_occupancy(
    runs: Sequence[Simulation], configs: MachineConfigs, workload: Workload | RandomWorkload
) -> Figure:
    """How full each machine is over time (h), a panel for each run of one workload, and the queues below.

    The runs must have kept their rows, with times in hours. White lines part the configurations. The queues'
    scale is the same for all workloads, so that one sees which grow.
    """
    runs = list(runs)
    if not runs or not all(isinstance(run, Simulation) for run in runs):
        raise ValueError("runs: needs a list of what lotes.simulate gives")
    until = max(run.time for run in runs)
    moments = np.linspace(0, until, MOMENTS, endpoint=False)
    rows = len(runs) + 1
    figure, axes = style.subplots(rows, 1, size=(4.4, 1.2 + 1.4 * rows), sharex=True)
    *tops, low = axes
    titles = []
    longest = []
    borders = np.cumsum(configs.count)[:-1]
    extent = (0, until, configs.n_machines, 0)
    shades = {"cmap": "viridis", "vmin": 0, "vmax": 1, "interpolation": "nearest"}
    for top, run in zip(tops, runs, strict=True):
        look = style.look(run.policy)
        (time, queue) = run.queue_length.to_numpy().T
        wait = "no waits"
        if run.mean_wait_started > 0:
            wait = f"mean wait {3600 * run.mean_wait_started:.3g} s"
        title = f"{look.label}: {wait}"
        titles.append(title)
        longest.append(f"{look.label} {queue.max():.0f}")
        full = occupancy(run, configs, workload, moments)
        picture = top.imshow(full, extent=extent, aspect="auto", **shades)
        top.hlines(borders, 0, until, color="white", linewidth=0.7)
        top.set_title(title, fontsize=10)
        top.set_ylabel("machine")
        top.grid(visible=False)
        low.plot(time, queue, **look.line() | {"marker": ""}, linewidth=1.2)
    what = f"How full each of {configs.n_machines} machines is over {until:.3g} h"
    waits = "; ".join(titles)
    queues = ", ".join(longest)
    figure.alt = f"{what}. {waits}. Longest queue: {queues} jobs."
    _, highest = low.get_ylim()
    low.set_yscale("symlog", linthresh=1)
    low.set(
        xlabel="time (h)", xlim=(0, until), ylabel="jobs waiting", ylim=(0, max(HIGHEST, highest))
    )
    low.set_yticks((0, 1, 10, 100, 1000), ("0", "1", "10", "100", "1,000"))
    figure.legend(loc="outside lower center", ncols=len(runs), handlelength=2)
    bar: dict[str, Any] = {"location": "top", "ticks": (0, 0.5, 1), "aspect": 30}
    figure.colorbar(picture, ax=tops, label="share in use of the fullest resource", **bar)
    return figure


@typed
def plot_allocation(
    allocation: Allocation, gain: np.ndarray, names: Sequence[str], resources: Sequence[str]
) -> Figure:
    """Which class gets how much of each resource of each pool, and what more of that resource would be worth.

    `allocation` is stage 1's; `gain (M, R)`, the growth of lambda* by `lotes.scarcity`, is drawn below it;
    `names` (M) and `resources` (R) name the pools and what they have.

    >>> from schedlib import lotes
    >>> configs, classes = lotes.google2011()
    >>> found, gain = lotes.allocate(configs, classes), lotes.scarcity(configs, classes)
    >>> len(plot_allocation(found, gain, [f"pool {j}" for j in range(10)], ["cores", "memory"]).axes)
    2
    """
    m, k, r = allocation.delta.shape
    gain = numbers("gain", gain, 2, "a number for each pool and resource")
    if gain.shape != (m, r):
        raise ValueError(
            f"gain: shape {gain.shape}; give a row for each of {m} pools, of {r} numbers"
        )
    _named("names", names, m)
    _named("resources", resources, r)
    pools = np.arange(m) * (r + 0.6)  # with gaps between them
    rows = np.add.outer(pools, np.arange(r))
    rows = rows.ravel()
    labels = [f"{name}: {resource}" for name in names for resource in resources]
    # The axes are placed by hand, which is twice as quick as the layout engine.
    panel = 0.3 * m * r + 0.3  # inches
    whole = 2 * panel + 2.1
    grid = {"left": 0.46, "right": 0.96, "top": 1 - 0.35 / whole, "bottom": 0.85 / whole}
    grid["hspace"] = 0.9 / panel
    figure, (ax, beside) = style.subplots(2, 1, size=(4.4, whole), gridspec_kw=grid)
    figure.set_layout_engine("none")
    left = np.zeros(m * r)
    for c in range(k):
        share = 100 * allocation.delta[:, c].ravel()
        look = {"color": style.PALETTE[c % 7], "hatch": HATCHES[c % 4], "edgecolor": "white"}
        ax.barh(rows, share, 0.8, left, label=f"class {c + 1}", **look)
        left += share
    for axes in (ax, beside):
        axes.set(yticks=rows, yticklabels=labels)
        axes.invert_yaxis()
        axes.grid(axis="y", visible=False)
    ax.set(xlabel="in use (%)", xlim=(0, 104))
    ax.set_title(f"$\\lambda^*$ = {allocation.rate:,.4g}")
    worth = 100 * gain.ravel()
    beside.barh(rows, worth, 0.8, color="#555555")
    for row, value in zip(rows, worth, strict=True):
        text = f" {value:.3g}" if value > 1e-6 else " 0"
        beside.text(value, row, text, va="center", fontsize=10)
    # a tenth more of everything gives 10 %, and no resource alone gives more; the numbers stand beside
    beside.set(xlabel="$\\lambda^*$ grows by (%)", xlim=(0, 12))
    beside.set_title("with a tenth more of it", fontsize=10)
    figure.legend(*ax.get_legend_handles_labels(), loc="lower center", ncols=k)
    return figure
