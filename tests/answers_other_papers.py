"""Right and wrong answers to the exercises of chapters 5 to 8, as `answers_lotes` has them for the chapters before."""

from dataclasses import replace

import numpy as np
import pandas as pd

from schedlib import eagle, hmhs, mch, prototype


@hmhs.rule
def max_min(stage, machine, now):
    chosen, longest = stage.queue[0], -1.0
    for job in stage.queue:
        best = stage.time[job].min()
        if best > longest:
            chosen, longest = job, best
    return chosen


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


def stages():
    """Mean makespans over FIFO-Pri's: Min-Min on maps only, on reduces only."""
    plain = hmhs.POLICIES["fifo-pri"]
    policies = plain, replace(plain, map_rule="min-min"), replace(plain, reduce_rule="min-min")
    base, *mixed = (
        np.mean([hmhs.schedule(hmhs.single(100, seed), one).makespan for seed in range(5)])
        for one in policies
    )
    return np.array(mixed), base


DEATH = "node 3 has died"
RIGHT = {
    "eagle.killed_node": lambda: measured(DEATH, "node 3 is lost: task 7 will run again elsewhere"),
    "hmhs.where_hmhs_loses": two_jobs,
    "hmhs.max_min": lambda: maps_by(max_min),
    "mch.where_they_differ": lambda: DIFFER,
    "mch.by_guarantee": lambda: LEAN,
    "probing.three_choices": lambda: choices(3),
    "probing.never_behind_long": lambda: sent(clear),
    "eagle.near_the_limit": lambda: mended,
    "hmhs.two_stages": lambda: stages()[0] / stages()[1],
}
WRONG = {
    "eagle.killed_node": lambda: [
        measured(),  # nobody died
        measured(DEATH),  # it was idle
        measured(DEATH, "node 4 is lost: task 7 will run again elsewhere"),
        measured(DEATH, failed=True),
        measured().jobs,
    ],
    "hmhs.where_hmhs_loses": lambda: [two_jobs([[1.0, 9.0], [9.0, 1.0]]), two_jobs([[1, 1, 1]] * 2), two_jobs([[1, 1]] * 3, 3)],
    "hmhs.max_min": lambda: ["max-min", maps_by("min-min"), hmhs.Policy()],
    "mch.where_they_differ": lambda: [
        mch.Tree([[(1, 0), (1, 0.2)], [(1, 0.3), (0.9, 0.1)]]), mch.Tree([[(1, 1), (1, 0.2)], [(1, 0.3), (0.9, 0.1)]]), LEAN, [(1, 2)],
    ],
    "mch.by_guarantee": lambda: [mch.Tree([(1, 1), [(1, 1), (1, 1)]]), mch.Tree([(1, 0), (0, 1)]), mch.Tree([[(1,), (1,)]])],
    "probing.three_choices": lambda: [choices(2), choices(5), choices(3, running=0), choices(4, running=0), choices(3, probes=3), sent(nowhere), choices],
    "probing.never_behind_long": lambda: [choices(1), sent(clear, min_probes=20), sent(apart), "clear"],
    "eagle.few_messages": lambda: [
        whole(clear, 20), whole(clear, 2), sent(nowhere),
    ],
    "eagle.where_sss_harms": lambda: [
        (0.17, eagle.Eagle()), (0.05, eagle.Eagle()), (0.05, eagle.Eagle(sss=False)), (0.05, "eagle"),
    ],
    "hmhs.two_stages": lambda: [(stages()[0] / stages()[1])[::-1], stages()[1] / stages()[0], stages()[0]],
    "mch.near_h_drf": lambda: [lambda tree: np.ones(tree.n_leaves), lambda tree: tree.guarantee[tree.leaves],
        lambda tree: mch.flatten(tree, [1, 1]).weights, lambda tree: [1]],
    "eagle.near_the_limit": lambda: [lambda busy, workers, k: (busy.mean() / workers) ** k, lambda busy, workers, k: 1 - busy / workers, lambda *of: 1 - mended(*of), mended(np.arange(9), 9, 2)],
}  # fmt: skip
