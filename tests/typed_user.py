"""A reader's script with each public function: type checkers check it, and it never runs."""

import numpy as np
import pandas as pd

import reproduce
from schedlib import boards, eagle, hmhs, intervals, lotes, mch, plots, theory, traces
from schedlib.workload import Workload

jobs: Workload = Workload.from_arrays([0, 1, 2], [3.0, 2.0, 1.0], cpu=[1, 2, 1])
first: Workload = jobs.head(2).between(0, 1)
configs = lotes.MachineConfigs([[4.0]], [2])
classes = lotes.JobClasses([1.0], [[1.0]], [[1.0]])
machines, groups = lotes.google2011()
found, labels = lotes.cluster_jobs(jobs, 1)
rate: float = lotes.allocate(configs, classes).rate
bins = lotes.non_dominated_bins([4.0], [[1.0]])
plan = lotes.plan(configs, classes)
run = lotes.simulate("greedy", configs, jobs, plan=plan, seed=1)
wait: float = run.mean_wait
most: float = lotes.capacity(
    "greedy", configs, lotes.RandomWorkload(classes, rate=1.0, hours=1.0)
).rate
two = hmhs.Instance([5, 1], [1, 1], [[1.0], [1.0]], [1, 5], [1, 1], [[1.0], [1.0]])
span: float = hmhs.schedule(two, "hmhs").makespan
bound: float = hmhs.lower_bound(two)
order = hmhs.priority(two)
best = hmhs.optimum(two)
batch = hmhs.single(3, seed=0)
tree = mch.Tree([[(1, 0), (0, 1)], [(1, 0)]])
shares = mch.allocate(tree, (4.0, 4.0), "mch").shares
weights = mch.flatten(tree, [4.0, 4.0])
leaves = pd.DataFrame({"leaf": [0], "submit": [0.0], "tasks": [2], "duration": [1.0]})
churn = mch.simulate(tree, (4.0, 4.0), "drf", leaves)
done: pd.DataFrame = eagle.simulate(jobs, "hawk", 4, short_partition=0.25, cutoff=1.0).jobs
slow: float = theory.mmc_mean_wait(1.0, 1.0, 2)
interval: tuple[float, float, float] = intervals.mean_ci([1.0, 2.0])
spread = intervals.block_bootstrap(np.arange(9.0), np.median, block=2)


def last(cluster: lotes.Cluster, job: int) -> int:
    return len(cluster.free) - 1


board: pd.DataFrame = boards.lotes(lotes.Policy(last), last, seeds=2, baseline="greedy")
print(boards.told(board), boards.plot(board))
frame: pd.DataFrame = reproduce.claims("hmhs")
hawk: Workload = traces.read_hawk("jobs.tr")
hour: Workload | pd.DataFrame = traces.alibaba2018(input("instances, stages or mapreduce? "))
half: float = run.quantile(0.5)
several = run.quantile([0.5, 0.9]).tolist()
busy: float = lotes.offered_load(jobs, configs)
for result in (run, churn, hmhs.schedule(two), hmhs.serve(hmhs.Arrivals(two, [0.0, 1.0]))):
    print(plots.gantt(result), result.jobs)


def fits_first(cluster: lotes.Cluster, job: int) -> int:
    return lotes.first_fit(cluster, job)


def soonest(cluster: lotes.Cluster, machine: int) -> int:
    best = -1
    for waiting in cluster.waiting:
        later = best >= 0 and lotes.room_at(cluster, best, machine) <= cluster.now
        if lotes.can_start(cluster, waiting, machine) and not later:
            best = waiting
    return best


@hmhs.rule
def longest(stage: hmhs.Waiting, machine: int, now: float) -> int:
    best: int = stage.queue[0]
    for k in stage.queue:
        if stage.time[k, machine] > stage.time[best, machine]:
            best = k
    return best


@mch.rule(room=0)
def whoever(tree: mch.Hierarchy) -> int:
    for k in range(tree.leaves.size):
        if tree.leaves[k].waiting > 0 and tree.leaves[k].bits & tree.saturated == 0:
            return k
    return -1


@mch.rule
def least(
    leaf: int, usage: np.ndarray, demand: np.ndarray, weight: float, capacity: np.ndarray
) -> float:
    return float((usage / capacity).max() / weight)


def idlest(cluster: eagle.SystemView, job: int, probe: int, rng: np.random.Generator) -> int:
    a, b = int(rng.random() * len(cluster.busy)), int(rng.random() * len(cluster.busy))
    return a if eagle.remaining_work(cluster, a) <= eagle.remaining_work(cluster, b) else b


mine = (
    lotes.Policy(fits_first, soonest),
    hmhs.Policy(map_rule=longest),
    eagle.System("idlest of two", short_jobs=idlest),
)
chosen: mch.Rule = whoever
