"""Speed of HMHS: the fast dispatcher against the paper's full scan, and the other schedulers."""

from collections.abc import Callable

import numpy as np

from bench_core import seconds
from schedlib.core.compiling import compiled
from schedlib.hmhs import min_min
from schedlib.hmhs.bound import bounds
from schedlib.hmhs.model import Instance, Stage, by_arrival, quickest_first
from schedlib.hmhs.priced import priced
from schedlib.hmhs.schedule import schedule
from schedlib.hmhs.workloads import single


@compiled
def full_scan(ready, tasks, time, stage):
    """Algorithm 1 as printed: before each task, look at every waiting job on every machine."""
    jobs, machines = time.shape
    left, free, waiting, looks = tasks.copy(), np.zeros(machines), np.zeros(jobs, np.bool_), 0
    for task in range(left.sum()):
        earliest = free.min()  # line 2
        none = True
        for job in range(jobs):  # lines 3-7
            if left[job] > 0 and ready[job] <= earliest:
                waiting[job] = True
            none = none and not waiting[job]
        if none:  # lines 8-10
            soonest = -1
            for job in range(jobs):
                if left[job] > 0 and (soonest < 0 or ready[job] < ready[soonest]):
                    soonest = job
            waiting[soonest] = True
        best = np.inf
        p, q = -1, -1
        for job in range(jobs):  # lines 11-16
            if waiting[job]:
                looks += machines
                for machine in range(machines):
                    end = max(free[machine], ready[job]) + time[job, machine]
                    if end < best:
                        best, p, q = end, job, machine
        stage.job[task], stage.machine[task] = p, q  # line 17
        stage.start[task], stage.finish[task] = max(free[q], ready[p]), best
        free[q] = best  # line 18
        left[p] -= 1
        if left[p] == 0:  # lines 19-21
            waiting[p] = False
    return looks, looks


def with_sorted_jobs(ready, tasks, time, stage):
    """The fast dispatcher, its sorting of the jobs included."""
    return min_min.dispatch(
        by_arrival(ready, tasks), ready, tasks, time, quickest_first(time), stage
    )


def dispatch_both(
    kernel: Callable, instance: Instance, ready: np.ndarray
) -> tuple[Stage, Stage, np.ndarray]:
    """The map tasks, all ready at zero, and the reduce tasks, at `ready (N,)`, and both counts of looks."""
    stages, looks = [], np.zeros(2, np.int64)
    for arrive, tasks, time in (
        (np.zeros(instance.n_jobs), instance.map_tasks, instance.map_task_time),
        (ready, instance.reduce_tasks, instance.reduce_task_time),
    ):
        stages.append(Stage.empty(int(tasks.sum())))
        looks += kernel(arrive, tasks.copy(), time, stages[-1])
    return *stages, looks


def compare(instance: Instance, repeats: int = 3) -> tuple[float, float, float]:
    """Seconds of the fast dispatcher and of the full scan, and how many times more candidates the scan has.

    Raises RuntimeError when the two do not make the same decisions.

    >>> fast, naive, candidates = compare(single(20, seed=1, machines=(5, 5)), repeats=1)
    >>> candidates > 1
    True
    """
    ready = schedule(instance, "hmhs").map_end
    *fast, (few, expected) = dispatch_both(with_sorted_jobs, instance, ready)
    *naive, (many, _) = dispatch_both(full_scan, instance, ready)
    both = zip((*fast[0], *fast[1]), (*naive[0], *naive[1]), strict=True)
    if many != expected or not all(np.array_equal(one, other) for one, other in both):
        raise RuntimeError("the fast dispatcher and the full scan disagree")
    runs = (lambda k=k: dispatch_both(k, instance, ready) for k in (with_sorted_jobs, full_scan))
    quick, slow = (seconds(run, repeats, warm=False) for run in runs)
    return quick, slow, float(many / few)


def bench() -> list[dict]:
    """Rows of name, value, unit and note, on the single workload; kernels are compiled before."""
    rows = []

    def row(name, value, note="", unit="s"):
        rows.append({"name": name, "value": float(f"{value:.3g}"), "unit": unit, "note": note})

    for jobs, repeats in ((10_000, 3), (1_000, 5)):
        instance = single(jobs, seed=1)
        both = f"{int(instance.map_tasks.sum() + instance.reduce_tasks.sum()):,} tasks, both stages"
        row(f"hmhs, {jobs:,} jobs", seconds(lambda i=instance: schedule(i, "hmhs"), repeats), both)
    row("fifo, 1,000 jobs", seconds(lambda: schedule(instance, "fifo")), both)

    fast, naive, looks = compare(instance.head(300))
    row("min-min, fast, 300 jobs", fast, "both stages")
    row(
        "min-min, full scan, 300 jobs",
        naive,
        "Algorithm 1 as printed, compiled; same decisions, checked",
    )
    row(
        "full scan / fast, 300 jobs",
        naive / fast,
        f"candidates: {looks:.0f} times as many",
        "times",
    )

    small = instance.head(400)
    known = bounds(small)
    row(
        "lower bound, 400 jobs",
        seconds(lambda: bounds(small), 3),
        "two linear programs of 40,001 columns",
    )
    row(
        "priced, 400 jobs",
        seconds(lambda: priced(small, known), 3),
        "seven plans; prices known already",
    )
    return rows
