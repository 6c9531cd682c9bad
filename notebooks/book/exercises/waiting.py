"""Checks of the tour, a first try of how exercises work, and of the chapters on why jobs wait."""

from functools import partial

import numpy as np

from book import exercises
from book.exercises.reading import (
    expect,
    expect_near,
    number,
    numbers,
    right_in_cases,
    unlike,
    wholes,
)

tour = partial(exercises.exercise, "tour")
waiting = partial(exercises.exercise, "waiting")
# the tour's gain in per cent on the batches of seed 0 and seed 1
SEED_0, SEED_1 = 13.31, 6.92
BY_HAND = 0.01  # numbers that a pencil finds may be rounded, not guessed
LONGER = 100 * SEED_1 / (100 - SEED_1)  # by how many per cent FIFO ends later than HMHS


@tour(
    "the gain is `100 * (1 - ours / fifo)`, with both makespans on the batch of `seed=1`",
    "copy the cell that draws the batch, put `seed=1` in it, and take both makespans from "
    "that batch",
)
def another_batch(answer: object) -> str:
    """Give a number: by how many per cent HMHS ends sooner than FIFO on the batch drawn with `seed=1`."""
    value = number(answer, unit="% percent")
    expect_near(
        value,
        SEED_1,
        "run the three lines again with `seed=1`, then divide the makespans",
        (SEED_0, "that is the gain on the batch above: draw another one with `seed=1`"),
        (SEED_1 / 100, "give the gain in per cent: 100 times that"),
        (100 - SEED_1, "that is HMHS's makespan in per cent of FIFO's: subtract it from 100"),
        (LONGER, "that is how much later FIFO ends than HMHS: divide by FIFO's makespan"),
        within=0.0125,  # 7 is rounded, too
    )
    return "every exercise of the book is checked like this; the chapters have three to five each."


@waiting(
    "use Little's law three times: for all who are inside, for the line alone, and again for all inside",
    "time = number / rate, and the rate is in guests an hour: 60 times that gives minutes. "
    "For the third, number = rate * stay",
)
def canteen(answer: object) -> str:
    """Give three numbers: minutes inside, minutes in line, and how many come while one guest is inside."""
    stay, line, meanwhile = numbers(
        answer, 3, unit="min minutes guests", names="stay|inside$ line come|mean"
    )
    expect_near(
        stay,
        10,
        "minutes inside: the number inside, over the rate at which guests come",
        (10 / 60, "the first number looks like hours: give minutes"),
        within=BY_HAND,
    )
    expect_near(
        line,
        4,
        "minutes in line: the law holds for the line alone, too, with the same rate",
        (6, "that is the time at the table: the second number is for those in line"),
        within=BY_HAND,
    )
    expect_near(
        meanwhile,
        15,
        "the third: how many guests come, at this rate, while one is inside?",
        within=BY_HAND,
    )
    return "Little's law needs to know nothing about how the times vary."


@waiting(
    "sort all moments: each `submit` adds one job, each `finish` takes one away; weigh each level by "
    "the time that it lasts",
    "`change` is 1 at each submission and -1 at each finish; with `order = np.argsort(moments)`, "
    "`np.cumsum(change[order])` holds from each moment to the next, and "
    "`np.diff(moments[order])` says how long",
)
def levels(answer: object) -> str:
    """Give a function of (submit, finish), two arrays: the fraction of the time from the first submission to
    the last finish with 0, 1, 2 and 3 jobs in the system."""
    rng = np.random.default_rng(7)
    submit = np.cumsum(rng.exponential(1 / 0.7, 400))
    work = rng.exponential(1.0, 400)
    finish = np.zeros(400)
    for job in range(400):
        finish[job] = max(submit[job], finish[job - 1] if job else 0.0) + work[job]
    cases = (
        (
            "one job after the other, with a gap: count the time without jobs",
            ([0.0, 5.0], [2.0, 6.0]),
            [1 / 2, 1 / 2, 0, 0],
        ),
        (
            "jobs may finish in another order than they came: does each finish take one away?",
            ([0.0, 1.0], [9.0, 2.0]),
            [0, 8 / 9, 1 / 9, 0],
        ),
        (
            "levels that last longer weigh more: count time, not moments",
            ([0.0, 1.0, 2.0], [8.0, 8.5, 9.0]),
            [0, 1 / 6, 1 / 6, 2 / 3],
        ),
        (
            "many jobs: give fractions of the whole time",
            (submit.tolist(), finish.tolist()),
            [0.342309, 0.248096, 0.158034, 0.0817115],
        ),
    )
    right_in_cases(answer, "submit, finish", cases, read=_four)
    return "compare it with the formula on a long run."


def _four(answer):
    values = numbers(answer)
    expect(
        len(values) >= 4 and (values >= -1e-9).all(),
        "needs the four fractions for n = 0 to 3, none negative",
    )
    expect(
        values.sum() < 1.5, "sums to more than 1: give fractions of the time, not per cent or times"
    )
    return values[:4]


@waiting(
    "keep a list of who waits; when the server is free take its last entry, and note start less "
    "submission",
    "neither order looks at service times, so as many jobs wait; the order changes who waits how long",
)
def last_first(answer: object) -> str:
    """Give three numbers, in mean service times: the mean wait when the last comes first, and the standard
    deviations of waits, first come first and last come first."""
    mean, first, last = numbers(answer, 3, names="mean ^first|fcfs|fifo ^last|lcfs|lifo")
    mean_wait = 0.7 / 0.3
    deviation = 3.18
    last_deviation = 6.81
    expect_near(
        mean,
        mean_wait,
        "the mean wait: is a job that finds the server idle counted with a wait of 0?",
        (mean_wait + 1, "that is wait and service: here the wait ends when the service starts"),
        within=0.06,
    )
    unlike(
        (first, last),
        (
            [last_deviation, deviation],
            "the deviations look swapped: under which order do some wait very long?",
            0.08,
        ),
    )
    expect_near(
        first,
        deviation,
        "first come, first served: does your run keep the order of arrival?",
        within=0.08,
    )
    expect_near(
        last,
        last_deviation,
        "last come, first served: simulate half a million jobs or more",
        within=0.12,
    )
    return "both orders have the same mean wait: a mean does not say how fair an order is."


@waiting(
    "with one clerk the load is 5/6, and a wait is load / (1 - load) mean service times",
    "with two clerks, take Erlang's C with c = 2 and an offered load of 5/6; the wait is C / (12 - 5) "
    "of an hour",
)
def help_desk(answer: object) -> str:
    """Give three numbers: mean wait (minutes) and mean number waiting with one clerk; mean wait with two."""
    wait, line, two = numbers(answer, 3, unit="min minutes", names="^wait$|one line|number two")
    # by hand: "a little over four" wait, and the two clerks' wait is two minutes
    line = 25 / 6 if line == 4 else line
    two = 2.1 if two == 2 else two
    expect_near(
        wait,
        50,
        "with one clerk: first the load, then the formula of the single server",
        (50 / 60, "the first number looks like hours: give minutes"),
        (60, "that is the time until they leave: the wait is shorter"),
        within=BY_HAND,
    )
    expect_near(
        line,
        5 * 50 / 60,
        "how many wait: use Little's law, with one unit of time for both",
        (5, "that is how many are there with those being served: count those who wait"),
        within=BY_HAND,
    )
    two_lines = 10 * 5 / 7
    one_quick_clerk = 5 * 5 / 7
    expect_near(
        two,
        2.1,
        "two clerks: Erlang's formula with c = 2, and then minutes",
        (25, "a second clerk more than halves the wait: each clerk is idle more often, too"),
        (two_lines, "that is for a line before each clerk: here both serve one line"),
        (one_quick_clerk, "that is for one clerk who is twice as quick: here there are two"),
        within=BY_HAND,
    )
    return "a second clerk does far more than halve the wait."


@waiting(
    "`theory.mmc_mean_wait(cores * load, 1, cores)` with 8 cores, over that with 16",
    "two clusters are 8 cores at the rate 8 * load each; one cluster of both is 16 cores at "
    "the rate 16 * load",
)
def pooling(answer: object) -> str:
    """Give two numbers: the factor by which one cluster of both has a shorter wait, at 80 % and 97 % load."""
    values = numbers(answer, 2, names="80|0\\.8 97")
    right = np.array([3.002, 2.094])
    with_jobs_of_one = [2619, 4543]
    unlike(
        values,
        (1 / right, "that is one cluster's wait over that of two: the other way round"),
        (with_jobs_of_one, "the larger cluster gets the jobs of both: twice the rate"),
    )
    expect_near(
        values[0],
        right[0],
        "at 80 %: `theory.mmc_mean_wait` of 8 cores and of 16, at 0.8 a core",
        within=0.01,
    )
    expect_near(values[1], right[1], "at 97 %: the same with 0.97 a core", within=0.01)
    return "look at the plot: which value does the factor approach near full load?"


@waiting(
    "try one server more than the load needs, and go on until `theory.mmc_mean_wait` is small enough",
    "begin with `int(arrival_rate / service_rate) + 1` servers; `while` the mean wait is "
    "above the target, add one",
)
def staff(answer: object) -> str:
    """Give a function of (arrival_rate, service_rate, target): the fewest servers with a mean wait of at most
    the target."""
    cases = (
        ("a load below one server", (3.0, 6.0, 1.0), 1),
        ("fewer servers than the load are never enough", (50.0, 5.0, 10.0), 11),
        ("the mean wait has to meet the target, not the chance of a wait", (20.0, 6.0, 0.01), 6),
        ("the target has the unit of time of the rates", (400.0, 2.0, 0.002), 222),
        (
            "the fewest servers are asked for: would one fewer meet the target, too?",
            (1000.0, 1.0, 0.02),
            1021,
        ),
    )
    right_in_cases(
        answer,
        "arrival_rate, service_rate, target",
        cases,
        read=lambda result: int(wholes(np.array(number(result)), "servers")),
        within=0,
    )
    return "fewer than 1 + 1 / (service_rate * target) servers beyond the load: large services are cheap."


@waiting(
    "simulate a million jobs or more on five seeds for each number of cores, and take means",
    "scaled Erlang is `(1 + c2) / 2` times `theory.mmc_mean_wait`; c2 is variance over squared "
    "mean of `service`",
)
def scaled_erlang(answer: object) -> str:
    """Give three numbers: by how many % scaled Erlang is above the simulated wait, on 1, 4 and 16 cores."""
    one, four, sixteen = numbers(answer, 3, unit="%", names="^1$|one ^4|four 16")
    runs = "a million jobs or more on five seeds"
    expect(
        abs(one) < 4, f"on one core the formula is exact, so this error is chance: simulate {runs}"
    )
    expect(
        min(four, sixteen) > 0,
        "on several cores short jobs pass a long one: what does the formula miss?",
    )
    expect(one < four < sixteen, "the error should grow with the cores: more seeds, or longer runs")
    # exact, by the chain of the queue M/H2/c: 0, 13.03 and 43.22
    expect_near(
        four,
        13.03,
        f"on 4 cores, in per cent of the simulated wait, at 70 % load: simulate {runs}",
        (
            100 - 100 / 1.1303,
            "that is in per cent of the formula: divide by the simulated wait",
            0.01,
        ),
        within=0.27,
    )
    expect_near(
        sixteen,
        43.22,
        f"on 16 cores, in per cent of the simulated wait, with 0.7 jobs a core: simulate {runs}",
        within=0.24,
    )
    return "the more servers, the less a long job blocks, and the more the formula overestimates the wait."
