"""Toys and warm-ups of chapters 7 to 10, solved as they are stated, by simulations and searches written here.

The chapters run the library on them; here nothing of the library is used but the check of an answer.
"""

import heapq
import itertools
import math
import re
import statistics

import pandas as pd
import pytest
from scipy.optimize import brentq
from scipy.stats import t as student

from book import exercises
from book.lessons import one_trace


def completions(jobs, workers):
    """Times from submission to end: each job is (submission, duration, worker), first come first served."""
    free = [0.0] * workers
    took = []
    for submit, duration, worker in jobs:
        free[worker] = max(free[worker], submit) + duration
        took.append(free[worker] - submit)
    return took


def on_four_nodes(left, tasks, sticky):
    """When the toy's job is complete: a probe waits on each node, which has `left` s to do; tasks are durations."""
    asks = [(moment, node) for node, moment in enumerate(left)]
    heapq.heapify(asks)
    waiting = list(tasks)
    ends = []
    while asks and waiting:
        moment, node = heapq.heappop(asks)
        ends.append(moment + waiting.pop(0))
        if sticky:
            heapq.heappush(asks, (ends[-1], node))
    return max(ends)


def test_chapter_7_in_turns_and_apart():
    short = [(1, 1), (2, 1), (3, 1), (4, 1)]
    in_turns = [(0, 10, 0)] + [
        (*job, worker) for job, worker in zip(short, [1, 0, 1, 0], strict=True)
    ]
    assert completions(in_turns, 2)[1:] == [1, 9, 1, 8]
    apart = [(0, 10, 1)] + [(*job, 0) for job in short]
    assert completions(apart, 2)[1:] == [1, 1, 1, 1]
    two_long = [(0, 10, 0), (0, 10, 1), *in_turns[1:]]
    assert completions(two_long, 2)[2:] == [10, 9, 9, 8]
    assert completions([(0, 10, 1), (0, 10, 1), *apart[1:]], 2) == [10, 20, 1, 1, 1, 1]


def test_chapter_7_the_shorter_line_in_number_is_the_longer_one_in_time():
    lines = [(0, 10, 0), (0, 1, 1), (0, 1, 1), (0, 1, 1)]
    assert completions([*lines, (0, 1, 0)], 2)[-1] == 11
    assert min(completions([*lines, (0, 1, worker)], 2)[-1] for worker in (0, 1)) == 4


def test_chapter_8_a_probe_is_a_task_or_a_job():
    assert on_four_nodes([10, 100, 100, 10], [10] * 4, sticky=False) == 110
    assert on_four_nodes([10, 100, 100, 10], [10] * 4, sticky=True) == 30


def test_chapter_8_so_many_overtake():
    own, other, cap = 4, 3, 5
    assert next(n for n in itertools.count() if (n + 1) * other > cap * own) == 6


def test_chapter_8_two_probes_miss_the_free_worker_in_half_of_the_draws():
    draws = list(itertools.combinations(range(4), 2))
    assert sum(3 not in draw for draw in draws) / len(draws) == 0.5
    assert 0.5 * 7 + 0.5 * 12 == 9.5


def wait(rate, lengths):
    """An M/G/1 queue's mean wait; `lengths` are (share, length)."""
    mean = sum(share * length for share, length in lengths)
    square = sum(share * length**2 for share, length in lengths)
    return rate * square / (2 * (1 - rate * mean))


def at_the_office(rate):
    """The mean waits of exercise 7.1: at random, and one clerk for each kind."""
    at_random = wait(rate / 2, [(0.8, 1), (0.2, 6)])
    apart = 0.8 * wait(0.8 * rate, [(1, 1)]) + 0.2 * wait(0.2 * rate, [(1, 6)])
    return at_random, apart


def ticket_office():
    equal = brentq(lambda rate: at_the_office(rate)[0] - at_the_office(rate)[1], 0.1, 0.82)
    return *at_the_office(0.8), equal


def best_split():
    """Exercise 7.2: the numbers of short jobs' workers that are best for waits and for slowdowns."""
    shares, means = (0.9, 0.1), (1, 44)
    pairs = []
    for load in (0.5, 0.8, 0.95):
        rate = load * 100 / (0.9 * 1 + 0.1 * 44)
        waits = {}
        for short in range(1, 100):
            sides = (short, 100 - short)
            each = [rate * share / n for share, n in zip(shares, sides, strict=True)]
            if all(x * mean < 1 for x, mean in zip(each, means, strict=True)):
                # uniform between 0 and 2 s, and between 22 and 66 s
                squares = (4 / 3, 44**2 * 13 / 12)
                waits[short] = [
                    x * square / (2 * (1 - x * mean))
                    for x, square, mean in zip(each, squares, means, strict=True)
                ]
        least = min(waits, key=lambda n: 0.9 * waits[n][0] + 0.1 * waits[n][1])
        slow = min(waits, key=lambda n: 0.9 * waits[n][0] + 0.1 * waits[n][1] / 44)
        pairs.append((least, slow))
    return pairs


def toy():
    """Exercise 8.1: the durations d that are tried are whole seconds."""
    left = [10, 100, 100, 10]
    took = {
        d: [on_four_nodes(left, [d] * 4, sticky) for sticky in (True, False)] for d in range(1, 200)
    }
    first = min(d for d in took if all(took[e][0] == took[e][1] for e in took if e >= d))
    return *took[50], first


def half_widths(a, b):
    """Of the 95 % intervals of A, of B and of B - A, and the mean of the last."""
    factor = student.ppf(0.975, 4) / math.sqrt(5)
    apart = [y - x for x, y in zip(a, b, strict=True)]
    return [factor * statistics.stdev(values) for values in (a, b, apart)], statistics.mean(apart)


def paired():
    """Exercise 10.1."""
    return half_widths([40, 12, 25, 58, 30], [37, 10, 21, 53, 29])[0]


def border():
    """Exercise 7.5: the load at which the general partition's work is all that its workers can do."""

    def over(load, part):
        return load * (0.83 + 0.17 * (1 - part)) - (1 - part)

    return [brentq(over, 0.1, 2, args=(part,)) for part in (0.17, 0.25, 0.35)]


def near_the_limit():
    """Exercise 8.3: of all ways to draw k workers, those that draw busy ones alone."""
    return lambda busy, workers, k: statistics.mean(
        math.comb(b, k) / math.comb(workers, k) for b in busy.tolist()
    )


def four_views():
    """Exercise 9.1, by the names of the stages."""
    stages, _ = one_trace.hour()
    mine = stages.jobs.query("trace_job == 42086")
    names = set(mine["stage"])
    pairs = sum(
        re.fullmatch(r"R\d_\d", name) is not None and f"M{name[-1]}" in names for name in names
    )
    return stages.tasks["job"].isin(mine["job"]).sum(), pairs, len(names), len(names)


def mean_end():
    """Exercise 9.5: the least work first."""
    return lambda batch: batch.map_tasks * batch.map_time + batch.reduce_tasks * batch.reduce_time


def third_leaf(lasts):
    """The tasks that a third leaf of exercise 10.4 starts; the leaf that holds least of those that fit goes first."""
    needs, free, held = ((1, 0), (0, 1), (1, 1)), [20, 20], [0, 0, 0]
    ends, started = [(0.0, -1), (5.0, -1)], 0  # leaf 2 comes at 5
    while ends[0][0] <= 600:
        now, leaf = heapq.heappop(ends)
        if leaf >= 0:
            held[leaf] -= 1
            free = [f + n for f, n in zip(free, needs[leaf], strict=True)]
        if ends and ends[0][0] == now:
            continue
        there = (0, 1, 2) if now >= 5 else (0, 1)
        while able := [
            i for i in there if all(f >= n for f, n in zip(free, needs[i], strict=True))
        ]:
            leaf = min(able, key=lambda i: held[i])
            held[leaf] += 1
            started += leaf == 2
            free = [f - n for f, n in zip(free, needs[leaf], strict=True)]
            heapq.heappush(ends, (now + lasts[leaf], leaf))
    return started


def nobody_lets_it_in():
    """Exercise 10.4: durations, by search, with which the third leaf starts nothing."""
    found = (
        (first, second, 3.0)
        for first, second in itertools.product((7.0, 7 * math.sqrt(2)), repeat=2)
    )
    lasts = next(lasts for lasts in found if not third_leaf(lasts))
    assert third_leaf((7.0, 7.0, 3.0)) > 10
    columns = {"leaf": [0, 1, 2], "submit": [0.0, 0.0, 5.0], "tasks": [10**4, 10**4, 10]}
    return pd.DataFrame(columns | {"duration": lasts})


@pytest.mark.parametrize(
    ("key", "solve"),
    [
        ("probing.ticket_office", ticket_office), ("probing.best_split", best_split),
        ("eagle.toy", toy), ("own_policy.paired", paired), ("probing.border", border),
        ("eagle.near_the_limit", near_the_limit), ("one_trace.four_views", four_views),
        ("one_trace.mean_end", mean_end), ("own_policy.nobody_lets_it_in", nobody_lets_it_in),
    ],
)  # fmt: skip
def test_an_exercise_is_solved_as_it_is_stated(key, solve):
    verdict = exercises.check(key, solve())
    assert verdict.ok, verdict


def test_chapter_10_b_is_better_and_its_interval_overlaps():
    widths, apart = half_widths([21, 8, 35, 14, 27], [18, 6, 31, 13, 22])
    assert [round(widths[0]), round(widths[1]), round(widths[2], 1), apart] == [13, 12, 2.0, -3]
