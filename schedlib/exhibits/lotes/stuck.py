"""Two ways not to recover (beyond the paper): queues that stay after a burst, jobs that wait for ever."""

from dataclasses import replace
from typing import Any

import pandas as pd
from matplotlib.figure import Figure as Picture

from schedlib import lotes
from schedlib.exhibits.lotes.drawing import LAWS, legend_below
from schedlib.exhibits.lotes.fig11_13_random import under
from schedlib.exhibits.lotes.runs import CONFIGS, follow
from schedlib.experiment import Experiment, Figure, grid, scales
from schedlib.pictures import style

PLACE = 5.42
POLICIES: dict[str, tuple[str, dict[str, Any]]] = {
    "lotes": ("lotes", {}), "lotes, exit all": ("lotes", {"exit": "all"}), "greedy": ("greedy", {}),
    "tetris": ("tetris", {})}
"""Who is compared: LoTES as printed, and with an exit that starts jobs of any class."""
LOOKS = {name: style.look(name) for name in ("lotes", "greedy", "tetris")} | {
    "lotes, exit all": style.Look(style.BROWN, (0, (3, 1, 1, 1)), "D", "LoTES, any class on an exit")}
BURST, OVERLOAD = 2.0, 1.5  # hours of jobs at 1.5 lambda* of stage 1


def _after_burst(phi, load, sizes, machines, hours, seed, burst=BURST):
    """A random instance whose jobs come in a burst of that many hours first."""
    made = under(lotes.random_instance(phi, load=load, machines=machines, hours=hours, seed=seed,
                                       rounded=True), sizes)
    faster = OVERLOAD * made.plan.allocation.rate, burst
    return made._replace(workload=replace(made.workload, burst=faster, limit=None))


def recovering(phi: float, load: float, sizes: str, machines: int, hours: float, seed: int) -> pd.DataFrame:
    """Queues by the hour, with and without two hours of overload: `policy, burst, hour, queue`."""
    frames = []
    for burst in (0.0, BURST):
        made = _after_burst(phi, load, sizes, machines, hours, seed, burst)
        for name, (policy, options) in POLICIES.items():
            run = follow(made, policy, seed, interval=1.0, **options)
            frames.append(pd.DataFrame({"policy": name, "burst": burst, "hour": run.intervals["end"],
                                        "queue": run.intervals["queue_end"]}))
    return pd.concat(frames, ignore_index=True)


def starving(phi: float, load: float, sizes: str, machines: int, hours: float, seed: int) -> pd.DataFrame:
    """What waits at the end of a run that began with a burst: `waiting` jobs, the `oldest`'s wait (h), and
    `old`, how many wait since the first half."""
    made, rows = _after_burst(phi, load, sizes, machines, hours, seed), []
    for name, (policy, options) in POLICIES.items():
        ages = follow(made, policy, seed, **options).ages
        rows.append((name, len(ages), ages.max(initial=0.0), int((ages > hours / 2).sum())))
    return pd.DataFrame(rows, columns=["policy", "waiting", "oldest", "old"])


def _recovery(machines, hours):
    return grid(phi=[0.006], load=[0.97], sizes=["independent"], machines=[machines], hours=[hours])


def _starvation(machines, lengths):
    return grid(phi=[0.006, 0.015], load=[0.95], sizes=["common-matched"], machines=[machines], hours=lengths)


EXPERIMENTS = (
    Experiment("lotes.metastable", "Queues after a burst", recovering,
               scales(_recovery(4, 10.0), _recovery(50, 20.0), _recovery(1000, 100.0)), scales(1, 3)),
    Experiment("lotes.starvation", "Jobs that never start", starving,
               scales(_starvation(4, [5.0, 10.0]), _starvation(30, [10.0, 30.0]),
                      _starvation(1000, [25.0, 100.0])), scales(1, 5)),
)


def plot_metastable(frame: pd.DataFrame) -> Picture:
    """Queues over time: without a burst (left) and after one (right); a line for each instance and policy."""
    figure, axes = style.subplots(1, 2, size=(8.8, 4.0), sharey=True)
    for ax, (burst, runs) in zip(axes, frame.groupby("burst"), strict=True):
        for name, look in LOOKS.items():
            for seed, rows in runs[runs["policy"] == name].groupby("seed"):
                named = {"label": look.label} if seed == runs["seed"].min() else {}
                ax.plot(rows["hour"], rows["queue"], color=look.color, linestyle=look.linestyle, **named)
        ax.set_yscale("symlog", linthresh=1)
        ax.set_title(f"{burst:g} hours of overload first" if burst else "from an empty cluster", fontsize=10)
        ax.set(xlabel="time (hours)", ylabel="jobs waiting")
        ax.yaxis.set_tick_params(labelleft=True)
    axes[0].set_ylim(bottom=0)  # last, so that both panels show all of both
    legend_below(figure, axes[0])
    return figure


def _alt_metastable(frame):
    last = frame[frame["hour"] == frame["hour"].max()].groupby(["burst", "policy"])["queue"].median()
    words = [f"{look.label} {last[0.0, name]:.0f} and {last[BURST, name]:.0f}"
             for name, look in LOOKS.items()]
    return ("Queues over time. Jobs waiting at the end without and after a burst, medians: "
            f"{'; '.join(words)}.")


def plot_starvation(frame: pd.DataFrame) -> Picture:
    """The oldest queued job's wait at the end, by the length of the run, a panel for each Phi."""
    figure, axes = style.subplots(1, frame["phi"].nunique(), size=(8.8, 4.0), sharey=True)
    lengths = sorted(set(frame["hours"]))
    for ax, (phi, runs) in zip(axes, frame.groupby("phi"), strict=True):
        for k, (name, look) in enumerate(LOOKS.items()):
            rows = runs[runs["policy"] == name]
            place = rows["hours"] * (1 + 0.06 * (k - 1.5))
            ax.plot(place, rows["oldest"], look.marker, color=look.color, label=look.label, alpha=0.8)
        ax.plot(lengths, lengths, ":", color="black", label="since the beginning")
        ax.set(title=f"Phi = {phi:g}", xlabel="length of the run (hours)", xscale="log",
               ylabel="the oldest queued job's wait so far (hours)")
        ax.set_xticks(lengths, [f"{hours:g}" for hours in lengths])
        ax.minorticks_off()
        ax.yaxis.set_tick_params(labelleft=True)
    legend_below(figure, axes[0], 5)
    return figure


def _alt_starvation(frame):
    longest = frame[frame["hours"] == frame["hours"].max()]
    words = [f"{LOOKS[name].label} at most {rows['oldest'].max():.3g} h, {(rows['old'] > 0).sum()} of "
             f"{len(rows)} runs with jobs that wait since the first half"
             for name, rows in longest.groupby("policy")]
    return f"Scatter of the oldest queued job's wait. In the longest runs: {'; '.join(words)}."


def _where(frame):
    first = frame.iloc[0]
    return (f"{CONFIGS * first['machines']:,} machines, load {first['load']:g}, sizes: "
            f"{LAWS[first['sizes']]}")


FIGURES = (
    Figure("lotes.metastable", "lotes.metastable", plot_metastable, lambda frame: (
        "Queues without a burst, and after two hours at 1.5 lambda*: where Greedy keeps up from an empty "
        "cluster, the queue that a burst leaves may never drain, since it starts what waits at a machine and "
        f"not what fits best. {_where(frame)}, Phi = 0.006. Lines: instances."), _alt_metastable),
    Figure("lotes.starvation", "lotes.starvation", plot_starvation, lambda frame: (
        "How long the oldest job in the queue has waited, in runs that begin with two hours at 1.5 lambda*. "
        "Under LoTES a job larger than every machine with Delta > 0 for its class is looked for by nobody: "
        "on the dotted line it waits since the beginning, and an exit that starts any class finds it. Tetris "
        f"leaves large jobs for as long as smaller ones queue. {_where(frame)}."), _alt_starvation),
)
