"""Checks for the LoTES chapters: 2, the fluid model; 3, bins; 4, dispatching."""

import warnings
from functools import partial
from numbers import Real
from typing import Any

import numpy as np

from book import exercises
from book.exercises.reading import (
    a,
    expect,
    expect_near,
    hinted,
    items,
    made,
    near,
    number,
    numbers,
    one_of,
    right_in_cases,
    rows,
    unlike,
    wholes,
)
from schedlib import lotes
from schedlib.lotes.planning.plan import sustained
from schedlib.workload import Workload

fluid = partial(exercises.exercise, "fluid")
LIMIT = 4_730_796.6  # of Tables 1 and 2, in jobs an hour
# by configuration: what one more machine adds to it
ONE_MORE = np.array(
    [355.62, 355.62, 355.62, 711.24, 177.81, 284.50, 71.124, 355.62, 711.24, 142.25]
)


def _table(text):
    return np.array([line.split() for line in text.strip().splitlines()], float)


# by configuration and class: jobs that run in an optimum
FEWEST = _table("""
0  31834  10141  0
0      0  12851  0
0      0      0  0
0      0      0  0
0      0      0  0
0      0      0  104
0      0      0  2.5
0      0      0  0
0      0      0  0
0      0      0  1
""")
MOST = _table("""
32642  87047   38368   1311.7
32642  8012.4  27593   1311.7
25025  25025   7150    1311.7
32642  22774   11357   1311.7
1575   918.75  450     157.5
0      0       0       104
0      0       0       2.5
125    125     35.714  12.5
150    25      42.857  15
0      0       0       1
""")


@fluid(
    "with y jobs running in all, write down what they take of cores and of memory; a job lasts half "
    "an hour",
    "on average a job takes a quarter of class 1's demand and three quarters of class 2's. "
    "Divide the whole pool by that, for each resource; the smaller number of jobs counts, and "
    "an hour serves twice as many",
)
def limit_by_hand(answer: object) -> None:
    """Give a pair: the limit in jobs an hour, and the scarce resource, "cores" or "memory"."""
    words = {"cores": "core cpu cpus", "memory": "ram mem"}
    parts = items(answer, "a pair: a number and a word", 2)
    parts.sort(key=lambda part: str(part).strip().lower().isalpha())
    rate = number(parts[0], unit="jobs/h jobs/hour /h")
    scarce = one_of(parts[1], words)
    limit = 2 * 240 / 3.25
    expect_near(
        rate,
        limit,
        "what do y running jobs, a quarter of class 1, take of each resource?",
        (limit / 2, "that is how many run at a time: a job lasts only half an hour"),
        (limit / 20, "that is for one machine: there are 20"),
        (192, "that is the limit of the other resource: which is full first?"),
        within=0.01,
    )
    expect(scarce == "memory", "the number is right. Twice as much of which resource would help?")


@fluid(
    "the pools are `count * capacity[l]`; a job of class k takes `demand[k][l]` for `1 / rate[k]` hours",
    "how much of each resource does one job an hour keep busy, on average over the classes? How many such jobs does "
    "the whole pool hold, and which resource says so first?",
)
def own_limit(answer: object) -> str:
    """Give a function of (capacity, count, share, demand, rate): the limit of one configuration's pools."""
    two = [8.0, 4.0]
    cases = (
        (
            "one class, one resource: what the pool can run, times how often",
            ([8.0], 10, [1.0], [[2.0]], [3.0]),
            120,
        ),
        ("the scarcer of two resources decides", (two, 5, [1.0], [[1.0, 1.0]], [1.0]), 20),
        (
            "classes take a pool by their shares",
            (two, 5, [0.2, 0.8], [[1.0, 1.0], [3.0, 0.5]], [2.0, 2.0]),
            400 / 13,
        ),
        (
            "classes differ in how long they last",
            (two, 5, [0.5, 0.5], [[1.0, 1.0], [2.0, 1.0]], [1.0, 4.0]),
            32,
        ),
        (
            "three resources",
            ([9.0, 4.0, 1.0], 7, [0.3, 0.7], [[1.0, 1.0, 0.1], [2.0, 0.5, 0.3]], [1.0, 2.0]),
            1400 / 27,
        ),
    )
    right_in_cases(answer, "capacity, count, share, demand, rate", cases)
    return "one configuration needs no linear program; only several have to be balanced."


@fluid(
    "copy `configs.count`, add 1 to one entry, and take `lotes.allocate(...).rate` less the old one",
    "`count = configs.count.copy(); count[j] += 1`, then "
    "`lotes.MachineConfigs(configs.capacity, count)`: ten runs, one for each j",
)
def one_more(answer: object) -> str:
    """Give ten numbers: what one more machine of each configuration of Table 1 adds to the limit (jobs/h)."""
    values = numbers(answer, 10)
    expect(
        (values > 0).all(),
        "another machine always helps here: subtract the old limit from the new one",
    )
    unlike(
        values,
        (LIMIT + ONE_MORE, "these are the new limits: subtract the old one", 1e-4),
        (
            ONE_MORE / lotes.google2011()[0].capacity[:, 0],
            "these are gains per core: give them per machine",
        ),
    )
    ranked = near(np.sort(values), np.sort(ONE_MORE)) and not near(values, ONE_MORE)
    expect(not ranked, "these are ranked, or in another order: give them in the order of Table 1")
    for j, (gain, right) in enumerate(zip(values, ONE_MORE, strict=True), 1):
        expect_near(
            gain,
            right,
            f"configuration {j} is off: add one machine of it alone, to a copy of `count`",
        )
    return "a machine is worth its cores, if memory can be found for them."


@fluid(
    "solve linear programs with 40 unknowns by `scipy.optimize.linprog`: every class keeps its rate, "
    "every pool its size",
    "the unknowns are y[j, k] >= 0. Rows for pools: demand times y is at most capacity times "
    "count. Equations for classes: the sum over j of y[j, k] is limit * share[k] / rate[k]. "
    "Minimise y[j, k], then minus y[j, k]",
)
def face(answer: object) -> str:
    """Give a pair of tables, 10 configurations x 4 classes: the fewest and the most that can run."""
    tables = items(answer, "a pair of tables: the fewest, and the most", 2)
    low, high = (rows(table, 4, "a pair of tables of 10 rows and 4 columns") for table in tables)
    expect(
        low.shape == high.shape == (10, 4), "needs 10 rows, one per configuration, in both tables"
    )
    configs, classes = lotes.google2011()
    for vertex in ("least waste", "solver"):
        running = lotes.allocate(configs, classes, vertex=vertex).running
        slack = 1 + 1e-3 * np.abs(running)
        call = f"`lotes.allocate(..., vertex={vertex!r})`"
        expect((low <= running + slack).all(), f"the fewest are too many: {call} has fewer")
        expect((high >= running - slack).all(), f"the most are too few: {call} has more")
    pairs = np.stack([low, high], axis=2)
    right_pairs = np.stack([FEWEST, MOST], axis=2)
    for j, (row, right) in enumerate(zip(pairs, right_pairs, strict=True), 1):
        expect(
            np.allclose(row, right, rtol=0.01, atol=5),
            f"configuration {j}: keep all rates and all pools, and minimise and maximise each y alone",
        )
    return (
        f"{int((low > 1).sum())} of 40 pairs run in every optimum, {int((high > 1).sum())} in some."
    )


@fluid(
    "compare the four mixes that hold a single class",
    "a mix of a single class is a row of `np.eye(4)`; `lotes.allocate(configs, "
    "lotes.JobClasses(mix, classes.demand, classes.rate)).rate` is its limit. No other mix is "
    "beyond the least and the largest of the four",
)
def mixes(answer: object) -> None:
    """Give a pair of mixes, four shares each that sum to 1: that of the smallest limit and of the largest."""
    pair = items(answer, "a pair of mixes", 2)
    if all(isinstance(part, Real) for part in pair):  # a mix of one class, by its number
        pair = [np.eye(4)[k - 1] for k in wholes(numbers(pair), "classes") if 1 <= k <= 4]
        expect(len(pair) == 2, "needs classes from 1 to 4")
    worst, best = rows(pair, 4, "a pair of mixes")
    if near([worst.sum(), best.sum()], [100, 100], 1e-6):
        worst, best = worst / 100, best / 100
    for mix in (worst, best):
        expect(
            (mix >= 0).all() and abs(mix.sum() - 1) < 1e-6, "shares are not negative, and sum to 1"
        )
    low, high = (_limit(mix / mix.sum()) for mix in (worst, best))
    limits = [_limit(one_class) for one_class in np.eye(4)]
    expect(low < high, "the first has the larger limit: first the mix with the smallest")
    expect_near(
        high,
        max(limits),
        "there is a larger limit. How many core-hours does a class's job take?",
        within=0.01,
    )
    expect_near(
        low,
        min(limits),
        "there is a smaller limit: what if the classes take turns on the pools?",
        within=0.01,
    )


def _limit(mix):
    configs, classes = lotes.google2011()
    return lotes.allocate(configs, lotes.JobClasses(mix, classes.demand, classes.rate)).rate


bins = partial(exercises.exercise, "bins")
CAPACITY = np.array([9, 9])
DEMAND = np.array([[3, 1], [1, 3]])


@bins(
    "go through 0, 1, 2, ... jobs of class 1, and add as many of class 2 as fit",
    "with n jobs of class 1, the cores allow 9 - 3n jobs of class 2 and the memory (9 - n) / "
    "3. Take the smaller, and drop a pair when another has as many of both classes and more "
    "of one",
)
def bins_by_hand(answer: object) -> str:
    """Give a list of pairs, the fullest bin first: jobs of class 1 and of class 2 in each non-dominated
    bin."""
    values = wholes(rows(answer, 2, "a list of pairs"), "jobs of each class")
    for jobs in values:
        name = tuple(jobs.tolist())
        takes = tuple((jobs @ DEMAND).tolist())
        fits = (jobs @ DEMAND <= CAPACITY).all()
        expect((jobs >= 0).all(), f"{name}: jobs are counted from 0")
        expect(fits, f"{name} does not fit: it takes {takes} of 9 cores and 9 GB")
        room = [((jobs + added) @ DEMAND <= CAPACITY).all() for added in np.eye(2, dtype=int)]
        expect(not any(room), f"{name} is dominated: there is room for another job")
    bins_given = set(map(tuple, values.tolist()))
    expect(
        bins_given == {(0, 3), (2, 2), (3, 0)}, "one is missing: go through the numbers of class 1"
    )
    expect(len(values) == 3, "all bins are there, but one is listed twice")
    expect(
        values[0].tolist() == [2, 2],
        "all bins are there, but the fullest is not first: which takes most of the 9 cores and 9 GB?",
    )
    return "a mix of both classes leaves the least."


@bins(
    "go through all bins that fit: for each number of one class, those of the next, until nothing fits",
    "recursion: for each number n of the first class that fits, n times its price plus the "
    "best of the other classes in what is left; no class is worth 0",
)
def priciest(answer: object) -> str:
    """Give a function of (capacity, demand, price): the largest sum of prices of whole jobs in one
    machine."""
    cases = (
        ("one class, and whole jobs only", ([10], [[3]], [2.0]), 6),
        (
            "the job with the best price for its size first is not always best",
            ([10], [[6], [5]], [7.0, 5.0]),
            10,
        ),
        ("both resources have to suffice", ([10, 4], [[2, 1], [1, 3]], [1.0, 1.0]), 4),
        (
            "a class may be worth nothing, and another everything",
            ([7, 7], [[1, 1], [2, 3]], [0.0, 5.0]),
            10,
        ),
        ("three classes", ([12, 9], [[3, 1], [1, 3], [2, 2]], [4.0, 3.5, 3.9]), 19.7),
    )
    right_in_cases(answer, "capacity, demand, price", cases)
    return "this is the question that column generation asks at each step, for one machine."


@bins(
    "`lotes.plan(...).rate` over `lotes.allocate(...).rate`, for shares in small steps",
    "draw the bins of a machine of 8 cores: which mix of jobs of 3 and of 2 leaves no core "
    "idle, and what share of its jobs has 2 cores?",
)
def kink(answer: object) -> str:
    """Give two numbers: the rate over the fluid limit without 2-core jobs, and their share at the kink."""
    start, share = numbers(answer, 2, names="rate|without|start share|kink")
    expect(0 <= share <= 1, "the second is a share, from 0 to 1")
    expect_near(
        start,
        3 / 4,
        "without 2-core jobs: how much of a machine of 8 cores do jobs of 3 use?",
        (4 / 3, "that is the fluid limit over the bins' rate: the other way round"),
        within=0.01,
    )
    expect_near(
        share,
        1 / 3,
        "the losses end at another share: take smaller steps",
        (1 / 2, "a smaller share loses nothing either: where does that begin?", 0.04),
        within=0.06,
    )
    return "from that share on two kinds of bins leave no core idle."


@bins(
    "`np.vstack([demand, 1.1 * demand[:extra]])` for 0, 1, 2 and 3 extra classes",
    "`lotes.count_bins(configs.capacity[3], demand, limit=10**8)`: configuration 4 has the "
    "index 3, and `demand` has a row more each time",
)
def more_classes(answer: object) -> str:
    """Give four whole numbers: non-dominated bins of Google's largest machine with 4, 5, 6 and 7 classes."""
    values = wholes(numbers(answer, 4), "bins")
    for extra, right in enumerate((812, 11_257, 109_007, 349_135)):
        copies = (
            "copies of classes 1, 2 and 3 in turn, 10 % larger" if extra else "Table 2 as it is"
        )
        expect(
            values[extra] == right,
            f"{4 + extra} classes: `lotes.count_bins` for configuration 4, with {copies}",
        )
    return "each class gives several times as many bins, and column generation never lists them."


@bins(
    "`sustained(classes, bins, machines)` says what a rounding is worth: move one machine, keep what helps",
    "start from `generate_plan(...)`. For each configuration and each pair of its bins move "
    "one machine from one bin to the other, take the best move, and stop when none helps. "
    "When moves are equal, help the classes that are served worst",
)
def rounding(answer: object) -> str:
    """Give a pair of lists, ten arrays each: a configuration's bins, and how many machines emulate each."""
    parts = items(answer, "a pair of lists: the bins, and the machines", 2)
    what = "an array for each of the ten configurations, in both lists"
    all_bins, all_machines = (items(part, what, 10) for part in parts)
    case = lotes.random_instance(machines=5, hours=1.0, seed=0)
    capacity, demand = lotes.scaled(case.configs.capacity, case.classes.demand)
    bins, machines = [], []
    for j, (mixes, counts) in enumerate(zip(all_bins, all_machines, strict=True)):
        mixes = rows(mixes, 9, "bins of nine classes")
        counts = numbers(counts)
        place = f"configuration {j + 1}"
        expect(len(mixes) == len(counts), f"{place}: a number of machines for each bin")
        mixes = wholes(mixes, "jobs")
        counts = wholes(counts, "machines")
        expect(
            min(mixes.min(), *counts) >= 0,
            f"{place}: numbers of jobs and machines are not negative",
        )
        expect(
            counts.sum() == 5,
            f"{place}: 5 machines emulate some bin each, and here are {counts.sum()}",
        )
        expect((mixes @ demand <= capacity[j]).all(), f"{place}: a bin does not fit")
        bins.append(mixes)
        machines.append(counts)
    free = lotes.generate_plan(case.configs, case.classes)
    rate = sustained(case.classes, bins, machines)
    expect(rate > 0, "some class has no place in any bin")
    expect(
        rate > free.rate_rounded * (1 + 1e-9),
        "rounding by fractions, as `generate_plan(...).machines` does, sustains at least as much",
    )
    mine, usual = (f"{100 * value / free.bound:.1f} %" for value in (rate, free.rate_rounded))
    return f"it sustains {mine} of the bound; rounding by fractions {usual}."


dispatching = partial(exercises.exercise, "dispatching")
LOADS = (1.0, 1.02, 1.04, 1.06, 1.08, 1.1)
POLICIES = ("lotes", "greedy", "tetris")


def _stable(policy, load):
    """Whether the run of the exercise `beyond_the_limit` is stable."""
    case = lotes.random_instance(
        0.006, load=load, machines=100, hours=10.0, sizes="independent", seed=0
    )
    plan = case.plan if policy == "lotes" else None
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # more arrives than can be served
        run = lotes.simulate(policy, case.configs, case.workload, plan=plan, record=False)
    return run.stable


def _toy():
    configs = lotes.MachineConfigs([[5.0]], [2])
    return configs, lotes.plan(configs, lotes.JobClasses([0.5, 0.5], [[3.0], [2.0]], [[1.0, 1.0]]))


@dispatching(
    "LoTES spreads a class over the machines that plan for it: what if the next job needs a whole "
    "machine?",
    "let two small jobs come first: LoTES puts them on two machines, Greedy on one. Which "
    "size of the third job fits on an empty machine only?",
)
def against_lotes(answer: object) -> str:
    """Give a `Workload` of four jobs, made by `Workload.from_arrays(..., job_class=..., cores=...)`."""
    jobs = a(Workload, answer, "a `Workload`")
    expect(len(jobs.jobs) == len(jobs.tasks) == 4, "four jobs of one task each")
    configs, plan = _toy()
    with hinted("the simulator refuses these jobs"):
        ours = lotes.simulate("lotes", configs, jobs, plan=plan)
    said = plan.classes.demand[jobs.jobs["class"], 0]
    short = (jobs.tasks["cores"] < said - 1e-9).any()
    expect(not short, "a job may need more cores than its class says, and not fewer")
    greedy = max(max(lotes.simulate("greedy", configs, jobs, seed=seed).wait) for seed in range(5))
    expect(greedy == 0, "a job waits under Greedy, too: Greedy takes any machine with room")
    expect(max(ours.wait) > 0, "no job waits under LoTES. When is it bad to spread a class?")
    return "a plan is as good as the classes it was made for."


@dispatching(
    "for each load and policy look at `.stable` of the run; the first that is False counts",
    "`lotes.random_instance(0.006, load=load, machines=100, hours=10.0, sizes='independent', "
    "seed=0)`, and `.get(policy)` for a policy that is stable at all loads",
)
def beyond_the_limit(answer: object) -> str:
    """Give a dictionary: for "lotes", "greedy", "tetris" the first load of 1.00, 1.02, ..., 1.10 with a run
    that is not stable, or None."""
    entries = a(dict, answer, "a dictionary of loads")
    expect(
        set(entries) == set(POLICIES),
        f"needs an entry for each of {', '.join(POLICIES)}, and no other",
    )
    for policy in POLICIES:
        load = None if entries[policy] is None else round(number(entries[policy]), 6)
        hint = "one of the loads 1.00, 1.02, ..., 1.10, or None when it is stable at all of them"
        expect(load is None or load in LOADS, f"{policy}: {hint}")
        before = LOADS if load is None else LOADS[: LOADS.index(load)]
        first = not before or _stable(policy, before[-1])
        expect(
            first and (load is None or not _stable(policy, load)),
            f"{policy}: is it stable at all loads before that one, and not at it?",
        )
    return "jobs of different shapes fill each other's gaps, so the limit for mean sizes is not an upper bound."


@dispatching(
    "`cluster.target[machine, k] - cluster.running[machine, k]`, for machines on which "
    "`lotes.can_start`",
    "the class is `cluster.job_class[job]`; a score may be negative, so begin the search for the largest "
    "below every score, and give -1 when no machine can start the job",
)
def by_score(answer: object) -> None:
    """Give a `lotes.Policy` whose `arrive` gives the machine with the largest score that has room, or -1."""
    policy = made(answer, lotes.Policy, "a `lotes.Policy`, or its function `arrive`")
    configs, plan = _toy()
    kinds: dict[str, Any] = {"job_class": [0, 1, 1, 0, 1, 0], "cores": [3, 2, 2, 3, 2, 3]}
    jobs = Workload.from_arrays([0, 1, 2, 3, 5, 6], [4, 8, 2, 7, 4, 4], **kinds)
    toy = lotes.simulate(policy, configs, jobs, plan=plan)
    score = (
        "the largest score, for the job's own class: the number in the bin less the number running"
    )
    expect(max(toy.wait) == 0, f"of the chapter's six jobs one waits: take {score}")
    twenty = lotes.MachineConfigs([[11.0]], [20])  # type: ignore[arg-type]
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
    job_class = jobs["class"].to_numpy()
    machine = jobs["machine"].to_numpy()
    for i in range(len(jobs)):
        present = (start < submit[i]) & ~(finish <= submit[i])
        present[i] = False
        free = 11.0 - np.bincount(
            machine[present].astype(int), weights=cores[present], minlength=len(target)
        )
        same_class = present & (job_class == job_class[i])
        running = np.bincount(machine[same_class].astype(int), minlength=len(target))
        score = np.where(free >= cores[i] - 1e-9, target[:, job_class[i]] - running, -np.inf)
        job = f"on a random run job {i}"
        if start[i] == submit[i]:
            hint = f"{job} starts on a machine although another with room has a larger score"
            expect(score[int(machine[i])] == score.max(), hint)
        else:
            expect(not np.isfinite(score).any(), f"{job} waits although there is room")


@dispatching(
    "`lotes.simulate('tetris', case.configs, case.workload, work=...)` gives waits in hours",
    "`{work: 3600 * lotes.simulate('tetris', case.configs, case.workload, "
    "work=work).mean_wait_started for work in (0, 1, 2, 4)}`",
)
def weight_of_work(answer: object) -> str:
    """Give a dictionary by weight of gamma: the mean wait (seconds) of the jobs that start. Four weights or
    more, from 0 to 4."""
    waits = a(dict, answer, "a dictionary of waits by weight")
    by_weight = {number(weight): number(wait) for weight, wait in waits.items()}
    expect(
        len(by_weight) >= 4 and min(by_weight) == 0 and max(by_weight) == 4,
        "four weights or more, from 0 to 4",
    )
    apart = np.diff(sorted(by_weight)).min() > 0.1
    expect(apart, "some of these weights are almost the same: spread them from 0 to 4")
    case = lotes.random_instance(0.006, machines=50, hours=20.0, sizes="common", seed=0)
    for weight in sorted(by_weight):
        wait = by_weight[weight]
        with hinted(f"weight {weight:g}"):
            run = lotes.simulate("tetris", case.configs, case.workload, record=False, work=weight)
        right = 3600 * run.mean_wait_started
        unlike(wait, (run.mean_wait_started, "these waits are in hours: 3,600 seconds each"))
        call = f"`lotes.simulate('tetris', ..., work={weight:g})` on the exercise's instance"
        expect_near(wait, right, f"weight {weight:g}: 3600 times `mean_wait_started` of {call}")
    return (
        "and the longest wait, and the queue at the end? The mean leaves out jobs that never start."
    )
