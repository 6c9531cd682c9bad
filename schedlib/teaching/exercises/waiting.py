"""Checks of the tour, a first try of how exercises work, and of the chapters on why jobs wait."""

from functools import partial

import numpy as np

from schedlib.teaching import exercises
from schedlib.teaching.exercises.reading import expect, number, numbers
from schedlib.teaching.exercises.sealed import Sealed

tour = partial(exercises.exercise, "tour")
waiting = partial(exercises.exercise, "waiting")


@tour("the gain is `100 * (1 - ours / fifo)`, with both makespans on the batch of `seed=1`")
def another_batch(answer: object, seal: Sealed) -> str:
    """Give a number: by how many per cent HMHS ends sooner than FIFO on the batch drawn with `seed=1`."""
    given = number(answer)
    seal.trap(
        "seed 0", given, "that is the gain on the batch above: draw another one with `seed=1`"
    )
    seal.trap("part of 1", given, "give the gain in per cent: 100 times that")
    seal.trap(
        "what is left", given, "that is HMHS's makespan in per cent of FIFO's: subtract it from 100"
    )
    seal.right(
        "gain", given, "run the three lines again with `seed=1`, then divide the makespans", 0.05
    )
    return "every exercise of the book is checked like this; the chapters have three to five each."


@waiting(
    "use Little's law three times: for all who are inside, for the line alone, and again for all inside"
)
def canteen(answer: object, seal: Sealed) -> str:
    """Give three numbers: minutes inside, minutes in line, and how many come while one guest is inside."""
    stay, line, meanwhile = numbers(answer, 3)
    seal.trap("hours", stay, "the first number looks like hours: give minutes")
    seal.right(
        "stay", stay, "minutes inside: the number inside, over the rate at which guests come"
    )
    seal.trap("rest", line, "that is the time at the table: the second number is for those in line")
    seal.right(
        "line", line, "minutes in line: the law holds for the line alone, too, with the same rate"
    )
    seal.right(
        "meanwhile",
        meanwhile,
        "the third: how many guests come, at this rate, while one is inside?",
    )
    return "Little's law needs to know nothing about how the times vary."


@waiting(
    "sort all moments: each `submit` adds one job, each `finish` takes one away; weigh each level by "
    "the time that it lasts"
)
def levels(answer: object, seal: Sealed) -> str:
    """Give a function of (submit, finish), two arrays: the fraction of the time from the first submission to
    the last finish with 0, 1, 2 and 3 jobs in the system."""
    rng = np.random.default_rng(7)
    submit, work, finish = (
        np.cumsum(rng.exponential(1 / 0.7, 400)),
        rng.exponential(1.0, 400),
        np.zeros(400),
    )
    for job in range(400):
        finish[job] = max(submit[job], finish[job - 1] if job else 0.0) + work[job]
    late = np.array([0.0, 1.0]), np.array([9.0, 2.0])
    cases = (
        (
            "one job after the other, with a gap: count the time without jobs",
            ([0.0, 5.0], [2.0, 6.0]),
        ),
        ("jobs may finish in another order than they came: does each finish take one away?", late),
        (
            "levels that last longer weigh more: count time, not moments",
            ([0.0, 1.0, 2.0], [8.0, 8.5, 9.0]),
        ),
        ("many jobs: give fractions of the whole time", (submit, finish)),
    )
    arrays = [(hint, tuple(map(np.asarray, given))) for hint, given in cases]
    seal.cases(answer, "submit, finish", arrays, read=_four)
    return "compare it with the formula on a long run."


def _four(answer):
    given = numbers(answer)
    expect(
        len(given) >= 3 and (given >= -1e-9).all(),
        "needs the fractions for n = 0 to 3, none negative",
    )
    return np.r_[given, 0.0][:4]


@waiting(
    "keep a list of who waits; when the server is free take its last entry, and note start less "
    "submission",
    "neither order looks at service times, so as many jobs wait; the order changes who waits how long",
)
def last_first(answer: object, seal: Sealed) -> str:
    """Give three numbers, in mean service times: the mean wait when the last comes first, and the standard
    deviations of waits, first come first and last come first."""
    mean, first, last = numbers(answer, 3)
    seal.trap("stay", mean, "that is wait and service: here the wait ends when the service starts")
    seal.right(
        "mean",
        mean,
        "the mean wait: is a job that finds the server idle counted with a wait of 0?",
        0.06,
    )
    seal.trap(
        "swapped",
        (first, last),
        "the deviations look swapped: under which order do some wait very long?",
        0.08,
    )
    seal.right(
        "first", first, "first come, first served: does your run keep the order of arrival?", 0.08
    )
    seal.right("last", last, "last come, first served: simulate half a million jobs or more", 0.12)
    return "both orders have the same mean wait: a mean does not say how fair an order is."


@waiting(
    "with one clerk the load is 5/6, and a wait is load / (1 - load) mean service times",
    "with two clerks, take Erlang's C with c = 2 and an offered load of 5/6; the wait is C / (12 - 5) "
    "of an hour",
)
def help_desk(answer: object, seal: Sealed) -> str:
    """Give three numbers: mean wait (minutes) and mean number waiting with one clerk; mean wait with two."""
    wait, line, two = numbers(answer, 3)
    seal.trap("hours", wait, "the first number looks like hours: give minutes")
    seal.trap("stay", wait, "that is the time until they leave: the wait is shorter")
    seal.right(
        "wait", wait, "with one clerk: first the load, then the formula of the single server"
    )
    seal.right(
        "line", line, "how many wait: use Little's law, with one unit of time for both", 0.03
    )
    seal.trap(
        "half", two, "a second clerk more than halves the wait: each clerk is idle more often, too"
    )
    seal.right("two", two, "two clerks: Erlang's formula with c = 2, and then minutes", 0.03)
    return "a second clerk does far more than halve the wait."


@waiting("`theory.mmc_mean_wait(cores * load, 1, cores)` with 8 cores, over that with 16")
def pooling(answer: object, seal: Sealed) -> str:
    """Give two numbers: the factor by which one cluster of both has a shorter wait, at 80 % and 97 % load."""
    given = numbers(answer, 2)
    seal.trap(
        "upside down", given, "that is one cluster's wait over that of two: the other way round"
    )
    seal.trap("rates", given, "the larger cluster gets the jobs of both: twice the rate")
    seal.right(
        "first",
        given[0],
        "at 80 %: `theory.mmc_mean_wait` of 8 cores and of 16, at 0.8 a core",
        0.01,
    )
    seal.right("second", given[1], "at 97 %: the same with 0.97 a core", 0.01)
    return "look at the plot: which value does the factor approach near full load?"


@waiting(
    "try one server more than the load needs, and go on until `theory.mmc_mean_wait` is small enough"
)
def staff(answer: object, seal: Sealed) -> str:
    """Give a function of (arrival_rate, service_rate, target): the fewest servers with a mean wait of at most
    the target."""
    cases = (
        ("a load below one server", (3.0, 6.0, 1.0)),
        ("fewer servers than the load are never enough", (50.0, 5.0, 10.0)),
        ("the mean wait has to meet the target, not the chance of a wait", (20.0, 6.0, 0.01)),
        ("the target has the unit of time of the rates", (400.0, 2.0, 0.002)),
        (
            "the fewest servers are asked for: would one fewer meet the target, too?",
            (1000.0, 1.0, 0.02),
        ),
    )
    seal.cases(
        answer, "arrival_rate, service_rate, target", cases, read=lambda result: int(number(result))
    )
    return "fewer than 1 + 1 / (service_rate * target) servers beyond the load: large services are cheap."


@waiting(
    "simulate 200,000 jobs or more on five seeds for each number of cores, and take means",
    "scaled Erlang is `(1 + c2) / 2` times `theory.mmc_mean_wait`; c2 is variance over squared "
    "mean of `service`",
)
def scaled_erlang(answer: object, seal: Sealed) -> str:
    """Give three numbers: by how many % scaled Erlang is above the simulated wait, on 1, 4 and 16 cores."""
    one, four, sixteen = numbers(answer, 3)
    expect(abs(one) < 8, "on one core the formula is exact: simulate 200,000 jobs or more")
    expect(
        min(four, sixteen) > 0,
        "on several cores short jobs pass a long one: what does the formula miss?",
    )
    expect(one < four < sixteen, "the error should grow with the cores: more seeds, or longer runs")
    seal.right(
        "four", four, "on 4 cores: is it in per cent of the simulated wait, at 70 % load?", 0.2, 4.0
    )
    seal.right(
        "sixteen",
        sixteen,
        "on 16 cores: in per cent of the simulated wait, with 0.7 jobs a core",
        0.2,
        5.0,
    )
    return "the more servers, the less a long job blocks, and the more the formula overestimates the wait."
