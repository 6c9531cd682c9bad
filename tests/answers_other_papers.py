"""What makes right and wrong answers to the exercises of chapters 5 to 8, which answers_made.toml lists."""

import numba
import numpy as np
import pandas as pd

from schedlib import eagle, hmhs, mch, prototype


def longest(worth):
    """Takes the waiting job whose times on all machines are worth most."""
    value_of = numba.njit(worth)

    @hmhs.rule
    def first(stage, machine, now):
        chosen, top = stage.queue[0], -np.inf
        for job in stage.queue:
            value = value_of(stage.time[job], machine)
            if value > top:
                chosen, top = job, value
        return chosen

    return hmhs.Policy(map_rule=first)


def maps_by(rule):
    return hmhs.Policy(map_rule=rule)


def two_jobs(first=((2.0, 9.0), (1.0, 1.1)), jobs=2):
    return hmhs.Instance(
        [1] * jobs, [1] * jobs, list(first), [0.1] * jobs, [1] * jobs, np.ones((jobs, 1))
    )


def choices(d, probes=0, running=1):
    """The least loaded of `d` workers; without `running` the jobs that run are forgotten."""

    def send(cluster, job, probe, rng):
        load = cluster.queued + running * cluster.busy
        best = int(rng.random() * len(load))
        for _ in range(d - 1):
            other = int(rng.random() * len(load))
            if load[other] < load[best]:
                best = other
        return best

    return eagle.System(f"{d} choices", short_jobs=send, min_probes=probes)


def clear(cluster, job, probe, rng):
    worker = int(rng.random() * len(cluster.queued))
    while cluster.long_tasks[worker] > 0:
        worker = int(rng.random() * len(cluster.queued))
    return worker


def two_clear(cluster, job, probe, rng):
    """Of two workers without long tasks the one with fewer tasks."""
    there = [w for w in range(len(cluster.queued)) if cluster.long_tasks[w] == 0]
    drawn = [there[int(rng.random() * len(there))] for _ in range(2)]
    return min([(cluster.queued[w] + cluster.busy[w], w) for w in drawn])[1]


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


def measured(*what, failed=False):
    """What a run of the prototype could have returned, with these notes."""
    run = eagle.simulate(
        eagle.google(jobs=50, scale=0.04),
        "sparrow",
        600,
        short_partition=0,
        cutoff=eagle.CUTOFF["google"],
    )
    run.jobs["failed"] = failed
    return prototype.Measurement(**vars(run), notes=pd.DataFrame({"what": what}, dtype=str))


DIFFER = mch.Tree([[(0, 1), (2, 1)], [(2, 1), (2, 1)]])
LEAN = mch.Tree([(1, 1), [(1, 0), (0, 1)]])


DEATH = "node 3 has died"
