"""Right and wrong answers to the exercises of chapters 5 to 8, as `answers_lotes` has them for the chapters before."""

import math
from dataclasses import replace

import numpy as np
import pandas as pd

from schedlib import eagle, hmhs, mch, prototype
from schedlib.teaching.exercises import chapters_05_06


@hmhs.rule
def max_min(stage, machine, now):
    chosen, longest = stage.queue[0], -1.0
    for job in stage.queue:
        best = stage.time[job].min()
        if best > longest:
            chosen, longest = job, best
    return chosen


@hmhs.rule
def longest_here(stage, machine, now):
    chosen = stage.queue[0]
    for job in stage.queue:
        if stage.time[job, machine] > stage.time[chosen, machine]:
            chosen = job
    return chosen


def maps_by(rule):
    return hmhs.Policy(map_rule=rule)


def two_jobs(first=((2.0, 9.0), (1.0, 1.1)), jobs=2):
    return hmhs.Instance([1] * jobs, [1] * jobs, list(first), [0.1] * jobs, [1] * jobs, np.ones((jobs, 1)))


def choices(d, probes=0):
    def send(cluster, job, probe, rng):
        best = int(rng.random() * len(cluster.busy))
        for _ in range(d - 1):
            other = int(rng.random() * len(cluster.busy))
            if cluster.queued[other] + cluster.busy[other] < cluster.queued[best] + cluster.busy[best]:
                best = other
        return best

    return eagle.System(f"{d} choices", short_jobs=send, min_probes=probes)


def clear(cluster, job, probe, rng):
    worker = int(rng.random() * len(cluster.queued))
    while cluster.long_tasks[worker] > 0:
        worker = int(rng.random() * len(cluster.queued))
    return worker


def hedge(cluster, job, probe, rng):
    worker = int(rng.random() * len(cluster.queued))
    while probe % 2 == 0 and cluster.long_tasks[worker] > 0:
        worker = int(rng.random() * len(cluster.queued))
    return worker


def apart(cluster, job, probe, rng):
    return int(rng.random() * cluster.short_only)


def nowhere(cluster, job, probe, rng):
    return -1


def sent(send, **parts):
    return eagle.System(send.__name__, short_jobs=send, **parts)


def whole(send, probes):
    return sent(send, queue="srpt", sticky=True, min_probes=probes)


def mended(busy, workers, k):
    return np.prod([(busy - i).clip(0) / (workers - i) for i in range(k)], axis=0)


DIED, LOST = "node 3 has died (the connection was closed)", "node 3 is lost: tasks 0, 2 of job 7 will run again elsewhere"


def measured(*notes, failed=False):
    """What a run of the prototype returns, as far as its check looks."""
    frames = {"jobs": pd.DataFrame({"failed": [False, failed]}), "notes": pd.DataFrame({"what": list(notes)}, dtype=object)}
    return prototype.Measurement(system=eagle.Eagle(), stats={"workers": 9}, utilisation=None, **frames)


def border(p, s=0.17):
    return 1 / ((1 - s) / (1 - p) + s)


DIFFER = mch.Tree([[(0, 1), (2, 1)], [(2, 1), (2, 1)]])
LEAN = mch.Tree([(1, 1), [(1, 0), (0, 1)]])
SPLITS = [(18, 39), (17, 26), (17, 19)]
RIGHT = {
    ("05-hmhs", 1): lambda: ([1, 3, 2, 4], 20),
    ("05-hmhs", 2): two_jobs,
    ("05-hmhs", 3): lambda: (925 / 1655, 1626 / 1655),
    ("05-hmhs", 4): lambda: maps_by(max_min),
    ("06-mch", 1): lambda: ([1, 2 / 3, 2 / 3], "cpu", [1 / 2, 1 / 3, 1 / 3]),
    ("06-mch", 2): lambda: DIFFER,
    ("06-mch", 3): lambda: [math.sqrt(2)],
    ("06-mch", 4): lambda: LEAN,
    ("06-mch", 5): chapters_05_06._parts_that_differ,
    ("07-head-of-line", 1): lambda: (8, 0.8 * 8 / 9 + 0.2 * 72, 0.75),
    ("07-head-of-line", 2): lambda: SPLITS,
    ("07-head-of-line", 3): lambda: choices(3),
    ("07-head-of-line", 4): lambda: sent(clear),
    ("07-head-of-line", 5): lambda: [border(p) for p in (0.17, 0.25, 0.35)],
    ("08-eagle", 1): lambda: (110, 150, 90),
    ("08-eagle", 2): lambda: measured(DIED, LOST),
    ("08-eagle", 3): lambda: mended,
    ("08-eagle", 5): lambda: (0.11, whole(hedge, 20)),
}
WRONG = {
    ("05-hmhs", 1): lambda: [([1, 3, 2, 4], 19), ([3, 1, 2, 4], 20), ([4, 2, 3, 1], 20), ([0, 1, 2, 3], 20), (20, [1, 3, 2, 4]), [1, 3, 2, 4]],
    ("05-hmhs", 2): lambda: [two_jobs([[1.0, 9.0], [9.0, 1.0]]), two_jobs([[1, 1, 1]] * 2), two_jobs([[1, 1]] * 3, 3), "case"],
    ("05-hmhs", 3): lambda: [(0.982, 0.559), (1.789, 1.018), (925, 1626), (0.9, 0.98), (0.56, 0.7), 0.56],
    ("05-hmhs", 4): lambda: [max_min, maps_by("min-min"), maps_by(longest_here), hmhs.Policy(), maps_by(lambda stage, machine: 0)],
    ("06-mch", 1): lambda: [
        ([1, 1, 1], "CPU", [1 / 2] * 3), ([1, 2 / 3, 2 / 3], "memory", [1 / 2, 1 / 3, 1 / 3]), ([1, 2 / 3, 2 / 3], "CPU", [1, 2 / 3, 2 / 3]),
        ([1, 2 / 3, 2 / 3], "CPU", [0.6, 0.4, 0.4]), ([0, 1, 1], "CPU", [1, 1, 1]), (1, 2, 3),
    ],
    ("06-mch", 2): lambda: [
        mch.Tree([[(1, 0), (1, 0.2)], [(1, 0.3), (0.9, 0.1)]]), mch.Tree([[(1, 1), (1, 0.2)], [(1, 0.3), (0.9, 0.1)]]), LEAN, [(1, 2)], [[], 1],
        mch.Tree([[(0, 1, 1), (1, 1, 1)], [(1, 1, 1), (1, 1, 1)]]),
    ],
    ("06-mch", 3): lambda: [1, 10, 2, 1.3, -1, "two"],
    ("06-mch", 4): lambda: [mch.Tree([(1, 1), [(1, 1), (1, 1)]]), mch.Tree([(1, 0), (0, 1)]), mch.Tree([[(1,), (1,)]]), [[(1, 0)], 7]],
    ("06-mch", 5): lambda: [(0.685, 0.4, 0.2), (68.5, 40, 0), (0.2, 0.4, 0), (0.685, 0.1, 0), (-1, 0, 0)],
    ("07-head-of-line", 1): lambda: [
        (10, 15.1, 0.75), (4, 15.1, 0.75), (8, 72, 0.75), (8, 36.4, 0.75), (8, 15.1, 0.5), (8, 15.1, 0.82), (8, 15.1, 0), (8, 15.1, 1),
    ],
    ("07-head-of-line", 2): lambda: [
        [(39, 18), (26, 17), (19, 17)], [(18, 38), *SPLITS[1:]], [*SPLITS[:2], (50, 50)], SPLITS[:2], [(1.5, 2)] * 3,
    ],
    ("07-head-of-line", 3): lambda: [choices(2), choices(5), choices(3, probes=3), eagle.System("a name"), sent(nowhere), choices],
    ("07-head-of-line", 4): lambda: [choices(1), sent(clear, min_probes=20), sent(apart), eagle.Hawk(), clear],
    ("07-head-of-line", 5): lambda: [(85, 77, 69), (0.83, 0.75, 0.65), (0.9, 0.9, 0.9), (1, 1, 1), (0, 0, 0)],
    ("08-eagle", 1): lambda: [(150, 110, 90), (110, 100, 90), (60, 150, 90), (110, 150, 80), (110, 150, 100), (110, 150, 1e9)],
    ("08-eagle", 2): lambda: [measured(), measured(DIED), measured(DIED, LOST, failed=True), measured(DIED, LOST.replace("3", "4")), eagle.Eagle()],
    ("08-eagle", 3): lambda: [
        lambda busy, workers, k: (busy.mean() / workers) ** k, lambda busy, workers, k: 1 - busy / workers, abs, mended(np.arange(9), 9, 2),
    ],
    ("08-eagle", 4): lambda: [
        whole(clear, 20), whole(clear, 2), replace(whole(clear, 10), sticky=False, queue="fifo"), sent(nowhere), eagle.Eagle(),
    ],
    ("08-eagle", 5): lambda: [
        (0.17, eagle.Eagle()), (0.05, eagle.Eagle()), (0.05, eagle.Eagle(sss=False)), (5, eagle.Eagle()), (0.05, "eagle"), 0.05,
    ],
}  # fmt: skip
