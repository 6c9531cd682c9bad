"""Eagle's figures of its parts, the omniscient scheduler, mis-estimation and the short partition: a tidy frame in, a picture out."""

import numpy as np
import pandas as pd

from schedlib.exhibits.eagle.comparing import PERCENTILES, highest_load, only, ratios, slowdowns
from schedlib.exhibits.eagle.drawing import (
    NAMES,
    PERCENTILE_LOOKS,
    SYSTEM_LOOKS,
    caption,
    dots,
    from_zero,
    legend,
    lines,
    near_means,
    percentile_ticks,
    plot_systems,
    ratios_in_words,
    thousands,
    times_in_words,
)
from schedlib.exhibits.eagle.printed import OVER, UNDER
from schedlib.experiment import Figure
from schedlib.pictures import style

PARTS = (("no-sss", "(a) without SSS"), ("no-min", "(b) without minimum probes"), ("no-sbp-srpt", "(c) without SBP+SRPT"))
READINGS = ("no-sss", "no-sss-stale")
FIG7 = ("no-sbp-srpt", "omniscient")
BY_PARTITION = ("eagle", "no-sss", "hawk", "dlwl")
RANGES = (*UNDER, *OVER)


def plot_breakdown(frame: pd.DataFrame, trace: str):
    """Eagle normalised to it without one of its parts, short jobs, against the number of workers, and the utilisation."""
    rows = only(frame, trace=trace)
    figure, axes = style.subplots(1, 4, size=(12.4, 3.6))
    for ax, (name, title) in zip(axes, PARTS, strict=False):
        found = only(ratios(rows, "eagle", name), **{"class": "short"})
        lines(ax, found, "workers", "ratio", "percentile", PERCENTILE_LOOKS)
        ax.axhline(1, color="black", linewidth=0.8, linestyle=":")
        ax.set(title=title, ylabel="Eagle / Eagle without it", xlabel="workers (thousands)")
    from_zero(axes[:3])
    used = only(rows, percentile=50, **{"class": "short"})
    looks = {name: SYSTEM_LOOKS[name] for name in ("eagle", *(name for name, _ in PARTS))}
    lines(axes[3], used.assign(utilisation=100 * used["utilisation"]), "workers", "utilisation", "system", looks)
    axes[3].set(title="utilisation", ylabel="busy workers (%)", xlabel="workers (thousands)", ylim=(0, 100))
    axes[3].legend(fontsize=7, loc="lower left")
    for ax in axes:
        thousands(ax, rows["workers"])
    figure.legend(*axes[0].get_legend_handles_labels(), loc="outside lower center", ncols=3)
    return figure


def plot_fig5(frame: pd.DataFrame):
    """The breakdown on Google's trace (Fig. 5)."""
    return plot_breakdown(frame, "google")


def plot_fig6(frame: pd.DataFrame):
    """The breakdown on Yahoo's trace (Fig. 6)."""
    return plot_breakdown(frame, "yahoo")


def plot_sss_readings(frame: pd.DataFrame):
    """Eagle normalised to it without SSS at the highest load in both readings, short jobs, a panel per trace."""
    traces = [trace for trace in ("google", "yahoo") if trace in set(frame["trace"])]
    figure, axes = style.subplots(1, len(traces), size=(4.4 * len(traces) + 0.4, 3.6), sharey=True, squeeze=False)
    for ax, trace in zip(axes.flat, traces, strict=True):
        for k, name in enumerate(READINGS):
            found = only(highest_load(ratios(frame, "eagle", name)), trace=trace, **{"class": "short"})
            groups = [only(found, percentile=p)["ratio"] for p in PERCENTILES]
            dots(ax, np.arange(3) + 0.2 * (k - 0.5), groups, SYSTEM_LOOKS[name])
        ax.axhline(1, color="black", linewidth=0.8, linestyle=":")
        ax.set_title(NAMES[trace])
        percentile_ticks(ax)
    from_zero(axes.flat)
    axes[0, 0].set_ylabel("Eagle / Eagle without SSS")
    legend(figure, [SYSTEM_LOOKS[name] for name in READINGS])
    return figure


def plot_fig7(frame: pd.DataFrame):
    """Eagle without SBP+SRPT against the omniscient scheduler (Fig. 7): completion times of short jobs, and ratios of both classes."""
    figure, axes = style.subplots(1, 2, size=(9.6, 4.0))
    rows = only(highest_load(frame), trace="google")
    plot_systems(axes[0], only(rows, **{"class": "short"}), FIG7)
    axes[0].set_ylabel("completion time of short jobs (s)")
    axes[0].set_yscale("log")
    found = ratios(rows, *FIG7)
    for k, (which, color, marker) in enumerate((("short", style.BLUE, "o"), ("long", style.VERMILLION, "s"))):
        groups = [only(found, percentile=p, **{"class": which})["ratio"] for p in PERCENTILES]
        dots(axes[1], np.arange(3) + 0.2 * (k - 0.5), groups, style.Look(color, "none", marker, ""), label=f"{which} jobs")
    axes[1].axhline(1, color="black", linewidth=0.8, linestyle=":")
    axes[1].set_ylabel("Eagle without SBP+SRPT / omniscient LWL")
    handles = dict(zip(*reversed(axes[1].get_legend_handles_labels()), strict=True))
    axes[1].legend(handles.values(), handles.keys(), handlelength=1.2)
    percentile_ticks(axes[1])
    from_zero(axes[1:])
    legend(figure, [SYSTEM_LOOKS[name] for name in FIG7])
    return figure


def plot_fig8(frame: pd.DataFrame):
    """Slowdown of Eagle and DLWL+SRPT by mis-estimation, short jobs, a panel per percentile (the paper's Fig. 8 is the last)."""
    figure, axes = style.subplots(1, 3, size=(11.4, 3.9), sharey=True)
    for k, system in enumerate(("eagle", "dlwl")):
        found = slowdowns(frame, system)
        for ax, percentile in zip(axes, PERCENTILES, strict=True):
            groups = [only(found, low=low, high=high, percentile=percentile)["ratio"] for low, high in RANGES]
            dots(ax, np.arange(len(RANGES)) + 0.24 * (k - 0.5), groups, SYSTEM_LOOKS[system])
    for ax, percentile in zip(axes, PERCENTILES, strict=True):
        ax.axhline(1, color="black", linewidth=0.8, linestyle=":")
        ax.axvline(2.5, color="#AAAAAA", linewidth=0.8)
        ax.set(title=f"{percentile}th percentile", xlabel="factor of the estimate: under | over")
        ax.set_xticks(range(len(RANGES)), [f"{low:g}-{high:g}" for low, high in RANGES], fontsize=8)
    from_zero(axes)
    axes[0].set_ylabel("slowdown: completion time over\nthat with exact estimates")
    legend(figure, [SYSTEM_LOOKS[name] for name in ("eagle", "dlwl")])
    return figure


def plot_partition(frame: pd.DataFrame):
    """Completion times of short jobs, and the 90th percentile of long ones, against the size of the short partition."""
    figure, axes = style.subplots(1, 4, size=(13.6, 3.7))
    panels = [("short", percentile) for percentile in PERCENTILES] + [("long", 90)]
    for ax, (which, percentile) in zip(axes, panels, strict=True):
        rows = only(frame, percentile=percentile, system=BY_PARTITION, **{"class": which})
        lines(ax, rows, "partition", "completion", "system", {name: SYSTEM_LOOKS[name] for name in BY_PARTITION})
        ax.axvline(17, color="black", linewidth=0.8, linestyle=":")
        near_means(ax, rows, "completion", ["system", "partition"])
        ax.set(
            title=f"{which} jobs, {percentile}th percentile",
            xlabel="workers for short jobs alone (%)",
            ylabel="completion time (s)",
        )
    figure.legend(*axes[0].get_legend_handles_labels(), loc="outside lower center", ncols=4)
    return figure


def _alt_breakdown(trace):
    def alt(frame):
        words = [f"{title[4:]} {ratios_in_words(frame, name, traces=(trace,))}" for name, title in PARTS]
        return (
            "Line charts of Eagle's completion times over those without one of its parts against the number of workers. At the highest load, "
            f"50th, 90th, 99th percentile of short jobs: {'; '.join(words)}."
        )

    return alt


def _alt_sss(frame):
    words = [f"{SYSTEM_LOOKS[name].label}: {ratios_in_words(frame, name)}" for name in READINGS]
    return f"Dot charts of Eagle over Eagle without SSS at the highest load, 50th, 90th, 99th percentile. {'. '.join(words)}."


def _alt_fig7(frame):
    rows = only(highest_load(frame), trace="google", **{"class": "short"})
    means = ratios(rows, *FIG7).groupby("percentile")["ratio"].mean()
    return (
        f"Dot charts. 50th, 90th, 99th percentile of short jobs: {times_in_words(rows, FIG7)}; mean ratio "
        + ", ".join(f"{means[p]:.2f}" for p in PERCENTILES) + "."
    )  # fmt: skip


def _alt_fig8(frame):
    words = []
    for system in ("eagle", "dlwl"):
        means = only(slowdowns(frame, system), percentile=99).groupby(["low", "high"])["ratio"].mean()
        words.append(f"{SYSTEM_LOOKS[system].label} " + ", ".join(f"{means[key]:.2f} for {key[0]:g}-{key[1]:g}" for key in RANGES))
    return f"Dot charts of the slowdown by mis-estimation. 99th percentile: {'; '.join(words)}."


def _alt_partition(frame):
    rows = only(frame, percentile=99, system=BY_PARTITION, **{"class": "short"})
    means = rows.groupby(["system", "partition"])["completion"].mean()
    words = [
        f"{SYSTEM_LOOKS[name].label} {means[name, 17]:.4g} s at 17 % and {means[name, 20]:.4g} s at 20 %" for name in BY_PARTITION
    ]
    return f"Line charts of completion times against the short partition. 99th percentile of short jobs: {'; '.join(words)}."


FIGURES = (
    Figure(
        "eagle.fig5", "eagle.loads", plot_fig5,
        caption("Short jobs under Eagle over those under Eagle without one of its parts, Google's trace: below 1 the part helps (the paper's "
                "Fig. 5).", "google"), _alt_breakdown("google"),
    ),
    Figure(
        "eagle.fig6", "eagle.loads", plot_fig6,
        caption("Short jobs under Eagle over those under Eagle without one of its parts, Yahoo's trace (the paper's Fig. 6).", "yahoo"),
        _alt_breakdown("yahoo"),
    ),
    Figure(
        "eagle.sss-readings", "eagle.loads", plot_sss_readings,
        caption("Two readings of 'without SSS' at the highest load. The authors' program has no such switch: its nearest path never lowers a "
                "job's remaining time and keeps dead probes in the queues."), _alt_sss,
    ),
    Figure(
        "eagle.fig7", "eagle.loads", plot_fig7,
        caption("Eagle without SBP+SRPT, which knows where long jobs are, against a scheduler that knows the work left on every worker: "
                "Google's trace, highest load (the paper's Fig. 7).", "google"), _alt_fig7,
    ),
    Figure(
        "eagle.fig8", "eagle.fig8", plot_fig8,
        caption("What mis-estimated task times do at the highest load of Google's trace: each job's estimate is its mean times a factor drawn "
                "from the range (the paper's Fig. 8 is the right panel)."), _alt_fig8,
    ),
    Figure(
        "eagle.partition", "eagle.partition", plot_partition,
        caption("What the size of the short partition does at the highest load of Google's trace; dotted: the paper's 17 %."), _alt_partition,
    ),
)  # fmt: skip
