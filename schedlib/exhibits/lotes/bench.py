"""Speed of LoTES: the policies of stage 3 against the floor, against a scan of all machines, by size and with a long queue."""

import time
import warnings

import numpy as np

from schedlib.core import events
from schedlib.core.uncounted import kernel
from schedlib.lotes.planning.plan import plan
from schedlib.lotes.policies.own import Policy, can_start
from schedlib.lotes.simulate import simulate
from schedlib.lotes.workloads.google import google2011
from schedlib.lotes.workloads.random_instances import random_instance

add, take = events.add, events.take
REPEATS = 3
SHIPPED = ("lotes", "greedy", "tetris")


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


@kernel
def packing(cluster, job, machine):
    """r . C, in the order of the resources."""
    dot = cluster.size[job, 0] * cluster.free[machine, 0]
    for l in range(1, cluster.free.shape[1]):
        dot += cluster.size[job, l] * cluster.free[machine, l]
    return dot


def scan(cluster, job):
    """Tetris by looking at every machine, gamma being the same on all."""
    best, most = -1, -1.0
    for machine in range(len(cluster.config)):
        if can_start(cluster, job, machine):
            dot = packing(cluster, job, machine)
            if dot > most:
                best, most = machine, dot
    return best


def scan_queue(cluster, machine):
    """Tetris by looking at every waiting job."""
    best, most = -1, -np.inf
    for job in cluster.waiting:
        if can_start(cluster, job, machine):
            total = cluster.size[job, 0]
            for l in range(1, cluster.free.shape[1]):
                total += cluster.size[job, l]
            pace = cluster.pace[cluster.config[machine], cluster.job_class[job]]
            score = packing(cluster, job, machine) - pace * (cluster.work[job] * total)
            if score > most:
                best, most = job, score
    return best


def seconds(policy, instance, **options):
    """Seconds per job, and the run."""
    options = {"record": False, "plan": instance.plan if policy == "lotes" else None} | options
    begin = time.perf_counter()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # more may arrive than is sustained, on purpose
        run = simulate(policy, instance.configs, instance.workload, **options)
    return (time.perf_counter() - begin) / run.arrived, run


def quickest(policy, instance, repeats: int = REPEATS):
    """`seconds` of the quickest of several runs, since the machine may be shared."""
    return min((seconds(policy, instance) for _ in range(repeats)), key=lambda pair: pair[0])


def bench() -> list[dict]:
    """Rows for `schedlib.reproduce.bench`, each a ratio within this run except for the time of stages 1 and 2."""
    for policy in SHIPPED:  # compile or load first
        seconds(policy, random_instance(machines=1, hours=0.1))
    rows = [row for sizes in ("common", "independent") for row in against_floor(sizes)]
    return [*rows, *by_machines(), *against_scan(), *(crowded(policy) for policy in SHIPPED), *stages()]


def against_floor(sizes: str, machines: int = 1000, hours: float = 10.0) -> list[dict]:
    """`machines` of each of the ten configurations, Phi = 0.006, load 0.97; the laws of sizes cost differently."""
    instance = random_instance(0.006, machines=machines, hours=hours, sizes=sizes, matched=True)
    least, best = np.inf, {}
    for _ in range(REPEATS):  # by turns; the quickest counts
        least = min(least, floor(instance.workload))
        for policy in SHIPPED:
            timed = seconds(policy, instance)
            best[policy] = min(best.get(policy, timed), timed, key=lambda pair: pair[0])
    first = {"name": f"floor, {sizes} sizes", "value": round(1e-6 / least, 2), "unit": "million jobs/s"}
    rows = [{**first, "note": "event queue and random numbers alone"}]
    for policy, (taken, run) in best.items():
        note = f"{1e-6 / taken:.2f} million jobs/s, {run.arrived:,} jobs, {run.waiting:,} queued at the end"
        rows.append({"name": f"{policy}, {sizes} sizes", "value": round(least / taken, 3), "unit": "of the floor", "note": note})
    return rows


def by_machines(each=(100, 1000, 10_000), hours: float = 1.5) -> list[dict]:
    """Tetris on more and more machines over the same time: seconds per job, and their growth beside that of log(machines)."""
    rows, taken = [], []
    for machines in each:
        instance = random_instance(0.006, machines=machines, hours=hours, matched=True)
        repeats = max(1, 3 * each[-1] // (10 * machines))  # the small ones are over at once, and vary more
        least, run = quickest("tetris", instance, min(repeats, 10))
        note = f"{run.arrived:,} jobs; the floor takes {1e6 * floor(instance.workload):.2f}"
        taken.append(least)
        name = f"tetris, {instance.configs.n_machines:,} machines"
        rows.append({"name": name, "value": round(1e6 * least, 2), "unit": "microseconds per job", "note": note})
    growth, allowed = taken[-1] / taken[0], np.log(10 * each[-1]) / np.log(10 * each[0])
    note = f"{growth:.2f} times the time, log(machines) {allowed:.2f} times; logarithmic or slower growth is 1 or less"
    return [*rows, {"name": "tetris, growth", "value": round(growth / allowed, 2), "unit": "of log's growth", "note": note}]


def against_scan() -> list[dict]:
    """Tetris against a compiled scan of all machines and all waiting jobs; every job's start and machine are compared."""
    naive, rows = Policy(scan, scan_queue, name="naive"), []
    crowd = {"machines": 100, "hours": 1.5, "load": 1.3}
    cases = {"10,000 machines": {"machines": 1000, "hours": 0.5}, "1,000 machines, queueing": crowd}
    for case, options in cases.items():
        instance = random_instance(0.006, **options)
        slow, run = seconds(naive, instance, record=True)
        fast, same = seconds("tetris", instance, record=True)
        columns = ["start", "machine"]
        agree = run.jobs[columns].fillna(-1).eq(same.jobs[columns].fillna(-1)).all(axis=1)
        note = f"{int((~agree).sum()):,} of {run.arrived:,} jobs differ in start or machine; {run.waiting:,} queued at the end"
        rows.append({"name": f"tetris over scan, {case}", "value": round(slow / fast, 1), "unit": "times", "note": note})
    return rows


def crowded(policy: str, queued: int = 300_000) -> dict:
    """A long queue: jobs/s while more than 200,000 come to wait, over jobs/s of the same machines at a load of 0.9."""
    calm = random_instance(0.006, machines=100, hours=5.0, load=0.9)
    base, _ = quickest(policy, calm, 2)
    taken, run = seconds(policy, random_instance(0.006, machines=100, hours=queued / calm.plan.rate / 2.0, load=4.0))
    note = f"{run.waiting:,} queued at the end of {run.arrived:,} jobs"
    return {"name": f"{policy}, long queue", "value": round(base / taken, 2), "unit": "of an unloaded run", "note": note}


def stages() -> list[dict]:
    """Stages 1 and 2, for the machines and jobs of Tables 1 and 2 and for a random instance."""
    rows = []
    for name, problem in (("Google's", google2011()), ("a random", random_instance(0.006)[:2])):
        times = []
        for _ in range(REPEATS):
            begin = time.perf_counter()
            made = plan(*problem)
            times.append(time.perf_counter() - begin)
        note = f"{problem[0].n_machines:,} machines, {sum(map(len, made.bins)):,} bins"
        rows.append({"name": f"stages 1 and 2, {name} instance", "value": round(min(times), 3), "unit": "s", "note": note})
    return rows
