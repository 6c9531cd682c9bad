"""Checks for chapter 3: bins."""

import numpy as np

from schedlib import lotes
from schedlib.lotes.planning.plan import sustained
from schedlib.teaching.exercises.checking import exercise
from schedlib.teaching.exercises.reading import expect, items, near, numbers, rows, wholes

CHAPTER = "03-bins"
CAPACITY, DEMAND = np.array([8, 8]), np.array([[3, 1], [1, 3]])


@exercise(CHAPTER, 1, "a list of pairs: jobs of class 1 and of class 2 in each non-dominated bin")
def by_hand(answer):
    given = wholes(rows(answer, 2, "a list of pairs"), "jobs of each class")
    for bin_ in given:
        name = tuple(bin_.tolist())
        expect((bin_ >= 0).all(), f"{name}: jobs are counted from 0")
        expect((bin_ @ DEMAND <= CAPACITY).all(), f"{name} does not fit: it takes {tuple((bin_ @ DEMAND).tolist())} of 8 cores and 8 GB")
        room = [((bin_ + one) @ DEMAND <= CAPACITY).all() for one in np.eye(2, dtype=int)]
        expect(not any(room), f"{name} is dominated: there is room for another job")
    right = {tuple(bin_) for bin_ in lotes.non_dominated_bins(CAPACITY, DEMAND).tolist()}
    expect({tuple(bin_) for bin_ in given.tolist()} == right, "all of these are, and one is missing: go through the numbers of class 1 in turn")
    return "the machine has no gap left."


@exercise(CHAPTER, 2, "two numbers: the rate over the fluid limit when all jobs take 3 cores, and the share of 2-core jobs at the kink")
def kink(answer):
    start, share = numbers(answer, 2)
    expect(0 <= share <= 1, "the second is a share, from 0 to 1")
    expect(not near(start, _ratio(0) ** -1), "that is the fluid limit over the bins' rate: the other way round")
    expect(near(start, _ratio(0)), "without 2-core jobs: how much of a machine of 8 cores do jobs of 3 use?")
    expect(_ratio(min(share + 0.02, 1)) > 1 - 1e-6, "at that share the bins still lose: the kink is further right")
    expect(_ratio(max(share - 0.02, 0)) < 1 - 1e-6, "left of that share nothing is lost either: the kink is where loss begins")
    return "from there on machines of two kinds leave nothing idle."


def _ratio(share):
    thirty = lotes.MachineConfigs([[8.0]], [30])
    jobs = lotes.JobClasses([1 - share, share], [[3.0], [2.0]], [[1.0, 1.0]])
    return lotes.plan(thirty, jobs).rate / lotes.allocate(thirty, jobs).rate


@exercise(CHAPTER, 3, "four whole numbers: the non-dominated bins of Google's largest machine with 4, 5, 6 and 7 classes")
def more_classes(answer):
    given = wholes(numbers(answer, 4), "bins")
    configs, classes = lotes.google2011()
    demand = classes.demand
    for extra in range(4):
        if extra:
            demand = np.vstack([demand, 1.1 * classes.demand[extra - 1]])
        why = "copies of classes 1, 2 and 3 in turn, 10 % larger in both resources" if extra else "Table 2 as it is"
        most = lotes.count_bins(configs.capacity[3], demand, limit=10**8)
        expect(given[extra] == most, f"{4 + extra} classes: `lotes.count_bins` for configuration 4, with {why}")
    return "several times as many with each class, and column generation does not notice."


@exercise(CHAPTER, 4, "a pair of lists, ten arrays each: the bins of each configuration, and how many machines emulate each of them")
def rounding(answer):
    given = items(answer, "a pair of lists")
    expect(len(given) == 2, "needs a pair: the bins, and the machines")
    all_bins, all_machines = (items(part, "a pair of lists") for part in given)
    expect(len(all_bins) == len(all_machines) == 10, "needs an array for each of the ten configurations, in both lists")
    case = lotes.random_instance(machines=5, hours=1.0, seed=0)
    capacity, demand = lotes.scaled(case.configs.capacity, case.classes.demand)
    bins, machines = [], []
    for j, (mixes, counts) in enumerate(zip(all_bins, all_machines, strict=True)):
        mixes, counts = rows(mixes, 9, "bins of nine classes"), numbers(counts)
        expect(len(mixes) == len(counts), f"configuration {j + 1}: a number of machines for each bin")
        mixes, counts = wholes(mixes, "jobs"), wholes(counts, "machines")
        expect((mixes >= 0).all() and (counts >= 0).all(), f"configuration {j + 1}: numbers of jobs and machines are not negative")
        expect(counts.sum() == 5, f"configuration {j + 1}: 5 machines emulate some bin each, and here are {counts.sum()}")
        expect((mixes @ demand <= capacity[j]).all(), f"configuration {j + 1}: a bin does not fit")
        bins.append(mixes)
        machines.append(counts)
    free = lotes.generate_plan(case.configs, case.classes)
    rate = sustained(case.classes, bins, machines)
    expect(rate > 0, "some class has no place at all")
    expect(rate > free.rate_rounded * (1 + 1e-9), "rounding by fractions, as `generate_plan(...).machines` does, sustains as much")
    return f"it sustains {100 * rate / free.bound:.1f} % of the bound; rounding by fractions {100 * free.rate_rounded / free.bound:.1f} %."
