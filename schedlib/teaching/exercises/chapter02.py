"""Checks for chapter 2: the fluid model."""

import numpy as np
from scipy.optimize import linprog

from schedlib import lotes
from schedlib.teaching.exercises.checking import exercise
from schedlib.teaching.exercises.reading import expect, items, near, number, numbers, one_of, rows

CHAPTER = "02-fluid"


@exercise(CHAPTER, 1, 'a pair: the limit in jobs an hour, and the scarce resource, "cores" or "memory"')
def by_hand(answer):
    given = items(answer, "a pair: a number and a word")
    expect(len(given) == 2, "needs a pair: a number and a word")
    rate, scarce = number(given[0]), one_of(given[1], ("cores", "memory"))
    configs = lotes.MachineConfigs([[6.0, 12.0]], [20])
    classes = lotes.JobClasses([0.25, 0.75], [[2.0, 1.0], [1.0, 4.0]], [[2.0, 2.0]])
    right = lotes.allocate(configs, classes).rate
    twice = [lotes.allocate(lotes.MachineConfigs([pool], [20]), classes).rate for pool in ([12.0, 12.0], [6.0, 24.0])]
    expect(not near(rate, right / 2), "that is how many run at a time: jobs last half an hour, so each place serves two an hour")
    expect(not near(rate, right / 20), "that is for one machine: there are 20")
    expect(near(rate, right), "what do y running jobs, a quarter of them of class 1, take of each resource of the pool? What fills first?")
    expect(scarce == ("cores", "memory")[int(np.argmax(twice))], "the number is right. Twice as much of which resource would help?")


@exercise(CHAPTER, 2, "ten numbers: by how many jobs an hour the limit grows with one more machine of each configuration, in Table 1's order")
def one_more(answer):
    given = numbers(answer, 10)
    configs, classes = lotes.google2011()
    base = lotes.allocate(configs, classes).rate
    right = np.array([lotes.allocate(_with_one_more(configs, j), classes).rate - base for j in range(configs.n_configs)])
    expect((given > 0).all(), "another machine always helps here: subtract the old limit from the new one")
    expect(not near(given, base + right, 1e-4), "these are the limits themselves: subtract what it is without the machine")
    expect(not near(given, right / configs.capacity[:, 0], 0.02), "these are gains per core; the answer is per machine")
    wrong = np.flatnonzero(np.abs(given - right) > 0.02 * right)
    expect(not len(wrong), f"configuration {wrong[0] + 1 if len(wrong) else 0} is off: add one machine of it alone, to a copy of `count`")
    return "a machine is worth its cores, if memory can be found for them."


def _with_one_more(configs, j):
    return lotes.MachineConfigs(configs.capacity, configs.count + (np.arange(configs.n_configs) == j))


@exercise(CHAPTER, 3, "a pair of tables with 10 rows (configurations) and 4 columns (classes): the fewest and the most that can run")
def face(answer):
    given = items(answer, "a pair of tables")
    expect(len(given) == 2, "needs a pair of tables: the fewest, and the most")
    low, high = (rows(table, 4, "a pair of tables of 10 rows and 4 columns") for table in given)
    expect(low.shape == high.shape == (10, 4), "needs 10 rows, one per configuration, in both tables")
    configs, classes = lotes.google2011()
    for vertex in ("least waste", "solver"):
        running = lotes.allocate(configs, classes, vertex=vertex).running
        slack = 1 + 1e-3 * np.abs(running)
        expect((low <= running + slack).all(), f"the fewest are too many: `lotes.allocate(..., vertex={vertex!r})` has fewer")
        expect((high >= running - slack).all(), f"the most are too few: `lotes.allocate(..., vertex={vertex!r})` has more")
    fewest, most = _face(configs, classes)
    off = (np.abs(low - fewest) > 5 + 0.01 * fewest) | (np.abs(high - most) > 5 + 0.01 * most)
    j, k = np.argwhere(off)[0] if off.any() else (0, 0)
    expect(not off.any(), f"configuration {j + 1}, class {k + 1}: keep all rates and all pools, and minimise and maximise that y alone")
    return f"{int((fewest > 1).sum())} of 40 pairs run in every optimum, {int((most > 1).sum())} in some."


def _face(configs, classes):
    """The least and the largest y_jk, (M, K) each, over all optima of stage 1."""
    m, k = configs.n_configs, classes.n_classes
    rate = lotes.allocate(configs, classes).rate * (1 - 1e-9)  # a billionth less, for the solver's sake
    pools = configs.capacity * configs.count[:, None]
    served = [-np.outer(classes.rate[:, c], np.eye(k)[c]).ravel() / rate for c in range(k)]
    used = [np.outer(np.eye(m)[j], classes.demand[:, l]).ravel() / pools[j, l] for j in range(m) for l in range(2)]
    program = {"A_ub": np.array(served + used), "b_ub": np.r_[-classes.share, np.ones(2 * m)]}
    low = [linprog(unit, **program).fun for unit in np.eye(m * k)]
    high = [-linprog(-unit, **program).fun for unit in np.eye(m * k)]
    return np.reshape(low, (m, k)), np.reshape(high, (m, k))


@exercise(CHAPTER, 4, "a pair of mixes, each four shares that sum to 1: the one with the smallest limit, and the one with the largest")
def mixes(answer):
    worst, best = rows(answer, 4, "a pair of mixes")[[0, -1]]
    for mix in (worst, best):
        expect((mix >= 0).all() and abs(mix.sum() - 1) < 1e-6, "the shares of a mix are not negative, and sum to 1")
    configs, classes = lotes.google2011()
    alone = [_limit(configs, classes, mix) for mix in np.eye(4)]  # no mix is beyond: see the solution's two arguments
    given = [_limit(configs, classes, mix / mix.sum()) for mix in (worst, best)]
    expect(given[0] < given[1], "the first has the larger limit: first the mix with the smallest")
    expect(near(given[1], max(alone)), "there is a mix with a larger limit. What is a job of each class worth, in core-hours?")
    expect(near(given[0], min(alone)), "there is a mix with a smaller limit: the pools can always be divided among classes in time")


def _limit(configs, classes, mix):
    return lotes.allocate(configs, lotes.JobClasses(mix, classes.demand, classes.rate)).rate
