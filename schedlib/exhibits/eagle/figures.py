"""Eagle's figures against its rivals on the paper's three traces: a tidy frame in, a picture out. Nothing here simulates."""

import numpy as np
import pandas as pd

from schedlib.exhibits.eagle import component_figures, reading_figures, trace_figures
from schedlib.exhibits.eagle.comparing import highest_load, only, ratios
from schedlib.exhibits.eagle.drawing import (
    NAMES,
    PERCENTILE_LOOKS,
    SYSTEM_LOOKS,
    caption,
    dots,
    from_zero,
    legend,
    lines,
    plot_systems,
    ratios_in_words,
    thousands,
    times_in_words,
)
from schedlib.exhibits.eagle.printed import table2_shares
from schedlib.experiment import Figure
from schedlib.pictures import probing as pictures
from schedlib.pictures import style

HEARTBEATS = ("eagle", "dlwl", "dlwl-5", "dlwl-7")


def plot_fig1(frame: pd.DataFrame):
    """Eagle's schedulers and partitions as a drawing (Fig. 1); nothing of the frame is in it."""
    return pictures.plot_overview()


def plot_against(frame: pd.DataFrame, base: str):
    """Eagle's completion times over a rival's against the number of workers, short jobs and long ones, and the utilisation."""
    traces = [trace for trace in NAMES if trace in set(frame["trace"])]
    options = {"squeeze": False, "sharex": "col", "sharey": "row", "gridspec_kw": {"height_ratios": (3, 3, 2)}}
    figure, axes = style.subplots(3, len(traces), size=(3.4 * len(traces) + 0.4, 7.4), **options)
    found, label = ratios(frame, "eagle", base), SYSTEM_LOOKS[base].label
    for column, trace in zip(axes.T, traces, strict=True):
        rows = only(found, trace=trace)
        for ax, which in zip(column, ("short", "long"), strict=False):
            lines(ax, only(rows, **{"class": which}), "workers", "ratio", "percentile", PERCENTILE_LOOKS)
            ax.axhline(1, color="black", linewidth=0.8, linestyle=":")
        used = only(frame, trace=trace, percentile=50, **{"class": "short"})
        used = used.assign(utilisation=100 * used["utilisation"])
        lines(column[2], used, "workers", "utilisation", "system", {name: SYSTEM_LOOKS[name] for name in ("eagle", base)})
        column[2].set(ylim=(0, 100), xlabel="workers (thousands)")
        thousands(column[2], rows["workers"])
        column[0].set_title(NAMES[trace])
    from_zero(axes[0])
    from_zero(axes[1])
    for ax, text in zip(
        axes[:, 0], (f"short jobs,\nEagle / {label}", f"long jobs,\nEagle / {label}", "busy workers (%)"), strict=True
    ):
        ax.set_ylabel(text)
    axes[2, 0].legend(fontsize=8, loc="lower left")
    figure.legend(*axes[0, 0].get_legend_handles_labels(), loc="outside lower center", ncols=3)
    return figure


def plot_fig2(frame: pd.DataFrame):
    """Eagle normalised to Hawk (Fig. 2)."""
    return plot_against(frame, "hawk")


def plot_fig3(frame: pd.DataFrame):
    """Eagle normalised to DLWL+SRPT (Fig. 3)."""
    return plot_against(frame, "dlwl")


def shares(frame: pd.DataFrame) -> pd.DataFrame:
    """Table 2 in per cent, a row per trace and seed: `behind, ran, stolen, rescheduled` and Eagle's `eagle_behind, eagle_ran`."""
    rows = only(highest_load(frame), percentile=50, **{"class": "short"}).set_index(["trace", "seed"])
    hawk, eagle = only(rows, system="hawk"), only(rows, system="eagle")
    columns = {"behind": hawk["behind_long"] / hawk["probes"], "ran": hawk["ran_behind_long"] / hawk["short_tasks"]}
    columns |= {"stolen": hawk["rescheduled"] / hawk["probes"], "rescheduled": eagle["rescheduled"] / hawk["probes"]}
    columns |= {
        "eagle_behind": eagle["behind_long"] / eagle["probes"],
        "eagle_ran": eagle["ran_behind_long"] / eagle["short_tasks"],
    }
    return 100 * pd.DataFrame(columns)


def plot_table2(frame: pd.DataFrame):
    """Head-of-line blocking in Hawk and Eagle at the highest load (Table 2), in per cent, with the paper's numbers as bars."""
    found = shares(frame)
    traces = [trace for trace in NAMES if trace in found.index]
    panels = (
        ("probes queued behind a long task\n(% of all probes)", "behind", "eagle_behind"),
        ("short tasks run after a long one\n(% of all short tasks)", "ran", "eagle_ran"),
        ("probes stolen or sent again\n(% of Hawk's probes)", "stolen", "rescheduled"),
    )
    figure, axes = style.subplots(1, 3, size=(10.4, 3.7))
    for ax, (title, *columns) in zip(axes, panels, strict=True):
        for k, (column, system) in enumerate(zip(columns, ("hawk", "eagle"), strict=True)):
            places = np.arange(len(traces)) + 0.3 * (k - 0.5)
            dots(ax, places, [found.loc[trace, column] for trace in traces], SYSTEM_LOOKS[system])
            for place, trace in zip(places, traces, strict=True):
                paper = 0.0 if column.startswith("eagle") else (table2_shares(trace) or {}).get(column)
                if paper is not None:
                    ax.plot([place - 0.1, place + 0.1], [paper, paper], color="black", linewidth=2)
        ax.set(xlabel="trace", ylabel=title)
        ax.set_xticks(range(len(traces)), [NAMES[trace] for trace in traces])
        ax.margins(x=0.2, y=0.12)
        ax.set_ylim(-0.03 * ax.get_ylim()[1], None)
    legend(figure, [SYSTEM_LOOKS["hawk"], SYSTEM_LOOKS["eagle"], style.Look("black", "none", "_", "printed in the paper")])
    return figure


def plot_fig4(frame: pd.DataFrame):
    """Eagle, and DLWL+SRPT with heartbeats of 3, 5 and 7 s (Fig. 4)."""
    figure, ax = style.subplots(size=(6.8, 4.0))
    rows = only(highest_load(frame), trace="google", **{"class": "short"})
    plot_systems(ax, rows, HEARTBEATS)
    ax.set(yscale="log", ylabel="completion time of short jobs (s)")
    looks = [SYSTEM_LOOKS[name] for name in HEARTBEATS]
    legend(figure, [looks[0], looks[1]._replace(label="DLWL+SRPT, 3 s"), *looks[2:]])
    return figure


def _alt_against(base):
    label = SYSTEM_LOOKS[base].label
    return lambda frame: (
        f"Line charts of Eagle's completion times over those of {label} against the number of workers, and of the share of busy workers. At "
        f"the highest load, 50th, 90th, 99th percentile of short jobs: {ratios_in_words(frame, base)}; of long jobs: "
        f"{ratios_in_words(frame, base, 'long')}."
    )


def _alt_table2(frame):
    found = shares(frame).groupby("trace", sort=False).mean()
    words = [
        f"{NAMES[one.Index]} {one.behind:.0f} % of Hawk's probes behind a long task, {one.ran:.2g} % of short tasks run there, "
        f"{one.stolen:.0f} % of probes stolen; Eagle {one.eagle_behind:.2g} % behind, {one.rescheduled:.0f} % sent again"
        for one in found.itertuples()
    ]
    return f"Dot charts of head-of-line blocking at the highest load. {'. '.join(words)}."


def _alt_fig4(frame):
    rows = only(highest_load(frame), trace="google", **{"class": "short"})
    return (
        "Dot chart of short jobs under Eagle and under DLWL+SRPT with heartbeats of 3, 5 and 7 s. 50th, 90th, 99th percentile: "
        f"{times_in_words(rows, HEARTBEATS)}."
    )


FIGURES = (
    Figure(
        "eagle.fig1", "eagle.example", plot_fig1,
        "Eagle as in the paper's Fig. 1: a centre places long jobs and sends its bit vector along; distributed schedulers probe for short "
        "jobs, and a worker with a long task rejects a probe and gives its copy of the bits.",
        "Diagram of three distributed schedulers and a central one above ten workers in two partitions, with a probe that is rejected and sent "
        "again.",
    ),
    Figure(
        "eagle.table1", "eagle.table1", None,
        "The paper's Table 1 on generated traces: jobs, long jobs (%), their task-seconds (%); and the short jobs' share of the task-seconds "
        "(%), which is the paper's rule for the short partition (17, 9 and 2 %).",
        "Table of three traces with number of jobs, share of long jobs, and shares of task-seconds.",
    ),
    Figure(
        "eagle.fig2", "eagle.loads", plot_fig2,
        caption("Percentiles of completion times under Eagle over those under Hawk (any idle worker steals, as in the authors' program): "
                "short jobs, long jobs, and the share of busy workers (the paper's Fig. 2)."), _alt_against("hawk"),
    ),
    Figure(
        "eagle.table2", "eagle.loads", plot_table2,
        caption("Head-of-line blocking at each trace's highest load (the paper's Table 2, as shares). Black bars: the paper's numbers, "
                "where its text gives the whole."), _alt_table2,
    ),
    Figure(
        "eagle.fig3", "eagle.loads", plot_fig3,
        caption("Percentiles of completion times under Eagle over those under DLWL+SRPT with heartbeats of 3, 12 and 7 s (the paper's "
                "Fig. 3)."), _alt_against("dlwl"),
    ),
    Figure(
        "eagle.fig4", "eagle.loads", plot_fig4,
        caption("What the heartbeat does to DLWL+SRPT: short jobs of Google's trace at the highest load (the paper's Fig. 4).", "google"),
        _alt_fig4,
    ),
    *component_figures.FIGURES,
    *reading_figures.FIGURES,
    *trace_figures.FIGURES,
)  # fmt: skip
