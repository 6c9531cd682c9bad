"""Divisible allocation: hand cases, the papers' examples, and invariants."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from mch_instances import FIG4, problems, takes
from refusals import refuses
from schedlib import mch
from schedlib.mch.allocate import filling_path
from schedlib.mch.model import branch_of, tree_of
from schedlib.mch.rules import RULES

CPU, MEM = (1, 0), (0, 1)
# those that take any leaf
HIERARCHICAL = ("h-drf", "naive-h-drf", "exact-ch", "mch", "mch-two-phase", "drf", "weighted-drf")


TREES = problems(most_resources=3, whole=True)
FULL = problems(most_resources=3, whole=True, full=True)


def shares(tree, capacity, rule):
    return mch.allocate(tree, capacity, rule).shares


def test_drf_gives_its_own_papers_example():
    for rule in ("drf", "weighted-drf", "mch", "h-drf", "naive-h-drf", "exact-ch"):
        found = mch.allocate(mch.Tree([(1, 4), (3, 1)]), (9, 18), rule)
        assert np.allclose(found.tasks, [3, 2]) and np.allclose(found.shares, 2 / 3)
        assert np.allclose(found.usage, [[3, 12], [6, 2]])
        assert found.saturated.tolist() == [True, False]


def test_collapsed_hierarchies_refuse_leaves_without_their_resource():
    words = r"'c-ch' looks at resource 0 alone: leaf n1,2 uses nothing"
    refuses(words, mch.allocate, FIG4, (200, 200), "c-ch")
    refuses(
        "resource 1 alone, but leaves name 1 only", mch.allocate, mch.Tree([(1,)]), (1,), "m-ch"
    )


BY_HAND = """
h-drf mch mch-two-phase exact-ch naive-h-drf | [[C, M], [C, C, M], [C]] | 1/3 1/2 1/6 1/6 1/2 1/3 |
    Fig. 4; naively, too: CPU is gone with 1/3 in n1, 1/6 + 1/6 in n2 and 1/3 in n3; n1's M has 1/3, n2's 1/6, hidden by n2's CPU
h-drf | [[(2, 1), (2, 1), (2, 1), M], [C, M]] | 1/6 1/6 1/6 1/4 1/2 1/2 |
    CPU runs out at 1/2 each; of memory n1 has 3/12 + 2/12, n2 6/12: n1's memory leaf alone gets what is left
h-drf | [[(1, 1, 0), (1, 1, 0), (0, 0, 1)], (1, 0, 0), (1, 0, 0), (0, 1, 1)] | 1/6 1/6 1/2 1/3 1/3 1/2 |
    when CPU is gone n1 has <1/3, 1/3, 1/6> and n4 1/3; served, n1 gets more of the third resource alone, and no larger share, \
    so it is served until it has 1/3 of that, too; the last third goes to both in halves
h-drf | [[M, M], M, C, C, C] | 1/4 1/4 1/2 1/3 1/3 1/3 | the two of a group share what the third has alone
mch | [[M, M], M, C, C, C] | 1/3 1/3 1/3 1/3 1/3 1/3 | CPU is first used up, so all M get weight 1, and the group is forgotten
h-drf | [[[[C]]], [[M]], (1, 1)] | 1/2 1/2 1/2 | chains of groups with one leaf change nothing: both resources are full
mch-two-phase | [(4, 1), [C, M, M]] | 2/3 1/3 5/12 5/12 | CPU is full at 24 of 36 for n1 and 12 for C, who then stay; the M halve the other 30
mch | [(4, 1), [C, M, M]] | 4/9 5/9 4/9 4/9 | of 36: 16, 20 and 16 each
c-ch | [[(1, 2), (3, 1)], (1, 1)] | 6/13 3/13 6/13 | of CPU the leaves have as 1:1:2; memory is gone when that is 12/13
m-ch | [[(1, 2), (3, 1)], (1, 1)] | 2/11 6/11 4/11 | of memory 1:1:2; CPU is gone when that is 8/11
mch | [C, [M, (1, 1), M]] | 6/7 3/7 1/7 3/7 |
    n2 asks for (1, 3) over its largest, with n1 (4/3, 1): CPU seems to fill first, so the M keep w = 1, not 1/3, and memory fills
h-drf case1 | [C, [M, (1, 1), M]] | 3/4 3/8 1/4 3/8 | 4/3 of n1's share fill CPU; the M halve the rest of memory
"""
"""Rules, a tree of CPU leaves C, memory leaves M and others, the dominant shares, and why; there is one of each resource."""


@pytest.mark.parametrize("line", BY_HAND.replace("|\n", "|").strip().splitlines())
def test_shares_by_hand(line):
    rules, nested, wanted, _ = line.split("|")
    tree = mch.Tree(eval(nested, {"C": CPU, "M": MEM}))
    for rule in rules.split():
        found = shares(tree, np.ones(tree.n_resources), rule)
        assert np.allclose(found, [float(Fraction(share)) for share in wanted.split()]), rule


@given(FULL)
def test_mch_is_hdrf_when_every_leaf_is_full_type(made):
    assert np.allclose(shares(*made, "mch"), shares(*made, "h-drf"), rtol=1e-7)


@given(TREES)
def test_exact_weights_give_hdrf_on_the_flat_tree(made):
    assert np.allclose(shares(*made, "exact-ch"), shares(*made, "h-drf"), rtol=1e-7)


@given(TREES, st.sampled_from(HIERARCHICAL))
def test_allocations_are_feasible_and_pareto_efficient(made, rule):
    tree, capacity = made
    found = mch.allocate(tree, capacity, rule)
    assert (found.usage >= 0).all() and (found.usage.sum(axis=0) <= capacity * (1 + 1e-9)).all()
    used_up = found.usage.sum(axis=0) >= capacity * (1 - 1e-7)
    assert (found.saturated == used_up).all()
    assert ((tree.demand > 0) & found.saturated).any(axis=1).all()


def scaled(tree, factors, node=0):
    """The branch at a node, with the omegas of each group's children times a factor of their own."""
    children = tree.children(node)
    below = [scaled(tree, factors, child) for child in children]
    weight = tree.weight[node] * factors[tree.parent[node]]
    return weight, below or tuple(tree.demand[tree.leaf_of[node]])


@given(TREES, st.data())
def test_a_common_factor_on_the_weights_of_siblings_changes_nothing(made, data):
    """A power of two, so that no rounding comes in; flat weighted DRF, for which all leaves are siblings, is asked of one factor."""
    tree, capacity = made
    factors = 2.0 ** data.draw(arrays(int, tree.n_nodes, elements=st.integers(-4, 6)))
    for rule in RULES:
        if not takes(tree, rule):
            continue
        one_for_all = np.full(tree.n_nodes, factors[0])
        other = tree_of(scaled(tree, one_for_all if rule == "weighted-drf" else factors))
        for divisible in (True, False):
            before = mch.allocate(tree, 5 * capacity, rule, divisible).tasks
            after = mch.allocate(other, 5 * capacity, rule, divisible).tasks
            assert np.allclose(before, after, rtol=1e-6), (rule, divisible)


@given(TREES, st.sampled_from(HIERARCHICAL))
def test_the_way_ends_at_the_allocation_and_never_goes_back_or_over(made, rule):
    tree, capacity = made
    path = filling_path(tree, capacity, rule)
    assert not path[0].any() and np.allclose(path[-1], shares(tree, capacity, rule))
    assert (np.diff(path, axis=0) >= -1e-9).all()
    need = tree.demand / capacity
    used = (path / need.max(axis=1)) @ need
    assert used.max() <= 1 + 1e-9 and (np.diff(used.sum(axis=1)) > 0).all()


@given(TREES)
def test_two_phase_mch_is_hdrf_until_a_resource_is_full_and_then_keeps_guarantees(made):
    tree, capacity = made
    both = [filling_path(tree, capacity, rule) for rule in ("mch-two-phase", "h-drf")]
    need = tree.demand / capacity
    first = [
        next(row for row in path if ((row / need.max(axis=1)) @ need).max() > 1 - 1e-9)
        for path in both
    ]
    assert np.allclose(*first, rtol=1e-7)
    guarantee = tree.guarantee[tree.leaves]
    assert (both[0][-1] >= guarantee * (1 - 1e-7)).all()


@given(TREES, st.sampled_from(("h-drf", "naive-h-drf", "exact-ch", "mch", "mch-two-phase")))
def test_the_order_of_siblings_does_not_matter(made, rule):
    tree, capacity = made
    other = shares(tree_of(mirrored(branch_of(tree))), capacity, rule)[::-1]
    assert np.allclose(other, shares(tree, capacity, rule), rtol=1e-6)


def mirrored(branch):
    weight, below = branch
    return weight, list(map(mirrored, reversed(below))) if isinstance(below, list) else below


def test_capacities_of_another_length_are_refused():
    refuses("capacity: shape", mch.allocate, FIG4, (1, 1, 1), "h-drf")
