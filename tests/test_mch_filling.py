"""Filling task by task: the fast kernels against `mch.plain`, in exact arithmetic too, and against the fluid limit."""

import numpy as np
import pandas as pd
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from mch_instances import FIG4, PLAIN, SCANS, Exact, problems, started, takes
from refusals import refuses
from schedlib import mch
from schedlib.mch import plain
from schedlib.mch.workloads import full_binary

RULES = (*SCANS, "h-drf", "naive-h-drf")


@given(problems(), st.data())
def test_the_fast_kernels_decide_as_the_rules_are_printed(problem, data):
    tree, capacity = problem
    limit = data.draw(arrays(int, tree.n_leaves, elements=st.integers(0, 9)))
    for rule in RULES:
        filled = mch.fill(tree, capacity, rule)
        if rule in PLAIN:
            assert_alike(filled, plain.allocate(tree, capacity, rule))
        for waiting in (limit, np.full(tree.n_leaves, 1000)):
            fast = started(tree, capacity, rule, waiting).tolist()
            slow = started(tree, capacity, SCANS.get(rule, rule), waiting, "literal").tolist()
            assert fast == slow, rule
        assert filled.order.tolist() == slow
        if rule in SCANS:
            assert mch.fill(tree, capacity, SCANS[rule]).decisions == filled.decisions
    assert_flat_alike(mch.flatten(tree, capacity), plain.flatten(tree, capacity))


def assert_alike(fast, slow):
    """Two fillings are one, decision by decision."""
    assert fast.rule == slow.rule
    assert fast.order.tolist() == slow.order.tolist(), fast.rule
    assert fast.decisions == slow.decisions
    for name in ("tasks", "usage", "saturated"):
        assert np.array_equal(getattr(fast, name), getattr(slow, name)), name
    assert np.allclose(fast.shares, slow.shares, rtol=1e-12, atol=0)


def assert_flat_alike(fast, slow):
    """Two flat trees are one, field by field."""
    assert fast.first_saturated == slow.first_saturated
    assert fast.full_type.tolist() == slow.full_type.tolist()
    for name in ("weights", "node_share", "mu", "case1"):
        assert np.allclose(getattr(fast, name), getattr(slow, name), rtol=1e-12, atol=0), name


@given(problems(most_resources=2, full=True))
def test_collapsed_hierarchies_decide_as_plain_ones(problem):
    """C-CH and M-CH take leaves alone that need their resource."""
    tree, capacity = problem
    for rule in ("c-ch", "m-ch"):
        if takes(tree, rule):
            assert_alike(mch.fill(tree, capacity, rule), plain.allocate(tree, capacity, rule))


@given(problems(), st.integers(-8, 8))
def test_units_do_not_matter(problem, power):
    """Each resource has another unit: powers of two, by which floats scale without rounding."""
    tree, capacity = problem
    unit = np.exp2(power * np.arange(1, tree.n_resources + 1))
    other = tree.with_demand(tree.demand * unit)
    for rule in RULES:
        order = mch.fill(tree, capacity, rule).order.tolist()
        assert mch.fill(other, capacity * unit, rule).order.tolist() == order, rule


def test_ties_by_hand():
    """3 * 0.1 and 0.3 are equal, so the first leaf is next."""
    tenths = mch.Tree([(0.1,), (0.3,)])
    for filled in (plain.allocate(tenths, (1,), "drf"), mch.fill(tenths, (1,), "drf")):
        assert filled.order[:5].tolist() == [0, 1, 0, 0, 0]


@given(problems(most_resources=3, whole=True))
def test_hierarchical_rules_decide_as_in_exact_arithmetic(problem):
    tree, capacity = problem
    for rule in ("h-drf", "naive-h-drf"):
        assert mch.fill(tree, capacity, rule).order.tolist() == Exact(tree, capacity).fill(
            rule == "h-drf"
        ), rule


@given(problems(most_resources=2, wide=9, whole=True))
def test_ever_smaller_tasks_come_to_the_fluid_shares(problem):
    tree, capacity = problem
    for rule in ("drf", "mch", "mch-two-phase", "h-drf"):
        fluid = mch.allocate(tree, capacity, rule)
        fine = mch.fill(tree.with_demand(tree.demand / 300), capacity, rule)
        assert np.allclose(fine.shares, fluid.shares, atol=0.02), rule


def test_a_tree_that_is_one_leaf_gets_all_there_is():
    tree = mch.Tree((1, 2), {(): 3})
    for rule in mch.rules.RULES:
        assert np.allclose(mch.allocate(tree, (9, 9), rule).tasks, 4.5), rule
        assert mch.fill(tree, (9, 9), rule).tasks == 4, rule


def test_a_fast_decision_looks_at_a_path_and_a_literal_one_at_every_node():
    looked = {}
    for levels in (4, 8):
        tree = full_binary(levels, [(1.0, 0.5)] * 2**levels)
        capacity = np.full(2, 2.0 * tree.n_leaves)
        jobs = pd.DataFrame({"leaf": range(tree.n_leaves), "submit": 0, "tasks": 9, "duration": 9})
        for method in ("fast", "literal"):
            done = mch.simulate(tree, capacity, "h-drf", jobs, until=1, method=method)
            looked[levels, method] = done.operations / done.decisions
    assert looked[8, "fast"] < 2 * looked[4, "fast"] < 2 * 4 * 5
    assert looked[8, "literal"] >= 511 and looked[4, "literal"] >= 31


def test_bad_rules_are_named():
    refuses(r"leaf 0 \(n1,1\) needs 1 of resource 0", mch.fill, FIG4, (0.5, 5), "h-drf")
    nan = mch.rule(lambda leaf, usage, demand, weight, capacity: np.nan if leaf == 1 else 0.0)
    start = r"not a number: the priority of leaf 1 \(n1,2\) at the start, where it uses \(0, 0\)"
    refuses(start, mch.fill, FIG4, (5, 5), nan)
