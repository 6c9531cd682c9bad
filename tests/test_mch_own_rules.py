"""Rules of a reader that decide as shipped ones, and the data that they may see, keep and not change."""

import numba
import numpy as np
import pandas as pd
import pytest
from hypothesis import given

from frames import as_frame
from mch_instances import workloads
from refusals import refuses
from schedlib import mch
from schedlib.mch.choice import rounded


@mch.rule
def share_over_weight(leaf, usage, demand, weight, capacity):
    most = 0.0
    for l in range(usage.size):
        most = max(most, usage[l] / capacity[l])
    return rounded(most / weight)


SAME = {
    weights: mch.Rule(share_over_weight.priority, weights)
    for weights in ("mch", "mch-two-phase", "exact-ch", "weighted-drf")
}


@given(workloads())
def test_a_readers_rule_serves_a_stream_as_the_shipped_one(workload):
    tree, capacity, jobs = workload
    for name, rule in SAME.items():
        mine = mch.simulate(tree, capacity, rule, jobs)
        shipped = mch.simulate(tree, capacity, name, jobs)
        assert mine.jobs.equals(shipped.jobs) and mine.shares.equals(shipped.shares), name
        assert mine.reflattens == shipped.reflattens


def large_share(leaf, usage, demand, weight, capacity):
    return 1e9 + (usage / capacity).max()


def test_a_constant_added_to_a_priority_changes_nothing():
    """A difference in the thirtieth bit decides, so classes may be far apart."""
    tree = mch.Tree([(1, 4), (3, 1)])
    found = mch.allocate(tree, (9, 18), mch.rule(large_share))
    assert found.rule == "large_share" and found.tasks.tolist() == [3, 2]


def test_a_function_of_the_tree_needs_room():
    """The message comes before the compiler's."""
    refuses(
        r"<lambda>: takes one argument, the tree.*@mch.rule\(room=0\)", mch.rule, lambda tree: 0
    )


def test_a_leaf_that_cannot_be_served_is_named():
    tree = mch.Tree([(1, 0), (0, 1)])
    full = r"chose leaf 0 \(n1\) at decision 5, which has no task waiting, or demands"
    refuses(full, mch.fill, tree, (4, 4), mch.Rule(choose=lambda tree: 0))
    refuses("chose leaf 7 at", mch.fill, tree, (4, 4), mch.Rule(choose=lambda tree: 7))


@mch.rule(room=1)
def in_turn(tree):
    """Notes in `mine` whose turn it is."""
    turn = int(tree.mine[0, 0])
    tree.mine[0, 0] = (turn + 1) % tree.leaves.size
    return turn if tree.saturated == 0 else -1


def test_a_rule_keeps_numbers_and_sees_what_is_free_and_the_time():
    tree = mch.Tree([(1, 0), (1, 0), (1, 0)])
    # zero at the start, kept between calls
    assert mch.fill(tree, (6, 1), in_turn).order.tolist() == [0, 1, 2, 0, 1, 2]

    @mch.rule(room=0)
    def only_while_half_is_free_or_late(tree):
        late = tree.now >= 10 or 2 * tree.free[0] > tree.capacity[0]
        return 0 if late and tree.leaves[0].waiting > 0 and tree.saturated & 1 == 0 else -1

    jobs = as_frame("""
        leaf  submit  tasks  duration
           0       0      4       100
           1      10      0         1
    """)
    run = mch.simulate(tree, (4, 1), only_while_half_is_free_or_late, jobs)
    assert run.shares.query("time < 10")["share"].max() == 0.5
    assert run.jobs["finish"].tolist() == [110, 10]


def test_random_numbers_are_the_same_for_a_seed():
    @mch.rule(room=0)
    def at_random(tree):
        k = int(tree.rng.random() * tree.leaves.size)
        return k if tree.saturated == 0 else -1

    tree = mch.Tree([(1,)] * 5)
    jobs = pd.DataFrame({"leaf": range(5), "submit": 0, "tasks": 40, "duration": 1})
    options = {"until": 0, "every": 1}
    one, same, other = (
        mch.simulate(tree, (40,), at_random, jobs, seed=seed, **options).shares
        for seed in (0, 0, 1)
    )
    assert one.equals(same) and not one.equals(other) and one["share"].min() > 0


def forges_demand(leaf, usage, demand, weight, capacity):
    np.asfortranarray(demand)[:] = 1e-3
    return usage[0]


@pytest.mark.skipif(numba.config.DISABLE_JIT, reason="numpy alone refuses it")
def test_a_rule_that_writes_through_an_alias_is_refused():
    """The board of shares refuses one that writes to the capacity."""
    rule, tree = mch.rule(forges_demand), mch.Tree([(1,), (2,)])
    refuses("forges_demand.*wrote to `demand`", mch.fill, tree, (10,), rule)


def writes_a_record(tree):
    tree.leaves[0].waiting = 0
    return 0


def writes_usage(leaf, usage, demand, weight, capacity):
    usage[:] = 0.0
    return 0.0


@pytest.mark.parametrize("cheat, room", [(writes_a_record, 1), (writes_usage, None)])
@pytest.mark.skipif(numba.config.DISABLE_JIT, reason="nothing is compiled")
def test_what_a_rule_sees_is_read_only(cheat, room):
    words = f"{cheat.__name__}: .*read-only.*; keep your own numbers in `tree.mine`"
    refuses(words, mch.rule(room=room), cheat)
