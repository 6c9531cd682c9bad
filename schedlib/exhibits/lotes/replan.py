"""Planning anew while the system runs, which LoTES leaves to future work (Sections 5.3.3 and 6)."""

import time
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.figure import Figure as Picture

from schedlib import lotes
from schedlib.exhibits import measure
from schedlib.exhibits.lotes.drawing import legend_below
from schedlib.exhibits.lotes.runs import DECADES, claim, month, with_decades
from schedlib.experiment import Experiment, Figure, scales
from schedlib.lotes.replan import WAYS
from schedlib.lotes.workloads.month import BATCH, HOURS, JOBS, ArrivalModel
from schedlib.pictures import style

PLACE = 5.33


def _timed(way, seconds):
    """That way of planning anew, which also notes in the list `seconds` how long each new plan took."""
    def again(past, old):
        began = time.perf_counter()
        made = way(past, old)
        seconds.append(time.perf_counter() - began)
        return made
    return again


def _foresight(jobs, hours):
    """Planning anew from the jobs that come in the next hours and their durations, which nobody knows."""
    submit, job_class = jobs.jobs["submit"].to_numpy(), jobs.jobs["class"].to_numpy()
    duration, demand = jobs.tasks["duration"].to_numpy(), jobs.tasks[list(jobs.resources)].to_numpy()
    def again(past, old):
        coming = (submit >= past.now) & (submit < past.now + hours)
        start, finish = submit[coming], submit[coming] + duration[coming]
        known = lotes.Past(now=np.inf, since=past.now, submit=start, job_class=job_class[coming],
                           demand=demand[coming], start=start, finish=finish)
        return WAYS["estimate"](known, old)
    return again


def replanning(thin: int, load: float, drift: float, bursts: bool, finest: int, hours: int,
               seed: int) -> pd.DataFrame:
    """LoTES on the model of Google's month with one plan and with plans made anew, by `way` and by `every`.

    `every`: hours between plans, 0 when none is made anew. `hours`: the first so many.
    Without `bursts` all hours bring equally many jobs, and only the mix drifts.

    Ways: `tetris`; `fixed`: one plan; `all`: the same, and an exit may start any class; `estimate`,
    `cluster`: every 24 hours, and every 6 if that is `finest`; `foresight`: every 24 hours from the jobs of
    the next 24.

    Measures: `wait` (s): mean wait of all jobs so far, those included that wait at the end; `wait_small`,
    `wait_large`: the same for the jobs of classes 1 and 2 and for the others; `over_1h`: jobs that wait over
    an hour (%); `queue`: mean jobs waiting; `idle`: share of all cores that is idle while jobs wait (%);
    `plans` followed in all; `seconds`: the longest that a new plan took.
    """
    even = {} if bursts else {"arrivals": ArrivalModel((JOBS - BATCH) / HOURS, 0.0, 1.0)}
    configs, classes, jobs = month(seed, thin=thin, load=load, drift=drift, hours=hours, **even)
    first = lotes.plan(configs, classes)
    runs = [("tetris", 0), ("fixed", 0), ("all", 0), ("foresight", 24)]
    runs += [(way, every) for every in (24, 6) if every >= finest for way in WAYS]
    rows, small = [], jobs.jobs["class"].to_numpy() < 2
    for way, every in runs:
        seconds = [0.0]
        options: dict[str, Any] = {"exit": "all"} if way == "all" else {}
        if every:
            renew = _foresight(jobs, every) if way == "foresight" else WAYS[way]
            options["replan"] = lotes.Replan(every, how=_timed(renew, seconds))
        run = lotes.simulate("tetris" if way == "tetris" else "lotes", configs, jobs, plan=first, seed=seed,
                             until=hours, interval=24.0, **options)
        wait = (run.jobs["start"].fillna(hours) - run.jobs["submit"]).to_numpy()  # type: ignore[index]
        rows.append({
            "way": way, "every": every, "wait": 3600 * wait.mean(), "wait_small": 3600 * wait[small].mean(),
            "wait_large": 3600 * wait[~small].mean(), "over_1h": 100 * (wait > 1).mean(),
            "queue": run.mean_queue, "idle": 100 * run.fragmentation[0], "plans": len(run.plans),
            "seconds": max(seconds)})
    return pd.DataFrame(rows)


WEEK = 168


def _point(thin, load, drift=0.8, bursts=True, hours=HOURS):
    return {"thin": thin, "load": load, "drift": drift, "bursts": bursts, "finest": 6, "hours": hours}


EXPERIMENTS = (
    Experiment("lotes.replan", "Planning anew on a drifting month", replanning,
               scales([_point(4, 0.8, hours=72)], [_point(4, 0.8, hours=WEEK), _point(4, 0.95, hours=WEEK)],
                      [_point(1, 0.8), _point(1, 0.95), _point(1, 0.8, 0.0), _point(1, 0.8, 1.6),
                       _point(1, 0.95, bursts=False)]), scales(2, 5), timing=("seconds",)),
)

NAMES = {("estimate", 24): "estimated anew, 24 h", ("estimate", 6): "estimated anew, 6 h",
         ("cluster", 24): "clustered anew, 24 h", ("cluster", 6): "clustered anew, 6 h",
         ("foresight", 24): "next 24 h foreseen", ("all", 0): "one plan, any class at exits",
         ("tetris", 0): "Tetris"}
SETTING = ["bursts", "load", "drift"]
PANELS = {"wait": "all jobs", "wait_small": "classes 1 and 2", "wait_large": "classes 3 and 4"}


def _over_fixed(frame, column):
    """That column over its value under one plan: a row per seed and setting, a column for each way."""
    waits = frame.pivot_table(column, [*SETTING, "seed"], ["way", "every"]).clip(lower=1e-3)
    return waits.div(waits["fixed", 0], axis=0)


def plot_replan(frame: pd.DataFrame) -> Picture:
    """Mean wait under plans made anew over that under one plan: of all, small and large jobs, every seed."""
    figure, axes = style.subplots(1, 3, size=(9.6, 4.6), sharey=True)
    for ax, (column, title) in zip(axes, PANELS.items(), strict=True):
        ratios = _over_fixed(frame, column)
        ways = [way for way in NAMES if way in ratios]
        for i, ((bursts, load, drift), rows) in enumerate(ratios.groupby(SETTING, sort=False)):
            label = f"load {load:g}, drift {drift:g}" + ("" if bursts else ", no bursts")
            look = {"color": style.PALETTE[i], "linestyle": "none", "markersize": 5}
            for place, way in enumerate(ways):
                height = place + 0.14 * (i - 2)
                ax.plot(rows[way], np.full(len(rows), height), marker="|", **look)
                mean = np.exp(np.log(rows[way]).mean())
                ax.plot(mean, height, marker="osD^v"[i % 5], label=label if place == 0 else None, **look)
        ax.axvline(1, color="black", linewidth=0.8, linestyle=":")
        ax.set(title=title, xlabel="mean wait / that of one plan", xscale="log")
    for ax in axes[::2]:
        ax.set_xticks([0.25, 0.5, 1, 2], ["1/4", "1/2", "1", "2"])
        ax.set_xticks([], minor=True)
    axes[0].set_yticks(range(len(ways)), [NAMES[way] for way in ways])
    axes[0].set_ylabel("way of planning")
    axes[0].invert_yaxis()
    legend_below(figure, axes[0], 3)
    return figure


def _alt(frame):
    means = np.log10(_over_fixed(frame, "wait")).groupby(SETTING).mean()
    words = [f"{name}: {10 ** means[way].min():.2f} to {10 ** means[way].max():.2f}"
             for way, name in NAMES.items() if way in means]
    return ("Chart in three panels, all jobs, the small classes and the large ones. Mean wait over that of "
            f"one plan, geometric means over seeds, least and largest of the settings: {', '.join(words)}.")


FIGURES = (
    Figure("lotes.replan", "lotes.replan", plot_replan, lambda frame: (
        "Planning anew on the model of Google's month, its mix drifting, by what from and how often: mean "
        "wait over that under one plan (ticks: seeds; symbols: their geometric mean). One job in "
        f"{frame['thin'].iloc[0]}. The paper leaves this to future work (Sections 5.3.3 and 6)."),
           _alt),)


@measure
def _gained(frame, way, every):
    """Decades by which planning anew shortens the mean wait with bursts and drift 0.8, per seed."""
    rows = with_decades(frame[frame["bursts"].astype(bool) & (frame["drift"] == 0.8)])
    waits = rows.pivot_table(index="seed", columns=["way", "every"], values="decades")
    return (waits["fixed", 0] - waits[way, every]).to_numpy()


REASON = ("waits come when more arrives than fits, and there a better estimate of the mix does not help: "
          "plans made from the next day's jobs gain no more; judged on the model of Google's month")
WAYS_READ = {"estimate": "shares, demands and rates estimated anew", "cluster": "jobs clustered anew"}
CLAIMS = (claim(
    "replan", "Section 5.3.3", "Updating the job classes' parameters improves LoTES", None, None, **DECADES,
    reason=REASON, readings={f"{text}, every {every} hours": ("lotes.replan", _gained(way, every))
                             for way, text in WAYS_READ.items() for every in (24, 6)}),)
