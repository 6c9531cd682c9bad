"""Checks for chapter 6: sharing in a hierarchy."""

from functools import cache

import numpy as np

from schedlib import mch
from schedlib.mch.properties import node_shares
from schedlib.mch.search import random_tree
from schedlib.teaching.exercises.checking import exercise
from schedlib.teaching.exercises.reading import Hint, a, expect, items, near, number, numbers, one_of, told

CHAPTER = "06-mch"
RESOURCES = ("CPU", "memory")


@exercise(CHAPTER, 1, 'a triple: the three jobs\' weights, the resource that fills first ("CPU" or "memory"), and the three dominant shares')
def by_hand(answer):
    given = items(answer, "a triple")
    expect(len(given) == 3, "needs a triple: three weights, a resource, three shares")
    weights, first, shares = numbers(given[0], 3), one_of(given[1], RESOURCES), numbers(given[2], 3)
    tree = mch.Tree([(2, 1), [(1, 0), (1, 2)]])
    flat, right = mch.flatten(tree, [10, 10]), mch.allocate(tree, [10, 10], "mch").shares
    full = RESOURCES[flat.first_saturated]
    expect(first == full, "which resource fills first? Add the normalised demands up to the root, and take the largest")
    like = weights[0] > 0 and near(weights / weights[0], flat.weights)
    expect(like, "weights: 1 over the largest entry of the sum over group 2, for those inside")
    expect(not near(shares, weights), "these are the weights: how high can the level rise until that resource is full?")
    expect(near(shares, right), "shares are the weights times one level: that at which the first resource is full")
    return "and part of the other resource stays idle."


@exercise(CHAPTER, 2, "a `mch.Tree` of two groups of two jobs, one of the four partial-type; with 10 CPUs and 10 GB MCH and H-DRF differ")
def where_they_differ(answer):
    tree = _two_resources(answer)
    jobs = [path for path in tree.paths if len(path) > 1]
    expect(jobs == [(1, 1), (1, 2), (2, 1), (2, 2)], "needs two groups of two jobs: [[.., ..], [.., ..]]")
    partial = (tree.demand == 0).any(axis=1)
    expect(partial.sum() == 1, f"needs one job that does without a resource, and here are {partial.sum()}")
    flat = mch.flatten(tree, [10, 10])
    needed = tree.demand[partial, flat.first_saturated][0] > 0
    gap = np.abs(mch.allocate(tree, [10, 10], "mch").shares - mch.allocate(tree, [10, 10], "h-drf").shares).max()
    where = "its partial-type job needs what `mch.flatten` says fills first" if needed else "nearly, but not here"
    expect(gap > 1e-6, f"they give the same on this tree: {where}")
    return "its weight ignores its group, as it does not need the resource that fills first."


@exercise(CHAPTER, 3, "a number: the smallest weight of group 2 with which its memory job has its guarantee under the naive rule")
def heavier_group(answer):
    weight = number(answer)
    expect(weight > 0, "weights are positive")
    low, high = _left_over(weight / 1.02), _left_over(weight * 1.02)
    expect(high >= 0, "with this weight its memory job has less than its guarantee, which grows with the weight, too")
    expect(low <= 0, "with this weight it has more than its guarantee: less will do")
    return "at the weights everybody starts with, 1 and 1, it has nothing."


def _left_over(weight):
    """What the memory job of group 2 has above its guarantee in the long run: group 1 is let in up to 1/weight."""
    trap = mch.Tree([(0, 1), [(1, 0), (0, 1)]], weights={(2,): weight})
    return max(1 - 1 / weight, 0) - trap.guarantee[trap.leaves[2]]


@exercise(CHAPTER, 4, "a `mch.Tree` on which, with these weights and one unit of each resource, some group has less than its guarantee")
def by_guarantee(answer):
    tree = _two_resources(answer)
    ones = np.ones(tree.n_resources)
    expect((tree.leaf_of[1:] < 0).any(), "needs a group: a list within the list")
    flat = mch.Tree([tuple(row) for row in tree.demand], {(i,): share for i, share in enumerate(tree.guarantee[tree.leaves], 1)})
    shares = mch.allocate(flat, ones, "weighted-drf").shares
    groups = np.flatnonzero(tree.leaf_of < 0)[1:]
    parts = (node_shares(tree, ones, shares) / tree.guarantee)[groups]
    hint = "all groups have their guarantee here, too. A group's share is that of what it uses most: which jobs add up to little?"
    expect(parts.min() < 0.99, hint)
    return f"the poorest group has {100 * parts.min():.0f} % of its guarantee; H-DRF would give it all."


@exercise(CHAPTER, 5, 'three numbers: the part of the random trees on which "mch", "case1" and "exact-ch" differ from H-DRF')
def near_h_drf(answer):
    given = numbers(answer, 3)
    expect((given >= 0).all(), "a part of the trees is not negative")
    right = _parts_that_differ()
    expect(not near(given, 100 * right, 0.1) and (given <= 1).all(), "parts of 1, not counts and not per cent")
    for rule, mine, other in zip(("mch", "case1", "exact-ch"), given, right, strict=True):
        hint = f'"{rule}": count the trees on which some share differs by more than 0.01 from that of H-DRF'
        expect(abs(mine - other) < (0.08 if other else 0.005), hint)
    return "Case 1 for all keeps every guarantee and costs nothing; being exact takes H-DRF's own shares."


@cache
def _parts_that_differ():
    rng = np.random.default_rng(2)
    trees = [random_tree(rng, depth=3, partial=0.5) for _ in range(200)]
    goal = [mch.allocate(tree, [1, 1], "h-drf").shares for tree in trees]
    rules = ("mch", "case1", "exact-ch")
    return np.array([np.mean([_gap(tree, rule, one) > 0.01 for tree, one in zip(trees, goal, strict=True)]) for rule in rules])


def _gap(tree, rule, goal):
    return np.abs(mch.allocate(tree, [1, 1], rule).shares - goal).max()


def _two_resources(answer):
    """The answer as a tree of two resources; a nested list is read as one."""
    if isinstance(answer, list):
        try:
            answer = mch.Tree(answer)
        except Exception as error:
            raise Hint(f"this list is no hierarchy: {told(error)}") from error
    tree = a(mch.Tree, answer, "a `mch.Tree`")
    expect(tree.n_resources == 2, f"needs jobs of two resources, and these have {tree.n_resources}")
    return tree
