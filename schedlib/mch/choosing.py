"""What a rule sees and decides, and the state of a run.

A rule, shipped or a reader's, is one of two functions: a `priority`, asked once for each leaf that has
changed, or one that chooses, asked once for a decision, of a `Hierarchy`: in `look_again` and `choose`.

Priorities are kept in heaps, four children to a place, of the leaves that want tasks for each set of demanded
resources: a saturated resource blocks whole heaps, and a decision looks at their tops alone. Heaps know where
each leaf is, so that a task's end costs no more than its start.
"""

from typing import Any, NamedTuple

import numba
import numpy as np
import numpy.typing as npt
from numba.core import types

from schedlib.core import heap as core_heap
from schedlib.core.events import EventQueue, event_queue
from schedlib.core.stopping import poll
from schedlib.core.streams import streams
from schedlib.core.uncounted import kernel
from schedlib.mch.flatten import Nodes as Flat
from schedlib.mch.flatten import flat_nodes
from schedlib.mch.model import Tree

before = core_heap.before
HEAPS, KEYS, TREE = range(3)
"""How a rule is asked: its priorities kept in heaps, or all looked at; or its function that chooses."""
CUT = float(2**24 + 1)  # Veltkamp's constant: of 53 bits, 29 are kept
# children of a group that is not wide; resources with a copy for each saturated set
HANDFUL, MOST = (8, 4)
f8, i8, flag = np.float64, np.int64, np.bool_
# omega, and 1 over it
NODE = np.dtype(
    [
        ("first", i8),
        ("count", i8),  # its children: first .. first + count - 1; count 0 for leaves
        ("parent", i8),
        ("leaf", i8),  # `leaf`: its number, -1 for groups
        ("inner", i8),  # a wide group's first row of its own in a rule's room, else -1
        ("weight", f8),
        ("light", f8),
    ],
    align=True,
)
# whether its tasks changed at this time
LEAF = np.dtype(
    [
        ("weight", f8),
        ("late", f8),  # by the rule's `weights`; once k' is saturated, where that counts
        ("key", f8),
        ("late_key", f8),  # its priority with each, to 29 bits
        ("bits", i8),  # the resources that the leaf demands, bit j for resource j
        ("tasks", i8),
        ("waiting", i8),
        ("started", i8),  # running; not yet; so far
        ("node", i8),  # in `Hierarchy.nodes`
        ("head", i8),  # the place in `Jobs.line` of the job that is served
        ("touched", flag),
    ],
    align=True,
)
ENTRY = np.dtype([("key", f8), ("leaf", i8)], align=True)  # a place of a heap
# a leaf's place, -1 without; the number of its heap
WHERE = np.dtype([("at", i8), ("kind", i8)], align=True)
# places; what its leaves demand
HEAP = np.dtype([("start", i8), ("count", i8), ("bits", i8)], align=True)
# `left`: tasks that wait
JOB = np.dtype(
    [
        ("submit", f8),
        ("duration", f8),
        ("depart", f8),
        ("start", f8),
        ("finish", f8),
        ("leaf", i8),
        ("left", i8),
        ("running", i8),
    ],
    align=True,
)
CHANGE = np.dtype([("time", f8), ("leaf", i8), ("tasks", i8)], align=True)
# whether all has happened at this time, and tasks may start
TALLY = np.dtype(
    [
        ("now", f8),
        ("saturated", i8),  # bit j: a chosen task did not fit in resource j
        ("first", i8),  # k', whose saturation changes weights, -1 for none
        ("decisions", i8),
        ("operations", i8),  # leaves chosen; heap places looked at
        ("reweighed", i8),  # how often weights were worked out anew
        ("ordered", i8),
        ("touched", i8),
        ("logged", i8),  # entries of the state's `order`, `touched`, `log`
        ("submitted", i8),
        ("departed", i8),  # jobs that have arrived, and whose time to leave has come
        ("bad_leaf", i8),
        ("bad_tasks", i8),  # whose priority was no number (-1: nobody's), its tasks then
        ("active_changed", flag),  # whether a leaf has become active, or has ceased to be so
        ("ready", flag),
    ],
    align=True,
)


class Hierarchy(NamedTuple):
    """What a rule that chooses sees: Q nodes by depth, siblings side by side, the root first; p leaves.

    All is read-only but `room`, `mine` and `looked`, which are the rule's own, zero at the start.

    - `nodes[i]`: `.parent` (-1: the root), `.first` and `.count` of its children, `.leaf` (-1: a group),
      `.weight` omega, `.light` 1 over it, `.inner` (see `room`)
    - `leaves[k]`: its `.node`, `.tasks` that run, `.waiting` (its backlog), `.started` so far, `.bits` (bit
      j: it demands resource j), `.weight` and, once resource `first` is saturated, `.late`, as the rule's
      `weights` say
    - `need (p, R)`: what a task takes, over `capacity (R,)`; `free (R,)` of it, in the reader's units; `now`:
      the time
    - `saturated`: bit j for resource j; `first`: k', or -1
    - `changed (n,)`: leaves whose tasks or weight changed since the rule was last asked with that set of
      saturated resources; `anew`: whether every leaf must be looked at: the first time that this set is
      saturated; with more than four resources, whenever the set is another than at the last decision
    - `room (N, W)`: a row for each node, and from `.inner` on one for each child of a group of over 8; each
      set of saturated resources has a room. `mine (N, W)`: the same, but one for all
    - `looked (1,)`: operations, which a rule may count; `rng`: random numbers, the same for a seed
    """

    nodes: Any
    leaves: Any
    need: np.ndarray
    capacity: np.ndarray
    free: np.ndarray
    now: float
    saturated: int
    first: int
    changed: np.ndarray
    anew: bool
    room: np.ndarray
    mine: np.ndarray
    looked: np.ndarray
    rng: np.random.Generator


class Copies(NamedTuple):
    """What there is for each of C sets of saturated resources (beyond four resources: one, made anew)."""

    room: np.ndarray  # (C, N, W)
    made: np.ndarray  # (C,) the set that a copy is for, -1 for none
    changed: np.ndarray  # (C, p) leaves that have changed since
    changes: np.ndarray  # (C,) how many
    noted: np.ndarray  # (C, p) whether a leaf is among them


class Heaps(NamedTuple):
    """p leaves in T heaps, one for each set of demanded resources."""

    entry: np.recarray  # ENTRY (p,)
    where: np.recarray  # WHERE (p,)
    heap: np.recarray  # HEAP (T,)


class Jobs(NamedTuple):
    """Jobs, and their order in the leaves' lines (one line after another), at arrival and at leaving."""

    table: np.recarray  # JOB (n,)
    line: np.ndarray
    by_submit: np.ndarray
    by_depart: np.ndarray


class State(NamedTuple):
    """All that a run changes; p leaves, R resources."""

    tally: np.recarray  # TALLY (1,)
    leaves: np.recarray  # LEAF (p,)
    demand: np.ndarray  # (p, R) per task
    capacity: np.ndarray  # (R,)
    used: np.ndarray  # (R,)
    free: np.ndarray  # (R,) as a rule sees it
    busy: np.ndarray  # (R,) usage times time
    usage: np.ndarray  # (R,) what a priority is shown
    touched: np.ndarray  # (p,) leaves whose tasks changed at this time
    order: np.ndarray  # leaves in the order in which tasks started; empty when not wanted
    log: np.recarray  # CHANGE; empty when not wanted
    jobs: Jobs
    ends: EventQueue  # of tasks
    heaps: Heaps
    late: Heaps  # by `late_key`, of the leaves that do not demand k'
    seen: Hierarchy  # views that cannot be written, of what a rule sees
    copies: Copies
    flat: Flat  # what a flat rule's weights are worked out in


def records(kind: np.dtype, count: int) -> Any:
    """So many records, all zero, whose fields are read by name in kernels and outside of them."""
    return np.zeros(count, kind).view(np.recarray)


def _fixed(array: npt.NDArray) -> Any:
    view = array.view()
    view.flags.writeable = False
    return view


def new_state(
    tree: Tree,
    capacity: np.ndarray,
    waiting: np.ndarray,
    how: int = HEAPS,
    *,
    decisions: int = 0,
    room: Any = (0, 0),
    weighed: bool = False,
    seed: int = 0,
) -> State:
    """A state without jobs, in which nothing runs; `decisions` is how many leaves it can write down, `room`
    how many numbers a rule keeps for each node, and for each resource of it, `weighed` whether its weights
    change."""
    share = tree.demand / capacity
    p, resources = share.shape
    tally, leaves = records(TALLY, 1), records(LEAF, p)
    tally.bad_leaf = tally.first = -1
    leaves.weight, leaves.waiting = tree.weight[tree.leaves], waiting
    leaves.bits = ((tree.demand > 0) * (1 << np.arange(resources))).sum(axis=1)
    free, none, tiny = np.zeros(resources), np.zeros(0, np.int64), Tree([(1.0,)])
    nodes, rows = by_depth(tree if how == TREE else tiny)
    if how == TREE:
        (at,) = np.nonzero(nodes.leaf >= 0)
        leaves.node[nodes.leaf[at]] = at
    copies, wide = (
        2**resources if resources <= MOST and how == TREE else 1,
        room[0] + room[1] * resources,
    )
    seen = Hierarchy(
        nodes=_fixed(nodes),
        leaves=_fixed(leaves),
        need=_fixed(share),
        free=_fixed(free),
        capacity=_fixed(capacity),
        now=0.0,
        saturated=0,
        first=-1,
        changed=np.zeros(1, np.int64),
        anew=True,
        room=np.zeros((1, 1)),
        mine=np.zeros((rows, wide)),
        looked=np.zeros(1, np.int64),
        rng=streams(seed, "mch rule")[0],
    )
    return State(
        tally=tally,
        leaves=leaves,
        demand=_fixed(tree.demand),
        capacity=seen.capacity,
        free=free,
        used=np.zeros(resources),
        busy=np.zeros(resources),
        usage=np.zeros(resources),
        touched=np.zeros(p, np.int64),
        order=np.zeros(decisions, np.int64),
        log=records(CHANGE, 0),
        jobs=Jobs(table=records(JOB, 0), line=none, by_submit=none, by_depart=none),
        ends=event_queue(1),
        heaps=new_heaps(leaves.bits),
        late=new_heaps(leaves.bits),
        seen=seen,
        copies=Copies(
            room=np.zeros((copies, rows, wide)),
            made=np.full(copies, -1),
            changed=np.zeros((copies, p), np.int64),
            changes=np.zeros(copies, np.int64),
            noted=np.zeros((copies, p), np.bool_),
        ),
        flat=flat_nodes(*((tree, capacity) if weighed else (tiny, np.ones(1)))),
    )


def by_depth(tree: Tree) -> tuple[np.recarray, int]:
    """The nodes (Q,) so that siblings are neighbours, and how many rows a rule's room has."""
    q, order = tree.n_nodes, np.argsort(tree.depth, kind="stable")
    rank = np.empty(q, np.int64)
    rank[order] = np.arange(q)
    count, nodes = np.diff(tree.child_start)[order], records(NODE, q)
    nodes.first, nodes.count = np.cumsum(count) - count + 1, count
    nodes.parent, nodes.leaf = np.append(-1, rank[tree.parent[order[1:]]]), tree.leaf_of[order]
    nodes.weight, nodes.light = tree.weight[order], 1 / tree.weight[order]
    places = np.where(count > HANDFUL, count, 0)
    nodes.inner = np.where(places > 0, q + np.cumsum(places) - places, -1)
    return nodes, q + int(places.sum())


def new_heaps(bits: np.ndarray) -> Heaps:
    """Empty heaps for leaves that demand the resources `bits (p,)`."""
    (sets, kind, count), p = np.unique(bits, return_inverse=True, return_counts=True), len(bits)
    made = Heaps(entry=records(ENTRY, p), where=records(WHERE, p), heap=records(HEAP, len(sets)))
    made.where.at, made.where.kind, made.heap.bits, made.heap.start = (
        -1,
        kind,
        sets,
        count.cumsum() - count,
    )
    return made


@kernel
def put(heap, at, key, leaf):
    """Put (key, leaf) into place `at`."""
    entry = heap.entry[at]
    entry.key, entry.leaf, heap.where[leaf].at = key, leaf, at


@kernel
def sift(heap, kind, at, key, leaf):
    """Put (key, leaf) into heap `kind`, whose place `at` is free; gives the number of places looked at."""
    base, size = heap.heap[kind].start, heap.heap[kind].count
    here, moves = at - base, 1
    while here > 0:
        up = (here - 1) >> 2
        moves += 1
        above = heap.entry[base + up]
        if before(above.key, above.leaf, key, leaf):
            break
        put(heap, base + here, above.key, above.leaf)
        here = up
    while True:
        first = 4 * here + 1
        if first >= size:
            break
        best = first
        for child in range(first + 1, min(first + 4, size)):
            one, two = heap.entry[base + child], heap.entry[base + best]
            if before(one.key, one.leaf, two.key, two.leaf):
                best = child
        moves += min(4, size - first)
        below = heap.entry[base + best]
        if before(key, leaf, below.key, below.leaf):
            break
        put(heap, base + here, below.key, below.leaf)
        here = best
    put(heap, base + here, key, leaf)
    return moves


@kernel
def set_key(heap, leaf, key, wants):
    """Give a leaf a key, or take it out when it wants nothing; gives the number of places looked at."""
    kind, at = heap.where[leaf].kind, heap.where[leaf].at
    mine = heap.heap[kind]
    if wants:
        if at < 0:
            at = mine.start + mine.count
            mine.count += 1
        return sift(heap, kind, at, key, leaf)
    if at < 0:
        return 0
    mine.count -= 1
    heap.where[leaf].at = -1
    last = mine.start + mine.count
    return 1 if at == last else sift(heap, kind, at, heap.entry[last].key, heap.entry[last].leaf)


@kernel
def least(heap, mask):
    """The leaf with the least key that demands no resource in `mask`, or -1; ties go to the lower index."""
    best, key = -1, np.inf
    for kind in range(heap.heap.size):
        mine = heap.heap[kind]
        if mine.count > 0 and mine.bits & mask == 0:
            top = heap.entry[mine.start]
            if best < 0 or before(top.key, top.leaf, key, best):
                best, key = top.leaf, top.key
    return best


@kernel
def rounded(x):
    """A number to 29 bits (Veltkamp's splitting), so that shares which differ by rounding alone are equal."""
    if not np.isfinite(x):
        return x
    y = x * CUT
    return y - (y - x)


@kernel
def look_again(priority, how, state, leaf):
    """A leaf's number of tasks, whether it has any waiting, or its weight has changed."""
    if how == TREE:
        copies = state.copies
        for c in range(copies.made.size):
            if copies.made[c] >= 0 and not copies.noted[c, leaf]:
                copies.noted[c, leaf] = True
                copies.changed[c, copies.changes[c]] = leaf
                copies.changes[c] += 1
        return
    tally, one = state.tally[0], state.leaves[leaf]
    for l in range(state.used.size):
        state.usage[l] = one.tasks * state.demand[leaf, l]
    one.key = asked(priority, state, leaf, one.weight)
    if how == HEAPS:
        tally.operations += set_key(state.heaps, leaf, one.key, one.waiting > 0)
    if tally.first >= 0:
        free = (one.bits >> tally.first) & 1 == 0
        if free:
            one.late_key = asked(priority, state, leaf, one.late)
        if how == HEAPS:
            tally.operations += set_key(state.late, leaf, one.late_key, free and one.waiting > 0)


@kernel
def asked(priority, state, leaf, weight):
    """The priority of a leaf whose usage is in `state.usage`; a leaf that never was active has no weight."""
    if weight <= 0.0:
        return np.inf
    key = priority(leaf, state.usage, state.demand[leaf], weight, state.capacity)
    poll()
    if np.isnan(key) and state.tally[0].bad_leaf < 0:
        state.tally[0].bad_leaf, state.tally[0].bad_tasks = leaf, state.leaves[leaf].tasks
    return rounded(key)


@kernel
def choose(pick, how, state):
    """The leaf that the rule serves next, or -1 when every leaf is blocked or has no waiting task."""
    tally, leaves, seen, copies = state.tally[0], state.leaves, state.seen, state.copies
    if how == HEAPS:
        late = tally.first >= 0 and (tally.saturated >> tally.first) & 1 == 1
        return least(state.late, tally.saturated) if late else least(state.heaps, tally.saturated)
    c = tally.saturated if copies.made.size > 1 else 0
    anew, copies.made[c] = copies.made[c] != tally.saturated, tally.saturated
    for at in range(copies.changes[c]):
        copies.noted[c, copies.changed[c, at]] = False
    for l in range(state.used.size):
        state.free[l] = state.capacity[l] - state.used[l]
    leaf = pick(
        Hierarchy(
            nodes=seen.nodes,
            leaves=seen.leaves,
            need=seen.need,
            capacity=seen.capacity,
            free=seen.free,
            now=tally.now,
            saturated=tally.saturated,
            first=tally.first,
            changed=copies.changed[c, : copies.changes[c]],
            anew=anew,
            room=copies.room[c],
            mine=seen.mine,
            looked=seen.looked,
            rng=seen.rng,
        )
    )
    copies.changes[c] = 0
    if leaf >= leaves.size or (
        leaf >= 0 and (leaves[leaf].waiting == 0 or leaves[leaf].bits & tally.saturated != 0)
    ):
        tally.bad_leaf, tally.bad_tasks = leaf, -1
    return leaf


_VECTOR = types.Array(types.float64, 1, "C", readonly=True)
PRIORITY = types.float64(types.int64, _VECTOR, _VECTOR, types.float64, _VECTOR)
"""The type of a rule's `priority(leaf, usage, demand, weight, capacity)`."""
CHOOSE = types.int64(numba.typeof(new_state(Tree([(1.0,)]), np.ones(1), np.ones(1)).seen))
"""The type of a rule's `choose(tree)`, of a `Hierarchy`."""
