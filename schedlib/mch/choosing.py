"""Whom a rule serves next: `look_again` and `choose` are all that a rule decides.

There are four kinds of rules: shipped flat rules compare tasks times a constant, a reader's flat rule calls
its function, H-DRF and its naive form descend a tree. They are branches here, and not functions that the
dispatcher is handed: the kinds need different state (a heap or a tree), and a decision takes a few hundred
nanoseconds, of which calls that numba cannot put in line would be a good part.
"""

from typing import NamedTuple

import numpy as np
from numba.core import types

from schedlib.core.events import EventQueue
from schedlib.core.uncounted import kernel
from schedlib.mch.flat_heap import Heaps, least, rounded, set_key
from schedlib.mch.hdrf_tree import Groups, next_leaf, note
from schedlib.mch.literal import Nodes, descend, scan

SHARE, OWN, H_DRF, NAIVE = range(4)
"""The kinds: flat rules by share over weight, a reader's flat rule, H-DRF, naive hierarchical DRF."""

_VECTOR = types.float64[::1]
PRIORITY = types.float64(types.int64, _VECTOR, _VECTOR, types.float64, _VECTOR)
"""The type of a reader's `priority(leaf, usage, demand, weight, capacity)`."""
f8, i8, flag = np.float64, np.int64, np.bool_
LEAF = np.dtype([
    ("weight", f8), ("slope", f8),  # what a task adds to a flat rule's key: its share over the weight
    ("key", f8),  # a flat rule's share over weight, or a reader's priority
    ("bits", i8),  # the resources that the leaf demands, bit j for resource j
    ("tasks", i8), ("waiting", i8), ("started", i8),  # running; not yet; so far
    ("head", i8),  # the place in `Jobs.line` of the job that is served
    ("touched", flag),  # whether its tasks changed at this time
], align=True)
JOB = np.dtype([
    ("submit", f8), ("duration", f8), ("depart", f8), ("start", f8), ("finish", f8),
    ("leaf", i8), ("left", i8), ("running", i8),  # `left`: tasks that wait
], align=True)
CHANGE = np.dtype([("time", f8), ("leaf", i8), ("tasks", i8)], align=True)
TALLY = np.dtype([
    ("now", f8),
    ("saturated", i8),  # bit j: a chosen task did not fit in resource j
    ("decisions", i8), ("operations", i8),  # leaves chosen; nodes and heap places looked at
    ("ordered", i8), ("touched", i8), ("logged", i8),  # entries of the state's `order`, `touched`, `log`
    ("submitted", i8), ("departed", i8),  # jobs that have arrived, and whose time to leave has come
    ("bad_leaf", i8), ("bad_tasks", i8),  # whose priority was no number (-1: nobody's), its tasks then
    ("active_changed", flag),  # whether a leaf has become active, or has ceased to be so
    ("ready", flag),  # whether all has happened at this time, and tasks may start
], align=True)


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
    busy: np.ndarray  # (R,) usage times time
    usage: np.ndarray  # (R,) what a reader's rule is shown
    touched: np.ndarray  # (p,) leaves whose tasks changed at this time
    order: np.ndarray  # leaves in the order in which tasks started; empty when not wanted
    log: np.recarray  # CHANGE; empty when not wanted
    jobs: Jobs
    ends: EventQueue  # of tasks
    heaps: Heaps
    groups: Groups
    nodes: Nodes


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
        key = own(leaf, state.usage, state.demand[leaf], one.weight, state.capacity)
        if np.isnan(key) and tally.bad_leaf < 0:
            tally.bad_leaf, tally.bad_tasks = leaf, one.tasks
        key = rounded(key)
    else:
        key = rounded(one.tasks * one.slope) if one.slope < np.inf else one.slope
    one.key = key
    if fast:
        tally.operations += set_key(state.heaps, leaf, key, one.waiting > 0)


@kernel
def choose(kind, fast, state):
    """The leaf that the rule serves next, or -1 when every leaf is blocked or has no waiting task."""
    tally = state.tally[0]
    if kind < H_DRF:
        if fast:
            return least(state.heaps, tally.saturated)
        tally.operations += state.leaves.size
        return scan(state.leaves, tally.saturated)
    if fast:
        leaf, looked = next_leaf(state.groups, state.leaves, tally.saturated, kind == H_DRF)
    else:
        leaf, looked = descend(state.nodes, state.leaves, tally.saturated, kind == H_DRF)
    tally.operations += looked
    return leaf
