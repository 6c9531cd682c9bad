"""Checks for chapter 5, batches of MapReduce jobs, and chapter 6, sharing in a hierarchy."""

from dataclasses import replace
from functools import cache, partial

import numpy as np

from schedlib import hmhs, mch
from schedlib.hmhs.johnson import flow_shop_makespan
from schedlib.mch.properties import node_shares
from schedlib.mch.search import random_tree
from schedlib.teaching import exercises
from schedlib.teaching.exercises import a, expect, hinted, items, near, number, numbers, one_of, wholes

batches = partial(exercises.exercise, "05-hmhs")
MAPS, REDUCES = [3, 7, 4, 5], [6, 2, 4, 1]


@batches(1)
def order_by_hand(answer: object) -> str:
    """Give a pair: the four jobs in Johnson's order, numbered from 1, and the makespan."""
    given = items(answer, "a pair: a list of four jobs, and a makespan", 2)
    order, makespan = wholes(numbers(given[0], 4, "four jobs"), "jobs") - 1, number(given[1], "a makespan")
    expect(sorted(order) == [0, 1, 2, 3], "each of the jobs 1 to 4 once")
    took, best = (flow_shop_makespan(MAPS, REDUCES, one) for one in (order, hmhs.johnson(MAPS, REDUCES)))
    expect(took == best, "this order takes too long: in which stage is each job quicker?")
    hint = "as short as can be, but not Johnson's order: sort each of the two groups as the rule says"
    expect((order == hmhs.johnson(MAPS, REDUCES)).all(), hint)
    hint = "right order, wrong makespan: a reduce starts when its map and the job before's reduce have ended"
    expect(near(makespan, took, 1e-9), hint)
    return "and no order is shorter."


@batches(2)
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


@batches(3)
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


@batches(4)
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
    mine, ours, fifo = (hmhs.schedule(hmhs.single(100, 0), one).makespan for one in (policy, "hmhs", "fifo"))
    times = f"it takes {mine / ours:.1f} times as long as HMHS, FIFO {fifo / ours:.1f} times"
    return f"{times}: to choose the machine is what counts."


def _map_order(policy, case):
    with hinted("the policy does not run"):
        return hmhs.schedule(case, replace(policy, reduce_rule="min-min", score=None)).map.job


sharing = partial(exercises.exercise, "06-mch")
RESOURCES = ("CPU", "memory")


@sharing(1)
def shares_by_hand(answer: object) -> str:
    """Give a triple: three weights, the first full resource ("CPU" or "memory"), three dominant shares."""
    given = items(answer, "a triple: three weights, a resource, three shares", 3)
    weights, first, shares = numbers(given[0], 3), one_of(given[1], RESOURCES), numbers(given[2], 3)
    tree = mch.Tree([(2, 1), [(1, 0), (1, 2)]])
    flat, right = mch.flatten(tree, [10, 10]), mch.allocate(tree, [10, 10], "mch").shares
    hint = "which resource fills first? Add the normalised demands up to the root, and take the largest"
    expect(first == RESOURCES[flat.first_saturated], hint)
    proportional = weights[0] > 0 and near(weights / weights[0], flat.weights)
    expect(proportional, "weights: 1 over the largest entry of the sum over group 2, for those inside")
    expect(not near(shares, weights), "these are the weights: how high can their level rise?")
    expect(near(shares, right), "shares are the weights times the level at which a resource is full")
    return "and part of the other resource stays idle."


@sharing(2)
def where_they_differ(answer: object) -> str:
    """Give a `mch.Tree`, two groups of two jobs, one partial-type; MCH and H-DRF differ at 10 CPUs, 10 GB."""
    tree = _two_resources(answer)
    jobs = [path for path in tree.paths if len(path) > 1]
    expect(jobs == [(1, 1), (1, 2), (2, 1), (2, 2)], "needs two groups of two jobs: [[.., ..], [.., ..]]")
    partial = (tree.demand == 0).any(axis=1)
    expect(partial.sum() == 1, f"needs one job that does without a resource, and here are {partial.sum()}")
    needed = tree.demand[partial, mch.flatten(tree, [10, 10]).first_saturated][0] > 0
    fills_first = "its partial-type job needs what `mch.flatten` says fills first"
    ours, theirs = (mch.allocate(tree, [10, 10], rule).shares for rule in ("mch", "h-drf"))
    same = f"they give the same on this tree: {fills_first if needed else 'nearly, but not here'}"
    expect(np.abs(ours - theirs).max() > 1e-6, same)
    return "its weight ignores its group, as it does not need the resource that fills first."


@sharing(3)
def heavier_group(answer: object) -> str:
    """Give a number: the least weight of group 2 that gives its memory job's guarantee by the naive rule."""
    weight = number(answer)
    expect(weight > 0, "weights are positive")
    less = "its memory job has less than its guarantee, which grows with the weight, too"
    expect(_left_over(weight * 1.02) >= 0, f"with this weight {less}")
    expect(_left_over(weight / 1.02) <= 0, "with this weight it has more than its guarantee: less will do")
    return "at the weights everybody starts with, 1 and 1, it has nothing."


def _left_over(weight):
    """The memory job's share above its guarantee in the long run: group 1 is let in up to 1/weight."""
    trap = mch.Tree([(0, 1), [(1, 0), (0, 1)]], weights={(2,): weight})
    return max(1 - 1 / weight, 0) - trap.guarantee[trap.leaves[2]]


@sharing(4)
def by_guarantee(answer: object) -> str:
    """Give a `mch.Tree` on which these weights leave a group below its guarantee, with 1 of each resource."""
    tree = _two_resources(answer)
    groups = np.flatnonzero(tree.leaf_of < 0)[1:]
    expect(len(groups), "needs a group: a list within the list")
    weights = {(i,): share for i, share in enumerate(tree.guarantee[tree.leaves], 1)}
    flat = mch.Tree(list(map(tuple, tree.demand)), weights)
    shares = node_shares(tree, [1, 1], mch.allocate(flat, [1, 1], "weighted-drf").shares)
    poorest = (shares / tree.guarantee)[groups].min()
    hint = "A group's share is that of what it uses most: which jobs add up to little?"
    expect(poorest < 0.99, f"all groups have their guarantee here, too. {hint}")
    return f"the poorest group has {100 * poorest:.0f} % of its guarantee; H-DRF would give it all."


@sharing(5)
def near_h_drf(answer: object) -> str:
    """Give three numbers: the part of the trees on which "mch", "case1" and "exact-ch" differ from H-DRF."""
    given = numbers(answer, 3)
    expect(((given >= 0) & (given <= 1)).all(), "parts of 1, not counts and not per cent")
    for (rule, right), mine in zip(_parts_that_differ().items(), given, strict=True):
        hint = f'"{rule}": count the trees on which some share differs by more than 0.01 from that of H-DRF'
        expect(abs(mine - right) < (0.08 if right else 0.005), hint)
    return "Case 1 for all keeps every guarantee and costs nothing; being exact takes H-DRF's own shares."


@cache
def _parts_that_differ():
    rng = np.random.default_rng(2)
    trees = [random_tree(rng, depth=3, partial=0.5) for _ in range(200)]
    shares = {rule: [mch.allocate(tree, [1, 1], rule).shares for tree in trees]
              for rule in ("h-drf", "mch", "case1", "exact-ch")}
    goal = shares.pop("h-drf")
    return {rule: np.mean([np.abs(mine - right).max() > 0.01 for mine, right in zip(held, goal, strict=True)])
            for rule, held in shares.items()}


def _two_resources(answer):
    """The answer as a tree of two resources; a nested list is read as one."""
    if isinstance(answer, list):
        with hinted("this list is no hierarchy"):
            answer = mch.Tree(answer)
    tree = a(mch.Tree, answer, "a `mch.Tree`")
    expect(tree.n_resources == 2, f"needs jobs of two resources, and these have {tree.n_resources}")
    return tree
