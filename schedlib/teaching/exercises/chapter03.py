"""Checks for chapter 3: bins."""

import numpy as np

from schedlib import lotes
from schedlib.lotes.planning.plan import sustained
from schedlib.teaching.exercises.checking import exercise
from schedlib.teaching.exercises.reading import expect, items, near, numbers, rows, wholes

CHAPTER = "03-bins"
CAPACITY, DEMAND = np.array([8, 8]), np.array([[3, 1], [1, 3]])


@exercise(1)
def by_hand(answer: object) -> str:
    """Give a list of pairs: jobs of class 1 and of class 2 in each non-dominated bin."""
    given = wholes(rows(answer, 2, "a list of pairs"), "jobs of each class")
    for jobs in given:
        name, takes = tuple(jobs.tolist()), tuple((jobs @ DEMAND).tolist())
        fits = (jobs @ DEMAND <= CAPACITY).all()
        expect((jobs >= 0).all(), f"{name}: jobs are counted from 0")
        expect(fits, f"{name} does not fit: it takes {takes} of 8 cores and 8 GB")
        room = [((jobs + one) @ DEMAND <= CAPACITY).all() for one in np.eye(2, dtype=int)]
        expect(not any(room), f"{name} is dominated: there is room for another job")
    right = set(map(tuple, lotes.non_dominated_bins(CAPACITY, DEMAND).tolist()))
    expect(set(map(tuple, given.tolist())) == right, "one is missing: go through the numbers of class 1")
    return "the machine has no gap left."


@exercise(2)
def kink(answer: object) -> str:
    """Give two numbers: the rate over the fluid limit without 2-core jobs, and their share at the kink."""
    start, share = numbers(answer, 2)
    expect(0 <= share <= 1, "the second is a share, from 0 to 1")
    expect(not near(start, 1 / _ratio(0)), "that is the fluid limit over the bins' rate: the other way round")
    expect(near(start, _ratio(0)), "without 2-core jobs: how much of a machine of 8 cores do jobs of 3 use?")
    expect(_ratio(min(share + 0.02, 1)) > 1 - 1e-6, "there the bins still lose: the kink is further right")
    expect(_ratio(max(share - 0.02, 0)) < 1 - 1e-6, "left of it nothing is lost either: where does it begin?")
    return "from there on machines of two kinds leave nothing idle."


def _ratio(share):
    thirty = lotes.MachineConfigs([[8.0]], [30])
    jobs = lotes.JobClasses([1 - share, share], [[3.0], [2.0]], [[1.0, 1.0]])
    return lotes.plan(thirty, jobs).rate / lotes.allocate(thirty, jobs).rate


@exercise(3)
def more_classes(answer: object) -> str:
    """Give four whole numbers: non-dominated bins of Google's largest machine with 4, 5, 6 and 7 classes."""
    given = wholes(numbers(answer, 4), "bins")
    configs, classes = lotes.google2011()
    for extra in range(4):
        demand = np.vstack([classes.demand, 1.1 * classes.demand[:extra]])
        copies = "copies of classes 1, 2 and 3 in turn, 10 % larger in both resources"
        hint = f"`lotes.count_bins` for configuration 4, with {copies if extra else 'Table 2 as it is'}"
        most = lotes.count_bins(configs.capacity[3], demand, limit=10**8)
        expect(given[extra] == most, f"{4 + extra} classes: {hint}")
    return "several times as many with each class, and column generation does not notice."


@exercise(4)
def rounding(answer: object) -> str:
    """Give a pair of lists, ten arrays each: a configuration's bins, and how many machines emulate each."""
    given = items(answer, "a pair of lists: the bins, and the machines", 2)
    what = "an array for each of the ten configurations, in both lists"
    all_bins, all_machines = (items(part, what, 10) for part in given)
    case = lotes.random_instance(machines=5, hours=1.0, seed=0)
    capacity, demand = lotes.scaled(case.configs.capacity, case.classes.demand)
    bins, machines = [], []
    for j, (mixes, counts) in enumerate(zip(all_bins, all_machines, strict=True)):
        mixes, counts = rows(mixes, 9, "bins of nine classes"), numbers(counts)
        here = f"configuration {j + 1}"
        expect(len(mixes) == len(counts), f"{here}: a number of machines for each bin")
        mixes, counts = wholes(mixes, "jobs"), wholes(counts, "machines")
        expect(min(mixes.min(), *counts) >= 0, f"{here}: numbers of jobs and machines are not negative")
        expect(counts.sum() == 5, f"{here}: 5 machines emulate some bin each, and here are {counts.sum()}")
        expect((mixes @ demand <= capacity[j]).all(), f"{here}: a bin does not fit")
        bins.append(mixes)
        machines.append(counts)
    free = lotes.generate_plan(case.configs, case.classes)
    rate = sustained(case.classes, bins, machines)
    expect(rate > 0, "some class has no place at all")
    hint = "rounding by fractions, as `generate_plan(...).machines` does, sustains as much"
    expect(rate > free.rate_rounded * (1 + 1e-9), hint)
    mine, usual = (f"{100 * value / free.bound:.1f} %" for value in (rate, free.rate_rounded))
    return f"it sustains {mine} of the bound; rounding by fractions {usual}."
