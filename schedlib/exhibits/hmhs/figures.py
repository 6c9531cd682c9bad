"""Every HMHS figure: a tidy frame in, a picture out. Nothing here simulates."""

import pandas as pd
from matplotlib.ticker import FixedLocator, NullLocator, ScalarFormatter

from schedlib.experiment import Figure
from schedlib.intervals import mean_ci
from schedlib.pictures import style

RIVALS = ("fifo", "fifo-pri", "r-hmhs")
TITLES = {"single": "Single workload", "hybrid": "Hybrid workload", "alibaba": "Alibaba hour"}
JOBS, SLOW = "number of jobs", "slow machines (%)"


def against(frame: pd.DataFrame, base: str) -> pd.DataFrame:
    """`frame` with a column `base` that holds, in every row, the makespan of policy `base` on the same instance."""
    same = [name for name in frame.columns if name not in ("policy", "makespan", "optimum")]
    other = frame.loc[frame["policy"] == base, [*same, "makespan"]].rename(columns={"makespan": base})
    return frame.merge(other, on=same, validate="many_to_one")


def gains(frame: pd.DataFrame) -> pd.DataFrame:
    """The rivals' rows with `gain`: by how many per cent of the rival's makespan HMHS ends sooner on the same instance."""
    rows = against(frame[frame["policy"].isin(["hmhs", *RIVALS])], "hmhs")
    return rows[rows["policy"] != "hmhs"].assign(gain=100 * (1 - rows["hmhs"] / rows["makespan"]))


def gaps(frame: pd.DataFrame) -> pd.DataFrame:
    """The policies' rows with `gap`: by how many per cent of the lower bound the makespan exceeds it."""
    rows = against(frame, "bound")
    return rows[rows["policy"] != "bound"].assign(gap=100 * (rows["makespan"] / rows["bound"] - 1))


def _jobs_axis(ax, jobs):
    ax.set_xscale("log", base=2)
    ax.xaxis.set_major_locator(FixedLocator(sorted(set(jobs))))
    ax.xaxis.set_minor_locator(NullLocator())
    ax.xaxis.set_major_formatter(ScalarFormatter())


def _log_y(ax, lowest):
    """A logarithmic axis with plain numbers, cut off at half the lowest mean: an interval may reach zero, a log axis cannot."""
    ax.set_yscale("log")
    ax.set_ylim(bottom=lowest / 2)
    ax.yaxis.set_major_formatter("{x:g}")
    ax.yaxis.set_minor_formatter(lambda value, _: f"{value:g}" if f"{value:e}"[0] in "25" else "")


def _compare(frame, x, label):
    """Makespans above and HMHS's gains below, a column for each workload; a single workload's two panels stand side by side."""
    workloads = list(dict.fromkeys(frame["workload"]))
    if len(workloads) == 1:
        figure, axes = style.subplots(1, 2, size=(8.8, 3.8), squeeze=False)
        axes = axes.T
    else:
        figure, axes = style.subplots(2, len(workloads), size=(4.4 * len(workloads), 6.4))
    shown = frame[frame["policy"].isin(["hmhs", *RIVALS])].assign(hours=frame["makespan"] / 3600)
    gain = gains(frame)
    for (top, bottom), name in zip(axes.T, workloads, strict=True):
        style.band(top, shown[shown["workload"] == name], x, "hours", by="policy")
        style.band(bottom, gain[gain["workload"] == name], x, "gain", by="policy")
        top.set(title=TITLES[name], xlabel=label, ylabel="makespan (hours)")
        _log_y(top, shown[shown["workload"] == name].groupby([x, "policy"])["hours"].mean().min())
        bottom.set(xlabel=label, ylabel="HMHS shorter than rival by (%)", ylim=(min(-5, gain["gain"].min()), 100))
        if x == "jobs":
            _jobs_axis(top, frame["jobs"])
            _jobs_axis(bottom, frame["jobs"])
    axes[0, 0].legend(title="policy")
    axes[1, 0].legend(title="rival")
    return figure


def plot_fig1(frame: pd.DataFrame):
    """Makespan against the number of jobs, and HMHS's gain over each rival (the paper's Fig. 1)."""
    return _compare(frame, "jobs", JOBS)


def plot_fig2(frame: pd.DataFrame):
    """The same against the share of slow machines (the paper's Fig. 2)."""
    return _compare(frame, "slow", SLOW)


def plot_alibaba(frame: pd.DataFrame):
    """The comparison of Fig. 1 on real map-reduce pairs."""
    return _compare(frame.assign(workload="alibaba"), "jobs", JOBS)


def plot_gap(frame: pd.DataFrame):
    """How far each policy ends above the lower bound, against the number of jobs."""
    frame = frame if "workload" in frame else frame.assign(workload="alibaba")
    workloads = list(dict.fromkeys(frame["workload"]))
    figure, axes = style.subplots(1, len(workloads), size=(4.6 * len(workloads), 3.8), squeeze=False)
    gap = gaps(frame)
    for ax, name in zip(axes[0], workloads, strict=True):
        style.band(ax, gap[gap["workload"] == name], "jobs", "gap", by="policy")
        ax.set(title=TITLES[name], xlabel=JOBS, ylabel="makespan above the lower bound (%)")
        _log_y(ax, gap[gap["workload"] == name].groupby(["jobs", "policy"])["gap"].mean().min())
        _jobs_axis(ax, frame["jobs"])
    figure.legend(*axes[0, 0].get_legend_handles_labels(), loc="outside lower center", ncols=3 if len(workloads) == 1 else 5)
    return figure


def plot_fifo_readings(frame: pd.DataFrame):
    """HMHS's gain over FIFO, and over FIFO-Pri, under each reading of FIFO."""
    figure, axes = style.subplots(1, 2, size=(8.8, 3.8), sharey=True)
    looks = dict(zip(dict.fromkeys(frame["reading"]), ("fifo", "fifo-pri", "r-hmhs", "priced"), strict=False))
    for ax, column, title in zip(axes, ("fifo", "fifo_pri"), ("over FIFO", "over FIFO-Pri"), strict=True):
        for reading, policy in looks.items():
            points = frame[frame["reading"] == reading].groupby("jobs")[column].mean()
            ax.plot(points.index, points, **style.look(policy).line() | {"label": READING_NAMES[reading]})
        ax.set(title=f"HMHS's gain {title}", xlabel=JOBS, ylabel="mean over seeds and workloads (%)")
        ax.yaxis.set_tick_params(labelleft=True)
        _jobs_axis(ax, frame["jobs"])
    handles = axes[0].get_legend_handles_labels()
    figure.legend(*handles, title="a free reduce machine takes", loc="outside lower center", ncols=2)
    return figure


READING_NAMES = {
    "fifo": "the first ready job",
    "fifo-strict": "the first unfinished job, or waits",
    "fifo-ready": "the job ready longest",
    "fifo-barrier": "nothing before the last map ends",
}


def plot_exact(frame: pd.DataFrame):
    """Makespans of tiny instances as multiples of the exact optimum: every instance, and the mean."""
    names = [name for name in ("bound", "priced", "hmhs", "r-hmhs", "fifo-pri", "fifo") if name in set(frame["policy"])]
    figure, ax = style.subplots(size=(6.4, 3.8))
    for row, name in enumerate(names):
        one = frame[frame["policy"] == name]
        ratio = (one["makespan"] / one["optimum"]).to_numpy()
        look = style.look(name)
        spread = row + 0.28 * ((pd.Series(ratio).rank(method="first") % 7) / 3 - 1)
        ax.plot(ratio, spread, linestyle="none", marker=look.marker, color=look.color, alpha=0.35, markersize=3.5)
        ax.plot([ratio.mean()], [row], marker="|", markersize=22, markeredgewidth=2.5, color="black")
    ax.axvline(1, color="black", linewidth=0.8)
    ax.set_yticks(range(len(names)), [style.look(name).label for name in names])
    ax.invert_yaxis()
    ax.set(xlabel="makespan over the exact optimum (bar: mean)", ylabel="policy")
    return figure


def plot_cost(frame: pd.DataFrame):
    """Candidates looked at and wall-clock seconds against the number of jobs, both axes logarithmic."""
    figure, (left, right) = style.subplots(1, 2, size=(8.8, 3.8))
    hmhs = frame[frame["policy"] == "hmhs"].groupby("jobs").mean(numeric_only=True)
    left.plot(hmhs.index, hmhs["steps_full_scan"], color="black", linestyle="--", marker="x", label="full scans, as printed")
    left.plot(hmhs.index, hmhs["steps"], **style.look("hmhs").line() | {"label": "heaps and trees (ours)"})
    left.plot(hmhs.index, hmhs["tasks"], color="#555555", linestyle=":", marker=".", label="tasks to place")
    for name, one in frame.groupby("policy"):
        seconds = one.groupby("jobs")["seconds"].median()
        right.plot(seconds.index, seconds, **style.look(name).line())
    left.set(xlabel=JOBS, ylabel="candidates looked at", xscale="log", yscale="log")
    right.set(xlabel=JOBS, ylabel="seconds, both stages (median)", xscale="log", yscale="log")
    left.legend()
    right.legend()
    return figure


def _interval(values):
    mean, low, high = mean_ci(values)
    return f"{mean:.0f} %" if low != low else f"{mean:.0f} % ({low:.0f} to {high:.0f})"


def _alt_gains(frame, x, what):
    """The gains over FIFO at both ends of the axis, in words."""
    gain = gains(frame)
    gain = gain[gain["policy"] == "fifo"]
    ends = [_interval(gain.loc[gain[x] == at, "gain"]) for at in (gain[x].min(), gain[x].max())]
    return (
        f"Line charts of makespan and of HMHS's gain against {what}. Mean gain over FIFO: {ends[0]} at {gain[x].min():g}, "
        f"{ends[1]} at {gain[x].max():g} (95 % intervals in brackets)."
    )


def _alt_gap(frame):
    gap = gaps(frame)
    last = gap[gap["jobs"] == gap["jobs"].max()].groupby("policy")["gap"].mean()
    words = ", ".join(f"{style.look(name).label} {last[name]:.0f} %" for name in last.sort_values().index)
    return f"Line chart of each policy's makespan above the lower bound. At {gap['jobs'].max()} jobs: {words}."


def _alt_exact(frame):
    means = (frame["makespan"] / frame["optimum"]).groupby(frame["policy"]).mean().sort_values()
    words = ", ".join(f"{style.look(name).label} {value:.2f}" for name, value in means.items())
    return f"Strip chart of makespan over the exact optimum on tiny instances. Means: {words}."


FIGURES = (
    Figure(
        "hmhs.fig1",
        "hmhs.fig1",
        plot_fig1,
        "Makespan of four policies (top) and HMHS's gain over its rivals (bottom) against the number of jobs, on 100 map and 100 "
        "reduce machines; bands are 95 % intervals over seeds. The paper's Fig. 1.",
        lambda frame: _alt_gains(frame, "jobs", "the number of jobs"),
    ),
    Figure(
        "hmhs.table1",
        "hmhs.table1",
        None,
        "The six clusters of the paper's Table 1: share of slow machines (factor 0.9 to 1) and random ones (0.1 to 1), and the "
        "mean speed factor of each kind as drawn.",
        "Table of six clusters: slow machines from 0 to 100 per cent in steps of 20.",
    ),
    Figure(
        "hmhs.fig2",
        "hmhs.fig2",
        plot_fig2,
        "Makespan of 100 jobs (top) and HMHS's gain (bottom) as slow machines take over the cluster; bands are 95 % intervals "
        "over seeds. The paper's Fig. 2.",
        lambda frame: _alt_gains(frame, "slow", "the share of slow machines in per cent"),
    ),
    Figure(
        "hmhs.alibaba",
        "hmhs.alibaba",
        plot_alibaba,
        "The comparison of Fig. 1 on real jobs: map-reduce pairs drawn from one hour of Alibaba's batch trace, on the paper's "
        "machines; bands are 95 % intervals over seeds.",
        lambda frame: _alt_gains(frame, "jobs", "the number of jobs"),
    ),
    Figure(
        "hmhs.gap",
        "hmhs.fig1",
        plot_gap,
        "How far each policy ends above a lower bound that no schedule can beat (beyond the paper). What separates FIFO from HMHS "
        "is far more than what is left to gain; priced dispatch, ours, wins part of that.",
        _alt_gap,
    ),
    Figure(
        "hmhs.alibaba-gap",
        "hmhs.alibaba",
        plot_gap,
        "How far each policy ends above the lower bound on real map-reduce pairs (beyond the paper).",
        _alt_gap,
    ),
    Figure(
        "hmhs.fifo-readings",
        "hmhs.fifo-readings",
        plot_fifo_readings,
        "HMHS's gain under four readings of what FIFO does with a free reduce machine, which the paper leaves open.",
        lambda frame: "Line charts of HMHS's mean gain against the number of jobs, one line for each reading of FIFO; at the most "
        "jobs "
        + ", ".join(
            f"{value:.0f} % where it takes {READING_NAMES[name]}"
            for name, value in frame[frame["jobs"] == frame["jobs"].max()].groupby("reading")["fifo"].mean().items()
        )
        + ".",
    ),
    Figure(
        "hmhs.exact",
        "hmhs.exact",
        plot_exact,
        "Tiny instances (3 to 5 jobs, two map and two reduce machines): every policy and the lower bound as a multiple of the "
        "exact optimum. HMHS may lose to FIFO on a single instance.",
        _alt_exact,
    ),
    Figure(
        "hmhs.cost",
        "hmhs.cost",
        plot_cost,
        "Cost of scheduling the single workload on 100 + 100 machines: candidates that HMHS's two Min-Mins look at, by the paper's "
        "loops and by ours with the same decisions (left); wall-clock time (right).",
        lambda frame: f"Log-log charts: at {frame['jobs'].max()} jobs the paper's loops look at "
        f"{frame.loc[frame['jobs'].idxmax(), 'steps_full_scan']:.1e} candidates and ours at "
        f"{frame.loc[frame['jobs'].idxmax(), 'steps']:.1e}.",
    ),
)
