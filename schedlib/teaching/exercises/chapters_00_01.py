"""Checks of the tour, a first try of how exercises work, and of chapter 1: why jobs wait."""

from functools import partial

import numpy as np

from schedlib import hmhs, theory, traces
from schedlib.teaching import exercises
from schedlib.teaching.exercises import expect, near, number, numbers

tour = partial(exercises.exercise, "00-start-here")


@tour(1)
def another_batch(answer: object) -> str:
    """Give a number: by how many per cent HMHS ends sooner than FIFO on the batch drawn with `seed=1`."""
    given, old, right = number(answer), _gain(0), _gain(1)
    expect(not near(given, old, 0.05), "that is the batch above: draw another one with `seed=1`")
    expect(not near(given, right / 100, 0.05), "in per cent: 100 times that")
    expect(not near(100 - given, right, 0.05), "that is HMHS's makespan in per cent of FIFO's: subtract it")
    expect(near(given, right, 0.05), "copy *One policy* with `seed=1`, and divide the makespans as above")
    return "every exercise of the book is checked like this; the chapters have three to five each."


def _gain(seed):
    batch = hmhs.from_trace(traces.alibaba2018("mapreduce"), seed=seed, n_jobs=30, machines=(6, 6))
    return 100 * (1 - hmhs.schedule(batch, "hmhs").makespan / hmhs.schedule(batch, "fifo").makespan)


waiting = partial(exercises.exercise, "01-waiting")


@waiting(1)
def help_desk(answer: object) -> str:
    """Give three numbers: mean wait (minutes) and mean number waiting with one clerk; mean wait with two."""
    wait, waiting, two = numbers(answer, 3)
    one = theory.mmc_mean_wait(5, 6, 1)
    expect(not near(wait, one, 0.02), "the first number looks like hours: give minutes")
    expect(not near(wait, 60 * (one + 1 / 6), 0.02), "that is the time until they leave: the wait is shorter")
    expect(near(wait, 60 * one, 0.02), "with one clerk: the load, then rho / (1 - rho) mean service times")
    expect(near(waiting, theory.little(5, one), 0.03), "how many wait: Little's law, in one unit of time")
    hint = "two clerks: Erlang's formula with c = 2; the mean wait is C / (c mu - lambda), in minutes"
    expect(near(two, 60 * theory.mmc_mean_wait(5, 6, 2), 0.03), hint)
    return "a second clerk does far more than halve the wait."


@waiting(2)
def pooling(answer: object) -> str:
    """Give two numbers: the factor by which one cluster of both has a shorter wait, at 80 % and 97 % load."""
    given = numbers(answer, 2)
    apart, pooled = ([theory.mmc_mean_wait(cores * load, 1, cores) for load in (0.8, 0.97)]
                     for cores in (8, 16))
    right = np.divide(apart, pooled)
    expect(not near(given, 1 / right), "that is one cluster's wait over that of two: the other way round")
    expect((given > 1).all(), "a factor above 1: the longer wait over the shorter")
    expect(near(given[0], right[0]), "at 80 %: `theory.mmc_mean_wait` of 8 cores and of 16, at 0.8 a core")
    expect(near(given[1], right[1]), "at 97 %: the same with 0.97 a core")
    return "near full load a pool behaves like one server that is twice as fast, and the factor goes to 2."


@waiting(3)
def fractions(answer: object) -> None:
    """Give at least eight numbers: the measured fractions of time with 0, 1, 2, ... jobs in the system."""
    given = numbers(answer)
    expect(len(given) >= 8, "the fractions for at least n = 0 to 7")
    expect(min(given) >= 0 and sum(given) < 1 + 1e-6, "fractions are not negative, and sum to 1 over all n")
    off = np.abs(given[:8] - 0.3 * 0.7 ** np.arange(8))
    expect(off[0] < 0.03, "how long is the system empty? Weigh each level by the time that it lasts")
    expect(off.max() < 0.03, "only the first is right: does each finish take one away?")
    expect(off.max() > 1e-6, "these are the formula's numbers: measure them from a run's `jobs`")


@waiting(4)
def scaled_erlang(answer: object) -> str:
    """Give three numbers: by how many % scaled Erlang is above the simulated wait, on 1, 4 and 16 cores."""
    one, four, sixteen = numbers(answer, 3)
    expect(abs(one) < 10, "on one core only chance is left: simulate 200,000 jobs or more")
    expect(min(four, sixteen) > 0, "on several cores short jobs pass a long one: what does the formula miss?")
    expect(one < four < sixteen, "the error should grow with the cores: more seeds, or longer runs")
    expect(sixteen < 100, "in per cent of the simulated wait")
    return "the more servers, the less a long job blocks, and the more the formula says too much."
