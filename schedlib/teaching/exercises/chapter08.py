"""Checks for chapter 8: Eagle."""

import math
from collections.abc import Mapping
from dataclasses import replace
from functools import cache

import numpy as np

from schedlib import eagle
from schedlib.teaching.exercises.checking import exercise
from schedlib.teaching.exercises.reading import Hint, a, expect, items, kind_of, near, number, numbers, told
from schedlib.workload import Workload

CHAPTER = "08-eagle"
CUTOFF, PARTITION = eagle.CUTOFF["google"], eagle.PARTITION["google"]
SEEDS = (0, 1, 2)


@exercise(CHAPTER, 1, "three numbers: the job's completion time for d = 50, sticky and not, and the d from which on stickiness does not help")
def toy(answer):
    given = numbers(answer, 3)
    sticky, plain = _four_nodes(50, True), _four_nodes(50, False)
    expect(not near(given[:2], (plain, sticky), 0.02), "the two times look swapped")
    expect(near(given[1], plain, 0.02), "without: when does the slowest node begin with its task?")
    expect(near(given[0], sticky, 0.02), "with sticky probes: when are the quick nodes free again, and is that before the slow ones are?")
    d = given[2]
    expect(1 <= d <= 1000, "the last number is a d in seconds: between 1 and 1,000")
    expect(_four_nodes(1.02 * d, True) == _four_nodes(1.02 * d, False), "for a d a little above yours sticky probes still help")
    expect(_four_nodes(0.98 * d, True) < _four_nodes(0.98 * d, False), "for a d a little below yours sticky probes do not help, either")
    return "from there on the slow nodes are free before the quick ones ask again."


def _four_nodes(d, stay):
    jobs = Workload.from_arrays([0, 0, 0, 0, 1], [101, 101, 11, 11, d, d, d, d], tasks=[1, 1, 1, 1, 4])
    nodes = {"short_partition": 0, "cutoff": math.inf, "probe_ratio": 1, "network_delay": 0, "detail": "as_written"}
    return round(eagle.simulate(jobs, eagle.System("toy", sticky=stay, min_probes=4), 4, **nodes).jobs["completion"].iloc[-1], 9)


@exercise(CHAPTER, 2, "a dictionary: for each cap, 0, 5 and infinity among them, the 99th percentile and the worst of short jobs' waits (s)")
def cap(answer):
    pairs = a(Mapping, answer, "a dictionary of pairs by cap")
    given = {math.inf if some == math.inf else number(some): numbers(pair, 2) for some, pair in pairs.items()}
    expect({0, 5, math.inf} <= set(given), "needs the caps 0, 5 and `math.inf`")
    for some in (0, 5, math.inf):
        for what, mine, right in zip(("the 99th percentile", "the worst wait"), given[some], _waits(some), strict=True):
            text = "of the completion time less the longest task, of short jobs, mean of three seeds"
            expect(abs(mine - right) <= 0.03 * right + 2, f"cap {some:g}: {what} is another {text}")
    caps = sorted(given)
    falls = all(given[high][0] <= 1.1 * given[low][0] + 2 for low, high in zip(caps, caps[1:], strict=False))
    expect(falls, "with a larger cap the 99th percentile falls; one of yours rises")
    return "it buys short waits for nearly all, and a long one for whoever is overtaken."


@cache
def _waits(some):
    found = []
    for seed in SEEDS:
        jobs = _google(seed)
        run = eagle.simulate(jobs, replace(eagle.Eagle(), cap=some), 1000, seed=seed, short_partition=PARTITION, cutoff=CUTOFF)
        longest = np.maximum.reduceat(np.floor(jobs.tasks["duration"].to_numpy()), jobs.offsets[:-1])
        found.append(np.percentile((run.jobs["completion"] - longest)[~run.jobs["long"]], [99, 100]))
    return np.mean(found, axis=0)


@exercise(CHAPTER, 3, "a function of (busy, workers, k): the part of jobs that wait if they came while `busy` (an array) of all were busy")
def near_the_limit(answer):
    expect(callable(answer) and not isinstance(answer, type), f"needs a function, and this is {kind_of(answer)}")
    rng = np.random.default_rng(0)
    for spread in (0, 5, 12):
        busy = np.clip(np.rint(rng.normal(85, spread, 5000)), 0, 100).astype(int)
        for k in (2, 5, 10):
            try:
                found = number(np.mean(answer(busy.copy(), 100, k)))
            except Hint:
                raise
            except Exception as error:
                raise Hint(f"it does not run on an array of 5,000 whole numbers, 100 and {k}: {told(error)}") from error
            distinct = np.prod([(busy - i).clip(0) / (100 - i) for i in range(k)], axis=0).mean()
            drawn = ((busy / 100) ** k).mean()
            low, high = sorted((distinct, drawn))
            when = "changes: what comes first, the mean or the power?" if spread else "never changes"
            expect(low - 0.005 <= found <= high + 0.005, f"it is off when the number of busy workers {when}")
    return "when the system is fuller than usual all probes fail together."


@exercise(CHAPTER, 4, "an `eagle.System` whose `short_jobs` is your `send`: as good as Eagle (to 5 %), with at most half of its messages")
def few_messages(answer):
    system = a(eagle.System, answer, "an `eagle.System`")
    expect(callable(system.short_jobs), "its `short_jobs` is a name; needs your function of (cluster, job, probe, rng)")
    (ours, said), (theirs, needed) = _percentiles(system), _percentiles(eagle.Eagle())
    for percentile, mine, other in zip((50, 90, 99), ours, theirs, strict=True):
        hint = f"the percentile {percentile} of short jobs is {mine / other:.2f} times Eagle's"
        expect(mine <= 1.05 * other, f"{hint}. Are its probes sticky, is its queue SRPT's, and are there enough of them?")
    expect(said <= needed / 2, f"it sends {said / needed:.2f} times as many messages as Eagle: with fewer probes?")
    return f"{said / needed:.2f} of Eagle's messages. To know all queues is worth little to one who knows where long tasks are."


@exercise(CHAPTER, 5, "a pair: a short partition (a fraction) at which SSS harms, and an `eagle.System` that loses nothing there or at 17 %")
def where_sss_harms(answer):
    given = items(answer, "a pair")
    expect(len(given) == 2, "needs a pair: a fraction, and an `eagle.System`")
    part, system = number(given[0], "a fraction of the workers"), a(eagle.System, given[1], "a fraction, and an `eagle.System`")
    expect(0.01 <= part <= 0.5, "the short partition is a fraction of the workers, between 0.01 and 0.5 here")
    with_it, without = (_percentiles(one, part)[0] for one in (eagle.Eagle(), eagle.Eagle(sss=False)))
    hint = "there SSS does no harm at the 99th percentile: where do rejected probes end up when the short partition is smaller?"
    expect(with_it[2] > without[2], hint)
    mine, usual, whole = _percentiles(system, part)[0], _percentiles(system)[0], _percentiles(eagle.Eagle())[0]
    hint = "with that partition your system loses to Eagle, or to Eagle without SSS, at the 90th or the 99th percentile"
    expect((mine[1:] <= 1.05 * np.minimum(with_it, without)[1:]).all(), hint)
    expect((usual <= 1.05 * whole).all(), "with the paper's 17 % your system loses to Eagle by more than 5 %")
    return "what is right for tasks is stricter than need be for sticky probes."


@cache
def _google(seed):
    return eagle.google(20_000, seed=seed, scale=1 / 15)


def _percentiles(system, part=PARTITION):
    """Percentiles (50, 90, 99) of short jobs' completion times, means of three seeds, and messages for each short task."""
    try:
        runs = [eagle.simulate(_google(seed), system, 1000, seed=seed, short_partition=part, cutoff=CUTOFF) for seed in SEEDS]
    except ValueError as error:
        raise Hint(f"it does not run: {told(error)}") from error
    messages = sum(run.stats["messages"] for run in runs) / sum(run.stats["short_tasks"] for run in runs)
    return np.mean([run.percentiles()["completion"][:3] for run in runs], axis=0), messages
