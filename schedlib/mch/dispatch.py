"""The task scheduler: one leaf after another is given a task until nothing fits; jobs arrive, their tasks end, jobs leave.

At equal times tasks end first, then jobs leave, then jobs arrive, and the scheduler starts tasks when all of that is done.
"""

from typing import NamedTuple

import numba
import numpy as np
from numba.core import types

from schedlib.core import compiling, events
from schedlib.core.uncounted import kernel
from schedlib.mch import flat_heap, hdrf_tree, literal
from schedlib.mch.model import Tree
from schedlib.mch.own import PRIORITY

add, take = events.add, events.take
rounded, set_key, least = flat_heap.rounded, flat_heap.set_key, flat_heap.least
note, count_start, next_leaf = hdrf_tree.note, hdrf_tree.count_start, hdrf_tree.next_leaf
descend, scan = literal.descend, literal.scan

FLAT, OWN, H_DRF, NAIVE = range(4)
DONE, REWEIGH, MORE_ROOM, BAD_PRIORITY = range(4)
MASK, DECISIONS, OPERATIONS, ACTIVE_CHANGED, READY, TOUCHED, LOGGED, ORDERED, BAD = range(9)  # in State.whole
NOW = 0  # in State.clock
SUBMITS, DEPARTS = range(2)  # in Jobs.seen


class State(NamedTuple):
    """What a run changes, whatever the rule."""

    demand: np.ndarray  # (p, R)
    capacity: np.ndarray  # (R,)
    weight: np.ndarray  # (p,)
    bits: np.ndarray  # (p,)
    used: np.ndarray  # (R,)
    tasks: np.ndarray  # (p,) running
    waiting: np.ndarray  # (p,)
    started: np.ndarray  # (p,) so far
    key: np.ndarray  # (p,) flat rules' share over weight
    usage: np.ndarray  # (R,) what a reader's rule is shown
    whole: np.ndarray
    clock: np.ndarray
    busy: np.ndarray  # (R,) usage times time
    touched: np.ndarray  # (p,) leaves whose tasks changed at this time
    is_touched: np.ndarray  # (p,)
    order: np.ndarray  # leaves in the order of decisions; empty when not wanted
    log_time: np.ndarray  # changes: time, leaf, tasks; empty when not wanted
    log_leaf: np.ndarray
    log_tasks: np.ndarray


class Jobs(NamedTuple):
    """Jobs in a table, and the line of each leaf: `line[line_start[i]:line_start[i + 1]]`, by arrival."""

    leaf: np.ndarray
    submit: np.ndarray
    duration: np.ndarray
    depart: np.ndarray
    left: np.ndarray  # tasks waiting
    running: np.ndarray
    start: np.ndarray
    finish: np.ndarray
    line: np.ndarray
    line_start: np.ndarray
    head: np.ndarray  # (p,) places in `line`
    by_submit: np.ndarray
    by_depart: np.ndarray
    seen: np.ndarray


class System(NamedTuple):
    state: State
    jobs: Jobs
    ends: events.EventQueue
    heap: flat_heap.Flat
    groups: hdrf_tree.Groups
    nodes: literal.Nodes


@kernel
def look_again(own, kind, fast, sys, leaf):
    """A leaf's tasks, or whether it has any waiting, have changed."""
    state = sys.state
    if kind >= H_DRF:
        if fast:
            note(sys.groups, leaf)
        return
    if kind == OWN:
        for l in range(state.used.size):
            state.usage[l] = state.tasks[leaf] * state.demand[leaf, l]
        key = own(leaf, state.usage, state.demand[leaf], state.weight[leaf], state.capacity)
        if np.isnan(key):
            state.whole[BAD] = leaf
        key = rounded(key)
    else:
        slope = sys.heap.slope[leaf]
        key = rounded(state.tasks[leaf] * slope) if slope < np.inf else slope
    state.key[leaf] = key
    if fast:
        state.whole[OPERATIONS] += set_key(sys.heap, leaf, key, state.waiting[leaf] > 0)


@kernel
def touch(state, leaf):
    if not state.is_touched[leaf]:
        state.is_touched[leaf] = True
        state.touched[state.whole[TOUCHED]] = leaf
        state.whole[TOUCHED] += 1


@kernel
def choose(kind, fast, sys):
    """The rule's next leaf, or -1."""
    state, mask = sys.state, sys.state.whole[MASK]
    if kind < H_DRF:
        if fast:
            return least(sys.heap, mask)
        state.whole[OPERATIONS] += state.tasks.size
        return scan(state.key, state.bits, state.waiting, mask)
    if fast:
        leaf, looked = next_leaf(sys.groups, mask, state.tasks, state.waiting, kind == H_DRF)
    else:
        leaf, looked = descend(sys.nodes, mask, state.tasks, state.waiting, state.started, kind == H_DRF)
    state.whole[OPERATIONS] += looked
    return leaf


@kernel
def serve(own, kind, fast, sys):
    """Start tasks until none fits: a resource in which the chosen task does not fit is saturated."""
    state, jobs = sys.state, sys.jobs
    resources = state.used.size
    now = state.clock[NOW]
    while state.whole[BAD] < 0:
        leaf = choose(kind, fast, sys)
        if leaf < 0:
            return
        state.whole[DECISIONS] += 1
        full = 0
        for l in range(resources):
            if state.demand[leaf, l] > 0 and state.used[l] + state.demand[leaf, l] > state.capacity[l] * (1 + 1e-9):
                full |= 1 << l
        if full:
            state.whole[MASK] |= full
            continue
        for l in range(resources):
            state.used[l] += state.demand[leaf, l]
        state.tasks[leaf] += 1
        state.started[leaf] += 1
        state.waiting[leaf] -= 1
        if kind >= H_DRF and fast:
            count_start(sys.groups, leaf)
        if state.order.size > 0:
            state.order[state.whole[ORDERED]] = leaf
        state.whole[ORDERED] += 1
        if jobs.leaf.size > 0:
            while jobs.left[jobs.line[jobs.head[leaf]]] == 0:
                jobs.head[leaf] += 1
            job = jobs.line[jobs.head[leaf]]
            jobs.left[job] -= 1
            jobs.running[job] += 1
            if np.isnan(jobs.start[job]):
                jobs.start[job] = now
            add(sys.ends, now + jobs.duration[job], job)
            touch(state, leaf)
        look_again(own, kind, fast, sys, leaf)


@kernel
def give_back(state, leaf, count):
    """`count` tasks of a leaf stop."""
    state.tasks[leaf] -= count
    for l in range(state.used.size):
        state.used[l] = max(state.used[l] - count * state.demand[leaf, l], 0.0)
    state.whole[MASK] &= ~state.bits[leaf]
    touch(state, leaf)
    if state.tasks[leaf] == 0 and state.waiting[leaf] == 0:
        state.whole[ACTIVE_CHANGED] = 1


@kernel
def happen(own, kind, fast, sys, now):
    """All that happens at `now`, but for what the scheduler does then."""
    state, jobs, ends = sys.state, sys.jobs, sys.ends
    while ends.count[0] > 0 and ends.time[0] <= now:
        _, job = take(ends)
        if jobs.running[job] > 0:  # it has not left
            jobs.running[job] -= 1
            if jobs.running[job] == 0 and jobs.left[job] == 0:
                jobs.finish[job] = now
            give_back(state, jobs.leaf[job], 1)
            look_again(own, kind, fast, sys, jobs.leaf[job])
    while jobs.seen[DEPARTS] < jobs.by_depart.size and jobs.depart[jobs.by_depart[jobs.seen[DEPARTS]]] <= now:
        job = jobs.by_depart[jobs.seen[DEPARTS]]
        jobs.seen[DEPARTS] += 1
        if jobs.left[job] > 0 or jobs.running[job] > 0:
            leaf, count = jobs.leaf[job], jobs.running[job]
            state.waiting[leaf] -= jobs.left[job]
            jobs.left[job] = jobs.running[job] = 0
            jobs.finish[job] = now
            if count > 0:
                give_back(state, leaf, count)
            elif state.tasks[leaf] == 0 and state.waiting[leaf] == 0:
                state.whole[ACTIVE_CHANGED] = 1
            look_again(own, kind, fast, sys, leaf)
    while jobs.seen[SUBMITS] < jobs.by_submit.size and jobs.submit[jobs.by_submit[jobs.seen[SUBMITS]]] <= now:
        job = jobs.by_submit[jobs.seen[SUBMITS]]
        jobs.seen[SUBMITS] += 1
        leaf = jobs.leaf[job]
        if state.tasks[leaf] == 0 and state.waiting[leaf] == 0:
            state.whole[ACTIVE_CHANGED] = 1
        state.waiting[leaf] += jobs.left[job]
        look_again(own, kind, fast, sys, leaf)


@kernel
def next_time(sys):
    jobs = sys.jobs
    time = sys.ends.time[0] if sys.ends.count[0] > 0 else np.inf
    if jobs.seen[SUBMITS] < jobs.by_submit.size:
        time = min(time, jobs.submit[jobs.by_submit[jobs.seen[SUBMITS]]])
    if jobs.seen[DEPARTS] < jobs.by_depart.size:
        time = min(time, jobs.depart[jobs.by_depart[jobs.seen[DEPARTS]]])
    return time


@kernel
def move_clock(state, time):
    for l in range(state.used.size):
        state.busy[l] += state.used[l] * (time - state.clock[NOW])
    state.clock[NOW] = time


def _advance(own, kind, fast, reweigh, sys, until):
    """Run until `until`, which counts; stops for new weights (when `reweigh`) and for a longer log, and goes on when called again."""
    state = sys.state
    while True:
        if state.whole[READY] == 0:
            if 0 < state.log_time.size < state.whole[LOGGED] + state.tasks.size:
                return MORE_ROOM
            time = next_time(sys)
            if time > until or time == np.inf:
                if until < np.inf:
                    move_clock(state, until)
                return DONE
            move_clock(state, time)
            happen(own, kind, fast, sys, time)
            state.whole[READY] = 1
            if reweigh and state.whole[ACTIVE_CHANGED] == 1:
                state.whole[ACTIVE_CHANGED] = 0
                return REWEIGH
        state.whole[READY] = 0
        serve(own, kind, fast, sys)
        if state.whole[BAD] >= 0:
            return BAD_PRIORITY
        for at in range(state.whole[TOUCHED]):
            leaf = state.touched[at]
            state.is_touched[leaf] = False
            if state.log_time.size > 0:
                row = state.whole[LOGGED]
                state.log_time[row], state.log_leaf[row], state.log_tasks[row] = state.clock[NOW], leaf, state.tasks[leaf]
                state.whole[LOGGED] = row + 1
        state.whole[TOUCHED] = 0


def _refresh(own, kind, fast, sys):
    """Every leaf's key anew: at the beginning, and after new weights."""
    for leaf in range(sys.state.tasks.size):
        look_again(own, kind, fast, sys, leaf)


def _fill(own, kind, fast, sys):
    serve(own, kind, fast, sys)


def no_jobs(leaves: int) -> Jobs:
    """No jobs: a static filling, in which tasks do not end."""
    real, whole = np.zeros(0), np.zeros(0, np.int64)
    line = np.zeros(leaves + 1, np.int64), np.zeros(leaves, np.int64)
    return Jobs(whole, real, real, real, whole, whole, real, real, whole, *line, whole, whole, np.zeros(3, np.int64))


def system(tree, capacity, waiting, *, hierarchical: bool, fast: bool, decisions: int = 0) -> System:
    """A system in which nothing runs; `decisions` (0: none) is how many leaves it can write down."""
    share = tree.demand / capacity
    p, resources = share.shape
    bits = ((tree.demand > 0) * (1 << np.arange(resources))).sum(axis=1)
    tiny = Tree([(1.0,)])
    one = np.ones((1, 1)), np.ones(1, np.int64)
    whole = np.zeros(9, np.int64)
    whole[BAD] = -1
    state = State(
        *(np.array(tree.demand), capacity, np.array(tree.weight[tree.leaves]), bits, np.zeros(resources), np.zeros(p, np.int64)),
        *(np.array(waiting, np.int64), np.zeros(p, np.int64), np.zeros(p), np.zeros(resources), whole, np.zeros(1)),
        *(np.zeros(resources), np.zeros(p, np.int64), np.zeros(p, np.bool_), np.zeros(decisions, np.int64)),
        *(np.zeros(0), np.zeros(0, np.int64), np.zeros(0, np.int64)),
    )
    groups = hdrf_tree.groups(tree, share, bits) if hierarchical and fast else hdrf_tree.groups(tiny, *one)
    nodes = literal.nodes(tree, share, bits) if hierarchical and not fast else literal.nodes(tiny, *one)
    return System(state, no_jobs(p), events.event_queue(1), flat_heap.flat(bits), groups, nodes)


def _signatures():
    sys = numba.typeof(system(Tree([(1.0,)]), np.ones(1), np.ones(1), hierarchical=False, fast=True))
    rule, kind, fast = compiling.function_type(PRIORITY), types.int64, types.boolean
    return types.int64(rule, kind, fast, fast, sys, types.float64), types.void(rule, kind, fast, sys)


_run, _all = _signatures()
advance = kernel(signature=_run)(_advance)
refresh = kernel(signature=_all)(_refresh)
fill = kernel(signature=_all)(_fill)
