"""With NUMBA_DISABLE_JIT=1 a reader's rule decides in each simulator as it does compiled; so do HMHS's own policies."""

import json
import os

import numba
import pytest

from fresh import python
from schedlib import paths

RUN_ALL = """
import json

import numpy as np
import pandas as pd

from schedlib import eagle, hmhs, lotes, mch
from schedlib.workload import Workload

rng = np.random.default_rng(5)
submit = np.floor(rng.exponential(2, 60)).cumsum()
jobs = Workload.from_arrays(submit, rng.integers(1, 9, 60) * 1.0, cpu=rng.choice([0.1, 0.2, 0.3], 60))


def arrive(cluster, job):
    best = -1
    for m in range(cluster.free.shape[0]):
        fits = (cluster.free[m] >= cluster.size[job]).all()
        if fits and (best < 0 or cluster.free[m, 0] < cluster.free[best, 0]):
            best = m
    return best


def shortest(cluster, machine):
    best = -1
    for job in cluster.waiting:
        shorter = best < 0 or lotes.remaining(cluster, job) < lotes.remaining(cluster, best)
        if shorter and lotes.can_start(cluster, job, machine):
            best = job
    return best


def longer(cluster, running):
    for job in running:
        for other in cluster.waiting:
            less = lotes.remaining(cluster, other) < lotes.remaining(cluster, job)
            if less and cluster.begun[job] < cluster.now:
                return job
    return -1


def by_size(cluster, worker, line, rng):
    return int(np.argmin(cluster.estimate[line]))


@mch.rule
def share(leaf, usage, demand, weight, capacity):
    return (usage / capacity).max() / weight


@mch.rule(room=1)
def at_random(tree):
    tree.mine[0, 0] += 1
    k = int(tree.rng.random() * tree.leaves.size)
    for _ in range(tree.leaves.size):
        if tree.leaves[k].waiting > 0 and tree.leaves[k].bits & tree.saturated == 0:
            return k
        k = (k + 1) % tree.leaves.size
    return -1


@hmhs.rule
def late_and_at_random(stage, machine, now):
    stage.notes[stage.queue[0], 0] += 1
    if now < 2:
        stage.wake[0] = 2.0
        return -1
    return stage.queue[int(stage.rng.random() * stage.queue.size)]


frames = {}
by_due = lotes.Policy(order=lambda cluster, job: cluster.jobs.due[job])
due = Workload(jobs.jobs.assign(due=submit[::-1]), jobs.tasks)
stops = lotes.Policy(at_moment=shortest, stop=longer)
for name, policy in (("events", lotes.Policy(arrive)), ("stops", stops), ("order", by_due)):
    frames[f"lotes {name}"] = lotes.simulate(policy, lotes.MachineConfigs([[0.4]], [2]), due).jobs
own = eagle.System("own", queue=by_size)
frames["eagle"] = eagle.simulate(jobs, own, 10, short_partition=0.2, cutoff=4.5).jobs
tree = mch.Tree([[(0.1, 0.3), (0.3, 0.1)], [(0.2, 0.2)]], {(1,): 2})
rows = {"leaf": np.arange(60) % 3, "submit": submit, "tasks": rng.integers(1, 6, 60), "duration": 7.0}
for rule in (share, at_random):
    run = mch.simulate(tree, (1.0, 1.0), rule, pd.DataFrame(rows), seed=2)
    frames[f"mch {run.rule}"] = run.jobs
    frames[f"mch {run.rule}, shares"] = run.shares
instance = hmhs.hybrid(6, seed=4, machines=(3, 3))
instance = hmhs.Instance(
    instance.map_time,
    instance.map_tasks % 7,
    instance.map_speed,
    instance.reduce_time,
    instance.reduce_tasks % 5,
    instance.reduce_speed,
)
policy = hmhs.Policy(map_rule=late_and_at_random, reduce_rule=late_and_at_random)
plans = {name: hmhs.schedule(instance, name) for name in [*hmhs.POLICIES, "priced"]}
plans["batch"] = hmhs.schedule(instance, policy)
arrivals = hmhs.Arrivals(instance, range(6), copy=instance.reduce_time / 2)
plans["served"] = hmhs.serve(arrivals, "hmhs")
plans["served by mine"] = hmhs.serve(hmhs.Arrivals(instance, range(6)), policy)
for name, plan in plans.items():
    for stage in ("map", "reduce"):
        frames[f"hmhs {name}, {stage}"] = pd.DataFrame(getattr(plan, stage)._asdict())
print(json.dumps({name: frame.to_dict("list") for name, frame in frames.items()}, default=float))
"""


@pytest.mark.skipif(bool(numba.config.DISABLE_JIT), reason="needs the compiler")
def test_rules_decide_the_same_without_the_compiler(tmp_path):
    results = []
    for disabled in ("0", "1"):
        environment = os.environ | {
            "NUMBA_DISABLE_JIT": disabled,
            "PYTHONPATH": str(paths.checkout()),
        }
        script = tmp_path / "script.py"
        script.write_text(RUN_ALL)
        results.append(json.loads(python(script, env=environment).stdout))
    compiled, plain = results
    for name, columns in compiled.items():
        assert columns == plain[name], name
        assert len(next(iter(columns.values()))) > 5, name
