"""Checks for chapter 2: the fluid model."""

import numpy as np
from scipy.optimize import linprog

from schedlib import lotes
from schedlib.teaching.exercises.checking import exercise
from schedlib.teaching.exercises.reading import expect, items, near, number, numbers, one_of, rows

CHAPTER = "02-fluid"


@exercise(1)
def by_hand(answer: object) -> None:
    """Give a pair: the limit in jobs an hour, and the scarce resource, "cores" or "memory"."""
    given = items(answer, "a pair: a number and a word", 2)
    rate, scarce = number(given[0]), one_of(given[1], ("cores", "memory"))
    classes = lotes.JobClasses([0.25, 0.75], [[2.0, 1.0], [1.0, 4.0]], [[2.0, 2.0]])  # type: ignore[arg-type]
    pools = [6.0, 12.0], [12.0, 12.0], [6.0, 24.0]  # as it is, with twice the cores, with twice the memory
    configs = (lotes.MachineConfigs([pool], [20]) for pool in pools)  # type: ignore[arg-type]
    right, *twice = (lotes.allocate(one, classes).rate for one in configs)
    expect(not near(rate, right / 2), "that is how many run at a time: a place serves two jobs an hour")
    expect(not near(rate, right / 20), "that is for one machine: there are 20")
    expect(near(rate, right), "what do y running jobs, a quarter of class 1, take of each resource?")
    hint = "the number is right. Twice as much of which resource would help?"
    expect(scarce == ("cores", "memory")[int(np.argmax(twice))], hint)


@exercise(2)
def one_more(answer: object) -> str:
    """Give ten numbers: what one more machine of each configuration of Table 1 adds to the limit (jobs/h)."""
    given = numbers(answer, 10)
    configs, classes = lotes.google2011()
    counts = configs.count + np.eye(configs.n_configs, dtype=int)
    larger = [lotes.MachineConfigs(configs.capacity, count) for count in counts]
    limits = np.array([lotes.allocate(one, classes).rate for one in larger])
    right = limits - lotes.allocate(configs, classes).rate
    expect((given > 0).all(), "another machine always helps here: subtract the old limit from the new one")
    expect(not near(given, limits, 1e-4), "these are limits: subtract that without the machine")
    expect(not near(given, right / configs.capacity[:, 0], 0.02), "gains per core; the answer is per machine")
    for j in np.flatnonzero(np.abs(given - right) > 0.02 * right):
        expect(False, f"configuration {j + 1} is off: add one machine of it alone, to a copy of `count`")
    return "a machine is worth its cores, if memory can be found for them."


@exercise(3)
def face(answer: object) -> str:
    """Give a pair of tables, 10 configurations x 4 classes: the fewest and the most that can run."""
    tables = items(answer, "a pair of tables: the fewest, and the most", 2)
    low, high = (rows(table, 4, "a pair of tables of 10 rows and 4 columns") for table in tables)
    expect(low.shape == high.shape == (10, 4), "needs 10 rows, one per configuration, in both tables")
    configs, classes = lotes.google2011()
    for vertex in ("least waste", "solver"):
        running = lotes.allocate(configs, classes, vertex=vertex).running
        slack, call = 1 + 1e-3 * np.abs(running), f"`lotes.allocate(..., vertex={vertex!r})`"
        expect((low <= running + slack).all(), f"the fewest are too many: {call} has fewer")
        expect((high >= running - slack).all(), f"the most are too few: {call} has more")
    fewest, most = _face(configs, classes)
    off = (np.abs(low - fewest) > 5 + 0.01 * fewest) | (np.abs(high - most) > 5 + 0.01 * most)
    for j, k in np.argwhere(off):
        hint = "keep all rates and all pools, and minimise and maximise that y alone"
        expect(False, f"configuration {j + 1}, class {k + 1}: {hint}")
    return f"{int((fewest > 1).sum())} of 40 pairs run in every optimum, {int((most > 1).sum())} in some."


def _face(configs, classes):
    """The least and the largest y_jk, (M, K) each, over all optima of stage 1."""
    m, k = configs.n_configs, classes.n_classes
    rate = lotes.allocate(configs, classes).rate * (1 - 1e-9)  # a billionth less, for the solver's sake
    pools = configs.capacity * configs.count[:, None]
    served = [-np.outer(classes.rate[:, c], np.eye(k)[c]).ravel() / rate for c in range(k)]
    used = [np.outer(row, classes.demand[:, l]).ravel() / pools[j, l]
            for j, row in enumerate(np.eye(m)) for l in (0, 1)]
    program = {"A_ub": np.array(served + used), "b_ub": np.r_[-classes.share, np.ones(2 * m)]}
    ends = [[sign * linprog(sign * unit, **program).fun for unit in np.eye(m * k)] for sign in (1, -1)]
    return np.reshape(ends, (2, m, k))


@exercise(4)
def mixes(answer: object) -> None:
    """Give a pair of mixes, four shares each that sum to 1: that of the smallest limit and of the largest."""
    worst, best = rows(answer, 4, "a pair of mixes")[[0, -1]]
    for mix in (worst, best):
        expect((mix >= 0).all() and abs(mix.sum() - 1) < 1e-6, "shares are not negative, and sum to 1")
    alone = [_limit(mix) for mix in np.eye(4)]  # no mix is beyond: see the solution's two arguments
    low, high = (_limit(mix / mix.sum()) for mix in (worst, best))
    expect(low < high, "the first has the larger limit: first the mix with the smallest")
    expect(near(high, max(alone)), "there is a larger limit. How many core-hours does a class's job take?")
    expect(near(low, min(alone)), "there is a smaller limit: the pools can be divided among classes in time")


def _limit(mix):
    configs, classes = lotes.google2011()
    return lotes.allocate(configs, lotes.JobClasses(mix, classes.demand, classes.rate)).rate
