"""An examination from the exercises' kinds: new numbers by seed, and solutions worked out by the library."""

import heapq
from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from schedlib import hmhs, lotes, mch, theory
from schedlib.hmhs.johnson import flow_shop_makespan
from schedlib.intervals import mean_ci


class Question(NamedTuple):
    """A question of an examination: minutes (and points), what is asked, and the answer with its way."""

    kind: str  # the id of the exercise that it is like
    minutes: int
    asked: str
    answer: tuple[float | str, ...]
    solution: str


def canteen(rng):
    rate, stay, line = (
        int(rng.integers(4, 12)) * 15,
        int(rng.integers(10, 25)),
        int(rng.integers(3, 9)),
    )
    asked = (
        f"A library has {rate} visitors an hour, who stay {stay} minutes on average; {line} of these minutes they wait "
        "for a book. How many visitors are inside on average, and how many of them wait?"
    )
    inside, waiting = rate * stay / 60, rate * line / 60
    return Question(
        "waiting.canteen",
        6,
        asked,
        (inside, waiting),
        f"Little's law: {rate} / 60 x {stay} = {inside:g} inside, {rate} / 60 x {line} = {waiting:g} waiting.",
    )


def help_desk(rng):
    served, came = int(rng.integers(6, 13)), int(rng.integers(3, 6))
    asked = (
        f"A help desk: {came} people an hour come at random, and a clerk serves {served} an hour on average "
        "(exponential times). What is the mean wait in minutes with one clerk, and with two?"
    )
    one, two = (60 * theory.mmc_mean_wait(came, served, clerks) for clerks in (1, 2))
    return Question(
        "waiting.help_desk",
        12,
        asked,
        (one, two),
        f"One clerk: load {came}/{served}, wait load / (1 - load) service times: {one:.2f} minutes. Two: Erlang's "
        f"C = {theory.erlang_c(2, came / served):.4f}, and C / ({2 * served} - {came}) hours: {two:.3f} minutes.",
    )


def by_list(times: Sequence[int], machines: int) -> int:
    """When the last job ends if a free machine takes the next job of a list.

    >>> by_list([3, 2, 2], 2)
    4
    """
    free = [0] * machines
    for time in times:
        heapq.heapreplace(free, free[0] + time)
    return max(free)


def three_machines(rng):
    times = (rng.permutation(9)[:7] + 1).tolist()
    asked = (
        f"Seven jobs take {', '.join(map(str, times))} minutes, in this order. When does the last one end on three equal "
        "machines, if a free machine takes the next job of the list? And if the longest go first? Give a time before which no plan can end."
    )
    ends = by_list(times, 3), by_list(sorted(times, reverse=True), 3)
    bound = max(-(-sum(times) // 3), max(times))
    return Question(
        "classics.three_machines",
        10,
        asked,
        (*ends, bound),
        f"List order: {ends[0]}. Longest first: {ends[1]}. A third of the work is {sum(times) / 3:.2f} and the longest job "
        f"{max(times)}; times are whole, so no plan ends before {bound}.",
    )


def limit_by_hand(rng):
    cores, memory, count = (
        int(rng.integers(4, 10)) * 2,
        # with 20 GB, 12 cores would give out at the same time
        int(rng.integers(6, 10)) * 4,
        int(rng.integers(10, 40)),
    )
    asked = (
        f"{count} machines with {cores} cores and {memory} GB. Class 1 takes 2 cores and 1 GB, class 2 takes 1 core and "
        "4 GB; half of the jobs are of class 1, and each lasts an hour. What is the fluid limit (jobs an hour), and "
        "which resource is scarce?"
    )
    classes = lotes.JobClasses([0.5, 0.5], [[2.0, 1.0], [1.0, 4.0]], [[1.0, 1.0]])
    rate = lotes.allocate(
        lotes.MachineConfigs([[float(cores), float(memory)]], [count]), classes
    ).rate
    scarce = "cores" if cores / 1.5 < memory / 2.5 else "memory"
    return Question(
        "fluid.limit_by_hand",
        12,
        asked,
        (rate, scarce),
        f"y running jobs take 1.5 y cores of {count * cores} and 2.5 y GB of {count * memory}: at most "
        f"{count * cores / 1.5:.1f} and {count * memory / 2.5:.1f}. So {rate:.1f} jobs an hour; scarce: {scarce}.",
    )


def bins_by_hand(rng):
    capacity, demand = rng.integers(7, 12, 2).tolist(), [[3, 1], [1, 3]]
    asked = (
        f"A machine has {capacity[0]} cores and {capacity[1]} GB; class 1 takes 3 cores and 1 GB, class 2 takes 1 core "
        "and 3 GB. List the non-dominated bins."
    )
    bins = [tuple(row) for row in lotes.non_dominated_bins(capacity, demand).tolist()]
    return Question(
        "bins.bins_by_hand",
        10,
        asked,
        tuple(map(str, bins)),
        "For each number of jobs of class 1 add class 2 until it is full, and drop what has room for one more "
        f"of class 1: {', '.join(map(str, bins))}.",
    )


def scores_by_hand(rng):
    planned = rng.integers(1, 4, (3, 2))
    running = np.array([rng.integers(0, most + 1) for most in planned.ravel()]).reshape(3, 2)
    asked = (
        "Three machines of one configuration have room for any job. Their bins, as (jobs of class 1, jobs of class 2), are "
        f"{_pairs(planned)}; running are {_pairs(running)}. To which machine does LoTES send a job of class 1? Of two equal ones the "
        "first is taken. Then the same for a job of class 2, when the first one has started."
    )
    left = planned - running
    first = int(np.argmax(left[:, 0]))
    second = int(np.argmax(left[:, 1]))
    return Question(
        "dispatching.by_score",
        8,
        asked,
        (first + 1, second + 1),
        f"The score is what the bin has less what runs: {_pairs(left)}. Class 1: machine {first + 1}. The job that "
        f"started changes scores of class 1 only. Class 2: machine {second + 1}.",
    )


def _pairs(rows):
    return ", ".join(f"({a}, {b})" for a, b in rows.tolist())


def order_by_hand(rng):
    maps, reduces = rng.permutation(9)[:5] + 1, rng.permutation(9)[:5] + 1
    asked = (
        "Five jobs, one machine for maps and one for reduces; (map, reduce) = "
        f"{', '.join(f'({m}, {r})' for m, r in zip(maps, reduces, strict=True))}. Give Johnson's order and its makespan."
    )
    order = hmhs.johnson(maps, reduces)
    makespan = flow_shop_makespan(maps, reduces, order)
    names = " ".join(map(str, (order + 1).tolist()))
    return Question(
        "hmhs.order_by_hand",
        12,
        asked,
        (names, makespan),
        "First the jobs that are no longer in the map stage, by growing map time, then the others by falling "
        f"reduce time: {names}. Makespan {makespan:g}.",
    )


def shares_by_hand(rng):
    a, b = int(rng.integers(2, 5)), int(rng.integers(1, 4))
    asked = (
        f"10 CPUs and 10 GB. Leaf 1 needs ({a}, 1) for a task; group 2 has a leaf with (1, 0) and one with ({b}, {b + 1}). "
        "Find MCH's weights, the resource that fills first, and the dominant shares."
    )
    tree = mch.Tree([(a, 1), [(1, 0), (b, b + 1)]])
    flat, shares = mch.flatten(tree, [10, 10]), mch.allocate(tree, [10, 10], "mch").shares
    first = ("CPU", "memory")[flat.first_saturated]
    say = ", ".join
    return Question(
        "mch.shares_by_hand",
        14,
        asked,
        (*flat.weights.tolist(), first, *shares.tolist()),
        f"Normalise each demand by its largest entry and add up the group: {first} fills first; weights "
        f"{say(f'{w:.3f}' for w in flat.weights)}; shares {say(f'{x:.3f}' for x in shares)}.",
    )


def ticket_office(rng):
    rate, slow = int(rng.integers(5, 9)) / 10, int(rng.integers(4, 6))
    asked = (
        f"Two clerks; four of five customers take 1 minute, one takes {slow} minutes; {rate} customers a minute come at "
        "random. What is the mean wait if each chooses a clerk at random, and if one clerk has the quick ones?"
    )
    mean, second = (4 + slow) / 5, (4 + slow**2) / 5
    mixed = theory.pollaczek_khinchine(rate / 2, mean, second)
    waits = theory.sita_mean_waits(rate, [0.8, 0.2], [1, slow], [1, slow**2], [1, 1])
    apart = float(0.8 * waits[0] + 0.2 * waits[1])
    return Question(
        "probing.ticket_office",
        14,
        asked,
        (mixed, apart),
        f"Pollaczek and Khinchine with E[S] = {mean:g}, E[S^2] = {second:g} and half of the rate: {mixed:.3f} minutes. "
        f"Apart: {waits[0]:.3f} and {waits[1]:.3f}, weighed 4 to 1: {apart:.3f} minutes.",
    )


def sticky(rng):
    quick, slow, task = (
        int(rng.integers(5, 15)),
        int(rng.integers(10, 20)) * 10,
        int(rng.integers(5, 15)),
    )
    asked = (
        f"Four nodes are busy: two for {quick} s more, two for {slow} s. A job of four tasks of {task} s has a probe on each. When is "
        "the job done if a probe stands for a task? When if a probe stands for the job, and asks again?"
    )
    free = [quick, quick, slow, slow]
    ends = [heapq.heapreplace(free, free[0] + task) + task for _ in range(4)]
    bound, stuck = slow + task, max(ends)
    return Question(
        "eagle.toy",
        8,
        asked,
        (bound, stuck),
        f"A task each: the slow nodes start theirs at {slow} s, so {bound} s. Sticky: the quick nodes start two tasks at {quick} s and ask "
        f"again at {quick + task} s, before the slow ones are free: {stuck} s.",
    )


def four_views(rng):
    counts = rng.integers(1, 9, 5).tolist()
    asked = (
        "A job of a trace has five stages; a name says what a stage waits for: M1, R2_1, M3, R4_3 and J5_2_4, with "
        f"{', '.join(map(str, counts))} instances. How many jobs do LoTES, HMHS (pairs of a map and the reduce that waits for it alone), MCH (leaves) and Eagle see?"
    )
    seen = sum(counts), 2, 5, 5
    return Question(
        "one_trace.four_views",
        6,
        asked,
        seen,
        f"LoTES: each instance, {seen[0]}. HMHS: the pairs M1, R2 and M3, R4, so 2. MCH: a leaf a stage, 5. Eagle: what has one "
        "estimate, a stage, 5.",
    )


def paired(rng):
    a = rng.integers(10, 60, 5)
    b = a - rng.integers(-1, 6, 5)
    asked = (
        f"Policy A waits {', '.join(map(str, a))} s on five seeds, policy B {', '.join(map(str, b))} s on the same. Give the "
        "95 % interval of B - A (t = 2.776). Is B better?"
    )
    mean, low, high = mean_ci(b - a)
    better = "yes" if high < 0 else "not shown"
    return Question(
        "own_policy.paired",
        8,
        asked,
        (mean, low, high, better),
        f"Differences {', '.join(map(str, b - a))}: {mean:.2f}, from {low:.2f} to {high:.2f}. Better: {better}.",
    )


KINDS: tuple[Callable[[np.random.Generator], Question], ...] = (
    canteen, help_desk, three_machines, limit_by_hand, bins_by_hand, scores_by_hand, order_by_hand, shares_by_hand, ticket_office, sticky,
    four_views, paired)  # fmt: skip


def exam(seed: int) -> list[Question]:
    """The questions of one examination, a point a minute; the same seed gives the same numbers.

    >>> sum(question.minutes for question in exam(1))
    120
    """
    return [
        kind(rng)
        for kind, rng in zip(KINDS, np.random.default_rng(seed).spawn(len(KINDS)), strict=True)
    ]


def pages(seed: int) -> dict[str, str]:
    """The examination and its solutions as Markdown, by file name."""
    questions = exam(seed)
    head = (
        f"{sum(q.minutes for q in questions)} minutes, a point a minute. Numbers of seed {seed}.\n"
    )
    asked = [f"## {i}. ({q.minutes} points)\n\n{q.asked}\n" for i, q in enumerate(questions, 1)]
    solved = [
        f"{text}\n*Solution* (as exercise `{q.kind}`): {q.solution}\n"
        for text, q in zip(asked, questions, strict=True)
    ]
    return {
        "exam.md": "\n".join(["# Examination\n", head, *asked]),
        "exam-solutions.md": "\n".join(["# Examination, with solutions\n", head, *solved]),
    }
