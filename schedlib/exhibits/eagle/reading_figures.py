"""Figures of what readings of the Eagle paper do, and of the size of the cluster: a tidy frame in, a picture out."""

import numpy as np
import pandas as pd

from schedlib.eagle.workloads.synthetic import LOAD
from schedlib.exhibits.eagle.comparing import PERCENTILES, compare, highest_load, only, ratios
from schedlib.exhibits.eagle.drawing import (
    NAMES,
    PERCENTILE_LOOKS,
    SYSTEM_LOOKS,
    dots,
    from_zero,
    legend,
    lines,
    near_means,
    sizes,
    thousands,
)
from schedlib.experiment import Figure
from schedlib.pictures import style

THIEVES = ("eagle", "hawk-any", "hawk-general", "hawk-none", "sparrow")


def _details(frame, system, which="short"):
    """Ratios of completion times as written over those as published: `seed, class, percentile, ratio`."""
    found = compare(frame, {"system": system, "detail": "as_written"}, {"system": system, "detail": "as_published"})
    return only(found, **{"class": which})


def plot_details(frame: pd.DataFrame):
    """Completion times as written over those as published, per system: a panel for short and one for long jobs."""
    systems = list(dict.fromkeys(frame["system"]))
    figure, axes = style.subplots(1, 2, size=(11.6, 4.4), sharey=True)
    for ax, which in zip(axes, ("short", "long"), strict=True):
        for k, (percentile, look) in enumerate(PERCENTILE_LOOKS.items()):
            groups = [only(_details(frame, system, which), percentile=percentile)["ratio"] for system in systems]
            dots(ax, np.arange(len(systems)) + 0.22 * (k - 1), groups, look)
        ax.axhline(1, color="black", linewidth=0.8, linestyle=":")
        ax.set(title=f"{which} jobs", xlabel="system", yscale="log")
        labels = [SYSTEM_LOOKS[system].label.replace("Eagle without", "without").replace("Hawk, ", "Hawk,\n") for system in systems]
        ax.set_xticks(range(len(systems)), labels, rotation=50, ha="right", fontsize=8)
        ax.yaxis.set_major_formatter("{x:g}")
        ax.yaxis.set_minor_formatter("{x:g}")
        ax.tick_params(axis="y", which="minor", labelsize=7)
    axes[0].set_ylabel("completion time,\nas written / as published")
    legend(figure, PERCENTILE_LOOKS.values())
    return figure


def plot_thieves(frame: pd.DataFrame):
    """Short jobs' completion times against the number of workers, Hawk's thieves being all workers, some, or none."""
    figure, axes = style.subplots(1, 3, size=(12.0, 3.9), sharey=True)
    for ax, percentile in zip(axes, PERCENTILES, strict=True):
        rows = only(frame, percentile=percentile, **{"class": "short"})
        lines(ax, rows, "workers", "completion", "system", {name: SYSTEM_LOOKS[name] for name in THIEVES})
        ax.set(title=f"{percentile}th percentile", xlabel="workers (thousands)", yscale="log")
        thousands(ax, frame["workers"])
    axes[0].set_ylabel("completion time of short jobs (s)")
    figure.legend(*axes[0].get_legend_handles_labels(), loc="outside lower center", ncols=3)
    return figure


def plot_clusters(frame: pd.DataFrame):
    """Eagle over Hawk and over DLWL+SRPT at the same load against the size of the cluster, short and long jobs."""
    figure, axes = style.subplots(2, 2, size=(9.2, 6.2), sharex=True)
    for row, base in zip(axes, ("hawk", "dlwl"), strict=True):
        found = ratios(frame, "eagle", base)
        found = found.assign(simulated=found["workers"] * found["scale"])
        for ax, which in zip(row, ("short", "long"), strict=True):
            lines(ax, only(found, **{"class": which}), "simulated", "ratio", "percentile", PERCENTILE_LOOKS)
            ax.axhline(1, color="black", linewidth=0.8, linestyle=":")
            ax.set(xscale="log", ylabel=f"{which} jobs,\nEagle / {SYSTEM_LOOKS[base].label}")
        from_zero(row)
    for ax in axes[1]:
        ax.set_xlabel("workers simulated")
    figure.legend(*axes[0, 0].get_legend_handles_labels(), loc="outside lower center", ncols=3)
    return figure


def plot_heavier(frame: pd.DataFrame):
    """Eagle over Hawk against the offered load, also above the paper's highest as we assume it: short jobs, a panel per trace."""
    figure, axes = style.subplots(1, 3, size=(11.4, 3.8), sharey=True)
    found = only(ratios(frame, "eagle", "hawk"), **{"class": "short"})
    for ax, (trace, name) in zip(axes, NAMES.items(), strict=True):
        lines(ax, only(found, trace=trace), "load", "ratio", "percentile", PERCENTILE_LOOKS)
        for ratio in (1, 1 / 3, 1 / 10):
            ax.axhline(ratio, color="black", linewidth=0.8, linestyle=":")
        ax.axvline(LOAD, color="#AAAAAA", linewidth=0.8)
        ax.set(title=name, xlabel="offered load")
        near_means(ax, found, "ratio", ["trace", "load", "percentile"])
        ax.set_yticks([0.1, 0.2, 1 / 3, 0.5, 1], ["1/10", "1/5", "1/3", "1/2", "1"])
        ax.yaxis.set_minor_formatter("")
    axes[0].set_ylabel("short jobs, Eagle / Hawk")
    figure.legend(*axes[0].get_legend_handles_labels(), loc="outside lower center", ncols=3)
    return figure


def _alt_heavier(frame):
    found, words = only(ratios(frame, "eagle", "hawk"), **{"class": "short"}), []
    for trace, some in found.groupby("trace", sort=False):
        means = some.groupby(["load", "percentile"])["ratio"].mean()
        each = (f"at {load:g} " + ", ".join(f"{means[load, p]:.2f}" for p in PERCENTILES) for load in sorted(set(some["load"])))
        words.append(f"{NAMES[trace]} {'; '.join(each)}")
    return f"Line charts of Eagle over Hawk against the load, 50th, 90th, 99th percentile. {'. '.join(words)}."


def _alt_details(frame):
    words = []
    for system in dict.fromkeys(frame["system"]):
        means = _details(frame, system).groupby("percentile")["ratio"].mean()
        words.append(f"{SYSTEM_LOOKS[system].label} " + ", ".join(f"{means[p]:.2f}" for p in PERCENTILES))
    return f"Dot charts per system. Short jobs as written over as published, 50th, 90th, 99th percentile: {'; '.join(words)}."


def _alt_thieves(frame):
    words = []
    for system in THIEVES:
        means = only(highest_load(frame), system=system, **{"class": "short"}).groupby("percentile")["completion"].mean()
        words.append(f"{SYSTEM_LOOKS[system].label} " + ", ".join(f"{means[p]:.4g} s" for p in PERCENTILES))
    return f"Line charts of short jobs' times. At the highest load, 50th, 90th, 99th percentile: {'; '.join(words)}."


def _alt_clusters(frame):
    found, words = only(ratios(frame, "eagle", "hawk"), **{"class": "short"}), []
    for scale, some in found.groupby("scale"):
        means = some.groupby("percentile")["ratio"].mean()
        words.append(f"{scale * some['workers'].iloc[0]:,.0f} workers " + ", ".join(f"{means[p]:.2f}" for p in PERCENTILES))
    return (
        f"Line charts of ratios against the size of the cluster. Eagle over Hawk, short jobs, 50th, 90th, 99th: {'; '.join(words)}."
    )


FIGURES = (
    Figure(
        "eagle.details", "eagle.details", plot_details,
        lambda frame: "What the authors' program does otherwise than the paper's text says (see `eagle.simulate`), all of it together: "
        "completion times as written over those as published, on the same workloads, Google's trace, highest load. Who steals "
        f"in Hawk is held fixed here. Beyond the paper. {sizes(frame)}",
        _alt_details,
    ),
    Figure(
        "eagle.thieves", "eagle.thieves", plot_thieves,
        lambda frame: "Who steals in Hawk: any idle worker (the authors' program), those of the general partition (the paper's text), none; "
        f"with Sparrow and Eagle, Google's trace. Beyond the paper. {sizes(frame)}",
        _alt_thieves,
    ),
    Figure(
        "eagle.clusters", "eagle.clusters", plot_clusters,
        lambda frame: "What a smaller cluster does to the ratios: Google's trace at the highest load, with as many jobs per worker and, in a "
        f"smaller cluster, a smaller largest job. {frame['seed'].nunique()} seeds, intervals 95 %. Beyond the paper.",
        _alt_clusters,
    ),
    Figure(
        "eagle.heavier", "eagle.heavier", plot_heavier,
        lambda frame: "What the highest load, which the paper's text does not print, decides: short jobs under Eagle over those under Hawk "
        "against the offered load. Grey: our highest, 0.95; dotted: 3 and 10 times as fast, which the paper has at its highest. Above 1 queues "
        f"grow as long as jobs come. Beyond the paper. {sizes(frame)}",
        _alt_heavier,
    ),
)  # fmt: skip
