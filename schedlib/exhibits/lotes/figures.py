"""Every LoTES figure: a tidy frame in, a picture out. Nothing here simulates."""

import numpy as np
import pandas as pd

from schedlib.exhibits.lotes import hour_figures, model_figures, replan_figures, trace_figures
from schedlib.experiment import Figure
from schedlib.lotes.policies.shipped import SHIPPED
from schedlib.pictures import style

LAW_NAMES = {
    "common-matched": "one factor, mean as planned",
    "common": "one factor for all resources",
    "independent": "each resource for itself (printed)",
    "fixed": "class means",
}
FASTEST = 1e-4
"""Seconds below which a mean wait is drawn as none."""
CONFIGS = 10
"""Machine configurations of the random workloads, each with as many machines."""


def plot_fig5(frame: pd.DataFrame):
    """Feasible mixes of two classes on one machine, the non-dominated bins among them, and the machine's limit."""
    figure, ax = style.subplots(size=(4.6, 3.8))
    ax.plot([0, 3.5], [7 / 3, 0], color="black", linewidth=1.2, label="the machine is full")
    for best, marker, colour, label in ((False, "o", style.BLUE, "feasible"), (True, "s", style.VERMILLION, "non-dominated bin")):
        some = frame[frame["non_dominated"] == best]
        size = 9 if best else 6
        ax.plot(some["first"], some["second"], linestyle="none", marker=marker, color=colour, markersize=size, label=label)
    ax.set(xlabel="jobs of class 1 (size 2)", ylabel="jobs of class 2 (size 3)", xlim=(-0.2, 4), ylim=(-0.2, 2.8))
    ax.set_yticks([0, 1, 2])
    ax.legend()
    return figure


def plot_stages(frame: pd.DataFrame):
    """What each way of making the plan loses against the fluid bound, every instance."""
    figure, ax = style.subplots(size=(7.0, 3.8))
    ways = {"assignment": ("stage 2 as in the paper", style.BLUE, "o"), "generated": ("stage 2 over all bins", style.VERMILLION, "s")}
    ways["rounded"] = ("the paper's, rounded", style.GREEN, "^")
    names = {phi: "Google" if phi < 0 else f"{phi:g}" for phi in sorted(set(frame["phi"]))}
    place = {phi: k for k, phi in enumerate(names)}
    for k, (column, (label, colour, marker)) in enumerate(ways.items()):
        loss = 100 * (1 - frame[column] / frame["allocation"])
        x = frame["phi"].map(place) + 0.2 * (k - 1)
        ax.plot(x, loss, linestyle="none", marker=marker, color=colour, alpha=0.8, label=label)
    ax.set_xticks(range(len(names)), names.values())
    ax.set(xlabel="instance: Google's, and random ones by Phi", ylabel="rate lost against the fluid bound (%)", ylim=(0, None))
    ax.legend()
    return figure


def _points(ax, x, y, stable, look, size=None):
    """Every instance, hollow where the queue grew."""
    for calm, face in ((True, look.color), (False, "white")):
        mine = stable.astype(bool) == calm
        ax.plot(x[mine], y[mine], linestyle="none", marker=look.marker, color=look.color, markerfacecolor=face, markersize=size)


def _waits(frame, x, label):
    """Mean waits, a panel for each law of sizes: every instance as a point, hollow where unstable, and the median as a line."""
    laws = [law for law in LAW_NAMES if law in set(frame["sizes"])]
    columns = min(len(laws), 2)
    figure, axes = style.subplots(len(laws) // columns, columns, size=(8.8, 3.6 * (len(laws) // columns) + 0.5), sharey=True, squeeze=False)
    ticks = sorted(set(frame[x]))
    step = (ticks[-1] - ticks[0] or 1) / max(len(ticks) - 1, 1)
    for ax, law in zip(axes.flat, laws, strict=True):
        for k, policy in enumerate(SHIPPED):
            some = frame[(frame["sizes"] == law) & (frame["policy"] == policy)]
            look = style.look(policy)
            wait = some["wait"].clip(lower=FASTEST)
            median = wait.groupby(some[x]).median()
            ax.plot(median.index, median, color=look.color, linestyle=look.linestyle, label=look.label)
            _points(ax, some[x] + 0.06 * step * (k - 1.5), wait, some["stable"], look, 4)
        ax.set(title=LAW_NAMES[law], xlabel=label, ylabel="mean wait (s); none: 0.0001", yscale="log")
        ax.set_xticks(ticks, [f"{tick:g}" for tick in ticks], fontsize=8)
        ax.title.set_fontsize(10)
        ax.yaxis.set_tick_params(labelleft=True)
    figure.legend(*axes[0, 0].get_legend_handles_labels(), loc="outside lower center", ncols=4)
    return figure


def plot_fig11(frame: pd.DataFrame):
    """Mean wait against Phi at load 0.97 (the paper's Fig. 11), under each law of sizes."""
    return _waits(frame, "phi", "Phi: how much classes differ")


def plot_omega(frame: pd.DataFrame):
    """Mean wait against Omega (the paper's Figs. 12 and 13), under each law of sizes."""
    return _waits(frame, "omega", "Omega: how much machines differ")


def plot_scale(frame: pd.DataFrame):
    """Mean wait against the number of machines, a panel for each Phi: what a smaller cluster changes."""
    phis = sorted(set(frame["phi"]))
    figure, axes = style.subplots(1, len(phis), size=(8.8, 3.8), sharey=True, squeeze=False)
    for ax, phi in zip(axes.flat, phis, strict=True):
        for policy in SHIPPED:
            some, look = frame[(frame["phi"] == phi) & (frame["policy"] == policy)], style.look(policy)
            machines, wait = some["machines"] * CONFIGS, some["wait"].clip(lower=FASTEST)
            median = wait.groupby(machines).median()
            ax.plot(median.index, median, color=look.color, linestyle=look.linestyle, label=look.label)
            ax.plot(machines, wait, linestyle="none", marker=look.marker, color=look.color, markersize=4, alpha=0.6)
        ax.set(title=f"Phi = {phi:g}", xlabel="machines", ylabel="mean wait (s); none: 0.0001", xscale="log", yscale="log")
        ax.set_xticks(sorted(set(frame["machines"] * CONFIGS)), [f"{CONFIGS * m:,}" for m in sorted(set(frame["machines"]))])
        ax.minorticks_off()
        ax.yaxis.set_tick_params(labelleft=True)
    figure.legend(*axes[0, 0].get_legend_handles_labels(), loc="outside lower center", ncols=4)
    return figure


FOLLOWED = {
    "paper's plan": style.Look(style.BLUE, "-", "o", "LoTES, the paper's plan"),
    "generated plan": style.Look(style.VERMILLION, "--", "s", "LoTES, plan over all bins"),
    "tetris": style.look("tetris"),
}


def plot_generated(frame: pd.DataFrame):
    """Mean wait against the load, a panel for each Phi, by the plan that is followed; hollow where the queue grew."""
    phis = sorted(set(frame["phi"]))
    figure, axes = style.subplots(1, len(phis), size=(8.8, 3.8), sharey=True, squeeze=False)
    for ax, phi in zip(axes.flat, phis, strict=True):
        for name, look in FOLLOWED.items():
            some = frame[(frame["phi"] == phi) & (frame["followed"] == name)]
            wait = some["wait"].clip(lower=FASTEST)
            median = wait.groupby(some["load"]).median()
            ax.plot(median.index, median, color=look.color, linestyle=look.linestyle, label=look.label)
            _points(ax, some["load"], wait, some["stable"], look, 5)
        ax.set(title=f"Phi = {phi:g}", xlabel="load of what the paper's plan sustains", ylabel="mean wait (s); none: 0.0001", yscale="log")
        ax.yaxis.set_tick_params(labelleft=True)
    figure.legend(*axes[0, 0].get_legend_handles_labels(), loc="outside lower center", ncols=3)
    return figure


def plot_variants(frame: pd.DataFrame):
    """Mean waits of every reading of every policy at two loads, a row each: instances as points and their median as a bar."""
    rows = list(dict.fromkeys(zip(frame["policy"], frame["reading"], strict=True)))
    figure, axes = style.subplots(1, 2, size=(9.4, 5.6), sharey=True)
    for ax, (load, some) in zip(axes, frame.groupby("load"), strict=True):
        for place, (policy, reading) in enumerate(rows):
            mine = some[(some["policy"] == policy) & (some["reading"] == reading)]
            look, wait = style.look(policy), mine["wait"].clip(lower=FASTEST)
            ax.plot([wait.median()] * 2, [place - 0.35, place + 0.35], color=look.color, linewidth=2.2)
            _points(ax, wait, wait * 0 + place, mine["stable"], look)
        ax.set(title=f"load {load:g}", xlabel="mean wait (s); none: 0.0001", xscale="log")
    axes[0].set_yticks(range(len(rows)), [f"{style.look(policy).label}: {reading}" for policy, reading in rows], fontsize=8)
    axes[0].set_ylabel("policy: reading")
    axes[0].invert_yaxis()
    return figure


def _alt_variants(frame):
    heavy = frame[frame["load"] == frame["load"].max()]
    waits = heavy.groupby(["policy", "reading"], sort=False)["wait"].median()
    words = [f"{style.look(policy).label} {reading} {wait:.3g} s" for (policy, reading), wait in waits.items()]
    return f"Strip charts of mean waits by policy and reading. Medians at load {heavy['load'].iloc[0]:g}: {'; '.join(words)}."


def plot_overhead(frame: pd.DataFrame):
    """Share of the machines that an arriving job asks against the load, by policy: medians over seeds, with every seed."""
    figure, ax = style.subplots(size=(7.0, 4.0))
    for (policy, sampled), some in frame.groupby(["policy", "sampled"], sort=False):
        look, medians = style.look(policy), some.groupby("load")["looked"].median()
        line, label = (":", f"{look.label}, {sampled} sampled") if sampled else (look.linestyle, look.label)
        ax.plot(medians.index, medians, color=look.color, linestyle=line, label=label)
        ax.plot(some["load"], some["looked"], marker=look.marker, color=look.color, markersize=4, linestyle="none")
    ax.set(xlabel="load of what stage 2 sustains", ylabel="machines asked per arrival (%)", yscale="log")
    figure.legend(*ax.get_legend_handles_labels(), loc="outside lower center", ncols=3)
    return figure


def _alt_overhead(frame):
    ends = frame[~frame["sampled"].astype(bool)].groupby(["policy", "load"])["looked"].median()
    low, high = frame["load"].min(), frame["load"].max()
    words = [f"{style.look(policy).label} {ends[policy, low]:.3g} and {ends[policy, high]:.3g} %" for policy in SHIPPED]
    return f"Line chart of machines asked per arrival. At loads {low:g} and {high:g}: {'; '.join(words)}."


def _alt_generated(frame):
    at = frame[frame["load"] == 1.0].groupby(["phi", "followed"])["wait"].median()
    words = [f"{name} {at[phi, name]:.3g} s" for phi in sorted(set(frame["phi"])) for name in FOLLOWED]
    half = len(words) // 2
    parts = f"for the smaller Phi: {', '.join(words[:half])}; for the larger: {', '.join(words[half:])}"
    return f"Charts of mean wait against load. Medians at load 1, {parts}."


def _alt_scale(frame):
    ends = [frame["machines"].min(), frame["machines"].max()]
    waits = frame[frame["phi"] == frame["phi"].min()].groupby(["policy", "machines"])["wait"].median()
    both = {policy: [f"{waits[policy, end]:.3g}" for end in ends] for policy in SHIPPED}
    words = [f"{style.look(policy).label} {' and '.join(pair)} s" for policy, pair in both.items()]
    where = f"at the smaller Phi, {CONFIGS * ends[0]} and {CONFIGS * ends[1]:,} machines"
    return f"Charts of mean wait against machines. Medians {where}: {'; '.join(words)}."


def _alt_waits(frame):
    """Median waits at the far end of the axis, and how many runs were unstable, for each law and policy."""
    x = "phi" if frame["phi"].nunique() > 1 else "omega"
    parts = []
    for law, some in frame.groupby("sizes"):
        far = some[some[x] == some[x].max()]
        words = [
            f"{style.look(policy).label} {one['wait'].median():.3g} s ({(~one['stable'].astype(bool)).sum()} of {len(one)} unstable)"
            for policy, one in far.groupby("policy")
        ]
        parts.append(f"sizes {law}: {', '.join(words)}")
    return f"Charts of mean wait against {x}. Medians at {x} = {frame[x].max():g}: {'; '.join(parts)}."


def _caption_waits(number, what):
    def caption(frame):
        machines, hours = int(frame["machines"].iloc[0]), frame["hours"].iloc[0]
        return (
            f"Mean wait of started jobs {what}, on {CONFIGS * machines:,} machines of ten configurations for {hours:g} hours, under each "
            "reading of how job sizes are drawn. Points: instances, hollow where the queue grew; lines: medians. "
            f"The paper's Fig. {number} has 10,000 machines and 100 hours."
        )

    return caption


def _alt_stages(frame):
    loss = {name: 100 * (1 - np.mean(frame[name] / frame["allocation"])) for name in ("assignment", "generated", "rounded")}
    words = ", ".join(f"{name} {value:.2f} %" for name, value in loss.items())
    return f"Strip chart of the rate lost against the fluid bound on {len(frame)} instances. Means: {words}."


FIGURES = (
    *model_figures.FIGURES,
    Figure(
        "lotes.fragmentation", "lotes.fragmentation", None,
        "The paper's two examples of fragmentation: jobs of size 3 and rate 1. What pooled machines could run, and what real ones can.",
        "Table: 30 machines of size 8 run 80 jobs pooled and 60 placed; 2 machines of size 5 run 10/3 pooled and 2 placed.",
    ),
    Figure(
        "lotes.table1", "lotes.table1", None,
        "Google's machines (the paper's Table 1). The printed supports are those of one optimum of stage 1 among many; ours is "
        "another, chosen to waste least. Bins: under our supports, and with all four classes everywhere.",
        "Table of ten machine configurations with the number of machines, cores, memory, supports and bins.",
    ),
    Figure(
        "lotes.table2", "lotes.table2", None,
        "Google's four job classes (the paper's Table 2) as they enter the models.",
        "Table of four job classes with mean time, cores, memory and share.",
    ),
    Figure(
        "lotes.fig5", "lotes.fig5", plot_fig5,
        "All mixes of two classes that one machine of size 7 can hold, and the non-dominated bins among them. The paper's Fig. 5.",
        lambda frame: f"Scatter of {len(frame)} feasible mixes below the machine's limit, {frame['non_dominated'].sum()} of them "
        "non-dominated bins: (0, 2), (2, 1) and (3, 0).",
    ),
    Figure(
        "lotes.algorithm1", "lotes.algorithm1", None,
        "What the paper's Algorithm 1 keeps: as printed every feasible bin, with its flag reset still dominated ones; where a class "
        "fits no empty machine it comes to an undefined step.",
        "Table of the bins that Algorithm 1 keeps, repeats and misses on three machines, as printed, mended and exact.",
    ),
    Figure(
        "lotes.stages", "lotes.stages", plot_stages,
        "What the plan loses against the fluid bound of stage 1: with the paper's stage 2, rounded, and with stage 2 over all bins "
        "by column generation (beyond the paper). 10,000 machines.",
        _alt_stages,
    ),
    *trace_figures.FIGURES,
    *hour_figures.FIGURES,
    *replan_figures.FIGURES,
    Figure(
        "lotes.fig11", "lotes.fig11", plot_fig11, _caption_waits(11, "as classes differ more (load 0.97 of stage 2's rate)"), _alt_waits,
    ),
    Figure(
        "lotes.fig12", "lotes.fig12", plot_omega, _caption_waits(12, "as machines differ more (load 0.90)"), _alt_waits,
    ),
    Figure(
        "lotes.fig13", "lotes.fig13", plot_omega, _caption_waits(13, "as machines differ more (load 0.95)"), _alt_waits,
    ),
    Figure(
        "lotes.scale", "lotes.scale", plot_scale,
        lambda frame: f"Mean wait as the cluster grows, load 0.97, {frame['hours'].iloc[0]:g} hours, sizes by one factor with the mean as "
        "planned. Waits depend on the size of the cluster, LoTES's most: figures at quick scale show shapes, not the seconds of the "
        "paper's scale.",
        _alt_scale,
    ),
    Figure(
        "lotes.generated", "lotes.generated", plot_generated,
        lambda frame: "Beyond the paper: stage 2 over all bins, by column generation, and what it does to waits, on "
        f"{CONFIGS * frame['machines'].iloc[0]:,} machines for {frame['hours'].iloc[0]:g} hours. The same jobs for all three; load 1 is "
        "what the paper's plan sustains. Hollow where the queue grew.",
        _alt_generated,
    ),
    Figure(
        "lotes.fig13-heavier", "lotes.fig13-heavier", plot_omega,
        "Mean wait of started jobs as machines differ more, at the load of Fig. 11 (0.97), at which the paper reports that the system was "
        "often unstable and shows nothing. Points: instances, hollow where the queue grew; lines: medians.",
        _alt_waits,
    ),
    Figure(
        "lotes.variants", "lotes.variants", plot_variants,
        lambda frame: "What the text leaves open: every reading of every policy on the same jobs, Phi = 0.006, on "
        f"{CONFIGS * frame['machines'].iloc[0]:,} machines for {frame['hours'].iloc[0]:g} hours. The first reading of each is ours. Points: "
        "instances, hollow where the queue grew; bars: medians.",
        _alt_variants,
    ),
    Figure(
        "lotes.overhead", "lotes.overhead", plot_overhead,
        "How many machines an arriving job asks for their state, by the policies' words: LoTES every one of the configurations it tries, "
        "Greedy down the table until one has room, Tetris all. (The simulator itself finds the same machine by search trees.)",
        _alt_overhead,
    ),
    Figure(
        "lotes.integer", "lotes.integer", None,
        lambda frame: "Stage 2 as a linear and as an integer program (HiGHS) over the same bins, proved optimal: seconds. Google's instance is "
        f"Phi = -1. inf: no proof within {frame['limit'].iloc[0]:g} s.",
        "Table of bins and of the seconds that the linear and the integer program take on four instances.",
    ),
)  # fmt: skip
