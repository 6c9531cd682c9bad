"""A small case of each paper's workloads and policies: prints for each a hash of the bytes of its numbers."""

import hashlib
import json

import numpy as np
import pandas as pd

from schedlib import eagle, hmhs, lotes, mch, theory


def digest(*values) -> str:
    """A hash of frames, arrays and numbers."""
    made = hashlib.sha256()
    for value in values:
        table = value.to_numpy(float, na_value=np.nan) if isinstance(value, pd.DataFrame) else value
        made.update(np.ascontiguousarray(table, float).tobytes())
    return made.hexdigest()[:16]


def of_lotes():
    configs, classes = lotes.google2011()
    plan = lotes.plan(configs, classes)
    yield "lotes.plan", digest(plan.allocation.delta, plan.rate, *plan.bins, *plan.machines)
    yield (
        "lotes.algorithm1",
        digest(*(lotes.algorithm1(c, classes.demand)[0] for c in configs.capacity[:3])),
    )
    _, _, month = lotes.google_month(configs, classes, thin=20, hours=48)
    yield "lotes.google_month", digest(month.jobs, month.tasks)
    found, label = lotes.cluster_jobs(month, 4)
    yield "lotes.cluster_jobs", digest(found.share, found.demand, found.rate, label)
    yield "lotes.class_counts", digest(lotes.class_counts(month, 4))
    for sizes in ("independent", "common", "fixed"):
        one = lotes.random_instance(machines=100, hours=2.0, sizes=sizes, seed=1)
        drawn = list(one.workload.blocks())
        yield f"lotes.{sizes}", digest(*(column for block in drawn for column in block))
        for policy in ("lotes", "lotes-first", "greedy", "tetris"):
            run = lotes.simulate(policy, one.configs, one.workload, plan=one.plan)
            yield (
                f"lotes.{sizes}.{policy}",
                digest(run.jobs, run.intervals, run.slope, run.utilisation),
            )


def of_hmhs():
    for make in (hmhs.single, hmhs.hybrid):
        jobs = make(8, seed=1, machines=(6, 6), slow=0.5)
        for policy in [*hmhs.POLICIES, "priced"]:
            done = hmhs.schedule(jobs, policy)
            yield f"hmhs.{make.__name__}.{policy}", digest(done.makespan)
        yield f"hmhs.{make.__name__}.bound", digest(hmhs.lower_bound(jobs))


RULES = ("drf", "h-drf", "mch")


def of_mch():
    for depth in (2, 3):
        for seed in range(10):
            tree = mch.random_tree(np.random.default_rng(seed), depth)
            for rule in RULES:
                for divisible in (True, False):
                    given = mch.allocate(tree, (40.0, 60.0), rule, divisible)
                    yield (
                        f"mch.{depth}.{seed}.{rule}.{divisible}",
                        digest(given.shares, given.tasks),
                    )

    trees = [mch.random_tree(np.random.default_rng(seed), 3) for seed in range(3)]
    yield (
        "mch.properties",
        digest(mch.property_table((40.0, 60.0), RULES, trees).select_dtypes("number")),
    )


def of_eagle():
    for make in (eagle.google, eagle.cloudera, eagle.yahoo):
        jobs = make(2_000, seed=1, scale=0.1)
        yield f"eagle.{make.__name__}", digest(jobs.jobs[["submit", "class", "mean"]], jobs.tasks)
    for detail in ("as_published", "as_submitted", "as_written"):
        for system in eagle.SYSTEMS:
            run = eagle.simulate(
                jobs,
                system,
                500,
                short_partition=0.1,
                cutoff=eagle.CUTOFF["yahoo"],
                seed=1,
                detail=detail,
            )
            yield f"eagle.{detail}.{system}", digest(run.jobs.select_dtypes("number"))


def of_theory():
    yield (
        "theory",
        digest(np.round([theory.erlang_c(30, 27.0), theory.mmc_mean_wait(27.0, 1.0, 30)], 9)),
    )


if __name__ == "__main__":
    parts = (of_lotes, of_hmhs, of_mch, of_eagle, of_theory)
    print(json.dumps({name: value for part in parts for name, value in part()}))
