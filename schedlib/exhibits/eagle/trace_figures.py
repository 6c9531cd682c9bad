"""Eagle's figures of the four-node example, the prototype's sample and the Alibaba hour: a tidy frame in, a picture out."""

import pandas as pd

from schedlib.exhibits.eagle.comparing import PERCENTILES, only, ratios
from schedlib.exhibits.eagle.drawing import PERCENTILE_LOOKS, SYSTEM_LOOKS, from_zero, lines
from schedlib.experiment import Figure
from schedlib.pictures import style

CASES = {"one task a probe": "one task a probe", "sbp": "Sticky Batch Probing", "dlwl": "bound at once (DLWL)"}
HOUR = ("eagle", "ideal-eagle", "omniscient", "dlwl", "hawk", "hawk-general", "sparrow")


def plot_example(frame: pd.DataFrame):
    """The four nodes over time, a panel for each way to run the job of four tasks."""
    figure, axes = style.subplots(1, len(CASES), size=(11.4, 2.9), sharey=True)
    for ax, (case, title) in zip(axes, CASES.items(), strict=True):
        rows = only(frame, case=case)
        zero = rows.loc[rows["last"], "submit"].iloc[0]
        for one in rows.itertuples():
            look = {"color": style.BLUE if one.last else "#CCCCCC", "edgecolor": "white", "height": 0.7}
            ax.barh(one.worker, one.finish - max(one.start, zero), left=max(one.start, zero) - zero, **look)
        end = rows.loc[rows["last"], "finish"].max() - zero
        ax.axvline(end, color=style.BLUE, linewidth=1, linestyle="--")
        ax.set(title=f"{title}: {end:.0f} s", xlabel="time since the job came (s)", xlim=(0, 122))
        ax.set_yticks(range(4), ["n1", "n2", "n3", "n4"])
    axes[0].invert_yaxis()
    axes[0].set_ylabel("node")
    return figure


def plot_fig9(frame: pd.DataFrame):
    """Eagle normalised to Hawk on the prototype's sample, short and long jobs, a column for each way to cut the sample."""
    samples = list(dict.fromkeys(frame["sample"]))
    found = ratios(frame, "eagle", "hawk")
    figure, axes = style.subplots(2, len(samples), size=(4.6 * len(samples) + 0.4, 6.4), squeeze=False, sharex=True, sharey="row")
    for row, which in zip(axes, ("short", "long"), strict=True):
        for ax, sample in zip(row, samples, strict=True):
            lines(ax, only(found, sample=sample, **{"class": which}), "interarrival", "ratio", "percentile", PERCENTILE_LOOKS)
            ax.axhline(1, color="black", linewidth=0.8, linestyle=":")
            ax.set_ylabel(f"{which} jobs, Eagle / Hawk")
        from_zero(row)
    for top, bottom, sample in zip(axes[0], axes[1], samples, strict=True):
        top.set_title(f"sample {sample}")
        bottom.set_xlabel("mean inter-arrival time (1 / load)")
    figure.legend(*axes[0, 0].get_legend_handles_labels(), loc="outside lower center", ncols=3)
    return figure


def plot_hour(frame: pd.DataFrame):
    """Every system on Alibaba's stages: percentiles of completion times of short and of long jobs against the number of workers."""
    figure, axes = style.subplots(2, 3, size=(12.0, 6.8), sharex=True, sharey="row")
    frame = frame.assign(simulated=frame["workers"] * 16 / frame["every"])
    for row, which in zip(axes, ("short", "long"), strict=True):
        for ax, percentile in zip(row, PERCENTILES, strict=True):
            rows = only(frame, percentile=percentile, **{"class": which})
            lines(ax, rows, "simulated", "completion", "system", {name: SYSTEM_LOOKS[name] for name in HOUR})
            ax.set(yscale="log", title=f"{which} jobs, {percentile}th percentile")
            ax.set_xticks(sorted(set(rows["simulated"])), [f"{count:g}" for count in sorted(set(rows["simulated"]))])
        row[0].set_ylabel("completion time (s)")
    for ax in axes[1]:
        ax.set_xlabel("workers")
    figure.legend(*axes[0, 0].get_legend_handles_labels(), loc="outside lower center", ncols=4)
    return figure


def _ends(frame):
    last = frame[frame["last"]].groupby("case")
    return last["finish"].max() - last["submit"].first()


def _alt_fig9(frame):
    words = []
    for (sample, interarrival), some in ratios(frame, "eagle", "hawk").groupby(["sample", "interarrival"], sort=False):
        means = only(some, **{"class": "short"}).groupby("percentile")["ratio"].mean()
        words.append(f"{sample} at {interarrival:g}: " + ", ".join(f"{means[p]:.2f}" for p in PERCENTILES))
    return f"Line charts of Eagle over Hawk. Short jobs, 50th, 90th, 99th percentile: {'; '.join(words)}."


def _alt_hour(frame):
    rows, words = only(frame, workers=frame["workers"].min(), **{"class": "short"}), []
    for system in HOUR:
        means = only(rows, system=system).groupby("percentile")["completion"].mean()
        words.append(f"{SYSTEM_LOOKS[system].label} " + ", ".join(f"{means[p]:.4g} s" for p in PERCENTILES))
    return f"Line charts of completion times. Highest load, short jobs, 50th, 90th, 99th percentile: {'; '.join(words)}."


FIGURES = (
    Figure(
        "eagle.example", "eagle.example", plot_example,
        "The example of Sections 4.1 and 4.2: four nodes with 100, 100, 10 and 10 s to do (grey), and a job of four tasks of 10 s (blue). With "
        "a probe for each task it ends with the slowest node; with Sticky Batch Probing the two nodes that are free first run all four. Bound "
        "at once by a scheduler that takes all nodes to be alike, it waits again.",
        lambda frame: "Gantt charts of four nodes. The job of four tasks takes "
        + ", ".join(f"{_ends(frame)[case]:.2f} s ({title})" for case, title in CASES.items()) + ".",
    ),
    Figure(
        "eagle.fig9", "eagle.fig9", plot_fig9,
        lambda frame: "Simulated, where the paper measures its Spark prototype (Fig. 9): Eagle over Hawk on 3,300 Google-like jobs on 100 "
        "nodes, durations over 1000, against the mean inter-arrival time in units of the time that all nodes need for a mean job. Left: "
        "fewer and longer tasks, as the paper cuts them, jobs keeping their class. Right: the generator's own jobs for a cluster of that "
        f"size. Seeds: {frame['seed'].nunique()}; intervals: 95 %.",
        _alt_fig9,
    ),
    Figure(
        "eagle.hour", "eagle.hour", plot_hour,
        lambda frame: f"Every system on a real trace: one stage in {frame['every'].iloc[0]} of Alibaba's hour is a job, its instances "
        "are the tasks; means above 49 s make a job long, 24 % of the workers are for short jobs. Percentiles against the number of "
        "workers. "
        "Beyond the paper. Data: Alibaba, cluster-trace-v2018.",
        _alt_hour,
    ),
)  # fmt: skip
