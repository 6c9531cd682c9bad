"""Eagle's figures on the paper's three traces: a tidy frame in, a picture out. Nothing here simulates."""

import numpy as np
import pandas as pd

from schedlib import style
from schedlib.eagle import pictures, reading_figures, trace_figures
from schedlib.eagle.comparing import PERCENTILES, compare, highest_load, only, ratios
from schedlib.eagle.drawing import NAMES, PERCENTILE_LOOKS, SYSTEM_LOOKS, dots, legend, lines, mean_of, sizes, thousands
from schedlib.experiment import Figure

TABLE2 = {"google": (67.0, 4.9, 60.8, 65.8), "yahoo": (84.0, 3.5, 77.2, 83.0)}
"""The paper's Table 2 in % of Hawk's probes or short tasks, where its text states these: behind, run behind, stolen, re-scheduled."""
RANGES = ((0.3, 1.0), (0.6, 1.0), (0.9, 1.0), (1.0, 1.3), (1.0, 1.6), (1.0, 1.9))


def plot_fig1(frame: pd.DataFrame):
    """Eagle's schedulers and partitions as a drawing (Fig. 1); nothing of the frame is in it."""
    return pictures.plot_overview()


def plot_against(frame: pd.DataFrame, base: str):
    """Eagle's completion times over a rival's against the number of workers: traces by short jobs, long jobs, utilisation."""
    traces = [trace for trace in NAMES if trace in set(frame["trace"])]
    options = {"squeeze": False, "sharex": "col", "sharey": "row", "gridspec_kw": {"height_ratios": (3, 3, 2)}}
    figure, axes = style.subplots(3, len(traces), size=(3.4 * len(traces) + 0.4, 7.4), **options)
    found, label = ratios(frame, "eagle", base), SYSTEM_LOOKS[base].label
    for column, trace in zip(axes.T, traces, strict=True):
        rows = only(found, trace=trace)
        for ax, which in zip(column, ("short", "long"), strict=False):
            lines(ax, only(rows, **{"class": which}), "workers", "ratio", "percentile", PERCENTILE_LOOKS)
            ax.axhline(1, color="black", linewidth=0.8, linestyle=":")
            ax.set_ylim(0, None)
        used = only(frame, trace=trace, percentile=50, **{"class": "short"})
        used = used.assign(utilisation=100 * used["utilisation"])
        lines(column[2], used, "workers", "utilisation", "system", {name: SYSTEM_LOOKS[name] for name in ("eagle", base)})
        column[2].set(ylim=(0, 100), xlabel="workers (thousands)")
        thousands(column[2], rows["workers"])
        column[0].set_title(NAMES[trace])
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
        ("probes sent again or stolen\n(% of Hawk's probes)", "stolen", "rescheduled"),
    )
    printed = {"behind": 0, "ran": 1, "stolen": 2, "rescheduled": 3}
    figure, axes = style.subplots(1, 3, size=(10.4, 3.7))
    for ax, (title, *columns) in zip(axes, panels, strict=True):
        for k, (column, system) in enumerate(zip(columns, ("hawk", "eagle"), strict=True)):
            places = np.arange(len(traces)) + 0.3 * (k - 0.5)
            dots(ax, places, [found.loc[trace, column] for trace in traces], SYSTEM_LOOKS[system])
            for place, trace in zip(places, traces, strict=True):
                paper = TABLE2.get(trace, (None,) * 4)[printed[column]] if column in printed else 0.0
                if paper is not None:
                    ax.plot([place - 0.1, place + 0.1], [paper, paper], color="black", linewidth=2)
        ax.set(xlabel="trace", ylabel=title)
        ax.set_xticks(range(len(traces)), [NAMES[trace] for trace in traces])
        ax.margins(x=0.2, y=0.12)
    bar = style.Look("black", "none", "_", "printed in the paper")
    legend(figure, [SYSTEM_LOOKS["hawk"], SYSTEM_LOOKS["eagle"], bar])
    return figure


def plot_systems(frame: pd.DataFrame, systems, trace="google", classes=("short",)):
    """Percentiles of completion times of some systems at the highest load of a trace, logarithmic: a panel per class of jobs."""
    rows = only(highest_load(frame), trace=trace)
    figure, axes = style.subplots(1, len(classes), size=(5.2 * len(classes) + 0.6, 3.9), squeeze=False)
    for ax, which in zip(axes.flat, classes, strict=True):
        for k, system in enumerate(systems):
            groups = [only(rows, system=system, percentile=p, **{"class": which})["completion"] for p in PERCENTILES]
            dots(ax, np.arange(3) + 0.16 * (k - (len(systems) - 1) / 2), groups, SYSTEM_LOOKS[system])
        ax.set(yscale="log", xlabel="percentile", ylabel=f"completion time of {which} jobs (s)")
        ax.set_xticks(range(3), [f"{p}th" for p in PERCENTILES])
    return figure


def plot_fig4(frame: pd.DataFrame):
    """Eagle, and DLWL+SRPT with heartbeats of 3, 5 and 7 s (Fig. 4)."""
    figure = plot_systems(frame, ("eagle", "dlwl", "dlwl-5", "dlwl-7"))
    looks = [SYSTEM_LOOKS[name] for name in ("eagle", "dlwl", "dlwl-5", "dlwl-7")]
    looks[1] = looks[1]._replace(label="DLWL+SRPT, 3 s")
    legend(figure, looks)
    return figure


def plot_fig7(frame: pd.DataFrame):
    """Eagle without SBP+SRPT against the omniscient scheduler (Fig. 7)."""
    names = ("no-sbp-srpt", "omniscient")
    figure = plot_systems(frame, names, classes=("short", "long"))
    legend(figure, [SYSTEM_LOOKS[name] for name in names])
    return figure


PARTS = (("no-sss", "(a) without SSS"), ("no-min", "(b) without minimum probes"), ("no-sbp-srpt", "(c) without SBP+SRPT"))


def plot_breakdown(frame: pd.DataFrame, trace: str):
    """Eagle normalised to it without one of its parts, short jobs, against the number of workers, and the utilisation."""
    rows = only(frame, trace=trace)
    figure, axes = style.subplots(1, 4, size=(12.4, 3.6))
    for ax, (name, title) in zip(axes, PARTS, strict=False):
        found = only(ratios(rows, "eagle", name), **{"class": "short"})
        lines(ax, found, "workers", "ratio", "percentile", PERCENTILE_LOOKS)
        ax.axhline(1, color="black", linewidth=0.8, linestyle=":")
        ax.set(title=title, ylabel="Eagle / Eagle without it", xlabel="workers (thousands)")
    top = max(1.1, *(ax.get_ylim()[1] for ax in axes[:3]))
    for ax in axes[:3]:
        ax.set_ylim(0, top)
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
        for k, name in enumerate(("no-sss", "no-sss-stale")):
            found = only(highest_load(ratios(frame, "eagle", name)), trace=trace, **{"class": "short"})
            groups = [only(found, percentile=p)["ratio"] for p in PERCENTILES]
            dots(ax, np.arange(3) + 0.2 * (k - 0.5), groups, SYSTEM_LOOKS[name])
        ax.axhline(1, color="black", linewidth=0.8, linestyle=":")
        ax.set(title=NAMES[trace], xlabel="percentile", ylim=(0, None))
        ax.set_xticks(range(3), [f"{p}th" for p in PERCENTILES])
    axes[0, 0].set_ylabel("Eagle / Eagle without SSS")
    legend(figure, [SYSTEM_LOOKS[name] for name in ("no-sss", "no-sss-stale")])
    return figure


def _slowdowns(frame, system, which="short"):
    """Ratios to exact means: `low, high, seed, percentile, ratio`."""
    exact, blocks = {"system": system, "low": 1.0, "high": 1.0}, []
    for low, high in RANGES:
        found = compare(frame, {"system": system, "low": low, "high": high}, exact)
        blocks.append(only(found, **{"class": which}).assign(low=low, high=high))
    return pd.concat(blocks)


def plot_fig8(frame: pd.DataFrame):
    """Slowdown of Eagle and DLWL+SRPT by mis-estimation, short jobs, a panel per percentile (the paper's Fig. 8 is the last)."""
    figure, axes = style.subplots(1, 3, size=(11.4, 3.9), sharey=True)
    for ax, percentile in zip(axes, PERCENTILES, strict=True):
        for k, system in enumerate(("eagle", "dlwl")):
            found = only(_slowdowns(frame, system), percentile=percentile)
            groups = [only(found, low=low, high=high)["ratio"] for low, high in RANGES]
            dots(ax, np.arange(len(RANGES)) + 0.24 * (k - 0.5), groups, SYSTEM_LOOKS[system])
        ax.axhline(1, color="black", linewidth=0.8, linestyle=":")
        ax.axvline(2.5, color="#AAAAAA", linewidth=0.8)
        ax.set(title=f"{percentile}th percentile", xlabel="factor of the estimate: under | over")
        ax.set_xticks(range(len(RANGES)), [f"{low:g}-{high:g}" for low, high in RANGES], fontsize=8)
    axes[0].set_ylabel("slowdown: completion time over\nthat with exact estimates")
    legend(figure, [SYSTEM_LOOKS[name] for name in ("eagle", "dlwl")])
    return figure


def plot_partition(frame: pd.DataFrame):
    """Completion times of short jobs, and the longest of long ones, against the size of the short partition."""
    figure, axes = style.subplots(1, 4, size=(13.6, 3.7))
    looks = {name: SYSTEM_LOOKS[name] for name in ("eagle", "no-sss", "hawk", "dlwl")}
    panels = [("short", percentile) for percentile in PERCENTILES] + [("long", 90)]
    for ax, (which, percentile) in zip(axes, panels, strict=True):
        lines(ax, only(frame, percentile=percentile, **{"class": which}), "partition", "completion", "system", looks)
        ax.axvline(17, color="black", linewidth=0.8, linestyle=":")
        ax.set(title=f"{which} jobs, {percentile}th percentile", yscale="log")
        ax.set(xlabel="workers for short jobs alone (%)", ylabel="completion time (s)")
    figure.legend(*axes[0].get_legend_handles_labels(), loc="outside lower center", ncols=4)
    return figure


def _ratios_in_words(frame, base, which="short", trace=None):
    rows = only(highest_load(ratios(frame, "eagle", base)), **{"class": which})
    parts = []
    for name, some in rows.groupby("trace", sort=False):
        if trace in (None, name):
            parts.append(f"{NAMES[name]} " + ", ".join(f"{mean_of(only(some, percentile=p)):.2f}" for p in PERCENTILES))
    return "; ".join(parts)


def _alt_against(base):
    label = SYSTEM_LOOKS[base].label
    return lambda frame: (
        f"Line charts of Eagle's completion times over those of {label} against the number of workers, and of the share of busy workers. At "
        f"the highest load, 50th, 90th, 99th percentile of short jobs: {_ratios_in_words(frame, base)}; of long jobs: "
        f"{_ratios_in_words(frame, base, 'long')}."
    )


def _alt_table2(frame):
    found = shares(frame).groupby("trace", sort=False).mean()
    words = [
        f"{NAMES[one.Index]} {one.behind:.0f} % of Hawk's probes behind a long task, {one.ran:.2g} % of short tasks run there, "
        f"{one.stolen:.0f} % of probes stolen; Eagle {one.eagle_behind:.2g} % behind, {one.rescheduled:.0f} % sent again"
        for one in found.itertuples()
    ]
    return f"Dot charts of head-of-line blocking at the highest load. {'. '.join(words)}."


def _alt_breakdown(trace):
    def alt(frame):
        words = [f"{title[4:]} {_ratios_in_words(frame, name, trace=trace)}" for name, title in PARTS]
        return (
            "Line charts of Eagle's completion times over those without one of its parts against the number of workers. At the highest load, "
            f"50th, 90th, 99th percentile of short jobs: {'; '.join(words)}."
        )

    return alt


def _alt_systems(names, what):
    def alt(frame):
        rows, words = only(highest_load(frame), trace="google", **{"class": "short"}), []
        for name in names:
            means = only(rows, system=name).groupby("percentile")["completion"].mean()
            words.append(f"{SYSTEM_LOOKS[name].label} " + ", ".join(f"{means[p]:.4g} s" for p in PERCENTILES))
        return f"Dot chart of {what}: 50th, 90th, 99th percentile of short jobs: {'; '.join(words)}."

    return alt


def _alt_sss(frame):
    words = [f"{SYSTEM_LOOKS[name].label}: {_ratios_in_words(frame, name)}" for name in ("no-sss", "no-sss-stale")]
    return f"Dot charts of Eagle over Eagle without SSS at the highest load, 50th, 90th, 99th percentile. {'. '.join(words)}."


def _alt_fig8(frame):
    words = []
    for system in ("eagle", "dlwl"):
        means = only(_slowdowns(frame, system), percentile=99).groupby(["low", "high"])["ratio"].mean()
        words.append(f"{SYSTEM_LOOKS[system].label} " + ", ".join(f"{means[key]:.2f} for {key[0]:g}-{key[1]:g}" for key in RANGES))
    return f"Dot charts of the slowdown by mis-estimation. 99th percentile: {'; '.join(words)}."


def _alt_partition(frame):
    words = []
    for name in ("eagle", "no-sss", "hawk", "dlwl"):
        means = only(frame, system=name, percentile=99, **{"class": "short"}).groupby("partition")["completion"].mean()
        words.append(f"{SYSTEM_LOOKS[name].label} {means[17]:.4g} s at 17 % and {means[20]:.4g} s at 20 %")
    return f"Line charts of completion times against the short partition. 99th percentile of short jobs: {'; '.join(words)}."


def _caption(text):
    return lambda frame: f"{text} {sizes(frame)}"


LOADS = "eagle.loads"
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
        "eagle.fig2", LOADS, plot_fig2,
        _caption("Percentiles of completion times under Eagle over those under Hawk (any idle worker steals, as in the authors' program): "
                 "short jobs, long jobs, and the share of busy workers (the paper's Fig. 2)."), _alt_against("hawk"),
    ),
    Figure(
        "eagle.table2", LOADS, plot_table2,
        _caption("Head-of-line blocking at each trace's highest load (the paper's Table 2, as shares). Black bars: the paper's numbers, "
                 "where its text gives the whole."), _alt_table2,
    ),
    Figure(
        "eagle.fig3", LOADS, plot_fig3,
        _caption("Percentiles of completion times under Eagle over those under DLWL+SRPT with heartbeats of 3, 12 and 7 s (the paper's "
                 "Fig. 3)."), _alt_against("dlwl"),
    ),
    Figure(
        "eagle.fig4", LOADS, plot_fig4,
        _caption("What the heartbeat does to DLWL+SRPT: short jobs of Google's trace at the highest load (the paper's Fig. 4)."),
        _alt_systems(("eagle", "dlwl", "dlwl-5", "dlwl-7"), "Eagle and DLWL+SRPT with heartbeats of 3, 5 and 7 s"),
    ),
    Figure(
        "eagle.fig5", LOADS, plot_fig5,
        _caption("Short jobs under Eagle over those under Eagle without one of its parts, Google's trace: below 1 the part helps (the paper's "
                 "Fig. 5)."), _alt_breakdown("google"),
    ),
    Figure(
        "eagle.fig6", LOADS, plot_fig6,
        _caption("Short jobs under Eagle over those under Eagle without one of its parts, Yahoo's trace (the paper's Fig. 6)."),
        _alt_breakdown("yahoo"),
    ),
    Figure(
        "eagle.sss-readings", LOADS, plot_sss_readings,
        _caption("Two readings of 'without SSS' at the highest load. The authors' program has no such switch: its nearest path never lowers a "
                 "job's remaining time and keeps dead probes in the queues."), _alt_sss,
    ),
    Figure(
        "eagle.fig7", LOADS, plot_fig7,
        _caption("Eagle without SBP+SRPT, which knows where long jobs are, against a scheduler that knows the work left on every worker: "
                 "Google's trace, highest load (the paper's Fig. 7)."),
        _alt_systems(("no-sbp-srpt", "omniscient"), "Eagle without SBP+SRPT and the omniscient scheduler"),
    ),
    Figure(
        "eagle.fig8", "eagle.fig8", plot_fig8,
        _caption("What mis-estimated task times do at the highest load of Google's trace: each job's estimate is its mean times a factor drawn "
                 "from the range (the paper's Fig. 8 is the right panel)."), _alt_fig8,
    ),
    Figure(
        "eagle.partition", "eagle.partition", plot_partition,
        _caption("What the size of the short partition does at the highest load of Google's trace; dotted: the paper's 17 %."), _alt_partition,
    ),
    *reading_figures.FIGURES,
    *trace_figures.FIGURES,
)  # fmt: skip
