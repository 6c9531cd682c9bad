"""Checks for chapter 7: head-of-line blocking."""

from typing import Any

import numpy as np
import pandas as pd

from schedlib import eagle, theory
from schedlib.teaching.exercises.checking import exercise
from schedlib.teaching.exercises.reading import a, expect, hinted, near, numbers, rows, wholes
from schedlib.workload import Workload

CHAPTER = "07-head-of-line"
ONE_PROBE: dict[str, Any] = {"short_partition": 0, "cutoff": np.inf, "probe_ratio": 1}
ONE_PROBE |= {"network_delay": 0, "detail": "as_written"}
"""The setting of small models: a probe for each task, no long jobs, and messages that take no time."""


@exercise(1)
def ticket_office(answer: object) -> str:
    """Give three numbers: mean waits at random and apart (minutes), and the rate that equals them."""
    at_random, apart, rate = numbers(answer, 3)
    together, each = theory.pollaczek_khinchine(0.4, 2, 8), _clerks(0.8)
    expect(not near(at_random, together + 2), "at random: that is wait and service; here it is the wait")
    expect(near(at_random, together), "at random: half go to each clerk; which moments has a service?")
    hint = "apart: that is the wait at one of the clerks; weigh both by how many customers go there"
    expect(not any(near(apart, one) for one in each), hint)
    expect(near(apart, np.dot([0.8, 0.2], each)), "apart: each clerk is an M/G/1 queue of equal customers")
    expect(0 < rate < 1 / 1.2, "a rate at which both clerks can keep up, and above 0, please")
    mixed, split = theory.pollaczek_khinchine(rate / 2, 2, 8), np.dot([0.8, 0.2], _clerks(rate))
    better = "apart" if mixed > split else "at random"
    expect(near(mixed, split, 0.02), f"at that rate {better} is still better")
    return "below that rate it is better to keep them apart; above, one clerk has too much of the work."


def _clerks(rate):
    return theory.sita_mean_waits(rate, [0.8, 0.2], [1, 6], [1, 36], [1, 1])


@exercise(2)
def best_split(answer: object) -> str:
    """Give three pairs, for loads of 50, 80, 95 %: short jobs' workers for the least mean wait, slowdown."""
    given = wholes(rows(answer, 2, "pairs"), "workers")
    expect(given.shape == (3, 2), f"needs three pairs, and here are {len(given)}")
    shares, means, squares = [0.9, 0.1], [1, 44], [4 / 3, 44**2 * (1 + 1 / 12)]
    for load, pair in zip((0.5, 0.8, 0.95), given.tolist(), strict=True):
        rate = load * 100 / np.dot(shares, means)
        stable = [n for n in range(1, 100) if rate * 0.9 < n and rate * 4.4 < 100 - n]
        expect(set(pair) <= set(stable), f"load {load:.0%}: with so many workers one side cannot keep up")
        waits = np.array([theory.sita_mean_waits(rate, shares, means, squares, [n, 100 - n]) for n in stable])
        for n, costs, what in zip(pair, (waits, waits / np.array(means)), ("wait", "slowdown"), strict=True):
            cost = costs @ np.array(shares)
            best = cost[stable.index(n)] <= cost.min() * (1 + 1e-9)
            expect(best, f"load {load:.0%}: another number has a smaller {what}")
    return "whoever waits for short jobs would set more workers aside than their share of the work."


@exercise(3)
def three_choices(answer: object) -> str:
    """Give an `eagle.System` whose `short_jobs` is your `send` for d = 3."""
    system = own_send(answer)
    rng, workers, n = np.random.default_rng(1), 200, 200_000
    jobs = Workload.from_arrays(np.cumsum(rng.exponential(1 / (0.9 * workers), n)), rng.exponential(1.0, n))
    run = simulated(jobs, system, workers, **ONE_PROBE)
    expect(run.stats["probes"] == n, "one probe a job, please: `min_probes` is of no use here")
    mean = run.jobs["completion"].mean()
    one, two, three, four = (theory.choices_mean_time(0.9, d) for d in (1, 2, 3, 4))
    expect(mean < (two + three) / 2, "jobs take longer than with three choices: do running jobs count?")
    expect(mean > (three + four) / 2, "jobs are quicker than with three choices: how many are there?")
    return f"the second choice takes {one - two:.1f} service times off the mean, the third {two - three:.1f}."


@exercise(4)
def never_behind_long(answer: object) -> str:
    """Give an `eagle.System` whose `short_jobs` is your `send`."""
    jobs = eagle.google(jobs=20_000, scale=0.04)
    setting: dict[str, Any] = {"short_partition": eagle.PARTITION["google"], "cutoff": eagle.CUTOFF["google"]}
    run = simulated(jobs, own_send(answer), 600, **setting, record=True)
    hawk = eagle.simulate(jobs, "hawk", 600, **setting)
    stats, tasks = run.stats, pd.DataFrame(run.tasks)
    double = abs(stats["probes"] - 2 * stats["short_tasks"]) <= 0.001 * stats["probes"]
    expect(double, "two probes a task, as Hawk has: leave `min_probes` at 0")
    behind = stats["behind_long"] / stats["probes"]
    expect(behind < 0.001, f"{behind:.1%} of the probes join a worker with a long task")
    away = (tasks.loc[~tasks["long"], "worker"] >= stats["short_only"]).mean()
    general = f"{away:.0%} of the short tasks run in the general partition"
    expect(away > 0.1, f"{general}: workers without a long task are there, too")
    ours, theirs = (one.jobs.loc[~one.jobs["long"], "completion"].quantile(0.99) for one in (run, hawk))
    return f"short jobs' 99th percentile is {ours / theirs:.2f} times Hawk's, and nobody has to be rescued."


@exercise(5)
def border(answer: object) -> str:
    """Give three numbers: the load on the border for p = 0.17, 0.25 and 0.35, with s = 0.17."""
    given = numbers(answer, 3)
    expect((given > 0).all() and (given <= 1.2).all(), "loads are positive parts of 1, not per cent")
    for p, load in zip((0.17, 0.25, 0.35), given, strict=True):
        work = load * (0.83 + (1 - p) * 0.17)  # long work, and short work in the general partition
        amount = "more" if work > 1 - p else "less"
        expect(near(work, 1 - p, 0.05), f"p = {p:g}: the general partition gets {amount} work than it can do")
    return "it falls with p: setting workers aside for short jobs can make short jobs slower."


def own_send(answer: object) -> eagle.System:
    """The answer as an `eagle.System` whose `short_jobs` is a function; Hint otherwise."""
    system = a(eagle.System, answer, "an `eagle.System`")
    own = callable(system.short_jobs)
    expect(own, "its `short_jobs` is a name; needs your function of (cluster, job, probe, rng)")
    return system


def simulated(jobs: Workload, system: eagle.System, workers: int, **setting) -> eagle.Simulation:
    """The run of a reader's system; Hint when the simulator refuses it."""
    with hinted("it does not run"):
        return eagle.simulate(jobs, system, workers, **setting)
