"""The promises of fair rules: known theorems on random trees, unfair rules that must be caught, the search for small counter-examples."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mch_instances import problems
from refusals import refuses
from schedlib.mch import Allocation, Tree, search
from schedlib.mch import properties as fair
from schedlib.mch.rules import RULES

needs = st.integers(0, 4).map(float)
leaves = st.tuples(needs, needs).filter(any)
trees = problems(most_resources=3, whole=True)


def given_shares(tree, capacity, shares):
    """A tree solved by a rule that gives these dominant shares."""
    shares = np.asarray(shares)
    tasks = shares / (tree.demand / capacity).max(axis=1)
    usage = tree.demand * tasks[:, None]
    saturated = usage.sum(axis=0) >= np.asarray(capacity) - 1e-9
    allocation = Allocation("given", shares, usage, tasks, saturated, 0)
    return fair.Solved(tree, capacity, None, allocation)


def solved(tree, capacity, rule):
    return fair.Solved(tree, capacity, rule, fair.solve(tree, capacity, rule))


def kept(margin):
    return margin.value >= -fair.TOLERANCE


@given(
    st.lists(leaves, min_size=2, max_size=5), st.sampled_from([(1, 1), (1, 7), (10, 1), (10, 7)])
)
def test_drf_keeps_every_property_on_flat_trees(demands, capacity):
    case = solved(Tree(demands), capacity, "drf")
    for name, margin_of in fair.PROPERTIES.items():
        assert kept(margin_of(case)), name


@given(trees)
def test_h_drf_and_one_formula_for_all_leaves_keep_the_guarantee(problem):
    for rule in ("h-drf", "exact-ch", "case1"):
        case = solved(*problem, rule)
        assert kept(fair.share_guarantee(case))
        assert kept(fair.sharing_incentive(case))
        assert kept(fair.pareto_efficiency(case))


@given(trees, st.integers(0, 10**6))
def test_node_shares_are_h_drfs_rescaled_shares(problem, seed):
    tree, capacity = problem
    shares = np.random.default_rng(seed).uniform(0.1, 1, tree.n_leaves)

    def vector(node):
        leaf = tree.leaf_of[node]
        if leaf >= 0:
            need = tree.demand[leaf] / capacity
            return need * shares[leaf] / need.max()
        below = [(vector(c), tree.weight[c]) for c in tree.children(node)]
        least = min(v.max() / w for v, w in below)
        return sum(v * (least * w / v.max()) for v, w in below)

    expected = [vector(node).max() for node in range(tree.n_nodes)]
    assert fair.node_shares(tree, capacity, shares) == pytest.approx(expected)


BY_HAND = """
share_guarantee      | [(1, 1), (1, 1), [C, M]] | .9 .05 .05 .05 | .05 * 3 - 1       | n2
sharing_incentive    | [(1, 1), (1, 1), [C, M]] | .9 .05 .05 .05 | .05 * 3 - 1       | n2
envy_freeness        | [(1, 1), (1, 1), [C, M]] | .9 .05 .05 .05 | 3 * (.05 - .9)    | n2 of n1
envy_freeness_across | [(1, 1), (1, 1), [C, M]] | .9 .05 .05 .05 | 3 * (.05 - .9)    | n2 of n1
pareto_efficiency    | [(1, 1), (1, 1), [C, M]] | .1 .1 .1 .2    | -(1 - .3) * 6     | n3,1
envy_freeness        | [C, [C, M]]              | h-drf          | 0                 |
envy_freeness_across | [C, [C, M]]              | h-drf          | -1                | n1 of n2,1
sharing_incentive    | [C, [M, (1, 1), M]]      | mch            | -1 / 7            | n2,2
share_guarantee      | [C, [M, (1, 1), M]]      | mch            | -1 / 7            | n2
share_guarantee      | [(1, 1), [C, M]]         | collapsed      | -1 / 3            | n2
sharing_incentive    | [(1, 1), [C, M]]         | collapsed      | 0                 |
"""
"""A property, a tree of CPU leaves C, memory leaves M and others, its shares or a rule, and the margin and whose it is, if it is broken.

Across the tree n3,1 is promised half of what n1 is: half of n1's .9 is worth .45 to it. Under H-DRF n2,1 has half the
guarantee of n1 and, its sibling needing nothing of the first resource, as much: siblings do not envy each other, others do.
"""


@pytest.mark.parametrize("line", BY_HAND.strip().splitlines())
def test_properties_by_hand(line):
    name, nested, shares, wanted, who = (entry.strip() for entry in line.split("|"))
    tree, capacity = Tree(eval(nested, {"C": (1, 0), "M": (0, 1)})), (10.0, 10.0)
    if shares[0] == ".":
        case = given_shares(tree, capacity, list(map(float, shares.split())))
    else:
        case = solved(tree, capacity, fair.collapsed if shares == "collapsed" else shares)
    margin = getattr(fair, name)(case)
    if who:
        assert margin == (pytest.approx(eval(wanted)), who)
    else:
        assert kept(margin)


def test_a_leaf_gains_by_a_lie_where_all_have_as_many_tasks():
    capacity = (10.0, 10.0)

    def same_tasks(tree, capacity):
        with np.errstate(divide="ignore"):
            tasks = (np.array(capacity) / tree.demand.sum(axis=0)).min()
        shares = tasks * (tree.demand / capacity).max(axis=1)
        return given_shares(tree, capacity, shares).allocation

    # a leaf that reports two instead of one gets two of three parts instead of one of two
    lie = fair.strategy_proofness(solved(Tree([(1, 1), (1, 1)]), capacity, same_tasks))
    assert kept(lie)  # it needs both, and one lie names one
    lie = fair.strategy_proofness(solved(Tree([(1, 0), (1, 0)]), capacity, same_tasks))
    assert lie == (pytest.approx((1 / 2 - 2 / 3) / (1 / 2)), "n1 reporting [2.0, 0.0]")


def test_the_table_counts_the_trees_a_rule_takes():
    two = [Tree([(1, 1), (1, 2)]), Tree([(1, 0), (1, 2)])]
    by_name = fair.property_table([10, 10], ["m-ch", "drf"], two)
    table = fair.property_table([10, 10], ["m-ch", RULES["drf"]], two)
    pd.testing.assert_frame_equal(table, by_name)
    table = table[table["property"] == "share guarantee"]
    assert table[["rule", "trees", "violated"]].values.tolist() == [
        ["m-ch", 1, 0.0],
        ["drf", 2, 0.0],
    ]
    table = fair.property_table([10, 10], ["m-ch"], two[1:])
    assert (table["trees"] == 0).all() and table["violated"].isna().all()


@given(st.integers(0, 10**6), st.integers(1, 5), st.integers(2, 4), st.floats(0, 1))
def test_random_trees_are_as_asked(seed, depth, branching, partial):
    tree = search.random_tree(np.random.default_rng(seed), depth, branching, 3, partial)
    assert tree.depth.max() == depth
    counts = [len(tree.children(node)) for node in np.flatnonzero(tree.leaf_of < 0)]
    assert min(counts) >= 2 and max(counts) <= branching
    assert set((tree.demand > 0).sum(axis=1)) <= {1, 3}


@pytest.mark.parametrize(
    "fails",
    [
        lambda tree: tree.depth.max() >= 2 and (tree.demand[:, 0] == 0).sum() >= 2,
        lambda tree: fair.share_guarantee(solved(tree, [10.0, 10.0], "mch")).value < -0.05,
    ],
)
def test_a_counter_example_fails_and_no_smaller_step_does(fails):
    tree = search.counter_example(fails)
    assert fails(tree)
    size = search._size(tree)
    smaller = [step for step in search._simpler(tree) if search._size(step) < size]
    assert not any(map(fails, smaller))


def test_the_search_finds_the_smallest_and_says_when_there_is_none():
    smallest = search.counter_example(lambda tree: tree.depth.max() >= 2 and tree.n_leaves >= 3)
    assert search._size(smallest) == (3, 5, 0, 3)
    assert search.counter_example(lambda tree: False) is None
    refuses("does not fail", search.shrink, Tree([(1, 0), (0, 1)]), lambda tree: False)
