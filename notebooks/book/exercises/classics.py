"""Checks of the lecture on classics: lists, Johnson's rule, bins, and one server."""

from collections.abc import Sequence
from functools import partial

import numpy as np

from book import exercises
from book.exercises.reading import (
    expect,
    expect_near,
    numbers,
    right_in_cases,
    rows,
    unlike,
    wholes,
)
from schedlib import hmhs
from schedlib.hmhs.johnson import flow_shop_makespan

classics = partial(exercises.exercise, "classics")
DURATIONS = (2, 8, 4, 7, 5, 3, 9)
BY_LIST, BY_LPT, BEST = 18, 14, 13  # the makespans on three machines
CAPACITY = 10
# Under SRPT the longest job of the chapter's law takes as long as under processor sharing at this load
CROSSING = 0.9286
AT_80 = 0.9736  # and at 80 % load it takes this much of that time
MOST_PAIRS = 50
MANY = 2.485  # the mean response of sixty jobs, the shortest first


@classics(
    "keep three numbers, when each machine is free; a job goes to the smallest of them",
    "for the best plan: the longest machine works at least a third of all work, rounded up; can the "
    "jobs be split into three groups that reach this?",
)
def three_machines(answer: object) -> str:
    """Give three numbers: the makespan by list order, by LPT, and of the best plan."""
    by_list, by_lpt, best = numbers(
        answer, 3, unit="min minutes", names="list lpt|longest best|optim"
    )
    unlike(
        (by_list, by_lpt),
        (
            [BY_LPT, BY_LIST],
            "the first two look swapped: which order knows that a long job comes last?",
        ),
    )
    expect(by_list != sum(DURATIONS), "list order: three machines work at the same time")
    expect_near(
        by_list,
        BY_LIST,
        "list order: which machine is free first when the job of 9 comes?",
        within=1e-6,
    )
    expect_near(
        by_lpt, BY_LPT, "LPT: sort by falling duration first, then go as by list order", within=1e-6
    )
    expect_near(
        best,
        BEST,
        "the best plan: no machine can be shorter than the longest of the three groups",
        (sum(DURATIONS) / 3, "a third of all work is a bound: these jobs are not cut in pieces"),
        (BY_LPT, "the best plan: LPT's is not it. Find two jobs that fill up the machine of 9"),
        within=1e-6,
    )
    return "LPT is near the best plan, as its bound says, and list order is not."


@classics(
    "two jobs are enough: one with a long first and a short second time, one the other way round",
    "the job with the smaller total should be the one with the long first time: then machine two has "
    "nothing to do for long",
)
def against_johnson(answer: object) -> str:
    """Give a list of pairs, (time on machine one, time on machine two), for which shortest total first takes at
    least 1.5 times as long as Johnson's order."""
    pairs = rows(answer, 2, "a list of pairs")
    expect(len(pairs) <= MOST_PAIRS, f"give at most {MOST_PAIRS} jobs")
    expect((pairs > 0).all(), "each time must be positive")
    expect(len(pairs) > 1, "one job has one order only: give two jobs or more")
    expect((pairs < 1e12).all(), "give smaller times")
    first, second = pairs.T
    by_total = np.argsort(pairs.sum(axis=1), kind="stable")
    by_johnson = hmhs.johnson(first, second)
    late = flow_shop_makespan(first, second, by_total)
    soon = flow_shop_makespan(first, second, by_johnson)
    ratio = late / soon
    expect(
        ratio > 1 + 1e-9,
        "both orders end at the same time: does the job with the smaller total have the long first time?",
    )
    expect(
        ratio >= 1.5 - 1e-9,
        "shortest total first takes longer, but less than 1.5 times as long: make a job's two times differ more",
    )
    return "the shortest first is best for one machine and the mean; two machines in a row are another question."


def first_fit(sizes: Sequence[int], capacity: int) -> list[int]:
    """How full each bin is when each size goes to the first bin with room.

    >>> first_fit([3, 2, 1, 2, 4, 1], 5)
    [5, 4, 4]
    """
    full: list[int] = []
    for size in sizes:
        fits = [place for place, level in enumerate(full) if level + size <= capacity]
        if fits:
            full[fits[0]] += size
        else:
            full.append(size)
    return full


@classics(
    "look for sizes that fill two bins without a gap; then change one so that sorting spoils both bins",
    "two bins of 10: one of them holds three sizes, and so does the other; the two largest sizes must not "
    "share a bin in your order, and must leave a gap when they do",
)
def sorting_hurts(answer: object) -> str:
    """Give a list of at most ten sizes, whole numbers from 1 to 10, that need more bins of 10 by first fit
    decreasing than by first fit in your order."""
    sizes = wholes(numbers(answer), "sizes").tolist()
    expect(sizes and all(1 <= size <= CAPACITY for size in sizes), "each size is from 1 to 10")
    expect(len(sizes) <= 10, "give at most ten sizes")
    in_order = len(first_fit(sizes, CAPACITY))
    decreasing = len(first_fit(sorted(sizes, reverse=True), CAPACITY))
    expect(sizes != sorted(sizes, reverse=True), "your order is the sorted one: both are the same")
    expect(
        decreasing >= in_order,
        "here sorting helps: first fit in your order needs more bins, not fewer",
    )
    expect(
        decreasing > in_order,
        "both need the same number of bins: which sizes fill a bin exactly in your order only?",
    )
    return "sorting has the better guarantee; it is not better on every list."


@classics(
    "when the server is free, look at all jobs that have come; if there are none, wait for the next",
    "a job that runs is finished first: `now += work[job]`; only then look who has come meanwhile",
)
def shortest_first(answer: object) -> str:
    """Give a function of (submit, work), two arrays in the order of arrival: the mean time from arrival to end when
    a free server takes the shortest job that is there, and finishes it."""
    rng = np.random.default_rng(3)
    submit = np.cumsum(rng.exponential(1.3, 60)).round(2)
    work = rng.exponential(1.0, 60).round(2)
    cases = (
        ("a job cannot start before it comes", ([0, 8], [5, 1]), 3.0),
        ("a job that runs is not interrupted", ([0, 1], [10, 1]), 10.0),
        ("the shortest of those that wait goes first", ([0, 1, 1], [4, 3, 1]), 5.0),
        ("our six jobs: who has come at 14?", ([0, 1, 2, 4, 10, 13], [14, 6, 7, 5, 6, 7]), 71 / 3),
        ("many jobs: look again each time that a job ends", (submit.tolist(), work.tolist()), MANY),
    )
    right_in_cases(
        answer,
        "submit, work",
        cases,
        slips=lambda right, submit, work: [
            (right - np.mean(work), "that is the mean wait: a response lasts to the end", 1e-3)
        ],
    )
    return "Eagle's workers do this: a short task may overtake in the queue, but never stops one that runs."


@classics(
    "`theory.srpt_response(LARGEST, rate, ...)` against `LARGEST / (1 - load)`, both for the longest job",
    "for the load at which they are equal, try 0.85, 0.9, 0.95 and halve the interval in which the "
    "ratio passes 1",
)
def longest_job(answer: object) -> str:
    """Give two numbers: the longest job's mean time under SRPT over that under PS at 80 % load, and the load (a
    fraction) from which on the longest job is worse off under SRPT."""
    ratio, load = numbers(answer, 2, names="ratio|over load|from")
    expect_near(
        ratio,
        AT_80,
        "at 80 %: both times for a job of the largest size",
        (1 / AT_80, "that is PS over SRPT: the other way round", 0.005),
        (0.4243, "that is the ratio of the means over all jobs: take the longest job alone"),
        (5 * AT_80, "under PS a job of size x takes x / (1 - load), not x alone", 0.005),
        (
            335.1,
            "that is over PS's mean of all jobs: under PS, too, a long job takes longer",
            0.005,
        ),
        within=0.005,
    )
    expect(load < 1.001, "the load is a fraction, at most 1")
    expect(load > 0.82, "at 80 % the longest job is not worse off: look at higher loads")
    expect_near(load, CROSSING, "the load: where does the ratio pass 1?", within=0.006)
    return "with heavy tails, even the longest job rarely loses by SRPT: most of what it waits for is short."
