"""Speed of LoTES: stage 3's policies against the floor and a scan of all machines, and stages 1 and 2."""

import time
import warnings

import numpy as np

from schedlib.core import events
from schedlib.core.uncounted import kernel
from schedlib.lotes.planning.plan import plan
from schedlib.lotes.policies.own import Policy, can_start
from schedlib.lotes.simulate import simulate
from schedlib.lotes.workloads.instances import google2011, random_instance

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


def floor(workload) -> float:
    """The floor: seconds per job that drawing the jobs and queueing their ends takes."""
    queue, pace = events.event_queue(1 << 20), workload.pace()[0]
    pass_through(queue, np.zeros(0), np.zeros(0))
    jobs, begin = 0, time.perf_counter()
    for block in workload.blocks():
        pass_through(queue, block.submit, block.submit + block.work * pace[block.job_class])
        jobs += len(block.submit)
    return (time.perf_counter() - begin) / jobs


@kernel
def packing(cluster, job, machine):
    """Tetris's packing score r . C, added up in the order of the resources."""
    dot = cluster.size[job, 0] * cluster.free[machine, 0]
    for l in range(1, cluster.free.shape[1]):
        dot += cluster.size[job, l] * cluster.free[machine, l]
    return dot


def scan(cluster, job):
    """Tetris by looking at every machine; its work score is the same on all of them."""
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


def timed(policy, instance, repeats: int = 1, **options):
    """Seconds per job and the run, of the quickest of several runs, since the machine may be shared."""
    options = {"record": False, "plan": instance.plan if policy == "lotes" else None} | options
    runs = []
    for _ in range(repeats):
        begin = time.perf_counter()
        with warnings.catch_warnings():
            # more may arrive than is sustained, on purpose
            warnings.simplefilter("ignore", UserWarning)
            run = simulate(policy, instance.configs, instance.workload, **options)
        runs.append(((time.perf_counter() - begin) / run.arrived, run))
    return min(runs, key=lambda pair: pair[0])


def _row(name, value, unit, note, digits=2):
    return {"name": name, "value": round(value, digits), "unit": unit, "note": note}


def bench() -> list[dict]:
    """Rows for `speed`: ratios within this run, but for the seconds of stages 1 and 2."""
    for policy in POLICIES:  # compile or load first
        timed(policy, random_instance(machines=1, hours=0.1))
    rows = [row for sizes in ("common", "independent") for row in against_floor(sizes)]
    return [
        *rows,
        *by_machines(),
        a_million_machines(),
        *against_scan(),
        *(crowded(policy) for policy in POLICIES),
        *stages(),
    ]


def against_floor(sizes: str, machines: int = 1000, hours: float = 10.0) -> list[dict]:
    """Each policy on `machines` of each configuration at load 0.97; the laws of sizes cost differently."""
    instance = random_instance(0.006, machines=machines, hours=hours, sizes=sizes, matched=True)
    least, best = np.inf, dict[str, tuple]()
    for _ in range(REPEATS):  # the policies take turns, and the quickest run of each counts
        least = min(least, floor(instance.workload))
        for policy in POLICIES:
            pair = timed(policy, instance)
            best[policy] = min(best.get(policy, pair), pair, key=lambda pair: pair[0])
    note = "event queue and random numbers alone"
    rows = [_row(f"floor, {sizes} sizes", 1e-6 / least, "million jobs/s", note)]
    for policy, (seconds, run) in best.items():
        note = f"{1e-6 / seconds:.2f} million jobs/s, {run.arrived:,} jobs, {run.waiting:,} queued at the end"
        rows.append(_row(f"{policy}, {sizes} sizes", least / seconds, "of the floor", note, 3))
    return rows


def by_machines(each=(100, 1000, 10_000), hours: float = 1.5) -> list[dict]:
    """Tetris on more and more machines over the same time: seconds per job, growing beside log(machines)."""
    rows, times = [], []
    for machines in each:
        instance = random_instance(0.006, machines=machines, hours=hours, matched=True)
        # the small ones are over at once, and vary more
        repeats = max(1, 3 * each[-1] // (10 * machines))
        seconds, run = timed("tetris", instance, min(repeats, 10))
        times.append(seconds)
        note = f"{run.arrived:,} jobs; the floor takes {1e6 * floor(instance.workload):.2f}"
        name = f"tetris, {instance.configs.n_machines:,} machines"
        rows.append(_row(name, 1e6 * seconds, "microseconds per job", note))
    growth, allowed = times[-1] / times[0], np.log(10 * each[-1]) / np.log(10 * each[0])
    note = f"{growth:.2f} times the time, log(machines) {allowed:.2f} times; 1 or less: logarithmic"
    return [*rows, _row("tetris, growth", growth / allowed, "of log's growth", note)]


def a_million_machines(hours: float = 0.05) -> dict:
    """LoTES on a million machines at load 0.97, drawing the jobs included."""
    instance = random_instance(0.006, machines=100_000, hours=hours, matched=True)
    seconds, run = timed("lotes", instance)
    name = f"lotes, {instance.configs.n_machines:,} machines"
    return _row(name, 1e6 * seconds, "microseconds per job", f"{run.arrived:,} jobs")


def against_scan() -> list[dict]:
    """Tetris against a compiled scan of all machines and waiting jobs; starts and machines are compared."""
    naive, rows = Policy(scan, scan_queue, name="naive"), []
    cases = (("10,000 machines", 1000, 0.5, 0.97), ("1,000 machines, queueing", 100, 1.5, 1.3))
    for case, machines, hours, load in cases:
        instance = random_instance(0.006, machines=machines, hours=hours, load=load)
        (slow, run), (fast, same) = (
            timed(policy, instance, record=True) for policy in (naive, "tetris")
        )
        first, second = (jobs[["start", "machine"]].fillna(-1) for jobs in (run.jobs, same.jobs))
        differ = f"{int((~first.eq(second).all(axis=1)).sum()):,} of {run.arrived:,} jobs differ"
        note = f"{differ} in start or machine; {run.waiting:,} queued at the end"
        rows.append(_row(f"tetris over scan, {case}", slow / fast, "times", note, 1))
    return rows


def crowded(policy: str, queued: int = 300_000) -> dict:
    """A long queue: jobs/s while more than 200,000 come to wait, over jobs/s at load 0.9."""
    calm = random_instance(0.006, machines=100, hours=5.0, load=0.9)
    base, _ = timed(policy, calm, 2)
    hours = queued / calm.plan.rate / 2.0
    seconds, run = timed(policy, random_instance(0.006, machines=100, hours=hours, load=4.0))
    note = f"{run.waiting:,} queued at the end of {run.arrived:,} jobs"
    return _row(f"{policy}, long queue", base / seconds, "of an unloaded run", note)


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
        rows.append(_row(f"stages 1 and 2, {name} instance", min(times), "s", note, 3))
    return rows
