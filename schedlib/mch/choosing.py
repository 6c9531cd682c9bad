"""Whom a rule serves next: `look_again` and `choose` are all that a rule decides.

The kinds of rules are branches here, since they need different state. A reader's function is called once for
a leaf that has changed (`priority`), or once for a decision (`choose`, which sees a `Hierarchy`).

Flat rules have a heap, four children to a place, of the leaves that want tasks for each set of demanded
resources: a saturated resource blocks whole heaps, and a decision looks at their tops alone. Heaps know where
each leaf is, so that a task's end costs no more than its start.
"""

from typing import Any, NamedTuple

import numba
import numpy as np
from numba.core import types

from schedlib.core import heap as core_heap
from schedlib.core.events import EventQueue, event_queue
from schedlib.core.uncounted import kernel
from schedlib.mch.flatten import Nodes as Flat
from schedlib.mch.flatten import flat_nodes
from schedlib.mch.hdrf_tree import Groups, Nodes, descend, groups, next_leaf, note, rounded, scan
from schedlib.mch.model import Tree

before = core_heap.before
SHARE, OWN, H_DRF, NAIVE, SEES = range(5)
"""The kinds: flat rules by share over weight, a reader's flat rule, H-DRF, naive hierarchical DRF, and a
reader's rule that sees the hierarchy."""

_VECTOR = types.float64[::1]
PRIORITY = types.float64(types.int64, _VECTOR, _VECTOR, types.float64, _VECTOR)
"""The type of a reader's `priority(leaf, usage, demand, weight, capacity)`."""
f8, i8, flag = np.float64, np.int64, np.bool_
LEAF = np.dtype([
    ("weight", f8), ("late", f8),  # by flat rules; once k' is saturated, where that counts
    ("share", f8),  # of one task, as a flat rule sees it
    ("slope", f8),  # what a task adds to a flat rule's key: its share over the weight
    ("key", f8), ("late_key", f8),  # a flat rule's share over weight, or a reader's priority
    ("bits", i8),  # the resources that the leaf demands, bit j for resource j
    ("tasks", i8), ("waiting", i8), ("started", i8),  # running; not yet; so far
    ("head", i8),  # the place in `Jobs.line` of the job that is served
    ("touched", flag)], align=True)  # whether its tasks changed at this time
JOB = np.dtype([
    ("submit", f8), ("duration", f8), ("depart", f8), ("start", f8), ("finish", f8),
    ("leaf", i8), ("left", i8), ("running", i8)], align=True)  # `left`: tasks that wait
CHANGE = np.dtype([("time", f8), ("leaf", i8), ("tasks", i8)], align=True)
TALLY = np.dtype([
    ("now", f8),
    ("saturated", i8),  # bit j: a chosen task did not fit in resource j
    ("first", i8),  # k', whose saturation changes weights, -1 for none
    ("decisions", i8), ("operations", i8),  # leaves chosen; nodes and heap places looked at
    ("reweighed", i8),  # how often weights were worked out anew
    ("ordered", i8), ("touched", i8), ("logged", i8),  # entries of the state's `order`, `touched`, `log`
    ("submitted", i8), ("departed", i8),  # jobs that have arrived, and whose time to leave has come
    ("bad_leaf", i8), ("bad_tasks", i8),  # whose priority was no number (-1: nobody's), its tasks then
    ("active_changed", flag),  # whether a leaf has become active, or has ceased to be so
    ("ready", flag)], align=True)  # whether all has happened at this time, and tasks may start


class Heaps(NamedTuple):
    """p leaves in T heaps: heap t, of those that demand `bits[t]`, has places from start[t] on."""

    key: np.ndarray  # (p,)
    leaf: np.ndarray  # (p,)
    place: np.ndarray  # (p,) where each leaf is, -1 for those without waiting tasks
    start: np.ndarray  # (T + 1,)
    size: np.ndarray  # (T,)
    bits: np.ndarray  # (T,)
    type_of: np.ndarray  # (p,)


class Jobs(NamedTuple):
    """Jobs, and their order in the leaves' lines (one line after another), at arrival and at leaving."""

    table: np.recarray  # JOB (n,)
    line: np.ndarray
    by_submit: np.ndarray
    by_depart: np.ndarray


class Hierarchy(NamedTuple):
    """What a rule that chooses sees: Q nodes by depth, siblings side by side, the root first; p leaves.

    - `nodes[i]`: `.parent` (-1: the root), `.first` and `.count` of its children, `.leaf` (-1: a group)
    - `weight (Q,)`: omega; `started (Q,)`: tasks started so far below each node; `node_of (p,)`: a leaf's
      node
    - `leaves[k]`: `.tasks` that run, `.waiting`, `.bits` (bit j: it demands resource j), `.share` of one
      task, `.weight` and, once resource `first` is saturated, `.late`, as the rule's `weights` say
    - `need (p, R)`: what a task takes, over capacity; `saturated`: bit j for resource j; `first`: k', or -1
    - `room (Q, W)`: numbers of the rule's own for each node, apart for each set of saturated resources
    - `changed (n,)`: leaves whose tasks or weight changed since the rule was last asked with that set;
      `anew`: whether all must be looked at, as after the first time with more than four resources
    """

    nodes: np.recarray
    weight: np.ndarray
    started: np.ndarray
    node_of: np.ndarray
    leaves: np.recarray
    need: np.ndarray
    saturated: int
    first: int
    room: np.ndarray
    changed: np.ndarray
    anew: bool


class State(NamedTuple):
    """All that a run changes; p leaves, R resources."""

    tally: np.recarray  # TALLY (1,)
    leaves: np.recarray  # LEAF (p,)
    demand: np.ndarray  # (p, R) per task
    capacity: np.ndarray  # (R,)
    used: np.ndarray  # (R,)
    busy: np.ndarray  # (R,) usage times time
    usage: np.ndarray  # (R,) what a reader's rule is shown
    touched: np.ndarray  # (p,) leaves whose tasks changed at this time
    order: np.ndarray  # leaves in the order in which tasks started; empty when not wanted
    log: np.recarray  # CHANGE; empty when not wanted
    jobs: Jobs
    ends: EventQueue  # of tasks
    heaps: Heaps
    late: Heaps  # by `late_key`, of the leaves that do not demand k'
    groups: Groups
    room: np.ndarray  # (C, Q, W) a choosing rule's own
    nodes: Nodes
    flat: Flat  # what a flat rule's weights are worked out in


def records(kind: np.dtype, count: int) -> Any:
    """So many records, all zero, whose fields are read by name in kernels and outside of them."""
    return np.zeros(count, kind).view(np.recarray)


def new_state(tree: Tree, capacity: np.ndarray, waiting: np.ndarray, kind: int, fast: bool,
              decisions: int = 0, room: int = 0) -> State:
    """A state without jobs, in which nothing runs; `decisions` is how many leaves it can write down, `room`
    how many numbers a rule keeps for each node."""
    share = tree.demand / capacity
    p, resources = share.shape
    tally, leaves = records(TALLY, 1), records(LEAF, p)
    tally.bad_leaf = tally.first = -1
    leaves.weight, leaves.waiting, leaves.slope = tree.weight[tree.leaves], waiting, 1.0
    leaves.bits = ((tree.demand > 0) * (1 << np.arange(resources))).sum(axis=1)
    sets, type_of = np.unique(leaves.bits, return_inverse=True)
    start = np.append(0, np.cumsum(np.bincount(type_of)))
    heaps, late = (Heaps(key=np.zeros(p), leaf=np.zeros(p, np.int64), place=np.full(p, -1), start=start,
                         size=np.zeros(len(sets), np.int64), bits=sets, type_of=type_of) for _ in range(2))
    given, tiny, none = (tree, share), (Tree([(1.0,)]), np.ones((1, 1))), np.zeros(0, np.int64)
    printed, need = given if kind >= H_DRF and not fast else tiny
    nodes = Nodes(**printed.copies("child_start", "child", "leaf_of", "weight"), demand=need,
                  usage=np.zeros((printed.n_nodes, need.shape[1])), ratio=np.zeros((1, printed.n_nodes)),
                  started=np.zeros(printed.n_nodes, np.int64))
    below = groups(*(given if kind >= H_DRF and fast else tiny))
    return State(tally=tally, leaves=leaves, demand=np.array(tree.demand), capacity=capacity,
                 used=np.zeros(resources), busy=np.zeros(resources), usage=np.zeros(resources),
                 touched=np.zeros(p, np.int64), order=np.zeros(decisions, np.int64), log=records(CHANGE, 0),
                 jobs=Jobs(table=records(JOB, 0), line=none, by_submit=none, by_depart=none),
                 ends=event_queue(1), heaps=heaps, late=late, nodes=nodes,
                 groups=below, room=np.zeros((below.made.size, below.weight.size, room)),
                 flat=flat_nodes(*((tiny[0], np.ones(1)) if kind in (H_DRF, NAIVE) else (tree, capacity))))


@kernel
def sift(heap, kind, at, key, leaf):
    """Put (key, leaf) into heap `kind`, whose place `at` is free; gives the number of places looked at."""
    base, size = heap.start[kind], heap.size[kind]
    here, moves = at - base, 1
    while here > 0:
        up = (here - 1) >> 2
        moves += 1
        above, other = heap.key[base + up], heap.leaf[base + up]
        if before(above, other, key, leaf):
            break
        heap.key[base + here], heap.leaf[base + here], heap.place[other] = above, other, base + here
        here = up
    while True:
        first = 4 * here + 1
        if first >= size:
            break
        best = first
        for child in range(first + 1, min(first + 4, size)):
            one, two = base + child, base + best
            if before(heap.key[one], heap.leaf[one], heap.key[two], heap.leaf[two]):
                best = child
        moves += min(4, size - first)
        below, other = heap.key[base + best], heap.leaf[base + best]
        if before(key, leaf, below, other):
            break
        heap.key[base + here], heap.leaf[base + here], heap.place[other] = below, other, base + here
        here = best
    heap.key[base + here], heap.leaf[base + here], heap.place[leaf] = key, leaf, base + here
    return moves


@kernel
def set_key(heap, leaf, key, wants):
    """Give a leaf a key, or take it out when it wants nothing; gives the number of places looked at."""
    kind, at = heap.type_of[leaf], heap.place[leaf]
    if wants:
        if at < 0:
            at = heap.start[kind] + heap.size[kind]
            heap.size[kind] += 1
        return sift(heap, kind, at, key, leaf)
    if at < 0:
        return 0
    heap.size[kind] -= 1
    heap.place[leaf] = -1
    last = heap.start[kind] + heap.size[kind]
    return 1 if at == last else sift(heap, kind, at, heap.key[last], heap.leaf[last])


@kernel
def least(heap, mask):
    """The leaf with the least key that demands no resource in `mask`, or -1; ties go to the lower index."""
    best, key = -1, np.inf
    for kind in range(heap.size.size):
        if heap.size[kind] > 0 and heap.bits[kind] & mask == 0:
            top = heap.start[kind]
            if best < 0 or before(heap.key[top], heap.leaf[top], key, best):
                best, key = heap.leaf[top], heap.key[top]
    return best


@kernel
def look_again(own, kind, fast, state, leaf):
    """A leaf's number of tasks, or whether it has any waiting, has changed."""
    if kind >= H_DRF:
        if fast:
            note(state.groups, leaf)
        return
    tally, one = state.tally[0], state.leaves[leaf]
    if kind == OWN:
        for l in range(state.used.size):
            state.usage[l] = one.tasks * state.demand[leaf, l]
        one.key = asked(own, state, leaf, one.weight)
    else:
        one.key = rounded(one.tasks * one.slope) if one.slope < np.inf else one.slope
    if fast:
        tally.operations += set_key(state.heaps, leaf, one.key, one.waiting > 0)
    if tally.first >= 0:
        free = (one.bits >> tally.first) & 1 == 0
        if free:
            if kind == OWN:
                one.late_key = asked(own, state, leaf, one.late)
            else:
                one.late_key = rounded(one.tasks * one.share / one.late)
        if fast:
            tally.operations += set_key(state.late, leaf, one.late_key, free and one.waiting > 0)


@kernel
def asked(own, state, leaf, weight):
    """A reader's priority of a leaf whose usage is in `state.usage`."""
    key = own(leaf, state.usage, state.demand[leaf], weight, state.capacity)
    if np.isnan(key) and state.tally[0].bad_leaf < 0:
        state.tally[0].bad_leaf, state.tally[0].bad_tasks = leaf, state.leaves[leaf].tasks
    return rounded(key)


@kernel
def choose(pick, kind, fast, state):
    """The leaf that the rule serves next, or -1 when every leaf is blocked or has no waiting task."""
    tally, leaves, g = state.tally[0], state.leaves, state.groups
    if kind == SEES:
        c = tally.saturated if g.made.size > 1 else 0
        anew, g.made[c] = g.made[c] != tally.saturated, tally.saturated
        for at in range(g.changes[c]):
            g.noted[c, g.changed[c, at]] = False
        leaf = pick(Hierarchy(nodes=g.nodes, weight=g.weight, started=g.started, node_of=g.node_of,
                              leaves=leaves, need=g.demand, saturated=tally.saturated, first=tally.first,
                              room=state.room[c], changed=g.changed[c, : g.changes[c]], anew=anew))
        g.changes[c] = 0
        if leaf >= leaves.size or (leaf >= 0 and (
                leaves[leaf].waiting == 0 or leaves[leaf].bits & tally.saturated != 0)):
            tally.bad_leaf, tally.bad_tasks = leaf, -1
        return leaf
    if kind < H_DRF:
        late = tally.first >= 0 and (tally.saturated >> tally.first) & 1 == 1
        if fast:
            return least(state.late, tally.saturated) if late else least(state.heaps, tally.saturated)
        tally.operations += leaves.size
        return scan(leaves, tally.saturated, late)
    if fast:
        leaf, looked = next_leaf(g, leaves, tally.saturated, kind == H_DRF)
    else:
        leaf, looked = descend(state.nodes, leaves, tally.saturated, kind == H_DRF)
    tally.operations += looked
    return leaf


def _hierarchy():
    state = new_state(Tree([(1.0,)]), np.ones(1), np.ones(1), SEES, True)
    g = state.groups
    return numba.typeof(Hierarchy(
        nodes=g.nodes, weight=g.weight, started=g.started, node_of=g.node_of, leaves=state.leaves,
        need=g.demand, saturated=0, first=-1, room=state.room[0], changed=g.changed[0, :1], anew=True))


CHOOSE = types.int64(_hierarchy())
"""The type of a reader's `choose(tree)`, of a `Hierarchy`."""
