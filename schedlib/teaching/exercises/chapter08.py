"""Checks for chapter 8: Eagle."""

import itertools
import math
from collections.abc import Mapping
from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np

from schedlib import eagle
from schedlib.teaching.exercises.chapter07 import ONE_PROBE, own_send, simulated
from schedlib.teaching.exercises.checking import exercise
from schedlib.teaching.exercises.reading import a, expect, hinted, items, kind_of, near, number, numbers
from schedlib.workload import Workload

CHAPTER = "08-eagle"
CUTOFF, PARTITION = eagle.CUTOFF["google"], eagle.PARTITION["google"]
SEEDS = (0, 1, 2)


@exercise(1)
def toy(answer: object) -> str:
    """Give three numbers: completion times for d = 50, sticky and not, and the d from which both agree."""
    with_it, without, d = numbers(answer, 3)
    sticky, plain = _four_nodes(50, True), _four_nodes(50, False)
    expect(not near((with_it, without), (plain, sticky), 0.02), "the two times look swapped")
    expect(near(without, plain, 0.02), "without: when does the slowest node begin with its task?")
    hint = "with sticky probes: when are the quick nodes free again, and is that before the slow ones are?"
    expect(near(with_it, sticky, 0.02), hint)
    expect(1 <= d <= 1000, "the last number is a d in seconds: between 1 and 1,000")
    below, above = ([_four_nodes(part * d, sticky) for sticky in (True, False)] for part in (0.98, 1.02))
    expect(above[0] == above[1], "for a larger d sticky probes still help")
    expect(below[0] < below[1], "for a smaller d they do not help, either")
    return "from there on the slow nodes are free before the quick ones ask again."


def _four_nodes(d, sticky):
    jobs = Workload.from_arrays([0, 0, 0, 0, 1], [101, 101, 11, 11, d, d, d, d], tasks=[1, 1, 1, 1, 4])
    run = eagle.simulate(jobs, eagle.System("toy", sticky=sticky, min_probes=4), 4, **ONE_PROBE)
    return round(run.jobs["completion"].iloc[-1], 9)


@exercise(2)
def cap(answer: object) -> str:
    """Give a dictionary: for each cap, 0, 5 and infinity among them, the 99th percentile and the worst of
    short jobs' waits (s)."""
    pairs = a(Mapping, answer, "a dictionary of pairs by cap")
    given = {math.inf if key == math.inf else number(key): numbers(pair, 2) for key, pair in pairs.items()}
    expect({0, 5, math.inf} <= set(given), "needs the caps 0, 5 and `math.inf`")
    wait = "of the completion time less the longest task, of short jobs, mean of three seeds"
    for limit in (0, 5, math.inf):
        for what, mine, right in zip(("99th percentile", "worst"), given[limit], _waits(limit), strict=True):
            expect(abs(mine - right) <= 0.03 * right + 2, f"cap {limit:g}: another is the {what} {wait}")
    tails = [given[key][0] for key in sorted(given)]
    falls = all(high <= 1.1 * low + 2 for low, high in itertools.pairwise(tails))
    expect(falls, "with a larger cap the 99th percentile falls; one of yours rises")
    return "it buys short waits for nearly all, and a long one for whoever is overtaken."


@cache
def _waits(limit):
    """The 99th percentile and the worst of short jobs' waits (s) under this cap, means of the seeds."""
    values = []
    for seed in SEEDS:
        jobs = _google(seed)
        longest = np.maximum.reduceat(np.floor(jobs.tasks["duration"].to_numpy()), jobs.offsets[:-1])
        done = _on_google(replace(eagle.Eagle(), cap=limit), seed).jobs
        values.append(np.percentile((done["completion"] - longest)[~done["long"]], [99, 100]))
    return np.mean(values, axis=0)


@exercise(3)
def near_the_limit(answer: Any) -> str:
    """Give a function of (busy, workers, k): the part of jobs that wait if they came while `busy` (an array)
    of all were busy."""
    function = callable(answer) and not isinstance(answer, type)
    expect(function, f"needs a function, and this is {kind_of(answer)}")
    rng = np.random.default_rng(0)
    for spread in (0, 5, 12):
        busy = np.clip(np.rint(rng.normal(85, spread, 5000)), 0, 100).astype(int)
        for k in (2, 5, 10):
            with hinted(f"it does not run on an array of 5,000 whole numbers, 100 and {k}"):
                mine = number(np.mean(answer(busy.copy(), 100, k)))
            distinct = np.prod([(busy - i).clip(0) / (100 - i) for i in range(k)], axis=0).mean()
            low, high = sorted((distinct, ((busy / 100) ** k).mean()))  # different workers, or any
            when = "changes: what comes first, the mean or the power?" if spread else "never changes"
            expect(low - 0.005 <= mine <= high + 0.005, f"it is off when the number of busy workers {when}")
    return "when the system is fuller than usual all probes fail together."


@exercise(4)
def few_messages(answer: object) -> str:
    """Give an `eagle.System` with your `send`: as good as Eagle (to 5 %), and at most half its messages."""
    (ours, sent), (theirs, usual) = _percentiles(own_send(answer)), _percentiles(eagle.Eagle())
    for percentile, times in zip((50, 90, 99), ours / theirs, strict=True):
        hint = "Are its probes sticky, is its queue SRPT's, and are there enough of them?"
        behind = f"the percentile {percentile} of short jobs is {times:.2f} times Eagle's"
        expect(times <= 1.05, f"{behind}. {hint}")
    part = sent / usual
    expect(part <= 0.5, f"it sends {part:.2f} times as many messages as Eagle: with fewer probes?")
    lesson = "To know all queues is worth little to one who knows where long tasks are."
    return f"{part:.2f} of Eagle's messages. {lesson}"


@exercise(5)
def where_sss_harms(answer: object) -> str:
    """Give a pair: a short partition at which SSS harms, and an `eagle.System` that loses nothing there or at
    17 %."""
    given = items(answer, "a pair: a fraction, and an `eagle.System`", 2)
    partition = number(given[0], "a fraction of the workers")
    system = a(eagle.System, given[1], "a fraction, and an `eagle.System`")
    expect(0.01 <= partition <= 0.5, "the short partition is a fraction of the workers, 0.01 to 0.5 here")
    systems = eagle.Eagle(), eagle.Eagle(sss=False), system
    with_it, without, mine = (_percentiles(one, partition)[0] for one in systems)
    hint = "where do rejected probes end up when the short partition is smaller?"
    expect(with_it[2] > without[2], f"there SSS does no harm at the 99th percentile: {hint}")
    hint = "there your system loses to Eagle, or to Eagle without SSS, at the 90th or the 99th percentile"
    expect((mine[1:] <= 1.05 * np.minimum(with_it, without)[1:]).all(), hint)
    as_good = (_percentiles(system)[0] <= 1.05 * _percentiles(eagle.Eagle())[0]).all()
    expect(as_good, "with the paper's 17 % your system loses to Eagle by more than 5 %")
    return "what is right for tasks is stricter than need be for sticky probes."


@cache
def _google(seed):
    return eagle.google(20_000, seed=seed, scale=1 / 15)


def _on_google(system, seed, partition=PARTITION):
    return simulated(_google(seed), system, 1000, seed=seed, short_partition=partition, cutoff=CUTOFF)


def _percentiles(system, partition=PARTITION):
    """Percentiles (50, 90, 99) of short jobs' completion times, means over seeds; messages per short task."""
    runs = [_on_google(system, seed, partition) for seed in SEEDS]
    messages = sum(run.stats["messages"] for run in runs) / sum(run.stats["short_tasks"] for run in runs)
    return np.mean([run.percentiles()["completion"][:3] for run in runs], axis=0), messages
