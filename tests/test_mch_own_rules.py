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


def small_share(leaf, usage, demand, weight, capacity):
    return 1e-9 * (usage / capacity).max() + 1


def large_share(leaf, usage, demand, weight, capacity):
    return 1e9 + (usage / capacity).max()


@pytest.mark.parametrize("function", [small_share, large_share])
def test_a_constant_added_to_a_priority_changes_nothing(function):
    """A difference in the thirtieth bit decides."""
    tree = mch.Tree([(1, 4), (3, 1)])
    found = mch.allocate(tree, (9, 18), mch.rule(function))
    assert found.rule == function.__name__ and found.tasks.tolist() == [3, 2]


def test_class_first_then_share():
    """Leaf 2 is of the second class, and gets what the others leave."""

    @mch.rule
    def class_then_share(leaf, usage, demand, weight, capacity):
        group = 1 if leaf == 2 else 0
        return 1e9 * group + (usage / capacity).max()

    tree = mch.Tree([(1,), (2,), (1,)])
    jobs = pd.DataFrame({"leaf": [0, 1, 2], "submit": 0, "tasks": [48, 24, 9], "duration": 1})
    run = mch.simulate(tree, (100,), class_then_share, jobs, until=0, every=1)
    assert run.shares["share"].tolist() == [0.48, 0.48, 0.04]


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
    refuses("does not compile", mch.rule, lambda tree: tree.nothing, room=1)


@mch.rule(room=1)
def sees_it_all(tree):
    """Serves by turns, of what fits; notes in `mine` (one for all sets) the tasks free, the backlog and the time."""
    for l in range(tree.free.size):
        if tree.free[l] < 0 or tree.free[l] > tree.capacity[l]:
            return 99
    turn = int(tree.mine[0, 0])
    for at in range(tree.leaves.size):
        k = (turn + at) % tree.leaves.size
        one = tree.leaves[k]
        if one.waiting > 0 and one.bits & tree.saturated == 0:
            tree.mine[0, 0] = k + 1
            tree.mine[1, 0] = tree.now
            return k
    return -1


def test_a_rule_keeps_numbers_and_sees_what_is_free_and_the_time():
    tree = mch.Tree([(1, 0), (1, 0), (1, 0)])
    # zero at the start, kept between calls
    assert mch.fill(tree, (6, 1), sees_it_all).order.tolist() == [0, 1, 2, 0, 1, 2]

    @mch.rule(room=0)
    def only_while_half_is_free_or_late(tree):
        late = tree.now >= 10 or 2 * tree.free[0] > tree.capacity[0]
        return 0 if late and tree.leaves[0].waiting > 0 and tree.saturated & 1 == 0 else -1

    jobs = as_frame("""
        leaf  submit  tasks  duration
           0       0      4       100
           1      10      0         1
    """)
    rule = only_while_half_is_free_or_late
    early = mch.simulate(tree, (4, 1), rule, jobs, until=5, every=1)
    assert early.shares["share"].max() == 0.5
    assert mch.simulate(tree, (4, 1), rule, jobs).jobs["finish"].tolist() == [110, 10]


def test_random_numbers_are_the_same_for_a_seed():
    @mch.rule(room=0)
    def at_random(tree):
        k = int(tree.rng.random() * tree.leaves.size)
        return k if tree.saturated == 0 else -1

    tree = mch.Tree([(1,)] * 5)
    jobs = pd.DataFrame({"leaf": range(5), "submit": 0, "tasks": 40, "duration": 1})
    shares = [
        mch.simulate(tree, (40,), at_random, jobs, until=0, every=1, seed=seed)
        .shares["share"]
        .tolist()
        for seed in (0, 0, 1)
    ]
    assert shares[0] == shares[1] != shares[2] and min(shares[0]) > 0


def forges_capacity(leaf, usage, demand, weight, capacity):
    np.asfortranarray(capacity)[:] = 1200.0
    return usage[0]


def forges_demand(leaf, usage, demand, weight, capacity):
    np.asfortranarray(demand)[:] = 1e-3
    return usage[0]


@pytest.mark.parametrize("cheat", [forges_capacity, forges_demand])
@pytest.mark.skipif(numba.config.DISABLE_JIT, reason="numpy alone refuses it")
def test_a_rule_that_writes_through_an_alias_is_refused(cheat):
    """Before, the cluster held more tasks than there was memory for."""
    tree = mch.Tree([(1,), (2,)])
    jobs = pd.DataFrame({"leaf": [0, 1], "submit": 0.0, "tasks": 9, "duration": 1.0})
    words = f"{cheat.__name__}.*wrote to `{cheat.__name__.removeprefix('forges_')}`"
    refuses(words, mch.fill, tree, (10,), mch.rule(cheat))
    refuses(words, mch.simulate, tree, (10,), mch.rule(cheat), jobs)


def writes_a_record(tree):
    tree.leaves[0].waiting = 0
    return 0


def writes_usage(leaf, usage, demand, weight, capacity):
    usage[:] = 0.0
    return 0.0


@pytest.mark.parametrize("cheat", [writes_a_record, writes_usage])
@pytest.mark.skipif(numba.config.DISABLE_JIT, reason="nothing is compiled")
def test_what_a_rule_sees_is_read_only(cheat):
    room = None if "usage" in cheat.__code__.co_varnames else 1
    words = f"{cheat.__name__}: .*read-only.*; keep your own numbers in `tree.mine`"
    refuses(words, mch.rule(room=room), cheat)
