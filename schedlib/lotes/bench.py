"""Speed of stage 3: each policy against the floor, the event queue and the random numbers alone, in one run."""

import time

import numpy as np

from schedlib.core import events
from schedlib.core.uncounted import kernel
from schedlib.lotes.own import Policy, can_start
from schedlib.lotes.simulate import simulate
from schedlib.lotes.workloads import random_instance

add, take = events.add, events.take
REPEATS = 3


@kernel
def pass_through(queue, submit, finish):
    """Every job arrives, starts at once, and ends: an event queue and nothing else; the number of events."""
    done = 0
    for i in range(submit.size):
        while queue.count[0] > 0 and queue.time[0] <= submit[i]:
            take(queue)
            done += 1
        add(queue, finish[i], i)
    return done


def floor(workload) -> float:
    """Seconds per job that drawing the jobs and queueing their ends takes."""
    queue = events.event_queue(1 << 20)
    pace = workload.pace()[0]
    pass_through(queue, np.zeros(0), np.zeros(0))
    jobs, begin = 0, time.perf_counter()
    for block in workload.blocks():
        pass_through(queue, block.submit, block.submit + block.work * pace[block.job_class])
        jobs += len(block.submit)
    return (time.perf_counter() - begin) / jobs


def scan(cluster, job):
    """Tetris by looking at every machine, gamma being the same on all."""
    best, most = -1, -1.0
    for machine in range(len(cluster.config)):
        if can_start(cluster, job, machine):
            dot = cluster.size[job, 0] * cluster.free[machine, 0] + cluster.size[job, 1] * cluster.free[machine, 1]
            if dot > most:
                best, most = machine, dot
    return best


def seconds(policy, instance, **options):
    """Seconds per job, and the run."""
    begin = time.perf_counter()
    run = simulate(policy, instance.configs, instance.workload, record=False, **options)
    return (time.perf_counter() - begin) / run.arrived, run


def bench(machines: int = 1000, hours: float = 10.0) -> list[dict]:
    """Rows for `schedlib.bench`; `machines` of each of the ten configurations, Phi = 0.006, load 0.97.

    The laws of sizes are both measured, since they cost differently.
    """
    rows = []
    for sizes in ("common", "independent"):
        instance = random_instance(0.006, machines=machines, hours=hours, sizes=sizes, matched=True)
        for policy in ("lotes", "greedy", "tetris"):  # compile or load first
            simulate(policy, instance.configs, random_instance(machines=1, hours=0.1).workload, plan=instance.plan, record=False)
        least, best = np.inf, {}
        for _ in range(REPEATS):  # side by side, since the machine may be shared; the quickest counts
            least = min(least, floor(instance.workload))
            for policy in ("lotes", "greedy", "tetris"):
                timed = seconds(policy, instance, plan=instance.plan if policy == "lotes" else None)
                best[policy] = min(best.get(policy, timed), timed, key=lambda pair: pair[0])
        first = {"name": f"floor, {sizes} sizes", "value": round(1e-6 / least, 2), "unit": "million jobs/s"}
        rows.append({**first, "note": "event queue and random numbers alone"})
        for policy, (taken, run) in best.items():
            note = f"{1e-6 / taken:.2f} million jobs/s, {run.arrived} jobs, {run.waiting} queued at the end"
            row = {"name": f"{policy}, {sizes} sizes", "value": round(least / taken, 3), "unit": "of the floor"}
            rows.append({**row, "note": note})
    short = random_instance(0.006, machines=machines, hours=hours / 20, sizes="independent", matched=True)
    naive = Policy(scan, name="naive")
    simulate(naive, short.configs, random_instance(machines=1, hours=0.1).workload, record=False)
    slow, run = seconds(naive, short)
    fast, same = seconds("tetris", short)
    agree = "same" if (run.mean_present, run.started) == (same.mean_present, same.started) else "DIFFERENT"
    rows.append({"name": "tetris, tree over scan", "value": round(slow / fast, 1), "unit": "times", "note": f"{agree} decisions"})
    rows.append(crowded())
    return rows


def crowded(queued: int = 300_000) -> dict:
    """Tetris with a long queue: jobs/s while up to `queued` wait, over jobs/s of the same machines at a load of 0.9."""
    calm = random_instance(0.006, machines=100, hours=5.0, load=0.9)
    base = min(seconds("tetris", calm)[0] for _ in range(2))
    over = random_instance(0.006, machines=100, hours=queued / calm.plan.rate / 2.0, load=4.0)
    taken, run = seconds("tetris", over)
    note = f"{run.waiting} queued at the end of {run.arrived} jobs"
    return {"name": "tetris, long queue", "value": round(base / taken, 2), "unit": "of an unloaded run", "note": note}
