"""Rules of a reader that do what shipped ones do: H-DRF, MCH and two-phase MCH, written for `mch.rule(room=...)`."""

import numpy as np
import pytest
from hypothesis import given, settings

from schedlib import mch
from schedlib.core.uncounted import kernel
from schedlib.mch.hdrf_tree import rounded
from tests.test_mch_filling import problems
from tests.test_mch_simulate import workloads

RATIO, BEST, USAGE = 0, 1, 2  # what H-DRF keeps of a node in `room`: s/omega, the leaf to serve, U


@kernel
def first_of_siblings(tree, i):
    """Of a group's children the one with the least ratio; on ties that with the fewest tasks started per weight; -1: none."""
    best = -1
    for j in range(tree.nodes[i].first, tree.nodes[i].first + tree.nodes[i].count):
        if tree.room[j, RATIO] < np.inf:
            mine, other = rounded(tree.room[j, RATIO]), rounded(tree.room[best, RATIO])
            few, many = tree.started[j] * tree.weight[best], tree.started[best] * tree.weight[j]
            if best < 0 or mine < other or (mine == other and few < many):
                best = j
    return best


@kernel
def h_drf_node(tree, i):
    """U, s/omega and the leaf to serve of a node, from what its children have."""
    room, resources, leaf = tree.room, tree.need.shape[1], tree.nodes[i].leaf
    s, best = 0.0, leaf
    if leaf >= 0:
        one = tree.leaves[leaf]
        if one.waiting == 0 or one.bits & tree.saturated != 0:
            best = -1
        for l in range(resources):
            room[i, USAGE + l] = one.tasks * tree.need[leaf, l]
            s = max(s, room[i, USAGE + l])
    else:
        first, end, f = tree.nodes[i].first, tree.nodes[i].first + tree.nodes[i].count, np.inf
        for j in range(first, end):
            if room[j, RATIO] > 0:
                f = min(f, room[j, RATIO])
        for l in range(resources):
            room[i, USAGE + l] = 0.0
        for j in range(first, end):
            scale = f / room[j, RATIO] if 0 < room[j, RATIO] < np.inf else 1.0
            for l in range(resources):
                room[i, USAGE + l] += scale * room[j, USAGE + l]
        for l in range(resources):
            if (tree.saturated >> l) & 1 == 0:
                s = max(s, room[i, USAGE + l])
        child = first_of_siblings(tree, i)
        best = int(room[child, BEST]) if child >= 0 else -1
    room[i, BEST] = best
    room[i, RATIO] = s / tree.weight[i] if best >= 0 else np.inf


@mch.rule(room=4)
def h_drf(tree):
    if tree.anew:
        for i in range(tree.nodes.size - 1, -1, -1):
            h_drf_node(tree, i)
    for leaf in tree.changed:
        i = tree.node_of[leaf]
        while i >= 0:
            h_drf_node(tree, i)
            i = tree.nodes[i].parent
    return int(tree.room[0, BEST])


@kernel
def least_below(tree, i):
    """The least share over weight of the leaves below a node that can be served, and whose it is; lower indices first."""
    room, leaf = tree.room, tree.nodes[i].leaf
    if leaf >= 0:
        one = tree.leaves[leaf]
        late = tree.first >= 0 and (tree.saturated >> tree.first) & 1 == 1
        blocked = one.waiting == 0 or one.bits & tree.saturated != 0
        room[i, BEST] = -1 if blocked else leaf
        room[i, RATIO] = np.inf if blocked else rounded(one.tasks * (one.share / (one.late if late else one.weight)))
        return
    room[i, RATIO], room[i, BEST] = np.inf, -1
    for j in range(tree.nodes[i].first, tree.nodes[i].first + tree.nodes[i].count):
        less = room[j, RATIO] < room[i, RATIO] or (room[j, RATIO] == room[i, RATIO] and room[j, BEST] < room[i, BEST])
        if room[j, BEST] >= 0 and less:
            room[i, RATIO], room[i, BEST] = room[j, RATIO], room[j, BEST]


@mch.rule(room=2, weights="mch")
def flat_mch(tree):
    if tree.anew:
        for i in range(tree.nodes.size - 1, -1, -1):
            least_below(tree, i)
    for leaf in tree.changed:
        i = tree.node_of[leaf]
        while i >= 0:
            least_below(tree, i)
            i = tree.nodes[i].parent
    return int(tree.room[0, BEST])


@mch.rule
def share_over_weight(leaf, usage, demand, weight, capacity):
    most = 0.0
    for l in range(usage.size):
        most = max(most, usage[l] / capacity[l])
    return most / weight


SAME = (
    (h_drf, "h-drf"), (flat_mch, "mch"), (mch.Rule(choose=flat_mch.choose, room=2, weights="mch-two-phase"), "mch-two-phase"),
    *((mch.Rule(share_over_weight.priority, weights), weights) for weights in ("mch", "mch-two-phase")))


@settings(deadline=None, max_examples=40)
@given(problems(most_resources=2, whole=True))
def test_a_readers_rule_fills_as_the_shipped_one(problem):
    for mine, shipped in SAME:
        both = [mch.fill(*problem, rule).order.tolist() for rule in (mine, shipped)]
        assert both[0] == both[1], shipped


@settings(deadline=None, max_examples=25)
@given(workloads())
def test_a_readers_rule_serves_a_stream_as_the_shipped_one(workload):
    for mine, shipped in SAME[1:]:
        both = [mch.simulate(*workload[:2], rule, workload[2]).jobs for rule in (mine, shipped)]
        assert both[0].equals(both[1]), shipped


def test_a_leaf_that_cannot_be_served_is_named():
    tree = mch.Tree([(1, 0), (0, 1)])
    for bad, words in ((lambda tree: 0, r"chose leaf 0 \(n1\) at decision 5, which has no task waiting, or demands"), (lambda tree: 7, "chose leaf 7 at")):
        with pytest.raises(ValueError, match=words):
            mch.fill(tree, (4, 4), mch.Rule(choose=bad))
    with pytest.raises(ValueError, match="does not compile"):
        mch.rule(lambda tree: tree.nothing, room=1)
