"""Right and wrong answers to the exercises of chapters 0 to 4, by chapter and number, made when they are asked for.

Answers whose numbers take long to find are made small here; the solutions' own are checked where the notebooks run.
"""

import numpy as np

from schedlib import hmhs, lotes, theory, traces
from schedlib.lotes.policies.own import can_start
from schedlib.teaching.exercises import chapters_02_03_04
from schedlib.workload import Workload


def fractions():
    one = lotes.JobClasses([1.0], [[1.0]], [[1.0]])
    workload = lotes.RandomWorkload(one, rate=0.7, hours=50_000.0, sizes="fixed", seed=1)
    done = lotes.simulate("greedy", lotes.MachineConfigs([[1.0]], [1]), workload).jobs.dropna()
    moments = np.concatenate([done["submit"], done["finish"]])
    order = np.argsort(moments, kind="stable")
    level = np.cumsum(np.repeat([1, -1], len(done))[order])[:-1]
    return np.bincount(level, weights=np.diff(moments[order]))[:10] / np.diff(moments[order]).sum()


def gains():
    configs, classes = lotes.google2011()
    grown = [lotes.MachineConfigs(configs.capacity, configs.count + np.eye(10, dtype=int)[j]) for j in range(10)]
    return np.array([lotes.allocate(more, classes).rate for more in grown]) - lotes.allocate(configs, classes).rate


def rounding(better: bool):
    case = lotes.random_instance(machines=5, hours=1.0, seed=0)
    free = lotes.generate_plan(case.configs, case.classes)
    if not better:
        return free.bins, free.machines
    for j in range(10):  # one move that helps is enough
        for a in np.flatnonzero(free.machines[j]):
            for b in range(len(free.bins[j])):
                moved = [machines.copy() for machines in free.machines]
                moved[j][a] -= 1
                moved[j][b] += 1
                running = np.array([machines @ bins for bins, machines in zip(free.bins, moved, strict=True)])
                if ((running * case.classes.rate).sum(axis=0) / case.classes.share).min() > 1.001 * free.rate_rounded:
                    return free.bins, moved
    raise AssertionError("no single move helps")


def four_jobs(sizes):
    return Workload.from_arrays([0, 1, 2, 9], [6, 6, 4, 1], job_class=[1, 1, 1, 1], cores=sizes)


def by_score(cluster, job):
    best, top = -1, -1_000_000
    k = cluster.job_class[job]
    for machine in range(len(cluster.config)):
        score = cluster.target[machine, k] - cluster.running[machine, k]
        if score > top and can_start(cluster, job, machine):
            best, top = machine, score
    return best


def first_fit(cluster, job):
    for machine in range(len(cluster.config)):
        if can_start(cluster, job, machine):
            return machine
    return -1


def most_running(cluster, job):  # packs the toy's six jobs by luck of its first machine, but not a crowd
    best, top = -1, -1_000_000
    k = cluster.job_class[job]
    for machine in range(len(cluster.config)):
        score = 1 - cluster.running[machine, k] if cluster.running[machine, k] < 1 else 0
        if score > top and can_start(cluster, job, machine) and machine < 5:
            best, top = machine, score
    return best


def waits(weights):
    case = lotes.random_instance(0.006, machines=50, hours=20.0, sizes="common", seed=0)
    runs = {work: lotes.simulate("tetris", case.configs, case.workload, record=False, work=work) for work in (0.0, 4.0)}
    return {weight: 3600 * runs[weight].mean_response if weight in runs else 17.0 for weight in weights}


def pooled(load):
    return theory.mmc_mean_wait(8 * load, 1, 8) / theory.mmc_mean_wait(16 * load, 1, 16)


def sooner(seed):
    batch = hmhs.from_trace(traces.alibaba2018("mapreduce"), seed=seed, n_jobs=30, machines=(6, 6))
    return 100 * (1 - hmhs.schedule(batch, "hmhs").makespan / hmhs.schedule(batch, "fifo").makespan)


CONFIGS, CLASSES = lotes.google2011()
RIGHT = {
    ("00-start-here", 1): lambda: sooner(1),
    ("01-waiting", 1): lambda: (50, 25 / 6, 60 * 25 / 714),
    ("01-waiting", 2): lambda: [pooled(0.8), pooled(0.97)],
    ("01-waiting", 3): fractions,
    ("01-waiting", 4): lambda: (1.5, 19.2, 38.3),
    ("02-fluid", 1): lambda: (2 * 240 / 3.25, "memory"),
    ("02-fluid", 2): gains,
    ("02-fluid", 3): lambda: chapters_02_03_04._face(CONFIGS, CLASSES),
    ("02-fluid", 4): lambda: ((0, 0, 0, 1), (1, 0, 0, 0)),
    ("03-bins", 1): lambda: [(2, 2)],
    ("03-bins", 2): lambda: (0.75, 1 / 3),
    ("03-bins", 3): lambda: [812, 11257, 109007, 349135],
    ("03-bins", 4): lambda: rounding(better=True),
    ("04-dispatching", 1): lambda: four_jobs([2, 2, 5, 2]),
    ("04-dispatching", 3): lambda: lotes.Policy(arrive=by_score),
    ("04-dispatching", 4): lambda: waits([0, 0.25, 1, 4]),
}
WRONG = {
    ("00-start-here", 1): lambda: [sooner(0), sooner(1) / 100, 100 - sooner(1), -sooner(1), 0],
    ("01-waiting", 1): lambda: [(5 / 6, 25 / 6, 25 / 714), (60, 5, 60 * 25 / 714), (50, 5, 2.1), (50, 25 / 6, 25), (10, 1, 1)],
    ("01-waiting", 2): lambda: [(2, 2), (1 / pooled(0.8), 1 / pooled(0.97)), (pooled(0.8), 3), (0.5, 3)],
    ("01-waiting", 3): lambda: [0.3 * 0.7 ** np.arange(8), np.full(8, 1 / 8), [1, 2, 3], np.full(8, -1), 0.5 ** np.arange(1, 9)],
    ("01-waiting", 4): lambda: [(30, 19, 38), (1, -19, -38), (1, 38, 19), (1, 190, 380)],
    ("02-fluid", 1): lambda: [(73.85, "memory"), (147.69, "cores"), (147.69 / 20, "memory"), (192, "cores"), (147.69, "disk")],
    ("02-fluid", 2): lambda: [np.zeros(10), gains() / CONFIGS.capacity[:, 0], gains()[::-1], gains() + 4730796.586],
    ("02-fluid", 3): lambda: [np.zeros((2, 10, 4)), np.stack([np.zeros((10, 4)), np.full((10, 4), 1e6)]), np.full((2, 10, 4), 1e6)],
    ("02-fluid", 4): lambda: [((1, 0, 0, 0), (0, 0, 0, 1)), ((0, 0, 1, 0), (1, 0, 0, 0)), ((0, 0, 0, 1), (0, 1, 0, 0)), [(1, 1, 1, 1)] * 2],
    ("03-bins", 1): lambda: [[(2, 1)], [(3, 0)], [(2, 2), (1, 2)], [(0.5, 2)], [(-1, 2)], []],
    ("03-bins", 2): lambda: [(4 / 3, 1 / 3), (0.75, 0.5), (0.75, 0.2), (0.5, 1 / 3), (0.75, 33)],
    ("03-bins", 3): lambda: [(812, 11257, 109007, 1), (812, 812, 812, 812), (4, 5, 6, 7), (812.5, 1, 1, 1)],
    ("03-bins", 4): lambda: [rounding(better=False), (rounding(False)[0], [[9]] * 10), ([[[99] * 9]] * 10, [[5]] * 10)],
    ("04-dispatching", 1): lambda: [four_jobs([2, 2, 2, 2]), four_jobs([3, 3, 3, 3]), four_jobs([2, 2, 9, 2])],
    ("04-dispatching", 2): lambda: [{"lotes": 1.0, "greedy": None}, dict.fromkeys(("lotes", "greedy", "tetris"), 1.05)],
    ("04-dispatching", 3): lambda: [by_score, lotes.Policy(arrive=first_fit), lotes.Policy(arrive=most_running)],
    ("04-dispatching", 4): lambda: [{0: 1, 1: 2, 2: 3, 4: 4}, {0: 1}, {weight: wait / 3600 for weight, wait in waits([0, 1, 2, 4]).items()}],
}
