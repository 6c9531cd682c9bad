"""Filling task by task: the fast kernels against the rules as printed, in exact arithmetic too, and against the fluid limit."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from schedlib import mch

FIG4 = mch.Tree([[(1, 0), (0, 1)], [(1, 0), (1, 0), (0, 1)], [(1, 0)]])
RULES = ("drf", "weighted-drf", "mch", "mch-two-phase", "exact-ch", "h-drf", "naive-h-drf")


@st.composite
def problems(draw, most_resources=5, wide=12, whole=False, weighted=True):
    """A tree, with groups of a handful and wide ones, and capacities in which some dozens of tasks fit."""
    resources = draw(st.integers(1, most_resources))
    number = st.integers(0, 4) if whole else st.integers(0, 4) | st.floats(0.1, 4)
    leaf = st.lists(number, min_size=resources, max_size=resources).filter(any).map(tuple)
    small = st.lists(leaf, min_size=1, max_size=3)
    group = st.recursive(
        small, lambda below: st.lists(leaf | below, min_size=1, max_size=3), max_leaves=10
    )
    nested = [draw(group), *draw(st.lists(leaf | group, min_size=0, max_size=3))]
    if draw(st.booleans()):
        nested.append(draw(st.lists(leaf, min_size=9, max_size=wide)))
    tree = mch.Tree(nested)
    if weighted and draw(st.booleans()):
        omega = st.sampled_from((1, 2, 3) if whole else (0.3, 1, 2.5))
        tree = mch.Tree(nested, {path: draw(omega) for path in tree.paths if path})
    capacity = np.array([draw(st.integers(8, 40)) for _ in range(resources)], float)
    return tree, capacity


class Exact:
    """H-DRF, or the naive adaptation, by the readings' words and in fractions."""

    def __init__(self, tree, capacity, rescale):
        self.tree, self.rescale = tree, rescale
        self.capacity = [Fraction(c) for c in capacity.tolist()]
        self.demand = [[Fraction(d) for d in row] for row in tree.demand.tolist()]
        self.weight = [Fraction(w) for w in tree.weight.tolist()]
        self.tasks = [0] * tree.n_leaves

    def below(self, node):
        leaf = self.tree.leaf_of[node]
        return (
            self.tasks[leaf]
            if leaf >= 0
            else sum(self.below(child) for child in self.tree.children(node))
        )

    def look(self, node, saturated):
        """U, s/omega or None when blocked, and the leaf to serve."""
        leaf, counts = self.tree.leaf_of[node], range(len(self.capacity))
        if leaf >= 0:
            usage = [
                self.tasks[leaf] * d / c
                for d, c in zip(self.demand[leaf], self.capacity, strict=True)
            ]
            blocked, serve = any(self.demand[leaf][j] > 0 for j in saturated), leaf
        else:
            seen = [(child, *self.look(child, saturated)) for child in self.tree.children(node)]
            able = [entry for entry in seen if entry[2] is not None]
            f = min((ratio for _, _, ratio, _ in able if ratio > 0), default=None)
            factor = [
                f / ratio if self.rescale and ratio is not None and ratio > 0 else 1
                for _, _, ratio, _ in seen
            ]
            usage = [
                sum(by * entry[1][j] for by, entry in zip(factor, seen, strict=True))
                for j in counts
            ]
            blocked = not able
            serve = (
                None
                if blocked
                else min(able, key=lambda e: (e[2], self.below(e[0]) / self.weight[e[0]], e[0]))[3]
            )
        count = [u for j, u in enumerate(usage) if not self.rescale or j not in saturated]
        return usage, None if blocked else max(count) / self.weight[node], serve

    def order(self):
        saturated, order = set(), []
        while (leaf := self.look(0, saturated)[2]) is not None:
            used = [
                sum(t * row[j] for t, row in zip(self.tasks, self.demand, strict=True))
                for j in range(len(self.capacity))
            ]
            full = {
                j
                for j, d in enumerate(self.demand[leaf])
                if d > 0 and used[j] + d > self.capacity[j]
            }
            saturated |= full
            if not full:
                self.tasks[leaf] += 1
                order.append(leaf)
        return order


@settings(deadline=None, max_examples=80)
@given(problems(), st.data())
def test_the_fast_kernels_decide_as_the_rules_are_printed(problem, data):
    tree, capacity = problem
    limit = np.array(
        data.draw(st.lists(st.integers(0, 9), min_size=tree.n_leaves, max_size=tree.n_leaves))
    )
    for rule in RULES:
        for tasks in (None, limit):
            fast, literal = (
                mch.fill(tree, capacity, rule, method=method, tasks=tasks)
                for method in ("fast", "literal")
            )
            assert fast.order.tolist() == literal.order.tolist(), rule
            assert fast.decisions == literal.decisions


@settings(deadline=None, max_examples=40)
@given(problems(most_resources=3, whole=True))
def test_hierarchical_rules_decide_as_in_exact_arithmetic(problem):
    tree, capacity = problem
    for rule in ("h-drf", "naive-h-drf"):
        assert (
            mch.fill(tree, capacity, rule).order.tolist()
            == Exact(tree, capacity, rule == "h-drf").order()
        ), rule


@settings(deadline=None, max_examples=40)
@given(problems())
def test_nothing_more_fits_and_no_capacity_is_exceeded(problem):
    tree, capacity = problem
    for rule in RULES:
        filled = mch.fill(tree, capacity, rule)
        assert (filled.usage.sum(axis=0) <= capacity * (1 + 1e-6)).all()
        assert np.array_equal(np.bincount(filled.order, minlength=tree.n_leaves), filled.tasks)
        assert (
            (tree.demand[:, filled.saturated] > 0).any(axis=1).all()
        )  # every leaf waits for something that is used up
        room = capacity - filled.usage.sum(axis=0)
        assert (
            room[filled.saturated] < tree.demand.max(axis=0)[filled.saturated] * (1 + 1e-6)
        ).all()
        assert np.allclose(filled.shares, (filled.usage / capacity).max(axis=1))


@settings(deadline=None, max_examples=25)
@given(problems(most_resources=2, wide=9, whole=True))
def test_ever_smaller_tasks_come_to_the_fluid_shares(problem):
    tree, capacity = problem
    for rule in ("drf", "mch", "mch-two-phase", "h-drf"):
        fluid = mch.allocate(tree, capacity, rule)
        fine = mch.fill(tree.with_demand(tree.demand / 300), capacity, rule)
        assert np.allclose(fine.shares, fluid.shares, atol=0.02), rule


def test_figure_4_task_by_task():
    for rule in ("mch", "h-drf"):
        assert np.allclose(
            mch.fill(FIG4, (200, 200), rule).shares,
            [1 / 3, 1 / 2, 1 / 6, 1 / 6, 1 / 2, 1 / 3],
            atol=1 / 200,
        )


def test_a_group_of_a_hundred_does_not_take_it_all_before_the_others_begin():
    tree = mch.Tree([[(1,)] * 100, (1,), [(1,)]])
    for rule in ("h-drf", "naive-h-drf"):
        filled = mch.fill(tree, (30,), rule)
        assert [filled.tasks[:100].sum(), *filled.tasks[100:]] == [10, 10, 10]
        assert filled.tasks[:100].max() == 1


def test_weights_are_kept_at_every_level():
    tree = mch.Tree([[(1,), (1,)], [(1,)]], {(1,): 60, (2,): 40, (1, 1): 90, (1, 2): 10})
    for rule in ("h-drf", "naive-h-drf"):
        assert mch.fill(tree, (1000,), rule).tasks.tolist() == [540, 60, 400]


def test_a_handful_and_a_wide_group_are_summed_alike():
    for many in (8, 9, 16, 33):  # one by one up to eight, then by a tree
        tree = mch.Tree([[(1, 0)] * many, [(0, 1)] * many, [(1, 1)]])
        fast, literal = (
            mch.fill(tree, (60, 90), "h-drf", method=method) for method in ("fast", "literal")
        )
        assert fast.order.tolist() == literal.order.tolist()


@mch.rule
def by_dominant_share(leaf, usage, demand, weight, capacity):
    return (usage / capacity).max() / weight


@mch.rule
def fewest_tasks(leaf, usage, demand, weight, capacity):
    return usage[0] / demand[0] + (100 if leaf == 2 else 0)


def test_a_rule_of_ones_own():
    tree = mch.Tree([[(1, 4), (3, 1)], [(2, 2)]], {(1, 1): 2})
    for weights in ("weighted-drf", "mch", "mch-two-phase"):
        mine = mch.fill(tree, (90, 180), mch.Rule(by_dominant_share.priority, weights))
        assert mine.order.tolist() == mch.fill(tree, (90, 180), weights).order.tolist()
    assert mch.fill(tree, (40, 60), fewest_tasks).tasks.tolist() == [10, 10, 0]
    assert mch.allocate(tree, (40, 60), fewest_tasks).rule == "fewest_tasks"


def test_a_fast_decision_looks_at_a_path_and_a_literal_one_at_every_node():
    def binary(levels):
        return [binary(levels - 1), binary(levels - 1)] if levels > 1 else (1.0, 0.5)

    looked = {}
    for levels in (5, 9):
        tree = mch.Tree(binary(levels))
        for method in ("fast", "literal"):
            filled = mch.fill(tree, (2 * tree.n_leaves, 2 * tree.n_leaves), "h-drf", method=method)
            looked[levels, method] = filled.operations / filled.decisions
    assert looked[9, "fast"] < 2 * looked[5, "fast"] < 2 * 4 * 5
    assert looked[9, "literal"] >= 511 and looked[5, "literal"] >= 31


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"rule": "hdrf"}, "did you mean"),
        ({"method": "quick"}, "method: 'quick' is unknown"),
        ({"capacity": (0.5, 5)}, r"leaf 0 \(n1,1\) needs 1 of resource 0"),
        ({"tasks": [1, 2]}, "6 leaves"),
        ({"tasks": [1, 2, 3, 0.5, 1, 1]}, r"tasks\[3\]"),
        ({"tasks": [1, 2, 3, -5, 1, 1]}, r"tasks\[3\]"),
        ({"rule": "c-ch"}, "n1,2"),
    ],
)
def test_bad_input_is_named(change, words):
    good = {"capacity": (5, 5), "rule": "h-drf"}
    with pytest.raises(ValueError, match=words):
        mch.fill(FIG4, **good | change)


def test_bad_rules_are_named():
    with pytest.raises(ValueError, match="does not compile"):
        mch.rule(lambda leaf, usage, demand, weight, capacity: {"no": "number"})
    with pytest.raises(ValueError, match="weights"):
        mch.Rule(by_dominant_share.priority, "h-drf")
    nan = mch.rule(lambda leaf, usage, demand, weight, capacity: np.nan if leaf == 1 else 0.0)
    with pytest.raises(
        ValueError,
        match=r"not a number: the priority of leaf 1 \(n1,2\) at the start, where it uses \(0, 0\)",
    ):
        mch.fill(FIG4, (5, 5), nan)
