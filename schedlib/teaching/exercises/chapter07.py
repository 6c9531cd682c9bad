"""Checks for chapter 7: head-of-line blocking."""

import numpy as np

from schedlib import eagle, theory
from schedlib.teaching.exercises.checking import exercise
from schedlib.teaching.exercises.reading import Hint, a, expect, near, numbers, rows, told, wholes
from schedlib.workload import Workload

CHAPTER = "07-head-of-line"


@exercise(CHAPTER, 1, "three numbers: the mean wait in minutes at random, that apart, and the customers per minute at which they are the same")
def ticket_office(answer):
    given = numbers(answer, 3)
    together, apart = _office(0.8)
    expect(not near(given[0], theory.pollaczek_khinchine(0.4, 2, 8) + 2), "at random: that is wait and service; here it is the wait")
    expect(near(given[0], together), "at random: half of the customers go to each clerk; what are the mean and the mean square of a service?")
    slow = theory.sita_mean_waits(0.8, [0.8, 0.2], [1, 6], [1, 36], [1, 1])
    hint = "apart: that is the wait at one of the clerks; over all customers it is the mean of both, by how many go where"
    expect(not any(near(given[1], one) for one in slow), hint)
    expect(near(given[1], apart), "apart: each clerk is an M/G/1 queue with customers that are all alike")
    rate = given[2]
    expect(0 < rate < 1 / 1.2, "a rate at which both clerks can keep up, and above 0, please")
    mixed, split = _office(rate)
    expect(near(mixed, split, 0.02), f"at that rate {'apart' if mixed > split else 'at random'} is still better")
    return "below that rate it is better to keep them apart; above, one clerk has too much of the work."


def _office(rate):
    return theory.pollaczek_khinchine(rate / 2, 2, 8), np.dot([0.8, 0.2], theory.sita_mean_waits(rate, [0.8, 0.2], [1, 6], [1, 36], [1, 1]))


@exercise(CHAPTER, 2, "three pairs, for loads of 50, 80 and 95 %: short jobs' workers for the least mean wait, and for the least mean slowdown")
def best_split(answer):
    given = wholes(rows(answer, 2, "pairs"), "workers")
    expect(given.shape == (3, 2), f"needs three pairs, and here are {len(given)}")
    shares, means, squares = [0.9, 0.1], np.array([1, 44]), [4 / 3, 44**2 * (1 + 1 / 12)]
    for load, pair in zip((0.5, 0.8, 0.95), given, strict=True):
        rate = load * 100 / np.dot(shares, means)
        stable = [n for n in range(1, 100) if rate * 0.9 < n and rate * 4.4 < 100 - n]
        waits = {n: np.array(theory.sita_mean_waits(rate, shares, means, squares, [n, 100 - n])) for n in stable}
        expect(set(pair.tolist()) <= set(stable), f"load {load:.0%}: with so many workers one of the two sides cannot keep up")
        for n, unit, what in zip(pair.tolist(), (1, means), ("wait", "slowdown"), strict=True):
            cost = {m: np.dot(shares, wait / unit) for m, wait in waits.items()}
            expect(cost[n] <= min(cost.values()) * (1 + 1e-9), f"load {load:.0%}: another number of workers has a smaller mean {what}")
    return "whoever waits for short jobs would set more workers aside than their share of the work."


@exercise(CHAPTER, 3, "an `eagle.System` whose `short_jobs` is your `send` for d = 3")
def three_choices(answer):
    system = _own_send(answer)
    rng, workers, n = np.random.default_rng(1), 200, 200_000
    jobs = Workload.from_arrays(np.cumsum(rng.exponential(1 / (0.9 * workers), n)), rng.exponential(1.0, n))
    run = _run(jobs, system, workers, short_partition=0, cutoff=np.inf, probe_ratio=1, network_delay=0, detail="as_written")
    found, exact = run.jobs["completion"].mean(), [theory.choices_mean_time(0.9, d) for d in (1, 2, 3, 4)]
    expect(run.stats["probes"] == n, "one probe a job, please: `min_probes` is of no use here")
    hint = "jobs take longer than with three choices: are there three, and all at random? Those that run count, too"
    expect(found < (exact[1] + exact[2]) / 2, hint)
    expect(found > (exact[2] + exact[3]) / 2, "jobs are quicker than with three choices: how many workers does it look at?")
    return f"the second choice takes {exact[0] - exact[1]:.1f} service times off the mean, the third {exact[1] - exact[2]:.1f}."


@exercise(CHAPTER, 4, "an `eagle.System` whose `short_jobs` is your `send`")
def never_behind_long(answer):
    system = _own_send(answer)
    jobs = eagle.google(jobs=20_000, scale=0.04)
    options = {"short_partition": eagle.PARTITION["google"], "cutoff": eagle.CUTOFF["google"]}
    run, hawk = _run(jobs, system, 600, **options, record=True), eagle.simulate(jobs, "hawk", 600, **options)
    stats = run.stats
    double = abs(stats["probes"] - 2 * stats["short_tasks"]) <= 0.001 * stats["probes"]
    expect(double, "two probes a task, as Hawk has: leave `min_probes` at 0")
    behind = stats["behind_long"] / stats["probes"]
    expect(behind < 0.001, f"{behind:.1%} of the probes join a worker with a long task")
    ran = run.tasks.loc[~run.tasks["long"], "worker"]
    away = (ran >= stats["short_only"]).mean()
    expect(away > 0.1, f"{away:.0%} of the short tasks run in the general partition: workers without a long task are there, too")
    tail = [one.jobs.loc[~one.jobs["long"], "completion"].quantile(0.99) for one in (run, hawk)]
    return f"the 99th percentile of short jobs is {tail[0] / tail[1]:.2f} times Hawk's, and nobody has to be rescued."


@exercise(CHAPTER, 5, "three numbers: the load on the border for p = 0.17, 0.25 and 0.35, with s = 0.17")
def border(answer):
    given = numbers(answer, 3)
    expect((given > 0).all(), "loads are positive")
    expect((given <= 1.2).all(), "loads as parts of 1, not in per cent")
    for p, load in zip((0.17, 0.25, 0.35), given, strict=True):
        work = load * (0.83 + (1 - p) * 0.17)  # long work, and what of the short goes to the general partition
        way = "more" if work > 1 - p else "less"
        expect(near(work, 1 - p, 0.05), f"p = {p:g}: at that load the general partition gets {way} work than it can do; who sends it what?")
    return "it falls with p: setting workers aside for short jobs can make short jobs slower."


def _own_send(answer):
    system = a(eagle.System, answer, "an `eagle.System`")
    expect(callable(system.short_jobs), "its `short_jobs` is a name; needs your function of (cluster, job, probe, rng)")
    return system


def _run(jobs, system, workers, **options):
    try:
        return eagle.simulate(jobs, system, workers, **options)
    except ValueError as error:
        raise Hint(f"it does not run: {told(error)}") from error
