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


def fits_first(cluster: lotes.Cluster, job: int) -> int:
    return lotes.first_fit(cluster, job)


board: pd.DataFrame = boards.lotes(lotes.Policy(fits_first), fits_first, seeds=2, baseline="greedy")
print(boards.told(board), boards.plot(board))
frame: pd.DataFrame = reproduce.claims("hmhs")
hawk: Workload = traces.read_hawk("jobs.tr")
hour: Workload | pd.DataFrame = traces.alibaba2018(input("instances, stages or mapreduce? "))
half: float = run.quantile(0.5)
several = run.quantile([0.5, 0.9]).tolist()
busy: float = lotes.offered_load(jobs, configs)
for result in (run, churn, hmhs.schedule(two), hmhs.serve(hmhs.Arrivals(two, [0.0, 1.0]))):
    print(plots.gantt(result), result.jobs)


def now_or_never(cluster: lotes.Cluster, machine: int) -> int:
    job: int = cluster.waiting[0]
    on_time = lotes.room_at(cluster, job, machine) <= cluster.now
    return job if on_time and lotes.can_start(cluster, job, machine) else -1


@hmhs.rule
def soon(stage: hmhs.Waiting, machine: int, now: float) -> int:
    job: int = stage.queue[0]
    return job if stage.time[job, machine] > now else -1


@mch.rule(room=0)
def whoever(tree: mch.Hierarchy) -> int:
    leaf = tree.leaves[0]
    return 0 if leaf.waiting > 0 and leaf.bits & tree.saturated == 0 else -1


@mch.rule
def least(
    leaf: int, usage: np.ndarray, demand: np.ndarray, weight: float, capacity: np.ndarray
) -> float:
    return float((usage / capacity).max() / weight)


def idle(cluster: eagle.SystemView, job: int, probe: int, rng: np.random.Generator) -> int:
    worker = int(rng.random() * len(cluster.busy))
    return worker if eagle.remaining_work(cluster, worker) <= 0 else 0


mine = (
    lotes.Policy(fits_first, now_or_never),
    hmhs.Policy(map_rule=soon),
    eagle.System("idle", short_jobs=idle),
)
chosen: mch.Rule = whoever
