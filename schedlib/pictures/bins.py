"""A machine's bins, a small timetable, and a cluster's occupancy as pictures."""

import numpy as np
from matplotlib.collections import PolyCollection
from matplotlib.colors import to_rgba
from matplotlib.lines import Line2D
from matplotlib.patches import Patch
from matplotlib.ticker import MaxNLocator

from schedlib.lotes.model import scaled
from schedlib.lotes.planning.bins import non_dominated_bins
from schedlib.pictures import style
from schedlib.workload import Workload

MOST_DOTS = 40
MOMENTS = 240
HATCHES = ("", "//", "..", "xx")


def _corners(capacity, demand):
    """The corners of {y >= 0 : y @ demand <= capacity} in the plane, in order around it."""
    rows = np.vstack([demand.T, -np.eye(2)])
    sides = np.concatenate([capacity, np.zeros(2)])
    found = []
    for a in range(len(rows)):
        for b in range(a):
            pair = rows[[a, b]]
            if abs(np.linalg.det(pair)) > 1e-12 * max(np.abs(pair).max() ** 2, 1e-300):
                point = np.linalg.solve(pair, sides[[a, b]])
                if (rows @ point <= sides + 1e-9 * np.maximum(np.abs(sides), 1)).all():
                    found.append(np.maximum(point, 0))
    found = np.unique(np.round(found, 9), axis=0)
    middle = found.mean(axis=0)
    return found[np.argsort(np.arctan2(*(found - middle).T[::-1]))]


def plot_polytope(capacity, demand, *, mix=None, whole=True, resources=None, size=(6.4, 4.0)):
    """How many jobs of two classes fit: the polytope, the whole mixes in it, and its non-dominated bins.

    `capacity (R,)`, `demand (2, R)`. Whole mixes are drawn when at most 40 jobs of either class fit, unless `whole` is
    False (pooled machines share divisible jobs). `mix (2,)` adds the ray of
    mixes in that proportion and where it leaves the polytope; `resources` names the R resources. Returns a matplotlib Figure.
    Raises ValueError for other numbers of classes, and when a class is not bounded by any resource.

    >>> len(plot_polytope([7], [[2], [3]]).axes)
    1
    """
    capacity, demand = np.asarray(capacity, float), np.asarray(demand, float)
    if demand.ndim != 2 or len(demand) != 2 or demand.shape[1:] != capacity.shape:
        raise ValueError(f"demand: shape {demand.shape}; a picture in the plane needs two classes and a column per resource")
    if not demand.any(axis=1).all():
        raise ValueError("demand: a class that needs nothing fills a machine with any number of jobs; leave it out")
    names = [f"resource {l + 1}" for l in range(len(capacity))] if resources is None else list(resources)
    figure, ax = style.subplots(size=size)
    corners = _corners(capacity, demand)
    top = np.maximum(corners.max(axis=0), 1e-12)
    reach = 1.15 * top + (0.3 if top.max() <= MOST_DOTS else 0)
    ax.fill(*corners.T, color=style.BLUE, alpha=0.15, linewidth=0)
    handles = [Patch(color=style.BLUE, alpha=0.25, label="fits, jobs divisible")]
    for l, name in enumerate(names):
        colour, dash = style.PALETTE[(0, 3)[l] if l < 2 else l % 7], ("-", "--", "-.", ":")[l % 4]
        ends = [(capacity[l] / demand[0, l], 0.0) if demand[0, l] > 0 else (reach[0], capacity[l] / demand[1, l])] if demand[:, l].any() else []
        if ends:
            ends.append((0.0, capacity[l] / demand[1, l]) if demand[1, l] > 0 else (capacity[l] / demand[0, l], reach[1]))
            ax.plot(*zip(*ends, strict=True), color=colour, linestyle=dash)
            handles.append(Line2D([], [], color=colour, linestyle=dash, label=f"{name} used up"))
    if whole and top.max() <= MOST_DOTS:
        ax.locator_params(integer=True)
        handles += _dots(ax, capacity, demand)
    if mix is not None:
        handles.append(_ray(ax, capacity, demand, np.asarray(mix, float)))
    ax.set(xlim=(-0.02 * reach[0], reach[0]), ylim=(-0.02 * reach[1], reach[1]))
    ax.set(xlabel="jobs of class 1 at a time", ylabel="jobs of class 2 at a time")
    figure.legend(handles=handles, loc="outside right upper")
    return figure


def _dots(ax, capacity, demand):
    room, need = scaled(capacity, demand)
    most = [int(np.where(n > 0, room // np.maximum(n, 1), 2**62).min()) for n in need]
    grid = np.stack(np.meshgrid(*(np.arange(m + 1) for m in most), indexing="ij"), axis=-1).reshape(-1, 2)
    inside = grid[(grid @ need <= room).all(axis=1)]
    kept = non_dominated_bins(capacity, demand)
    ax.plot(*inside.T, "o", color="#777777", markersize=3, clip_on=False)
    ax.plot(*kept.T, "s", color=style.VERMILLION, markersize=7, clip_on=False)
    looks = (("o", "#777777", 3, "whole mix that fits"), ("s", style.VERMILLION, 7, f"non-dominated bin ({len(kept)})"))
    return [Line2D([], [], marker=m, color=c, markersize=s, linestyle="", label=text) for m, c, s, text in looks]


def _ray(ax, capacity, demand, mix):
    used = mix @ demand
    end = mix * (capacity[used > 0] / used[used > 0]).min()
    ax.plot([0, end[0]], [0, end[1]], color="black", linewidth=1.2)
    ax.plot(*end, "*", color="black", markersize=11)
    label = f"asked mix, at most\n({end[0]:.4g}, {end[1]:.4g}) at a time"
    return Line2D([], [], color="black", marker="*", markersize=9, linewidth=1.2, label=label)


def _demands(workload) -> np.ndarray:
    """What each job asks for, (N, R)."""
    if isinstance(workload, Workload):
        return workload.tasks[list(workload.resources)].to_numpy(float)
    return np.concatenate([block.demand for block in workload.blocks()])


def _lanes(start, finish, height, lanes):
    """The lanes of each job: the lowest free ones, a whole number each."""
    until, chosen = np.full(lanes, -np.inf), []
    for s, f, h in zip(start, finish, height, strict=True):
        free = np.flatnonzero(until <= s)[:h]
        until[free] = f
        chosen.append(free)
    return chosen


def draw_blocks(ax, start, finish, height, lanes, colours, names):
    """Blocks over time, stacked from the lowest free lanes up: `height` whole lanes each, with a name; jobs in order of start."""
    for s, f, these, colour, name in zip(start, finish, _lanes(start, finish, height, lanes), colours, names, strict=True):
        runs = [(run[0], run[-1] + 1) for run in np.split(these, np.flatnonzero(np.diff(these) > 1) + 1)]
        boxes = [[(s, low), (f, low), (f, high), (s, high)] for low, high in runs]
        ax.add_collection(PolyCollection(boxes, facecolors=to_rgba(colour, 0.4), edgecolors=colour, linewidths=1.2))
        ax.text((s + f) / 2, these.mean() + 0.5, name, ha="center", va="center", fontweight="bold", fontsize=9)


def plot_timetable(run, configs, workload, *, until=None, size=(7.0, 3.6)):
    """Which job holds how much of each machine, when, and the queue below: for few jobs with whole demands.

    `run`: a `Simulation` that kept its rows; heights are the first resource. Jobs are numbered from 1 in order of arrival, and
    coloured by class. Returns a matplotlib Figure. Raises ValueError when demands are not whole numbers.
    """
    height = _demands(workload)[:, 0]
    if (height != np.rint(height)).any():
        raise ValueError("workload: a timetable draws whole amounts of the first resource; use plot_occupancy")
    jobs = run.jobs.assign(height=height[: len(run.jobs)].astype(int))
    until = 1.03 * jobs["finish"].max() if until is None else until
    room = np.repeat(configs.capacity[:, 0], configs.count).astype(int)
    figure, axes = style.subplots(len(room) + 1, 1, size=size, sharex=True, height_ratios=[*room, max(2, room.max() / 2)])
    for machine, (ax, lanes) in enumerate(zip(axes, room, strict=False)):
        mine = jobs[jobs["machine"] == machine].sort_values(["start", "job"])
        colours = np.array(style.PALETTE)[mine["class"].astype(int) % len(style.PALETTE)]
        draw_blocks(ax, mine["start"], mine["finish"], mine["height"], lanes, colours, mine.index + 1)
        ax.set(ylim=(0, lanes), xlim=(0, until), ylabel=f"machine {machine + 1}")
        ax.set_yticks(range(0, lanes + 1, max(1, lanes // 5)))
    _queue_steps(axes[-1], run, until)
    axes[-1].set(xlabel="time", ylabel="waiting")
    axes[0].set_title(f"{style.look(run.policy).label}: mean wait {run.mean_response:.3g}")
    names = [Patch(color=style.PALETTE[k % 7], alpha=0.75, label=f"class {k + 1}") for k in sorted(set(jobs["class"]))]
    if len(names) > 1:
        figure.legend(handles=names, loc="outside right upper")
    return figure


def _queue_steps(ax, run, until):
    joined, left = run.jobs["submit"].to_numpy(), run.jobs["start"].fillna(np.inf).to_numpy()
    held = left > joined
    moments = np.unique(np.concatenate([[0.0], joined[held], left[held & np.isfinite(left)], [until]]))
    length = np.searchsorted(np.sort(joined[held]), moments, "right") - np.searchsorted(np.sort(left[held]), moments, "right")
    ax.fill_between(moments, length, step="post", color="#555555", alpha=0.35, linewidth=0)
    ax.step(moments, length, where="post", color="#333333", linewidth=1.0)
    ax.set(ylim=(0, max(1.0, 1.1 * length.max(initial=0))), xlim=(0, until))
    ax.locator_params(axis="y", integer=True, nbins=4)


def occupancy(run, configs, workload, moments) -> np.ndarray:
    """How full each machine is at each moment, (N, T): the share of its fullest resource."""
    demand = _demands(workload)[: len(run.jobs)]
    started = run.jobs["machine"].to_numpy() >= 0
    jobs, demand = run.jobs[started], demand[started]
    begin = np.searchsorted(moments, jobs["start"].to_numpy(), "left")
    end = np.searchsorted(moments, jobs["finish"].fillna(np.inf).to_numpy(), "left")
    capacity = np.repeat(configs.capacity, configs.count, axis=0)
    full = np.zeros((len(capacity), len(moments)))
    for l in range(configs.n_resources):
        change = np.zeros((len(capacity), len(moments) + 1))
        np.add.at(change, (jobs["machine"].to_numpy(), begin), demand[:, l])
        np.add.at(change, (jobs["machine"].to_numpy(), end), -demand[:, l])
        used = change.cumsum(axis=1)[:, :-1]
        full = np.maximum(full, np.divide(used, capacity[:, [l]], out=np.zeros_like(used), where=capacity[:, [l]] > 0))
    return full


def plot_occupancy(runs, configs, workload, *, unit="h", size=(9.0, 4.2)):
    """How full each machine is over time, and the queue below it: the runs of one workload side by side.

    `runs`: `Simulation`s that kept their rows. White lines part the configurations. The queues share one scale. Returns a
    matplotlib Figure.
    """
    until = max(run.time for run in runs)
    right = 1 - 1.1 / size[0]
    moments = np.linspace(0, until, MOMENTS, endpoint=False)
    starts = 1.06 * until * np.arange(len(runs))
    # Runs stand side by side in two axes: axes of their own would take most of the time of drawing them, as would a layout engine.
    place = {"left": 0.62 / size[0], "right": right, "top": 1 - 0.35 / size[1], "bottom": 0.5 / size[1], "hspace": 0.12}
    figure, (top, low) = style.subplots(2, 1, size=size, sharex=True, height_ratios=(2.6, 1), gridspec_kw=place)
    figure.set_layout_engine("none")
    waits = [f"mean wait {run.mean_response:.2g} {unit}" if run.mean_response > 0 else "no waits" for run in runs]
    titles = [f"{style.look(run.policy).label}: {wait}" for run, wait in zip(runs, waits, strict=True)]
    most = ", ".join(f"{style.look(run.policy).label} {run.queue_length.to_numpy()[:, 1].max():.0f}" for run in runs)
    figure.alt = f"How full each of {configs.n_machines} machines is over {until:.3g} {unit}. {'; '.join(titles)}. Longest queue: {most} jobs."
    for start, title, run in zip(starts, titles, runs, strict=True):
        picture = top.imshow(
            occupancy(run, configs, workload, moments), cmap="viridis", vmin=0, vmax=1, interpolation="nearest",
            extent=(start, start + until, configs.n_machines, 0), aspect="auto",
        )  # fmt: skip
        top.hlines(np.cumsum(configs.count)[:-1], start, start + until, color="white", linewidth=0.7)
        top.text(start + until / 2, 1.02, title, transform=top.get_xaxis_transform(), ha="center", va="bottom")
        time, queue = run.queue_length.to_numpy().T
        low.plot(start + time, queue, color=style.look(run.policy).color, linewidth=1.2)
    ticks = [tick for tick in MaxNLocator(3).tick_values(0, until) if 0 <= tick < 0.97 * until]
    low.set_xticks((starts[:, None] + ticks).ravel(), [f"{tick:g}" for tick in ticks] * len(runs))
    low.vlines(starts[1:], 0, 1, transform=low.get_xaxis_transform(), color="black", linewidth=0.8)
    low.set(xlabel=f"time ({unit})", ylabel="jobs waiting", xlim=(0, starts[-1] + until), ylim=(0, max(1, low.get_ylim()[1])))
    top.set(ylabel="machine", ylim=(configs.n_machines, 0))
    top.grid(visible=False)
    top.spines[:].set_visible(False)
    top.xaxis.set_visible(False)
    for ax in (top, low):
        ax.locator_params(axis="y", integer=True, nbins=4)
    place = top.get_position()
    bar = figure.add_axes((right + 0.15 / size[0], place.y0, 0.16 / size[0], place.height))
    figure.colorbar(picture, cax=bar, ticks=(0, 0.5, 1), label="share in use of the\nfullest resource")
    return figure


def plot_allocation(configs, allocation, *, gain=None, names=None, resources=None, size=(8.4, 3.6)):
    """Which class gets how much of each resource of each pool, and beside it what more of that resource would be worth.

    `allocation`: what stage 1 found; `gain (M, R)`: the growth of lambda* that `lotes.scarcity` gives, drawn when there;
    `names` (M) and `resources` (R) name the pools and what they have. Returns a matplotlib Figure.

    >>> from schedlib import lotes
    >>> configs, classes = lotes.google2011()
    >>> len(plot_allocation(configs, lotes.allocate(configs, classes)).axes)
    1
    """
    m, k, r = allocation.delta.shape
    names = [f"configuration {j + 1}" for j in range(m)] if names is None else list(names)
    resources = [f"resource {l + 1}" for l in range(r)] if resources is None else list(resources)
    rows = np.add.outer(np.arange(m) * (r + 0.6), np.arange(r)).ravel()  # pools stand apart
    columns = 1 if gain is None else 2
    # placed by hand, which is twice as quick as the layout engine
    place = {"left": 2.0 / size[0], "right": 0.98, "top": 1 - 0.35 / size[1], "bottom": 0.85 / size[1], "wspace": 0.06}
    options = {"sharey": True, "squeeze": False, "width_ratios": (2.4, 1)[:columns], "gridspec_kw": place}
    figure, axes = style.subplots(1, columns, size=size, **options)
    figure.set_layout_engine("none")
    ax, left = axes[0, 0], np.zeros(m * r)
    for c in range(k):
        part = 100 * allocation.delta[:, c].ravel()
        ax.barh(rows, part, 0.8, left, color=style.PALETTE[c % 7], hatch=HATCHES[c % 4], edgecolor="white", label=f"class {c + 1}")
        left += part
    ax.set(xlabel="in use (%)", xlim=(0, 104))
    ax.set_yticks(rows, [f"{name}: {resource}" for name in names for resource in resources])
    ax.invert_yaxis()
    ax.grid(axis="y", visible=False)
    ax.set_title(f"$\\lambda^*$ = {allocation.rate:,.4g}")
    if gain is not None:
        worth, beside = 100 * np.ravel(gain), axes[0, 1]
        beside.barh(rows, worth, 0.8, color="#555555")
        for row, value in zip(rows, worth, strict=True):
            beside.text(value, row, f" {value:.3g}" if value > 1e-6 else " 0", va="center", fontsize=9)
        beside.set(xlabel="$\\lambda^*$ grows by (%)", title="with a tenth more of it", xlim=(0, max(10.5, 1.2 * worth.max())))
        beside.title.set_fontsize(10)
        beside.grid(axis="y", visible=False)
    figure.legend(*ax.get_legend_handles_labels(), loc="lower center", ncols=k)
    return figure
