"""Checks for the LoTES chapters: 2, the fluid model; 3, bins; 4, dispatching."""

from functools import partial
from typing import Any

import numpy as np
from scipy.optimize import linprog

from schedlib import lotes
from schedlib.lotes.planning.plan import sustained
from schedlib.teaching import exercises
from schedlib.teaching.exercises import a, expect, hinted, items, near, number, numbers, one_of, rows, wholes
from schedlib.workload import Workload

fluid = partial(exercises.exercise, "02-fluid")


@fluid(1)
def limit_by_hand(answer: object) -> None:
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


@fluid(2)
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


@fluid(3)
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


@fluid(4)
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


bins = partial(exercises.exercise, "03-bins")
CAPACITY, DEMAND = np.array([8, 8]), np.array([[3, 1], [1, 3]])


@bins(1)
def bins_by_hand(answer: object) -> str:
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


@bins(2)
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


@bins(3)
def more_classes(answer: object) -> str:
    """Give four whole numbers: non-dominated bins of Google's largest machine with 4, 5, 6 and 7 classes."""
    given = wholes(numbers(answer, 4), "bins")
    configs, classes = lotes.google2011()
    for extra in range(4):
        demand = np.vstack([classes.demand, 1.1 * classes.demand[:extra]])
        copies = "copies of classes 1, 2 and 3 in turn, 10 % larger" if extra else "Table 2 as it is"
        most = lotes.count_bins(configs.capacity[3], demand, limit=10**8)
        hint = f"{4 + extra} classes: `lotes.count_bins` for configuration 4, with {copies}"
        expect(given[extra] == most, hint)
    return "several times as many with each class, and column generation does not notice."


@bins(4)
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


dispatching = partial(exercises.exercise, "04-dispatching")
LOADS = (1.0, 1.02, 1.04, 1.06, 1.08, 1.1)
POLICIES = ("lotes", "greedy", "tetris")


def _toy():
    configs = lotes.MachineConfigs([[5.0]], [2])
    return configs, lotes.plan(configs, lotes.JobClasses([0.5, 0.5], [[3.0], [2.0]], [[1.0, 1.0]]))


@dispatching(1)
def against_lotes(answer: object) -> str:
    """Give a `Workload` of four jobs, made by `Workload.from_arrays(..., job_class=..., cores=...)`."""
    jobs = a(Workload, answer, "a `Workload`")
    expect(len(jobs.jobs) == len(jobs.tasks) == 4, "four jobs of one task each")
    configs, plan = _toy()
    with hinted("the simulator refuses these jobs"):
        ours = lotes.simulate("lotes", configs, jobs, plan=plan)
    greedy = max(max(lotes.simulate("greedy", configs, jobs, seed=seed).response) for seed in range(5))
    expect(greedy == 0, "a job waits under Greedy, too: it takes any machine with room")
    expect(max(ours.response) > 0, "under LoTES none waits. When does it harm to spread a class?")
    return "a plan is as good as the classes it was made for."


@dispatching(2)
def beyond_the_limit(answer: object) -> str:
    """Give a dictionary: for "lotes", "greedy", "tetris" the first load of 1.00, 1.02, ..., 1.10 with a run
    that is not stable, or None."""
    given = a(dict, answer, "a dictionary of loads")
    expect(set(given) == set(POLICIES), f"needs an entry for each of {', '.join(POLICIES)}, and no other")
    for policy, load in given.items():
        if load is None:
            expect(_stable(policy, LOADS[-1]), f"{policy}: not stable at the highest load; look at `.stable`")
            continue
        place = next((i for i, other in enumerate(LOADS) if near(number(load), other, 1e-6)), -1)
        hint = "one of the loads 1.00, 1.02, ..., 1.10, or None when it is stable at all of them"
        expect(place >= 0, f"{policy}: {hint}")
        expect(not _stable(policy, LOADS[place]), f"{policy}: stable at that load, for the given instance")
        before = place == 0 or _stable(policy, LOADS[place - 1])
        expect(before, f"{policy}: nor is it stable at the load before")
    return "sizes that vary separately fill each other's gaps, so the limit of the means is none."


def _stable(policy, load):
    case = lotes.random_instance(0.006, load=load, machines=100, hours=10.0, sizes="independent", seed=0)
    plan = case.plan if policy == "lotes" else None
    return lotes.simulate(policy, case.configs, case.workload, plan=plan, record=False).stable


@dispatching(3)
def by_score(answer: object) -> None:
    """Give a `lotes.Policy` whose `arrive` gives the machine with the largest score that has room, or -1."""
    policy = a(lotes.Policy, answer, "a `lotes.Policy`")
    configs, plan = _toy()
    kinds: dict[str, Any] = {"job_class": [0, 1, 1, 0, 1, 0], "cores": [3, 2, 2, 3, 2, 3]}
    jobs = Workload.from_arrays([0, 1, 2, 3, 5, 6], [4, 8, 2, 7, 4, 4], **kinds)
    toy = lotes.simulate(policy, configs, jobs, plan=plan)
    count = "count, of its own class, what the bin has less what is running"
    expect(max(toy.response) == 0, f"of the chapter's six jobs one waits: {count}")
    twenty = lotes.MachineConfigs([[5.0]], [20])  # type: ignore[arg-type]
    plan = lotes.plan(twenty, plan.classes)
    crowd = lotes.RandomWorkload(plan.classes, rate=0.95 * plan.rate, hours=20.0, sizes="fixed", largest=5.0)
    cores = np.concatenate([block.demand for block in crowd.blocks()])[:, 0]
    _follows_the_score(lotes.simulate(policy, twenty, crowd, plan=plan).jobs, cores, plan.targets(0))


def _follows_the_score(jobs, cores, target):
    """Hint unless a job starts, when it arrives, on a machine with the largest score of those with room."""
    submit, start, finish = (jobs[name].to_numpy() for name in ("submit", "start", "finish"))
    job_class, machine = jobs["class"].to_numpy(), jobs["machine"].to_numpy()
    for i in range(len(jobs)):
        there = (start < submit[i]) & ~(finish <= submit[i])
        there[i] = False
        free = 5.0 - np.bincount(machine[there].astype(int), weights=cores[there], minlength=len(target))
        alike = there & (job_class == job_class[i])
        running = np.bincount(machine[alike].astype(int), minlength=len(target))
        score = np.where(free >= cores[i] - 1e-9, target[:, job_class[i]] - running, -np.inf)
        here = f"on a random run job {i}"
        expect(start[i] == submit[i] or not np.isfinite(score).any(), f"{here} waits although there is room")
        largest = start[i] != submit[i] or score[int(machine[i])] == score.max()
        expect(largest, f"{here} starts on a machine with a smaller score than another with room has")


@dispatching(4)
def weight_of_work(answer: object) -> str:
    """Give a dictionary: the mean wait (seconds) by weight of gamma, for four weights or more, 0 to 4."""
    waits = a(dict, answer, "a dictionary of waits by weight")
    given = {number(weight): number(wait) for weight, wait in waits.items()}
    expect(len(given) >= 4 and min(given) == 0 and max(given) == 4, "four weights or more, from 0 to 4")
    case = lotes.random_instance(0.006, machines=50, hours=20.0, sizes="common", seed=0)
    for weight in (0.0, 4.0):
        hours = lotes.simulate("tetris", case.configs, case.workload, record=False, work=weight).mean_response
        expect(not near(given[weight], hours, 0.02), "these waits are in hours: 3,600 seconds each")
        call = f"`lotes.simulate('tetris', ..., work={weight:g})` on the exercise's instance"
        expect(near(given[weight], 3600 * hours, 0.02), f"weight {weight:g}: the mean wait (s) of {call}")
    return "and the longest wait, and the queue at the end? The mean hides those that never start."
