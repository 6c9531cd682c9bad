"""Slices of Alibaba's hour, and what the policies of every paper make of them: place, order, share, probe.

Readings:

- a slice is every n-th of the trace's jobs that are submitted within ten minutes, with all of their stages,
  which all come at the job's submission, as the trace tells no more; times count from the slice's beginning
- `place` (LoTES): `lotes.alibaba_hour`, with classes from the first 100 s, a sixth of the slice, as in
  `lotes.hour`; "lotes-known" has those of the whole slice, which no scheduler knows beforehand
- `order` (HMHS): its map-reduce pairs as one batch on 100 + 100 machines, with speeds that no trace states
- `share` (MCH): the trace names no organisation: a job is a group, its stages are leaves, as they requested
- `probe` (Eagle): a worker runs one task, the short partition is the short jobs' share of the slice's work
"""

from dataclasses import replace
from functools import cache, partial
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from pandas import DataFrame

from schedlib import eagle, hmhs, lotes, mch, traces
from schedlib.hmhs.priced import priced
from schedlib.mch.workloads import CORES
from schedlib.workload import Workload

SPAN = 600.0  # seconds of submissions in a slice
FIRST = SPAN / 6
SHORTEST = 0.5  # seconds that an instance of 0 s lasts, as in `lotes.alibaba`
ORDERS = ("hmhs", "priced", "r-hmhs", "fifo-pri", "fifo")
RULES = ("mch", "h-drf", "naive-h-drf", "drf")
COLUMNS = ["question", "policy", "measure", "value"]
SYSTEMS = ("eagle", "hawk", "sparrow", "dlwl")
# The stored grid: minutes at which slices begin, which n-th job they take, loads in %.
STARTS = (0, 10, 20, 30, 40, 50)
STEPS = (4, 6, 8)
LOADS = (60, 70, 80, 90, 95)
GRID = Path(__file__).with_name("one_trace.csv")


@cache
def hour() -> tuple[Workload, DataFrame]:
    """The hour's stages and its map-reduce pairs, stages of a trace's job beside each other."""
    stages = traces.alibaba2018("stages")
    jobs = stages.jobs.sort_values(["submit", "trace_job"], kind="stable")
    return Workload(jobs, stages.tasks), traces.alibaba2018("mapreduce")


def part(start: float = 0, every: int = 8, first: int = 0) -> Workload:
    """A slice: every `every`-th job, from the `first` on, submitted within ten minutes of minute `start`.

    A row of `jobs` is a stage (`job, submit, class, trace_job, stage, end, plan_cpu, plan_mem`), its tasks
    are the instances. Slices that differ in `first` alone share no job. Raises ValueError when `every` or
    `first` is not a whole number in its range, and when no job is left.

    >>> part(50, every=64)
    Workload(216 jobs, 4784 tasks, 595 s, demands: cpu, mem)
    """
    whole = every == int(every) and first == int(first)
    if not whole or not 0 <= first < every:
        raise ValueError(
            f"every, first: {every}, {first}; whole numbers, at least 1, and 0 to every - 1"
        )
    stages, _ = hour()
    jobs = stages.jobs
    zero = 60 * start
    within = jobs["submit"].between(zero, zero + SPAN, inclusive="left")
    names = jobs.loc[within, "trace_job"].unique()
    chosen = names[first::every]
    if not len(chosen):
        raise ValueError(
            f"start: no job is in the ten minutes from minute {start} on; take one from 0 to 59"
        )
    kept = within & jobs["trace_job"].isin(chosen)
    per_task = np.repeat(kept.to_numpy(), np.diff(stages.offsets))
    jobs = jobs[kept]
    jobs = jobs.assign(submit=jobs["submit"] - zero, end=jobs["end"] - zero)
    return Workload(jobs, stages.tasks[per_task])


def pairs(stages: Workload) -> DataFrame:
    """The map-reduce pairs (as `traces.alibaba2018("mapreduce")` has them) of these stages' jobs."""
    _, hours_pairs = hour()
    kept = hours_pairs["trace_job"].isin(stages.jobs["trace_job"])
    return hours_pairs[kept].reset_index(drop=True)


def waits_for_others(stages: Workload) -> np.ndarray:
    """Whether each stage, by its name, begins only when another has ended: `R2_1` waits for stage 1.

    >>> bool(waits_for_others(part(50, every=64)).all())
    False
    """
    waits = stages.jobs["stage"].str.match(r"[A-Z]+\d+_\d")
    return waits.to_numpy(bool)


def place(stages: Workload, load: float = 0.8, known: bool = True) -> dict[str, lotes.Simulation]:
    """Every instance to a machine of Table 1's proportions, under LoTES, Tetris and Greedy."""
    configs, classes, jobs = lotes.alibaba_hour(trace=stages, load=load, first=FIRST)
    runs = {}
    plan = lotes.plan(configs, classes)
    runs["lotes"] = lotes.simulate("lotes", configs, jobs, plan=plan)
    if known:
        _, whole, labelled = lotes.alibaba_hour(trace=stages, load=load, first=SPAN)
        plan = lotes.plan(configs, whole)
        runs["lotes-known"] = lotes.simulate("lotes", configs, labelled, plan=plan)
    for policy in ("tetris", "greedy"):
        runs[policy] = lotes.simulate(policy, configs, jobs, classes=classes)
    return runs


def batch(stages: Workload, seed: int = 0, alike: bool = False) -> hmhs.Instance:
    """The slice's map-reduce pairs as HMHS takes them. `seed` draws the speeds of 100 + 100 machines; `alike`
    gives all of them the mean, 0.55."""
    instance = hmhs.from_trace(pairs(stages), seed)
    if not alike:
        return instance
    maps = np.full_like(instance.map_speed, 0.55)
    reduces = np.full_like(instance.reduce_speed, 0.55)
    return replace(instance, map_speed=maps, reduce_speed=reduces)


def order(
    stages: Workload, seed: int = 0, alike: bool = False
) -> tuple[dict[str, hmhs.Schedule], float]:
    """The slice's `batch` by every policy of `ORDERS`, and a lower bound on the makespan (s)."""
    instance = batch(stages, seed, alike)
    bounds = hmhs.bounds(instance)
    schedules = {}
    for name in ORDERS:
        if name == "priced":
            schedules[name] = priced(instance, bounds)
        else:
            schedules[name] = hmhs.schedule(instance, name)
    return schedules, bounds.best


def hierarchy(stages: Workload) -> mch.Tree:
    """The slice as a tree: a group for each of the trace's jobs, a leaf for each stage, in order. A leaf
    demands what a task of the stage requested, in parts of one machine: (cores / 96, memory)."""
    groups = []
    for _, jobs in stages.jobs.groupby("trace_job", sort=False):
        cores = jobs["plan_cpu"] / CORES
        memory = jobs["plan_mem"]
        groups.append(list(zip(cores, memory, strict=True)))
    return mch.Tree(groups)


def shares(stages: Workload) -> dict[str, np.ndarray]:
    """The holding of each of the trace's jobs, in times an equal share, by rule, when all ask without end. A
    job's share is the sum of its stages' dominant shares."""
    tree = hierarchy(stages)
    group, _ = pd.factorize(stages.jobs["trace_job"])
    times = {}
    for rule in RULES:
        leaves = mch.allocate(tree, (1, 1), rule).shares
        held = np.bincount(group, leaves)
        times[rule] = held * len(held) / held.sum()
    return times


def churn(stages: Workload, load: float = 0.8) -> dict[str, mch.Churn]:
    """The slice's stages arriving at and leaving their leaves, on one pool that is busy to `load`, by rule.
    "h-drf" keeps sums up to date; "h-drf-literal" walks through the tree for each decision, as printed."""
    tree = hierarchy(stages)
    jobs = stages.jobs[["submit"]].copy()
    jobs["leaf"] = range(len(jobs))
    jobs["tasks"] = np.diff(stages.offsets)
    jobs["duration"] = np.maximum(eagle.job_means(stages), SHORTEST)
    seconds = jobs["tasks"] * jobs["duration"]
    work = tree.demand.T @ seconds.to_numpy()
    capacity = work.max() / (load * SPAN)
    run = partial(mch.simulate, tree, (capacity, capacity), jobs=jobs, record=False)
    runs = {rule: run(rule=rule) for rule in RULES}
    runs["h-drf-literal"] = run(rule="h-drf", method="literal")
    return runs


def per_decision(run: mch.Churn, nodes: int) -> float:
    """Nodes and heap places looked at for a task placed; working out weights again looks at all `nodes`."""
    looks = run.operations + run.reflattens * nodes
    return looks / run.decisions


def probe(stages: Workload, load: float = 0.8, seed: int = 0) -> dict[str, eagle.Simulation]:
    """Every stage to the fewest workers of one task at a time that are busy to at most `load`, by system."""
    workload = eagle.alibaba(1, trace=stages)
    cutoff = eagle.CUTOFF["alibaba"]
    busy = eagle.offered_load(workload, 1)
    workers = int(np.ceil(busy / load))
    setting: Any = {
        "short_partition": eagle.short_share(workload, cutoff),
        "cutoff": cutoff,
        "detail": "as_published",
        "seed": seed,
    }
    return {system: eagle.simulate(workload, system, workers, **setting) for system in SYSTEMS}


def answers(stages: Workload, load: float = 0.8, seed: int = 0) -> DataFrame:
    """The four questions put to one slice: `question, policy, measure, value`, a row each.

    | question | measures |
    |---|---|
    | place | `wait`: mean wait of an instance (s) |
    | order | `makespan` over the lower bound; `end`: mean end of a pair (s) |
    | share | `least`: what the job that holds least has, in times an equal share |
    | probe | `short`, `long`: time within which 99 % of the short, of the long jobs are complete (s) |

    A load means something to the first and the last alone: a batch is there as a whole, and shares matter
    when all is taken.
    """
    rows = _without_load(stages, seed) + _at_load(stages, load, seed)
    return pd.DataFrame(rows, columns=COLUMNS)


def _without_load(stages, seed):
    orders, bound = order(stages, seed)
    rows = []
    for policy, done in orders.items():
        rows.append(("order", policy, "makespan", done.makespan / bound))
        rows.append(("order", policy, "end", done.job_end.mean()))
    for rule, held in shares(stages).items():
        rows.append(("share", rule, "least", held.min()))
    return rows


def _at_load(stages, load, seed):
    rows = []
    for policy, run in place(stages, load).items():
        rows.append(("place", policy, "wait", run.mean_wait_started))
    for system, run in probe(stages, load, seed).items():
        short, long = run.percentiles([99])["completion"]
        rows.append(("probe", system, "short", short))
        rows.append(("probe", system, "long", long))
    return rows


@cache
def grid() -> DataFrame:
    """The stored answers for `STARTS`, `STEPS` and `LOADS`: `start, every, load` (%) and `COLUMNS`."""
    return pd.read_csv(GRID)


def made_grid() -> DataFrame:
    """The grid computed again, in minutes; `python -m book.lessons.one_trace` writes it."""
    rows = []
    for start, every in product(STARTS, STEPS):
        stages = part(start, every)
        print(f"minute {start}, every {every}th job: {len(stages)} stages", flush=True)
        always = _without_load(stages, 0)
        for load in LOADS:
            for *row, value in always + _at_load(stages, load / 100, 0):
                rows.append((start, every, load, *row, float(f"{value:.6g}")))
    return pd.DataFrame(rows, columns=["start", "every", "load", *COLUMNS])


if __name__ == "__main__":
    made_grid().to_csv(GRID, index=False, lineterminator="\n")
