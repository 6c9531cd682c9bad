"""Checks for the LoTES chapters: 2, the fluid model; 3, bins; 4, dispatching."""

from functools import partial
from typing import Any

import numpy as np

from schedlib import lotes
from schedlib.lotes.planning.plan import sustained
from schedlib.teaching import exercises
from schedlib.teaching.exercises.reading import (
    a,
    expect,
    hinted,
    items,
    near,
    number,
    numbers,
    one_of,
    rows,
    wholes,
)
from schedlib.teaching.exercises.sealed import Sealed, listing
from schedlib.workload import Workload

fluid = partial(exercises.exercise, "fluid")


@fluid(
    "with y jobs running in all, write down what they take of cores and of memory; a job lasts half "
    "an hour"
)
def limit_by_hand(answer: object, seal: Sealed) -> None:
    """Give a pair: the limit in jobs an hour, and the scarce resource, "cores" or "memory"."""
    given = items(answer, "a pair: a number and a word", 2)
    rate, scarce = number(given[0]), one_of(given[1], ("cores", "memory"))
    seal.trap("at a time", rate, "that is how many run at a time: a job lasts only half an hour")
    seal.trap("one machine", rate, "that is for one machine: there are 20")
    seal.trap(
        "other resource", rate, "that is the limit of the other resource: which is full first?"
    )
    seal.right(
        "rate", rate, "what do y running jobs, a quarter of class 1, take of each resource?", 0.01
    )
    seal.right("scarce", scarce, "the number is right. Twice as much of which resource would help?")


@fluid(
    "the pools are `count * capacity[l]`; a job of class k takes `demand[k][l]` for `1 / rate[k]` hours"
)
def own_limit(answer: object, seal: Sealed) -> str:
    """Give a function of (capacity, count, share, demand, rate): the limit of one configuration's pools."""
    two = [8.0, 4.0]
    cases = (
        (
            "one class, one resource: what the pool can run, times how often",
            ([8.0], 10, [1.0], [[2.0]], [3.0]),
        ),
        ("the scarcer of two resources decides", (two, 5, [1.0], [[1.0, 1.0]], [1.0])),
        (
            "classes take a pool by their shares",
            (two, 5, [0.2, 0.8], [[1.0, 1.0], [3.0, 0.5]], [2.0, 2.0]),
        ),
        (
            "classes differ in how long they last",
            (two, 5, [0.5, 0.5], [[1.0, 1.0], [2.0, 1.0]], [1.0, 4.0]),
        ),
        (
            "three resources",
            ([9.0, 4.0, 1.0], 7, [0.3, 0.7], [[1.0, 1.0, 0.1], [2.0, 0.5, 0.3]], [1.0, 2.0]),
        ),
    )
    arrays = [
        (hint, tuple(np.asarray(one) if isinstance(one, list) else one for one in given))
        for hint, given in cases
    ]
    seal.cases(answer, "capacity, count, share, demand, rate", arrays)
    return "one configuration needs no linear program; only several have to be balanced."


@fluid(
    "copy `configs.count`, add 1 to one entry, and take `lotes.allocate(...).rate` less the old one"
)
def one_more(answer: object, seal: Sealed) -> str:
    """Give ten numbers: what one more machine of each configuration of Table 1 adds to the limit (jobs/h)."""
    given = numbers(answer, 10)
    expect(
        (given > 0).all(),
        "another machine always helps here: subtract the old limit from the new one",
    )
    seal.trap("limits", given, "these are the new limits: subtract the old one", 1e-4)
    seal.trap("per core", given, "these are gains per core: give them per machine")
    for j, gain in enumerate(given, 1):
        hint = f"configuration {j} is off: add one machine of it alone, to a copy of `count`"
        seal.right(f"configuration {j}", gain, hint)
    return "a machine is worth its cores, if memory can be found for them."


@fluid(
    "solve linear programs with 40 unknowns by `scipy.optimize.linprog`: every class keeps its rate, "
    "every pool its size"
)
def face(answer: object, seal: Sealed) -> str:
    """Give a pair of tables, 10 configurations x 4 classes: the fewest and the most that can run."""
    tables = items(answer, "a pair of tables: the fewest, and the most", 2)
    low, high = (rows(table, 4, "a pair of tables of 10 rows and 4 columns") for table in tables)
    expect(
        low.shape == high.shape == (10, 4), "needs 10 rows, one per configuration, in both tables"
    )
    configs, classes = lotes.google2011()
    for vertex in ("least waste", "solver"):
        running = lotes.allocate(configs, classes, vertex=vertex).running
        slack, call = 1 + 1e-3 * np.abs(running), f"`lotes.allocate(..., vertex={vertex!r})`"
        expect((low <= running + slack).all(), f"the fewest are too many: {call} has fewer")
        expect((high >= running - slack).all(), f"the most are too few: {call} has more")
    pairs = np.stack([low, high], axis=2)
    for j, row in enumerate(pairs, 1):
        hint = f"configuration {j}: keep all rates and all pools, and minimise and maximise each y alone"
        seal.right(f"configuration {j}", row, hint, 0.01, 5.0)
    return (
        f"{int((low > 1).sum())} of 40 pairs run in every optimum, {int((high > 1).sum())} in some."
    )


@fluid("compare the four mixes that hold a single class")
def mixes(answer: object, seal: Sealed) -> None:
    """Give a pair of mixes, four shares each that sum to 1: that of the smallest limit and of the largest."""
    worst, best = rows(answer, 4, "a pair of mixes")[[0, -1]]
    for mix in (worst, best):
        expect(
            (mix >= 0).all() and abs(mix.sum() - 1) < 1e-6, "shares are not negative, and sum to 1"
        )
    low, high = (_limit(mix / mix.sum()) for mix in (worst, best))
    expect(low < high, "the first has the larger limit: first the mix with the smallest")
    seal.right(
        "high", high, "there is a larger limit. How many core-hours does a class's job take?", 0.01
    )
    seal.right(
        "low", low, "there is a smaller limit: what if the classes take turns on the pools?", 0.01
    )


def _limit(mix):
    configs, classes = lotes.google2011()
    return lotes.allocate(configs, lotes.JobClasses(mix, classes.demand, classes.rate)).rate


bins = partial(exercises.exercise, "bins")
CAPACITY, DEMAND = np.array([9, 9]), np.array([[3, 1], [1, 3]])


@bins("go through 0, 1, 2, ... jobs of class 1, and add as many of class 2 as fit")
def bins_by_hand(answer: object, seal: Sealed) -> str:
    """Give a list of pairs, the fullest bin first: jobs of class 1 and of class 2 in each non-dominated
    bin."""
    given = wholes(rows(answer, 2, "a list of pairs"), "jobs of each class")
    for jobs in given:
        name, takes = tuple(jobs.tolist()), tuple((jobs @ DEMAND).tolist())
        fits = (jobs @ DEMAND <= CAPACITY).all()
        expect((jobs >= 0).all(), f"{name}: jobs are counted from 0")
        expect(fits, f"{name} does not fit: it takes {takes} of 9 cores and 9 GB")
        room = [((jobs + one) @ DEMAND <= CAPACITY).all() for one in np.eye(2, dtype=int)]
        expect(not any(room), f"{name} is dominated: there is room for another job")
    seal.right("bins", listing(given), "one is missing: go through the numbers of class 1")
    hint = "all bins are there, but the fullest is not first: which takes most of the 9 cores and 9 GB?"
    seal.right("fullest", listing(given[:1]), hint)
    return "a mix of both classes leaves the least."


@bins(
    "go through all bins that fit: for each number of one class, those of the next, until nothing fits"
)
def priciest(answer: object, seal: Sealed) -> str:
    """Give a function of (capacity, demand, price): the largest sum of prices of whole jobs in one
    machine."""
    cases = (
        ("one class, and whole jobs only", ([10], [[3]], [2.0])),
        (
            "the job with the best price for its size first is not always best",
            ([10], [[6], [5]], [7.0, 5.0]),
        ),
        ("both resources have to suffice", ([10, 4], [[2, 1], [1, 3]], [1.0, 1.0])),
        (
            "a class may be worth nothing, and another everything",
            ([7, 7], [[1, 1], [2, 3]], [0.0, 5.0]),
        ),
        ("three classes", ([12, 9], [[3, 1], [1, 3], [2, 2]], [4.0, 3.5, 3.9])),
    )
    seal.cases(
        answer,
        "capacity, demand, price",
        [(hint, tuple(map(np.asarray, given))) for hint, given in cases],
    )
    return "this is the question that column generation asks at each step, for one machine."


@bins("`lotes.plan(...).rate` over `lotes.allocate(...).rate`, for shares in small steps")
def kink(answer: object, seal: Sealed) -> str:
    """Give two numbers: the rate over the fluid limit without 2-core jobs, and their share at the kink."""
    start, share = numbers(answer, 2)
    expect(0 <= share <= 1, "the second is a share, from 0 to 1")
    seal.trap(
        "upside down", start, "that is the fluid limit over the bins' rate: the other way round"
    )
    seal.right(
        "start",
        start,
        "without 2-core jobs: how much of a machine of 8 cores do jobs of 3 use?",
        0.01,
    )
    seal.trap(
        "too far", share, "a smaller share loses nothing either: where does that begin?", 0.02, 0.02
    )
    seal.right("share", share, "the losses end at another share: take smaller steps", 0.02, 0.02)
    return "from that share on two kinds of bins leave no core idle."


@bins("`np.vstack([demand, 1.1 * demand[:extra]])` for 0, 1, 2 and 3 extra classes")
def more_classes(answer: object, seal: Sealed) -> str:
    """Give four whole numbers: non-dominated bins of Google's largest machine with 4, 5, 6 and 7 classes."""
    given = wholes(numbers(answer, 4), "bins")
    for extra, bins in enumerate(given.tolist()):
        copies = (
            "copies of classes 1, 2 and 3 in turn, 10 % larger" if extra else "Table 2 as it is"
        )
        hint = f"{4 + extra} classes: `lotes.count_bins` for configuration 4, with {copies}"
        seal.right(f"{4 + extra} classes", bins, hint)
    return "each class gives several times as many bins, and column generation never lists them."


@bins(
    "`sustained(classes, bins, machines)` says what a rounding is worth: move one machine, keep what helps"
)
def rounding(answer: object, seal: Sealed) -> str:
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
        expect(
            min(mixes.min(), *counts) >= 0, f"{here}: numbers of jobs and machines are not negative"
        )
        expect(
            counts.sum() == 5,
            f"{here}: 5 machines emulate some bin each, and here are {counts.sum()}",
        )
        expect((mixes @ demand <= capacity[j]).all(), f"{here}: a bin does not fit")
        bins.append(mixes)
        machines.append(counts)
    free = lotes.generate_plan(case.configs, case.classes)
    rate = sustained(case.classes, bins, machines)
    expect(rate > 0, "some class has no place in any bin")
    hint = "rounding by fractions, as `generate_plan(...).machines` does, sustains at least as much"
    expect(rate > free.rate_rounded * (1 + 1e-9), hint)
    mine, usual = (f"{100 * value / free.bound:.1f} %" for value in (rate, free.rate_rounded))
    return f"it sustains {mine} of the bound; rounding by fractions {usual}."


dispatching = partial(exercises.exercise, "dispatching")
LOADS = (1.0, 1.02, 1.04, 1.06, 1.08, 1.1)
POLICIES = ("lotes", "greedy", "tetris")


def _toy():
    configs = lotes.MachineConfigs([[5.0]], [2])
    return configs, lotes.plan(configs, lotes.JobClasses([0.5, 0.5], [[3.0], [2.0]], [[1.0, 1.0]]))


@dispatching(
    "LoTES spreads a class over the machines that plan for it: what if the next job needs a whole "
    "machine?"
)
def against_lotes(answer: object, seal: Sealed) -> str:
    """Give a `Workload` of four jobs, made by `Workload.from_arrays(..., job_class=..., cores=...)`."""
    jobs = a(Workload, answer, "a `Workload`")
    expect(len(jobs.jobs) == len(jobs.tasks) == 4, "four jobs of one task each")
    configs, plan = _toy()
    with hinted("the simulator refuses these jobs"):
        ours = lotes.simulate("lotes", configs, jobs, plan=plan)
    greedy = max(
        max(lotes.simulate("greedy", configs, jobs, seed=seed).response) for seed in range(5)
    )
    expect(greedy == 0, "a job waits under Greedy, too: Greedy takes any machine with room")
    expect(max(ours.response) > 0, "no job waits under LoTES. When is it bad to spread a class?")
    return "a plan is as good as the classes it was made for."


@dispatching(
    "for each load and policy look at `.stable` of the run; the first that is False counts"
)
def beyond_the_limit(answer: object, seal: Sealed) -> str:
    """Give a dictionary: for "lotes", "greedy", "tetris" the first load of 1.00, 1.02, ..., 1.10 with a run
    that is not stable, or None."""
    given = a(dict, answer, "a dictionary of loads")
    expect(
        set(given) == set(POLICIES),
        f"needs an entry for each of {', '.join(POLICIES)}, and no other",
    )
    for policy in POLICIES:
        load = None if given[policy] is None else number(given[policy])
        place = next((i for i, other in enumerate(LOADS) if load and near(load, other, 1e-6)), -1)
        hint = "one of the loads 1.00, 1.02, ..., 1.10, or None when it is stable at all of them"
        expect(load is None or place >= 0, f"{policy}: {hint}")
        hint = f"{policy}: is it stable at all loads before that one, and not at it?"
        seal.right(policy, place, hint)
    return "jobs of different shapes fill each other's gaps, so the limit for mean sizes is no upper bound."


@dispatching(
    "`cluster.target[machine, k] - cluster.running[machine, k]`, for machines on which "
    "`lotes.can_start`"
)
def by_score(answer: object, seal: Sealed) -> None:
    """Give a `lotes.Policy` whose `arrive` gives the machine with the largest score that has room, or -1."""
    policy = a(lotes.Policy, answer, "a `lotes.Policy`")
    configs, plan = _toy()
    kinds: dict[str, Any] = {"job_class": [0, 1, 1, 0, 1, 0], "cores": [3, 2, 2, 3, 2, 3]}
    jobs = Workload.from_arrays([0, 1, 2, 3, 5, 6], [4, 8, 2, 7, 4, 4], **kinds)
    toy = lotes.simulate(policy, configs, jobs, plan=plan)
    count = "count the job's own class only: the number in the bin less the number running"
    expect(max(toy.response) == 0, f"of the chapter's six jobs one waits: {count}")
    twenty = lotes.MachineConfigs([[5.0]], [20])  # type: ignore[arg-type]
    plan = lotes.plan(twenty, plan.classes)
    crowd = lotes.RandomWorkload(
        plan.classes, rate=0.95 * plan.rate, hours=20.0, sizes="fixed", largest=5.0
    )
    cores = np.concatenate([block.demand for block in crowd.blocks()])[:, 0]
    _follows_the_score(
        lotes.simulate(policy, twenty, crowd, plan=plan).jobs, cores, plan.targets(0)
    )


def _follows_the_score(jobs, cores, target):
    """Hint unless a job starts, when it arrives, on a machine with the largest score of those with room."""
    submit, start, finish = (jobs[name].to_numpy() for name in ("submit", "start", "finish"))
    job_class, machine = jobs["class"].to_numpy(), jobs["machine"].to_numpy()
    for i in range(len(jobs)):
        there = (start < submit[i]) & ~(finish <= submit[i])
        there[i] = False
        free = 5.0 - np.bincount(
            machine[there].astype(int), weights=cores[there], minlength=len(target)
        )
        alike = there & (job_class == job_class[i])
        running = np.bincount(machine[alike].astype(int), minlength=len(target))
        score = np.where(free >= cores[i] - 1e-9, target[:, job_class[i]] - running, -np.inf)
        here = f"on a random run job {i}"
        expect(
            start[i] == submit[i] or not np.isfinite(score).any(),
            f"{here} waits although there is room",
        )
        largest = start[i] != submit[i] or score[int(machine[i])] == score.max()
        expect(largest, f"{here} starts on a machine although another with room has a larger score")


@dispatching(
    "`lotes.simulate('tetris', case.configs, case.workload, work=...)` gives waits in hours"
)
def weight_of_work(answer: object, seal: Sealed) -> str:
    """Give a dictionary by weight of gamma: the mean wait (seconds) of the jobs that start. Four weights or
    more, from 0 to 4."""
    waits = a(dict, answer, "a dictionary of waits by weight")
    given = {number(weight): number(wait) for weight, wait in waits.items()}
    expect(
        len(given) >= 4 and min(given) == 0 and max(given) == 4, "four weights or more, from 0 to 4"
    )
    for weight in (0.0, 4.0):
        wait = given[weight]
        seal.trap(f"hours {weight:g}", wait, "these waits are in hours: 3,600 seconds each")
        call = f"`lotes.simulate('tetris', ..., work={weight:g})` on the exercise's instance"
        seal.right(
            f"weight {weight:g}", wait, f"weight {weight:g}: 3600 times `mean_response` of {call}"
        )
    return (
        "and the longest wait, and the queue at the end? The mean leaves out jobs that never start."
    )
