"""Speed of LoTES: stage 3's policies against the floor."""

import time
import warnings

import numpy as np

from bench_core import row
from schedlib.core import events
from schedlib.core.uncounted import kernel
from schedlib.lotes.simulate import simulate
from schedlib.lotes.workloads.instances import random_instance

add, take = events.add, events.take
REPEATS = 3
POLICIES = ("lotes", "greedy", "tetris")


@kernel
def pass_through(queue, submit, finish):
    """Let every job arrive, start at once and end, with an event queue alone; return the number of ends."""
    done = 0
    for i in range(submit.size):
        while queue.count[0] > 0 and queue.time[0] <= submit[i]:
            take(queue)
            done += 1
        add(queue, finish[i], i)
    return done


def floor(workload):
    """The floor: seconds per job that drawing the jobs and queueing their ends takes."""
    queue, pace = events.event_queue(1 << 20), workload.pace()[0]
    pass_through(queue, np.zeros(0), np.zeros(0))
    jobs, begin = 0, time.perf_counter()
    for block in workload.blocks():
        pass_through(queue, block.submit, block.submit + block.work * pace[block.job_class])
        jobs += len(block.submit)
    return (time.perf_counter() - begin) / jobs


def timed(policy, instance):
    """Seconds per job and the run."""
    plan = instance.plan if policy == "lotes" else None
    begin = time.perf_counter()
    with warnings.catch_warnings():
        # more may arrive than is sustained, on purpose
        warnings.simplefilter("ignore", UserWarning)
        run = simulate(policy, instance.configs, instance.workload, record=False, plan=plan)
    return (time.perf_counter() - begin) / run.arrived, run


def bench():
    """Rows for `speed`: ratios within this run."""
    for policy in POLICIES:  # compile or load first
        timed(policy, random_instance(machines=1, hours=0.1))
    rows = [*against_floor("common"), *against_floor("independent")]
    million = random_instance(0.006, machines=100_000, hours=0.05, matched=True)
    seconds, run = timed("lotes", million)
    note = f"{run.arrived:,} jobs"
    return [*rows, row("lotes, 1,000,000 machines", 1e6 * seconds, "microseconds per job", note)]


def against_floor(sizes):
    """Each policy on 1000 machines of each configuration at load 0.97; the laws of sizes cost differently."""
    instance = random_instance(0.006, machines=1000, hours=10.0, sizes=sizes, matched=True)
    least, best = np.inf, dict[str, tuple]()
    for _ in range(REPEATS):  # the policies take turns, and the quickest run of each counts
        least = min(least, floor(instance.workload))
        for policy in POLICIES:
            pair = timed(policy, instance)
            best[policy] = min(best.get(policy, pair), pair, key=lambda pair: pair[0])
    note = "event queue and random numbers alone"
    rows = [row(f"floor, {sizes} sizes", 1e-6 / least, "million jobs/s", note)]
    for policy, (seconds, run) in best.items():
        note = f"{1e-6 / seconds:.2f} million jobs/s, {run.arrived:,} jobs, {run.waiting:,} queued at the end"
        rows.append(row(f"{policy}, {sizes} sizes", least / seconds, "of the floor", note))
    return rows
