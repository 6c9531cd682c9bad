"""Checks for chapter 6: sharing in a hierarchy."""

from functools import cache

import numpy as np

from schedlib import mch
from schedlib.mch.properties import node_shares
from schedlib.mch.search import random_tree
from schedlib.teaching.exercises.checking import exercise
from schedlib.teaching.exercises.reading import a, expect, hinted, items, near, number, numbers, one_of

CHAPTER = "06-mch"
RESOURCES = ("CPU", "memory")


@exercise(1)
def by_hand(answer: object) -> str:
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


@exercise(2)
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


@exercise(3)
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


@exercise(4)
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


@exercise(5)
def near_h_drf(answer: object) -> str:
    """Give three numbers: the part of the trees on which "mch", "case1" and "exact-ch" differ from H-DRF."""
    given = numbers(answer, 3)
    expect((given >= 0).all(), "a part of the trees is not negative")
    expect((given <= 1).all(), "parts of 1, not counts and not per cent")
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
