"""Right and wrong answers to the exercises of chapter 10, by number, made when they are asked for."""

import numpy as np
import pandas as pd

from schedlib import eagle, hmhs, lotes
from schedlib.intervals import mean_ci
from schedlib.lotes.policies.own import can_start
from schedlib.teaching.exercises import chapters_09_10

CHAPTER = "10-your-own"


def shortest_first(cluster, machine):
    best = -1
    for job in cluster.waiting:
        if can_start(cluster, job, machine) and (best < 0 or cluster.work[job] < cluster.work[best]):
            best = job
    return best


def let_wait(cluster, job):
    return -1


def off_the_end(cluster, job):
    return len(cluster.config)


def clear_of_long(cluster, job, probe, rng):
    best = int(rng.random() * cluster.short_only)
    for _ in range(4):
        worker = int(rng.random() * len(cluster.queued))
        if cluster.long_tasks[worker] == 0 and cluster.queued[worker] + cluster.busy[worker] < cluster.queued[best] + cluster.busy[best]:
            best = worker
    return best


def anywhere(cluster, job, probe, rng):
    return int(rng.random() * len(cluster.queued))


def most_work_first(instance):
    maps, reduces = hmhs.total_times(instance)
    return -(maps + reduces)


def best_at(stage, machine, now):
    best, lowest = -1, np.inf
    for job in stage.queue:
        relative = stage.time[job, machine] / stage.time[job].min()
        if relative < lowest:
            best, lowest = job, relative
    return best


def wrong_job(stage, machine, now):
    return stage.left.size


def late(tasks, duration, submit=5.0):
    """Leaves 0 and 1 fill the cluster at 0, leaf 2 comes late."""
    return pd.DataFrame({"leaf": [0, 1, 2], "submit": [0.0, 0.0, submit], "tasks": tasks, "duration": duration})


def halves():
    return [mean_ci(v).high - mean_ci(v).mean for v in (chapters_09_10.A, chapters_09_10.B, np.subtract(chapters_09_10.B, chapters_09_10.A))]


RIGHT = {
    (CHAPTER, 1): halves,
    (CHAPTER, 2): lambda: lotes.Policy(chapters_09_10.best_fit, shortest_first, "shortest first"),
    (CHAPTER, 3): lambda: eagle.System("clear of long", short_jobs=clear_of_long, queue="srpt", sticky=True),
    (CHAPTER, 4): lambda: late([10**4, 10**4, 10], [7.0, np.pi * np.e, 3.0]),
    (CHAPTER, 5): lambda: hmhs.Policy(most_work_first, best_at, "min-min"),
}
WRONG = {
    (CHAPTER, 1): lambda: [
        [2 * v for v in halves()],
        [*halves()[:2], halves()[0] - halves()[1]],
        [np.std(v, ddof=1) for v in (chapters_09_10.A, chapters_09_10.B, np.subtract(chapters_09_10.B, chapters_09_10.A))],
        (1, 2),
    ],
    (CHAPTER, 2): lambda: [lotes.Policy(chapters_09_10.best_fit), lotes.Policy(off_the_end), lotes.Policy(let_wait, lambda cluster, machine: -1)],
    (CHAPTER, 3): lambda: [eagle.Hawk(), eagle.System("anywhere", short_jobs=anywhere)],
    (CHAPTER, 4): lambda: [
        late([10**4, 10**4, 10], [7.0, 7.0, 3.0]),
        late([10**4, 10**4, 10], [7.0, np.pi * np.e, 3.0], 590.0),
        late([10**4, 10**4, 0], [7.0, 11.0, 3.0]).query("leaf < 2"),
        pd.DataFrame({"leaf": [2]}),
    ],
    (CHAPTER, 5): lambda: [hmhs.Policy(hmhs.priority), hmhs.Policy(map_rule=wrong_job), hmhs.POLICIES["hmhs"]],
}
