"""Checks for chapter 5: batches of MapReduce jobs."""

from dataclasses import replace

import numpy as np

from schedlib import hmhs
from schedlib.hmhs.johnson import flow_shop_makespan
from schedlib.teaching.exercises.checking import exercise
from schedlib.teaching.exercises.reading import a, expect, hinted, items, near, number, numbers, wholes

CHAPTER = "05-hmhs"
MAPS, REDUCES = [3, 7, 4, 5], [6, 2, 4, 1]


@exercise(1)
def by_hand(answer: object) -> str:
    """Give a pair: the four jobs in Johnson's order, numbered from 1, and the makespan."""
    given = items(answer, "a pair: a list of four jobs, and a makespan", 2)
    order, makespan = wholes(numbers(given[0], 4, "four jobs"), "jobs") - 1, number(given[1], "a makespan")
    expect(sorted(order) == [0, 1, 2, 3], "each of the jobs 1 to 4 once")
    took, best = (flow_shop_makespan(MAPS, REDUCES, one) for one in (order, hmhs.johnson(MAPS, REDUCES)))
    expect(took == best, "this order takes too long: in which stage is each job quicker?")
    hint = "as short as can be, but not Johnson's order: sort each of the two groups as the rule says"
    expect((order == hmhs.johnson(MAPS, REDUCES)).all(), hint)
    rule = "a reduce starts when its map has ended and the job before has reduced"
    expect(near(makespan, took, 1e-9), f"the order is right, the makespan is not: {rule}")
    return "and no order is shorter."


@exercise(2)
def where_hmhs_loses(answer: object) -> str:
    """Give an `hmhs.Instance` of two jobs, with at most two machines a stage."""
    case = a(hmhs.Instance, answer, "an `hmhs.Instance`")
    expect(case.n_jobs == 2, f"needs two jobs, and here are {case.n_jobs}")
    expect(max(case.map_machines, case.reduce_machines) <= 2, "at most two machines in a stage")
    ours, fifo = (hmhs.schedule(case, policy).makespan for policy in ("hmhs", "fifo"))
    how = "as good as" if near(ours, fifo, 1e-9) else "better than"
    hint = "on which machine does Min-Min put the first task, and which job wanted that machine more?"
    expect(ours > fifo * (1 + 1e-9), f"HMHS is {how} FIFO here: {hint}")
    return f"HMHS takes {ours:.3g}, FIFO {fifo:.3g}, and the best schedule {hmhs.optimum(case):.3g}."


@exercise(3)
def two_stages(answer: object) -> str:
    """Give two numbers: the mean makespan over FIFO-Pri's, with Min-Min on maps only, and on reduces only."""
    given = numbers(answer, 2)
    plain = hmhs.POLICIES["fifo-pri"]
    policies = plain, replace(plain, map_rule="min-min"), replace(plain, reduce_rule="min-min")
    cases = [hmhs.single(100, seed) for seed in range(5)]
    base, *mixed = (np.mean([hmhs.schedule(case, policy).makespan for case in cases]) for policy in policies)
    right = np.array(mixed) / base
    expect(not near(given, right[::-1], 0.03), "the numbers look like these, but the other way round")
    expect(not near(given, 1 / right, 0.03), "the other way up: the mixed policy's makespan over FIFO-Pri's")
    expect(not near(given, mixed, 0.03), "divide by FIFO-Pri's mean makespan")
    for stage, mine, other in zip(("map", "reduce"), given, right, strict=True):
        policy = f'`replace(hmhs.POLICIES["fifo-pri"], {stage}_rule="min-min")`'
        expect(near(mine, other, 0.03), f"{stage} stage only: take {policy} on the five instances")
    return "the stage with the most work decides, and here that is the map stage."


@exercise(4)
def max_min(answer: object) -> str:
    """Give an `hmhs.Policy` with your rule as its `map_rule`."""
    policy = a(hmhs.Policy, answer, "an `hmhs.Policy`")
    expect(callable(policy.map_rule), "its `map_rule` is a name; needs a function made by `hmhs.rule`")
    rng = np.random.default_rng(0)
    for _ in range(5):
        time, tasks, same = rng.uniform(1, 9, 6), rng.integers(1, 4, 6), np.ones((6, 3))
        length = np.diff(time[_map_order(policy, hmhs.Instance(time, tasks, same, time, tasks, same))])
        expect((length <= 0).all(), "on equal machines the job with the longest tasks goes first")
        speed = rng.uniform(0.1, 3, (6, 3))
        first = _map_order(policy, hmhs.Instance(time, tasks, speed, time, tasks, same))[0]
        hint = "on an idle cluster the first job is the one whose *best* time, over all machines, is longest"
        expect(first == (time[:, None] * speed).min(axis=1).argmax(), hint)
    case = hmhs.single(100, 0)
    mine, ours, fifo = (hmhs.schedule(case, one).makespan for one in (policy, "hmhs", "fifo"))
    times = f"it takes {mine / ours:.1f} times as long as HMHS, FIFO {fifo / ours:.1f} times"
    return f"{times}: to choose the machine is what counts."


def _map_order(policy, case):
    with hinted("the policy does not run"):
        return hmhs.schedule(case, replace(policy, reduce_rule="min-min", score=None)).map.job
